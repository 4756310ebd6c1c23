/* SPDX-License-Identifier: Apache-2.0
 * Step time of the LeNet training graph (batch 64: forward, gradients, SGD with momentum), in both
 * memory modes, with and without somebody listening; with --steps the time of every step of the
 * plan. bench-execution [--threads N] [--device NAME] [--rounds N] [--steps] */
#include "data/base/sonde-clock.h"
#include "engine/plan/sonde-execution.h"
#include "tests/bench/bench-steps.h"
#include "tests/engine/plan/training-net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARM_UP 20
#define MOST_ROUNDS 10000

static guint
wants_nothing (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return SONDE_WANT_NOTHING;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  return *(const gint64 *) a < *(const gint64 *) b ? -1 : *(const gint64 *) a > *(const gint64 *) b;
}

static gboolean
measure (SondeExecution *execution, int rounds, const char *what)
{
  g_autofree gint64 *times = g_new (gint64, rounds);

  for (int i = -WARM_UP; i < rounds; i++)
    {
      gint64 started = sonde_clock_monotonic_ns (NULL);

      if (sonde_execution_run (execution, NULL) != SONDE_RUN_DONE)
        return FALSE;
      if (i >= 0)
        times[i] = sonde_clock_monotonic_ns (NULL) - started;
    }

  qsort (times, (gsize) rounds, sizeof (gint64), compare_times);
  printf ("%-28s min %.3f ms  median %.3f ms\n", what, times[0] * 1e-6, times[rounds / 2] * 1e-6);
  return TRUE;
}

static void
set_inputs (SondeExecution *execution, const TrainingNet *net)
{
  g_autoptr (SondeTensor) images = training_net_images (net, 1);
  g_autoptr (SondeTensor) labels = training_net_labels (net, 1);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.01f);
  g_autoptr (SondeTensor) step = sonde_tensor_new_i64 (1);

  sonde_execution_set_input (execution, "x", images, NULL);
  sonde_execution_set_input (execution, "labels", labels, NULL);
  sonde_execution_set_input (execution, "rate", rate, NULL);
  sonde_execution_set_input (execution, "step", step, NULL);
}

static gboolean
bench_mode (SondeDevice *device, SondeMemoryMode memory, int rounds, gboolean steps)
{
  const SondePlanOptions options = { .memory = memory };
  SondeObserver idle = { .wants = wants_nothing };
  g_autoptr (TrainingNet) net = training_net_new (64, 28, "sgd");
  g_autoptr (GError) error = NULL;
  gint64 started = sonde_clock_monotonic_ns (NULL);
  g_autoptr (SondePlan) plan = sonde_plan_new (net->graph, device, &options, &error);
  g_autoptr (SondeExecution) execution = plan != NULL ? sonde_execution_new (plan, &error) : NULL;
  const char *mode = memory == SONDE_MEMORY_KEEP ? "keep" : "plan";

  if (execution == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return FALSE;
    }

  printf ("%s: %u steps, planned in %.1f ms, arena %.2f MB, weights %.2f MB\n", mode,
          sonde_plan_get_n_steps (plan), (sonde_clock_monotonic_ns (NULL) - started) * 1e-6,
          sonde_plan_get_arena_bytes (plan) * 1e-6, sonde_plan_get_weight_bytes (plan) * 1e-6);
  set_inputs (execution, net);
  if (!measure (execution, rounds, "  nobody listens"))
    return FALSE;

  sonde_execution_add_observer (execution, &idle);
  if (!measure (execution, rounds, "  an observer wants nothing"))
    return FALSE;

  sonde_execution_remove_observer (execution, &idle);
  if (steps)
    bench_print_steps (execution, rounds);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = NULL;
  g_autofree char *description = NULL;
  const char *name = "cpu";
  gboolean steps = FALSE;
  int threads = 0, rounds = 300;

  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--steps") == 0)
      steps = TRUE;
    else if (strcmp (argv[i], "--threads") == 0 && i + 1 < argc)
      threads = (int) g_ascii_strtoll (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = atoi (argv[++i]);
    else if (strcmp (argv[i], "--device") == 0 && i + 1 < argc)
      name = argv[++i];

  rounds = CLAMP (rounds, 1, MOST_ROUNDS);
  device = sonde_device_open (name, threads, &error);
  if (device == NULL)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }

  description = device->klass->describe (device);
  printf ("%s\n", description);
  return bench_mode (device, SONDE_MEMORY_PLAN, rounds, steps)
                 && bench_mode (device, SONDE_MEMORY_KEEP, rounds, FALSE)
             ? 0
             : 1;
}
