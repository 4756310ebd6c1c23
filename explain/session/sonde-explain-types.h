/* SPDX-License-Identifier: Apache-2.0
 * Plain structs of what a session of one model on one data source says: shared by the session, by the
 * engine child that runs it, and by the pages that show it. Lists are GPtrArrays that free their
 * elements. What does not live here: how it is computed (sonde-session.h), how it crosses a process
 * (sonde-session-variant.h). */
#pragma once

#include "data/explanations/sonde-attribution-map.h"
#include "data/explanations/sonde-counterfactual.h"
#include "data/explanations/sonde-explanation-settings.h"
#include "data/explanations/sonde-sample-result.h"
#include "data/values/sonde-image.h"
#include "explain/triage/sonde-triage.h"

G_BEGIN_DECLS

/**
 * SondeExplainInfo: known once it is open
 * @n_samples: that will be predicted; their numbers in the data need not begin at 0
 * @classes: (array length=n_classes): names, of the model's outputs; numbers where the data name
 * fewer
 * @channels, @height, @width: of an image as the network takes it
 * @has_labels, @has_boxes: of the first images
 * @forward_seconds, @backward_seconds: measured, an image at the best batch, the latter forward
 *   and backward; what cost estimates are made of. Backward is NaN where the model cannot be
 *   differentiated
 * @notes: (element-type SondeMessage): what was done to images unasked, what the cache could not use
 * @n_cached_rows, @n_cached_maps: what an earlier session of the same left, which will be there at
 * once
 */
typedef struct
{
  guint n_samples, n_classes;
  char **classes;
  gint64 channels, height, width;
  char *model_name;
  gboolean has_labels, has_boxes, ends_in_softmax, has_training;
  double forward_seconds, backward_seconds;
  GPtrArray *notes;
  guint n_cached_rows, n_cached_maps;
} SondeExplainInfo;

SondeExplainInfo *sonde_explain_info_copy (const SondeExplainInfo *info);
void sonde_explain_info_free (SondeExplainInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainInfo, sonde_explain_info_free)

/**
 * SondeErrorCluster: errors of a cell of the confusion matrix with like maps
 * @members: (element-type guint): samples; @medoid: the one that stands for them
 * @mean: float32 [H, W]: mean of the members' maps, each scaled to the largest magnitude 1
 */
typedef struct
{
  gint64 label, predicted;
  GArray *members;
  guint medoid;
  SondeTensor *mean;
} SondeErrorCluster;

void sonde_error_cluster_free (SondeErrorCluster *cluster);

/**
 * SondeTriageResult:
 * @rows: (element-type SondeSampleResult): all, with reason and evidence
 * @clusters: (element-type SondeErrorCluster)
 * @notes: (element-type SondeMessage): what could not be told, and why
 */
typedef struct
{
  GPtrArray *rows, *clusters, *notes;
} SondeTriageResult;

void sonde_triage_result_free (SondeTriageResult *triage);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTriageResult, sonde_triage_result_free)

/**
 * SondeNeighbourSample:
 * @result: its number, name, label and prediction, no more; of the training data when @in_training,
 * else of the data
 * @distance: 1 − cosine of penultimate features
 * @counterexample: the nearest with the true label that is predicted right: what the image should
 * have been like
 * @image: (nullable): as the network sees it
 */
typedef struct
{
  SondeSampleResult *result;
  double distance;
  gboolean in_training, counterexample;
  SondeImage *image;
} SondeNeighbourSample;

void sonde_neighbour_sample_free (SondeNeighbourSample *neighbour);

/* @image: as the network sees it, normalisation undone; @box: of the object, width 0: not known */
typedef struct
{
  SondeImage *image;
  SondeBox box;
} SondeBoxedImage;

void sonde_boxed_image_free (SondeBoxedImage *boxed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeBoxedImage, sonde_boxed_image_free)

/**
 * SondeMetricScore: one method by one metric
 * @method: LABEL of the SPEC, "random-map" or "centre-map"; @label: of the class, -1: all samples
 * @rises: higher is better; @best: the best possible value, infinite where there is none
 * @low, @high: 95 % interval of @mean; NaN undefined
 * @rating: (mean − random map's) / (best − random map's) in [0, 1]: what a radar shows and a
 * composite averages; NaN where it cannot be told
 */
typedef struct
{
  char *method, *metric, *metric_title;
  gint64 label;
  gboolean rises;
  double best, mean, low, high, rating;
  guint n, n_valid;
} SondeMetricScore;

void sonde_metric_score_free (SondeMetricScore *score);

/* One analytic case: @name: SPEC, or a message id; @expected, @got: numbers, or why there are none;
 * @sentence: what was computed and why that is the answer. */
typedef struct
{
  char *name;
  SondeMessage *expected, *got, *sentence;
  double error; /* largest difference */
  gboolean good;
} SondeSelfTestCheck;

void sonde_self_test_check_free (SondeSelfTestCheck *check);

/* What @n maps of that method will cost by its passes and the measured times, in seconds; NaN for a
 * SPEC that is none, for a method whose passes are not known beforehand (scorecam, ablationcam),
 * and for a backward pass that the model has not. */
double sonde_explain_estimate_maps (const SondeExplainInfo *info, const char *spec, guint n);
/* Scoring @samples maps of each of @specs (zero-terminated) by @metrics, names between commas. */
double sonde_explain_estimate_metrics (const SondeExplainInfo *info, const char *const *specs,
                                       const char *metrics, guint samples);
/* Categories of @n_errors errors among @n_samples predictions. */
double sonde_explain_estimate_triage (const SondeExplainInfo *info, guint n_samples,
                                      guint n_errors);

G_END_DECLS
