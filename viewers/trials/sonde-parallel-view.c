/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/trials/sonde-parallel-view.h"

#include <math.h>

#include "data/base/sonde-text.h"

#define NEAR_AXIS 12.0 /* px */
#define NEAR_LINE 6.0
#define KEY_STEP 0.05 /* of an axis, by a key */
#define KEY_BRUSH 0.25

struct _SondeParallelView
{
  SondeTrialView parent_instance;
  int focused; /* axis that has the keys */
  int dragged; /* axis, -1: none */
  double drag_place;
};

G_DEFINE_FINAL_TYPE (SondeParallelView, sonde_parallel_view, SONDE_TYPE_TRIAL_VIEW)

static const SondeParallel *
get_drawing (SondeParallelView *view)
{
  return sonde_trial_view_get_drawing (SONDE_TRIAL_VIEW (view));
}

/* ---- painting ------------------------------------------------------------ */

static void
sonde_parallel_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  SondeParallel drawing = *get_drawing (view);

  drawing.focused = gtk_widget_has_focus (GTK_WIDGET (view)) ? view->focused : -1;
  sonde_paint_parallel (cr, sonde_view_get_theme (base), &drawing, width, height);
}

static void
sonde_parallel_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  const SondeParallel *drawing = get_drawing (SONDE_PARALLEL_VIEW (base));
  gint64 hovered = sonde_view_get_hovered (base);

  if (hovered >= 0 && hovered < drawing->n_lines)
    sonde_paint_parallel_line (cr, sonde_view_get_theme (base), drawing, (guint) hovered, width,
                               height);
}

/* ---- under the pointer --------------------------------------------------- */

static int
find_axis (SondeParallelView *view, double x)
{
  guint n = sonde_trial_view_get_n_axes (SONDE_TRIAL_VIEW (view));
  int width = sonde_view_get_width (SONDE_VIEW (view));

  for (guint k = 0; k < n; k++)
    if (fabs (sonde_parallel_get_x (k, n, width) - x) <= NEAR_AXIS)
      return (int) k;
  return -1;
}

/* px from the top where the line meets the axis; NaN: it does not */
static double
get_height (const SondeParallel *drawing, guint line, guint axis, int height)
{
  double value = drawing->values[(gsize) line * drawing->n_axes + axis];

  return sonde_parallel_get_y (sonde_parallel_get_place (&drawing->axes[axis], value), height);
}

static gboolean
sonde_parallel_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  const SondeParallel *drawing = get_drawing (SONDE_PARALLEL_VIEW (base));
  int width = sonde_view_get_width (base);
  int height = sonde_view_get_height (base);
  double nearest = NEAR_LINE, at, share;
  guint n = drawing->n_axes, k = 0;

  if (n < 2 || x < SONDE_PARALLEL_SIDE || x > width - SONDE_PARALLEL_SIDE)
    return FALSE;
  while (k + 2 < n && x > sonde_parallel_get_x (k + 1, n, width))
    k++;
  at = sonde_parallel_get_x (k, n, width);
  share = (x - at) / (sonde_parallel_get_x (k + 1, n, width) - at);
  for (guint i = 0; i < drawing->n_lines; i++)
    {
      double left = get_height (drawing, i, k, height),
             right = get_height (drawing, i, k + 1, height);
      double away = fabs (left + (right - left) * share - y);

      if (!(away < nearest) || !sonde_parallel_is_in (drawing, i))
        continue;
      nearest = away;
      pick->id = i;
      pick->area = (SondeViewRect){ x - 4, y - 4, 8, 8 };
    }
  return nearest < NEAR_LINE;
}

/* ---- brushes ------------------------------------------------------------- */

static void
set_brush_places (SondeParallelView *view, guint k, double from, double to)
{
  SondeParallelAxis axis = get_drawing (view)->axes[k];

  sonde_trial_view_set_brush (SONDE_TRIAL_VIEW (view), k, sonde_parallel_get_value (&axis, from),
                              sonde_parallel_get_value (&axis, to));
}

static void
on_drag_begin (SondeParallelView *view, double widget_x, double widget_y, GtkGesture *gesture)
{
  double x = sonde_view_from_widget (SONDE_VIEW (view), widget_x),
         y = sonde_view_from_widget (SONDE_VIEW (view), widget_y);
  int height = sonde_view_get_height (SONDE_VIEW (view));

  view->dragged = find_axis (view, x);
  if (view->dragged < 0)
    {
      gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  view->focused = view->dragged;
  view->drag_place = sonde_parallel_get_place_at (y, height);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
on_drag_update (SondeParallelView *view, double dx, double dy, GtkGestureDrag *gesture)
{
  int height = sonde_view_get_height (SONDE_VIEW (view));
  double x, y, place;

  if (view->dragged < 0 || (guint) view->dragged >= get_drawing (view)->n_axes)
    return;
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  place = sonde_parallel_get_place_at (sonde_view_from_widget (SONDE_VIEW (view), y + dy), height);
  set_brush_places (view, (guint) view->dragged, fmin (place, view->drag_place),
                    fmax (place, view->drag_place));
}

/* A click without a drag takes the brush away. */
static void
on_drag_end (SondeParallelView *view, double dx, double dy)
{
  if (view->dragged >= 0 && (guint) view->dragged < get_drawing (view)->n_axes && fabs (dy) < 3)
    sonde_trial_view_set_brush (SONDE_TRIAL_VIEW (view), (guint) view->dragged, 1, 0);
  view->dragged = -1;
}

/* ---- keys ---------------------------------------------------------------- */

static gboolean
sonde_parallel_view_move_cursor (SondeView *base, int count)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  int last = (int) get_drawing (view)->n_axes - 1;
  gint64 wanted = (gint64) view->focused + count;

  if (last < 0)
    return FALSE;
  view->focused = (int) CLAMP (wanted, 0, last);
  sonde_view_invalidate (base);
  return TRUE;
}

static gboolean
move_brush (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (widget);
  SondeParallelAxis axis;
  double from = 1 - KEY_BRUSH, to = 1, by;
  gboolean upper;

  g_variant_get (arguments, "(db)", &by, &upper);
  if ((guint) view->focused >= get_drawing (view)->n_axes)
    return FALSE;
  axis = get_drawing (view)->axes[view->focused];
  if (axis.has_brush)
    {
      from = sonde_parallel_get_place (&axis, axis.from);
      to = sonde_parallel_get_place (&axis, axis.to);
      by = CLAMP (by, upper ? from - to : -from, 1 - to);
      from += upper ? 0 : by;
      to += by;
    }
  set_brush_places (view, (guint) view->focused, from, to);
  return TRUE;
}

static guint
sonde_parallel_view_list_focused (SondeTrialView *base, guint *axes)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);

  axes[0] = (guint) view->focused;
  return axes[0] < sonde_trial_view_get_n_axes (base) ? 1 : 0;
}

/* ---- text ---------------------------------------------------------------- */

static char *
sonde_parallel_view_describe (SondeView *base)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  const SondeParallel *drawing = get_drawing (view);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("Parallel coordinates: %u of %u runs over %u axes"),
                          sonde_trial_view_count_in (SONDE_TRIAL_VIEW (view)), drawing->n_lines,
                          drawing->n_axes);
  if ((guint) view->focused < drawing->n_axes)
    g_string_append_printf (text, _ (", keys for %s"), drawing->axes[view->focused].title);
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

/* ---- making -------------------------------------------------------------- */

static void
sonde_parallel_view_class_init (SondeParallelViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  view->paint = sonde_parallel_view_paint;
  view->paint_overlay = sonde_parallel_view_paint_overlay;
  view->pick = sonde_parallel_view_pick;
  view->move_cursor = sonde_parallel_view_move_cursor;
  view->describe = sonde_parallel_view_describe;
  SONDE_TRIAL_VIEW_CLASS (klass)->list_focused = sonde_parallel_view_list_focused;
  gtk_widget_class_add_binding (widget, GDK_KEY_Up, 0, move_brush, "(db)", KEY_STEP, FALSE);
  gtk_widget_class_add_binding (widget, GDK_KEY_Down, 0, move_brush, "(db)", -KEY_STEP, FALSE);
  gtk_widget_class_add_binding (widget, GDK_KEY_Up, GDK_SHIFT_MASK, move_brush, "(db)", KEY_STEP,
                                TRUE);
  gtk_widget_class_add_binding (widget, GDK_KEY_Down, GDK_SHIFT_MASK, move_brush, "(db)", -KEY_STEP,
                                TRUE);
}

static void
sonde_parallel_view_init (SondeParallelView *view)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  view->dragged = -1;
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin), view);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update), view);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (on_drag_end), view);
  gtk_widget_add_controller (GTK_WIDGET (view), GTK_EVENT_CONTROLLER (drag));
}

GtkWidget *
sonde_parallel_view_new (void)
{
  return g_object_new (SONDE_TYPE_PARALLEL_VIEW, NULL);
}
