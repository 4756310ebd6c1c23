/* SPDX-License-Identifier: Apache-2.0
 * Capture files: what a client wants kept. Engine thread. */
#include "engine/session/activity/sonde-activity-session.h"

gboolean
sonde_serve_capture (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                     GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const Sonde__Session__Capture *message = job->request->capture;
  SondeSessionHost *host = server->options.host;
  g_autofree const char **values = g_new0 (const char *, message->n_values + 1);
  g_autoptr (GPtrArray) stops = sonde_codec_read_stops (message->stops, message->n_stops);
  SondeSessionCapture request = { .path = message->path, .values = values, .stops = stops };
  SondeStop stop;

  if (host->write_capture == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "This engine cannot write captures.");
      return FALSE;
    }
  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "Pause the run before capturing it.");
  if (!g_path_is_absolute (message->path))
    return sonde_session_refuse (error, "The path of a capture must be absolute: “%s”.",
                                 message->path);
  for (gsize i = 0; i < message->n_values; i++)
    values[i] = message->values[i];
  sonde_debugger_get_stop (session->debugger, &stop);
  request.stop = &stop;
  if (!host->write_capture (host, session->activity, &request, error))
    return FALSE;
  answer->reply.path = sonde_codec_text (answer->memory, message->path);
  return TRUE;
}
