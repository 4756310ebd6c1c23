/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/smoothing/sonde-smoother.h"

#include "viewers/smoothing/sonde-means-task.h"

/**
 * SondeSmoother:
 * @known: points of the series when kernels were last cut off at its end
 * @task: (nullable): means that are on their way, for @done
 */
struct _SondeSmoother
{
  SondeSeries *series;
  SondeSmoothingRule *rule;
  SondeMeans *means;
  guint64 known;
  SondeMeansTask *task;
  SondeSmootherFunc done;
  void *user_data;
};

static SondeSmoother *
new_with_rule (SondeSeries *series, SondeSmoothingRule *rule)
{
  SondeSmoother *smoother = g_new0 (SondeSmoother, 1);

  smoother->series = g_object_ref (series);
  smoother->rule = rule;
  smoother->means = sonde_means_new ();
  return smoother;
}

SondeSmoother *
sonde_smoother_new (SondeSeries *series, double weight)
{
  return new_with_rule (series, sonde_smoothing_rule_new (weight));
}

SondeSmoother *
sonde_smoother_new_kernel (SondeSeries *series, SondeSmootherKernel kernel, double width)
{
  return new_with_rule (series, sonde_smoothing_rule_new_kernel (kernel, width));
}

void
sonde_smoother_free (SondeSmoother *smoother)
{
  if (smoother == NULL)
    return;
  g_clear_pointer (&smoother->task, sonde_means_task_cancel);
  sonde_means_free (smoother->means);
  sonde_smoothing_rule_unref (smoother->rule);
  g_object_unref (smoother->series);
  g_free (smoother);
}

double
sonde_smoother_get_weight (const SondeSmoother *smoother)
{
  return smoother->rule->weight;
}

static gsize
lend_from_series (void *source, guint64 first, gsize n, SondePointSpan *span)
{
  return sonde_series_lend_points (source, first, n, span);
}

static gboolean
is_same_point (SondeSeries *series, guint64 index, const SondePoint *known)
{
  SondePoint point;

  return sonde_series_copy_points (series, index, 1, &point) == 1 && point.step == known->step
         && point.wall_time_ns == known->wall_time_ns
         && memcmp (&point.value, &known->value, sizeof point.value) == 0;
}

/* The points that @means are of are those of the series. */
static gboolean
is_of_series (const SondeMeans *means, SondeSeries *series)
{
  return means->n == means->begin
         || (is_same_point (series, means->begin, &means->first)
             && is_same_point (series, means->n - 1, &means->latest));
}

static void
restart_if_rebuilt (SondeSmoother *smoother)
{
  if (is_of_series (smoother->means, smoother->series))
    return;
  g_clear_pointer (&smoother->task, sonde_means_task_cancel);
  sonde_means_free (smoother->means);
  smoother->means = sonde_means_new ();
  smoother->known = 0;
}

/* Means before it stay, however the series grows: a kernel was not cut off at its end. */
static guint64
count_final (const SondeSmoother *smoother)
{
  guint64 final
      = smoother->known > smoother->rule->reach ? smoother->known - smoother->rule->reach : 0;

  return smoother->rule->kernel != NULL ? MIN (smoother->means->n, final) : smoother->means->n;
}

/* The series has grown: points whose kernel was cut off at its end are given up, in whole blocks. */
static void
drop_provisional (SondeSmoother *smoother)
{
  SondeMeans *means = smoother->means;
  guint64 size = sonde_series_get_n_points (smoother->series), final = count_final (smoother);

  if (smoother->known == size || smoother->rule->kernel == NULL)
    return;
  smoother->known = size;
  if (final >= means->n)
    return;
  sonde_means_cut (means, final);
  if (means->n > 0)
    sonde_series_copy_points (smoother->series, means->n - 1, 1, &means->latest);
}

gboolean
sonde_smoother_update (SondeSmoother *smoother, guint64 max_points)
{
  const SondePointReader reader = { lend_from_series, smoother->series };
  SondeMeans *means;
  guint64 left = max_points, first;
  gsize got = 1;

  restart_if_rebuilt (smoother);
  drop_provisional (smoother);
  means = smoother->means;
  first = means->n;
  while (left > 0 && got > 0)
    {
      got = sonde_means_extend (means, smoother->rule, &reader, (gsize) MIN (left, G_MAXSIZE));
      left -= got;
    }
  if (means->n > first)
    sonde_means_join_levels (means, first);
  return means->n >= sonde_series_get_n_points (smoother->series) || got == 0;
}

/* ---- on another thread --------------------------------------------------- */

static void
on_means (SondeMeans *means, guint64 n_all, void *user_data)
{
  SondeSmoother *smoother = user_data;
  g_autoptr (SondeMeans) more = means;
  SondePoint point;

  smoother->task = NULL;
  if (more->n < n_all)
    {
      /* who asks for points that are lost makes the run read them again */
      sonde_series_copy_points (smoother->series, more->n, 1, &point);
      return;
    }
  if (is_of_series (more, smoother->series) && more->begin <= smoother->means->n)
    {
      if (more->begin == 0)
        {
          sonde_means_free (smoother->means);
          smoother->means = g_steal_pointer (&more);
        }
      else
        sonde_means_join (smoother->means, more);
      smoother->known = n_all;
    }
  smoother->done (smoother->user_data);
}

gboolean
sonde_smoother_catch_up (SondeSmoother *smoother, guint64 at_once, SondeSmootherFunc done,
                         void *user_data)
{
  guint64 size = sonde_series_get_n_points (smoother->series), final;

  restart_if_rebuilt (smoother);
  if (smoother->task != NULL)
    return FALSE;
  if (smoother->means->n == size && (smoother->known == size || smoother->rule->kernel == NULL))
    return TRUE;
  final = count_final (smoother);
  if (size - final <= at_once)
    return sonde_smoother_update (smoother, G_MAXUINT64);
  smoother->done = done;
  smoother->user_data = user_data;
  /* kernels look at points before the first one, too */
  smoother->task = sonde_means_task_start (
      smoother->rule, sonde_means_new_behind (smoother->means, final),
      sonde_series_snapshot_new (smoother->series,
                                 final > smoother->rule->reach + SONDE_MEANS_BLOCK
                                     ? final - smoother->rule->reach - SONDE_MEANS_BLOCK
                                     : 0),
      on_means, smoother);
  return FALSE;
}

gboolean
sonde_smoother_get_progress (const SondeSmoother *smoother, guint64 *n_done, guint64 *n_all)
{
  if (smoother->task == NULL)
    return FALSE;
  sonde_means_task_get_progress (smoother->task, n_done, n_all);
  return TRUE;
}

GArray *
sonde_smoother_query (SondeSmoother *smoother, gint64 from_step, gint64 to_step, guint max_buckets)
{
  return sonde_means_query (smoother->means, smoother->rule,
                            &(SondePointReader){ lend_from_series, smoother->series }, from_step,
                            to_step, max_buckets);
}
