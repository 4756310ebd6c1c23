/* SPDX-License-Identifier: Apache-2.0
 * Requests that need no engine: the thread that serves clients answers them itself. */
#include "engine/session/server/sonde-serve.h"

#include "engine/session/codec/sonde-codec-profile.h"
#include "engine/session/codec/sonde-codec-status.h"
#include "engine/session/sonde-session-directory.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define FREE_FAILURES 5 /* wrong tokens before each costs a second */

static void
reply_status (SondeSessionServer *server, SondeSessionPeer *peer, guint32 id)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Reply reply = SONDE__SESSION__REPLY__INIT;
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();

  server->status->has_controller = server->controller != 0;
  reply.id = id;
  reply.state = server->status->state;
  reply.status = sonde_codec_write_status (memory, server->status, peer->id == server->controller);
  message.body_case = SONDE__SESSION__MESSAGE__BODY_REPLY;
  message.reply = &reply;
  sonde_session_send (server, peer, &message, -1);
}

static void
reply_ping (SondeSessionServer *server, SondeSessionPeer *peer, guint32 id)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Reply reply = SONDE__SESSION__REPLY__INIT;

  reply.id = id;
  reply.state = server->status->state;
  message.body_case = SONDE__SESSION__MESSAGE__BODY_REPLY;
  message.reply = &reply;
  sonde_session_send (server, peer, &message, -1);
}

/* Asking how far a recording is would spoil the step that is measured, if the run stood for it. */
static void
reply_profile (SondeSessionServer *server, SondeSessionPeer *peer, guint32 id)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Reply reply = SONDE__SESSION__REPLY__INIT;
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();
  SondeSpanLogStatus status;

  sonde_span_log_get_status (server->spans, &status);
  reply.id = id;
  reply.state = server->status->state;
  reply.body_case = SONDE__SESSION__REPLY__BODY_PROFILE;
  reply.profile = sonde_codec_write_profile (memory, &status);
  message.body_case = SONDE__SESSION__MESSAGE__BODY_REPLY;
  message.reply = &reply;
  sonde_session_send (server, peer, &message, -1);
}

/* (transfer full) (nullable): why it is turned away */
static SondeMessage *
take_hello (SondeSessionServer *server, SondeSessionPeer *peer,
            const Sonde__Session__Request *request)
{
  const Sonde__Session__Hello *hello = request->hello;

  if (request->body_case != SONDE__SESSION__REQUEST__BODY_HELLO)
    return sonde_message_new ("The first request must be hello.");
  if (hello->version != SONDE_SESSION_VERSION)
    return sonde_message_new ("This session speaks version %d of the protocol, the client version "
                              "%u.",
                              SONDE_SESSION_VERSION, hello->version);
  if (!peer->inherited && !sonde_session_listener_check_token (&server->listener, hello->token))
    {
      if (++server->listener.failures >= FREE_FAILURES)
        server->listener.accept_after_ns
            = sonde_clock_monotonic_ns (server->options.clock) + SECOND;
      return sonde_message_new ("The token is wrong.");
    }
  peer->welcome = TRUE;
  if (atomic_fetch_add (&server->n_welcome, 1) == 0
      && server->status->state == SONDE_SESSION_RUNNING)
    server->stale = TRUE;
  if (hello->control && server->controller == 0)
    server->controller = peer->id;
  reply_status (server, peer, request->id);
  return NULL;
}

static void
take_control (SondeSessionServer *server, SondeSessionPeer *peer,
              const Sonde__Session__Request *request)
{
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;

  if (request->control->take && server->controller == 0)
    server->controller = peer->id;
  else if (!request->control->take && server->controller == peer->id)
    server->controller = 0;
  reply_status (server, peer, request->id);
  event.kind = SONDE_SESSION_EVENT_CONTROL;
  sonde_session_broadcast (server, &event, TRUE);
}

SondeMessage *
sonde_session_take_request (SondeSessionServer *server, SondeSessionPeer *peer,
                            Sonde__Session__Request *request, gboolean *detached)
{
  SondeMessage *reason = NULL;
  int kind = (int) request->body_case;
  gboolean later
      = (kind == SONDE__SESSION__REQUEST__BODY_STATUS && server->stale)
        || (kind == SONDE__SESSION__REQUEST__BODY_PROFILE_STATUS && server->spans == NULL);

  if (!peer->welcome)
    reason = take_hello (server, peer, request);
  else
    switch (later ? -1 : kind)
      {
      case SONDE__SESSION__REQUEST__BODY_STATUS:
        reply_status (server, peer, request->id);
        break;
      case SONDE__SESSION__REQUEST__BODY_CONTROL:
        take_control (server, peer, request);
        break;
      case SONDE__SESSION__REQUEST__BODY_TAKEN:
        peer->in_transit -= MIN (peer->in_transit, request->taken->bytes);
        break;
      case SONDE__SESSION__REQUEST__BODY_ALIVE:
        break;
      case SONDE__SESSION__REQUEST__BODY_CANCEL:
        if (request->cancel->id != 0)
          sonde_session_cancel_call (server, peer->id, request->cancel->id);
        break;
      case SONDE__SESSION__REQUEST__BODY_PING:
        reply_ping (server, peer, request->id);
        break;
      case SONDE__SESSION__REQUEST__BODY_PROFILE_STATUS:
        reply_profile (server, peer, request->id);
        break;
      case SONDE__SESSION__REQUEST__BODY_DETACH:
        *detached = TRUE;
        break;
      default:
        sonde_session_push_job (server, peer, request, FALSE);
        return NULL;
      }
  sonde_wire_free (request);
  return reason;
}
