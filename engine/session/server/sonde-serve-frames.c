/* SPDX-License-Identifier: Apache-2.0
 * Requests about frames. Engine thread. */
#include "engine/session/server/sonde-serve-table.h"

static void
answer_frames (SondeSessionServer *server, SondeSessionAnswer *answer)
{
  Sonde__Session__Frames *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_FRAMES);
  g_autoptr (GPtrArray) frames = server->target->klass->get_frames (server->target);

  message->frames = sonde_codec_write_frames (answer->memory, frames, &message->n_frames);
  message->selected = server->target->klass->get_selected (server->target);
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
  if (!server->target->klass->select_frame (server->target, job->request->select_frame->level,
                                            error))
    return FALSE;
  answer_frames (server, answer);
  return TRUE;
}
