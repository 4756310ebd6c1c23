/* SPDX-License-Identifier: Apache-2.0
 * What a front end that shows a session knows of it: starts or attaches it, keeps its graph, steps,
 * listing, position and breakpoints up to date, and what is looked at. Nothing here blocks; no engine
 * internals, no GTK.
 *
 * Signals: "loaded" (): graph, steps, listing and branches are there, or others than before;
 * "changed" (): state, position or breakpoints, while a training runs its step, twice a second; "moved" (): values may have changed; "focus" ():
 * another node is looked at; "value" (char *name): this value is to be looked at; "hits" (): the list
 * of watch hits has changed; "findings" (): a search found something else of the nodes; "progress" (char *text, double fraction): of something that takes long,
 * fraction < 0 where it is not known; "log" (char *node, char *text): a log point was reached;
 * "problem" (char *sentence); "over" (char *reason): the connection is; "idle" (): no request is under
 * way any more. */
#pragma once

#include "engine/frontend/sonde-debug-findings.h"
#include "engine/frontend/sonde-debug-steps.h"
#include "data/graph/sonde-graph.h"
#include "engine/commands/sonde-command-runner.h"
#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_SESSION (sonde_debug_session_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugSession, sonde_debug_session, SONDE, DEBUG_SESSION, GObject)

/* Makes a graph of the bytes that a session sends of it, @name for messages: sonde_model_parse(), which
 * an engine folder does not know. (transfer full) */
typedef SondeGraph *(*SondeGraphParser) (const guint8 *data, gsize length, const char *name,
                                         GError **error);

/* @program: path of `sonde`, run as the engine child */
SondeDebugSession *sonde_debug_session_new (const char *program, SondeGraphParser parse);

/**
 * sonde_debug_session_open:
 * @request: copied
 * @at: (nullable): node to stop before after it is loaded; "": in the middle of the forward; NULL:
 * stay at the start
 *
 * Starts a child and opens the subject in it. Ends what was open. Result: "loaded", or "problem".
 */
void sonde_debug_session_open (SondeDebugSession *session, const SondeOpenRequest *request,
                               const char *at);
/* Attaches to a session that listens: "PID", or "ssh:HOST:PID" on another machine. Result: "loaded",
 * or "problem". */
void sonde_debug_session_attach (SondeDebugSession *session, const char *target);
/* The same, attached already. @client: (transfer full) */
void sonde_debug_session_take (SondeDebugSession *session, SondeSessionClient *client);
/* Ends a child (it writes what must not be lost), detaches from others. */
void sonde_debug_session_close (SondeDebugSession *session);

/* graph, steps and listing are there */
gboolean sonde_debug_session_is_loaded (SondeDebugSession *session);
/* A request is under way, or the run is on its way to a stop that will come. */
gboolean sonde_debug_session_is_busy (SondeDebugSession *session);

/* Its plan; empty until it is loaded. (transfer none) */
SondeDebugSteps *sonde_debug_session_get_steps (SondeDebugSession *session);
/* All (nullable) (transfer none), until the next main loop iteration. */
const SondeSessionStatus *sonde_debug_session_get_status (SondeDebugSession *session);
/* Training steps a second while it runs; NaN: not known, or it stands. */
double sonde_debug_session_get_pace (SondeDebugSession *session);
SondeGraph *sonde_debug_session_get_graph (SondeDebugSession *session); /* executed */
/* SondeBreakpoint */
GPtrArray *sonde_debug_session_get_breakpoints (SondeDebugSession *session);
/* SondeWatch */
GPtrArray *sonde_debug_session_get_watches (SondeDebugSession *session);
/* SondeWatchHit: those of the run, or what a recheck found since the last stop */
GPtrArray *sonde_debug_session_get_hits (SondeDebugSession *session);
/* SondeValueInfo, as loaded */
GPtrArray *sonde_debug_session_get_values (SondeDebugSession *session);
/* SondeBranch, as loaded */
GPtrArray *sonde_debug_session_get_branches (SondeDebugSession *session);
/* What its searches found, in the dialogs and the console. */
const SondeDebugFindings *sonde_debug_session_get_findings (SondeDebugSession *session);
void sonde_debug_session_take_divergence (SondeDebugSession *session,
                                          const SondeDivergence *divergence);
void sonde_debug_session_take_precision (SondeDebugSession *session,
                                         const SondePrecisionFound *found);
/* Another number whenever the lists of breakpoints and watches are others. */
guint sonde_debug_session_get_breakpoints_serial (SondeDebugSession *session);
const char *sonde_debug_session_get_listing (SondeDebugSession *session);
/* Why and what helps, while the engine does not answer; NULL: it does. */
const char *sonde_debug_session_get_silence (SondeDebugSession *session);
SondeSessionClient *sonde_debug_session_get_client (SondeDebugSession *session);
/* (nullable) */
SondeCommandRunner *sonde_debug_session_get_console (SondeDebugSession *session);

/* ---- position -------------------------------------------------------------- */

/* READY, PAUSED or ENDED: there is a position, and values can be read. */
gboolean sonde_debug_session_has_position (SondeDebugSession *session);
/* PAUSED or READY, and this window is in control. */
gboolean sonde_debug_session_can_go (SondeDebugSession *session);
/* Statistics or elements of a value, with its slice, or of an expression, whichever @text is. */
SondeSessionRequest *sonde_debug_session_statistics_request (SondeDebugSession *session,
                                                             const char *text);
SondeSessionRequest *sonde_debug_session_tensor_request (SondeDebugSession *session,
                                                         const char *text);

/* The node of a body in which the run stands; NULL: it stands in no body. */
SondeNode *sonde_debug_session_get_inner_node (SondeDebugSession *session);

/* ---- what is looked at --------------------------------------------------- */

/* The step that is looked at; SONDE_DEBUG_NO_STEP: where the run stands. A stop goes back to
 * that. */
guint sonde_debug_session_get_focus (SondeDebugSession *session);
void sonde_debug_session_set_focus (SondeDebugSession *session, guint position);
/* By the name of a node or value. FALSE when no step has it. */
gboolean sonde_debug_session_focus_name (SondeDebugSession *session, const char *name);
void sonde_debug_session_show_value (SondeDebugSession *session, const char *name);
/* Values may have changed without a step: "moved". */
void sonde_debug_session_touch (SondeDebugSession *session);
/* A sentence for the user: "problem". */
void sonde_debug_session_report (SondeDebugSession *session, const char *sentence);

/* ---- asking -------------------------------------------------------------- */

/* As sonde_session_client_send(), counted by is_busy(); without a session nothing comes. FALSE
 * then. */
gboolean sonde_debug_session_send (SondeDebugSession *session, SondeSessionRequest *request,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer data);
/* Something that belongs to what was asked is still to be shown: is_busy() until the release. */
void sonde_debug_session_hold (SondeDebugSession *session);
void sonde_debug_session_release (SondeDebugSession *session);

/* Commands; failures come as "problem". */
void sonde_debug_session_resume (SondeDebugSession *session, SondeResumeKind kind,
                                 const char *target);
/* Backwards; see SondeBack. */
void sonde_debug_session_go_back (SondeDebugSession *session, const SondeBack *back);
/* To before the first node of the training step; its batch is written beside the run. */
void sonde_debug_session_rewind (SondeDebugSession *session);
void sonde_debug_session_pause (SondeDebugSession *session);
void sonde_debug_session_restart (SondeDebugSession *session);
/* Removes the breakpoints of exactly that pattern, or adds one before it. */
void sonde_debug_session_toggle_breakpoint (SondeDebugSession *session, const char *pattern);
/* 0: all */
void sonde_debug_session_remove_breakpoint (SondeDebugSession *session, guint id);
void sonde_debug_session_enable_breakpoint (SondeDebugSession *session, guint id, gboolean enabled);
/* Asks for breakpoints and watches. */
void sonde_debug_session_refresh_breakpoints (SondeDebugSession *session);
/* Checks the current values with all watches; "hits" tells what was found. */
void sonde_debug_session_recheck (SondeDebugSession *session);
/* Output 0 of @node becomes its input 0, in another branch. */
void sonde_debug_session_bypass (SondeDebugSession *session, const char *node);
/* MAKE or SWITCH. @name: (nullable): as of sonde_session_request_branch() */
void sonde_debug_session_branch (SondeDebugSession *session, SondeBranchRequest what,
                                 const char *name);
/* Remarks that came with a change of a value or node: a warning, a note. */
void sonde_debug_session_report_edits (SondeDebugSession *session, SondeSessionReply *reply);

G_END_DECLS
