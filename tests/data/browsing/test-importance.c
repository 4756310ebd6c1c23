/* SPDX-License-Identifier: Apache-2.0
 * Importance of parameters where it is known: made-up results of some of them. */
#include <math.h>

#include "data/browsing/sonde-importance.h"

#define N 200
#define M 3

/* By the definition, with ties among them: ranks 0, 1.5, 1.5, 3, 4 and 1, 0, 2.5, 2.5, 4. */
static void
test_correlation (void)
{
  const double x[] = { 1, 2, 2, 4, 5, NAN }, y[] = { 3, 1, 4, 4, 9, 0 };
  const double up[] = { 1, 10, 100, 1e6 }, down[] = { 4, 3, 2, -9 }, same[] = { 2, 2, 2, 2 };

  g_assert_cmpfloat_with_epsilon (sonde_rank_correlation (x, 1, y, 6), 0.7631578947368421, 1e-12);
  g_assert_cmpfloat (sonde_rank_correlation (up, 1, down, 4), ==, -1);
  g_assert_cmpfloat (sonde_rank_correlation (up, 1, up, 4), ==, 1);
  g_assert_true (isnan (sonde_rank_correlation (up, 1, same, 4)));
  g_assert_true (isnan (sonde_rank_correlation (up, 1, down, 2)));
}

static void
make (double *x, double *y)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (int i = 0; i < N; i++)
    {
      for (int k = 0; k < M; k++)
        x[i * M + k] = g_rand_double_range (random, -1, 1);
      /* Not monotone in the first, a little of the second, nothing of the third. */
      y[i] = 3 * x[i * M] * x[i * M] + 0.5 * x[i * M + 1];
    }
}

static void
test_forest (void)
{
  double x[N * M], y[N], explained, again;
  SondeImportance importances[M], same[M];

  make (x, y);
  g_assert_cmpuint (sonde_importance_compute (x, N, M, y, importances, &explained), ==, N);
  g_assert_cmpfloat (explained, >, 0.7);
  g_assert_cmpfloat (fabs (importances[0].correlation), <, 0.2);
  g_assert_cmpfloat (importances[0].permutation, >, 1);
  g_assert_cmpfloat (importances[0].permutation, >, 4 * importances[1].permutation);
  g_assert_cmpfloat (importances[1].permutation, >, 3 * importances[1].error);
  g_assert_cmpfloat (fabs (importances[2].permutation), <, 0.1);
  g_assert_cmpfloat (importances[0].error, >, 0);
  g_assert_cmpfloat (importances[0].error, <, 0.1);
  sonde_importance_compute (x, N, M, y, same, &again);
  g_assert_cmpfloat (again, ==, explained);
  g_assert_cmpfloat (same[0].permutation, ==, importances[0].permutation);
}

static void
test_few (void)
{
  const double x[] = { 1, 2, 3, 4 }, y[] = { 1, 2, NAN, 3 }, flat[] = { 1, 1, 1, 1, 1, 1 };
  const double more[] = { 1, 2, 3, 4, 5, 6 };
  SondeImportance importance;
  double explained;

  g_assert_cmpuint (sonde_importance_compute (x, 4, 1, y, &importance, &explained), ==, 3);
  g_assert_cmpfloat (importance.correlation, ==, 1);
  g_assert_true (isnan (importance.permutation) && isnan (explained));
  g_assert_cmpuint (sonde_importance_compute (more, 6, 1, flat, &importance, &explained), ==, 6);
  g_assert_true (isnan (importance.permutation) && isnan (importance.correlation));
  g_assert_cmpuint (sonde_importance_compute (x, 0, 1, y, &importance, &explained), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/importance/correlation", test_correlation);
  g_test_add_func ("/data/browsing/importance/forest", test_forest);
  g_test_add_func ("/data/browsing/importance/few", test_few);
  return g_test_run ();
}
