/* SPDX-License-Identifier: Apache-2.0
 * Going back: to positions of the present run, and to earlier runs (steps of a training), whose
 * states somebody keeps. Nothing is undone: the nearest state that was kept is brought back and
 * runs forward again, with the same batches and the same random numbers, so that every value has
 * the bits it had. */
#pragma once

#include "engine/debug/sonde-debugger.h"

G_BEGIN_DECLS

/**
 * SondeDebuggerHistory: states of the target that were kept; every entry required but @get_first
 * and @restore with
 * @in_place alone. Runs of the target are numbered without gaps: one of an inference is 0, the
 * batches of a training count from 0. The debugger's thread.
 * @in_place: a run that is done can be gone back into (sonde_execution_go_back()) until the next
 * begins
 * @get_run: the run that has begun and is not done, else the one that comes next
 * @find_run: the first run of step @step (from 1)
 * @get_first: the earliest run that @restore can come to; FALSE: there is none
 * @restore: brings back the latest state that was kept at or before the beginning of run @run,
 * gives up what is under way.
 *   @restored: its run, the next one to begin. What runs again up to where the target was is not
 *   recorded a second time.
 * @run: as the target runs
 * @read_before: (optional): the value @name of the step before step @step, for a target whose steps
 *   are all there to be looked at. Returns: (transfer full); STATE: there is no step before. With
 *   it nothing is kept for prev()
 * @look_at: (required with @read_before): step @step to be looked at, wherever the target stands;
 * lent until the next call
 */
typedef struct
{
  gboolean in_place;
  guint64 (*get_run) (gpointer data);
  guint64 (*find_run) (gpointer data, guint64 step);
  gboolean (*get_first) (gpointer data, guint64 *run);
  gboolean (*restore) (gpointer data, guint64 run, guint64 *restored, GError **error);
  SondeRunResult (*run) (gpointer data, GError **error);
  SondeTensor *(*read_before) (gpointer data, guint64 step, const char *name, GError **error);
  SondeExecution *(*look_at) (gpointer data, guint64 step, GError **error);
} SondeDebuggerHistory;

/* @history: (nullable): static; without one, only the present run can be gone back in. */
void sonde_debugger_set_history (SondeDebugger *debugger, const SondeDebuggerHistory *history,
                                 gpointer data);

/**
 * sonde_debugger_go_back:
 * Says that the next sonde_debugger_run_back() is to go back; while nothing runs.
 * Errors: NOT_FOUND for a node that is not there; STATE for one that lies ahead (until goes there)
 * and for a step of which nothing was kept; STATE when nothing is open.
 */
gboolean sonde_debugger_go_back (SondeDebugger *debugger, const SondeBack *back, GError **error);
/* TRUE from there until it has arrived. */
gboolean sonde_debugger_is_going_back (SondeDebugger *debugger);
/* Goes there. PAUSED: it has, or it was interrupted (sonde_debugger_has_stopped() is FALSE): call
 * again. FAILED: with @error. */
SondeRunResult sonde_debugger_run_back (SondeDebugger *debugger, GError **error);

G_END_DECLS
