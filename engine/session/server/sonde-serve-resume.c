/* SPDX-License-Identifier: Apache-2.0
 * Resuming and pausing, whatever runs. */
#include "engine/session/server/sonde-serve-table.h"

gboolean
sonde_serve_resume (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                    GError **error)
{
  SondeResume resume;

  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "The run is not paused; pause it first.");
  if (server->state == SONDE_SESSION_ENDED)
    return sonde_session_refuse (error, "The run has ended; use restart to begin it again.");
  if (!sonde_codec_read_resume (job->request->resume, &resume))
    return sonde_session_refuse (error, "This version does not support that way of resuming.");
  if (!server->target->klass->resume (server->target, &resume, error))
    return FALSE;
  sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
  if (server->target->klass->has_stopped (server->target)) /* there was nothing to run */
    sonde_session_set_state (server, SONDE_SESSION_PAUSED, SONDE_SESSION_EVENT_STOPPED);
  return TRUE;
}

gboolean
sonde_serve_pause (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                   GError **error)
{
  if (server->state == SONDE_SESSION_ENDED)
    return sonde_session_refuse (error, "The run has ended.");
  if (server->state != SONDE_SESSION_RUNNING)
    return TRUE;
  server->target->klass->stop_here (server->target);
  if (server->target->klass->has_stopped (server->target)) /* else it does at its next node */
    sonde_session_set_state (server, SONDE_SESSION_PAUSED, SONDE_SESSION_EVENT_STOPPED);
  return TRUE;
}
