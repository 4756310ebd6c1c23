/* SPDX-License-Identifier: Apache-2.0
 * One row of the run tree: a box for the runs it stands for, stroke, name, tags, live state, damage
 * badge. */
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
SondeRunNode *sonde_run_row_get_node (SondeRunRow *self); /* (transfer none) (nullable) */
/* FALSE: it has nothing to fold. */
gboolean sonde_run_row_set_expanded (SondeRunRow *self, gboolean expanded);
/* Marks of its run are others; counts and label it follows by itself. */
void sonde_run_row_update (SondeRunRow *self);

G_END_DECLS
