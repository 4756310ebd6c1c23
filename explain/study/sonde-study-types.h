/* SPDX-License-Identifier: Apache-2.0
 * Plain structs of what a study of one model on one data source says: shared by the study, by the
 * engine child that runs it, and by the pages that show it. Lists are GPtrArrays that free their
 * elements. What does not live here: how it is computed (sonde-study.h), how it crosses a process
 * (sonde-study-variant.h). */
#pragma once

#include "data/values/sonde-image.h"
#include "explain/counterfactual/sonde-hierarchical-occlusion.h"
#include "explain/triage/sonde-triage.h"

G_BEGIN_DECLS

/**
 * SondeStudySettings: what is studied, as texts of the command line; owned
 * @model: ONNX file, or run folder (its final model, and without @data the test part of its own
 * data)
 * @data, @training: folder or source, see sonde_dataset_open()
 * @labels: file of class names; @mean, @deviation: "R,G,B"; @size: "WxH"; @channels: "rgb", "bgr",
 * "grey"
 * @given_labels: file of labels to doubt
 * @device: nullable as all the others: "cpu"
 * @threads: 0: all; @seed: of random numbers
 */
typedef struct
{
  char *model, *data, *labels, *mean, *deviation, *size, *channels, *training, *given_labels,
      *device;
  int threads;
  gint64 seed;
} SondeStudySettings;

SondeStudySettings *sonde_study_settings_copy (const SondeStudySettings *settings);
void sonde_study_settings_clear (SondeStudySettings *settings);
void sonde_study_settings_free (SondeStudySettings *settings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudySettings, sonde_study_settings_free)

/**
 * SondeStudyFacts: known once it is open
 * @n_samples: that will be predicted; their numbers in the data need not begin at 0
 * @classes: (array length=n_classes): names, of the model's outputs; numbers where the data name
 * fewer
 * @channels, @height, @width: of a picture as the network takes it
 * @has_labels, @has_boxes: of the first pictures
 * @forward_seconds, @backward_seconds: measured, a picture at the best batch, the latter forward
 *   and backward; what cost estimates are made of. Backward is NaN where the model cannot be
 *   differentiated
 * @notes: (element-type utf8): what was done to pictures unasked, what the cache could not use
 * @n_cached_rows, @n_cached_maps: what an earlier study of the same left, which will be there at
 * once
 */
typedef struct
{
  guint n_samples, n_classes;
  char **classes;
  gint64 channels, height, width;
  char *model_name, *data_name;
  gboolean has_labels, has_boxes, ends_in_softmax, has_training;
  double forward_seconds, backward_seconds;
  GPtrArray *notes;
  guint n_cached_rows, n_cached_maps;
} SondeStudyFacts;

SondeStudyFacts *sonde_study_facts_copy (const SondeStudyFacts *facts);
void sonde_study_facts_free (SondeStudyFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudyFacts, sonde_study_facts_free)

/**
 * SondeStudyRow: what the model says of one sample
 * @label: -1 unknown; @p_label: NaN then. @margin: predicted probability less the largest other one
 * @reason: SONDE_N_REASONS: no error, or not told yet; @evidence: (nullable): a sentence
 * @reasons: bit (1 << reason) for all that spoke
 * @probabilities: (array length=n_classes) (nullable): left out of lists where rows × classes is
 *   above 4 million: ask sonde_study_client_infer_async() then
 */
typedef struct
{
  guint sample;
  char *name;
  gint64 label, predicted;
  double p_label, p_predicted, margin;
  SondeReason reason;
  guint reasons;
  char *evidence;
  float *probabilities;
  guint n_classes;
} SondeStudyRow;

void sonde_study_row_free (SondeStudyRow *row);
gboolean sonde_study_row_is_error (const SondeStudyRow *row); /* label known and another */

/**
 * SondeStudyCluster: errors of a cell of the confusion matrix with like maps
 * @members: (element-type guint): samples; @medoid: the one that stands for them
 * @mean: float32 [H, W]: mean of the members' maps, each scaled to the largest magnitude 1
 */
typedef struct
{
  gint64 label, predicted;
  GArray *members;
  guint medoid;
  SondeTensor *mean;
} SondeStudyCluster;

void sonde_study_cluster_free (SondeStudyCluster *cluster);

/**
 * SondeStudyTriage:
 * @rows: (element-type SondeStudyRow): all, with reason and evidence
 * @clusters: (element-type SondeStudyCluster)
 * @notes: (element-type utf8): what could not be told, and why
 */
typedef struct
{
  GPtrArray *rows, *clusters, *notes;
} SondeStudyTriage;

void sonde_study_triage_free (SondeStudyTriage *triage);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudyTriage, sonde_study_triage_free)

/**
 * SondeStudyRating: whether a map can be trusted; NaN where it cannot be told
 * @faithfulness: area under insertion less area under deletion in the map's order, 32 steps, in
 *   [−1, 1]; @faithfulness_random: the mean of two random orders. A map that is not above it says
 *   nothing
 * @randomisation: rank correlation of magnitudes with the maps of nets with permuted layers, mean
 *   over the last half of a cascade of at most eight: above 0.3 the map hardly depends on what was
 *   learnt
 * @agreement: mean rank correlation of magnitudes with maps of three other methods
 *   (input-x-gradient, gradcam, occlusion, saliency in this order, without the map's own)
 * @gap: completeness: Σ map − (score − score of the baseline); of methods that promise 0
 */
typedef struct
{
  double faithfulness, faithfulness_random, randomisation, agreement, gap;
} SondeStudyRating;

/**
 * SondeStudyMap:
 * @spec: as asked; @title: of the method; @target: class; of a method that takes pairs the
 * predicted one, less @other (-1: none)
 * @map: float32 [H, W], signed
 * @score: the target's logit or probability, as the method explains it
 * @note: (nullable): a sentence on what the map is not, or that it is zero everywhere
 * @rating: NaN until asked for, but the gap
 */
typedef struct
{
  guint sample;
  char *spec, *title;
  gint64 target, other;
  SondeTensor *map;
  double score;
  char *note;
  SondeStudyRating rating;
} SondeStudyMap;

SondeStudyMap *sonde_study_map_copy (const SondeStudyMap *map);
void sonde_study_map_free (SondeStudyMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudyMap, sonde_study_map_free)

/**
 * SondeStudyStep: one step of the player: boxes up to this one are shown (keep) or hidden (destroy,
 * flip)
 * @layer: from 0, large windows first; @after: the score then
 * @parent: index of the step whose box this one lies in, -1: of the first layer
 */
typedef struct
{
  guint layer;
  int parent;
  SondeOcclusionBox box;
  double after;
} SondeStudyStep;

/**
 * SondeStudyBoxes: a counterfactual
 * @target: class that is kept or destroyed; of a flip the class to reach
 * @masked: score of the wholly masked picture, NaN when it was not asked
 * @layers: (element-type GArray of SondeOcclusionBox); @layer_out: (array length=layers->len):
 * score with them
 * @pruned: (nullable) (element-type SondeOcclusionBox): what the threshold needs of the last
 * layer's, with @pruned_out
 * @steps: (element-type SondeStudyStep): of the tree, in the order in which they were taken
 * @area: share of the picture that the boxes cover
 * @mask: what covers: "gaussian:2"; @note: (nullable)
 */
typedef struct
{
  guint sample;
  char *spec;
  gint64 target;
  SondeOcclusionStatus status;
  SondeOcclusionGoal goal;
  double threshold, original, masked;
  GPtrArray *layers;
  double layer_out[SONDE_OCCLUSION_MAX_LAYERS];
  GArray *pruned;
  double pruned_out;
  GArray *steps;
  double area;
  guint64 n_candidates;
  char *mask, *note;
} SondeStudyBoxes;

void sonde_study_boxes_free (SondeStudyBoxes *boxes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudyBoxes, sonde_study_boxes_free)

/**
 * SondeStudyNeighbour:
 * @sample: of the training data when @in_training, else of the data
 * @distance: 1 − cosine of penultimate features
 * @counterexample: the nearest with the true label that is predicted right: what the picture should
 * have been like
 * @image: (nullable): as the network sees it
 */
typedef struct
{
  guint sample;
  double distance;
  gint64 label, predicted;
  gboolean in_training, counterexample;
  char *name;
  SondeImage *image;
} SondeStudyNeighbour;

void sonde_study_neighbour_free (SondeStudyNeighbour *neighbour);

/* What the model says of a picture. @probabilities: (array length=n_classes) */
typedef struct
{
  float *probabilities, *logits;
  guint n_classes;
  gint64 predicted;
} SondeStudyAnswer;

void sonde_study_answer_free (SondeStudyAnswer *answer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudyAnswer, sonde_study_answer_free)

/**
 * SondeStudyScore: one method by one metric
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
} SondeStudyScore;

void sonde_study_score_free (SondeStudyScore *score);

/* Mean of a method's ratings (label -1) by @weights, metric → weight (the default is 1); NaN where
 * none can be told. @scores: (element-type SondeStudyScore). @weights: (nullable) (element-type
 * utf8 double*) */
double sonde_study_scores_composite (GPtrArray *scores, const char *method, GHashTable *weights);

/* One analytic case: @expected and @got as text, @sentence: what was computed and why that is the
 * answer. */
typedef struct
{
  char *name, *expected, *got, *sentence;
  double error; /* largest difference */
  gboolean good;
} SondeStudyCheck;

void sonde_study_check_free (SondeStudyCheck *check);

/* What @n maps of that method will cost by its passes and the measured times, in seconds; NaN for a
 * SPEC that is none, for a method whose passes are not known beforehand (scorecam, ablationcam),
 * and for a backward pass that the model has not. */
double sonde_study_estimate (const SondeStudyFacts *facts, const char *spec, guint n);

G_END_DECLS
