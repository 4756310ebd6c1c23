/* SPDX-License-Identifier: Apache-2.0
 * Intervals of shares and the sign test, against values that can be counted by hand. */
#include <math.h>

#include "data/values/sonde-sign-test.h"
#include "data/values/sonde-wilson.h"

/* By summing binomial coefficients in whole numbers. */
static double
p_by_counting (guint fixed, guint spoiled)
{
  guint n = fixed + spoiled, fewer = MIN (fixed, spoiled);
  double coefficient = 1, sum = 0;

  for (guint i = 0; i <= fewer; i++)
    {
      sum += coefficient;
      coefficient = coefficient * (n - i) / (i + 1);
    }
  return fmin (1, 2 * sum / exp2 (n));
}

static void
test_sign (void)
{
  for (guint a = 0; a <= 20; a++)
    for (guint b = 0; b <= 20; b++)
      {
        g_assert_cmpfloat_with_epsilon (sonde_sign_test (a, b), p_by_counting (a, b), 1e-10);
        g_assert_cmpfloat (sonde_sign_test (a, b), ==, sonde_sign_test (b, a));
      }
  g_assert_cmpfloat_with_epsilon (sonde_sign_test (5, 1), 14.0 / 64, 1e-12);
  g_assert_cmpfloat (sonde_sign_test (5000, 4000), <, 1e-20);
}

static void
test_wilson (void)
{
  double low, high;

  sonde_wilson_interval (0, 0, &low, &high);
  g_assert_true (isnan (low) && isnan (high));
  for (guint n = 1; n < 50; n++)
    for (guint k = 0; k <= n; k++)
      {
        double other_low, other_high;

        sonde_wilson_interval (k, n, &low, &high);
        sonde_wilson_interval (n - k, n, &other_low, &other_high);
        g_assert_cmpfloat (low, <=, (double) k / n + 1e-12);
        g_assert_cmpfloat (high, >=, (double) k / n - 1e-12);
        g_assert_cmpfloat_with_epsilon (low, 1 - other_high, 1e-12);
        /* The ends are where the share is 1.96 standard deviations away. */
        g_assert_cmpfloat_with_epsilon (fabs ((double) k / n - high),
                                        1.96 * sqrt (fmax (high * (1 - high), 0) / n), 1e-7);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/sign-test", test_sign);
  g_test_add_func ("/data/values/wilson", test_wilson);
  return g_test_run ();
}
