/* SPDX-License-Identifier: Apache-2.0
 * Inference of ResNet-50 at 224×224 in both memory modes, and the cost of observing it: nobody, an
 * observer that is called at every step, statistics of every value.
 * bench-inference [--threads N] [--batch N] [--steps] */
#include "data/base/sonde-clock.h"
#include "engine/plan/sonde-execution.h"
#include "tests/bench/resnet-net.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 15

typedef struct
{
  SondeObserver base;
  gboolean statistics;
  gint64 started;
  gint64 *best; /* by step */
} LookingObserver;

static guint
wants_all (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return SONDE_WANT_BEFORE | SONDE_WANT_AFTER;
}

static SondeAnswer
before (SondeObserver *observer, SondeExecution *execution, guint step)
{
  ((LookingObserver *) observer)->started = sonde_clock_monotonic_ns (NULL);
  return SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
after (SondeObserver *base, SondeExecution *execution, guint index)
{
  LookingObserver *observer = (LookingObserver *) base;
  gint64 took = sonde_clock_monotonic_ns (NULL) - observer->started;
  const SondeStep *step = sonde_plan_get_step (sonde_execution_get_plan (execution), index);
  SondeStatistics statistics;

  observer->best[index] = MIN (observer->best[index], took);
  for (guint i = 0; observer->statistics && i < step->n_outputs; i++)
    sonde_execution_read_statistics (execution, step->outputs[i], &statistics, NULL);
  return SONDE_ANSWER_CONTINUE;
}

static void
measure (SondeExecution *execution, const char *what)
{
  gint64 best = G_MAXINT64, sum = 0;

  for (int i = -3; i < ROUNDS; i++)
    {
      gint64 started = sonde_clock_monotonic_ns (NULL), took;

      sonde_execution_run (execution, NULL);
      took = sonde_clock_monotonic_ns (NULL) - started;
      if (i < 0)
        continue;
      best = MIN (best, took);
      sum += took;
    }

  printf ("%-28s min %.2f ms  mean %.2f ms\n", what, best * 1e-6, sum * 1e-6 / ROUNDS);
}

static void
print_steps (SondePlan *plan, const LookingObserver *observer)
{
  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);

      printf ("%3u %8.1f us %7.1f GFLOP/s  %-20s %-24s %s\n", k, observer->best[k] * 1e-3,
              step->cost.flops / (double) MAX (observer->best[k], 1), step->op,
              step->implementation, step->name);
    }
}

static int
bench (SondeDevice *device, guint batch, SondeMemoryMode memory, gboolean steps)
{
  const SondePlanOptions options = { .memory = memory };
  LookingObserver observer = { { wants_all, before, after, NULL, NULL }, FALSE, 0, NULL };
  g_autoptr (SondeGraph) graph = resnet_net_new (batch, 224);
  gint64 started = sonde_clock_monotonic_ns (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  g_autoptr (SondeExecution) execution = plan != NULL ? sonde_execution_new (plan, &error) : NULL;
  SondeShape shape = sonde_shape_make (4, (int) batch, 3, 224, 224);
  g_autoptr (SondeTensor) image = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  if (execution == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }

  printf ("%s: %u steps, ready in %.1f ms, arena %.1f MB, weights %.1f MB\n",
          memory == SONDE_MEMORY_KEEP ? "keep" : "plan", sonde_plan_get_n_steps (plan),
          (sonde_clock_monotonic_ns (NULL) - started) * 1e-6,
          sonde_plan_get_arena_bytes (plan) * 1e-6, sonde_plan_get_weight_bytes (plan) * 1e-6);
  for (gint64 i = 0; i < sonde_tensor_n_elements (image); i++)
    ((float *) (void *) image->data)[i] = (float) (i % 17) * 0.1f - 0.8f;
  sonde_execution_set_input (execution, "x", image, NULL);
  measure (execution, "  nobody listens");

  observer.best = g_new (gint64, sonde_plan_get_n_steps (plan) + 1);
  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    observer.best[k] = G_MAXINT64;
  sonde_execution_add_observer (execution, &observer.base);
  measure (execution, "  time of every step");
  if (steps)
    print_steps (plan, &observer);
  observer.statistics = TRUE;
  measure (execution, "  statistics of every value");
  g_free (observer.best);
  return 0;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = NULL;
  gboolean steps = FALSE;
  int threads = 0, batch = 1;

  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--steps") == 0)
      steps = TRUE;
    else if (strcmp (argv[i], "--threads") == 0 && i + 1 < argc)
      threads = (int) g_ascii_strtoll (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--batch") == 0 && i + 1 < argc)
      batch = (int) g_ascii_strtoll (argv[++i], NULL, 10);

  device = sonde_device_open ("cpu", threads, &error);
  if (device == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }

  return bench (device, (guint) MAX (batch, 1), SONDE_MEMORY_PLAN, steps)
         + bench (device, (guint) MAX (batch, 1), SONDE_MEMORY_KEEP, FALSE);
}
