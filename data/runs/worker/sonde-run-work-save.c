/* SPDX-License-Identifier: Apache-2.0
 * Worker and saver: batches go to a thread that does nothing but write indices, and come back with
 * their rows. A run has at most one batch under way; until it is back, the saver owns its index. */
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/runs/worker/sonde-run-work-save-private.h"

#define SAVE_INTERVAL_NS (5000 * MILLISECOND_NS)

typedef enum
{
  SAVE_DONE,
  SAVE_NOT_OURS, /* another process is the writer now: later perhaps */
  /* another process has written it since: its rows are as right as ours, but not ours */
  SAVE_FOREIGN,
  SAVE_ORPHANED, /* the file was deleted or replaced under us */
  SAVE_CLOSED,   /* it cannot be opened */
  SAVE_FAILED,
} SaveResult;

/* @run: or @root and @runs (element-type WorkRun), of an index that they share. @batch: (nullable):
 * NULL only syncs. @index: (nullable): open already; open still when it comes back */
typedef struct
{
  WorkRun *run;
  WorkRoot *root;
  GPtrArray *runs;
  SondeRunBatch *batch;
  SondeRunIndex *index;
  const SondeIo *io;
  const char *path, *key;
  guint64 bytes; /* of the records */
  gint64 epoch, generation;
  gboolean close;
  SaveResult result;
  GError *error;
} Save;

/* ---- on the saver's thread ----------------------------------------------- */

static gboolean
write_index (Save *save)
{
  if (!save->batch)
    return sonde_run_index_sync (save->index);
  return save->root ? sonde_run_shared_save (save->index, save->batch, &save->error)
                    : sonde_run_index_save (save->index, save->batch, &save->error);
}

static SaveResult
save_batch (Save *save)
{
  if (!save->index)
    save->index = sonde_run_index_open (save->io, save->path, save->key, save->bytes, &save->error);
  if (!save->index)
    return SAVE_CLOSED;
  if (!sonde_run_index_is_writer (save->index))
    return SAVE_NOT_OURS;
  if (save->run && sonde_run_index_get_generation (save->index) != save->generation)
    return SAVE_FOREIGN;
  if (save->run
      && (sonde_run_index_get_epoch (save->index) != save->epoch && save->generation != 0))
    return SAVE_FOREIGN;
  if (sonde_run_index_is_orphaned (save->index))
    return SAVE_ORPHANED;
  if (!write_index (save))
    return SAVE_FAILED;
  save->epoch = sonde_run_index_get_epoch (save->index);
  save->generation = sonde_run_index_get_generation (save->index);
  return SAVE_DONE;
}

void
sonde_work_save_job (gpointer job)
{
  Save *save = job;

  save->result = save_batch (save);
  /* after a failure it may have to be deleted */
  if ((save->close && save->result != SAVE_FAILED) || save->result == SAVE_NOT_OURS
      || save->result == SAVE_FOREIGN)
    g_clear_pointer (&save->index, sonde_run_index_close);
}

/* ---- giving -------------------------------------------------------------- */

static gboolean
is_worth_an_index (const WorkRun *run)
{
  return run->index_state == INDEX_LOADED
         || (run->index_state == INDEX_ABSENT
             && sonde_work_run_get_size (run) >= SONDE_RUN_INDEX_MIN_BYTES);
}

static void
push (WorkRun *run, SondeRunBatch *batch)
{
  SondeRunWorker *worker = run->worker;
  Save *save = g_new0 (Save, 1);

  save->run = run;
  save->batch = batch;
  save->index = sonde_work_run_lend_index (run);
  save->io = worker->io;
  save->path = sonde_work_run_get_index_path (run);
  save->key = run->key;
  save->bytes = sonde_work_run_get_size (run);
  save->epoch = run->epoch;
  save->generation = run->generation;
  save->close = !run->live && run->n_queued == 0;
  run->saving = TRUE;
  worker->n_saving++;
  worker->n_saving_points += batch ? batch->n_points : 0;
  sonde_run_crew_push (worker->saver, save);
}

static void
push_shared (WorkRoot *root, SondeRunBatch *batch)
{
  SondeRunWorker *worker = root->worker;
  Save *save = g_new0 (Save, 1);

  save->root = root;
  save->runs = g_steal_pointer (&root->to_save);
  root->to_save = g_ptr_array_new ();
  save->batch = batch;
  save->index = g_steal_pointer (&root->index);
  save->io = worker->io;
  save->path = root->index_path;
  save->key = root->index_key;
  save->bytes = SONDE_RUN_INDEX_LARGE_BYTES; /* there are many runs */
  save->close = g_queue_is_empty (&worker->queue);
  for (guint i = 0; i < save->runs->len; i++)
    ((WorkRun *) g_ptr_array_index (save->runs, i))->saving = TRUE;
  root->saving = TRUE;
  worker->n_saving++;
  worker->n_saving_points += batch ? batch->n_points : 0;
  sonde_run_crew_push (worker->saver, save);
}

void
sonde_work_root_save_index (WorkRoot *root)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new ();

  for (guint i = 0; i < root->to_save->len; i++)
    {
      const WorkRun *run = g_ptr_array_index (root->to_save, i);

      for (guint k = 0; k < run->files->len; k++)
        g_ptr_array_add (files, g_ptr_array_index (run->files, k));
    }
  push_shared (root, files->len > 0 ? sonde_run_batch_new (files) : NULL);
}

void
sonde_work_run_save_index (WorkRun *run)
{
  if (run->saving)
    return;
  if (sonde_work_run_may_share (run) && run->root->saving)
    {
      run->next_save_ns = 0; /* as soon as it is back */
      run->worker->n_waiting_points += run->unsaved_points;
      return;
    }
  if (run->index_state == INDEX_SHARED && !sonde_work_run_leave_shared (run))
    {
      sonde_work_run_want_reread (run);
      return;
    }
  run->next_save_ns = sonde_clock_monotonic_ns (NULL) + SAVE_INTERVAL_NS;
  run->unsaved_bytes = run->unsaved_points = 0;
  if (sonde_work_run_may_share (run))
    sonde_work_run_share (run);
  else if (is_worth_an_index (run))
    push (run, sonde_run_batch_new (run->files));
}

/* ---- taking over --------------------------------------------------------- */

static void
note_saved (WorkRun *run, const Save *save)
{
  sonde_work_run_set_problem (run, NULL);
  run->index_state = INDEX_LOADED;
  run->info_changed |= run->epoch != save->epoch;
  run->epoch = save->epoch;
  run->generation = save->generation;
  run->unsynced = save->batch != NULL;
  run->worker->next_sync_ns = sonde_clock_monotonic_ns (NULL) + SYNC_DELAY_NS;
}

static void
handle_failure (WorkRun *run, const Save *save)
{
  /* a new one has nothing to lose */
  if (save->result == SAVE_ORPHANED
      || (run->index_state == INDEX_LOADED
          && g_error_matches (save->error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED)))
    {
      if (save->error)
        g_debug ("%s: made anew", save->error->message);
      /* not at once: somebody may be in the middle of the run's blocks */
      sonde_work_run_want_reread (run);
      return;
    }
  if (save->error)
    sonde_work_run_set_problem (run, sonde_error_get_text (save->error));
  if (save->result == SAVE_CLOSED || save->result == SAVE_FOREIGN)
    run->index_state = INDEX_REFUSED;
  sonde_work_run_close_index (run);
}

static void
take_over_shared (Save *save)
{
  WorkRoot *root = save->root;
  gboolean saved = save->result == SAVE_DONE && save->batch;

  root->saving = FALSE;
  root->index = g_steal_pointer (&save->index);
  for (guint i = 0; i < save->runs->len; i++)
    {
      WorkRun *run = g_ptr_array_index (save->runs, i);

      run->saving = FALSE;
      if (!saved)
        continue;
      run->index_state = INDEX_SHARED;
      run->epoch = save->epoch;
      run->info_changed = TRUE;
    }
  if (saved)
    sonde_work_root_note_saved (root);
  else if (save->result == SAVE_CLOSED || save->result == SAVE_FAILED
           || save->result == SAVE_ORPHANED)
    sonde_work_root_note_failure (root, save->error, save->result == SAVE_CLOSED,
                                  save->result == SAVE_ORPHANED);
}

static void
take_over_own (Save *save)
{
  WorkRun *run = save->run;

  run->saving = FALSE;
  if (save->index)
    sonde_work_run_keep_index (run, g_steal_pointer (&save->index));
  if (save->result == SAVE_DONE)
    note_saved (run, save);
}

static void
take_over (Save *save)
{
  SondeRunWorker *worker = save->root ? save->root->worker : save->run->worker;
  gboolean saved = save->result == SAVE_DONE;

  worker->n_saving--;
  if (save->batch)
    worker->n_saving_points -= save->batch->n_points;
  if (save->root)
    take_over_shared (save);
  else
    take_over_own (save);
  if (save->batch)
    sonde_run_batch_finish (save->batch, saved, sonde_clock_wall_ns (NULL));
  if (!saved && save->run)
    handle_failure (save->run, save);
  g_clear_pointer (&save->runs, g_ptr_array_unref);
  g_clear_error (&save->error);
  g_free (save);
}

void
sonde_work_take_saves (SondeRunWorker *worker)
{
  Save *save;

  while ((save = sonde_run_crew_take (worker->saver)) != NULL)
    take_over (save);
}

void
sonde_work_run_wait_for_save (WorkRun *run)
{
  Save *save;

  while (run->saving && (save = sonde_run_crew_wait (run->worker->saver)) != NULL)
    take_over (save);
}

void
sonde_work_wait_for_saves (SondeRunWorker *worker)
{
  Save *save;

  while (worker->n_saving > 0 && (save = sonde_run_crew_wait (worker->saver)) != NULL)
    take_over (save);
}

/* ---- for good ------------------------------------------------------------ */

void
sonde_work_sync_indices (SondeRunWorker *worker, gint64 now_ns)
{
  if (now_ns < worker->next_sync_ns)
    return;
  worker->next_sync_ns = G_MAXINT64;
  for (guint i = 0; i < worker->roots->len; i++)
    {
      WorkRoot *root = g_ptr_array_index (worker->roots, i);

      if (!root->unsynced || root->saving || root->to_save->len > 0)
        continue;
      root->unsynced = FALSE;
      push_shared (root, NULL);
      return;
    }
  for (guint i = 0; i < worker->runs->len; i++)
    {
      WorkRun *run = g_ptr_array_index (worker->runs, i);

      if (!run->unsynced || run->live || run->saving || run->index_state != INDEX_LOADED)
        continue;
      run->unsynced = FALSE;
      push (run, NULL);
      return; /* the next one when this one is back */
    }
}
