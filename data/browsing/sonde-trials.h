/* SPDX-License-Identifier: Apache-2.0
 * Runs as trials: what each was trained with. Hyper-parameters and lineage facts are read in the
 * background; texts are as recorded. What is worth a column of a table is said by
 * sonde-trial-columns.h. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL (sonde_trial_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrial, sonde_trial, SONDE, TRIAL, GObject)

SondeRun *sonde_trial_get_run (SondeTrial *trial); /* (transfer none) */
/* As recorded, until the run is read again. (nullable) */
const char *sonde_trial_get_parameter (SondeTrial *trial, const char *name);
/* Calls @func for each parameter, in no order. */
void sonde_trial_for_each_parameter (SondeTrial *trial,
                                     void (*func) (const char *name, const char *text, void *data),
                                     void *data);

/* What is recorded of where it was trained and how far it goes, which is no parameter of the training: an item
 * of lineage of the part "environment". (nullable) */
const char *sonde_trial_get_environment (SondeTrial *trial, const char *name);

typedef struct _SondeTrials SondeTrials;

/* @runs: of SondeRun: one trial each; referenced
 * @changed: another reading has ended, the columns may be others */
SondeTrials *sonde_trials_new (GListModel *runs, void (*changed) (void *user_data),
                               void *user_data);
void sonde_trials_free (SondeTrials *trials); /* (nullable); nothing is called any more */

/* Looks at the runs again: their number, what they recorded since. */
void sonde_trials_update (SondeTrials *trials);
gboolean sonde_trials_is_busy (SondeTrials *trials);
GListModel *sonde_trials_get_model (SondeTrials *trials); /* of SondeTrial; (transfer none) */

G_END_DECLS
