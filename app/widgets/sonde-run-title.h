/* SPDX-License-Identifier: Apache-2.0
 * The stroke and the title of the run selected in the sidebar, for the bar of a page that shows
 * only that run. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_TITLE (sonde_run_title_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunTitle, sonde_run_title, SONDE, RUN_TITLE, GtkBox)

/* Shows the run that @workspace has selected now; without one the last stays. */
void sonde_run_title_update (SondeRunTitle *title, SondeWorkspace *workspace);

G_END_DECLS
