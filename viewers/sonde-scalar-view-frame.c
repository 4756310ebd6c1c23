/* SPDX-License-Identifier: Apache-2.0
 * What stands around the curves of a scalar view: what its axes mean and where they end, lines, extremes, and
 * in the corner what is not to be seen. */
#include "viewers/sonde-scalar-view-private.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/charts/sonde-chart-setup.h"
#include "viewers/paint/sonde-text-paint.h"

#define CLIP_SHARE 0.01 /* of the values, at each end */
#define MIN_CLIPPED 40  /* values from which on one of them can be an outlier */
#define MAX_LABELLED 6  /* curves whose extremes have room for their values */

/* ---- axes ---------------------------------------------------------------- */

const char *
sonde_scalar_view_get_x_title (SondeScalarView *view)
{
  static const char *const titles[] = {
    [SONDE_SCALAR_X_STEP] = N_ ("step"),
    [SONDE_SCALAR_X_RELATIVE] = N_ ("relative time"),
    [SONDE_SCALAR_X_WALL] = N_ ("wall time"),
    [SONDE_SCALAR_X_METRIC] = N_ ("metric"),
  };

  if (view->x == SONDE_SCALAR_X_METRIC && view->metric != NULL)
    return view->metric;
  return _ (titles[view->x]);
}

gboolean
sonde_scalar_view_is_log_x (SondeScalarView *view)
{
  return view->log_x && view->x != SONDE_SCALAR_X_WALL;
}

double
sonde_scalar_view_x_to_world (SondeScalarView *view, double value)
{
  return sonde_scalar_view_is_log_x (view) ? log10 (value) : value;
}

double
sonde_scalar_view_x_from_world (SondeScalarView *view, double place)
{
  return sonde_scalar_view_is_log_x (view) ? pow (10, place) : place;
}

void
sonde_scalar_view_set_x (SondeScalarView *view, SondeScalarX x, const char *metric)
{
  g_return_if_fail (view != NULL);
  if (view->x == x && g_strcmp0 (view->metric, metric) == 0)
    return;
  g_free (view->metric);
  view->metric = g_strdup (metric);
  view->x = x;
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
on_x_series_changed (SondeSeries *x_series, SondeScalarView *view)
{
  for (guint i = 0; i < view->items->len; i++)
    {
      SondeScalarItem *item = view->items->pdata[i];

      if (item->x_series == x_series)
        g_clear_pointer (&item->x_points, g_array_unref);
    }
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_x_series (SondeScalarView *view, SondeSeries *series, SondeSeries *x_series)
{
  SondeScalarItem *item;

  g_return_if_fail (view != NULL);
  item = g_hash_table_lookup (view->by_series, series);
  if (item == NULL || item->x_series == x_series)
    return;
  sonde_scalar_item_set_x_series (item, x_series, G_CALLBACK (on_x_series_changed), view);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_log_x (SondeScalarView *view, gboolean log_x)
{
  g_return_if_fail (view != NULL);
  if (view->log_x == log_x)
    return;
  view->log_x = log_x;
  /* The old window means nothing on the other scale. */
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_limits (SondeScalarView *view, double x_low, double x_high, double y_low,
                              double y_high)
{
  const double limits[] = { x_low, x_high, y_low, y_high };

  g_return_if_fail (view != NULL);
  if (memcmp (limits, (const double[]){ view->x_low, view->x_high, view->y_low, view->y_high },
              sizeof limits)
      == 0)
    return;
  view->x_low = x_low;
  view->x_high = x_high;
  view->y_low = y_low;
  view->y_high = y_high;
  sonde_view_invalidate (SONDE_VIEW (view));
}

/* ---- outliers ------------------------------------------------------------ */

static int
compare_numbers (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* (transfer full): the finite extremes of what was fetched and can be drawn. */
static GArray *
collect_values (SondeScalarView *view, double low, double high)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < view->items->len; i++)
    {
      const SondeScalarItem *item = view->items->pdata[i];

      for (guint k = 0; item->raw != NULL && k < item->raw->len; k++)
        {
          const SondeChartBucket *bucket = &g_array_index (item->raw, SondeChartBucket, k);
          const double ends[] = { bucket->min, bucket->max };

          for (int e = 0; e < 2 && bucket->x1 >= low && bucket->x0 <= high; e++)
            if (isfinite (ends[e]) && (!view->log_y || ends[e] > 0))
              g_array_append_val (values, ends[e]);
        }
    }
  g_array_sort (values, compare_numbers);
  return values;
}

gboolean
sonde_scalar_view_find_clip (SondeScalarView *view, const SondeViewport *viewport, double *min,
                             double *max)
{
  g_autoptr (GArray) values
      = collect_values (view, sonde_scalar_view_x_from_world (view, viewport->x0),
                        sonde_scalar_view_x_from_world (view, viewport->x1));
  guint cut = (guint) ceil (values->len * CLIP_SHARE);

  if (values->len < MIN_CLIPPED)
    return FALSE;
  *min = g_array_index (values, double, cut);
  *max = g_array_index (values, double, values->len - 1 - cut);
  return TRUE;
}

/* ---- notes --------------------------------------------------------------- */

static void
add_note (GString *note, const char *sentence)
{
  if (note->len > 0)
    g_string_append (note, " · ");
  g_string_append (note, sentence);
}

static void
note_hidden (SondeScalarView *view, GString *note)
{
  g_autofree char *sentence = NULL;
  guint n = 0;

  for (guint i = 0; i < view->hidden->len; i++)
    n += !((SondeScalarItem *) view->hidden->pdata[i])->is_bound;
  if (n == 0)
    return;
  sentence = g_strdup_printf (P_ ("%u curve hidden", "%u curves hidden", n), n);
  add_note (note, sentence);
}

static gboolean
lacks_logarithm (SondeScalarView *view)
{
  for (guint i = 0; view->log_y && i < view->items->len; i++)
    {
      SondeScalarItem *item = view->items->pdata[i];

      for (guint k = 0; item->raw != NULL && k < item->raw->len; k++)
        if (g_array_index (item->raw, SondeChartBucket, k).min <= 0)
          return TRUE;
    }
  return FALSE;
}

/* Values beyond an axis that leaves them out, while nobody zoomed. */
static void
note_outliers (SondeScalarView *view, const SondeViewport *viewport, GString *note)
{
  double min, max, low = view->log_y ? pow (10, viewport->y1) : viewport->y1,
                   high = view->log_y ? pow (10, viewport->y0) : viewport->y0;
  g_autofree char *sentence = NULL, *from = NULL, *to = NULL;
  g_autoptr (GArray) values = NULL;
  gboolean is_fitted;

  sonde_view_is_fitted (SONDE_VIEW (view), NULL, &is_fitted);
  if (!view->clip || !is_fitted)
    return;
  values = collect_values (view, sonde_scalar_view_x_from_world (view, viewport->x0),
                           sonde_scalar_view_x_from_world (view, viewport->x1));
  if (values->len == 0)
    return;
  min = g_array_index (values, double, 0);
  max = g_array_index (values, double, values->len - 1);
  if (min >= low && max <= high)
    return;
  from = sonde_format_number (min);
  to = sonde_format_number (max);
  sentence = g_strdup_printf (_ ("outliers cut off: values from %s to %s"), from, to);
  add_note (note, sentence);
}

/* ---- rules and milestones ------------------------------------------------ */

static double
place_of_step (SondeScalarView *view, double step)
{
  if (view->x == SONDE_SCALAR_X_STEP)
    return step;
  for (guint i = 0; i < view->items->len; i++)
    {
      double x = sonde_scalar_item_x_of_step (view->items->pdata[i], view->x,
                                              (gint64) CLAMP (step, -9e18, 9e18));
      if (!isnan (x))
        return x;
    }
  return NAN;
}

static GArray *
make_rules (SondeScalarView *view, char **texts, gboolean are_steps)
{
  GArray *rules = g_array_new (FALSE, FALSE, sizeof (SondeChartRule));

  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      SondeChartRule rule;
      const char *label;

      if (!sonde_chart_setup_parse_mark (texts[i], &rule.at, &label))
        continue;
      if (are_steps)
        rule.at = place_of_step (view, rule.at);
      rule.label = sonde_text_make_visible (label);
      g_ptr_array_add (view->texts, (char *) rule.label);
      g_array_append_val (rules, rule);
    }
  return rules;
}

/* ---- extremes ------------------------------------------------------------ */

static void
add_mark (SondeScalarView *view, const SondeScalarItem *item, const SondeTheme *theme, double x,
          double value, SondeChartSign sign)
{
  SondeChartMark mark
      = { x, value, sign, sonde_theme_series (theme, item->color_index).color, NULL };

  if (!isfinite (value))
    return;
  if (view->items->len <= MAX_LABELLED)
    {
      mark.label = sonde_format_number (value);
      g_ptr_array_add (view->texts, (char *) mark.label);
    }
  g_array_append_val (view->chart_marks, mark);
}

/* Of what was fetched and lies in sight: the extremes of stretches are those of their points. */
static void
mark_item (SondeScalarView *view, const SondeScalarItem *item, const SondeTheme *theme, double low,
           double high)
{
  const SondeChartBucket *min = NULL, *max = NULL, *last = NULL;

  if (item->is_bound)
    return;
  for (guint k = 0; item->raw != NULL && k < item->raw->len; k++)
    {
      const SondeChartBucket *bucket = &g_array_index (item->raw, SondeChartBucket, k);

      if (bucket->x1 < low || bucket->x0 > high)
        continue;
      if (isfinite (bucket->min) && (min == NULL || bucket->min < min->min))
        min = bucket;
      if (isfinite (bucket->max) && (max == NULL || bucket->max > max->max))
        max = bucket;
      last = bucket;
    }
  if (view->marks & SONDE_CHART_MARK_MIN && min != NULL)
    add_mark (view, item, theme, (min->x0 + min->x1) / 2, min->min, SONDE_CHART_SIGN_MIN);
  if (view->marks & SONDE_CHART_MARK_MAX && max != NULL)
    add_mark (view, item, theme, (max->x0 + max->x1) / 2, max->max, SONDE_CHART_SIGN_MAX);
  if (view->marks & SONDE_CHART_MARK_LAST && last != NULL)
    add_mark (view, item, theme, last->x1, last->last, SONDE_CHART_SIGN_LAST);
}

/* ---- all of it ----------------------------------------------------------- */

void
sonde_scalar_view_clear_decoration (SondeScalarView *view)
{
  g_clear_pointer (&view->chart_rules, g_array_unref);
  g_clear_pointer (&view->chart_milestones, g_array_unref);
  g_clear_pointer (&view->chart_marks, g_array_unref);
  g_clear_pointer (&view->texts, g_ptr_array_unref);
  g_clear_pointer (&view->note, g_free);
}

void
sonde_scalar_view_decorate (SondeScalarView *view, const SondeTheme *theme,
                            const SondeViewport *viewport, SondeChart *chart)
{
  GString *note = g_string_new (NULL);

  sonde_scalar_view_clear_decoration (view);
  view->texts = g_ptr_array_new_with_free_func (g_free);
  view->chart_rules = make_rules (view, view->rules, FALSE);
  view->chart_milestones = make_rules (view, view->milestones, TRUE);
  view->chart_marks = g_array_new (FALSE, FALSE, sizeof (SondeChartMark));
  for (guint i = 0; view->marks != 0 && i < view->items->len; i++)
    mark_item (view, view->items->pdata[i], theme,
               sonde_scalar_view_x_from_world (view, viewport->x0),
               sonde_scalar_view_x_from_world (view, viewport->x1));
  note_hidden (view, note);
  if (lacks_logarithm (view))
    add_note (note, _ ("values ≤ 0 are not shown on a log axis"));
  note_outliers (view, viewport, note);
  view->note = g_string_free (note, FALSE);
  chart->rules = (const SondeChartRule *) view->chart_rules->data;
  chart->n_rules = view->chart_rules->len;
  chart->milestones = (const SondeChartRule *) view->chart_milestones->data;
  chart->n_milestones = view->chart_milestones->len;
  chart->marks = (const SondeChartMark *) view->chart_marks->data;
  chart->n_marks = view->chart_marks->len;
  chart->note = *view->note != '\0' ? view->note : NULL;
}

/* ---- setters ------------------------------------------------------------- */

void
sonde_scalar_view_set_clip (SondeScalarView *view, gboolean clip)
{
  g_return_if_fail (view != NULL);
  if (view->clip == clip)
    return;
  view->clip = clip;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scalar_view_set_marks (SondeScalarView *view, guint marks)
{
  g_return_if_fail (view != NULL);
  if (view->marks == marks)
    return;
  view->marks = marks;
  sonde_view_invalidate (SONDE_VIEW (view));
}

static gboolean
take_list (char ***place, const char *const *list)
{
  static const char *const none[] = { NULL };
  const char *const *old = *place != NULL ? (const char *const *) *place : none;

  if (g_strv_equal (old, list != NULL ? list : none))
    return FALSE;
  g_strfreev (*place);
  *place = g_strdupv ((char **) list);
  return TRUE;
}

void
sonde_scalar_view_set_rules (SondeScalarView *view, const char *const *rules,
                             const char *const *milestones)
{
  gboolean others;

  g_return_if_fail (view != NULL);
  others = take_list (&view->rules, rules);
  others |= take_list (&view->milestones, milestones);
  if (others)
    sonde_view_invalidate (SONDE_VIEW (view));
}
