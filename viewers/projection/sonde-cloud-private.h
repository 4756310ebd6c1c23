/* SPDX-License-Identifier: Apache-2.0
 * The centred points that components are found for. */
#pragma once

#include "viewers/projection/sonde-pca.h"

G_BEGIN_DECLS

#define SONDE_CLOUD_BLOCK 16 /* directions at a time */

/**
 * SondeCloud:
 * @rows: [n, d]: the tensor's own memory or @owned
 * @used: [n_used]: indices of the rows that are finite; @mean: [d]; @total: sum of squares of centred
 *   entries
 */
typedef struct
{
  const float *rows;
  float *owned;
  gsize n, d, *used, n_used;
  double *mean, total;
  SondeWorkTeam *team;
  SondeProjectionWatch *watch;
} SondeCloud;

/* Errors: INVALID, NO_MEMORY. Whatever happens, cleared by sonde_cloud_clear(). */
gboolean sonde_cloud_init (SondeCloud *cloud, const SondeTensor *points, GError **error);
void sonde_cloud_clear (SondeCloud *cloud);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeCloud, sonde_cloud_clear)

gboolean sonde_cloud_is_finite (const SondeCloud *cloud, gsize row);

/* Centred entries as doubles: @n rows that are looked at from @row on, @d dimensions from @k on. */
void sonde_cloud_copy (const SondeCloud *cloud, gsize row, gsize n, gsize k, gsize d,
                       double *block);

/* Row @row (of all) along each of SONDE_CLOUD_BLOCK directions; @directions: [d, BLOCK] */
void sonde_cloud_project_row (const SondeCloud *cloud, gsize row, const double *directions,
                              double *along);

/**
 * sonde_cloud_iterate:
 * @basis: (out caller-allocates): [m, d], m ≤ 10
 * @values: (out caller-allocates): [m]: eigenvalues of the matrix of products of dimensions
 * @residual: (out): largest |C v − λ v| / λ₁
 *
 * See sonde_pca_project(). Errors: CANCELLED, those of sonde-lapack.h.
 */
gboolean sonde_cloud_iterate (const SondeCloud *cloud, gsize m, double *basis, double *values,
                              double *residual, GError **error);

G_END_DECLS
