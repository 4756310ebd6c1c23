/* SPDX-License-Identifier: Apache-2.0
 * How well a map points at an object whose mask is known. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Is the pixel of largest magnitude (the first in row-major order of equals) inside the mask?
 * @map: float32 [H, W]; @mask: u8 [H, W]. A map that is zero everywhere or holds NaN does not
 * point: -1; else 0 or 1.
 * Source: Zhang et al., "Top-down neural attention by excitation backprop" (2016), pointing game
 * without tolerance. */
int sonde_localisation_points (const SondeTensor *map, const SondeTensor *mask);

/**
 * sonde_localisation_points_near:
 * @tolerance: T, pixels: hit when a pixel of the mask lies at a distance below it; 1 is the pixel
 * itself
 *
 * The pixel of largest value (signed, the first of equals). A constant map misses. -1 for a map
 * that holds NaN or infinity, or a mask without object. Source: Fong, Patrick, Vedaldi, TorchRay,
 * pointing game.
 */
int sonde_localisation_points_near (const SondeTensor *map, const SondeTensor *mask,
                                    double tolerance);

/* max (1, round (15 · short side / 224)): the tolerance of the pointing game for a map of that
 * size. */
double sonde_localisation_tolerance (gint64 height, gint64 width);

/* |R ∩ G| / |R|, R = pixels above @share (0.5) of the map's maximum, G the mask; NaN when the
 * maximum is not above 0.
 * Source: mindspore_xai v2.0.0 benchmark/localization.py, IoSR. */
double sonde_localisation_iosr (const SondeTensor *map, const SondeTensor *mask, double share);

/* Share of Σ max (map, 0) that lies inside the mask; NaN for a map without positive values. */
double sonde_localisation_positive_mass (const SondeTensor *map, const SondeTensor *mask);

/* The baseline: is the image's centre pixel (H/2, W/2) inside the mask? */
gboolean sonde_localisation_centre_points (const SondeTensor *mask);

/* Share of Σ|map| that lies inside the mask; NaN for a map without mass. */
double sonde_localisation_mass (const SondeTensor *map, const SondeTensor *mask);

G_END_DECLS
