/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-point-neighbours.h"

#include <math.h>

/* @row: [d]; @length: of it */
typedef struct
{
  const SondeTensor *points;
  gsize d;
  SondeNearness nearness;
  double *row, length;
} Query;

static double
measure (const Query *query, gsize other)
{
  double squares = 0, product = 0, lengths = 0;

  for (gsize k = 0; k < query->d; k++)
    {
      double entry = sonde_tensor_get_double (query->points, (gint64) (other * query->d + k)),
             step = entry - query->row[k];

      squares += step * step;
      product += entry * query->row[k];
      lengths += entry * entry;
    }
  if (query->nearness == SONDE_NEARNESS_EUCLIDEAN)
    return sqrt (squares);
  lengths = sqrt (lengths) * query->length;
  return lengths > 0 ? 1 - CLAMP (product / lengths, -1, 1) : isfinite (lengths) ? 1 : NAN;
}

/* Into its place among the nearest so far. */
static gsize
insert (guint32 *others, double *distances, gsize n, gsize k, guint32 other, double distance)
{
  gsize at = n < k ? n : k - 1;

  if (n == k && !(distance < distances[k - 1]))
    return n;
  for (; at > 0 && distances[at - 1] > distance; at--)
    {
      distances[at] = distances[at - 1];
      others[at] = others[at - 1];
    }
  distances[at] = distance;
  others[at] = other;
  return MIN (n + 1, k);
}

gsize
sonde_point_neighbours_find (const SondeTensor *points, gsize row, SondeNearness nearness, gsize k,
                             guint32 *others, double *distances)
{
  Query query = { .points = points, .nearness = nearness };
  g_autofree double *entries = NULL;
  gsize n = 0;

  if (points == NULL || points->shape.rank != 2 || points->dtype == SONDE_DTYPE_STRING || k == 0
      || row >= (gsize) points->shape.dims[0])
    return 0;
  query.d = (gsize) points->shape.dims[1];
  query.row = entries = g_new (double, MAX (query.d, 1));
  for (gsize i = 0; i < query.d; i++)
    {
      entries[i] = sonde_tensor_get_double (points, (gint64) (row * query.d + i));
      query.length += entries[i] * entries[i];
    }
  query.length = sqrt (query.length);
  if (!isfinite (query.length))
    return 0;
  for (gsize other = 0; other < (gsize) points->shape.dims[0]; other++)
    {
      double distance = other != row ? measure (&query, other) : NAN;

      if (isfinite (distance))
        n = insert (others, distances, n, k, (guint32) other, distance);
    }
  return n;
}
