/* SPDX-License-Identifier: Apache-2.0
 * Counts of which class was taken for which. */
#include "viewers/sonde-confusion-view.h"

#include <math.h>

#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text.h"

#define CELL 18      /* px a cell asks for */
#define MAX_CELL 26
#define MAX_LABEL 84 /* px of a class name */
#define GAP 5

struct _SondeConfusionView
{
  SondeView parent_instance;

  char **names;
  guint *counts;
  guint n, largest;
  double label; /* px that the names take, beside and above */
};

G_DEFINE_FINAL_TYPE (SondeConfusionView, sonde_confusion_view, SONDE_TYPE_VIEW)

/* The square of cells right of and below the names. */
static double
place (SondeConfusionView *self,
       int                 width,
       int                 height,
       double             *x,
       double             *y)
{
  double room = fmin (width - self->label - GAP, height - self->label - GAP);

  *x = *y = self->label + GAP;
  return floor (fmin (fmax (room / MAX (self->n, 1), 4), MAX_CELL));
}

static void
paint_cell (SondeConfusionView *self,
            cairo_t            *cr,
            const SondeTheme   *theme,
            guint               index,
            double              x,
            double              y,
            double              cell)
{
  guint count = self->counts[index];
  SondeColor fill = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS,
                                         self->largest > 0 ? (double) count / self->largest : 0);
  SondeColor black = { 0, 0, 0, 1 }, white = { 1, 1, 1, 1 };
  g_autofree char *text = g_strdup_printf ("%u", count);

  cairo_rectangle (cr, x, y, cell - 1, cell - 1);
  if (index % self->n == index / self->n || count == 0)
    sonde_paint_set_color_alpha (cr, &theme->grid, index % self->n == index / self->n ? 1 : 0.45);
  else
    sonde_paint_set_color (cr, &fill);
  cairo_fill (cr);
  if (count == 0)
    return;
  sonde_paint_set_color (cr, sonde_color_contrast (&white, &fill) > sonde_color_contrast (&black, &fill) ? &white : &black);
  if (sonde_text_measure (SONDE_FONT_SMALL, text, NULL) < cell)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, x + (cell - 1) / 2, y + (cell - 1) / 2, 0, text);
}

static void
sonde_confusion_view_paint (SondeView *view,
                            cairo_t   *cr,
                            int        width,
                            int        height)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  double x, y, cell;

  if (self->n == 0)
    return;
  cell = place (self, width, height, &x, &y);
  sonde_paint_set_color (cr, &theme->dim);
  for (guint i = 0; i < self->n; i++)
    {
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x - GAP, y + (i + 0.5) * cell, self->label,
                        self->names[i]);
      sonde_paint_text_upwards (cr, SONDE_FONT_SMALL, x + (i + 0.5) * cell,
                                y - GAP - sonde_text_measure (SONDE_FONT_SMALL, self->names[i], NULL) / 2, self->label,
                                self->names[i]);
    }
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x - GAP, y - GAP - 20, self->label, "taken for →");
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x - GAP, y - GAP - 6, self->label, "true ↓");
  for (guint i = 0; i < self->n * self->n; i++)
    paint_cell (self, cr, theme, i, x + i % self->n * cell, y + i / self->n * cell, cell);
}

static void
frame_cell (SondeConfusionView *self,
            cairo_t            *cr,
            gint64              index,
            double              line)
{
  double x, y, cell = place (self, gtk_widget_get_width (GTK_WIDGET (self)), gtk_widget_get_height (GTK_WIDGET (self)),
                             &x, &y);

  if (index < 0 || self->n == 0)
    return;
  cairo_rectangle (cr, x + (double) (index % self->n) * cell - 0.5, y + (double) (index / self->n) * cell - 0.5, cell,
                   cell);
  sonde_paint_set_color (cr, &sonde_view_get_theme (SONDE_VIEW (self))->selection);
  cairo_set_line_width (cr, line);
  cairo_stroke (cr);
}

static void
sonde_confusion_view_paint_overlay (SondeView *view,
                                    cairo_t   *cr,
                                    int        width,
                                    int        height)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);

  frame_cell (self, cr, sonde_view_get_hovered (view), 1);
  frame_cell (self, cr, sonde_view_get_selection (view), 2.5);
}

/* Only cells that count something can be picked. */
static gboolean
sonde_confusion_view_pick (SondeView     *view,
                           double         px,
                           double         py,
                           SondeViewPick *pick)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  double x, y, cell;
  guint row, column;

  if (self->n == 0)
    return FALSE;
  cell = place (self, gtk_widget_get_width (GTK_WIDGET (view)), gtk_widget_get_height (GTK_WIDGET (view)), &x, &y);
  if (px < x || py < y || px >= x + self->n * cell || py >= y + self->n * cell)
    return FALSE;
  column = (guint) ((px - x) / cell);
  row = (guint) ((py - y) / cell);
  pick->id = (gint64) row * self->n + column;
  pick->area = (SondeViewRect) { x + column * cell, y + row * cell, cell, cell };
  return self->counts[pick->id] > 0;
}

static char *
sonde_confusion_view_dup_tooltip (SondeView           *view,
                                  const SondeViewPick *pick)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);

  if (pick->id < 0 || pick->id >= (gint64) self->n * self->n)
    return NULL;
  return g_strdup_printf ("“%s” taken for “%s”: %u", self->names[pick->id / self->n], self->names[pick->id % self->n],
                          self->counts[pick->id]);
}

static char *
sonde_confusion_view_describe (SondeView *view)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  guint best = 0;

  if (self->n == 0 || self->largest == 0)
    return g_strdup ("No mistakes.");
  while (self->counts[best] < self->largest)
    best++;
  return g_strdup_printf ("Mistakes among %u classes; most often, %u times, “%s” was taken for “%s”.", self->n,
                          self->largest, self->names[best / self->n], self->names[best % self->n]);
}

static char *
sonde_confusion_view_dup_table (SondeView *view,
                                char       separator)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  GString *text = g_string_new ("true");

  for (guint c = 0; c < self->n; c++)
    g_string_append_printf (text, "%c%s", separator, self->names[c]);
  for (guint r = 0; r < self->n; r++)
    {
      g_string_append_printf (text, "\n%s", self->names[r]);
      for (guint c = 0; c < self->n; c++)
        g_string_append_printf (text, "%c%u", separator, self->counts[r * self->n + c]);
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

/* Arrow keys: the next cell that counts something. */
static gboolean
sonde_confusion_view_move_cursor (SondeView *view,
                                  int        count)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  gint64 n = (gint64) self->n * self->n, at = sonde_view_get_selection (view);
  int direction = count < 0 ? -1 : 1;

  if (n == 0)
    return FALSE;
  if (at < 0)
    at = direction > 0 ? -1 : n;
  for (at += direction; at >= 0 && at < n; at += direction)
    if (self->counts[at] > 0)
      {
        sonde_view_set_selection (view, at);
        return TRUE;
      }
  return FALSE;
}

static void
on_picked (SondeConfusionView *self,
           gint64              id,
           int                 n_presses,
           double              x,
           double              y)
{
  SondeView *view = SONDE_VIEW (self);

  sonde_view_set_selection (view, id == sonde_view_get_selection (view) ? SONDE_VIEW_NOTHING : id);
}

void
sonde_confusion_view_set_counts (SondeConfusionView *view,
                                 const char *const  *names,
                                 guint               n,
                                 const guint        *counts)
{
  g_return_if_fail (SONDE_IS_CONFUSION_VIEW (view));
  g_strfreev (view->names);
  g_free (view->counts);
  view->names = g_new0 (char *, n + 1);
  view->counts = g_memdup2 (counts, (gsize) n * n * sizeof *counts);
  view->n = n;
  view->largest = 0;
  view->label = sonde_text_measure (SONDE_FONT_SMALL, "taken for →", NULL);
  for (guint i = 0; i < n; i++)
    {
      view->names[i] = g_strdup (names[i]);
      view->label = fmax (view->label, sonde_text_measure (SONDE_FONT_SMALL, names[i], NULL));
    }
  view->label = ceil (fmin (view->label, MAX_LABEL));
  for (guint i = 0; i < n * n; i++)
    view->largest = MAX (view->largest, counts[i]);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 120, n > 0 ? (int) view->label + GAP + (int) n * CELL : 1);
  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_confusion_view_finalize (GObject *object)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (object);

  g_strfreev (self->names);
  g_free (self->counts);
  G_OBJECT_CLASS (sonde_confusion_view_parent_class)->finalize (object);
}

static void
sonde_confusion_view_class_init (SondeConfusionViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_confusion_view_finalize;
  view->paint = sonde_confusion_view_paint;
  view->paint_overlay = sonde_confusion_view_paint_overlay;
  view->pick = sonde_confusion_view_pick;
  view->dup_tooltip = sonde_confusion_view_dup_tooltip;
  view->describe = sonde_confusion_view_describe;
  view->dup_table = sonde_confusion_view_dup_table;
  view->move_cursor = sonde_confusion_view_move_cursor;
}

static void
sonde_confusion_view_init (SondeConfusionView *self)
{
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_title (SONDE_VIEW (self), "Mistakes");
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
}

GtkWidget *
sonde_confusion_view_new (void)
{
  return g_object_new (SONDE_TYPE_CONFUSION_VIEW, NULL);
}
