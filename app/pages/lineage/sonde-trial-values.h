/* SPDX-License-Identifier: Apache-2.0
 * What stands in one column of the table of trials, kept per trial from when it is first asked for
 * until something new was recorded: a list that is sorted or filtered asks many times. */
#pragma once

#include "data/browsing/sonde-trial-columns.h"

G_BEGIN_DECLS

/* A column and its values; or, without a column, the titles of the runs. */
typedef struct _SondeTrialValues SondeTrialValues;

/* @text: (nullable): nothing stands there; @number: NaN when it is none */
typedef struct
{
  char *text;
  double number;
} SondeTrialValue;

typedef char *(*SondeTrialNameFunc) (SondeTrial *trial, void *user_data); /* (transfer full) */

/* @column: (nullable): copied; NULL: @name says what stands there */
SondeTrialValues *sonde_trial_values_new (const SondeTrialColumn *column, SondeTrialNameFunc name,
                                          void *user_data);
void sonde_trial_values_free (SondeTrialValues *values); /* (nullable) */

const SondeTrialColumn *sonde_trial_values_get_column (SondeTrialValues *values); /* (nullable) */
/* Until sonde_trial_values_forget(). Visible text. */
const SondeTrialValue *sonde_trial_values_get (SondeTrialValues *values, SondeTrial *trial);
void sonde_trial_values_forget (SondeTrialValues *values);
/* Numbers before words, both before nothing. */
int sonde_trial_values_compare (SondeTrialValues *values, SondeTrial *a, SondeTrial *b);

G_END_DECLS
