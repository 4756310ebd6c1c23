/* SPDX-License-Identifier: Apache-2.0
 * Hierarchical occlusion: which few windows of an image suffice for a class, or must be hidden to
 * lose it (or to reach the truth). Greedy search with large windows, then with smaller ones inside
 * each window found.
 * Source: mindspore_xai v1.5.0, explanation/counterfactual/hierarchical_occlusion.py, whose answers
 * it gives; its box mix-up with more than one batch of candidates is not repeated.
 * What does not live here: how an image is scored (explain/sonde-network-score.h), text of
 * settings (sonde-occlusion-settings.h). */
#pragma once

#include "data/explanations/sonde-counterfactual.h"
#include "explain/sonde-network-score.h"

G_BEGIN_DECLS

/**
 * SondeOcclusionSettings:
 * @windows, @strides: (array length=n_layers): pixels; windows strictly descending, strides not
 *   ascending, each at most its window
 * @thresholds: (array length=n_thresholds): each gets a result of its own; what was scored once is
 * not scored again
 * @prune: afterwards drop each box, last one first, that the threshold does not need
 * @batch: most images of one call of the score; 0: 16. The result does not depend on it
 */
typedef struct
{
  SondeOcclusionGoal goal;
  guint n_layers;
  int windows[SONDE_OCCLUSION_MAX_LAYERS], strides[SONDE_OCCLUSION_MAX_LAYERS];
  const double *thresholds;
  guint n_thresholds;
  gboolean prune;
  guint batch;
} SondeOcclusionSettings;

/**
 * SondeOcclusionStep: one window of the tree
 * @out, @change: score once it is edited, and the difference to the step before
 * @order: number of the step among all that were tried, in time
 * @children: (element-type SondeOcclusionStep): the smaller windows that do its work; empty: it
 * stays one box
 */
typedef struct
{
  guint layer, order;
  SondeBox box;
  double out, change;
  GPtrArray *children;
} SondeOcclusionStep;

/**
 * SondeOcclusionResult:
 * @original, @masked: scores of the image and of the wholly masked image (NaN when it was not
 * asked)
 * @roots: (element-type SondeOcclusionStep): steps of layer 0, in order
 * @n_layers: layers up to the cut-off: the deepest whose boxes together meet the threshold
 * @boxes: (array length=n_layers) (element-type SondeBox): windows of layer l and every
 * unrefined one above
 * @layer_out: (array length=n_layers): score of the image composed from them
 * @n_candidates: windows tried; @n_evaluations: the same and one start per job. Neither counts the
 *   check of the original and of the layers
 * @n_scored: images that the score was asked for, in this result alone: equal images are asked
 * for once
 * @pruned: (nullable) (element-type SondeBox): what is left of the last layer's boxes,
 * with @pruned_out
 * @note: (nullable): a warning in words
 */
typedef struct
{
  SondeOcclusionStatus status;
  SondeOcclusionGoal goal;
  double threshold, original, masked;
  GPtrArray *roots;
  guint n_layers;
  GArray *boxes[SONDE_OCCLUSION_MAX_LAYERS];
  double layer_out[SONDE_OCCLUSION_MAX_LAYERS];
  guint64 n_candidates, n_evaluations, n_scored;
  GArray *pruned;
  double pruned_out;
  SondeMessage *note;
  GPtrArray *steps; /* owns all steps, thrown away ones too */
} SondeOcclusionResult;

void sonde_occlusion_result_free (SondeOcclusionResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeOcclusionResult, sonde_occlusion_result_free)

/* Share of the image's pixels that the last layer's boxes (the pruned ones if there are) cover;
 * NaN without result. */
double sonde_occlusion_result_get_area (const SondeOcclusionResult *result, gint64 height,
                                        gint64 width);

/**
 * sonde_hierarchical_occlusion_run:
 * @image, @mask: float32 [C, H, W], contiguous, in network space
 *
 * Candidates are compared strictly, x outer and y inner loop, so the first of equals wins; a score
 * that is NaN ranks worst. Scores are compared as the score function gives them: float32 numbers.
 * Returns: (transfer full) (element-type SondeOcclusionResult): one for each threshold. No valid
 * result is a result.
 * Errors: INVALID naming the setting; what @score says.
 */
GPtrArray *sonde_hierarchical_occlusion_run (SondeTensor *image, SondeTensor *mask,
                                             const SondeOcclusionSettings *settings,
                                             SondeScoreFunction score, gpointer data,
                                             GError **error);

/* Offsets along an axis: from @begin on every @stride, the last one flush with @begin + @length;
 * int. (transfer full) */
GArray *sonde_occlusion_offsets (int begin, int length, int window, int stride);

G_END_DECLS
