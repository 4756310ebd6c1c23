/* SPDX-License-Identifier: Apache-2.0
 * The client as an object: sending, waiting, ending. */
#include "engine/session/client/sonde-session-client.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/session/codec/sonde-codec-call.h"
#include "engine/session/codec/sonde-codec-status.h"
#include "engine/session/client/sonde-session-client-private.h"

#define LEFT_BEHIND_MS 15000 /* for an engine that is left alone to end by itself */

G_DEFINE_FINAL_TYPE (SondeSessionClient, sonde_session_client, G_TYPE_OBJECT)

/* ---- the object ---------------------------------------------------------- */

static void
pending_free (void *data)
{
  SondePendingReply *pending = data;

  g_clear_object (&pending->task);
  sonde_session_reply_free (pending->reply);
  g_clear_error (&pending->error);
  g_free (pending);
}

static void
sonde_session_client_init (SondeSessionClient *client)
{
  pthread_condattr_t attributes;

  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&client->changed, &attributes);
  pthread_condattr_destroy (&attributes);
  pthread_mutex_init (&client->lock, NULL);
  client->wake = -1;
  client->context = g_main_context_ref_thread_default ();
  client->pending = g_hash_table_new (NULL, NULL);
  g_queue_init (&client->events);
}

static void
stop_thread (SondeSessionClient *client)
{
  atomic_store (&client->closing, TRUE);
  if (!client->has_thread)
    return;
  sonde_session_client_wake (client);
  pthread_join (client->thread, NULL);
  client->has_thread = FALSE;
}

static void
sonde_session_client_dispose (GObject *object)
{
  SondeSessionClient *client = SONDE_SESSION_CLIENT (object);

  stop_thread (client);
  sonde_session_channel_clear (&client->channel); /* the child sees the end, and ends */
  if (client->spawned && !client->closed)
    sonde_session_reap_later (client->pid, LEFT_BEHIND_MS);
  client->spawned = FALSE;
  g_clear_pointer (&client->carrier, sonde_session_carrier_free);
  G_OBJECT_CLASS (sonde_session_client_parent_class)->dispose (object);
}

static void
sonde_session_client_finalize (GObject *object)
{
  SondeSessionClient *client = SONDE_SESSION_CLIENT (object);

  g_queue_clear_full (&client->events, (GDestroyNotify) sonde_session_event_free);
  g_clear_pointer (&client->pending, g_hash_table_unref);
  g_clear_pointer (&client->context, g_main_context_unref);
  if (client->wake >= 0)
    close (client->wake);
  pthread_cond_destroy (&client->changed);
  pthread_mutex_destroy (&client->lock);
  sonde_message_free (client->goodbye);
  sonde_message_free (client->reason);
  G_OBJECT_CLASS (sonde_session_client_parent_class)->finalize (object);
}

static void
sonde_session_client_class_init (SondeSessionClientClass *klass)
{
  static const struct
  {
    const char *name;
    GType type;
  } signals[] = {
    { "stopped", G_TYPE_POINTER }, { "ended", G_TYPE_POINTER }, { "progress", G_TYPE_POINTER },
    { "event", G_TYPE_POINTER },   { "closed", G_TYPE_STRING },
  };

  G_OBJECT_CLASS (klass)->dispose = sonde_session_client_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_session_client_finalize;
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_new (signals[i].name, SONDE_TYPE_SESSION_CLIENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                  NULL, G_TYPE_NONE, 1, signals[i].type);
}

/* ---- its state ------------------------------------------------------------ */

gboolean
sonde_session_client_is_attached (SondeSessionClient *client)
{
  return !client->spawned;
}

int
sonde_session_client_get_pid (SondeSessionClient *client)
{
  return client->pid;
}

gboolean
sonde_session_client_is_closed (SondeSessionClient *client)
{
  gboolean closed;

  pthread_mutex_lock (&client->lock);
  closed = client->closed;
  pthread_mutex_unlock (&client->lock);
  return closed;
}

gboolean
sonde_session_client_is_silent (SondeSessionClient *client)
{
  gboolean silent;

  pthread_mutex_lock (&client->lock);
  silent = client->monitor.unresponsive;
  pthread_mutex_unlock (&client->lock);
  return silent;
}

SondeMessage *
sonde_session_client_dup_close_reason (SondeSessionClient *client)
{
  SondeMessage *reason;

  pthread_mutex_lock (&client->lock);
  reason = sonde_message_copy (client->reason);
  pthread_mutex_unlock (&client->lock);
  return reason;
}

/* ---- sending ------------------------------------------------------------- */

/* Queues @request and notes that @pending waits for it; takes @request. The lock is held. Returns:
 * its id */
static guint32
post (SondeSessionClient *client, SondeSessionRequest *request, SondePendingReply *pending)
{
  g_autoptr (GBytes) frame = NULL;
  guint32 id;

  client->last_id = client->last_id == G_MAXUINT32 ? 1 : client->last_id + 1;
  id = request->message.id = client->last_id;
  frame = sonde_session_pack (&request->message.base);
  sonde_session_channel_queue (&client->channel, frame, -1);
  if (pending != NULL)
    {
      pending->expects = request->expects;
      g_hash_table_insert (client->pending, GUINT_TO_POINTER (id), pending);
    }
  sonde_session_request_free (request);
  sonde_session_client_wake (client);
  return id;
}

/* The moment @timeout_ms from now. */
static struct timespec
moment_after (int timeout_ms)
{
  struct timespec moment;

  clock_gettime (CLOCK_MONOTONIC, &moment);
  moment.tv_sec += timeout_ms / 1000;
  moment.tv_nsec += (long) (timeout_ms % 1000) * 1000000;
  if (moment.tv_nsec >= 1000000000)
    {
      moment.tv_sec++;
      moment.tv_nsec -= 1000000000;
    }
  return moment;
}

/* Waits for a change. FALSE when the time is over. The lock is held. */
static gboolean
wait_change (SondeSessionClient *client, int timeout_ms, const struct timespec *end)
{
  if (timeout_ms < 0)
    return pthread_cond_wait (&client->changed, &client->lock) == 0;
  return pthread_cond_timedwait (&client->changed, &client->lock, end) == 0;
}

/* Events that the caller is told of while it waits. */
typedef struct
{
  void (*told) (gpointer data, const SondeSessionEvent *event);
  gpointer data;
} Listener;

static gboolean
is_of_waiting (const SondeSessionEvent *event)
{
  return event->kind == SONDE_SESSION_EVENT_SILENT || event->kind == SONDE_SESSION_EVENT_ANSWERS
         || (event->kind == SONDE_SESSION_EVENT_PROGRESS && event->status == NULL
             && event->call == 0);
}

/* The first of those that nobody took. The lock is held. (transfer full) (nullable) */
static SondeSessionEvent *
steal_response_event (SondeSessionClient *client)
{
  for (GList *link = client->events.head; link != NULL; link = link->next)
    {
      SondeSessionEvent *event = link->data;

      if (!is_of_waiting (event))
        continue;
      g_queue_delete_link (&client->events, link);
      return event;
    }
  return NULL;
}

/* The lock is held, and let go in between. */
static void
tell_responses (SondeSessionClient *client, const Listener *listener)
{
  SondeSessionEvent *event;

  while (listener != NULL && (event = steal_response_event (client)) != NULL)
    {
      pthread_mutex_unlock (&client->lock);
      listener->told (listener->data, event);
      sonde_session_event_free (event);
      pthread_mutex_lock (&client->lock);
    }
}

/* @listener: (nullable) */
static SondeSessionReply *
call (SondeSessionClient *client, SondeSessionRequest *request, int timeout_ms,
      const Listener *listener, GError **error)
{
  struct timespec end = moment_after (MAX (timeout_ms, 0));
  SondePendingReply pending = { 0 };
  gboolean in_time = TRUE;
  guint32 id;

  pthread_mutex_lock (&client->lock);
  if (client->closed)
    {
      g_propagate_error (error, sonde_session_client_new_closed_error (client));
      pthread_mutex_unlock (&client->lock);
      sonde_session_request_free (request);
      return NULL;
    }
  id = post (client, request, &pending);
  tell_responses (client, listener);
  while (!pending.done && in_time)
    {
      in_time = wait_change (client, timeout_ms, &end);
      tell_responses (client, listener);
    }
  if (!pending.done)
    g_hash_table_remove (client->pending, GUINT_TO_POINTER (id));
  pthread_mutex_unlock (&client->lock);
  if (!pending.done)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
                 "The engine did not answer in %.1f seconds.", timeout_ms / 1000.0);
  else if (pending.error != NULL)
    g_propagate_error (error, pending.error);
  return pending.reply;
}

SondeSessionReply *
sonde_session_client_call (SondeSessionClient *client, SondeSessionRequest *request, int timeout_ms,
                           GError **error)
{
  return call (client, request, timeout_ms, NULL, error);
}

SondeSessionReply *
sonde_session_client_call_told (SondeSessionClient *client, SondeSessionRequest *request,
                                void (*told) (gpointer data, const SondeSessionEvent *event),
                                gpointer data, GError **error)
{
  const Listener listener = { told, data };

  return call (client, request, -1, &listener, error);
}

/* ---- sending without waiting --------------------------------------------- */

typedef struct
{
  GWeakRef client;
  guint32 id;
  gboolean tell; /* a call: the engine, too */
} Cancel;

static void
cancel_free (gpointer data)
{
  Cancel *cancel = data;

  g_weak_ref_clear (&cancel->client);
  g_free (cancel);
}

static void
on_cancelled (GCancellable *cancellable, gpointer data)
{
  Cancel *cancel = data;
  g_autoptr (SondeSessionClient) client = g_weak_ref_get (&cancel->client);
  SondePendingReply *pending = NULL;

  if (client == NULL)
    return;
  pthread_mutex_lock (&client->lock);
  g_hash_table_steal_extended (client->pending, GUINT_TO_POINTER (cancel->id), NULL,
                               (gpointer *) &pending);
  if (pending != NULL && cancel->tell && !client->closed)
    post (client, sonde_session_request_cancel (cancel->id), NULL);
  pthread_mutex_unlock (&client->lock);
  if (pending == NULL)
    return;
  g_task_return_error_if_cancelled (pending->task);
  pending_free (pending);
}

guint32
sonde_session_client_send (SondeSessionClient *client, SondeSessionRequest *request,
                           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (client, cancellable, callback, data);
  gboolean tell = request->message.body_case == SONDE__SESSION__REQUEST__BODY_CALL;
  SondePendingReply *pending;
  Cancel *cancel;
  guint32 id;

  g_task_set_source_tag (task, sonde_session_client_send);
  pthread_mutex_lock (&client->lock);
  if (client->closed)
    {
      GError *error = sonde_session_client_new_closed_error (client);

      pthread_mutex_unlock (&client->lock);
      sonde_session_request_free (request);
      g_task_return_error (task, error);
      return 0;
    }
  pending = g_new0 (SondePendingReply, 1);
  pending->task = g_object_ref (task);
  id = post (client, request, pending);
  pthread_mutex_unlock (&client->lock);
  if (cancellable == NULL)
    return id;
  cancel = g_new0 (Cancel, 1);
  g_weak_ref_init (&cancel->client, client);
  cancel->id = id;
  cancel->tell = tell;
  /* The handler stays connected to the cancellable: it finds nothing once the reply has come. */
  g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), cancel, cancel_free);
  return id;
}

SondeSessionReply *
sonde_session_client_send_finish (SondeSessionClient *client, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, client), NULL);
  (void) atomic_load (&client->n_results); /* whoever made the result is done with it */
  return g_task_propagate_pointer (G_TASK (result), error);
}

SondeSessionEvent *
sonde_session_client_wait_event (SondeSessionClient *client, int timeout_ms)
{
  struct timespec end = moment_after (MAX (timeout_ms, 0));
  SondeSessionEvent *event;
  gboolean in_time = timeout_ms != 0;

  pthread_mutex_lock (&client->lock);
  event = g_queue_pop_head (&client->events);
  while (event == NULL && in_time && !client->closed)
    {
      in_time = wait_change (client, timeout_ms, &end);
      event = g_queue_pop_head (&client->events);
    }
  pthread_mutex_unlock (&client->lock);
  return event;
}

/* ---- ending -------------------------------------------------------------- */

void
sonde_session_client_detach (SondeSessionClient *client)
{
  pthread_mutex_lock (&client->lock);
  if (!client->closed)
    {
      post (client, sonde_session_request_detach (), NULL);
      client->detached = TRUE;
    }
  while (!client->closed && !client->monitor.unresponsive && wait_change (client, -1, NULL))
    ;
  if (!client->closed)
    {
      sonde_session_channel_flush (&client->channel, NULL);
      shutdown (client->channel.fd, SHUT_RDWR); /* what it was sent is there for it */
    }
  while (!client->closed && wait_change (client, -1, NULL))
    ;
  pthread_mutex_unlock (&client->lock);
}

int
sonde_session_client_quit_child (SondeSessionClient *client, int timeout_ms)
{
  struct timespec end = moment_after (timeout_ms);
  g_autoptr (SondeSessionReply) reply = NULL;
  gboolean in_time = TRUE;
  int status;

  if (!client->spawned)
    return -1;
  reply = sonde_session_client_call (client, sonde_session_request_quit (), timeout_ms, NULL);
  pthread_mutex_lock (&client->lock);
  while (!client->closed && in_time)
    in_time = wait_change (client, timeout_ms, &end);
  if (!client->closed)
    kill (client->pid, SIGKILL);
  while (!client->closed && wait_change (client, -1, NULL))
    ;
  status = client->exit_status;
  pthread_mutex_unlock (&client->lock);
  return WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
}
