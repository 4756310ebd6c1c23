/* SPDX-License-Identifier: Apache-2.0
 * A histogram's bins in order of value, joined where they are too narrow to be seen. */
#pragma once

#include "data/values/sonde-bins.h"

G_BEGIN_DECLS

/* @lower, @upper: limits; @share: of all finite values */
typedef struct
{
  double lower, upper, share;
} SondeDensityBin;

/**
 * sonde_density_bins:
 * @min_width: in units of the value; neighbours are joined until they are as wide
 *
 * Bins that overlap are taken from where the one before ends; a gap is a bin without anything in
 * it.
 * Returns: (transfer full) (element-type SondeDensityBin): from the least to the largest value, no
 * gaps between; empty when no value is finite
 */
GArray *sonde_density_bins (const SondeBins *bins, double min_width);

G_END_DECLS
