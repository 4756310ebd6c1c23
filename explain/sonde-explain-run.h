/* SPDX-License-Identifier: Apache-2.0
 * What a model predicts of the samples of a dataset. Their maps: sonde-explain-maps.h. */
#pragma once

#include "collector/writer/sonde-summary-writer.h"
#include "data/datasets/sonde-dataset.h"
#include "explain/attribution/sonde-attribution-spec.h"

G_BEGIN_DECLS

/**
 * SondePrediction: what the model says of one sample
 * @sample: number in the dataset; @name: owned
 * @label: true class, -1 unknown; @predicted: class of the largest logit, the first of equals
 * @logits, @probabilities: (array length=n_classes): the latter softmax of the former; owned
 * @features: (array length=n_features) (nullable): what goes into the last matrix product; owned
 */
typedef struct
{
  guint sample;
  char *name;
  gint64 label, predicted;
  float *probabilities;
  guint n_classes;
  float *logits, *features;
  guint n_features;
} SondePrediction;

void sonde_prediction_free (SondePrediction *prediction);
/* Probability of class @c; NaN when it is no class of the model. */
double sonde_prediction_get_probability (const SondePrediction *prediction, gint64 c);
/* Predicted probability less the largest other one. */
double sonde_prediction_get_margin (const SondePrediction *prediction);
/* label known and another */
gboolean sonde_prediction_is_error (const SondePrediction *prediction);

/* float32 [n, C, H, W] as the network takes them. @samples: (array length=n). Errors: of reading
 * the first that cannot be read. */
SondeTensor *sonde_explain_load (SondeDataset *dataset, const guint *samples, guint n,
                                 GError **error);
/* Are the dataset's images of the model's size? Errors: INVALID naming both. */
gboolean sonde_explain_check_size (SondeExplainer *explainer, SondeDataset *dataset,
                                   GError **error);
/**
 * sonde_explain_classify:
 * @samples: (array length=n)
 * @progress: (nullable)
 * Returns: (transfer full) (element-type SondePrediction): in the order of @samples; without those
 *   whose image cannot be read, which are faults of the dataset.
 * Errors: INVALID when the dataset's images do not fit the model's input, naming both sizes.
 */
GPtrArray *sonde_explain_classify (SondeExplainer *explainer, SondeDataset *dataset,
                                   const guint *samples, guint n, SondeExplainProgress progress,
                                   gpointer data, GError **error);

/* What the prediction says, as a record's note; texts are the caller's to free. */
void sonde_prediction_fill_note (const SondePrediction *prediction, const SondeDataset *dataset,
                                 SondeSampleNote *note);

G_END_DECLS
