/* SPDX-License-Identifier: Apache-2.0
 * Capture files: what a client wants kept, and what comes with one that is opened. */
#include "engine/session/sonde-session-server-private.h"

gboolean
sonde_session_handle_capture (SondeSessionServer *server, SondeSessionJob *job,
                              SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__Capture *message = job->request->capture;
  SondeSessionHost *host = server->options.host;
  g_autofree const char **values = g_new0 (const char *, message->n_values + 1);
  g_autoptr (GPtrArray) stops
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_capture_stop_free);
  SondeSessionCapture request = { .path = message->path, .values = values, .stops = stops };
  SondeStop stop;

  if (host->write_capture == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                           "This engine cannot write captures.");
      return FALSE;
    }
  if (server->state == SONDE_SESSION_RUNNING || !g_path_is_absolute (message->path))
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           server->state == SONDE_SESSION_RUNNING
                               ? "It runs; pause it before it is captured."
                               : "The path of a capture must be absolute.");
      return FALSE;
    }
  for (gsize i = 0; i < message->n_values; i++)
    values[i] = message->values[i];
  for (gsize i = 0; i < message->n_stops; i++)
    g_ptr_array_add (stops,
                     sonde_capture_stop_new (message->stops[i]->text, message->stops[i]->enabled));
  sonde_debugger_get_stop (server->debugger, &stop);
  request.stop = &stop;
  if (!host->write_capture (host, server->activity, &request, error))
    return FALSE;
  answer->reply.path = sonde_session_answer_strdup (answer, message->path);
  return TRUE;
}

void
sonde_session_answer_stops (SondeSessionServer *server, SondeSessionAnswer *answer)
{
  const SondeActivityClass *klass = server->activity->klass;
  const GPtrArray *stops = klass->get_stops != NULL ? klass->get_stops (server->activity) : NULL;
  guint n = stops != NULL ? stops->len : 0;
  Sonde__Session__Command *messages = sonde_session_answer_alloc (answer, n * sizeof *messages);

  answer->reply.n_stops = n;
  answer->reply.stops = sonde_session_answer_alloc (answer, n * sizeof *answer->reply.stops);
  for (guint i = 0; i < n; i++)
    {
      const SondeCaptureStop *stop = g_ptr_array_index (stops, i);

      sonde__session__command__init (&messages[i]);
      messages[i].text = sonde_session_answer_strdup (answer, stop->command);
      messages[i].enabled = stop->enabled;
      answer->reply.stops[i] = &messages[i];
    }
}
