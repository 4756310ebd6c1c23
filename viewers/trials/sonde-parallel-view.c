/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/trials/sonde-parallel-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-parallel.h"

#define NEAR_AXIS 12.0 /* px */
#define NEAR_LINE 6.0
#define KEY_STEP 0.05 /* of an axis, by a key */
#define KEY_BRUSH 0.25

typedef struct
{
  char *title;
  double *values; /* [n_lines] */
  char **words;   /* (nullable) */
  double low, high;
  gboolean log, has_brush;
  double from, to;
} Axis;

struct _SondeParallelView
{
  SondeView parent_instance;
  char **names;
  guint n_lines;
  GPtrArray *axes;   /* Axis */
  GHashTable *known; /* title -> Axis without values: what a person chose for it */
  double *values;    /* [n_lines, n_axes], made when it is painted */
  int color_axis, focused;
  int dragged; /* axis, -1: none */
  double drag_place;
};

G_DEFINE_FINAL_TYPE (SondeParallelView, sonde_parallel_view, SONDE_TYPE_VIEW)

enum
{
  BRUSHED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
axis_free (gpointer data)
{
  Axis *axis = data;

  g_free (axis->title);
  g_free (axis->values);
  g_strfreev (axis->words);
  g_free (axis);
}

/* ---- for the painter ----------------------------------------------------- */

static const double *
get_values (SondeParallelView *view)
{
  guint n = view->axes->len;

  if (view->values != NULL)
    return view->values;
  view->values = g_new (double, MAX ((gsize) n * view->n_lines, 1));
  for (guint i = 0; i < view->n_lines; i++)
    for (guint k = 0; k < n; k++)
      view->values[(gsize) i * n + k] = ((Axis *) view->axes->pdata[k])->values[i];
  return view->values;
}

static SondeParallelAxis
describe_axis (const Axis *axis)
{
  return (SondeParallelAxis){ .title = axis->title,
                              .low = axis->low,
                              .high = axis->high,
                              .log = axis->log,
                              .names = (const char *const *) axis->words,
                              .n_names = axis->words != NULL ? g_strv_length (axis->words) : 0,
                              .has_brush = axis->has_brush,
                              .from = axis->from,
                              .to = axis->to };
}

/* @axes: room for all of them */
static SondeParallel
describe_drawing (SondeParallelView *view, SondeParallelAxis *axes)
{
  gint64 selected = sonde_view_get_selection (SONDE_VIEW (view));

  for (guint k = 0; k < view->axes->len; k++)
    axes[k] = describe_axis (view->axes->pdata[k]);
  return (SondeParallel){
    .axes = axes,
    .n_axes = view->axes->len,
    .values = get_values (view),
    .n_lines = view->n_lines,
    .color_axis = view->color_axis,
    .emphasised = selected >= 0 && selected < view->n_lines ? (int) selected : -1,
    .focused = gtk_widget_has_focus (GTK_WIDGET (view)) ? view->focused : -1,
  };
}

static void
sonde_parallel_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  g_autofree SondeParallelAxis *axes = g_new (SondeParallelAxis, MAX (view->axes->len, 1));
  SondeParallel drawing = describe_drawing (view, axes);

  sonde_paint_parallel (cr, sonde_view_get_theme (base), &drawing, width, height);
}

static void
sonde_parallel_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  g_autofree SondeParallelAxis *axes = g_new (SondeParallelAxis, MAX (view->axes->len, 1));
  SondeParallel drawing = describe_drawing (view, axes);
  gint64 hovered = sonde_view_get_hovered (base);

  if (hovered >= 0 && hovered < view->n_lines)
    sonde_paint_parallel_line (cr, sonde_view_get_theme (base), &drawing, (guint) hovered, width,
                               height);
}

/* ---- under the pointer --------------------------------------------------- */

static int
find_axis (SondeParallelView *view, double x)
{
  int width = gtk_widget_get_width (GTK_WIDGET (view));

  for (guint k = 0; k < view->axes->len; k++)
    if (fabs (sonde_parallel_get_x (k, view->axes->len, width) - x) <= NEAR_AXIS)
      return (int) k;
  return -1;
}

/* Height of the line at @x between the axes @k and @k + 1; NaN in a gap. */
static double
get_height (SondeParallelView *view, guint line, guint k, double x)
{
  int width = gtk_widget_get_width (GTK_WIDGET (view));
  int height = gtk_widget_get_height (GTK_WIDGET (view));
  const Axis *a = view->axes->pdata[k], *b = view->axes->pdata[k + 1];
  SondeParallelAxis left = describe_axis (a), right = describe_axis (b);
  double x0 = sonde_parallel_get_x (k, view->axes->len, width);
  double x1 = sonde_parallel_get_x (k + 1, view->axes->len, width);
  double y0 = sonde_parallel_get_y (sonde_parallel_get_place (&left, a->values[line]), height);
  double y1 = sonde_parallel_get_y (sonde_parallel_get_place (&right, b->values[line]), height);

  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

static gboolean
sonde_parallel_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  int width = gtk_widget_get_width (GTK_WIDGET (view));
  double nearest = NEAR_LINE;
  guint k = 0;

  if (view->axes->len < 2 || x < SONDE_PARALLEL_SIDE || x > width - SONDE_PARALLEL_SIDE)
    return FALSE;
  while (k + 2 < view->axes->len && x > sonde_parallel_get_x (k + 1, view->axes->len, width))
    k++;
  for (guint i = 0; i < view->n_lines; i++)
    {
      double away = fabs (get_height (view, i, k, x) - y);

      if (!(away < nearest) || !sonde_parallel_view_is_in (view, i))
        continue;
      nearest = away;
      pick->id = i;
      pick->area = (SondeViewRect){ x - 4, y - 4, 8, 8 };
    }
  return nearest < NEAR_LINE;
}

static char *
dup_value (const Axis *axis, guint line)
{
  double value = axis->values[line];

  if (isnan (value))
    return g_strdup ("–");
  if (axis->words != NULL)
    return g_strdup (axis->words[(guint) value]);
  return sonde_format_number (value);
}

static char *
sonde_parallel_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  GString *text;

  if (pick->id < 0 || pick->id >= view->n_lines)
    return NULL;
  text = g_string_new (view->names[pick->id]);
  for (guint k = 0; k < view->axes->len; k++)
    {
      const Axis *axis = view->axes->pdata[k];
      g_autofree char *value = dup_value (axis, (guint) pick->id);

      g_string_append_printf (text, "\n%s: %s", axis->title, value);
    }
  return g_string_free (text, FALSE);
}

/* ---- brushes ------------------------------------------------------------- */

static void
tell_brushed (SondeParallelView *view)
{
  sonde_view_invalidate (SONDE_VIEW (view));
  g_signal_emit (view, signals[BRUSHED], 0);
}

/* What a person chose for the axis is remembered under its title. */
static void
remember (SondeParallelView *view, const Axis *axis)
{
  Axis *known = g_new0 (Axis, 1);

  known->title = g_strdup (axis->title);
  known->log = axis->log;
  known->has_brush = axis->has_brush;
  known->from = axis->from;
  known->to = axis->to;
  g_hash_table_replace (view->known, known->title, known);
}

void
sonde_parallel_view_set_brush (SondeParallelView *view, guint axis, double from, double to)
{
  Axis *brushed;

  g_return_if_fail (SONDE_IS_PARALLEL_VIEW (view) && axis < view->axes->len);
  brushed = view->axes->pdata[axis];
  brushed->has_brush = from <= to;
  brushed->from = from;
  brushed->to = to;
  remember (view, brushed);
  tell_brushed (view);
}

gboolean
sonde_parallel_view_get_brush (SondeParallelView *view, guint axis, double *from, double *to)
{
  const Axis *brushed;

  g_return_val_if_fail (SONDE_IS_PARALLEL_VIEW (view) && axis < view->axes->len, FALSE);
  brushed = view->axes->pdata[axis];
  *from = brushed->from;
  *to = brushed->to;
  return brushed->has_brush;
}

void
sonde_parallel_view_clear_brushes (SondeParallelView *view)
{
  g_return_if_fail (SONDE_IS_PARALLEL_VIEW (view));
  g_hash_table_remove_all (view->known);
  for (guint k = 0; k < view->axes->len; k++)
    {
      Axis *axis = view->axes->pdata[k];

      axis->has_brush = FALSE;
      remember (view, axis);
    }
  tell_brushed (view);
}

gboolean
sonde_parallel_view_is_in (SondeParallelView *view, guint line)
{
  g_return_val_if_fail (SONDE_IS_PARALLEL_VIEW (view) && line < view->n_lines, FALSE);
  for (guint k = 0; k < view->axes->len; k++)
    {
      const Axis *axis = view->axes->pdata[k];
      double value = axis->values[line];

      if (axis->has_brush && !(value >= axis->from && value <= axis->to))
        return FALSE;
    }
  return TRUE;
}

static void
set_brush_places (SondeParallelView *view, guint k, double from, double to)
{
  SondeParallelAxis axis = describe_axis (view->axes->pdata[k]);

  sonde_parallel_view_set_brush (view, k, sonde_parallel_get_value (&axis, from),
                                 sonde_parallel_get_value (&axis, to));
}

static void
on_drag_begin (SondeParallelView *view, double x, double y, GtkGesture *gesture)
{
  int height = gtk_widget_get_height (GTK_WIDGET (view));

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
  int height = gtk_widget_get_height (GTK_WIDGET (view));
  double x, y, place;

  if (view->dragged < 0 || (guint) view->dragged >= view->axes->len)
    return;
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  place = sonde_parallel_get_place_at (y + dy, height);
  set_brush_places (view, (guint) view->dragged, fmin (place, view->drag_place),
                    fmax (place, view->drag_place));
}

/* A click without a drag takes the brush away. */
static void
on_drag_end (SondeParallelView *view, double dx, double dy)
{
  if (view->dragged >= 0 && (guint) view->dragged < view->axes->len && fabs (dy) < 3)
    sonde_parallel_view_set_brush (view, (guint) view->dragged, 1, 0);
  view->dragged = -1;
}

/* ---- keys ---------------------------------------------------------------- */

static gboolean
sonde_parallel_view_move_cursor (SondeView *base, int count)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  int last = (int) view->axes->len - 1;
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
  if ((guint) view->focused >= view->axes->len)
    return FALSE;
  axis = describe_axis (view->axes->pdata[view->focused]);
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

static gboolean
drop_brush (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (widget);

  if ((guint) view->focused >= view->axes->len)
    return FALSE;
  sonde_parallel_view_set_brush (view, (guint) view->focused, 1, 0);
  return TRUE;
}

static gboolean
toggle_log (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (widget);
  guint k = (guint) view->focused;

  return k < view->axes->len
         && sonde_parallel_view_set_log (view, k, !((Axis *) view->axes->pdata[k])->log);
}

static gboolean
color_by_axis (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (widget);

  sonde_parallel_view_set_color_axis (view, view->focused);
  return TRUE;
}

/* ---- data ---------------------------------------------------------------- */

void
sonde_parallel_view_set_lines (SondeParallelView *view, const char *const *names, guint n_lines)
{
  g_return_if_fail (SONDE_IS_PARALLEL_VIEW (view));
  g_strfreev (view->names);
  view->names = g_strdupv ((char **) names);
  view->n_lines = n_lines;
  g_ptr_array_set_size (view->axes, 0);
  g_clear_pointer (&view->values, g_free);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
measure (Axis *axis, guint n_lines)
{
  axis->low = INFINITY;
  axis->high = -INFINITY;
  for (guint i = 0; i < n_lines; i++)
    if (isfinite (axis->values[i]))
      {
        axis->low = fmin (axis->low, axis->values[i]);
        axis->high = fmax (axis->high, axis->values[i]);
      }
  if (!(axis->low <= axis->high))
    axis->low = axis->high = 0;
}

void
sonde_parallel_view_add_axis (SondeParallelView *view, const char *title, const double *values,
                              const char *const *words)
{
  Axis *axis;
  const Axis *known;

  g_return_if_fail (SONDE_IS_PARALLEL_VIEW (view));
  axis = g_new0 (Axis, 1);
  axis->title = g_strdup (title);
  axis->values = g_memdup2 (values, MAX (view->n_lines, 1) * sizeof *values);
  axis->words = g_strdupv ((char **) words);
  measure (axis, view->n_lines);
  known = g_hash_table_lookup (view->known, title);
  if (known != NULL)
    {
      axis->log = known->log && axis->low > 0 && words == NULL;
      axis->has_brush = known->has_brush;
      axis->from = known->from;
      axis->to = known->to;
    }
  g_ptr_array_add (view->axes, axis);
  g_clear_pointer (&view->values, g_free);
  sonde_view_invalidate (SONDE_VIEW (view));
}

guint
sonde_parallel_view_get_n_axes (SondeParallelView *view)
{
  g_return_val_if_fail (SONDE_IS_PARALLEL_VIEW (view), 0);
  return view->axes->len;
}

void
sonde_parallel_view_set_color_axis (SondeParallelView *view, int axis)
{
  g_return_if_fail (SONDE_IS_PARALLEL_VIEW (view));
  view->color_axis = axis;
  sonde_view_invalidate (SONDE_VIEW (view));
}

gboolean
sonde_parallel_view_set_log (SondeParallelView *view, guint axis, gboolean log)
{
  Axis *scaled;

  g_return_val_if_fail (SONDE_IS_PARALLEL_VIEW (view) && axis < view->axes->len, FALSE);
  scaled = view->axes->pdata[axis];
  if (log && (scaled->words != NULL || !(scaled->low > 0)))
    return FALSE;
  scaled->log = log;
  remember (view, scaled);
  sonde_view_invalidate (SONDE_VIEW (view));
  return TRUE;
}

/* ---- text ---------------------------------------------------------------- */

static char *
sonde_parallel_view_describe (SondeView *base)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  GString *text = g_string_new (NULL);
  guint n_in = 0;

  for (guint i = 0; i < view->n_lines; i++)
    n_in += sonde_parallel_view_is_in (view, i);
  g_string_append_printf (text, _ ("Parallel coordinates: %u of %u runs over %u axes"), n_in,
                          view->n_lines, view->axes->len);
  if ((guint) view->focused < view->axes->len)
    g_string_append_printf (text, _ (", keys for %s"),
                            ((Axis *) view->axes->pdata[view->focused])->title);
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

static char *
sonde_parallel_view_dup_table (SondeView *base, char separator)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (base);
  GString *text = g_string_new ("run");

  for (guint k = 0; k < view->axes->len; k++)
    g_string_append_printf (text, "%c%s", separator, ((Axis *) view->axes->pdata[k])->title);
  for (guint i = 0; i < view->n_lines; i++)
    {
      if (!sonde_parallel_view_is_in (view, i))
        continue;
      g_string_append_printf (text, "\n%s", view->names[i]);
      for (guint k = 0; k < view->axes->len; k++)
        {
          g_autofree char *value = dup_value (view->axes->pdata[k], i);

          g_string_append_printf (text, "%c%s", separator, value);
        }
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

/* ---- making -------------------------------------------------------------- */

static void
sonde_parallel_view_finalize (GObject *object)
{
  SondeParallelView *view = SONDE_PARALLEL_VIEW (object);

  g_strfreev (view->names);
  g_ptr_array_unref (view->axes);
  g_hash_table_unref (view->known);
  g_free (view->values);
  G_OBJECT_CLASS (sonde_parallel_view_parent_class)->finalize (object);
}

static void
sonde_parallel_view_class_init (SondeParallelViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_parallel_view_finalize;
  view->paint = sonde_parallel_view_paint;
  view->paint_overlay = sonde_parallel_view_paint_overlay;
  view->pick = sonde_parallel_view_pick;
  view->dup_tooltip = sonde_parallel_view_dup_tooltip;
  view->move_cursor = sonde_parallel_view_move_cursor;
  view->describe = sonde_parallel_view_describe;
  view->dup_table = sonde_parallel_view_dup_table;
  signals[BRUSHED] = g_signal_new ("brushed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_add_binding (widget, GDK_KEY_Up, 0, move_brush, "(db)", KEY_STEP, FALSE);
  gtk_widget_class_add_binding (widget, GDK_KEY_Down, 0, move_brush, "(db)", -KEY_STEP, FALSE);
  gtk_widget_class_add_binding (widget, GDK_KEY_Up, GDK_SHIFT_MASK, move_brush, "(db)", KEY_STEP,
                                TRUE);
  gtk_widget_class_add_binding (widget, GDK_KEY_Down, GDK_SHIFT_MASK, move_brush, "(db)", -KEY_STEP,
                                TRUE);
  gtk_widget_class_add_binding (widget, GDK_KEY_Delete, 0, drop_brush, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_l, 0, toggle_log, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_c, 0, color_by_axis, NULL);
}

static void
sonde_parallel_view_init (SondeParallelView *view)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  view->names = g_new0 (char *, 1);
  view->axes = g_ptr_array_new_with_free_func (axis_free);
  view->known = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, axis_free);
  view->color_axis = view->dragged = -1;
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin), view);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update), view);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (on_drag_end), view);
  gtk_widget_add_controller (GTK_WIDGET (view), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (view, "notify::has-focus", G_CALLBACK (sonde_view_invalidate), NULL);
  g_signal_connect (view, "notify::selection", G_CALLBACK (sonde_view_invalidate), NULL);
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 320, 200);
}

GtkWidget *
sonde_parallel_view_new (void)
{
  return g_object_new (SONDE_TYPE_PARALLEL_VIEW, NULL);
}
