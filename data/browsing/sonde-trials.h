/* SPDX-License-Identifier: Apache-2.0
 * Runs as trials: what each was trained with and what came out of it, and which of that is worth a
 * column of a table. Hyper-parameters and lineage facts are read in the background; texts are as
 * recorded. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL (sonde_trial_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrial, sonde_trial, SONDE, TRIAL, GObject)

/* In the order in which columns are shown. */
typedef enum
{
  SONDE_TRIAL_DIFFERS, /* a parameter that is not the same in all trials */
  SONDE_TRIAL_METRIC,  /* the last value of a scalar */
  SONDE_TRIAL_SAME,    /* a parameter that is */
} SondeTrialRank;

typedef struct
{
  SondeTrialRank rank;
  char *name; /* of the parameter, or the tag */
} SondeTrialColumn;

SondeRun *sonde_trial_get_run (SondeTrial *trial); /* (transfer none) */
/* What stands in the column: a number in four digits, or a text; NULL: nothing. @number: (out): NaN
 * when the text is none. (transfer full) (nullable) */
char *sonde_trial_dup_text (SondeTrial *trial, const SondeTrialColumn *column, double *number);

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
/* By rank, then name. (transfer container) (element-type SondeTrialColumn) */
GPtrArray *sonde_trials_list_columns (SondeTrials *trials);
/* The same columns in the same order. */
gboolean sonde_trial_columns_equal (GPtrArray *a, GPtrArray *b);

G_END_DECLS
