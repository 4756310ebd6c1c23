/* SPDX-License-Identifier: Apache-2.0
 * The whole way from a dataset to maps of its errors: classify all samples, choose some, explain
 * them. Where results go (files, records, report) is the caller's matter. */
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
/* Below a folder of files about samples, where those of this one are, less their ending:
 * "cat/0003". @class_name: (nullable): the true class; @name: of the sample. (transfer full) */
char *sonde_explain_dup_place (const char *class_name, const char *name);
/* label known and another */
gboolean sonde_prediction_is_error (const SondePrediction *prediction);

/**
 * SondeExplainedMap: one map, lent to the callback
 * @target_is: "predicted", "true", "class", or of methods that take pairs "contrast" (predicted
 * less true)
 * @channels: (nullable): float32 [C, H, W], of methods whose maps have channels
 * @map: float32 [H, W], see sonde_attribution_aggregate(); of segments each pixel has its segment's
 * value
 * @score: the target's
 * @gap: see SondeAttributionResult; NaN where the method has none
 * @note: (nullable)
 */
typedef struct
{
  const SondePrediction *prediction;
  const SondeAttributionSpec *spec;
  const char *target_is;
  gint64 target;
  SondeTensor *channels, *map;
  double score, gap;
  const char *note;
} SondeExplainedMap;

/* Return FALSE with @error set to stop. */
typedef gboolean (*SondeExplainSink) (const SondeExplainedMap *map, gpointer data, GError **error);

/* float32 [n, C, H, W] as the network takes them. @samples: (array length=n). Errors: of reading
 * the first that cannot be read. */
SondeTensor *sonde_explain_load (SondeDataset *dataset, const guint *samples, guint n,
                                 GError **error);
/* Are the dataset's pictures of the model's size? Errors: INVALID naming both. */
gboolean sonde_explain_check_size (SondeExplainer *explainer, SondeDataset *dataset,
                                   GError **error);
/* The map of sample @i of a result as float32 [H, W]; @channels: (out) (optional) (nullable)
 * (transfer full): [C, H, W] where the method has them. (transfer full) */
SondeTensor *sonde_explain_take_map (const SondeAttributionResult *result,
                                     const SondeAttributionSpec *spec, gint64 i,
                                     SondeTensor **channels);

/**
 * sonde_explain_classify:
 * @samples: (array length=n)
 * @progress: (nullable)
 * Returns: (transfer full) (element-type SondePrediction): in the order of @samples; without those
 *   whose picture cannot be read, which are faults of the dataset.
 * Errors: INVALID when the dataset's pictures do not fit the model's input, naming both sizes.
 */
GPtrArray *sonde_explain_classify (SondeExplainer *explainer, SondeDataset *dataset,
                                   const guint *samples, guint n, SondeExplainProgress progress,
                                   gpointer data, GError **error);

/**
 * sonde_explain_maps:
 * @chosen: (element-type SondePrediction)
 * @target_is: "predicted" or "true" (samples without label are left out), or "class" with @target;
 *   methods that take pairs explain predicted less true whatever it is
 * @seed: of methods that draw random numbers
 */
gboolean sonde_explain_maps (SondeExplainer *explainer, SondeDataset *dataset, GPtrArray *chosen,
                             const SondeAttributionSpec *spec, const char *target_is, gint64 target,
                             guint64 seed, SondeExplainSink sink, gpointer data, GError **error);

/* What the prediction says, as a record's note; texts are the caller's to free. */
void sonde_prediction_fill_note (const SondePrediction *prediction, const SondeDataset *dataset,
                                 SondeSampleNote *note);
/* Writes a map as a SALIENCY record (tag "saliency") with its picture, truth mask and note; @step
 * tells maps of one run apart: the sample's position among those explained. */
gboolean sonde_explain_record (SondeSummaryWriter *writer, SondeDataset *dataset,
                               const SondeExplainedMap *map, gint64 step, GError **error);

G_END_DECLS
