/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/profile/sonde-level-paint.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEGEND_HEIGHT 22
#define SWATCH 12
#define HEADROOM 1.1
#define FILL 0.15
#define NS 1e9

char *
sonde_level_format (SondeLevelUnit unit, double value)
{
  if (unit == SONDE_LEVEL_BYTES && value >= 0)
    return sonde_format_bytes ((guint64) fmin (value, 9e18));
  if (unit == SONDE_LEVEL_SHARE)
    return g_strdup_printf ("%.1f %%", value * 100);
  return sonde_format_number (value);
}

/* Of values that may be anything: a file's. */
static double
get_value (const SondeTracePoint *point)
{
  return isfinite (point->value) ? point->value : 0;
}

static double
get_seconds (const SondeLevelPlot *plot, gint64 at_ns)
{
  return ((double) at_ns - (double) plot->origin_ns) / NS;
}

void
sonde_level_plot_fit (SondeLevelPlot *plot)
{
  double least = 0, most = 0;

  plot->low = INFINITY;
  plot->high = -INFINITY;
  for (gsize s = 0; s < plot->n_series; s++)
    {
      const SondeLevelSeries *series = &plot->series[s];

      for (gsize i = 0; i < series->n_points; i++)
        {
          least = fmin (least, get_value (&series->points[i]));
          most = fmax (most, get_value (&series->points[i]));
        }
      if (series->n_points == 0)
        continue;
      plot->low = fmin (plot->low, get_seconds (plot, series->points[0].at_ns));
      plot->high
          = fmax (plot->high, get_seconds (plot, series->points[series->n_points - 1].at_ns));
    }
  if (!(plot->low < plot->high))
    {
      plot->low = isfinite (plot->low) ? plot->low - 0.5 : 0;
      plot->high = plot->low + 1;
    }
  plot->top = most > least ? most * HEADROOM : least + 1;
  plot->bottom = least * HEADROOM;
}

void
sonde_level_plot_get_area (int width, int height, cairo_rectangle_t *area)
{
  const double top = SONDE_AXIS_TOP + LEGEND_HEIGHT;

  *area = (cairo_rectangle_t){ SONDE_AXIS_LEFT, top,
                               MAX (width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT, 1),
                               MAX (height - top - SONDE_AXIS_BOTTOM, 1) };
}

gint64
sonde_level_find (const SondeLevelSeries *series, gint64 at_ns)
{
  gsize low = 0, high = series->n_points;

  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (series->points[middle].at_ns <= at_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return (gint64) low - 1;
}

/* ---- axes ---------------------------------------------------------------- */

/* The unit in which values of the vertical axis are written. */
static double
get_scale (const SondeLevelPlot *plot, const char **unit)
{
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
  double scale = 1;
  guint i = 0;

  *unit = plot->unit == SONDE_LEVEL_SHARE ? "%" : plot->title;
  if (plot->unit == SONDE_LEVEL_SHARE)
    return 0.01;
  if (plot->unit != SONDE_LEVEL_BYTES)
    return 1;
  for (; i + 1 < G_N_ELEMENTS (units) && plot->top / scale >= 1024; i++)
    scale *= 1024;
  *unit = units[i];
  return scale;
}

static double
get_x (const SondeLevelPlot *plot, const cairo_rectangle_t *area, gint64 at_ns)
{
  return area->x + (get_seconds (plot, at_ns) - plot->low) / (plot->high - plot->low) * area->width;
}

static double
get_y (const SondeLevelPlot *plot, const cairo_rectangle_t *area, double value)
{
  return area->y + area->height
         - (value - plot->bottom) / (plot->top - plot->bottom) * area->height;
}

/* ---- lines --------------------------------------------------------------- */

/* What lies in one column of pixels. */
typedef struct
{
  double x, first, least, most, last;
} Column;

static void
finish_column (cairo_t *cr, const SondeLevelPlot *plot, const cairo_rectangle_t *area,
               const Column *column)
{
  cairo_line_to (cr, column->x, get_y (plot, area, column->first));
  if (column->most > column->least)
    {
      cairo_line_to (cr, column->x, get_y (plot, area, column->most));
      cairo_line_to (cr, column->x, get_y (plot, area, column->least));
    }
  cairo_line_to (cr, column->x, get_y (plot, area, column->last));
}

/* A line of steps through the points in sight, up to where the last one still holds. */
static void
trace_line (cairo_t *cr, const SondeLevelPlot *plot, const cairo_rectangle_t *area,
            const SondeLevelSeries *series)
{
  const gint64 left = plot->origin_ns + (gint64) CLAMP (plot->low * NS, -9e18, 9e18);
  const gsize from = (gsize) MAX (sonde_level_find (series, left), 0);
  Column column = { .x = NAN };

  for (gsize i = from; i < series->n_points; i++)
    {
      const double value = get_value (&series->points[i]);
      const double x = MAX (get_x (plot, area, series->points[i].at_ns), area->x - 2);

      if (!isnan (column.x) && x - column.x < 0.5)
        {
          column.least = fmin (column.least, value);
          column.most = fmax (column.most, value);
          column.last = value;
          continue;
        }
      if (!isnan (column.x))
        {
          finish_column (cr, plot, area, &column);
          cairo_line_to (cr, x, get_y (plot, area, column.last));
        }
      column = (Column){ x, value, value, value, value };
      if (x > area->x + area->width)
        break;
    }
  if (isnan (column.x))
    return;
  finish_column (cr, plot, area, &column);
  cairo_line_to (cr, area->x + area->width + 2, get_y (plot, area, column.last));
}

static void
paint_series (cairo_t *cr, const SondeTheme *theme, const SondeLevelPlot *plot,
              const cairo_rectangle_t *area, gsize s)
{
  const SondeStroke stroke = sonde_theme_series (theme, (guint) s);
  const double zero = get_y (plot, area, 0);
  double x0, y0;

  if (plot->series[s].n_points == 0)
    return;
  cairo_new_path (cr);
  trace_line (cr, plot, area, &plot->series[s]);
  sonde_paint_set_color (cr, &stroke.color);
  cairo_set_dash (cr, stroke.dashes, stroke.n_dashes, 0);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke_preserve (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  if (s > 0)
    {
      cairo_new_path (cr);
      return;
    }
  x0 = MAX (get_x (plot, area, plot->series[s].points[0].at_ns), area->x - 2);
  y0 = zero;
  cairo_line_to (cr, area->x + area->width + 2, zero);
  cairo_line_to (cr, x0, y0);
  cairo_close_path (cr);
  sonde_paint_set_color_alpha (cr, &stroke.color, FILL);
  cairo_fill (cr);
}

static void
paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeLevelPlot *plot, int width)
{
  const double y = SONDE_AXIS_TOP + LEGEND_HEIGHT / 2.0 - 4;
  double x = SONDE_AXIS_LEFT;

  for (gsize s = 0; s < plot->n_series && x < width - 40; s++)
    {
      const SondeStroke stroke = sonde_theme_series (theme, (guint) s);

      sonde_paint_set_color (cr, &stroke.color);
      cairo_set_line_width (cr, 2);
      cairo_set_dash (cr, stroke.dashes, stroke.n_dashes, 0);
      cairo_move_to (cr, x, y);
      cairo_line_to (cr, x + SWATCH, y);
      cairo_stroke (cr);
      cairo_set_dash (cr, NULL, 0, 0);
      sonde_paint_set_color (cr, &theme->foreground);
      x += SWATCH + 6;
      x += sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, width - x - 4,
                             plot->series[s].name)
           + 14;
    }
}

static void
paint_cursor (cairo_t *cr, const SondeTheme *theme, const SondeLevelPlot *plot,
              const cairo_rectangle_t *area)
{
  double x;

  if (plot->n_series == 0 || plot->cursor < 0 || plot->cursor >= (gint64) plot->series[0].n_points)
    return;
  x = floor (get_x (plot, area, plot->series[0].points[plot->cursor].at_ns)) + 0.5;
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, x, area->y);
  cairo_line_to (cr, x, area->y + area->height);
  cairo_stroke (cr);
  cairo_arc (cr, x, get_y (plot, area, get_value (&plot->series[0].points[plot->cursor])), 4, 0,
             2 * G_PI);
  cairo_fill (cr);
}

void
sonde_paint_level (cairo_t *cr, const SondeTheme *theme, const SondeLevelPlot *plot, int width,
                   int height)
{
  const SondeAxis x = { SONDE_AXIS_DURATION, plot->low, plot->high, _ ("time") };
  const char *unit;
  const double scale = get_scale (plot, &unit);
  const SondeAxis y = { SONDE_AXIS_LINEAR, plot->bottom / scale, plot->top / scale, unit };
  cairo_rectangle_t area;

  sonde_level_plot_get_area (width, height, &area);
  if (plot->message != NULL || plot->n_series == 0)
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0,
                        width - 12, plot->message != NULL ? plot->message : "");
      return;
    }
  sonde_paint_axes (cr, theme, &area, &x, &y);
  paint_legend (cr, theme, plot, width);
  cairo_save (cr);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  for (gsize s = plot->n_series; s > 0; s--)
    paint_series (cr, theme, plot, &area, s - 1);
  paint_cursor (cr, theme, plot, &area);
  cairo_restore (cr);
}
