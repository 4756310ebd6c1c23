/* SPDX-License-Identifier: Apache-2.0
 * Which parameters have to do with a metric: a button with a table over the runs that filter and
 * query leave, made when it is opened. */
#pragma once

#include "app/pages/lineage/sonde-trial-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL_INFLUENCE (sonde_trial_influence_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrialInfluence, sonde_trial_influence, SONDE, TRIAL_INFLUENCE, GtkBox)

GtkWidget *sonde_trial_influence_new (SondeTrialTable *table); /* referenced */
void sonde_trial_influence_open (SondeTrialInfluence *influence);

G_END_DECLS
