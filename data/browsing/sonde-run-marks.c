/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-run-marks.h"

#include <string.h>

#include "data/base/sonde-io.h"

#define MAX_BYTES (64 << 20) /* a larger file is not ours */

static const char *const names[SONDE_N_RUN_MARKS]
    = { "title", "note", "tags", "pin", "hidden", "color" };

/* The marks of one run, and which of them the file does not have yet. */
typedef struct
{
  char *values[SONDE_N_RUN_MARKS];
  gboolean unsaved[SONDE_N_RUN_MARKS];
} Marks;

struct _SondeRunMarks
{
  GObject parent_instance;
  char *path;
  GHashTable *runs; /* path → Marks */
  GFileMonitor *monitor;
  gboolean unsaved;
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (SondeRunMarks, sonde_run_marks, G_TYPE_OBJECT)

static void
marks_free (void *data)
{
  Marks *marks = data;

  for (int i = 0; i < SONDE_N_RUN_MARKS; i++)
    g_free (marks->values[i]);
  g_free (marks);
}

static Marks *
ensure_marks (SondeRunMarks *self, const char *run)
{
  Marks *marks = g_hash_table_lookup (self->runs, run);

  if (marks == NULL)
    {
      marks = g_new0 (Marks, 1);
      g_hash_table_insert (self->runs, g_strdup (run), marks);
    }
  return marks;
}

/* ---- file ---------------------------------------------------------------- */

/* Paths as groups of a GKeyFile, which allows neither brackets nor control characters. */
static char *
group_of (const char *run)
{
  return g_uri_escape_string (run, "/", FALSE);
}

static GKeyFile *
read_file (SondeRunMarks *self)
{
  GKeyFile *file = g_key_file_new ();
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, self->path, MAX_BYTES, NULL);

  if (bytes != NULL)
    g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, NULL);
  return file;
}

/* Returns: whether a mark is another now. */
static gboolean
take_group (SondeRunMarks *self, GKeyFile *file, const char *group, gboolean with_hidden)
{
  g_autofree char *run = g_uri_unescape_string (group, NULL);
  gboolean changed = FALSE;
  Marks *marks;

  if (run == NULL)
    return FALSE;
  marks = ensure_marks (self, run);
  for (int i = 0; i < SONDE_N_RUN_MARKS; i++)
    {
      g_autofree char *value = g_key_file_get_string (file, group, names[i], NULL);

      if (marks->unsaved[i] || (i == SONDE_RUN_MARK_HIDDEN && !with_hidden)
          || g_strcmp0 (marks->values[i], value) == 0)
        continue;
      g_free (marks->values[i]);
      marks->values[i] = g_steal_pointer (&value);
      changed = TRUE;
    }
  return changed;
}

static gboolean
take_file (SondeRunMarks *self, gboolean with_hidden)
{
  g_autoptr (GKeyFile) file = read_file (self);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  GHashTableIter iter;
  void *run;
  gboolean changed = FALSE;

  for (gsize i = 0; groups[i] != NULL; i++)
    changed |= take_group (self, file, groups[i], with_hidden);
  /* What the file no longer has. */
  g_hash_table_iter_init (&iter, self->runs);
  while (g_hash_table_iter_next (&iter, &run, NULL))
    {
      g_autofree char *group = group_of (run);

      if (!g_key_file_has_group (file, group))
        changed |= take_group (self, file, group, with_hidden);
    }
  return changed;
}

static void
on_file_changed (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event,
                 SondeRunMarks *self)
{
  if (event != G_FILE_MONITOR_EVENT_ATTRIBUTE_CHANGED && take_file (self, FALSE))
    g_signal_emit (self, changed_signal, 0);
}

static void
put_run (GKeyFile *file, const char *run, Marks *marks)
{
  g_autofree char *group = group_of (run);
  g_auto (GStrv) keys = NULL;

  for (int i = 0; i < SONDE_N_RUN_MARKS; i++)
    {
      if (marks->unsaved[i] && marks->values[i] != NULL)
        g_key_file_set_string (file, group, names[i], marks->values[i]);
      else if (marks->unsaved[i])
        g_key_file_remove_key (file, group, names[i], NULL);
    }
  keys = g_key_file_get_keys (file, group, NULL, NULL);
  if (keys != NULL && keys[0] == NULL)
    g_key_file_remove_group (file, group, NULL);
}

static void
forget_unsaved (SondeRunMarks *self)
{
  GHashTableIter iter;
  void *marks;

  g_hash_table_iter_init (&iter, self->runs);
  while (g_hash_table_iter_next (&iter, NULL, &marks))
    memset (((Marks *) marks)->unsaved, 0, sizeof ((Marks *) marks)->unsaved);
  self->unsaved = FALSE;
}

gboolean
sonde_run_marks_save (SondeRunMarks *self, GError **error)
{
  g_autofree char *folder = NULL, *text = NULL;
  g_autoptr (GKeyFile) file = NULL;
  GHashTableIter iter;
  void *run, *marks;
  gsize length;

  g_return_val_if_fail (SONDE_IS_RUN_MARKS (self), FALSE);
  if (!self->unsaved)
    return TRUE;
  file = read_file (self);
  g_hash_table_iter_init (&iter, self->runs);
  while (g_hash_table_iter_next (&iter, &run, &marks))
    put_run (file, run, marks);
  text = g_key_file_to_data (file, &length, NULL);
  folder = g_path_get_dirname (self->path);
  if (!sonde_io_make_directories (NULL, folder, error)
      || !sonde_io_replace_file (NULL, self->path, text, length, error))
    return FALSE;
  forget_unsaved (self);
  return TRUE;
}

/* ---- marks --------------------------------------------------------------- */

const char *
sonde_run_marks_get (SondeRunMarks *self, const char *run, SondeRunMark mark)
{
  Marks *marks;

  g_return_val_if_fail (SONDE_IS_RUN_MARKS (self) && mark < SONDE_N_RUN_MARKS, NULL);
  marks = g_hash_table_lookup (self->runs, run);
  return marks != NULL ? marks->values[mark] : NULL;
}

gboolean
sonde_run_marks_set (SondeRunMarks *self, const char *run, SondeRunMark mark, const char *value)
{
  Marks *marks;

  g_return_val_if_fail (SONDE_IS_RUN_MARKS (self) && mark < SONDE_N_RUN_MARKS, FALSE);
  if (value != NULL && *value == '\0')
    value = NULL;
  if (g_strcmp0 (sonde_run_marks_get (self, run, mark), value) == 0)
    return FALSE;
  marks = ensure_marks (self, run);
  g_free (marks->values[mark]);
  marks->values[mark] = g_strdup (value);
  marks->unsaved[mark] = TRUE;
  self->unsaved = TRUE;
  return TRUE;
}

char **
sonde_run_marks_split_tags (const char *tags)
{
  g_auto (GStrv) words = g_strsplit_set (tags != NULL ? tags : "", ", \t\n", -1);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  for (gsize i = 0; words[i] != NULL; i++)
    {
      const char *word = words[i] + strspn (words[i], "#");

      if (*word != '\0' && !g_ptr_array_find_with_equal_func (found, word, g_str_equal, NULL))
        g_ptr_array_add (found, g_strdup (word));
    }
  g_ptr_array_add (found, NULL);
  return (char **) g_ptr_array_steal (found, NULL);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_run_marks_finalize (GObject *object)
{
  SondeRunMarks *self = SONDE_RUN_MARKS (object);

  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  g_hash_table_unref (self->runs);
  g_free (self->path);
  G_OBJECT_CLASS (sonde_run_marks_parent_class)->finalize (object);
}

static void
sonde_run_marks_class_init (SondeRunMarksClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_run_marks_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_run_marks_init (SondeRunMarks *self)
{
  self->runs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, marks_free);
}

SondeRunMarks *
sonde_run_marks_new (const char *path)
{
  SondeRunMarks *self = g_object_new (SONDE_TYPE_RUN_MARKS, NULL);
  g_autoptr (GFile) file = NULL;

  self->path = path != NULL ? g_strdup (path)
                            : g_build_filename (g_get_user_data_dir (), "sonde", "runs.ini", NULL);
  take_file (self, TRUE);
  file = g_file_new_for_path (self->path);
  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect (self->monitor, "changed", G_CALLBACK (on_file_changed), self);
  return self;
}
