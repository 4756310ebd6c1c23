/* SPDX-License-Identifier: Apache-2.0
 * The debugger: an observer that may say pause. Holds breakpoints, knows how to step, and says why
 * and where a run stopped. What does not live here: sockets and clients (engine/session), commands
 * (engine/commands). Watchpoints, replay and divergence are further files beside it.
 *
 * Threads: everything here is called on the thread that runs the graph, between two steps; nothing
 * is locked (but sonde_debugger_interrupt()). Whoever else wants something interrupts the run
 * first.
 *
 * Positions: a position lies between two steps. Position k of a run is "before step k" and "after
 * step k - 1"; the two are the same place, and a run stops there once. A position inside a body of
 * If, Loop or Scan is one of the body's own execution; the frames say where that stands. */
#pragma once

#include "engine/debug/run/sonde-debugger-target.h"
#include "engine/live/sonde-breakpoint-table.h"
#include "engine/types/sonde-stop.h"

G_BEGIN_DECLS

typedef struct _SondeDebugger SondeDebugger;

/* @original: (nullable): the graph as the user wrote it, for names that the executed graph lost */
SondeDebugger *sonde_debugger_new (SondeGraph *original);
void sonde_debugger_free (SondeDebugger *debugger); /* detaches */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDebugger, sonde_debugger_free)

/**
 * sonde_debugger_attach:
 * @target: static; @data: passed to its functions; lives as long as the debugger is attached
 *
 * With no breakpoint and no stepping the debugger wants no step: the run is as fast as without it.
 */
void sonde_debugger_attach (SondeDebugger *debugger, const SondeDebuggerTarget *target,
                            gpointer data);
void sonde_debugger_attach_execution (SondeDebugger *debugger, SondeExecution *execution);
void sonde_debugger_detach (SondeDebugger *debugger);

/**
 * sonde_debugger_moved:
 * @execution: runs from here on instead of the present one; its observers have been moved to it
 * @original: (nullable): as with sonde_debugger_new()
 *
 * What is debugged goes on in another execution, wherever that stands; there it stops. Breakpoints
 * stay.
 */
void sonde_debugger_moved (SondeDebugger *debugger, SondeExecution *execution,
                           SondeGraph *original);

/* The same without another position: reverse execution restored the model that the runs had then. */
void sonde_debugger_set_original (SondeDebugger *debugger, SondeGraph *original);

/* The outermost execution that runs or ran last. (transfer none) (nullable) */
SondeExecution *sonde_debugger_get_execution (SondeDebugger *debugger);

/* Any thread: a run that is about to begin pauses at its first position, once. Beside
 * sonde_execution_interrupt(), which does not reach a run of another execution. */
void sonde_debugger_interrupt (SondeDebugger *debugger);

/* The graph as the user wrote it. (transfer none) (nullable) */
SondeGraph *sonde_debugger_get_original (SondeDebugger *debugger);

/* @source: (nullable): without one, runs are counted from 1 */
void sonde_debugger_set_step_source (SondeDebugger *debugger, SondeDebuggerStepSource source,
                                     gpointer data);

/* ---- breakpoints --------------------------------------------------------- */

/**
 * sonde_debugger_add_breakpoint:
 * Needs an attached execution. Errors: NOT_FOUND with the nearest name, when @spec matches no node;
 * MEMORY when there are too many. Returns: (transfer none)
 */
const SondeBreakpoint *sonde_debugger_add_breakpoint (SondeDebugger *debugger,
                                                      const SondeBreakpointSpec *spec,
                                                      GError **error);

/* In order of ids. (element-type SondeBreakpoint) (transfer none) */
GPtrArray *sonde_debugger_get_breakpoints (SondeDebugger *debugger);

/* The three below: @id 0 means all; watches (sonde-watch.h) have ids of the same numbers. Errors:
 * NOT_FOUND naming the id. */
gboolean sonde_debugger_remove_breakpoint (SondeDebugger *debugger, guint id, GError **error);
gboolean sonde_debugger_enable_breakpoint (SondeDebugger *debugger, guint id, gboolean enabled,
                                           GError **error);
/* The next @count hits of it do not stop. */
gboolean sonde_debugger_ignore_breakpoint (SondeDebugger *debugger, guint id, guint64 count,
                                           GError **error);

/* @callback: (nullable): called inside the run */
void sonde_debugger_set_log_callback (SondeDebugger *debugger, SondeBreakpointLog callback,
                                      gpointer data);

/* ---- frames -------------------------------------------------------------- */

/* From the innermost (0) outwards; empty when nothing is open. (element-type SondeFrame) (transfer
 * full) */
GPtrArray *sonde_debugger_get_frames (SondeDebugger *debugger);

/* What runs at that level; of a fused step: what has the step. (transfer none) (nullable): NULL:
 * there are not that many */
SondeExecution *sonde_debugger_get_frame_execution (SondeDebugger *debugger, guint level);

/* The frame that names are looked up in first, 0 after every stop. Errors: NOT_FOUND. */
guint sonde_debugger_get_selected (SondeDebugger *debugger);
gboolean sonde_debugger_select_frame (SondeDebugger *debugger, guint level, GError **error);
/* The execution of that frame. (transfer none) (nullable) */
SondeExecution *sonde_debugger_get_selected_execution (SondeDebugger *debugger);
/* The execution of the innermost frame: where the run stands. (transfer none) (nullable) */
SondeExecution *sonde_debugger_get_innermost (SondeDebugger *debugger);

/* ---- going on ------------------------------------------------------------ */

/**
 * sonde_debugger_resume:
 * Says how the next sonde_execution_run() (or sonde_trainer_run()) is to go; it is the caller who
 * calls that, and again after a pause that was no stop (sonde_debugger_has_stopped()). Going into a
 * function or a fused step, and from node to node of that, runs nothing: then it has stopped when
 * this returns.
 * Errors: NOT_FOUND for an UNTIL that names nothing, INVALID for one that is no number or phase;
 * STATE for an OUT where there is nothing to leave.
 */
gboolean sonde_debugger_resume (SondeDebugger *debugger, const SondeResume *resume, GError **error);

/* After a run returned PAUSED: TRUE when the debugger stopped it; FALSE when it was interrupted,
 * and a further run goes on with what sonde_debugger_resume() said. */
gboolean sonde_debugger_has_stopped (SondeDebugger *debugger);

/* Makes a stop of reason PAUSE out of an interruption, at the present position. */
void sonde_debugger_stop_here (SondeDebugger *debugger);

/* The run is over or was given up: steps and untils are forgotten, breakpoints stay. */
void sonde_debugger_run_is_over (SondeDebugger *debugger);
/* The same after a failure: the debugger stands where it failed (SONDE_STOP_ERROR), if a step
 * did. */
void sonde_debugger_run_failed (SondeDebugger *debugger);
/* The same, and the next run is the first again: it stands before the first step. */
void sonde_debugger_restarted (SondeDebugger *debugger);

/* The present place; @reason is NONE while there is no stop. Everything in it is lent by the plan and
 * the debugger until the run goes on, frames are left out; sonde_stop_copy() keeps it. */
void sonde_debugger_get_stop (SondeDebugger *debugger, SondeStop *stop);

/* ---- values -------------------------------------------------------------- */

/**
 * sonde_debugger_find_value:
 * @text: "VALUE" or "VALUE[slice]"; VALUE is a value's name (which may hold brackets itself), or
 *   the name of a node, meaning its first output. Looked up in the selected frame, then outwards,
 *   then in bodies that have run, which hold their last iteration; "NODE/BODY/VALUE" says in which
 * @execution: (out): by which the value is read
 * @slice: (out) (transfer full) (nullable): what stands in the brackets, for sonde_tensor_slice()
 *
 * Returns: (transfer none): a value of the executed graph.
 * Errors: NOT_FOUND with the nearest name; when the original graph has it and the executed one has
 * not, the message says that it was optimised away.
 */
SondeGraphValue *sonde_debugger_find_value (SondeDebugger *debugger, const char *text,
                                            SondeExecution **execution, char **slice,
                                            GError **error);

/**
 * sonde_debugger_add_probe:
 * @value: of the executed graph
 * @callback: called once, when the step that makes @value has run next, inside the run (which does
 *   not pause), with the execution; or with NULL when the run is over or the probe is removed
 *   before that
 *
 * Errors: STATE when no step makes it.
 */
typedef void (*SondeProbeCallback) (SondeExecution *execution, SondeGraphValue *value,
                                    gpointer data);
gboolean sonde_debugger_add_probe (SondeDebugger *debugger, SondeGraphValue *value,
                                   SondeProbeCallback callback, gpointer data, GError **error);
void sonde_debugger_remove_probes (SondeDebugger *debugger,
                                   gpointer data); /* those with this @data */

G_END_DECLS
