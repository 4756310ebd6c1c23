/* SPDX-License-Identifier: Apache-2.0
 * A session's server in a loop that is not ours: the loop's own thread answers clients, between two
 * nodes and while it stands. Needs no plan, pass or device; what only the engine can do is refused.
 *
 *   sonde_session_server_join_loop (server, loop, "toy");
 *   for each node
 *     {
 *       if (sonde_live_loop_pass (loop, node, SONDE_MOMENT_BEFORE))
 *         while (sonde_session_server_stand (server))
 *           look_for_signals ();
 *       compute (node);
 *     }
 *   sonde_session_server_leave_loop (server);
 *
 * Nothing here waits longer than a slice: whoever calls keeps its thread. Threads: the loop's, or
 * several of which the caller lets in one at a time. */
#pragma once

#include "engine/live/sonde-live-loop.h"
#include "engine/session/server/sonde-session-server.h"

G_BEGIN_DECLS

/* From here on @loop runs, and clients may ask. @title: what they see that runs. */
void sonde_session_server_join_loop (SondeSessionServer *server, SondeLiveLoop *loop,
                                     SondeActivityKind kind, const char *title);

/* What they see that runs from now on, and how many steps were not counted; -1: nobody knows. */
void sonde_session_server_describe_loop (SondeSessionServer *server, const char *title,
                                         gint64 steps_before);

/**
 * sonde_session_server_stand:
 * Where sonde_live_loop_pass() says so: answers what is asked, for at most 100 ms where nothing is.
 *
 * Returns: TRUE: it stands there still, call again. FALSE: the loop goes on: a client said so, the
 * client in control is gone (its breakpoints go then), sonde_session_server_quit() was called, or
 * somebody only asked.
 */
gboolean sonde_session_server_stand (SondeSessionServer *server);

/* Between two nodes: answers what is asked, without waiting. A pause that is asked for waits for the
 * next operator. */
void sonde_session_server_answer (SondeSessionServer *server);

/* Who stands wants to go on himself (Ctrl-C in Python): as if a client had said continue. */
void sonde_session_server_go_on (SondeSessionServer *server);

/* It is READY, before its first node: stands as above until a client lets it run. */
void sonde_session_server_wait_ready (SondeSessionServer *server);

/* The loop is over: clients are told; nothing is asked of it any more. */
void sonde_session_server_leave_loop (SondeSessionServer *server);

G_END_DECLS
