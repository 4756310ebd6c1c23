/* SPDX-License-Identifier: Apache-2.0
 * Matrices whose factors and eigenvalues are known, threads, and a machine without the library. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-lapack-private.h"
#include "data/base/sonde-lapack.h"
#include "data/base/sonde-random.h"

#define N_THREADS 4
#define N_ROUNDS 100 /* without the lock some of 20 go wrong */
#define N 150

/* Second differences: 2 on the diagonal, −1 beside it. What must not be read is NaN. */
static double *
make_differences (gint64 n)
{
  double *a = g_new (double, n *n);

  for (gint64 i = 0; i < n * n; i++)
    {
      gint64 row = i / n, column = i % n;

      a[i] = row < column ? NAN : row == column ? 2 : row == column + 1 ? -1 : 0;
    }
  return a;
}

static gboolean
is_loaded (void)
{
  g_autofree char *maps = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  g_assert_nonnull (strstr (maps, "libglib-2.0"));
  return strstr (maps, "liblapacke") != NULL;
}

/* The library comes with the first problem, not with the program. */
static void
test_lazy (void)
{
  double a = 4, x = 8;
  gboolean regular;

  g_assert_false (is_loaded ());
  g_assert_true (sonde_lapack_factorise (&a, 1, 0, &regular, NULL));
  g_assert_true (is_loaded ());
  g_assert_true (regular);
  g_assert_cmpfloat (a, ==, 2);
  sonde_lapack_solve (&a, 1, &x);
  g_assert_cmpfloat (x, ==, 2);
}

/* Source of the factor: L[i, i]² = (i + 2) / (i + 1), as its recurrence d = 2 − 1/d gives. */
static void
test_factorise (void)
{
  static const gint64 sizes[] = { 1, 2, 7, 64, N };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      gint64 n = sizes[s];
      g_autofree double *a = make_differences (n), *x = g_new (double, n);
      gboolean regular = FALSE;

      g_assert_true (sonde_lapack_factorise (a, n, 1e-11, &regular, NULL));
      g_assert_true (regular);
      for (gint64 i = 0; i < n; i++)
        {
          g_assert_cmpfloat_with_epsilon (a[i * n + i] * a[i * n + i],
                                          ((double) i + 2) / ((double) i + 1), 1e-12);
          x[i] = i == 0 || i == n - 1 ? n == 1 ? 2 : 1 : 0; /* A times ones */
        }
      sonde_lapack_solve (a, n, x);
      for (gint64 i = 0; i < n; i++)
        g_assert_cmpfloat_with_epsilon (x[i], 1, 1e-10);
    }
}

static void
test_irregular (void)
{
  double twice[] = { 1, NAN, 1, 1 }, nearly[] = { 1, NAN, 1, 1 + 1e-9 }, none[] = { 0 };
  double bad[] = { 1, 0, NAN, 1 };
  g_autoptr (GError) error = NULL;
  gboolean regular = TRUE;

  g_assert_true (sonde_lapack_factorise (twice, 2, 1e-11, &regular, NULL));
  g_assert_false (regular);
  g_assert_true (sonde_lapack_factorise (nearly, 2, 1e-8, &regular, NULL));
  g_assert_false (regular);
  g_assert_true (sonde_lapack_factorise (none, 1, 0, &regular, NULL));
  g_assert_false (regular);
  g_assert_true (sonde_lapack_factorise (none, 0, 0, &regular, NULL));
  g_assert_true (regular);
  g_assert_false (sonde_lapack_factorise (bad, 2, 0, &regular, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_false (sonde_lapack_factorise (none, (gint64) G_MAXINT32 + 1, 0, &regular, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

/* Eigenvalue k of n from below is 2 − 2 cos (k π / (n + 1)), its vector is sin (i k π / (n + 1)). */
static void
test_eigenvectors (void)
{
  static const gint64 sizes[][2] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 9, 4 }, { N, 3 }, { 60, 60 } };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      gint64 n = sizes[s][0], k = sizes[s][1];
      g_autofree double *a = make_differences (n), *values = g_new (double, n),
                        *vectors = g_new (double, n *k);

      g_assert_true (sonde_lapack_find_eigenvectors (a, n, k, values, vectors, NULL));
      for (gint64 v = 0; v < k; v++)
        {
          double angle = (double) (n - v) * G_PI / (double) (n + 1), dot = 0;

          g_assert_cmpfloat_with_epsilon (values[v], 2 - 2 * cos (angle), 1e-12);
          for (gint64 i = 0; i < n; i++)
            dot += vectors[v * n + i] * sin ((double) (i + 1) * angle);
          g_assert_cmpfloat_with_epsilon (fabs (dot), sqrt ((double) (n + 1) / 2), 1e-9);
        }
    }
}

/* The greatest diagonal entry belongs to an eigenvector, but to that of 5, not of 6; and an eigenvalue
 * may be negative, or there are two. */
static void
test_first (void)
{
  double blocks[] = { 5, 0, 0, 0, 3, 0, 0, 3, 3 }, negative[] = { 1, 0, 0, -7 },
         twice[] = { 2, 0, 0, 2 };
  double values[3], v[3];

  g_assert_true (sonde_lapack_find_eigenvectors (blocks, 3, 1, values, v, NULL));
  g_assert_cmpfloat_with_epsilon (values[0], 6, 1e-12);
  g_assert_cmpfloat_with_epsilon (fabs (v[1] + v[2]), sqrt (2), 1e-12);
  g_assert_true (sonde_lapack_find_eigenvectors (negative, 2, 1, values, v, NULL));
  g_assert_cmpfloat_with_epsilon (values[0], 1, 1e-12);
  g_assert_true (sonde_lapack_find_eigenvectors (twice, 2, 1, values, v, NULL));
  g_assert_cmpfloat_with_epsilon (values[0], 2, 1e-12);
  g_assert_cmpfloat_with_epsilon (v[0] * v[0] + v[1] * v[1], 1, 1e-12);
}

static void
test_products (void)
{
  enum
  {
    ROWS = 5,
    COLUMNS = 3
  };
  double x[ROWS * COLUMNS], a[ROWS * ROWS];

  for (guint64 i = 0; i < ROWS * COLUMNS; i++)
    x[i] = sonde_random_normal (1, 2, i);
  for (int of_rows = 0; of_rows < 2; of_rows++)
    {
      int n = of_rows ? ROWS : COLUMNS, k = of_rows ? COLUMNS : ROWS;

      for (int i = 0; i < n * n; i++)
        a[i] = i;
      g_assert_true (sonde_lapack_add_products (x, ROWS, COLUMNS, of_rows != 0, a, NULL));
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          {
            double sum = i * n + j;

            for (int l = 0; j <= i && l < k; l++)
              sum += of_rows ? x[i * COLUMNS + l] * x[j * COLUMNS + l]
                             : x[l * COLUMNS + i] * x[l * COLUMNS + j];
            g_assert_cmpfloat_with_epsilon (a[i * n + j], sum, 1e-12);
          }
    }
  g_assert_true (sonde_lapack_add_products (x, 0, COLUMNS, FALSE, a, NULL));
}

static void *
find_in_thread (void *data)
{
  double *result = data;
  g_autofree double *x = g_new (double, N *N), *a = g_new0 (double, N *N),
                    *values = g_new (double, N);

  for (guint64 i = 0; i < N * N; i++)
    x[i] = sonde_random_normal (7, 7, i);
  g_assert_true (sonde_lapack_add_products (x, N, N, TRUE, a, NULL));
  g_assert_true (sonde_lapack_find_eigenvectors (a, N, 2, values, result, NULL));
  return NULL;
}

/* Each gets the same bits, again and again: OpenBLAS alone does not promise it. */
static void
test_threads (void)
{
  static double results[N_THREADS][2 * N];
  GThread *threads[N_THREADS];

  for (int round = 0; round < N_ROUNDS; round++)
    {
      for (int i = 0; i < N_THREADS; i++)
        threads[i] = g_thread_new ("solver", find_in_thread, results[i]);
      for (int i = 0; i < N_THREADS; i++)
        g_thread_join (threads[i]);
      for (int i = 1; i < N_THREADS; i++)
        g_assert_cmpmem (results[0], sizeof results[0], results[i], sizeof results[i]);
    }
}

/* The library starts no threads of its own. */
static void
test_one_thread (void)
{
  g_autoptr (GDir) folder = NULL;
  double result[2 * N];
  guint n = 0;

#ifdef __SANITIZE_THREAD__
  g_test_skip ("ThreadSanitizer has a thread of its own");
  return;
#endif
  find_in_thread (result);
  folder = g_dir_open ("/proc/self/task", 0, NULL);
  while (g_dir_read_name (folder) != NULL)
    n++;
  g_assert_cmpuint (n, ==, 1);
}

/* The error says what to install; a library that is another one is no LAPACK. */
static void
test_missing (void)
{
  static const char *const names[] = { "liblapacke-that-nobody-has.so.3", "libm.so.6" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      SondeLapack lapack;

      g_assert_false (sonde_lapack_open (names[i], &lapack, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
      g_assert_nonnull (strstr (error->message, names[i]));
      g_assert_nonnull (strstr (error->message, "Debian packages liblapacke"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/base/lapack/lazy", test_lazy);
  g_test_add_func ("/data/base/lapack/factorise", test_factorise);
  g_test_add_func ("/data/base/lapack/irregular", test_irregular);
  g_test_add_func ("/data/base/lapack/eigenvectors", test_eigenvectors);
  g_test_add_func ("/data/base/lapack/first", test_first);
  g_test_add_func ("/data/base/lapack/products", test_products);
  g_test_add_func ("/data/base/lapack/one-thread", test_one_thread);
  g_test_add_func ("/data/base/lapack/threads", test_threads);
  g_test_add_func ("/data/base/lapack/missing", test_missing);
  return g_test_run ();
}
