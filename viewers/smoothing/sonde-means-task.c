/* SPDX-License-Identifier: Apache-2.0
 * A task has two owners, the thread that works and the one that asked; the last one to leave frees it. */
#include "viewers/smoothing/sonde-means-task.h"

/**
 * SondeMeansTask:
 * @means, @snapshot: of the working thread until it is done
 * @n: points that are in, as the other thread sees it
 * @done: of the asking thread, as @user_data and @context
 */
struct _SondeMeansTask
{
  SondeSmoothingRule *rule;
  SondeMeans *means;
  SondeSeriesSnapshot *snapshot;
  guint64 n_all;
  _Atomic guint64 n;
  _Atomic gboolean cancelled;
  SondeMeansDone done;
  void *user_data;
  GMainContext *context;
};

static void
task_free (void *data)
{
  SondeMeansTask *task = data;

  sonde_smoothing_rule_unref (task->rule);
  sonde_means_free (task->means);
  sonde_series_snapshot_free (task->snapshot);
  g_main_context_unref (task->context);
  g_free (task);
}

static gboolean
on_done (void *data)
{
  SondeMeansTask *task = data;

  if (!task->cancelled)
    task->done (g_steal_pointer (&task->means), task->n_all, task->user_data);
  return G_SOURCE_REMOVE;
}

/* Not g_main_context_invoke(), which would call it here while nobody iterates. */
static void
hand_over (SondeMeansTask *task)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, on_done, task, task_free);
  g_source_attach (source, task->context);
}

static gsize
lend_from_snapshot (void *source, guint64 first, gsize n, SondePointSpan *span)
{
  return sonde_series_snapshot_lend_points (source, first, n, span);
}

static void
work (void *data, void *unused)
{
  SondeMeansTask *task = data;
  SondeMeans *means = task->means;
  const SondePointReader reader = { lend_from_snapshot, task->snapshot };

  while (!task->cancelled && means->n < task->n_all
         && sonde_means_extend (means, task->rule, &reader, (gsize) (task->n_all - means->n)) > 0)
    task->n = means->n;
  /* of others they are joined with those before */
  if (means->begin == 0)
    sonde_means_join_levels (means, 0);
  /* the snapshot's connection and blocks end here, not in a frame */
  g_clear_pointer (&task->snapshot, sonde_series_snapshot_free);
  hand_over (task);
}

/* (transfer none): never ended; its threads wait for the next task */
static GThreadPool *
get_pool (void)
{
  static gsize pool;

  if (g_once_init_enter (&pool))
    g_once_init_leave (
        &pool, (gsize) g_thread_pool_new (work, NULL, (gint) g_get_num_processors (), FALSE, NULL));
  return (GThreadPool *) pool;
}

SondeMeansTask *
sonde_means_task_start (SondeSmoothingRule *rule, SondeMeans *means, SondeSeriesSnapshot *snapshot,
                        SondeMeansDone done, void *user_data)
{
  SondeMeansTask *task = g_new0 (SondeMeansTask, 1);

  task->rule = sonde_smoothing_rule_ref (rule);
  task->means = means;
  task->snapshot = snapshot;
  task->n_all = sonde_series_snapshot_get_n_points (snapshot);
  task->n = means->n;
  task->done = done;
  task->user_data = user_data;
  task->context = g_main_context_ref_thread_default ();
  g_thread_pool_push (get_pool (), task, NULL);
  return task;
}

void
sonde_means_task_cancel (SondeMeansTask *task)
{
  task->cancelled = TRUE;
}

void
sonde_means_task_get_progress (const SondeMeansTask *task, guint64 *n_done, guint64 *n_all)
{
  *n_done = task->n;
  *n_all = task->n_all;
}
