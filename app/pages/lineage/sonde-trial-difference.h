/* SPDX-License-Identifier: Apache-2.0
 * What differs between the chosen run and another one: a button with a table of parameters and
 * metrics, made when it is opened. */
#pragma once

#include "app/pages/lineage/sonde-trial-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL_DIFFERENCE (sonde_trial_difference_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrialDifference, sonde_trial_difference, SONDE, TRIAL_DIFFERENCE, GtkBox)

/* Both are referenced. */
GtkWidget *sonde_trial_difference_new (SondeWorkspace *workspace, SondeTrialTable *table);
void sonde_trial_difference_open (SondeTrialDifference *difference);

G_END_DECLS
