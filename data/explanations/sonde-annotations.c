/* SPDX-License-Identifier: Apache-2.0
 * The user's verdicts and notes. */
#include "data/explanations/sonde-annotations.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define DELAY_MS 700
#define MAX_BYTES (16 << 20)
#define HEAD "file\tverdict\treason\tnote\n"

struct _SondeVerdicts
{
  char *path, *problem;
  GHashTable *rows; /* name → SondeVerdict */
  guint n_unread, timer;
};

static const char *const kinds[] = { "", "agree", "other", "no-error" };

static void
verdict_free (SondeVerdict *verdict)
{
  g_free (verdict->note);
  g_free (verdict);
}

char *
sonde_verdicts_dup_path (const SondeExplanationSettings *settings)
{
  g_autofree char *what = g_strdup_printf ("%s\n%s", settings->model != NULL ? settings->model : "",
                                           settings->data != NULL ? settings->data : "");
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, what, -1);
  g_autofree char *name = g_strdup_printf ("%.32s.tsv", digest);

  return g_build_filename (g_get_user_data_dir (), "sonde", "verdicts", name, NULL);
}

/* ---- text ---------------------------------------------------------------- */

static void
append_escaped (GString *to, const char *text)
{
  for (const char *p = text; p != NULL && *p != '\0'; p++)
    switch (*p)
      {
      case '\t':
        g_string_append (to, "\\t");
        break;
      case '\n':
        g_string_append (to, "\\n");
        break;
      case '\r':
        g_string_append (to, "\\r");
        break;
      case '\\':
        g_string_append (to, "\\\\");
        break;
      default:
        g_string_append_c (to, *p);
      }
}

static char *
dup_unescaped (const char *text)
{
  GString *to = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p != '\\' || p[1] == '\0')
        {
          g_string_append_c (to, *p);
          continue;
        }
      p++;
      g_string_append_c (to, *p == 't' ? '\t' : *p == 'n' ? '\n' : *p == 'r' ? '\r' : *p);
    }
  return g_string_free (to, FALSE);
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

char *
sonde_verdicts_dup_tsv (SondeVerdicts *verdicts)
{
  guint n;
  g_autofree char **names = (char **) g_hash_table_get_keys_as_array (verdicts->rows, &n);
  GString *text = g_string_new (HEAD);

  qsort (names, n, sizeof *names, compare_names);
  for (guint i = 0; i < n; i++)
    {
      const SondeVerdict *verdict = g_hash_table_lookup (verdicts->rows, names[i]);

      append_escaped (text, names[i]);
      g_string_append_printf (text, "\t%s\t%s\t", kinds[verdict->kind],
                              verdict->reason < SONDE_N_CATEGORIES
                                  ? sonde_error_category_get_name (verdict->reason)
                                  : "");
      append_escaped (text, verdict->note);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

static SondeErrorCategory
find_reason (const char *name)
{
  for (int i = 0; i < SONDE_N_CATEGORIES; i++)
    if (g_str_equal (sonde_error_category_get_name ((SondeErrorCategory) i), name))
      return (SondeErrorCategory) i;
  return SONDE_N_CATEGORIES;
}

static gboolean
read_line (SondeVerdicts *verdicts, const char *line)
{
  g_auto (GStrv) cells = g_strsplit (line, "\t", -1);
  SondeVerdict *verdict;
  int kind = -1;

  if (g_strv_length (cells) != 4 || *cells[0] == '\0' || !g_utf8_validate (line, -1, NULL))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i], cells[1]))
      kind = (int) i;
  if (kind < 0 || (kind == SONDE_VERDICT_OTHER && find_reason (cells[2]) == SONDE_N_CATEGORIES))
    return FALSE;
  verdict = g_new0 (SondeVerdict, 1);
  verdict->kind = (SondeVerdictKind) kind;
  verdict->reason = find_reason (cells[2]);
  verdict->note = *cells[3] != '\0' ? dup_unescaped (cells[3]) : NULL;
  g_hash_table_insert (verdicts->rows, dup_unescaped (cells[0]), verdict);
  return TRUE;
}

static void
read_file (SondeVerdicts *verdicts)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GStatBuf status;

  if (g_stat (verdicts->path, &status) != 0 || status.st_size > MAX_BYTES
      || !g_file_get_contents (verdicts->path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
    if (*lines[i] != '\0' && !read_line (verdicts, lines[i]))
      verdicts->n_unread++;
}

/* ---- file ---------------------------------------------------------------- */

static void
write_now (SondeVerdicts *verdicts)
{
  g_autofree char *text = sonde_verdicts_dup_tsv (verdicts),
                  *folder = g_path_get_dirname (verdicts->path);
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&verdicts->problem, g_free);
  g_mkdir_with_parents (folder, 0700);
  if (!g_file_set_contents (verdicts->path, text, -1, &error))
    verdicts->problem = g_strdup_printf ("Your notes could not be written: %s", error->message);
}

static gboolean
on_timer (gpointer data)
{
  SondeVerdicts *verdicts = data;

  verdicts->timer = 0;
  write_now (verdicts);
  return G_SOURCE_REMOVE;
}

SondeVerdicts *
sonde_verdicts_new (const char *path)
{
  SondeVerdicts *verdicts = g_new0 (SondeVerdicts, 1);

  verdicts->path = g_strdup (path);
  verdicts->rows
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) verdict_free);
  read_file (verdicts);
  return verdicts;
}

void
sonde_verdicts_free (SondeVerdicts *verdicts)
{
  if (verdicts == NULL)
    return;
  if (verdicts->timer != 0)
    {
      g_clear_handle_id (&verdicts->timer, g_source_remove);
      write_now (verdicts);
    }
  g_hash_table_unref (verdicts->rows);
  g_free (verdicts->path);
  g_free (verdicts->problem);
  g_free (verdicts);
}

guint
sonde_verdicts_get_n (SondeVerdicts *verdicts)
{
  return g_hash_table_size (verdicts->rows);
}

guint
sonde_verdicts_get_n_unread (SondeVerdicts *verdicts)
{
  return verdicts->n_unread;
}

const char *
sonde_verdicts_get_problem (SondeVerdicts *verdicts)
{
  return verdicts->problem;
}

const SondeVerdict *
sonde_verdicts_get (SondeVerdicts *verdicts, const char *sample)
{
  return g_hash_table_lookup (verdicts->rows, sample);
}

void
sonde_verdicts_set (SondeVerdicts *verdicts, const char *sample, SondeVerdictKind kind,
                    SondeErrorCategory reason, const char *note)
{
  SondeVerdict *verdict;

  if (kind == SONDE_VERDICT_NONE && (note == NULL || *note == '\0'))
    {
      if (!g_hash_table_remove (verdicts->rows, sample))
        return;
    }
  else
    {
      verdict = g_new0 (SondeVerdict, 1);
      verdict->kind = kind;
      verdict->reason = kind == SONDE_VERDICT_OTHER ? reason : SONDE_N_CATEGORIES;
      verdict->note = note != NULL && *note != '\0' ? g_strdup (note) : NULL;
      g_hash_table_insert (verdicts->rows, g_strdup (sample), verdict);
    }
  if (verdicts->timer == 0)
    verdicts->timer = g_timeout_add (DELAY_MS, on_timer, verdicts);
}
