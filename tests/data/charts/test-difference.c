/* SPDX-License-Identifier: Apache-2.0
 * Two steps of a curve: its own points there, the nearest where there is none, where it ended, and what lies between,
 * against a plain walk over the same points. */
#include <math.h>

#include "data/charts/sonde-difference-columns.h"

static SondeSeries *
make_series (const SondePoint *points, gsize n)
{
  return sonde_series_new_computed (NULL, points, n);
}

/* Steps 10, 13, 16 … 307 with values that go up and down. */
static SondeSeries *
make_wave (SondePoint points[100])
{
  for (int i = 0; i < 100; i++)
    points[i] = (SondePoint){ 10 + 3 * i, i, sin (i) * (100 - i), 0 };
  return make_series (points, 100);
}

static void
check_value (SondeSeries *series, gint64 step, SondeReadingKind kind, gint64 own, double number)
{
  SondeCurveValue value;

  g_assert_true (sonde_curve_value_at (series, step, &value));
  g_assert_cmpint (value.kind, ==, kind);
  g_assert_cmpint (value.point.step, ==, own);
  g_assert_cmpfloat (value.point.value, ==, number);
}

static void
test_value (void)
{
  SondePoint points[100];
  g_autoptr (SondeSeries) series = make_wave (points);

  check_value (series, 40, SONDE_READING_THERE, 40, points[10].value);
  check_value (series, 41, SONDE_READING_BESIDE, 40, points[10].value);
  check_value (series, 42, SONDE_READING_BESIDE, 43, points[11].value);
  check_value (series, 9, SONDE_READING_NOT_BEGUN, 10, points[0].value);
  check_value (series, 308, SONDE_READING_ENDED, 307, points[99].value);
  check_value (series, G_MININT64, SONDE_READING_NOT_BEGUN, 10, points[0].value);
  check_value (series, G_MAXINT64, SONDE_READING_ENDED, 307, points[99].value);
}

/* Steps at both ends of what there is: no distance between them fits into a signed number. */
static void
test_far (void)
{
  const SondePoint points[] = { { G_MININT64, 0, 1, 0 }, { G_MAXINT64, 0, 2, 0 } };
  g_autoptr (SondeSeries) series = make_series (points, 2);
  SondeCurveDifference difference;

  check_value (series, -5, SONDE_READING_BESIDE, G_MININT64, 1);
  check_value (series, 5, SONDE_READING_BESIDE, G_MAXINT64, 2);
  g_assert_true (sonde_curve_difference_compute (series, G_MININT64, G_MAXINT64, &difference));
  g_assert_cmpuint (difference.n, ==, 2);
  g_assert_cmpfloat_with_epsilon (sonde_curve_difference_get_rate (&difference),
                                  1 / 18446744073709551615.0, 1e-30);
}

/* A run that was resumed says the step twice: what it said last counts, and no step of the first part is lost. */
static void
test_resumed (void)
{
  const SondePoint points[]
      = { { 0, 0, 1, 0 }, { 10, 1, 2, 0 }, { 20, 2, 3, 0 }, { 10, 3, 7, 1 }, { 15, 4, 8, 1 } };
  g_autoptr (SondeSeries) series = make_series (points, G_N_ELEMENTS (points));

  check_value (series, 10, SONDE_READING_THERE, 10, 7);
  check_value (series, 20, SONDE_READING_THERE, 20, 3);
  check_value (series, 14, SONDE_READING_BESIDE, 15, 8);
}

static void
test_empty (void)
{
  g_autoptr (SondeSeries) series = make_series (NULL, 0);
  SondeCurveDifference difference;
  SondeCurveValue value;

  g_assert_false (sonde_curve_value_at (series, 0, &value));
  g_assert_false (sonde_curve_difference_compute (series, 0, 1, &difference));
}

static void
test_between (void)
{
  SondePoint points[100];
  g_autoptr (SondeSeries) series = make_wave (points);
  SondeCurveDifference there, back;
  double min = INFINITY, max = -INFINITY, sum = 0;

  for (int i = 10; i <= 60; i++)
    {
      min = MIN (min, points[i].value);
      max = MAX (max, points[i].value);
      sum += points[i].value;
    }
  g_assert_true (sonde_curve_difference_compute (series, 40, 190, &there));
  g_assert_cmpuint (there.n, ==, 51);
  g_assert_cmpfloat (there.min, ==, min);
  g_assert_cmpfloat (there.max, ==, max);
  g_assert_cmpfloat_with_epsilon (there.mean, sum / 51, 1e-12);
  g_assert_cmpfloat (sonde_curve_difference_get_change (&there), ==,
                     points[60].value - points[10].value);
  g_assert_cmpfloat (sonde_curve_difference_get_rate (&there), ==,
                     (points[60].value - points[10].value) / 150);
  g_assert_cmpfloat (sonde_curve_difference_get_ratio (&there), ==,
                     points[60].value / points[10].value);
  g_assert_true (sonde_curve_difference_compute (series, 190, 40, &back));
  g_assert_cmpfloat (sonde_curve_difference_get_change (&back), ==,
                     -sonde_curve_difference_get_change (&there));
  g_assert_cmpfloat (back.mean, ==, there.mean);
}

/* No number is made up where there is none. */
static void
test_unknown (void)
{
  const SondePoint points[]
      = { { 0, 0, 0, 0 }, { 1, 0, NAN, 0 }, { 2, 0, INFINITY, 0 }, { 3, 0, 4, 0 }, { 9, 0, 6, 0 } };
  g_autoptr (SondeSeries) series = make_series (points, G_N_ELEMENTS (points));
  SondeCurveDifference difference;

  g_assert_true (sonde_curve_difference_compute (series, 0, 3, &difference));
  g_assert_cmpfloat (difference.min, ==, 0);
  g_assert_cmpfloat (difference.max, ==, INFINITY);
  g_assert_cmpfloat (difference.mean, ==, 2);
  g_assert_cmpfloat (sonde_curve_difference_get_change (&difference), ==, 4);
  g_assert_true (isnan (sonde_curve_difference_get_ratio (&difference)));
  g_assert_true (sonde_curve_difference_compute (series, 3, 20, &difference));
  g_assert_cmpint (difference.b.kind, ==, SONDE_READING_ENDED);
  g_assert_true (isnan (sonde_curve_difference_get_change (&difference)));
  g_assert_cmpuint (difference.n, ==, 2);
  g_assert_true (sonde_curve_difference_compute (series, 4, 4, &difference));
  g_assert_true (isnan (sonde_curve_difference_get_rate (&difference)));
  g_assert_cmpuint (difference.n, ==, 0);
  g_assert_true (isnan (difference.mean));
}

/* More points than are fetched one by one: the mean is still that of each. */
static void
test_many (void)
{
  const guint n = 100000;
  g_autofree SondePoint *points = g_new0 (SondePoint, n);
  g_autoptr (SondeSeries) series = NULL;
  SondeCurveDifference difference;
  double sum = 0;

  for (guint i = 0; i < n; i++)
    {
      points[i] = (SondePoint){ i, i, (i * 7919 % 1000) / 1000.0, 0 };
      if (i >= 5 && i <= 99000)
        sum += points[i].value;
    }
  series = make_series (points, n);
  g_assert_true (sonde_curve_difference_compute (series, 5, 99000, &difference));
  g_assert_cmpuint (difference.n, ==, 98996);
  g_assert_false (difference.is_long);
  g_assert_cmpfloat_with_epsilon (difference.mean, sum / 98996, 1e-12);
}

/* What is read, and what is copied: all digits, and nothing where there is nothing. */
static void
test_texts (void)
{
  const SondePoint points[] = { { 10, 0, 1.0 / 3, 0 }, { 20, 0, 2.5, 0 }, { 30, 0, 2, 0 } };
  g_autoptr (SondeSeries) series = make_series (points, G_N_ELEMENTS (points));
  g_autofree char *a = NULL, *b = NULL, *live = NULL, *exact = NULL, *change = NULL, *n = NULL;
  g_autoptr (GString) table = sonde_difference_table_new (TRUE), one = NULL;
  SondeCurveDifference difference;

  g_assert_true (sonde_curve_difference_compute (series, 11, 1234567, &difference));
  a = sonde_difference_column_dup_text (SONDE_DIFFERENCE_A, &difference, FALSE);
  g_assert_cmpstr (a, ==, "0.3333 at 10");
  b = sonde_difference_column_dup_text (SONDE_DIFFERENCE_B, &difference, FALSE);
  g_assert_cmpstr (b, ==, "– ended at 30");
  live = sonde_difference_column_dup_text (SONDE_DIFFERENCE_B, &difference, TRUE);
  g_assert_cmpstr (live, ==, "– so far to 30");
  exact = sonde_difference_column_dup_exact (SONDE_DIFFERENCE_A, &difference);
  g_assert_cmpstr (exact, ==, "0.3333333333333333 at step 10");
  change = sonde_difference_column_dup_text (SONDE_DIFFERENCE_CHANGE, &difference, FALSE);
  g_assert_cmpstr (change, ==, "–");
  n = sonde_difference_column_dup_text (SONDE_DIFFERENCE_N, &difference, FALSE);
  g_assert_cmpstr (n, ==, "2");
  sonde_difference_table_add (table, "a\tb", &difference, TRUE);
  g_assert_true (sonde_curve_difference_compute (series, 10, 30, &difference));
  sonde_difference_table_add (table, "c", &difference, TRUE);
  g_assert_cmpstr (table->str, ==,
                   "run\tstep_a\tvalue_a\tstep_b\tvalue_b\tchange\tchange_per_"
                   "step\tratio\tmin\tmax\tmean\tpoints\n"
                   "a b\t10\t0.3333333333333333\t\t\t\t\t\t2\t2.5\t2.25\t2\n"
                   "c\t10\t0.3333333333333333\t30\t2\t1.6666666666666667\t0."
                   "08333333333333334\t6\t0.3333333333333333\t2.5\t1.6111111111111114\t3\n");
  one = sonde_difference_table_new (FALSE);
  sonde_difference_table_add (one, "c", &difference, FALSE);
  g_assert_cmpstr (one->str, ==, "run\tstep_a\tvalue_a\nc\t10\t0.3333333333333333\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/charts/difference/value", test_value);
  g_test_add_func ("/data/charts/difference/far", test_far);
  g_test_add_func ("/data/charts/difference/resumed", test_resumed);
  g_test_add_func ("/data/charts/difference/empty", test_empty);
  g_test_add_func ("/data/charts/difference/between", test_between);
  g_test_add_func ("/data/charts/difference/unknown", test_unknown);
  g_test_add_func ("/data/charts/difference/many", test_many);
  g_test_add_func ("/data/charts/difference/texts", test_texts);
  return g_test_run ();
}
