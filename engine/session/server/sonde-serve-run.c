/* SPDX-License-Identifier: Apache-2.0
 * Opening, running and ending. Engine thread. */
#include "engine/session/server/sonde-serve-table.h"

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
  SondeSessionHost *host = server->options.host;
  SondeOpenRequest request;
  SondeActivity *activity;

  sonde_codec_read_open (job->request->open, answer->memory, &request);
  if (server->activity != NULL && !request.replace)
    return sonde_session_refuse (
        error, "Something is already open in this session; start another session.");
  if (server->run_now)
    return sonde_session_refuse (
        error, "This run was started outside of the session and cannot be replaced.");
  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "Pause the run before opening something else.");
  if (!sonde_session_close_activity (server, error))
    return FALSE;
  sonde_session_set_state (server, SONDE_SESSION_LOADING, SONDE_SESSION_EVENT_PROGRESS);
  activity = host->open (host, &request, tell_progress, server, error);
  if (activity == NULL)
    {
      sonde_session_set_state (server, SONDE_SESSION_EMPTY, SONDE_SESSION_EVENT_PROGRESS);
      return FALSE;
    }
  sonde_session_adopt (server, activity);
  sonde_codec_write_stops (
      answer, activity->klass->get_stops != NULL ? activity->klass->get_stops (activity) : NULL);
  return TRUE;
}

gboolean
sonde_serve_quit (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                  GError **error)
{
  server->done = TRUE;
  return sonde_session_finish (server, error);
}

/* ---- running ------------------------------------------------------------- */

gboolean
sonde_serve_restart (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                     GError **error)
{
  SondeActivity *activity = server->activity;

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
  sonde_debugger_restarted (server->debugger);
  g_clear_pointer (&server->end_message, sonde_message_free);
  g_clear_error (&server->failure);
  server->end = SONDE_SESSION_DONE;
  sonde_session_set_state (server, SONDE_SESSION_READY, SONDE_SESSION_EVENT_PROGRESS);
  sonde_session_follow_model (server);
  return TRUE;
}
