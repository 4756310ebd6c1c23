/* SPDX-License-Identifier: Apache-2.0
 * Looking at painted images: colours at places, what is inked at all. */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

/* White, ARGB32. */
cairo_surface_t *sonde_test_image_new (int width, int height);
/* 0xRRGGBB */
guint32 sonde_test_image_get (cairo_surface_t *image, int x, int y);
/* Largest difference of a channel between a pixel and 0xRRGGBB, 0…255. */
int sonde_test_image_distance (cairo_surface_t *image, int x, int y, guint32 color);
/* Is a pixel of that colour (each channel within @tolerance) in the rectangle? */
gboolean sonde_test_image_has (cairo_surface_t *image, int x, int y, int width, int height,
                               guint32 color, int tolerance);
/* Pixels in the rectangle that are not white. */
int sonde_test_image_count_ink (cairo_surface_t *image, int x, int y, int width, int height);
/**
 * sonde_test_image_check:
 * @name: of the reference: tests/fixtures/paint/NAME.png
 *
 * Fails when the image is not the reference's to a person who looks: both are blurred over 5 × 5
 * pixels, so that other versions of FreeType and Pixman may smooth edges and place glyphs by a
 * pixel; then at most 0.5 % of the pixels may be off by more than 40 of 255, and the mean by 1.5.
 * The image, and what differs (dark on white), are left as NAME.output.png and NAME.difference.png
 * in the current folder. With SONDE_WRITE_REFERENCES set the reference is written instead.
 */
void sonde_test_image_check (cairo_surface_t *image, const char *name);
/* The same with tests/fixtures/FOLDER/NAME.png. */
void sonde_test_image_check_in (cairo_surface_t *image, const char *folder, const char *name);

G_END_DECLS
