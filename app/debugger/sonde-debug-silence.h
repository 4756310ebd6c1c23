/* SPDX-License-Identifier: Apache-2.0
 * A line below the bar while the engine does not answer: why, what helps, and a way to end it. */
#pragma once

#include <gtk/gtk.h>

#include "app/debugger/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_SILENCE (sonde_debug_silence_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugSilence, sonde_debug_silence, SONDE, DEBUG_SILENCE, GtkWidget)

void sonde_debug_silence_set_session (SondeDebugSilence *silence, SondeDebugSession *session);

G_END_DECLS
