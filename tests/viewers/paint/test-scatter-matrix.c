/* SPDX-License-Identifier: Apache-2.0
 * A scatter matrix: where cells and points stand, and the picture. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/trials/sonde-scatter-matrix.h"

#define WIDTH 560
#define HEIGHT 380

static const char *const words[] = { "adam", "sgd" };

static const SondeParallelAxis axes[] = {
  { .title = "learning_rate", .low = 0.001, .high = 1, .log = TRUE },
  { .title = "optimiser", .low = 0, .high = 1, .names = words, .n_names = 2 },
  { .title = "accuracy", .low = 0.5, .high = 0.9, .has_brush = TRUE, .from = 0.6, .to = 0.95 },
};

static const double values[] = {
  0.001, 0, 0.5, 0.01, 0, 0.9, 0.1, 1, 0.7, 1, 1, 0.55, NAN, 1, 0.8,
};

static const double correlation[] = { 1, NAN, -0.2, NAN, NAN, NAN, -0.2, NAN, 1 };

static const SondeParallel trials = {
  .axes = axes,
  .n_axes = 3,
  .values = values,
  .n_lines = 5,
  .color_axis = 2,
  .emphasised = 1,
  .focused = -1,
};

/* Each cell is found at its middle, nothing is found beside all of them. */
static void
test_cells (void)
{
  guint row, column;

  for (guint i = 0; i < 9; i++)
    {
      cairo_rectangle_t cell;

      sonde_scatter_matrix_get_cell (3, i / 3, i % 3, WIDTH, HEIGHT, &cell);
      g_assert_true (sonde_scatter_matrix_find_cell (
          3, cell.x + cell.width / 2, cell.y + cell.height / 2, WIDTH, HEIGHT, &row, &column));
      g_assert_cmpuint (row, ==, i / 3);
      g_assert_cmpuint (column, ==, i % 3);
    }
  g_assert_false (sonde_scatter_matrix_find_cell (3, 1, 1, WIDTH, HEIGHT, &row, &column));
}

/* A point's place comes back; a line without a value has none. */
static void
test_points (void)
{
  cairo_rectangle_t cell;
  double x, y, place_x, place_y;

  sonde_scatter_matrix_get_cell (3, 2, 0, WIDTH, HEIGHT, &cell);
  g_assert_true (sonde_scatter_matrix_get_point (&trials, 2, 2, 0, &cell, &x, &y));
  sonde_scatter_matrix_get_places (&cell, x, y, &place_x, &place_y);
  g_assert_cmpfloat_with_epsilon (place_x, 2.0 / 3, 1e-9);
  g_assert_cmpfloat_with_epsilon (place_y, 0.5, 1e-9);
  g_assert_false (sonde_scatter_matrix_get_point (&trials, 4, 2, 0, &cell, &x, &y));
  g_assert_true (sonde_scatter_matrix_get_point (&trials, 4, 2, 1, &cell, &x, &y));
}

static void
test_most (void)
{
  SondeParallel many = trials;

  g_assert_cmpuint (sonde_scatter_matrix_get_n (&trials), ==, 3);
  many.n_axes = 100;
  g_assert_cmpuint (sonde_scatter_matrix_get_n (&many), ==, SONDE_SCATTER_MATRIX_MOST);
}

static void
test_picture (gconstpointer dark)
{
  const SondeScatterMatrix matrix = { &trials, correlation, 2, 1 };
  const SondeTheme *theme = sonde_theme_get (GPOINTER_TO_INT (dark));
  cairo_surface_t *image = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (image);

  sonde_paint_set_color (cr, &theme->card);
  cairo_paint (cr);
  sonde_paint_scatter_matrix (cr, theme, &matrix, WIDTH, HEIGHT);
  cairo_destroy (cr);
  sonde_test_image_check (image, GPOINTER_TO_INT (dark) ? "scatter-matrix-dark" : "scatter-matrix");
  cairo_surface_destroy (image);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/scatter-matrix/cells", test_cells);
  g_test_add_func ("/viewers/paint/scatter-matrix/points", test_points);
  g_test_add_func ("/viewers/paint/scatter-matrix/most", test_most);
  g_test_add_data_func ("/viewers/paint/scatter-matrix/light", GINT_TO_POINTER (FALSE),
                        test_picture);
  g_test_add_data_func ("/viewers/paint/scatter-matrix/dark", GINT_TO_POINTER (TRUE), test_picture);
  return g_test_run ();
}
