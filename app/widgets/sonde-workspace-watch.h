/* SPDX-License-Identifier: Apache-2.0
 * What keeps the work of a change in proportion to what can be seen: changes of the workspace for
 * widgets on the screen alone, and tool-tips that are set when they are others. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

/**
 * sonde_watch_workspace:
 * @update: called with @widget alone when the workspace has changed or has another run, as long as
 *   both live
 *
 * A widget that is not mapped is told once, when it is mapped again.
 */
void sonde_watch_workspace (GtkWidget *widget, SondeWorkspace *workspace, GCallback update);

/* As gtk_widget_set_tooltip_text(), which asks the X server where the pointer is, twice or thrice,
 * whether the text is another or not. @text: (nullable) */
void sonde_set_tooltip (GtkWidget *widget, const char *text);

G_END_DECLS
