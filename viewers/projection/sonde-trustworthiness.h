/* SPDX-License-Identifier: Apache-2.0
 * How far points that are near each other in a picture are near each other in truth. Pure, any
 * thread. */
#pragma once

#include "viewers/projection/sonde-point-table.h"
#include "viewers/projection/sonde-work-team.h"

G_BEGIN_DECLS

#define SONDE_TRUSTED_NEIGHBOURS 5

/**
 * sonde_trustworthiness_measure:
 * @places: [n, dims]: of the table's rows
 * @n_asked: of how many rows, evenly chosen
 *
 * 1 − 2 / (m k (2n − 3k − 1)) Σ_i Σ_j (r(i, j) − k) over neighbours j of i in the picture whose rank r
 * among all points is above k = SONDE_TRUSTED_NEIGHBOURS, m the rows asked. 1 is perfect; NaN when
 * there are not more than 2 k points.
 * Source: Venna and Kaski, ICANN 2001; scikit-learn's trustworthiness with 5 neighbours.
 */
double sonde_trustworthiness_measure (const SondePointTable *points, const float *places, int dims,
                                      gsize n_asked, SondeWorkTeam *team);

G_END_DECLS
