/* SPDX-License-Identifier: Apache-2.0
 * Cosines by rows of unit length; the k best are kept sorted. */
#include "explain/triage/sonde-neighbours.h"

#include <math.h>

struct _SondeNeighbours
{
  guint n, width;
  float *rows; /* of length 1 */
};

/* In eight sums, so that it vectorises without reordering what the compiler may not. */
static float
dot (const float *a,
     const float *b,
     guint        n)
{
  float sums[8] = { 0 }, total = 0;
  guint i = 0;

  for (; i + 8 <= n; i += 8)
    for (guint k = 0; k < 8; k++)
      sums[k] += a[i + k] * b[i + k];
  for (; i < n; i++)
    total += a[i] * b[i];
  for (guint k = 0; k < 8; k++)
    total += sums[k];
  return total;
}

static void
make_unit (const float *from,
           guint        n,
           float       *into)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += (double) from[i] * (double) from[i];
  for (guint i = 0; i < n; i++)
    into[i] = sum > 0 ? (float) ((double) from[i] / sqrt (sum)) : 0;
}

SondeNeighbours *
sonde_neighbours_new (const float *features,
                      guint        n,
                      guint        width)
{
  SondeNeighbours *neighbours = g_new0 (SondeNeighbours, 1);

  neighbours->n = n;
  neighbours->width = width;
  neighbours->rows = g_new (float, MAX ((gsize) n * width, 1));
  for (guint i = 0; i < n; i++)
    make_unit (features + (gsize) i * width, width, neighbours->rows + (gsize) i * width);
  return neighbours;
}

void
sonde_neighbours_free (SondeNeighbours *neighbours)
{
  if (neighbours == NULL)
    return;
  g_free (neighbours->rows);
  g_free (neighbours);
}

guint
sonde_neighbours_find (const SondeNeighbours *neighbours,
                       const float           *query,
                       gint64                 except,
                       guint                  k,
                       SondeNeighbour        *found)
{
  g_autofree float *unit = g_new (float, MAX (neighbours->width, 1));
  guint n = 0;

  make_unit (query, neighbours->width, unit);
  for (guint i = 0; i < neighbours->n; i++)
    {
      double value = (double) dot (unit, neighbours->rows + (gsize) i * neighbours->width, neighbours->width);
      guint at;

      if (i == except || (n == k && !(value > found[n - 1].value)))
        continue;
      n = MIN (n + 1, k);
      for (at = n - 1; at > 0 && found[at - 1].value < value; at--)
        found[at] = found[at - 1];
      found[at] = (SondeNeighbour) { i, value };
    }
  return n;
}

double
sonde_influence (const float *probabilities,
                 gint64       label,
                 const float *features,
                 const float *other_probabilities,
                 gint64       other_label,
                 const float *other_features,
                 guint        classes,
                 guint        width)
{
  double errors = 0, product = 1;

  for (guint c = 0; c < classes; c++)
    errors += ((double) probabilities[c] - (c == label)) * ((double) other_probabilities[c] - (c == other_label));
  product += (double) dot (features, other_features, width);
  return errors * product;
}
