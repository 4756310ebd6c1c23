/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/sonde-test-image.h"

#include <string.h>

cairo_surface_t *
sonde_test_image_new (int width, int height)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (image);

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_destroy (cr);
  return image;
}

guint32
sonde_test_image_get (cairo_surface_t *image, int x, int y)
{
  const guint8 *row;

  cairo_surface_flush (image);
  g_assert_true (x >= 0 && y >= 0 && x < cairo_image_surface_get_width (image)
                 && y < cairo_image_surface_get_height (image));
  row = cairo_image_surface_get_data (image) + y * cairo_image_surface_get_stride (image);
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
sonde_test_image_distance (cairo_surface_t *image, int x, int y, guint32 color)
{
  return distance (sonde_test_image_get (image, x, y), color);
}

gboolean
sonde_test_image_has (cairo_surface_t *image, int x, int y, int width, int height, guint32 color,
                      int tolerance)
{
  for (int j = y; j < y + height; j++)
    for (int i = x; i < x + width; i++)
      if (sonde_test_image_distance (image, i, j, color) <= tolerance)
        return TRUE;
  return FALSE;
}

int
sonde_test_image_count_ink (cairo_surface_t *image, int x, int y, int width, int height)
{
  int n = 0;

  for (int j = y; j < y + height; j++)
    for (int i = x; i < x + width; i++)
      n += sonde_test_image_get (image, i, j) != 0xffffff;
  return n;
}

static void
leave (cairo_surface_t *image, const char *name, const char *what)
{
  g_autofree char *path = g_strdup_printf ("%s.%s.png", name, what);

  cairo_surface_write_to_png (image, path);
  g_test_message ("left %s", path);
}

/* ---- references ---------------------------------------------------------- */

#define BLUR 2 /* px on each side */
#define FAR_OFF 40
#define MAX_SHARE 0.005
#define MAX_MEAN 1.5

/* Each channel's mean over the pixels around, [height][width][3]; by sums from the top left corner.
 * (transfer full) */
static guint8 *
blur (cairo_surface_t *image)
{
  int width = cairo_image_surface_get_width (image),
      height = cairo_image_surface_get_height (image), stride = 3 * (width + 1);
  g_autofree guint32 *sums = g_new0 (guint32, (gsize) stride * (height + 1));
  guint8 *result = g_new (guint8, (gsize) width * height * 3);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++)
        {
          guint32 *at = sums + (y + 1) * stride + 3 * (x + 1) + c;

          *at = (sonde_test_image_get (image, x, y) >> (8 * c) & 0xff) + at[-3] + at[-stride]
                - at[-stride - 3];
        }
  for (int i = 0; i < width * height * 3; i++)
    {
      int x = i / 3 % width, y = i / 3 / width;
      int x0 = MAX (x - BLUR, 0), x1 = MIN (x + BLUR + 1, width), y0 = MAX (y - BLUR, 0),
          y1 = MIN (y + BLUR + 1, height);
      const guint32 *top = sums + y0 * stride + i % 3, *bottom = sums + y1 * stride + i % 3;

      result[i] = (guint8) ((bottom[3 * x1] - bottom[3 * x0] - top[3 * x1] + top[3 * x0])
                            / (guint32) ((x1 - x0) * (y1 - y0)));
    }
  return result;
}

/* Fills @difference. Returns: the share of pixels that are far off; *@mean: of all differences */
static double
compare_blurred (cairo_surface_t *image, cairo_surface_t *expected, cairo_surface_t *difference,
                 double *mean)
{
  int width = cairo_image_surface_get_width (image),
      height = cairo_image_surface_get_height (image), n_far = 0;
  g_autofree guint8 *a = blur (image), *b = blur (expected);
  guint8 *pixels = cairo_image_surface_get_data (difference);
  gint64 sum = 0;

  for (int i = 0; i < width * height; i++)
    {
      int largest = 0;

      for (int c = 0; c < 3; c++)
        largest = MAX (largest, ABS (a[3 * i + c] - b[3 * i + c]));
      memset (pixels + i / width * cairo_image_surface_get_stride (difference) + i % width * 4,
              255 - MIN (4 * largest, 255), 4);
      n_far += largest > FAR_OFF;
      sum += largest;
    }
  cairo_surface_mark_dirty (difference);
  *mean = (double) sum / width / height;
  return (double) n_far / width / height;
}

void
sonde_test_image_check (cairo_surface_t *image, const char *name)
{
  sonde_test_image_check_in (image, "paint", name);
}

void
sonde_test_image_check_in (cairo_surface_t *image, const char *folder, const char *name)
{
  g_autofree char *path
      = g_strdup_printf ("%s/tests/fixtures/%s/%s.png", g_getenv ("SONDE_SOURCE"), folder, name);
  cairo_surface_t *expected, *difference;
  double share, mean;

  if (g_getenv ("SONDE_WRITE_REFERENCES") != NULL)
    {
      g_assert_cmpint (cairo_surface_write_to_png (image, path), ==, CAIRO_STATUS_SUCCESS);
      return;
    }
  expected = cairo_image_surface_create_from_png (path);
  if (cairo_surface_status (expected) != CAIRO_STATUS_SUCCESS)
    g_error ("%s cannot be read", path);
  g_assert_cmpint (cairo_image_surface_get_width (image), ==,
                   cairo_image_surface_get_width (expected));
  g_assert_cmpint (cairo_image_surface_get_height (image), ==,
                   cairo_image_surface_get_height (expected));
  difference = sonde_test_image_new (cairo_image_surface_get_width (image),
                                     cairo_image_surface_get_height (image));
  share = compare_blurred (image, expected, difference, &mean);
  g_test_message ("%s: %.3f %% far off, mean %.3f", name, 100 * share, mean);
  if (share > MAX_SHARE || mean > MAX_MEAN)
    {
      leave (image, name, "output");
      leave (difference, name, "difference");
      g_test_fail_printf ("%s differs from its reference: %.2f %% of its pixels, mean %.2f", name,
                          100 * share, mean);
    }
  cairo_surface_destroy (difference);
  cairo_surface_destroy (expected);
}
