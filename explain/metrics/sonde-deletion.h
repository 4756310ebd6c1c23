/* SPDX-License-Identifier: Apache-2.0
 * Deletion and insertion: how fast the score falls or rises when pixels are replaced in a map's
 * order; and the two correlations on the same idea. Undefined values are NaN. */
#pragma once

#include "explain/sonde-network-score.h"

G_BEGIN_DECLS

#define SONDE_CURVE_STEPS 64

/**
 * sonde_deletion_curve:
 * @from, @to: float32 [C, H, W], contiguous: the image and its baseline (deletion), or the other
 * way round (insertion)
 * @order: (array length=H·W): pixels, first one replaced first; all channels together
 * @steps: at most H·W; step k has replaced the first ⌊k·H·W/steps⌋ pixels
 * @curve: (out) (array length=steps + 1)
 *
 * steps + 1 images are scored, 16 a call. Source: Petsiuk, Das, Saenko, "RISE" (2018).
 */
gboolean sonde_deletion_curve (SondeTensor *from, SondeTensor *to, const guint *order, guint steps,
                               SondeScoreFunction score, gpointer data, double *curve,
                               GError **error);

/* Trapezoid over @steps + 1 points of equal distance on [0, 1]. */
double sonde_curve_area (const double *curve, guint steps);
/* (curve − p(baseline)) / (p(x) − p(baseline)), then its area; NaN when |p(x) − p(baseline)| ≤
 * 0.05. The ends of the curve are the two. */
double sonde_curve_normalised_area (const double *curve, guint steps, gboolean insertion);

/* What insertion starts from: the image blurred, σ = max (1, 5 · short side / 224). (transfer
 * full) */
SondeTensor *sonde_insertion_baseline (SondeTensor *image);

/**
 * sonde_naive_faithfulness:
 * @chunks: 0: ⌊√(H·W)⌋. @share: of the pixels that the chunks cover together
 *
 * −Pearson (mean value of a chunk, score with only that chunk replaced), chunks cut from the order.
 * In [−1, 1], higher is better; NaN when either is constant. Source: mindspore_xai v2.0.0
 * benchmark/faithfulness.py, without its (1 + r)/2.
 */
gboolean sonde_naive_faithfulness (SondeTensor *image, SondeTensor *base, const SondeTensor *map,
                                   guint chunks, double share, SondeScoreFunction score,
                                   gpointer data, double *value, GError **error);

/**
 * sonde_faithfulness_correlation:
 * @subsets: draws of @size pixels each, from @seed
 *
 * Pearson (Σ of the map over a subset, f (x) − f (x with the subset replaced)). In [−1, 1], higher
 * is better; NaN when either is constant. Source: Bhatt, Weller, Moura, "Evaluating and aggregating
 * feature-based explanations" (2020); Quantus FaithfulnessCorrelation.
 */
gboolean sonde_faithfulness_correlation (SondeTensor *image, SondeTensor *base,
                                         const SondeTensor *map, guint subsets, guint size,
                                         guint64 seed, SondeScoreFunction score, gpointer data,
                                         double *value, GError **error);

/**
 * SondeInfidelity:
 * @value: mean (IᵀΦ − (f(x) − f(x − I)))²; @normalised: with βΦ, β the best factor (1 where IᵀΦ is
 * 0 throughout)
 * @mean_square: mean (f(x) − f(x − I))²; @fit: 1 − normalised / mean_square, NaN where that is 0
 */
typedef struct
{
  double value, normalised, beta, mean_square, fit;
} SondeInfidelity;

/**
 * sonde_infidelity:
 * @attribution: float32 [C, H, W], signed
 * @noise: float32 [n, C, H, W]: the perturbations I
 * @base: (nullable): float32 [C, H, W]: the attribution is a contribution (input × gradient, IG …)
 *   from there: I is divided by the image less @base, 0 where these are equal; NULL: a slope
 *
 * Source: Yeh et al., "On the (in)fidelity and sensitivity of explanations" (2019); Captum
 * metrics/infidelity.
 */
gboolean sonde_infidelity (SondeTensor *image, SondeTensor *attribution, SondeTensor *noise,
                           SondeTensor *base, SondeScoreFunction score, gpointer data,
                           SondeInfidelity *result, GError **error);

G_END_DECLS
