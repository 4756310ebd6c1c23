/* SPDX-License-Identifier: Apache-2.0
 * The runs in the sidebar: a tree with boxes, strokes and live state, and a filter above it. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_LIST (sonde_run_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunList, sonde_run_list, SONDE, RUN_LIST, GtkBox)

void sonde_run_list_set_workspace (SondeRunList *list, SondeWorkspace *workspace);
void sonde_run_list_focus_filter (SondeRunList *list);
void sonde_run_list_clear_filter (SondeRunList *list);

G_END_DECLS
