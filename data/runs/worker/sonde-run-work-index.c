/* SPDX-License-Identifier: Apache-2.0
 * Worker: when a run's index is opened, read, closed, given up. Few are open at a time; one that
 * was closed goes on being ours as long as nobody else has written it (generation). Writing is in
 * sonde-run-work-save.c. */
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/runs/worker/sonde-run-work-private.h"

void
sonde_work_run_set_problem (WorkRun *run, const char *problem)
{
  if (g_strcmp0 (run->problem, problem) == 0)
    return;
  g_free (run->problem);
  run->problem = g_strdup (problem);
  run->worker->problems_changed = TRUE;
}

/* Takes over an index that the saver had; it is the one that was used last. */
void
sonde_work_run_keep_index (WorkRun *run, SondeRunIndex *index)
{
  GQueue *indices = &run->worker->indices;

  while (g_queue_get_length (indices) >= run->worker->max_open_indices)
    sonde_work_run_close_index (g_queue_peek_head (indices));
  run->index = index;
  g_queue_push_tail (indices, run);
}

SondeRunIndex *
sonde_work_run_lend_index (WorkRun *run)
{
  if (run->index)
    g_queue_remove (&run->worker->indices, run);
  return g_steal_pointer (&run->index);
}

void
sonde_work_run_close_index (WorkRun *run)
{
  if (!run->index)
    return;
  g_queue_remove (&run->worker->indices, run);
  g_clear_pointer (&run->index, sonde_run_index_close);
}

static gboolean
open_index (WorkRun *run, GError **error)
{
  GQueue *indices = &run->worker->indices;
  SondeRunIndex *index;

  sonde_work_run_wait_for_save (run);
  if (run->index)
    {
      g_queue_remove (indices, run);
      g_queue_push_tail (indices, run);
      return TRUE;
    }
  index = sonde_run_index_open (run->worker->io, run->index_path, run->key, error);
  if (index)
    sonde_work_run_keep_index (run, index);
  return index != NULL;
}

/* ---- loading ------------------------------------------------------------- */

/* Files that the index has and the disk has not become readers too: their rows are deleted. */
static SondeRunFileReader *
find_file (gpointer data, const char *relative)
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
      sonde_work_add_found (run->root, &found);
      file = g_hash_table_lookup (run->worker->files_by_path, path);
    }
  return file && file->owner == run ? file : NULL;
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
}

void
sonde_work_run_discard_index (WorkRun *run)
{
  if (run->index_state == INDEX_SHARED)
    run->index_state = INDEX_ABSENT; /* others have rows in it */
  else if (open_index (run, NULL) && sonde_run_index_is_writer (run->index))
    {
      sonde_run_index_delete (run->index);
      run->index_state = INDEX_ABSENT;
    }
  else
    run->index_state = INDEX_REFUSED;
  sonde_work_run_close_index (run);
  sonde_work_run_forget (run);
  run->info_changed = TRUE;
}

void
sonde_work_run_load_index (WorkRun *run)
{
  g_autoptr (GError) error = NULL;

  run->index_state = INDEX_ABSENT;
  if (!sonde_run_index_exists (run->worker->io, run->index_path))
    return;
  if (!open_index (run, &error))
    {
      if (!sonde_data_error_is_of_system (error))
        return;
      /* another program holds it, or the system refuses it: without it, rather than to wait again
       * with every save */
      run->index_state = INDEX_REFUSED;
      sonde_work_run_set_problem (run, error->message);
      return;
    }
  if (!sonde_run_index_load (run->index, find_file, run, &error))
    {
      g_debug ("%s: made anew", error->message);
      sonde_work_run_discard_index (run);
      return;
    }
  run->index_state = INDEX_LOADED;
  run->epoch = sonde_run_index_get_epoch (run->index);
  run->generation = sonde_run_index_get_generation (run->index);
  run->info_changed = TRUE;
  sonde_work_run_close_index (run);
}

SondeColumns *
sonde_work_run_load_tail (gpointer owner, gint64 row, guint n)
{
  WorkRun *run = owner;

  if (run->index_state != INDEX_LOADED || !open_index (run, NULL)
      || sonde_run_index_get_epoch (run->index) != run->epoch)
    return NULL;
  return sonde_run_index_load_columns (run->index, row, n);
}
