/* SPDX-License-Identifier: Apache-2.0
 * What the Debugger page knows of a session: starts or attaches it, keeps its graph, steps, listing, position and
 * breakpoints up to date. Nothing here blocks; no engine internals. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "engine/session/sonde-session-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_CONTROLLER (sonde_debug_controller_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugController, sonde_debug_controller, SONDE, DEBUG_CONTROLLER, GObject)

/* @program: path of `sonde`, run as the engine child */
SondeDebugController *sonde_debug_controller_new (const char *program);

/**
 * sonde_debug_controller_open:
 * @request: copied
 * @at: (nullable): node to stop before after it is loaded; "" means the middle of the plan; NULL: stay at the start
 *
 * Starts a child and opens the subject in it. Ends what was open. Result: "loaded", or "problem".
 */
void sonde_debug_controller_open (SondeDebugController   *controller,
                                  const SondeOpenRequest *request,
                                  const char             *at);
/* Attaches to a session that listens. Result: "loaded", or "problem". */
void sonde_debug_controller_attach (SondeDebugController *controller,
                                    int                   pid);
/* Ends a child (it writes what must not be lost), detaches from others. */
void sonde_debug_controller_close (SondeDebugController *controller);

gboolean sonde_debug_controller_is_loaded (SondeDebugController *controller); /* graph, steps and listing are there */
/* A request is under way, or the run is on its way to a stop that will come. */
gboolean sonde_debug_controller_is_busy (SondeDebugController *controller);

/* All (nullable) (transfer none), until the next main loop iteration. */
const SondeSessionStatus *sonde_debug_controller_get_status (SondeDebugController *controller);
SondeGraph *sonde_debug_controller_get_graph (SondeDebugController *controller);       /* executed */
GPtrArray *sonde_debug_controller_get_steps (SondeDebugController *controller);       /* SondeStepInfo */
GPtrArray *sonde_debug_controller_get_breakpoints (SondeDebugController *controller); /* SondeBreakpointInfo */
/* Another number whenever the list is another one. */
guint sonde_debug_controller_get_breakpoints_serial (SondeDebugController *controller);
const char *sonde_debug_controller_get_listing (SondeDebugController *controller);
/* Line of the step at @position in the listing, from 1; 0: none. */
guint sonde_debug_controller_get_line (SondeDebugController *controller, guint position);
SondeSessionClient *sonde_debug_controller_get_client (SondeDebugController *controller);

/* Commands; failures come as "problem". */
void sonde_debug_controller_resume (SondeDebugController *controller, SondeResumeKind kind, const char *target);
void sonde_debug_controller_pause (SondeDebugController *controller);
void sonde_debug_controller_restart (SondeDebugController *controller);
/* Removes the breakpoints of exactly that pattern, or adds one before it. */
void sonde_debug_controller_toggle_breakpoint (SondeDebugController *controller, const char *pattern);

/* Signals: "loaded" (): graph, steps and listing are there; "changed" (): state, position or breakpoints;
 * "problem" (char *sentence); "over" (char *reason): the connection is. */

G_END_DECLS
