/* SPDX-License-Identifier: Apache-2.0
 * An image with a signed map over it: explanation maps, filters, differences. Pixels stay
 * pixels. */
#pragma once

#include "data/values/sonde-image.h"
#include "viewers/paint/sonde-color-map.h"

G_BEGIN_DECLS

/**
 * SondeMapImage: nothing is owned; valid for the call
 * @image: (nullable): drawn in grey under a map, in its colours alone
 * @map: (nullable): float32 [H, W], signed; blue below zero, red above, hatch for NaN
 * @mask: (nullable): u8 [H, W]: outline of the object
 * @limit: the scale is [-limit, limit]; ≤ 0: the map's own largest magnitude
 * @blend: 0 the image alone … 1 the map alone
 */
typedef struct
{
  const SondeImage *image;
  const SondeTensor *map, *mask;
  double limit, blend;
} SondeMapImage;

/* Width and height in pixels of what would be drawn; FALSE when there is nothing. */
gboolean sonde_map_image_get_size (const SondeMapImage *drawing, int *width, int *height);

/* Largest magnitude of the finite elements; 0 for none. */
double sonde_map_largest_magnitude (const SondeTensor *map);

/* Fills the rectangle (x, y, width, height) px; pixels are drawn as squares. */
void sonde_paint_map (cairo_t *cr, const SondeTheme *theme, const SondeMapImage *drawing, double x,
                      double y, double width, double height);

G_END_DECLS
