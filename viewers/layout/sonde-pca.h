/* SPDX-License-Identifier: Apache-2.0
 * Points of many dimensions in the plane of their two largest principal components. Pure, any
 * thread. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * sonde_pca_project:
 * @points: [N, D] numbers; rows that are not finite get NaN
 * @xy: (out caller-allocates): [N, 2]: x of the first component, y of the second (0 if D is 1)
 * @shares: (out caller-allocates): 2: part of the variance that each explains, 0…1; 0 without
 * variance
 * @cancelled: (nullable): looked at now and then
 *
 * The components are eigenvectors of the matrix of products of dimensions, or of rows where those are
 * fewer, of the centred points: of many, of an even choice of at most 10,000 rows (2,048 beyond 2,048
 * dimensions). Signs: the entry of each component that is largest in size is positive. The same input
 * gives the same result.
 * Errors: INVALID when @points has another form or no finite row, CANCELLED, those of sonde-lapack.h.
 * Source: Jolliffe, Principal Component Analysis (2002), sections 3.1 and 3.5.
 */
gboolean sonde_pca_project (const SondeTensor *points, double *xy, double *shares,
                            const _Atomic gboolean *cancelled, GError **error);

G_END_DECLS
