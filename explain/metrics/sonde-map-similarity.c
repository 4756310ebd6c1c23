/* SPDX-License-Identifier: Apache-2.0
 * Similarity of two maps, or of two rows of numbers. */
#include <math.h>
#include <stdlib.h>

#include "explain/metrics/sonde-map-order.h"

#define WINDOW 7

double
sonde_pearson (const double *a, const double *b, gsize n)
{
  double mean_a = 0.0, mean_b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;

  for (gsize i = 0; i < n; i++)
    {
      mean_a += a[i] / (double) n;
      mean_b += b[i] / (double) n;
    }
  for (gsize i = 0; i < n; i++)
    {
      aa += (a[i] - mean_a) * (a[i] - mean_a);
      bb += (b[i] - mean_b) * (b[i] - mean_b);
      ab += (a[i] - mean_a) * (b[i] - mean_b);
    }
  /* Rounding of the mean alone leaves this much of a constant row. */
  if (!(aa > 1e-24 * (double) n * mean_a * mean_a) || !(bb > 1e-24 * (double) n * mean_b * mean_b))
    return NAN;
  return CLAMP (ab / sqrt (aa * bb), -1.0, 1.0);
}

typedef struct
{
  double value;
  gsize index;
} Ranked;

static int
compare (const void *a, const void *b)
{
  double one = ((const Ranked *) a)->value, other = ((const Ranked *) b)->value;

  return one < other ? -1 : one > other;
}

/* Ranks from 0, the mean of their places for equal values; NULL when a number is not finite. */
static double *
make_ranks (const double *values, gsize n)
{
  g_autofree Ranked *sorted = g_new (Ranked, MAX (n, 1));
  double *ranks;

  for (gsize i = 0; i < n; i++)
    {
      sorted[i] = (Ranked){ values[i], i };
      if (!isfinite (values[i]))
        return NULL;
    }
  qsort (sorted, n, sizeof *sorted, compare);
  ranks = g_new (double, MAX (n, 1));
  for (gsize begin = 0, end; begin < n; begin = end)
    {
      for (end = begin + 1; end < n && sorted[end].value == sorted[begin].value;)
        end++;
      for (gsize i = begin; i < end; i++)
        ranks[sorted[i].index] = 0.5 * (double) (begin + end - 1);
    }
  return ranks;
}

double
sonde_spearman (const double *a, const double *b, gsize n)
{
  g_autofree double *ranks_a = make_ranks (a, n), *ranks_b = make_ranks (b, n);

  return ranks_a != NULL && ranks_b != NULL ? sonde_pearson (ranks_a, ranks_b, n) : NAN;
}

static double *
read_values (const SondeTensor *map, gboolean magnitude)
{
  gint64 n = sonde_tensor_n_elements (map);
  double *values = g_new (double, MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    {
      values[i] = sonde_tensor_get_double (map, i);
      if (magnitude)
        values[i] = fabs (values[i]);
    }
  return values;
}

double
sonde_map_spearman (const SondeTensor *a, const SondeTensor *b, gboolean magnitude)
{
  g_autofree double *one = read_values (a, magnitude), *other = read_values (b, magnitude);

  return sonde_spearman (one, other, (gsize) sonde_tensor_n_elements (a));
}

/* To 0 … 1; FALSE when a number is not finite. */
static gboolean
stretch (double *values, gint64 n)
{
  double least = INFINITY, most = -INFINITY;

  for (gint64 i = 0; i < n; i++)
    {
      if (!isfinite (values[i]))
        return FALSE;
      least = fmin (least, values[i]);
      most = fmax (most, values[i]);
    }
  for (gint64 i = 0; i < n; i++)
    values[i] = most > least ? (values[i] - least) / (most - least) : 0.0;
  return TRUE;
}

static double
window_ssim (const double *a, const double *b, gint64 width)
{
  const double n = WINDOW * WINDOW, c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;
  double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0, mean_a, mean_b;

  for (int y = 0; y < WINDOW; y++)
    for (int x = 0; x < WINDOW; x++)
      {
        double va = a[y * width + x], vb = b[y * width + x];

        sum_a += va;
        sum_b += vb;
        aa += va * va;
        bb += vb * vb;
        ab += va * vb;
      }
  mean_a = sum_a / n;
  mean_b = sum_b / n;
  aa = aa / n - mean_a * mean_a;
  bb = bb / n - mean_b * mean_b;
  ab = ab / n - mean_a * mean_b;
  return (2 * mean_a * mean_b + c1) * (2 * ab + c2)
         / ((mean_a * mean_a + mean_b * mean_b + c1) * (aa + bb + c2));
}

double
sonde_map_ssim (const SondeTensor *a, const SondeTensor *b, gboolean magnitude)
{
  gint64 height = a->shape.dims[0], width = a->shape.dims[1];
  g_autofree double *one = read_values (a, magnitude), *other = read_values (b, magnitude);
  double sum = 0.0;

  if (height < WINDOW || width < WINDOW || !stretch (one, height * width)
      || !stretch (other, height * width))
    return NAN;
  for (gint64 y = 0; y + WINDOW <= height; y++)
    for (gint64 x = 0; x + WINDOW <= width; x++)
      sum += window_ssim (one + y * width + x, other + y * width + x, width);
  return sum / (double) ((height - WINDOW + 1) * (width - WINDOW + 1));
}

double
sonde_map_top_overlap (const SondeTensor *a, const SondeTensor *b, double share)
{
  guint n = (guint) sonde_tensor_n_elements (a),
        top = (guint) CLAMP (lround (share * n), 1, (long) MAX (n, 1)), both = 0;
  g_autofree guint *one = sonde_map_order (a), *other = sonde_map_order (b);
  g_autofree guint8 *inside = g_new0 (guint8, MAX (n, 1));

  if (one == NULL || other == NULL || n == 0)
    return NAN;
  for (guint i = 0; i < top; i++)
    inside[one[i]] = 1;
  for (guint i = 0; i < top; i++)
    both += inside[other[i]];
  return (double) both / (2 * top - both);
}
