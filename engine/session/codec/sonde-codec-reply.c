/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-reply.h"

#include "data/base/sonde-text.h"
#include "engine/session/codec/sonde-codec-call.h"
#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/codec/sonde-codec-status.h"

#define ROW(body, name) [SONDE__SESSION__REPLY__BODY_##body] = &sonde_codec_##name,

static const SondeReplyCodec *const codecs[] = { SONDE_SESSION_REPLIES (ROW) };

static const SondeReplyCodec *
find_codec (SondeSessionReplyKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (codecs[i] != NULL && codecs[i]->kind == kind)
      return codecs[i];
  return NULL;
}

SondeSessionReply *
sonde_codec_read_reply (const Sonde__Session__Reply *message, SondeReplySource *source,
                        GError **error)
{
  g_autoptr (SondeSessionReply) reply = g_new0 (SondeSessionReply, 1);
  guint body = (guint) message->body_case;
  const SondeReplyCodec *codec = body < G_N_ELEMENTS (codecs) ? codecs[body] : NULL;

  if (message->error != NULL)
    {
      g_propagate_error (error, sonde_codec_read_error (message->error));
      return NULL;
    }
  reply->state = (SondeSessionState) MIN (message->state, SONDE_SESSION_ENDED);
  reply->status = message->status != NULL ? sonde_codec_read_status (message->status) : NULL;
  reply->path = sonde_codec_dup_optional (message->path);
  if (codec == NULL)
    return g_steal_pointer (&reply);
  reply->kind = codec->kind;
  return codec->read (message, reply, source, error) ? g_steal_pointer (&reply) : NULL;
}

void
sonde_session_reply_free (SondeSessionReply *reply)
{
  const SondeReplyCodec *codec = reply != NULL ? find_codec (reply->kind) : NULL;

  if (reply == NULL)
    return;
  if (codec != NULL)
    codec->clear (reply);
  sonde_session_status_free (reply->status);
  g_free (reply->path);
  g_free (reply);
}

/* ---- events -------------------------------------------------------------- */

SondeSessionEvent *
sonde_codec_read_event (const Sonde__Session__Event *message)
{
  SondeSessionEvent *event = g_new0 (SondeSessionEvent, 1);

  event->kind = message->kind == SONDE_SESSION_EVENT_CALL_PART
                    ? SONDE_SESSION_EVENT_CALL_PART
                    : (SondeSessionEventKind) MIN (message->kind, SONDE_SESSION_EVENT_CLOSED);
  event->status = message->status != NULL ? sonde_codec_read_status (message->status) : NULL;
  event->text = sonde_codec_dup_optional (message->text);
  event->message = sonde_codec_read_message (message->text, message->parts, message->n_parts);
  event->fraction = message->fraction;
  event->node = sonde_codec_dup_optional (message->node);
  event->breakpoint = message->breakpoint;
  event->moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  event->step = message->step;
  event->call = message->call;
  event->seconds_left = message->call != 0 ? message->seconds_left : -1;
  if (message->part != NULL)
    sonde_codec_read_call (message->part, N_ ("a part of a call"), &event->result, &event->tensors,
                           NULL);
  return event;
}
