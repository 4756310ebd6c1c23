/* SPDX-License-Identifier: Apache-2.0
 * A plane through a point of the weight space: its two axes, and where other points lie seen from it. */
#pragma once

#include "engine/landscape/sonde-weight-space.h"

G_BEGIN_DECLS

/**
 * SondeWeightPlane:
 * @n: numbers of the space
 * @axes: [n] each; owned
 * @products: of the first with itself, of both, of the second with itself
 */
typedef struct
{
  gsize n;
  float *axes[2];
  double products[3];
} SondeWeightPlane;

void sonde_weight_plane_free (SondeWeightPlane *plane); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeWeightPlane, sonde_weight_plane_free)

/**
 * sonde_weight_plane_new_random:
 * @weights: [n]: the point that the plane goes through
 *
 * Two Gaussian directions; each filter d of them is scaled to the length of the weights' own:
 * d · |w| / |d|; what is no filter does not move. They are a function of seed and parameter names.
 * Source: Li, Xu, Taylor, Studer, Goldstein, "Visualizing the Loss Landscape of Neural Nets",
 * NeurIPS 2018, section 4.
 */
SondeWeightPlane *sonde_weight_plane_new_random (const SondeWeightSpace *space,
                                                 const float *weights, guint64 seed);

/**
 * sonde_weight_plane_new_of_path:
 * @path: (array length=n_path): [n] each
 * @end: [n]: the point that the plane goes through
 *
 * The two directions of length 1 in which the path lies farthest from @end: the first right singular
 * vectors of the rows path − end. The first point of the path has no negative place on them.
 * Errors: INVALID when the path has no two directions; those of data/base/sonde-lapack.h.
 */
SondeWeightPlane *sonde_weight_plane_new_of_path (const float *const *path, guint n_path,
                                                  const float *end, gsize n, GError **error);

/**
 * sonde_weight_plane_project:
 * @origin, @point: [n]
 * @place: (out) (array fixed-size=2): of the nearest point origin + place[0] · axis 0 + place[1] · axis 1
 * @outside: (out): square of the distance from there to @point
 *
 * Returns: square of the distance from @origin to @point
 */
double sonde_weight_plane_project (const SondeWeightPlane *plane, const float *origin,
                                   const float *point, double place[2], double *outside);

G_END_DECLS
