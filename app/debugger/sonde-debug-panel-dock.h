/* SPDX-License-Identifier: Apache-2.0
 * The tabs below: breakpoints and watches, hits, watch list, stack, history of stops, console,
 * memory. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_PANEL_DOCK (sonde_debug_panel_dock_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugPanelDock, sonde_debug_panel_dock, SONDE, DEBUG_PANEL_DOCK, GtkBox)

void sonde_debug_panel_dock_set_session (SondeDebugPanelDock *dock, SondeDebugSession *session);
/* "breakpoints", "hits", "watches", "stack", "history", "console", "memory" */
void sonde_debug_panel_dock_show (SondeDebugPanelDock *dock, const char *name);

G_END_DECLS
