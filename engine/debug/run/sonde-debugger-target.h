/* SPDX-License-Identifier: Apache-2.0
 * What a debugger asks of what it debugs: its executions, the number of its step, and the states of
 * it that were kept. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/**
 * SondeDebuggerTarget: what is debugged: an execution, or a trainer with its several executions
 * @get_execution: the one that runs, or ran last
 * @add_observer, @remove_observer, @refresh_observers: as those of sonde_execution_*(), for all of
 *   its executions, also those that come later
 */
typedef struct
{
  SondeExecution *(*get_execution) (gpointer data);
  void (*add_observer) (gpointer data, SondeObserver *observer);
  void (*remove_observer) (gpointer data, SondeObserver *observer);
  void (*refresh_observers) (gpointer data);
} SondeDebuggerTarget;

/* Number of the step that begins to run; asked once a run, on the run's thread. */
typedef guint64 (*SondeDebuggerStepSource) (gpointer data);

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

G_END_DECLS
