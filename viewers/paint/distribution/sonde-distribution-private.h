/* SPDX-License-Identifier: Apache-2.0
 * What the kinds of distributions share. */
#pragma once

#include "viewers/paint/distribution/sonde-density.h"
#include "viewers/paint/distribution/sonde-distribution.h"

G_BEGIN_DECLS

/* What a bin has at least, in units of the value. */
double sonde_distribution_bin_width (const SondeDistribution *d, const cairo_rectangle_t *area);
/* Of all rows, per unit of the value. */
double sonde_distribution_highest_density (const SondeDistribution *d,
                                           const cairo_rectangle_t *area);
/* 0 … 1 */
double sonde_distribution_height_of_bin (const SondeDistribution *d, const SondeDensityBin *bin,
                                         double highest);

/* ---- one over the other (sonde-distribution-overlay.c) ------------------- */

void sonde_distribution_paint_overlay (cairo_t *cr, const SondeTheme *theme,
                                       const SondeDistribution *d, const cairo_rectangle_t *area);
/* @strong: the one under the pointer */
void sonde_distribution_paint_outline (cairo_t *cr, const SondeTheme *theme,
                                       const SondeDistribution *d, const cairo_rectangle_t *area,
                                       gsize row, double highest, gboolean strong);
/* How high the row is at a place, px from the top. */
double sonde_distribution_outline_y (const SondeDistribution *d, const cairo_rectangle_t *area,
                                     gsize row, double x, double highest);

G_END_DECLS
