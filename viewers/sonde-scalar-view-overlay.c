/* SPDX-License-Identifier: Apache-2.0
 * What follows the pointer in a scalar view: crosshair, the table beside it, the mark of other
 * charts; the cursors and how hands move them. */
#include "viewers/sonde-scalar-view-private.h"

#include <math.h>

#include "viewers/paint/curve/sonde-cursor-paint.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-curve-comparison.h"

#define GRIP 5 /* px beside a cursor in which it is taken hold of */
#define WHEEL_LINES 3

static gboolean
is_inside (const SondeViewRect *area, double x, double y)
{
  return x >= area->x && x <= area->x + area->width && y >= area->y && y <= area->y + area->height;
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
  sonde_scalar_view_get_axes (self, width, height, &x_axis, &y_axis);
  for (guint i = 0; i < self->items->len; i++)
    {
      double x = sonde_scalar_item_x_of_step (self->items->pdata[i], self->x, step);
      if (!isnan (x))
        return sonde_axis_x (&x_axis, area, x);
    }
  return NAN;
}

static void
paint_cursors (SondeScalarView *self, cairo_t *cr, const SondeViewRect *area, int width, int height)
{
  SondeCursors cursors
      = { .has_b = self->second != SONDE_SCALAR_NO_STEP, .b_is_active = self->moves_second };
  gint64 a = self->cursor, b = self->second;

  if (cursors.has_b)
    sonde_scalar_view_get_cursors (self, &a, &b);
  cursors.a = x_of_step (SONDE_VIEW (self), area, width, height, a);
  cursors.b = x_of_step (SONDE_VIEW (self), area, width, height, b);
  sonde_paint_cursors (cr, sonde_view_get_theme (SONDE_VIEW (self)), area, &cursors);
}

/* Filled where the step is that of the crosshair, hollow beside it. */
static void
paint_dots (cairo_t *cr, const SondeTheme *theme, const SondeViewRect *area, GArray *readings)
{
  guint nearest = sonde_scalar_view_find_nearest (readings);

  for (guint i = 0; i < readings->len; i++)
    {
      const SondeReading *reading = &g_array_index (readings, SondeReading, i);
      SondeStroke stroke = sonde_theme_series (theme, reading->item->color_index);
      gboolean there = reading->kind == SONDE_READING_THERE;

      if (!sonde_reading_has_value (reading) || !isfinite (reading->y)
          || !is_inside (area, reading->x, reading->y))
        continue;
      cairo_new_path (cr);
      cairo_arc (cr, reading->x, reading->y, i == nearest ? 4 : 3, 0, 2 * G_PI);
      sonde_paint_set_color (cr, there ? &stroke.color : &theme->card);
      cairo_fill_preserve (cr);
      sonde_paint_set_color (cr, there ? &theme->card : &stroke.color);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
    }
}

static void
paint_pointer (SondeScalarView *self, cairo_t *cr, const SondeTheme *theme,
               const SondeViewRect *area, int width, int height, double px, double py)
{
  g_autoptr (SondeReadout) readout = NULL;
  g_autoptr (GArray) readings = NULL;
  SondeAxis x_axis, y_axis;
  SondePlace place;

  readings = sonde_scalar_view_read_at (self, area, width, height, px, py, &place);
  if (readings->len == 0)
    {
      paint_vertical (cr, area, &theme->crosshair, px);
      return;
    }
  sonde_scalar_view_get_axes (self, width, height, &x_axis, &y_axis);
  paint_vertical (cr, area, &theme->crosshair, sonde_axis_x (&x_axis, area, place.x));
  paint_dots (cr, theme, area, readings);
  readout = sonde_scalar_view_make_readout (self, &place, readings, height);
  self->reading = sonde_readout_dup_text (readout);
  sonde_paint_readout (cr, theme, readout, px, py, width, height);
}

/* The step under the pointer of another chart: only points of that very step. */
static void
paint_mark (SondeScalarView *self, cairo_t *cr, const SondeTheme *theme, const SondeViewRect *area,
            int width, int height)
{
  g_autoptr (GArray) readings = sonde_scalar_view_read_step (self, area, width, height, self->mark);

  if (self->x == SONDE_SCALAR_X_STEP)
    paint_vertical (cr, area, &theme->crosshair,
                    x_of_step (SONDE_VIEW (self), area, width, height, self->mark));
  paint_dots (cr, theme, area, readings);
}

gboolean
sonde_scalar_view_find_place (SondeScalarView *self, const SondeViewRect *area, int width,
                              int height, double *px, double *py)
{
  SondeView *view = SONDE_VIEW (self);

  if (sonde_view_get_pointer (view, px, py) && is_inside (area, *px, *py))
    return TRUE;
  *px = x_of_step (view, area, width, height, self->moves_second ? self->second : self->cursor);
  *py = area->y + area->height / 2;
  return gtk_widget_has_visible_focus (GTK_WIDGET (view)) && is_inside (area, *px, *py);
}

/* What is still missing, in the corner that no other note has. */
static void
paint_progress (SondeScalarView *self, cairo_t *cr, const SondeTheme *theme,
                const SondeViewRect *area)
{
  g_autofree char *text
      = self->tells_progress ? sonde_scalar_view_dup_smoothing_progress (self) : NULL;
  double width, height, left = area->x + 6, middle = area->y + area->height - 12;

  if (text == NULL)
    return;
  width = MIN (sonde_text_measure (SONDE_FONT_SMALL, text, &height), area->width - 12);
  sonde_paint_set_color_alpha (cr, &theme->card, 0.85);
  cairo_rectangle (cr, left - 3, middle - height / 2 - 1, width + 6, height + 2);
  cairo_fill (cr);
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, left, middle, area->width - 12, text);
}

void
sonde_scalar_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeScalarView *self = (SondeScalarView *) view;
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeViewRect area;
  double px, py;

  sonde_view_get_area (SONDE_VIEW (view), width, height, &area);
  paint_progress (self, cr, theme, &area);
  paint_cursors (self, cr, &area, width, height);
  self->n_hidden = 0;
  g_clear_pointer (&self->reading, g_free);
  if (sonde_scalar_view_find_place (self, &area, width, height, &px, &py))
    paint_pointer (self, cr, theme, &area, width, height, px, py);
  else if (self->mark != SONDE_SCALAR_NO_STEP)
    paint_mark (self, cr, theme, &area, width, height);
}

/* ---- the second cursor --------------------------------------------------- */

void
sonde_scalar_view_set_second (SondeScalarView *view, gint64 step)
{
  g_return_if_fail (view != NULL);
  if (view->second == step)
    return;
  view->second = step;
  view->moves_second = view->moves_second && step != SONDE_SCALAR_NO_STEP;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

static gboolean
find_last_step (SondeScalarView *view, gint64 *step)
{
  gboolean found = FALSE;

  for (guint i = 0; i < view->items->len; i++)
    {
      gint64 first, last;
      double min, max;

      if (!sonde_series_get_range (((SondeScalarItem *) view->items->pdata[i])->series, &first,
                                   &last, &min, &max))
        continue;
      *step = found ? MAX (*step, last) : last;
      found = TRUE;
    }
  return found;
}

gboolean
sonde_scalar_view_get_cursors (SondeScalarView *view, gint64 *a, gint64 *b)
{
  gint64 last;
  gboolean found;

  g_return_val_if_fail (view != NULL, FALSE);
  found = find_last_step (view, &last);
  *b = view->second;
  *a = view->cursor != SONDE_SCALAR_NO_STEP || !found ? view->cursor : last;
  return found;
}

static void
move_active (SondeScalarView *self, gint64 step)
{
  g_signal_emit_by_name (self, self->moves_second ? "second-moved" : "cursor-moved", step);
}

/* The first press puts B where A is; each further one changes which of both the keys move. */
static gboolean
on_second_key (GtkWidget *widget, GVariant *arguments, void *user_data)
{
  SondeScalarView *self = (SondeScalarView *) widget;
  gint64 a, b;

  if (!sonde_scalar_view_get_cursors (self, &a, &b))
    return FALSE;
  self->moves_second = b == SONDE_SCALAR_NO_STEP || !self->moves_second;
  if (b == SONDE_SCALAR_NO_STEP)
    g_signal_emit_by_name (self, "second-moved", a);
  sonde_view_invalidate_overlay (SONDE_VIEW (self));
  return TRUE;
}

static gboolean
on_clear_key (GtkWidget *widget, GVariant *arguments, void *user_data)
{
  if (sonde_scalar_view_leave_legend ((SondeScalarView *) widget))
    return TRUE;
  if (((SondeScalarView *) widget)->second == SONDE_SCALAR_NO_STEP)
    return FALSE;
  g_signal_emit_by_name (widget, "second-moved", SONDE_SCALAR_NO_STEP);
  return TRUE;
}

/* ---- the lines of the table ---------------------------------------------- */

void
sonde_scalar_view_set_order (SondeScalarView *view, int order)
{
  g_return_if_fail (view != NULL);
  view->order = order;
  view->first_line = 0;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

/* FALSE: all lines are to be seen, and who scrolls means something else. */
static gboolean
scroll_lines (SondeScalarView *self, int lines)
{
  int first = (int) self->first_line + lines;

  if (self->n_hidden == 0)
    return FALSE;
  self->first_line = (guint) CLAMP (first, 0, (int) self->n_hidden);
  sonde_view_invalidate_overlay (SONDE_VIEW (self));
  return TRUE;
}

void
sonde_scalar_view_scroll (SondeView *view, double dy)
{
  double x, y;

  if (sonde_view_get_pointer (view, &x, &y) && sonde_scalar_view_takes_wheel (view, x, y))
    sonde_scalar_view_scroll_legend ((SondeScalarView *) view, dy > 0 ? 1 : -1);
  else
    scroll_lines ((SondeScalarView *) view, dy > 0 ? WHEEL_LINES : -WHEEL_LINES);
}

static gboolean
on_page_key (GtkWidget *widget, GVariant *arguments, void *user_data)
{
  SondeScalarView *self = (SondeScalarView *) widget;
  int page = (int) MAX (self->n_lines, 2) - 1;

  return scroll_lines (self, g_variant_get_int32 (arguments) * page);
}

void
sonde_scalar_view_add_keys (GtkWidgetClass *widget_class)
{
  gtk_widget_class_add_binding (widget_class, GDK_KEY_d, 0, on_second_key, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, 0, on_clear_key, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Page_Up, 0, on_page_key, "i", -1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Page_Down, 0, on_page_key, "i", 1);
}

/* ---- below an image for a file ------------------------------------------- */

/* (element-type SondeComparedCurve) (transfer full) */
static GArray *
list_curves (SondeScalarView *self)
{
  GArray *curves = g_array_new (FALSE, FALSE, sizeof (SondeComparedCurve));

  for (guint i = 0; i < self->items->len; i++)
    {
      const SondeScalarItem *item = self->items->pdata[i];
      SondeComparedCurve curve = { item->series, item->title, item->color_index };

      if (!item->is_bound)
        g_array_append_val (curves, curve);
    }
  return curves;
}

int
sonde_scalar_view_measure_appendix (SondeView *view, int width, int height)
{
  SondeScalarView *self = (SondeScalarView *) view;
  g_autoptr (GArray) curves = list_curves (self);

  return self->second != SONDE_SCALAR_NO_STEP ? sonde_curve_comparison_measure (curves->len, height)
                                              : 0;
}

void
sonde_scalar_view_paint_appendix (SondeView *view, cairo_t *cr, int width, int height, int room)
{
  SondeScalarView *self = (SondeScalarView *) view;
  g_autoptr (GArray) curves = list_curves (self);
  SondeViewRect area;
  gint64 a, b;

  sonde_scalar_view_get_cursors (self, &a, &b);
  sonde_view_get_area (view, width, height - room, &area);
  paint_cursors (self, cr, &area, width, height - room);
  sonde_curve_comparison_paint (cr, sonde_view_get_theme (view),
                                (const SondeComparedCurve *) curves->data, curves->len, a, b, width,
                                height);
}

/* ---- gestures ------------------------------------------------------------ */

static gint64
step_at (SondeView *view, double px, double py)
{
  int width = sonde_view_get_width (view), height = sonde_view_get_height (view);
  g_autoptr (GArray) readings = NULL;
  SondeViewRect area;
  SondePlace place;

  sonde_view_get_area (SONDE_VIEW (view), width, height, &area);
  if (!is_inside (&area, px, py))
    return SONDE_SCALAR_NO_STEP;
  readings
      = sonde_scalar_view_read_at ((SondeScalarView *) view, &area, width, height, px, py, &place);
  return readings->len > 0 ? place.step : SONDE_SCALAR_NO_STEP;
}

/* FALSE: none of the cursors is at @x px. @second: (out): the second one is */
static gboolean
find_cursor (SondeScalarView *self, double x, double y, gboolean *second)
{
  int width = sonde_view_get_width (SONDE_VIEW (self)),
      height = sonde_view_get_height (SONDE_VIEW (self));
  SondeViewRect area;
  double to_a, to_b;

  sonde_view_get_area (SONDE_VIEW (self), width, height, &area);
  if (!is_inside (&area, x, y))
    return FALSE;
  to_a = fabs (x_of_step (SONDE_VIEW (self), &area, width, height, self->cursor) - x);
  to_b = fabs (x_of_step (SONDE_VIEW (self), &area, width, height, self->second) - x);
  *second = to_b <= GRIP && !(to_a < to_b);
  return *second || to_a <= GRIP;
}

/* The pointer says that a cursor can be moved. */
static void
update_pointer (SondeScalarView *self, gboolean inside, double x, double y)
{
  gboolean second, on_cursor = inside && find_cursor (self, x, y, &second);

  if (on_cursor == self->is_on_cursor)
    return;
  self->is_on_cursor = on_cursor;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), on_cursor ? "ew-resize" : NULL);
}

void
sonde_scalar_view_hover_changed (SondeView *view)
{
  double x, y;
  gboolean inside = sonde_view_get_pointer (view, &x, &y);

  update_pointer ((SondeScalarView *) view, inside, x, y);
  g_signal_emit_by_name (view, "hovered-step",
                         inside ? step_at (view, x, y) : SONDE_SCALAR_NO_STEP);
  if (!inside)
    ((SondeScalarView *) view)->first_line = 0;
  if (!inside)
    sonde_scalar_view_forget ((SondeScalarView *) view);
}

static void
on_picked (SondeView *view, gint64 id, int n_presses, double x, double y)
{
  SondeScalarView *self = (SondeScalarView *) view;
  gint64 step = step_at (view, x, y);

  if (sonde_scalar_view_click_legend (self, x, y,
                                      sonde_view_get_click_state (view) & GDK_CONTROL_MASK))
    return;
  if (n_presses != 1 || step == SONDE_SCALAR_NO_STEP)
    return;
  self->moves_second = (sonde_view_get_click_state (view) & GDK_SHIFT_MASK) != 0;
  move_active (self, step);
}

/* A hand that leaves the chart while it drags goes on along its edge. */
static void
drag_to (SondeScalarView *self, double x, double y)
{
  SondeViewRect area;
  gint64 step;

  sonde_view_get_area (SONDE_VIEW (self), sonde_view_get_width (SONDE_VIEW (self)),
                       sonde_view_get_height (SONDE_VIEW (self)), &area);
  step = step_at (SONDE_VIEW (self), CLAMP (x, area.x, area.x + area.width),
                  CLAMP (y, area.y, area.y + area.height));
  if (step != SONDE_SCALAR_NO_STEP && step != (self->moves_second ? self->second : self->cursor))
    move_active (self, step);
}

gboolean
sonde_scalar_view_drag (SondeView *view, SondeViewDrag phase, double x, double y,
                        GdkModifierType state)
{
  SondeScalarView *self = (SondeScalarView *) view;
  gboolean second;

  if (phase == SONDE_VIEW_DRAG_BEGIN)
    {
      if (!find_cursor (self, x, y, &second))
        return FALSE;
      self->moves_second = second;
    }
  else if (phase == SONDE_VIEW_DRAG_MOVE)
    drag_to (self, x, y);
  return TRUE;
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
  gint64 now = self->moves_second ? self->second : self->cursor,
         from = now == SONDE_SCALAR_NO_STEP ? 0 : now, step = from;
  int left = ABS (count);

  if (sonde_scalar_view_move_in_legend (self, count))
    return TRUE;
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
        move_active (self, step);
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
    move_active (self, step);
  return TRUE;
}
