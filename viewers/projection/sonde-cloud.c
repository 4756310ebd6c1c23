/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "data/base/sonde-lapack.h"
#include "data/base/sonde-random.h"
#include "viewers/projection/sonde-cloud-private.h"
#include "viewers/projection/sonde-lanes.h"

#define WIDE SONDE_CLOUD_BLOCK
#define N_PIECES 64 /* of the rows */
#define MOST_ROUNDS 60
#define RESIDUAL 1e-6
#define NOTHING 1e-24 /* square of a part that is rounding */
#define SEED 11

typedef double WideLanes __attribute__ ((vector_size (8 * WIDE)));

void
sonde_cloud_clear (SondeCloud *cloud)
{
  g_free (cloud->owned);
  g_free (cloud->used);
  g_free (cloud->mean);
}

gboolean
sonde_cloud_is_finite (const SondeCloud *cloud, gsize row)
{
  for (gsize k = 0; k < cloud->d; k++)
    if (!isfinite (cloud->rows[row * cloud->d + k]))
      return FALSE;
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
read_rows (SondeCloud *cloud, const SondeTensor *points, GError **error)
{
  if (points->dtype == SONDE_DTYPE_F32 && sonde_tensor_is_contiguous (points))
    {
      cloud->rows = (const float *) (const void *) points->data;
      return TRUE;
    }
  cloud->rows = cloud->owned = g_try_new (float, cloud->n * cloud->d);
  if (cloud->owned == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "there is no memory for a copy of the points");
      return FALSE;
    }
  for (gsize i = 0; i < cloud->n * cloud->d; i++)
    cloud->owned[i] = (float) sonde_tensor_get_double (points, (gint64) i);
  return TRUE;
}

static void
center (SondeCloud *cloud)
{
  cloud->mean = g_new0 (double, cloud->d);
  for (gsize i = 0; i < cloud->n_used; i++)
    for (gsize k = 0; k < cloud->d; k++)
      cloud->mean[k] += (double) cloud->rows[cloud->used[i] * cloud->d + k];
  for (gsize k = 0; k < cloud->d; k++)
    cloud->mean[k] /= (double) MAX (cloud->n_used, 1);
  for (gsize i = 0; i < cloud->n_used; i++)
    for (gsize k = 0; k < cloud->d; k++)
      {
        double entry = (double) cloud->rows[cloud->used[i] * cloud->d + k] - cloud->mean[k];

        cloud->total += entry * entry;
      }
}

gboolean
sonde_cloud_init (SondeCloud *cloud, const SondeTensor *points, GError **error)
{
  if (points == NULL || points->shape.rank != 2 || points->dtype == SONDE_DTYPE_STRING
      || points->shape.dims[0] < 1 || points->shape.dims[1] < 1)
    return fail (error);
  cloud->n = (gsize) points->shape.dims[0];
  cloud->d = (gsize) points->shape.dims[1];
  if (!read_rows (cloud, points, error))
    return FALSE;
  cloud->used = g_new (gsize, cloud->n);
  for (gsize i = 0; i < cloud->n; i++)
    if (sonde_cloud_is_finite (cloud, i))
      cloud->used[cloud->n_used++] = i;
  center (cloud);
  return cloud->n_used > 0 || fail (error);
}

void
sonde_cloud_copy (const SondeCloud *cloud, gsize row, gsize n, gsize k, gsize d, double *block)
{
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      block[i * d + j]
          = (double) cloud->rows[cloud->used[row + i] * cloud->d + k + j] - cloud->mean[k + j];
}

SONDE_LANES_CLONES void
sonde_cloud_project_row (const SondeCloud *cloud, gsize row, const double *directions,
                         double *along)
{
  const float *entries = &cloud->rows[row * cloud->d];
  WideLanes sum = { 0 }, direction;

  for (gsize k = 0; k < cloud->d; k++)
    {
      memcpy (&direction, &directions[k * WIDE], sizeof direction);
      sum += ((double) entries[k] - cloud->mean[k]) * direction;
    }
  memcpy (along, &sum, sizeof sum);
}

/* ---- block iteration ------------------------------------------------------ */

/* @block: [d, WIDE], orthonormal; @products: [d, WIDE], of it with the matrix of products;
 * @sums: [N_PIECES, d, WIDE] */
typedef struct
{
  const SondeCloud *cloud;
  double *block, *products, *sums;
} Iteration;

static void
iteration_clear (Iteration *iteration)
{
  g_free (iteration->block);
  g_free (iteration->products);
  g_free (iteration->sums);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Iteration, iteration_clear)

/* @sums += the centred row times what it is along each direction */
SONDE_LANES_CLONES static void
add_row (const SondeCloud *cloud, gsize row, const double *along, double *sums)
{
  const float *entries = &cloud->rows[row * cloud->d];
  WideLanes parts, sum;

  memcpy (&parts, along, sizeof parts);
  for (gsize k = 0; k < cloud->d; k++)
    {
      memcpy (&sum, &sums[k * WIDE], sizeof sum);
      sum += ((double) entries[k] - cloud->mean[k]) * parts;
      memcpy (&sums[k * WIDE], &sum, sizeof sum);
    }
}

static void
multiply_piece (void *context, gsize piece)
{
  Iteration *iteration = context;
  const SondeCloud *cloud = iteration->cloud;
  double *sums = &iteration->sums[piece * cloud->d * WIDE], along[WIDE];
  gsize first = piece * cloud->n_used / N_PIECES, end = (piece + 1) * cloud->n_used / N_PIECES;

  memset (sums, 0, cloud->d * WIDE * sizeof *sums);
  for (gsize i = first; i < end; i++)
    {
      if (cloud->watch != NULL && cloud->watch->cancelled)
        return;
      sonde_cloud_project_row (cloud, cloud->used[i], iteration->block, along);
      add_row (cloud, cloud->used[i], along, sums);
    }
}

static void
multiply (Iteration *iteration)
{
  gsize entries = iteration->cloud->d * WIDE;

  sonde_work_team_run (iteration->cloud->team, N_PIECES, multiply_piece, iteration);
  memset (iteration->products, 0, entries * sizeof (double));
  for (gsize piece = 0; piece < N_PIECES; piece++)
    for (gsize i = 0; i < entries; i++)
      iteration->products[i] += iteration->sums[piece * entries + i];
}

/* Gram and Schmidt, twice; a direction that is nothing new becomes zero. */
static void
orthonormalise (double *block, gsize d)
{
  for (int a = 0; a < 2 * WIDE; a++)
    {
      int v = a / 2;
      double before = 0, length = 0;

      for (gsize k = 0; k < d; k++)
        before += block[k * WIDE + v] * block[k * WIDE + v];
      for (int w = 0; w < v; w++)
        {
          double part = 0;

          for (gsize k = 0; k < d; k++)
            part += block[k * WIDE + w] * block[k * WIDE + v];
          for (gsize k = 0; k < d; k++)
            block[k * WIDE + v] -= part * block[k * WIDE + w];
        }
      for (gsize k = 0; k < d; k++)
        length += block[k * WIDE + v] * block[k * WIDE + v];
      for (gsize k = 0; k < d; k++)
        block[k * WIDE + v] *= length > NOTHING * before ? 1 / sqrt (length) : 0;
    }
}

/* [d, WIDE] times [WIDE, WIDE], whose columns are the vectors: in place */
static void
turn (double *block, gsize d, const double *vectors)
{
  for (gsize k = 0; k < d; k++)
    {
      double row[WIDE] = { 0 };

      for (int v = 0; v < WIDE; v++)
        for (int w = 0; w < WIDE; w++)
          row[v] += block[k * WIDE + w] * vectors[v * WIDE + w];
      memcpy (&block[k * WIDE], row, sizeof row);
    }
}

/* Block and products along the eigenvectors of the matrix within the block, the largest first. */
static gboolean
turn_to_axes (Iteration *iteration, double *values, GError **error)
{
  gsize d = iteration->cloud->d;
  double inner[WIDE * WIDE] = { 0 }, vectors[WIDE * WIDE];

  for (gsize k = 0; k < d; k++)
    for (int v = 0; v < WIDE; v++)
      for (int w = 0; w <= v; w++)
        inner[v * WIDE + w]
            += (iteration->block[k * WIDE + v] * iteration->products[k * WIDE + w]
                + iteration->block[k * WIDE + w] * iteration->products[k * WIDE + v])
               / 2;
  if (!sonde_lapack_find_eigenvectors (inner, WIDE, WIDE, values, vectors, error))
    return FALSE;
  turn (iteration->block, d, vectors);
  turn (iteration->products, d, vectors);
  return TRUE;
}

static double
get_residual (const Iteration *iteration, const double *values, gsize m)
{
  double most = 0;

  for (gsize v = 0; v < m; v++)
    {
      double squares = 0;

      for (gsize k = 0; k < iteration->cloud->d; k++)
        squares += pow (
            iteration->products[k * WIDE + v] - values[v] * iteration->block[k * WIDE + v], 2);
      most = fmax (most, sqrt (squares));
    }
  return values[0] > 0 ? most / values[0] : 0;
}

static void
iteration_init (Iteration *iteration, const SondeCloud *cloud)
{
  iteration->cloud = cloud;
  iteration->block = g_new (double, cloud->d *WIDE);
  iteration->products = g_new (double, cloud->d *WIDE);
  iteration->sums = g_new (double, N_PIECES * cloud->d * WIDE);
  for (gsize i = 0; i < cloud->d * WIDE; i++)
    iteration->block[i] = sonde_random_normal (SEED, 0, i);
  orthonormalise (iteration->block, cloud->d);
}

gboolean
sonde_cloud_iterate (const SondeCloud *cloud, gsize m, double *basis, double *values,
                     double *residual, GError **error)
{
  g_auto (Iteration) iteration = { 0 };
  double found[WIDE];

  iteration_init (&iteration, cloud);
  for (int round = 0; round < MOST_ROUNDS; round++)
    {
      sonde_projection_watch_tell (cloud->watch, SONDE_PROJECTION_COMPONENTS,
                                   (double) round / MOST_ROUNDS);
      multiply (&iteration);
      if (!sonde_projection_watch_goes_on (cloud->watch, error)
          || !turn_to_axes (&iteration, found, error))
        return FALSE;
      *residual = get_residual (&iteration, found, m);
      if (*residual <= RESIDUAL || round + 1 == MOST_ROUNDS)
        break;
      memcpy (iteration.block, iteration.products, cloud->d * WIDE * sizeof (double));
      orthonormalise (iteration.block, cloud->d);
    }
  for (gsize v = 0; v < m; v++)
    {
      values[v] = found[v];
      for (gsize k = 0; k < cloud->d; k++)
        basis[v * cloud->d + k] = iteration.block[k * WIDE + v];
    }
  return TRUE;
}
