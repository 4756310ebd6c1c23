/* SPDX-License-Identifier: Apache-2.0
 * Cosines by rows of unit length; the k best are kept sorted. */
#include "explain/triage/sonde-neighbours.h"

#include <math.h>

struct _SondeNeighbours
{
  guint n, width;
  float *rows; /* of length 1 */
};

#if defined(__x86_64__)
#define BEST_TARGET __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BEST_TARGET
#endif

#define SUMS 16

/* Products of @query with @rows of @width. In several sums, so that it vectorises without reordering what the compiler may not. */
BEST_TARGET static void
multiply_rows (const float *query,
               const float *rows,
               guint        n_rows,
               guint        width,
               float       *products)
{
  for (guint r = 0; r < n_rows; r++)
    {
      const float *row = rows + (gsize) r * width;
      float sums[SUMS] = { 0 }, total = 0;
      guint i = 0;

      for (; i + SUMS <= width; i += SUMS)
        for (guint k = 0; k < SUMS; k++)
          sums[k] += query[i + k] * row[i + k];
      for (; i < width; i++)
        total += query[i] * row[i];
      for (guint half = SUMS / 2; half > 0; half /= 2)
        for (guint k = 0; k < half; k++)
          sums[k] += sums[k + half];
      products[r] = total + sums[0];
    }
}

static float
dot (const float *a,
     const float *b,
     guint        n)
{
  float product;

  multiply_rows (a, b, 1, n, &product);
  return product;
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
  g_autofree float *unit = g_new (float, MAX (neighbours->width, 1)), *products = g_new (float, MAX (neighbours->n, 1));
  guint n = 0;

  make_unit (query, neighbours->width, unit);
  multiply_rows (unit, neighbours->rows, neighbours->n, neighbours->width, products);
  for (guint i = 0; i < neighbours->n; i++)
    {
      double value = (double) products[i];
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
