/* SPDX-License-Identifier: Apache-2.0
 * Parallel coordinates: where values stand, which lines are in, and the picture. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/trials/sonde-parallel.h"

#define WIDTH 520
#define HEIGHT 260

static const char *const words[] = { "adam", "sgd" };

static const SondeParallelAxis axes[] = {
  { .title = "learning_rate", .low = 0.001, .high = 1, .log = TRUE },
  { .title = "optimiser", .low = 0, .high = 1, .names = words, .n_names = 2 },
  { .title = "accuracy", .low = 0.5, .high = 0.9, .has_brush = TRUE, .from = 0.6, .to = 0.95 },
};

static const double values[] = {
  0.001, 0, 0.5, 0.01, 0, 0.9, 0.1, 1, 0.7, 1, 1, 0.55, NAN, 1, 0.8,
};

static const SondeParallel parallel = {
  .axes = axes,
  .n_axes = 3,
  .values = values,
  .n_lines = 5,
  .color_axis = 2,
  .emphasised = 1,
  .focused = 0,
};

static void
test_places (void)
{
  SondeParallelAxis equal = { .low = 2, .high = 2 };

  g_assert_cmpfloat_with_epsilon (sonde_parallel_get_place (&axes[0], 0.1), 2.0 / 3, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_parallel_get_value (&axes[0], 1.0 / 3), 0.01, 1e-12);
  g_assert_true (isnan (sonde_parallel_get_place (&axes[0], 0)));
  g_assert_true (isnan (sonde_parallel_get_place (&axes[2], NAN)));
  g_assert_cmpfloat (sonde_parallel_get_place (&equal, 2), ==, 0.5);
  g_assert_cmpfloat (sonde_parallel_get_place_at (sonde_parallel_get_y (0.25, HEIGHT), HEIGHT), ==,
                     0.25);
  g_assert_cmpfloat (sonde_parallel_get_x (2, 3, WIDTH), ==, WIDTH - SONDE_PARALLEL_SIDE);
}

static void
test_brush (void)
{
  static const gboolean in[] = { FALSE, TRUE, TRUE, FALSE, TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (in); i++)
    g_assert_cmpint (sonde_parallel_is_in (&parallel, i), ==, in[i]);
}

static void
test_picture (gconstpointer dark)
{
  const SondeTheme *theme = sonde_theme_get (GPOINTER_TO_INT (dark));
  cairo_surface_t *image = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (image);

  sonde_paint_set_color (cr, &theme->card);
  cairo_paint (cr);
  sonde_paint_parallel (cr, theme, &parallel, WIDTH, HEIGHT);
  cairo_destroy (cr);
  sonde_test_image_check (image, GPOINTER_TO_INT (dark) ? "parallel-dark" : "parallel");
  cairo_surface_destroy (image);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/parallel/places", test_places);
  g_test_add_func ("/viewers/paint/parallel/brush", test_brush);
  g_test_add_data_func ("/viewers/paint/parallel/light", GINT_TO_POINTER (FALSE), test_picture);
  g_test_add_data_func ("/viewers/paint/parallel/dark", GINT_TO_POINTER (TRUE), test_picture);
  return g_test_run ();
}
