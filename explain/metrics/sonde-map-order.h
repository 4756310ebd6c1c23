/* SPDX-License-Identifier: Apache-2.0
 * Info of a map by itself: order of its pixels, ties, how few pixels carry it; and similarity of two
 * maps. A map is float32, any shape; NaN or infinity in it makes every number here NaN. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Numbers of the pixels, largest value first; equal ones in row-major order. NULL for a map that
 * holds NaN or infinity.
 * Returns: (transfer full) (nullable) (array length=n_elements) */
guint *sonde_map_order (const SondeTensor *map);
/* The same with equal ones in an order drawn from @seed. */
guint *sonde_map_order_random_ties (const SondeTensor *map, guint64 seed);
/* All pixels in an order drawn from @seed: what a map without knowledge gives. */
guint *sonde_map_order_random (guint n, guint64 seed);

/* 1 − distinct values / pixels: how much of an order is arbitrary; (n − 1)/n for a constant map. */
double sonde_map_tied_share (const SondeTensor *map);

/* Σ (2i − n − 1) a_i / (n Σ a), a = |map| ascending, i from 1: 0 equal everywhere, towards 1 a
 * single pixel. NaN for a map of zeros.
 * Source: Hurley, Rickard, "Comparing measures of sparsity" (2009); Quantus Sparseness. */
double sonde_map_gini (const SondeTensor *map);
/* −Σ q ln (q + 1e-12), q = |map| / Σ|map|. Source: Quantus Complexity. NaN for a map of zeros. */
double sonde_map_entropy (const SondeTensor *map);
/* Number of pixels with q > 1e-5. Source: Quantus EffectiveComplexity with normalised maps. NaN for
 * a map of zeros. */
double sonde_map_effective_complexity (const SondeTensor *map);

/* Correlations of @n pairs; NaN when either side is constant, or a number is not finite. Spearman:
 * ties get their mean rank. */
double sonde_pearson (const double *a, const double *b, gsize n);
double sonde_spearman (const double *a, const double *b, gsize n);
/* Of two maps of one size; @magnitude: of |map|. */
double sonde_map_spearman (const SondeTensor *a, const SondeTensor *b, gboolean magnitude);

/**
 * sonde_map_ssim:
 * @a, @b: [H, W], each side at least 7
 * @magnitude: of |map|
 *
 * Mean structural similarity over all 7×7 windows that lie inside, of both maps stretched to 0 … 1
 * (a constant map to 0), C1 = 0.01², C2 = 0.03², population covariance. NaN for smaller maps.
 * Source: Wang et al. 2004.
 */
double sonde_map_ssim (const SondeTensor *a, const SondeTensor *b, gboolean magnitude);

/* |A ∩ B| / |A ∪ B| of the @share · n pixels of largest value of each, at least one. */
double sonde_map_top_overlap (const SondeTensor *a, const SondeTensor *b, double share);

G_END_DECLS
