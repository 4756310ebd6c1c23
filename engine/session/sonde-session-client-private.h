/* SPDX-License-Identifier: Apache-2.0
 * Messages -> plain structs, and requests as they are queued. Shared by the files of the client. */
#pragma once

#include "data/base/sonde-clock.h"
#include "engine/session/sonde-session-channel-private.h"
#include "engine/session/sonde-session-client.h"

#include <pthread.h>
#include <stdatomic.h>

G_BEGIN_DECLS

/**
 * SondeSessionRequest: a message with its strings
 * @garbage: owns what the message points to
 */
struct _SondeSessionRequest
{
  Sonde__Session__Request message;
  GPtrArray *garbage;
};

SondeSessionRequest *sonde_session_request_new (Sonde__Session__Request__BodyCase kind,
                                                gsize body_bytes, void (*init) (void *body));
SondeSessionRequest *sonde_session_request_hello (const char *token, gboolean control);
SondeSessionRequest *sonde_session_request_detach (void);
SondeSessionRequest *sonde_session_request_alive (void);
SondeSessionRequest *sonde_session_request_ping (void);
SondeSessionRequest *sonde_session_request_taken (guint64 bytes);
SondeSessionRequest *sonde_session_request_cancel (guint32 id);

/**
 * sonde_session_decode_reply:
 * @channel: where the descriptor that comes along is taken from
 * @taken: (out): bytes of it that were taken over, to be told to the server
 * Returns: (transfer full): NULL with @error: what the engine said, or PROTOCOL for a reply that
 * contradicts itself
 */
SondeSessionReply *sonde_session_decode_reply (const Sonde__Session__Reply *message,
                                               SondeSessionChannel *channel, guint64 *taken,
                                               GError **error);
/* Valid UTF-8, whatever came; "" is NULL for optional ones. (transfer full) */
char *sonde_session_dup_text (const char *text);
char *sonde_session_dup_optional (const char *text);
char **sonde_session_dup_texts (char *const *texts, gsize n);
void sonde_session_decode_statistics (const Sonde__Session__Statistics *from,
                                      SondeStatistics *statistics);
/* Errors: PROTOCOL for what no tensor can be. */
gboolean sonde_session_decode_form (const Sonde__Session__Tensor *message, SondeDtype *dtype,
                                    SondeShape *shape, GError **error);
/* Watches and their hits. (sonde-session-request-watch.c) */
void sonde_session_decode_watches (const Sonde__Session__Reply *message, SondeSessionReply *reply);
/* (element-type SondeWatchHit) (transfer full) */
GPtrArray *sonde_session_decode_hits (Sonde__Session__WatchHit *const *messages, gsize n);
/* Edits, differences and branches. (sonde-session-request-change.c) */
void sonde_session_decode_changes (const Sonde__Session__Reply *message, SondeSessionReply *reply);
/* Origin and reduction. (sonde-session-request-origin.c) */
void sonde_session_decode_origin (const Sonde__Session__Reply *message, SondeSessionReply *reply);
/* What a call carries, on both sides (sonde-session-request-call.c). @what: for the error. @result:
 * a{sv} in normal form. Errors: PROTOCOL */
gboolean sonde_session_unpack_call (const ProtobufCBinaryData *bytes,
                                    Sonde__Session__Tensor *const *messages, gsize n,
                                    const char *what, GVariant **result, GPtrArray **tensors,
                                    GError **error);
/* @variant: floating is taken. @garbage: gets memory of the messages. Errors: MEMORY for more than
 * can be sent */
gboolean sonde_session_pack_call (GVariant *variant, GPtrArray *tensors, guint64 limit,
                                  GPtrArray *garbage, ProtobufCBinaryData *bytes,
                                  Sonde__Session__Tensor ***messages, gsize *n, GError **error);
/* (element-type SondeCaptureStop) (transfer full) */
GPtrArray *sonde_session_decode_stops (const Sonde__Session__Reply *message);
/* A copy of @text that the request owns; "" of NULL. */
char *sonde_session_request_keep (SondeSessionRequest *request, const char *text);
/* (element-type SondeFrame) (transfer full) */
GPtrArray *sonde_session_decode_frames (Sonde__Session__Frame *const *frames, gsize n);
/* sonde-session-request-diverge.c (transfer full) */
SondeDivergence *sonde_session_decode_divergence (const Sonde__Session__Divergence *message);
SondePrecisionFound *sonde_session_decode_precision (const Sonde__Session__PrecisionFound *message);
/* (transfer full) */
SondeSessionEvent *sonde_session_decode_event (const Sonde__Session__Event *message);

/**
 * SondePendingReply: a request that is not answered
 * @task: (nullable): of sonde_session_client_send(); else somebody waits for @done
 */
typedef struct
{
  GTask *task;
  gboolean done;
  SondeSessionReply *reply;
  GError *error;
} SondePendingReply;

struct _SondeSessionClient
{
  GObject parent;
  GMainContext *context;
  pthread_t thread;
  gboolean has_thread;
  int wake; /* eventfd: the thread is to look again */
  _Atomic gboolean closing;

  pthread_mutex_t lock; /* protects what follows */
  pthread_cond_t changed;
  SondeSessionChannel channel;
  guint32 last_id;
  GHashTable *pending;     /* id -> SondePendingReply */
  GQueue events;           /* (element-type SondeSessionEvent) */
  gboolean draining;       /* an idle source will emit them */
  const SondeClock *clock; /* (nullable) */
  gboolean listens;        /* the hello was answered: silence is noticed from here on */
  gboolean silent;
  gint64 heard_ns;  /* when something came last */
  gint64 pinged_ns; /* since then: when it was asked whether it is there; 0: it was not */
  char *goodbye;    /* what the server said last */
  gboolean closed;
  char *reason;
  int pid;
  gboolean spawned;
  gboolean detached; /* a child that goes on without us */
  int exit_status;   /* as of waitpid(), when closed */
};

/* ---- sonde-session-client-reader.c --------------------------------------- */

/* The thread that reads and writes the socket; the object outlives it. */
void *sonde_session_client_read (void *data);
void sonde_session_client_wake (SondeSessionClient *client);
/* For those who wait or iterate; takes @event. The lock is held. */
void sonde_session_client_push_event (SondeSessionClient *client, SondeSessionEvent *event);
/* One that nobody waits for the answer of; takes @request. The lock is held, on the client's
 * thread. */
void sonde_session_client_queue_request (SondeSessionClient *client, SondeSessionRequest *request);
/* Ends a request: tells its task, or those who wait. The lock is held on entry and on return, and
 * let go in between. Takes @reply and @error. */
void sonde_session_client_finish (SondeSessionClient *client, SondePendingReply *pending,
                                  SondeSessionReply *reply, GError *error);

/* ---- sonde-session-client-silence.c -------------------------------------- */

/* Another clock from here on, for tests: what silence is is measured with it. (nullable) */
void sonde_session_client_set_clock (SondeSessionClient *client, const SondeClock *clock);
/* Asks an engine that says nothing whether it is there, and tells what comes of it. @heard:
 * something came just now. The lock is held. Returns: ms until it must be looked at again, -1: not
 * before something comes. */
int sonde_session_client_watch_silence (SondeSessionClient *client, gboolean heard);
/* The first SILENT or ANSWERS that nobody took. The lock is held. (transfer full) (nullable) */
SondeSessionEvent *sonde_session_client_steal_silence (SondeSessionClient *client);

/* ---- sonde-session-client-child.c ---------------------------------------- */

/* How a child ended, in words. (transfer full) */
char *sonde_session_describe_exit (int wait_status);
/* Waits up to @timeout_ms for the end of @pid, then kills it. Returns: as of waitpid() */
int sonde_session_reap (int pid, int timeout_ms);
/* The same on a thread of its own, for nobody. */
void sonde_session_reap_later (int pid, int timeout_ms);
/* Returns: pid, or 0 with @error. @fd: (out): this end of the socket */
int sonde_session_spawn (const char *program, int threads, int *fd, GError **error);

G_END_DECLS
