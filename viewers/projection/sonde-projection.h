/* SPDX-License-Identifier: Apache-2.0
 * Points of many dimensions in a plane or in space, by one of the methods, and how well their
 * neighbourhoods are kept there. Pure, any thread; takes seconds to minutes. */
#pragma once

#include "viewers/projection/sonde-pca.h"
#include "viewers/projection/sonde-tsne.h"
#include "viewers/projection/sonde-umap.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_PROJECTION_PCA,
  SONDE_PROJECTION_TSNE,
  SONDE_PROJECTION_UMAP,
} SondeProjectionMethod;

/* @dims: 2 or 3, of t-SNE and UMAP; @nearness: theirs, too; @n_threads: 0: all processors */
typedef struct
{
  SondeProjectionMethod method;
  int dims;
  SondeNearness nearness;
  SondeTsneSettings tsne;
  SondeUmapSettings umap;
  guint n_threads;
} SondeProjectionSettings;

#define SONDE_PROJECTION_DEFAULTS                                                                  \
  ((SondeProjectionSettings){ .dims = 2, .tsne = SONDE_TSNE_DEFAULTS, .umap = SONDE_UMAP_DEFAULTS })

/* Whether they make the same projection of the same points: numbers of other methods do not count. */
gboolean sonde_projection_settings_equal (const SondeProjectionSettings *a,
                                          const SondeProjectionSettings *b);

/**
 * SondeProjection:
 * @places: [n, dims], of all rows of the tensor; NaN for those that are not finite
 * @shares: [dims]: of PCA, part of the variance; else NULL
 * @residual: of PCA, see sonde_pca_project()
 * @divergence: of t-SNE, else NaN; @n_iterations: of t-SNE, done
 * @n_neighbours: of a point that were looked at; 0: PCA
 * @approximate: neighbours were not searched for exactly
 * @trustworthiness: see sonde_trustworthiness_measure(), of @n_trusted points; NaN where it has no
 *   meaning
 */
typedef struct
{
  gsize n, n_neighbours, n_trusted;
  int dims, n_iterations;
  double *places, *shares, residual, divergence, trustworthiness;
  gboolean approximate;
} SondeProjection;

/**
 * sonde_projection_new:
 * @points: [N, D] numbers
 * @watch: (nullable): zeroed
 *
 * PCA has min (D, 10) components in @places. Perplexity and neighbours are cut to what the points
 * allow: a third of them, all of them. The same input gives the same result.
 * Errors: as sonde_pca_project(); INVALID when t-SNE or UMAP get fewer than four finite points.
 */
SondeProjection *sonde_projection_new (const SondeTensor *points,
                                       const SondeProjectionSettings *settings,
                                       SondeProjectionWatch *watch, GError **error);
void sonde_projection_free (SondeProjection *projection);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeProjection, sonde_projection_free)

G_END_DECLS
