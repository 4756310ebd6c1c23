/* SPDX-License-Identifier: Apache-2.0
 * Lines of one height over a grid of heights: marching squares, joined into polylines. Pure functions. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In columns and rows of the grid. */
typedef struct
{
  double x, y;
} SondeContourPoint;

/* @first, @n: of the points; a closed line ends where it begins */
typedef struct
{
  guint first, n;
} SondeContourLine;

/* @points: SondeContourPoint; @lines: SondeContourLine */
typedef struct
{
  GArray *points, *lines;
} SondeContourLines;

/**
 * sonde_contour_lines_new:
 * @heights: [n_y, n_x]; squares with a corner that is not finite have no line
 * @n_x, @n_y: 2 or more
 *
 * Between the grid's points heights are linear along the sides of squares.
 */
SondeContourLines *sonde_contour_lines_new (const double *heights, gsize n_x, gsize n_y,
                                            double level);
void sonde_contour_lines_free (SondeContourLines *lines); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeContourLines, sonde_contour_lines_free)

G_END_DECLS
