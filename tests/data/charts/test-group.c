/* SPDX-License-Identifier: Apache-2.0
 * Curves of several runs joined into one, and series that were computed. */
#include <math.h>

#include "data/charts/sonde-curve-group.h"

static GArray *
make_points (guint n, const gint64 *steps, const double *values)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SondePoint));

  for (guint i = 0; i < n; i++)
    {
      SondePoint point = { steps[i], steps[i] * 1000, values[i], 1 };
      g_array_append_val (points, point);
    }
  return points;
}

#define POINTS(steps, ...)                                                                         \
  make_points (G_N_ELEMENTS (((const double[]){ __VA_ARGS__ })), steps,                            \
               (const double[]){ __VA_ARGS__ })

static double
value_of (GArray *points, guint i)
{
  return g_array_index (points, SondePoint, i).value;
}

static const gint64 steps[] = { 0, 10, 20, 30 };

typedef struct
{
  SondeChartCentre centre;
  SondeChartBand band;
  double middle, low, high;
} Case;

/* Of 1, 2, 6 at step 0: mean 3, median 2, s = √7, s / √3, t(0.975, 2) = 4.30265. */
static void
test_statistics (void)
{
  const double s = sqrt (7), e = sqrt (7.0 / 3);
  const Case cases[] = {
    { SONDE_CHART_CENTRE_MEAN, SONDE_CHART_BAND_EXTREMES, 3, 1, 6 },
    { SONDE_CHART_CENTRE_MEDIAN, SONDE_CHART_BAND_EXTREMES, 2, 1, 6 },
    { SONDE_CHART_CENTRE_MEAN, SONDE_CHART_BAND_DEVIATION, 3, 3 - s, 3 + s },
    { SONDE_CHART_CENTRE_MEAN, SONDE_CHART_BAND_ERROR, 3, 3 - e, 3 + e },
    { SONDE_CHART_CENTRE_MEDIAN, SONDE_CHART_BAND_ERROR, 2, 2 - e, 2 + e },
    { SONDE_CHART_CENTRE_MEAN, SONDE_CHART_BAND_CONFIDENCE, 3, 3 - 4.302653 * e, 3 + 4.302653 * e },
  };
  g_autoptr (GArray) a = POINTS (steps, 1), b = POINTS (steps, 2), c = POINTS (steps, 6);
  GArray *members[] = { a, b, c };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondeCurveGroup group;

      sonde_curve_group_compute (members, 3, cases[i].centre, cases[i].band, &group);
      g_assert_cmpuint (group.centre->len, ==, 1);
      g_assert_cmpfloat_with_epsilon (value_of (group.centre, 0), cases[i].middle, 1e-12);
      g_assert_cmpfloat_with_epsilon (value_of (group.lower, 0), cases[i].low, 1e-5);
      g_assert_cmpfloat_with_epsilon (value_of (group.upper, 0), cases[i].high, 1e-5);
      sonde_curve_group_clear (&group);
    }
}

/* Members of different lengths, gaps, NaN, and a step that was written twice. */
static void
test_steps (void)
{
  static const gint64 odd[] = { 10, 15, 10 };
  g_autoptr (GArray) a = POINTS (steps, 1, 2, NAN, 4), b = POINTS (odd, 100, 7, 20);
  GArray *members[] = { a, b };
  SondeCurveGroup group;

  sonde_curve_group_compute (members, 2, SONDE_CHART_CENTRE_MEAN, SONDE_CHART_BAND_DEVIATION,
                             &group);
  g_assert_cmpuint (group.centre->len, ==, 4);
  g_assert_cmpint (g_array_index (group.centre, SondePoint, 1).step, ==, 10);
  g_assert_cmpfloat (value_of (group.centre, 1), ==, 11); /* 2 and 20, which came later than 100 */
  g_assert_cmpint (g_array_index (group.centre, SondePoint, 2).step, ==, 15);
  g_assert_cmpfloat (value_of (group.centre, 2), ==, 7);
  g_assert_cmpfloat (value_of (group.lower, 2), ==, 7); /* alone: no spread */
  g_assert_cmpfloat (value_of (group.centre, 3), ==, 4);
  sonde_curve_group_clear (&group);
  sonde_curve_group_compute (NULL, 0, SONDE_CHART_CENTRE_MEDIAN, SONDE_CHART_BAND_NONE, &group);
  g_assert_cmpuint (group.centre->len, ==, 0);
  g_assert_null (group.lower);
  sonde_curve_group_clear (&group);
}

/* Against tables. */
static void
test_student (void)
{
  static const struct
  {
    guint n;
    double t;
  } table[] = { { 1, 12.7062 },  { 4, 2.77645 },  { 6, 2.44691 },  { 7, 2.36462 },
                { 10, 2.22814 }, { 30, 2.04227 }, { 100, 1.98397 } };

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    g_assert_cmpfloat_with_epsilon (sonde_curve_group_student (table[i].n), table[i].t, 2e-4);
  g_assert_true (isnan (sonde_curve_group_student (0)));
}

static void
count (SondeSeries *series, guint *n)
{
  ++*n;
}

/* More than a block: queried and copied as a recorded series is. */
static void
test_computed (void)
{
  g_autofree SondePoint *points = g_new0 (SondePoint, 10000);
  g_autoptr (SondeSeries) series = NULL;
  g_autoptr (GArray) buckets = NULL;
  SondePoint point;
  guint changes = 0;
  double min, max;
  gint64 first, last;

  for (int i = 0; i < 10000; i++)
    points[i] = (SondePoint){ i, i, i == 7777 ? 1e9 : sin (i), 0 };
  series = sonde_series_new_computed (NULL, points, 10000);
  g_signal_connect (series, "changed", G_CALLBACK (count), &changes);
  g_assert_null (sonde_series_get_run (series));
  g_assert_cmpuint (sonde_series_get_n_points (series), ==, 10000);
  buckets = sonde_series_query (series, 0, G_MAXINT64, 100);
  g_assert_cmpuint (buckets->len, <=, 100);
  g_assert_true (sonde_series_get_range (series, &first, &last, &min, &max));
  g_assert_cmpfloat (max, ==, 1e9);
  g_assert_cmpuint (sonde_series_copy_points (series, 9999, 5, &point), ==, 1);
  g_assert_cmpfloat (point.value, ==, sin (9999));
  sonde_series_set_points (series, points, 1);
  g_assert_cmpuint (changes, ==, 1);
  g_assert_cmpuint (sonde_series_get_n_points (series), ==, 1);
  sonde_series_set_points (series, NULL, 0);
  g_assert_false (sonde_series_get_last (series, &point));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/charts/group/statistics", test_statistics);
  g_test_add_func ("/data/charts/group/steps", test_steps);
  g_test_add_func ("/data/charts/group/student", test_student);
  g_test_add_func ("/data/charts/series/computed", test_computed);
  return g_test_run ();
}
