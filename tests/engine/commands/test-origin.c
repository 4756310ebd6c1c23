/* SPDX-License-Identifier: Apache-2.0
 * The command that looks for an origin, on a real session with a model file, as JSON and for
 * people. */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/worker/sonde-worker-host.h"
#include "data/arrays/sonde-npy.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "tests/engine/commands/command-lines.h"
#include "tests/engine/session/session-fixture.h"

/* ---- files --------------------------------------------------------------- */

static SondeTensor *
make_tensor (int rows, int columns, double first)
{
  SondeShape shape = sonde_shape_make (2, rows, columns);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < rows * columns; i++)
    sonde_tensor_set_double (tensor, i, first + 0.37 * (double) ((i * 7) % 11) - 1.9);
  return tensor;
}

static SondeGraphValue *
named (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };
  SondeGraphValue *value = sonde_build_op (graph, name, "", op, b != NULL ? 2 : 1, inputs);
  g_autofree char *result = g_strconcat (name, ":0", NULL);

  g_assert_true (sonde_graph_rename_value (graph, value, result));
  return value;
}

#define CALLS 2 /* the log is in a function */

/* my.Safe(a) = Log(Abs(a)), and beside it what nobody reads */
static void
add_function (SondeGraph *graph)
{
  SondeFunction *function = sonde_function_new ("my", "Safe", NULL);
  SondeGraphValue *abs;

  sonde_graph_set_opset (graph, "my", 1);
  sonde_graph_set_opset (function->body, "", 17);
  abs = named (function->body, "abs", "Abs", sonde_graph_add_input (function->body, "a", NULL),
               NULL);
  named (function->body, "spare", "Sqrt", abs, NULL);
  sonde_graph_add_output (function->body, named (function->body, "log", "Log", abs, NULL));
  g_ptr_array_add (graph->functions, function);
}

/* x·w through a mask with one 0, log, a few layers. */
static void
write_model (const char *path, gboolean calls)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  g_autoptr (SondeTensor) w = make_tensor (4, 6, 0.1), mask = make_tensor (3, 6, 9),
                          v = make_tensor (6, 2, 0.4);
  const SondeShape shape = sonde_shape_make (2, 3, 4);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (GError) error = NULL;
  SondeGraphValue *h;

  sonde_graph_set_opset (graph, "", 17);
  graph->ir_version = 8;
  sonde_tensor_set_double (mask, 8, 0);
  h = named (graph, "mm", "MatMul", sonde_graph_add_input (graph, "x", &type),
             sonde_build_constant (graph, "w", w));
  h = named (graph, "mul", "Mul", named (graph, "sigmoid", "Sigmoid", h, NULL),
             sonde_build_constant (graph, "mask", mask));
  if (calls)
    {
      add_function (graph);
      h = sonde_build_op (graph, "call", "my", "Safe", 1, &h);
    }
  else
    h = named (graph, "log", "Log", h, NULL);
  h = named (graph, "mm2", "MatMul", h, sonde_build_constant (graph, "v", v));
  h = named (graph, "soft", "Softmax", h, NULL);
  sonde_graph_add_output (graph, named (graph, "out", "Tanh", h, NULL));
  sonde_model_save (NULL, path, graph, &error);
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
  g_autoptr (SondeTensor) x = make_tensor (3, 4, 0.7);
  g_autoptr (GError) error = NULL;
  g_autofree char *model = NULL, *input = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-origin-XXXXXX", &error);
  g_assert_no_error (error);
  model = file_of (fixture, "model.onnx");
  input = file_of (fixture, "x.npy");
  write_model (model, GPOINTER_TO_INT (data) == CALLS);
  sonde_npy_write (NULL, input, x, &error);
  g_assert_no_error (error);
  session_fixture_init (&fixture->session);
  fixture->host = sonde_worker_host_new ("sonde");
  fixture->session.options.host = sonde_worker_host_get_session_host (fixture->host);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_model (fixture);
  fixture->lines = command_lines_new (fixture->client, GPOINTER_TO_INT (data));
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) folder = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  command_lines_free (fixture->lines);
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
  sonde_worker_host_free (fixture->host);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = file_of (fixture, name);

      g_remove (path);
    }
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
}

static char *
say (Fixture *fixture, const char *line)
{
  return command_lines_say (fixture->lines, line);
}

/* (transfer full) */
static JsonObject *
ask (Fixture *fixture, const char *line)
{
  g_autofree char *text = say (fixture, line);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);

  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

static JsonObject *
ask_well (Fixture *fixture, const char *line)
{
  JsonObject *object = ask (fixture, line);

  if (!json_object_get_boolean_member (object, "ok"))
    g_error ("“%s”: %s", line, json_object_get_string_member (object, "error"));
  return object;
}

static void
assert_error (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  if (strstr (json_object_get_string_member (answer, "error"), said) == NULL)
    g_error ("“%s” said “%s”, not “%s”", line, json_object_get_string_member (answer, "error"),
             said);
}

/* ---- origin -------------------------------------------------------------- */

static void
test_origin (Fixture *fixture, gconstpointer data)
{
  static const char *const nodes[] = { "out", "soft", "mm2", "log" };
  g_autoptr (JsonObject) answer = NULL, paused = NULL;
  JsonArray *chain, *index;
  JsonObject *last;

  assert_error (fixture, "origin", "No value given");
  assert_error (fixture, "origin out:0", "not computed yet");
  g_clear_pointer (&paused, json_object_unref);
  paused = ask_well (fixture, "until out");
  json_object_unref (ask_well (fixture, "origin soft:0[1, 0]")); /* in the middle of a run */
  json_object_unref (ask_well (fixture, "continue"));
  assert_error (fixture, "origin out:0[0, 0]", "finite");
  assert_error (fixture, "origin out:0[7, 0]", "no element");
  assert_error (fixture, "origin out:0[1]", "one number for each dimension");
  assert_error (fixture, "origin mm:0", "finite");
  answer = ask_well (fixture, "origin out:0[1, -1]");
  g_assert_cmpstr (json_object_get_string_member (answer, "first_bad_node"), ==, "log");
  g_assert_cmpstr (json_object_get_string_member (answer, "cause"), ==,
                   "log of 0 at mul:0[1, 2] = 0");
  g_assert_cmpstr (json_object_get_string_member (answer, "cause_value"), ==, "mul:0");
  g_assert_cmpfloat (json_object_get_double_member (answer, "cause_number"), ==, 0);
  chain = json_object_get_array_member (answer, "chain");
  g_assert_cmpuint (json_array_get_length (chain), ==, G_N_ELEMENTS (nodes));
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    g_assert_cmpstr (
        json_object_get_string_member (json_array_get_object_element (chain, i), "node"), ==,
        nodes[i]);
  last = json_array_get_object_element (chain, G_N_ELEMENTS (nodes) - 1);
  g_assert_cmpstr (json_object_get_string_member (last, "op"), ==, "Log");
  g_assert_cmpstr (json_object_get_string_member (last, "value"), ==, "log:0");
  g_assert_cmpstr (json_object_get_string_member (last, "number"), ==, "-inf");
  index = json_object_get_array_member (last, "index");
  g_assert_cmpint (json_array_get_int_element (index, 0), ==, 1);
  g_assert_cmpint (json_array_get_int_element (index, 1), ==, 2);
}

static void
test_text (Fixture *fixture, gconstpointer data)
{
  g_autofree char *run = say (fixture, "run"), *text = say (fixture, "origin soft");

  g_assert_nonnull (strstr (text, "  soft:0[1, 0] = nan  computed by soft (Softmax)\n"));
  g_assert_nonnull (strstr (text, "  log:0[1, 2] = -inf  computed by log (Log)\n"));
  g_assert_nonnull (strstr (text, "First bad node: log (log of 0 at mul:0[1, 2] = 0)\n"));
}

/* ---- reduce -------------------------------------------------------------- */

/* One node, its input as it was; run for itself it fails again. */
static void
test_reduce (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = file_of (fixture, "small.onnx"),
                  *line = g_strdup_printf ("reduce \"%s\"", model),
                  *named_line = g_strdup_printf ("reduce %s mm2", model),
                  *good = g_strdup_printf ("reduce %s mm", model),
                  *file = file_of (fixture, "small.input_0.npy");
  g_autoptr (JsonObject) answer = NULL, by_name = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (SondeTensor) input = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *only;

  assert_error (fixture, "reduce", "ends in .onnx");
  assert_error (fixture, line, "Ask for an origin first");
  json_object_unref (ask_well (fixture, "run"));
  assert_error (fixture, good, "no failure to cut out");
  json_object_unref (ask_well (fixture, "origin out"));
  answer = ask_well (fixture, line);
  g_assert_cmpstr (json_object_get_string_member (answer, "model"), ==, model);
  g_assert_cmpint (json_object_get_int_member (answer, "nodes"), ==, 1);
  g_assert_cmpstr (json_object_get_string_member (answer, "node"), ==, "log");
  only = json_array_get_object_element (json_object_get_array_member (answer, "inputs"), 0);
  g_assert_cmpstr (json_object_get_string_member (only, "name"), ==, "mul:0");
  g_assert_cmpstr (json_object_get_string_member (only, "file"), ==, file);
  g_assert_nonnull (strstr (json_object_get_string_member (answer, "shows"),
                            " --check 'nan(out) > 0 || inf(out) > 0'"));
  graph = sonde_model_load (NULL, model, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 1);
  g_assert_nonnull (sonde_graph_find_node (graph, "log"));
  input = sonde_npy_read (NULL, file, &error);
  g_assert_no_error (error);
  g_assert_cmpint (input->shape.rank, ==, 2);
  g_assert_cmpint (input->shape.dims[0], ==, 1); /* the row that fails */
  g_assert_cmpfloat (sonde_tensor_get_double (input, 2), ==, 0);
  by_name = ask_well (fixture, named_line);
  g_assert_cmpstr (json_object_get_string_member (by_name, "value"), ==, "mm2:0");
}

/* Out of a function's body in a version that others read, and a call with its function; both run
 * alone. */
static void
test_reduce_function (Fixture *fixture, gconstpointer data)
{
  g_autofree char *body = file_of (fixture, "body.onnx"),
                  *body_line = g_strdup_printf ("reduce %s", body);
  g_autofree char *whole = file_of (fixture, "call.onnx"),
                  *whole_line = g_strdup_printf ("reduce %s call", whole);
  g_autoptr (JsonObject) inside = NULL, outside = NULL;
  g_autoptr (SondeGraph) inside_graph = NULL, outside_graph = NULL;
  g_autoptr (GError) error = NULL;

  json_object_unref (ask_well (fixture, "run"));
  /* nobody reads it, and it is there */
  json_object_unref (ask_well (fixture, "stats \"call/spare:0\""));
  json_object_unref (ask_well (fixture, "origin out"));
  inside = ask_well (fixture, body_line);
  g_assert_cmpint (json_object_get_int_member (inside, "nodes"), ==, 1);
  inside_graph = sonde_model_load (NULL, body, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_graph_get_opset (inside_graph, ""), ==, 17);
  g_assert_cmpuint (inside_graph->functions->len, ==, 0);
  outside = ask_well (fixture, whole_line);
  g_assert_cmpstr (json_object_get_string_member (outside, "node"), ==, "call");
  outside_graph = sonde_model_load (NULL, whole, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (outside_graph->functions->len, ==, 1);
  g_assert_nonnull (sonde_graph_find_node (outside_graph, "call"));
}

/* After diverge: the first node over its tolerance, whose values are all finite. */
static void
test_reduce_divergence (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = file_of (fixture, "part.onnx"),
                  *line = g_strdup_printf ("reduce %s", model);
  g_autoptr (JsonObject) divergence = NULL, answer = NULL;
  const char *command;

  json_object_unref (ask_well (fixture, "run"));
  divergence = ask_well (fixture, "diverge --precision bf16 --rtol 0.0000001");
  g_assert_cmpstr (json_object_get_string_member (divergence, "first_divergent_node"), ==, "mm");
  answer = ask_well (fixture, line);
  g_assert_cmpstr (json_object_get_string_member (answer, "node"), ==, "mm");
  g_assert_cmpint (json_object_get_int_member (answer, "nodes"), ==, 1);
  command = json_object_get_string_member (answer, "shows");
  g_assert_true (g_str_has_prefix (command, "printf 'run\\ndiverge --precision bf16 --rtol "));
  g_assert_true (g_str_has_suffix (command, " --repl --json"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/engine/commands/origin/json", Fixture, GINT_TO_POINTER (TRUE), set_up, test_origin,
              tear_down);
  g_test_add ("/engine/commands/origin/text", Fixture, NULL, set_up, test_text, tear_down);
  g_test_add ("/engine/commands/origin/reduce", Fixture, GINT_TO_POINTER (TRUE), set_up,
              test_reduce, tear_down);
  g_test_add ("/engine/commands/origin/reduce-function", Fixture, GINT_TO_POINTER (CALLS), set_up,
              test_reduce_function, tear_down);
  g_test_add ("/engine/commands/origin/reduce-divergence", Fixture, GINT_TO_POINTER (TRUE), set_up,
              test_reduce_divergence, tear_down);
  return g_test_run ();
}
