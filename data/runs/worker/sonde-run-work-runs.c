/* SPDX-License-Identifier: Apache-2.0
 * Worker: finds the runs of files, looks at files, reads them in turns. */
#include <fcntl.h>
#include <string.h>

#include "data/base/sonde-clock.h"
#include "data/runs/worker/sonde-run-work-file-private.h"
#include "data/runs/worker/sonde-run-work-save-private.h"

void
sonde_work_add_found (WorkRoot *root, const SondeRunFound *found)
{
  SondeRunWorker *worker = root->worker;
  SondeRunFileReader *file = g_hash_table_lookup (worker->files_by_path, found->path);
  const char *key = found->single ? found->path : found->run;
  WorkRun *run = g_hash_table_lookup (worker->runs_by_key, key);

  if (file)
    {
      if (file->gone && ((WorkRun *) file->owner)->prepared)
        sonde_work_look_at_file (worker, file, FALSE);
      return;
    }
  if (!run)
    run = sonde_work_run_new (root, found, key);
  file = sonde_work_run_add_file (run, found->format, found->file);
  if (run->prepared)
    sonde_work_look_at_file (worker, file, FALSE);
}

/* ---- looking ------------------------------------------------------------- */

/* Its name without this is that of the file it was made of. */
#define COPY_SUFFIX ".gz"

/* Is the file that @file was compressed from beside it, and read? */
static gboolean
has_original (SondeRunWorker *worker, SondeRunFileReader *file)
{
  g_autofree char *path = NULL;
  SondeRunFileReader *original;
  struct stat status;

  if (!g_str_has_suffix (file->path, COPY_SUFFIX))
    return FALSE;
  path = g_strndup (file->path, strlen (file->path) - strlen (COPY_SUFFIX));
  original = g_hash_table_lookup (worker->files_by_path, path);
  return original && original->owner == file->owner
         && worker->io->stat (worker->io, AT_FDCWD, path, &status, 0) == 0
         && S_ISREG (status.st_mode);
}

/* @file came or went: what its copy counts is another thing now. */
static void
look_at_copy (SondeRunWorker *worker, SondeRunFileReader *file)
{
  g_autofree char *path = g_strconcat (file->path, COPY_SUFFIX, NULL);
  SondeRunFileReader *copy = g_hash_table_lookup (worker->files_by_path, path);

  if (copy && copy->owner == file->owner)
    sonde_work_look_at_file (worker, copy, FALSE);
}

void
sonde_work_look_at_file (SondeRunWorker *worker, SondeRunFileReader *file, gboolean front)
{
  WorkRun *run = file->owner;
  gint64 now = sonde_clock_wall_ns (NULL);
  g_autofree char *problem = g_strdup (file->problem);
  SondeRunFileChange change;
  gboolean was_copy;

  /* what the index says of the file comes first */
  if (!run->prepared)
    return;
  was_copy = file->is_copy;
  sonde_run_file_reader_set_copy (file, has_original (worker, file));
  change = sonde_run_file_reader_look (file, now);
  worker->problems_changed |= g_strcmp0 (problem, file->problem) != 0;
  run->info_changed |= file->is_copy != was_copy;
  if (change == SONDE_RUN_FILE_SAME)
    return;
  run->info_changed = TRUE;
  if (run->index_state == INDEX_SHARED && !sonde_work_run_leave_shared (run))
    {
      sonde_work_run_reread (run);
      return;
    }
  if (!file->gone && !file->is_copy)
    sonde_work_enqueue (worker, file, front);
  if (change != SONDE_RUN_FILE_GREW)
    look_at_copy (worker, file);
}

void
sonde_work_run_prepare (WorkRun *run)
{
  if (run->index_state != INDEX_SHARED)
    sonde_work_run_load_index (run);
  run->prepared = TRUE;
  run->info_changed = TRUE;
  for (guint i = 0; i < run->files->len; i++)
    sonde_work_look_at_file (run->worker, g_ptr_array_index (run->files, i), FALSE);
}

void
sonde_work_run_reread (WorkRun *run)
{
  run->must_reread = FALSE;
  run->worker->n_rereads++;
  sonde_work_run_discard_index (run);
  for (guint i = 0; i < run->files->len; i++)
    sonde_work_look_at_file (run->worker, g_ptr_array_index (run->files, i), FALSE);
}

void
sonde_work_reread_due_runs (SondeRunWorker *worker)
{
  for (guint i = 0; worker->reread_due && i < worker->runs->len; i++)
    {
      WorkRun *run = g_ptr_array_index (worker->runs, i);

      if (run->must_reread)
        sonde_work_run_reread (run);
    }
  worker->reread_due = FALSE;
}

/* Large files begin one after the other: each that has begun keeps blocks that are not full. */
gboolean
sonde_work_can_read (SondeRunWorker *worker)
{
  const SondeRunFileReader *file = g_queue_peek_head (&worker->queue);

  return file && !sonde_work_must_wait_for_saver (worker)
         && (file->size < file->position + BULK_BYTES
             || g_queue_get_length (&worker->bulks) < worker->max_parts);
}

void
sonde_work_read_next (SondeRunWorker *worker, gint64 deadline_ns)
{
  SondeRunFileReader *file = g_queue_pop_head (&worker->queue);
  WorkRun *run = file->owner;
  gint64 now = sonde_clock_wall_ns (NULL);
  guint64 before = file->position, points_before = file->n_points;
  g_autofree char *problem = g_strdup (file->problem);
  SondeRunReadResult result;

  if (sonde_work_file_is_bulky (file))
    {
      sonde_work_begin_bulk (worker, file);
      return;
    }
  /* the beginning alone: it declares the tags, and the first chart can be drawn */
  if (file->position == 0 && file->size > BULK_BYTES)
    deadline_ns = 0;
  result = sonde_run_file_reader_read (file, deadline_ns, now);
  file->queued = FALSE;
  run->n_queued--;
  run->info_changed = TRUE;
  run->unsaved_bytes += file->position - before;
  run->unsaved_points += file->n_points - points_before;
  worker->problems_changed |= g_strcmp0 (problem, file->problem) != 0;
  /* An open file costs a descriptor: only those that are written to, or are not at their end, keep
   * it, and not too many; where a slice of time reads a part of each file, all would stay open. */
  if ((result != SONDE_RUN_READ_MORE && !sonde_run_file_reader_is_live (file, now))
      || worker->n_open_files > worker->max_open_files)
    sonde_run_file_reader_rest (file);
  /* one that is lost is read again, if it still can be looked at: settling begins anew then */
  if (file->settling && (result != SONDE_RUN_READ_MORE || file->position >= file->size))
    {
      file->settling = FALSE;
      worker->n_settling--;
    }
  if (result == SONDE_RUN_READ_MORE)
    sonde_work_enqueue (worker, file, sonde_work_file_is_bulky (file));
  else if (result == SONDE_RUN_READ_LOST)
    sonde_work_run_reread (run);
}
