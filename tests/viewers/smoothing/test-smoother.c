/* SPDX-License-Identifier: Apache-2.0
 * The mean is TensorBoard's formula over every point, at every zoom. */
#include <math.h>

#include <glib/gstdio.h>

#include "tests/viewers/run-fixture.h"
#include "viewers/smoothing/sonde-smoother.h"

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

/* ---- on another thread --------------------------------------------------- */

#define N_MANY 20011 /* five blocks of the index, the last one not whole */

static double
odd_value_at (int i)
{
  return i % 997 == 5 ? (double) NAN : i % 1009 == 7 ? (double) INFINITY : value_at (i);
}

static void
write_odd_points (RunFixture *fixture, int from, int to)
{
  for (int i = from; i < to; i++)
    sonde_test_run_scalars (fixture->writer, i, "loss", odd_value_at (i), NULL);
}

/* (transfer full): the formula, with the very operations of the definition: every bit is the same. */
static double *
exact_reference (int n)
{
  double *means = g_new (double, (gsize) n);
  double last = 0, power = 1;

  for (int i = 0; i < n; i++)
    {
      means[i] = odd_value_at (i);
      if (!isfinite (means[i]))
        continue;
      last = WEIGHT * last + (1 - WEIGHT) * means[i];
      power *= WEIGHT;
      means[i] = last / (1 - power);
    }
  return means;
}

static void
on_means (void *user_data)
{
  *(guint *) user_data += 1;
}

/* Returns: how often it was said that the means are there */
static guint
wait_for_means (SondeSmoother *smoother, guint64 at_once)
{
  guint n_done = 0;

  while (!sonde_smoother_catch_up (smoother, at_once, on_means, &n_done))
    g_main_context_iteration (NULL, TRUE);
  return n_done;
}

static void
check_exactly (SondeSmoother *smoother, const double *means, int n)
{
  g_autoptr (GArray) points = sonde_smoother_query (smoother, 0, n - 1, 100000);
  g_autoptr (GArray) wide = sonde_smoother_query (smoother, 0, n - 1, 20);
  guint next = 0;

  g_assert_cmpuint (points->len, ==, n);
  for (guint i = 0; i < points->len; i++)
    g_assert_cmpmem (&g_array_index (points, SondeBucket, i).first, sizeof (double), &means[i],
                     sizeof (double));
  for (guint i = 0; i < wide->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (wide, SondeBucket, i);
      double min = NAN, max = NAN;

      for (guint k = 0; k < bucket->count; k++, next++)
        if (isfinite (means[next]))
          {
            min = fmin (min, means[next]);
            max = fmax (max, means[next]);
          }
      g_assert_true (bucket->min == min && bucket->max == max);
    }
  g_assert_cmpuint (next, ==, n);
}

/* From memory, from the index, and behind what is known already: each time the same bits. */
static void
test_worker (void)
{
  RunFixture fixture;
  g_autoptr (SondeSmoother) smoother = NULL, again = NULL;
  g_autofree double *means = exact_reference (2 * N_MANY);
  SondeRun *run;

  run_fixture_init (&fixture);
  write_odd_points (&fixture, 0, N_MANY);
  run = run_fixture_settle (&fixture);
  smoother = sonde_smoother_new (sonde_run_get_series (run, "loss"), WEIGHT);
  g_assert_cmpuint (wait_for_means (smoother, 0), ==, 1);
  check_exactly (smoother, means, N_MANY);
  write_odd_points (&fixture, N_MANY, 2 * N_MANY);
  run = run_fixture_settle (&fixture);
  g_assert_cmpuint (wait_for_means (smoother, 100), ==, 1);
  check_exactly (smoother, means, 2 * N_MANY);
  g_clear_pointer (&smoother, sonde_smoother_free);

  g_clear_object (&fixture.store);
  run = run_fixture_settle (&fixture);
  again = sonde_smoother_new (sonde_run_get_series (run, "loss"), WEIGHT);
  g_assert_cmpuint (wait_for_means (again, 0), ==, 1);
  check_exactly (again, means, 2 * N_MANY);
  g_clear_pointer (&again, sonde_smoother_free);
  run_fixture_clear (&fixture);
}

static void
remove_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
}

/* Somebody deletes the index under the run: it is read again, and the means are of what its files say. */
static void
test_lost_index (void)
{
  RunFixture fixture;
  g_autoptr (SondeSmoother) smoother = NULL;
  g_autofree double *means = exact_reference (N_MANY);
  g_autofree char *index = NULL;
  SondeSeries *series;

  run_fixture_init (&fixture);
  write_odd_points (&fixture, 0, N_MANY);
  run_fixture_settle (&fixture);
  g_clear_object (&fixture.store);
  series = sonde_run_get_series (run_fixture_settle (&fixture), "loss");
  index = g_build_filename (fixture.folder, "index", NULL);
  remove_files (index);
  smoother = sonde_smoother_new (series, WEIGHT);
  /* what is read again comes in parts */
  do
    wait_for_means (smoother, 0);
  while (sonde_series_get_n_points (series) < N_MANY && g_main_context_iteration (NULL, TRUE));
  wait_for_means (smoother, 0);
  check_exactly (smoother, means, N_MANY);
  g_clear_pointer (&smoother, sonde_smoother_free);
  run_fixture_clear (&fixture);
}

/* Few points are taken in at once; nobody is told. */
static void
test_few (void)
{
  RunFixture fixture;
  g_autoptr (SondeSmoother) smoother = NULL;
  g_autofree double *means = exact_reference (100);

  run_fixture_init (&fixture);
  write_odd_points (&fixture, 0, 100);
  smoother
      = sonde_smoother_new (sonde_run_get_series (run_fixture_settle (&fixture), "loss"), WEIGHT);
  g_assert_true (sonde_smoother_catch_up (smoother, 100, on_means, NULL));
  check_exactly (smoother, means, 100);
  g_clear_pointer (&smoother, sonde_smoother_free);
  run_fixture_clear (&fixture);
}

/* The other thread and this one make the same means of a kernel, whatever end it was cut off at meanwhile. */
static void
test_worker_kernels (void)
{
  for (int kernel = SONDE_SMOOTHER_RUNNING; kernel <= SONDE_SMOOTHER_GAUSSIAN; kernel++)
    {
      RunFixture fixture;
      g_autoptr (SondeSmoother) there = NULL, here = NULL;
      SondeSeries *series;

      run_fixture_init (&fixture);
      write_points (&fixture, 0, 9000);
      series = sonde_run_get_series (run_fixture_settle (&fixture), "loss");
      there = sonde_smoother_new_kernel (series, (SondeSmootherKernel) kernel, 41);
      wait_for_means (there, 0);
      write_points (&fixture, 9000, 9300);
      run_fixture_settle (&fixture);
      g_assert_cmpuint (wait_for_means (there, 200), ==, 1);
      here = sonde_smoother_new_kernel (series, (SondeSmootherKernel) kernel, 41);
      while (!sonde_smoother_update (here, G_MAXUINT64))
        continue;
      {
        g_autoptr (GArray) one = sonde_smoother_query (there, 0, 9299, 10000),
                           other = sonde_smoother_query (here, 0, 9299, 10000);

        g_assert_cmpuint (one->len, ==, 9300);
        for (guint i = 0; i < one->len; i++)
          g_assert_cmpfloat_with_epsilon (g_array_index (one, SondeBucket, i).first,
                                          g_array_index (other, SondeBucket, i).first, 1e-12);
      }
      g_clear_pointer (&there, sonde_smoother_free);
      g_clear_pointer (&here, sonde_smoother_free);
      run_fixture_clear (&fixture);
    }
}

/* Whoever goes is not told; what is on its way ends by itself. */
static void
test_cancelled (void)
{
  RunFixture fixture;
  SondeSeries *series;
  guint n_done = 0;

  run_fixture_init (&fixture);
  write_points (&fixture, 0, N_MANY);
  series = sonde_run_get_series (run_fixture_settle (&fixture), "loss");
  for (int i = 0; i < 20; i++)
    {
      SondeSmoother *smoother = sonde_smoother_new (series, WEIGHT);
      guint64 n, all;

      g_assert_false (sonde_smoother_get_progress (smoother, &n, &all));
      g_assert_false (sonde_smoother_catch_up (smoother, 0, on_means, &n_done));
      g_assert_true (sonde_smoother_get_progress (smoother, &n, &all));
      g_assert_cmpuint (all, ==, N_MANY);
      g_assert_cmpuint (n, <=, all);
      sonde_smoother_free (smoother);
    }
  {
    g_autoptr (SondeSmoother) last = sonde_smoother_new (series, WEIGHT);

    /* tasks end in their order: nothing of the others is left behind this one */
    g_assert_cmpuint (wait_for_means (last, 0), ==, 1);
  }
  g_assert_cmpuint (n_done, ==, 0);
  run_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/smoothing/formula", test_formula);
  g_test_add_func ("/viewers/smoothing/kernels", test_kernels);
  g_test_add_func ("/viewers/smoothing/buckets", test_buckets);
  g_test_add_func ("/viewers/smoothing/growing", test_growing);
  g_test_add_func ("/viewers/smoothing/not-a-number", test_not_a_number);
  g_test_add_func ("/viewers/smoothing/worker", test_worker);
  g_test_add_func ("/viewers/smoothing/lost-index", test_lost_index);
  g_test_add_func ("/viewers/smoothing/few", test_few);
  g_test_add_func ("/viewers/smoothing/worker-kernels", test_worker_kernels);
  g_test_add_func ("/viewers/smoothing/cancelled", test_cancelled);
  return g_test_run ();
}
