/* SPDX-License-Identifier: Apache-2.0
 * Requests about capture files. */
#include "engine/session/sonde-session-client-private.h"

SondeSessionRequest *
sonde_session_request_capture (const char *path, const char *const *values, const GPtrArray *stops)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_CAPTURE, sizeof (Sonde__Session__Capture),
      (void (*) (void *)) sonde__session__capture__init);
  Sonde__Session__Capture *message = request->message.capture;
  Sonde__Session__Command *commands;
  guint n_values = 0;

  while (values != NULL && values[n_values] != NULL)
    n_values++;
  message->path = sonde_session_request_keep (request, path);
  message->values = g_new0 (char *, MAX (n_values, 1));
  g_ptr_array_add (request->garbage, message->values);
  for (message->n_values = 0; message->n_values < n_values; message->n_values++)
    message->values[message->n_values]
        = sonde_session_request_keep (request, values[message->n_values]);
  commands = g_new0 (Sonde__Session__Command, MAX (stops->len, 1));
  message->stops = g_new0 (Sonde__Session__Command *, MAX (stops->len, 1));
  g_ptr_array_add (request->garbage, commands);
  g_ptr_array_add (request->garbage, message->stops);
  for (message->n_stops = 0; message->n_stops < stops->len; message->n_stops++)
    {
      const SondeCaptureStop *stop = g_ptr_array_index (stops, message->n_stops);
      Sonde__Session__Command *command = &commands[message->n_stops];

      sonde__session__command__init (command);
      command->text = sonde_session_request_keep (request, stop->command);
      command->enabled = stop->enabled;
      message->stops[message->n_stops] = command;
    }
  return request;
}

GPtrArray *
sonde_session_decode_stops (const Sonde__Session__Reply *message)
{
  GPtrArray *stops = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_capture_stop_free);

  for (gsize i = 0; i < message->n_stops; i++)
    g_ptr_array_add (stops,
                     sonde_capture_stop_new (message->stops[i]->text, message->stops[i]->enabled));
  return stops;
}
