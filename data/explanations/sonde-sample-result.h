/* SPDX-License-Identifier: Apache-2.0
 * What a model predicts of one sample, and why it is wrong: what a session computes, a row of
 * predictions.tsv, and of the lists of the Explain page. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/explanations/sonde-error-category.h"

G_BEGIN_DECLS

/**
 * SondeSampleResult: owned
 * @sample: number in the dataset; @name: of the sample
 * @label: true class, -1 unknown; @predicted: class of the largest logit, the first of equals, -1
 *   unknown
 * @label_name, @predicted_name: (nullable): of recorded samples, whose model is not at hand
 * @p_label, @p_predicted: their probabilities, NaN unknown; @margin: predicted probability less the
 *   largest other one, of recorded samples less that of the label
 * @category: SONDE_N_CATEGORIES: no error, or not categorised; @evidence: (nullable): a sentence
 * @categories: bit (1 << category) for every category that matches
 * @probabilities: (array length=n_classes) (nullable): softmax of the logits, or the sigmoid of each;
 *   left out of lists for a page where samples × classes is above 4 million
 * @logits: (array length=n_classes) (nullable), @features: (array length=n_features) (nullable): what
 *   goes into the last matrix product: where the network ran; a list for a page has neither
 */
typedef struct
{
  guint sample;
  char *name;
  gint64 label, predicted;
  char *label_name, *predicted_name;
  double p_label, p_predicted, margin;
  SondeErrorCategory category;
  guint categories;
  SondeMessage *evidence;
  float *probabilities, *logits, *features;
  guint n_classes, n_features;
} SondeSampleResult;

/* Nothing is known but number and name. (transfer full) */
SondeSampleResult *sonde_sample_result_new (guint sample, const char *name);
/* (transfer full) */
SondeSampleResult *sonde_sample_result_copy (const SondeSampleResult *result);
void sonde_sample_result_free (SondeSampleResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSampleResult, sonde_sample_result_free)

/* Probability of class @c; NaN when it is no class of the model. */
double sonde_sample_result_get_probability (const SondeSampleResult *result, gint64 c);
/* Sets p_label, p_predicted and margin from the probabilities, label and prediction. */
void sonde_sample_result_measure (SondeSampleResult *result);
/* Is the label known and another than the prediction? */
gboolean sonde_sample_result_is_error (const SondeSampleResult *result);

/* A class for people: its name, or its number, or that it is unknown. @name: (nullable). (transfer
 * full) */
char *sonde_class_dup_text (const char *name, gint64 class);

G_END_DECLS
