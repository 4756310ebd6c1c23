/* SPDX-License-Identifier: Apache-2.0
 * Heights of a contour map, for who goes over many places of it. */
#pragma once

#include "viewers/paint/landscape/sonde-contour.h"

G_BEGIN_DECLS

/* Cell of a rising axis that holds @value, and where in it; FALSE outside. */
gboolean sonde_contour_find_cell (const double *axis, gsize n, double value, gsize *cell,
                                  double *share);

/* Bilinear in a cell; NaN beside unknown heights. */
double sonde_contour_height_in (const SondeContour *contour, gsize column, gsize row, double across,
                                double down);

/* Colour of the band between two levels: by its number, so that neighbours differ as much everywhere. */
SondeColor sonde_contour_color (const SondeContourLevels *levels, double height);

G_END_DECLS
