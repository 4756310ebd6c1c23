/* SPDX-License-Identifier: Apache-2.0
 * Records a profile: of what the Debugger page debugs, by a number of steps or only slow ones, or of a model that is
 * open. What goes on is shown with its count, and ended here. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RECORD_PANEL (sonde_record_panel_get_type ())
G_DECLARE_FINAL_TYPE (SondeRecordPanel, sonde_record_panel, SONDE, RECORD_PANEL, GtkBox)

void sonde_record_panel_set_workspace (SondeRecordPanel *panel, SondeWorkspace *workspace);

/* Whether there is anything that it could record. */
gboolean sonde_record_panel_has_something (SondeWorkspace *workspace);

#define SONDE_TYPE_RECORD_BUTTON (sonde_record_button_get_type ())
G_DECLARE_FINAL_TYPE (SondeRecordButton, sonde_record_button, SONDE, RECORD_BUTTON, GtkWidget)

/* A button with such a panel below it; while something is recorded it says how far that is. Hidden while there is nothing to
 * record. */
void sonde_record_button_set_workspace (SondeRecordButton *button, SondeWorkspace *workspace);

G_END_DECLS
