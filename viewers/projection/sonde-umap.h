/* SPDX-License-Identifier: Apache-2.0
 * UMAP. Pure, any thread. */
#pragma once

#include "viewers/projection/sonde-links.h"

G_BEGIN_DECLS

/* @n_neighbours: with the point itself, 2 … rows; @min_distance: of close points, 0 … 1;
 * @n_epochs: 0: 500 up to 10,000 points, 200 above */
typedef struct
{
  gsize n_neighbours;
  double min_distance;
  int n_epochs;
  guint64 seed;
} SondeUmapSettings;

#define SONDE_UMAP_DEFAULTS ((SondeUmapSettings){ 15, 0.1, 0, 0 })

/* Memberships of a fuzzy set of pairs: of A or of B, where @nearest has n_neighbours − 1 of them.
 * Errors: NO_MEMORY */
SondeLinks *sonde_umap_link (const SondePointTable *points, const SondeNearestTable *nearest,
                             GError **error);

/**
 * sonde_umap_place:
 * @links: of sonde_umap_link()
 * @dims: 2 or 3
 * @places: (inout): [n, @dims]: where points that are not all linked begin, else overwritten: they
 *   begin at the eigenvectors of their normalised Laplacian
 *
 * Pairs are drawn as often as they belong together and pull, five other points for each push. Points
 * stand in 16 blocks; pairs of blocks that share none are worked on at a time, and the points that
 * push are where they were when the epoch began: the same links, places and settings give the same
 * result with any number of threads.
 * Errors: CANCELLED, those of sonde-lapack.h.
 * Source: McInnes, Healy, Melville, arXiv:1802.03426, algorithm 5; defaults as umap-learn's.
 */
gboolean sonde_umap_place (const SondeLinks *links, const SondeUmapSettings *settings, int dims,
                           float *places, SondeWorkTeam *team, SondeProjectionWatch *watch,
                           GError **error);

G_END_DECLS
