/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "data/values/sonde-bins.h"

static SondeBins *
three_bins (void)
{
  SondeBins *bins = sonde_bins_new (3);

  for (gsize i = 0; i < 3; i++)
    {
      bins->lefts[i] = (double) i;
      bins->rights[i] = (double) i + 1;
      bins->counts[i] = (double) i; /* 0, 1, 2 */
    }
  return bins;
}

static void
test_copy_is_apart (void)
{
  g_autoptr (SondeBins) bins = three_bins ();
  g_autoptr (SondeBins) copy = NULL;

  bins->nan = 7;
  copy = sonde_bins_copy (bins);
  bins->rights[2] = 99;
  g_assert_cmpfloat (copy->rights[2], ==, 3);
  g_assert_cmpuint (copy->nan, ==, 7);
  g_assert_cmpuint (sonde_bins_n_bytes (copy), ==, sonde_bins_n_bytes (bins));
  g_assert_true (isnan (copy->sum));
  g_assert_null (sonde_bins_copy (NULL));
}

static void
test_quantiles (void)
{
  g_autoptr (SondeBins) bins = three_bins ();
  g_autoptr (SondeBins) empty = sonde_bins_new (0);

  g_assert_cmpfloat (sonde_bins_total (bins), ==, 3);
  g_assert_cmpfloat (sonde_bins_quantile (bins, 0), ==, 1);
  g_assert_cmpfloat (sonde_bins_quantile (bins, 1.0 / 3), ==, 2);
  g_assert_cmpfloat_with_epsilon (sonde_bins_quantile (bins, 0.5), 2.25, 1e-12);
  g_assert_cmpfloat (sonde_bins_quantile (bins, 1), ==, 3);
  g_assert_true (isnan (sonde_bins_quantile (empty, 0.5)));
}

/* The bins of our own histograms say the same as they do. */
static void
test_from_histogram (void)
{
  static const double values[] = { -3, -0.5, -0.5, 0, 0, 0, 1e-30, 0.25, 7, 7.01, NAN, INFINITY };
  SondeShape shape = sonde_shape_make (1, (int) G_N_ELEMENTS (values));
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &shape, values);
  SondeHistogram histogram;
  g_autoptr (SondeBins) bins = NULL;
  double low, high;

  sonde_histogram_init (&histogram);
  sonde_histogram_add (&histogram, tensor);
  bins = sonde_bins_from_histogram (&histogram);
  g_assert_cmpfloat (sonde_bins_total (bins), ==, 10);
  g_assert_cmpfloat (bins->count, ==, 12);
  g_assert_cmpuint (bins->nan, ==, 1);
  g_assert_true (sonde_bins_get_range (bins, &low, &high));
  g_assert_cmpfloat (low, ==, -3);
  g_assert_cmpfloat (high, ==, 7.01);
  for (gsize i = 1; i < bins->n; i++)
    g_assert_cmpfloat (bins->lefts[i], >=, bins->rights[i - 1]);
  for (double q = 0; q <= 1; q += 1.0 / 64)
    g_assert_cmpfloat_with_epsilon (sonde_bins_quantile (bins, q),
                                    sonde_histogram_quantile (&histogram, q), 1e-12);
  g_assert_cmpfloat (bins->counts[sonde_bins_find (bins, 0)], ==, 3);
  g_assert_cmpfloat (bins->counts[sonde_bins_find (bins, -0.5)], ==, 2);
  g_assert_cmpint (sonde_bins_find (bins, 100), ==, -1);
  g_assert_cmpfloat_with_epsilon (sonde_bins_mean (bins), histogram.sum / 10, 1e-12);
}

static void
test_too_many (void)
{
  g_assert_null (sonde_bins_new (G_MAXSIZE / 8));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bins/copy", test_copy_is_apart);
  g_test_add_func ("/bins/quantiles", test_quantiles);
  g_test_add_func ("/bins/from-histogram", test_from_histogram);
  g_test_add_func ("/bins/too-many", test_too_many);
  return g_test_run ();
}
