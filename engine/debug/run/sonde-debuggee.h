/* SPDX-License-Identifier: Apache-2.0
 * What is debugged: the executions of a target, the graph as the user wrote it, and the number of
 * the run and step that it is in. Knows no breakpoint and no stop. */
#pragma once

#include "engine/debug/run/sonde-debugger-target.h"
#include "engine/types/sonde-stop.h"

G_BEGIN_DECLS

/**
 * SondeDebuggee: embedded in the debugger; zero-initialised
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
} SondeDebuggee;

/* The outermost execution that runs or ran last; the innermost. (transfer none) (nullable) */
SondeExecution *sonde_debuggee_get_execution (const SondeDebuggee *debuggee);
SondeExecution *sonde_debuggee_get_innermost (const SondeDebuggee *debuggee);

/* @original: (nullable) */
void sonde_debuggee_set_original (SondeDebuggee *debuggee, SondeGraph *original);
/* The graph as the user wrote it that @execution runs. (nullable) */
SondeGraph *sonde_debuggee_original_of (const SondeDebuggee *debuggee, SondeExecution *execution);

/* The next step of @execution: 0 before the first run. */
guint sonde_debuggee_position_of (const SondeDebuggee *debuggee, SondeExecution *execution);

/* Observers are asked again what they want. */
void sonde_debuggee_refresh (const SondeDebuggee *debuggee);

/* A run of @execution begins: takes its number and step. */
void sonde_debuggee_begin_run (SondeDebuggee *debuggee, SondeExecution *execution);
/* Number of the step that it is in, or that comes first. */
guint64 sonde_debuggee_get_step (const SondeDebuggee *debuggee);

/* All steps of the target are there to be looked at. */
gboolean sonde_debuggee_reads_steps (const SondeDebuggee *debuggee);
/* The run whose values are there can be gone back into. */
gboolean sonde_debuggee_is_in_run (const SondeDebuggee *debuggee);
/* The run is done and stays: what stops after its last node has stopped before. */
gboolean sonde_debuggee_is_at_end (const SondeDebuggee *debuggee);

G_END_DECLS
