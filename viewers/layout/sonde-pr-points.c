/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/sonde-pr-points.h"

#include <math.h>

static double
get_f1 (double precision, double recall)
{
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

SondePrPoint *
sonde_pr_points_make (const SondeTensor *rows, gsize *n_points)
{
  SondePrPoint *points;
  gint64 n, left = 0;

  *n_points = 0;
  if (rows == NULL || rows->shape.rank != 2 || rows->shape.dims[0] != 6
      || rows->dtype == SONDE_DTYPE_STRING || rows->shape.dims[1] < 1)
    return NULL;
  n = rows->shape.dims[1];
  points = g_new0 (SondePrPoint, (gsize) n);
  for (gint64 i = 0; i < n; i++)
    {
      double cell[6], negatives;

      for (int r = 0; r < 6; r++)
        cell[r] = sonde_tensor_get_double (rows, r * n + i);
      negatives = cell[1] + cell[2];
      points[i] = (SondePrPoint){ n > 1 ? (double) i / (double) (n - 1) : 0,
                                  cell[0],
                                  cell[1],
                                  cell[2],
                                  cell[3],
                                  cell[4],
                                  cell[5],
                                  negatives > 0 ? cell[1] / negatives : 0,
                                  get_f1 (cell[4], cell[5]) };
      if (cell[0] + cell[1] > 0)
        left = i + 1;
    }
  *n_points = (gsize) left;
  if (left == 0)
    g_clear_pointer (&points, g_free);
  return points;
}

double
sonde_pr_points_average_precision (const SondePrPoint *points, gsize n_points)
{
  double sum = 0;

  for (gsize i = 0; i < n_points; i++)
    sum += (points[i].recall - (i + 1 < n_points ? points[i + 1].recall : 0)) * points[i].precision;
  return n_points > 0 ? sum : NAN;
}

double
sonde_pr_points_roc_area (const SondePrPoint *points, gsize n_points)
{
  double sum = 0;

  for (gsize i = 0; i < n_points; i++)
    {
      const double x = i + 1 < n_points ? points[i + 1].false_rate : 0,
                   y = i + 1 < n_points ? points[i + 1].recall : 0;

      sum += (points[i].false_rate - x) * (points[i].recall + y) / 2;
    }
  return n_points > 0 ? sum : NAN;
}

gsize
sonde_pr_points_best_f1 (const SondePrPoint *points, gsize n_points)
{
  gsize best = 0;

  for (gsize i = 1; i < n_points; i++)
    if (points[i].f1 >= points[best].f1)
      best = i;
  return best;
}

double
sonde_pr_iso_f1 (double f1, double recall)
{
  double precision = f1 * recall / (2 * recall - f1);

  return 2 * recall > f1 && precision <= 1 + 1e-9 ? fmin (precision, 1) : NAN; /* rounding */
}
