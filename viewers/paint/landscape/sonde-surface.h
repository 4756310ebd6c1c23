/* SPDX-License-Identifier: Apache-2.0
 * The surface of a contour map in space, as it looks from some side: bands of the map's colours, the path on it,
 * axes around it. */
#pragma once

#include "viewers/paint/landscape/sonde-contour.h"

G_BEGIN_DECLS

/**
 * SondeSurfaceCamera: from infinitely far away
 * @yaw: degrees that the surface is turned around the axis of heights
 * @pitch: degrees that it is seen from above, 0 (from the side) … 90 (as the map)
 * @zoom: 1: all of it is seen from any side
 */
typedef struct
{
  double yaw, pitch, zoom;
} SondeSurfaceCamera;

/* As the limits of the axes are not looked at, all of the surface is shown. */
void sonde_paint_surface (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour,
                          const SondeSurfaceCamera *camera, int width, int height);

/**
 * sonde_surface_place:
 * @x, @y: on the map's axes
 * @px, @py: (out): where the surface is there, in a picture of @width × @height
 *
 * Returns: whether it is seen, and not behind other parts. FALSE beside the grid and where the height is unknown.
 */
gboolean sonde_surface_place (const SondeContour *contour, const SondeSurfaceCamera *camera,
                              int width, int height, double x, double y, double *px, double *py);

/* The point of the grid, of those that are seen, that is nearest to a place of the picture, within some px. FALSE:
 * there is none. */
gboolean sonde_surface_pick (const SondeContour *contour, const SondeSurfaceCamera *camera,
                             int width, int height, double px, double py, double *x, double *y);

G_END_DECLS
