/* SPDX-License-Identifier: Apache-2.0
 * onnx-conformance DIR: runs the standard's backend tests, DIR/test_X or DIR/CATEGORY/test_X, and
 * prints what failed, a table by operator, and the count. With --expect FILE ("NAME REASON" a line,
 * # begins a comment) the exit status says whether exactly the cases failed that the file names. */
#include "tests/engine/onnx-conformance-workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_SKIPPED 77 /* of meson test */

typedef struct
{
  guint counts[3]; /* by verdict */
} Tally;

typedef struct
{
  GPtrArray *names, *folders;
  GHashTable *expected; /* name -> reason; (nullable) */
  GHashTable *tallies;  /* operator -> Tally */
  guint counts[3];
  guint surprises;
} Run;

/* ---- the cases ----------------------------------------------------------- */

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static GPtrArray *
list_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name = NULL;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static void
collect (Run *run, const char *root, const char *only, gboolean deeper)
{
  g_autoptr (GPtrArray) names = list_folder (root);

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];
      g_autofree char *folder = g_build_filename (root, name, NULL);
      g_autofree char *model = g_build_filename (folder, "model.onnx", NULL);

      if (g_file_test (model, G_FILE_TEST_EXISTS))
        {
          if (only != NULL && !g_pattern_match_simple (only, name))
            continue;
          g_ptr_array_add (run->names, g_strdup (name));
          g_ptr_array_add (run->folders, g_steal_pointer (&folder));
        }
      else if (deeper && g_file_test (folder, G_FILE_TEST_IS_DIR))
        collect (run, folder, only, FALSE);
    }
}

static GHashTable *
read_expected (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GHashTable *expected = NULL;

  if (!g_file_get_contents (path, &text, NULL, error))
    return NULL;
  expected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *space = strchr (lines[i], ' ');

      if (space != NULL && lines[i][0] != '#')
        g_hash_table_insert (expected, g_strndup (lines[i], (gsize) (space - lines[i])),
                             g_strdup (space + 1));
    }
  return expected;
}

/* ---- results ------------------------------------------------------------- */

static void
count_operator (Run *run, const char *op, OnnxCaseVerdict verdict)
{
  Tally *tally = g_hash_table_lookup (run->tallies, op);

  if (tally == NULL)
    {
      tally = g_new0 (Tally, 1);
      g_hash_table_insert (run->tallies, g_strdup (op), tally);
    }
  tally->counts[verdict]++;
}

static void
case_done (guint index, OnnxCaseVerdict verdict, const char *op, const char *reason, gpointer data)
{
  static const char *const words[] = { "PASS", "FAIL", "UNSUPPORTED" };
  Run *run = data;
  const char *name = run->names->pdata[index];
  const char *expected = run->expected ? g_hash_table_lookup (run->expected, name) : NULL;

  run->counts[verdict]++;
  count_operator (run, op ? op : "(crashed)", verdict);
  if (verdict != ONNX_CASE_PASSED)
    printf ("%s %s: %s%s%s\n", words[verdict], name, reason, expected ? " -- expected: " : "",
            expected ? expected : "");
  if (run->expected == NULL)
    return;
  if (verdict == ONNX_CASE_PASSED && expected != NULL)
    printf ("UNEXPECTED PASS %s: it is listed as failing (%s)\n", name, expected);
  run->surprises += (verdict == ONNX_CASE_PASSED) == (expected != NULL);
  g_hash_table_remove (run->expected, name);
}

/* A name that no case has would hide that the list is out of date. */
static void
report_unused (Run *run)
{
  GHashTableIter iter;
  gpointer name = NULL;

  g_hash_table_iter_init (&iter, run->expected);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      printf ("NO SUCH CASE %s: it is listed as failing\n", (char *) name);
      run->surprises++;
    }
}

static void
print_table (Run *run)
{
  guint n_ops = 0;
  g_autofree gpointer *ops = g_hash_table_get_keys_as_array (run->tallies, &n_ops);

  qsort (ops, n_ops, sizeof *ops, compare_names);
  printf ("%-44s %6s %6s %12s\n", "operator", "pass", "fail", "unsupported");
  for (guint i = 0; i < n_ops; i++)
    {
      const Tally *tally = g_hash_table_lookup (run->tallies, ops[i]);

      printf ("%-44s %6u %6u %12u\n", (char *) ops[i], tally->counts[0], tally->counts[1],
              tally->counts[2]);
    }
  printf ("%u passed, %u failed\n", run->counts[ONNX_CASE_PASSED],
          run->counts[ONNX_CASE_FAILED] + run->counts[ONNX_CASE_UNSUPPORTED]);
}

/* ---- the program --------------------------------------------------------- */

typedef struct
{
  char *only, *device, *expect;
  gboolean list;
  int jobs, seconds;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->only);
  g_free (options->device);
  g_free (options->expect);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
parse_options (Options *options, int *argc, char ***argv)
{
  const GOptionEntry entries[] = {
    { "only", 0, 0, G_OPTION_ARG_STRING, &options->only, "Only cases whose name fits", "GLOB" },
    { "device", 0, 0, G_OPTION_ARG_STRING, &options->device,
      "cpu (default), reference, or none: kernels without a plan", "NAME" },
    { "expect", 0, 0, G_OPTION_ARG_FILENAME, &options->expect, "Cases that must fail, with reasons",
      "FILE" },
    { "list", 0, 0, G_OPTION_ARG_NONE, &options->list, "Only print the names of the cases", NULL },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &options->jobs, "Processes (2)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &options->seconds, "Longest time of a case (60)", "N" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("DIR");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, argc, argv, &error) && *argc == 2)
    return TRUE;
  g_printerr ("onnx-conformance: %s\n", error ? error->message : "give one folder");
  return FALSE;
}

static int
run_cases (Run *run, const Options *options)
{
  const char *device = g_strcmp0 (options->device, "none") == 0 ? NULL
                       : options->device                        ? options->device
                                                                : "cpu";
  gboolean good = onnx_workers_run ((const char *const *) run->folders->pdata, run->folders->len,
                                    device, (guint) CLAMP (options->jobs, 1, 64),
                                    (guint) MAX (options->seconds, 1), case_done, run);

  if (run->expected != NULL && options->only == NULL)
    report_unused (run);
  print_table (run);
  if (run->expected != NULL)
    return !good || run->surprises > 0;
  return !good || run->counts[ONNX_CASE_PASSED] < run->folders->len;
}

int
main (int argc, char **argv)
{
  g_auto (Options) options = { .jobs = 2, .seconds = 60 };
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) tallies = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) expected = NULL;
  g_autoptr (GError) error = NULL;
  Run run = { names, folders, NULL, tallies, { 0, 0, 0 }, 0 };

  if (!parse_options (&options, &argc, &argv))
    return 2;
  if (!g_file_test (argv[1], G_FILE_TEST_IS_DIR))
    {
      g_printerr ("onnx-conformance: there is no folder “%s”\n", argv[1]);
      return STATUS_SKIPPED;
    }
  if (options.expect != NULL)
    {
      run.expected = expected = read_expected (options.expect, &error);
      if (expected == NULL)
        {
          g_printerr ("onnx-conformance: %s\n", error->message);
          return 2;
        }
    }
  collect (&run, argv[1], options.only, TRUE);
  for (guint i = 0; options.list && i < names->len; i++)
    printf ("%s\n", (char *) names->pdata[i]);
  return options.list ? 0 : run_cases (&run, &options);
}
