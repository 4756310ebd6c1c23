/* SPDX-License-Identifier: Apache-2.0
 * Steps back in an inference of ResNet-50 at 224×224, in both memory modes: what each costs as a
 * multiple of the steps since the last checkpoint as they ran forward, and the memory of the
 * checkpoints as a share of the run's. bench-step-back [--threads N] [--side N] */
#include "data/base/sonde-clock.h"
#include "engine/plan/sonde-execution.h"
#include "tests/bench/resnet-net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5

static SondeExecution *
start (SondeMemoryMode memory, int threads, guint side)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = resnet_net_new (1, side);
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", threads, &error);
  const SondePlanOptions options = { .memory = memory, .no_fusion = memory == SONDE_MEMORY_KEEP };
  g_autoptr (SondePlan) plan
      = graph != NULL ? sonde_plan_new (graph, device, &options, &error) : NULL;
  SondeExecution *execution = plan != NULL ? sonde_execution_new (plan, &error) : NULL;
  SondeShape shape = sonde_shape_make (4, 1, 3, (int) side, (int) side);
  g_autoptr (SondeTensor) x = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  if (execution == NULL || !sonde_execution_set_input (execution, "x", x, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      exit (1);
    }
  return execution;
}

static double
run_to (SondeExecution *execution, guint step)
{
  gint64 since = sonde_clock_monotonic_ns (NULL);

  sonde_execution_run_to (execution, step, NULL);
  return (double) (sonde_clock_monotonic_ns (NULL) - since);
}

/* From the last position to the first, one at a time. */
static void
walk_back (SondeExecution *execution, const double *forward, /* time to come to each position */
           double *worst, double *total, guint64 *most)
{
  guint n = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));

  run_to (execution, n);
  for (guint k = n; k > 0; k--)
    {
      guint from = sonde_execution_find_checkpoint (execution, k - 1);
      double prefix = forward[k - 1] - forward[from];
      gint64 since = sonde_clock_monotonic_ns (NULL);
      double took;

      sonde_execution_go_back (execution, k - 1, NULL);
      took = (double) (sonde_clock_monotonic_ns (NULL) - since);
      *total += took;
      if (prefix > 0.1 * forward[n]) /* shorter ones are lost in the clock */
        *worst = MAX (*worst, took / prefix);
      *most = MAX (*most, sonde_execution_get_checkpoint_bytes (execution));
    }
}

static void
measure (SondeMemoryMode memory, int threads, guint side)
{
  g_autoptr (SondeExecution) execution = start (memory, threads, side);
  SondePlan *plan = sonde_execution_get_plan (execution);
  guint n = sonde_plan_get_n_steps (plan);
  g_autofree double *forward = g_new0 (double, n + 1);
  double worst = 1e9, total = 1e18;
  SondePlanMemory bytes;
  guint64 most = 0;

  for (guint k = 0; k <= n; k++)
    forward[k] = 1e18;
  for (int round = 0; round < ROUNDS; round++)
    {
      double sum = 0, one = 0, all = 0;

      sonde_execution_abandon (execution);
      for (guint k = 0; k <= n; k++)
        {
          sum += run_to (execution, k);
          forward[k] = MIN (forward[k], sum);
        }
      sonde_execution_abandon (execution);
      walk_back (execution, forward, &one, &all, &most);
      worst = MIN (worst, one);
      total = MIN (total, all);
    }
  sonde_plan_get_memory (plan, &bytes);
  printf ("%-5s %4u steps, forward %6.1f ms; %u single steps back %8.2f ms, %.3f ms each",
          memory == SONDE_MEMORY_KEEP ? "keep" : "plan", n, forward[n] / 1e6, n, total / 1e6,
          total / 1e6 / n);
  if (memory == SONDE_MEMORY_PLAN)
    printf ("; the worst %.2f of the prefix since its checkpoint", worst);
  printf ("; checkpoints %.1f MB, %.1f %% of %.0f MB\n", (double) most / 1e6,
          100.0 * (double) most / (double) bytes.bytes, (double) bytes.bytes / 1e6);
}

int
main (int argc, char **argv)
{
  int threads = 1;
  guint side = 224;

  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp (argv[i], "--threads") == 0)
      threads = atoi (argv[i + 1]);
    else if (strcmp (argv[i], "--side") == 0)
      side = (guint) atoi (argv[i + 1]);
  measure (SONDE_MEMORY_KEEP, threads, side);
  measure (SONDE_MEMORY_PLAN, threads, side);
  return 0;
}
