/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/profile/sonde-level-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondeLevelView
{
  SondeView parent_instance;
  SondeLevelSeries *series; /* owned, with names and points */
  gsize n_series;
  SondeLevelUnit unit;
  gint64 origin_ns;
  char *axis, *message;
};

G_DEFINE_FINAL_TYPE (SondeLevelView, sonde_level_view, SONDE_TYPE_VIEW)

static SondeLevelPlot
make_plot (SondeLevelView *self, int width, int height)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (self), width, height, &v);
  return (SondeLevelPlot){ .unit = self->unit,
                           .series = self->series,
                           .n_series = self->n_series,
                           .origin_ns = self->origin_ns,
                           .title = self->axis,
                           .low = v.x0,
                           .high = v.x1,
                           .bottom = v.y1,
                           .top = v.y0,
                           .cursor = -1,
                           .message = self->message };
}

static gint64
count_points (SondeLevelView *self)
{
  return self->n_series > 0 ? (gint64) self->series[0].n_points : 0;
}

/* ---- drawing ------------------------------------------------------------- */

static void
sonde_level_view_prepare (SondeView *base, int width, int height)
{
  SondeLevelView *self = SONDE_LEVEL_VIEW (base);
  SondeLevelPlot plot
      = { .series = self->series, .n_series = self->n_series, .origin_ns = self->origin_ns };

  sonde_level_plot_fit (&plot);
  sonde_view_set_bounds (base, &(SondeViewport){ plot.low, plot.top, plot.high, plot.bottom });
}

static void
sonde_level_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeLevelPlot plot = make_plot (SONDE_LEVEL_VIEW (base), width, height);

  plot.cursor = sonde_view_get_selection (base);
  sonde_paint_level (cr, sonde_view_get_theme (base), &plot, width, height);
}

static void
sonde_level_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  sonde_level_plot_get_area (width, height, area);
}

/* The point that holds at the pointer, wherever its value lies. */
static gboolean
sonde_level_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeLevelView *self = SONDE_LEVEL_VIEW (base);
  SondeViewRect area;
  double seconds, unused;

  sonde_view_get_area (base, sonde_view_get_width (base), sonde_view_get_height (base), &area);
  if (self->n_series == 0 || x < area.x || x >= area.x + area.width || y < area.y
      || y >= area.y + area.height)
    return FALSE;
  sonde_view_view_to_world (base, x, y, &seconds, &unused);
  pick->id = sonde_level_find (&self->series[0],
                               self->origin_ns + (gint64) CLAMP (seconds * 1e9, -4e18, 4e18));
  pick->area = (SondeViewRect){ x - 4, y - 4, 8, 8 };
  return pick->id >= 0;
}

/* ---- words --------------------------------------------------------------- */

char *
sonde_level_view_dup_sentence (SondeLevelView *view, gint64 point)
{
  GString *text;
  gint64 at_ns;
  g_autofree char *when = NULL;

  g_return_val_if_fail (SONDE_IS_LEVEL_VIEW (view), NULL);
  if (point < 0 || point >= count_points (view))
    return NULL;
  at_ns = view->series[0].points[point].at_ns;
  when = sonde_format_duration (at_ns - view->origin_ns);
  text = g_string_new (NULL);
  g_string_append_printf (text, _ ("at %s"), when);
  for (gsize s = 0; s < view->n_series; s++)
    {
      const gint64 held = s == 0 ? point : sonde_level_find (&view->series[s], at_ns);
      g_autofree char *value
          = held >= 0 ? sonde_level_format (view->unit, view->series[s].points[held].value) : NULL;

      if (value != NULL)
        g_string_append_printf (text, "\n%s: %s", view->series[s].name, value);
    }
  return g_string_free (text, FALSE);
}

static char *
sonde_level_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  return sonde_level_view_dup_sentence (SONDE_LEVEL_VIEW (base), pick->id);
}

static char *
sonde_level_view_describe (SondeView *base)
{
  SondeLevelView *self = SONDE_LEVEL_VIEW (base);
  g_autofree char *selected = sonde_level_view_dup_sentence (self, sonde_view_get_selection (base));
  GString *text = g_string_new (sonde_view_get_title (base));

  if (self->n_series == 0)
    g_string_append_printf (text, ": %s", self->message != NULL ? self->message : "");
  for (gsize s = 0; s < self->n_series; s++)
    {
      const SondeLevelSeries *series = &self->series[s];
      double most = -INFINITY;
      g_autofree char *shown = NULL;

      for (gsize i = 0; i < series->n_points; i++)
        most = fmax (most, series->points[i].value);
      shown = sonde_level_format (self->unit, most);
      g_string_append_printf (text, _ ("; %s at most %s"), series->name, shown);
    }
  if (selected != NULL)
    g_string_append_printf (text, _ (" Selected: %s."), g_strdelimit (selected, "\n", ' '));
  return g_string_free (text, FALSE);
}

static char *
sonde_level_view_dup_table (SondeView *base, char separator)
{
  SondeLevelView *self = SONDE_LEVEL_VIEW (base);
  GString *text = g_string_new ("ns");

  for (gsize s = 0; s < self->n_series; s++)
    g_string_append_printf (text, "%c%s", separator, self->series[s].name);
  g_string_append_c (text, '\n');
  for (gint64 i = 0; i < count_points (self); i++)
    {
      const gint64 at_ns = self->series[0].points[i].at_ns;

      g_string_append_printf (text, "%" G_GINT64_FORMAT, at_ns);
      for (gsize s = 0; s < self->n_series; s++)
        {
          const gint64 held = s == 0 ? i : sonde_level_find (&self->series[s], at_ns);

          g_string_append_c (text, separator);
          if (held >= 0)
            g_string_append_printf (text, "%.17g", self->series[s].points[held].value);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/* ---- cursor -------------------------------------------------------------- */

static gboolean
sonde_level_view_move_cursor (SondeView *base, int count)
{
  const gint64 n = count_points (SONDE_LEVEL_VIEW (base)), from = sonde_view_get_selection (base);

  if (n == 0)
    return FALSE;
  sonde_view_set_selection (
      base, from < 0 && count > 0 && count != G_MAXINT ? 0 : CLAMP (from + count, 0, n - 1));
  return TRUE;
}

static void
on_picked (SondeView *view, gint64 id, int n_presses, double x, double y)
{
  sonde_view_set_selection (view, id);
}

/* ---- what it holds ------------------------------------------------------- */

static void
forget (SondeLevelView *self)
{
  for (gsize s = 0; s < self->n_series; s++)
    {
      g_free ((gpointer) self->series[s].name);
      g_free ((gpointer) self->series[s].points);
    }
  g_clear_pointer (&self->series, g_free);
  self->n_series = 0;
  g_clear_pointer (&self->axis, g_free);
  g_clear_pointer (&self->message, g_free);
}

void
sonde_level_view_set (SondeLevelView *view, const SondeLevelSeries *series, gsize n,
                      SondeLevelUnit unit, gint64 origin_ns, const char *axis, const char *message)
{
  g_return_if_fail (SONDE_IS_LEVEL_VIEW (view));
  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  forget (view);
  view->series = g_new0 (SondeLevelSeries, MAX (n, 1));
  view->n_series = n;
  for (gsize s = 0; s < n; s++)
    view->series[s] = (SondeLevelSeries){
      g_strdup (series[s].name),
      g_memdup2 (series[s].points, series[s].n_points * sizeof *series->points), series[s].n_points
    };
  view->unit = unit;
  view->origin_ns = origin_ns;
  view->axis = g_strdup (axis);
  view->message = n == 0 ? g_strdup (message) : NULL;
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_level_view_finalize (GObject *object)
{
  forget (SONDE_LEVEL_VIEW (object));
  G_OBJECT_CLASS (sonde_level_view_parent_class)->finalize (object);
}

static void
sonde_level_view_class_init (SondeLevelViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_level_view_finalize;
  view_class->prepare = sonde_level_view_prepare;
  view_class->paint = sonde_level_view_paint;
  view_class->area = sonde_level_view_area;
  view_class->pick = sonde_level_view_pick;
  view_class->dup_tooltip = sonde_level_view_dup_tooltip;
  view_class->describe = sonde_level_view_describe;
  view_class->dup_table = sonde_level_view_dup_table;
  view_class->move_cursor = sonde_level_view_move_cursor;
}

static void
sonde_level_view_init (SondeLevelView *self)
{
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_X);
  sonde_view_set_minimum_size (SONDE_VIEW (self), 280, 140);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
  g_signal_connect (self, "notify::selection", G_CALLBACK (sonde_view_invalidate), NULL);
}

GtkWidget *
sonde_level_view_new (const char *title)
{
  GtkWidget *view = g_object_new (SONDE_TYPE_LEVEL_VIEW, NULL);

  sonde_view_set_title (SONDE_VIEW (view), title);
  return view;
}
