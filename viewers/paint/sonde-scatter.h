/* SPDX-License-Identifier: Apache-2.0
 * Points as marks: the kind of a point says hue and shape, or a number its place on a colour
 * scale. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

#define SONDE_SCATTER_MAX_KINDS 16 /* with a line in the legend each */

/**
 * SondeScatter: nothing is owned
 * @xy: [n_points, 2] px; not finite: not drawn
 * @kinds: (nullable): of each point, 0 … n_kinds - 1; -1 is grey
 * @names: (nullable): of the kinds
 * @numbers: (nullable): of each point, in place of kinds; NaN is magenta
 * @low, @high: ends of the scale of @numbers
 * @pale: of points behind others or not selected; 0: as usual, towards 1: fainter
 */
typedef struct
{
  const double *xy;
  gsize n_points;
  const int *kinds;
  int n_kinds;
  const char *const *names;
  const double *numbers;
  double low, high, pale;
} SondeScatter;

/* The points; clip before. */
void sonde_paint_scatter (cairo_t *cr, const SondeTheme *theme, const SondeScatter *scatter);
/* One mark per kind with its name, or the colour scale, right-aligned at @right from @top on. */
void sonde_paint_scatter_legend (cairo_t *cr, const SondeTheme *theme, const SondeScatter *scatter,
                                 double right, double top);
/* Its width in px; 0: there is nothing to say. */
double sonde_measure_scatter_legend (const SondeScatter *scatter);
/* A ring around a place. */
void sonde_paint_scatter_ring (cairo_t *cr, const SondeTheme *theme, double x, double y);

G_END_DECLS
