/* SPDX-License-Identifier: Apache-2.0
 * Charts: axes, curves, points, bad values. The curve itself is in sonde-curve.c. */
#include "viewers/paint/sonde-chart.h"

#include <math.h>

#include "viewers/paint/curve/sonde-curve.h"
#include "viewers/paint/sonde-text-paint.h"

#define FADED 0.25
#define AREA 0.15
#define POINT_RADIUS 2.5
#define SIGN_SIZE 4.5
#define LABEL_AIR 4
#define MAX_MARKS 4000 /* of points in a chart: of more one would not see the curves */

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
  gsize marks = 0;

  for (gsize i = 0; i < chart->n_series; i++)
    {
      const SondeChartSeries *series = &chart->series[i];
      gsize visible = 0;

      for (gsize k = 0; k < series->n_raw; k++)
        {
          double x = sonde_axis_x (&chart->x, area, series->raw[k].x0);
          visible += x >= area->x && x <= area->x + area->width;
        }
      marks += visible;
      if ((double) visible * SONDE_CHART_POINT_SPACING > area->width || marks > MAX_MARKS)
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
      double x;

      if (bucket->n_nan == 0 && bucket->max != INFINITY && bucket->min != -INFINITY)
        continue;
      x = sonde_chart_x (chart, area, (bucket->x0 + bucket->x1) / 2);

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

  if (series->is_bound)
    return;
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

/* ---- beside the curves --------------------------------------------------- */

/* On the card, so that no line runs through it. */
static void
paint_label (cairo_t *cr, const SondeTheme *theme, const SondeColor *color, SondeTextAlign align,
             double x, double y, const char *label)
{
  double height, width = sonde_text_measure (SONDE_FONT_SMALL, label, &height);
  double left = align == SONDE_ALIGN_END ? x - width : x;

  sonde_paint_set_color_alpha (cr, &theme->card, 0.8);
  cairo_rectangle (cr, left - 1, y - height / 2, width + 2, height);
  cairo_fill (cr);
  sonde_paint_set_color (cr, color);
  sonde_paint_text (cr, SONDE_FONT_SMALL, align, x, y, 0, label);
}

static void
paint_line (cairo_t *cr, const SondeColor *color, double x0, double y0, double x1, double y1)
{
  sonde_paint_set_color (cr, color);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, (const double[]){ 6, 3 }, 2, 0);
  cairo_move_to (cr, x0, y0);
  cairo_line_to (cr, x1, y1);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
paint_rules (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart,
             const cairo_rectangle_t *area)
{
  for (gsize i = 0; i < chart->n_rules; i++)
    {
      double y = floor (sonde_chart_y (chart, area, chart->rules[i].at)) + 0.5;

      if (!sonde_chart_is_drawable (chart, chart->rules[i].at) || y < area->y
          || y > area->y + area->height)
        continue;
      paint_line (cr, &theme->cursor, area->x, y, area->x + area->width, y);
      if (*chart->rules[i].label != '\0')
        paint_label (cr, theme, &theme->foreground, SONDE_ALIGN_END,
                     area->x + area->width - LABEL_AIR, y - 8 > area->y ? y - 8 : y + 8,
                     chart->rules[i].label);
    }
}

static void
paint_milestones (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart,
                  const cairo_rectangle_t *area)
{
  for (gsize i = 0; i < chart->n_milestones; i++)
    {
      double x = floor (sonde_chart_x (chart, area, chart->milestones[i].at)) + 0.5;
      double width = sonde_text_measure (SONDE_FONT_SMALL, chart->milestones[i].label, NULL);
      gboolean fits = x + LABEL_AIR + width <= area->x + area->width;

      if (!(x >= area->x && x <= area->x + area->width))
        continue;
      paint_line (cr, &theme->cursor, x, area->y, x, area->y + area->height);
      if (*chart->milestones[i].label != '\0')
        paint_label (cr, theme, &theme->foreground, fits ? SONDE_ALIGN_START : SONDE_ALIGN_END,
                     fits ? x + LABEL_AIR : x - LABEL_AIR,
                     area->y + 8 + 13 * (double) (i % 3 + (chart->note != NULL)),
                     chart->milestones[i].label);
    }
}

/* The smallest value points down, the greatest up, the last one is a square. */
static void
trace_sign (cairo_t *cr, SondeChartSign sign, double x, double y)
{
  double d = sign == SONDE_CHART_SIGN_MAX ? -SIGN_SIZE : SIGN_SIZE;

  cairo_new_path (cr);
  if (sign == SONDE_CHART_SIGN_LAST)
    {
      cairo_rectangle (cr, x - 3.5, y - 3.5, 7, 7);
      return;
    }
  cairo_move_to (cr, x, y + d);
  cairo_line_to (cr, x - SIGN_SIZE, y - d);
  cairo_line_to (cr, x + SIGN_SIZE, y - d);
  cairo_close_path (cr);
}

static void
paint_mark (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart,
            const cairo_rectangle_t *area, const SondeChartMark *mark)
{
  double x = sonde_chart_x (chart, area, mark->x), y = sonde_chart_y (chart, area, mark->y), side;
  gboolean at_end = x > area->x + area->width - 48;

  if (!sonde_chart_is_drawable (chart, mark->y) || !(x >= area->x - 1)
      || x > area->x + area->width + 1 || y < area->y - 1 || y > area->y + area->height + 1)
    return;
  trace_sign (cr, mark->sign, x, y);
  sonde_paint_set_color (cr, &mark->color);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->card);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  if (mark->label == NULL)
    return;
  side = mark->sign == SONDE_CHART_SIGN_MIN ? -11 : mark->sign == SONDE_CHART_SIGN_MAX ? 11 : 0;
  paint_label (cr, theme, &theme->foreground, at_end ? SONDE_ALIGN_END : SONDE_ALIGN_START,
               at_end ? x - 7 : x + 7, CLAMP (y + side, area->y + 6, area->y + area->height - 6),
               mark->label);
}

/* Below the axis at the left: what the triangles at the edges mean. */
static void
paint_key (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area, gboolean has_nan,
           gboolean has_infinite)
{
  double x = area->x + 4, y = area->y + area->height + 28;

  if (has_nan)
    {
      sonde_paint_set_color (cr, &theme->hatch);
      paint_triangle (cr, x, y + 3, -7);
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + 8, y, 0, "NaN");
      x += 46;
    }
  if (has_infinite)
    {
      sonde_paint_set_color (cr, &theme->foreground);
      paint_triangle (cr, x, y + 3, -7);
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + 8, y, 0, "±Inf");
    }
}

static void
find_bad_values (const SondeChart *chart, gboolean *has_nan, gboolean *has_infinite)
{
  *has_nan = *has_infinite = FALSE;
  for (gsize i = 0; i < chart->n_series; i++)
    for (gsize k = 0; k < chart->series[i].n_raw; k++)
      {
        const SondeChartBucket *bucket = &chart->series[i].raw[k];

        *has_nan |= bucket->n_nan > 0;
        *has_infinite |= bucket->max == INFINITY || bucket->min == -INFINITY;
      }
}

static void
paint_marks (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart,
             const cairo_rectangle_t *area)
{
  gboolean has_nan, has_infinite;

  paint_rules (cr, theme, chart, area);
  paint_milestones (cr, theme, chart, area);
  for (gsize i = 0; i < chart->n_marks; i++)
    paint_mark (cr, theme, chart, area, &chart->marks[i]);
  if (chart->note != NULL)
    paint_label (cr, theme, &theme->dim, SONDE_ALIGN_END, area->x + area->width - 2, area->y + 8,
                 chart->note);
  find_bad_values (chart, &has_nan, &has_infinite);
  if (chart->y.title == NULL)
    paint_key (cr, theme, area, has_nan, has_infinite);
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
  paint_marks (cr, theme, chart, &area);

  if (chart->message != NULL)
    paint_message (cr, theme, &area, chart->message);
}
