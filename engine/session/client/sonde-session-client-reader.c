/* SPDX-License-Identifier: Apache-2.0
 * The client's thread: moves bytes, matches replies to requests, collects events. */
#include "engine/session/client/sonde-session-client-private.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/codec/sonde-codec-reply.h"
#include "engine/session/codec/sonde-codec-status.h"

#define MAX_EVENTS 4096    /* that nobody takes; the oldest go */
#define CHILD_END_MS 10000 /* for a child whose socket closed to end */

void
sonde_session_client_wake (SondeSessionClient *client)
{
  const guint64 one = 1;

  if (write (client->wake, &one, sizeof one) < 0)
    return; /* full: it is awake already */
}

/* ---- events -------------------------------------------------------------- */

static void
emit (SondeSessionClient *client, SondeSessionEvent *event)
{
  if (event->kind == SONDE_SESSION_EVENT_STOPPED && event->status != NULL)
    g_signal_emit_by_name (client, "stopped", &event->status->stop);
  else if (event->kind == SONDE_SESSION_EVENT_ENDED && event->status != NULL)
    g_signal_emit_by_name (client, "ended", &event->status->end);
  else if (event->kind == SONDE_SESSION_EVENT_PROGRESS)
    g_signal_emit_by_name (client, "progress", event);
  g_signal_emit_by_name (client, "event", event);
  if (event->kind == SONDE_SESSION_EVENT_CLOSED)
    g_signal_emit_by_name (client, "closed", event->text);
}

/* On the client's main context. */
static gboolean
drain (gpointer data)
{
  g_autoptr (SondeSessionClient) client = g_weak_ref_get (data);
  SondeSessionEvent *event;

  if (client == NULL)
    return G_SOURCE_REMOVE;
  do
    {
      pthread_mutex_lock (&client->lock);
      event = g_queue_pop_head (&client->events);
      client->draining = event != NULL;
      pthread_mutex_unlock (&client->lock);
      if (event != NULL)
        emit (client, event);
      sonde_session_event_free (event);
    }
  while (event != NULL);
  return G_SOURCE_REMOVE;
}

static void
free_weak (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

static void
schedule_drain (SondeSessionClient *client)
{
  GSource *source;
  GWeakRef *weak;

  if (client->draining || atomic_load (&client->closing))
    return;
  client->draining = TRUE;
  weak = g_new0 (GWeakRef, 1);
  g_weak_ref_init (weak, client);
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, drain, weak, free_weak);
  g_source_attach (source, client->context);
  g_source_unref (source);
}

/* A newer picture of how far it is replaces an older one that nobody took. */
static gboolean
replaces (const SondeSessionEvent *last, const SondeSessionEvent *event)
{
  return last != NULL && last->kind == SONDE_SESSION_EVENT_PROGRESS
         && event->kind == SONDE_SESSION_EVENT_PROGRESS
         && (last->status == NULL) == (event->status == NULL) && last->call == event->call;
}

void
sonde_session_client_push_event (SondeSessionClient *client, SondeSessionEvent *event)
{
  if (replaces (g_queue_peek_tail (&client->events), event))
    sonde_session_event_free (g_queue_pop_tail (&client->events));
  g_queue_push_tail (&client->events, event);
  if (g_queue_get_length (&client->events) > MAX_EVENTS)
    sonde_session_event_free (g_queue_pop_head (&client->events));
  pthread_cond_broadcast (&client->changed);
  schedule_drain (client);
}

/* ---- replies ------------------------------------------------------------- */

static gboolean
do_nothing (gpointer data)
{
  return G_SOURCE_REMOVE;
}

/* The last reference of a task, and with it of the client, must not go on the client's own thread,
 * which dispose waits for. Takes
 * @task. */
static void
unref_on_context (SondeSessionClient *client, GTask *task)
{
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, do_nothing, task, g_object_unref);
  g_source_attach (source, client->context);
  g_source_unref (source);
}

void
sonde_session_client_finish (SondeSessionClient *client, SondePendingReply *pending,
                             SondeSessionReply *reply, GError *error)
{
  if (pending->task == NULL)
    {
      pending->done = TRUE;
      pending->reply = reply;
      pending->error = error;
      pthread_cond_broadcast (&client->changed);
      return;
    }
  atomic_fetch_add (&client->n_results, 1);
  pthread_mutex_unlock (&client->lock); /* a handler that runs now takes the lock itself */
  if (error != NULL)
    g_task_return_error (pending->task, error);
  else
    g_task_return_pointer (pending->task, reply, (GDestroyNotify) sonde_session_reply_free);
  unref_on_context (client, pending->task);
  g_free (pending);
  pthread_mutex_lock (&client->lock);
}

static SondePendingReply *
steal_pending (SondeSessionClient *client, guint32 id)
{
  SondePendingReply *pending = NULL;

  g_hash_table_steal_extended (client->pending, GUINT_TO_POINTER (id), NULL, (gpointer *) &pending);
  return pending;
}

void
sonde_session_client_queue_request (SondeSessionClient *client, SondeSessionRequest *request)
{
  g_autoptr (GBytes) frame = sonde_session_pack (&request->message.base);

  sonde_session_channel_queue (&client->channel, frame, -1);
  sonde_session_request_free (request);
}

/* What was asked for is there; a reply of another kind would be read as what it is not. */
static gboolean
is_expected (const SondeSessionReply *reply, SondeSessionReplyKind expects, GError **error)
{
  if (reply->kind == expects || expects == SONDE_SESSION_REPLY_DONE)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                   "The engine sent a reply of kind %d to a request that has kind %d.",
                   (int) reply->kind, (int) expects);
  return FALSE;
}

static void
take_reply (SondeSessionClient *client, const Sonde__Session__Reply *message)
{
  GError *error = NULL;
  SondeReplySource source = { .channel = &client->channel };
  SondeSessionReply *reply = sonde_codec_read_reply (message, &source, &error);
  SondePendingReply *pending = steal_pending (client, message->id);

  if (source.taken > 0)
    sonde_session_client_queue_request (client, sonde_session_request_taken (source.taken));
  if (pending != NULL && reply != NULL && !is_expected (reply, pending->expects, &error))
    g_clear_pointer (&reply, sonde_session_reply_free);
  if (pending != NULL)
    {
      sonde_session_client_finish (client, pending, reply, error);
      return;
    }
  sonde_session_reply_free (reply); /* its asker did not wait */
  g_clear_error (&error);
}

static void
take_event (SondeSessionClient *client, const Sonde__Session__Event *message)
{
  if (message->ping)
    sonde_session_client_queue_request (client, sonde_session_request_alive ());
  else if (message->kind == SONDE_SESSION_EVENT_CLOSED)
    {
      sonde_message_free (client->goodbye);
      client->goodbye = sonde_codec_read_message (message->text, message->parts, message->n_parts);
    }
  /* others are of a later version */
  else if (message->kind < SONDE_SESSION_EVENT_CLOSED
           || message->kind == SONDE_SESSION_EVENT_CALL_PART)
    sonde_session_client_push_event (client, sonde_codec_read_event (message));
}

static gboolean take_message (SondeSessionClient *client, const guint8 *data, gsize length,
                              gboolean inner, GError **error);

/* A message too large for a frame. */
static gboolean
take_elsewhere (SondeSessionClient *client, guint64 bytes, GError **error)
{
  int fd = sonde_session_channel_take_fd (&client->channel);
  guint8 *memory = NULL;
  gboolean good;

  if (fd < 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine announced a message of %" PRIu64
                     " bytes, but sent no descriptor with it.",
                     bytes);
  else if (bytes > SONDE_SESSION_ELSEWHERE_BYTES)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine announced a message of %" PRIu64 " bytes; at most %" PRIu64
                     " are allowed.",
                     bytes, SONDE_SESSION_ELSEWHERE_BYTES);
  else
    memory = sonde_session_map_memfd (fd, bytes, error);
  if (fd >= 0)
    close (fd);
  if (memory == NULL)
    return FALSE;
  good = take_message (client, memory, bytes, TRUE, error);
  munmap (memory, bytes);
  sonde_session_client_queue_request (client, sonde_session_request_taken (bytes));
  return good;
}

static gboolean
take_message (SondeSessionClient *client, const guint8 *data, gsize length, gboolean inner,
              GError **error)
{
  Sonde__Session__Message *message
      = sonde_session_unpack (&sonde__session__message__descriptor, data, length, "message", error);
  gboolean good = message != NULL;

  if (!good)
    return FALSE;
  if (message->body_case == SONDE__SESSION__MESSAGE__BODY_REPLY)
    take_reply (client, message->reply);
  else if (message->body_case == SONDE__SESSION__MESSAGE__BODY_EVENT)
    take_event (client, message->event);
  else if (message->body_case == SONDE__SESSION__MESSAGE__BODY_ELSEWHERE && !inner)
    good = take_elsewhere (client, message->elsewhere->bytes, error);
  sonde_wire_free (message);
  return good;
}

/* ---- an engine that does not respond ------------------------------------- */

void
sonde_session_client_set_clock (SondeSessionClient *client, const SondeClock *clock)
{
  pthread_mutex_lock (&client->lock);
  sonde_response_monitor_start (&client->monitor, clock);
  pthread_mutex_unlock (&client->lock);
  sonde_session_client_wake (client);
}

static void
push_response_event (SondeSessionClient *client, SondeSessionEventKind kind, SondeMessage *message)
{
  SondeSessionEvent *event = g_new0 (SondeSessionEvent, 1);

  event->kind = kind;
  event->message = message;
  event->text = sonde_message_dup_english (message);
  sonde_session_client_push_event (client, event);
}

static void
send_ping (SondeSessionClient *client)
{
  SondeSessionRequest *ping = sonde_session_request_ping ();

  ping->message.id = client->last_id = client->last_id == G_MAXUINT32 ? 1 : client->last_id + 1;
  sonde_session_client_queue_request (client, ping);
  sonde_session_channel_flush (&client->channel, NULL);
}

/* The lock is held. Returns: ms until the next look, -1: not before something comes */
static int
watch_responses (SondeSessionClient *client, gboolean heard)
{
  int timeout_ms;

  switch (sonde_response_monitor_check (&client->monitor, heard, &timeout_ms))
    {
    case SONDE_RESPONSE_PING:
      send_ping (client);
      break;
    case SONDE_RESPONSE_LOST:
      push_response_event (client, SONDE_SESSION_EVENT_SILENT,
                           sonde_response_monitor_describe (client->pid));
      break;
    case SONDE_RESPONSE_BACK:
      push_response_event (client, SONDE_SESSION_EVENT_ANSWERS,
                           sonde_message_new ("The engine is responding again."));
      break;
    default:
      break;
    }
  return timeout_ms;
}

/* ---- the thread ---------------------------------------------------------- */

static gboolean
take_frames (SondeSessionClient *client, GError **error)
{
  const guint8 *data;
  gsize length;

  while (sonde_session_channel_next (&client->channel, &data, &length, error))
    {
      if (data == NULL)
        return TRUE;
      if (!take_message (client, data, length, FALSE, error))
        return FALSE;
    }
  return FALSE;
}

/* ---- the thread, once round ---------------------------------------------- */

/* What has come is looked at before the end is noticed; an end shows when receiving, not when
 * sending. */
static gboolean
serve (SondeSessionClient *client, GError **error)
{
  gboolean open = sonde_session_channel_receive (&client->channel, error);

  if (!take_frames (client, open ? error : NULL))
    return FALSE;
  sonde_session_channel_flush (&client->channel, NULL);
  return open;
}

GError *
sonde_session_client_new_closed_error (SondeSessionClient *client)
{
  GError *error = NULL;

  sonde_set_error_message (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                           sonde_message_copy (client->reason));
  return error;
}

static void
fail_all (SondeSessionClient *client)
{
  GHashTableIter iter;
  gpointer id;

  while (g_hash_table_size (client->pending) > 0)
    {
      g_hash_table_iter_init (&iter, client->pending);
      if (!g_hash_table_iter_next (&iter, &id, NULL))
        return;
      sonde_session_client_finish (client, steal_pending (client, GPOINTER_TO_UINT (id)), NULL,
                                   sonde_session_client_new_closed_error (client));
    }
}

/* Waits for a child that was not left to itself. The lock is held on entry and on return. */
static int
end_child (SondeSessionClient *client)
{
  int status = 0;

  shutdown (client->channel.fd, SHUT_RDWR);
  if (client->spawned && client->detached)
    sonde_session_reap_later (client->pid, -1);
  if (!client->spawned || client->detached)
    return 0;
  pthread_mutex_unlock (&client->lock);
  status = sonde_session_reap (client->pid, CHILD_END_MS);
  pthread_mutex_lock (&client->lock);
  return status;
}

/* Why ssh ended, where it carried the session; NULL: it ended well, or there is none. The lock is held
 * on entry and on return. */
static SondeMessage *
end_carrier (SondeSessionClient *client)
{
  SondeMessage *reason;

  if (client->carrier == NULL || client->detached)
    return NULL;
  pthread_mutex_unlock (&client->lock);
  reason = sonde_session_carrier_end (client->carrier);
  pthread_mutex_lock (&client->lock);
  return reason;
}

/* The connection is over; the lock is held. */
static void
close_down (SondeSessionClient *client, const GError *error)
{
  SondeSessionEvent *event = g_new0 (SondeSessionEvent, 1);
  SondeMessage *reason;

  client->exit_status = end_child (client);
  reason = end_carrier (client);
  if (client->goodbye != NULL)
    {
      client->reason = sonde_message_copy (client->goodbye);
      sonde_message_free (reason);
    }
  else if (reason != NULL)
    client->reason = reason;
  else if (client->spawned && client->channel.ended && !client->detached)
    client->reason = sonde_session_describe_exit (client->exit_status);
  else
    client->reason = error != NULL ? sonde_error_dup_message (error)
                                   : sonde_message_new ("The session was closed.");
  client->closed = TRUE;
  fail_all (client);
  event->kind = SONDE_SESSION_EVENT_CLOSED;
  event->message = sonde_message_copy (client->reason);
  event->text = sonde_message_dup_english (client->reason);
  sonde_session_client_push_event (client, event);
}

void *
sonde_session_client_read (void *data)
{
  SondeSessionClient *client = data;
  gboolean open = TRUE;
  int timeout_ms = -1;

  pthread_mutex_lock (&client->lock);
  while (open && !atomic_load (&client->closing))
    {
      struct pollfd fds[2] = {
        { .fd = client->channel.fd,
          .events = (short) (POLLIN | (client->channel.queued > 0 ? POLLOUT : 0)) },
        { .fd = client->wake, .events = POLLIN },
      };
      g_autoptr (GError) error = NULL;
      guint64 counted, before = client->channel.n_received;

      pthread_mutex_unlock (&client->lock);
      if (poll (fds, 2, timeout_ms) > 0 && fds[1].revents != 0
          && read (client->wake, &counted, sizeof counted) < 0)
        g_debug ("nothing to wake up for");
      pthread_mutex_lock (&client->lock);
      open = serve (client, &error);
      if (!open && !atomic_load (&client->closing))
        close_down (client, error);
      else if (open)
        timeout_ms = watch_responses (client, client->channel.n_received != before);
    }
  pthread_mutex_unlock (&client->lock);
  return NULL;
}
