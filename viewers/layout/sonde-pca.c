/* SPDX-License-Identifier: Apache-2.0
 * A few vectors more than two let the iteration converge fast where components are alike. */
#include "viewers/layout/sonde-pca.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"

#define MAX_VECTORS 8
#define MAX_ROUNDS 200
#define MAX_ROWS 10000  /* that the components are computed from */
#define TOLERANCE 1e-10 /* change of the two variances, relative */

typedef struct
{
  const float *rows;  /* [n, d] */
  gsize n, d, stride; /* every stride-th row is looked at */
  double *mean;       /* [d] */
  double total;       /* sum of squares of all entries */
  gsize n_used;
} Cloud;

static gboolean
is_finite_row (const float *row, gsize d)
{
  for (gsize k = 0; k < d; k++)
    if (!isfinite (row[k]))
      return FALSE;
  return TRUE;
}

static void
measure (Cloud *cloud)
{
  for (gsize i = 0; i < cloud->n; i += cloud->stride)
    {
      const float *row = &cloud->rows[i * cloud->d];

      if (!is_finite_row (row, cloud->d))
        continue;
      cloud->n_used++;
      for (gsize k = 0; k < cloud->d; k++)
        cloud->mean[k] += (double) row[k];
    }
  for (gsize k = 0; k < cloud->d; k++)
    cloud->mean[k] /= (double) MAX (cloud->n_used, 1);
  for (gsize i = 0; i < cloud->n; i += cloud->stride)
    {
      const float *row = &cloud->rows[i * cloud->d];

      if (!is_finite_row (row, cloud->d))
        continue;
      for (gsize k = 0; k < cloud->d; k++)
        cloud->total += ((double) row[k] - cloud->mean[k]) * ((double) row[k] - cloud->mean[k]);
    }
}

/* @out = XᵀX @basis, both [m, d]. */
static void
apply (const Cloud *cloud, const double *basis, gsize m, double *out)
{
  g_autofree double *row = g_new (double, cloud->d);

  memset (out, 0, m * cloud->d * sizeof *out);
  for (gsize i = 0; i < cloud->n; i += cloud->stride)
    {
      if (!is_finite_row (&cloud->rows[i * cloud->d], cloud->d))
        continue;
      for (gsize k = 0; k < cloud->d; k++)
        row[k] = (double) cloud->rows[i * cloud->d + k] - cloud->mean[k];
      for (gsize v = 0; v < m; v++)
        {
          const double *vector = &basis[v * cloud->d];
          double *sum = &out[v * cloud->d], dot = 0;

          for (gsize k = 0; k < cloud->d; k++)
            dot += row[k] * vector[k];
          for (gsize k = 0; k < cloud->d; k++)
            sum[k] += dot * row[k];
        }
    }
}

/* Gram and Schmidt, twice for safety; a vector that vanishes becomes zero. */
static void
make_orthonormal (double *basis, gsize m, gsize d)
{
  for (gsize v = 0; v < m; v++)
    {
      double *vector = &basis[v * d], norm = 0, before = 0;

      for (gsize k = 0; k < d; k++)
        before += vector[k] * vector[k];
      for (int again = 0; again < 2; again++)
        for (gsize u = 0; u < v; u++)
          {
            double dot = 0;

            for (gsize k = 0; k < d; k++)
              dot += vector[k] * basis[u * d + k];
            for (gsize k = 0; k < d; k++)
              vector[k] -= dot * basis[u * d + k];
          }
      for (gsize k = 0; k < d; k++)
        norm += vector[k] * vector[k];
      norm = norm > before * 1e-24 ? 1 / sqrt (norm) : 0;
      for (gsize k = 0; k < d; k++)
        vector[k] *= norm;
    }
}

/* Jacobi's rotations on the symmetric @a [m, m]; rows of @turn become its eigenvectors. */
static void
diagonalise (double *a, double *turn, gsize m)
{
  memset (turn, 0, m * m * sizeof *turn);
  for (gsize i = 0; i < m; i++)
    turn[i * m + i] = 1;
  for (int sweep = 0; sweep < 30; sweep++)
    for (gsize p = 0; p < m; p++)
      for (gsize q = p + 1; q < m; q++)
        {
          double theta, t, c, s;

          if (fabs (a[p * m + q]) <= 1e-300)
            continue;
          theta = (a[q * m + q] - a[p * m + p]) / (2 * a[p * m + q]);
          t = (theta >= 0 ? 1 : -1) / (fabs (theta) + sqrt (theta * theta + 1));
          c = 1 / sqrt (t * t + 1);
          s = t * c;
          for (gsize k = 0; k < m; k++)
            {
              double x = a[k * m + p], y = a[k * m + q];

              a[k * m + p] = c * x - s * y;
              a[k * m + q] = s * x + c * y;
            }
          for (gsize k = 0; k < m; k++)
            {
              double x = a[p * m + k], y = a[q * m + k];

              a[p * m + k] = c * x - s * y;
              a[q * m + k] = s * x + c * y;
              x = turn[p * m + k];
              y = turn[q * m + k];
              turn[p * m + k] = c * x - s * y;
              turn[q * m + k] = s * x + c * y;
            }
        }
}

/* Turns the basis so that its vectors are the best approximations inside of their span, the largest
 * first. @image: XᵀX basis, turned along. @values: [m] */
static void
rotate (double *basis, double *image, double *values, gsize m, gsize d)
{
  double gram[MAX_VECTORS * MAX_VECTORS], turn[MAX_VECTORS * MAX_VECTORS];
  gsize order[MAX_VECTORS];
  g_autofree double *old = g_memdup2 (basis, m * d * sizeof *basis),
                    *old_image = g_memdup2 (image, m * d * sizeof *image);

  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < m; j++)
      {
        gram[i * m + j] = 0;
        for (gsize k = 0; k < d; k++)
          gram[i * m + j]
              += (basis[i * d + k] * image[j * d + k] + basis[j * d + k] * image[i * d + k]) / 2;
      }
  diagonalise (gram, turn, m);
  for (gsize i = 0; i < m; i++)
    {
      gsize at = i;

      while (at > 0 && gram[order[at - 1] * m + order[at - 1]] < gram[i * m + i])
        {
          order[at] = order[at - 1];
          at--;
        }
      order[at] = i;
    }
  memset (basis, 0, m * d * sizeof *basis);
  memset (image, 0, m * d * sizeof *image);
  for (gsize i = 0; i < m; i++)
    {
      values[i] = gram[order[i] * m + order[i]];
      for (gsize j = 0; j < m; j++)
        for (gsize k = 0; k < d; k++)
          {
            basis[i * d + k] += turn[order[i] * m + j] * old[j * d + k];
            image[i * d + k] += turn[order[i] * m + j] * old_image[j * d + k];
          }
    }
}

static gboolean
find_components (const Cloud *cloud, double *basis, gsize m, double *values,
                 const _Atomic gboolean *cancelled)
{
  g_autofree double *image = g_new (double, m * cloud->d);
  double before[2] = { 0, 0 };

  for (gsize i = 0; i < m * cloud->d; i++)
    basis[i] = sonde_random_normal (1, 0, i);
  make_orthonormal (basis, m, cloud->d);
  for (int round = 0; round < MAX_ROUNDS; round++)
    {
      if (cancelled != NULL && *cancelled)
        return FALSE;
      apply (cloud, basis, m, image);
      rotate (basis, image, values, m, cloud->d);
      if (round > 2 && fabs (values[0] - before[0]) <= TOLERANCE * values[0]
          && (m < 2 || fabs (values[1] - before[1]) <= TOLERANCE * values[0]))
        return TRUE;
      before[0] = values[0];
      before[1] = m > 1 ? values[1] : 0;
      memcpy (basis, image, m * cloud->d * sizeof *basis);
      make_orthonormal (basis, m, cloud->d);
    }
  apply (cloud, basis, m, image);
  rotate (basis, image, values, m, cloud->d);
  return TRUE;
}

static void
choose_sign (double *vector, gsize d)
{
  gsize largest = 0;

  for (gsize k = 1; k < d; k++)
    if (fabs (vector[k]) > fabs (vector[largest]) * (1 + 1e-9))
      largest = k;
  if (vector[largest] >= 0)
    return;
  for (gsize k = 0; k < d; k++)
    vector[k] = -vector[k];
}

static void
project (const Cloud *cloud, const double *basis, gsize m, double *xy)
{
  for (gsize i = 0; i < cloud->n; i++)
    {
      const float *row = &cloud->rows[i * cloud->d];
      gboolean finite = is_finite_row (row, cloud->d);

      for (gsize v = 0; v < 2; v++)
        {
          double sum = 0;

          for (gsize k = 0; v < m && k < cloud->d; k++)
            sum += ((double) row[k] - cloud->mean[k]) * basis[v * cloud->d + k];
          xy[2 * i + v] = finite ? sum : NAN;
        }
    }
}

/* (transfer full) (nullable): contiguous float32 of @points */
static float *
copy_rows (const SondeTensor *points)
{
  gint64 n = sonde_tensor_n_elements (points);
  float *rows = g_try_new (float, (gsize) MAX (n, 1));

  for (gint64 i = 0; rows != NULL && i < n; i++)
    rows[i] = (float) sonde_tensor_get_double (points, i);
  return rows;
}

gboolean
sonde_pca_project (const SondeTensor *points, double *xy, double *shares,
                   const _Atomic gboolean *cancelled)
{
  g_autofree float *rows = NULL;
  g_autofree double *mean = NULL, *basis = NULL;
  double values[MAX_VECTORS] = { 0 };
  Cloud cloud = { 0 };
  gsize m;

  shares[0] = shares[1] = 0;
  if (points == NULL || points->shape.rank != 2 || points->dtype == SONDE_DTYPE_STRING
      || points->shape.dims[0] < 1 || points->shape.dims[1] < 1)
    return FALSE;
  rows = copy_rows (points);
  cloud = (Cloud){ .rows = rows,
                   .n = (gsize) points->shape.dims[0],
                   .d = (gsize) points->shape.dims[1] };
  cloud.stride = (cloud.n + MAX_ROWS - 1) / MAX_ROWS;
  cloud.mean = mean = g_new0 (double, cloud.d);
  if (rows == NULL)
    return FALSE;
  measure (&cloud);
  if (cloud.n_used == 0)
    return FALSE;
  m = MIN (cloud.d, MAX_VECTORS);
  basis = g_new (double, m *cloud.d);
  if (!find_components (&cloud, basis, m, values, cancelled))
    return FALSE;
  for (gsize v = 0; v < MIN (m, 2); v++)
    {
      choose_sign (&basis[v * cloud.d], cloud.d);
      shares[v] = cloud.total > 0 ? CLAMP (values[v] / cloud.total, 0, 1) : 0;
    }
  project (&cloud, basis, m, xy);
  return TRUE;
}
