/* SPDX-License-Identifier: Apache-2.0
 * Curves are where the numbers say, to the pixel. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/sonde-chart-sheet.h"

#define WIDTH 400
#define HEIGHT 300

/* Blue of the first series on light. */
#define BLUE 0x0072b2u
#define MAGENTA 0xd01fb5u

static SondeChartBucket
point (double x, double y)
{
  return (SondeChartBucket){
    .x0 = x, .x1 = x, .min = y, .max = y, .first = y, .last = y, .count = 1, .n_nan = isnan (y)
  };
}

static SondeChart
make_chart (const SondeChartSeries *series, gsize n)
{
  return (SondeChart){
    .x = { SONDE_AXIS_STEP, 0, 100, "step" },
    .y = { SONDE_AXIS_LINEAR, 0, 1, NULL },
    .series = series,
    .n_series = n,
  };
}

static cairo_surface_t *
paint (const SondeChart *chart)
{
  cairo_surface_t *picture = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (picture);

  sonde_paint_chart (cr, sonde_theme_get (FALSE), chart, WIDTH, HEIGHT);
  cairo_destroy (cr);
  return picture;
}

static SondeChartSeries
make_series (const SondeChartBucket *buckets, gsize n)
{
  return (SondeChartSeries){ .stroke = sonde_theme_series (sonde_theme_get (FALSE), 0),
                             .raw = buckets,
                             .n_raw = n };
}

/* A diagonal of many points: in each tenth column the line is at its place, and nowhere near it
 * away from it. */
static void
test_places (void)
{
  g_autofree SondeChartBucket *buckets = g_new (SondeChartBucket, 1001);
  SondeChartSeries series;
  SondeChart chart;
  cairo_rectangle_t area;
  cairo_surface_t *picture;

  for (int i = 0; i <= 1000; i++)
    buckets[i] = point (i * 0.1, i / 1000.0);
  series = make_series (buckets, 1001);
  chart = make_chart (&series, 1);
  picture = paint (&chart);
  sonde_chart_get_area (WIDTH, HEIGHT, &area);
  for (int i = 1; i < 10; i++)
    {
      int x = (int) sonde_axis_x (&chart.x, &area, i * 10),
          y = (int) sonde_axis_y (&chart.y, &area, i / 10.0);

      g_assert_cmpint (x, ==, (int) (area.x + area.width * i / 10));
      g_assert_true (sonde_test_image_has (picture, x, y - 1, 1, 3, BLUE, 60));
      g_assert_false (sonde_test_image_has (picture, x, y + 8, 1, 6, BLUE, 60));
      g_assert_false (sonde_test_image_has (picture, x, y - 14, 1, 6, BLUE, 60));
    }
  cairo_surface_destroy (picture);
}

/* A single spike among a million points survives in its bucket. */
static void
test_extremes (void)
{
  SondeChartBucket buckets[] = {
    { .x0 = 0, .x1 = 49, .min = 0.1, .max = 0.1, .first = 0.1, .last = 0.1, .count = 500000 },
    { .x0 = 50, .x1 = 50, .min = 0.1, .max = 0.95, .first = 0.1, .last = 0.1, .count = 1000 },
    { .x0 = 51, .x1 = 100, .min = 0.1, .max = 0.1, .first = 0.1, .last = 0.1, .count = 500000 },
  };
  SondeChartSeries series = make_series (buckets, 3);
  SondeChart chart = make_chart (&series, 1);
  cairo_surface_t *picture = paint (&chart);
  cairo_rectangle_t area;

  sonde_chart_get_area (WIDTH, HEIGHT, &area);
  for (double value = 0.15; value < 0.93; value += 0.1)
    g_assert_true (sonde_test_image_has (picture, (int) sonde_axis_x (&chart.x, &area, 50) - 1,
                                         (int) sonde_axis_y (&chart.y, &area, value), 3, 1, BLUE,
                                         90));
  cairo_surface_destroy (picture);
}

/* Marks are on all curves of a chart or on none, but for a point that no line goes to. */
static void
test_marks (void)
{
  g_autofree SondeChartBucket *dense = g_new (SondeChartBucket, 101);
  SondeChartBucket few[] = { point (20, 0.2), point (80, 0.2) }, single[] = { point (50, 0.8) };
  SondeChartSeries series[3];
  SondeChart chart;
  cairo_rectangle_t area;
  int x, y;

  for (int i = 0; i <= 100; i++)
    dense[i] = point (i, 0.5);
  series[0] = make_series (few, 2);
  series[1] = make_series (single, 1);
  series[2] = make_series (dense, 101);
  sonde_chart_get_area (WIDTH, HEIGHT, &area);
  for (gsize n = 2; n <= 3; n++)
    {
      cairo_surface_t *picture;

      chart = make_chart (series, n);
      picture = paint (&chart);
      x = (int) sonde_axis_x (&chart.x, &area, 20);
      y = (int) sonde_axis_y (&chart.y, &area, 0.2);
      g_assert_true (sonde_test_image_has (picture, x - 1, y - 2, 2, 1, BLUE, 60) == (n == 2));
      x = (int) sonde_axis_x (&chart.x, &area, 50);
      y = (int) sonde_axis_y (&chart.y, &area, 0.8);
      g_assert_true (sonde_test_image_has (picture, x - 1, y - 1, 2, 2, BLUE, 60));
      cairo_surface_destroy (picture);
    }
}

static void
test_gap (void)
{
  SondeChartBucket with_gap[]
      = { point (10, 0.5), point (30, 0.5), point (50, NAN), point (70, 0.5), point (90, 0.5) };
  SondeChartBucket resumed[]
      = { point (10, 0.5), point (30, 0.5), point (70, 0.5), point (90, 0.5) };
  SondeChartSeries series = make_series (with_gap, 5);
  SondeChart chart = make_chart (&series, 1);
  cairo_surface_t *picture = paint (&chart);
  cairo_rectangle_t area;
  int x, y;

  sonde_chart_get_area (WIDTH, HEIGHT, &area);
  x = (int) sonde_axis_x (&chart.x, &area, 50);
  y = (int) sonde_axis_y (&chart.y, &area, 0.5);
  g_assert_false (sonde_test_image_has (picture, x - 10, y - 3, 20, 6, BLUE, 60));
  g_assert_true (sonde_test_image_has (picture, (int) sonde_axis_x (&chart.x, &area, 20), y - 2, 1,
                                       4, BLUE, 90));
  g_assert_true (
      sonde_test_image_has (picture, x - 3, (int) (area.y + area.height) - 7, 6, 6, MAGENTA, 60));
  cairo_surface_destroy (picture);

  resumed[2].starts = TRUE;
  series = make_series (resumed, 4);
  picture = paint (&chart);
  g_assert_false (sonde_test_image_has (picture, x - 10, y - 3, 20, 6, BLUE, 60));
  cairo_surface_destroy (picture);
}

static void
test_smooth (void)
{
  SondeChartBucket raw[] = { point (0, 0.2), point (100, 0.2) },
                   smooth[] = { point (0, 0.8), point (100, 0.8) };
  SondeChartSeries series = make_series (raw, 2);
  SondeChart chart = make_chart (&series, 1);
  cairo_surface_t *picture;
  cairo_rectangle_t area;
  int x;

  series.smooth = smooth;
  series.n_smooth = 2;
  picture = paint (&chart);
  sonde_chart_get_area (WIDTH, HEIGHT, &area);
  x = (int) sonde_axis_x (&chart.x, &area, 33);
  g_assert_true (sonde_test_image_has (picture, x, (int) sonde_axis_y (&chart.y, &area, 0.8) - 2, 1,
                                       4, BLUE, 90));
  /* The raw curve is there, at a quarter of its strength. */
  g_assert_false (sonde_test_image_has (picture, x, (int) sonde_axis_y (&chart.y, &area, 0.2) - 2,
                                        1, 4, BLUE, 90));
  g_assert_true (sonde_test_image_has (picture, x, (int) sonde_axis_y (&chart.y, &area, 0.2) - 2, 1,
                                       4, 0xc0dced, 24));
  cairo_surface_destroy (picture);
}

static void
test_log (void)
{
  SondeChartBucket buckets[] = { point (0, 1), point (50, 0), point (100, 0.01) };
  SondeChartSeries series = make_series (buckets, 3);
  SondeChart chart = make_chart (&series, 1);
  cairo_surface_t *picture;
  cairo_rectangle_t area;
  double low, high;

  sonde_chart_pad_limits (SONDE_AXIS_LOG, 0.01, 1, &low, &high);
  g_assert_cmpfloat_with_epsilon (low, -2.1, 1e-9);
  g_assert_cmpfloat_with_epsilon (high, 0.1, 1e-9);
  chart.y = (SondeAxis){ SONDE_AXIS_LOG, -2, 0, NULL };
  picture = paint (&chart);
  sonde_chart_get_area (WIDTH, HEIGHT, &area);
  g_assert_cmpfloat_with_epsilon (sonde_axis_y (&chart.y, &area, 0.1), area.y + area.height / 2,
                                  1e-9);
  /* The zero is stepped over: the line goes on to the next value. */
  g_assert_true (sonde_test_image_has (picture, (int) (area.x + area.width / 2),
                                       (int) (area.y + area.height / 2) - 2, 1, 4, BLUE, 90));
  cairo_surface_destroy (picture);
}

/* Labels are beside the axis and never outside the picture. */
static void
test_labels (void)
{
  SondeChart chart = make_chart (NULL, 0);
  cairo_surface_t *picture = paint (&chart);
  cairo_rectangle_t area;

  sonde_chart_get_area (WIDTH, HEIGHT, &area);
  for (int i = 0; i <= 5; i++)
    {
      int x = (int) (area.x + area.width * i / 5), y = (int) (area.y + area.height * i / 5);

      g_assert_cmpint (
          sonde_test_image_count_ink (picture, x - 8, (int) (area.y + area.height) + 4, 16, 14), >,
          10);
      g_assert_cmpint (
          sonde_test_image_count_ink (picture, (int) area.x - 26, MAX (y - 6, 0), 22, 12), >, 10);
    }
  g_assert_cmpint (sonde_test_image_count_ink (picture, WIDTH - 1, 0, 1, HEIGHT), ==, 0);
  g_assert_cmpint (sonde_test_image_count_ink (picture, 0, 0, 1, HEIGHT), ==, 0);
  cairo_surface_destroy (picture);
}

static void
test_hostile_numbers (void)
{
  const double bad[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, 0 };
  SondeChartBucket buckets[G_N_ELEMENTS (bad)];
  SondeChartSeries series;
  SondeChart chart;
  double low, high;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      buckets[i] = point ((double) i * 20, bad[i]);
      sonde_chart_pad_limits (SONDE_AXIS_LINEAR, bad[i], bad[i], &low, &high);
      g_assert_true (isfinite (high - low) && high > low);
    }
  series = make_series (buckets, G_N_ELEMENTS (bad));
  chart = make_chart (&series, 1);
  cairo_surface_destroy (paint (&chart));
}

static void
test_sheet (void)
{
  SondeChartPanel panels[5] = { { "a" }, { "b" }, { "c" }, { "d" }, { "e" } };
  SondeLegendEntry entries[2] = { { "one" }, { "two" } };
  SondeChartSheet sheet = { panels, 5, entries, 2 };

  for (gsize i = 0; i < 5; i++)
    {
      cairo_rectangle_t a, b;

      g_assert_true (sonde_chart_sheet_place (&sheet, i, 900, 600, &a));
      g_assert_true (a.x >= 0 && a.y >= 0 && a.x + a.width <= 900 && a.y + a.height <= 600);
      for (gsize k = 0; k < i; k++)
        {
          sonde_chart_sheet_place (&sheet, k, 900, 600, &b);
          g_assert_true (a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height
                         || b.y >= a.y + a.height);
        }
    }
  g_assert_false (sonde_chart_sheet_place (&sheet, 0, 200, 100, &(cairo_rectangle_t){ 0 }));
}

/* ---- columns ------------------------------------------------------------- */

#define N_NOISY 400

/* Each bucket goes from 0.2 to 0.8 and back: more line than strokes are made for. */
static cairo_surface_t *
paint_noise (double scale, gboolean recorded, cairo_rectangle_t *area)
{
  g_autofree SondeChartBucket *buckets = g_new0 (SondeChartBucket, N_NOISY);
  cairo_surface_t *picture = sonde_test_image_new ((int) (WIDTH * scale), (int) (HEIGHT * scale));
  cairo_surface_t *record = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_t *cr = cairo_create (recorded ? record : picture), *replay = cairo_create (picture);
  SondeChartSeries series;
  SondeChart chart;

  for (int i = 0; i < N_NOISY; i++)
    buckets[i] = (SondeChartBucket){ .x0 = i * 0.25,
                                     .x1 = i * 0.25 + 0.2,
                                     .min = 0.2,
                                     .max = 0.8,
                                     .first = 0.5,
                                     .last = 0.5,
                                     .count = 9 };
  series = make_series (buckets, N_NOISY);
  chart = make_chart (&series, 1);
  cairo_scale (cr, scale, scale);
  sonde_paint_chart (cr, sonde_theme_get (FALSE), &chart, WIDTH, HEIGHT);
  cairo_destroy (cr);
  cairo_set_source_surface (replay, record, 0, 0);
  cairo_paint (replay);
  cairo_destroy (replay);
  cairo_surface_destroy (record);
  sonde_chart_get_area (WIDTH, HEIGHT, area);
  return picture;
}

static void
check_noise (double scale, gboolean recorded)
{
  cairo_rectangle_t area;
  cairo_surface_t *picture = paint_noise (scale, recorded, &area);
  int tolerance
      = scale == floor (scale) ? 8 : 90; /* Cairo's rectangles have seams between pixels */
  int bottom = (int) ((area.y + area.height * 0.8) * scale),
      top = (int) ((area.y + area.height * 0.2) * scale);

  for (int x = (int) (area.x * scale) + 3; x < (int) ((area.x + area.width) * scale) - 6; x++)
    {
      for (int y = top + 1; y < bottom - 1; y += 5)
        g_assert_true (sonde_test_image_has (picture, x, y, 1, 1, BLUE, tolerance));
      g_assert_false (sonde_test_image_has (picture, x, top - (int) (6 * scale), 1, 3, BLUE, 90));
      g_assert_false (
          sonde_test_image_has (picture, x, bottom + (int) (3 * scale), 1, 3, BLUE, 90));
    }
  cairo_surface_destroy (picture);
}

/* Pixels that are written are those that Cairo would fill, at any scale and into any target. */
static void
test_columns (void)
{
  check_noise (1, FALSE);
  check_noise (2, FALSE);
  check_noise (1.5, FALSE);
  check_noise (1, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/chart/places", test_places);
  g_test_add_func ("/viewers/paint/chart/extremes", test_extremes);
  g_test_add_func ("/viewers/paint/chart/marks", test_marks);
  g_test_add_func ("/viewers/paint/chart/gap", test_gap);
  g_test_add_func ("/viewers/paint/chart/smooth", test_smooth);
  g_test_add_func ("/viewers/paint/chart/log", test_log);
  g_test_add_func ("/viewers/paint/chart/labels", test_labels);
  g_test_add_func ("/viewers/paint/chart/hostile-numbers", test_hostile_numbers);
  g_test_add_func ("/viewers/paint/chart/sheet", test_sheet);
  g_test_add_func ("/viewers/paint/chart/columns", test_columns);
  return g_test_run ();
}
