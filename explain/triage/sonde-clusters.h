/* SPDX-License-Identifier: Apache-2.0
 * Groups of like explanations within a confusion cell, each with the one that stands for it. After
 * Lapuschkin et al., "Unmasking Clever Hans predictors" (2019), with k-medoids in the place of
 * spectral clustering. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_CLUSTER_MAP 7 /* maps are pooled to 7 × 7 */

/* The means of |@map| in 7 × 7 fields, divided by the largest of them; zeros for a map without
 * any. */
void sonde_clusters_pool (const float *map, int height, int width, float *pooled);

/**
 * sonde_clusters_find:
 * @vectors: [n, width]; distance is 1 − cosine
 * @k: at most @n
 * @cluster: (out) (array length=n): of each
 * @medoids: (out caller-allocates) (array length=k): the row that is nearest to all others of its
 * cluster
 *
 * k-medoids from the row nearest to all, then each time the row farthest from those taken; at most
 * 20 rounds. The same for the same rows. Of more than 1,000 rows, medoids come from 1,000 at equal
 * steps, and each row goes to the nearest of them.
 */
void sonde_clusters_find (const float *vectors, guint n, guint width, guint k, guint *cluster,
                          guint *medoids);

G_END_DECLS
