/* SPDX-License-Identifier: Apache-2.0
 * Columns written into an image: every pixel against the definition, whatever lies beside it. */
#include <math.h>

#include "viewers/paint/curve/sonde-column-ink.h"

#define WIDTH 71 /* no whole strips */
#define HEIGHT 60
#define N_COLUMNS 67

typedef struct
{
  double alpha;
  int scale;
  float noise; /* px; how far columns differ: little is painted by lines, much by columns */
} Case;

static void
set_place (cairo_t *cr)
{
  cairo_rectangle (cr, 2, 3, WIDTH - 5, HEIGHT - 6);
  cairo_clip (cr);
}

static cairo_surface_t *
make_image (GRand *rand, int scale)
{
  cairo_surface_t *image
      = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH * scale, HEIGHT * scale);
  guint8 *data = cairo_image_surface_get_data (image);

  cairo_surface_set_device_scale (image, scale, scale);
  /* all bytes of a pixel the same: premultiplied, whatever its alpha */
  for (int i = 0; i < cairo_image_surface_get_stride (image) * HEIGHT * scale; i += 4)
    memset (data + i, (int) g_rand_int_range (rand, 0, 256), 4);
  cairo_surface_mark_dirty (image);
  return image;
}

/* Of a pixel from @y to @y + 1, how much lies under [top, bottom). */
static double
cover (double y, double top, double bottom)
{
  return fmax (fmin (y + 1, bottom) - fmax (y, top), 0);
}

/* A channel of a pixel whose colour was @below; within 2 of what is painted, which rounds. */
static double
expect (double below, double colour, double alpha, double covered)
{
  return below * (1 - alpha * covered) + 255 * colour * alpha * covered;
}

static void
check_pixel (guint32 now, guint32 before, const SondeColor *color, double alpha, double covered)
{
  const double channels[] = { color->blue, color->green, color->red, 1 };

  for (int c = 0; c < 4; c++)
    {
      double below = before >> (8 * c) & 0xff, value = now >> (8 * c) & 0xff;

      if (covered == 0)
        g_assert_cmpfloat (value, ==, below);
      else
        g_assert_cmpfloat_with_epsilon (value, expect (below, channels[c], alpha, covered), 3);
    }
}

static void
check (cairo_surface_t *image, const guint32 *before, const Case *row, const SondeColor *color,
       const float *tops, const float *bottoms)
{
  int stride = cairo_image_surface_get_stride (image) / 4, scale = row->scale;
  const guint32 *now = (const guint32 *) (gpointer) cairo_image_surface_get_data (image);

  for (int y = 0; y < HEIGHT * scale; y++)
    for (int x = 0; x < WIDTH * scale; x++)
      {
        int column = x / scale - 2;
        gboolean clipped = x < 2 * scale || x >= (WIDTH - 3) * scale || y < 3 * scale
                           || y >= (HEIGHT - 3) * scale;
        double covered
            = clipped || column < 0 || column >= N_COLUMNS
                  ? 0
                  : cover (y, (double) tops[column] * scale, (double) bottoms[column] * scale);

        check_pixel (now[y * stride + x], before[y * stride + x], color, row->alpha, covered);
      }
}

static void
test_columns (gconstpointer data)
{
  const Case *row = data;
  const SondeColor color = { 0.1, 0.6, 0.9, 1 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  float tops[N_COLUMNS], bottoms[N_COLUMNS];

  for (int round = 0; round < 20; round++)
    {
      cairo_surface_t *image = make_image (rand, row->scale);
      gsize size = (gsize) cairo_image_surface_get_stride (image) * HEIGHT * (gsize) row->scale;
      g_autofree guint32 *before = g_memdup2 (cairo_image_surface_get_data (image), size);
      cairo_t *cr = cairo_create (image);
      SondeColumnInk ink;

      for (int i = 0; i < N_COLUMNS; i++)
        {
          tops[i] = 15 + row->noise * (float) g_rand_double_range (rand, -1, 1);
          bottoms[i] = i % 9 == 4 ? -INFINITY : tops[i] + (float) g_rand_double_range (rand, 0, 35);
        }
      set_place (cr);
      g_assert_true (sonde_column_ink_begin (&ink, cr, &color, row->alpha));
      sonde_column_ink_fill (&ink, 2, N_COLUMNS, tops, bottoms);
      sonde_column_ink_end (&ink);
      check (image, before, row, &color, tops, bottoms);
      cairo_destroy (cr);
      cairo_surface_destroy (image);
    }
}

int
main (int argc, char **argv)
{
  static const Case cases[]
      = { { 1, 1, 3 }, { 0.3, 1, 3 }, { 1, 1, 30 }, { 0.3, 1, 30 }, { 1, 2, 3 }, { 0.45, 2, 30 } };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/viewers/paint/column-ink/%g-%d-%g", cases[i].alpha,
                                               cases[i].scale, (double) cases[i].noise);

      g_test_add_data_func (path, &cases[i], test_columns);
    }
  return g_test_run ();
}
