/* SPDX-License-Identifier: Apache-2.0
 * `sonde infer` against stored results of other engines, and what it says about wrong input. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "data/values/sonde-statistics.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

#define LENET "models/lenet-mnist/lenet-mnist.onnx"

static JsonObject *
object_of (JsonNode *node)
{
  return json_node_get_object (node);
}

static SondeTensor *
read_npy (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_npy_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensor;
}

static char *
write_npy (const char *folder, const char *name, SondeTensor *tensor)
{
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (sonde_npy_write (NULL, path, tensor, NULL));
  return path;
}

/* ---- LeNet --------------------------------------------------------------- */

static void
test_lenet (void)
{
  g_autofree char *model = sonde_test_shared_path (LENET);
  g_autofree char *input = sonde_test_shared_path ("models/lenet-mnist/inputs.npy");
  g_autofree char *logits = sonde_test_shared_path ("models/lenet-mnist/logits.npy");
  char *folder;
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (SondeTensor) got = NULL, want = NULL;
  g_autoptr (JsonNode) json = NULL;
  JsonObject *output;

  if (logits == NULL)
    return;
  folder = sonde_test_folder_new ();
  program = sonde_test_run (folder, NULL, "infer", model, "--input", input, "--output", "out",
                            "--json");
  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  sonde_test_assert_members (object_of (json), "outputs load_ms prepare_ms run_ms peak_bytes");
  sonde_test_assert_members (json_object_get_object_member (object_of (json), "run_ms"),
                             "min median");
  g_assert_cmpint (json_object_get_int_member (object_of (json), "peak_bytes"), >, 1 << 20);
  g_assert_cmpuint (
      json_array_get_length (json_object_get_array_member (object_of (json), "outputs")), ==, 1);
  output = json_array_get_object_element (
      json_object_get_array_member (object_of (json), "outputs"), 0);
  sonde_test_assert_members (output, "name dtype shape file");
  g_assert_cmpstr (json_object_get_string_member (output, "name"), ==, "logits");
  g_assert_cmpstr (json_object_get_string_member (output, "dtype"), ==, "float32");
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (output, "shape"), 0),
                   ==, 16);
  {
    g_autofree char *out = g_build_filename (folder, "out", NULL);

    got = read_npy (out, json_object_get_string_member (output, "file"));
  }
  want = read_npy (logits, NULL);
  sonde_test_assert_close (got, want, 0, 1e-4, "logits");
  sonde_test_folder_free (folder);
}

/* ---- every value of every node ------------------------------------------- */

/* Rows of intermediates.tsv: key, …, value name (fifth column). */
static void
compare_kept (const char *folder, const char *model)
{
  g_autofree char *npz = g_strdup_printf ("models/%s/intermediates.npz", model);
  g_autofree char *tsv = g_strdup_printf ("models/%s/intermediates.tsv", model);
  g_autofree char *npz_path = sonde_test_shared_path (npz),
                  *tsv_path = sonde_test_shared_path (tsv);
  g_autoptr (SondeNamedTensors) stored = sonde_npz_read (NULL, npz_path, NULL);
  g_autofree char *index_path = g_build_filename (folder, "index.json", NULL);
  g_autofree char *text = sonde_test_read_text (tsv_path);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (JsonNode) index = sonde_test_read_json (index_path);
  guint n = 0;

  g_assert_nonnull (stored);
  for (gsize i = 1; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);
      SondeTensor *want = sonde_named_tensors_lookup (stored, fields[0]);
      g_autoptr (SondeTensor) got = NULL;
      double tolerance = want->dtype == SONDE_DTYPE_F16 ? 5e-3 : 1e-4;

      if (!json_object_has_member (object_of (index), fields[4]))
        {
          g_test_message ("%s: index.json lacks “%s” (%s)", model, fields[4], fields[2]);
          g_test_fail ();
          continue;
        }
      got = read_npy (folder, json_object_get_string_member (object_of (index), fields[4]));
      sonde_test_assert_close (got, want, tolerance,
                               tolerance / 10 + (want->dtype == SONDE_DTYPE_F16 ? 5e-3 : 0),
                               fields[4]);
      n++;
    }
  g_assert_cmpuint (n, >, 2);
}

static void
test_keep (gconstpointer data)
{
  const char *model = data;
  g_autofree char *file = g_strdup_printf ("models/%s/%s.onnx", model, model);
  g_autofree char *inputs = g_strdup_printf ("models/%s/inputs.npy", model);
  g_autofree char *path = sonde_test_shared_path (file), *input = sonde_test_shared_path (inputs);
  g_autoptr (SondeTestProgram) program = NULL;
  g_autofree char *out = NULL;
  char *folder;

  if (path == NULL || input == NULL)
    return;
  folder = sonde_test_folder_new ();
  out = g_build_filename (folder, "out", NULL);
  program = sonde_test_run (folder, NULL, "infer", path, "--input", input, "--output", "out",
                            "--keep", "all");
  sonde_test_assert_status (program, 0);
  compare_kept (out, model);
  sonde_test_folder_free (folder);
}

static void
test_keep_pattern (void)
{
  g_autofree char *model = sonde_test_shared_path (LENET);
  g_autoptr (SondeTestProgram) some = NULL, none = NULL;
  g_autoptr (JsonNode) index = NULL;
  g_autofree char *path = NULL;
  char *folder;

  if (model == NULL)
    return;
  folder = sonde_test_folder_new ();
  some = sonde_test_run (folder, NULL, "infer", model, "--output", "out", "--keep", "*Relu*");
  sonde_test_assert_status (some, 0);
  path = g_build_filename (folder, "out", "index.json", NULL);
  index = sonde_test_read_json (path);
  /* four of them and the output */
  g_assert_cmpuint (json_object_get_size (object_of (index)), ==, 5);
  none = sonde_test_run (folder, NULL, "infer", model, "--keep", "nothing-has-this-name");
  sonde_test_assert_status (none, 1);
  sonde_test_assert_contains (none->err, "nothing-has-this-name");
  sonde_test_folder_free (folder);
}

/* Standard normal, and the same each time; by name, too. What is not there or cannot be is said. */
static void
test_random (void)
{
  g_autofree char *model = sonde_test_shared_path (LENET);
  g_autoptr (SondeTestProgram) first = NULL, second = NULL, nobody = NULL;
  g_autoptr (SondeTensor) one = NULL, two = NULL;
  SondeStatistics statistics;
  char *folder;

  if (model == NULL)
    return;
  folder = sonde_test_folder_new ();
  first = sonde_test_run (folder, NULL, "infer", model, "--input", "random", "--output", "a");
  second = sonde_test_run (folder, NULL, "infer", model, "--input", "x=random", "--output", "b");
  nobody = sonde_test_run (folder, NULL, "infer", model, "--input", "y=random");
  sonde_test_assert_status (first, 0);
  sonde_test_assert_status (second, 0);
  sonde_test_assert_status (nobody, 1);
  sonde_test_assert_contains (nobody->err, "no input “y”");
  one = read_npy (folder, "a/logits.npy");
  two = read_npy (folder, "b/logits.npy");
  sonde_test_assert_close (one, two, 0, 0, "logits");
  sonde_statistics_compute (two, &statistics);
  g_assert_cmpfloat (statistics.std, >, 0);
  sonde_test_folder_free (folder);
}

/* ---- options ------------------------------------------------------------- */

/* Zeros without --input; nothing written without --output; files of --statistics and --timing. */
static void
test_options (void)
{
  g_autofree char *model = sonde_test_shared_path (LENET);
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (JsonNode) json = NULL, statistics = NULL, timing = NULL;
  g_autofree char *statistics_path = NULL, *timing_path = NULL;
  JsonObject *output, *relu;
  JsonArray *steps;
  char *folder;

  if (model == NULL)
    return;
  folder = sonde_test_folder_new ();
  statistics_path = g_build_filename (folder, "s.json", NULL);
  timing_path = g_build_filename (folder, "t.json", NULL);
  program = sonde_test_run (folder, NULL, "infer", model, "--json", "--repeat", "3", "--statistics",
                            "s.json", "--timing", "t.json", "--threads", "1");
  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  output = json_array_get_object_element (
      json_object_get_array_member (object_of (json), "outputs"), 0);
  g_assert_true (json_object_get_null_member (output, "file"));
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (output, "shape"), 0),
                   ==, 1);
  statistics = sonde_test_read_json (statistics_path);
  relu = json_object_get_object_member (object_of (statistics), "/Relu_output_0");
  sonde_test_assert_members (
      relu, "dtype shape min max mean std abs_mean zeros negatives nan pos_inf neg_inf count");
  g_assert_cmpint (json_object_get_int_member (relu, "count"), ==, 6 * 28 * 28);
  g_assert_cmpint (json_object_get_int_member (relu, "negatives"), ==, 0);
  timing = sonde_test_read_json (timing_path);
  steps = json_object_get_array_member (object_of (timing), "steps");
  g_assert_cmpuint (json_array_get_length (steps), >, 5);
  g_assert_cmpint (json_object_get_int_member (json_array_get_object_element (steps, 0), "calls"),
                   ==, 3);
  sonde_test_folder_free (folder);
}

/* The same bits from every run, with one thread and with two. */
static void
test_repeatable (void)
{
  g_autofree char *model = sonde_test_shared_path (LENET);
  g_autofree char *input = sonde_test_shared_path ("models/lenet-mnist/inputs.npy");
  g_autoptr (SondeTensor) first = NULL;
  char *folder;

  if (input == NULL)
    return;
  folder = sonde_test_folder_new ();
  for (int i = 0; i < 3; i++)
    {
      g_autofree char *out = g_strdup_printf ("%s/out%d", folder, i);
      g_autoptr (SondeTestProgram) program
          = sonde_test_run (folder, NULL, "infer", model, "--input", input, "--output", out);
      g_autoptr (SondeTensor) again = NULL;

      sonde_test_assert_status (program, 0);
      again = read_npy (out, "logits.npy");
      if (first == NULL)
        first = sonde_tensor_ref (again);
      sonde_test_assert_close (again, first, 0, 0, "the same run again");
    }
  sonde_test_folder_free (folder);
}

/* ---- wrong input --------------------------------------------------------- */

static void
fails_with (const char *folder, const char *model, const char *input, const char *part,
            const char *other_part)
{
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "infer", model, "--input", input, "--json");

  sonde_test_assert_status (program, 1);
  g_assert_cmpstr (program->out, ==, "");
  sonde_test_assert_contains (program->err, part);
  sonde_test_assert_contains (program->err, other_part);
}

static void
test_wrong_input (void)
{
  g_autofree char *model = sonde_test_shared_path (LENET);
  g_autoptr (SondeTensor) small = sonde_test_tensor (SONDE_DTYPE_F32, "1x1x27x28: 0");
  g_autoptr (SondeTensor) doubles = sonde_test_tensor (SONDE_DTYPE_F64, "1x1x28x28: 0");
  g_autofree char *small_path = NULL, *doubles_path = NULL, *named = NULL, *text_path = NULL;
  char *folder;

  if (model == NULL)
    return;
  folder = sonde_test_folder_new ();
  small_path = write_npy (folder, "small.npy", small);
  doubles_path = write_npy (folder, "doubles.npy", doubles);
  named = g_strdup_printf ("picture=%s", doubles_path);
  text_path = g_build_filename (folder, "text.npy", NULL);
  g_assert_true (g_file_set_contents (text_path, "no array", -1, NULL));
  fails_with (folder, model, small_path, "input", "28");
  fails_with (folder, model, doubles_path, "float64", "float32");
  fails_with (folder, model, named, "picture", "input");
  fails_with (folder, model, text_path, "text.npy", "");
  fails_with (folder, model, "missing.npy", "missing.npy", "");
  sonde_test_folder_free (folder);
}

static void
test_wrong_model (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *text_path = g_build_filename (folder, "text.onnx", NULL);
  g_autoptr (SondeTestProgram) missing = sonde_test_run (folder, NULL, "infer", "missing.onnx");
  g_autoptr (SondeTestProgram) text = NULL;

  sonde_test_assert_status (missing, 1);
  sonde_test_assert_contains (missing->err, "missing.onnx");
  g_assert_true (g_file_set_contents (text_path, "this is no model", -1, NULL));
  text = sonde_test_run (folder, NULL, "infer", "text.onnx");
  sonde_test_assert_status (text, 1);
  sonde_test_assert_contains (text->err, "text.onnx");
  sonde_test_folder_free (folder);
}

/* One node of each operator, one behind the other. */
static char *
save_chain (const char *folder, const char *const *domains, const char *const *ops)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("chain");
  SondeShape shape = sonde_shape_make (1, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", &type);
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (folder, "chain.onnx", NULL);

  sonde_graph_set_opset (graph, "", 17);
  for (gsize i = 0; ops[i] != NULL; i++)
    {
      if (*domains[i] != '\0')
        sonde_graph_set_opset (graph, domains[i], 1);
      value = sonde_node_get_output (
          sonde_graph_add_node (graph, NULL, domains[i], ops[i], &value, 1, 1), 0);
    }
  sonde_graph_add_output (graph, value);
  sonde_model_save (NULL, path, graph, &error);
  g_assert_no_error (error);
  return path;
}

/* A sequence is written item by item. */
static void
test_sequence (void)
{
  static const char *const domains[] = { "" };
  static const char *const ops[] = { "SequenceConstruct", NULL };
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = save_chain (folder, domains, ops);
  g_autofree char *output = g_build_filename (folder, "out", NULL);
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "infer", model, "--output", output, "--json");
  g_autoptr (SondeTensor) item = NULL;
  g_autoptr (JsonNode) json = NULL;
  JsonObject *first;

  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  g_assert_cmpuint (
      json_array_get_length (json_object_get_array_member (object_of (json), "outputs")), ==, 1);
  first = json_array_get_object_element (json_object_get_array_member (object_of (json), "outputs"),
                                         0);
  g_assert_true (g_str_has_suffix (json_object_get_string_member (first, "name"), "[0]"));
  item = read_npy (output, json_object_get_string_member (first, "file"));
  g_assert_cmpint (sonde_tensor_n_elements (item), ==, 3);
  sonde_test_folder_free (folder);
}

/* What a classifier of scikit-learn gives: a map for each row, keys and values in a file each. */
static void
test_map (void)
{
  static const gint64 labels[] = { 7, 5, 9 };
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = g_build_filename (folder, "map.onnx", NULL);
  g_autofree char *output = g_build_filename (folder, "out", NULL);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("map");
  SondeShape shape = sonde_shape_make (2, 2, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type);
  SondeNode *node = sonde_graph_add_node (graph, NULL, "ai.onnx.ml", "ZipMap", &x, 1, 1);
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (SondeTensor) keys = NULL, values = NULL;
  g_autoptr (JsonNode) json = NULL;
  g_autoptr (GError) error = NULL;
  JsonArray *outputs;

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_set_opset (graph, "ai.onnx.ml", 1);
  sonde_node_set_ints (node, "classlabels_int64s", labels, 3);
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  sonde_model_save (NULL, model, graph, &error);
  g_assert_no_error (error);
  program = sonde_test_run (folder, NULL, "infer", model, "--output", output, "--json");
  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  outputs = json_object_get_array_member (object_of (json), "outputs");
  g_assert_cmpuint (json_array_get_length (outputs), ==, 4);
  for (guint i = 0; i < 4; i++)
    g_assert_true (g_str_has_suffix (
        json_object_get_string_member (json_array_get_object_element (outputs, i), "name"),
        i == 0   ? "[0].keys"
        : i == 1 ? "[0].values"
        : i == 2 ? "[1].keys"
                 : "[1].values"));
  keys = read_npy (
      output, json_object_get_string_member (json_array_get_object_element (outputs, 2), "file"));
  values = read_npy (
      output, json_object_get_string_member (json_array_get_object_element (outputs, 3), "file"));
  g_assert_cmpint (keys->dtype, ==, SONDE_DTYPE_I64);
  g_assert_cmpint (sonde_tensor_n_elements (keys), ==, 3);
  g_assert_cmpint (sonde_tensor_n_elements (values), ==, 3);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpint (sonde_tensor_get_int (keys, i), ==, labels[i]);
  sonde_test_folder_free (folder);
}

/* All operators that are not there are named at once, not only the first. */
static void
test_unsupported (void)
{
  static const char *const domains[] = { "", "", "com.example" };
  static const char *const ops[] = { "Relu", "Frobnicate", "Blur", NULL };
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = save_chain (folder, domains, ops);
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "infer", model, "--device", "cpu");
  g_autoptr (SondeTestProgram) inspected
      = sonde_test_run (folder, NULL, "inspect", model, "--json");
  g_autoptr (JsonNode) json = NULL;
  JsonArray *unsupported;

  sonde_test_assert_status (program, 1);
  sonde_test_assert_status (inspected, 0);
  json = sonde_test_parse_json (inspected->out);
  unsupported = json_object_get_array_member (object_of (json), "unsupported");
  g_assert_cmpuint (json_array_get_length (unsupported), ==, 2);
  for (guint i = 0; i < json_array_get_length (unsupported); i++)
    sonde_test_assert_contains (program->err, json_array_get_string_element (unsupported, i));
  sonde_test_folder_free (folder);
}

/* ---- ended by a signal --------------------------------------------------- */

/* Whether @pid has a handler for @number by now; a process starts without any. */
static gboolean
catches (int pid, int number)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/status", pid);
  g_autofree char *text = NULL;
  const char *mask
      = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, "SigCgt:") : NULL;

  return mask != NULL
         && (g_ascii_strtoull (mask + strlen ("SigCgt:"), NULL, 16) >> (number - 1) & 1) != 0;
}

/* A loop whose condition always holds; its body adds, or is as empty as can be. */
static void
write_endless (const char *path, gboolean adds)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("endless");
  SondeType number = sonde_type_tensor (SONDE_DTYPE_I64, &(SondeShape){ 0 });
  SondeType truth = sonde_type_tensor (SONDE_DTYPE_BOOL, &(SondeShape){ 0 });
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &(SondeShape){ 1, { 4 } });
  SondeGraphValue *inputs[] = { NULL, NULL, sonde_graph_add_input (graph, "x", &type) };
  SondeNode *loop = sonde_graph_add_node (graph, "forever", "", "Loop", inputs, 3, 1);
  g_autoptr (SondeGraph) body = sonde_graph_new_subgraph (graph, "body");
  SondeGraphValue *condition, *value;

  sonde_graph_set_opset (graph, "", 21);
  sonde_graph_add_input (body, "i", &number);
  condition = sonde_graph_add_input (body, "c", &truth);
  value = sonde_graph_add_input (body, "v", &type);
  sonde_graph_add_output (body, condition);
  if (adds)
    value = sonde_node_get_output (
        sonde_graph_add_node (body, "more", "", "Add", (SondeGraphValue *[]){ value, value }, 2, 1),
        0);
  sonde_graph_add_output (body, value);
  sonde_node_take_graph (loop, "body", g_steal_pointer (&body));
  sonde_graph_add_output (graph, sonde_node_get_output (loop, 0));
  g_assert_true (sonde_model_save (NULL, path, graph, NULL));
}

static void
check_ended (const char *folder, const char *model, int number)
{
  g_autoptr (SondeTestProgram) program = NULL;
  gint64 deadline = g_get_monotonic_time () + 100 * G_USEC_PER_SEC;

  program = sonde_test_start (folder, NULL,
                              (const char *const[]){ "infer", model, "--output", "out", NULL });
  while (!catches (program->pid, number) && g_get_monotonic_time () < deadline)
    g_usleep (1000);
  g_assert_cmpint (kill (program->pid, number), ==, 0);
  sonde_test_wait (program, 60);
  sonde_test_assert_status (program, 128 + number);
  sonde_test_assert_contains (program->err, number == SIGINT
                                                ? "terminated by SIGINT before “forever” (Loop)"
                                                : "terminated by SIGTERM before “forever” (Loop)");
  g_assert_cmpstr (program->out, ==, "");
}

static void
test_signal (void)
{
  static const char *const names[] = { "empty.onnx", "adds.onnx" };
  char *folder = sonde_test_folder_new ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      write_endless (path, i > 0);
      check_ended (folder, path, SIGINT);
      check_ended (folder, path, SIGTERM);
    }
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  static const char *const kept[]
      = { "lenet-mnist", "mlp",         "bn-resnet",     "bn-resnet-opset9",
          "dwnet",       "transformer", "external-data", "fp16-resnet" };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/infer/lenet", test_lenet);
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_autofree char *path = g_strconcat ("/app/cli/infer/keep/", kept[i], NULL);

      g_test_add_data_func (path, kept[i], test_keep);
    }
  g_test_add_func ("/app/cli/infer/keep-pattern", test_keep_pattern);
  g_test_add_func ("/app/cli/infer/options", test_options);
  g_test_add_func ("/app/cli/infer/repeatable", test_repeatable);
  g_test_add_func ("/app/cli/infer/wrong-input", test_wrong_input);
  g_test_add_func ("/app/cli/infer/wrong-model", test_wrong_model);
  g_test_add_func ("/app/cli/infer/sequence", test_sequence);
  g_test_add_func ("/app/cli/infer/random", test_random);
  g_test_add_func ("/app/cli/infer/map", test_map);
  g_test_add_func ("/app/cli/infer/unsupported", test_unsupported);
  g_test_add_func ("/app/cli/infer/signal", test_signal);
  return g_test_run ();
}
