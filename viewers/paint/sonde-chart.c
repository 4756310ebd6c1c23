/* SPDX-License-Identifier: Apache-2.0
 * Charts: axes, curves, points, bad values. The curve itself is in sonde-curve.c. */
#include "viewers/paint/sonde-chart.h"

#include <math.h>

#include "viewers/paint/sonde-curve-private.h"
#include "viewers/paint/sonde-text-paint.h"

#define FADED 0.25
#define AREA 0.15
#define POINT_RADIUS 2.5

void
sonde_chart_get_area (int width, int height, cairo_rectangle_t *area)
{
  *area = (cairo_rectangle_t){ SONDE_AXIS_LEFT, SONDE_AXIS_TOP,
                               MAX (width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT, 1),
                               MAX (height - SONDE_AXIS_TOP - SONDE_AXIS_BOTTOM, 1) };
}

void
sonde_chart_pad_limits (SondeAxisKind kind, double min, double max, double *low, double *high)
{
  double air;

  if (kind == SONDE_AXIS_LOG)
    {
      min = log10 (min);
      max = log10 (max);
    }
  if (!isfinite (min) || !isfinite (max) || min > max)
    min = max = 0;
  air = (max - min) * 0.05;
  if (!(air > fabs (max) * 1e-12))
    air = max != 0 && kind != SONDE_AXIS_LOG ? fabs (max) * 0.1 : 0.5;
  *low = min - air;
  *high = max + air;
}

/* One style a chart: points are marked on all curves, or on none. */
static gboolean
has_room_for_points (const SondeChart *chart, const cairo_rectangle_t *area)
{
  for (gsize i = 0; i < chart->n_series; i++)
    {
      const SondeChartSeries *series = &chart->series[i];
      gsize visible = 0;

      for (gsize k = 0; k < series->n_raw; k++)
        visible += series->raw[k].x0 >= chart->x.low && series->raw[k].x0 <= chart->x.high;
      if ((double) visible * SONDE_CHART_POINT_SPACING > area->width)
        return FALSE;
    }
  return TRUE;
}

/* No line goes to it or from it: without a mark it would not be seen. */
static gboolean
is_alone (const SondeChartBucket *buckets, gsize n, gsize i)
{
  return (i == 0 || buckets[i].starts || buckets[i - 1].n_nan == buckets[i - 1].count)
         && (i + 1 == n || buckets[i + 1].starts || buckets[i + 1].n_nan == buckets[i + 1].count);
}

static void
paint_points (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
              const SondeStroke *stroke, const SondeChartBucket *buckets, gsize n, double alpha,
              gboolean all)
{
  sonde_paint_set_color_alpha (cr, &stroke->color, alpha);
  for (gsize i = 0; i < n; i++)
    if (buckets[i].count == 1 && sonde_chart_is_drawable (chart, buckets[i].first)
        && (all || is_alone (buckets, n, i)))
      {
        cairo_new_path (cr);
        cairo_arc (cr, sonde_chart_x (chart, area, buckets[i].x0),
                   sonde_chart_y (chart, area, buckets[i].first), POINT_RADIUS, 0, 2 * G_PI);
        cairo_fill (cr);
      }
}

static void
paint_triangle (cairo_t *cr, double x, double y, double height)
{
  cairo_move_to (cr, x - 4, y);
  cairo_line_to (cr, x + 4, y);
  cairo_line_to (cr, x, y + height);
  cairo_close_path (cr);
  cairo_fill (cr);
}

/* NaN: magenta triangles on the axis. Infinities: arrows at the edge they lie beyond. */
static void
paint_bad_values (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart,
                  const cairo_rectangle_t *area, const SondeChartSeries *series)
{
  double bottom = area->y + area->height;

  for (gsize i = 0; i < series->n_raw; i++)
    {
      const SondeChartBucket *bucket = &series->raw[i];
      double x = sonde_chart_x (chart, area, (bucket->x0 + bucket->x1) / 2);

      sonde_paint_set_color (cr, &theme->hatch);
      if (bucket->n_nan > 0)
        paint_triangle (cr, x, bottom, -7);
      sonde_paint_set_color (cr, &series->stroke.color);
      if (bucket->max == INFINITY)
        paint_triangle (cr, x, area->y + 8, -8);
      if (bucket->min == -INFINITY)
        paint_triangle (cr, x, bottom - 8, 8);
    }
}

static void
paint_series (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart,
              const cairo_rectangle_t *area, const SondeChartSeries *series, gboolean points)
{
  double alpha = series->smooth != NULL ? FADED : 1;

  sonde_paint_curve (cr, chart, area, &series->stroke, series->raw, series->n_raw, alpha);
  paint_points (cr, chart, area, &series->stroke, series->raw, series->n_raw, alpha, points);
  if (series->smooth != NULL)
    sonde_paint_curve (cr, chart, area, &series->stroke, series->smooth, series->n_smooth, 1);
  paint_bad_values (cr, theme, chart, area, series);
}

/* The line of a series as a part of the outline of an area. */
static void
trace_bound (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
             const SondeChartSeries *series, gboolean backwards)
{
  const SondeChartBucket *buckets = series->smooth != NULL ? series->smooth : series->raw;
  const gsize n = series->smooth != NULL ? series->n_smooth : series->n_raw;

  for (gsize i = 0; i < n; i++)
    {
      const SondeChartBucket *bucket = &buckets[backwards ? n - 1 - i : i];

      if (sonde_chart_is_drawable (chart, bucket->last))
        cairo_line_to (cr, sonde_chart_x (chart, area, bucket->x1),
                       sonde_chart_y (chart, area, bucket->last));
    }
}

static void
paint_band (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
            const SondeChartSeries *series)
{
  if (series->band_to == 0 || series->band_to > chart->n_series)
    return;
  cairo_new_path (cr);
  trace_bound (cr, chart, area, series, FALSE);
  trace_bound (cr, chart, area, &chart->series[series->band_to - 1], TRUE);
  sonde_paint_set_color_alpha (cr, &series->stroke.color, AREA);
  cairo_fill (cr);
}

/* In the middle of the area, on the card: no line runs through it. */
static void
paint_message (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area,
               const char *message)
{
  double height, width = sonde_text_measure (SONDE_FONT_LABEL, message, &height);
  double x = area->x + area->width / 2, y = area->y + area->height / 2;

  width = MIN (width + 12, area->width);
  sonde_paint_set_color (cr, &theme->card);
  cairo_rectangle (cr, x - width / 2, y - height / 2, width, height);
  cairo_fill (cr);
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, x, y, area->width, message);
}

void
sonde_paint_chart (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart, int width,
                   int height)
{
  cairo_rectangle_t area;
  gboolean points;

  sonde_chart_get_area (width, height, &area);
  points = has_room_for_points (chart, &area);
  sonde_paint_axes (cr, theme, &area, &chart->x, &chart->y);
  cairo_save (cr);
  /* Room for half a line above and below the area. */
  cairo_rectangle (cr, area.x, area.y - 2, area.width, area.height + 4);
  cairo_clip (cr);
  for (gsize i = 0; i < chart->n_series; i++)
    paint_band (cr, chart, &area, &chart->series[i]);
  for (gsize i = 0; i < chart->n_series; i++)
    paint_series (cr, theme, chart, &area, &chart->series[i], points);
  cairo_restore (cr);

  if (chart->message != NULL)
    paint_message (cr, theme, &area, chart->message);
  sonde_paint_set_color (cr, &theme->dim);
  if (chart->note != NULL)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, area.x + area.width - 2, area.y + 8,
                      area.width, chart->note);
}
