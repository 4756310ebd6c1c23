/* SPDX-License-Identifier: Apache-2.0
 * `sonde profile` of a model with a Loop that collects: its body in the memory of the run, as JSON, as a table, in the
 * report, and read again from the run folder. */
#include <string.h>

#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-program.h"

#define SIDE 64
#define VALUE_BYTES (SIDE * SIDE * 4)
#define TRIPS 20

/* h ← Tanh (h), TRIPS times, each collected. (transfer full): its path */
static char *
make_model (const char *folder)
{
  const SondeShape shape = sonde_shape_make (2, SIDE, SIDE), scalar = sonde_shape_scalar ();
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape),
                  number = sonde_type_tensor (SONDE_DTYPE_I64, &scalar),
                  yes = sonde_type_tensor (SONDE_DTYPE_BOOL, &scalar);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("collecting");
  g_autoptr (SondeTensor) trips = sonde_tensor_new_i64 (TRIPS);
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (folder, "loop.onnx", NULL);
  SondeGraphValue *inputs[3] = { NULL }, *condition, *h;
  SondeGraph *body;
  SondeNode *loop;

  sonde_graph_set_opset (graph, "", 21);
  inputs[2] = sonde_graph_add_input (graph, "x", &type);
  inputs[0] = sonde_build_constant (graph, "trips", trips);
  body = sonde_graph_new_subgraph (graph, "body");
  sonde_graph_add_input (body, "iteration", &number);
  condition = sonde_graph_add_input (body, "condition", &yes);
  h = sonde_build_unary (body, "Tanh", sonde_graph_add_input (body, "carried", NULL));
  sonde_graph_rename_value (body, h, "next");
  sonde_graph_add_output (body, condition);
  sonde_graph_add_output (body, h);
  sonde_graph_add_output (body, h);
  loop = sonde_graph_add_node (graph, "loop", "", "Loop", inputs, 3, 2);
  sonde_node_take_graph (loop, "body", body);
  sonde_graph_rename_value (graph, sonde_node_get_output (loop, 1), "all");
  sonde_graph_add_output (graph, sonde_node_get_output (loop, 1));
  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  return path;
}

/* What is said of @value at the peak. (nullable) */
static JsonObject *
find_alive (JsonObject *memory, const char *value)
{
  JsonArray *alive = json_object_get_array_member (memory, "alive");

  for (guint i = 0; i < json_array_get_length (alive); i++)
    if (strcmp (json_object_get_string_member (json_array_get_object_element (alive, i), "value"),
                value)
        == 0)
      return json_array_get_object_element (alive, i);
  return NULL;
}

static void
check_memory (JsonObject *memory)
{
  JsonObject *by_kind = json_object_get_object_member (memory, "by_kind"), *body, *collected;
  JsonArray *bodies = json_object_get_array_member (memory, "bodies");
  g_autoptr (GList) kinds = json_object_get_members (by_kind);
  gint64 sum = 0;

  for (GList *kind = kinds; kind != NULL; kind = kind->next)
    sum += json_object_get_int_member (by_kind, kind->data);
  g_assert_cmpint (sum, ==, json_object_get_int_member (memory, "peak_bytes"));
  g_assert_cmpstr (json_object_get_string_member (memory, "peak_at"), ==, "loop");

  g_assert_cmpuint (json_array_get_length (bodies), ==, 1);
  body = json_array_get_object_element (bodies, 0);
  g_assert_cmpstr (json_object_get_string_member (body, "body"), ==, "loop/body");
  g_assert_cmpstr (json_object_get_string_member (body, "node"), ==, "loop");
  g_assert_true (g_str_has_prefix (json_object_get_string_member (body, "from"), "loop/body/"));
  g_assert_cmpint (json_object_get_int_member (body, "runs"), ==, TRIPS);
  g_assert_cmpint (json_object_get_int_member (body, "peak_bytes"), >=,
                   json_object_get_int_member (body, "least_bytes") + (32 - 8) * VALUE_BYTES);

  collected = find_alive (memory, "collected(loop/body)");
  g_assert_cmpint (json_object_get_int_member (collected, "bytes"), ==, 32 * VALUE_BYTES);
  g_assert_cmpstr (json_object_get_string_member (collected, "scope"), ==, "loop/body");
  g_assert_true (json_object_get_boolean_member (collected, "measured"));
  g_assert_false (json_object_get_boolean_member (find_alive (memory, "x"), "measured"));
}

static JsonNode *
run_json (const char *folder, const char *const *arguments)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run_strv (folder, NULL, arguments);

  sonde_test_assert_status (program, 0);
  return sonde_test_parse_json (program->out);
}

static void
test_bodies (void)
{
  g_autofree char *folder = sonde_test_folder_new (), *model = make_model (folder),
                  *report_path = g_build_filename (folder, "report.html", NULL), *report = NULL;
  const char *const measure[] = { "profile", model,  "--runs", "3",       "--threads",   "1",
                                  "--run",   "kept", "--json", "--trace", "report.html", NULL };
  const char *const again[] = { "profile", "kept", "--json", NULL };
  const char *const table[] = { "profile", "kept", NULL };
  g_autoptr (JsonNode) first = run_json (folder, measure), second = run_json (folder, again);
  g_autoptr (SondeTestProgram) program = sonde_test_run_strv (folder, NULL, table);
  JsonNode *memory = json_object_get_member (json_node_get_object (first), "memory"),
           *read = json_object_get_member (json_node_get_object (second), "memory");

  check_memory (json_node_get_object (memory));
  g_assert_true (json_node_equal (memory, read));
  sonde_test_assert_status (program, 0);
  sonde_test_assert_contains (program->out, "That is in the step “loop”.");
  sonde_test_assert_contains (program->out, "loop/body    20");
  report = sonde_test_read_text (report_path);
  sonde_test_assert_contains (report, "<td>collected(loop/body)</td>");
  sonde_test_assert_contains (report, "<td>loop/body</td>");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/profile-bodies", test_bodies);
  return g_test_run ();
}
