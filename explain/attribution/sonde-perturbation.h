/* SPDX-License-Identifier: Apache-2.0
 * What a network says of many changed copies of images: the copies are made in one buffer, a
 * batch at a time, and batches run on from image to image, so that no row is computed for
 * nothing. What does not live here: how a copy is changed, and what is made of the scores. */
#pragma once

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-targets.h"

G_BEGIN_DECLS

/**
 * SondePerturbation:
 * @rows: changed copies of each image
 * @first, @n: images of @targets
 * @companion: (nullable): a second network that sees the same copies; its largest output comes with
 * the scores
 * @fill: writes copy @row of @image to @into, float32 [C, H, W]. @slot: place in the batch, below
 *   @batch. Rows of an image come in order, and images do
 * @take: scores of all classes of that copy, in the same order; @beside: of @companion
 * @finish: (nullable): all rows of @image were taken
 */
typedef struct
{
  SondeExplainer *explainer, *companion;
  const SondeAttributionRequest *request;
  const SondeTargets *targets;
  SondeScore score;
  gint64 first, n, rows, batch;
  void (*fill) (gpointer data, gint64 image, gint64 row, gint64 slot, float *into);
  void (*take) (gpointer data, gint64 image, gint64 row, gint64 slot, const double *scores,
                double beside);
  void (*finish) (gpointer data, gint64 image);
  gpointer data;
} SondePerturbation;

/* Sets everything but @rows and the functions; @first and @n are all images. */
void sonde_perturbation_init (SondePerturbation *perturbation, SondeExplainer *explainer,
                              const SondeAttributionRequest *request, const SondeTargets *targets);

/**
 * sonde_perturbation_run:
 * Errors: of the engine; of the request's progress function.
 */
gboolean sonde_perturbation_run (SondePerturbation *perturbation, GError **error);

/* One score more or less of no image in particular: of @image float32 [1, C, H, W]. @scores:
 * (array): all classes; NULL with @error set. (transfer full) */
double *sonde_perturbation_score_image (SondeExplainer *explainer, SondeTensor *image,
                                        SondeScore score, GError **error);

/**
 * sonde_perturbation_make_baseline:
 * @spec: of a row with SONDE_PARAMETER_BASELINE
 * @into: float32 [C, H, W]: what stands where @image is taken away
 * Errors: INVALID when there are neither one nor C numbers.
 */
gboolean sonde_perturbation_make_baseline (const SondeAttributionSpec *spec,
                                           const SondeTargets *targets, gint64 image, float *into,
                                           GError **error);

G_END_DECLS
