/* SPDX-License-Identifier: Apache-2.0
 * Worker: when a run's index is opened, filled, closed, given up. Few are open at a time; one that
 * was closed goes on being ours as long as nobody else has written it (generation). */
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/runs/sonde-run-work-private.h"

static void
set_problem (WorkRun    *run,
             const char *problem)
{
  if (g_strcmp0 (run->problem, problem) == 0)
    return;
  g_free (run->problem);
  run->problem = g_strdup (problem);
  run->worker->problems_changed = TRUE;
}

void
work_run_close_index (WorkRun *run)
{
  if (!run->index)
    return;
  g_queue_remove (&run->worker->indices, run);
  g_clear_pointer (&run->index, sonde_run_index_close);
}

static gboolean
open_index (WorkRun *run,
            GError **error)
{
  GQueue *indices = &run->worker->indices;

  if (run->index)
    {
      g_queue_remove (indices, run);
      g_queue_push_tail (indices, run);
      return TRUE;
    }
  while (g_queue_get_length (indices) >= run->worker->max_open_indices)
    work_run_close_index (g_queue_peek_head (indices));
  run->index = sonde_run_index_open (run->worker->io, run->index_path, run->key, error);
  if (run->index)
    g_queue_push_tail (indices, run);
  return run->index != NULL;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Files that the index has and the disk has not become readers too: their rows are deleted. */
static SondeRunFileReader *
find_file (gpointer    data,
           const char *relative)
{
  WorkRun *run = data;
  SondeRunFound found = {
    .run = run->path,
    .name = run->name,
    .file = relative,
    .format = ((const SondeRunFileReader *) g_ptr_array_index (run->files, 0))->format,
    .single = g_strcmp0 (run->path, run->key) != 0,
  };
  g_autofree char *path = g_build_filename (run->path, relative, NULL);
  SondeRunFileReader *file = g_hash_table_lookup (run->worker->files_by_path, path);

  if (!file)
    {
      work_add_found (run->worker, &found);
      file = g_hash_table_lookup (run->worker->files_by_path, path);
    }
  return file && file->owner == run ? file : NULL;
}

static void
forget_rows (WorkRun *run)
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
}

void
work_run_discard_index (WorkRun *run)
{
  if (open_index (run, NULL) && sonde_run_index_is_writer (run->index))
    {
      sonde_run_index_delete (run->index);
      run->index_state = INDEX_ABSENT;
    }
  else
    run->index_state = INDEX_REFUSED;
  work_run_close_index (run);
  forget_rows (run);
  run->info_changed = TRUE;
}

void
work_run_load_index (WorkRun *run)
{
  g_autoptr (GError) error = NULL;

  run->index_state = INDEX_ABSENT;
  if (!sonde_run_index_exists (run->worker->io, run->index_path) || !open_index (run, &error))
    return;
  if (!sonde_run_index_load (run->index, find_file, run, &error))
    {
      g_debug ("%s: made anew", error->message);
      work_run_discard_index (run);
      return;
    }
  run->index_state = INDEX_LOADED;
  run->epoch = sonde_run_index_get_epoch (run->index);
  run->generation = sonde_run_index_get_generation (run->index);
  run->info_changed = TRUE;
  work_run_close_index (run);
}

SondeColumns *
work_run_load_tail (gpointer owner,
                    gint64   row,
                    guint    n)
{
  WorkRun *run = owner;

  if (run->index_state != INDEX_LOADED || !open_index (run, NULL) ||
      sonde_run_index_get_epoch (run->index) != run->epoch)
    return NULL;
  return sonde_run_index_load_columns (run->index, row, n);
}

/* ---- saving --------------------------------------------------------------------------------- */

static gboolean
is_worth_an_index (const WorkRun *run)
{
  guint64 bytes = 0;

  if (run->index_state == INDEX_LOADED)
    return TRUE;
  for (guint i = 0; i < run->files->len; i++)
    bytes += ((const SondeRunFileReader *) g_ptr_array_index (run->files, i))->size;
  return run->index_state == INDEX_ABSENT && bytes >= SONDE_RUN_INDEX_MIN_BYTES;
}

/* Opens it for writing. FALSE: not now, or never. */
static gboolean
claim_index (WorkRun *run)
{
  g_autoptr (GError) error = NULL;

  if (!open_index (run, &error))
    {
      set_problem (run, error->message);
      run->index_state = INDEX_REFUSED;
      return FALSE;
    }
  if (!sonde_run_index_is_writer (run->index))
    {
      work_run_close_index (run);
      return FALSE;
    }
  if (sonde_run_index_get_generation (run->index) == run->generation &&
      (sonde_run_index_get_epoch (run->index) == run->epoch || run->generation == 0))
    return TRUE;
  /* Another process has written it since: its rows are as right as ours, but not ours. */
  work_run_close_index (run);
  run->index_state = INDEX_REFUSED;
  return FALSE;
}

static void
handle_failure (WorkRun      *run,
                const GError *error)
{
  if (g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED))
    {
      g_debug ("%s: made anew", error->message);
      work_run_reread (run);
      return;
    }
  set_problem (run, error->message);
  work_run_close_index (run);
}

void
work_run_save_index (WorkRun *run)
{
  g_autoptr (GError) error = NULL;

  run->next_save_ns = sonde_clock_monotonic_ns (NULL) + SAVE_INTERVAL_NS;
  run->unsaved_bytes = 0;
  if (!is_worth_an_index (run) || !claim_index (run))
    return;
  if (sonde_run_index_is_orphaned (run->index))
    {
      work_run_reread (run);
      return;
    }
  if (!sonde_run_index_save (run->index, run->files, &error))
    {
      handle_failure (run, error);
      return;
    }
  set_problem (run, NULL);
  run->index_state = INDEX_LOADED;
  run->info_changed |= run->epoch != sonde_run_index_get_epoch (run->index);
  run->epoch = sonde_run_index_get_epoch (run->index);
  run->generation = sonde_run_index_get_generation (run->index);
  if (!run->live)
    work_run_close_index (run);
}
