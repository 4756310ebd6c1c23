/* SPDX-License-Identifier: Apache-2.0
 * Roofline and levels over time: places of marks and steps against closed forms, what is under the
 * pointer, keys, what is said and copied. */
#include <math.h>
#include <string.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/profile/sonde-level-view.h"
#include "viewers/profile/sonde-roofline-view.h"

#define WIDTH 600
#define HEIGHT 400

static const SondeCeilings ceilings = { 100, 20, 1 };

static const SondeRooflineMark marks[] = {
  { "conv", 10, 50, 0.64, SONDE_OPERATOR_CLASS_COMPUTE },
  { "add, \"x\"", 0.25, 4, 0.16, SONDE_OPERATOR_CLASS_BANDWIDTH },
  { "reorder", 0, 0, 0.1, SONDE_OPERATOR_CLASS_COPY },
  { "relu", 10, 50, 0.01, SONDE_OPERATOR_CLASS_OVERHEAD },
};

static void
test_roof (void)
{
  SondeRooflinePlot plot
      = { .marks = marks, .n_marks = G_N_ELEMENTS (marks), .ceilings = ceilings, .selected = -1 };
  cairo_rectangle_t area;
  double x, y, radius, small;

  g_assert_cmpfloat (sonde_roofline_get_roof (&ceilings, 5), ==, 100);
  g_assert_cmpfloat (sonde_roofline_get_roof (&ceilings, 1), ==, 20);
  sonde_roofline_plot_fit (&plot);
  g_assert_cmpfloat (plot.low_x, <=, log10 (0.25));
  g_assert_cmpfloat (plot.high_x, >=, 1);
  g_assert_cmpfloat (plot.high_y, >=, 2);
  sonde_roofline_plot_get_area (WIDTH, HEIGHT, &area);
  g_assert_true (sonde_roofline_plot_place (&plot, WIDTH, HEIGHT, 0, &x, &y, &radius));
  g_assert_cmpfloat_with_epsilon (
      x, area.x + (1 - plot.low_x) / (plot.high_x - plot.low_x) * area.width, 1e-9);
  g_assert_cmpfloat_with_epsilon (
      y, area.y + (plot.high_y - log10 (50)) / (plot.high_y - plot.low_y) * area.height, 1e-9);
  /* areas are as shares */
  g_assert_true (sonde_roofline_plot_place (&plot, WIDTH, HEIGHT, 1, &x, &y, &small));
  g_assert_cmpfloat_with_epsilon (radius * radius / (small * small), 4, 1e-9);
  g_assert_cmpint (sonde_roofline_plot_pick (&plot, WIDTH, HEIGHT, x, y, NULL), ==, 1);
  g_assert_false (sonde_roofline_plot_place (&plot, WIDTH, HEIGHT, 2, &x, &y, &small));
  /* the smaller one lies over the larger one */
  g_assert_true (sonde_roofline_plot_place (&plot, WIDTH, HEIGHT, 3, &x, &y, &small));
  g_assert_cmpint (sonde_roofline_plot_pick (&plot, WIDTH, HEIGHT, x, y, NULL), ==, 3);
  g_assert_cmpint (sonde_roofline_plot_pick (&plot, WIDTH, HEIGHT, x + radius - 1, y, NULL), ==, 0);
  g_assert_cmpint (sonde_roofline_plot_pick (&plot, WIDTH, HEIGHT, area.x + 1, area.y + 1, NULL),
                   ==, -1);
}

static void
test_roofline_view (void)
{
  SondeRooflineView *view = g_object_ref_sink (SONDE_ROOFLINE_VIEW (sonde_roofline_view_new ()));
  SondeView *base = SONDE_VIEW (view);
  cairo_surface_t *image = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (image);
  g_autofree char *text = NULL, *table = NULL, *sentence = NULL;

  sonde_roofline_view_set (view, marks, G_N_ELEMENTS (marks), &ceilings, NULL);
  sonde_view_render (base, cr, WIDTH, HEIGHT);
  cairo_destroy (cr);
  g_assert_cmpint (sonde_test_image_count_ink (image, 60, 40, 500, 300), >, 1000);
  cairo_surface_destroy (image);
  g_assert_true (SONDE_VIEW_GET_CLASS (base)->move_cursor (base, 1));
  g_assert_cmpint (sonde_view_get_selection (base), ==, 0);
  g_assert_true (SONDE_VIEW_GET_CLASS (base)->move_cursor (base, 1));
  g_assert_cmpint (sonde_view_get_selection (base), ==, 1);
  sentence = sonde_roofline_view_dup_sentence (view, 1);
  g_assert_nonnull (strstr (sentence, "16.0 % of a step, bandwidth"));
  g_assert_nonnull (strstr (sentence, "80.0 % of the 5 GFLOP/s"));
  text = sonde_view_describe (base);
  g_assert_nonnull (strstr (text, "below 100 GFLOP/s and 20 GB/s"));
  g_assert_nonnull (strstr (text, "Selected: add"));
  table = sonde_view_dup_table (base, ',');
  g_assert_nonnull (strstr (table, ",bandwidth,\"add, \"\"x\"\"\"\n"));
  g_signal_emit_by_name (view, "picked", (gint64) SONDE_VIEW_NOTHING, 1, 0.0, 0.0);
  g_assert_cmpint (sonde_view_get_selection (base), ==, SONDE_VIEW_NOTHING);
  g_object_unref (view);
}

/* A spike of one point among very many is seen, and each time has the value that holds then. */
static void
test_levels (void)
{
  enum
  {
    N = 100000
  };
  SondeLevelView *view = g_object_ref_sink (SONDE_LEVEL_VIEW (sonde_level_view_new ("Memory")));
  SondeView *base = SONDE_VIEW (view);
  g_autofree SondeTracePoint *points = g_new (SondeTracePoint, N);
  const SondeLevelSeries series = { "allocated", points, N };
  cairo_surface_t *image = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (image);
  g_autofree char *text = NULL, *sentence = NULL, *table = NULL;

  for (gint64 i = 0; i < N; i++)
    points[i] = (SondeTracePoint){ 5000 + i * 1000, i == 77777 ? 4096 : 1024 };
  g_assert_cmpint (sonde_level_find (&series, 4999), ==, -1);
  g_assert_cmpint (sonde_level_find (&series, 5999), ==, 0);
  g_assert_cmpint (sonde_level_find (&series, 6000), ==, 1);
  sonde_level_view_set (view, &series, 1, SONDE_LEVEL_BYTES, 5000, NULL, NULL);
  sonde_view_render (base, cr, WIDTH, HEIGHT);
  cairo_destroy (cr);
  /* between the level and the top there is nothing but the spike */
  g_assert_cmpint (sonde_test_image_count_ink (image, 440, 100, 100, 60), >, 40);
  cairo_surface_destroy (image);
  text = sonde_view_describe (base);
  g_assert_nonnull (strstr (text, "allocated at most 4 KiB"));
  g_assert_true (SONDE_VIEW_GET_CLASS (base)->move_cursor (base, G_MAXINT));
  g_assert_cmpint (sonde_view_get_selection (base), ==, N - 1);
  sentence = sonde_level_view_dup_sentence (view, 77777);
  g_assert_cmpstr (sentence, ==, "at 77.78 ms\nallocated: 4 KiB");
  table = sonde_view_dup_table (base, ',');
  g_assert_true (g_str_has_prefix (table, "ns,allocated\n5000,1024\n"));
  sonde_level_view_set (view, NULL, 0, SONDE_LEVEL_NUMBER, 0, NULL, "nothing is known");
  g_free (text);
  text = sonde_view_describe (base);
  g_assert_nonnull (strstr (text, "nothing is known"));
  g_object_unref (view);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  g_test_add_func ("/viewers/profile-views/roof", test_roof);
  g_test_add_func ("/viewers/profile-views/roofline", test_roofline_view);
  g_test_add_func ("/viewers/profile-views/levels", test_levels);
  return g_test_run ();
}
