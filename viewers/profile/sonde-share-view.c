/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/profile/sonde-share-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define BAR 24  /* px high */
#define GAP 12  /* below it */
#define LINE 24 /* of a part */
#define SWATCH 12
#define TIME 76 /* px wide */
#define SHARE 62

struct _SondeShareView
{
  SondeView parent_instance;
  GArray *shares; /* SondeShare, names owned */
  char *total;    /* (nullable) */
  double total_ns;
};

G_DEFINE_FINAL_TYPE (SondeShareView, sonde_share_view, SONDE_TYPE_VIEW)

static guint activated_signal;

static const SondeShare *
get_share (SondeShareView *self, guint i)
{
  return &g_array_index (self->shares, SondeShare, i);
}

static char *
format_ns (double ns)
{
  return isfinite (ns) ? sonde_format_duration ((gint64) ns) : g_strdup ("");
}

static char *
format_share (double share)
{
  return isfinite (share) ? g_strdup_printf ("%.1f %%", share * 100) : g_strdup ("–");
}

/* ---- places -------------------------------------------------------------- */

static double
get_top (SondeShareView *self)
{
  return self->total != NULL ? BAR + GAP : 0;
}

static SondeViewRect
get_line (SondeShareView *self, int width, guint i)
{
  return (SondeViewRect){ 0, get_top (self) + i * LINE, width, LINE };
}

/* The piece of the bar; the last one ends at the edge. */
static SondeViewRect
get_piece (SondeShareView *self, int width, guint i)
{
  double sum = 0, before = 0;

  for (guint k = 0; k < self->shares->len; k++)
    {
      before += k < i ? fmax (get_share (self, k)->share, 0) : 0;
      sum += fmax (get_share (self, k)->share, 0);
    }
  sum = sum > 0 ? sum : 1;
  return (SondeViewRect){ width * before / sum, 0,
                          width * fmax (get_share (self, i)->share, 0) / sum, BAR };
}

static gboolean
holds (const SondeViewRect *rect, double x, double y)
{
  return x >= rect->x && x < rect->x + rect->width && y >= rect->y && y < rect->y + rect->height;
}

/* ---- painting ------------------------------------------------------------ */

static void
set_color (SondeShareView *self, cairo_t *cr, guint i, double alpha)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (self));
  const SondeShare *share = get_share (self, i);
  SondeStroke stroke = sonde_theme_series (theme, share->color);

  sonde_paint_set_color_alpha (cr, share->is_rest ? &theme->masked : &stroke.color, alpha);
}

static void
paint_bar (SondeShareView *self, cairo_t *cr, int width)
{
  cairo_save (cr);
  sonde_paint_round_rectangle (cr, 0, 0, width, BAR, 6);
  cairo_clip (cr);
  for (guint i = 0; i < self->shares->len; i++)
    {
      SondeViewRect piece = get_piece (self, width, i);

      set_color (self, cr, i, 1);
      cairo_rectangle (cr, piece.x, piece.y, fmax (piece.width - (piece.width > 4 ? 1 : 0), 0),
                       piece.height);
      cairo_fill (cr);
    }
  cairo_restore (cr);
}

static void
paint_numbers (SondeShareView *self, cairo_t *cr, const SondeViewRect *line, double ns,
               double share)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (self));
  const double right = line->x + line->width - 6, middle = line->y + line->height / 2;
  g_autofree char *time = format_ns (ns), *percent = format_share (share);

  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_END, right, middle, SHARE, percent);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_END, right - SHARE, middle, TIME, time);
}

static void
paint_line (SondeShareView *self, cairo_t *cr, int width, guint i)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (self));
  const SondeShare *share = get_share (self, i);
  SondeViewRect line = get_line (self, width, i);
  const double names = width - TIME - SHARE - 12, middle = line.y + line.height / 2;
  double left = 6;

  if (sonde_view_get_selection (SONDE_VIEW (self)) == (gint64) i)
    {
      sonde_paint_set_color_alpha (cr, &theme->selection, 0.15);
      sonde_paint_round_rectangle (cr, line.x, line.y, line.width, line.height, 6);
      cairo_fill (cr);
    }
  if (self->total != NULL)
    {
      set_color (self, cr, i, 1);
      sonde_paint_round_rectangle (cr, left, middle - SWATCH / 2.0, SWATCH, SWATCH, 3);
      cairo_fill (cr);
      left += SWATCH + 9;
    }
  else
    {
      set_color (self, cr, i, 0.28);
      sonde_paint_round_rectangle (cr, 0, line.y + 2,
                                   share->share > 0 ? fmax (3, names * fmin (share->share, 1)) : 0,
                                   LINE - 4, 3);
      cairo_fill (cr);
    }
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, left, middle, names - left - 6,
                    share->name);
  paint_numbers (self, cr, &line, share->ns, share->share);
}

static void
sonde_share_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeShareView *self = SONDE_SHARE_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeViewRect line = get_line (self, width, self->shares->len);

  if (self->total != NULL)
    paint_bar (self, cr, width);
  for (guint i = 0; i < self->shares->len; i++)
    paint_line (self, cr, width, i);
  if (self->total == NULL)
    return;
  sonde_paint_set_color (cr, &theme->grid);
  cairo_rectangle (cr, 6, line.y + 2, width - 12, 1);
  cairo_fill (cr);
  line.y += 4;
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_STRONG, SONDE_ALIGN_START, 6, line.y + LINE / 2.0,
                    width - TIME - SHARE - 18, self->total);
  paint_numbers (self, cr, &line, self->total_ns, 1);
}

/* ---- pointer, keys, text ------------------------------------------------- */

static gboolean
sonde_share_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  SondeShareView *self = SONDE_SHARE_VIEW (view);
  const int width = sonde_view_get_width (view);

  for (guint i = 0; i < self->shares->len; i++)
    {
      SondeViewRect line = get_line (self, width, i), piece = get_piece (self, width, i);

      if (!holds (&line, x, y) && !(self->total != NULL && holds (&piece, x, y)))
        continue;
      pick->id = i;
      pick->area = holds (&line, x, y) ? line : piece;
      return TRUE;
    }
  return FALSE;
}

static char *
sonde_share_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  const SondeShare *share;
  g_autofree char *name = NULL, *percent = NULL;

  if (pick->id >= SONDE_SHARE_VIEW (view)->shares->len)
    return NULL;
  share = get_share (SONDE_SHARE_VIEW (view), (guint) pick->id);
  name = sonde_text_make_visible (share->name);
  percent = format_share (share->share);
  return isfinite (share->ns) ? g_strdup_printf ("%s\n%.0f ns\n%s", name, share->ns, percent)
                              : g_strdup_printf ("%s\n%s", name, percent);
}

static char *
sonde_share_view_describe (SondeView *view)
{
  SondeShareView *self = SONDE_SHARE_VIEW (view);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->shares->len; i++)
    {
      const SondeShare *share = get_share (self, i);
      g_autofree char *name = sonde_text_make_visible (share->name);
      g_autofree char *time = format_ns (share->ns), *percent = format_share (share->share);

      g_string_append_printf (text, "%s%s: %s %s", i > 0 ? "; " : "", name, time, percent);
    }
  return g_string_free (text, FALSE);
}

static char *
sonde_share_view_dup_table (SondeView *view, char separator)
{
  SondeShareView *self = SONDE_SHARE_VIEW (view);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "name%cns%cshare\n", separator, separator);
  for (guint i = 0; i < self->shares->len; i++)
    {
      const SondeShare *share = get_share (self, i);
      g_autofree char *ns
          = isfinite (share->ns) ? g_strdup_printf ("%.0f", share->ns) : g_strdup ("");
      g_autofree char *part = sonde_format_exact (share->share);
      g_autofree char *name = g_strdelimit (g_strdup (share->name), "\t\n\",", ' ');

      g_string_append_printf (text, "%s%c%s%c%s\n", name, separator, ns, separator, part);
    }
  return g_string_free (text, FALSE);
}

static gboolean
sonde_share_view_move_cursor (SondeView *view, int count)
{
  const gint64 n = SONDE_SHARE_VIEW (view)->shares->len;
  gint64 selected = sonde_view_get_selection (view);

  if (n == 0)
    return FALSE;
  selected = selected < 0 && count > 0 && count < G_MAXINT ? count - 1 : selected + count;
  sonde_view_set_selection (view, CLAMP (selected, 0, n - 1));
  sonde_view_invalidate (view);
  return TRUE;
}

static gboolean
move (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return sonde_share_view_move_cursor (SONDE_VIEW (widget), g_variant_get_int32 (arguments));
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
on_picked (SondeShareView *self, gint64 id, int n_presses)
{
  sonde_view_set_selection (SONDE_VIEW (self), id);
  sonde_view_invalidate (SONDE_VIEW (self));
  if (id >= 0)
    g_signal_emit (self, activated_signal, 0, (guint) id);
}

/* ---- making -------------------------------------------------------------- */

static void
clear_share (gpointer share)
{
  g_free ((char *) ((SondeShare *) share)->name);
}

void
sonde_share_view_set (SondeShareView *view, const SondeShare *shares, guint n, double total_ns)
{
  g_return_if_fail (SONDE_IS_SHARE_VIEW (view));
  g_array_set_size (view->shares, 0);
  for (guint i = 0; i < n; i++)
    {
      SondeShare share = shares[i];

      share.name = g_strdup (share.name);
      g_array_append_val (view->shares, share);
    }
  view->total_ns = total_ns;
  sonde_view_set_minimum_size (SONDE_VIEW (view), 220,
                               (int) get_top (view) + (int) n * LINE
                                   + (view->total != NULL ? LINE + 4 : 0));
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_share_view_finalize (GObject *object)
{
  g_array_unref (SONDE_SHARE_VIEW (object)->shares);
  g_free (SONDE_SHARE_VIEW (object)->total);
  G_OBJECT_CLASS (sonde_share_view_parent_class)->finalize (object);
}

static void
sonde_share_view_class_init (SondeShareViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_share_view_finalize;
  view->paint = sonde_share_view_paint;
  view->pick = sonde_share_view_pick;
  view->dup_tooltip = sonde_share_view_dup_tooltip;
  view->describe = sonde_share_view_describe;
  view->dup_reading = sonde_view_dup_selected;
  view->dup_table = sonde_share_view_dup_table;
  view->move_cursor = sonde_share_view_move_cursor;
  activated_signal = g_signal_new ("activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_add_binding (widget, GDK_KEY_Down, 0, move, "i", 1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Up, 0, move, "i", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Return, 0, activate, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_space, 0, activate, NULL);
}

static void
sonde_share_view_init (SondeShareView *self)
{
  self->shares = g_array_new (FALSE, FALSE, sizeof (SondeShare));
  g_array_set_clear_func (self->shares, clear_share);
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
}

GtkWidget *
sonde_share_view_new (const char *title, const char *total)
{
  SondeShareView *view = g_object_new (SONDE_TYPE_SHARE_VIEW, NULL);

  sonde_view_set_title (SONDE_VIEW (view), title);
  view->total = g_strdup (total);
  return GTK_WIDGET (view);
}
