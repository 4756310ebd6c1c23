/* SPDX-License-Identifier: Apache-2.0
 * Worker: which files there are, and the kernel's notices about them. */
#include <string.h>

#include "data/base/sonde-clock.h"
#include "data/runs/worker/sonde-run-work-file-private.h"
#include "data/runs/worker/sonde-run-work-save-private.h"
#include "data/runs/worker/sonde-run-work-scan-private.h"

typedef struct
{
  SondeRunWorker *worker;
  WorkRoot *root;
} RootScan;

static GPtrArray *
new_problems (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
}

void
sonde_work_add_root (SondeRunWorker *worker, const char *path)
{
  WorkRoot *root;

  for (guint i = 0; i < worker->roots->len; i++)
    if (g_str_equal (((WorkRoot *) g_ptr_array_index (worker->roots, i))->path, path))
      return;
  root = g_new0 (WorkRoot, 1);
  root->worker = worker;
  root->path = g_strdup (path);
  root->due = TRUE;
  root->problems = new_problems ();
  root->index_key = g_strdup_printf ("the small runs of %s", path);
  root->index_path = sonde_run_index_make_path (worker->index_folder, root->index_key);
  root->to_save = g_ptr_array_new ();
  g_ptr_array_add (worker->roots, root);
}

void
sonde_work_root_free (WorkRoot *root)
{
  sonde_run_index_close (root->index);
  g_ptr_array_unref (root->to_save);
  g_free (root->index_key);
  g_free (root->index_path);
  g_free (root->index_problem);
  g_ptr_array_unref (root->problems);
  g_free (root->path);
  g_free (root);
}

static void
visit_folder (gpointer data, const char *path, dev_t device)
{
  RootScan *scan = data;

  sonde_run_tail_watch_folder (scan->worker->tail, path, device);
}

/* Looks into a file only when it is new or another one than at the last look. */
static const SondeRecordFormat *
visit_format (gpointer data, const char *path, const struct stat *status)
{
  SondeRunWorker *worker = ((RootScan *) data)->worker;
  SondeRunFileReader *known = g_hash_table_lookup (worker->files_by_path, path);
  WorkRefused *refused = g_hash_table_lookup (worker->refused, path);
  const SondeRecordFormat *format;

  if (known && !known->gone)
    return known->format;
  if (refused && refused->size == (guint64) status->st_size
      && memcmp (&refused->time, &status->st_mtim, sizeof refused->time) == 0)
    return NULL;
  format = sonde_record_format_find (worker->io, path);
  if (format)
    {
      g_hash_table_remove (worker->refused, path);
      return format;
    }
  refused = g_new (WorkRefused, 1);
  *refused = (WorkRefused){ status->st_size, status->st_mtim };
  g_hash_table_replace (worker->refused, g_strdup (path), refused);
  return NULL;
}

static void
visit_found (gpointer data, const SondeRunFound *found)
{
  RootScan *scan = data;

  sonde_work_add_found (scan->root, found);
}

static void
visit_problem (gpointer data, SondeMessage *sentence)
{
  RootScan *scan = data;

  g_ptr_array_add (scan->root->problems, sentence);
}

static gboolean
same_messages (GPtrArray *one, GPtrArray *other)
{
  if (one->len != other->len)
    return FALSE;
  for (guint i = 0; i < one->len; i++)
    {
      g_autofree char *a = sonde_message_dup_english (one->pdata[i]);
      g_autofree char *b = sonde_message_dup_english (other->pdata[i]);

      if (strcmp (a, b) != 0)
        return FALSE;
    }
  return TRUE;
}

static void
scan_root (SondeRunWorker *worker, WorkRoot *root)
{
  static const SondeRunVisitor visitor = { visit_folder, visit_format, visit_found, visit_problem };
  g_autoptr (GPtrArray) before = g_steal_pointer (&root->problems);
  gint64 begin = sonde_clock_monotonic_ns (NULL), end;
  RootScan scan = { worker, root };

  root->problems = new_problems ();
  root->exists = sonde_run_scan (worker->io, root->path, &visitor, &scan);
  if (!root->exists)
    sonde_run_tail_watch_for (worker->tail, root->path);
  /* It may have come between the scan and the watch. */
  if (!root->exists)
    root->exists = sonde_run_scan (worker->io, root->path, &visitor, &scan);
  sonde_work_root_load_index (root);
  end = sonde_clock_monotonic_ns (NULL);
  root->due = FALSE;
  /* A tree that takes long to scan is scanned less often, however much goes on in it. */
  root->next_scan_ns = end + 10 * (end - begin);
  worker->problems_changed |= !same_messages (before, root->problems);
}

void
sonde_work_scan_due_roots (SondeRunWorker *worker, gint64 now_ns)
{
  for (guint i = 0; i < worker->roots->len; i++)
    {
      WorkRoot *root = g_ptr_array_index (worker->roots, i);

      if (root->due && root->next_scan_ns <= now_ns)
        scan_root (worker, root);
    }
}

void
sonde_work_mark_roots_due (SondeRunWorker *worker, gboolean at_once)
{
  for (guint i = 0; i < worker->roots->len; i++)
    {
      WorkRoot *root = g_ptr_array_index (worker->roots, i);

      root->due = TRUE;
      if (at_once)
        root->next_scan_ns = 0;
    }
}

static void
mark_missing_roots_due (SondeRunWorker *worker)
{
  for (guint i = 0; i < worker->roots->len; i++)
    {
      WorkRoot *root = g_ptr_array_index (worker->roots, i);

      root->due |= !root->exists;
    }
}

static void
handle_notice (gpointer data, SondeRunTailEvent event, const char *folder, const char *name,
               gboolean is_folder)
{
  SondeRunWorker *worker = data;
  g_autofree char *path = NULL;
  SondeRunFileReader *file;

  if (event == SONDE_RUN_TAIL_OVERFLOW)
    {
      sonde_work_mark_roots_due (worker, FALSE);
      worker->next_check_ns = 0;
      return;
    }
  path = g_build_filename (folder, name, NULL);
  file = g_hash_table_lookup (worker->files_by_path, path);
  if (file)
    sonde_work_look_at_file (worker, file, TRUE);
  /* with a folder that was moved away go the files in it, without a word */
  else if (event == SONDE_RUN_TAIL_STRUCTURE && (is_folder || !*name))
    {
      sonde_work_mark_roots_due (worker, FALSE);
      worker->next_check_ns = 0;
    }
  else if (sonde_record_format_may_be (name))
    sonde_work_mark_roots_due (worker, FALSE);
  else if (event == SONDE_RUN_TAIL_STRUCTURE)
    mark_missing_roots_due (worker);
}

void
sonde_work_read_notices (SondeRunWorker *worker)
{
  sonde_run_tail_read (worker->tail, handle_notice, worker);
}
