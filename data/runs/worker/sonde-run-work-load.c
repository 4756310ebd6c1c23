/* SPDX-License-Identifier: Apache-2.0
 * Worker: a run's index is read, or given up. Writing is in sonde-run-work-save.c. */
#include "data/base/sonde-error.h"
#include "data/runs/worker/sonde-run-work-save-private.h"

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
  index = sonde_run_index_open (run->worker->io, sonde_work_run_get_index_path (run), run->key,
                                sonde_work_run_get_size (run), error);
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
  const SondeRunFileReader *first = g_ptr_array_index (run->files, 0);
  g_autofree char *path = g_build_filename (run->path, relative, NULL);
  SondeRunFileReader *file = g_hash_table_lookup (run->worker->files_by_path, path);

  if (!file)
    file = sonde_work_run_add_file (run, first->format, relative);
  return file && file->owner == run ? file : NULL;
}

void
sonde_work_run_discard_index (WorkRun *run)
{
  if (run->index_state == INDEX_SHARED)
    {
      /* others have rows in it; but the run may have been larger once */
      sonde_work_run_forget (run);
      sonde_work_run_load_index (run);
      run->info_changed = TRUE;
      return;
    }
  if (open_index (run, NULL) && sonde_run_index_is_writer (run->index))
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
  if (!sonde_run_index_exists (run->worker->io, sonde_work_run_get_index_path (run)))
    return;
  if (!open_index (run, &error))
    {
      if (!sonde_data_error_is_of_system (error))
        return;
      /* another program holds it, or the system refuses it: without it, rather than to wait again
       * with every save */
      run->index_state = INDEX_REFUSED;
      sonde_work_run_set_problem (run, sonde_error_get_text (error));
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
