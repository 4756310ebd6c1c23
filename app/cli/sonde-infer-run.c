/* SPDX-License-Identifier: Apache-2.0
 * Runs that are timed, and that a signal can end. */
#include "app/cli/sonde-infer-run.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-clock.h"

/* ---- signals ------------------------------------------------------------- */

/* The only things a signal handler may touch. */
static _Atomic (SondeExecution *) signalled_execution;
static _Atomic int signal_number;

static void
on_signal (int number)
{
  SondeExecution *execution = signalled_execution;

  signal_number = number;
  if (execution != NULL)
    sonde_execution_interrupt (execution);
}

/* The second time it does what it does to any program: a single step can be long. */
static void
catch_signals (SondeExecution *execution)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int) SA_RESETHAND };

  sigemptyset (&action.sa_mask);
  signalled_execution = execution;
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

static void
release_signals (void)
{
  struct sigaction action = { .sa_handler = SIG_DFL };

  sigemptyset (&action.sa_mask);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  signalled_execution = NULL;
}

/* "“A” (Loop), iteration 7: “B” (Add)" behind @message; of a loop between two iterations the last
 * one. FALSE at the end. */
static gboolean
append_position (SondeMessage *message, SondeExecution *execution)
{
  gboolean any = FALSE;

  while (execution != NULL)
    {
      SondePlan *plan = sonde_execution_get_plan (execution);
      guint position = sonde_execution_get_position (execution);
      const SondeStep *step
          = position < sonde_plan_get_n_steps (plan) ? sonde_plan_get_step (plan, position) : NULL;
      SondeExecution *inner = sonde_execution_get_inner (execution);
      SondeExecution *last = inner;

      if (step == NULL)
        break;
      if (last == NULL && step->n_nodes > 0)
        last = sonde_execution_find_inner (execution, step->nodes[step->n_nodes - 1]);
      sonde_message_append_text (message, any ? " / " : "");
      if (last != NULL && strcmp (step->op, "If") != 0)
        sonde_message_append_format (message, "“%s” (%s), iteration %" PRIi64, step->name, step->op,
                                     sonde_execution_get_iteration (last));
      else
        sonde_message_append_format (message, "“%s” (%s)", step->name, step->op);
      any = TRUE;
      execution = inner;
    }
  return any;
}

static void
say_stopped (SondeExecution *execution, int number, GError **error)
{
  const char *signal = number == SIGINT ? "SIGINT" : "SIGTERM";
  SondeMessage *message
      = sonde_message_new ("No output was written: the run was terminated by %s before ", signal);

  if (!append_position (message, execution))
    {
      sonde_message_free (message);
      message = sonde_message_new ("Terminated by %s. No output was written.", signal);
    }
  sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, message);
}

/* ---- runs ---------------------------------------------------------------- */

static int
compare_ns (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

static gboolean
run_once (SondeExecution *execution, int *stopped_by, GError **error)
{
  SondeRunResult result = sonde_execution_run (execution, error);

  *stopped_by = signal_number;
  if (*stopped_by != 0 && result != SONDE_RUN_FAILED)
    say_stopped (execution, *stopped_by, error);
  return *stopped_by == 0 && result == SONDE_RUN_DONE;
}

gboolean
sonde_infer_run (SondeInference *inference, int repeat, gboolean steps, SondeObserver **observers,
                 SondeInferRuns *runs, GError **error)
{
  SondeExecution *execution = inference->execution;
  int n = MAX (repeat, 1);
  g_autofree gint64 *times = g_new0 (gint64, n);
  gboolean good = TRUE;

  catch_signals (execution);
  for (int i = repeat > 0 ? -1 : 0; i < n && good; i++)
    {
      gint64 start;

      if (i == 0)
        sonde_execution_set_timing (execution, steps);
      start = sonde_clock_monotonic_ns (NULL);
      for (gsize k = 0; i == 0 && observers[k] != NULL; k++)
        sonde_execution_add_observer (execution, observers[k]);
      good = run_once (execution, &runs->signal, error);
      if (i >= 0)
        times[i] = sonde_clock_monotonic_ns (NULL) - start;
    }
  release_signals ();
  qsort (times, (gsize) n, sizeof *times, compare_ns);
  runs->minimum_ms = (double) times[0] / 1e6;
  runs->median_ms
      = n % 2 == 1 ? (double) times[n / 2] / 1e6 : (double) (times[n / 2 - 1] + times[n / 2]) / 2e6;
  return good;
}
