/* SPDX-License-Identifier: Apache-2.0
 * Which columns the table of trials shows: a button with all of them in a list that can be
 * searched. */
#pragma once

#include "app/pages/lineage/sonde-trial-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL_CHOOSER (sonde_trial_chooser_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrialChooser, sonde_trial_chooser, SONDE, TRIAL_CHOOSER, GtkBox)

GtkWidget *sonde_trial_chooser_new (SondeTrialTable *table); /* referenced */
/* The table has other columns: "Columns (12 of 54)". */
void sonde_trial_chooser_update (SondeTrialChooser *chooser);

G_END_DECLS
