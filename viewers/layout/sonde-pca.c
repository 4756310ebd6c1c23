/* SPDX-License-Identifier: Apache-2.0
 * Through the smaller of the two matrices of products, of dimensions or of rows; both have the
 * squares of the singular values as their eigenvalues. */
#include "viewers/layout/sonde-pca.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-lapack.h"

#define MAX_ROWS 10000 /* that the components are computed from */
#define MAX_SIDE 2048  /* of the matrix of products */
#define BLOCK 256      /* rows or dimensions that become doubles at a time */

/* @used: indices of the rows that are looked at, [n_used]; all entries of them are finite */
typedef struct
{
  const float *rows; /* [n, d] */
  gsize n, d, *used, n_used;
  double *mean; /* [d] */
  const _Atomic gboolean *cancelled;
} Cloud;

static void
cloud_clear (Cloud *cloud)
{
  g_free ((gpointer) cloud->rows);
  g_free (cloud->used);
  g_free (cloud->mean);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cloud, cloud_clear)

static gboolean
is_finite_row (const float *row, gsize d)
{
  for (gsize k = 0; k < d; k++)
    if (!isfinite (row[k]))
      return FALSE;
  return TRUE;
}

static gboolean
cloud_is_cancelled (const Cloud *cloud, GError **error)
{
  if (cloud->cancelled == NULL || !*cloud->cancelled)
    return FALSE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED,
                   "the projection was cancelled");
  return TRUE;
}

static gboolean
fail (GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "the points are not a table with a finite row");
  return FALSE;
}

static gboolean
cloud_init (Cloud *cloud, const SondeTensor *points, GError **error)
{
  gsize stride;
  float *rows;

  if (points == NULL || points->shape.rank != 2 || points->dtype == SONDE_DTYPE_STRING
      || points->shape.dims[0] < 1 || points->shape.dims[1] < 1)
    return fail (error);
  cloud->n = (gsize) points->shape.dims[0];
  cloud->d = (gsize) points->shape.dims[1];
  cloud->rows = rows = g_try_new (float, cloud->n * cloud->d);
  if (rows == NULL)
    return fail (error);
  for (gsize i = 0; i < cloud->n * cloud->d; i++)
    rows[i] = (float) sonde_tensor_get_double (points, (gint64) i);
  cloud->used = g_new (gsize, cloud->n);
  cloud->mean = g_new0 (double, cloud->d);
  stride = (cloud->n - 1) / (cloud->d > MAX_SIDE ? MAX_SIDE : MAX_ROWS) + 1;
  for (gsize i = 0; i < cloud->n; i += stride)
    if (is_finite_row (&rows[i * cloud->d], cloud->d))
      cloud->used[cloud->n_used++] = i;
  for (gsize i = 0; i < cloud->n_used; i++)
    for (gsize k = 0; k < cloud->d; k++)
      cloud->mean[k] += (double) rows[cloud->used[i] * cloud->d + k];
  for (gsize k = 0; k < cloud->d; k++)
    cloud->mean[k] /= (double) MAX (cloud->n_used, 1);
  return cloud->n_used > 0 || fail (error);
}

/* Centred entries as doubles: @n rows that are looked at from @row on, @d dimensions from @k on. */
static void
cloud_copy (const Cloud *cloud, gsize row, gsize n, gsize k, gsize d, double *block)
{
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      block[i * d + j]
          = (double) cloud->rows[cloud->used[row + i] * cloud->d + k + j] - cloud->mean[k + j];
}

/* The products of all rows (@of_rows), or of all dimensions, with each other. (transfer full)
 * (nullable) */
static double *
make_products (const Cloud *cloud, gboolean of_rows, GError **error)
{
  gsize n = of_rows ? cloud->n_used : cloud->d, along = of_rows ? cloud->d : cloud->n_used;
  g_autofree double *products = g_new0 (double, n *n), *block = g_new (double, n *BLOCK);

  for (gsize at = 0; at < along; at += BLOCK)
    {
      gsize wide = MIN (BLOCK, along - at), rows = of_rows ? n : wide, columns = of_rows ? wide : n;

      if (cloud_is_cancelled (cloud, error))
        return NULL;
      cloud_copy (cloud, of_rows ? 0 : at, rows, of_rows ? at : 0, columns, block);
      if (!sonde_lapack_add_products (block, (gint64) rows, (gint64) columns, of_rows, products,
                                      error))
        return NULL;
    }
  return g_steal_pointer (&products);
}

/* The direction that the rows' weights @u [n_used] stand for: Xᵀ u, of length 1 (or 0). */
static void
combine_rows (const Cloud *cloud, const double *u, double *direction)
{
  g_autofree double *row = g_new (double, cloud->d);
  double norm = 0;

  memset (direction, 0, cloud->d * sizeof *direction);
  for (gsize i = 0; i < cloud->n_used; i++)
    {
      cloud_copy (cloud, i, 1, 0, cloud->d, row);
      for (gsize k = 0; k < cloud->d; k++)
        direction[k] += u[i] * row[k];
    }
  for (gsize k = 0; k < cloud->d; k++)
    norm += direction[k] * direction[k];
  norm = norm > 0 ? 1 / sqrt (norm) : 0;
  for (gsize k = 0; k < cloud->d; k++)
    direction[k] *= norm;
}

/* @basis: [m, d], the @m largest components; @shares: of the variance, [m] */
static gboolean
find_components (const Cloud *cloud, double *basis, gsize m, double *shares, GError **error)
{
  gboolean of_rows = cloud->n_used < cloud->d;
  gsize n = of_rows ? cloud->n_used : cloud->d;
  g_autofree double *products = make_products (cloud, of_rows, error), *values = g_new (double, n),
                    *vectors = g_new0 (double, m *n);
  double total = 0;

  if (products == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    total += products[i * n + i];
  if (cloud_is_cancelled (cloud, error)
      || !sonde_lapack_find_eigenvectors (products, (gint64) n, (gint64) MIN (m, n), values,
                                          vectors, error))
    return FALSE;
  for (gsize v = 0; v < m; v++)
    {
      shares[v] = v < n && total > 0 ? CLAMP (values[v] / total, 0, 1) : 0;
      if (of_rows)
        combine_rows (cloud, &vectors[v * n], &basis[v * cloud->d]);
      else
        memcpy (&basis[v * cloud->d], &vectors[v * n], n * sizeof *basis);
    }
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

gboolean
sonde_pca_project (const SondeTensor *points, double *xy, double *shares,
                   const _Atomic gboolean *cancelled, GError **error)
{
  g_auto (Cloud) cloud = { .cancelled = cancelled };
  g_autofree double *basis = NULL;
  gsize m;

  shares[0] = shares[1] = 0;
  if (!cloud_init (&cloud, points, error))
    return FALSE;
  m = MIN (cloud.d, 2);
  basis = g_new (double, m *cloud.d);
  if (!find_components (&cloud, basis, m, shares, error))
    return FALSE;
  for (gsize v = 0; v < m; v++)
    choose_sign (&basis[v * cloud.d], cloud.d);
  project (&cloud, basis, m, xy);
  return TRUE;
}
