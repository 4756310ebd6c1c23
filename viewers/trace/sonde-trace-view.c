/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/trace/sonde-trace-view.h"

#define ZOOM_STEP 1.4
#define PAN_SHARE 0.1 /* of the width, a press of a key */
#define LINE 18

typedef struct
{
  GtkAdjustment *adjustment;
  SondeLabelCache *labels;
} SondeTraceViewPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SondeTraceView, sonde_trace_view, SONDE_TYPE_VIEW)

static SondeTraceViewPrivate *
get_private (SondeTraceView *view)
{
  return sonde_trace_view_get_instance_private (view);
}

static void
get_area (SondeTraceView *view, SondeViewRect *area)
{
  sonde_view_get_area (SONDE_VIEW (view), sonde_view_get_width (SONDE_VIEW (view)),
                       sonde_view_get_height (SONDE_VIEW (view)), area);
}

/* ---- scrolling ----------------------------------------------------------- */

GtkAdjustment *
sonde_trace_view_get_adjustment (SondeTraceView *view)
{
  g_return_val_if_fail (SONDE_IS_TRACE_VIEW (view), NULL);
  return get_private (view)->adjustment;
}

double
sonde_trace_view_get_scroll (SondeTraceView *view)
{
  g_return_val_if_fail (SONDE_IS_TRACE_VIEW (view), 0);
  return gtk_adjustment_get_value (get_private (view)->adjustment);
}

void
sonde_trace_view_set_scroll (SondeTraceView *view, double scroll)
{
  g_return_if_fail (SONDE_IS_TRACE_VIEW (view));
  gtk_adjustment_set_value (get_private (view)->adjustment, scroll);
}

void
sonde_trace_view_scroll_to (SondeTraceView *view, double top, double height)
{
  GtkAdjustment *adjustment = sonde_trace_view_get_adjustment (view);

  gtk_adjustment_clamp_page (adjustment, top, top + height);
}

void
sonde_trace_view_height_changed (SondeTraceView *view)
{
  SondeTraceViewPrivate *priv = get_private (view);
  double height = SONDE_TRACE_VIEW_GET_CLASS (view)->get_height (view);
  SondeViewRect area;

  get_area (view, &area);
  gtk_adjustment_configure (
      priv->adjustment,
      CLAMP (gtk_adjustment_get_value (priv->adjustment), 0, MAX (height - area.height, 0)), 0,
      MAX (height, area.height), LINE, area.height * 0.9, area.height);
}

static void
sonde_trace_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  GTK_WIDGET_CLASS (sonde_trace_view_parent_class)->size_allocate (widget, width, height, baseline);
  sonde_trace_view_height_changed (SONDE_TRACE_VIEW (widget));
}

static void
on_scrolled (SondeTraceView *view)
{
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_trace_view_scroll (SondeView *base, double dy)
{
  SondeTraceView *view = SONDE_TRACE_VIEW (base);

  sonde_trace_view_set_scroll (view, sonde_trace_view_get_scroll (view) + dy);
}

GtkWidget *
sonde_trace_view_new_scrolled (SondeTraceView *view)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_hexpand (GTK_WIDGET (view), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (view), TRUE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (view));
  gtk_box_append (GTK_BOX (box), gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL,
                                                    sonde_trace_view_get_adjustment (view)));
  return box;
}

/* ---- keys ---------------------------------------------------------------- */

static gboolean
sonde_trace_view_move_cursor (SondeView *base, int count)
{
  SondeViewRect area;
  double step;

  get_area (SONDE_TRACE_VIEW (base), &area);
  step = count == G_MININT ? -1e9 : count == G_MAXINT ? 1e9 : CLAMP (count * PAN_SHARE, -0.9, 0.9);
  sonde_view_pan (base, -step * area.width, 0);
  return TRUE;
}

static gboolean
on_pan_key (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  int count;

  g_variant_get (arguments, "(i)", &count);
  return sonde_trace_view_move_cursor (SONDE_VIEW (widget), count);
}

/* Around the pointer when it is there, else the middle. */
static gboolean
on_zoom_key (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeViewRect area;
  double x, y, factor;

  g_variant_get (arguments, "(d)", &factor);
  get_area (SONDE_TRACE_VIEW (widget), &area);
  if (!sonde_view_get_pointer (SONDE_VIEW (widget), &x, &y) || x < area.x)
    x = area.x + area.width / 2;
  sonde_view_zoom_at (SONDE_VIEW (widget), x, area.y, factor, 1);
  return TRUE;
}

static gboolean
on_scroll_key (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTraceView *view = SONDE_TRACE_VIEW (widget);
  GtkAdjustment *adjustment = sonde_trace_view_get_adjustment (view);
  int lines;

  g_variant_get (arguments, "(i)", &lines);
  sonde_trace_view_scroll (
      SONDE_VIEW (view), ABS (lines) > 1
                             ? (lines > 0 ? 1 : -1) * gtk_adjustment_get_page_increment (adjustment)
                             : lines * gtk_adjustment_get_step_increment (adjustment));
  return TRUE;
}

static gboolean
on_selection_key (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTraceViewClass *class = SONDE_TRACE_VIEW_GET_CLASS (widget);

  if (class->show_selection != NULL)
    class->show_selection (SONDE_TRACE_VIEW (widget));
  return TRUE;
}

static gboolean
on_escape (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTraceViewClass *class = SONDE_TRACE_VIEW_GET_CLASS (widget);

  return class->let_go != NULL && class->let_go (SONDE_TRACE_VIEW (widget));
}

static gboolean
on_mark (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTraceViewClass *class = SONDE_TRACE_VIEW_GET_CLASS (widget);

  return class->mark != NULL && class->mark (SONDE_TRACE_VIEW (widget));
}

/* @arguments: (ib): back or on, and whether along an arrow */
static gboolean
on_step (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTraceViewClass *class = SONDE_TRACE_VIEW_GET_CLASS (widget);
  gboolean by_arrow;
  int step;

  g_variant_get (arguments, "(ib)", &step, &by_arrow);
  return class->step != NULL && class->step (SONDE_TRACE_VIEW (widget), step, by_arrow);
}

static void
add_steps (GtkWidgetClass *class)
{
  gtk_widget_class_add_binding (class, GDK_KEY_m, 0, on_mark, NULL);
  gtk_widget_class_add_binding (class, GDK_KEY_comma, 0, on_step, "(ib)", -1, FALSE);
  gtk_widget_class_add_binding (class, GDK_KEY_period, 0, on_step, "(ib)", 1, FALSE);
  gtk_widget_class_add_binding (class, GDK_KEY_bracketleft, 0, on_step, "(ib)", -1, TRUE);
  gtk_widget_class_add_binding (class, GDK_KEY_bracketright, 0, on_step, "(ib)", 1, TRUE);
}

static void
add_keys (GtkWidgetClass *class)
{
  static const struct
  {
    guint key;
    GtkShortcutFunc function;
    const char *format;
    double number;
  } keys[] = {
    { GDK_KEY_w, on_zoom_key, "(d)", ZOOM_STEP },
    { GDK_KEY_s, on_zoom_key, "(d)", 1 / ZOOM_STEP },
    { GDK_KEY_plus, on_zoom_key, "(d)", ZOOM_STEP },
    { GDK_KEY_equal, on_zoom_key, "(d)", ZOOM_STEP },
    { GDK_KEY_minus, on_zoom_key, "(d)", 1 / ZOOM_STEP },
    { GDK_KEY_KP_Add, on_zoom_key, "(d)", ZOOM_STEP },
    { GDK_KEY_KP_Subtract, on_zoom_key, "(d)", 1 / ZOOM_STEP },
    { GDK_KEY_a, on_pan_key, "(i)", -1 },
    { GDK_KEY_d, on_pan_key, "(i)", 1 },
    { GDK_KEY_Up, on_scroll_key, "(i)", -1 },
    { GDK_KEY_Down, on_scroll_key, "(i)", 1 },
    { GDK_KEY_Page_Up, on_scroll_key, "(i)", -2 },
    { GDK_KEY_Page_Down, on_scroll_key, "(i)", 2 },
    { GDK_KEY_f, on_selection_key, NULL, 0 },
    { GDK_KEY_Return, on_selection_key, NULL, 0 },
    { GDK_KEY_Escape, on_escape, NULL, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (g_strcmp0 (keys[i].format, "(d)") == 0)
      gtk_widget_class_add_binding (class, keys[i].key, 0, keys[i].function, "(d)", keys[i].number);
    else if (keys[i].format != NULL)
      gtk_widget_class_add_binding (class, keys[i].key, 0, keys[i].function, "(i)",
                                    (int) keys[i].number);
    else
      gtk_widget_class_add_binding (class, keys[i].key, 0, keys[i].function, NULL);
}

/* ---- class --------------------------------------------------------------- */

SondeLabelCache *
sonde_trace_view_get_labels (SondeTraceView *view)
{
  g_return_val_if_fail (SONDE_IS_TRACE_VIEW (view), NULL);
  return get_private (view)->labels;
}

void
sonde_trace_view_forget_labels (SondeTraceView *view)
{
  SondeTraceViewPrivate *priv = get_private (view);

  g_return_if_fail (SONDE_IS_TRACE_VIEW (view));
  sonde_label_cache_free (priv->labels);
  priv->labels = sonde_label_cache_new ();
}

static void
sonde_trace_view_finalize (GObject *object)
{
  SondeTraceViewPrivate *priv = get_private (SONDE_TRACE_VIEW (object));

  g_clear_object (&priv->adjustment);
  sonde_label_cache_free (priv->labels);
  G_OBJECT_CLASS (sonde_trace_view_parent_class)->finalize (object);
}

static void
sonde_trace_view_class_init (SondeTraceViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_trace_view_finalize;
  widget_class->size_allocate = sonde_trace_view_size_allocate;
  view_class->scroll = sonde_trace_view_scroll;
  view_class->move_cursor = sonde_trace_view_move_cursor;
  add_keys (widget_class);
  add_steps (widget_class);
}

static void
sonde_trace_view_init (SondeTraceView *view)
{
  SondeTraceViewPrivate *priv = get_private (view);

  priv->adjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 1, LINE, 1, 1));
  priv->labels = sonde_label_cache_new ();
  g_signal_connect_object (priv->adjustment, "value-changed", G_CALLBACK (on_scrolled), view,
                           G_CONNECT_SWAPPED);
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_ROWS);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 240, 150);
}
