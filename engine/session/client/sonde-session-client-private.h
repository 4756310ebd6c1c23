/* SPDX-License-Identifier: Apache-2.0
 * Inside of the client: its thread, requests that wait for an answer, events that nobody took. Shared
 * by the files of the client. */
#pragma once

#include "engine/session/sonde-session-channel-private.h"
#include "engine/session/client/sonde-response-monitor.h"
#include "engine/session/client/sonde-session-carrier.h"
#include "engine/session/client/sonde-session-client.h"

#include <pthread.h>
#include <stdatomic.h>

G_BEGIN_DECLS

/**
 * SondePendingReply: a request that is not answered
 * @expects: kind of its reply
 * @task: (nullable): of sonde_session_client_send(); else somebody waits for @done
 */
typedef struct
{
  GTask *task;
  SondeSessionReplyKind expects;
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
  /* results given to tasks: what stands in one was written before this was counted up. GTask orders
   * that too, by locks that ThreadSanitizer does not see */
  _Atomic guint n_results;

  pthread_mutex_t lock; /* protects what follows */
  pthread_cond_t changed;
  SondeSessionChannel channel;
  guint32 last_id;
  GHashTable *pending;          /* id -> SondePendingReply */
  GQueue events;                /* (element-type SondeSessionEvent) */
  gboolean draining;            /* an idle source will emit them */
  SondeResponseMonitor monitor; /* started when the hello was answered */
  SondeMessage *goodbye;        /* (nullable): why the server closed the connection */
  gboolean closed;
  SondeMessage *reason; /* why it is closed */
  int pid;
  gboolean spawned;
  gboolean detached;            /* a child that goes on without us */
  SondeSessionCarrier *carrier; /* (nullable): ssh to another machine */
  int exit_status;              /* as of waitpid(), when closed */
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

/* The error of whatever is asked of a closed client. The lock is held. (transfer full) */
GError *sonde_session_client_new_closed_error (SondeSessionClient *client);

/* Another clock from here on, for tests: the time without a response is measured with it.
 * (nullable) */
void sonde_session_client_set_clock (SondeSessionClient *client, const SondeClock *clock);

/* ---- sonde-session-client-child.c ---------------------------------------- */

/* How a child ended, in words. (transfer full) */
SondeMessage *sonde_session_describe_exit (int wait_status);
/* Waits up to @timeout_ms for the end of @pid, then kills it. Returns: as of waitpid() */
int sonde_session_reap (int pid, int timeout_ms);
/* The same on a thread of its own, for nobody. */
void sonde_session_reap_later (int pid, int timeout_ms);
/* Returns: pid, or 0 with @error. @fd: (out): this end of the socket */
int sonde_session_spawn (const char *program, int threads, int *fd, GError **error);

G_END_DECLS
