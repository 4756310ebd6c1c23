/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/sources/python/scan-cases.h"

#include <string.h>

const ScanCase scan_cases[] = {
  { "torchvision-ops", "torchvision.ops" },
  { "whisper", "whisper" },
  { "timm-layers", "timm.layers" },
  { "stable-baselines3", "stable_baselines3" },
  { "fairseq-modules", "fairseq.modules" },
  { "torchdiffeq", "torchdiffeq" },
  { "corner", NULL },
};
const gsize n_scan_cases = G_N_ELEMENTS (scan_cases);

static char *
dup_sample (const char *folder, const char *name)
{
  return g_build_filename (g_getenv ("SONDE_SHARED"), "samples", "scan", folder, name, NULL);
}

char *
scan_case_dup_path (const ScanCase *scan_case, const char *name)
{
  return dup_sample (scan_case->name, name);
}

static char **
read_lines (char *path)
{
  g_autofree char *text = NULL, *owned = path;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (owned, &text, NULL, &error);
  g_assert_no_error (error);
  return g_strsplit (text, "\n", -1);
}

static gboolean
star_has (const char *module, const char *name, gpointer data)
{
  static GHashTable *stars;
  g_autofree char *key = g_strdup_printf ("%s\t%s", module, name);

  if (stars == NULL)
    {
      g_auto (GStrv) lines = read_lines (dup_sample ("star-names.tsv", NULL));

      stars = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      for (char **line = lines; *line != NULL; line++)
        g_hash_table_add (stars, g_strdup (*line));
    }
  return g_hash_table_contains (stars, key);
}

const SondeSourcePackages *
scan_case_packages (void)
{
  static const char *const names[] = { "torch", "torchvision", "torchaudio", "torchtext", NULL };
  static const SondeSourcePackages packages = { .names = names, .star_has = star_has };

  return &packages;
}

GHashTable *
scan_case_read_golden (const ScanCase *scan_case, gboolean only_sure)
{
  g_auto (GStrv) lines = read_lines (dup_sample (scan_case->name, "golden.tsv"));
  GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (char **line = lines + 1; *line != NULL && **line != '\0'; line++)
    {
      g_auto (GStrv) fields = g_strsplit (*line, "\t", -1);

      if (!only_sure || g_str_equal (fields[5], "yes"))
        g_hash_table_add (rows, g_strdup_printf ("%s\t%s\t%s", fields[0], fields[1], fields[6]));
    }
  return rows;
}

GHashTable *
scan_case_read_unparsed (const ScanCase *scan_case)
{
  char *path = dup_sample (scan_case->name, "golden.unparsed");
  GHashTable *files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_auto (GStrv) lines = read_lines (path);

      for (char **line = lines; *line != NULL && **line != '\0'; line++)
        g_hash_table_add (files, g_strndup (*line, strcspn (*line, "\t")));
    }
  else
    g_free (path);
  return files;
}
