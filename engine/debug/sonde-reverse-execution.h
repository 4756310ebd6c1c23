/* SPDX-License-Identifier: Apache-2.0
 * Going back: to positions of the present run, and to earlier runs (steps of a training), whose
 * states somebody keeps. Nothing is undone: the nearest state that was kept is brought back and
 * runs forward again, with the same batches and the same random numbers, so that every value has
 * the bits it had. */
#pragma once

#include "engine/debug/run/sonde-run-position.h"
#include "engine/debug/sonde-debugger.h"

G_BEGIN_DECLS

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

/* ---- for searches that look at earlier steps ----------------------------- */

/* Where it stands; the end of run @run, FALSE: not known; the first run that can be gone to. */
void sonde_debugger_get_run_position (SondeDebugger *debugger, SondeRunPosition *at);
gboolean sonde_debugger_get_run_end (SondeDebugger *debugger, guint64 run, SondeRunPosition *at);
guint64 sonde_debugger_get_first_run (SondeDebugger *debugger);
/* The last run that ever began. */
guint64 sonde_debugger_get_last_run (SondeDebugger *debugger);
/* Earlier steps can be run again from here, and it can come back to here. */
gboolean sonde_debugger_can_travel (SondeDebugger *debugger);
/* All runs are done, and nothing stopped the last. */
gboolean sonde_debugger_is_over (SondeDebugger *debugger);
/* Goes to @at, which has been, forward or back, and stops there with @reason; nothing is
 * counted. */
gboolean sonde_debugger_travel_to (SondeDebugger *debugger, const SondeRunPosition *at,
                                   SondeStopReason reason, GError **error);
/* The same to where all runs are done, which has been. */
gboolean sonde_debugger_travel_to_end (SondeDebugger *debugger, GError **error);

/**
 * SondeReturnPoint: where the run stands now, to be returned to; filled by sonde_return_point_init(),
 * emptied by sonde_return_point_clear()
 */
typedef struct
{
  SondeRunPosition at;
  gboolean is_over;
  SondeStop stop;
  char *node, *op, *scope;
  GArray *hits;
  GPtrArray *stops; /* (nullable): of watches */
} SondeReturnPoint;

void sonde_return_point_init (SondeReturnPoint *point, SondeDebugger *debugger);
void sonde_return_point_clear (SondeReturnPoint *point);
/* Back to there, with the same stop. */
gboolean sonde_return_point_go (SondeReturnPoint *point, SondeDebugger *debugger, GError **error);

G_END_DECLS
