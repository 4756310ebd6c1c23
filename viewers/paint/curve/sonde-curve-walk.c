/* SPDX-License-Identifier: Apache-2.0
 * The corners of a curve in order: each bucket becomes first → both extremes → last, so that no peak is lost at any
 * zoom. */
#include "viewers/paint/curve/sonde-curve.h"

#include <math.h>

/* Cairo's coordinates have 24 bits; a zoomed curve goes far beyond the chart. */
#define FAR 1e5

gboolean
sonde_chart_is_drawable (const SondeChart *chart, double value)
{
  return isfinite (value) && (chart->y.kind != SONDE_AXIS_LOG || value > 0);
}

double
sonde_chart_x (const SondeChart *chart, const cairo_rectangle_t *area, double x)
{
  return CLAMP (sonde_axis_x (&chart->x, area, x), -FAR, FAR);
}

double
sonde_chart_y (const SondeChart *chart, const cairo_rectangle_t *area, double value)
{
  return CLAMP (sonde_axis_y (&chart->y, area, value), -FAR, FAR);
}

/* ---- corners of the line ------------------------------------------------- */

/* @x_scale, @y_scale: px a unit of the axis: the same places as of sonde_chart_x(), without a division and a call each */
typedef struct
{
  const SondeChart *chart;
  const cairo_rectangle_t *area;
  double x_scale, y_scale, bottom;
  SondeCornerFunc func;
  void *data;
  gboolean begin;
} Walk;

static double
place_x (const Walk *walk, double value)
{
  const SondeAxis *axis = &walk->chart->x;
  double x = axis->kind == SONDE_AXIS_LOG ? log10 (value) : value;

  x = walk->area->x + (x - axis->low) * walk->x_scale;
  return CLAMP (x, -FAR, FAR);
}

static double
place_y (const Walk *walk, double value)
{
  const SondeAxis *axis = &walk->chart->y;
  double y = axis->kind == SONDE_AXIS_LOG ? log10 (value) : value;

  y = walk->bottom - (y - axis->low) * walk->y_scale;
  return CLAMP (y, -FAR, FAR);
}

static void
corner (Walk *walk, double x, double value)
{
  if (!sonde_chart_is_drawable (walk->chart, value))
    return;
  walk->func (x, place_y (walk, value), walk->begin, walk->data);
  walk->begin = FALSE;
}

static void
walk_bucket (Walk *walk, const SondeChartBucket *bucket)
{
  double x0 = place_x (walk, bucket->x0), x1 = place_x (walk, bucket->x1), middle = (x0 + x1) / 2;
  /* The extreme that lies nearer to the first value is passed first. */
  gboolean up = fabs (bucket->first - bucket->min) <= fabs (bucket->max - bucket->first);

  corner (walk, x0, bucket->first);
  if (bucket->count > 1)
    {
      corner (walk, middle, up ? bucket->min : bucket->max);
      corner (walk, middle, up ? bucket->max : bucket->min);
      corner (walk, x1, bucket->last);
    }
}

void
sonde_curve_walk (const SondeChart *chart, const cairo_rectangle_t *area,
                  const SondeChartBucket *buckets, gsize n, SondeCornerFunc func, void *data)
{
  Walk walk = {
    .chart = chart,
    .area = area,
    .x_scale = area->width / (chart->x.high - chart->x.low),
    .y_scale = area->height / (chart->y.high - chart->y.low),
    .bottom = area->y + area->height,
    .func = func,
    .data = data,
    .begin = TRUE,
  };

  for (gsize i = 0; i < n; i++)
    {
      /* A bucket of nothing but NaN interrupts the line. */
      walk.begin = walk.begin || buckets[i].starts || buckets[i].n_nan == buckets[i].count;
      walk_bucket (&walk, &buckets[i]);
    }
}
