/* SPDX-License-Identifier: Apache-2.0
 * Points of many dimensions along their largest principal components. Pure, any thread. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/projection/sonde-projection-watch.h"
#include "viewers/projection/sonde-work-team.h"

G_BEGIN_DECLS

#define SONDE_PCA_MOST_COMPONENTS 10

/**
 * sonde_pca_project:
 * @points: [N, D] numbers; rows that are not finite get NaN
 * @n_components: 1 … SONDE_PCA_MOST_COMPONENTS; those beyond D are 0
 * @places: (out caller-allocates): [N, n_components]
 * @shares: (out caller-allocates): n_components: part of the variance that each explains, 0…1; 0
 *   without variance
 * @residual: (out): largest |C v − λ v| / λ₁ of the components, with C the covariance: 0 where they are
 *   those of a matrix solved whole
 * @watch: (nullable)
 *
 * All rows count. The components are eigenvectors of the matrix of products of dimensions, or of rows
 * where those are fewer; where that takes more than some 10¹¹ multiplications or has more than 2,048
 * rows, those of a block of 16 that is multiplied by C until the residual is below 1e-6, at most 60
 * times. Signs: the entry of each component that is largest in size is positive. The same input gives
 * the same result with any number of threads.
 * Errors: INVALID when @points has another form or no finite row, CANCELLED, NO_MEMORY, those of
 * sonde-lapack.h.
 * Source: Jolliffe, Principal Component Analysis (2002), sections 3.1 and 3.5; Halko, Martinsson,
 * Tropp, SIAM Review 53 (2011), algorithm 4.4.
 */
gboolean sonde_pca_project (const SondeTensor *points, gsize n_components, double *places,
                            double *shares, double *residual, SondeWorkTeam *team,
                            SondeProjectionWatch *watch, GError **error);

G_END_DECLS
