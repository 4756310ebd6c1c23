/* SPDX-License-Identifier: Apache-2.0
 * Facts against plain loops in long double, over all dtypes, lengths, with and without NaN and
 * infinity. */
#include "data/values/sonde-facts.h"

#include <math.h>

#include "data/values/sonde-tensor.h"

static const SondeFactsRequest request = {
  .n_ranges = 3,
  .ranges = { { -1, 0 }, { 0.1, 40.3 }, { -INFINITY, -100 } },
  .n_tolerances = 2,
  .tolerances = { { 1e-5, 1e-8 }, { 0.5, 1 } },
};

static SondeTensor *
random_tensor (SondeDtype dtype, gint64 n, gboolean special, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  SondeShape shape = sonde_shape_make (1, (int) n);
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < n; i++)
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
reference (const SondeTensor *tensor, const SondeTensor *previous, SondeFacts *facts,
           long double *sums)
{
  sonde_facts_init (facts);
  facts->count = sonde_tensor_n_elements (tensor);
  facts->has_change = previous != NULL && facts->count > 0;
  for (gint64 i = 0; i < facts->count; i++)
    {
      double x = sonde_tensor_get_double (tensor, i),
             old = previous != NULL ? sonde_tensor_get_double (previous, i) : 0;

      facts->nan += isnan (x);
      facts->pos_inf += isinf (x) && x > 0;
      facts->neg_inf += isinf (x) && x < 0;
      facts->zeros += x == 0;
      for (guint k = 0; k < request.n_ranges; k++)
        facts->in_range[k] += x >= request.ranges[k].low && x <= request.ranges[k].high;
      for (guint k = 0; previous != NULL && k < request.n_tolerances; k++)
        facts->within[k] += fabs (x - old) <= request.tolerances[k].absolute
                                                  + request.tolerances[k].relative * fabs (old);
      sums[2] += fabsl ((long double) x - old);
      sums[3] += fabsl (old);
      if (!isfinite (x))
        continue;
      sums[0] += x;
      sums[1] += fabs (x);
      facts->min = fmin (facts->min, x);
      facts->max = fmax (facts->max, x);
    }
}

static void
assert_sum (double value, long double expected, long double scale, double error)
{
  if (isnan (expected) || isinf (expected))
    g_assert_cmpint (isnan (value) * 2 + isinf (value), ==,
                     isnan (expected) * 2 + isinf (expected));
  else
    g_assert_cmpfloat_with_epsilon (value, (double) expected, error * (double) scale + 1e-300);
}

static void
assert_facts (const SondeFacts *facts, const SondeTensor *tensor, const SondeTensor *previous,
              double error)
{
  long double sums[4] = { 0 };
  SondeFacts expected;

  reference (tensor, previous, &expected, sums);
  g_assert_cmpint (facts->count, ==, expected.count);
  g_assert_cmpint (facts->zeros, ==, expected.zeros);
  g_assert_cmpint (facts->nan, ==, expected.nan);
  g_assert_cmpint (facts->pos_inf, ==, expected.pos_inf);
  g_assert_cmpint (facts->neg_inf, ==, expected.neg_inf);
  g_assert_cmpfloat (facts->min, ==, expected.min);
  g_assert_cmpfloat (facts->max, ==, expected.max);
  for (guint k = 0; k < request.n_ranges; k++)
    g_assert_cmpint (facts->in_range[k], ==, expected.in_range[k]);
  assert_sum (facts->sum, sums[0], sums[1], error);
  assert_sum (facts->abs_sum, sums[1], sums[1], error);
  if (previous == NULL)
    return;
  for (guint k = 0; k < request.n_tolerances; k++)
    g_assert_cmpint (facts->within[k], ==, expected.within[k]);
  assert_sum (facts->abs_change, sums[2], sums[2], 1e-12);
  assert_sum (facts->abs_old, sums[3], sums[3], 1e-12);
}

static void
check (SondeDtype dtype, gint64 n, gboolean special, gboolean exact)
{
  g_autoptr (SondeTensor) now = random_tensor (dtype, n, special, (guint32) n + 7 * dtype);
  g_autoptr (SondeTensor) before
      = random_tensor (dtype, n, special, (guint32) n + 7 * dtype + (n % 2));
  const double error = dtype == SONDE_DTYPE_F32 && !exact ? SONDE_FACTS_ERROR : 1e-12;
  const gsize half = (gsize) n / 3, size = sonde_dtype_size (dtype);
  SondeFactsRequest wanted = request;
  SondeFacts whole, first, second;

  wanted.exact = exact;
  sonde_facts_init (&whole);
  sonde_facts_add (&whole, &wanted, dtype, now->data, before->data, (gsize) n);
  assert_facts (&whole, now, before, error);

  sonde_facts_init (&first);
  sonde_facts_init (&second);
  sonde_facts_add (&first, &wanted, dtype, now->data, NULL, half);
  sonde_facts_add (&second, &wanted, dtype, (guint8 *) now->data + half * size, NULL,
                   (gsize) n - half);
  sonde_facts_merge (&first, &second);
  g_assert_false (first.has_change);
  assert_facts (&first, now, NULL, error);
}

static void
test_all_dtypes (void)
{
  static const int lengths[] = { 0, 1, 2, 15, 16, 17, 63, 1000, 1023, 1025, 2047, 2049, 10000 };

  for (int dtype = SONDE_DTYPE_F64; dtype <= SONDE_DTYPE_BOOL; dtype++)
    for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
      for (int form = 0; form < 4; form++)
        check ((SondeDtype) dtype, lengths[i], form & 1, form >> 1);
}

/* A block whose magnitudes overflow a float sum, all of them finite. */
static void
test_large (void)
{
  const SondeFactsRequest quick = { 0 };
  float data[100];
  SondeFacts facts;

  for (int i = 0; i < 100; i++)
    data[i] = i % 2 == 0 ? 3e38f : -3e38f;
  sonde_facts_init (&facts);
  sonde_facts_add (&facts, &quick, SONDE_DTYPE_F32, data, NULL, 100);
  g_assert_cmpint (sonde_facts_n_finite (&facts), ==, 100);
  g_assert_cmpfloat_with_epsilon (sonde_facts_mean (&facts), 0, 1e30);
  g_assert_cmpfloat_with_epsilon (sonde_facts_abs_mean (&facts), 3e38, 1e32);
}

/* Ends of ranges between two floats. */
static void
test_ends (void)
{
  const float data[] = { 0.1f, nextafterf (0.1f, 0), nextafterf (0.1f, 1), -0.f };
  const SondeFactsRequest wanted
      = { .n_ranges = 3, .ranges = { { 0.1, 1 }, { -1, 0.1 }, { 0, 0 } } };
  SondeFacts facts;

  sonde_facts_init (&facts);
  sonde_facts_add (&facts, &wanted, SONDE_DTYPE_F32, data, NULL, G_N_ELEMENTS (data));
  g_assert_cmpint (facts.in_range[0], ==, 2); /* 0.1f > 0.1 */
  g_assert_cmpint (facts.in_range[1], ==, 2);
  g_assert_cmpint (facts.in_range[2], ==, 1);
}

/* Whole blocks in and out of ranges, across their ends and with NaN, in every order of two. */
static void
test_blocks (void)
{
  enum
  {
    BLOCK = 1024,
    KINDS = 5,
    N = KINDS * KINDS * 2 * BLOCK + 7
  };
  const SondeFactsRequest wanted = { .n_ranges = 2, .ranges = { { -1, 1 }, { 0, 3 } } };
  g_autofree float *data = g_new (float, N);
  gint64 inside[2] = { 0, 0 };
  SondeFacts facts;

  for (guint i = 0; i < N; i++)
    {
      const guint pair = i / (2 * BLOCK) % (KINDS * KINDS);
      const guint kind = i / BLOCK % 2 == 0 ? pair / KINDS : pair % KINDS;
      const float choices[KINDS]
          = { 0.5f, 7, i % 3 == 0 ? -0.5f : 2, i % 5 == 0 ? NAN : 1, i % 7 == 0 ? INFINITY : 0 };

      data[i] = choices[kind];
      for (guint k = 0; k < 2; k++)
        inside[k] += data[i] >= wanted.ranges[k].low && data[i] <= wanted.ranges[k].high;
    }
  sonde_facts_init (&facts);
  sonde_facts_add (&facts, &wanted, SONDE_DTYPE_F32, data, NULL, N);
  for (guint k = 0; k < 2; k++)
    g_assert_cmpint (facts.in_range[k], ==, inside[k]);
}

static void
test_empty (void)
{
  SondeFacts facts;

  sonde_facts_init (&facts);
  g_assert_true (isnan (sonde_facts_mean (&facts)));
  g_assert_true (isnan (sonde_facts_abs_mean (&facts)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/facts/all-dtypes", test_all_dtypes);
  g_test_add_func ("/data/values/facts/large", test_large);
  g_test_add_func ("/data/values/facts/ends", test_ends);
  g_test_add_func ("/data/values/facts/blocks", test_blocks);
  g_test_add_func ("/data/values/facts/empty", test_empty);
  return g_test_run ();
}
