/* SPDX-License-Identifier: Apache-2.0
 * How the debugger's panels stand: listing beside graph, the dock below, values on the right; in a
 * narrow window one after the other, with a switch. Where the borders are is remembered. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_LAYOUT (sonde_debug_layout_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugLayout, sonde_debug_layout, SONDE, DEBUG_LAYOUT, GtkWidget)

/* Signal "arranged" (): another number of panels stands side by side, or there is room for
 * words. */

void sonde_debug_layout_set_up (SondeDebugLayout *layout, SondeWorkspace *workspace,
                                GtkWidget *listing, GtkWidget *graph, GtkWidget *values,
                                GtkWidget *dock);
/* Panels get other sizes with the next frames. */
gboolean sonde_debug_layout_is_arranging (SondeDebugLayout *layout);
gboolean sonde_debug_layout_is_narrow (SondeDebugLayout *layout); /* one panel at a time */
/* There is so much room that what is said by a picture can be said in a word, too. */
gboolean sonde_debug_layout_is_roomy (SondeDebugLayout *layout);
/* Into the workspace's settings. */
void sonde_debug_layout_remember (SondeDebugLayout *layout);

G_END_DECLS
