/* SPDX-License-Identifier: Apache-2.0
 * A client of a session: the window, the REPL, the DAP server and the tests all use this object. No
 * GTK. It owns the engine child that it spawned.
 *
 * Requests are made by the sonde_session_request_*() functions and sent in one of two ways:
 * sonde_session_client_call() waits for the answer, sonde_session_client_send() returns at once and
 * calls back on the main context that was the thread default of the sender. Any thread may send.
 *
 * Events come as signals, on the main context that was the thread default when the client was made;
 * a program without main loop takes them with sonde_session_client_wait_event() instead (each event
 * goes one way only: whoever takes it first).
 *
 * Signals (GObject, all G_SIGNAL_RUN_LAST, without return value):
 *   "stopped"  (SondeStop *stop)          boxed as pointer, valid during the call
 *   "ended"    (SondeSessionEnd *end)            "
 *   "progress" (SondeSessionEvent *event)     "
 *   "event"    (SondeSessionEvent *event)     every event, after the special signal
 *   "closed"   (const char *reason)           in words: "the engine ended with exit status 1",
 *                                             "the engine was killed by signal 9 (Killed), …" */
#pragma once

#include <gio/gio.h>

#include "data/base/sonde-io.h"
#include "engine/session/sonde-session-event.h"
#include "engine/session/sonde-session-requests.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SESSION_CLIENT (sonde_session_client_get_type ())
G_DECLARE_FINAL_TYPE (SondeSessionClient, sonde_session_client, SONDE, SESSION_CLIENT, GObject)

/* ---- connecting ---------------------------------------------------------- */

/**
 * sonde_session_client_new_fd:
 * @fd: (transfer full): connected Unix stream socket
 * Returns: (transfer full). The first frames are exchanged here (at most 10 s).
 * Errors: PROTOCOL when the other end is no Sonde session or of another version.
 */
SondeSessionClient *sonde_session_client_new_fd (int fd, GError **error);

/**
 * sonde_session_client_spawn:
 * @program: path of `sonde`; run as {program, "engine", "--fd", "N"} with the environment of
 *   sonde_session_dup_environment(), its stdin from /dev/null, stdout joined to stderr
 * @threads: 0: as many as the affinity mask allows
 *
 * The child ends when the client is disposed or sonde_session_client_quit_child() is called; a
 * terminal's Ctrl-C does not reach it. Errors: PROTOCOL, G_SPAWN_ERROR.
 */
SondeSessionClient *sonde_session_client_spawn (const char *program, int threads, GError **error);

/**
 * sonde_session_client_attach:
 * @pid: of a session in sonde_session_list()
 * @directory: (nullable): instead of sonde_session_dup_directory()
 * Asks for control; where another client has it, this one watches.
 * Errors: NOT_FOUND naming the sessions there are; PROTOCOL, IO.
 */
SondeSessionClient *sonde_session_client_attach (int pid, const char *directory, GError **error);

/* By socket path; the token is read from the file beside it. */
SondeSessionClient *sonde_session_client_attach_path (const char *path, GError **error);

/**
 * sonde_session_client_attach_target:
 * @text: "PID", or "ssh:HOST:PID" for a session of another machine: `sonde debug --attach PID --proxy`
 *   is run there by ssh, and asked by its stdin and stdout; the token is read there
 * Blocks, with ssh as long as somebody types a password.
 * Errors: as above; INVALID for other words; PROTOCOL with what ssh, a shell there or the Sonde there
 * said.
 */
SondeSessionClient *sonde_session_client_attach_target (const char *text, GError **error);
/* The sessions of another machine, by ssh: process and title alone. @host as sonde_session_target_parse()
 * gives it. Blocks. (transfer full) (element-type SondeSessionEntry) */
GPtrArray *sonde_session_list_of_host (const char *host, GError **error);

gboolean sonde_session_client_is_attached (SondeSessionClient *client); /* not spawned by it */
int sonde_session_client_get_pid (SondeSessionClient *client);          /* of the engine */
gboolean sonde_session_client_is_closed (SondeSessionClient *client);
/* The engine has not answered for five seconds: it is stopped, swapped out, or hangs. Events SILENT
 * and ANSWERS tell when that changes. It need not be between two steps for that: its other thread
 * answers. */
gboolean sonde_session_client_is_silent (SondeSessionClient *client);
/* Why it is closed. (transfer full) (nullable) */
SondeMessage *sonde_session_client_dup_close_reason (SondeSessionClient *client);

/* Says goodbye: an attached session goes on, breakpoints of this client in control are removed. One
 * that is silent learns of it when it answers again; that is not waited for. */
void sonde_session_client_detach (SondeSessionClient *client);

/**
 * sonde_session_client_quit_child:
 * Ends a spawned engine: lets it finish (checkpoint), waits up to @timeout_ms, then kills it.
 * Returns: its exit status, or 128 + signal; -1 when nothing was spawned.
 */
int sonde_session_client_quit_child (SondeSessionClient *client, int timeout_ms);

/* ---- sending ------------------------------------------------------------- */

/**
 * sonde_session_client_call:
 * @request: (transfer full)
 * @timeout_ms: < 0: without end
 *
 * Blocks. Errors: those of the engine (SONDE_ENGINE_ERROR; what the engine reports from data/ comes
 * as SONDE_ENGINE_ERROR_INVALID with its message); PROTOCOL when the connection is over, with the
 * reason; G_IO_ERROR_TIMED_OUT. Returns: (transfer full)
 */
SondeSessionReply *sonde_session_client_call (SondeSessionClient *client,
                                              SondeSessionRequest *request, int timeout_ms,
                                              GError **error);

/**
 * sonde_session_client_call_told:
 * @request: (transfer full)
 * @told: gets the events SILENT and ANSWERS that come meanwhile, and the PROGRESS of something long, on this
 * thread; nobody else gets these
 *
 * As sonde_session_client_call() without a time-out, for programs without a main loop, which take
 * no events while they wait.
 */
SondeSessionReply *
sonde_session_client_call_told (SondeSessionClient *client, SondeSessionRequest *request,
                                void (*told) (gpointer data, const SondeSessionEvent *event),
                                gpointer data, GError **error);

/* Does not block. @cancellable: the callback comes with G_IO_ERROR_CANCELLED; the engine is told of
 * a call only. Returns: the number of the request, which events of a call carry; 0: it was not
 * sent */
guint32 sonde_session_client_send (SondeSessionClient *client, SondeSessionRequest *request,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer data);
SondeSessionReply *sonde_session_client_send_finish (SondeSessionClient *client,
                                                     GAsyncResult *result, GError **error);

/**
 * sonde_session_client_wait_event:
 * @timeout_ms: < 0: without end, 0: what is there
 * Returns: (transfer full) (nullable): the next event, NULL at the time-out, or when the connection
 * is over and its last event was taken.
 */
SondeSessionEvent *sonde_session_client_wait_event (SondeSessionClient *client, int timeout_ms);

G_END_DECLS
