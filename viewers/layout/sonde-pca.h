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
 * The components come from subspace iteration on the centred points (of many, from an even choice
 * of at most 10,000), so no D × D matrix is made. Signs: the entry of each component that is
 * largest in size is positive. The same input gives the same result.
 * Returns: FALSE when @points has another form, no finite row, or it was cancelled.
 * Source: Halko, Martinsson, Tropp, SIAM Review 53 (2011), algorithm 4.4.
 */
gboolean sonde_pca_project (const SondeTensor *points, double *xy, double *shares,
                            const _Atomic gboolean *cancelled);

G_END_DECLS
