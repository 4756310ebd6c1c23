/* SPDX-License-Identifier: Apache-2.0
 * Bins are joined, never split and never lost; ridges, heat map and bands are at their places. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/distribution/sonde-density.h"
#include "viewers/paint/distribution/sonde-distribution-shares.h"

#define N_ROWS 8

static SondeBins *
make_bins (double mean, double deviation, int n, guint seed)
{
  GRand *random = g_rand_new_with_seed (seed);
  SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  g_autofree SondeHistogram *histogram = g_new0 (SondeHistogram, 1);

  for (int i = 0; i < n; i++)
    ((double *) tensor->data)[i]
        = mean + deviation * (g_rand_double (random) + g_rand_double (random) - 1);
  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, tensor);
  g_rand_free (random);
  return sonde_bins_from_histogram (histogram);
}

static void
check_bins (const SondeBins *drawn, double min_width)
{
  g_autoptr (GArray) bins = sonde_density_bins (drawn, min_width);
  double share = 0;

  for (guint i = 0; i < bins->len; i++)
    {
      const SondeDensityBin *bin = &g_array_index (bins, SondeDensityBin, i);

      g_assert_cmpfloat (bin->upper - bin->lower, >=, min_width * (1 - 1e-9));
      if (i > 0)
        g_assert_cmpfloat (bin->lower, ==, bin[-1].upper);
      share += bin->share;
    }
  g_assert_cmpfloat_with_epsilon (share, 1, 1e-9);
}

static void
test_bins (void)
{
  g_autoptr (SondeBins) both = make_bins (0, 1, 5000, 1);
  g_autoptr (SondeBins) positive = make_bins (3, 0.5, 5000, 2);
  g_autoptr (SondeBins) negative = make_bins (-3, 0.5, 5000, 3);
  g_autoptr (SondeBins) one = make_bins (0.25, 0, 1, 4);
  g_autoptr (SondeBins) zeros = make_bins (0, 0, 10, 5);
  g_autoptr (SondeBins) empty = sonde_bins_new (3);
  g_autoptr (GArray) none = sonde_density_bins (empty, 0.1);

  g_assert_cmpuint (none->len, ==, 0);
  for (double width = 1e-4; width < 2; width *= 3)
    {
      check_bins (both, width);
      check_bins (positive, width);
      check_bins (negative, width);
      check_bins (one, width);
      check_bins (zeros, width);
    }
}

/* Bins of foreign writers: a gap stays empty, an overlap counts once, what has no width keeps its
 * share beside a wide neighbour. */
static void
test_foreign_bins (void)
{
  static const double lefts[] = { -4, -3, 0, 0, 2, 2.5 }, rights[] = { -3, -2, 0, 2, 3, 4 };
  static const double counts[] = { 10, 30, 50, 4, 3, 3 };
  g_autoptr (SondeBins) foreign = sonde_bins_new (G_N_ELEMENTS (lefts));
  g_autoptr (GArray) bins = NULL;
  double in_gap = 0, at_zero = 0;

  memcpy (foreign->lefts, lefts, sizeof lefts);
  memcpy (foreign->rights, rights, sizeof rights);
  memcpy (foreign->counts, counts, sizeof counts);
  check_bins (foreign, 0.01);
  check_bins (foreign, 0.5);
  bins = sonde_density_bins (foreign, 0.01);
  for (guint i = 0; i < bins->len; i++)
    {
      const SondeDensityBin *bin = &g_array_index (bins, SondeDensityBin, i);

      if (bin->lower >= -2 && bin->upper <= 0)
        in_gap += bin->share;
      if (bin->lower <= 0 && bin->upper - bin->lower < 0.02)
        at_zero += bin->share;
    }
  g_assert_cmpfloat (in_gap, ==, 0);
  g_assert_cmpfloat_with_epsilon (at_zero, 0.5, 1e-12);
}

typedef struct
{
  SondeDistributionRow rows[N_ROWS];
  SondeDistribution distribution;
} Fixture;

static void
set_up (Fixture *fixture, SondeDistributionKind kind)
{
  for (int i = 0; i < N_ROWS; i++)
    fixture->rows[i]
        = (SondeDistributionRow){ .step = i * 10, .bins = make_bins (i - 4, 0.5, 2000, (guint) i) };
  fixture->distribution = (SondeDistribution){
    .kind = kind,
    .rows = fixture->rows,
    .n_rows = N_ROWS,
    .x_low = kind == SONDE_DISTRIBUTION_RIDGES ? -5 : 0,
    .x_high = kind == SONDE_DISTRIBUTION_RIDGES ? 5 : 80,
    .y_low = -5,
    .y_high = 5,
    .color = sonde_theme_get (FALSE)->series[0],
  };
}

static void
tear_down (Fixture *fixture)
{
  for (int i = 0; i < N_ROWS; i++)
    sonde_bins_free ((SondeBins *) fixture->rows[i].bins);
}

static cairo_surface_t *
paint (const Fixture *fixture)
{
  cairo_surface_t *picture = sonde_test_image_new (400, 300);
  cairo_t *cr = cairo_create (picture);

  sonde_paint_distribution (cr, sonde_theme_get (FALSE), &fixture->distribution, 400, 300);
  cairo_destroy (cr);
  return picture;
}

/* The newest ridge stands at the bottom above its mean (3) and nowhere else. */
static void
test_ridges (void)
{
  Fixture fixture;
  cairo_rectangle_t area;
  cairo_surface_t *picture;
  int bottom;

  set_up (&fixture, SONDE_DISTRIBUTION_RIDGES);
  picture = paint (&fixture);
  sonde_distribution_get_area (SONDE_DISTRIBUTION_RIDGES, 400, 300, &area);
  bottom = (int) (area.y + area.height) - 6;
  g_assert_cmpint (
      sonde_test_image_count_ink (picture, (int) (area.x + area.width * 0.8) - 3, bottom, 6, 4), >,
      20);
  g_assert_cmpint (
      sonde_test_image_count_ink (picture, (int) (area.x + area.width * 0.35), bottom, 6, 4), <, 8);
  g_assert_cmpint (sonde_distribution_row_at (&fixture.distribution, 400, 300, area.x + 5,
                                              area.y + area.height - 1),
                   ==, N_ROWS - 1);
  g_assert_cmpint (sonde_distribution_row_at (&fixture.distribution, 400, 300, 1, 1), ==, -1);
  cairo_surface_destroy (picture);
  tear_down (&fixture);
}

/* Runs of columns with the same least inked row: bars have few, a curve has one a column or two. */
static int
count_heights (cairo_surface_t *picture, const cairo_rectangle_t *area)
{
  int n = 0, last = -1;

  for (int x = (int) area->x + 1; x < (int) (area->x + area->width) - 1; x++)
    {
      int y = (int) area->y;

      while (y < (int) (area->y + area->height)
             && sonde_test_image_distance (picture, x, y, 0xffffff) < 40)
        y++;
      n += ABS (y - last) > 1;
      last = y;
    }
  return n;
}

/* One alone has bars, five for ten values, and nearly all the height. */
static void
test_alone (void)
{
  g_autoptr (SondeBins) bins = make_bins (0, 1, 10, 3);
  const SondeDistributionRow row = { 0, bins };
  Fixture fixture = { .distribution = { .kind = SONDE_DISTRIBUTION_RIDGES,
                                        .rows = &row,
                                        .n_rows = 1,
                                        .x_low = -1.2,
                                        .x_high = 1.2,
                                        .color = { 0, 0, 0, 1 } } };
  cairo_surface_t *picture = paint (&fixture);
  cairo_rectangle_t area;

  sonde_distribution_get_area (SONDE_DISTRIBUTION_RIDGES, 400, 300, &area);
  g_assert_cmpint (count_heights (picture, &area), >=, 4);
  g_assert_cmpint (count_heights (picture, &area), <=, 24); /* edges and lines of the frame, too */
  g_assert_cmpint (sonde_test_image_count_ink (picture, (int) area.x + 4, (int) area.y + 4,
                                               (int) area.width - 8, (int) (area.height * 0.2)),
                   >, 20);
  cairo_surface_destroy (picture);
}

static SondeBins *
bins_of (const double *numbers, guint n)
{
  SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  g_autofree SondeHistogram *histogram = g_new0 (SondeHistogram, 1);

  for (guint i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i, numbers[i]);
  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, tensor);
  return sonde_bins_from_histogram (histogram);
}

/* Parts of all elements; what the bins cannot tell is not made up. */
static void
test_shares (void)
{
  static const double bounded[] = { 0, 0, 0.5, 1, -0.95, NAN, 0.9, 0.92 },
                      unbounded[] = { 0, 1, 2, 0.95 }, positive[] = { 0.25, 0.5, 0.75, 0.95 };
  g_autoptr (SondeBins) a = bins_of (bounded, 8), b = bins_of (unbounded, 4),
                        c = bins_of (positive, 4), foreign = sonde_bins_new (2),
                        empty = sonde_bins_new (1);

  g_assert_cmpfloat (sonde_bins_get_share (a, SONDE_BIN_SHARE_ZERO), ==, 0.25);
  g_assert_cmpfloat (sonde_bins_get_share (a, SONDE_BIN_SHARE_SATURATED), ==, 0.375);
  g_assert_cmpfloat (sonde_bins_get_share (a, SONDE_BIN_SHARE_NOT_FINITE), ==, 0.125);
  g_assert_cmpfloat (sonde_bins_get_share (b, SONDE_BIN_SHARE_ZERO), ==, 0.25);
  g_assert_true (isnan (sonde_bins_get_share (b, SONDE_BIN_SHARE_SATURATED)));
  g_assert_cmpfloat (sonde_bins_get_share (c, SONDE_BIN_SHARE_ZERO), ==, 0);
  g_assert_cmpfloat (sonde_bins_get_share (c, SONDE_BIN_SHARE_SATURATED), ==, 0.25);
  foreign->lefts[0] = -0.5;
  foreign->rights[0] = foreign->lefts[1] = 0.25;
  foreign->rights[1] = 0.75;
  foreign->counts[0] = foreign->counts[1] = 4;
  g_assert_true (isnan (sonde_bins_get_share (foreign, SONDE_BIN_SHARE_ZERO)));
  g_assert_cmpfloat (sonde_bins_get_share (foreign, SONDE_BIN_SHARE_NOT_FINITE), ==, 0);
  g_assert_true (isnan (sonde_bins_get_share (empty, SONDE_BIN_SHARE_ZERO)));
}

/* The curve is where the share is, and the key names it. */
static void
test_share_curves (void)
{
  static const double half[] = { 0, 0, 3, 4 };
  g_autoptr (SondeBins) bins = bins_of (half, 4);
  const SondeDistributionRow rows[] = { { .step = 0, .bins = bins }, { .step = 80, .bins = bins } };
  const SondeTheme *theme = sonde_theme_get (FALSE);
  SondeColor color = sonde_theme_series (theme, 4).color;
  guint32 pixel = (guint32) (color.red * 255) << 16 | (guint32) (color.green * 255) << 8
                  | (guint32) (color.blue * 255);
  Fixture fixture = { .distribution = { .kind = SONDE_DISTRIBUTION_SHARES,
                                        .rows = rows,
                                        .n_rows = 2,
                                        .x_low = 0,
                                        .x_high = 80,
                                        .y_low = 0,
                                        .y_high = 100 } };
  cairo_surface_t *picture = paint (&fixture);
  cairo_rectangle_t area;
  int x, y;

  sonde_distribution_get_area (SONDE_DISTRIBUTION_SHARES, 400, 300, &area);
  x = (int) (area.x + area.width / 3);
  y = (int) (area.y + area.height / 2);
  g_assert_true (sonde_test_image_has (picture, x, y - 2, 1, 4, pixel, 100));
  g_assert_false (sonde_test_image_has (picture, x, y - 30, 1, 20, pixel, 100));
  g_assert_true (sonde_test_image_has (picture, (int) (area.x + area.width) - 20, (int) area.y, 12,
                                       17, pixel, 100));
  cairo_surface_destroy (picture);
}

/* Bright where the values are, card colour where there are none. */
static void
test_heat (void)
{
  Fixture fixture;
  cairo_rectangle_t area;
  cairo_surface_t *picture;

  set_up (&fixture, SONDE_DISTRIBUTION_HEAT);
  picture = paint (&fixture);
  sonde_distribution_get_area (SONDE_DISTRIBUTION_HEAT, 400, 300, &area);
  for (int i = 0; i < N_ROWS; i++)
    {
      int x = (int) (area.x + area.width * (i + 0.5) / 8),
          y = (int) (area.y + area.height * (5 - (i - 4)) / 10);
      int away = (int) (area.y + area.height * (5 - (i - 4) + (i < 4 ? -2.3 : 2.3)) / 10);

      /* viridis at 1 */
      g_assert_true (sonde_test_image_has (picture, x, y - 10, 1, 20, 0xfde725, 8));
      g_assert_cmpint (sonde_test_image_distance (picture, x, away, 0xffffff), <, 40);
    }
  cairo_surface_destroy (picture);
  tear_down (&fixture);
}

/* The median goes through the means. */
static void
test_bands (void)
{
  Fixture fixture;
  cairo_rectangle_t area;
  cairo_surface_t *picture;

  set_up (&fixture, SONDE_DISTRIBUTION_BANDS);
  picture = paint (&fixture);
  sonde_distribution_get_area (SONDE_DISTRIBUTION_BANDS, 400, 300, &area);
  for (int i = 1; i < N_ROWS - 1; i++)
    g_assert_true (sonde_test_image_has (picture, (int) (area.x + area.width * i / 8),
                                         (int) (area.y + area.height * (5 - (i - 4)) / 10) - 5, 1,
                                         10, 0x0072b2, 60));
  cairo_surface_destroy (picture);
  tear_down (&fixture);
}

/* A thousandth of the highest is the foot, and each decade a third. */
static void
test_log (void)
{
  SondeDistribution plain = { 0 }, log = { .log = TRUE };

  g_assert_cmpfloat (sonde_distribution_get_height (&plain, 0.25), ==, 0.25);
  g_assert_cmpfloat_with_epsilon (sonde_distribution_get_height (&log, 1), 1, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_distribution_get_height (&log, 0.1), 2.0 / 3, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_distribution_get_height (&log, 0.01), 1.0 / 3, 1e-12);
  g_assert_cmpfloat (sonde_distribution_get_height (&log, 0.0005), ==, 0);
  g_assert_cmpfloat (sonde_distribution_get_height (&log, 0), ==, 0);
}

/* Outlines of their own colours; the one whose edge is nearest is under the pointer. */
static void
test_overlay (void)
{
  Fixture fixture;
  cairo_rectangle_t area;
  cairo_surface_t *picture;
  const SondeTheme *theme = sonde_theme_get (FALSE);
  const double means[] = { -2, 2 };

  set_up (&fixture, SONDE_DISTRIBUTION_OVERLAY);
  fixture.distribution.n_rows = 2;
  fixture.distribution.x_low = -5;
  fixture.distribution.x_high = 5;
  for (guint i = 0; i < 2; i++)
    {
      sonde_bins_free ((SondeBins *) fixture.rows[i].bins);
      fixture.rows[i].bins = make_bins (means[i], 0.5, 2000, i);
      fixture.rows[i].title = i == 0 ? "first" : "second";
      fixture.rows[i].color_index = i;
    }
  picture = paint (&fixture);
  sonde_distribution_get_area (SONDE_DISTRIBUTION_OVERLAY, 400, 300, &area);
  for (guint i = 0; i < 2; i++)
    {
      double x = area.x + area.width * (means[i] + 5) / 10;
      const SondeColor *color = &theme->series[i];
      guint32 rgb = (guint32) (color->red * 255 + 0.5) << 16
                    | (guint32) (color->green * 255 + 0.5) << 8
                    | (guint32) (color->blue * 255 + 0.5);

      g_assert_true (sonde_test_image_has (picture, (int) x - 20, (int) area.y + 20, 40,
                                           (int) area.height - 40, rgb, 60));
      g_assert_cmpint (
          sonde_distribution_row_at (&fixture.distribution, 400, 300, x, area.y + area.height / 3),
          ==, (int) i);
    }
  cairo_surface_destroy (picture);
  tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/density/bins", test_bins);
  g_test_add_func ("/viewers/paint/density/foreign", test_foreign_bins);
  g_test_add_func ("/viewers/paint/distribution/ridges", test_ridges);
  g_test_add_func ("/viewers/paint/distribution/alone", test_alone);
  g_test_add_func ("/viewers/paint/distribution/shares", test_shares);
  g_test_add_func ("/viewers/paint/distribution/share-curves", test_share_curves);
  g_test_add_func ("/viewers/paint/distribution/heat", test_heat);
  g_test_add_func ("/viewers/paint/distribution/bands", test_bands);
  g_test_add_func ("/viewers/paint/distribution/log", test_log);
  g_test_add_func ("/viewers/paint/distribution/overlay", test_overlay);
  return g_test_run ();
}
