/* SPDX-License-Identifier: Apache-2.0
 * A table of trials as text: for a spreadsheet, and for a paper. */
#pragma once

#include "data/browsing/sonde-trial-columns.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_TRIAL_CSV,   /* RFC 4180, everything in full */
  SONDE_TRIAL_LATEX, /* a tabular, numbers as shown */
} SondeTrialFormat;

/* @trial's title; lent until the next call. */
typedef const char *(*SondeTrialTitle) (SondeTrial *trial, void *user_data);

/**
 * sonde_trials_export:
 * @trials: of SondeTrial, in this order
 * @columns: (element-type SondeTrialColumn), behind a first one of titles
 * Returns: (transfer full)
 */
char *sonde_trials_export (GListModel *trials, GPtrArray *columns, SondeTrialFormat format,
                           SondeTrialTitle title, void *user_data);
/* As a head of a column: "accuracy", "accuracy (best)". Translated. (transfer full) */
char *sonde_trial_column_dup_title (const SondeTrialColumn *column);

G_END_DECLS
