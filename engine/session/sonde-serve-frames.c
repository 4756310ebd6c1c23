/* SPDX-License-Identifier: Apache-2.0
 * Requests about frames. Engine thread. */
#include "engine/session/sonde-serve-table.h"

static void
answer_frames (SondeSessionServer *server, SondeSessionAnswer *answer)
{
  Sonde__Session__Frames *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_FRAMES);
  g_autoptr (GPtrArray) frames = sonde_debugger_get_frames (server->debugger);

  message->frames = sonde_codec_write_frames (answer->memory, frames, &message->n_frames);
  message->selected = sonde_debugger_get_selected (server->debugger);
}

gboolean
sonde_serve_frames (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                    GError **error)
{
  answer_frames (server, answer);
  return TRUE;
}

gboolean
sonde_serve_select_frame (SondeSessionServer *server, SondeSessionJob *job,
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
