/* SPDX-License-Identifier: Apache-2.0
 * Going back: to positions of the present run, and to earlier runs (steps of a training), whose
 * states somebody keeps. Nothing is undone: the nearest state that was kept is brought back and
 * runs forward again, with the same batches and the same random numbers, so that every value has
 * the bits it had. */
#pragma once

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

G_END_DECLS
