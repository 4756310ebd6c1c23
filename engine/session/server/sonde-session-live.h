/* SPDX-License-Identifier: Apache-2.0
 * A session's server in a loop that is not ours: the loop's own thread answers clients, between two
 * nodes and while it stands. Needs no plan, pass or device; what only the engine can do is refused.
 *
 * The loop makes a SondeLiveLoop, a server without host, and joins them here. */
#pragma once

#include "engine/live/sonde-live-loop.h"
#include "engine/session/server/sonde-session-server.h"

G_BEGIN_DECLS

/**
 * SondeLiveIdle: called about every 100 ms while the loop stands, on its thread
 * Returns: FALSE: it is to stand no longer (Ctrl-C in Python): it goes on as with continue
 */
typedef gboolean (*SondeLiveIdle) (gpointer data);

/**
 * sonde_session_server_join_loop:
 * @title: what clients see that runs
 * @idle: (nullable)
 *
 * From here on @loop runs, and clients may ask. Where something stops it, sonde_live_loop_pass()
 * returns when a client lets it go on, when the client in control is gone (its breakpoints go
 * then), or after sonde_session_server_quit().
 */
void sonde_session_server_join_loop (SondeSessionServer *server, SondeLiveLoop *loop,
                                     const char *title, SondeLiveIdle idle, gpointer data);

/* Stands here, without a node, until a client resumes: before the first node, say. As above. */
void sonde_session_server_pause (SondeSessionServer *server);

/* The loop is over: clients are told; nothing is asked of it any more. */
void sonde_session_server_leave_loop (SondeSessionServer *server);

G_END_DECLS
