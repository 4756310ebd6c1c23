/* SPDX-License-Identifier: Apache-2.0
 * Times of steps by an observer around each. */
#include "tests/bench/bench-steps.h"

#include <stdio.h>

#include "data/base/sonde-clock.h"

/* Takes the time of every step. */
typedef struct
{
  SondeObserver base;
  gint64 started;
  gint64 *best;
} TimingObserver;

static guint
wants_all (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return SONDE_WANT_BEFORE | SONDE_WANT_AFTER;
}

static SondeAnswer
before (SondeObserver *observer, SondeExecution *execution, guint step)
{
  ((TimingObserver *) observer)->started = sonde_clock_monotonic_ns (NULL);
  return SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
after (SondeObserver *observer, SondeExecution *execution, guint step)
{
  TimingObserver *timing = (TimingObserver *) observer;
  gint64 took = sonde_clock_monotonic_ns (NULL) - timing->started;

  timing->best[step] = MIN (timing->best[step], took);
  return SONDE_ANSWER_CONTINUE;
}

void
bench_print_steps (SondeExecution *execution, int rounds)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  guint n_steps = sonde_plan_get_n_steps (plan);
  g_autofree gint64 *best = g_new (gint64, n_steps);
  TimingObserver timing = { { wants_all, before, after, NULL, NULL }, 0, best };
  gint64 total = 0;

  for (guint k = 0; k < n_steps; k++)
    best[k] = G_MAXINT64;

  sonde_execution_add_observer (execution, &timing.base);
  for (int i = 0; i < rounds; i++)
    sonde_execution_run (execution, NULL);
  sonde_execution_remove_observer (execution, &timing.base);

  for (guint k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);

      printf ("%3u %8.1f us %7.1f GFLOP/s  %-24s %-28s %s\n", k, best[k] * 1e-3,
              step->cost.flops / (double) MAX (best[k], 1), step->op, step->implementation,
              step->name);
      total += best[k];
    }

  printf ("sum of the best times: %.3f ms\n", total * 1e-6);
}
