/* SPDX-License-Identifier: Apache-2.0
 * What a network says of many changed copies of pictures: the copies are made in one buffer, a
 * batch at a time, and batches run on from picture to picture, so that no row is computed for
 * nothing. What does not live here: how a copy is changed, and what is made of the scores. */
#pragma once

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-targets.h"

G_BEGIN_DECLS

/**
 * SondePerturbation:
 * @rows: changed copies of each picture
 * @first, @n: pictures of @targets
 * @companion: (nullable): a second network that sees the same copies; its largest output comes with
 * the scores
 * @fill: writes copy @row of @picture to @into, float32 [C, H, W]. @slot: place in the batch, below
 *   @batch. Rows of a picture come in order, and pictures do
 * @take: scores of all classes of that copy, in the same order; @beside: of @companion
 * @finish: (nullable): all rows of @picture were taken
 */
typedef struct
{
  SondeExplainer *explainer, *companion;
  const SondeAttributionRequest *request;
  const SondeTargets *targets;
  SondeScore score;
  gint64 first, n, rows, batch;
  void (*fill) (gpointer data, gint64 picture, gint64 row, gint64 slot, float *into);
  void (*take) (gpointer data, gint64 picture, gint64 row, gint64 slot, const double *scores,
                double beside);
  void (*finish) (gpointer data, gint64 picture);
  gpointer data;
} SondePerturbation;

/* Sets everything but @rows and the functions; @first and @n are all pictures. */
void sonde_perturbation_init (SondePerturbation *perturbation, SondeExplainer *explainer,
                              const SondeAttributionRequest *request, const SondeTargets *targets);

/**
 * sonde_perturbation_run:
 * Errors: of the engine; of the request's progress function.
 */
gboolean sonde_perturbation_run (SondePerturbation *perturbation, GError **error);

/* One score more or less of no picture in particular: of @picture float32 [1, C, H, W]. @scores:
 * (array): all classes; NULL with @error set. (transfer full) */
double *sonde_perturbation_score_picture (SondeExplainer *explainer, SondeTensor *picture,
                                          SondeScore score, GError **error);

/**
 * sonde_perturbation_make_baseline:
 * @spec: of a row with SONDE_PARAMETER_BASELINE
 * @into: float32 [C, H, W]: what stands where @picture is taken away
 * Errors: INVALID when there are neither one nor C numbers.
 */
gboolean sonde_perturbation_make_baseline (const SondeAttributionSpec *spec,
                                           const SondeTargets *targets, gint64 picture, float *into,
                                           GError **error);

G_END_DECLS
