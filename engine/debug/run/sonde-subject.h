/* SPDX-License-Identifier: Apache-2.0
 * What is debugged: the executions of a target, the graph as the user wrote it, and the number of
 * the run and step that it is in. Knows no breakpoint and no stop. */
#pragma once

#include "engine/debug/run/sonde-debugger-target.h"
#include "engine/types/sonde-stop.h"

G_BEGIN_DECLS

/**
 * SondeSubject: embedded in the debugger; zero-initialised
 * @original: (nullable): owned
 * @target: (nullable): static; @current: (nullable): the outermost execution that ran last
 * @step: number of the training step, see sonde_debugger_set_step_source()
 * @began: some run began
 * @history: (nullable): static
 * @run: number of the run that began last
 */
typedef struct
{
  SondeGraph *original;
  const SondeDebuggerTarget *target;
  gpointer target_data;
  SondeExecution *current;
  SondeDebuggerStepSource step_source;
  gpointer step_data;
  guint64 step;
  gboolean began;
  const SondeDebuggerHistory *history;
  gpointer history_data;
  guint64 run;
} SondeSubject;

/* The outermost execution that runs or ran last; the innermost. (transfer none) (nullable) */
SondeExecution *sonde_subject_get_execution (const SondeSubject *subject);
SondeExecution *sonde_subject_get_innermost (const SondeSubject *subject);

/* @original: (nullable) */
void sonde_subject_set_original (SondeSubject *subject, SondeGraph *original);
/* The graph as the user wrote it that @execution runs. (nullable) */
SondeGraph *sonde_subject_original_of (const SondeSubject *subject, SondeExecution *execution);

/* The next step of @execution: 0 before the first run. */
guint sonde_subject_position_of (const SondeSubject *subject, SondeExecution *execution);

/* Observers are asked again what they want. */
void sonde_subject_refresh (const SondeSubject *subject);

/* A run of @execution begins: takes its number and step. */
void sonde_subject_begin_run (SondeSubject *subject, SondeExecution *execution);
/* Number of the step that it is in, or that comes first. */
guint64 sonde_subject_get_step (const SondeSubject *subject);

/* All steps of the target are there to be looked at. */
gboolean sonde_subject_reads_steps (const SondeSubject *subject);
/* The run whose values are there can be gone back into. */
gboolean sonde_subject_is_in_run (const SondeSubject *subject);
/* The run is done and stays: what stops after its last node has stopped before. */
gboolean sonde_subject_is_at_end (const SondeSubject *subject);

G_END_DECLS
