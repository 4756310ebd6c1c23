/* SPDX-License-Identifier: Apache-2.0
 * t-SNE by Barnes and Hut's approximation. Pure, any thread. */
#pragma once

#include "viewers/projection/sonde-links.h"

G_BEGIN_DECLS

/* @perplexity: less than the rows; @angle: 0 exact, up to 1 */
typedef struct
{
  double perplexity, angle;
  int n_iterations;
} SondeTsneSettings;

#define SONDE_TSNE_DEFAULTS ((SondeTsneSettings){ 30, 0.5, 1000 })

/* Neighbours that a perplexity looks at, of @n points. */
gsize sonde_tsne_count_neighbours (gsize n, double perplexity);

/* p_ij = (p(j|i) + p(i|j)) / 2n, of all together 1; @nearest: with as many neighbours as
 * sonde_tsne_count_neighbours() says. Errors: NO_MEMORY */
SondeLinks *sonde_tsne_link (const SondeNearestTable *nearest, double perplexity, GError **error);

/**
 * sonde_tsne_place:
 * @links: of sonde_tsne_link(); multiplied by the exaggeration meanwhile
 * @dims: 2 or 3
 * @places: (inout): [n, @dims]; whatever their spread is, they begin with one of 1e-4
 * @divergence: (out): Kullback–Leibler, of P from Q, at the last look
 * @n_done: (out): iterations; fewer than wanted where the gradient is below 1e-7 or the divergence
 *   has not fallen for 300 of them
 *
 * Gradient descent with gains: 250 iterations with P times 12 and momentum 0.5, then with P and 0.8;
 * learning rate max (n / 48, 50). The same links, places and settings give the same result with any
 * number of threads.
 * Errors: CANCELLED.
 * Source: van der Maaten, JMLR 15 (2014); defaults and stopping as scikit-learn's TSNE.
 */
gboolean sonde_tsne_place (SondeLinks *links, const SondeTsneSettings *settings, int dims,
                           float *places, double *divergence, int *n_done, SondeWorkTeam *team,
                           SondeProjectionWatch *watch, GError **error);

G_END_DECLS
