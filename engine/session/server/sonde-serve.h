/* SPDX-License-Identifier: Apache-2.0
 * What the functions that do requests use of the server. They run on the engine thread, between two
 * steps; each takes a request and makes its reply (sonde-serve-table.h has the rows). */
#pragma once

#include "engine/session/codec/sonde-codec.h"
#include "engine/session/server/sonde-session-server-private.h"

G_BEGIN_DECLS

/* ---- requests (sonde-serve.c) ------------------------------------------------- */

/* Does what a request asks. FALSE with @error, which is the reply then. */
typedef gboolean SondeSessionHandle (SondeSessionServer *server, SondeSessionJob *job,
                                     SondeSessionAnswer *answer, GError **error);

/* What a request needs before it is done, and what its reply has beside its body. */
typedef enum
{
  SONDE_NEEDS_CONTROL = 1 << 0, /* only the client in control may ask it */
  SONDE_NEEDS_OPEN = 1 << 1,    /* something must be open */
  SONDE_GIVES_STATUS = 1 << 2,  /* the reply carries the status */
} SondeServeFlags;

/* One row of the table of requests: @handle NULL: it is not known. */
typedef struct
{
  SondeSessionHandle *handle;
  guint flags; /* SondeServeFlags */
} SondeServeRow;

/**
 * SondeSessionServiceClass: engine thread
 * @rows: (array length=n_rows): by body of the request's message
 * @fill_status: facts and branch of @status, while something is open
 * @paused: (optional): it is being debugged
 * @free: the server goes, or the service leaves it
 */
typedef struct
{
  const SondeServeRow *rows;
  guint n_rows;
  void (*fill_status) (SondeSessionService *service, SondeSessionStatus *status);
  void (*paused) (SondeSessionService *service);
  void (*free) (SondeSessionService *service);
} SondeSessionServiceClass;

/* First member of who stands behind a server: an activity of the engine with its debugger, or a loop
 * that is somebody else's. */
struct _SondeSessionService
{
  const SondeSessionServiceClass *klass;
  SondeSessionServer *server;
};

/* Does what @job asks and answers it. (transfer full) */
void sonde_session_handle (SondeSessionServer *server, SondeSessionJob *job);
/* Sends the reply, unless its client is gone or it comes later. */
void sonde_session_reply (SondeSessionServer *server, guint64 peer, guint32 id,
                          SondeSessionAnswer *answer);
/* Sets @error to STATE; @format: message id, see sonde-message.h. Returns: FALSE */
gboolean sonde_session_refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Errors: INVALID for a path that is not absolute. */
gboolean sonde_session_check_path (const char *path, GError **error);

/* ---- calls (sonde-session-jobs.c) ------------------------------------------------ */

/* The lock is held: @job was just taken from the queue. From here on it can be cancelled while it
 * is done. */
void sonde_session_begin_call (SondeSessionServer *server, const SondeSessionJob *job);
/* The lock is held. @id 0: all of that client, which is gone. */
void sonde_session_cancel_call (SondeSessionServer *server, guint64 peer, guint32 id);

/* ---- sonde-session-publish.c: engine thread ------------------------------ */

SondeSessionStatus *sonde_session_empty_status (const char *title);
/* Takes a picture of the state for clients. */
void sonde_session_publish (SondeSessionServer *server);
/* An event to all. Any thread. @text: (nullable): a command, or another text of a user's */
void sonde_session_tell (SondeSessionServer *server, SondeSessionEventKind kind,
                         gboolean with_status, const char *text);
/* The same with a message for people. */
void sonde_session_tell_message (SondeSessionServer *server, SondeSessionEventKind kind,
                                 gboolean with_status, const SondeMessage *message);
/* PROGRESS of something long. @what: message id without arguments; @fraction < 0: not known */
void sonde_session_tell_progress (SondeSessionServer *server, const char *what, double fraction);
/* What a breakpoint says; @data: the server. */
void sonde_session_tell_line (const SondeLogLine *line, gpointer data);
/* New state: published and told to all. */
void sonde_session_set_state (SondeSessionServer *server, SondeSessionState state,
                              SondeSessionEventKind event);

/* ---- sonde-session-server.c: engine thread -------------------------- */

/* The next job; NULL when what is debugged is to run on, or the session is over (server->done).
 * @is_over: nobody can ask for anything any more, or nobody is expected to. The lock is held */
SondeSessionJob *sonde_session_wait_for_work (SondeSessionServer *server,
                                              gboolean (*is_over) (SondeSessionServer *server));

G_END_DECLS
