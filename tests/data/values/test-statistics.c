/* SPDX-License-Identifier: Apache-2.0
 * Statistics and histograms against plain loops in long double, over all dtypes and layouts. */
#include "data/values/sonde-histogram.h"
#include "data/values/sonde-statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void
reference (const SondeTensor *tensor, SondeStatistics *result)
{
  long double sum = 0, abs_sum = 0, squares = 0;
  gint64 n = 0;

  *result = (SondeStatistics){ .count = sonde_tensor_n_elements (tensor),
                               .min = NAN,
                               .max = NAN,
                               .mean = NAN,
                               .std = NAN,
                               .abs_mean = NAN };
  for (gint64 i = 0; i < result->count; i++)
    {
      double x = sonde_tensor_get_double (tensor, i);

      result->nan += isnan (x);
      result->pos_inf += isinf (x) && x > 0;
      result->neg_inf += isinf (x) && x < 0;
      if (!isfinite (x))
        continue;
      n++;
      sum += x;
      abs_sum += fabs (x);
      result->zeros += x == 0;
      result->negatives += x < 0;
      result->min = fmin (result->min, x);
      result->max = fmax (result->max, x);
    }
  for (gint64 i = 0; i < result->count; i++)
    {
      long double x = sonde_tensor_get_double (tensor, i);

      if (isfinite (x))
        squares += (x - sum / n) * (x - sum / n);
    }
  if (n == 0)
    return;
  result->mean = (double) (sum / n);
  result->abs_mean = (double) (abs_sum / n);
  result->std = (double) sqrtl (squares / n);
}

static void
assert_near (double value, double expected, double scale)
{
  if (isnan (expected))
    g_assert_true (isnan (value));
  else
    g_assert_cmpfloat_with_epsilon (value, expected, 1e-12 * scale + 1e-300);
}

static void
assert_statistics (const SondeStatistics *value, const SondeStatistics *expected)
{
  double scale = isnan (expected->abs_mean) ? 1 : expected->abs_mean + expected->std;

  g_assert_cmpint (value->count, ==, expected->count);
  g_assert_cmpint (value->zeros, ==, expected->zeros);
  g_assert_cmpint (value->negatives, ==, expected->negatives);
  g_assert_cmpint (value->nan, ==, expected->nan);
  g_assert_cmpint (value->pos_inf, ==, expected->pos_inf);
  g_assert_cmpint (value->neg_inf, ==, expected->neg_inf);
  assert_near (value->min, expected->min, 0);
  assert_near (value->max, expected->max, 0);
  assert_near (value->mean, expected->mean, scale);
  assert_near (value->abs_mean, expected->abs_mean, scale);
  assert_near (value->std, expected->std, scale);
}

static void
check (const SondeTensor *tensor)
{
  SondeStatistics value, expected;

  sonde_statistics_compute (tensor, &value);
  reference (tensor, &expected);
  assert_statistics (&value, &expected);
}

/* Random numbers with zeros and, where the dtype has them, NaN and both infinities. */
static SondeTensor *
random_tensor (SondeDtype dtype, const SondeShape *shape, gboolean special, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  SondeTensor *tensor = sonde_tensor_new (dtype, shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    {
      double x = g_rand_double_range (random, -150, 150);
      int kind = g_rand_int_range (random, 0, 40);

      x = kind < 4 ? 0 : x;
      x = special && kind == 5 ? NAN : x;
      x = special && kind == 6 ? INFINITY : x;
      x = special && kind == 7 ? -INFINITY : x;
      sonde_tensor_set_double (tensor, i, x);
    }
  return tensor;
}

static void
test_all_dtypes (void)
{
  static const int lengths[] = { 0, 1, 2, 15, 16, 17, 63, 1000, 2047, 2048, 2049, 10000 };

  for (int dtype = SONDE_DTYPE_F64; dtype <= SONDE_DTYPE_BOOL; dtype++)
    for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
      for (int special = 0; special < 2; special++)
        {
          SondeShape shape = sonde_shape_make (1, lengths[i]);
          g_autoptr (SondeTensor) tensor = random_tensor (dtype, &shape, special, (guint32) i);

          check (tensor);
        }
}

static void
test_strided (void)
{
  static const char *const slices[]
      = { "::2, ::-1, 1:", "..., ::-3", "::-1, ::-1, ::-1", ":, 3, :",
          "0:0",           "5, 5, 5",   ":, :, 0",          "None, ..., None, 2" };
  static const int order[] = { 1, 2, 0 };

  for (int dtype = SONDE_DTYPE_F64; dtype <= SONDE_DTYPE_BOOL; dtype++)
    {
      SondeShape shape = sonde_shape_make (3, 13, 17, 19);
      g_autoptr (SondeTensor) tensor = random_tensor (dtype, &shape, TRUE, 7);
      g_autoptr (SondeTensor) turned = sonde_tensor_transpose (tensor, order);

      check (turned);
      for (gsize i = 0; i < G_N_ELEMENTS (slices); i++)
        {
          g_autoptr (SondeTensor) view = sonde_tensor_slice (turned, slices[i], NULL);

          check (view);
        }
    }
}

static void
test_broadcast (void)
{
  const gint64 strides[] = { 0, 1, 0 };
  SondeShape shape = sonde_shape_make (1, 3000), wide = sonde_shape_make (3, 3, 3000, 2);
  g_autoptr (SondeTensor) tensor = random_tensor (SONDE_DTYPE_F32, &shape, TRUE, 3);
  g_autoptr (SondeTensor) view = sonde_tensor_view (tensor, &wide, strides, 0);

  check (view);
}

/* A mean a million times the spread: plain sums of squares would give noise, or a negative
 * variance. */
static void
test_large_mean (void)
{
  SondeShape shape = sonde_shape_make (1, 5000);
  g_autoptr (SondeTensor) floats = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) integers = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  g_autoptr (SondeTensor) constant = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeStatistics statistics;

  for (int i = 0; i < 5000; i++)
    {
      sonde_tensor_set_double (floats, i, 1e7 + i % 2);
      sonde_tensor_set_double (integers, i, 1e15 + i % 2);
      sonde_tensor_set_double (constant, i, 0.1);
    }
  sonde_statistics_compute (floats, &statistics);
  g_assert_cmpfloat (statistics.mean, ==, 1e7 + 0.5);
  g_assert_cmpfloat (statistics.std, ==, 0.5);
  sonde_statistics_compute (integers, &statistics);
  g_assert_cmpfloat (statistics.mean, ==, 1e15 + 0.5);
  g_assert_cmpfloat (statistics.std, ==, 0.5);
  sonde_statistics_compute (constant, &statistics);
  g_assert_cmpfloat (statistics.mean, ==, 0.1f);
  g_assert_cmpfloat (statistics.std, ==, 0);
}

static void
test_only_special (void)
{
  SondeShape shape = sonde_shape_make (1, 5000);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeStatistics statistics;

  for (int i = 0; i < 5000; i++)
    sonde_tensor_set_double (tensor, i, i % 2 == 0 ? NAN : INFINITY);
  check (tensor);
  sonde_tensor_set_double (tensor, 4000, 7);
  check (tensor);
  sonde_statistics_compute (tensor, &statistics);
  g_assert_cmpfloat (statistics.min, ==, 7);
  g_assert_cmpfloat (statistics.max, ==, 7);
}

static void
test_extreme (void)
{
  const float floats[] = { 3.4e38f, -3.4e38f, 1e-45f, -1e-45f };
  const double doubles[] = { 1.7e308, 1.7e308, -1.0 };
  SondeStatistics statistics;

  sonde_statistics_compute_data (SONDE_DTYPE_F32, floats, 4, &statistics);
  g_assert_cmpfloat (statistics.max, ==, 3.4e38f);
  g_assert_cmpint (statistics.negatives, ==, 2);
  g_assert_cmpint (statistics.zeros, ==, 0);
  g_assert_true (isfinite (statistics.std));
  /* the sum of magnitudes is beyond double, but no element is */
  sonde_statistics_compute_data (SONDE_DTYPE_F64, doubles, 3, &statistics);
  g_assert_cmpint (statistics.pos_inf, ==, 0);
  g_assert_cmpfloat (statistics.max, ==, 1.7e308);
  g_assert_cmpint (statistics.negatives, ==, 1);
}

static void
test_string (void)
{
  SondeShape shape = sonde_shape_make (1, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_STRING, &shape);
  SondeStatistics statistics;

  sonde_statistics_compute (tensor, &statistics);
  g_assert_cmpint (statistics.count, ==, 3);
  g_assert_true (isnan (statistics.mean));
}

static void
test_merge (void)
{
  SondeShape shape = sonde_shape_make (1, 4000);
  g_autoptr (SondeTensor) tensor = random_tensor (SONDE_DTYPE_F32, &shape, TRUE, 11);
  static const int cuts[] = { 0, 1, 1000, 3999, 4000 };
  SondeStatistics expected;

  reference (tensor, &expected);
  for (gsize i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      const float *data = (const void *) tensor->data;
      SondeStatistics a, b;

      sonde_statistics_compute_data (SONDE_DTYPE_F32, data, (gsize) cuts[i], &a);
      sonde_statistics_compute_data (SONDE_DTYPE_F32, data + cuts[i], (gsize) (4000 - cuts[i]), &b);
      sonde_statistics_merge (&a, &b);
      assert_statistics (&a, &expected);
    }
}

/* Histograms */

static void
test_bins (void)
{
  double lower, upper, end_of_last = ldexp (1, SONDE_HISTOGRAM_MIN_EXPONENT);

  for (int bin = 0; bin < SONDE_HISTOGRAM_N_BINS; bin++)
    {
      sonde_histogram_bin_edges (bin, &lower, &upper);
      g_assert_true (lower == end_of_last && lower < upper);
      /* the documented formula */
      g_assert_cmpfloat_with_epsilon (lower / exp2 (SONDE_HISTOGRAM_MIN_EXPONENT + bin / 8.0), 1,
                                      1e-15);
      g_assert_cmpint (sonde_histogram_bin_of (lower), ==, bin);
      g_assert_cmpint (sonde_histogram_bin_of (nextafter (lower, 0)), ==, MAX (bin - 1, 0));
      g_assert_cmpint (sonde_histogram_bin_of (nextafter (upper, 0)), ==, bin);
      end_of_last = upper;
    }
  g_assert_cmpint (sonde_histogram_bin_of (1e-300), ==, 0);
  g_assert_cmpint (sonde_histogram_bin_of (5e-324), ==, 0);
  g_assert_cmpint (sonde_histogram_bin_of (1e300), ==, SONDE_HISTOGRAM_N_BINS - 1);
  g_assert_cmpint (sonde_histogram_bin_of (INFINITY), ==, SONDE_HISTOGRAM_N_BINS - 1);
}

/* The float32 path against the double one, at all edges and their neighbours, and at random. */
static void
test_bins_f32 (void)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  SondeHistogram *fast = g_new (SondeHistogram, 1), *plain = g_new (SondeHistogram, 1);
  SondeShape shape;

  for (int bin = 0; bin < SONDE_HISTOGRAM_N_BINS; bin++)
    {
      double lower, upper;

      sonde_histogram_bin_edges (bin, &lower, &upper);
      for (int sign = -1; sign < 2; sign += 2)
        {
          float edge = (float) (sign * lower);
          float near[] = { nextafterf (edge, 0), edge, nextafterf (edge, sign * INFINITY) };

          g_array_append_vals (numbers, near, 3);
        }
    }
  for (int i = 0; i < 100000; i++)
    {
      guint32 bits = g_rand_int (random);

      g_array_append_vals (numbers, &bits, 1); /* any pattern: NaN, Inf, subnormal too */
    }
  shape = sonde_shape_make (1, numbers->len);
  g_autoptr (SondeTensor) floats
      = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers->data);
  g_autoptr (SondeTensor) doubles = sonde_tensor_cast (floats, SONDE_DTYPE_F64);

  sonde_histogram_init (fast);
  sonde_histogram_init (plain);
  sonde_histogram_add (fast, floats);
  sonde_histogram_add (plain, doubles);
  g_assert_cmpmem (fast->negative, sizeof fast->negative, plain->negative, sizeof plain->negative);
  g_assert_cmpmem (fast->positive, sizeof fast->positive, plain->positive, sizeof plain->positive);
  g_assert_true (fast->zero == plain->zero && fast->nan == plain->nan);
  g_assert_true (fast->pos_inf == plain->pos_inf && fast->neg_inf == plain->neg_inf);
  g_assert_true (fast->min == plain->min && fast->max == plain->max);
  g_assert_cmpuint (sonde_histogram_count (fast), ==, numbers->len);
  g_free (fast);
  g_free (plain);
}

static void
test_histogram_content (void)
{
  const float numbers[]
      = { 1.0f, 1.05f, 1.1f, -2.0f, 0.0f, -0.0f, NAN, INFINITY, -INFINITY, 1e-30f };
  SondeShape shape = sonde_shape_make (1, G_N_ELEMENTS (numbers));
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);
  SondeHistogram *histogram = g_new (SondeHistogram, 1);
  int one = -SONDE_HISTOGRAM_MIN_EXPONENT * 8; /* bin of 1 */

  sonde_histogram_init (histogram);
  g_assert_true (isnan (sonde_histogram_quantile (histogram, 0.5)));
  sonde_histogram_add (histogram, tensor);
  g_assert_cmpuint (histogram->positive[one], ==, 2);
  g_assert_cmpuint (histogram->positive[one + 1], ==, 1);
  g_assert_cmpuint (histogram->negative[one + 8], ==, 1);
  g_assert_cmpuint (histogram->positive[0], ==, 1);
  g_assert_cmpuint (histogram->zero, ==, 2);
  g_assert_cmpuint (histogram->nan, ==, 1);
  g_assert_cmpuint (histogram->pos_inf, ==, 1);
  g_assert_cmpuint (histogram->neg_inf, ==, 1);
  g_assert_cmpfloat (histogram->min, ==, -2);
  g_assert_cmpfloat (histogram->max, ==, 1.1f);
  g_assert_cmpfloat_with_epsilon (histogram->sum, 1 + 1.05 + 1.1 - 2, 1e-6);
  g_assert_cmpfloat_with_epsilon (histogram->sum_squares, 1 + 1.05 * 1.05 + 1.1 * 1.1 + 4, 1e-6);
  g_free (histogram);
}

static void
test_histogram_merge (void)
{
  SondeShape shape = sonde_shape_make (2, 3, 3000);
  g_autoptr (SondeTensor) tensor = random_tensor (SONDE_DTYPE_F32, &shape, TRUE, 2);
  SondeHistogram *whole = g_new (SondeHistogram, 1), *merged = g_new (SondeHistogram, 1);

  sonde_histogram_init (whole);
  sonde_histogram_init (merged);
  sonde_histogram_add (whole, tensor);
  for (int i = 0; i < 3; i++)
    {
      SondeHistogram *part = g_new (SondeHistogram, 1);
      g_autofree char *index = g_strdup_printf ("%d", i);
      g_autoptr (SondeTensor) row = sonde_tensor_slice (tensor, index, NULL);

      sonde_histogram_init (part);
      sonde_histogram_add (part, row);
      sonde_histogram_merge (merged, part);
      g_free (part);
    }
  g_assert_cmpmem (whole, offsetof (SondeHistogram, sum), merged, offsetof (SondeHistogram, sum));
  g_assert_cmpfloat_with_epsilon (whole->sum, merged->sum, 1e-7);
  g_assert_cmpfloat_with_epsilon (whole->sum_squares / merged->sum_squares, 1, 1e-13);
  g_free (whole);
  g_free (merged);
}

/* Quantiles of a uniform grid lie within one bin's width (9 %) of the true ones. */
static void
test_quantiles (void)
{
  SondeShape shape = sonde_shape_make (1, 20001);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeHistogram *histogram = g_new (SondeHistogram, 1);

  for (int i = 0; i <= 20000; i++)
    sonde_tensor_set_double (tensor, i, (i - 10000) / 1000.0);
  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, tensor);
  g_assert_cmpfloat (sonde_histogram_quantile (histogram, 0), ==, -10);
  g_assert_cmpfloat (sonde_histogram_quantile (histogram, 1), ==, 10);
  for (int i = 1; i < 20; i++)
    {
      double expected = i - 10.0;

      g_assert_cmpfloat_with_epsilon (sonde_histogram_quantile (histogram, i / 20.0), expected,
                                      0.01 + 0.02 * fabs (expected));
    }
  g_free (histogram);
}

int
main (int argc, char **argv)
{
  if (g_getenv ("SONDE_TEST_VALGRIND") != NULL)
    return puts ("1..0 # SKIP valgrind computes the reference's long double in double") < 0;
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/statistics/all-dtypes", test_all_dtypes);
  g_test_add_func ("/data/values/statistics/strided", test_strided);
  g_test_add_func ("/data/values/statistics/broadcast", test_broadcast);
  g_test_add_func ("/data/values/statistics/large-mean", test_large_mean);
  g_test_add_func ("/data/values/statistics/only-special", test_only_special);
  g_test_add_func ("/data/values/statistics/extreme", test_extreme);
  g_test_add_func ("/data/values/statistics/string", test_string);
  g_test_add_func ("/data/values/statistics/merge", test_merge);
  g_test_add_func ("/data/values/histogram/bins", test_bins);
  g_test_add_func ("/data/values/histogram/bins-f32", test_bins_f32);
  g_test_add_func ("/data/values/histogram/content", test_histogram_content);
  g_test_add_func ("/data/values/histogram/merge", test_histogram_merge);
  g_test_add_func ("/data/values/histogram/quantiles", test_quantiles);
  return g_test_run ();
}
