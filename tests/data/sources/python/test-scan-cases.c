/* SPDX-License-Identifier: Apache-2.0
 * References in the scan cases against their goldens, which Python's own parser made. */
#include <string.h>

#include "tests/data/sources/python/scan-cases.h"

static const char *const no_methods[] = { NULL };

typedef struct
{
  const ScanCase *scan_case;
  SondeSourceProject *project;
  SondeSourceResolver *resolver;
  GHashTable *found, *exact; /* "file line api"; whole rows of the golden */
} Scanned;

static void
note (Scanned *scanned, const SondeSourceFile *file, const SondePythonReference *reference,
      SondeSourceVia via, gboolean sure, guint32 api)
{
  const char *name = sonde_name_table_get (sonde_source_project_get_names (scanned->project), api);

  g_hash_table_add (scanned->found,
                    g_strdup_printf ("%s\t%u\t%s", file->path, reference->line, name));
  g_hash_table_add (scanned->exact,
                    g_strdup_printf ("%s\t%u\t%u\t%s\t%s\t%s\t%s", file->path, reference->line,
                                     reference->column, sonde_python_how_get_name (reference->how),
                                     sonde_source_via_get_name (via), sure ? "yes" : "maybe",
                                     name));
}

static gboolean
counts_renamed (SondePythonHow how)
{
  return how == SONDE_PYTHON_CALL || how == SONDE_PYTHON_BASE || how == SONDE_PYTHON_DECORATOR;
}

static void
resolve_file (Scanned *scanned, guint i)
{
  const SondeSourceFile *file = sonde_source_project_get_file (scanned->project, i);
  g_autoptr (GArray) meanings = g_array_new (FALSE, FALSE, sizeof (SondeSourceMeaning));

  for (guint j = 0; j < file->module->references->len; j++)
    {
      const SondePythonReference *reference
          = &g_array_index (file->module->references, SondePythonReference, j);
      gboolean sure;

      if (reference->how == SONDE_PYTHON_IMPORT)
        {
          guint32 api = sonde_source_resolver_get_import (scanned->resolver, reference);

          if (api != SONDE_NO_NAME)
            note (scanned, file, reference, SONDE_SOURCE_VIA_IMPORT, TRUE, api);
          continue;
        }
      sure = sonde_source_resolver_look_up (scanned->resolver, i, reference->scope,
                                            reference->first, reference->chain, meanings);
      for (guint k = 0; k < meanings->len; k++)
        {
          const SondeSourceMeaning *meaning = &g_array_index (meanings, SondeSourceMeaning, k);

          if (meaning->path != SONDE_NO_NAME
              && (!meaning->renamed || counts_renamed (reference->how)))
            note (scanned, file, reference, meaning->via, sure, meaning->path);
        }
    }
}

static void
scan (Scanned *scanned, const ScanCase *scan_case)
{
  g_autofree char *source = scan_case_dup_path (scan_case, "src");
  g_autoptr (GError) error = NULL;

  scanned->scan_case = scan_case;
  scanned->project = sonde_source_project_new (no_methods);
  scanned->found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  scanned->exact = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  sonde_source_project_add (scanned->project, source, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (
      sonde_source_project_read (scanned->project, NULL, scan_case->package, NULL, NULL));
  scanned->resolver = sonde_source_resolver_new (scanned->project, scan_case_packages ());
  for (guint i = 0; i < sonde_source_project_get_n_files (scanned->project); i++)
    resolve_file (scanned, i);
}

static void
scanned_clear (Scanned *scanned)
{
  sonde_source_resolver_free (scanned->resolver);
  sonde_source_project_free (scanned->project);
  g_hash_table_unref (scanned->found);
  g_hash_table_unref (scanned->exact);
}

static gboolean
is_of_file (const char *row, GHashTable *files)
{
  g_autofree char *file = g_strndup (row, strcspn (row, "\t"));

  return g_hash_table_contains (files, file);
}

/* How many of @rows are in @others; the others are told. */
static guint
count_common (GHashTable *rows, GHashTable *others, GHashTable *leave_out, const char *what)
{
  GHashTableIter iter;
  gpointer row;
  guint n = 0;

  g_hash_table_iter_init (&iter, rows);
  while (g_hash_table_iter_next (&iter, &row, NULL))
    if (g_hash_table_contains (others, row))
      n++;
    else if (!is_of_file (row, leave_out))
      g_test_message ("%s: %s", what, (const char *) row);
    else
      n++;
  return n;
}

static void
test_case (gconstpointer data)
{
  Scanned scanned;
  g_autoptr (GHashTable) required = NULL, allowed = NULL, unparsed = NULL;
  guint n_found, n_right;

  scan (&scanned, data);
  required = scan_case_read_golden (data, TRUE);
  allowed = scan_case_read_golden (data, FALSE);
  unparsed = scan_case_read_unparsed (data);
  n_found = count_common (required, scanned.found, unparsed, "missing");
  n_right = count_common (scanned.found, allowed, unparsed, "wrong");
  g_test_message ("recall %u of %u, precision %u of %u", n_found, g_hash_table_size (required),
                  n_right, g_hash_table_size (scanned.found));
  g_assert_cmpuint (n_found * 1000, >=, g_hash_table_size (required) * 990);
  g_assert_cmpuint (n_right * 1000, >=, g_hash_table_size (scanned.found) * 990);
  scanned_clear (&scanned);
}

/* Columns, how, via and sure, too. */
static void
test_rows (gconstpointer data)
{
  Scanned scanned;
  const ScanCase *scan_case = data;
  g_autofree char *path = scan_case_dup_path (scan_case, "golden.tsv"), *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint n = 0, n_same = 0;

  scan (&scanned, data);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines + 1; *line != NULL && **line != '\0'; line++, n++)
    if (g_hash_table_contains (scanned.exact, *line))
      n_same++;
    else
      g_test_message ("differs: %s", *line);
  g_test_message ("%u of %u rows are the same", n_same, n);
  g_assert_cmpuint (n_same * 1000, >=, n * 990);
  scanned_clear (&scanned);
}

static void
test_damaged (gconstpointer data)
{
  Scanned scanned;
  g_autoptr (GHashTable) unparsed = scan_case_read_unparsed (data);

  scan (&scanned, data);
  for (guint i = 0; i < sonde_source_project_get_n_files (scanned.project); i++)
    {
      const SondeSourceFile *file = sonde_source_project_get_file (scanned.project, i);

      if (file->module->damage.line != 0)
        g_test_message ("%s:%u: %s", file->path, file->module->damage.line,
                        sonde_message_get_english (file->module->damage.message));
      g_assert_cmpint (file->module->damage.line != 0, ==,
                       g_hash_table_contains (unparsed, file->path));
    }
  scanned_clear (&scanned);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < n_scan_cases; i++)
    {
      g_autofree char *found = g_strdup_printf ("/sources/cases/%s/found", scan_cases[i].name);
      g_autofree char *rows = g_strdup_printf ("/sources/cases/%s/rows", scan_cases[i].name);
      g_autofree char *damaged = g_strdup_printf ("/sources/cases/%s/damaged", scan_cases[i].name);

      g_test_add_data_func (found, &scan_cases[i], test_case);
      g_test_add_data_func (rows, &scan_cases[i], test_rows);
      g_test_add_data_func (damaged, &scan_cases[i], test_damaged);
    }
  return g_test_run ();
}
