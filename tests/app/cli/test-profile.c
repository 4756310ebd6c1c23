/* SPDX-License-Identifier: Apache-2.0
 * `sonde profile`: real traces against what an independent reader and their producers found
 * (shared/samples/traces), made ones with a cause that must be named, files for other programs. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "tests/support/sonde-test-program.h"

static char *
samples_path (const char *name)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path = g_build_filename (shared ? shared : "", "samples", "traces", name, NULL);

  if (shared != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip ("the shared traces are not here");
  return NULL;
}

/* What `sonde profile ARGUMENTS --json` prints. */
static JsonNode *
profile (const char *folder, const char *path, const char *option, const char *value)
{
  const char *arguments[] = { "profile", path, "--json", option, value, NULL };
  g_autoptr (SondeTestProgram) program = sonde_test_run_strv (folder, NULL, arguments);

  sonde_test_assert_status (program, 0);
  return sonde_test_parse_json (program->out);
}

static JsonObject *
get_object (JsonObject *object, const char *name)
{
  g_assert_true (json_object_has_member (object, name));
  return json_object_get_null_member (object, name) ? NULL
                                                    : json_object_get_object_member (object, name);
}

static double
get_double (JsonObject *object, const char *name)
{
  return json_object_get_double_member (object, name);
}

/* ---- goldens ------------------------------------------------------------- */

/* Members NAME_ns of @expected, sums over @n, against NAME_ms of @found. */
static void
compare_means (JsonObject *expected, JsonObject *found, double n)
{
  g_autoptr (GList) names = json_object_get_members (expected);
  guint n_compared = 0;

  for (GList *name = names; name != NULL; name = name->next)
    {
      g_autofree char *stem = NULL, *in_ms = NULL;

      if (!g_str_has_suffix (name->data, "_ns") || g_str_equal (name->data, "wall_ns"))
        continue;
      stem = g_strndup (name->data, strlen (name->data) - 3);
      in_ms = g_strconcat (stem, "_ms", NULL);
      g_test_message ("%s", in_ms);
      g_assert_cmpfloat_with_epsilon (
          get_double (found, in_ms),
          (double) json_object_get_int_member (expected, name->data) / n / 1e6, 1e-6);
      n_compared++;
    }
  g_assert_cmpint (n_compared, >=, 5);
}

static void
test_golden (gconstpointer data)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *expected_path = g_strconcat (data, ".expected.json", NULL);
  g_autoptr (JsonNode) expected_root = sonde_test_read_json (expected_path);
  g_autoptr (JsonNode) root = profile (folder, data, NULL, NULL);
  JsonObject *expected = json_node_get_object (expected_root);
  JsonObject *found = json_node_get_object (root), *split = NULL, *device = NULL;
  double steps;

  if (json_object_has_member (expected, "split"))
    split = get_object (expected, "split");
  if (json_object_has_member (expected, "device"))
    device = get_object (expected, "device");
  if (split != NULL)
    {
      steps = (double) json_object_get_int_member (split, "steps");
      compare_means (split, get_object (found, "split"), steps);
      g_assert_cmpint (json_object_get_int_member (get_object (found, "steps"), "count"), ==,
                       (int) steps);
      g_assert_cmpfloat_with_epsilon (get_double (found, "wall_ms"),
                                      get_double (split, "wall_ns") / steps / 1e6, 1e-6);
    }
  else
    g_assert_null (get_object (found, "split"));
  if (device != NULL)
    compare_means (device, get_object (found, "device"),
                   get_double (device, "steps") * get_double (device, "devices"));
  else
    g_assert_null (get_object (found, "device"));
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* The row of the operator that torch calls @name. */
static JsonObject *
find_op (JsonArray *ops, const char *name)
{
  for (guint i = 0; i < json_array_get_length (ops); i++)
    if (g_str_equal (json_object_get_string_member (json_array_get_object_element (ops, i), "op"),
                     name))
      return json_array_get_object_element (ops, i);
  return NULL;
}

/* torch.profiler's key_averages(). */
static void
test_table (gconstpointer data)
{
  g_autofree char *folder = NULL, *path = samples_path (data), *stem = NULL, *table_path = NULL;
  g_autoptr (JsonNode) table = NULL, root = NULL;
  JsonArray *rows, *ops;
  guint n_found = 0;

  if (path == NULL)
    return;
  folder = sonde_test_folder_new ();
  stem = g_strndup (path, strstr (path, ".json") - path);
  table_path = g_strconcat (stem, ".table.json", NULL);
  table = sonde_test_read_json (table_path);
  root = profile (folder, path, NULL, NULL);
  rows = json_object_get_array_member (json_node_get_object (table), "rows");
  ops = json_object_get_array_member (json_node_get_object (root), "ops");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);
      JsonObject *op = find_op (ops, json_object_get_string_member (row, "name"));

      if (op == NULL)
        continue; /* an annotation */
      g_assert_cmpfloat_with_epsilon (get_double (op, "self_ms") * 1000,
                                      get_double (row, "self_us"), 1e-3);
      g_assert_cmpfloat_with_epsilon (get_double (op, "total_ms") * 1000,
                                      get_double (row, "total_us"), 1e-3);
      g_assert_cmpint (json_object_get_int_member (op, "calls"), >=,
                       json_object_get_int_member (row, "count"));
      n_found++;
    }
  g_assert_cmpint (n_found, >=, 10);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

static void
test_compare (gconstpointer data)
{
  g_autofree char *before_name = g_strconcat (data, ".before.json.gz", NULL);
  g_autofree char *after_name = g_strconcat (data, ".after.json.gz", NULL);
  g_autofree char *expected_name = g_strconcat (data, ".compare.json", NULL);
  g_autofree char *before = samples_path (before_name), *after = NULL, *expected_path = NULL;
  g_autofree char *folder = NULL;
  g_autoptr (JsonNode) root = NULL, expected_root = NULL;
  JsonObject *compare, *expected;
  JsonArray *ops, *significant;
  guint n = 0;

  if (before == NULL)
    return;
  after = samples_path (after_name);
  expected_path = samples_path (expected_name);
  folder = sonde_test_folder_new ();
  expected_root = sonde_test_read_json (expected_path);
  expected = json_node_get_object (expected_root);
  significant = json_object_get_array_member (expected, "significant");
  root = profile (folder, before, "--compare", after);
  compare = get_object (json_node_get_object (root), "compare");
  g_assert_cmpint (json_object_get_int_member (compare, "significant"), ==,
                   json_array_get_length (significant));
  ops = json_object_get_array_member (compare, "ops");
  for (guint i = 0; i < json_array_get_length (ops); i++)
    {
      JsonObject *op = json_array_get_object_element (ops, i);
      const char *name = json_object_get_string_member (op, "op");

      g_assert_cmpstr (json_object_get_string_member (op, "state"), ==, "both");
      if (!json_object_get_boolean_member (op, "significant"))
        continue;
      n++;
      g_assert_cmpstr (name, ==, json_array_get_string_element (significant, 0));
      g_assert_cmpfloat_with_epsilon (get_double (op, "ratio"),
                                      get_double (get_object (expected, "factors"), name), 0.1);
    }
  g_assert_cmpint (n, ==, json_array_get_length (significant));
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* ---- causes that must be named ------------------------------------------- */

static JsonObject *
get_first_advice (JsonNode *root)
{
  JsonArray *advice = json_object_get_array_member (json_node_get_object (root), "advice");

  g_assert_cmpint (json_array_get_length (advice), >=, 1);
  return json_array_get_object_element (advice, 0);
}

/* A data set that sleeps 4 ms a sample: another reader of these traces calls it "other". */
static void
test_slow_data (void)
{
  g_autofree char *folder = NULL, *path = samples_path ("pytorch-slow-data.json.gz");
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (SondeTestProgram) text = NULL;
  JsonObject *advice, *evidence;

  if (path == NULL)
    return;
  folder = sonde_test_folder_new ();
  root = profile (folder, path, NULL, NULL);
  advice = get_first_advice (root);
  g_assert_cmpstr (json_object_get_string_member (advice, "id"), ==, "data-wait");
  g_assert_cmpfloat_with_epsilon (get_double (advice, "share"), 0.934, 0.005);
  g_assert_cmpfloat_with_epsilon (get_double (advice, "gain_ms"), 48.41, 0.01);
  evidence = get_object (advice, "evidence");
  sonde_test_assert_members (evidence, "share stage workers queue_mean");
  g_assert_true (json_object_get_null_member (evidence, "stage"));
  text = sonde_test_run (folder, NULL, "profile", path);
  sonde_test_assert_status (text, 0);
  sonde_test_assert_contains (text->out, "  1. Waiting for data takes 93 % of a step (48.41 ms).");
  g_assert_cmpstr (text->err, ==, "");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* A trace as PyTorch writes them: in each of 12 steps 10 small operators and one of @slow µs, which waits for
 * data when it is the loader. */
static char *
write_trace (const char *folder, const char *category, const char *name, int slow)
{
  g_autoptr (GString) text = g_string_new ("{\"schemaVersion\":1,\"traceEvents\":[");
  char *path = g_build_filename (folder, "made.json", NULL);
  int at = 0;

  for (int step = 0; step < 12; step++)
    {
      const int length = 10 * 20 + slow + 50;

      g_string_append_printf (
          text,
          "%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\","
          "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",
          step > 0 ? "," : "", step, at, length);
      for (int i = 0; i < 10; i++)
        g_string_append_printf (text,
                                ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::small%d\","
                                "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":20}",
                                i, at + 10 + i * 20);
      g_string_append_printf (
          text,
          ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",
          category, name, at + 220, slow);
      at += length;
    }
  g_string_append (text, "]}");
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  return path;
}

static void
test_seeded_operator (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *path = write_trace (folder, "cpu_op", "aten::mm", 750);
  g_autoptr (JsonNode) root = profile (folder, path, NULL, NULL);
  g_autoptr (JsonNode) some = profile (folder, path, "--steps", "3:4");
  JsonObject *advice = get_first_advice (root), *op;

  g_assert_cmpstr (json_object_get_string_member (advice, "id"), ==, "dominant-op");
  g_assert_cmpstr (json_object_get_string_member (advice, "node"), ==, "aten::mm");
  g_assert_cmpfloat_with_epsilon (get_double (advice, "share"), 0.75, 1e-9);
  sonde_test_assert_members (get_object (advice, "evidence"), "share class limit_ms");
  op = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (some), "ops"), 0);
  g_assert_cmpint (json_object_get_int_member (op, "calls"), ==, 4);
  g_assert_cmpfloat_with_epsilon (get_double (op, "self_ms"), 3, 1e-9);
  g_assert_cmpfloat_with_epsilon (get_double (op, "ms"), 0.75, 1e-9);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

static void
test_seeded_loader (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *path
      = write_trace (folder, "user_annotation", "enumerate(DataLoader)#x.__next__", 250);
  g_autoptr (JsonNode) root = profile (folder, path, NULL, NULL);
  JsonObject *advice = get_first_advice (root);

  g_assert_cmpstr (json_object_get_string_member (advice, "id"), ==, "data-wait");
  g_assert_cmpfloat_with_epsilon (get_double (advice, "share"), 0.5, 1e-9);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* ---- files --------------------------------------------------------------- */

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names, counts, total and self times of a trace as sorted lines. */
static char *
list_names (const char *folder, const char *path)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "inspect", path, "--json");
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  JsonArray *names;

  sonde_test_assert_status (program, 0);
  root = sonde_test_parse_json (program->out);
  names = json_object_get_array_member (
      json_array_get_object_element (
          json_object_get_array_member (json_node_get_object (root), "traces"), 0),
      "names");
  for (guint i = 0; i < json_array_get_length (names); i++)
    {
      JsonObject *name = json_array_get_object_element (names, i);

      g_ptr_array_add (lines, g_strdup_printf ("%s %s %d %d %d",
                                               json_object_get_string_member (name, "category"),
                                               json_object_get_string_member (name, "name"),
                                               (int) json_object_get_int_member (name, "count"),
                                               (int) json_object_get_int_member (name, "total_ns"),
                                               (int) json_object_get_int_member (name, "self_ns")));
    }
  g_ptr_array_sort (lines, compare_lines);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **) lines->pdata);
}

/* A trace that was written again is analysed as the original. */
static void
compare_profiles (const char *folder, const char *a, const char *b)
{
  g_autoptr (JsonNode) left = profile (folder, a, NULL, NULL),
                       right = profile (folder, b, NULL, NULL);
  JsonObject *x = json_node_get_object (left), *y = json_node_get_object (right);

  g_assert_cmpint (json_array_get_length (json_object_get_array_member (x, "ops")), ==,
                   json_array_get_length (json_object_get_array_member (y, "ops")));
  g_assert_true (
      json_node_equal (json_object_get_member (x, "split"), json_object_get_member (y, "split")));
}

static void
test_files (void)
{
  static const char *const endings[] = { "json", "json.gz", "pftrace" };
  g_autofree char *folder = NULL, *path = samples_path ("pytorch-cnn-train.json.gz"), *names = NULL;
  g_autoptr (SondeTestProgram) program = NULL;

  if (path == NULL)
    return;
  folder = sonde_test_folder_new ();
  names = list_names (folder, path);
  program = sonde_test_run (folder, NULL, "profile", path, "--trace", "t.json", "--trace",
                            "t.json.gz", "--trace", "t.pftrace", "--trace", "t.csv", "--trace",
                            "t.collapsed", "--trace", "t.pprof");
  sonde_test_assert_status (program, 0);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *name = g_strconcat ("t.", endings[i], NULL);
      g_autofree char *file = g_build_filename (folder, name, NULL), *again = NULL;

      again = list_names (folder, file);
      g_assert_cmpstr (again, ==, names);
      compare_profiles (folder, path, file);
    }
  sonde_test_folder_free (g_steal_pointer (&folder));
}

static char *
write_report (const char *folder, const char *path, const char *language)
{
  g_autofree char *file = g_build_filename (folder, "report.html", NULL);
  g_autoptr (SondeTestProgram) program = NULL;

  g_setenv ("LANGUAGE", language, TRUE);
  program = sonde_test_run (folder, NULL, "profile", path, "--trace", "report.html");
  g_setenv ("LANGUAGE", "", TRUE);
  sonde_test_assert_status (program, 0);
  return sonde_test_read_text (file);
}

/* One page without scripts or addresses, in the user's language. */
static void
test_report (void)
{
  g_autofree char *folder = NULL, *path = samples_path ("pytorch-slow-data.json.gz");
  g_autofree char *english = NULL, *chinese = NULL;

  if (path == NULL)
    return;
  folder = sonde_test_folder_new ();
  english = write_report (folder, path, "");
  sonde_test_assert_contains (english, "<html lang=\"en\">");
  sonde_test_assert_contains (english, "<li>Waiting for data takes 93 % of a step");
  sonde_test_assert_contains (english, "aten::convolution_backward</td>");
  sonde_test_assert_contains (english, "<h2>Timeline</h2>");
  sonde_test_assert_contains (english, "<h2>Calls</h2>");
  g_assert_null (strstr (english, "<script"));
  g_assert_null (strstr (english, "http"));
  g_assert_null (strstr (english, "<h2>Memory</h2>")); /* not recorded there */
  chinese = write_report (folder, path, "zh_CN");
  sonde_test_assert_contains (chinese, "<html lang=\"zh-CN\">");
  sonde_test_assert_contains (chinese, "等待数据占一步的 93%");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* Names that are tags, or that would turn a line around. */
static void
test_report_names (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *path
      = write_trace (folder, "cpu_op", "<script>alert('x')</script>&\\u202e\\u0007", 750);
  g_autofree char *page = write_report (folder, path, "");

  sonde_test_assert_contains (page, "&lt;script&gt;alert('x')&lt;/script&gt;&amp;␦␇");
  g_assert_null (strstr (page, "<script"));
  g_assert_null (strstr (page, "\xe2\x80\xae"));
  g_assert_null (strchr (page, '\a'));
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* One name of 400 MB, unpacked, of which the trace keeps 1 MiB. */
static void
test_report_bomb (void)
{
  g_autofree char *folder = NULL, *path = samples_path ("bad-bomb.json.gz"), *page = NULL;

  if (path == NULL)
    return;
  folder = sonde_test_folder_new ();
  page = write_report (folder, path, "");
  g_assert_cmpuint (strlen (page), <, 20000);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* ---- refusals ------------------------------------------------------------ */

static void
refuse (const char *const *arguments, int status, const char *message)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run_strv (folder, NULL, arguments);

  sonde_test_assert_status (program, status);
  sonde_test_assert_contains (program->err, message);
  g_assert_cmpstr (program->out, ==, "");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

#define REFUSE(status, message, ...)                                                               \
  refuse ((const char *const[]){ "profile", __VA_ARGS__, NULL }, status, message)

static void
test_refusals (void)
{
  g_autofree char *empty = samples_path ("bad-empty.json"), *garbage = NULL, *plain = NULL;
  g_autofree char *stacks = NULL, *steps = NULL;

  if (empty == NULL)
    return;
  garbage = samples_path ("bad-garbage.json");
  plain = samples_path ("plain-all.json");
  stacks = samples_path ("py-spy.collapsed");
  steps = samples_path ("pytorch-cnn-train.json.gz");
  REFUSE (1, "bad-empty.json", empty);
  REFUSE (1, "bad-garbage.json", garbage);
  REFUSE (1, "no-such-file", "no-such-file");
  REFUSE (1, "marks no steps", plain, "--steps", "0:2");
  REFUSE (1, "has 3 steps", steps, "--steps", "3:1");
  REFUSE (1, "sampled stacks", stacks, "--compare", steps);
  REFUSE (1, "sampled stacks", steps, "--compare", stacks);
  REFUSE (2, "t.svg", plain, "--trace", "t.svg");
  REFUSE (2, "FIRST:COUNT", steps, "--steps", "3");
  REFUSE (2, "FIRST:COUNT", steps, "--steps", "1:0");
  REFUSE (2, "Missing argument", "--json");
  REFUSE (1, "--runs is for a model", steps, "--runs", "3");
  REFUSE (1, "--run is for a model", steps, "--run", "r", "--compare", steps);
  REFUSE (1, "--set is for a model", plain, "--set", "train.epochs=2");
}

/* A device that waits most of the time is said to, in words. */
static void
test_idle_device (void)
{
  static const struct
  {
    const char *name, *said;
  } cases[] = { { "gpu-alexnet.json.gz", "idle 99.8 % of the trace" },
                { "gpu-rank0.json.gz", "Communication takes 27.4 %" } };
  char *folder = sonde_test_folder_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = samples_path (cases[i].name);
      g_autoptr (SondeTestProgram) program = NULL;

      if (path == NULL)
        continue;
      program = sonde_test_run (folder, NULL, "profile", path);
      sonde_test_assert_status (program, 0);
      sonde_test_assert_contains (program->out, cases[i].said);
    }
  sonde_test_folder_free (folder);
}

/* Damaged files are profiled as far as they can be read. */
static void
test_damaged (void)
{
  static const char *const names[] = { "bad-cut.json", "bad-overlap.json", "bad-times.json",
                                       "bad-types.json", "bad-nothing.json" };
  g_autofree char *folder = sonde_test_folder_new ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = samples_path (names[i]);
      g_autoptr (SondeTestProgram) text = NULL;
      g_autoptr (JsonNode) root = NULL;

      if (path == NULL)
        continue;
      root = profile (folder, path, NULL, NULL);
      g_assert_cmpstr (json_object_get_string_member (json_node_get_object (root), "kind"), ==,
                       "trace");
      text = sonde_test_run (folder, NULL, "profile", path);
      sonde_test_assert_status (text, 0);
    }
  sonde_test_folder_free (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  static const char *const tables[] = { "pytorch-cnn-train.json.gz", "pytorch-transformer.json" };
  static const char *const pairs[] = { "slower", "same-20" };
  const char *shared = g_getenv ("SONDE_SHARED"), *name;
  g_autofree char *folder = g_build_filename (shared ? shared : "", "samples", "traces", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  g_test_init (&argc, &argv, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if ((g_str_has_prefix (name, "pytorch-") || g_str_has_prefix (name, "gpu-"))
        && !g_str_has_suffix (name, ".expected.json") && !g_str_has_suffix (name, ".table.json"))
      {
        g_autofree char *test = g_strconcat ("/app/cli/profile/golden/", name, NULL);

        g_test_add_data_func_full (test, g_build_filename (folder, name, NULL), test_golden,
                                   g_free);
      }
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *test = g_strconcat ("/app/cli/profile/table/", tables[i], NULL);

      g_test_add_data_func (test, tables[i], test_table);
    }
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *test = g_strconcat ("/app/cli/profile/compare/", pairs[i], NULL);

      g_test_add_data_func (test, pairs[i], test_compare);
    }
  g_test_add_func ("/app/cli/profile/slow-data", test_slow_data);
  g_test_add_func ("/app/cli/profile/seeded-operator", test_seeded_operator);
  g_test_add_func ("/app/cli/profile/seeded-loader", test_seeded_loader);
  g_test_add_func ("/app/cli/profile/files", test_files);
  g_test_add_func ("/app/cli/profile/report", test_report);
  g_test_add_func ("/app/cli/profile/report-names", test_report_names);
  g_test_add_func ("/app/cli/profile/report-bomb", test_report_bomb);
  g_test_add_func ("/app/cli/profile/refusals", test_refusals);
  g_test_add_func ("/app/cli/profile/idle-device", test_idle_device);
  g_test_add_func ("/app/cli/profile/damaged", test_damaged);
  return g_test_run ();
}
