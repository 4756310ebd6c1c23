/* SPDX-License-Identifier: Apache-2.0
 * What a model predicts of one sample, and why it is wrong: a row of predictions.tsv, of the lists
 * of the Explain page, and of a session. */
#pragma once

#include "data/explanations/sonde-error-category.h"

G_BEGIN_DECLS

/**
 * SondeSampleResult:
 * @sample: number in the dataset; @name: owned
 * @label: true class, -1 unknown; @predicted: class with the largest logit, -1 unknown
 * @p_label, @p_predicted: their probabilities, NaN unknown; @margin: predicted probability less the
 *   largest other one
 * @category: SONDE_N_CATEGORIES: no error, or not categorised; @evidence: (nullable): a sentence
 * @categories: bit (1 << category) for every category that matches
 * @probabilities: (array length=n_classes) (nullable): left out of lists where samples × classes is
 *   above 4 million
 */
typedef struct
{
  guint sample;
  char *name;
  gint64 label, predicted;
  double p_label, p_predicted, margin;
  SondeErrorCategory category;
  guint categories;
  char *evidence;
  float *probabilities;
  guint n_classes;
} SondeSampleResult;

/* (transfer full) */
SondeSampleResult *sonde_sample_result_copy (const SondeSampleResult *result);
void sonde_sample_result_free (SondeSampleResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSampleResult, sonde_sample_result_free)

/* Is the label known and another than the prediction? */
gboolean sonde_sample_result_is_error (const SondeSampleResult *result);

G_END_DECLS
