/* SPDX-License-Identifier: Apache-2.0
 * What keeps the work of a change in proportion to what can be seen: changes of the workspace for
 * widgets on the screen alone. */
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

G_END_DECLS
