/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-histogram-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/distribution/sonde-distribution-shares.h"
#include "viewers/paint/sonde-text-paint.h"

struct _SondeHistogramView
{
  SondeView parent_instance;
  GArray *rows; /* SondeDistributionRow, by step; bins and titles owned */
  GArray *runs; /* the same, of the overlay */
  SondeDistributionKind kind;
  guint color_index;
  gint64 cursor;
  gboolean log;
  gboolean of_steps;   /* the overlay */
  gboolean has_values; /* as of prepare(): something can be drawn */
  char *message;
};

G_DEFINE_FINAL_TYPE (SondeHistogramView, sonde_histogram_view, SONDE_TYPE_VIEW)

static void
free_row (void *data)
{
  SondeDistributionRow *row = data;

  sonde_bins_free ((SondeBins *) row->bins);
  g_free ((char *) row->title);
}

/* Those of what is shown. */
static GArray *
get_rows (SondeHistogramView *view)
{
  return view->kind == SONDE_DISTRIBUTION_OVERLAY ? view->runs : view->rows;
}

/* Its rows are not in the order of steps. */
static gboolean
is_over_runs (SondeHistogramView *view)
{
  return view->kind == SONDE_DISTRIBUTION_OVERLAY && !view->of_steps;
}

/* Bins lie along x. */
static gboolean
is_over_values (SondeHistogramView *view)
{
  return view->kind == SONDE_DISTRIBUTION_RIDGES || view->kind == SONDE_DISTRIBUTION_OVERLAY;
}

/* What the painter is given, for the widget's size or another. */
static SondeDistribution
describe_drawing (SondeHistogramView *view, int width, int height)
{
  SondeView *base = SONDE_VIEW (view);
  SondeViewport v;

  sonde_view_get_viewport_for (base, width, height, &v);
  return (SondeDistribution){
    .kind = view->kind,
    .rows = (const SondeDistributionRow *) get_rows (view)->data,
    .n_rows = get_rows (view)->len,
    .x_low = v.x0,
    .x_high = v.x1,
    .y_low = v.y1,
    .y_high = v.y0,
    .log = view->log,
    .color = sonde_theme_series (sonde_view_get_theme (base), view->color_index).color,
    .message = view->message != NULL ? view->message
               : view->has_values    ? NULL
                                     : _ ("No finite values"),
  };
}

static void
sonde_histogram_view_prepare (SondeView *base, int width, int height)
{
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (base);
  const SondeDistributionRow *rows = (const SondeDistributionRow *) get_rows (view)->data;
  SondeViewport bounds = { 0, 1, 1, 0 };
  double low = 0, high = 0, air;

  view->has_values = sonde_distribution_get_range (rows, get_rows (view)->len, &low, &high)
                     || get_rows (view)->len == 0 || view->kind == SONDE_DISTRIBUTION_SHARES;
  if (!(low <= high))
    low = high = 0;
  if (view->kind == SONDE_DISTRIBUTION_SHARES)
    {
      low = 0;
      high = 100;
    }
  air = high > low ? (high - low) * 0.03 : MAX (fabs (high) * 0.1, 1e-6);
  if (is_over_values (view))
    bounds = (SondeViewport){ low - air, 1, high + air, 0 };
  else if (get_rows (view)->len > 0)
    {
      double first = (double) rows[0].step, last = (double) rows[get_rows (view)->len - 1].step;
      /* The last column of a heat map is as wide as the ones before. */
      double width_of_one
          = get_rows (view)->len > 1 ? (last - first) / (get_rows (view)->len - 1) : 1;

      bounds = (SondeViewport){ first, high + air,
                                last + (view->kind == SONDE_DISTRIBUTION_HEAT ? width_of_one : 0),
                                low - air };
    }
  sonde_view_set_bounds (base, &bounds);
}

static void
sonde_histogram_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeDistribution drawing = describe_drawing (SONDE_HISTOGRAM_VIEW (base), width, height);

  sonde_paint_distribution (cr, sonde_view_get_theme (base), &drawing, width, height);
}

/* The last row at or before @step; -1: there is none */
static int
find_row (GArray *rows, gint64 step)
{
  int row = -1;

  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, SondeDistributionRow, i).step <= step)
      row = (int) i;
  return row;
}

static int
row_at_cursor (SondeHistogramView *view)
{
  return is_over_runs (view) ? -1 : find_row (get_rows (view), view->cursor);
}

static void
sonde_histogram_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (base);
  SondeDistribution drawing = describe_drawing (view, width, height);
  gint64 hovered = sonde_view_get_hovered (base);
  int row = hovered != SONDE_VIEW_NOTHING ? (int) hovered : row_at_cursor (view);

  if (row >= 0 && row < (int) get_rows (view)->len && view->message == NULL)
    sonde_paint_distribution_row (cr, sonde_view_get_theme (base), &drawing, (gsize) row, width,
                                  height);
}

static void
sonde_histogram_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  sonde_distribution_get_area (SONDE_HISTOGRAM_VIEW (base)->kind, width, height, area);
}

/* ---- under the pointer --------------------------------------------------- */

static gboolean
sonde_histogram_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  int width = sonde_view_get_width (base), height = sonde_view_get_height (base);
  SondeDistribution drawing = describe_drawing (SONDE_HISTOGRAM_VIEW (base), width, height);

  if (drawing.message != NULL || drawing.n_rows == 0)
    return FALSE;
  pick->id = sonde_distribution_row_at (&drawing, width, height, x, y);
  /* The bin under the pointer is in the text: a new tip for each place. */
  pick->area = (SondeViewRect){ x - 2, y - 2, 4, 4 };
  return pick->id >= 0;
}

/* What stands above the rest: "Step 12: 500 values", with the run's name where there are several. */
static void
append_head (GString *text, const SondeDistributionRow *row, gboolean names_run)
{
  const SondeBins *bins = row->bins;
  g_autofree char *step
      = sonde_format_count (row->step),
      *count = sonde_format_number (isnan (bins->count) ? sonde_bins_total (bins) : bins->count);

  if (names_run)
    g_string_append_printf (text, "%s\n", row->title);
  g_string_append_printf (text, _ ("Step %s: %s values"), step, count);
}

/* The bin at @value. */
static void
append_bin (GString *text, const SondeBins *bins, double value)
{
  gssize found = sonde_bins_find (bins, value);
  g_autofree char *count = NULL, *low = NULL, *high = NULL;

  if (found < 0)
    {
      g_string_append_printf (text, "\n%s", _ ("No values in this bin"));
      return;
    }
  count = sonde_format_number (bins->counts[found]);
  low = sonde_format_number (bins->lefts[found]);
  high = sonde_format_number (bins->rights[found]);
  g_string_append_c (text, '\n');
  g_string_append_printf (text, _ ("%s in the bin from %s to %s"), count, low, high);
}

static void
append_facts (GString *text, const SondeBins *bins)
{
  double zero = sonde_bins_get_share (bins, SONDE_BIN_SHARE_ZERO),
         saturated = sonde_bins_get_share (bins, SONDE_BIN_SHARE_SATURATED);
  double least, largest;
  g_autofree char *min = NULL, *max = NULL, *mean = sonde_format_number (sonde_bins_mean (bins)),
                  *std = sonde_format_number (sonde_bins_std (bins));

  sonde_bins_get_range (bins, &least, &largest);
  min = sonde_format_number (least);
  max = sonde_format_number (largest);
  g_string_append_c (text, '\n');
  g_string_append_printf (text, _ ("from %s to %s, mean %s, std %s"), min, max, mean, std);
  if (!isnan (zero))
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("exactly zero: %.1f %%"), 100 * zero);
    }
  if (saturated > 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("saturated: %.1f %%"), 100 * saturated);
    }
  if (bins->nan + bins->pos_inf + bins->neg_inf > 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("NaN %" PRIu64 ", infinite %" PRIu64), bins->nan,
                              bins->pos_inf + bins->neg_inf);
    }
}

static char *
sonde_histogram_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (base);
  const SondeDistributionRow *row;
  GString *text;
  double wx, wy;

  if (pick->id < 0 || pick->id >= (gint64) get_rows (view)->len)
    return NULL;
  row = &g_array_index (get_rows (view), SondeDistributionRow, (guint) pick->id);
  sonde_view_view_to_world (base, pick->area.x + 2, pick->area.y + 2, &wx, &wy);
  text = g_string_new (NULL);
  append_head (text, row, is_over_runs (view));
  if (view->kind != SONDE_DISTRIBUTION_SHARES)
    append_bin (text, row->bins, is_over_values (view) ? wx : wy);
  append_facts (text, row->bins);
  return g_string_free (text, FALSE);
}

static void
on_picked (SondeView *base, gint64 id, int n_presses, double x, double y)
{
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (base);
  gboolean marks
      = (sonde_view_get_click_state (base) & GDK_CONTROL_MASK) != 0 && !is_over_runs (view);

  if (n_presses == 1 && id >= 0 && id < (gint64) get_rows (view)->len)
    g_signal_emit_by_name (view, marks ? "step-marked" : "cursor-moved",
                           g_array_index (get_rows (view), SondeDistributionRow, (guint) id).step);
}

/* The row of the cursor, without a bin. */
static char *
sonde_histogram_view_dup_reading (SondeView *base)
{
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (base);
  int row = row_at_cursor (view);
  GString *text;

  if (row < 0 || view->message != NULL)
    return NULL;
  text = g_string_new (NULL);
  append_head (text, &g_array_index (get_rows (view), SondeDistributionRow, row), FALSE);
  append_facts (text, g_array_index (get_rows (view), SondeDistributionRow, row).bins);
  return g_string_free (text, FALSE);
}

static gboolean
sonde_histogram_view_move_cursor (SondeView *base, int count)
{
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (base);
  gint64 row = find_row (view->rows, view->cursor);

  if (view->rows->len == 0 || is_over_runs (view))
    return FALSE;
  row = CLAMP (row + count, 0, (gint64) view->rows->len - 1);
  g_signal_emit_by_name (view, "cursor-moved",
                         g_array_index (view->rows, SondeDistributionRow, (guint) row).step);
  return TRUE;
}

/* ---- text ---------------------------------------------------------------- */

static char *
sonde_histogram_view_describe (SondeView *base)
{
  static const char *const kinds[]
      = { N_ ("Ridges"), N_ ("Heat map"), N_ ("Percentile bands"), N_ ("Overlay of runs"),
          N_ ("Shares of zero, saturated and not finite values") };
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (base);
  GArray *all = get_rows (view);
  const SondeDistributionRow *rows = (const SondeDistributionRow *) (const void *) all->data;
  const char *title = sonde_view_get_title (base);
  g_autofree char *low_text = NULL, *high_text = NULL;
  const char *kind = view->kind == SONDE_DISTRIBUTION_OVERLAY && view->of_steps
                         ? _ ("Overlay of steps")
                         : _ (kinds[view->kind]);
  gint64 first = G_MAXINT64, last = G_MININT64;
  double low, high;

  if (!sonde_distribution_get_range (rows, all->len, &low, &high))
    return g_strdup_printf (_ ("%s of %s: no histograms."), kind,
                            title != NULL ? title : _ ("a tag"));
  for (guint i = 0; i < all->len; i++)
    {
      first = MIN (first, rows[i].step);
      last = MAX (last, rows[i].step);
    }
  low_text = sonde_format_number (low);
  high_text = sonde_format_number (high);
  return g_strdup_printf (
      _ ("%s of %s: %u histograms, steps %" PRIi64 " to %" PRIi64 ", values from %s to %s."), kind,
      title != NULL ? title : _ ("a tag"), all->len, first, last, low_text, high_text);
}

/* Every bin that holds something. */
static void
append_row (GString *text, const SondeDistributionRow *row, gboolean names_run, char s)
{
  for (gsize i = 0; i < row->bins->n; i++)
    if (row->bins->counts[i] > 0)
      {
        if (names_run)
          g_string_append_printf (text, "%s%c", row->title, s);
        g_string_append_printf (text, "%" PRIi64 "%c%.17g%c%.17g%c%.17g\n", row->step, s,
                                row->bins->lefts[i], s, row->bins->rights[i], s,
                                row->bins->counts[i]);
      }
}

/* What is not known is an empty cell. */
static void
append_shares (GString *text, const SondeDistributionRow *row, char separator)
{
  g_string_append_printf (text, "%" PRIi64, row->step);
  for (int s = 0; s < SONDE_N_BIN_SHARES; s++)
    {
      double share = sonde_bins_get_share (row->bins, (SondeBinShare) s);

      g_string_append_c (text, separator);
      if (!isnan (share))
        g_string_append_printf (text, "%.17g", share);
    }
  g_string_append_c (text, '\n');
}

static char *
dup_shares (SondeHistogramView *view, char s)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "step%czero%csaturated%cnot finite\n", s, s, s);
  for (guint i = 0; i < view->rows->len; i++)
    append_shares (text, &g_array_index (view->rows, SondeDistributionRow, i), s);
  return g_string_free (text, FALSE);
}

static char *
sonde_histogram_view_dup_table (SondeView *base, char separator)
{
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (base);
  GString *text;

  if (view->kind == SONDE_DISTRIBUTION_SHARES)
    return dup_shares (view, separator);
  text = g_string_new (NULL);
  if (is_over_runs (view))
    g_string_append_printf (text, "run%c", separator);
  g_string_append_printf (text, "step%clower%cupper%ccount\n", separator, separator, separator);
  for (guint i = 0; i < get_rows (view)->len; i++)
    append_row (text, &g_array_index (get_rows (view), SondeDistributionRow, i),
                is_over_runs (view), separator);
  return g_string_free (text, FALSE);
}

/* ---- setters ------------------------------------------------------------- */

void
sonde_histogram_view_clear (SondeHistogramView *view)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  g_array_set_size (view->rows, 0);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_histogram_view_add (SondeHistogramView *view, gint64 step, const SondeBins *bins)
{
  SondeDistributionRow row = { .step = step, .bins = sonde_bins_copy (bins) };
  guint i = view->rows->len;

  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  while (i > 0 && g_array_index (view->rows, SondeDistributionRow, i - 1).step > step)
    i--;
  if (i > 0 && g_array_index (view->rows, SondeDistributionRow, i - 1).step == step)
    {
      SondeDistributionRow *old = &g_array_index (view->rows, SondeDistributionRow, i - 1);
      free_row (old);
      *old = row;
    }
  else
    g_array_insert_val (view->rows, i, row);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_histogram_view_clear_runs (SondeHistogramView *view)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  g_array_set_size (view->runs, 0);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_histogram_view_add_run (SondeHistogramView *view, const char *title, guint color_index,
                              gint64 step, const SondeBins *bins)
{
  SondeDistributionRow row = { step, sonde_bins_copy (bins), g_strdup (title), color_index };

  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  g_array_append_val (view->runs, row);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_histogram_view_set_overlay_of_steps (SondeHistogramView *view, gboolean of_steps)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  if (view->of_steps == of_steps)
    return;
  view->of_steps = of_steps;
  sonde_view_invalidate (SONDE_VIEW (view));
}

guint
sonde_histogram_view_get_n_rows (SondeHistogramView *view)
{
  g_return_val_if_fail (SONDE_IS_HISTOGRAM_VIEW (view), 0);
  return get_rows (view)->len;
}

void
sonde_histogram_view_set_log (SondeHistogramView *view, gboolean log)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  view->log = log;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_histogram_view_set_kind (SondeHistogramView *view, SondeDistributionKind kind)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  if (view->kind == kind)
    return;
  view->kind = kind;
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_view_set_zoom (SONDE_VIEW (view),
                       is_over_values (view) ? SONDE_VIEW_ZOOM_X : SONDE_VIEW_ZOOM_XY);
}

void
sonde_histogram_view_set_color (SondeHistogramView *view, guint color_index)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  if (view->color_index == color_index)
    return;
  view->color_index = color_index;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_histogram_view_set_cursor (SondeHistogramView *view, gint64 step)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  view->cursor = step;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

void
sonde_histogram_view_set_message (SondeHistogramView *view, const char *message)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_VIEW (view));
  if (g_strcmp0 (message, view->message) == 0)
    return;
  g_free (view->message);
  view->message = g_strdup (message);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_histogram_view_finalize (GObject *object)
{
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (object);

  g_array_unref (view->rows);
  g_array_unref (view->runs);
  g_free (view->message);
  G_OBJECT_CLASS (sonde_histogram_view_parent_class)->finalize (object);
}

static void
sonde_histogram_view_class_init (SondeHistogramViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_histogram_view_finalize;
  view_class->prepare = sonde_histogram_view_prepare;
  view_class->paint = sonde_histogram_view_paint;
  view_class->paint_overlay = sonde_histogram_view_paint_overlay;
  view_class->area = sonde_histogram_view_area;
  view_class->pick = sonde_histogram_view_pick;
  view_class->dup_tooltip = sonde_histogram_view_dup_tooltip;
  view_class->describe = sonde_histogram_view_describe;
  view_class->dup_reading = sonde_histogram_view_dup_reading;
  view_class->dup_table = sonde_histogram_view_dup_table;
  view_class->move_cursor = sonde_histogram_view_move_cursor;
  g_signal_new ("cursor-moved", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 1, G_TYPE_INT64);
  g_signal_new ("step-marked", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
sonde_histogram_view_init (SondeHistogramView *view)
{
  view->rows = g_array_new (FALSE, FALSE, sizeof (SondeDistributionRow));
  g_array_set_clear_func (view->rows, free_row);
  view->runs = g_array_new (FALSE, FALSE, sizeof (SondeDistributionRow));
  g_array_set_clear_func (view->runs, free_row);
  view->cursor = G_MININT64;
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_X);
  g_signal_connect (view, "picked", G_CALLBACK (on_picked), NULL);
}

GtkWidget *
sonde_histogram_view_new (void)
{
  return g_object_new (SONDE_TYPE_HISTOGRAM_VIEW, NULL);
}
