/* SPDX-License-Identifier: Apache-2.0
 * How well a map points at an object whose mask is known. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Is the pixel of largest magnitude (the first in row-major order of equals) inside the mask?
 * @map: float32 [H, W]; @mask: u8 [H, W]. A map that is zero everywhere or holds NaN does not point: -1; else 0 or 1.
 * Source: Zhang et al., "Top-down neural attention by excitation backprop" (2016), pointing game without tolerance. */
int sonde_localisation_points (const SondeTensor *map,
                               const SondeTensor *mask);

/* The baseline: is the picture's centre pixel (H/2, W/2) inside the mask? */
gboolean sonde_localisation_centre_points (const SondeTensor *mask);

/* Share of Σ|map| that lies inside the mask; NaN for a map without mass. */
double sonde_localisation_mass (const SondeTensor *map,
                                const SondeTensor *mask);

G_END_DECLS
