/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/landscape/sonde-weight-plane.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-lapack.h"
#include "data/base/sonde-random-fill.h"
#include "engine/ops/sonde-engine-error.h"

#define BLOCK 4096        /* columns of the path that are doubles at a time */
#define LEAST_SHARE 1e-10 /* of the first direction's square: less is rounding */

static SondeWeightPlane *
plane_new (gsize n)
{
  SondeWeightPlane *plane = g_new0 (SondeWeightPlane, 1);

  plane->n = n;
  plane->axes[0] = g_new0 (float, MAX (n, 1));
  plane->axes[1] = g_new0 (float, MAX (n, 1));
  return plane;
}

void
sonde_weight_plane_free (SondeWeightPlane *plane)
{
  if (plane == NULL)
    return;
  g_free (plane->axes[0]);
  g_free (plane->axes[1]);
  g_free (plane);
}

static double
multiply (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (double) a[i] * (double) b[i];
  return sum;
}

static void
take_products (SondeWeightPlane *plane)
{
  for (int i = 0; i < 3; i++)
    plane->products[i] = multiply (plane->axes[i / 2], plane->axes[(i + 1) / 2], plane->n);
}

/* ---- random -------------------------------------------------------------- */

/* Cosines are the numbers of the first direction, sines those of the second. */
static void
fill_normal (const SondeWeightBlock *block, guint64 seed, float *first, float *second)
{
  double cosines[SONDE_RANDOM_BLOCK], sines[SONDE_RANDOM_BLOCK];
  guint64 stream = sonde_random_stream (block->name);

  for (gsize i = 0; i < block->n; i++)
    {
      gsize k = i % SONDE_RANDOM_BLOCK;

      if (k == 0)
        sonde_random_fill_normal (seed, stream, i, cosines, sines);
      first[i] = (float) cosines[k];
      second[i] = (float) sines[k];
    }
}

static double
length_of_filter (const SondeWeightBlock *block, gsize filter, const float *numbers)
{
  double sum = 0;

  for (gsize o = 0; o < block->outer; o++)
    {
      const float *row = numbers + (o * block->filters + filter) * block->inner;

      sum += multiply (row, row, block->inner);
    }
  return sqrt (sum);
}

static void
scale_filter (const SondeWeightBlock *block, gsize filter, const float *weights, float *direction)
{
  double length = length_of_filter (block, filter, direction);
  double factor = length > 0 ? length_of_filter (block, filter, weights) / length : 0;

  for (gsize o = 0; o < block->outer; o++)
    {
      float *row = direction + (o * block->filters + filter) * block->inner;

      for (gsize i = 0; i < block->inner; i++)
        row[i] = (float) (row[i] * factor);
    }
}

SondeWeightPlane *
sonde_weight_plane_new_random (const SondeWeightSpace *space, const float *weights, guint64 seed)
{
  SondeWeightPlane *plane = plane_new (space->n);

  for (guint b = 0; b < space->n_blocks; b++)
    {
      const SondeWeightBlock *block = &space->blocks[b];

      if (block->is_plain)
        continue;
      fill_normal (block, seed, plane->axes[0] + block->first, plane->axes[1] + block->first);
      for (gsize f = 0; f < 2 * block->filters; f++)
        scale_filter (block, f / 2, weights + block->first, plane->axes[f % 2] + block->first);
    }
  take_products (plane);
  return plane;
}

/* ---- of a path ----------------------------------------------------------- */

/* Products of the rows path − end with each other, [n_path, n_path]. */
static gboolean
add_products (const float *const *path, guint n_path, const float *end, gsize n, double *products,
              GError **error)
{
  g_autofree double *rows = g_new (double, (gsize) n_path *BLOCK);

  for (gsize first = 0; first < n; first += BLOCK)
    {
      gsize columns = MIN (BLOCK, n - first);

      for (guint t = 0; t < n_path; t++)
        for (gsize i = 0; i < columns; i++)
          rows[t * columns + i] = (double) path[t][first + i] - (double) end[first + i];
      if (!sonde_lapack_add_products (rows, n_path, (gint64) columns, TRUE, products, error))
        return FALSE;
    }
  return TRUE;
}

/* Row t of the path counts @shares[t] / @length times; the first row with a place on the axis decides its sign. */
static void
make_axis (const float *const *path, guint n_path, const float *end, gsize n, const double *shares,
           double length, float *axis)
{
  double sign = 0;

  for (guint t = 0; t < n_path && sign == 0; t++)
    sign = fabs (shares[t]) > 1e-6 ? copysign (1, shares[t]) : 0;
  for (guint t = 0; t < n_path; t++)
    for (gsize i = 0; i < n; i++)
      axis[i] += (float) (sign * shares[t] / length * ((double) path[t][i] - (double) end[i]));
}

SondeWeightPlane *
sonde_weight_plane_new_of_path (const float *const *path, guint n_path, const float *end, gsize n,
                                GError **error)
{
  g_autofree double *products = g_new0 (double, MAX ((gsize) n_path * n_path, 1));
  g_autofree double *values = g_new0 (double, MAX (n_path, 2));
  g_autofree double *shares = g_new0 (double, MAX (2 * (gsize) n_path, 1));
  SondeWeightPlane *plane;

  if (n_path >= 2
      && (!add_products (path, n_path, end, n, products, error)
          || !sonde_lapack_find_eigenvectors (products, n_path, 2, values, shares, error)))
    return NULL;
  if (!(values[1] > LEAST_SHARE * values[0]))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The path of the training spans no plane.");
      return NULL;
    }
  plane = plane_new (n);
  for (int k = 0; k < 2; k++)
    make_axis (path, n_path, end, n, shares + (gsize) k * n_path, sqrt (values[k]), plane->axes[k]);
  take_products (plane);
  return plane;
}

/* ---- places -------------------------------------------------------------- */

double
sonde_weight_plane_project (const SondeWeightPlane *plane, const float *origin, const float *point,
                            double place[2], double *outside)
{
  const double *p = plane->products;
  double along[2] = { 0, 0 }, distance = 0, determinant = p[0] * p[2] - p[1] * p[1];

  for (gsize i = 0; i < plane->n; i++)
    {
      double difference = (double) point[i] - (double) origin[i];

      distance += difference * difference;
      along[0] += difference * (double) plane->axes[0][i];
      along[1] += difference * (double) plane->axes[1][i];
    }
  place[0] = determinant > 0 ? (along[0] * p[2] - along[1] * p[1]) / determinant : 0;
  place[1] = determinant > 0 ? (along[1] * p[0] - along[0] * p[1]) / determinant : 0;
  *outside = fmax (distance - along[0] * place[0] - along[1] * place[1], 0);
  return distance;
}
