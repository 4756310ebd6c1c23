/* SPDX-License-Identifier: Apache-2.0
 * Through the smaller of the two matrices of products, of dimensions or of rows; both have the
 * squares of the singular values as their eigenvalues. */
#include "viewers/projection/sonde-pca.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-lapack.h"
#include "viewers/projection/sonde-cloud-private.h"

#define MAX_SIDE 2048 /* of the matrix of products */
#define MAX_WORK 1e11 /* multiplications that make it */
#define BLOCK 256     /* rows or dimensions that become doubles at a time */
#define PIECE 512     /* rows that are projected */

/* The products of all rows (@of_rows), or of all dimensions, with each other. (transfer full)
 * (nullable) */
static double *
make_products (const SondeCloud *cloud, gboolean of_rows, GError **error)
{
  gsize n = of_rows ? cloud->n_used : cloud->d, along = of_rows ? cloud->d : cloud->n_used;
  g_autofree double *products = g_new0 (double, n *n), *block = g_new (double, n *BLOCK);

  for (gsize at = 0; at < along; at += BLOCK)
    {
      gsize wide = MIN (BLOCK, along - at), rows = of_rows ? n : wide, columns = of_rows ? wide : n;

      sonde_projection_watch_tell (cloud->watch, SONDE_PROJECTION_COMPONENTS,
                                   (double) at / (double) along);
      if (!sonde_projection_watch_goes_on (cloud->watch, error))
        return NULL;
      sonde_cloud_copy (cloud, of_rows ? 0 : at, rows, of_rows ? at : 0, columns, block);
      if (!sonde_lapack_add_products (block, (gint64) rows, (gint64) columns, of_rows, products,
                                      error))
        return NULL;
    }
  return g_steal_pointer (&products);
}

/* The direction that the rows' weights @u [n_used] stand for: Xᵀ u, of length 1 (or 0). */
static void
combine_rows (const SondeCloud *cloud, const double *u, double *direction)
{
  g_autofree double *row = g_new (double, cloud->d);
  double norm = 0;

  memset (direction, 0, cloud->d * sizeof *direction);
  for (gsize i = 0; i < cloud->n_used; i++)
    {
      sonde_cloud_copy (cloud, i, 1, 0, cloud->d, row);
      for (gsize k = 0; k < cloud->d; k++)
        direction[k] += u[i] * row[k];
    }
  for (gsize k = 0; k < cloud->d; k++)
    norm += direction[k] * direction[k];
  norm = norm > 0 ? 1 / sqrt (norm) : 0;
  for (gsize k = 0; k < cloud->d; k++)
    direction[k] *= norm;
}

/* By the matrix as a whole. @basis: [m, d]; @values: [m] */
static gboolean
solve_whole (const SondeCloud *cloud, gsize m, double *basis, double *values, GError **error)
{
  gboolean of_rows = cloud->n_used < cloud->d;
  gsize n = of_rows ? cloud->n_used : cloud->d, found = MIN (m, n);
  g_autofree double *products = make_products (cloud, of_rows, error), *all = g_new (double, n),
                    *vectors = g_new0 (double, m *n);

  if (products == NULL || !sonde_projection_watch_goes_on (cloud->watch, error)
      || !sonde_lapack_find_eigenvectors (products, (gint64) n, (gint64) found, all, vectors,
                                          error))
    return FALSE;
  for (gsize v = 0; v < m; v++)
    {
      values[v] = v < found ? all[v] : 0;
      if (of_rows)
        combine_rows (cloud, &vectors[v * n], &basis[v * cloud->d]);
      else
        memcpy (&basis[v * cloud->d], &vectors[v * n], n * sizeof *basis);
    }
  return TRUE;
}

static gboolean
find_components (const SondeCloud *cloud, gsize m, double *basis, double *values, double *residual,
                 GError **error)
{
  gsize side = MIN (cloud->n_used, cloud->d);

  *residual = 0;
  if (side <= MAX_SIDE && (double) cloud->n_used * (double) cloud->d * (double) side <= MAX_WORK)
    return solve_whole (cloud, m, basis, values, error);
  return sonde_cloud_iterate (cloud, m, basis, values, residual, error);
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

/* @directions: [d, SONDE_CLOUD_BLOCK] */
typedef struct
{
  const SondeCloud *cloud;
  double *directions, *places;
  gsize n_components;
} Shadow;

static void
project_piece (void *context, gsize piece)
{
  const Shadow *shadow = context;
  gsize end = MIN ((piece + 1) * PIECE, shadow->cloud->n);

  for (gsize i = piece * PIECE; i < end; i++)
    {
      double along[SONDE_CLOUD_BLOCK], *place = &shadow->places[i * shadow->n_components];
      gboolean finite = sonde_cloud_is_finite (shadow->cloud, i);

      sonde_cloud_project_row (shadow->cloud, i, shadow->directions, along);
      for (gsize v = 0; v < shadow->n_components; v++)
        place[v] = finite ? along[v] : NAN;
    }
}

static void
project (const SondeCloud *cloud, const double *basis, gsize m, gsize n_components, double *places)
{
  g_autofree double *directions = g_new0 (double, cloud->d *SONDE_CLOUD_BLOCK);
  Shadow shadow = { cloud, directions, places, n_components };

  for (gsize v = 0; v < m; v++)
    for (gsize k = 0; k < cloud->d; k++)
      directions[k * SONDE_CLOUD_BLOCK + v] = basis[v * cloud->d + k];
  sonde_work_team_run (cloud->team, (cloud->n + PIECE - 1) / PIECE, project_piece, &shadow);
}

gboolean
sonde_pca_project (const SondeTensor *points, gsize n_components, double *places, double *shares,
                   double *residual, SondeWorkTeam *team, SondeProjectionWatch *watch,
                   GError **error)
{
  g_auto (SondeCloud) cloud = { .team = team, .watch = watch };
  g_autofree double *basis = NULL;
  double values[SONDE_PCA_MOST_COMPONENTS] = { 0 };
  gsize m;

  g_return_val_if_fail (n_components >= 1 && n_components <= SONDE_PCA_MOST_COMPONENTS, FALSE);
  sonde_projection_watch_tell (watch, SONDE_PROJECTION_READING, 0);
  if (!sonde_cloud_init (&cloud, points, error))
    return FALSE;
  m = MIN (cloud.d, n_components);
  basis = g_new0 (double, m *cloud.d);
  if (!find_components (&cloud, m, basis, values, residual, error))
    return FALSE;
  for (gsize v = 0; v < m; v++)
    choose_sign (&basis[v * cloud.d], cloud.d);
  for (gsize v = 0; v < n_components; v++)
    shares[v] = cloud.total > 0 ? CLAMP (values[v] / cloud.total, 0, 1) : 0;
  project (&cloud, basis, m, n_components, places);
  return TRUE;
}
