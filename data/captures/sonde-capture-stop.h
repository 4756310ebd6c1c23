/* SPDX-License-Identifier: Apache-2.0
 * A breakpoint or watch that is kept, as it would be typed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeCaptureStop:
 * @command: "break conv1 after if nan(x) > 0"; owned
 * @enabled: it was on
 */
typedef struct
{
  char *command;
  gboolean enabled;
} SondeCaptureStop;

SondeCaptureStop *sonde_capture_stop_new (const char *command, gboolean enabled);
void sonde_capture_stop_free (SondeCaptureStop *stop);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCaptureStop, sonde_capture_stop_free)

G_END_DECLS
