/* SPDX-License-Identifier: Apache-2.0
 * What follows the pointer in a scalar view: crosshair, read-out of all series sorted by nearness,
 * the mark of other charts, the step cursor. */
#include "viewers/sonde-scalar-view-private.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-time-ticks.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_LINES 12
#define LINE_HEIGHT 18
#define PADDING 8
#define STROKE_WIDTH 16
#define NAME_WIDTH 150

/* One line of the read-out. */
typedef struct
{
  const SondeScalarItem *item;
  SondePoint point;
  double x, y, distance; /* px */
} Reading;

static void
get_axes (SondeView *view, int width, int height, SondeAxis *x, SondeAxis *y)
{
  SondeScalarView *self = (SondeScalarView *) view;
  SondeViewport v;

  sonde_view_get_viewport_for (view, width, height, &v);
  *x = (SondeAxis){ SONDE_AXIS_LINEAR, v.x0, v.x1, NULL };
  *y = (SondeAxis){ self->log_y ? SONDE_AXIS_LOG : SONDE_AXIS_LINEAR, v.y1, v.y0, NULL };
}

static gboolean
is_inside (const SondeViewRect *area, double x, double y)
{
  return x >= area->x && x <= area->x + area->width && y >= area->y && y <= area->y + area->height;
}

static int
compare_readings (const void *a, const void *b)
{
  double x = ((const Reading *) a)->distance, y = ((const Reading *) b)->distance;

  return (x > y) - (x < y);
}

/* Values of all series at the px @px, nearest to @py first. (transfer full) */
static GArray *
read_at (SondeView *view, const SondeViewRect *area, int width, int height, double px, double py)
{
  SondeScalarView *self = (SondeScalarView *) view;
  GArray *readings = g_array_new (FALSE, FALSE, sizeof (Reading));
  SondeAxis x_axis, y_axis;
  double value;

  get_axes (view, width, height, &x_axis, &y_axis);
  value = x_axis.low + (px - area->x) / area->width * (x_axis.high - x_axis.low);
  for (guint i = 0; i < self->items->len; i++)
    {
      Reading reading = { .item = self->items->pdata[i] };

      if (!sonde_scalar_item_nearest (reading.item, self->x, value, &reading.point))
        continue;
      reading.x = sonde_axis_x (&x_axis, area,
                                sonde_scalar_item_x_of (reading.item, self->x, reading.point.step,
                                                        reading.point.wall_time_ns));
      reading.y = sonde_axis_y (&y_axis, area, reading.point.value);
      reading.distance = isfinite (reading.y) ? fabs (reading.y - py) : G_MAXDOUBLE;
      g_array_append_val (readings, reading);
    }
  g_array_sort (readings, compare_readings);
  return readings;
}

static void
paint_vertical (cairo_t *cr, const SondeViewRect *area, const SondeColor *color, double x)
{
  if (!(x >= area->x && x <= area->x + area->width))
    return;
  sonde_paint_set_color (cr, color);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, floor (x) + 0.5, area->y);
  cairo_line_to (cr, floor (x) + 0.5, area->y + area->height);
  cairo_stroke (cr);
}

static double
x_of_step (SondeView *view, const SondeViewRect *area, int width, int height, gint64 step)
{
  SondeScalarView *self = (SondeScalarView *) view;
  SondeAxis x_axis, y_axis;

  if (step == SONDE_SCALAR_NO_STEP)
    return NAN;
  get_axes (view, width, height, &x_axis, &y_axis);
  for (guint i = 0; i < self->items->len; i++)
    {
      double x = sonde_scalar_item_x_of_step (self->items->pdata[i], self->x, step);
      if (!isnan (x))
        return sonde_axis_x (&x_axis, area, x);
    }
  return NAN;
}

/* The step cursor: a line with a handle on the axis, so that it is no crosshair. */
static void
paint_cursor (SondeView *view, cairo_t *cr, const SondeTheme *theme, const SondeViewRect *area,
              int width, int height)
{
  double x = x_of_step (view, area, width, height, ((SondeScalarView *) view)->cursor);
  double bottom = area->y + area->height;

  if (!(x >= area->x - 1 && x <= area->x + area->width + 1))
    return;
  cairo_set_dash (cr, (const double[]){ 3, 3 }, 2, 0);
  paint_vertical (cr, area, &theme->cursor, x);
  cairo_set_dash (cr, NULL, 0, 0);
  sonde_paint_set_color (cr, &theme->cursor);
  cairo_move_to (cr, x, bottom);
  cairo_line_to (cr, x - 4, bottom + 4);
  cairo_line_to (cr, x + 4, bottom + 4);
  cairo_close_path (cr);
  cairo_fill (cr);
}

static void
paint_dots (cairo_t *cr, const SondeTheme *theme, const SondeViewRect *area, GArray *readings)
{
  for (guint i = 0; i < readings->len; i++)
    {
      const Reading *reading = &g_array_index (readings, Reading, i);
      SondeStroke stroke = sonde_theme_series (theme, reading->item->color_index);

      if (!isfinite (reading->y) || !is_inside (area, reading->x, reading->y))
        continue;
      cairo_new_path (cr);
      cairo_arc (cr, reading->x, reading->y, i == 0 ? 4 : 3, 0, 2 * G_PI);
      sonde_paint_set_color (cr, &stroke.color);
      cairo_fill_preserve (cr);
      sonde_paint_set_color (cr, &theme->card);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
    }
}

static char *
dup_head (SondeScalarView *self, const Reading *reading)
{
  g_autofree char *step = sonde_format_count (reading->point.step);
  SondeRun *run = sonde_series_get_run (reading->item->series);
  g_autofree char *time = NULL;

  if (self->x == SONDE_SCALAR_X_WALL)
    time = sonde_format_clock (reading->point.wall_time_ns, NULL);
  else if (run != NULL)
    time = sonde_format_duration (reading->point.wall_time_ns - sonde_run_get_start_ns (run));
  return g_strdup_printf (_ ("Step %s · %s"), step, time != NULL ? time : "");
}

static void
paint_line (cairo_t *cr, const SondeTheme *theme, const Reading *reading, gboolean nearest,
            double x, double y, double width, double name_width)
{
  SondeStroke stroke = sonde_theme_series (theme, reading->item->color_index);
  g_autofree char *value = sonde_format_number (reading->point.value);
  SondeFont font = nearest ? SONDE_FONT_STRONG : SONDE_FONT_LABEL;

  sonde_paint_set_color (cr, &stroke.color);
  cairo_set_line_width (cr, 3);
  cairo_set_dash (cr, stroke.dashes, stroke.n_dashes, 0);
  cairo_move_to (cr, x, y);
  cairo_line_to (cr, x + STROKE_WIDTH - 4, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, font, SONDE_ALIGN_START, x + STROKE_WIDTH, y, name_width,
                    reading->item->title);
  sonde_paint_text (cr, font, SONDE_ALIGN_END, x + width, y, 0, value);
}

static void
measure_lines (GArray *readings, guint n, double *name_width, double *value_width)
{
  *name_width = *value_width = 0;
  for (guint i = 0; i < n; i++)
    {
      const Reading *reading = &g_array_index (readings, Reading, i);
      g_autofree char *value = sonde_format_number (reading->point.value);

      *name_width
          = MAX (*name_width, sonde_text_measure (SONDE_FONT_STRONG, reading->item->title, NULL));
      *value_width = MAX (*value_width, sonde_text_measure (SONDE_FONT_STRONG, value, NULL));
    }
  *name_width = MIN (*name_width + 1, NAME_WIDTH);
}

/* A box beside the pointer, on the side that has room. */
static void
paint_readings (SondeScalarView *self, cairo_t *cr, const SondeTheme *theme,
                const SondeViewRect *area, GArray *readings, double px, double py, int width,
                int height)
{
  guint n = MIN (readings->len,
                 MIN (MAX_LINES, (guint) MAX ((height - 2 * PADDING) / LINE_HEIGHT - 2, 1)));
  gboolean more = readings->len > n;
  g_autofree char *head = dup_head (self, &g_array_index (readings, Reading, 0));
  double name_width, value_width, inner, w, h, x, y;

  measure_lines (readings, n, &name_width, &value_width);
  inner = MAX (STROKE_WIDTH + name_width + 12 + value_width,
               sonde_text_measure (SONDE_FONT_SMALL, head, NULL));
  w = inner + 2 * PADDING;
  h = (double) (n + 1 + more) * LINE_HEIGHT + 2 * PADDING - 2;
  x = px + 14 + w <= width ? px + 14 : px - 14 - w;
  x = CLAMP (x, 2, MAX (width - w - 2, 2));
  y = CLAMP (py - h / 2, 2, MAX (height - h - 2, 2));

  sonde_paint_round_rectangle (cr, x + 0.5, y + 0.5, w, h, 6);
  sonde_paint_set_color_alpha (cr, &theme->card, 0.95);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->axis);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);

  y += PADDING + LINE_HEIGHT / 2.0 - 1;
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + PADDING, y, inner, head);
  for (guint i = 0; i < n; i++)
    paint_line (cr, theme, &g_array_index (readings, Reading, i), i == 0 && readings->len > 1,
                x + PADDING, y + (i + 1) * LINE_HEIGHT, inner, name_width);
  if (more)
    {
      g_autofree char *text = g_strdup_printf (_ ("and %u more"), readings->len - n);
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + PADDING,
                        y + (n + 1) * LINE_HEIGHT, inner, text);
    }
}

void
sonde_scalar_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeScalarView *self = (SondeScalarView *) view;
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeViewRect area;
  double px, py, mark;

  sonde_chart_get_area (width, height, &area);
  paint_cursor (view, cr, theme, &area, width, height);
  if (sonde_view_get_pointer (view, &px, &py) && is_inside (&area, px, py))
    {
      g_autoptr (GArray) readings = read_at (view, &area, width, height, px, py);

      paint_vertical (cr, &area, &theme->crosshair,
                      readings->len > 0 ? g_array_index (readings, Reading, 0).x : px);
      if (readings->len == 0)
        return;
      paint_dots (cr, theme, &area, readings);
      paint_readings (self, cr, theme, &area, readings, px, py, width, height);
      return;
    }
  mark = x_of_step (view, &area, width, height, self->mark);
  if (!isnan (mark))
    {
      g_autoptr (GArray) readings = read_at (view, &area, width, height, mark, 0);

      paint_vertical (cr, &area, &theme->crosshair, mark);
      paint_dots (cr, theme, &area, readings);
    }
}

/* ---- gestures ------------------------------------------------------------ */

static gint64
step_at (SondeView *view, double px, double py)
{
  int width = gtk_widget_get_width (GTK_WIDGET (view)),
      height = gtk_widget_get_height (GTK_WIDGET (view));
  g_autoptr (GArray) readings = NULL;
  SondeViewRect area;

  sonde_chart_get_area (width, height, &area);
  if (!is_inside (&area, px, py))
    return SONDE_SCALAR_NO_STEP;
  readings = read_at (view, &area, width, height, px, py);
  return readings->len > 0 ? g_array_index (readings, Reading, 0).point.step : SONDE_SCALAR_NO_STEP;
}

void
sonde_scalar_view_hover_changed (SondeView *view)
{
  double x, y;
  gboolean inside = sonde_view_get_pointer (view, &x, &y);

  g_signal_emit_by_name (view, "hovered-step",
                         inside ? step_at (view, x, y) : SONDE_SCALAR_NO_STEP);
}

static void
on_picked (SondeView *view, gint64 id, int n_presses, double x, double y)
{
  gint64 step = step_at (view, x, y);

  if (n_presses == 1 && step != SONDE_SCALAR_NO_STEP)
    g_signal_emit_by_name (view, "cursor-moved", step);
}

void
sonde_scalar_view_connect_click (SondeScalarView *view)
{
  g_signal_connect (view, "picked", G_CALLBACK (on_picked), NULL);
}

/* Steps that exist in any series, around the cursor. */
static void
collect_steps (SondeScalarView *self, gint64 step, GArray *steps)
{
  for (guint i = 0; i < self->items->len; i++)
    {
      const SondeScalarItem *item = self->items->pdata[i];
      guint64 n = sonde_series_get_n_points (item->series), low = 0, high = n;
      SondePoint point;

      /* Bisection; in a resumed series it still ends near the step. */
      while (low < high)
        {
          guint64 middle = low + (high - low) / 2;

          if (sonde_series_copy_points (item->series, middle, 1, &point) != 1)
            break;
          if (point.step < step)
            low = middle + 1;
          else
            high = middle;
        }
      for (guint64 k = low > 10 ? low - 10 : 0; k < MIN (low + 12, n); k++)
        if (sonde_series_copy_points (item->series, k, 1, &point) == 1)
          g_array_append_val (steps, point.step);
    }
}

static int
compare_steps (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

gboolean
sonde_scalar_view_move_cursor (SondeView *view, int count)
{
  SondeScalarView *self = (SondeScalarView *) view;
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 from = self->cursor == SONDE_SCALAR_NO_STEP ? 0 : self->cursor, step = from;
  int left = ABS (count);

  if (count == G_MININT || count == G_MAXINT)
    {
      gboolean found = FALSE;

      for (guint i = 0; i < self->items->len; i++)
        {
          gint64 first, last;
          double min, max;

          if (!sonde_series_get_range (((SondeScalarItem *) self->items->pdata[i])->series, &first,
                                       &last, &min, &max))
            continue;
          if (!found || (count == G_MININT ? first < step : last > step))
            step = count == G_MININT ? first : last;
          found = TRUE;
        }
      if (found)
        g_signal_emit_by_name (view, "cursor-moved", step);
      return TRUE;
    }
  collect_steps (self, from, steps);
  g_array_sort (steps, compare_steps);
  for (guint i = 0; i < steps->len && left > 0; i++)
    {
      gint64 next = g_array_index (steps, gint64, count > 0 ? i : steps->len - 1 - i);

      if (count > 0 ? next > step : next < step)
        {
          step = next;
          left--;
        }
    }
  if (step != from)
    g_signal_emit_by_name (view, "cursor-moved", step);
  return TRUE;
}
