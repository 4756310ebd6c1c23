/* SPDX-License-Identifier: Apache-2.0
 * Blocks of random numbers are the numbers one by one. */
#include "data/base/sonde-random-fill.h"

/* The largest difference to the scalar form, over @n_blocks from @first. */
static double
compare (guint64 seed, guint64 stream, guint64 first, guint n_blocks)
{
  double cosines[SONDE_RANDOM_BLOCK], sines[SONDE_RANDOM_BLOCK], worst = 0.0;

  for (guint b = 0; b < n_blocks; b++, first += SONDE_RANDOM_BLOCK)
    {
      sonde_random_fill_normal (seed, stream, first, cosines, sines);
      for (guint k = 0; k < SONDE_RANDOM_BLOCK; k++)
        {
          double u = 1.0 - sonde_random_uniform (seed, stream, 2 * (first + k)),
                 v = sonde_random_uniform (seed, stream, 2 * (first + k) + 1);

          worst = fmax (worst, fabs (cosines[k] - sonde_random_normal (seed, stream, first + k)));
          worst = fmax (worst, fabs (sines[k] - sqrt (-2.0 * log (u)) * sin (2.0 * G_PI * v)));
        }
    }
  return worst;
}

static void
test_fill_normal (void)
{
  g_assert_cmpfloat (compare (0, 0, 0, 1000), <, 1e-14);
  g_assert_cmpfloat (compare (7, sonde_random_stream ("noise"), 12345, 1000), <, 1e-14);
  g_assert_cmpfloat (compare (G_MAXUINT64, G_MAXUINT64, (guint64) 1 << 62, 1000), <, 1e-14);
}

/* A number is the same wherever its block begins. */
static void
test_fill_anywhere (void)
{
  double one[2][SONDE_RANDOM_BLOCK], other[2][SONDE_RANDOM_BLOCK];

  for (guint shift = 1; shift < SONDE_RANDOM_BLOCK; shift++)
    {
      sonde_random_fill_normal (3, 4, 1000, one[0], one[1]);
      sonde_random_fill_normal (3, 4, 1000 + shift, other[0], other[1]);
      for (guint k = shift; k < SONDE_RANDOM_BLOCK; k++)
        {
          g_assert_true (one[0][k] == other[0][k - shift]);
          g_assert_true (one[1][k] == other[1][k - shift]);
        }
    }
}

/* Mean 0, variance 1, and the two forms do not go together: of 200,000 numbers each within five
 * standard errors. */
static void
test_fill_moments (void)
{
  enum
  {
    BLOCKS = 3125
  };
  const double n = (double) BLOCKS * SONDE_RANDOM_BLOCK;
  double sums[5] = { 0 };

  for (guint b = 0; b < BLOCKS; b++)
    {
      double x[SONDE_RANDOM_BLOCK], y[SONDE_RANDOM_BLOCK];

      sonde_random_fill_normal (1, 2, (guint64) b * SONDE_RANDOM_BLOCK, x, y);
      for (guint k = 0; k < SONDE_RANDOM_BLOCK; k++)
        {
          const double terms[5] = { x[k], y[k], x[k] * x[k] - 1.0, y[k] * y[k] - 1.0, x[k] * y[k] };

          for (guint t = 0; t < 5; t++)
            sums[t] += terms[t] / n;
        }
    }
  for (guint t = 0; t < 5; t++)
    g_assert_cmpfloat (fabs (sums[t]), <, 5.0 * sqrt (2.0 / n));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/base/random/fill-normal", test_fill_normal);
  g_test_add_func ("/data/base/random/fill-anywhere", test_fill_anywhere);
  g_test_add_func ("/data/base/random/fill-moments", test_fill_moments);
  return g_test_run ();
}
