/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/profile/sonde-steps-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define TOP 18    /* px for the greatest value */
#define BOTTOM 18 /* for the numbers of the first and the last step */

struct _SondeStepsView
{
  SondeView parent_instance;
  double *ns;
  guint n, first;
  double median_ns, slow_ns, max_ns;
};

G_DEFINE_FINAL_TYPE (SondeStepsView, sonde_steps_view, SONDE_TYPE_VIEW)

static guint activated_signal;

static SondeViewRect
get_column (SondeStepsView *self, int width, int height, guint i)
{
  const double x0 = floor ((double) width * i / self->n);
  const double x1 = floor ((double) width * (i + 1) / self->n);
  const double tall = (height - TOP - BOTTOM) * (self->max_ns > 0 ? self->ns[i] / self->max_ns : 0);

  return (SondeViewRect){ x0, height - BOTTOM - tall, fmax (x1 - x0 - (x1 - x0 > 3 ? 1 : 0), 1),
                          tall };
}

static void
paint_columns (SondeStepsView *self, cairo_t *cr, int width, int height)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (self));
  const gint64 selected = sonde_view_get_selection (SONDE_VIEW (self));
  const SondeStroke usual = sonde_theme_series (theme, 0);

  for (guint i = 0; i < self->n; i++)
    {
      SondeViewRect column = get_column (self, width, height, i);
      const gboolean is_slow = self->ns[i] > self->slow_ns;

      sonde_paint_set_color_alpha (cr, is_slow ? &theme->state[SONDE_STATE_ERROR] : &usual.color,
                                   selected < 0 || selected == (gint64) i ? 1 : 0.5);
      cairo_rectangle (cr, column.x, column.y, column.width, column.height);
      cairo_fill (cr);
    }
}

static void
paint_median (SondeStepsView *self, cairo_t *cr, int width, int height)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (self));
  const double dashes[] = { 4, 3 };
  const double y = height - BOTTOM - (height - TOP - BOTTOM) * self->median_ns / self->max_ns;

  sonde_paint_set_color (cr, &theme->foreground);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, 0, floor (y) + 0.5);
  cairo_line_to (cr, width, floor (y) + 0.5);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
sonde_steps_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeStepsView *self = SONDE_STEPS_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  g_autofree char *most = sonde_format_duration ((gint64) self->max_ns);
  g_autofree char *first = g_strdup_printf ("%u", self->first);
  g_autofree char *last = g_strdup_printf ("%u", self->first + MAX (self->n, 1) - 1);

  if (self->n == 0 || !(self->max_ns > 0))
    return;
  paint_columns (self, cr, width, height);
  paint_median (self, cr, width, height);
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, 0, TOP / 2.0 - 2, width, most);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, 0, height - BOTTOM / 2.0 + 2, width,
                    first);
  if (self->n > 1)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, width, height - BOTTOM / 2.0 + 2,
                      width, last);
}

static gboolean
sonde_steps_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  SondeStepsView *self = SONDE_STEPS_VIEW (view);
  const int width = sonde_view_get_width (view);
  const int height = sonde_view_get_height (view);

  if (self->n == 0 || x < 0 || x >= width || y < TOP || y >= height - BOTTOM)
    return FALSE;
  pick->id = MIN ((gint64) (x * self->n / width), (gint64) self->n - 1);
  pick->area = get_column (self, width, height, (guint) pick->id);
  return TRUE;
}

static char *
sonde_steps_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  SondeStepsView *self = SONDE_STEPS_VIEW (view);
  g_autofree char *time = NULL;

  if (pick->id >= self->n)
    return NULL;
  time = sonde_format_duration ((gint64) self->ns[pick->id]);
  return g_strdup_printf (_ ("Step %u: %s (%.0f ns)"), self->first + (guint) pick->id, time,
                          self->ns[pick->id]);
}

static char *
sonde_steps_view_describe (SondeView *view)
{
  SondeStepsView *self = SONDE_STEPS_VIEW (view);
  g_autofree char *median = sonde_format_duration ((gint64) self->median_ns);
  g_autofree char *most = sonde_format_duration ((gint64) self->max_ns);

  return g_strdup_printf (
      P_ ("%u step; median %s, longest %s", "%u steps; median %s, longest %s", self->n), self->n,
      median, most);
}

static char *
sonde_steps_view_dup_table (SondeView *view, char separator)
{
  SondeStepsView *self = SONDE_STEPS_VIEW (view);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "step%cns\n", separator);
  for (guint i = 0; i < self->n; i++)
    g_string_append_printf (text, "%u%c%.0f\n", self->first + i, separator, self->ns[i]);
  return g_string_free (text, FALSE);
}

static gboolean
sonde_steps_view_move_cursor (SondeView *view, int count)
{
  const gint64 n = SONDE_STEPS_VIEW (view)->n;
  gint64 selected = sonde_view_get_selection (view);

  if (n == 0)
    return FALSE;
  selected = selected < 0 && count > 0 && count < G_MAXINT ? count - 1 : selected + count;
  sonde_view_set_selection (view, CLAMP (selected, 0, n - 1));
  sonde_view_invalidate (view);
  return TRUE;
}

static gboolean
activate (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  gint64 selected = sonde_view_get_selection (SONDE_VIEW (widget));

  if (selected < 0)
    return FALSE;
  g_signal_emit (widget, activated_signal, 0, (guint) selected);
  return TRUE;
}

static void
on_picked (SondeStepsView *self, gint64 id, int n_presses)
{
  sonde_view_set_selection (SONDE_VIEW (self), id);
  sonde_view_invalidate (SONDE_VIEW (self));
  if (id >= 0)
    g_signal_emit (self, activated_signal, 0, (guint) id);
}

void
sonde_steps_view_set (SondeStepsView *view, const double *ns, guint n, guint first,
                      double median_ns, double slow_ns)
{
  g_return_if_fail (SONDE_IS_STEPS_VIEW (view));
  g_free (view->ns);
  view->ns = g_memdup2 (ns, n * sizeof *ns);
  view->n = n;
  view->first = first;
  view->median_ns = median_ns;
  view->slow_ns = slow_ns;
  view->max_ns = 0;
  for (guint i = 0; i < n; i++)
    view->max_ns = fmax (view->max_ns, ns[i]);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_steps_view_finalize (GObject *object)
{
  g_free (SONDE_STEPS_VIEW (object)->ns);
  G_OBJECT_CLASS (sonde_steps_view_parent_class)->finalize (object);
}

static void
sonde_steps_view_class_init (SondeStepsViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_steps_view_finalize;
  view->paint = sonde_steps_view_paint;
  view->pick = sonde_steps_view_pick;
  view->dup_tooltip = sonde_steps_view_dup_tooltip;
  view->describe = sonde_steps_view_describe;
  view->dup_reading = sonde_view_dup_selected;
  view->dup_table = sonde_steps_view_dup_table;
  view->move_cursor = sonde_steps_view_move_cursor;
  activated_signal = g_signal_new ("activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Return, 0, activate, NULL);
}

static void
sonde_steps_view_init (SondeStepsView *self)
{
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_minimum_size (SONDE_VIEW (self), 220, 120);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
}

GtkWidget *
sonde_steps_view_new (void)
{
  SondeStepsView *view = g_object_new (SONDE_TYPE_STEPS_VIEW, NULL);

  sonde_view_set_title (SONDE_VIEW (view), _ ("Step times"));
  return GTK_WIDGET (view);
}
