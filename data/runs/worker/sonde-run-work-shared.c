/* SPDX-License-Identifier: Apache-2.0
 * Worker: the index that the small runs of a folder share. A run's rows are there or not; with the
 * first change of one of its files the run leaves it, and comes back when it is saved again. */
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/runs/worker/sonde-run-work-save-private.h"

gboolean
sonde_work_run_may_share (const WorkRun *run)
{
  return (run->index_state == INDEX_ABSENT || run->index_state == INDEX_SHARED)
         && run->root->n_runs >= SONDE_RUN_SHARED_MIN_RUNS && !run->root->index_refused
         && sonde_work_run_get_size (run) < SONDE_RUN_INDEX_MIN_BYTES;
}

void
sonde_work_run_share (WorkRun *run)
{
  g_ptr_array_add (run->root->to_save, run);
}

/* ---- loading ------------------------------------------------------------- */

typedef struct
{
  WorkRoot *root;
  gint64 epoch;
  guint n_files; /* that were filled */
} Load;

static SondeRunFileReader *
find_file (gpointer data, const char *path)
{
  Load *load = data;
  WorkRoot *root = load->root;
  SondeRunFileReader *file = g_hash_table_lookup (root->worker->files_by_path, path);
  WorkRun *run = file ? file->owner : NULL;

  if (!run || run->root != root || run->prepared || file->inode != 0)
    return NULL;
  run->index_state = INDEX_SHARED;
  run->loaded_shared = TRUE;
  run->epoch = load->epoch;
  load->n_files++;
  return file;
}

/* Runs that were filled are to be read after all. */
static void
forget_runs (WorkRoot *root)
{
  for (guint i = 0; i < root->worker->runs->len; i++)
    {
      WorkRun *run = g_ptr_array_index (root->worker->runs, i);

      if (run->root != root || run->index_state != INDEX_SHARED)
        continue;
      sonde_work_run_forget (run);
      run->index_state = INDEX_UNKNOWN;
    }
}

static void
set_problem (WorkRoot *root, const char *problem)
{
  root->worker->problems_changed |= g_strcmp0 (root->index_problem, problem) != 0;
  g_free (root->index_problem);
  root->index_problem = g_strdup (problem);
}

static void
load_rows (WorkRoot *root, SondeRunIndex *index)
{
  Load load = { .root = root, .epoch = sonde_run_index_get_epoch (index) };
  g_autoptr (GError) error = NULL;
  guint n_rows;
  gboolean done = sonde_run_shared_load (index, find_file, &load, &n_rows, &error);

  /* one that is mostly about files that are gone is made anew */
  if (done && (n_rows / 2 <= load.n_files || n_rows < SONDE_RUN_SHARED_MIN_RUNS))
    return;
  if (error)
    g_debug ("%s: made anew", error->message);
  forget_runs (root);
  if (sonde_run_index_is_writer (index))
    sonde_run_index_delete (index);
  else
    root->index_refused = TRUE;
}

void
sonde_work_root_load_index (WorkRoot *root)
{
  g_autoptr (GError) error = NULL;
  SondeRunIndex *index;

  if (root->index_is_loaded || root->n_runs < SONDE_RUN_SHARED_MIN_RUNS)
    return;
  root->index_is_loaded = TRUE;
  if (!sonde_run_index_exists (root->worker->io, root->index_path))
    return;
  index = sonde_run_index_open (root->worker->io, root->index_path, root->index_key,
                                SONDE_RUN_INDEX_LARGE_BYTES, &error);
  if (index)
    load_rows (root, index);
  else if (sonde_data_error_is_of_system (error))
    {
      root->index_refused = TRUE;
      set_problem (root, sonde_error_get_text (error));
    }
  sonde_run_index_close (index);
}

/* ---- leaving ------------------------------------------------------------- */

static gboolean
is_in_memory (const SondeRunSegment *segment)
{
  guint n_unsaved = segment->unsaved_blocks ? segment->unsaved_blocks->len : 0;

  return n_unsaved == 0 && segment->n_full == 0 && (segment->tail || segment->n_tail == 0);
}

static gboolean
run_is_in_memory (const WorkRun *run)
{
  for (guint i = 0; i < run->files->len; i++)
    {
      const SondeRunFileReader *file = g_ptr_array_index (run->files, i);

      for (guint k = 0; k < file->segments->len; k++)
        if (!is_in_memory (g_ptr_array_index (file->segments, k)))
          return FALSE;
    }
  return TRUE;
}

static void
forget_rows (WorkRun *run)
{
  for (guint i = 0; i < run->files->len; i++)
    {
      SondeRunFileReader *file = g_ptr_array_index (run->files, i);

      file->unsaved = TRUE;
      file->n_tags_saved = 0;
      for (guint k = 0; k < file->segments->len; k++)
        {
          SondeRunSegment *segment = g_ptr_array_index (file->segments, k);

          segment->unsaved = TRUE;
          segment->tail_row = 0;
          segment->n_tail_saved = 0;
        }
    }
  run->epoch = 0;
}

gboolean
sonde_work_run_leave_shared (WorkRun *run)
{
  g_return_val_if_fail (run->index_state == INDEX_SHARED, FALSE);

  if (run->loaded_shared || !run_is_in_memory (run))
    return FALSE;
  forget_rows (run);
  run->index_state = INDEX_ABSENT;
  run->info_changed = TRUE;
  return TRUE;
}

/* ---- after saving -------------------------------------------------------- */

void
sonde_work_root_note_saved (WorkRoot *root)
{
  set_problem (root, NULL);
  root->unsynced = TRUE;
  root->worker->next_sync_ns = sonde_clock_monotonic_ns (NULL) + SYNC_DELAY_NS;
}

/* Not at once: somebody may be in the middle of a run's blocks. */
static void
want_rereads (WorkRoot *root)
{
  for (guint i = 0; i < root->worker->runs->len; i++)
    {
      WorkRun *run = g_ptr_array_index (root->worker->runs, i);

      if (run->root == root && run->index_state == INDEX_SHARED)
        sonde_work_run_want_reread (run);
    }
}

void
sonde_work_root_note_failure (WorkRoot *root, const GError *error, gboolean closed, gboolean gone)
{
  gboolean damaged = g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);

  if (damaged && root->index)
    sonde_run_index_delete (root->index);
  else if (error)
    set_problem (root, sonde_error_get_text (error));
  if (gone || (damaged && root->index))
    want_rereads (root);
  root->index_refused |= closed;
  g_clear_pointer (&root->index, sonde_run_index_close);
}
