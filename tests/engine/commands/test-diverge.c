/* SPDX-License-Identifier: Apache-2.0
 * The commands that compare runs, on a real session with model files: as JSON, from the beginning,
 * the middle and the end of a run. */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/worker/sonde-inference.h"
#include "app/worker/sonde-worker-host.h"
#include "collector/writer/sonde-summary-writer.h"
#include "data/arrays/sonde-npy.h"
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "tests/engine/commands/command-lines.h"
#include "tests/engine/session/session-fixture.h"

#define N_LAYERS 6
#define SIDE 12

/* ---- files --------------------------------------------------------------- */

static SondeTensor *
make_tensor (guint32 seed, double bound)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < SIDE * SIDE; i++)
    sonde_tensor_set_double (tensor, i, g_rand_double_range (random, -bound, bound));
  return tensor;
}

/* Layers of a product and a curve; in layer @wrong a number of the weight is another. @prefix: of
 * the names of values */
static void
write_model (const char *path, int wrong, const char *prefix)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("layers");
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  SondeGraphValue *x;

  sonde_graph_set_opset (graph, "", 17);
  graph->ir_version = 8;
  x = sonde_graph_add_input (graph, "x", &type);
  for (int i = 0; i < N_LAYERS; i++)
    {
      g_autofree char *name = g_strdup_printf ("layer%d/mm", i),
                      *weight = g_strdup_printf ("layer%d.weight", i),
                      *curve = g_strdup_printf ("layer%d/tanh", i),
                      *value = g_strdup_printf ("%sh%d", prefix, i),
                      *product = g_strdup_printf ("%sp%d", prefix, i);
      g_autoptr (SondeTensor) tensor = make_tensor ((guint32) i + 5, 0.7);
      SondeGraphValue *inputs[2] = { x, NULL };

      if (i == wrong)
        sonde_tensor_set_double (tensor, 17, 0.9);
      inputs[1] = sonde_graph_add_initialiser (graph, weight, tensor, SONDE_ROLE_PARAMETER);
      x = sonde_build_op (graph, name, "", "MatMul", 2, inputs);
      sonde_graph_rename_value (graph, x, product);
      x = sonde_build_op (graph, curve, "", "Tanh", 1, &x);
      sonde_graph_rename_value (graph, x, value);
    }
  sonde_graph_add_output (graph, x);
  bytes = sonde_model_serialise (graph, &error);
  g_assert_no_error (error);
  g_file_set_contents (path, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes),
                       &error);
  g_assert_no_error (error);
}

/* ---- a session ----------------------------------------------------------- */

typedef struct
{
  SessionFixture session;
  SondeWorkerHost *host;
  SondeSessionClient *client;
  CommandLines *lines;
  char *folder;
} Fixture;

static char *
file_of (Fixture *fixture, const char *name)
{
  return g_build_filename (fixture->folder, name, NULL);
}

static void
open_model (Fixture *fixture)
{
  g_autofree char *model = file_of (fixture, "model.onnx"), *input = file_of (fixture, "x.npy");
  SondeSessionInput file = { NULL, input };
  SondeOpenRequest open = { .subject = model, .inputs = &file, .n_inputs = 1, .threads = 1 };
  g_autoptr (SondeSessionReply) reply = call (fixture->client, sonde_session_request_open (&open));

  g_assert_cmpint (reply->status->state, ==, SONDE_SESSION_READY);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeTensor) x = make_tensor (99, 1);
  g_autoptr (GError) error = NULL;
  g_autofree char *model = NULL, *input = NULL, *other = NULL, *renamed = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-diverge-XXXXXX", &error);
  g_assert_no_error (error);
  model = file_of (fixture, "model.onnx");
  input = file_of (fixture, "x.npy");
  other = file_of (fixture, "other.onnx");
  renamed = file_of (fixture, "renamed.onnx");
  write_model (model, -1, "");
  write_model (other, 3, "");
  write_model (renamed, 4, "other_");
  sonde_npy_write (NULL, input, x, &error);
  g_assert_no_error (error);

  session_fixture_init (&fixture->session);
  fixture->host = sonde_worker_host_new ("sonde");
  fixture->session.options.host = sonde_worker_host_get_session_host (fixture->host);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_model (fixture);
  fixture->lines = command_lines_new (fixture->client, TRUE);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      remove_tree (inside);
    }
  g_remove (path);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  command_lines_free (fixture->lines);
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
  sonde_worker_host_free (fixture->host);
  remove_tree (fixture->folder);
  g_free (fixture->folder);
}

static JsonObject *ask (Fixture *fixture, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* What the line answers, as one object. (transfer full) */
static JsonObject *
ask (Fixture *fixture, const char *format, ...)
{
  g_autofree char *line = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  text = command_lines_say (fixture->lines, line);
  root = json_from_string (text, &error);
  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

static void
assert_ok (JsonObject *answer)
{
  if (!json_object_get_boolean_member (answer, "ok"))
    g_error ("%s", json_object_get_string_member (answer, "error"));
}

/* @node: (nullable): nobody */
static void
assert_first (JsonObject *answer, const char *node)
{
  JsonArray *nodes;

  assert_ok (answer);
  nodes = json_object_get_array_member (answer, "nodes");
  g_assert_cmpuint (json_array_get_length (nodes), >, 0);
  if (node == NULL)
    g_assert_true (json_object_get_null_member (answer, "first_divergent_node"));
  else
    g_assert_cmpstr (json_object_get_string_member (answer, "first_divergent_node"), ==, node);
  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonObject *entry = json_array_get_object_element (nodes, i);

      g_assert_true (json_object_has_member (entry, "own_error"));
      g_assert_true (json_object_has_member (entry, "inherited_error"));
      g_assert_true (json_object_has_member (entry, "op"));
      g_assert_true (json_object_has_member (entry, "value"));
      if (json_object_get_boolean_member (entry, "over"))
        g_assert_cmpstr (json_object_get_string_member (entry, "node"), ==, node);
    }
}

/* ---- tests --------------------------------------------------------------- */

static void
compare_here (Fixture *fixture)
{
  static const char *const healthy[]
      = { "--reference",     "--device cpu",   "--precision f64", "--precision bf16",
          "--precision f16", "--optimise off", "--threads 2" };

  for (gsize i = 0; i < G_N_ELEMENTS (healthy); i++)
    {
      g_autoptr (JsonObject) answer = ask (fixture, "diverge %s", healthy[i]);

      assert_first (answer, NULL);
    }
  {
    g_autoptr (JsonObject) other = ask (fixture, "diverge --model %s/other.onnx", fixture->folder);
    g_autoptr (JsonObject) renamed
        = ask (fixture, "diverge --model \"%s/renamed.onnx\"", fixture->folder);
    g_autoptr (JsonObject) weights
        = ask (fixture, "diverge --weights %s/other.onnx", fixture->folder);
    g_autoptr (JsonObject) tolerant
        = ask (fixture, "diverge --model %s/other.onnx --rtol 100", fixture->folder);
    g_autoptr (JsonObject) some
        = ask (fixture, "diverge --model %s/other.onnx --node layer[012]*", fixture->folder);

    assert_first (other, "layer3/mm");
    g_assert_cmpuint (json_array_get_length (json_object_get_array_member (other, "nodes")), ==,
                      2 * N_LAYERS);
    assert_first (renamed, "layer4/mm");
    g_assert_cmpuint (json_array_get_length (json_object_get_array_member (renamed, "nodes")), ==,
                      2 * N_LAYERS);
    assert_first (weights, "layer3/mm");
    assert_first (tolerant, NULL);
    assert_ok (some);
  }
}

static void
test_anywhere (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JsonObject) until = NULL, end = NULL, still = NULL;

  compare_here (fixture);
  until = ask (fixture, "until h2");
  assert_ok (until);
  compare_here (fixture);
  still = ask (fixture, "info state"); /* nothing moved */
  assert_ok (still);
  end = ask (fixture, "continue");
  g_assert_cmpstr (json_object_get_string_member (end, "event"), ==, "ended");
  compare_here (fixture);
}

/* Another framework's values: some of them, one of them wrong. */
static void
test_file (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autofree char *file = file_of (fixture, "other.npz");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) end = ask (fixture, "run"), right = NULL, wrong = NULL, folder = NULL;
  static const char *const names[] = { "p0", "h1", "h3", "h5" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *name = g_strdup_printf ("Net.%s", names[i]),
                      *npy = g_strdup_printf ("%s/%s.npy", fixture->folder, names[i]);
      g_autoptr (SondeSessionReply) reply
          = call (fixture->client, sonde_session_request_tensor (names[i]));

      sonde_named_tensors_set (tensors, i % 2 == 0 ? names[i] : name, reply->tensor);
      sonde_npy_write (NULL, npy, reply->tensor, &error);
      g_assert_no_error (error);
    }
  sonde_npz_write (NULL, file, tensors, &error);
  g_assert_no_error (error);
  right = ask (fixture, "diverge --reference %s", file);
  assert_first (right, NULL);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (right, "nodes")), ==,
                    G_N_ELEMENTS (names));
  folder = ask (fixture, "diverge --dump %s", fixture->folder);
  assert_first (folder, NULL);
  {
    g_autoptr (SondeTensor) changed
        = sonde_tensor_copy (sonde_named_tensors_lookup (tensors, "h3"));

    sonde_tensor_set_double (changed, 5, 0.5 + sonde_tensor_get_double (changed, 5));
    sonde_named_tensors_set (tensors, "h3", changed);
  }
  sonde_npz_write (NULL, file, tensors, &error);
  wrong = ask (fixture, "diverge --reference %s --node layer3*", file);
  assert_first (wrong, "layer3/tanh");
  {
    JsonObject *entry
        = json_array_get_object_element (json_object_get_array_member (wrong, "nodes"), 0);

    g_assert_cmpfloat_with_epsilon (json_object_get_double_member (entry, "own_error"), 0.5, 1e-4);
    g_assert_cmpstr (json_object_get_string_member (entry, "index"), ==, "[0, 5]");
    g_assert_cmpint (json_object_get_int_member (entry, "span"), ==, 4);
  }
}

/* A message with one output of SIDE × SIDE float32, in the folder of an iteration. */
static void
write_message (const char *folder, const char *name, SondeTensor *tensor)
{
  static const guint8 shape[] = { 0x1a, 4, 0x0a, 2, SIDE, SIDE };
  const guint bytes = SIDE * SIDE * 4, length = 4 + sizeof shape + 3 + bytes;
  const guint8 head[]
      = { 0x1a, (guint8) ((length & 0x7f) | 0x80), (guint8) (length >> 7), 0x08, 1, 0x10, 2 };
  const guint8 data[] = { 0x2a, (guint8) ((bytes & 0x7f) | 0x80), (guint8) (bytes >> 7) };
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  g_byte_array_append (file, head, sizeof head);
  g_byte_array_append (file, shape, sizeof shape);
  g_byte_array_append (file, data, sizeof data);
  g_byte_array_append (file, tensor->data, bytes);
  g_file_set_contents (path, (const char *) file->data, file->len, &error);
  g_assert_no_error (error);
}

/* Messages of MindSpore, whose names have scopes and types of cells. */
static void
test_messages (Fixture *fixture, gconstpointer data)
{
  static const char *const values[] = { "h1", "p3", "h4" };
  static const char *const files[]
      = { "Tanh.Default_layer1-Cell_tanh-op0.0.0.1700000000000001",
          "Cell.Default_layer3-Cell_mm-op0.0.0.1700000000000002",
          "Tanh.Default_layer4-Cell_tanh-op0.0.0.1700000000000003.bin" };
  g_autofree char *folder = g_build_filename (fixture->folder, "dump/rank_0/Net/0/7", NULL);
  g_autofree char *next = g_build_filename (fixture->folder, "dump/rank_0/Net/0/8", NULL),
                  *root = file_of (fixture, "dump");
  g_autoptr (JsonObject) right = NULL, wrong = NULL, refused = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  json_object_unref (ask (fixture, "continue"));
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *file = file_of (fixture, "value.npy");
      g_autoptr (SondeTensor) tensor = NULL;
      g_autoptr (GError) error = NULL;

      json_object_unref (ask (fixture, "save %s %s", values[i], file));
      tensor = sonde_npy_read (NULL, file, &error);
      g_assert_no_error (error);
      write_message (folder, files[i], tensor);
    }
  right = ask (fixture, "diverge --dump %s", root);
  assert_first (right, NULL);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (right, "nodes")), ==,
                    G_N_ELEMENTS (values));
  {
    g_autofree char *file = file_of (fixture, "value.npy");
    g_autoptr (SondeTensor) tensor = sonde_npy_read (NULL, file, NULL);

    sonde_tensor_set_double (tensor, 9, 3);
    write_message (folder, files[2], tensor);
  }
  wrong = ask (fixture, "diverge --dump %s", folder);
  assert_first (wrong, "layer4/tanh");
  g_assert_cmpint (g_mkdir_with_parents (next, 0700), ==, 0);
  refused = ask (fixture, "diverge --dump %s", root);
  g_assert_false (json_object_get_boolean_member (refused, "ok"));
  g_assert_nonnull (
      strstr (json_object_get_string_member (refused, "error"), "2 iterations, from 7 to 8"));
}

/* Values of another run: its checkpoints. */
static void
test_other_run (Fixture *fixture, gconstpointer data)
{
  g_autofree char *run = file_of (fixture, "run"),
                  *folder = g_build_filename (run, "checkpoints", NULL);
  g_autofree char *early = g_build_filename (folder, "step-00000012.npz", NULL),
                  *final = g_build_filename (folder, "final.npz", NULL);
  g_autoptr (SondeTensor) weight = make_tensor (5, 0.7);
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (JsonObject) same = NULL, other = NULL, none = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  sonde_named_tensors_set (tensors, "layer0.weight", weight);
  sonde_npz_write (NULL, final, tensors, &error);
  g_assert_no_error (error);
  sonde_tensor_set_double (weight, 3, 2 + sonde_tensor_get_double (weight, 3));
  sonde_npz_write (NULL, early, tensors, &error);
  g_assert_no_error (error);
  same = ask (fixture, "diff layer0.weight layer0.weight@run:%s", run);
  assert_ok (same);
  g_assert_cmpint (json_object_get_int_member (same, "differing"), ==, 0);
  other = ask (fixture, "diff layer0.weight layer0.weight@run:%s:12", run);
  assert_ok (other);
  g_assert_cmpint (json_object_get_int_member (other, "differing"), ==, 1);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (other, "max_abs"), 2, 1e-6);
  none = ask (fixture, "diff layer0.weight layer0.weight@run:%s:13", run);
  g_assert_false (json_object_get_boolean_member (none, "ok"));
  g_assert_nonnull (
      strstr (json_object_get_string_member (none, "error"), "no checkpoint of step 13"));
}

/* A session of the recorder of @run: h3 of the present run in @step, and with another number in the
 * step after. */
static void
record_session (const char *run, SondeTensor *h3, gint64 step)
{
  const SondeSummaryWriterOptions options = { 0 };
  g_autoptr (SondeTensor) other = sonde_tensor_copy (h3);
  g_autoptr (GError) error = NULL;
  SondeSummaryWriter *writer = sonde_summary_writer_open (run, &options, &error);

  g_assert_no_error (error);
  sonde_summary_writer_add_tensor (writer, "h3", step, h3);
  sonde_tensor_set_double (other, (gint64) step, 1.5 + sonde_tensor_get_double (h3, (gint64) step));
  sonde_summary_writer_add_tensor (writer, "h3", step + 1, other);
  sonde_summary_writer_add_scalar (writer, "layer0.weight", step, 3);
  sonde_summary_writer_close (writer, &error);
  g_assert_no_error (error);
}

/* Values of another run that recorded them, in two sessions; a record goes before the
 * checkpoint. */
static void
test_other_records (Fixture *fixture, gconstpointer data)
{
  g_autofree char *run = file_of (fixture, "other run"), *file = file_of (fixture, "value.npy");
  g_autofree char *folder = g_build_filename (run, "checkpoints", NULL),
                  *final = g_build_filename (folder, "final.npz", NULL);
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (SondeTensor) h3 = NULL, weight = make_tensor (5, 0.7);
  g_autoptr (JsonObject) same = NULL, last = NULL, early = NULL, from_file = NULL, wrong = NULL,
                         none = NULL, half = NULL;
  g_autoptr (GError) error = NULL;

  json_object_unref (ask (fixture, "continue"));
  json_object_unref (ask (fixture, "save h3 %s", file));
  h3 = sonde_npy_read (NULL, file, &error);
  g_assert_no_error (error);
  record_session (run, h3, 4);
  record_session (run, h3, 20);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  sonde_named_tensors_set (tensors, "h3", weight);
  sonde_named_tensors_set (tensors, "layer0.weight", weight);
  sonde_npz_write (NULL, final, tensors, &error);
  g_assert_no_error (error);

  same = ask (fixture, "diff h3 \"h3@run:%s:20\"", run);
  assert_ok (same);
  g_assert_cmpint (json_object_get_int_member (same, "differing"), ==, 0);
  last = ask (fixture, "diff h3 \"h3@run:%s\"", run);
  assert_ok (last);
  g_assert_cmpint (json_object_get_int_member (last, "differing"), ==, 1);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (last, "max_abs"), 1.5, 1e-6);
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (last, "index"), 1), ==,
                   20 % SIDE);
  early = ask (fixture, "diff \"h3@run:%s:5\" h3", run);
  assert_ok (early);
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (early, "index"), 1),
                   ==, 4);
  /* the record of that name is a scalar */
  from_file = ask (fixture, "diff layer0.weight \"layer0.weight@run:%s\"", run);
  assert_ok (from_file);
  g_assert_cmpint (json_object_get_int_member (from_file, "differing"), ==, 0);
  none = ask (fixture, "diff h3 \"h3@run:%s:6\"", run);
  g_assert_false (json_object_get_boolean_member (none, "ok"));
  g_assert_nonnull (
      strstr (json_object_get_string_member (none, "error"), "no tensor record “h3” of step 6"));
  wrong = ask (fixture, "diff h3 \"h33@run:%s\"", run);
  g_assert_false (json_object_get_boolean_member (wrong, "ok"));
  g_assert_nonnull (strstr (json_object_get_string_member (wrong, "error"), "final.npz"));
  half = ask (fixture, "diff \"h3@run:%s:4\" \"h3@run:%s:5\"", run, run);
  assert_ok (half);
  g_assert_cmpint (json_object_get_int_member (half, "differing"), ==, 1);
}

/* Error of the model as `sonde infer --precision F.ini` runs it; @without: a node that is taken out
 * of the file. */
static double
measure_recipe (Fixture *fixture, const char *recipe, const char *without)
{
  g_autofree char *model = file_of (fixture, "model.onnx"), *input = file_of (fixture, "x.npy"),
                  *other = file_of (fixture, "other.ini");
  const char *inputs[] = { input, NULL };
  SondeInferenceOptions options = { .inputs = inputs, .threads = 1, .recipe = other },
                        wide = { .inputs = inputs, .threads = 1 };
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) nodes = NULL;
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  SondeInference *runs[2];
  g_autoptr (SondeTensor) mine = NULL, wanted = NULL;
  double largest = 0, worst = 0;

  g_key_file_load_from_file (file, recipe, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  nodes = g_key_file_get_string_list (file, "keep-f32", "nodes", NULL, NULL);
  for (guint i = 0; nodes != NULL && nodes[i] != NULL; i++)
    if (g_strcmp0 (nodes[i], without) != 0)
      g_ptr_array_add (kept, nodes[i]);
  g_key_file_set_string_list (file, "keep-f32", "nodes", (const char *const *) kept->pdata,
                              kept->len);
  g_key_file_save_to_file (file, other, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      runs[i] = sonde_inference_open (model, i == 0 ? &options : &wide, &error);
      g_assert_no_error (error);
      g_assert_cmpint (sonde_execution_run (runs[i]->execution, &error), ==, SONDE_RUN_DONE);
    }
  mine = sonde_execution_read (runs[0]->execution, sonde_graph_find_value (runs[0]->graph, "h5"),
                               &error);
  g_assert_no_error (error);
  wanted = sonde_execution_read (runs[1]->execution, sonde_graph_find_value (runs[1]->graph, "h5"),
                                 &error);
  for (gint64 i = 0; i < sonde_tensor_n_elements (mine); i++)
    {
      largest = MAX (largest, fabs (sonde_tensor_get_double (wanted, i)));
      worst = MAX (worst,
                   fabs (sonde_tensor_get_double (wanted, i) - sonde_tensor_get_double (mine, i)));
    }
  sonde_inference_free (runs[0]);
  sonde_inference_free (runs[1]);
  return worst / largest;
}

/* The recipe keeps its promise where it is used, and none of it can be left out. */
static void
test_precision (Fixture *fixture, gconstpointer data)
{
  static const char *const words[]
      = { "--tolerance 0.5", "--tolerance 0.004", "--tolerance 2e-4 --precision f16 --value h5" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *file = file_of (fixture, "found.ini");
      g_autoptr (JsonObject) answer = ask (fixture, "precision %s %s", file, words[i]);
      double tolerance;
      JsonArray *kept;

      assert_ok (answer);
      g_assert_cmpstr (json_object_get_string_member (answer, "file"), ==, file);
      tolerance = json_object_get_double_member (answer, "tolerance");
      kept = json_object_get_array_member (answer, "kept");
      g_assert_cmpint (json_object_get_int_member (answer, "nodes"), ==, 2 * N_LAYERS);
      g_assert_cmpint (json_object_get_int_member (answer, "runs"), >=, 2);
      g_assert_cmpfloat (json_object_get_double_member (answer, "reached"), <=, tolerance);
      g_assert_true ((json_array_get_length (kept) == 0) == (i == 0));
      g_assert_cmpfloat_with_epsilon (measure_recipe (fixture, file, NULL),
                                      json_object_get_double_member (answer, "reached"), 1e-6);
      for (guint k = 0; k < json_array_get_length (kept); k++)
        g_assert_cmpfloat (measure_recipe (fixture, file, json_array_get_string_element (kept, k)),
                           >, tolerance);
    }
}

static void
assert_error (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, "%s", line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  if (strstr (json_object_get_string_member (answer, "error"), said) == NULL)
    g_error ("%s: %s", line, json_object_get_string_member (answer, "error"));
}

static void
test_errors (Fixture *fixture, gconstpointer data)
{
  assert_error (fixture, "diverge", "No reference given");
  assert_error (fixture, "diverge --device", "has no value");
  assert_error (fixture, "diverge --device none", "none");
  assert_error (fixture, "diverge --precision f7", "f7");
  assert_error (fixture, "diverge --reference /nowhere/x.npz", "x.npz");
  assert_error (fixture, "diverge --model /nowhere/x.onnx", "x.onnx");
  assert_error (fixture, "diverge --what ever", "Unknown option");
  assert_error (fixture, "diverge --reference --rtol -3", "tolerance");
  assert_error (fixture, "diverge --reference \"", "quotation mark");
  assert_error (fixture, "precision", ".ini");
  assert_error (fixture, "precision f.ini", "Tolerance missing");
  assert_error (fixture, "precision f.ini --tolerance no", "tolerance");
  assert_error (fixture, "precision /nowhere/f.ini --tolerance 1", "f.ini");
  assert_error (fixture, "precision f.ini --tolerance 1 --precision i8", "i8");
  assert_error (fixture, "precision f.ini --tolerance 1 --value no", "no");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/engine/commands/diverge/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("other-run", test_other_run);
  ADD ("other-records", test_other_records);
  ADD ("messages", test_messages);
  ADD ("anywhere", test_anywhere);
  ADD ("file", test_file);
  ADD ("precision", test_precision);
  ADD ("errors", test_errors);
  return g_test_run ();
}
