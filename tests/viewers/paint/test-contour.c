/* SPDX-License-Identifier: Apache-2.0
 * Levels, heights between grid points, bands and lines of contours. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/sonde-contour.h"

#define N 9
#define WIDTH 420
#define HEIGHT 380

typedef struct
{
  double x[N], y[N], z[N * N];
  SondeContour contour;
} Fixture;

/* z = x + 10 y on [-1, 1] × [-1, 1]: the surface is a plane, so bilinear heights are exact. */
static void
set_up (Fixture *fixture)
{
  for (int i = 0; i < N; i++)
    fixture->x[i] = fixture->y[i] = -1 + 2.0 * i / (N - 1);
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      fixture->z[i * N + k] = fixture->x[k] + 10 * fixture->y[i];
  fixture->contour = (SondeContour){
    .x = fixture->x,
    .y = fixture->y,
    .z = fixture->z,
    .n_x = N,
    .n_y = N,
    .end_x = NAN,
    .end_y = NAN,
    .x_low = -1,
    .x_high = 1,
    .y_low = -1,
    .y_high = 1,
    .z_title = "loss",
  };
}

static cairo_surface_t *
paint (const Fixture *fixture)
{
  cairo_surface_t *picture = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (picture);

  sonde_paint_contour (cr, sonde_theme_get (FALSE), &fixture->contour, WIDTH, HEIGHT);
  cairo_destroy (cr);
  return picture;
}

static void
test_heights (void)
{
  Fixture fixture;

  set_up (&fixture);
  for (double x = -1; x <= 1; x += 0.13)
    for (double y = -1; y <= 1; y += 0.17)
      g_assert_cmpfloat_with_epsilon (sonde_contour_value_at (&fixture.contour, x, y), x + 10 * y,
                                      1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_contour_value_at (&fixture.contour, 1, 1), 11, 1e-12);
  g_assert_true (isnan (sonde_contour_value_at (&fixture.contour, 1.01, 0)));
  fixture.z[0] = NAN;
  g_assert_true (isnan (sonde_contour_value_at (&fixture.contour, -0.9, -0.9)));
  g_assert_false (isnan (sonde_contour_value_at (&fixture.contour, 0.9, 0.9)));
}

static void
test_levels (void)
{
  Fixture fixture;
  SondeContourLevels levels;

  set_up (&fixture);
  g_assert_true (sonde_contour_find_levels (&fixture.contour, &levels));
  g_assert_false (levels.logarithmic);
  g_assert_cmpfloat (levels.low, ==, -11);
  g_assert_cmpfloat (levels.high, ==, 11);
  g_assert_cmpint (levels.n, >=, 4);
  for (int i = 1; i < levels.n; i++)
    g_assert_cmpfloat_with_epsilon (levels.levels[i] - levels.levels[i - 1],
                                    levels.levels[1] - levels.levels[0], 1e-9);

  for (int i = 0; i < N * N; i++)
    fixture.z[i] = pow (10, fixture.z[i] / 5); /* 4.4 decades */
  g_assert_true (sonde_contour_find_levels (&fixture.contour, &levels));
  g_assert_true (levels.logarithmic);
  g_assert_cmpint (levels.n, <=, SONDE_CONTOUR_MAX_LEVELS);
  for (int i = 2; i < levels.n; i++)
    g_assert_cmpfloat_with_epsilon (levels.levels[i] / levels.levels[i - 1],
                                    levels.levels[1] / levels.levels[0], 1e-9);

  for (int i = 0; i < N * N; i++)
    fixture.z[i] = NAN;
  g_assert_false (sonde_contour_find_levels (&fixture.contour, &levels));
  for (int i = 0; i < N * N; i++)
    fixture.z[i] = 3;
  g_assert_true (sonde_contour_find_levels (&fixture.contour, &levels));
  g_assert_cmpint (levels.n, ==, 0);
}

/* Dark at the bottom, bright at the top, as many bands on the way up as levels say. */
static void
test_bands (void)
{
  Fixture fixture;
  cairo_surface_t *picture;
  cairo_rectangle_t area;
  int x, n_changes = 0, n_levels = 0;
  guint32 before;
  SondeContourLevels levels;

  set_up (&fixture);
  sonde_contour_find_levels (&fixture.contour, &levels);
  picture = paint (&fixture);
  sonde_contour_get_area (WIDTH, HEIGHT, &area);
  x = (int) (area.x + area.width / 2);
  g_assert_cmpint (sonde_test_image_distance (picture, (int) area.x + 5,
                                              (int) (area.y + area.height) - 4, 0x440154),
                   <, 12);
  g_assert_cmpint (sonde_test_image_distance (picture, (int) (area.x + area.width) - 5,
                                              (int) area.y + 4, 0xfde725),
                   <, 12);
  before = sonde_test_image_get (picture, x, (int) area.y + 4);
  for (int y = (int) area.y + 5; y < (int) (area.y + area.height) - 4; y++)
    {
      guint32 color = sonde_test_image_get (picture, x, y);

      /* A line darkens its pixels; what counts is the colour behind it. */
      if (color == sonde_test_image_get (picture, x, y + 1)
          && color == sonde_test_image_get (picture, x, y - 1) && color != before)
        {
          n_changes++;
          before = color;
        }
    }
  for (int i = 0; i < levels.n; i++)
    n_levels
        += fabs (levels.levels[i]) < 9.5; /* in the middle column the heights go from -10 to 10 */
  g_assert_cmpint (n_levels, >=, 3);
  g_assert_cmpint (n_changes, ==, n_levels);
  cairo_surface_destroy (picture);
}

static void
test_path_and_nothing (void)
{
  static const double path_x[] = { -0.8, 0.2, 0.6 }, path_y[] = { 0.8, 0.1, -0.5 };
  Fixture fixture;
  cairo_surface_t *without, *with, *message;
  cairo_rectangle_t area;
  int x, y;

  set_up (&fixture);
  without = paint (&fixture);
  fixture.contour.path_x = path_x;
  fixture.contour.path_y = path_y;
  fixture.contour.n_path = 3;
  fixture.contour.end_x = 0.6;
  fixture.contour.end_y = -0.5;
  with = paint (&fixture);
  sonde_contour_get_area (WIDTH, HEIGHT, &area);
  x = (int) (area.x + area.width * 0.6);
  y = (int) (area.y + area.height * 0.45);
  g_assert_true (sonde_test_image_has (with, x - 4, y - 4, 8, 8, 0xffffff, 30));
  g_assert_false (sonde_test_image_has (without, x - 4, y - 4, 8, 8, 0xffffff, 30));
  fixture.contour.message = "Nothing here";
  message = paint (&fixture);
  g_assert_cmpint (sonde_test_image_count_ink (message, 0, 0, WIDTH, HEIGHT / 2 - 12), ==, 0);
  g_assert_cmpint (sonde_test_image_count_ink (message, 0, HEIGHT / 2 - 12, WIDTH, 24), >, 20);
  cairo_surface_destroy (without);
  cairo_surface_destroy (with);
  cairo_surface_destroy (message);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/contour/heights", test_heights);
  g_test_add_func ("/viewers/paint/contour/levels", test_levels);
  g_test_add_func ("/viewers/paint/contour/bands", test_bands);
  g_test_add_func ("/viewers/paint/contour/path", test_path_and_nothing);
  return g_test_run ();
}
