/* SPDX-License-Identifier: Apache-2.0
 * Columns of trials as numbers, words too: what plots and statistics work on. */
#pragma once

#include "data/browsing/sonde-trial-columns.h"

G_BEGIN_DECLS

/**
 * sonde_trials_number:
 * @trials: (element-type SondeTrial)
 * @values: (out) (array length=trials->len): NaN where nothing stands
 *
 * Returns: (nullable) (transfer full): the words that the numbers 0, 1, … stand for, in order and
 *   visible, where any trial has one that is no number; else NULL
 */
char **sonde_trials_number (GPtrArray *trials, const SondeTrialColumn *column, double *values);

G_END_DECLS
