/* SPDX-License-Identifier: Apache-2.0
 * Opening, running and ending. Engine thread. */
#include "engine/session/activity/sonde-activity-session.h"

/* ---- opening and ending -------------------------------------------------- */

static void
tell_progress (const char *what, double fraction, gpointer data)
{
  sonde_session_tell_progress (data, what, fraction);
}

gboolean
sonde_serve_open (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                  GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  SondeSessionHost *host = server->options.host;
  SondeOpenRequest request;
  SondeActivity *activity;

  sonde_codec_read_open (job->request->open, answer->memory, &request);
  if (session->activity != NULL && !request.replace)
    return sonde_session_refuse (
        error, "Something is already open in this session; start another session.");
  if (session->run_now)
    return sonde_session_refuse (
        error, "This run was started outside of the session and cannot be replaced.");
  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "Pause the run before opening something else.");
  if (!sonde_activity_session_close (session, error))
    return FALSE;
  sonde_session_set_state (server, SONDE_SESSION_LOADING, SONDE_SESSION_EVENT_PROGRESS);
  activity = host->open (host, &request, tell_progress, server, error);
  if (activity == NULL)
    {
      sonde_session_set_state (server, SONDE_SESSION_EMPTY, SONDE_SESSION_EVENT_PROGRESS);
      return FALSE;
    }
  sonde_activity_session_adopt (session, activity);
  sonde_codec_write_stops (
      answer, activity->klass->get_stops != NULL ? activity->klass->get_stops (activity) : NULL);
  return TRUE;
}

gboolean
sonde_serve_quit (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                  GError **error)
{
  server->done = TRUE;
  return sonde_activity_session_finish (sonde_activity_session_of (server), error);
}

/* ---- running ------------------------------------------------------------- */

gboolean
sonde_serve_restart (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                     GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  SondeActivity *activity = session->activity;

  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "Pause the run before restarting it.");
  if (activity->klass->restart == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "This run cannot return to its beginning; start it again.");
      return FALSE;
    }
  if (!activity->klass->restart (activity, error))
    return FALSE;
  sonde_debugger_restarted (session->debugger);
  sonde_activity_session_forget_end (session);
  sonde_session_set_state (server, SONDE_SESSION_READY, SONDE_SESSION_EVENT_PROGRESS);
  sonde_activity_session_follow_model (session);
  return TRUE;
}
