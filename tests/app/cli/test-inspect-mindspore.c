/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect --json` of MindSpore's sample folders, and of CSV files. */
#include "tests/support/sonde-test-program.h"

static char *
sample_path (const char *name)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path
      = g_build_filename (shared != NULL ? shared : "", "samples", "mindspore", name, NULL);

  if (shared != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip ("no samples: SONDE_SHARED does not name their folder");
  return NULL;
}

/* What the command prints of @path. */
static JsonNode *
inspect (const char *path)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "inspect", path, "--json");
  JsonNode *root;

  sonde_test_assert_status (program, 0);
  root = sonde_test_parse_json (program->out);
  sonde_test_folder_free (g_steal_pointer (&folder));
  return root;
}

/* The member of @array whose @key is @text, and whose kind is @kind if that is not NULL. */
static JsonObject *
find (JsonArray *array, const char *key, const char *text, const char *kind)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *object = json_array_get_object_element (array, i);

      if (g_str_equal (json_object_get_string_member (object, key), text)
          && (kind == NULL || g_str_equal (json_object_get_string_member (object, "kind"), kind)))
        return object;
    }
  g_error ("there is no %s “%s”", key, text);
}

static JsonObject *
find_run (JsonNode *root, const char *path)
{
  JsonObject *run = find (json_object_get_array_member (json_node_get_object (root), "runs"),
                          "path", path, NULL);

  g_assert_cmpstr (json_object_get_string_member (run, "format"), ==, "mindspore");
  return run;
}

static void
check_tag (JsonArray *tags, const char *tag, const char *kind, gint64 count, gint64 first,
           gint64 last)
{
  JsonObject *found = find (tags, "tag", tag, kind);

  g_assert_cmpint (json_object_get_int_member (found, "count"), ==, count);
  g_assert_cmpint (json_object_get_int_member (found, "first_step"), ==, first);
  g_assert_cmpint (json_object_get_int_member (found, "last_step"), ==, last);
}

static gint64
step_of (JsonArray *points, guint i)
{
  JsonObject *point = json_array_get_object_element (points, i);

  return json_object_get_null_member (point, "step") ? 0
                                                     : json_object_get_int_member (point, "step");
}

/* Files, tags, kinds, counts and steps are those of expected.json. */
static void
test_run (gconstpointer data)
{
  g_autofree char *path = sample_path (data), *json = NULL;
  g_autoptr (JsonNode) root = NULL, expected_root = NULL;
  JsonObject *run, *expected;
  JsonArray *files, *tags;
  JsonObjectIter iter;
  JsonNode *node;

  if (path == NULL)
    return;
  root = inspect (path);
  run = find_run (root, ".");
  json = g_build_filename (path, "expected.json", NULL);
  expected_root = sonde_test_read_json (json);
  expected = json_object_get_object_member (
      json_object_get_object_member (json_node_get_object (expected_root), "runs"), ".");
  files = json_object_get_array_member (expected, "files");
  for (guint i = 0; i < json_array_get_length (files); i++)
    {
      JsonObject *file = json_array_get_object_element (files, i);
      JsonObject *found = find (json_object_get_array_member (run, "files"), "path",
                                json_object_get_string_member (file, "name"), NULL);

      g_assert_cmpint (json_object_get_int_member (found, "records"), ==,
                       json_object_get_int_member (file, "records"));
      g_assert_cmpint (json_object_get_int_member (found, "bytes"), ==,
                       json_object_get_int_member (file, "bytes"));
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (found, "damaged")), ==,
                        0);
    }
  tags = json_object_get_array_member (run, "tags");
  json_object_iter_init (&iter, json_object_get_object_member (expected, "tags"));
  while (json_object_iter_next (&iter, NULL, &node))
    {
      JsonObject *tag = json_node_get_object (node);
      JsonArray *points = json_object_get_array_member (tag, "points");
      const guint n = json_array_get_length (points);

      check_tag (tags, json_object_get_string_member (tag, "tag"),
                 json_object_get_string_member (tag, "kind"), n, step_of (points, 0),
                 step_of (points, n - 1));
    }
  if (json_array_get_length (json_object_get_array_member (expected, "graphs")) > 0)
    check_tag (tags, "graph", "graph", 1, 0, 0);
}

static void
test_dump (void)
{
  g_autofree char *path = sample_path ("dump");
  g_autoptr (JsonNode) root = NULL;

  if (path == NULL)
    return;
  root = inspect (path);
  check_tag (json_object_get_array_member (find_run (root, "npy/rank_0"), "tags"),
             "Default/network-WithLossCell/_backbone-LeNet5/conv1-Conv2d/BiasAdd-op0/input/1",
             "tensor", 1, 1, 1);
  check_tag (json_object_get_array_member (find_run (root, "npy/rank_0"), "tags"),
             "ms_output_trace_code_graph_0", "graph", 1, 0, 0);
  check_tag (json_object_get_array_member (find_run (root, "bin/rank_0"), "tags"),
             "conv1_weight/output/0", "tensor", 1, 1, 1);
  check_tag (json_object_get_array_member (find_run (root, "graphs"), "tags"), "ms_output_optimize",
             "graph", 1, 0, 0);
  check_tag (json_object_get_array_member (find_run (root, "."), "tags"), "lineage", "lineage", 2,
             0, 0);
}

static JsonObject *
get_trace (JsonNode *root)
{
  JsonArray *traces = json_object_get_array_member (json_node_get_object (root), "traces");

  g_assert_cmpuint (json_array_get_length (traces), ==, 1);
  return json_array_get_object_element (traces, 0);
}

static void
check_trace (JsonNode *root, gint64 n_spans)
{
  g_assert_cmpstr (json_object_get_string_member (get_trace (root), "producer"), ==, "mindspore");
  g_assert_cmpint (json_object_get_int_member (get_trace (root), "spans"), ==, n_spans);
}

static char *
dup_trace_path (JsonNode *root)
{
  return g_strdup (json_object_get_string_member (get_trace (root), "path"));
}

/* The folder of the profiler is a run with tables and holds a trace, which is shown as one. */
static void
test_beside_records (void)
{
  g_autofree char *landscape = sample_path ("landscape"), *profile = sample_path ("profiler"),
                  *checkpoint = NULL, *trace = NULL;
  g_autoptr (JsonNode) root = NULL, profile_root = NULL, trace_root = NULL, checkpoint_root = NULL;

  if (landscape == NULL || profile == NULL)
    return;
  root = inspect (landscape);
  check_tag (json_object_get_array_member (find_run (root, "."), "tags"), "checkpoint/LeNet5",
             "other", 5, 1, 5);
  profile_root = inspect (profile);
  check_tag (json_object_get_array_member (find_run (profile_root, "."), "tags"),
             "profiler/cpu_op_type_info_0", "text", 1, 0, 0);
  check_tag (json_object_get_array_member (find_run (profile_root, "."), "tags"),
             "profiler/trace_view", "other", 1, 0, 0);
  check_trace (profile_root, 656);
  trace = dup_trace_path (profile_root);
  trace_root = inspect (trace);
  check_trace (trace_root, 656);
  g_assert_false (json_object_has_member (json_node_get_object (trace_root), "runs"));
  checkpoint = g_build_filename (landscape, "ckpt_dir", "LeNet5_1_step.ckpt", NULL);
  checkpoint_root = inspect (checkpoint);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (
                        json_node_get_object (checkpoint_root), "arrays")),
                    ==, 10);
}

static void
test_damaged (void)
{
  static const char *const folders[] = {
    "cut_in_last_record", "empty_file",       "length_bit",
    "payload_bit",        "trailing_garbage", "zero_hole_4096",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *name = g_build_filename ("damaged", folders[i], NULL),
                      *path = sample_path (name), *json = NULL;
      g_autoptr (JsonNode) root = NULL, expected = NULL;
      JsonObject *file;
      JsonArray *readable;

      if (path == NULL)
        return;
      root = inspect (path);
      json = g_build_filename (path, "expected.json", NULL);
      expected = sonde_test_read_json (json);
      readable = json_object_get_array_member (json_node_get_object (expected), "readable");
      file = json_array_get_object_element (
          json_object_get_array_member (find_run (root, "."), "files"), 0);
      g_assert_cmpint (json_object_get_int_member (file, "records"), ==,
                       json_array_get_length (readable));
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (file, "damaged")), ==,
                        g_str_equal (folders[i], "empty_file") ? 0 : 1);
    }
}

static void
test_csv (void)
{
  g_autofree char *folder = sonde_test_folder_new (),
                  *path = g_build_filename (folder, "metrics.csv", NULL);
  g_autofree char *other = g_build_filename (folder, "iris.csv", NULL);
  g_autoptr (JsonNode) root = NULL;
  JsonObject *run;

  g_assert_true (g_file_set_contents (path, "epoch,step,loss\n0,9,0.5\n1,19,0.25\n", -1, NULL));
  g_assert_true (g_file_set_contents (other, "a,b\n1,2\n", -1, NULL));
  root = inspect (folder);
  run = find (json_object_get_array_member (json_node_get_object (root), "runs"), "path", ".",
              NULL);
  g_assert_cmpstr (json_object_get_string_member (run, "format"), ==, "csv");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (run, "files")), ==, 1);
  check_tag (json_object_get_array_member (run, "tags"), "loss", "scalar", 2, 9, 19);
  check_tag (json_object_get_array_member (run, "tags"), "epoch", "scalar", 2, 9, 19);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/inspect/mindspore/lenet-run", "lenet_run", test_run);
  g_test_add_data_func ("/inspect/mindspore/manual", "manual", test_run);
  g_test_add_data_func ("/inspect/mindspore/landscape", "landscape", test_run);
  g_test_add_func ("/inspect/mindspore/dump", test_dump);
  g_test_add_func ("/inspect/mindspore/beside-records", test_beside_records);
  g_test_add_func ("/inspect/mindspore/damaged", test_damaged);
  g_test_add_func ("/inspect/csv", test_csv);
  return g_test_run ();
}
