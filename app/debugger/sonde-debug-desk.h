/* SPDX-License-Identifier: Apache-2.0
 * How the debugger's panels stand: listing beside graph, the dock below, values on the right; in a
 * narrow window one after the other, with a switch. Where the borders are is remembered. */
#pragma once

#include <gtk/gtk.h>

#include "app/widgets/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_DESK (sonde_debug_desk_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugDesk, sonde_debug_desk, SONDE, DEBUG_DESK, GtkWidget)

/* Signal "arranged" (): another number of panels stands side by side. */

void sonde_debug_desk_set_up (SondeDebugDesk *desk, SondeWorkspace *workspace, GtkWidget *listing,
                              GtkWidget *graph, GtkWidget *values, GtkWidget *dock);
/* Panels get other sizes with the next frames. */
gboolean sonde_debug_desk_is_arranging (SondeDebugDesk *desk);
gboolean sonde_debug_desk_is_narrow (SondeDebugDesk *desk); /* one panel at a time */
/* Into the workspace's settings. */
void sonde_debug_desk_remember (SondeDebugDesk *desk);

G_END_DECLS
