/* SPDX-License-Identifier: Apache-2.0 */
#include "data/captures/sonde-capture-stop.h"

SondeCaptureStop *
sonde_capture_stop_new (const char *command, gboolean enabled)
{
  SondeCaptureStop *stop = g_new0 (SondeCaptureStop, 1);

  stop->command = g_strdup (command);
  stop->enabled = enabled;
  return stop;
}

void
sonde_capture_stop_free (SondeCaptureStop *stop)
{
  if (stop == NULL)
    return;
  g_free (stop->command);
  g_free (stop);
}
