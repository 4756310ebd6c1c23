/* SPDX-License-Identifier: Apache-2.0
 * The server of a session: takes clients on a thread of its own, and answers what they ask on the
 * thread of what they debug: activities of the engine (activity/sonde-session-serve.h) or a loop that
 * is somebody else's (sonde-session-live.h). docs/session-protocol.md describes what goes over the
 * socket. Knows no debugger, plan or device. */
#pragma once

#include "data/base/sonde-clock.h"
#include "data/base/sonde-io.h"
#include "engine/session/server/sonde-session-host.h"

G_BEGIN_DECLS

typedef struct _SondeSessionServer SondeSessionServer;

/* Limits of one server; docs/limits.md. */
#define SONDE_SESSION_MAX_CLIENTS 8
#define SONDE_SESSION_UNREAD_BYTES                                                                 \
  ((guint64) 1 << 20)                  /* of them; beyond, its requests are not read */
#define SONDE_SESSION_UNREAD_VALUES 64 /* descriptors that it did not read; more are refused */
#define SONDE_SESSION_QUEUE_BYTES                                                                  \
  ((guint64) 64 << 20) /* replies waiting for one client, else it is dropped */
#define SONDE_SESSION_MEMORY_BYTES ((guint64) 1 << 30) /* whole values on the way to one client */

/* What happens when the client in control goes away without a word (a `detach` always goes on). */
typedef enum
{
  SONDE_CLIENT_LOST_CONTINUE, /* breakpoints are removed, the run goes on: an attached training */
  SONDE_CLIENT_LOST_QUIT,     /* the run is finished and serve() returns: a child of its client */
  /* a paused run stays paused, breakpoints stay, until another client takes over */
  SONDE_CLIENT_LOST_WAIT,
} SondeClientLost;

/**
 * SondeSessionServerOptions: zero-initialise
 * @host: lent, outlives the server; (nullable): only with sonde_session_server_join_loop()
 * @client_lost: what happens when the client in control is lost
 * @listen: make a socket below sonde_session_dup_directory(), so that others can attach
 * @directory: (nullable): instead of that directory (tests)
 * @title: (nullable): what others see in the list of sessions before something is opened
 * @io: (nullable), @clock: (nullable)
 */
typedef struct
{
  SondeSessionHost *host;
  SondeClientLost client_lost;
  gboolean listen;
  const char *directory;
  const char *title;
  const SondeIo *io;
  const SondeClock *clock;
} SondeSessionServerOptions;

/**
 * sonde_session_server_new:
 * Starts the thread that serves clients. With @listen: socket PID.sock (0600) and token file
 * PID.token (0600) in a directory of mode 0700 that must be the user's own; a path longer than a
 * socket address holds is reached through the directory's descriptor.
 * Errors: IO, FORBIDDEN for a directory that others may enter.
 */
SondeSessionServer *sonde_session_server_new (const SondeSessionServerOptions *options,
                                              GError **error);
/* Closes all clients, removes socket and token. */
void sonde_session_server_free (SondeSessionServer *server);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSessionServer, sonde_session_server_free)

/**
 * sonde_session_server_add_fd:
 * @fd: (transfer full): connected Unix stream socket; needs no token, and is in control at once
 */
gboolean sonde_session_server_add_fd (SondeSessionServer *server, int fd, GError **error);

/* What is debugged is to stand no longer: an activity is finished, with the step in which it stands,
 * and sonde_session_server_serve() returns STOPPED, whoever holds the run; a loop goes on. A second
 * call changes nothing. Any thread; safe in a signal handler. */
void sonde_session_server_quit (SondeSessionServer *server);

/* On the thread of what runs, while it runs: tells clients how far it is (at most 10 times a second),
 * and who looks for sessions (once a second). Else it costs a look at the clock. */
void sonde_session_server_report_progress (SondeSessionServer *server);

/* Any thread: a message for the clients to show (a warning, a checkpoint that was written). */
void sonde_session_server_log (SondeSessionServer *server, const SondeMessage *message);

/* Any thread: clients are there that said hello. */
gboolean sonde_session_server_is_heard (SondeSessionServer *server);

/* Around a fork(), on the thread that forks. In the child the server is dead: its sockets are closed and
 * stay the parent's, and nothing else may be called of it; it cannot be freed. */
void sonde_session_server_before_fork (SondeSessionServer *server);
void sonde_session_server_after_fork (SondeSessionServer *server, gboolean is_child);

/* (nullable) (transfer none): path of the socket, when it listens */
const char *sonde_session_server_get_socket_path (SondeSessionServer *server);

G_END_DECLS
