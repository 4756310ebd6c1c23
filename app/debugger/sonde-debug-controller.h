/* SPDX-License-Identifier: Apache-2.0
 * What the Debugger page knows of a session: starts or attaches it, keeps its graph, steps,
 * listing, position and breakpoints up to date, and what the panels look at together. Nothing here
 * blocks; no engine internals.
 *
 * Signals: "loaded" (): graph, steps, listing and branches are there, or others than before;
 * "changed" (): state, position or breakpoints; "moved" (): what values say may be another now;
 * "focus" (): another node is looked at; "value" (char *name): this value is to be looked at;
 * "hits" (): the list of watch hits is another; "progress" (char *text, double fraction): of something that takes long, fraction < 0 where it is
 * not known; "log" (char *node, char *text): a log point spoke; "problem" (char *sentence); "over"
 * (char *reason): the connection is; "idle" (): nothing that was asked is under way any more. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "engine/commands/sonde-command-runner.h"
#include "engine/session/sonde-session-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_CONTROLLER (sonde_debug_controller_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugController, sonde_debug_controller, SONDE, DEBUG_CONTROLLER,
                      GObject)

#define SONDE_DEBUG_NO_STEP G_MAXUINT

/* @program: path of `sonde`, run as the engine child */
SondeDebugController *sonde_debug_controller_new (const char *program);

/**
 * sonde_debug_controller_open:
 * @request: copied
 * @at: (nullable): node to stop before after it is loaded; "" means the middle of the plan; NULL:
 * stay at the start
 *
 * Starts a child and opens the subject in it. Ends what was open. Result: "loaded", or "problem".
 */
void sonde_debug_controller_open (SondeDebugController *controller, const SondeOpenRequest *request,
                                  const char *at);
/* Attaches to a session that listens. Result: "loaded", or "problem". */
void sonde_debug_controller_attach (SondeDebugController *controller, int pid);
/* Ends a child (it writes what must not be lost), detaches from others. */
void sonde_debug_controller_close (SondeDebugController *controller);

/* graph, steps and listing are there */
gboolean sonde_debug_controller_is_loaded (SondeDebugController *controller);
/* A request is under way, or the run is on its way to a stop that will come. */
gboolean sonde_debug_controller_is_busy (SondeDebugController *controller);

/* All (nullable) (transfer none), until the next main loop iteration. */
const SondeSessionStatus *sonde_debug_controller_get_status (SondeDebugController *controller);
SondeGraph *sonde_debug_controller_get_graph (SondeDebugController *controller); /* executed */
/* SondeStepInfo */
GPtrArray *sonde_debug_controller_get_steps (SondeDebugController *controller);
/* SondeBreakpoint */
GPtrArray *sonde_debug_controller_get_breakpoints (SondeDebugController *controller);
/* SondeWatch */
GPtrArray *sonde_debug_controller_get_watches (SondeDebugController *controller);
/* SondeWatchHit: those of the run, or what a recheck found since the last stop */
GPtrArray *sonde_debug_controller_get_hits (SondeDebugController *controller);
/* SondeValueInfo, as loaded */
GPtrArray *sonde_debug_controller_get_values (SondeDebugController *controller);
/* SondeBranch, as loaded */
GPtrArray *sonde_debug_controller_get_branches (SondeDebugController *controller);
/* Another number whenever the lists of breakpoints and watches are others. */
guint sonde_debug_controller_get_breakpoints_serial (SondeDebugController *controller);
const char *sonde_debug_controller_get_listing (SondeDebugController *controller);
/* Why and what helps, while the engine does not answer; NULL: it does. */
const char *sonde_debug_controller_get_silence (SondeDebugController *controller);
SondeSessionClient *sonde_debug_controller_get_client (SondeDebugController *controller);
/* (nullable) */
SondeCommandRunner *sonde_debug_controller_get_console (SondeDebugController *controller);

/* ---- steps --------------------------------------------------------------- */

/* READY, PAUSED or ENDED: there is a position, and values can be read. */
gboolean sonde_debug_controller_has_position (SondeDebugController *controller);
/* PAUSED or READY, and this window is in control. */
gboolean sonde_debug_controller_can_go (SondeDebugController *controller);
/* (nullable) */
const SondeStepInfo *sonde_debug_controller_get_step (SondeDebugController *controller,
                                                      guint position);
/* The name by which the user knows a step: its first node. (nullable) */
const char *sonde_debug_controller_get_step_name (SondeDebugController *controller, guint position);
/* Line of the step at @position in the listing, from 1; 0: none. */
guint sonde_debug_controller_get_line (SondeDebugController *controller, guint position);
/* Step on a line, of a node, of the node that makes a value; SONDE_DEBUG_NO_STEP */
guint sonde_debug_controller_find_line (SondeDebugController *controller, guint line);
guint sonde_debug_controller_find_node (SondeDebugController *controller, const char *name);
guint sonde_debug_controller_find_producer (SondeDebugController *controller, const char *value);

/* Whether a breakpoint's pattern means it; patterns that are no name are matched as globs over
 * names and op types. */
gboolean sonde_debug_step_is_meant (const SondeStepInfo *step, const char *pattern);

/* Statistics or elements of a value, with its slice, or of an expression, whichever @text is. */
SondeSessionRequest *sonde_debug_controller_statistics_request (SondeDebugController *controller,
                                                                const char *text);
SondeSessionRequest *sonde_debug_controller_tensor_request (SondeDebugController *controller,
                                                            const char *text);

/* The node of a body in which the run stands; NULL: it stands in no body. */
SondeNode *sonde_debug_controller_get_inner_node (SondeDebugController *controller);

/* ---- what is looked at --------------------------------------------------- */

/* The step that is looked at; SONDE_DEBUG_NO_STEP: where the run stands. A stop goes back to
 * that. */
guint sonde_debug_controller_get_focus (SondeDebugController *controller);
void sonde_debug_controller_set_focus (SondeDebugController *controller, guint position);
/* By the name of a node or value. FALSE when no step has it. */
gboolean sonde_debug_controller_focus_name (SondeDebugController *controller, const char *name);
void sonde_debug_controller_show_value (SondeDebugController *controller, const char *name);
/* Values may have changed without a step: "moved". */
void sonde_debug_controller_touch (SondeDebugController *controller);
/* A sentence for the user: "problem". */
void sonde_debug_controller_report (SondeDebugController *controller, const char *sentence);

/* ---- asking -------------------------------------------------------------- */

/* As sonde_session_client_send(), counted by is_busy(); without a session nothing comes. FALSE
 * then. */
gboolean sonde_debug_controller_send (SondeDebugController *controller,
                                      SondeSessionRequest *request, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer data);
/* Something that belongs to what was asked is still to be shown: is_busy() until the release. */
void sonde_debug_controller_hold (SondeDebugController *controller);
void sonde_debug_controller_release (SondeDebugController *controller);

/* Commands; failures come as "problem". */
void sonde_debug_controller_resume (SondeDebugController *controller, SondeResumeKind kind,
                                    const char *target);
/* Backwards; see SondeBack. */
void sonde_debug_controller_go_back (SondeDebugController *controller, const SondeBack *back);
/* To before the first node of the training step; its batch is written beside the run. */
void sonde_debug_controller_rewind (SondeDebugController *controller);
void sonde_debug_controller_pause (SondeDebugController *controller);
void sonde_debug_controller_restart (SondeDebugController *controller);
/* Removes the breakpoints of exactly that pattern, or adds one before it. */
void sonde_debug_controller_toggle_breakpoint (SondeDebugController *controller,
                                               const char *pattern);
/* 0: all */
void sonde_debug_controller_remove_breakpoint (SondeDebugController *controller, guint id);
void sonde_debug_controller_enable_breakpoint (SondeDebugController *controller, guint id,
                                               gboolean enabled);
/* Asks for breakpoints and watches. */
void sonde_debug_controller_refresh_breakpoints (SondeDebugController *controller);
/* Checks the current values with all watches; "hits" tells what was found. */
void sonde_debug_controller_recheck (SondeDebugController *controller);
/* Output 0 of @node becomes its input 0, in another branch. */
void sonde_debug_controller_bypass (SondeDebugController *controller, const char *node);
/* MAKE or SWITCH. @name: (nullable): as of sonde_session_request_branch() */
void sonde_debug_controller_branch (SondeDebugController *controller, SondeBranchRequest what,
                                    const char *name);
/* Remarks that came with a change of a value or node: a warning, a note. */
void sonde_debug_controller_report_edits (SondeDebugController *controller,
                                          SondeSessionReply *reply);

G_END_DECLS
