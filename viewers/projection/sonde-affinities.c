/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-affinities.h"

#include <math.h>

#define MOST_HALVINGS 100
#define ENTROPY_TOLERANCE 1e-5
#define MEMBER_HALVINGS 64
#define MEMBER_TOLERANCE 1e-5
#define LEAST_WIDTH 1e-3 /* of the mean distance */

/* One step of the search for a positive number of which only one end may be known. */
static double
halve (double *low, double *high, double at, gboolean up)
{
  *(up ? low : high) = at;
  if (isinf (*high))
    return at * 2;
  return (*low + *high) / 2;
}

/* The weights for @beta, and their entropy. */
static double
weigh (const float *squares, gsize k, double beta, float *weights)
{
  double sum = 0, mean = 0;

  for (gsize j = 0; j < k; j++)
    {
      double weight = exp (-beta * ((double) squares[j] - (double) squares[0]));

      weights[j] = (float) weight;
      sum += weight;
      mean += weight * ((double) squares[j] - (double) squares[0]);
    }
  for (gsize j = 0; j < k; j++)
    weights[j] = (float) ((double) weights[j] / sum);
  return log (sum) + beta * mean / sum;
}

void
sonde_affinities_fit_perplexity (const SondeNearestTable *nearest, double perplexity,
                                 float *weights)
{
  for (gsize i = 0; i < nearest->n; i++)
    {
      const float *squares = &nearest->squares[i * nearest->k];
      double low = 0, high = INFINITY, beta = 1;

      for (int step = 0; step < MOST_HALVINGS; step++)
        {
          double excess
              = weigh (squares, nearest->k, beta, &weights[i * nearest->k]) - log (perplexity);

          if (fabs (excess) <= ENTROPY_TOLERANCE)
            break;
          beta = halve (&low, &high, beta, excess > 0);
        }
    }
}

/* ---- fuzzy neighbours ---------------------------------------------------- */

static double
sum_memberships (const double *distances, gsize k, double nearest, double width)
{
  double sum = 0;

  for (gsize j = 0; j < k; j++)
    sum += distances[j] > nearest ? exp ((nearest - distances[j]) / width) : 1;
  return sum;
}

static double
find_width (const double *distances, gsize k, double nearest)
{
  double low = 0, high = INFINITY, width = 1, target = log2 ((double) k + 1);

  for (int step = 0; step < MEMBER_HALVINGS; step++)
    {
      double excess = sum_memberships (distances, k, nearest, width) - target;

      if (fabs (excess) < MEMBER_TOLERANCE)
        break;
      width = halve (&low, &high, width, excess < 0);
    }
  return width;
}

static double
find_nearest (const double *distances, gsize k)
{
  for (gsize j = 0; j < k; j++)
    if (distances[j] > 0)
      return distances[j];
  return 0;
}

void
sonde_affinities_fit_neighbours (const SondePointTable *points, const SondeNearestTable *nearest,
                                 float *weights)
{
  gsize n = nearest->n, k = nearest->k;
  g_autofree double *distances = g_new (double, n *k);
  double total = 0;

  for (gsize i = 0; i < n * k; i++)
    {
      distances[i] = sonde_point_table_measure (points, (double) nearest->squares[i]);
      total += distances[i];
    }
  for (gsize i = 0; i < n; i++)
    {
      const double *row = &distances[i * k];
      double first = find_nearest (row, k), width = find_width (row, k, first), mean = 0;

      /* As umap-learn: means over the point itself, too. */
      for (gsize j = 0; j < k; j++)
        mean += row[j] / (double) (k + 1);
      width = fmax (width,
                    LEAST_WIDTH * (first > 0 ? mean : total / ((double) n * (double) (k + 1))));
      for (gsize j = 0; j < k; j++)
        weights[i * k + j]
            = row[j] > first && width > 0 ? (float) exp ((first - row[j]) / width) : 1;
    }
}
