/* SPDX-License-Identifier: Apache-2.0
 * The mean is TensorBoard's formula over every point, at every zoom. */
#include <math.h>

#include "tests/viewers/run-fixture.h"
#include "viewers/sonde-smoother.h"

#define WEIGHT 0.9

static double
value_at (int i)
{
  return sin (i * 0.05) + (i % 7) * 0.1;
}

/* (transfer full): the formula, point by point. */
static double *
reference (int n)
{
  double *means = g_new (double, (gsize) n);
  double last = 0;

  for (int i = 0; i < n; i++)
    {
      last = WEIGHT * last + (1 - WEIGHT) * value_at (i);
      means[i] = last / (1 - pow (WEIGHT, i + 1));
    }
  return means;
}

static void
write_points (RunFixture *fixture, int from, int to)
{
  for (int i = from; i < to; i++)
    sonde_test_run_scalars (fixture->writer, i, "loss", value_at (i), NULL);
}

static void
check_points (SondeSmoother *smoother, const double *means, int from, int to)
{
  g_autoptr (GArray) buckets = sonde_smoother_query (smoother, from, to - 1, 100000);

  g_assert_cmpuint (buckets->len, ==, to - from);
  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);

      g_assert_cmpint (bucket->first_step, ==, from + (int) i);
      g_assert_cmpuint (bucket->count, ==, 1);
      g_assert_cmpfloat_with_epsilon (bucket->first, means[from + (int) i], 1e-9);
    }
}

static void
test_formula (void)
{
  RunFixture fixture;
  SondeRun *run;
  g_autoptr (SondeSmoother) smoother = NULL;
  g_autofree double *means = reference (3000);

  run_fixture_init (&fixture);
  write_points (&fixture, 0, 3000);
  run = run_fixture_settle (&fixture);
  smoother = sonde_smoother_new (sonde_run_get_series (run, "loss"), WEIGHT);
  g_assert_true (sonde_smoother_update (smoother, G_MAXUINT64));
  check_points (smoother, means, 0, 3000);
  check_points (smoother, means, 1234, 1300);
  g_clear_pointer (&smoother, sonde_smoother_free);
  run_fixture_clear (&fixture);
}

/* Few buckets: the extremes are those of all means in them. */
static void
test_buckets (void)
{
  RunFixture fixture;
  SondeRun *run;
  g_autoptr (SondeSmoother) smoother = NULL;
  g_autoptr (GArray) buckets = NULL;
  g_autofree double *means = reference (5000);
  guint n = 0;

  run_fixture_init (&fixture);
  write_points (&fixture, 0, 5000);
  run = run_fixture_settle (&fixture);
  smoother = sonde_smoother_new (sonde_run_get_series (run, "loss"), WEIGHT);
  sonde_smoother_update (smoother, G_MAXUINT64);
  buckets = sonde_smoother_query (smoother, 0, 4999, 10);
  g_assert_cmpuint (buckets->len, <=, 10);
  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);
      double min = INFINITY, max = -INFINITY;

      for (guint k = 0; k < bucket->count; k++, n++)
        {
          min = fmin (min, means[n]);
          max = fmax (max, means[n]);
        }
      g_assert_cmpfloat_with_epsilon (bucket->min, min, 1e-9);
      g_assert_cmpfloat_with_epsilon (bucket->max, max, 1e-9);
    }
  g_assert_cmpuint (n, ==, 5000);
  g_clear_pointer (&smoother, sonde_smoother_free);
  run_fixture_clear (&fixture);
}

/* Piece by piece, as a run grows and as frames have time, gives the same. */
static void
test_growing (void)
{
  RunFixture fixture;
  SondeRun *run;
  g_autoptr (SondeSmoother) smoother = NULL;
  g_autofree double *means = reference (1000);

  run_fixture_init (&fixture);
  write_points (&fixture, 0, 100);
  run = run_fixture_settle (&fixture);
  smoother = sonde_smoother_new (sonde_run_get_series (run, "loss"), WEIGHT);
  g_assert_false (sonde_smoother_update (smoother, 30));
  while (!sonde_smoother_update (smoother, 30))
    ;
  check_points (smoother, means, 0, 100);
  write_points (&fixture, 100, 1000);
  run_fixture_settle (&fixture);
  g_assert_true (sonde_smoother_update (smoother, G_MAXUINT64));
  check_points (smoother, means, 0, 1000);
  g_clear_pointer (&smoother, sonde_smoother_free);
  run_fixture_clear (&fixture);
}

static void
test_not_a_number (void)
{
  RunFixture fixture;
  SondeRun *run;
  g_autoptr (SondeSmoother) smoother = NULL;
  g_autoptr (GArray) buckets = NULL;

  run_fixture_init (&fixture);
  sonde_test_run_scalars (fixture.writer, 0, "loss", 2.0, NULL);
  sonde_test_run_scalars (fixture.writer, 1, "loss", (double) NAN, NULL);
  sonde_test_run_scalars (fixture.writer, 2, "loss", 2.0, NULL);
  run = run_fixture_settle (&fixture);
  smoother = sonde_smoother_new (sonde_run_get_series (run, "loss"), WEIGHT);
  sonde_smoother_update (smoother, G_MAXUINT64);
  buckets = sonde_smoother_query (smoother, 0, 2, 10);
  g_assert_cmpuint (buckets->len, ==, 3);
  g_assert_cmpuint (g_array_index (buckets, SondeBucket, 1).n_nan, ==, 1);
  g_assert_cmpfloat_with_epsilon (g_array_index (buckets, SondeBucket, 2).first, 2, 1e-12);
  g_clear_pointer (&smoother, sonde_smoother_free);
  run_fixture_clear (&fixture);
}

/* (transfer full): by the definition; NaN and what lies beyond the ends has no weight. */
static double *
kernel_reference (SondeSmootherKernel kernel, double width, int n)
{
  int reach = kernel == SONDE_SMOOTHER_RUNNING ? (int) (width - 1) / 2 : (int) ceil (3 * width);
  double *means = g_new (double, (gsize) n);

  for (int k = 0; k < n; k++)
    {
      double sum = 0, weights = 0;

      for (int i = MAX (k - reach, 0); i <= MIN (k + reach, n - 1); i++)
        {
          double weight = kernel == SONDE_SMOOTHER_RUNNING
                              ? 1
                              : exp (-0.5 * (i - k) * (i - k) / width / width);

          sum += weight * value_at (i);
          weights += weight;
        }
      means[k] = sum / weights;
    }
  return means;
}

/* The whole at once, in small parts, and while the series grows: the same means. */
static void
test_kernels (void)
{
  static const struct
  {
    SondeSmootherKernel kernel;
    double width;
  } kernels[] = { { SONDE_SMOOTHER_RUNNING, 1 },
                  { SONDE_SMOOTHER_RUNNING, 201 },
                  { SONDE_SMOOTHER_GAUSSIAN, 5 },
                  { SONDE_SMOOTHER_GAUSSIAN, 90.5 } };

  for (gsize i = 0; i < G_N_ELEMENTS (kernels); i++)
    {
      RunFixture fixture;
      SondeRun *run;
      g_autoptr (SondeSmoother) smoother = NULL;
      g_autofree double *first = kernel_reference (kernels[i].kernel, kernels[i].width, 1000);
      g_autofree double *all = kernel_reference (kernels[i].kernel, kernels[i].width, 1700);

      run_fixture_init (&fixture);
      write_points (&fixture, 0, 1000);
      run = run_fixture_settle (&fixture);
      smoother = sonde_smoother_new_kernel (sonde_run_get_series (run, "loss"), kernels[i].kernel,
                                            kernels[i].width);
      while (!sonde_smoother_update (smoother, 37))
        continue;
      check_points (smoother, first, 0, 1000);
      write_points (&fixture, 1000, 1001);
      run_fixture_settle (&fixture);
      while (!sonde_smoother_update (smoother, 37))
        continue;
      write_points (&fixture, 1001, 1700);
      run_fixture_settle (&fixture);
      while (!sonde_smoother_update (smoother, 1000000))
        continue;
      check_points (smoother, all, 0, 1700);
      check_points (smoother, all, 640, 700);
      run_fixture_clear (&fixture);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/smoother/formula", test_formula);
  g_test_add_func ("/viewers/smoother/kernels", test_kernels);
  g_test_add_func ("/viewers/smoother/buckets", test_buckets);
  g_test_add_func ("/viewers/smoother/growing", test_growing);
  g_test_add_func ("/viewers/smoother/not-a-number", test_not_a_number);
  return g_test_run ();
}
