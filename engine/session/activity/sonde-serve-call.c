/* SPDX-License-Identifier: Apache-2.0
 * Calls of the program's own: handed to the host on the engine thread, cancelled from the socket
 * thread. */
#include "engine/session/codec/sonde-codec-message.h"
#include "data/base/sonde-text.h"
#include "engine/session/activity/sonde-activity-session.h"

#include "data/base/sonde-clock.h"

#define PROGRESS_NS (50 * G_GINT64_CONSTANT (1000000))

/* @told: what the client heard of last, and when */
typedef struct
{
  SondeSessionCall call;
  SondeSessionServer *server;
  guint64 peer;
  guint32 id;
  char *told;
  gint64 told_ns;
} Call;

/* ---- cancelling ---------------------------------------------------------- */

static gboolean
is_cancelled (SondeSessionCall *base)
{
  SondeSessionServer *server = ((Call *) base)->server;

  return atomic_load (&server->call_cancelled) || atomic_load (&server->quitting)
         || atomic_load (&server->closing);
}

static void
leave (SondeSessionServer *server)
{
  pthread_mutex_lock (&server->lock);
  server->calling_peer = 0;
  server->calling_id = 0;
  pthread_mutex_unlock (&server->lock);
}

/* ---- telling ------------------------------------------------------------- */

/* To its client alone. Returns: whether it went out. */
static gboolean
send_event (Call *call, Sonde__Session__Event *event)
{
  SondeSessionServer *server = call->server;
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  SondeSessionPeer *peer;
  gboolean sent;

  message.body_case = SONDE__SESSION__MESSAGE__BODY_EVENT;
  message.event = event;
  pthread_mutex_lock (&server->lock);
  peer = sonde_session_find_peer (server, call->peer);
  sent = peer != NULL && peer->channel.queued < SONDE_SESSION_UNREAD_BYTES
         && peer->channel.queued_fds < SONDE_SESSION_UNREAD_VALUES / 2
         && peer->in_transit < SONDE_SESSION_MEMORY_BYTES / 2;
  if (sent)
    sonde_session_send (server, peer, &message, -1);
  pthread_mutex_unlock (&server->lock);
  return sent;
}

static void
tell_progress (SondeSessionCall *base, const char *what, double fraction, double seconds_left)
{
  Call *call = (Call *) base;
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;
  gint64 now = sonde_clock_monotonic_ns (NULL);
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();

  if (now - call->told_ns < PROGRESS_NS && g_strcmp0 (what, call->told) == 0)
    return;
  event.kind = SONDE_SESSION_EVENT_PROGRESS;
  sonde_codec_write_id (memory, what, &event.text, &event.parts, &event.n_parts);
  event.fraction = fraction;
  event.seconds_left = seconds_left;
  event.call = call->id;
  send_event (call, &event);
  g_free (call->told);
  call->told = g_strdup (what);
  call->told_ns = now;
}

static void
hand_out_part (SondeSessionCall *base, GVariant *part, GPtrArray *tensors)
{
  Call *call = (Call *) base;
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;
  Sonde__Session__CallResult result = SONDE__SESSION__CALL_RESULT__INIT;

  event.kind = SONDE_SESSION_EVENT_CALL_PART;
  event.call = call->id;
  event.part = &result;
  event.text = (char *) "";
  if (sonde_codec_write_call (part, tensors, SONDE_SESSION_QUEUE_BYTES / 4, memory, &result, NULL))
    send_event (call, &event);
}

/* ---- the request --------------------------------------------------------- */

static gboolean
do_call (Call *call, SondeSessionAnswer *answer, GError **error)
{
  SondeSessionHost *host = call->server->options.host;
  g_autoptr (GVariant) result = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  Sonde__Session__CallResult *message;

  if (!host->call (host, &call->call, &result, &tensors, error))
    return FALSE;
  if (result == NULL)
    result = g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
  g_variant_take_ref (result); /* ours, floating or not; packing holds its own */
  message = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_CALL);
  return sonde_codec_write_call (result, tensors, SONDE_SESSION_ELSEWHERE_BYTES - (1 << 20),
                                 answer->memory, message, error);
}

gboolean
sonde_serve_call (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                  GError **error)
{
  const Sonde__Session__Call *message = job->request->call;
  Call call = { .call = { .name = message->name,
                          .is_cancelled = is_cancelled,
                          .progress = tell_progress,
                          .part = hand_out_part },
                .server = server,
                .peer = job->peer,
                .id = job->id };
  g_autoptr (GVariant) arguments = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  gboolean good = FALSE;

  if (server->options.host->call == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "This engine supports no calls.");
  else if (server->state == SONDE_SESSION_RUNNING)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "Pause the run first.");
  else if (message->arguments == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "This call has no arguments.");
  else if (sonde_codec_read_call (message->arguments, N_ ("This call"), &arguments, &tensors,
                                  error))
    {
      call.call.arguments = arguments;
      call.call.tensors = tensors;
      if (!is_cancelled (&call.call))
        good = do_call (&call, answer, error);
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                         "The call was cancelled before it began.");
    }
  leave (server);
  g_free (call.told);
  return good;
}
