/* SPDX-License-Identifier: Apache-2.0
 * Messages on their way to clients: packed, queued, large ones put into memory of their own. */
#include "engine/session/server/sonde-session-server-private.h"

#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/codec/sonde-codec-status.h"

static GBytes *
pack_reply_error (guint32 id, const GError *error)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Reply reply = SONDE__SESSION__REPLY__INIT;
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();

  reply.id = id;
  reply.error = sonde_codec_write_error (memory, error);
  message.body_case = SONDE__SESSION__MESSAGE__BODY_REPLY;
  message.reply = &reply;
  return sonde_session_pack (&message.base);
}

/* The frame that says that @message (its frame is @frame) lies in *@memfd. */
static GBytes *
pack_elsewhere (SondeSessionPeer *peer, const Sonde__Session__Message *message, GBytes *frame,
                int *memfd)
{
  Sonde__Session__Message outer = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Elsewhere elsewhere = SONDE__SESSION__ELSEWHERE__INIT;
  g_autoptr (GError) error = NULL;
  const guint8 *data = g_bytes_get_data (frame, NULL);

  elsewhere.bytes = g_bytes_get_size (frame) - SONDE_SESSION_LENGTH_BYTES;
  *memfd = sonde_session_make_memfd (data + SONDE_SESSION_LENGTH_BYTES, elsewhere.bytes, &error);
  if (*memfd < 0)
    return pack_reply_error (
        message->body_case == SONDE__SESSION__MESSAGE__BODY_REPLY ? message->reply->id : 0, error);
  peer->in_transit += elsewhere.bytes;
  outer.body_case = SONDE__SESSION__MESSAGE__BODY_ELSEWHERE;
  outer.elsewhere = &elsewhere;
  return sonde_session_pack (&outer.base);
}

void
sonde_session_send (SondeSessionServer *server, SondeSessionPeer *peer,
                    Sonde__Session__Message *message, int memfd)
{
  g_autoptr (GBytes) frame = sonde_session_pack (&message->base);

  if (g_bytes_get_size (frame) > SONDE_SESSION_MESSAGE_BYTES && memfd < 0)
    {
      g_autoptr (GBytes) whole = g_steal_pointer (&frame);

      frame = pack_elsewhere (peer, message, whole, &memfd);
    }
  sonde_session_channel_queue (&peer->channel, frame, memfd);
  sonde_session_socket_wake (server);
}

void
sonde_session_broadcast (SondeSessionServer *server, Sonde__Session__Event *event,
                         gboolean with_status)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();

  message.body_case = SONDE__SESSION__MESSAGE__BODY_EVENT;
  message.event = event;
  for (guint i = 0; i < server->peers->len; i++)
    {
      SondeSessionPeer *peer = g_ptr_array_index (server->peers, i);

      if (!peer->welcome)
        continue;
      if (with_status)
        {
          server->status->has_controller = server->controller != 0;
          event->status
              = sonde_codec_write_status (memory, server->status, peer->id == server->controller);
        }
      sonde_session_send (server, peer, &message, -1);
    }
  event->status = NULL;
}

void
sonde_session_send_closing (SondeSessionChannel *channel, const SondeMessage *reason)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();
  g_autoptr (GBytes) frame = NULL;

  event.kind = SONDE_SESSION_EVENT_CLOSED;
  sonde_codec_write_message (memory, reason, &event.text, &event.parts, &event.n_parts);
  message.body_case = SONDE__SESSION__MESSAGE__BODY_EVENT;
  message.event = &event;
  frame = sonde_session_pack (&message.base);
  sonde_session_channel_queue (channel, frame, -1);
  sonde_session_channel_flush (channel, NULL);
}
