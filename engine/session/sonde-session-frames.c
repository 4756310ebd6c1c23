/* SPDX-License-Identifier: Apache-2.0
 * Frames on the server's side: as messages, and requests about them. */
#include "engine/session/sonde-session-server-private.h"

/* ---- messages ------------------------------------------------------------ */

static void *
keep (GPtrArray *garbage, gsize bytes)
{
  void *memory = g_malloc0 (MAX (bytes, 1));

  g_ptr_array_add (garbage, memory);
  return memory;
}

static char *
text_or_empty (char *text)
{
  return text != NULL ? text : (char *) "";
}

static void
fill_scopes (const SondeFrame *info, Sonde__Session__Frame *message, GPtrArray *garbage)
{
  message->n_scopes = info->scopes->len;
  message->scopes = keep (garbage, info->scopes->len * sizeof *message->scopes);
  for (guint i = 0; i < info->scopes->len; i++)
    {
      const SondeFrameScope *scope = g_ptr_array_index (info->scopes, i);

      message->scopes[i] = keep (garbage, sizeof **message->scopes);
      sonde__session__frame_scope__init (message->scopes[i]);
      message->scopes[i]->scope = text_or_empty (scope->scope);
      message->scopes[i]->call = text_or_empty (scope->call);
      message->scopes[i]->function = text_or_empty (scope->function);
    }
}

static void
fill_frame (const SondeFrame *info, Sonde__Session__Frame *message, GPtrArray *garbage)
{
  sonde__session__frame__init (message);
  message->kind = info->kind;
  message->node = info->node;
  message->op = info->op;
  message->body = info->body;
  message->iteration = info->iteration;
  message->position = info->position;
  message->n_steps = info->n_steps;
  message->after = info->moment == SONDE_MOMENT_AFTER;
  message->at = info->at;
  message->at_op = info->at_op;
  message->scope = text_or_empty (info->scope);
  message->originals = info->originals;
  message->n_originals = g_strv_length (info->originals);
  fill_scopes (info, message, garbage);
}

Sonde__Session__Frame **
sonde_session_fill_frames (const GPtrArray *frames, GPtrArray *garbage, gsize *n)
{
  Sonde__Session__Frame **messages;

  *n = frames != NULL ? frames->len : 0;
  messages = keep (garbage, *n * sizeof *messages);
  for (gsize i = 0; i < *n; i++)
    {
      messages[i] = keep (garbage, sizeof **messages);
      fill_frame (g_ptr_array_index (frames, i), messages[i], garbage);
    }
  return messages;
}

/* ---- requests ------------------------------------------------------------ */

static void
answer_frames (SondeSessionServer *server, SondeSessionAnswer *answer)
{
  GPtrArray *frames = sonde_debugger_get_frames (server->debugger);

  g_ptr_array_add (answer->frames, frames);
  answer->reply.frames
      = sonde_session_fill_frames (frames, answer->garbage, &answer->reply.n_frames);
  answer->reply.selected = sonde_debugger_get_selected (server->debugger);
}

gboolean
sonde_session_handle_frames (SondeSessionServer *server, SondeSessionJob *job,
                             SondeSessionAnswer *answer, GError **error)
{
  answer_frames (server, answer);
  return TRUE;
}

gboolean
sonde_session_handle_select_frame (SondeSessionServer *server, SondeSessionJob *job,
                                   SondeSessionAnswer *answer, GError **error)
{
  if (!sonde_debugger_select_frame (server->debugger, job->request->select_frame->level, error))
    return FALSE;
  answer_frames (server, answer);
  return TRUE;
}

SondeExecution *
sonde_session_pick_frame (SondeSessionServer *server, guint32 frame, GError **error)
{
  SondeExecution *execution;

  if (frame == 0)
    return sonde_debugger_get_execution (server->debugger);
  if (frame == G_MAXUINT32)
    return sonde_debugger_get_selected_execution (server->debugger);
  execution = sonde_debugger_get_frame_execution (server->debugger, frame - 1);
  if (execution == NULL)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "There is no frame %u; info stack lists those that there are.", frame - 1);
  return execution;
}
