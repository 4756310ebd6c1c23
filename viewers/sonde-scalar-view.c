/* SPDX-License-Identifier: Apache-2.0
 * The scalar view: setters, what is fetched, the chart. Pointer and cursor are in the overlay
 * file, what it says as text in the one after that. */
#include "viewers/sonde-scalar-view-private.h"

#include <math.h>

#include "data/base/sonde-text.h"

enum
{
  CURSOR_MOVED,
  SECOND_MOVED,
  HIDDEN_CHANGED,
  HOVERED_STEP,
  COUNTS_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeScalarView, sonde_scalar_view, SONDE_TYPE_VIEW)

/* ---- fetching ------------------------------------------------------------ */

/* Points of so few in @width px are marked, and a mark must not be cut by the frame. */
static gboolean
has_marks (SondeScalarView *view, double width)
{
  for (guint i = 0; i < view->items->len; i++)
    {
      SondeScalarItem *item = view->items->pdata[i];
      if ((double) sonde_series_get_n_points (item->series) * SONDE_CHART_POINT_SPACING > width)
        return FALSE;
    }
  return TRUE;
}

/* In place of what the data asks for; an end that would turn the axis round is left alone. */
static void
take_limits (double asked_low, double asked_high, double *low, double *high)
{
  double a = isfinite (asked_low) ? asked_low : *low,
         b = isfinite (asked_high) ? asked_high : *high;

  if (!isfinite (asked_low) && !(a < b))
    a = b - 1;
  if (!isfinite (asked_high) && !(a < b))
    b = a + 1;
  if (!(a < b))
    return;
  *low = a;
  *high = b;
}

static void
set_x_bounds (SondeScalarView *view, double width, SondeViewport *bounds)
{
  double low = INFINITY, high = -INFINITY, air, share = 0.01;

  for (guint i = 0; i < view->items->len; i++)
    {
      SondeScalarItem *item = view->items->pdata[i];
      double a, b;

      item->log_x = sonde_scalar_view_is_log_x (view);
      if (sonde_scalar_item_get_x_range (item, view->x, &a, &b))
        {
          low = fmin (low, sonde_scalar_view_x_to_world (view, a));
          high = fmax (high, sonde_scalar_view_x_to_world (view, b));
        }
    }
  if (!(low <= high))
    low = high = 0;
  if (has_marks (view, width))
    share = CLAMP (6 / width, share, 0.05);
  air = high > low ? (high - low) * share : 0.5;
  bounds->x0 = low - air;
  bounds->x1 = high + air;
  take_limits (sonde_scalar_view_x_to_world (view, view->x_low),
               sonde_scalar_view_x_to_world (view, view->x_high), &bounds->x0, &bounds->x1);
}

static void
set_y_bounds (SondeScalarView *view, const SondeViewport *viewport, SondeViewport *bounds)
{
  SondeAxisKind kind = view->log_y ? SONDE_AXIS_LOG : SONDE_AXIS_LINEAR;
  double min = INFINITY, max = -INFINITY;

  for (guint i = 0; i < view->items->len; i++)
    {
      double a, b;

      if (sonde_scalar_item_get_y_range (
              view->items->pdata[i], sonde_scalar_view_x_from_world (view, viewport->x0),
              sonde_scalar_view_x_from_world (view, viewport->x1), view->log_y, &a, &b))
        {
          min = fmin (min, a);
          max = fmax (max, b);
        }
    }
  if (!(min <= max))
    min = max = view->log_y ? 1 : 0;
  if (view->clip)
    sonde_scalar_view_find_clip (view, viewport, &min, &max);
  sonde_chart_pad_limits (kind, min, max, &bounds->y1, &bounds->y0);
  take_limits (view->log_y ? log10 (view->y_low) : view->y_low,
               view->log_y ? log10 (view->y_high) : view->y_high, &bounds->y1, &bounds->y0);
}

static gboolean
on_counts_idle (void *user_data)
{
  SondeScalarView *view = user_data;

  view->counts_source = 0;
  g_signal_emit (view, signals[COUNTS_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

/* Said after the frame: while it is drawn nobody may change a label. */
static void
update_counts (SondeScalarView *view)
{
  guint64 shown = 0, held = 0;

  for (guint i = 0; i < view->items->len; i++)
    {
      SondeScalarItem *item = view->items->pdata[i];
      if (item->is_bound)
        continue;
      shown += item->shown;
      held += sonde_series_get_n_points (item->series);
    }
  if (shown == view->shown && held == view->held)
    return;
  view->shown = shown;
  view->held = held;
  if (view->counts_source == 0)
    view->counts_source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_counts_idle, view, NULL);
}

static void
sonde_scalar_view_prepare (SondeView *base, int width, int height)
{
  SondeScalarView *view = SONDE_SCALAR_VIEW (base);
  SondeViewport viewport, bounds = { 0, 1, 1, 0 };
  SondeViewRect area;

  view->forgotten = FALSE;
  sonde_scalar_view_sort_hidden (view);

  sonde_scalar_view_update_smoothers (view);
  sonde_scalar_view_update_legend (view, width, height);
  sonde_view_get_area (base, width, height, &area);
  /* First the limits in x, then what lies between, then the limits of that in y. */
  sonde_view_get_viewport_for (base, width, height, &viewport);
  bounds.y0 = viewport.y0;
  bounds.y1 = viewport.y1;
  set_x_bounds (view, area.width, &bounds);
  sonde_view_set_bounds (base, &bounds);
  sonde_view_get_viewport_for (base, width, height, &viewport);
  sonde_scalar_view_fetch (view, &viewport, area.width);
  set_y_bounds (view, &viewport, &bounds);
  sonde_view_set_bounds (base, &bounds);
  update_counts (view);
}

/* ---- painting ------------------------------------------------------------ */

static const SondeAxisKind x_axes[] = {
  [SONDE_SCALAR_X_STEP] = SONDE_AXIS_STEP,
  [SONDE_SCALAR_X_RELATIVE] = SONDE_AXIS_DURATION,
  [SONDE_SCALAR_X_WALL] = SONDE_AXIS_CLOCK,
  [SONDE_SCALAR_X_METRIC] = SONDE_AXIS_LINEAR,
};

static void
sonde_scalar_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeScalarView *view = SONDE_SCALAR_VIEW (base);
  const SondeTheme *theme = sonde_view_get_theme (base);
  g_autofree SondeChartSeries *series = g_new0 (SondeChartSeries, view->items->len + 1);
  SondeViewport v;
  SondeChart chart = { .series = series, .n_series = view->items->len };
  guint64 shown = 0;

  sonde_view_get_viewport_for (base, width, height, &v);
  chart.x = (SondeAxis){ sonde_scalar_view_is_log_x (view) ? SONDE_AXIS_LOG : x_axes[view->x], v.x0,
                         v.x1, sonde_scalar_view_get_x_title (view) };
  chart.y = (SondeAxis){ view->log_y ? SONDE_AXIS_LOG : SONDE_AXIS_LINEAR, v.y1, v.y0, NULL };
  for (guint i = 0; i < view->items->len; i++)
    {
      SondeScalarItem *item = view->items->pdata[i];

      series[i].stroke = sonde_theme_series (theme, item->color_index);
      series[i].is_bound = item->is_bound;
      series[i].raw = item->raw != NULL ? (const SondeChartBucket *) item->raw->data : NULL;
      series[i].n_raw = item->raw != NULL ? item->raw->len : 0;
      series[i].smooth
          = item->smooth != NULL ? (const SondeChartBucket *) item->smooth->data : NULL;
      series[i].n_smooth = item->smooth != NULL ? item->smooth->len : 0;
      for (guint k = 0; item->band_to != NULL && k < view->items->len; k++)
        if (((SondeScalarItem *) view->items->pdata[k])->series == item->band_to)
          series[i].band_to = k + 1;
      shown += item->shown;
    }
  if (view->items->len == 0)
    chart.message = view->waiting           ? _ ("Loading…")
                    : view->hidden->len > 0 ? _ ("All curves are hidden: click a name above")
                                            : _ ("No run is visible");
  else if (shown == 0)
    chart.message = view->held == 0 ? _ ("No points yet") : _ ("No points in this range");
  sonde_scalar_view_decorate (view, theme, &v, &chart);
  if (view->legend_height > 0)
    sonde_scalar_view_paint_legend (view, cr, width);
  cairo_translate (cr, 0, view->legend_height);
  sonde_paint_chart (cr, theme, &chart, width, height - (int) view->legend_height);
  sonde_scalar_view_forget (view);
}

static void
sonde_scalar_view_area (SondeView *view, int width, int height, SondeViewRect *area)
{
  double legend = SONDE_SCALAR_VIEW (view)->legend_height;

  sonde_chart_get_area (width, height - (int) legend, area);
  area->y += legend;
}

/* ---- setters ------------------------------------------------------------- */

static void
on_series_changed (SondeSeries *series, SondeScalarView *view)
{
  SondeScalarItem *item = g_hash_table_lookup (view->by_series, series);

  g_clear_pointer (&item->overview, g_array_unref);
  sonde_view_invalidate_paced (SONDE_VIEW (view));
}

void
sonde_scalar_view_add (SondeScalarView *view, SondeSeries *series, const char *title,
                       guint color_index)
{
  SondeScalarItem *item;

  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view) && SONDE_IS_SERIES (series));
  item = g_hash_table_lookup (view->by_series, series);
  if (item == NULL)
    {
      item = g_new0 (SondeScalarItem, 1);
      item->series = g_object_ref (series);
      item->number = view->n_added++;
      item->changed = g_signal_connect (series, "changed", G_CALLBACK (on_series_changed), view);
      g_ptr_array_add (view->items, item);
      g_hash_table_insert (view->by_series, series, item);
    }
  else if (g_strcmp0 (item->title, title) == 0 && item->color_index == color_index)
    return;
  g_free (item->title);
  item->title = g_strdup (title);
  item->title_width = 0;
  item->color_index = color_index;
  view->sorts_hidden = view->hidden_titles != NULL || view->hidden->len > 0;
  sonde_view_invalidate_paced (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_band (SondeScalarView *view, SondeSeries *lower, SondeSeries *upper)
{
  SondeScalarItem *item;

  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  item = g_hash_table_lookup (view->by_series, lower);
  if (item == NULL || item->band_to == upper)
    return;
  item->band_to = upper;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_bound (SondeScalarView *view, SondeSeries *series)
{
  SondeScalarItem *item;

  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  item = g_hash_table_lookup (view->by_series, series);
  if (item == NULL || item->is_bound)
    return;
  item->is_bound = TRUE;
  view->sorts_hidden = view->hidden_titles != NULL;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_remove (SondeScalarView *view, SondeSeries *series)
{
  SondeScalarItem *item;

  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  item = g_hash_table_lookup (view->by_series, series);
  if (item == NULL)
    return;
  g_hash_table_remove (view->by_series, series);
  if (!g_ptr_array_remove (view->items, item))
    g_ptr_array_remove (view->hidden, item);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_clear (SondeScalarView *view)
{
  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  g_hash_table_remove_all (view->by_series);
  g_ptr_array_set_size (view->items, 0);
  g_ptr_array_set_size (view->hidden, 0);
  sonde_view_invalidate (SONDE_VIEW (view));
}

SondeSeries *
sonde_scalar_view_get_curve (SondeScalarView *view, guint i, const char **title, guint *color_index)
{
  const SondeScalarItem *item;

  g_return_val_if_fail (SONDE_IS_SCALAR_VIEW (view) && i < view->items->len, NULL);
  item = view->items->pdata[i];
  *title = item->title != NULL ? item->title : "";
  *color_index = item->color_index;
  return item->is_bound ? NULL : item->series;
}

void
sonde_scalar_view_set_waiting (SondeScalarView *view, gboolean waiting)
{
  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  if (view->waiting == waiting)
    return;
  view->waiting = waiting;
  if (view->items->len == 0)
    sonde_view_invalidate (SONDE_VIEW (view));
}

guint
sonde_scalar_view_get_n_series (SondeScalarView *view)
{
  g_return_val_if_fail (SONDE_IS_SCALAR_VIEW (view), 0);
  return view->items->len;
}

void
sonde_scalar_view_set_smoothing_by (SondeScalarView *view, SondeScalarSmooth method, double amount)
{
  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  if (view->smoothing == amount && view->method == method)
    return;
  view->smoothing = amount;
  view->method = method;
  view->smoothing_number++;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_smoothing (SondeScalarView *view, double weight)
{
  sonde_scalar_view_set_smoothing_by (view, SONDE_SCALAR_SMOOTH_EXPONENTIAL, weight);
}

void
sonde_scalar_view_set_log_y (SondeScalarView *view, gboolean log_y)
{
  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  if (view->log_y == log_y)
    return;
  view->log_y = log_y;
  /* The old window means nothing on the other scale. */
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_legend (SondeScalarView *view, gboolean has_legend)
{
  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  if (view->has_legend == has_legend)
    return;
  view->has_legend = has_legend;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_cursor (SondeScalarView *view, gint64 step)
{
  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  view->cursor = step;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_mark (SondeScalarView *view, gint64 step)
{
  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  if (view->mark == step)
    return;
  view->mark = step;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

void
sonde_scalar_view_get_counts (SondeScalarView *view, guint64 *shown, guint64 *held)
{
  g_return_if_fail (SONDE_IS_SCALAR_VIEW (view));
  *shown = view->shown;
  *held = view->held;
}

gboolean
sonde_scalar_view_is_settled (SondeScalarView *view)
{
  g_return_val_if_fail (SONDE_IS_SCALAR_VIEW (view), TRUE);
  return view->smoothed && !sonde_view_is_paced (SONDE_VIEW (view));
}

gboolean
sonde_scalar_view_get_value (SondeScalarView *view, guint i, gint64 step, SondePoint *point)
{
  double x;

  g_return_val_if_fail (SONDE_IS_SCALAR_VIEW (view) && i < view->items->len, FALSE);
  sonde_scalar_view_remember (view);
  x = sonde_scalar_item_x_of_step (view->items->pdata[i], view->x, step);
  return !isnan (x) && sonde_scalar_item_nearest (view->items->pdata[i], view->x, x, point);
}

char *
sonde_scalar_view_dup_readout (SondeScalarView *view)
{
  int width = sonde_view_get_width (SONDE_VIEW (view)),
      height = sonde_view_get_height (SONDE_VIEW (view));
  g_autoptr (SondeReadout) readout = NULL;
  g_autoptr (GArray) readings = NULL;
  SondePlace place;
  SondeViewRect area;
  double px, py;

  g_return_val_if_fail (SONDE_IS_SCALAR_VIEW (view), NULL);
  sonde_view_get_area (SONDE_VIEW (view), width, height, &area);
  if (!sonde_scalar_view_find_place (view, &area, width, height, &px, &py))
    return NULL;
  readings = sonde_scalar_view_read_at (view, &area, width, height, px, py, &place);
  if (readings->len == 0)
    return NULL;
  readout = sonde_scalar_view_make_readout (view, &place, readings, height);
  return sonde_readout_dup_text (readout);
}

/* As it was painted: reading a thousand curves again would take as long. */
static char *
sonde_scalar_view_dup_reading (SondeView *view)
{
  return g_strdup (SONDE_SCALAR_VIEW (view)->reading);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_scalar_view_dispose (GObject *object)
{
  SondeScalarView *view = SONDE_SCALAR_VIEW (object);

  g_clear_handle_id (&view->smoothing_source, g_source_remove);
  g_clear_handle_id (&view->counts_source, g_source_remove);
  g_hash_table_remove_all (view->by_series);
  g_ptr_array_set_size (view->items, 0);
  g_ptr_array_set_size (view->hidden, 0);
  G_OBJECT_CLASS (sonde_scalar_view_parent_class)->dispose (object);
}

static void
sonde_scalar_view_finalize (GObject *object)
{
  SondeScalarView *view = SONDE_SCALAR_VIEW (object);

  g_hash_table_unref (view->by_series);
  g_ptr_array_unref (view->items);
  g_ptr_array_unref (view->hidden);
  g_free (view->reading);
  g_strfreev (view->hidden_titles);
  sonde_scalar_view_clear_decoration (view);
  g_strfreev (view->rules);
  g_strfreev (view->milestones);
  g_free (view->metric);
  G_OBJECT_CLASS (sonde_scalar_view_parent_class)->finalize (object);
}

static void
sonde_scalar_view_class_init (SondeScalarViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  object_class->dispose = sonde_scalar_view_dispose;
  object_class->finalize = sonde_scalar_view_finalize;
  view_class->prepare = sonde_scalar_view_prepare;
  view_class->paint = sonde_scalar_view_paint;
  view_class->paint_overlay = sonde_scalar_view_paint_overlay;
  view_class->area = sonde_scalar_view_area;
  view_class->describe = sonde_scalar_view_describe;
  view_class->dup_reading = sonde_scalar_view_dup_reading;
  view_class->dup_table = sonde_scalar_view_dup_table;
  view_class->dup_pgfplots = sonde_scalar_view_dup_pgfplots;
  view_class->move_cursor = sonde_scalar_view_move_cursor;
  view_class->hover_changed = sonde_scalar_view_hover_changed;
  view_class->drag = sonde_scalar_view_drag;
  view_class->scroll = sonde_scalar_view_scroll;
  view_class->measure_appendix = sonde_scalar_view_measure_appendix;
  view_class->paint_appendix = sonde_scalar_view_paint_appendix;
  view_class->takes_wheel = sonde_scalar_view_takes_wheel;
  sonde_scalar_view_add_keys (GTK_WIDGET_CLASS (klass));
  sonde_scalar_view_add_legend_keys (GTK_WIDGET_CLASS (klass));

  signals[CURSOR_MOVED]
      = g_signal_new ("cursor-moved", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  signals[SECOND_MOVED]
      = g_signal_new ("second-moved", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  signals[HIDDEN_CHANGED]
      = g_signal_new ("hidden-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_STRV);
  signals[HOVERED_STEP]
      = g_signal_new ("hovered-step", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  signals[COUNTS_CHANGED] = g_signal_new ("counts-changed", G_TYPE_FROM_CLASS (klass),
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_scalar_view_init (SondeScalarView *view)
{
  view->items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_scalar_item_free);
  view->hidden = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_scalar_item_free);
  view->legend_focus = -1;
  view->by_series = g_hash_table_new (NULL, NULL);
  view->cursor = view->second = view->mark = SONDE_SCALAR_NO_STEP;
  view->smoothed = TRUE;
  view->x_low = view->x_high = view->y_low = view->y_high = NAN;
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_XY);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 240, 160);
  sonde_scalar_view_connect_click (view);
}

GtkWidget *
sonde_scalar_view_new (void)
{
  return g_object_new (SONDE_TYPE_SCALAR_VIEW, NULL);
}
