/* SPDX-License-Identifier: Apache-2.0
 * Breakpoints and watchpoints of the session: a switch, what they are, hits, remove; a form makes
 * new ones. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_BREAKPOINTS (sonde_debug_breakpoints_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugBreakpoints, sonde_debug_breakpoints, SONDE, DEBUG_BREAKPOINTS,
                      GtkBox)

/* Follows it from now on. */
GtkWidget *sonde_debug_breakpoints_new (SondeDebugSession *session);

G_END_DECLS
