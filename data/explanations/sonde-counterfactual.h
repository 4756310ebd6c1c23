/* SPDX-License-Identifier: Apache-2.0
 * A counterfactual by hierarchical occlusion: which regions of an image suffice for a class, or must
 * be hidden to lose or to reach one, and the steps of the search. What does not live here: the
 * search (explain/counterfactual). */
#pragma once

#include "data/base/sonde-message.h"
#include "data/values/sonde-box.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

#define SONDE_OCCLUSION_MAX_LAYERS 8

/**
 * SondeOcclusionGoal:
 * @SONDE_OCCLUSION_KEEP: unmasking: from the masked image, show windows until the score is ≥ the
 * threshold
 * @SONDE_OCCLUSION_DESTROY: masking: from the image, hide windows until the score is ≤ the
 * threshold
 * @SONDE_OCCLUSION_FLIP: from the image, hide windows until the score is ≥ the threshold (score:
 *   margin of the truth, threshold 0: flip to the truth)
 */
typedef enum
{
  SONDE_OCCLUSION_KEEP,
  SONDE_OCCLUSION_DESTROY,
  SONDE_OCCLUSION_FLIP,
} SondeOcclusionGoal;

/* BELOW_THRESHOLD: the image itself is not on the starting side of the threshold (keep, destroy: its
 * score is not above; flip: it is not below), so that nothing is searched. */
typedef enum
{
  SONDE_OCCLUSION_OK,
  SONDE_OCCLUSION_NO_VALID_RESULT,
  SONDE_OCCLUSION_BELOW_THRESHOLD,
} SondeOcclusionStatus;

const char *
sonde_occlusion_goal_name (SondeOcclusionGoal goal); /* "unmasking", "masking", "flip" */
/* "ok", "no-valid-result", "below-threshold" */
const char *sonde_occlusion_status_name (SondeOcclusionStatus status);

/**
 * SondeCounterfactualWindow: one step of the search: a window, shown (keep) or hidden (destroy, flip)
 * @layer: from 0, large windows first
 * @parent: index of the step whose window this one lies in, -1: of the first layer
 * @after: score then; @change: difference to the step before, NaN unknown
 * @order: number of the step among all that were tried, in time
 */
typedef struct
{
  guint layer;
  int parent;
  SondeBox box;
  double after, change;
  guint order;
} SondeCounterfactualWindow;

/**
 * SondeCounterfactual:
 * @sample: number in the dataset; @spec: SPEC as given
 * @target: class that is kept or destroyed; of a flip the class to reach
 * @original, @masked: scores of the image and of the wholly masked image, NaN unknown
 * @layers: (element-type GArray of SondeBox); @layer_out: (array length=layers->len): score with
 * them
 * @pruned: (nullable) (element-type SondeBox): what the threshold needs of the last layer's, with
 * @pruned_out
 * @steps: (element-type SondeCounterfactualWindow): of the tree, in the order in which they were taken
 * @area: share of the image that the boxes of the result cover, NaN unknown
 * @n_candidates: windows tried; @n_evaluations, @n_scored: with one start a job, and images scored;
 *   0 unknown
 * @mask: fill of hidden pixels: "gaussian:2"; @note: (nullable): a sentence
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
  guint64 n_candidates, n_evaluations, n_scored;
  char *mask;
  SondeMessage *note;
} SondeCounterfactual;

/* Without layers and steps, all numbers unknown. (transfer full) */
SondeCounterfactual *sonde_counterfactual_new (void);
void sonde_counterfactual_free (SondeCounterfactual *counterfactual);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCounterfactual, sonde_counterfactual_free)

/* Share of an image of @width × @height that the boxes of the result cover together; NaN without
 * any. */
double sonde_counterfactual_measure_area (const SondeCounterfactual *counterfactual, int width,
                                          int height);

/* ---- from files of anyone: numbers are checked --------------------------- */

/* Sets goal and status by their names. Errors: INVALID. */
gboolean sonde_counterfactual_set_names (SondeCounterfactual *counterfactual, const char *goal,
                                         const char *status, GError **error);
/* A layer more. @boxes: x, y, width, height of each of @n. Errors: INVALID. */
gboolean sonde_counterfactual_add_layer (SondeCounterfactual *counterfactual, double output,
                                         const int *boxes, gsize n, GError **error);

/**
 * SondeCounterfactualTables: layers and steps as float64 tables, as records hold them
 * @boxes: [n, 5]: layer, x, y, width, height; @outputs: [layers]
 * @pruned: (nullable): [n, 4]
 * @steps: [n, 7]: layer, parent, x, y, width, height, score
 */
typedef struct
{
  SondeTensor *boxes, *outputs, *pruned, *steps;
} SondeCounterfactualTables;

/* Sets layers, pruned boxes and steps. @tables: lent. Errors: INVALID for those that cannot be. */
gboolean sonde_counterfactual_take_tables (SondeCounterfactual *counterfactual,
                                           const SondeCounterfactualTables *tables, GError **error);
/* @tables: (out): the caller's to unref */
void sonde_counterfactual_make_tables (const SondeCounterfactual *counterfactual,
                                       SondeCounterfactualTables *tables);

/* ---- JSON: FOLDER/hoc/GOAL/CLASS/NAME.json ------------------------------- */

/**
 * SondeCounterfactualSearch: what was searched for
 * @score: "probability" or "margin"; @mask: see SondeCounterfactual
 * @windows, @strides: (array length=n_layers): pixels
 */
typedef struct
{
  SondeOcclusionGoal goal;
  const char *score, *mask;
  gint64 target;
  const int *windows, *strides;
  guint n_layers;
} SondeCounterfactualSearch;

/* @results: (element-type SondeCounterfactual): one for each threshold: the first stands at the top,
 * and all of several in "thresholds". (transfer full) */
char *sonde_counterfactual_to_json (const SondeCounterfactualSearch *search, GPtrArray *results);
/* The first threshold's. @name: for messages. Any thread. (transfer full): sample 0. Errors: LIMIT,
 * DAMAGED, INVALID for boxes or steps that cannot be. */
SondeCounterfactual *sonde_counterfactual_parse_json (GBytes *json, const char *name,
                                                      GError **error);

G_END_DECLS
