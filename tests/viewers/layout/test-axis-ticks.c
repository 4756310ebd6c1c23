/* SPDX-License-Identifier: Apache-2.0
 * Ticks stand on 1-2-5 steps inside the limits. */
#include <math.h>

#include "data/base/sonde-format.h"
#include "viewers/layout/sonde-time-ticks.h"

static void
check_step (double step)
{
  double mantissa = step / pow (10, floor (log10 (step) + 1e-9));

  g_assert_true (fabs (mantissa - 1) < 1e-6 || fabs (mantissa - 2) < 1e-6
                 || fabs (mantissa - 5) < 1e-6);
}

static void
test_linear (void)
{
  GRand *random = g_rand_new_with_seed (3);

  for (int i = 0; i < 2000; i++)
    {
      double scale = pow (10, g_rand_double_range (random, -30, 30));
      double low = g_rand_double_range (random, -1, 1) * scale;
      double high = low + g_rand_double_range (random, 1e-3, 2) * scale;
      int max = g_rand_int_range (random, 2, SONDE_MAX_TICKS + 1);
      SondeAxisTicks ticks = sonde_axis_ticks_linear (low, high, max);

      g_assert_cmpint (ticks.n, >=, 1);
      g_assert_cmpint (ticks.n, <=, max);
      check_step (ticks.step);
      g_assert_cmpfloat (sonde_axis_ticks_get (&ticks, 0), >=, low - ticks.step * 1e-6);
      g_assert_cmpfloat (sonde_axis_ticks_get (&ticks, ticks.n - 1), <=, high + ticks.step * 1e-6);
      /* No larger number of ticks with a finer step would have been allowed. */
      g_assert_cmpfloat ((high - low) / ticks.step, >, (double) max / 2.5 - 2);
    }
  g_rand_free (random);
}

static void
test_linear_labels (void)
{
  static const struct
  {
    double low, high;
    int max;
    const char *labels[6];
  } cases[] = {
    { 0, 1, 6, { "0", "0.2", "0.4", "0.6", "0.8", "1.0" } },
    { -1, 1, 5, { "-1.0", "-0.5", "0", "0.5", "1.0" } },
    { 0, 50000, 6, { "0", "10 k", "20 k", "30 k", "40 k", "50 k" } },
    { 0, 4000, 5, { "0", "1000", "2000", "3000", "4000" } },
    { 0, 3e-7, 4, { "0", "1e-07", "2e-07", "3e-07" } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondeAxisTicks ticks = sonde_axis_ticks_linear (cases[i].low, cases[i].high, cases[i].max);

      for (int k = 0; k < ticks.n; k++)
        {
          g_autofree char *label = sonde_axis_ticks_label (&ticks, k);
          g_assert_cmpstr (label, ==, cases[i].labels[k]);
        }
      g_assert_true (ticks.n == 6 || cases[i].labels[ticks.n] == NULL);
    }
}

static void
test_nothing (void)
{
  const double bad[][2] = { { 1, 1 }, { NAN, 1 }, { 0, INFINITY }, { -G_MAXDOUBLE, G_MAXDOUBLE } };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_cmpint (sonde_axis_ticks_linear (bad[i][0], bad[i][1], 5).n, ==, 0);
      g_assert_cmpint (sonde_axis_ticks_clock (bad[i][0], bad[i][1], 5, NULL).n, ==, 0);
    }
}

static void
test_integer (void)
{
  SondeAxisTicks ticks = sonde_axis_ticks_integer (0, 3, 10);

  g_assert_cmpint (ticks.n, ==, 4);
  g_assert_cmpfloat (ticks.step, ==, 1);
}

static void
test_decades (void)
{
  SondeAxisTicks ticks = sonde_axis_ticks_decades (-5, 2, 8);
  g_autofree char *first = sonde_axis_ticks_decade_label (&ticks, 0);
  g_autofree char *last = sonde_axis_ticks_decade_label (&ticks, ticks.n - 1);

  g_assert_cmpint (ticks.n, ==, 8);
  g_assert_cmpstr (first, ==, "1e-05");
  g_assert_cmpstr (last, ==, "100");
}

/* In powers with the digits that all of them need. */
static void
test_short_labels (void)
{
  static const char *const expected[] = { "-1e-04", "-5e-05", "0", "5e-05", "1e-04" };
  SondeAxisTicks ticks = sonde_axis_ticks_linear (-1e-4, 1e-4, 5);

  g_assert_cmpint (ticks.n, ==, 5);
  for (int i = 0; i < ticks.n; i++)
    {
      g_autofree char *label = sonde_axis_ticks_short_label (&ticks, i);
      g_assert_cmpstr (label, ==, expected[i]);
    }
}

static void
test_within_decades (void)
{
  double values[SONDE_MAX_TICKS];
  int n = sonde_axis_ticks_within_decades (log10 (0.3), log10 (20), values);
  static const double expected[] = { 0.5, 1, 2, 5, 10, 20 };

  g_assert_cmpint (n, ==, 6);
  for (int i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (values[i], expected[i], 1e-12);
  g_assert_cmpint (sonde_axis_ticks_within_decades (-300, 300, values), ==, SONDE_MAX_TICKS);
}

static void
test_time (void)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_identifier ("Europe/Berlin");
  /* 2026-03-28 22:30 to 2026-03-29 06:30 UTC: an hour is left out in that night. */
  SondeAxisTicks ticks = sonde_axis_ticks_clock (1774737000, 1774765800, 5, zone);
  const char *unit;
  double seconds;
  SondeAxisTicks duration = sonde_axis_ticks_duration (0, 7200, 5, &unit, &seconds);
  g_autofree char *label = sonde_axis_ticks_clock_label (&ticks, 0, zone);

  g_assert_cmpint (ticks.n, >=, 3);
  g_assert_cmpstr (label, ==, "00:00");
  g_assert_cmpstr (unit, ==, "min");
  g_assert_cmpfloat (seconds, ==, 60);
  g_assert_cmpfloat (sonde_axis_ticks_get (&duration, duration.n - 1), <=, 120);
}

/* Ticks are written in the notation that is chosen for numbers elsewhere. */
static void
test_notation (void)
{
  static const struct
  {
    SondeNotation notation;
    double high;
    const char *label, *decade;
  } cases[] = {
    { SONDE_NOTATION_AUTOMATIC, 50000, "50 k", "1e+06" },
    { SONDE_NOTATION_PLAIN, 50000, "50000", "1000000" },
    { SONDE_NOTATION_SCIENTIFIC, 50000, "5e+04", "1e+06" },
    { SONDE_NOTATION_AUTOMATIC, 5e-6, "5e-06", "1e+06" },
    { SONDE_NOTATION_PLAIN, 5e-6, "0.000005", "1000000" },
    { SONDE_NOTATION_PLAIN, 5e-10, "5e-10", "1000000" },
    { SONDE_NOTATION_SCIENTIFIC, 5, "5e+00", "1e+06" },
  };
  SondeAxisTicks decades = sonde_axis_ticks_decades (0, 6, 7);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondeAxisTicks ticks = sonde_axis_ticks_linear (0, cases[i].high, 6);
      g_autofree char *label = NULL, *decade = NULL;

      sonde_format_set_style (&(SondeNumberStyle){ 4, cases[i].notation, SONDE_GROUPING_COMMA });
      label = sonde_axis_ticks_label (&ticks, ticks.n - 1);
      decade = sonde_axis_ticks_decade_label (&decades, decades.n - 1);
      g_assert_cmpstr (label, ==, cases[i].label);
      g_assert_cmpstr (decade, ==, cases[i].decade);
    }
  sonde_format_set_style (&SONDE_NUMBER_STYLE_DEFAULT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/layout/axis-ticks/linear", test_linear);
  g_test_add_func ("/viewers/layout/axis-ticks/labels", test_linear_labels);
  g_test_add_func ("/viewers/layout/axis-ticks/nothing", test_nothing);
  g_test_add_func ("/viewers/layout/axis-ticks/integer", test_integer);
  g_test_add_func ("/viewers/layout/axis-ticks/decades", test_decades);
  g_test_add_func ("/viewers/layout/axis-ticks/short-labels", test_short_labels);
  g_test_add_func ("/viewers/layout/axis-ticks/within-decades", test_within_decades);
  g_test_add_func ("/viewers/layout/axis-ticks/notation", test_notation);
  g_test_add_func ("/viewers/layout/axis-ticks/time", test_time);
  return g_test_run ();
}
