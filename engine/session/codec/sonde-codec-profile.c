/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-profile.h"

#include <math.h>

#include "engine/session/codec/sonde-codec-reply.h"

/* ---- requests ------------------------------------------------------------ */

SondeSessionRequest *
sonde_session_request_profile_start (const SondeSpanLogOptions *options)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_PROFILE_START, SONDE_SESSION_REPLY_PROFILE);

  request->message.profile_start->steps = options->n_steps;
  request->message.profile_start->slower = options->slower;
  request->message.profile_start->kernels = options->kernels;
  return request;
}

SondeSessionRequest *
sonde_session_request_profile_stop (void)
{
  return sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_PROFILE_STOP,
                                    SONDE_SESSION_REPLY_PROFILE);
}

SondeSessionRequest *
sonde_session_request_profile_status (void)
{
  return sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_PROFILE_STATUS,
                                    SONDE_SESSION_REPLY_PROFILE);
}

SondeSessionRequest *
sonde_session_request_profile_keep (const char *folder)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_PROFILE_KEEP, SONDE_SESSION_REPLY_PROFILE);

  request->message.profile_keep->folder = sonde_codec_text (request->memory, folder);
  return request;
}

gboolean
sonde_codec_read_profile_start (const Sonde__Session__ProfileStart *message,
                                SondeSpanLogOptions *options)
{
  *options = (SondeSpanLogOptions){ .n_steps = message->steps,
                                    .slower = message->slower,
                                    .kernels = message->kernels };
  return isfinite (message->slower) && message->slower >= 0;
}

/* ---- the reply ----------------------------------------------------------- */

Sonde__Session__Profile *
sonde_codec_write_profile (GPtrArray *memory, const SondeSpanLogStatus *status)
{
  Sonde__Session__Profile *message = sonde_codec_new (memory, &sonde__session__profile__descriptor);

  message->recording = status->recording;
  message->steps = status->steps;
  message->spans = status->spans;
  message->bytes = status->bytes;
  message->dropped = status->dropped;
  message->overhead_ms = status->overhead_ms;
  return message;
}

static gboolean
read_reply (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  const Sonde__Session__Profile *from = message->profile;

  reply->profile = (SondeSpanLogStatus){
    .recording = from->recording,
    .steps = from->steps,
    .spans = from->spans,
    .bytes = from->bytes,
    .dropped = from->dropped,
    .overhead_ms = from->overhead_ms,
  };
  return TRUE;
}

static void
clear_reply (SondeSessionReply *reply)
{
}

const SondeReplyCodec sonde_codec_profile
    = { SONDE_SESSION_REPLY_PROFILE, read_reply, clear_reply };
