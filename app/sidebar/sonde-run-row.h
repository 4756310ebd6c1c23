/* SPDX-License-Identifier: Apache-2.0
 * One row of the run tree: box, stroke, name, live state, damage badge; a menu on the right
 * button. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "data/browsing/sonde-run-tree.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_ROW (sonde_run_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunRow, sonde_run_row, SONDE, RUN_ROW, GtkBox)

GtkWidget *sonde_run_row_new (SondeWorkspace *workspace);
/* @row: of the tree, for the expander; NULLs unbind */
void sonde_run_row_bind (SondeRunRow *self, GtkTreeListRow *row, SondeRunNode *node);

G_END_DECLS
