/* SPDX-License-Identifier: Apache-2.0
 * How a map changes when the image changes a little, when the class changes, and when the weights
 * do. Maps come from a callback: the methods themselves are not needed here. Undefined values are
 * NaN. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "explain/sonde-network-score.h"

G_BEGIN_DECLS

/**
 * SondeMapFunction:
 * @images: float32 [n, C, H, W], lent
 * Returns: (transfer full): float32 [n, …], one map an image, signed; NULL with @error set. Random
 * numbers must be the same in each call.
 */
typedef SondeTensor *(*SondeMapFunction) (SondeTensor *images, gpointer data, GError **error);

/**
 * sonde_max_sensitivity:
 * @map: [C, H, W] or [H, W]: the map of @image
 * @noise: float32 [n, C, H, W]: what is added, within the radius
 *
 * max ‖S(x + noise) − S(x)‖₂ / ‖S(x)‖₂; a zero norm counts as 1. Lower is better.
 * Source: Yeh et al. 2019; Captum metrics/sensitivity.
 */
gboolean sonde_max_sensitivity (SondeTensor *image, SondeTensor *map, SondeTensor *noise,
                                SondeMapFunction compute, gpointer data, double *value,
                                GError **error);

/* Uniform in ± @radius · (max − min of the image): float32 [n, C, H, W], by (seed, sample).
 * (transfer full) */
SondeTensor *sonde_perturbation_uniform (SondeTensor *image, guint n, double radius, guint64 seed);
/* Normal with σ = @sigma · (max − min of the image). (transfer full) */
SondeTensor *sonde_perturbation_normal (SondeTensor *image, guint n, double sigma, guint64 seed);

/**
 * SondeRobustness:
 * @value: exp (−max ‖S(x′) − S(x)‖₂ / ‖S(x)‖₂) over the perturbations that count, in (0, 1]; NaN
 * for a map of zeros or when none counts
 * @lipschitz: max ‖S(x) − S(x′)‖₂ / (‖x − x′‖₂ + 1e-10) over the same
 * @n_rejected: draws whose class changed or whose probabilities moved by more than 0.1 (L2)
 */
typedef struct
{
  double value, lipschitz;
  guint n_rejected;
} SondeRobustness;

/* Probabilities of images: float32 [n, classes]. (transfer full) */
typedef SondeTensor *(*SondeProbabilityFunction) (SondeTensor *images, gpointer data,
                                                  GError **error);

/**
 * sonde_robustness:
 * @draws: perturbations wanted; each is drawn up to three times
 * @radius: share of the image's range
 *
 * Source: mindspore_xai v2.0.0 benchmark/robustness.py; its acceptance test is done here as its
 * text says.
 */
gboolean sonde_robustness (SondeTensor *image, SondeTensor *map, guint draws, double radius,
                           guint64 seed, SondeMapFunction compute,
                           SondeProbabilityFunction probabilities, gpointer data,
                           SondeRobustness *result, GError **error);

/* (1 − Pearson) / 2 of the signed maps of two classes: 1 opposite, 0 the same. NaN when one is
 * constant.
 * Source: mindspore_xai v2.0.0 benchmark/class_sensitivity.py. */
double sonde_class_sensitivity (const SondeTensor *one, const SondeTensor *other);

/* ---- the weights --------------------------------------------------------- */

/**
 * sonde_randomisation_layers:
 * @model: as loaded
 *
 * Nodes that have weights (Conv, Gemm, MatMul and their like with a constant of at least two
 * dimensions), from the output downward.
 * Returns: (transfer full) (element-type SondeNode)
 */
GPtrArray *sonde_randomisation_layers (SondeGraph *model);

/* Permutes weights and bias of a node, each in itself, by (seed, name): the distribution stays. The
 * graph's constants are replaced. */
void sonde_randomise_layer (SondeNode *layer, guint64 seed);

/* Verdict on the means of a cascade, one a step: does the map depend on the weights? @last_half:
 * (out): mean over its last half; passes when that is at most 0.3. NaN steps are left out; NaN when
 * none is left. */
gboolean sonde_randomisation_passes (const double *spearman, guint n, double *last_half);

G_END_DECLS
