/* SPDX-License-Identifier: Apache-2.0
 * Looking at painted pictures: colours at places, what is inked at all. */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

/* White, ARGB32. */
cairo_surface_t *sonde_test_image_new (int width, int height);
/* 0xRRGGBB */
guint32 sonde_test_image_get (cairo_surface_t *picture, int x, int y);
/* Largest difference of a channel between a pixel and 0xRRGGBB, 0…255. */
int sonde_test_image_distance (cairo_surface_t *picture, int x, int y, guint32 color);
/* Is a pixel of that colour (each channel within @tolerance) in the rectangle? */
gboolean sonde_test_image_has (cairo_surface_t *picture, int x, int y, int width, int height,
                               guint32 color, int tolerance);
/* Pixels in the rectangle that are not white. */
int sonde_test_image_count_ink (cairo_surface_t *picture, int x, int y, int width, int height);
/* Largest difference of a channel over all pixels; 255 when the sizes differ. When it is above
 * @tolerance both are left as NAME.output.png and NAME.expected.png in the current folder. */
int sonde_test_image_compare (cairo_surface_t *picture, cairo_surface_t *expected, int tolerance,
                              const char *name);

G_END_DECLS
