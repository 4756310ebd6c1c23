/* SPDX-License-Identifier: Apache-2.0
 * The curve by which UMAP says how near two places are. Pure, any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_umap_fit_curve:
 * @a, @b: (out): of 1 / (1 + a d^(2 b)), the least squares fit to 1 up to @min_distance and
 *   exp (@min_distance − d) beyond, at 300 distances from 0 to 3
 *
 * Source: umap-learn's find_ab_params with a spread of 1.
 */
void sonde_umap_fit_curve (double min_distance, double *a, double *b);

G_END_DECLS
