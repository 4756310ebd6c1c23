/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-pr-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-pr-points.h"
#include "viewers/paint/sonde-pr-paint.h"

#define NEAR 24.0            /* px to a point */
#define AIR 0.03             /* around 0…1 */
#define N_ISO 5              /* F1 of a fifth, two fifths … */
#define MAX_POINTS (1 << 20) /* of a curve: places of points in ids */

typedef struct
{
  char *title;
  guint color_index;
  gint64 step;
  SondePrPoint *points;
  gsize n_points, best; /* best: by F1 */
} Curve;

struct _SondePrView
{
  SondeView parent_instance;
  GPtrArray *curves; /* Curve */
  gboolean roc;
  char *message;
};

G_DEFINE_FINAL_TYPE (SondePrView, sonde_pr_view, SONDE_TYPE_VIEW)

static void
curve_free (void *data)
{
  Curve *curve = data;

  g_free (curve->title);
  g_free (curve->points);
  g_free (curve);
}

static double
x_of (const SondePrView *view, const SondePrPoint *point)
{
  return view->roc ? point->false_rate : point->recall;
}

static double
y_of (const SondePrView *view, const SondePrPoint *point)
{
  return view->roc ? point->recall : point->precision;
}

/* ---- image ------------------------------------------------------------- */

static void
sonde_pr_view_prepare (SondeView *base, int width, int height)
{
  const SondeViewport bounds = { -AIR, 1 + AIR, 1 + AIR, -AIR };

  sonde_view_set_bounds (base, &bounds);
}

/* A bucket a point, from the right end of thresholds on, so that x rises. (transfer full) */
static SondeChartBucket *
make_buckets (const SondePrView *view, const Curve *curve)
{
  SondeChartBucket *buckets = g_new0 (SondeChartBucket, curve->n_points);

  for (gsize i = 0; i < curve->n_points; i++)
    {
      const SondePrPoint *point = &curve->points[curve->n_points - 1 - i];
      const double x = x_of (view, point), y = y_of (view, point);

      buckets[i] = (SondeChartBucket){ x, x, y, y, y, y, 1, isnan (y) ? 1 : 0, i == 0 };
    }
  return buckets;
}

/* The threshold of the greatest F1 of each curve. */
static void
paint_best (SondePrView *view, cairo_t *cr, const SondeTheme *theme, const SondeChart *chart,
            int width, int height)
{
  cairo_rectangle_t area;

  sonde_chart_get_area (width, height, &area);
  for (guint i = 0; i < view->curves->len; i++)
    {
      const Curve *curve = view->curves->pdata[i];
      const SondePrPoint *best = &curve->points[curve->best];
      SondeStroke stroke = sonde_theme_series (theme, curve->color_index);

      cairo_arc (cr, sonde_axis_x (&chart->x, &area, x_of (view, best)),
                 sonde_axis_y (&chart->y, &area, y_of (view, best)), 4.5, 0, 2 * G_PI);
      sonde_paint_set_color (cr, &theme->card);
      cairo_fill_preserve (cr);
      sonde_paint_set_color (cr, &stroke.color);
      cairo_set_line_width (cr, 2);
      cairo_stroke (cr);
    }
}

static void
sonde_pr_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondePrView *view = SONDE_PR_VIEW (base);
  const SondeTheme *theme = sonde_view_get_theme (base);
  g_autofree SondeChartSeries *series = g_new0 (SondeChartSeries, view->curves->len + 1);
  SondeViewport v;
  SondeChart chart;

  sonde_view_get_viewport_for (base, width, height, &v);
  chart = (SondeChart){
    .x = { SONDE_AXIS_LINEAR, v.x0, v.x1, view->roc ? _ ("false positive rate") : _ ("recall") },
    .y = { SONDE_AXIS_LINEAR, v.y1, v.y0, view->roc ? _ ("true positive rate") : _ ("precision") },
    .series = series,
    .n_series = view->curves->len,
    .message = view->curves->len == 0 ? view->message : NULL,
  };
  for (guint i = 0; i < view->curves->len; i++)
    {
      const Curve *curve = view->curves->pdata[i];

      series[i].stroke = sonde_theme_series (theme, curve->color_index);
      series[i].raw = make_buckets (view, curve);
      series[i].n_raw = curve->n_points;
    }
  sonde_paint_chart (cr, theme, &chart, width, height);
  if (view->curves->len > 0 && view->roc)
    sonde_paint_roc_chance (cr, theme, &chart, width, height);
  else if (view->curves->len > 0)
    sonde_paint_iso_f1 (cr, theme, &chart, width, height);
  paint_best (view, cr, theme, &chart, width, height);
  for (guint i = 0; i < view->curves->len; i++)
    g_free ((SondeChartBucket *) series[i].raw);
}

static void
sonde_pr_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  sonde_chart_get_area (width, height, area);
}

/* ---- under the pointer --------------------------------------------------- */

static gint64
make_id (guint curve, gsize point)
{
  return (gint64) curve * MAX_POINTS + (gint64) point;
}

static gboolean
sonde_pr_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondePrView *view = SONDE_PR_VIEW (base);
  double nearest = NEAR;

  for (guint c = 0; c < view->curves->len; c++)
    {
      const Curve *curve = view->curves->pdata[c];

      for (gsize i = 0; i < curve->n_points; i++)
        {
          double px, py;

          sonde_view_world_to_view (base, x_of (view, &curve->points[i]),
                                    y_of (view, &curve->points[i]), &px, &py);
          if (!(hypot (px - x, py - y) < nearest))
            continue;
          nearest = hypot (px - x, py - y);
          pick->id = make_id (c, i);
          pick->area = (SondeViewRect){ px - 4, py - 4, 8, 8 };
        }
    }
  return nearest < NEAR;
}

static const SondePrPoint *
find_point (SondePrView *view, gint64 id, const Curve **curve)
{
  *curve = id >= 0 && id / MAX_POINTS < view->curves->len ? view->curves->pdata[id / MAX_POINTS]
                                                          : NULL;
  return *curve != NULL && (gsize) (id % MAX_POINTS) < (*curve)->n_points
             ? &(*curve)->points[id % MAX_POINTS]
             : NULL;
}

static void
sonde_pr_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondePrView *view = SONDE_PR_VIEW (base);
  const Curve *curve;
  const SondePrPoint *point = find_point (view, sonde_view_get_hovered (base), &curve);
  SondeStroke stroke;
  double x, y;

  if (point == NULL && gtk_widget_has_focus (GTK_WIDGET (base)))
    point = find_point (view, sonde_view_get_selection (base), &curve);
  if (point == NULL)
    return;
  stroke = sonde_theme_series (sonde_view_get_theme (base), curve->color_index);
  sonde_view_world_to_view (base, x_of (view, point), y_of (view, point), &x, &y);
  cairo_arc (cr, x, y, 4.5, 0, 2 * G_PI);
  sonde_paint_set_color (cr, &stroke.color);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &sonde_view_get_theme (base)->card);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

/* (transfer full) */
static char *
describe_point (const Curve *curve, const SondePrPoint *point)
{
  g_autofree char *step = sonde_format_count (curve->step),
                  *threshold = sonde_format_number (point->threshold),
                  *precision = sonde_format_number (point->precision),
                  *recall = sonde_format_number (point->recall),
                  *f1 = sonde_format_number (point->f1),
                  *false_rate = sonde_format_number (point->false_rate),
                  *tp = sonde_format_number (point->true_positives),
                  *fp = sonde_format_number (point->false_positives),
                  *tn = sonde_format_number (point->true_negatives),
                  *fn = sonde_format_number (point->false_negatives);

  return g_strdup_printf (_ ("%s, step %s\nthreshold %s\nprecision %s, recall %s, F1 %s\nfalse "
                             "positive rate %s\nTP %s, FP %s, TN %s, FN %s"),
                          curve->title, step, threshold, precision, recall, f1, false_rate, tp, fp,
                          tn, fn);
}

static char *
sonde_pr_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  const Curve *curve;
  const SondePrPoint *point = find_point (SONDE_PR_VIEW (base), pick->id, &curve);

  return point != NULL ? describe_point (curve, point) : NULL;
}

/* ---- keys ---------------------------------------------------------------- */

/* Along the curve, by rising threshold; the first time from the threshold of the best F1. */
static gboolean
sonde_pr_view_move_cursor (SondeView *base, int count)
{
  SondePrView *view = SONDE_PR_VIEW (base);
  gint64 at = sonde_view_get_selection (base);
  const Curve *curve;
  gint64 point;

  if (view->curves->len == 0)
    return FALSE;
  if (find_point (view, at, &curve) == NULL)
    {
      curve = view->curves->pdata[0];
      at = make_id (0, curve->best);
      count = 0;
    }
  point = CLAMP (at % MAX_POINTS + count, 0, (gint64) curve->n_points - 1);
  sonde_view_set_selection (base, make_id ((guint) (at / MAX_POINTS), (gsize) point));
  sonde_view_invalidate (base);
  return TRUE;
}

/* To the same threshold of another curve, or the nearest that it has. */
static gboolean
move_curve (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondePrView *view = SONDE_PR_VIEW (widget);
  gint64 at = sonde_view_get_selection (SONDE_VIEW (view)), other;
  const Curve *curve;

  if (find_point (view, at, &curve) == NULL)
    return sonde_pr_view_move_cursor (SONDE_VIEW (view), 0);
  other = CLAMP (at / MAX_POINTS + g_variant_get_int32 (arguments), 0,
                 (gint64) view->curves->len - 1);
  curve = view->curves->pdata[other];
  sonde_view_set_selection (
      SONDE_VIEW (view),
      make_id ((guint) other, (gsize) MIN (at % MAX_POINTS, (gint64) curve->n_points - 1)));
  sonde_view_invalidate (SONDE_VIEW (view));
  return TRUE;
}

/* ---- text ---------------------------------------------------------------- */

double
sonde_pr_view_get_area (SondePrView *view, guint i)
{
  const Curve *curve = i < view->curves->len ? view->curves->pdata[i] : NULL;

  if (curve == NULL)
    return NAN;
  return view->roc ? sonde_pr_points_roc_area (curve->points, curve->n_points)
                   : sonde_pr_points_average_precision (curve->points, curve->n_points);
}

static void
append_best (GString *text, const Curve *curve, const char *step, const char *what,
             const char *area)
{
  const SondePrPoint *best = &curve->points[curve->best];
  g_autofree char *f1 = sonde_format_number (best->f1),
                  *threshold = sonde_format_number (best->threshold);

  g_string_append_printf (
      text, _ (" %s at step %s: %zu thresholds, %s %s, greatest F1 %s at threshold %s."),
      curve->title, step, curve->n_points, what, area, f1, threshold);
}

static char *
sonde_pr_view_describe (SondeView *base)
{
  SondePrView *view = SONDE_PR_VIEW (base);
  const Curve *selected;
  const SondePrPoint *point = find_point (view, sonde_view_get_selection (base), &selected);
  const char *title = sonde_view_get_title (base);
  GString *text = g_string_new (title != NULL ? title : _ ("Curves"));

  g_string_append_printf (text, ": %s.",
                          view->roc ? _ ("true positive rate over false positive rate")
                                    : _ ("precision over recall"));
  for (guint i = 0; i < view->curves->len; i++)
    {
      const Curve *curve = view->curves->pdata[i];
      g_autofree char *area = sonde_format_number (sonde_pr_view_get_area (view, i));
      g_autofree char *step = sonde_format_count (curve->step);

      append_best (text, curve, step, view->roc ? _ ("area") : _ ("average precision"), area);
    }
  if (view->curves->len == 0)
    g_string_append (text, _ (" No curves."));
  if (point != NULL)
    {
      g_autofree char *words = describe_point (selected, point);

      g_string_append_printf (text, "\n%s", words);
    }
  return g_string_free (text, FALSE);
}

static char *
sonde_pr_view_dup_table (SondeView *base, char s)
{
  SondePrView *view = SONDE_PR_VIEW (base);
  GString *text = g_string_new (NULL);

  g_string_append_printf (
      text, "run%cstep%cthreshold%cTP%cFP%cTN%cFN%cprecision%crecall%cfalse positive rate%cF1\n", s,
      s, s, s, s, s, s, s, s, s);
  for (guint c = 0; c < view->curves->len; c++)
    {
      const Curve *curve = view->curves->pdata[c];

      for (gsize i = 0; i < curve->n_points; i++)
        {
          const SondePrPoint *p = &curve->points[i];
          const double cells[] = { p->threshold,      p->true_positives,  p->false_positives,
                                   p->true_negatives, p->false_negatives, p->precision,
                                   p->recall,         p->false_rate,      p->f1 };

          g_string_append_printf (text, "%s%c%" PRIi64, curve->title, s, curve->step);
          for (gsize k = 0; k < G_N_ELEMENTS (cells); k++)
            g_string_append_printf (text, "%c%.17g", s, cells[k]);
          g_string_append_c (text, '\n');
        }
    }
  return g_string_free (text, FALSE);
}

/* ---- data ---------------------------------------------------------------- */

void
sonde_pr_view_clear (SondePrView *view)
{
  g_return_if_fail (SONDE_IS_PR_VIEW (view));
  g_ptr_array_set_size (view->curves, 0);
  sonde_view_invalidate (SONDE_VIEW (view));
}

gboolean
sonde_pr_view_add (SondePrView *view, const char *title, guint color_index, gint64 step,
                   const SondeTensor *rows)
{
  gsize n_points;
  SondePrPoint *points;
  Curve *curve;

  g_return_val_if_fail (SONDE_IS_PR_VIEW (view), FALSE);
  points = sonde_pr_points_make (rows, &n_points);
  if (points == NULL)
    return FALSE;
  curve = g_new0 (Curve, 1);
  curve->title = g_strdup (title);
  curve->color_index = color_index;
  curve->step = step;
  curve->points = points;
  curve->n_points = MIN (n_points, MAX_POINTS);
  curve->best = sonde_pr_points_best_f1 (points, curve->n_points);
  g_ptr_array_add (view->curves, curve);
  sonde_view_invalidate (SONDE_VIEW (view));
  return TRUE;
}

guint
sonde_pr_view_get_n_curves (SondePrView *view)
{
  g_return_val_if_fail (SONDE_IS_PR_VIEW (view), 0);
  return view->curves->len;
}

void
sonde_pr_view_set_roc (SondePrView *view, gboolean roc)
{
  g_return_if_fail (SONDE_IS_PR_VIEW (view));
  view->roc = roc;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_pr_view_set_message (SondePrView *view, const char *message)
{
  g_return_if_fail (SONDE_IS_PR_VIEW (view));
  g_free (view->message);
  view->message = g_strdup (message);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_pr_view_finalize (GObject *object)
{
  SondePrView *view = SONDE_PR_VIEW (object);

  g_ptr_array_unref (view->curves);
  g_free (view->message);
  G_OBJECT_CLASS (sonde_pr_view_parent_class)->finalize (object);
}

static void
sonde_pr_view_class_init (SondePrViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_pr_view_finalize;
  view_class->prepare = sonde_pr_view_prepare;
  view_class->paint = sonde_pr_view_paint;
  view_class->paint_overlay = sonde_pr_view_paint_overlay;
  view_class->area = sonde_pr_view_area;
  view_class->pick = sonde_pr_view_pick;
  view_class->dup_tooltip = sonde_pr_view_dup_tooltip;
  view_class->describe = sonde_pr_view_describe;
  view_class->dup_table = sonde_pr_view_dup_table;
  view_class->move_cursor = sonde_pr_view_move_cursor;
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Up, 0, move_curve, "i", -1);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Down, 0, move_curve, "i", 1);
}

static void
sonde_pr_view_init (SondePrView *view)
{
  view->curves = g_ptr_array_new_with_free_func (curve_free);
  g_signal_connect (view, "notify::has-focus", G_CALLBACK (sonde_view_invalidate), NULL);
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_XY);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 230, 200);
}

GtkWidget *
sonde_pr_view_new (void)
{
  return g_object_new (SONDE_TYPE_PR_VIEW, NULL);
}
