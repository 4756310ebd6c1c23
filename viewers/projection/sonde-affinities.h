/* SPDX-License-Identifier: Apache-2.0
 * How much a point belongs to each of its neighbours, as t-SNE and UMAP see it. Pure, any thread. */
#pragma once

#include "viewers/projection/sonde-nearest-table.h"

G_BEGIN_DECLS

/**
 * sonde_affinities_fit_perplexity:
 * @weights: (out caller-allocates): [n, k]: p(j|i) = exp (−β_i d²_ij) / Σ, where β_i gives a
 *   distribution of an entropy of log @perplexity to 1e-5, or of 100 halvings
 *
 * Source: van der Maaten and Hinton, JMLR 9 (2008), section 2; agrees with scikit-learn's
 * _binary_search_perplexity.
 */
void sonde_affinities_fit_perplexity (const SondeNearestTable *nearest, double perplexity,
                                      float *weights);

/**
 * sonde_affinities_fit_neighbours:
 * @weights: (out caller-allocates): [n, k]: exp (−max (0, d_ij − ρ_i) / σ_i), with ρ_i the distance to
 *   the nearest other point that is not at the same place and σ_i such that they sum to log₂ (k + 1)
 *
 * Source: McInnes, Healy, Melville, arXiv:1802.03426, section 3.1 and algorithm 3; agrees with
 * umap-learn's smooth_knn_dist and compute_membership_strengths, where the point counts as its own
 * first neighbour.
 */
void sonde_affinities_fit_neighbours (const SondePointTable *points,
                                      const SondeNearestTable *nearest, float *weights);

G_END_DECLS
