/* SPDX-License-Identifier: Apache-2.0
 * Predictions, error categories and label errors as the tables of an explanation folder. How these
 * look: data/explanations/sonde-explanation-folder.h. */
#pragma once

#include "explain/triage/sonde-triage.h"

G_BEGIN_DECLS

/**
 * SondeExplanationOutput: all lent
 * @folder: exists
 * @predictions: (element-type SondeSampleResult): of @dataset, categorised by @triage
 * @triage: (nullable): of the same; NULL: predictions.tsv only
 * @probabilities: (nullable): file float32 [N, classes] of out-of-sample probabilities of the
 *   training samples, or without these of the samples themselves, by which labels are checked
 */
typedef struct
{
  const char *folder;
  SondeDataset *dataset;
  GPtrArray *predictions;
  const SondeTriage *triage;
  const char *probabilities;
} SondeExplanationOutput;

/* predictions.tsv; with @triage also triage.tsv, label-errors.tsv, and with training samples
 * train-label-errors.tsv. Errors: INVALID for @probabilities of another shape; of reading and
 * writing. */
gboolean sonde_explanation_output_write (const SondeExplanationOutput *output, GError **error);

G_END_DECLS
