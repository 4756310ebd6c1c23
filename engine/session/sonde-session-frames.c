/* SPDX-License-Identifier: Apache-2.0
 * Frames on the server's side: a picture of them, as messages, and requests about them. */
#include "engine/session/sonde-session-server-private.h"

/* ---- the picture --------------------------------------------------------- */

static char *
dup_text (const char *text)
{
  return g_utf8_make_valid (text != NULL ? text : "", -1);
}

static GPtrArray *
take_scopes (SondeDebugger *debugger, const SondeFrame *frame)
{
  GPtrArray *scopes = sonde_debugger_get_frame_scopes (debugger, frame);

  for (guint i = 0; i < scopes->len; i++)
    {
      SondeFrameScope *scope = g_ptr_array_index (scopes, i);
      char **texts[] = { &scope->scope, &scope->call, &scope->function };

      for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
        if (*texts[k] != NULL)
          {
            char *valid = dup_text (*texts[k]);

            g_free (*texts[k]);
            *texts[k] = valid;
          }
    }
  return scopes;
}

static char **
dup_originals (const SondeNode *node)
{
  guint n = node != NULL ? node->origins->len : 0;
  char **names = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] = dup_text (g_ptr_array_index (node->origins, i));
  return names;
}

static SondeFrameInfo *
take_frame (SondeDebugger *debugger, const SondeFrame *frame)
{
  SondeFrameInfo *info = g_new0 (SondeFrameInfo, 1);

  info->kind = frame->kind;
  info->node = dup_text (frame->node);
  info->op = dup_text (frame->op);
  info->body = dup_text (frame->body);
  info->iteration = frame->iteration;
  info->position = frame->position;
  info->n_steps = frame->n_steps;
  info->moment = frame->moment;
  info->at = dup_text (frame->at);
  info->at_op = dup_text (frame->at_op);
  info->scope = frame->scope != NULL ? dup_text (frame->scope) : NULL;
  info->originals = dup_originals (frame->step_node);
  info->scopes = take_scopes (debugger, frame);
  return info;
}

GPtrArray *
sonde_session_take_frames (SondeDebugger *debugger)
{
  g_autoptr (GArray) frames = sonde_debugger_get_frames (debugger);
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_info_free);

  for (guint i = 0; i < frames->len; i++)
    g_ptr_array_add (list, take_frame (debugger, &g_array_index (frames, SondeFrame, i)));
  return list;
}

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
fill_scopes (const SondeFrameInfo *info, Sonde__Session__Frame *message, GPtrArray *garbage)
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
fill_frame (const SondeFrameInfo *info, Sonde__Session__Frame *message, GPtrArray *garbage)
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
  GPtrArray *frames = sonde_session_take_frames (server->debugger);

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
  g_autoptr (GArray) frames = NULL;

  if (frame == 0)
    return sonde_debugger_get_execution (server->debugger);
  if (frame == G_MAXUINT32)
    return sonde_debugger_get_selected_execution (server->debugger);
  frames = sonde_debugger_get_frames (server->debugger);
  if (frame <= frames->len)
    return g_array_index (frames, SondeFrame, frame - 1).execution;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
               "There is no frame %u; there are %u.", frame - 1, frames->len);
  return NULL;
}
