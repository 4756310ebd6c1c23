/* SPDX-License-Identifier: Apache-2.0
 * Methods by metrics as a radar. */
#include "viewers/sonde-radar-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-radar.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEGEND_ROW 20
#define SWATCH 22
#define REACH 12 /* px from the pointer to a point */

struct _SondeRadarView
{
  SondeView parent_instance;

  char **axes, **names;
  double *values;
  guint n_axes, n_series;
};

G_DEFINE_FINAL_TYPE (SondeRadarView, sonde_radar_view, SONDE_TYPE_VIEW)

static SondeRadar
radar_of (SondeRadarView *self)
{
  return (SondeRadar){ .axes = (const char *const *) self->axes,
                       .names = (const char *const *) self->names,
                       .n_axes = self->n_axes,
                       .n_series = self->n_series,
                       .values = self->values,
                       .emphasised = (int) sonde_view_get_selection (SONDE_VIEW (self)) };
}

/* The legend is below, in as many columns as fit. */
static guint
legend_columns (SondeRadarView *self, int width, double *column)
{
  double largest = 40;

  for (guint i = 0; i < self->n_series; i++)
    largest = fmax (largest, sonde_text_measure (SONDE_FONT_SMALL, self->names[i], NULL));
  *column = fmin (SWATCH + largest + 18, MAX (width, 1));
  return MAX (1, (guint) (width / *column));
}

static double
legend_height (SondeRadarView *self, int width)
{
  double column;
  guint columns = legend_columns (self, width, &column);

  return (self->n_series + columns - 1) / columns * LEGEND_ROW;
}

static SondeViewRect
legend_rect (SondeRadarView *self, int width, int height, guint series)
{
  double column;
  guint columns = legend_columns (self, width, &column);

  return (SondeViewRect){ series % columns * column,
                          height - legend_height (self, width) + series / columns * LEGEND_ROW,
                          column, LEGEND_ROW };
}

static void
sonde_radar_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeRadarView *self = SONDE_RADAR_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeRadar radar = radar_of (self);

  sonde_paint_radar (cr, theme, &radar, 0, 0, width, height - legend_height (self, width) - 6);
  for (guint i = 0; i < self->n_series; i++)
    {
      SondeViewRect rect = legend_rect (self, width, height, i);
      SondeStroke stroke = sonde_theme_series (theme, i);
      double y = rect.y + rect.height / 2;

      cairo_move_to (cr, rect.x, y);
      cairo_line_to (cr, rect.x + SWATCH - 6, y);
      sonde_paint_set_color (cr, &stroke.color);
      cairo_set_dash (cr, stroke.dashes, stroke.n_dashes, 0);
      cairo_set_line_width (cr, radar.emphasised == (int) i ? 4 : 2);
      cairo_stroke (cr);
      cairo_set_dash (cr, NULL, 0, 0);
      sonde_paint_set_color (cr, &theme->foreground);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, rect.x + SWATCH, y,
                        rect.width - SWATCH - 4, self->names[i]);
    }
}

/* id = series × axes + axis; a name in the legend: series × axes. */
static gboolean
sonde_radar_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  SondeRadarView *self = SONDE_RADAR_VIEW (view);
  SondeRadar radar = radar_of (self);
  int width = sonde_view_get_width (view), height = sonde_view_get_height (view);
  double cx, cy, radius, px, py, nearest = REACH;

  pick->id = SONDE_VIEW_NOTHING;
  for (guint i = 0; i < self->n_series; i++)
    {
      SondeViewRect rect = legend_rect (self, width, height, i);

      if (x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height)
        {
          pick->id = (gint64) i * MAX (self->n_axes, 1);
          pick->area = rect;
          return TRUE;
        }
    }
  if (self->n_axes < 3)
    return FALSE;
  sonde_radar_place (&radar, 0, 0, width, height - legend_height (self, width) - 6, &cx, &cy,
                     &radius);
  for (guint i = 0; i < self->n_series * self->n_axes; i++)
    if (sonde_radar_get_point (&radar, i / self->n_axes, i % self->n_axes, cx, cy, radius, &px, &py)
        && hypot (px - x, py - y) < nearest)
      {
        nearest = hypot (px - x, py - y);
        pick->id = i;
        pick->area = (SondeViewRect){ px - 4, py - 4, 8, 8 };
      }
  return pick->id >= 0;
}

static char *
sonde_radar_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  SondeRadarView *self = SONDE_RADAR_VIEW (view);
  gint64 n = (gint64) self->n_axes * self->n_series;
  g_autofree char *value = NULL;

  if (pick->id < 0 || pick->id >= n)
    return NULL;
  value = sonde_format_number (self->values[pick->id]);
  return g_strdup_printf ("%s · %s: %s", self->names[pick->id / self->n_axes],
                          self->axes[pick->id % self->n_axes], value);
}

static char *
sonde_radar_view_describe (SondeView *view)
{
  SondeRadarView *self = SONDE_RADAR_VIEW (view);
  gint64 selected = sonde_view_get_selection (view);
  GString *text;

  if (self->n_series == 0)
    return g_strdup (_ ("No scores."));
  text = g_string_new (NULL);
  g_string_append_printf (
      text,
      _ ("%u methods by %u metrics, from 0 (no better than a random map) to 1 (best possible)."),
      self->n_series, self->n_axes);
  for (guint i = 0; selected >= 0 && selected < self->n_series && i < self->n_axes; i++)
    g_string_append_printf (text, "%s %s %.2f", i == 0 ? self->names[selected] : ",", self->axes[i],
                            self->values[selected * self->n_axes + i]);
  return g_string_free (text, FALSE);
}

static char *
sonde_radar_view_dup_table (SondeView *view, char separator)
{
  SondeRadarView *self = SONDE_RADAR_VIEW (view);
  GString *text = g_string_new ("method");

  for (guint i = 0; i < self->n_axes; i++)
    g_string_append_printf (text, "%c%s", separator, self->axes[i]);
  for (guint i = 0; i < self->n_series * self->n_axes; i++)
    {
      if (i % self->n_axes == 0)
        g_string_append_printf (text, "\n%s", self->names[i / self->n_axes]);
      g_string_append_printf (text, "%c%.9g", separator, self->values[i]);
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

static gboolean
sonde_radar_view_move_cursor (SondeView *view, int count)
{
  SondeRadarView *self = SONDE_RADAR_VIEW (view);
  gint64 last = (gint64) self->n_series - 1, at = sonde_view_get_selection (view);

  if (last < 0)
    return FALSE;
  at = count == G_MININT   ? 0
       : count == G_MAXINT ? last
                           : CLAMP (at + CLAMP (count, -last - 1, last + 1), 0, last);
  sonde_view_set_selection (view, at);
  return TRUE;
}

static void
on_picked (SondeRadarView *self, gint64 id, int n_presses, double x, double y)
{
  gint64 series = id >= 0 ? id / MAX (self->n_axes, 1) : SONDE_VIEW_NOTHING;

  sonde_view_set_selection (
      SONDE_VIEW (self),
      series == sonde_view_get_selection (SONDE_VIEW (self)) ? SONDE_VIEW_NOTHING : series);
}

static void
clear_content (SondeRadarView *self)
{
  g_clear_pointer (&self->axes, g_strfreev);
  g_clear_pointer (&self->names, g_strfreev);
  g_clear_pointer (&self->values, g_free);
}

static char **
copy_names (const char *const *names, guint n)
{
  char **copy = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    copy[i] = g_strdup (names[i]);
  return copy;
}

void
sonde_radar_view_set_content (SondeRadarView *view, const char *const *axes, guint n_axes,
                              const char *const *names, guint n_series, const double *values)
{
  g_return_if_fail (SONDE_IS_RADAR_VIEW (view));
  clear_content (view);
  view->axes = copy_names (axes, n_axes);
  view->names = copy_names (names, n_series);
  view->values = g_memdup2 (values, (gsize) n_axes * n_series * sizeof *values);
  view->n_axes = n_axes;
  view->n_series = n_series;
  if (sonde_view_get_selection (SONDE_VIEW (view)) >= n_series)
    sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_radar_view_finalize (GObject *object)
{
  clear_content (SONDE_RADAR_VIEW (object));
  G_OBJECT_CLASS (sonde_radar_view_parent_class)->finalize (object);
}

static void
sonde_radar_view_class_init (SondeRadarViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_radar_view_finalize;
  view->paint = sonde_radar_view_paint;
  view->pick = sonde_radar_view_pick;
  view->dup_tooltip = sonde_radar_view_dup_tooltip;
  view->describe = sonde_radar_view_describe;
  view->dup_table = sonde_radar_view_dup_table;
  view->move_cursor = sonde_radar_view_move_cursor;
}

static void
sonde_radar_view_init (SondeRadarView *self)
{
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_title (SONDE_VIEW (self), _ ("Methods"));
  sonde_view_set_minimum_size (SONDE_VIEW (self), 260, 300);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
  g_signal_connect (self, "notify::selection", G_CALLBACK (sonde_view_invalidate), NULL);
}
