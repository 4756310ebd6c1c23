/* SPDX-License-Identifier: Apache-2.0
 * The user's annotations and notes. */
#include "data/explanations/sonde-annotations.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-text.h"

#define DELAY_MS 700
#define MAX_BYTES (16 << 20)
#define HEAD "file\tverdict\treason\tnote\n"

struct _SondeAnnotations
{
  char *path, *problem;
  GHashTable *rows; /* name → SondeAnnotation */
  guint n_unread, timer;
};

static const char *const kinds[] = { "", "agree", "other", "no-error" };

static void
annotation_free (SondeAnnotation *annotation)
{
  g_free (annotation->note);
  g_free (annotation);
}

char *
sonde_annotations_dup_path (const SondeExplanationSettings *settings)
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
sonde_annotations_dup_tsv (SondeAnnotations *annotations)
{
  guint n;
  g_autofree char **names = (char **) g_hash_table_get_keys_as_array (annotations->rows, &n);
  GString *text = g_string_new (HEAD);

  qsort (names, n, sizeof *names, compare_names);
  for (guint i = 0; i < n; i++)
    {
      const SondeAnnotation *annotation = g_hash_table_lookup (annotations->rows, names[i]);

      append_escaped (text, names[i]);
      g_string_append_printf (text, "\t%s\t%s\t", kinds[annotation->kind],
                              annotation->category < SONDE_N_CATEGORIES
                                  ? sonde_error_category_get_name (annotation->category)
                                  : "");
      append_escaped (text, annotation->note);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

static SondeErrorCategory
find_category (const char *name)
{
  for (int i = 0; i < SONDE_N_CATEGORIES; i++)
    if (g_str_equal (sonde_error_category_get_name ((SondeErrorCategory) i), name))
      return (SondeErrorCategory) i;
  return SONDE_N_CATEGORIES;
}

static gboolean
read_line (SondeAnnotations *annotations, const char *line)
{
  g_auto (GStrv) cells = g_strsplit (line, "\t", -1);
  SondeAnnotation *annotation;
  int kind = -1;

  if (g_strv_length (cells) != 4 || *cells[0] == '\0' || !g_utf8_validate (line, -1, NULL))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i], cells[1]))
      kind = (int) i;
  if (kind < 0
      || (kind == SONDE_ANNOTATION_OTHER && find_category (cells[2]) == SONDE_N_CATEGORIES))
    return FALSE;
  annotation = g_new0 (SondeAnnotation, 1);
  annotation->kind = (SondeAnnotationKind) kind;
  annotation->category = find_category (cells[2]);
  annotation->note = *cells[3] != '\0' ? dup_unescaped (cells[3]) : NULL;
  g_hash_table_insert (annotations->rows, dup_unescaped (cells[0]), annotation);
  return TRUE;
}

static void
read_file (SondeAnnotations *annotations)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GStatBuf status;

  if (g_stat (annotations->path, &status) != 0 || status.st_size > MAX_BYTES
      || !g_file_get_contents (annotations->path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
    if (*lines[i] != '\0' && !read_line (annotations, lines[i]))
      annotations->n_unread++;
}

/* ---- file ---------------------------------------------------------------- */

static void
write_now (SondeAnnotations *annotations)
{
  g_autofree char *text = sonde_annotations_dup_tsv (annotations),
                  *folder = g_path_get_dirname (annotations->path);
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&annotations->problem, g_free);
  g_mkdir_with_parents (folder, 0700);
  if (!g_file_set_contents (annotations->path, text, -1, &error))
    annotations->problem
        = g_strdup_printf (_ ("Your annotations could not be written: %s"), error->message);
}

static gboolean
on_timer (gpointer data)
{
  SondeAnnotations *annotations = data;

  annotations->timer = 0;
  write_now (annotations);
  return G_SOURCE_REMOVE;
}

SondeAnnotations *
sonde_annotations_new (const char *path)
{
  SondeAnnotations *annotations = g_new0 (SondeAnnotations, 1);

  annotations->path = g_strdup (path);
  annotations->rows
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) annotation_free);
  read_file (annotations);
  return annotations;
}

void
sonde_annotations_free (SondeAnnotations *annotations)
{
  if (annotations == NULL)
    return;
  if (annotations->timer != 0)
    {
      g_clear_handle_id (&annotations->timer, g_source_remove);
      write_now (annotations);
    }
  g_hash_table_unref (annotations->rows);
  g_free (annotations->path);
  g_free (annotations->problem);
  g_free (annotations);
}

guint
sonde_annotations_get_n (SondeAnnotations *annotations)
{
  return g_hash_table_size (annotations->rows);
}

guint
sonde_annotations_get_n_unread (SondeAnnotations *annotations)
{
  return annotations->n_unread;
}

const char *
sonde_annotations_get_problem (SondeAnnotations *annotations)
{
  return annotations->problem;
}

const SondeAnnotation *
sonde_annotations_get (SondeAnnotations *annotations, const char *sample)
{
  return g_hash_table_lookup (annotations->rows, sample);
}

void
sonde_annotations_set (SondeAnnotations *annotations, const char *sample, SondeAnnotationKind kind,
                       SondeErrorCategory category, const char *note)
{
  SondeAnnotation *annotation;

  if (kind == SONDE_ANNOTATION_NONE && (note == NULL || *note == '\0'))
    {
      if (!g_hash_table_remove (annotations->rows, sample))
        return;
    }
  else
    {
      annotation = g_new0 (SondeAnnotation, 1);
      annotation->kind = kind;
      annotation->category = kind == SONDE_ANNOTATION_OTHER ? category : SONDE_N_CATEGORIES;
      annotation->note = note != NULL && *note != '\0' ? g_strdup (note) : NULL;
      g_hash_table_insert (annotations->rows, g_strdup (sample), annotation);
    }
  if (annotations->timer == 0)
    annotations->timer = g_timeout_add (DELAY_MS, on_timer, annotations);
}
