/* SPDX-License-Identifier: Apache-2.0
 * Curves: each bucket becomes first → both extremes → last, so that no peak is lost at any zoom. */
#include "viewers/paint/sonde-chart.h"

#include <math.h>

#include "viewers/paint/sonde-text.h"

#define LINE_WIDTH 1.5
#define FADED 0.25
#define POINT_SPACING 6 /* px a point at least, for points to be marked */
#define POINT_RADIUS 2.5

void
sonde_chart_get_area (int                width,
                      int                height,
                      cairo_rectangle_t *area)
{
  *area = (cairo_rectangle_t) { SONDE_AXIS_LEFT, SONDE_AXIS_TOP, MAX (width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT, 1),
                                MAX (height - SONDE_AXIS_TOP - SONDE_AXIS_BOTTOM, 1) };
}

void
sonde_chart_pad_limits (SondeAxisKind  kind,
                        double         min,
                        double         max,
                        double        *low,
                        double        *high)
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

/* Cairo's coordinates have 24 bits; a zoomed curve goes far beyond the picture. */
static double
safe_y (const SondeChart        *chart,
        const cairo_rectangle_t *area,
        double                   value)
{
  return CLAMP (sonde_axis_y (&chart->y, area, value), -1e5, 1e5);
}

static gboolean
is_drawable (const SondeChart *chart,
             double            value)
{
  return isfinite (value) && (chart->y.kind != SONDE_AXIS_LOG || value > 0);
}

static double
bucket_x (const SondeChart        *chart,
          const cairo_rectangle_t *area,
          double                   x)
{
  return CLAMP (sonde_axis_x (&chart->x, area, x), -1e5, 1e5);
}

static void
add_to_path (cairo_t                 *cr,
             const SondeChart        *chart,
             const cairo_rectangle_t *area,
             const SondeChartBucket  *bucket)
{
  double x0 = bucket_x (chart, area, bucket->x0), x1 = bucket_x (chart, area, bucket->x1), middle = (x0 + x1) / 2;
  /* The extreme that lies nearer to the first value is passed first. */
  gboolean up = fabs (bucket->first - bucket->min) <= fabs (bucket->max - bucket->first);

  if (is_drawable (chart, bucket->first))
    cairo_line_to (cr, x0, safe_y (chart, area, bucket->first));
  if (bucket->count > 1)
    {
      double a = up ? bucket->min : bucket->max, b = up ? bucket->max : bucket->min;

      if (is_drawable (chart, a))
        cairo_line_to (cr, middle, safe_y (chart, area, a));
      if (is_drawable (chart, b))
        cairo_line_to (cr, middle, safe_y (chart, area, b));
      if (is_drawable (chart, bucket->last))
        cairo_line_to (cr, x1, safe_y (chart, area, bucket->last));
    }
}

static void
paint_line (cairo_t                 *cr,
            const SondeChart        *chart,
            const cairo_rectangle_t *area,
            const SondeStroke       *stroke,
            const SondeChartBucket  *buckets,
            gsize                    n,
            double                   alpha)
{
  cairo_new_path (cr);
  for (gsize i = 0; i < n; i++)
    {
      /* A bucket of nothing but NaN interrupts the line. */
      if (buckets[i].starts || buckets[i].n_nan == buckets[i].count)
        cairo_new_sub_path (cr);
      add_to_path (cr, chart, area, &buckets[i]);
    }
  sonde_paint_set_color_alpha (cr, &stroke->color, alpha);
  cairo_set_dash (cr, stroke->dashes, stroke->n_dashes, 0);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
paint_points (cairo_t                 *cr,
              const SondeChart        *chart,
              const cairo_rectangle_t *area,
              const SondeStroke       *stroke,
              const SondeChartBucket  *buckets,
              gsize                    n,
              double                   alpha)
{
  gsize visible = 0;

  for (gsize i = 0; i < n; i++)
    visible += buckets[i].x0 >= chart->x.low && buckets[i].x0 <= chart->x.high;
  if ((double) visible * POINT_SPACING > area->width)
    return;
  sonde_paint_set_color_alpha (cr, &stroke->color, alpha);
  for (gsize i = 0; i < n; i++)
    if (buckets[i].count == 1 && is_drawable (chart, buckets[i].first))
      {
        cairo_new_path (cr);
        cairo_arc (cr, bucket_x (chart, area, buckets[i].x0), safe_y (chart, area, buckets[i].first), POINT_RADIUS, 0,
                   2 * G_PI);
        cairo_fill (cr);
      }
}

static void
paint_triangle (cairo_t *cr,
                double   x,
                double   y,
                double   height)
{
  cairo_move_to (cr, x - 4, y);
  cairo_line_to (cr, x + 4, y);
  cairo_line_to (cr, x, y + height);
  cairo_close_path (cr);
  cairo_fill (cr);
}

/* NaN: magenta triangles on the axis. Infinities: arrows at the edge they lie beyond. */
static void
paint_bad_values (cairo_t                 *cr,
                  const SondeTheme        *theme,
                  const SondeChart        *chart,
                  const cairo_rectangle_t *area,
                  const SondeChartSeries  *series)
{
  double bottom = area->y + area->height;

  for (gsize i = 0; i < series->n_raw; i++)
    {
      const SondeChartBucket *bucket = &series->raw[i];
      double x = bucket_x (chart, area, (bucket->x0 + bucket->x1) / 2);

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
paint_series (cairo_t                 *cr,
              const SondeTheme        *theme,
              const SondeChart        *chart,
              const cairo_rectangle_t *area,
              const SondeChartSeries  *series)
{
  double alpha = series->smooth != NULL ? FADED : 1;

  paint_line (cr, chart, area, &series->stroke, series->raw, series->n_raw, alpha);
  paint_points (cr, chart, area, &series->stroke, series->raw, series->n_raw, alpha);
  if (series->smooth != NULL)
    paint_line (cr, chart, area, &series->stroke, series->smooth, series->n_smooth, 1);
  paint_bad_values (cr, theme, chart, area, series);
}

void
sonde_paint_chart (cairo_t          *cr,
                   const SondeTheme *theme,
                   const SondeChart *chart,
                   int               width,
                   int               height)
{
  cairo_rectangle_t area;

  sonde_chart_get_area (width, height, &area);
  sonde_paint_axes (cr, theme, &area, &chart->x, &chart->y);
  cairo_save (cr);
  /* Room for half a line above and below the area. */
  cairo_rectangle (cr, area.x, area.y - 2, area.width, area.height + 4);
  cairo_clip (cr);
  cairo_set_line_width (cr, LINE_WIDTH);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_BEVEL);
  for (gsize i = 0; i < chart->n_series; i++)
    paint_series (cr, theme, chart, &area, &chart->series[i]);
  cairo_restore (cr);

  sonde_paint_set_color (cr, &theme->dim);
  if (chart->message != NULL)
    sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, area.x + area.width / 2, area.y + area.height / 2,
                      area.width, chart->message);
  if (chart->note != NULL)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, area.x + area.width - 2, area.y + 8, area.width,
                      chart->note);
}
