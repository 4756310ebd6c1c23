/* SPDX-License-Identifier: Apache-2.0
 * The thin line below the page: its status, damage, points that arrive a second, the step
 * cursor. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_STATUS_BAR (sonde_status_bar_get_type ())
G_DECLARE_FINAL_TYPE (SondeStatusBar, sonde_status_bar, SONDE, STATUS_BAR, GtkBox)

void sonde_status_bar_set_workspace (SondeStatusBar *bar, SondeWorkspace *workspace);
/* The page's part. (nullable) */
void sonde_status_bar_set_text (SondeStatusBar *bar, const char *text);

G_END_DECLS
