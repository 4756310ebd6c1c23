/* SPDX-License-Identifier: Apache-2.0
 * Worker: a run and its files; what is known of them, and that they wait to be read. */
#include "data/runs/worker/sonde-run-work-index-private.h"
#include "data/runs/worker/sonde-run-work-run-private.h"

/* Points that may wait for the saver. */
#define MAX_WAITING_POINTS (2 * SAVE_POINTS)

static void
free_file (gpointer file)
{
  sonde_run_file_reader_free (file);
}

WorkRun *
sonde_work_run_new (WorkRoot *root, const SondeRunFound *found, const char *key)
{
  SondeRunWorker *worker = root->worker;
  WorkRun *run = g_new0 (WorkRun, 1);

  run->worker = worker;
  run->root = root;
  root->n_runs++;
  run->number = worker->runs->len;
  run->path = g_strdup (found->run);
  run->name = g_strdup (found->name);
  run->key = g_strdup (key);
  run->files = g_ptr_array_new_with_free_func (free_file);
  g_ptr_array_add (worker->runs, run);
  g_hash_table_insert (worker->runs_by_key, run->key, run);
  g_queue_push_tail (&worker->fresh, run);
  return run;
}

void
sonde_work_run_free (WorkRun *run)
{
  sonde_work_run_close_index (run);
  g_ptr_array_unref (run->files);
  g_clear_pointer (&run->updates, g_array_unref);
  g_free (run->path);
  g_free (run->name);
  g_free (run->key);
  g_free (run->index_path);
  g_free (run->problem);
  g_free (run);
}

SondeRunFileReader *
sonde_work_run_add_file (WorkRun *run, const SondeRecordFormat *format, const char *relative)
{
  SondeRunWorker *worker = run->worker;
  SondeRunFileReader *file = sonde_run_file_reader_new (worker->io, format, run->files->len,
                                                        run->path, relative, &run->updates);

  file->owner = run;
  file->n_open = &worker->n_open_files;
  file->batch = &worker->batch;
  file->load_tail = worker->load_tail;
  g_ptr_array_add (run->files, file);
  g_hash_table_insert (worker->files_by_path, file->path, file);
  run->info_changed = TRUE;
  return file;
}

void
sonde_work_enqueue (SondeRunWorker *worker, SondeRunFileReader *file, gboolean front)
{
  WorkRun *run = file->owner;

  if (file->queued)
    return;
  file->queued = TRUE;
  run->n_queued++;
  if (front)
    g_queue_push_head (&worker->queue, file);
  else
    g_queue_push_tail (&worker->queue, file);
}

void
sonde_work_run_forget (WorkRun *run)
{
  for (guint i = 0; i < run->files->len; i++)
    {
      SondeRunFileReader *file = g_ptr_array_index (run->files, i);

      sonde_run_file_reader_reset (file);
      file->inode = 0;
      file->row = 0;
      file->forget = FALSE;
    }
  run->epoch = run->generation = 0;
  run->loaded_shared = FALSE;
}

void
sonde_work_run_want_reread (WorkRun *run)
{
  run->must_reread = run->worker->reread_due = TRUE;
}

gboolean
sonde_work_must_wait_for_saver (const SondeRunWorker *worker)
{
  return worker->n_saving_points + worker->n_waiting_points >= MAX_WAITING_POINTS;
}

const char *
sonde_work_run_get_index_path (WorkRun *run)
{
  if (!run->index_path)
    run->index_path = sonde_run_index_make_path (run->worker->index_folder, run->key);
  return run->index_path;
}

/* ---- what is known ------------------------------------------------------- */

guint64
sonde_work_run_get_size (const WorkRun *run)
{
  guint64 bytes = 0;

  for (guint i = 0; i < run->files->len; i++)
    bytes += ((const SondeRunFileReader *) g_ptr_array_index (run->files, i))->size;
  return bytes;
}

gboolean
sonde_work_run_is_live (const WorkRun *run, gint64 wall_ns)
{
  for (guint i = 0; i < run->files->len; i++)
    if (sonde_run_file_reader_is_live (g_ptr_array_index (run->files, i), wall_ns))
      return TRUE;
  return FALSE;
}

gboolean
sonde_work_run_is_unsaved (const WorkRun *run)
{
  for (guint i = 0; i < run->files->len; i++)
    {
      const SondeRunFileReader *file = g_ptr_array_index (run->files, i);

      if (file->unsaved && (!file->gone || file->row))
        return TRUE;
    }
  return FALSE;
}
