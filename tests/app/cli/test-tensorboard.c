/* SPDX-License-Identifier: Apache-2.0
 * TensorBoard's logs through the built program: `sonde inspect --json` and `sonde export --to csv`
 * of every sample, against what an independent reader found in it. */
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include <json-glib/json-glib.h>

#include "tests/data/runs/run-files.h"

/* Runs `sonde`; Returns: (transfer full): its output. */
static char *
call (const char *const *arguments)
{
  g_autofree char *program = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL),
                  *messages = NULL;
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  char *out = NULL;
  int status;

  g_ptr_array_add (all, program);
  for (; *arguments != NULL; arguments++)
    g_ptr_array_add (all, (char *) *arguments);
  g_ptr_array_add (all, NULL);
  g_spawn_sync (NULL, (char **) all->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &messages,
                &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  return out;
}

/* The object in @array whose member @name is @value. */
static JsonObject *
find (JsonArray *array, const char *name, const char *value)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *object = json_array_get_object_element (array, i);

      if (g_str_equal (json_object_get_string_member (object, name), value))
        return object;
    }
  g_error ("no “%s” %s", name, value);
}

/* Every tag with its kind, count and steps, every file with its records. */
static void
check_listing (JsonObject *run, JsonObject *expected)
{
  JsonArray *files = json_object_get_array_member (expected, "files"),
            *tags = json_object_get_array_member (run, "tags");
  JsonObject *expected_tags = json_object_get_object_member (expected, "tags");
  g_autoptr (GList) names = json_object_get_members (expected_tags);

  g_assert_cmpstr (json_object_get_string_member (run, "format"), ==, "tensorboard");
  for (guint i = 0; i < json_array_get_length (files); i++)
    {
      JsonObject *wanted = json_array_get_object_element (files, i);
      JsonObject *file = find (json_object_get_array_member (run, "files"), "path",
                               json_object_get_string_member (wanted, "name"));

      g_assert_cmpint (json_object_get_int_member (file, "records"), ==,
                       json_object_get_int_member (wanted, "records"));
      g_assert_cmpint (json_object_get_int_member (file, "bytes"), ==,
                       json_object_get_int_member (wanted, "bytes"));
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (file, "damaged")), ==,
                        0);
    }
  for (GList *i = names; i != NULL; i = i->next)
    {
      JsonObject *wanted = json_object_get_object_member (expected_tags, i->data);
      JsonObject *tag = find (tags, "tag", i->data);
      JsonArray *points = json_object_get_array_member (wanted, "points");
      JsonObject *last = json_array_get_object_element (points, json_array_get_length (points) - 1);

      g_assert_cmpstr (json_object_get_string_member (tag, "kind"), ==,
                       json_object_get_string_member (wanted, "kind"));
      g_assert_cmpint (json_object_get_int_member (tag, "count"), ==,
                       json_array_get_length (points));
      g_assert_cmpint (json_object_get_int_member (tag, "first_step"), <=,
                       json_object_get_int_member (last, "step"));
    }
}

/* The rows of a run's tag follow each other as its points do. */
static void
check_points (char **lines, const char *run, const char *tag, JsonArray *points)
{
  g_autofree char *start = g_strdup_printf ("%s,%s,", run, tag);
  guint n = 0;

  for (; *lines != NULL; lines++)
    {
      g_auto (GStrv) cells = NULL;
      JsonObject *point;
      JsonNode *node;
      double value, wanted;

      if (!g_str_has_prefix (*lines, start))
        continue;
      g_assert_cmpuint (n, <, json_array_get_length (points));
      point = json_array_get_object_element (points, n++);
      cells = g_strsplit (*lines + strlen (start), ",", -1);
      node = json_object_get_member (point, "value");
      node = node != NULL
                 ? node
                 : json_array_get_element (json_object_get_array_member (point, "values"), 0);
      wanted = json_node_get_value_type (node) == G_TYPE_STRING
                   ? g_ascii_strtod (json_node_get_string (node), NULL)
                   : json_node_get_double (node);
      value = g_ascii_strtod (cells[2], NULL);
      g_assert_cmpint (g_ascii_strtoll (cells[0], NULL, 10), ==,
                       json_object_get_int_member (point, "step"));
      g_assert_cmpfloat (fabs (g_ascii_strtod (cells[1], NULL)
                               - json_object_get_double_member (point, "wall_time")),
                         <, 1e-6);
      g_assert_true (isnan (wanted) ? isnan (value)
                                    : value == wanted && !signbit (value) == !signbit (wanted));
    }
  g_assert_cmpuint (n, ==, json_array_get_length (points));
}

static void
check_scalars (char **lines, const char *run, JsonObject *tags)
{
  g_autoptr (GList) names = json_object_get_members (tags);

  for (GList *i = names; i != NULL; i = i->next)
    {
      JsonObject *tag = json_object_get_object_member (tags, i->data);

      if (g_str_equal (json_object_get_string_member (tag, "kind"), "scalar"))
        check_points (lines, run, i->data, json_object_get_array_member (tag, "points"));
    }
}

static void
test_folder (gconstpointer data)
{
  char *folder = run_folder_new ();
  g_autofree char *path = g_build_filename (data, "expected.json", NULL), *listing = NULL,
                  *report = NULL, *text = NULL;
  g_autofree char *cache = g_build_filename (folder, "cache", NULL),
                  *output = g_build_filename (folder, "out", NULL);
  g_autofree char *csv = g_build_filename (output, "scalars.csv", NULL);
  g_autoptr (JsonParser) expected = json_parser_new (), found = json_parser_new ();
  g_autoptr (GList) names = NULL;
  g_auto (GStrv) lines = NULL;
  JsonObject *runs;

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_assert_true (json_parser_load_from_file (expected, path, NULL));
  runs = json_object_get_object_member (json_node_get_object (json_parser_get_root (expected)),
                                        "runs");
  names = json_object_get_members (runs);
  listing = call ((const char *[]){ "inspect", "--json", data, NULL });
  g_assert_true (json_parser_load_from_data (found, listing, -1, NULL));
  report = call ((const char *[]){ "export", data, "--to", "csv", "-o", output, NULL });
  lines = g_strsplit (g_file_get_contents (csv, &text, NULL, NULL) ? text : "", "\n", -1);
  for (GList *i = names; i != NULL; i = i->next)
    {
      JsonObject *run = json_object_get_object_member (runs, i->data);

      check_listing (find (json_object_get_array_member (
                               json_node_get_object (json_parser_get_root (found)), "runs"),
                           "path", i->data),
                     run);
      check_scalars (lines, i->data, json_object_get_object_member (run, "tags"));
    }
  run_folder_remove (folder);
}

/* Damage is listed with its place, what is left is counted. */
static void
test_damaged (void)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("SONDE_SHARED") != NULL ? g_getenv ("SONDE_SHARED") : "",
                          "samples", "tensorboard", "damaged", "zero_hole_4096", NULL);
  char *folder = run_folder_new ();
  g_autofree char *cache = g_build_filename (folder, "cache", NULL), *listing = NULL;
  g_autoptr (JsonParser) found = json_parser_new ();
  JsonObject *file, *damage;

  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("the samples of SONDE_SHARED are not here");
      run_folder_remove (folder);
      return;
    }
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  listing = call ((const char *[]){ "inspect", "--json", path, NULL });
  g_assert_true (json_parser_load_from_data (found, listing, -1, NULL));
  file = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (json_parser_get_root (found)), "runs"),
      0);
  file = json_array_get_object_element (json_object_get_array_member (file, "files"), 0);
  g_assert_cmpint (json_object_get_int_member (file, "records"), ==, 405);
  damage = json_array_get_object_element (json_object_get_array_member (file, "damaged"), 0);
  g_assert_cmpint (json_object_get_int_member (damage, "offset"), <=, 11282);
  g_assert_cmpint (json_object_get_int_member (damage, "offset")
                       + json_object_get_int_member (damage, "bytes"),
                   >=, 11282 + 4096);
  run_folder_remove (folder);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_build_filename (g_getenv ("SONDE_SHARED") != NULL ? g_getenv ("SONDE_SHARED") : "",
                             "samples", "tensorboard", NULL);
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (folder, name, NULL);
      g_autofree char *expected = g_build_filename (path, "expected.json", NULL);
      g_autofree char *test = g_strconcat ("/cli/tensorboard/", name, NULL);

      g_ptr_array_add (paths, path);
      if (g_file_test (expected, G_FILE_TEST_EXISTS))
        g_test_add_data_func (test, path, test_folder);
    }
  g_test_add_func ("/cli/tensorboard-damaged", test_damaged);
  return g_test_run ();
}
