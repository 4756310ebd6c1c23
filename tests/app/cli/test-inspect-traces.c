/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect` of traces beside other things, of many names, of nothing. What is read: tests/data/traces. */
#include "data/arrays/sonde-npy.h"
#include "tests/support/sonde-test-program.h"

/* Several things at once: all under their kinds, each trace an element, however many names it has. */
static void
test_traces_beside_arrays (void)
{
  const SondeShape shape = { 1, { 3 } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GString) text = g_string_new ("[");
  char *folder = sonde_test_folder_new ();
  g_autofree char *many = g_build_filename (folder, "many.json", NULL);
  g_autofree char *one = g_build_filename (folder, "one.json", NULL);
  g_autofree char *array = g_build_filename (folder, "x.npy", NULL);
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonArray *traces;

  for (guint i = 0; i < 5000; i++)
    g_string_append_printf (text,
                            "{\"ph\":\"X\",\"name\":\"a\\\"%u\",\"pid\":1,\"tid\":%u,\"ts\":%u,"
                            "\"dur\":1},",
                            i, i, i);
  g_assert_true (g_file_set_contents (many, text->str, (gssize) text->len, NULL));
  g_assert_true (
      g_file_set_contents (one, "[{\"ph\":\"b\",\"id\":1,\"name\":\"x\",\"ts\":1}]", -1, NULL));
  g_assert_true (sonde_npy_write (NULL, array, tensor, NULL));
  program = sonde_test_run (folder, NULL, "inspect", many, array, one, "--json");
  sonde_test_assert_status (program, 0);
  root = sonde_test_parse_json (program->out);
  sonde_test_assert_members (json_node_get_object (root), "arrays traces");
  traces = json_object_get_array_member (json_node_get_object (root), "traces");
  g_assert_cmpuint (json_array_get_length (traces), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      JsonObject *trace = json_array_get_object_element (traces, i);
      const guint n = i == 0 ? 5000 : 0;

      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (trace, "threads")), ==,
                        n);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (trace, "names")), ==,
                        n);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (trace, "async")), ==,
                        i);
    }
  sonde_test_folder_free (folder);
}

static void
test_empty (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "nothing.json", NULL);
  g_autoptr (SondeTestProgram) program = NULL;

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  program = sonde_test_run (folder, NULL, "inspect", "nothing.json");
  sonde_test_assert_status (program, 1);
  g_assert_cmpstr (program->err, ==, "sonde inspect: “nothing.json” is empty.\n");
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/inspect-traces/beside-arrays", test_traces_beside_arrays);
  g_test_add_func ("/app/cli/inspect-traces/empty", test_empty);
  return g_test_run ();
}
