/* SPDX-License-Identifier: Apache-2.0
 * The runs that are shown as rows, what they were trained with and what came out as columns: first
 * the hyper-parameters and lineage facts that differ, then the last value of each scalar, then
 * those facts that are the same in all. Any column sorts. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL_TABLE (sonde_trial_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrialTable, sonde_trial_table, SONDE, TRIAL_TABLE, GtkBox)

/* More would be no table; a note below it says how many are left out. */
#define SONDE_TRIAL_TABLE_MAX_COLUMNS 64

/* @changed: (nullable): rows, columns or is_busy() are new */
GtkWidget *sonde_trial_table_new (SondeWorkspace *workspace, GFunc changed, void *user_data);
guint sonde_trial_table_get_n_rows (SondeTrialTable *table);
guint sonde_trial_table_get_n_parameters (SondeTrialTable *table); /* columns that are no metrics */
gboolean sonde_trial_table_is_busy (SondeTrialTable *table);

G_END_DECLS
