/* SPDX-License-Identifier: Apache-2.0
 * Turning in space, marking with box and lasso, keys. */
#include "viewers/scatter/sonde-scatter-view-private.h"

#include <math.h>

#define RADIANS_A_PIXEL 0.01
#define RADIANS_A_KEY (G_PI / 18)
#define LEAST_STEP 3 /* px between corners of a lasso */

typedef struct
{
  double x, y;
} Corner;

static Corner
get_corner (const GArray *outline, guint i)
{
  return (Corner){ g_array_index (outline, double, 2 * i),
                   g_array_index (outline, double, 2 * i + 1) };
}

static void
add_corner (GArray *outline, double x, double y)
{
  g_array_append_val (outline, x);
  g_array_append_val (outline, y);
}

/* By the number of edges to the right of the point. */
static gboolean
is_inside (const GArray *outline, double x, double y)
{
  guint n = outline->len / 2;
  gboolean inside = FALSE;

  for (guint i = 0; i < n; i++)
    {
      Corner a = get_corner (outline, i), b = get_corner (outline, (i + 1) % n);

      if ((a.y > y) != (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
        inside = !inside;
    }
  return inside;
}

/* ---- marks --------------------------------------------------------------- */

static int
compare_points (const void *a, const void *b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return x < y ? -1 : x > y;
}

void
sonde_scatter_view_set_marks (SondeScatterView *view, const guint32 *points, gsize n)
{
  g_return_if_fail (view != NULL);
  if (n == 0 && view->marks->len == 0)
    return;
  g_array_set_size (view->marks, 0);
  for (gsize i = 0; i < n; i++)
    if (points[i] < view->n)
      g_array_append_val (view->marks, points[i]);
  g_array_sort (view->marks, compare_points);
  sonde_view_invalidate (SONDE_VIEW (view));
  g_signal_emit_by_name (view, "marks-changed");
}

const guint32 *
sonde_scatter_view_get_marks (SondeScatterView *view, gsize *n)
{
  g_return_val_if_fail (view != NULL, NULL);
  *n = view->marks->len;
  return (const guint32 *) (const void *) view->marks->data;
}

static void
mark_inside (SondeScatterView *view)
{
  g_autoptr (GArray) inside = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < view->n; i++)
    {
      double x, y;

      sonde_scatter_view_get_place (view, i, &x, &y);
      if (is_inside (view->outline, x, y))
        g_array_append_val (inside, i);
    }
  sonde_scatter_view_set_marks (view, (const guint32 *) (const void *) inside->data, inside->len);
}

void
sonde_scatter_view_set_lasso (SondeScatterView *view, gboolean lasso)
{
  g_return_if_fail (view != NULL);
  view->lasso = lasso;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (view), lasso ? "crosshair" : NULL);
}

/* ---- turning ------------------------------------------------------------- */

void
sonde_scatter_view_turn (SondeScatterView *view, double right, double up)
{
  g_return_if_fail (view != NULL);
  if (view->dims != 3)
    return;
  view->yaw = remainder (view->yaw + right, 2 * G_PI);
  view->pitch = CLAMP (view->pitch + up, -G_PI / 2, G_PI / 2);
  sonde_scatter_view_turn_points (view);
  sonde_view_invalidate (SONDE_VIEW (view));
}

/* ---- drag ---------------------------------------------------------------- */

static gboolean
begin_drag (SondeScatterView *view, double x, double y, GdkModifierType state)
{
  g_array_set_size (view->outline, 0);
  view->boxing = (state & GDK_SHIFT_MASK) != 0;
  view->turning = FALSE;
  if (view->boxing)
    for (int i = 0; i < 4; i++)
      add_corner (view->outline, x, y);
  else if (view->lasso || state & GDK_CONTROL_MASK)
    add_corner (view->outline, x, y);
  else
    view->turning = view->dims == 3;
  view->turned_x = x;
  view->turned_y = y;
  return view->turning || view->outline->len > 0;
}

static void
move_outline (SondeScatterView *view, double x, double y)
{
  GArray *outline = view->outline;
  Corner last = get_corner (outline, outline->len / 2 - 1);

  if (view->boxing)
    {
      g_array_index (outline, double, 2) = g_array_index (outline, double, 4) = x;
      g_array_index (outline, double, 5) = g_array_index (outline, double, 7) = y;
    }
  else if (hypot (x - last.x, y - last.y) >= LEAST_STEP)
    add_corner (outline, x, y);
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

gboolean
sonde_scatter_view_drag (SondeView *base, SondeViewDrag phase, double x, double y,
                         GdkModifierType state)
{
  SondeScatterView *view = (SondeScatterView *) base;

  if (phase == SONDE_VIEW_DRAG_BEGIN)
    return begin_drag (view, x, y, state);
  if (view->turning)
    {
      sonde_scatter_view_turn (view, (x - view->turned_x) * RADIANS_A_PIXEL,
                               (y - view->turned_y) * RADIANS_A_PIXEL);
      view->turned_x = x;
      view->turned_y = y;
    }
  else if (phase != SONDE_VIEW_DRAG_CANCEL)
    move_outline (view, x, y);
  if (phase == SONDE_VIEW_DRAG_END && !view->turning)
    mark_inside (view);
  if (phase != SONDE_VIEW_DRAG_MOVE)
    g_array_set_size (view->outline, 0);
  return TRUE;
}

/* ---- keys ---------------------------------------------------------------- */

/* The next point that is drawn. */
gboolean
sonde_scatter_view_move_cursor (SondeView *base, int count)
{
  SondeScatterView *view = (SondeScatterView *) base;
  gint64 n = (gint64) view->n, at = sonde_view_get_selection (base), step = count < 0 ? -1 : 1;

  if (n == 0)
    return FALSE;
  if (count == G_MININT || count == G_MAXINT)
    {
      at = count == G_MININT ? 0 : n - 1;
      step = -step;
    }
  else if (at < 0)
    at = 0;
  else
    at = CLAMP (at + count, 0, n - 1);
  while (at > 0 && at < n - 1 && !isfinite (view->world[2 * at]))
    at += step;
  sonde_view_set_selection (base, at);
  return TRUE;
}

static gboolean
on_turn_key (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  SondeScatterView *view = (SondeScatterView *) widget;
  int right, up;

  if (view->dims != 3)
    return FALSE;
  g_variant_get (arguments, "(ii)", &right, &up);
  sonde_scatter_view_turn (view, right * RADIANS_A_KEY, up * RADIANS_A_KEY);
  return TRUE;
}

static gboolean
on_escape (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  SondeScatterView *view = (SondeScatterView *) widget;

  if (view->marks->len == 0)
    return FALSE;
  sonde_scatter_view_set_marks (view, NULL, 0);
  return TRUE;
}

void
sonde_scatter_view_add_keys (GtkWidgetClass *class)
{
  static const struct
  {
    guint key;
    int right, up;
  } keys[] = {
    { GDK_KEY_Left, -1, 0 }, { GDK_KEY_Right, 1, 0 }, { GDK_KEY_Up, 0, -1 }, { GDK_KEY_Down, 0, 1 }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding (class, keys[i].key, GDK_CONTROL_MASK, on_turn_key, "(ii)",
                                  keys[i].right, keys[i].up);
  gtk_widget_class_add_binding (class, GDK_KEY_Escape, 0, on_escape, NULL);
}
