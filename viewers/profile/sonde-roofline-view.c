/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/profile/sonde-roofline-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

struct _SondeRooflineView
{
  SondeView parent_instance;
  GStringChunk *names;
  GArray *marks; /* SondeRooflineMark */
  SondeCeilings ceilings;
  char *message;
};

G_DEFINE_FINAL_TYPE (SondeRooflineView, sonde_roofline_view, SONDE_TYPE_VIEW)

static SondeRooflinePlot
make_plot (SondeRooflineView *self, int width, int height)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (self), width, height, &v);
  return (SondeRooflinePlot){ .marks = (const SondeRooflineMark *) self->marks->data,
                              .n_marks = self->marks->len,
                              .ceilings = self->ceilings,
                              .low_x = v.x0,
                              .high_x = v.x1,
                              .low_y = v.y1,
                              .high_y = v.y0,
                              .selected = -1,
                              .message = self->message };
}

static const SondeRooflineMark *
get_mark (SondeRooflineView *self, gint64 id)
{
  return id >= 0 && id < self->marks->len ? &g_array_index (self->marks, SondeRooflineMark, id)
                                          : NULL;
}

/* ---- drawing ------------------------------------------------------------- */

static void
sonde_roofline_view_prepare (SondeView *base, int width, int height)
{
  SondeRooflineView *self = SONDE_ROOFLINE_VIEW (base);
  SondeRooflinePlot plot = { .marks = (const SondeRooflineMark *) self->marks->data,
                             .n_marks = self->marks->len,
                             .ceilings = self->ceilings };

  sonde_roofline_plot_fit (&plot);
  sonde_view_set_bounds (base,
                         &(SondeViewport){ plot.low_x, plot.high_y, plot.high_x, plot.low_y });
}

static void
sonde_roofline_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeRooflinePlot plot = make_plot (SONDE_ROOFLINE_VIEW (base), width, height);

  plot.selected = sonde_view_get_selection (base);
  sonde_paint_roofline (cr, sonde_view_get_theme (base), &plot, width, height);
}

static void
sonde_roofline_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  sonde_roofline_plot_get_area (width, height, area);
}

static gboolean
sonde_roofline_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  const int width = sonde_view_get_width (base), height = sonde_view_get_height (base);
  SondeRooflinePlot plot = make_plot (SONDE_ROOFLINE_VIEW (base), width, height);

  pick->id = sonde_roofline_plot_pick (&plot, width, height, x, y, &pick->area);
  return pick->id >= 0;
}

/* ---- words --------------------------------------------------------------- */

char *
sonde_roofline_view_dup_sentence (SondeRooflineView *view, gint64 id)
{
  const SondeRooflineMark *mark;
  g_autofree char *name = NULL, *gflops = NULL, *intensity = NULL;
  double roof;
  GString *text;

  g_return_val_if_fail (SONDE_IS_ROOFLINE_VIEW (view), NULL);
  mark = get_mark (view, id);
  if (mark == NULL)
    return NULL;
  name = sonde_text_make_visible (mark->name);
  gflops = sonde_format_number (mark->gflops);
  intensity = sonde_format_number (mark->intensity);
  text = g_string_new (name);
  g_string_append_printf (
      text, _ ("\n%.1f %% of a step, %s\n%s GFLOP/s at %s FLOP/byte"), mark->share * 100,
      _ (sonde_operator_class_get_title (mark->operator_class)), gflops, intensity);
  roof = sonde_roofline_get_roof (&view->ceilings, mark->intensity);
  if (isfinite (roof))
    {
      g_autofree char *possible = sonde_format_number (roof);

      g_string_append_printf (text, _ ("\n%.1f %% of the %s GFLOP/s that are possible there"),
                              mark->gflops / roof * 100, possible);
    }
  return g_string_free (text, FALSE);
}

static char *
sonde_roofline_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  return sonde_roofline_view_dup_sentence (SONDE_ROOFLINE_VIEW (base), pick->id);
}

static char *
sonde_roofline_view_describe (SondeView *base)
{
  SondeRooflineView *self = SONDE_ROOFLINE_VIEW (base);
  g_autofree char *selected
      = sonde_roofline_view_dup_sentence (self, sonde_view_get_selection (base));
  GString *text = g_string_new (_ ("Roofline"));

  if (self->message != NULL)
    {
      g_string_append_printf (text, ": %s", self->message);
      return g_string_free (text, FALSE);
    }
  g_string_append_printf (text, P_ (": %u operator", ": %u operators", self->marks->len),
                          self->marks->len);
  if (isfinite (self->ceilings.peak_gflops) && isfinite (self->ceilings.peak_gbs))
    {
      g_autofree char *gflops = sonde_format_number (self->ceilings.peak_gflops);
      g_autofree char *gbs = sonde_format_number (self->ceilings.peak_gbs);

      g_string_append_printf (text, _ (" below %s GFLOP/s and %s GB/s"), gflops, gbs);
    }
  g_string_append (text, ".");
  if (selected != NULL)
    g_string_append_printf (text, _ (" Selected: %s."), g_strdelimit (selected, "\n", ' '));
  return g_string_free (text, FALSE);
}

static char *
sonde_roofline_view_dup_table (SondeView *base, char separator)
{
  SondeRooflineView *self = SONDE_ROOFLINE_VIEW (base);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "flop_per_byte%cgflops%cshare%cclass%cname\n", separator, separator,
                          separator, separator);
  for (guint i = 0; i < self->marks->len; i++)
    {
      const SondeRooflineMark *mark = get_mark (self, i);
      const char *kind = sonde_operator_class_get_name (mark->operator_class);
      g_auto (GStrv) parts = g_strsplit (mark->name, separator == ',' ? "\"" : "\t", -1);
      g_autofree char *name = g_strjoinv (separator == ',' ? "\"\"" : " ", parts);

      g_string_append_printf (text, "%.17g%c%.17g%c%.17g%c%s%c", mark->intensity, separator,
                              mark->gflops, separator, mark->share, separator,
                              kind != NULL ? kind : "", separator);
      g_string_append_printf (text, separator == ',' ? "\"%s\"\n" : "%s\n", name);
    }
  return g_string_free (text, FALSE);
}

/* ---- selection ----------------------------------------------------------- */

static gboolean
sonde_roofline_view_move_cursor (SondeView *base, int count)
{
  const gint64 n = SONDE_ROOFLINE_VIEW (base)->marks->len;
  const gint64 from = sonde_view_get_selection (base);

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

void
sonde_roofline_view_set (SondeRooflineView *view, const SondeRooflineMark *marks, gsize n,
                         const SondeCeilings *ceilings, const char *message)
{
  g_return_if_fail (SONDE_IS_ROOFLINE_VIEW (view));
  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  g_array_set_size (view->marks, 0);
  g_string_chunk_clear (view->names);
  for (gsize i = 0; i < n; i++)
    {
      SondeRooflineMark mark = marks[i];

      mark.name = g_string_chunk_insert (view->names, mark.name);
      g_array_append_val (view->marks, mark);
    }
  view->ceilings = *ceilings;
  g_free (view->message);
  view->message = g_strdup (message);
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_roofline_view_finalize (GObject *object)
{
  SondeRooflineView *self = SONDE_ROOFLINE_VIEW (object);

  g_array_unref (self->marks);
  g_string_chunk_free (self->names);
  g_free (self->message);
  G_OBJECT_CLASS (sonde_roofline_view_parent_class)->finalize (object);
}

static void
sonde_roofline_view_class_init (SondeRooflineViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_roofline_view_finalize;
  view_class->prepare = sonde_roofline_view_prepare;
  view_class->paint = sonde_roofline_view_paint;
  view_class->area = sonde_roofline_view_area;
  view_class->pick = sonde_roofline_view_pick;
  view_class->dup_tooltip = sonde_roofline_view_dup_tooltip;
  view_class->describe = sonde_roofline_view_describe;
  view_class->dup_table = sonde_roofline_view_dup_table;
  view_class->move_cursor = sonde_roofline_view_move_cursor;
}

static void
sonde_roofline_view_init (SondeRooflineView *self)
{
  self->names = g_string_chunk_new (1024);
  self->marks = g_array_new (FALSE, FALSE, sizeof (SondeRooflineMark));
  self->ceilings = (SondeCeilings){ NAN, NAN, NAN };
  sonde_view_set_title (SONDE_VIEW (self), _ ("Roofline"));
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_XY);
  sonde_view_set_minimum_size (SONDE_VIEW (self), 320, 220);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
  g_signal_connect (self, "notify::selection", G_CALLBACK (sonde_view_invalidate), NULL);
}

GtkWidget *
sonde_roofline_view_new (void)
{
  return g_object_new (SONDE_TYPE_ROOFLINE_VIEW, NULL);
}
