/* SPDX-License-Identifier: Apache-2.0
 * Worker: the indices that are open, a few at a time. One that was closed goes on being ours as long
 * as nobody else has written it (generation). */
#include "data/runs/worker/sonde-run-work-index-private.h"

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
