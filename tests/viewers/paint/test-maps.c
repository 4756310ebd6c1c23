/* SPDX-License-Identifier: Apache-2.0
 * Pixels of maps and of tensors as tiles. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/sonde-map-paint.h"
#include "viewers/paint/sonde-tensor-image.h"

static guint32
expected (const SondeColor *color)
{
  return (guint32) lround (255 * color->red) << 16 | (guint32) lround (255 * color->green) << 8
         | (guint32) lround (255 * color->blue);
}

static void
assert_pixel (cairo_surface_t *picture, int x, int y, const SondeColor *color)
{
  g_assert_cmpint (sonde_test_image_distance (picture, x, y, expected (color)), <=, 1);
}

static SondeTensor *
make_map (const float *values, int rows, int columns)
{
  SondeShape shape = sonde_shape_make (2, rows, columns);

  return sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
}

/* Both signs reach the same distance from the middle; NaN is told apart. */
static void
test_signed_map (void)
{
  static const float values[] = { -2, 0, 2, NAN, 1, -1 };
  g_autoptr (SondeTensor) map = make_map (values, 2, 3);
  SondeMapImage picture = { .map = map, .blend = 1, .limit = 2 };
  cairo_surface_t *surface = sonde_test_image_new (30, 20);
  cairo_t *cr = cairo_create (surface);
  const SondeTheme *theme = sonde_theme_get (FALSE);
  int width, height;

  g_assert_true (sonde_map_image_get_size (&picture, &width, &height));
  g_assert_cmpint (width, ==, 3);
  g_assert_cmpint (height, ==, 2);
  g_assert_cmpfloat (sonde_map_largest_magnitude (map), ==, 2);
  sonde_paint_map (cr, theme, &picture, 0, 0, 30, 20);
  for (int i = 0; i < 6; i++)
    {
      SondeColor color = isnan (values[i]) ? theme->hatch
                                           : sonde_color_map_get (SONDE_COLOR_MAP_DIVERGING,
                                                                  0.5 + 0.25 * values[i]);

      assert_pixel (surface, i % 3 * 10 + 5, i / 3 * 10 + 5, &color);
    }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* Alone in its colours; under a map as grey; half of each in between. */
static void
test_blend (void)
{
  static const float values[] = { 1 };
  g_autoptr (SondeTensor) map = make_map (values, 1, 1);
  g_autoptr (SondeImage) image = sonde_image_new (1, 1, 3);
  SondeMapImage picture = { .image = image, .map = map, .limit = 1 };
  const double blends[] = { 0, 0.5, 1 };
  SondeColor top = sonde_color_map_get (SONDE_COLOR_MAP_DIVERGING, 1);

  image->pixels[0] = 200;
  image->pixels[1] = 100;
  image->pixels[2] = 50;
  for (gsize i = 0; i < G_N_ELEMENTS (blends); i++)
    {
      double grey = (0.2126 * 200 + 0.7152 * 100 + 0.0722 * 50) / 255;
      SondeColor under = { grey, grey, grey, 1 },
                 plain = { 200 / 255.0, 100 / 255.0, 50 / 255.0, 1 };
      SondeColor mixed = sonde_color_mix (&under, &top, blends[i]);
      cairo_surface_t *surface = sonde_test_image_new (8, 8);
      cairo_t *cr = cairo_create (surface);

      picture.blend = blends[i];
      sonde_paint_map (cr, sonde_theme_get (TRUE), &picture, 0, 0, 8, 8);
      assert_pixel (surface, 4, 4, i == 0 ? &plain : &mixed);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
    }
}

static void
test_nothing_to_paint (void)
{
  SondeShape shape = sonde_shape_make (1, 3);
  g_autoptr (SondeTensor) vector = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeMapImage nothing = { 0 }, wrong = { .map = vector, .blend = 1 };
  int width, height;

  g_assert_false (sonde_map_image_get_size (&nothing, &width, &height));
  g_assert_false (sonde_map_image_get_size (&wrong, &width, &height));
}

/* [2, 3, 4, 5]: six tiles of 4 × 5; each element has exactly one cell. */
static void
test_tiles (void)
{
  SondeShape shape = sonde_shape_make (4, 2, 3, 4, 5);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  g_autoptr (SondeTensorImage) picture = NULL;
  gboolean seen[120] = { FALSE };
  guint n = 0;

  for (gint64 i = 0; i < 120; i++)
    sonde_tensor_set_double (tensor, i, (double) i - 20);
  picture = sonde_tensor_image_new (tensor);
  g_assert_nonnull (picture);
  g_assert_cmpint (picture->n_tiles, ==, 6);
  g_assert_cmpint (picture->tile_height, ==, 4);
  g_assert_cmpint (picture->tile_width, ==, 5);
  g_assert_cmpint ((int) picture->colors, ==, (int) SONDE_COLOR_MAP_DIVERGING);
  g_assert_cmpfloat (picture->low, ==, -99);
  g_assert_cmpfloat (picture->high, ==, 99);
  for (int row = 0; row < picture->rows; row++)
    for (int column = 0; column < picture->columns; column++)
      {
        gint64 index = sonde_tensor_image_index_at (picture, column, row);

        g_assert_cmpint (index, <, 120);
        if (index < 0)
          continue;
        g_assert_false (seen[index]);
        seen[index] = TRUE;
        n++;
        /* Inside its tile by row and column. */
        g_assert_cmpint (index % 5, ==, column % 5);
        g_assert_cmpint (index / 5 % 4, ==, row % 4);
      }
  g_assert_cmpuint (n, ==, 120);
  g_assert_cmpint (sonde_tensor_image_index_at (picture, -1, 0), ==, -1);
  g_assert_cmpint (sonde_tensor_image_index_at (picture, picture->columns, 0), ==, -1);
}

static void
test_tensor_pixels (void)
{
  static const float values[] = { 0, 5, 10, INFINITY };
  g_autoptr (SondeTensor) tensor = make_map (values, 2, 2);
  g_autoptr (SondeTensorImage) picture = sonde_tensor_image_new (tensor);
  SondeColor low = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, 0);
  SondeColor high = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, 1);
  cairo_surface_t *surface = sonde_test_image_new (40, 40);
  cairo_t *cr = cairo_create (surface);
  double width, height;

  g_assert_cmpint ((int) picture->colors, ==, (int) SONDE_COLOR_MAP_VIRIDIS);
  sonde_tensor_image_fit (picture, 45, 99, &width, &height);
  g_assert_cmpfloat (width, ==, 44);
  g_assert_cmpfloat (height, ==, 44);
  sonde_paint_tensor (cr, sonde_theme_get (FALSE), picture, 0, 0, 40, 40);
  assert_pixel (surface, 10, 10, &low);
  assert_pixel (surface, 10, 30, &high);
  assert_pixel (surface, 30, 30, &sonde_theme_get (FALSE)->hatch);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* What cannot be a picture, and what can only be a part of one. */
static void
test_tensor_limits (void)
{
  SondeShape none = sonde_shape_make (2, 0, 4), many = sonde_shape_make (3, 1000, 2, 2),
             wide = sonde_shape_make (1, 100);
  g_autoptr (SondeTensor) empty = sonde_tensor_new (SONDE_DTYPE_F32, &none);
  g_autoptr (SondeTensor) stack = sonde_tensor_new (SONDE_DTYPE_I64, &many);
  g_autoptr (SondeTensor) vector = sonde_tensor_new (SONDE_DTYPE_F32, &wide);
  g_autoptr (SondeTensor) scalar = sonde_tensor_new_f32 (3);
  g_autoptr (SondeTensorImage) of_stack = sonde_tensor_image_new (stack);
  g_autoptr (SondeTensorImage) of_vector = sonde_tensor_image_new (vector);
  g_autoptr (SondeTensorImage) of_scalar = sonde_tensor_image_new (scalar);
  double width, height;

  g_assert_null (sonde_tensor_image_new (empty));
  g_assert_cmpint (of_stack->n_tiles, ==, SONDE_TENSOR_IMAGE_MAX_TILES);
  g_assert_cmpint (of_stack->n_tiles_all, ==, 1000);
  g_assert_cmpint (of_scalar->rows * of_scalar->columns, ==, 1);
  /* One row is a band that can be seen. */
  sonde_tensor_image_fit (of_vector, 200, 200, &width, &height);
  g_assert_cmpfloat (height, >=, 20);
  g_assert_cmpfloat (width, ==, 200);
}

/* A scale is for what differs. */
static void
test_tensor_constant (void)
{
  SondeShape shape = sonde_shape_make (2, 2, 2);
  g_autoptr (SondeTensor) zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) mixed = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) none = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensorImage) of_zeros = NULL, of_mixed = NULL, of_none = NULL;
  g_autofree char *text = NULL;

  for (gint64 i = 0; i < 4; i++)
    {
      sonde_tensor_set_double (zeros, i, 0);
      sonde_tensor_set_double (mixed, i, (double) i);
      sonde_tensor_set_double (none, i, NAN);
    }
  of_zeros = sonde_tensor_image_new (zeros);
  of_mixed = sonde_tensor_image_new (mixed);
  of_none = sonde_tensor_image_new (none);
  text = sonde_tensor_image_dup_constant (of_zeros);
  g_assert_cmpstr (text, ==, "All 0");
  g_assert_null (sonde_tensor_image_dup_constant (of_mixed));
  g_assert_null (sonde_tensor_image_dup_constant (of_none));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/maps/signed", test_signed_map);
  g_test_add_func ("/viewers/paint/maps/blend", test_blend);
  g_test_add_func ("/viewers/paint/maps/nothing", test_nothing_to_paint);
  g_test_add_func ("/viewers/paint/maps/tiles", test_tiles);
  g_test_add_func ("/viewers/paint/maps/tensor-pixels", test_tensor_pixels);
  g_test_add_func ("/viewers/paint/maps/tensor-limits", test_tensor_limits);
  g_test_add_func ("/viewers/paint/maps/tensor-constant", test_tensor_constant);
  return g_test_run ();
}
