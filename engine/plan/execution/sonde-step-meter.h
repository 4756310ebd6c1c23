/* SPDX-License-Identifier: Apache-2.0
 * When each step of a run began and ended, for whoever wants to know: the times that an execution adds up
 * (sonde_execution_set_timing()) and the spans of a log (sonde_execution_set_spans()). */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/**
 * SondeStepMeter: what measures the steps of a run
 * @ticks: NULL: nobody wants to know
 * @ring: (nullable): where spans go
 * @since: when the present step began, which is when the one before it ended
 */
typedef struct
{
  const SondeTicks *ticks;
  SondeSpanRing *ring;
  guint64 since;
} SondeStepMeter;

void sonde_step_meter_begin (SondeStepMeter *meter, SondeExecution *execution);
/* The step @step has ended. */
static inline void
sonde_step_meter_end (SondeStepMeter *meter, SondeExecution *execution, guint step)
{
  guint64 now = sonde_ticks_now (meter->ticks);

  if (execution->step_ticks != NULL)
    {
      execution->step_ticks[step] += now - meter->since;
      execution->last_ticks[step] = MAX (now - meter->since, 1);
    }
  if (meter->ring != NULL)
    sonde_span_ring_add (meter->ring, (SondeSpan){ meter->since,
                                                   now,
                                                   { (gint64) execution->pass },
                                                   execution->step_labels[step],
                                                   SONDE_SPAN_OP });
  meter->since = now;
}
/* What was done since the last step was no step: observers looked. */
void sonde_step_meter_skip (SondeStepMeter *meter, SondeExecution *execution);

/* A run begins, or has ended; of the outermost execution. Returns: when it began; 0 while nobody wants
 * to know. */
guint64 sonde_execution_begin_span (SondeExecution *execution);
void sonde_execution_end_span (SondeExecution *execution, gboolean done);

/* Runs @kernel; while kernels are recorded, as a span called @name (nullable). */
gboolean sonde_execution_run_recorded (SondeExecution *execution, SondeKernel *kernel,
                                       const char *name, const SondeRunArguments *arguments,
                                       GError **error);

/* What comes before the steps of a run, from @start; of the outermost execution, and as the next one. */
void sonde_execution_add_begin (SondeExecution *execution, guint64 start);
/* Something that is no step of the plan, from @start (sonde_execution_get_moment()) until now. Nothing
 * happens when @start is 0. */
void sonde_execution_add_span (SondeExecution *execution, SondeSpanCategory category,
                               const char *name, guint64 start, gint64 value);
/* Now; 0 while nobody wants to know. */
guint64 sonde_execution_get_moment (const SondeExecution *execution);

void sonde_execution_clear_spans (SondeExecution *execution);

G_END_DECLS
