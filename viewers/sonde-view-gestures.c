/* SPDX-License-Identifier: Apache-2.0
 * Gestures of a view: wheel, drag, click, pinch, hover. */
#include "viewers/sonde-view-private.h"

#include <math.h>

#include "data/base/sonde-text.h"

#define WHEEL_STEP 0.15 /* natural logarithm of the zoom of one notch */
#define PAN_STEP 60     /* px of one notch with Shift */
#define CLICK_SLOP 4    /* px a press may move and still be a click */

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewPick pick = { .id = SONDE_VIEW_NOTHING };
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);

  priv->reads_keys &= priv->has_pointer && x == priv->pointer_x && y == priv->pointer_y;
  priv->has_pointer = TRUE;
  priv->pointer_x = sonde_view_from_widget (view, x);
  priv->pointer_y = sonde_view_from_widget (view, y);
  if (class->pick != NULL && !class->pick (view, priv->pointer_x, priv->pointer_y, &pick))
    pick.id = SONDE_VIEW_NOTHING;
  sonde_view_set_hovered (view, pick.id);
}

static void
on_enter (GtkEventControllerMotion *controller, double x, double y, SondeView *view)
{
  on_motion (controller, x, y, view);
}

static void
on_leave (GtkEventControllerMotion *controller, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  priv->has_pointer = FALSE;
  sonde_view_set_hovered (view, SONDE_VIEW_NOTHING);
}

static void
scroll_rows (SondeView *view, double dy)
{
  if (SONDE_VIEW_GET_CLASS (view)->scroll != NULL)
    SONDE_VIEW_GET_CLASS (view)->scroll (view, dy);
}

static gboolean
takes_wheel (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);

  return class->takes_wheel != NULL && class->takes_wheel (view, priv->pointer_x, priv->pointer_y);
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  GdkModifierType state
      = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  double factor = exp (-dy * WHEEL_STEP);

  if ((state & GDK_ALT_MASK && priv->zoom != SONDE_VIEW_ZOOM_ROWS) || takes_wheel (view))
    {
      scroll_rows (view, (dy != 0 ? dy : dx) * PAN_STEP);
      return GDK_EVENT_STOP;
    }
  if (!sonde_view_can_zoom (priv) || (priv->wheel_needs_control && !(state & GDK_CONTROL_MASK)))
    return GDK_EVENT_PROPAGATE;
  if (state & GDK_SHIFT_MASK)
    {
      /* Some systems turn Shift+wheel into a sideways wheel themselves. */
      sonde_view_pan (view, -(dx != 0 ? dx : dy) * PAN_STEP, 0);
      return GDK_EVENT_STOP;
    }
  if (dy == 0)
    {
      sonde_view_pan (view, -dx * PAN_STEP, 0);
      return GDK_EVENT_STOP;
    }
  if (priv->zoom == SONDE_VIEW_ZOOM_ROWS && !(state & GDK_CONTROL_MASK))
    {
      sonde_view_pan (view, -dx * PAN_STEP, 0);
      scroll_rows (view, dy * PAN_STEP);
      return GDK_EVENT_STOP;
    }
  if (state & GDK_CONTROL_MASK && priv->zoom == SONDE_VIEW_ZOOM_XY)
    sonde_view_zoom_at (view, priv->pointer_x, priv->pointer_y, 1, factor);
  else
    sonde_view_zoom_at (view, priv->pointer_x, priv->pointer_y, factor,
                        priv->zoom == SONDE_VIEW_ZOOM_UNIFORM ? factor : 1);
  return GDK_EVENT_STOP;
}

/* A wheel turned many notches is one place on the way back. */
static void
on_scroll_begin (GtkEventControllerScroll *controller, SondeView *view)
{
  if (sonde_view_can_zoom (sonde_view_get_private (view)))
    sonde_view_remember_place (view);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  gtk_widget_grab_focus (GTK_WIDGET (view));
  priv->drag_x = sonde_view_from_widget (view, x);
  priv->drag_y = sonde_view_from_widget (view, y);
  priv->drag_dx = priv->drag_dy = 0;
}

/* The stretch between where the drag began and where it is. */
static void
select_range (SondeView *view, gboolean done)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  double x0, x1, y;

  sonde_view_view_to_world (view, priv->drag_x, 0, &x0, &y);
  sonde_view_view_to_world (view, priv->drag_x + priv->drag_dx, 0, &x1, &y);
  if (SONDE_VIEW_GET_CLASS (view)->select_range != NULL)
    SONDE_VIEW_GET_CLASS (view)->select_range (view, MIN (x0, x1), MAX (x0, x1), done);
}

/* What the child does with a drag, at its present place. */
static gboolean
tell_drag (SondeView *view, SondeViewDrag phase, GdkModifierType state)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);

  return class->drag != NULL
         && class->drag (view, phase, priv->drag_x + priv->drag_dx, priv->drag_y + priv->drag_dy,
                         state);
}

static void
begin_dragging (GtkGesture *gesture, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  GdkModifierType state
      = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  SondeViewRect area;

  sonde_view_get_area (view, sonde_view_get_width (view), sonde_view_get_height (view), &area);
  priv->dragging = TRUE;
  priv->selecting_range
      = priv->zoom == SONDE_VIEW_ZOOM_ROWS && (state & GDK_SHIFT_MASK || priv->drag_y < area.y);
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  priv->drag_is_taken = tell_drag (view, SONDE_VIEW_DRAG_BEGIN, state);
  if (priv->drag_is_taken)
    return;
  if (priv->zoom == SONDE_VIEW_ZOOM_UNIFORM || priv->zoom == SONDE_VIEW_ZOOM_ROWS)
    sonde_view_remember_place (view);
}

static void
on_drag_update (GtkGestureDrag *gesture, double widget_dx, double widget_dy, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  double dx = sonde_view_from_widget (view, widget_dx),
         dy = sonde_view_from_widget (view, widget_dy);

  if (!sonde_view_can_zoom (priv))
    return;
  if (!priv->dragging && hypot (dx, dy) < CLICK_SLOP)
    return;
  if (!priv->dragging)
    begin_dragging (GTK_GESTURE (gesture), view);
  if (priv->drag_is_taken)
    ; /* by the child, below */
  else if (priv->zoom == SONDE_VIEW_ZOOM_UNIFORM)
    sonde_view_pan (view, dx - priv->drag_dx, dy - priv->drag_dy);
  else if (priv->zoom == SONDE_VIEW_ZOOM_ROWS && !priv->selecting_range)
    {
      sonde_view_pan (view, dx - priv->drag_dx, 0);
      scroll_rows (view, priv->drag_dy - dy);
    }
  priv->drag_dx = dx;
  priv->drag_dy = dy;
  if (priv->drag_is_taken)
    tell_drag (view, SONDE_VIEW_DRAG_MOVE, 0);
  if (priv->selecting_range)
    select_range (view, FALSE);
  sonde_view_invalidate_overlay (view);
}

static void
zoom_to_box (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewport v, box;
  gboolean x = fabs (priv->drag_dx) >= CLICK_SLOP;
  gboolean y = fabs (priv->drag_dy) >= 12 && priv->zoom == SONDE_VIEW_ZOOM_XY;
  double left = MIN (priv->drag_x, priv->drag_x + priv->drag_dx),
         right = left + fabs (priv->drag_dx);
  double top = MIN (priv->drag_y, priv->drag_y + priv->drag_dy),
         bottom = top + fabs (priv->drag_dy);

  sonde_view_get_viewport (view, &v);
  sonde_view_view_to_world (view, left, top, &box.x0, &box.y0);
  sonde_view_view_to_world (view, right, bottom, &box.x1, &box.y1);
  sonde_view_remember_place (view);
  sonde_view_change_viewport (view, &box, x, y);
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  if (!priv->dragging)
    return;
  priv->dragging = FALSE;
  if (priv->drag_is_taken)
    tell_drag (view, SONDE_VIEW_DRAG_END, 0);
  else if (priv->selecting_range)
    select_range (view, TRUE);
  else if (priv->zoom != SONDE_VIEW_ZOOM_UNIFORM && priv->zoom != SONDE_VIEW_ZOOM_ROWS)
    zoom_to_box (view);
  priv->selecting_range = priv->drag_is_taken = FALSE;
  sonde_view_invalidate_overlay (view);
}

static void
on_drag_cancel (GtkGesture *gesture, GdkEventSequence *sequence, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  if (priv->drag_is_taken)
    tell_drag (view, SONDE_VIEW_DRAG_CANCEL, 0);
  priv->dragging = priv->selecting_range = priv->drag_is_taken = FALSE;
  sonde_view_invalidate_overlay (view);
}

static void
on_released (GtkGestureClick *gesture, int n_presses, double widget_x, double widget_y,
             SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  double x = sonde_view_from_widget (view, widget_x), y = sonde_view_from_widget (view, widget_y);
  SondeViewPick pick;
  gint64 id = SONDE_VIEW_NOTHING;

  if (hypot (priv->drag_dx, priv->drag_dy) >= CLICK_SLOP)
    return;
  priv->click_state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  if (class->pick != NULL && class->pick (view, x, y, &pick))
    id = pick.id;
  if (n_presses == 2
      && (id == SONDE_VIEW_NOTHING
          || (priv->zoom != SONDE_VIEW_ZOOM_UNIFORM && priv->zoom != SONDE_VIEW_ZOOM_ROWS)))
    sonde_view_zoom_fit (view);
  g_signal_emit_by_name (view, "picked", id, n_presses, x, y);
}

static void
on_pinch_begin (GtkGesture *gesture, GdkEventSequence *sequence, SondeView *view)
{
  sonde_view_get_private (view)->pinch = 1;
  sonde_view_remember_place (view);
}

static void
on_pinch (GtkGestureZoom *gesture, double scale, SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  double x, y, factor = scale / priv->pinch;

  if (!gtk_gesture_get_bounding_box_center (GTK_GESTURE (gesture), &x, &y))
    return;
  sonde_view_zoom_at (view, sonde_view_from_widget (view, x), sonde_view_from_widget (view, y),
                      factor, priv->zoom == SONDE_VIEW_ZOOM_UNIFORM ? factor : 1);
  priv->pinch = scale;
}

/* ---- the menu ------------------------------------------------------------ */

static GMenuModel *
make_menu (SondeViewPrivate *priv)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) zoom = g_menu_new (), copy = g_menu_new ();

  g_menu_append (zoom, _ ("Fit"), "view.fit");
  g_menu_append (zoom, _ ("Back"), "view.back");
  g_menu_append (copy, _ ("Copy Values"), "view.copy");
  g_menu_append (copy, _ ("Copy Image"), "view.copy-image");
  g_menu_append (copy, _ ("Export…"), "view.export");
  if (priv->menu_model != NULL)
    g_menu_append_section (menu, NULL, priv->menu_model);
  if (sonde_view_can_zoom (priv))
    g_menu_append_section (menu, NULL, G_MENU_MODEL (zoom));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (copy));
  return G_MENU_MODEL (menu);
}

void
sonde_view_set_menu (SondeView *view, GMenuModel *model)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_return_if_fail (SONDE_IS_VIEW (view));
  g_set_object (&priv->menu_model, model);
  g_clear_pointer (&priv->menu, gtk_widget_unparent);
}

static gboolean
on_menu_rested (void *user_data)
{
  SondeViewPrivate *priv = user_data;

  priv->menu_source = 0;
  if (priv->menu != NULL && !gtk_widget_get_visible (priv->menu))
    g_clear_pointer (&priv->menu, gtk_widget_unparent);
  return G_SOURCE_REMOVE;
}

/* Hundreds of views would keep a menu each. */
static void
on_menu_closed (GtkPopover *menu, SondeViewPrivate *priv)
{
  g_clear_handle_id (&priv->menu_source, g_source_remove);
  priv->menu_source = g_timeout_add (SONDE_POPOVER_REST, on_menu_rested, priv);
}

/* At (x, y) px of the widget. */
static void
popup_menu (SondeView *view, gint64 id, double x, double y)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_signal_emit_by_name (view, "menu", id);
  if (priv->menu == NULL)
    {
      g_autoptr (GMenuModel) menu = make_menu (priv);

      priv->menu = gtk_popover_menu_new_from_model (menu);
      gtk_popover_set_has_arrow (GTK_POPOVER (priv->menu), FALSE);
      gtk_widget_set_halign (priv->menu, GTK_ALIGN_START);
      gtk_widget_set_parent (priv->menu, GTK_WIDGET (view));
      g_signal_connect (priv->menu, "closed", G_CALLBACK (on_menu_closed), priv);
    }
  gtk_popover_set_pointing_to (GTK_POPOVER (priv->menu), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (priv->menu));
}

void
sonde_view_popup_menu (SondeView *view)
{
  g_return_if_fail (SONDE_IS_VIEW (view));
  popup_menu (view, sonde_view_get_selection (view), gtk_widget_get_width (GTK_WIDGET (view)) / 2.0,
              gtk_widget_get_height (GTK_WIDGET (view)) / 2.0);
}

static void
on_secondary (GtkGestureClick *gesture, int n_presses, double x, double y, SondeView *view)
{
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  SondeViewPick pick;

  popup_menu (view,
              class->pick != NULL
                      && class->pick (view, sonde_view_from_widget (view, x),
                                      sonde_view_from_widget (view, y), &pick)
                  ? pick.id
                  : SONDE_VIEW_NOTHING,
              x, y);
}

const SondeViewHandler sonde_view_handlers[] = {
  { SONDE_VIEW_MOTION, "enter", G_CALLBACK (on_enter) },
  { SONDE_VIEW_MOTION, "motion", G_CALLBACK (on_motion) },
  { SONDE_VIEW_MOTION, "leave", G_CALLBACK (on_leave) },
  { SONDE_VIEW_SCROLL, "scroll-begin", G_CALLBACK (on_scroll_begin) },
  { SONDE_VIEW_SCROLL, "scroll", G_CALLBACK (on_scroll) },
  { SONDE_VIEW_DRAG, "drag-begin", G_CALLBACK (on_drag_begin) },
  { SONDE_VIEW_DRAG, "drag-update", G_CALLBACK (on_drag_update) },
  { SONDE_VIEW_DRAG, "drag-end", G_CALLBACK (on_drag_end) },
  { SONDE_VIEW_DRAG, "cancel", G_CALLBACK (on_drag_cancel) },
  { SONDE_VIEW_CLICK, "released", G_CALLBACK (on_released) },
  { SONDE_VIEW_SECONDARY, "pressed", G_CALLBACK (on_secondary) },
  { SONDE_VIEW_PINCH, "begin", G_CALLBACK (on_pinch_begin) },
  { SONDE_VIEW_PINCH, "scale-changed", G_CALLBACK (on_pinch) },
  { 0 },
};
