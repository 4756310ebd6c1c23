/* SPDX-License-Identifier: Apache-2.0
 * The tabs below: breakpoints and watches, hits, watch list, stack, history of stops, console,
 * memory. */
#pragma once

#include <gtk/gtk.h>

#include "app/debugger/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_DOCK (sonde_debug_dock_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugDock, sonde_debug_dock, SONDE, DEBUG_DOCK, GtkBox)

void sonde_debug_dock_set_session (SondeDebugDock *dock, SondeDebugSession *session);
/* "breakpoints", "hits", "watches", "stack", "history", "console", "memory" */
void sonde_debug_dock_show (SondeDebugDock *dock, const char *name);
const char *sonde_debug_dock_get_shown (SondeDebugDock *dock);

G_END_DECLS
