/* SPDX-License-Identifier: Apache-2.0
 * The neighbours of one point where it truly is, before any projection. Pure, any thread. */
#pragma once

#include "viewers/projection/sonde-point-table.h"

G_BEGIN_DECLS

/**
 * sonde_point_neighbours_find:
 * @points: [N, D] numbers
 * @row: one of them
 * @k: how many are wanted
 * @others: (out caller-allocates): @k rows, the nearest first, of equally near ones the earlier first
 * @distances: (out caller-allocates): @k of them: Euclidean, or 1 − cos; of a row of zeros 1
 *
 * Rows that are not finite have no distance. Returns: how many there are, ≤ @k; 0 when @row itself is not
 * finite or @points are no table
 */
gsize sonde_point_neighbours_find (const SondeTensor *points, gsize row, SondeNearness nearness,
                                   gsize k, guint32 *others, double *distances);

G_END_DECLS
