/* SPDX-License-Identifier: Apache-2.0
 * Principal components against an eigen-decomposition of the whole covariance matrix. */
#include <math.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "viewers/projection/sonde-cloud-private.h"

#define N 300
#define D 12

/* In the plane of the first two. */
static gboolean
project (const SondeTensor *points, double *xy, double *shares, SondeProjectionWatch *watch,
         GError **error)
{
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (2);
  double residual;

  return sonde_pca_project (points, 2, xy, shares, &residual, team, watch, error);
}

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

      g_assert_true (project (points, xy, shares, NULL, &error));
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
  g_assert_true (project (a, xy[0], shares[0], NULL, NULL));
  g_assert_true (project (b, xy[1], shares[1], NULL, NULL));
  for (int i = 0; i < 2 * FEW; i++)
    g_assert_cmpfloat_with_epsilon (xy[0][i], xy[1][i], 1e-9);
  for (int v = 0; v < 2; v++)
    g_assert_cmpfloat_with_epsilon (shares[0][v], shares[1][v], 1e-12);
}

/* The block iteration finds what the whole matrix has. */
static void
test_iteration (void)
{
  g_autoptr (SondeTensor) points = make_points (9, 3);
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (2);
  g_auto (SondeCloud) cloud = { .team = team };
  double basis[2 * D], values[2], residual = 1, variances[2], total;

  g_assert_true (sonde_cloud_init (&cloud, points, NULL));
  g_assert_true (sonde_cloud_iterate (&cloud, 2, basis, values, &residual, NULL));
  find_variances (points, variances, &total);
  g_assert_cmpfloat (residual, <=, 1e-6);
  g_assert_cmpfloat_with_epsilon (cloud.total / total, 1, 1e-9);
  for (int v = 0; v < 2; v++)
    g_assert_cmpfloat_with_epsilon (values[v] / variances[v], 1, 1e-6);
}

/* Five components against scikit-learn's. */
static void
test_golden (void)
{
  g_autofree char *folder
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures", "projection", NULL);
  const char *const names[] = { "points.npy", "component-places.npy", "numbers.npy" };
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (2);
  SondeTensor *tensors[3];
  g_autofree double *places = NULL;
  double shares[5], residual;
  gint64 n;

  for (int i = 0; i < 3; i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      tensors[i] = sonde_npy_read (NULL, path, NULL);
      g_assert_nonnull (tensors[i]);
    }
  n = tensors[0]->shape.dims[0];
  places = g_new (double, 5 * n);
  g_assert_true (sonde_pca_project (tensors[0], 5, places, shares, &residual, team, NULL, NULL));
  for (gint64 i = 0; i < 5 * n; i++)
    g_assert_cmpfloat_with_epsilon (fabs (places[i]), sonde_tensor_get_double (tensors[1], i),
                                    1e-4);
  for (int v = 0; v < 5; v++)
    g_assert_cmpfloat_with_epsilon (shares[v], sonde_tensor_get_double (tensors[2], 3 + v), 1e-6);
  for (int i = 0; i < 3; i++)
    sonde_tensor_unref (tensors[i]);
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
  SondeProjectionWatch watch = { .cancelled = TRUE };
  double xy[8], shares[2];

  for (int i = 0; i < 4; i++)
    sonde_tensor_set_double (a, i, i == 3 ? NAN : i);
  g_assert_true (project (a, xy, shares, NULL, NULL));
  g_assert_cmpfloat_with_epsilon (xy[0], -1, 1e-9);
  g_assert_cmpfloat_with_epsilon (xy[4], 1, 1e-9);
  g_assert_cmpfloat (xy[5], ==, 0);
  g_assert_true (isnan (xy[6]));
  g_assert_cmpfloat_with_epsilon (shares[0], 1, 1e-9);
  g_assert_true (project (b, xy, shares, NULL, NULL));
  g_assert_cmpfloat (xy[0], ==, 0);
  g_assert_cmpfloat (shares[0], ==, 0);
  g_assert_false (project (c, xy, shares, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_false (project (a, xy, shares, &watch, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED);
  for (int i = 0; i < 4; i++)
    sonde_tensor_set_double (a, i, INFINITY);
  g_assert_false (project (a, xy, shares, NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/projection/pca/variances", test_variances);
  g_test_add_func ("/viewers/projection/pca/wide", test_wide);
  g_test_add_func ("/viewers/projection/pca/edges", test_edges);
  g_test_add_func ("/viewers/projection/pca/iteration", test_iteration);
  g_test_add_func ("/viewers/projection/pca/golden", test_golden);
  return g_test_run ();
}
