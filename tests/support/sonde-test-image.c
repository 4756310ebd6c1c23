/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/sonde-test-image.h"

cairo_surface_t *
sonde_test_image_new (int width, int height)
{
  cairo_surface_t *picture = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (picture);

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_destroy (cr);
  return picture;
}

guint32
sonde_test_image_get (cairo_surface_t *picture, int x, int y)
{
  const guint8 *row;

  cairo_surface_flush (picture);
  g_assert_true (x >= 0 && y >= 0 && x < cairo_image_surface_get_width (picture)
                 && y < cairo_image_surface_get_height (picture));
  row = cairo_image_surface_get_data (picture) + y * cairo_image_surface_get_stride (picture);
  return ((const guint32 *) (const void *) row)[x] & 0xffffff;
}

static int
distance (guint32 a, guint32 b)
{
  int largest = 0;

  for (int shift = 0; shift <= 16; shift += 8)
    largest = MAX (largest, ABS ((int) ((a >> shift) & 0xff) - (int) ((b >> shift) & 0xff)));
  return largest;
}

int
sonde_test_image_distance (cairo_surface_t *picture, int x, int y, guint32 color)
{
  return distance (sonde_test_image_get (picture, x, y), color);
}

gboolean
sonde_test_image_has (cairo_surface_t *picture, int x, int y, int width, int height, guint32 color,
                      int tolerance)
{
  for (int j = y; j < y + height; j++)
    for (int i = x; i < x + width; i++)
      if (sonde_test_image_distance (picture, i, j, color) <= tolerance)
        return TRUE;
  return FALSE;
}

int
sonde_test_image_count_ink (cairo_surface_t *picture, int x, int y, int width, int height)
{
  int n = 0;

  for (int j = y; j < y + height; j++)
    for (int i = x; i < x + width; i++)
      n += sonde_test_image_get (picture, i, j) != 0xffffff;
  return n;
}

static void
leave (cairo_surface_t *picture, const char *name, const char *what)
{
  g_autofree char *path = g_strdup_printf ("%s.%s.png", name, what);

  cairo_surface_write_to_png (picture, path);
  g_test_message ("left %s", path);
}

int
sonde_test_image_compare (cairo_surface_t *picture, cairo_surface_t *expected, int tolerance,
                          const char *name)
{
  int width = cairo_image_surface_get_width (picture),
      height = cairo_image_surface_get_height (picture);
  int largest = 0;

  if (width != cairo_image_surface_get_width (expected)
      || height != cairo_image_surface_get_height (expected))
    largest = 255;
  for (int y = 0; y < height && largest < 255; y++)
    for (int x = 0; x < width; x++)
      largest = MAX (largest, sonde_test_image_distance (picture, x, y,
                                                         sonde_test_image_get (expected, x, y)));
  if (largest > tolerance)
    {
      leave (picture, name, "output");
      leave (expected, name, "expected");
    }
  return largest;
}
