/* SPDX-License-Identifier: Apache-2.0
 * Inside of the server: who is connected, what is asked, what the engine thread owns. Shared by the
 * files of the server. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "data/base/sonde-span-log.h"
#include "engine/live/sonde-breakpoint-table.h"
#include "engine/live/sonde-live-target.h"
#include "engine/session/sonde-session-channel-private.h"
#include "engine/session/server/sonde-session-listener-private.h"
#include "engine/session/sonde-session-event.h"
#include "engine/session/server/sonde-session-server.h"

G_BEGIN_DECLS

#define SONDE_SESSION_PENDING_JOBS 64 /* of one client; more are not read before */

/* A connected client. Everything in it is protected by the server's lock. */
typedef struct
{
  guint64 id;
  SondeSessionChannel channel;
  gboolean inherited; /* came by sonde_session_server_add_fd(): no token */
  gboolean welcome;   /* its hello was right */
  guint pending;      /* jobs of it that are not answered */
  guint64 in_transit; /* bytes in memfds that it has not taken over yet */
  gint64 since_ns;    /* when it connected */
  gint64 heard_ns;    /* when it last said something while a ping was out */
  gint64 pinged_ns;   /* last ping, 0: none */
} SondeSessionPeer;

/* What the engine thread is to do. @request: NULL: the client is lost or said goodbye
 * (@detached). */
typedef struct
{
  guint64 peer;
  guint32 id;
  gboolean in_control; /* of a lost client: it was */
  gboolean detached;
  gboolean cancelled; /* a call: not wanted any more before it began */
  Sonde__Session__Request *request;
} SondeSessionJob;

typedef struct _SondeSessionService SondeSessionService; /* sonde-serve.h */

struct _SondeSessionServer
{
  SondeSessionServerOptions options;
  const SondeIo *io;
  SondeSessionListener listener;
  pthread_t thread;
  gboolean has_thread;
  int wake;                  /* eventfd: the socket thread is to look again */
  _Atomic gboolean closing;  /* the socket thread ends */
  _Atomic gboolean quitting; /* serve() ends */
  _Atomic guint n_welcome;   /* clients that listen */

  pthread_mutex_t lock; /* protects what follows, to the next mark */
  pthread_cond_t work;
  GPtrArray *peers; /* (element-type SondeSessionPeer) */
  guint64 last_peer;
  guint64 controller; /* id, 0: nobody */
  GQueue jobs;
  SondeSessionService *service; /* (nullable): who stands behind it; engine thread only */
  SondeLiveTarget *target;      /* (nullable): what is debugged; by the engine thread only */
  SondeSpanLog *spans;          /* (nullable): where what is debugged is measured */
  gboolean running;             /* the engine thread is inside the activity's run */
  guint64 calling_peer; /* the engine thread is inside a call of that client, 0: it is not */
  guint32 calling_id;
  _Atomic gboolean call_cancelled; /* that call is to end */
  SondeSessionStatus *status;      /* as last published */
  gboolean stale;                  /* nobody listened while it ran: @status is of long ago */

  /* engine thread only */
  SondeSessionState state;
  SondeSessionResult end;
  SondeMessage *end_message;
  gint64 progress_ns, described_ns;
  gboolean done; /* serve() is to return */
};

/* ---- sonde-session-socket.c: the thread that serves clients; sending in sonde-session-send.c
 * ---- */

gboolean sonde_session_socket_start (SondeSessionServer *server, GError **error);
void sonde_session_socket_stop (SondeSessionServer *server);
gboolean sonde_session_socket_add_peer (SondeSessionServer *server, int fd, gboolean inherited);

/* ---- sonde-session-jobs.c: what both threads share ----------------------- */

void sonde_session_socket_wake (SondeSessionServer *server);
void sonde_session_job_free (SondeSessionJob *job);
/* The lock is held. (nullable) */
SondeSessionPeer *sonde_session_find_peer (SondeSessionServer *server, guint64 id);
/* For the engine thread, which is interrupted. @request: (transfer full) (nullable): as in the job;
 * @detached: the client said goodbye. The lock is held. */
void sonde_session_push_job (SondeSessionServer *server, SondeSessionPeer *peer,
                             Sonde__Session__Request *request, gboolean detached);

/* ---- sonde-session-direct.c: the lock is held ---------------------------- */

/* Answers @request here, or hands it to the engine thread. Takes it. @detached: (out): set to TRUE
 * when the client says goodbye. (transfer full) (nullable): why the client is dropped */
SondeMessage *sonde_session_take_request (SondeSessionServer *server, SondeSessionPeer *peer,
                                          Sonde__Session__Request *request, gboolean *detached);

/* ---- sonde-session-send.c: the lock is held ------------------------------ */

/* Packs and queues; a large message becomes a memfd. @memfd: (transfer full), or -1 */
void sonde_session_send (SondeSessionServer *server, SondeSessionPeer *peer,
                         Sonde__Session__Message *message, int memfd);
/* To every client; @event's status is filled for each from server->status when @with_status. */
void sonde_session_broadcast (SondeSessionServer *server, Sonde__Session__Event *event,
                              gboolean with_status);

/* Says why, as far as the socket takes it at once. */
void sonde_session_send_closing (SondeSessionChannel *channel, const SondeMessage *reason);

G_END_DECLS
