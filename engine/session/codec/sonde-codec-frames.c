/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-frames.h"

#include "engine/session/codec/sonde-codec-reply.h"

/* ---- requests ------------------------------------------------------------ */

SondeSessionRequest *
sonde_session_request_frames (void)
{
  return sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_FRAMES,
                                    SONDE_SESSION_REPLY_FRAMES);
}

SondeSessionRequest *
sonde_session_request_select_frame (guint level)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_SELECT_FRAME, SONDE_SESSION_REPLY_FRAMES);

  request->message.select_frame->level = level;
  return request;
}

SondeSessionRequest *
sonde_session_request_in_frame (SondeSessionRequest *request, guint frame)
{
  Sonde__Session__Request *message = &request->message;

  if (message->body_case == SONDE__SESSION__REQUEST__BODY_VALUES)
    message->values->frame = frame;
  else if (message->body_case == SONDE__SESSION__REQUEST__BODY_STEPS)
    message->steps->frame = frame;
  else if (message->body_case == SONDE__SESSION__REQUEST__BODY_LISTING)
    message->listing->frame = frame;
  else if (message->body_case == SONDE__SESSION__REQUEST__BODY_GRAPH)
    message->graph->frame = frame;
  return request;
}

/* ---- frames -------------------------------------------------------------- */

static void
write_scopes (GPtrArray *memory, const SondeFrame *frame, Sonde__Session__Frame *message)
{
  message->n_scopes = frame->scopes->len;
  message->scopes = sonde_codec_list (memory, frame->scopes->len);
  for (guint i = 0; i < frame->scopes->len; i++)
    {
      const SondeFrameScope *scope = g_ptr_array_index (frame->scopes, i);
      Sonde__Session__FrameScope *to
          = sonde_codec_new (memory, &sonde__session__frame_scope__descriptor);

      to->scope = sonde_codec_text (memory, scope->scope);
      to->call = sonde_codec_text (memory, scope->call);
      to->function = sonde_codec_text (memory, scope->function);
      message->scopes[i] = to;
    }
}

static Sonde__Session__Frame *
write_frame (GPtrArray *memory, const SondeFrame *frame)
{
  Sonde__Session__Frame *message = sonde_codec_new (memory, &sonde__session__frame__descriptor);

  message->kind = frame->kind;
  message->node = sonde_codec_text (memory, frame->node);
  message->op = sonde_codec_text (memory, frame->op);
  message->body = sonde_codec_text (memory, frame->body);
  message->iteration = frame->iteration;
  message->position = frame->position;
  message->n_steps = frame->n_steps;
  message->after = frame->moment == SONDE_MOMENT_AFTER;
  message->at = sonde_codec_text (memory, frame->at);
  message->at_op = sonde_codec_text (memory, frame->at_op);
  message->scope = sonde_codec_text (memory, frame->scope);
  message->originals
      = sonde_codec_texts (memory, (const char *const *) frame->originals, &message->n_originals);
  write_scopes (memory, frame, message);
  return message;
}

Sonde__Session__Frame **
sonde_codec_write_frames (GPtrArray *memory, const GPtrArray *frames, gsize *n)
{
  Sonde__Session__Frame **messages = sonde_codec_list (memory, frames != NULL ? frames->len : 0);

  *n = frames != NULL ? frames->len : 0;
  for (gsize i = 0; i < *n; i++)
    messages[i] = write_frame (memory, g_ptr_array_index (frames, i));
  return messages;
}

static GPtrArray *
read_scopes (const Sonde__Session__Frame *message)
{
  GPtrArray *scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_scope_free);

  for (gsize i = 0; i < message->n_scopes; i++)
    {
      SondeFrameScope *scope = g_new0 (SondeFrameScope, 1);

      scope->scope = sonde_codec_dup (message->scopes[i]->scope);
      scope->call = sonde_codec_dup_optional (message->scopes[i]->call);
      scope->function = sonde_codec_dup_optional (message->scopes[i]->function);
      g_ptr_array_add (scopes, scope);
    }
  return scopes;
}

static SondeFrame *
read_frame (const Sonde__Session__Frame *message)
{
  SondeFrame *frame = g_new0 (SondeFrame, 1);

  frame->kind
      = message->kind <= SONDE_FRAME_PYTHON ? (SondeFrameKind) message->kind : SONDE_FRAME_GRAPH;
  frame->node = sonde_codec_dup (message->node);
  frame->op = sonde_codec_dup (message->op);
  frame->body = sonde_codec_dup (message->body);
  frame->iteration = message->iteration;
  frame->position = message->position;
  frame->n_steps = message->n_steps;
  frame->moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  frame->at = sonde_codec_dup (message->at);
  frame->at_op = sonde_codec_dup (message->at_op);
  frame->scope = sonde_codec_dup_optional (message->scope);
  frame->originals = sonde_codec_dup_texts (message->originals, message->n_originals);
  frame->scopes = read_scopes (message);
  return frame;
}

GPtrArray *
sonde_codec_read_frames (Sonde__Session__Frame *const *messages, gsize n)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_free);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (frames, read_frame (messages[i]));
  return frames;
}

/* ---- the reply ----------------------------------------------------------- */

static gboolean
read_reply (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  reply->frames = sonde_codec_read_frames (message->frames->frames, message->frames->n_frames);
  reply->selected = message->frames->selected;
  return TRUE;
}

static void
clear_reply (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->frames, g_ptr_array_unref);
}

const SondeReplyCodec sonde_codec_frames = { SONDE_SESSION_REPLY_FRAMES, read_reply, clear_reply };
