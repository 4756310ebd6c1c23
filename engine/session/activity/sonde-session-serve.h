/* SPDX-License-Identifier: Apache-2.0
 * A session's server that runs the engine's activities on the caller's thread.
 *
 * A client that asks for something while the graph runs interrupts the run between two steps, is
 * answered there, and the run goes on; it stops only where the debugger says so. Nobody connected:
 * nothing is interrupted, nothing is computed. */
#pragma once

#include "engine/session/activity/sonde-activity.h"
#include "engine/session/server/sonde-session-server.h"

G_BEGIN_DECLS

/**
 * sonde_session_server_serve:
 * @activity: (transfer full) (nullable): what to run, as `sonde train` does; NULL: wait for a
 *   client to open something (`sonde engine`)
 * @run_now: start @activity without being asked
 *
 * Runs the session on this thread, which becomes the engine thread. Returns when
 *  - the activity is over and no client is connected, or was started with @run_now and is a
 *  training; or
 *  - a client quit, or was lost and options.client_lost says QUIT; or sonde_session_server_quit().
 * An inference, and a training that a client opened, stay with their values until then. In every
 * case but the first the activity's @finish has been called; before it, after
 * sonde_session_server_quit(), its @complete_step.
 * Errors: of the activity (then FAILED), or of its @finish.
 */
SondeSessionResult sonde_session_server_serve (SondeSessionServer *server, SondeActivity *activity,
                                               gboolean run_now, GError **error);

G_END_DECLS
