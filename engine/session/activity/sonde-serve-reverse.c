/* SPDX-License-Identifier: Apache-2.0
 * Requests that go back. Engine thread. Reverse execution is a run like any other: it can be paused. */
#include "engine/session/activity/sonde-activity-session.h"

static gboolean
go_back (SondeSessionServer *server, const SondeBack *back, GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);

  if (!sonde_debugger_go_back (session->debugger, back, error))
    return FALSE;
  sonde_activity_session_forget_end (session);
  sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
  return TRUE;
}

gboolean
sonde_serve_go_back (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                     GError **error)
{
  SondeBack back;

  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "Pause the run first.");
  if (!sonde_codec_read_go_back (job->request->go_back, &back) || back.kind == SONDE_BACK_CAPTURE)
    return sonde_session_refuse (error, "This version does not support that way of going back.");
  return go_back (server, &back, error);
}

gboolean
sonde_serve_rewind (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                    GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const SondeActivityClass *klass = session->activity->klass;
  const char *path = job->request->rewind->path;
  g_autofree char *file = NULL;
  SondeBack back = { .kind = SONDE_BACK_RUN };
  SondeStop stop;

  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "Pause the run first.");
  if (klass->save_batch == NULL)
    return sonde_session_refuse (
        error,
        "Only a training has steps and batches to rewind to; restart goes back to the beginning.");
  sonde_debugger_get_stop (session->debugger, &stop);
  back.count = stop.step;
  file = klass->save_batch (session->activity, stop.step, *path != '\0' ? path : NULL, error);
  if (file == NULL || !go_back (server, &back, error))
    return FALSE;
  answer->reply.path = sonde_codec_text (answer->memory, file);
  return TRUE;
}
