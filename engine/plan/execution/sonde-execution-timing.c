/* SPDX-License-Identifier: Apache-2.0
 * The time of every step, which the loop over the steps adds up itself. */
#include "engine/plan/execution/sonde-execution-state.h"

void
sonde_execution_set_timing (SondeExecution *execution, gboolean timing)
{
  g_clear_pointer (&execution->step_ticks, g_free);
  g_clear_pointer (&execution->last_ticks, g_free);
  if (!timing)
    return;

  execution->step_ticks = g_new0 (guint64, execution->plan->steps->len + 1);
  execution->last_ticks = g_new0 (guint64, execution->plan->steps->len + 1);
  sonde_ticks_init (&execution->ticks);
}

double
sonde_execution_get_step_ns (const SondeExecution *execution, guint step)
{
  if (execution->step_ticks == NULL || step >= execution->plan->steps->len)
    return 0;

  return (double) execution->step_ticks[step] * sonde_ticks_get_ns (&execution->ticks);
}

double
sonde_execution_get_last_step_ns (const SondeExecution *execution, guint step)
{
  if (execution->last_ticks == NULL || step >= execution->plan->steps->len)
    return 0;

  return (double) execution->last_ticks[step] * sonde_ticks_get_ns (&execution->ticks);
}
