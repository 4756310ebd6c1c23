/* SPDX-License-Identifier: Apache-2.0
 * What a person says of runs, asked in small dialogs. What they change can be undone. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

/* @widget: over its window; @runs: (element-type SondeRun) at least one, referenced. */
void sonde_run_dialogs_ask_title (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs);
void sonde_run_dialogs_ask_note (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs);
void sonde_run_dialogs_ask_tags (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs);
void sonde_run_dialogs_ask_color (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs);
/* Which expression gives the colours: see sonde_workspace_set_color_rule(). */
void sonde_run_dialogs_ask_color_regex (GtkWidget *widget, SondeWorkspace *workspace);

G_END_DECLS
