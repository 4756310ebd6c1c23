/* SPDX-License-Identifier: Apache-2.0
 * k-medoids on a table of distances. */
#include "explain/triage/sonde-clusters.h"

#include <math.h>
#include <string.h>

#define ROUNDS 20
#define MOST_ROWS 1000 /* whose distances are held: 8 MB */

void
sonde_clusters_pool (const float *map, int height, int width, float *pooled)
{
  float largest = 0;

  for (int r = 0; r < SONDE_CLUSTER_MAP; r++)
    for (int c = 0; c < SONDE_CLUSTER_MAP; c++)
      {
        int top = r * height / SONDE_CLUSTER_MAP,
            bottom = MAX ((r + 1) * height / SONDE_CLUSTER_MAP, top + 1);
        int left = c * width / SONDE_CLUSTER_MAP,
            right = MAX ((c + 1) * width / SONDE_CLUSTER_MAP, left + 1);
        double sum = 0;

        for (int y = top; y < MIN (bottom, height); y++)
          for (int x = left; x < MIN (right, width); x++)
            sum += isfinite (map[y * width + x]) ? fabs ((double) map[y * width + x]) : 0;
        pooled[r * SONDE_CLUSTER_MAP + c] = (float) (sum / ((bottom - top) * (right - left)));
        largest = fmaxf (largest, pooled[r * SONDE_CLUSTER_MAP + c]);
      }
  for (int i = 0; largest > 0 && i < SONDE_CLUSTER_MAP * SONDE_CLUSTER_MAP; i++)
    pooled[i] /= largest;
}

static double *
measure_distances (const float *vectors, guint n, guint width)
{
  double *distances = g_new0 (double, (gsize) n *n);
  g_autofree double *lengths = g_new (double, n);

  for (guint i = 0; i < n; i++)
    {
      lengths[i] = 0;
      for (guint k = 0; k < width; k++)
        lengths[i]
            += (double) vectors[(gsize) i * width + k] * (double) vectors[(gsize) i * width + k];
      lengths[i] = sqrt (lengths[i]);
    }
  for (guint i = 0; i < n; i++)
    for (guint j = i + 1; j < n; j++)
      {
        double product = 0;

        for (guint k = 0; k < width; k++)
          product
              += (double) vectors[(gsize) i * width + k] * (double) vectors[(gsize) j * width + k];
        product = lengths[i] > 0 && lengths[j] > 0 ? product / (lengths[i] * lengths[j]) : 0;
        distances[(gsize) i * n + j] = distances[(gsize) j * n + i] = 1 - product;
      }
  return distances;
}

/* Of the rows of @of in @cluster (NULL: all), the one with the least sum of distances. */
static guint
find_medoid (const double *distances, guint n, const guint *cluster, guint of, guint fallback)
{
  double best = INFINITY;
  guint medoid = fallback;

  for (guint i = 0; i < n; i++)
    {
      double sum = 0;

      if (cluster != NULL && cluster[i] != of)
        continue;
      for (guint j = 0; j < n; j++)
        if (cluster == NULL || cluster[j] == of)
          sum += distances[(gsize) i * n + j];
      if (sum < best)
        {
          best = sum;
          medoid = i;
        }
    }
  return medoid;
}

/* The row farthest from the @taken medoids. */
static guint
find_farthest (const double *distances, guint n, const guint *medoids, guint taken)
{
  double most = -1;
  guint farthest = 0;

  for (guint i = 0; i < n; i++)
    {
      double nearest = INFINITY;

      for (guint m = 0; m < taken; m++)
        nearest = fmin (nearest, distances[(gsize) i * n + medoids[m]]);
      if (nearest > most)
        {
          most = nearest;
          farthest = i;
        }
    }
  return farthest;
}

static void
find_among (const float *vectors, guint n, guint width, guint k, guint *cluster, guint *medoids)
{
  g_autofree double *distances = NULL;
  gboolean moved = n > 0 && k > 0;

  if (!moved)
    return;
  distances = measure_distances (vectors, n, width);
  for (guint m = 0; m < k; m++)
    medoids[m] = m == 0 ? find_medoid (distances, n, NULL, 0, 0)
                        : find_farthest (distances, n, medoids, m);
  for (guint round = 0; moved && round < ROUNDS; round++)
    {
      moved = FALSE;
      for (guint i = 0; i < n; i++)
        {
          cluster[i] = 0;
          for (guint m = 1; m < k; m++)
            if (distances[(gsize) i * n + medoids[m]]
                < distances[(gsize) i * n + medoids[cluster[i]]])
              cluster[i] = m;
        }
      for (guint m = 0; m < k; m++)
        {
          guint medoid = find_medoid (distances, n, cluster, m, medoids[m]);

          moved = moved || medoid != medoids[m];
          medoids[m] = medoid;
        }
    }
}

static double
measure_cosine (const float *a, const float *b, guint width)
{
  double product = 0, aa = 0, bb = 0;

  for (guint k = 0; k < width; k++)
    {
      product += (double) a[k] * (double) b[k];
      aa += (double) a[k] * (double) a[k];
      bb += (double) b[k] * (double) b[k];
    }
  return aa > 0 && bb > 0 ? product / sqrt (aa * bb) : 0;
}

void
sonde_clusters_find (const float *vectors, guint n, guint width, guint k, guint *cluster,
                     guint *medoids)
{
  g_autofree float *some = NULL;
  g_autofree guint *rows = NULL;

  if (n <= MOST_ROWS)
    {
      find_among (vectors, n, width, k, cluster, medoids);
      return;
    }
  some = g_new (float, (gsize) MOST_ROWS *width);
  rows = g_new (guint, MOST_ROWS);
  for (guint i = 0; i < MOST_ROWS; i++)
    {
      rows[i] = (guint) ((guint64) i * n / MOST_ROWS);
      memcpy (some + (gsize) i * width, vectors + (gsize) rows[i] * width, width * sizeof *some);
    }
  find_among (some, MOST_ROWS, width, k, cluster, medoids);
  for (guint m = 0; m < k; m++)
    medoids[m] = rows[medoids[m]];
  for (guint i = 0; i < n; i++)
    {
      double best = -INFINITY;

      for (guint m = 0; m < k; m++)
        {
          double cosine = measure_cosine (vectors + (gsize) i * width,
                                          vectors + (gsize) medoids[m] * width, width);

          if (cosine > best)
            {
              best = cosine;
              cluster[i] = m;
            }
        }
    }
}
