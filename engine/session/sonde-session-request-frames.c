/* SPDX-License-Identifier: Apache-2.0
 * Frames on the client's side: requests about them, and frames that came. */
#include "engine/session/sonde-session-client-private.h"

SondeSessionRequest *
sonde_session_request_frames (void)
{
  return sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_FRAMES,
                                    sizeof (Sonde__Session__Empty),
                                    (void (*) (void *)) sonde__session__empty__init);
}

SondeSessionRequest *
sonde_session_request_select_frame (guint level)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_SELECT_FRAME, sizeof (Sonde__Session__SelectFrame),
      (void (*) (void *)) sonde__session__select_frame__init);

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

/* ---- frames that came ---------------------------------------------------- */

static GPtrArray *
decode_scopes (const Sonde__Session__Frame *message)
{
  GPtrArray *scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_scope_free);

  for (gsize i = 0; i < message->n_scopes; i++)
    {
      SondeFrameScope *scope = g_new0 (SondeFrameScope, 1);

      scope->scope = sonde_session_dup_text (message->scopes[i]->scope);
      scope->call = sonde_session_dup_optional (message->scopes[i]->call);
      scope->function = sonde_session_dup_optional (message->scopes[i]->function);
      g_ptr_array_add (scopes, scope);
    }
  return scopes;
}

static SondeFrame *
decode_frame (const Sonde__Session__Frame *message)
{
  SondeFrame *info = g_new0 (SondeFrame, 1);

  info->kind
      = message->kind <= SONDE_FRAME_FUSED ? (SondeFrameKind) message->kind : SONDE_FRAME_GRAPH;
  info->node = sonde_session_dup_text (message->node);
  info->op = sonde_session_dup_text (message->op);
  info->body = sonde_session_dup_text (message->body);
  info->iteration = message->iteration;
  info->position = message->position;
  info->n_steps = message->n_steps;
  info->moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  info->at = sonde_session_dup_text (message->at);
  info->at_op = sonde_session_dup_text (message->at_op);
  info->scope = sonde_session_dup_optional (message->scope);
  info->originals = g_new0 (char *, message->n_originals + 1);
  for (gsize i = 0; i < message->n_originals; i++)
    info->originals[i] = sonde_session_dup_text (message->originals[i]);
  info->scopes = decode_scopes (message);
  return info;
}

GPtrArray *
sonde_session_decode_frames (Sonde__Session__Frame *const *frames, gsize n)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_free);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (list, decode_frame (frames[i]));
  return list;
}
