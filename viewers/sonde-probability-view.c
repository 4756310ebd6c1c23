/* SPDX-License-Identifier: Apache-2.0
 * Probabilities of classes. */
#include "viewers/sonde-probability-view.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-probability-paint.h"

#define N_BEST 5
#define MAX_ROWS (N_BEST + 2)
#define MIN_WIDTH 210
#define MAX_WIDTH 520 /* longer bars say no more */

struct _SondeProbabilityView
{
  SondeView parent_instance;

  char **names;
  float *values, *before;
  guint n;
  gint64 label, winner;
  guint shown[MAX_ROWS]; /* classes */
  guint n_shown;
};

G_DEFINE_FINAL_TYPE (SondeProbabilityView, sonde_probability_view, SONDE_TYPE_VIEW)

static gboolean
is_shown (SondeProbabilityView *self, gint64 class)
{
  for (guint i = 0; i < self->n_shown; i++)
    if (self->shown[i] == class)
      return TRUE;
  return FALSE;
}

/* The largest that is not shown yet; lowest number wins ties. */
static gint64
next_largest (SondeProbabilityView *self, const float *values)
{
  gint64 best = -1;

  for (guint i = 0; i < self->n; i++)
    if (!is_shown (self, i) && (best < 0 || values[i] > values[best]))
      best = i;
  return best;
}

static void
add_shown (SondeProbabilityView *self, gint64 class)
{
  if (class >= 0 && class < self->n && !is_shown (self, class))
    self->shown[self->n_shown++] = (guint) class;
}

static void
choose_rows (SondeProbabilityView *self)
{
  const float *order = self->before != NULL ? self->before : self->values;

  self->n_shown = 0;
  for (int i = 0; order != NULL && i < N_BEST; i++)
    add_shown (self, next_largest (self, order));
  add_shown (self, self->label);
  add_shown (self, sonde_view_get_selection (SONDE_VIEW (self)));
  /* The chosen and the true class may take further rows. */
  sonde_view_set_minimum_size (SONDE_VIEW (self), MIN_WIDTH,
                               (int) MAX (self->n_shown, N_BEST) * SONDE_PROBABILITY_ROW);
}

static void
fill_row (SondeProbabilityView *self, guint i, SondeProbabilityRow *row)
{
  guint class = self->shown[i];

  row->name = self->names[class];
  row->tag = class == self->label
                 ? (class == self->winner ? _ ("true, predicted") : _ ("true label"))
             : class == self->winner ? "predicted"
                                     : NULL;
  row->value = self->values != NULL ? self->values[class] : NAN;
  row->before = self->before != NULL ? self->before[class] : NAN;
  row->strong = class == self->winner;
  row->marked = class == sonde_view_get_selection (SONDE_VIEW (self));
}

static void
sonde_probability_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeProbabilityView *self = SONDE_PROBABILITY_VIEW (view);
  SondeProbabilityRow rows[MAX_ROWS];

  for (guint i = 0; i < self->n_shown; i++)
    fill_row (self, i, &rows[i]);
  sonde_paint_probabilities (cr, sonde_view_get_theme (view), rows, self->n_shown, 0, 0,
                             MIN (width, MAX_WIDTH));
}

static void
sonde_probability_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeProbabilityView *self = SONDE_PROBABILITY_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);

  for (guint i = 0; i < self->n_shown; i++)
    if (self->shown[i] == sonde_view_get_hovered (view))
      {
        sonde_paint_round_rectangle (cr, 0, i * SONDE_PROBABILITY_ROW, MIN (width, MAX_WIDTH),
                                     SONDE_PROBABILITY_ROW, 4);
        sonde_paint_set_color_alpha (cr, &theme->foreground, 0.07);
        cairo_fill (cr);
      }
}

static gboolean
sonde_probability_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  SondeProbabilityView *self = SONDE_PROBABILITY_VIEW (view);
  int row = (int) floor (y / SONDE_PROBABILITY_ROW);

  if (row < 0 || row >= (int) self->n_shown || x < 0 || x >= sonde_view_get_width (view))
    return FALSE;
  pick->id = self->shown[row];
  pick->area = (SondeViewRect){ 0, row * SONDE_PROBABILITY_ROW, sonde_view_get_width (view),
                                SONDE_PROBABILITY_ROW };
  return TRUE;
}

static char *
sonde_probability_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  SondeProbabilityView *self = SONDE_PROBABILITY_VIEW (view);

  if (pick->id < 0 || pick->id >= self->n || self->values == NULL)
    return NULL;
  if (self->before != NULL)
    return g_strdup_printf (_ ("%s: %.9g, before %.9g\nClick to show the maps of this class"),
                            self->names[pick->id], (double) self->values[pick->id],
                            (double) self->before[pick->id]);
  return g_strdup_printf (_ ("%s: %.9g\nClick to show the maps of this class"),
                          self->names[pick->id], (double) self->values[pick->id]);
}

static char *
sonde_probability_view_describe (SondeView *view)
{
  SondeProbabilityView *self = SONDE_PROBABILITY_VIEW (view);
  gint64 selected = sonde_view_get_selection (view);
  GString *text;

  if (self->values == NULL)
    return g_strdup (_ ("Probabilities: not yet known."));
  text = g_string_new (_ ("Probabilities:"));
  for (guint i = 0; i < self->n_shown; i++)
    g_string_append_printf (text, "%s %s %.3f%s", i > 0 ? "," : "", self->names[self->shown[i]],
                            (double) self->values[self->shown[i]],
                            self->shown[i] == self->label ? _ (" (true label)") : "");
  g_string_append_c (text, '.');
  if (selected >= 0 && selected < self->n)
    g_string_append_printf (text, _ (" Maps are for %s."), self->names[selected]);
  return g_string_free (text, FALSE);
}

/* All classes. */
static char *
sonde_probability_view_dup_table (SondeView *view, char separator)
{
  SondeProbabilityView *self = SONDE_PROBABILITY_VIEW (view);
  GString *text;

  if (self->values == NULL)
    return NULL;
  text = g_string_new (NULL);
  g_string_append_printf (text, "class%cprobability%s", separator, "");
  if (self->before != NULL)
    g_string_append_printf (text, "%cbefore", separator);
  for (guint i = 0; i < self->n; i++)
    {
      g_string_append_printf (text, "\n%s%c%.9g", self->names[i], separator,
                              (double) self->values[i]);
      if (self->before != NULL)
        g_string_append_printf (text, "%c%.9g", separator, (double) self->before[i]);
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

static gboolean
sonde_probability_view_move_cursor (SondeView *view, int count)
{
  SondeProbabilityView *self = SONDE_PROBABILITY_VIEW (view);
  int at = -1, last = (int) self->n_shown - 1;

  if (self->n_shown == 0)
    return FALSE;
  for (guint i = 0; i < self->n_shown; i++)
    if (self->shown[i] == sonde_view_get_selection (view))
      at = (int) i;
  at = count == G_MININT   ? 0
       : count == G_MAXINT ? last
                           : CLAMP (at + CLAMP (count, -last - 1, last + 1), 0, last);
  sonde_view_set_selection (view, self->shown[at]);
  return TRUE;
}

static gboolean
move_row (GtkWidget *widget, GVariant *arguments, void *data)
{
  return sonde_probability_view_move_cursor (SONDE_VIEW (widget), g_variant_get_int32 (arguments));
}

static void
on_picked (SondeProbabilityView *self, gint64 id, int n_presses, double x, double y)
{
  if (id >= 0)
    sonde_view_set_selection (SONDE_VIEW (self), id);
}

/* A selected class that had no row gets one; one that has stays where it is. */
static void
on_selection (SondeProbabilityView *self)
{
  if (!is_shown (self, sonde_view_get_selection (SONDE_VIEW (self))))
    choose_rows (self);
  sonde_view_invalidate (SONDE_VIEW (self));
}

static void
clear_values (SondeProbabilityView *self)
{
  g_clear_pointer (&self->names, g_strfreev);
  g_clear_pointer (&self->values, g_free);
  g_clear_pointer (&self->before, g_free);
}

void
sonde_probability_view_set_values (SondeProbabilityView *view, const char *const *names, guint n,
                                   const float *values, const float *before, gint64 label)
{
  g_return_if_fail (SONDE_IS_PROBABILITY_VIEW (view));
  clear_values (view);
  view->names = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    view->names[i] = g_strdup (names[i]);
  view->n = n;
  view->values = values != NULL ? g_memdup2 (values, n * sizeof *values) : NULL;
  view->before = before != NULL ? g_memdup2 (before, n * sizeof *before) : NULL;
  view->label = label;
  view->winner = -1;
  for (guint i = 0; values != NULL && i < n; i++)
    if (view->winner < 0 || values[i] > values[view->winner])
      view->winner = i;
  choose_rows (view);
  sonde_view_invalidate (SONDE_VIEW (view));
}

GArray *
sonde_probability_view_get_rows (SondeProbabilityView *view)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < view->n_shown; i++)
    {
      gint64 class = view->shown[i];

      g_array_append_val (rows, class);
    }
  return rows;
}

static void
sonde_probability_view_finalize (GObject *object)
{
  clear_values (SONDE_PROBABILITY_VIEW (object));
  G_OBJECT_CLASS (sonde_probability_view_parent_class)->finalize (object);
}

static void
sonde_probability_view_class_init (SondeProbabilityViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_probability_view_finalize;
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Up, 0, move_row, "i", -1);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Down, 0, move_row, "i", 1);
  view->paint = sonde_probability_view_paint;
  view->paint_overlay = sonde_probability_view_paint_overlay;
  view->pick = sonde_probability_view_pick;
  view->dup_tooltip = sonde_probability_view_dup_tooltip;
  view->describe = sonde_probability_view_describe;
  view->dup_table = sonde_probability_view_dup_table;
  view->move_cursor = sonde_probability_view_move_cursor;
}

static void
sonde_probability_view_init (SondeProbabilityView *self)
{
  self->label = self->winner = -1;
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_title (SONDE_VIEW (self), _ ("Probabilities"));
  sonde_view_set_minimum_size (SONDE_VIEW (self), MIN_WIDTH, N_BEST * SONDE_PROBABILITY_ROW);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
  g_signal_connect (self, "notify::selection", G_CALLBACK (on_selection), NULL);
}
