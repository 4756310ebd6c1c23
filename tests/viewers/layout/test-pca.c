/* SPDX-License-Identifier: Apache-2.0
 * Principal components against an eigen-decomposition of the whole covariance matrix. */
#include <math.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "viewers/layout/sonde-pca.h"

#define N 300
#define D 12

/* Normal values, stretched differently along directions that are no axes. */
static SondeTensor *
make_points (guint64 seed, double second)
{
  SondeShape shape = sonde_shape_make (2, N, D);
  SondeTensor *points = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (guint64 i = 0; i < N; i++)
    {
      double a = 5 * sonde_random_normal (seed, 1, i),
             b = second * sonde_random_normal (seed, 2, i);

      for (guint64 k = 0; k < D; k++)
        sonde_tensor_set_double (points, (gint64) (i * D + k),
                                 3 + a * cos (0.7 * (double) k) + b * sin (1.3 * (double) k)
                                     + 0.2 * sonde_random_normal (seed, 3 + k, i));
    }
  return points;
}

/* Covariance in doubles, the two largest eigenvalues by many plain power steps with deflation. */
static void
find_variances (SondeTensor *points, double variances[2], double *total)
{
  double mean[D] = { 0 }, c[D][D] = { { 0 } }, vector[D];

  for (int i = 0; i < N * D; i++)
    mean[i % D] += sonde_tensor_get_double (points, i) / N;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < D; j++)
      for (int k = 0; k < D; k++)
        c[j][k] += (sonde_tensor_get_double (points, i * D + j) - mean[j])
                   * (sonde_tensor_get_double (points, i * D + k) - mean[k]);
  *total = 0;
  for (int j = 0; j < D; j++)
    *total += c[j][j];
  for (int v = 0; v < 2; v++)
    {
      for (int k = 0; k < D; k++)
        vector[k] = 1 + k;
      for (int round = 0; round < 5000; round++)
        {
          double next[D] = { 0 }, norm = 0;

          for (int j = 0; j < D; j++)
            for (int k = 0; k < D; k++)
              next[j] += c[j][k] * vector[k];
          for (int j = 0; j < D; j++)
            norm += next[j] * next[j];
          variances[v] = sqrt (norm);
          for (int j = 0; j < D; j++)
            vector[j] = next[j] / variances[v];
        }
      for (int j = 0; j < D; j++)
        for (int k = 0; k < D; k++)
          c[j][k] -= variances[v] * vector[j] * vector[k];
    }
}

static void
test_variances (void)
{
  static const double seconds[] = { 2, 4.9, 0.5 };

  for (gsize s = 0; s < G_N_ELEMENTS (seconds); s++)
    {
      g_autoptr (SondeTensor) points = make_points (s, seconds[s]);
      g_autoptr (GError) error = NULL;
      double xy[2 * N], shares[2], variances[2], total, sums[3] = { 0 };

      g_assert_true (sonde_pca_project (points, xy, shares, NULL, &error));
      g_assert_no_error (error);
      find_variances (points, variances, &total);
      for (int i = 0; i < N; i++)
        {
          sums[0] += xy[2 * i] * xy[2 * i];
          sums[1] += xy[2 * i + 1] * xy[2 * i + 1];
          sums[2] += xy[2 * i] * xy[2 * i + 1];
        }
      for (int v = 0; v < 2; v++)
        {
          g_assert_cmpfloat_with_epsilon (shares[v], variances[v] / total, 1e-6);
          g_assert_cmpfloat_with_epsilon (sums[v] / variances[v], 1, 1e-6);
        }
      g_assert_cmpfloat_with_epsilon (sums[2] / variances[0], 0, 1e-6);
    }
}

/* Fewer rows than dimensions: the same points with zeros behind them keep their places. */
static void
test_wide (void)
{
  enum
  {
    FEW = 9
  };
  g_autoptr (SondeTensor) points = make_points (4, 2);
  SondeShape narrow = sonde_shape_make (2, FEW, D / 2), wide = sonde_shape_make (2, FEW, 3 * D);
  g_autoptr (SondeTensor) a = sonde_tensor_new (SONDE_DTYPE_F32, &narrow),
                          b = sonde_tensor_new (SONDE_DTYPE_F32, &wide);
  double xy[2][2 * FEW], shares[2][2];

  for (gint64 i = 0; i < FEW; i++)
    for (gint64 k = 0; k < 3 * D; k++)
      {
        double value = k < D / 2 ? sonde_tensor_get_double (points, i * D + k) : 0;

        sonde_tensor_set_double (b, i * 3 * D + k, value);
        if (k < D / 2)
          sonde_tensor_set_double (a, i * D / 2 + k, value);
      }
  g_assert_true (sonde_pca_project (a, xy[0], shares[0], NULL, NULL));
  g_assert_true (sonde_pca_project (b, xy[1], shares[1], NULL, NULL));
  for (int i = 0; i < 2 * FEW; i++)
    g_assert_cmpfloat_with_epsilon (xy[0][i], xy[1][i], 1e-9);
  for (int v = 0; v < 2; v++)
    g_assert_cmpfloat_with_epsilon (shares[0][v], shares[1][v], 1e-12);
}

/* One dimension, one point, equal points, rows that are not finite. */
static void
test_edges (void)
{
  SondeShape line = sonde_shape_make (2, 4, 1), point = sonde_shape_make (2, 1, 3),
             wrong = sonde_shape_make (1, 4);
  g_autoptr (SondeTensor) a = sonde_tensor_new (SONDE_DTYPE_F32, &line),
                          b = sonde_tensor_new (SONDE_DTYPE_F32, &point),
                          c = sonde_tensor_new (SONDE_DTYPE_F32, &wrong);
  g_autoptr (GError) error = NULL;
  _Atomic gboolean cancelled = TRUE;
  double xy[8], shares[2];

  for (int i = 0; i < 4; i++)
    sonde_tensor_set_double (a, i, i == 3 ? NAN : i);
  g_assert_true (sonde_pca_project (a, xy, shares, NULL, NULL));
  g_assert_cmpfloat_with_epsilon (xy[0], -1, 1e-9);
  g_assert_cmpfloat_with_epsilon (xy[4], 1, 1e-9);
  g_assert_cmpfloat (xy[5], ==, 0);
  g_assert_true (isnan (xy[6]));
  g_assert_cmpfloat_with_epsilon (shares[0], 1, 1e-9);
  g_assert_true (sonde_pca_project (b, xy, shares, NULL, NULL));
  g_assert_cmpfloat (xy[0], ==, 0);
  g_assert_cmpfloat (shares[0], ==, 0);
  g_assert_false (sonde_pca_project (c, xy, shares, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_false (sonde_pca_project (a, xy, shares, &cancelled, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED);
  for (int i = 0; i < 4; i++)
    sonde_tensor_set_double (a, i, INFINITY);
  g_assert_false (sonde_pca_project (a, xy, shares, NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/layout/pca/variances", test_variances);
  g_test_add_func ("/viewers/layout/pca/wide", test_wide);
  g_test_add_func ("/viewers/layout/pca/edges", test_edges);
  return g_test_run ();
}
