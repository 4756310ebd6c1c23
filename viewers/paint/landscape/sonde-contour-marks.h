/* SPDX-License-Identifier: Apache-2.0
 * What stands on a contour map: the path with its beginning, steps and end, and the lowest point. */
#pragma once

#include "viewers/paint/landscape/sonde-contour.h"

G_BEGIN_DECLS

/* Path, end and lowest point with their words, within @area, which the caller has clipped to. */
void sonde_paint_contour_marks (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour,
                                const SondeContourLevels *levels, const cairo_rectangle_t *area);

G_END_DECLS
