/* SPDX-License-Identifier: Apache-2.0
 * Pointer, keys and description of a confusion matrix. Its painter is in
 * viewers/paint/sonde-confusion-paint.c. */
#include "viewers/sonde-confusion-view.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/values/sonde-wilson.h"
#include "viewers/paint/sonde-confusion-paint.h"

#define MAX_CELL 48     /* px when zoomed in */
#define MAX_FIT_CELL 44 /* px when there is room */
#define MIN_CELL 0.05
#define CELL 22       /* px a cell asks for */
#define MAX_ASKED 230 /* px that cells together ask for */

struct _SondeConfusionView
{
  SondeView parent_instance;

  SondeConfusionMatrix confusion;
  guint *place_of; /* of each class, the inverse of the order */
  gint64 *ranked;  /* cells with misclassifications, largest first; made when first asked for */
  guint n_ranked;
  gboolean by_errors, has_right;
  double names;                    /* px of the longest */
  int fitted_width, fitted_height; /* that "fit" was made for */
  int width;                       /* that it is going to have; 0: not known */
};

G_DEFINE_FINAL_TYPE (SondeConfusionView, sonde_confusion_view, SONDE_TYPE_VIEW)

/* ---- where --------------------------------------------------------------- */

static void
sonde_confusion_view_area (SondeView *view, int width, int height, SondeViewRect *area)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  double corner = self->names + SONDE_CONFUSION_GAP,
         right = self->has_right ? SONDE_CONFUSION_RIGHT : 0;

  *area = (SondeViewRect){ corner, corner, width - corner - right,
                           height - corner - SONDE_CONFUSION_LEGEND };
}

/* "Fit" keeps the matrix in the upper left, so that its names keep their place. */
static void
fit_bounds (SondeConfusionView *self, int width, int height)
{
  SondeViewRect area;
  double cell;

  if (self->confusion.n == 0 || (width == self->fitted_width && height == self->fitted_height))
    return;
  self->fitted_width = width;
  self->fitted_height = height;
  sonde_view_get_area (SONDE_VIEW (self), width, height, &area);
  cell = CLAMP (fmin (area.width, area.height) / self->confusion.n, MIN_CELL, MAX_FIT_CELL);
  sonde_view_set_bounds (SONDE_VIEW (self),
                         &(SondeViewport){ 0, 0, area.width / cell, area.height / cell });
}

static void
sonde_confusion_view_prepare (SondeView *view, int width, int height)
{
  fit_bounds (SONDE_CONFUSION_VIEW (view), width, height);
}

static void
get_place (SondeConfusionView *self, int width, int height, SondeConfusionPlace *place)
{
  SondeView *view = SONDE_VIEW (self);
  SondeViewRect area;
  SondeViewport port;

  sonde_view_get_area (view, width, height, &area);
  sonde_view_get_viewport_for (view, width, height, &port);
  place->cell = area.width / (port.x1 - port.x0);
  place->x = area.x - port.x0 * place->cell;
  place->y = area.y - port.y0 * place->cell;
  place->left = area.x;
  place->top = area.y;
  place->width = area.width;
  place->height = area.height;
}

static void
get_own_place (SondeConfusionView *self, SondeConfusionPlace *place)
{
  int width = sonde_view_get_width (SONDE_VIEW (self)),
      height = sonde_view_get_height (SONDE_VIEW (self));

  fit_bounds (self, width, height);
  get_place (self, width, height, place);
}

static void
split (SondeConfusionView *self, gint64 cell, guint *truth, guint *predicted)
{
  *truth = (guint) (cell / self->confusion.n);
  *predicted = (guint) (cell % self->confusion.n);
}

static gboolean
is_cell (SondeConfusionView *self, gint64 cell)
{
  return cell >= 0 && cell < (gint64) self->confusion.n * self->confusion.n;
}

/* ---- painting ------------------------------------------------------------ */

static void
sonde_confusion_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  SondeConfusionPlace place;

  get_place (self, width, height, &place);
  sonde_confusion_paint (cr, sonde_view_get_theme (view), &self->confusion, &place);
}

static void
frame_cell (SondeConfusionView *self, cairo_t *cr, gint64 cell, double line)
{
  SondeConfusionPlace place;
  guint truth, predicted;
  double side;

  if (!is_cell (self, cell))
    return;
  get_own_place (self, &place);
  split (self, cell, &truth, &predicted);
  side = fmax (place.cell, 5);
  cairo_save (cr);
  cairo_rectangle (cr, place.left - 2, place.top - 2, place.width + 4, place.height + 4);
  cairo_clip (cr);
  cairo_rectangle (cr, place.x + (self->place_of[predicted] + 0.5) * place.cell - side / 2 - 0.5,
                   place.y + (self->place_of[truth] + 0.5) * place.cell - side / 2 - 0.5, side,
                   side);
  sonde_paint_set_color (cr, &sonde_view_get_theme (SONDE_VIEW (self))->selection);
  cairo_set_line_width (cr, line);
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
sonde_confusion_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);

  frame_cell (self, cr, sonde_view_get_hovered (view), 1);
  frame_cell (self, cr, sonde_view_get_selection (view), 2.5);
}

/* ---- pick ---------------------------------------------------------------- */

/* Cells below a pixel compete: the one that counts most beside the diagonal is meant. */
static gint64
cell_below (SondeConfusionView *self, const SondeConfusionPlace *place, double px, double py)
{
  const SondeConfusionMatrix *confusion = &self->confusion;
  guint reach = place->cell < 1 ? (guint) ceil (1 / place->cell) : 1;
  guint column = (guint) ((px - place->x) / place->cell),
        row = (guint) ((py - place->y) / place->cell);
  gint64 best = SONDE_VIEW_NOTHING;
  guint most = 0;

  for (guint r = row; r < row + reach && r < confusion->n; r++)
    for (guint c = column; c < column + reach && c < confusion->n; c++)
      {
        gint64 cell = (gint64) confusion->order[r] * confusion->n + confusion->order[c];

        if (confusion->cells->counts[cell] > most && (r != c || best < 0))
          {
            best = cell;
            most = r != c ? confusion->cells->counts[cell] : 0;
          }
      }
  return best;
}

/* Only cells that count something can be picked. */
static gboolean
sonde_confusion_view_pick (SondeView *view, double px, double py, SondeViewPick *pick)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  SondeConfusionPlace place;
  guint truth, predicted;

  if (self->confusion.n == 0)
    return FALSE;
  get_own_place (self, &place);
  if (px < fmax (place.x, place.left) || py < fmax (place.y, place.top)
      || px >= fmin (place.x + self->confusion.n * place.cell, place.left + place.width)
      || py >= fmin (place.y + self->confusion.n * place.cell, place.top + place.height))
    return FALSE;
  pick->id = cell_below (self, &place, px, py);
  if (pick->id < 0)
    return FALSE;
  split (self, pick->id, &truth, &predicted);
  pick->area
      = (SondeViewRect){ place.x + self->place_of[predicted] * place.cell,
                         place.y + self->place_of[truth] * place.cell, place.cell, place.cell };
  return TRUE;
}

/* ---- words --------------------------------------------------------------- */

char *
sonde_confusion_view_dup_sentence (SondeConfusionView *view, gint64 cell)
{
  const SondeConfusionMatrix *confusion = &view->confusion;
  guint truth, predicted, count, total;
  g_autofree char *part = NULL, *whole = NULL;
  double low, high;

  g_return_val_if_fail (SONDE_IS_CONFUSION_VIEW (view), NULL);
  if (!is_cell (view, cell))
    return NULL;
  split (view, cell, &truth, &predicted);
  count = confusion->cells->counts[cell];
  total = confusion->cells->row_totals[truth];
  sonde_wilson_interval (count, total, &low, &high);
  part = sonde_format_count (count);
  whole = sonde_format_count (total);
  return g_strdup_printf (
      truth == predicted
          ? _ ("“%s” predicted as “%s”: %s of %s, %.1f %% (95 %% interval %.1f … %.1f %%)")
          : _ ("“%s” misclassified as “%s”: %s of %s, %.1f %% (95 %% interval %.1f … %.1f %%)"),
      confusion->names[truth], confusion->names[predicted], part, whole,
      total > 0 ? 100.0 * count / total : 0, 100 * low, 100 * high);
}

static char *
sonde_confusion_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  return sonde_confusion_view_dup_sentence (SONDE_CONFUSION_VIEW (view), pick->id);
}

/* Cells with misclassifications, largest first. */
static void
rank (SondeConfusionView *self)
{
  const SondeConfusionMatrix *confusion = &self->confusion;
  g_autoptr (GArray) cells = NULL;

  if (self->ranked != NULL)
    return;
  cells = confusion->cells != NULL ? sonde_confusion_list_cells (confusion->cells)
                                   : g_array_new (FALSE, FALSE, sizeof (gint64));
  self->n_ranked = cells->len;
  self->ranked = g_malloc (MAX (cells->len, 1) * sizeof (gint64));
  memcpy (self->ranked, cells->data, cells->len * sizeof (gint64));
}

static char *
sonde_confusion_view_describe (SondeView *view)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);
  g_autofree char *selected
      = sonde_confusion_view_dup_sentence (self, sonde_view_get_selection (view));
  g_autofree char *most = NULL;

  rank (self);
  if (self->n_ranked == 0)
    return g_strdup (_ ("No misclassifications."));
  most = sonde_confusion_view_dup_sentence (self, self->ranked[0]);
  if (selected == NULL)
    return g_strdup_printf (_ ("Misclassifications of %u classes in %u cells. Most frequent: %s."),
                            self->confusion.n, self->n_ranked, most);
  return g_strdup_printf (
      _ ("Misclassifications of %u classes in %u cells. Most frequent: %s. Selected: %s."),
      self->confusion.n, self->n_ranked, most, selected);
}

static char *
sonde_confusion_view_dup_table (SondeView *view, char separator)
{
  return sonde_confusion_dup_table (&SONDE_CONFUSION_VIEW (view)->confusion, separator);
}

/* ---- keys ---------------------------------------------------------------- */

static void
select_cell (SondeConfusionView *self, gint64 cell)
{
  SondeView *view = SONDE_VIEW (self);
  guint truth, predicted;

  sonde_view_set_selection (view, cell);
  split (self, cell, &truth, &predicted);
  if (!sonde_view_is_fitted (view, NULL, NULL))
    sonde_view_reveal (view, &(SondeViewport){ self->place_of[predicted], self->place_of[truth],
                                               self->place_of[predicted] + 1,
                                               self->place_of[truth] + 1 });
}

static gboolean
move_by (SondeConfusionView *self, int direction, gboolean down)
{
  const SondeConfusionMatrix *confusion = &self->confusion;
  gint64 next = -1;

  if (confusion->n > 0)
    next
        = sonde_confusion_find_next (confusion->cells, confusion->order,
                                     sonde_view_get_selection (SONDE_VIEW (self)), direction, down);
  if (next >= 0)
    select_cell (self, next);
  return next >= 0;
}

static gboolean
move_by_rank (SondeConfusionView *self, int direction)
{
  gint64 at = -1, cell = sonde_view_get_selection (SONDE_VIEW (self));

  rank (self);
  for (guint i = 0; i < self->n_ranked; i++)
    if (self->ranked[i] == cell)
      at = i;
  at = at < 0 ? 0 : at + direction;
  if (at < 0 || at >= (gint64) self->n_ranked)
    return FALSE;
  select_cell (self, self->ranked[at]);
  return TRUE;
}

static gboolean
sonde_confusion_view_move_cursor (SondeView *view, int count)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (view);

  if (count == G_MININT || count == G_MAXINT)
    {
      rank (self);
      if (self->n_ranked > 0)
        select_cell (self, self->ranked[count == G_MININT ? 0 : self->n_ranked - 1]);
      return self->n_ranked > 0;
    }
  return move_by (self, count < 0 ? -1 : 1, FALSE);
}

static gboolean
on_vertical (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return move_by (SONDE_CONFUSION_VIEW (widget), g_variant_get_int32 (arguments), TRUE);
}

static gboolean
on_rank (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return move_by_rank (SONDE_CONFUSION_VIEW (widget), g_variant_get_int32 (arguments));
}

static void
on_picked (SondeConfusionView *self, gint64 id, int n_presses, double x, double y)
{
  SondeView *view = SONDE_VIEW (self);

  if (n_presses == 1)
    sonde_view_set_selection (view,
                              id == sonde_view_get_selection (view) ? SONDE_VIEW_NOTHING : id);
}

/* ---- what it holds ------------------------------------------------------- */

static void
update (SondeConfusionView *self)
{
  SondeConfusionMatrix *confusion = &self->confusion;

  sonde_confusion_update (confusion, self->by_errors);
  for (guint i = 0; i < confusion->n; i++)
    self->place_of[confusion->order[i]] = i;
  sonde_view_invalidate (SONDE_VIEW (self));
}

static gboolean
same_names (const SondeConfusionMatrix *confusion, const char *const *names, guint n)
{
  if (confusion->n != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!g_str_equal (confusion->names[i], names[i]))
      return FALSE;
  return TRUE;
}

static void
hold (SondeConfusionView *self, const char *const *names, const SondeConfusion *counts)
{
  SondeConfusionMatrix *confusion = &self->confusion;
  guint n = counts->classes;

  confusion->names = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    confusion->names[i] = g_strdup (names[i]);
  confusion->cells = sonde_confusion_copy (counts);
  confusion->order = g_new0 (guint, MAX (n, 1));
  confusion->n = n;
  self->place_of = g_renew (guint, self->place_of, MAX (n, 1));
  self->has_right = FALSE;
  for (guint i = 0; i < n; i++)
    self->has_right = self->has_right || counts->counts[(gsize) i * n + i] > 0;
}

/* Room for the matrix with cells that fill the width, within limits. */
static void
ask_for_size (SondeConfusionView *view)
{
  guint n = view->confusion.n;
  double fixed = view->names + SONDE_CONFUSION_GAP + (view->has_right ? SONDE_CONFUSION_RIGHT : 0);
  double cell = n > 0 ? CLAMP ((view->width - fixed) / n, CELL, MAX_FIT_CELL) : 0;
  double asked = fmin (n * cell, MAX (MAX_ASKED, view->width - fixed));

  sonde_view_set_minimum_size (
      SONDE_VIEW (view), n > 0 ? 180 : 120,
      n > 0 ? (int) (view->names + SONDE_CONFUSION_GAP + asked + SONDE_CONFUSION_LEGEND) : 1);
}

void
sonde_confusion_view_set_width (SondeConfusionView *view, int width)
{
  g_return_if_fail (SONDE_IS_CONFUSION_VIEW (view));
  if (view->width == width)
    return;
  view->width = width;
  ask_for_size (view);
}

void
sonde_confusion_view_set_counts (SondeConfusionView *view, const char *const *names,
                                 const SondeConfusion *counts)
{
  SondeView *base = SONDE_VIEW (view);
  guint n = counts->classes;
  gboolean share, same;
  gint64 selection;

  g_return_if_fail (SONDE_IS_CONFUSION_VIEW (view) && n <= SONDE_CONFUSION_MAX_CLASSES);
  selection = sonde_view_get_selection (base);
  share = view->confusion.share;
  same = same_names (&view->confusion, names, n);
  sonde_confusion_clear (&view->confusion);
  g_clear_pointer (&view->ranked, g_free);
  hold (view, names, counts);
  view->confusion.share = share;
  view->names = n > 0 ? sonde_confusion_measure_names (&view->confusion) : 0;
  if (!same || !is_cell (view, selection) || counts->counts[selection] == 0)
    sonde_view_set_selection (base, SONDE_VIEW_NOTHING);
  view->fitted_width = -1;
  sonde_view_set_scale_limits (base, MIN_CELL, MAX_CELL, MAX_FIT_CELL);
  if (!same)
    sonde_view_zoom_fit (base);
  ask_for_size (view);
  update (view);
}

void
sonde_confusion_view_set_share (SondeConfusionView *view, gboolean share)
{
  g_return_if_fail (SONDE_IS_CONFUSION_VIEW (view));
  view->confusion.share = share;
  update (view);
}

void
sonde_confusion_view_set_by_errors (SondeConfusionView *view, gboolean by_errors)
{
  g_return_if_fail (SONDE_IS_CONFUSION_VIEW (view));
  view->by_errors = by_errors;
  update (view);
}

static void
sonde_confusion_view_finalize (GObject *object)
{
  SondeConfusionView *self = SONDE_CONFUSION_VIEW (object);

  sonde_confusion_clear (&self->confusion);
  g_free (self->place_of);
  g_free (self->ranked);
  G_OBJECT_CLASS (sonde_confusion_view_parent_class)->finalize (object);
}

static void
sonde_confusion_view_class_init (SondeConfusionViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_confusion_view_finalize;
  view->area = sonde_confusion_view_area;
  view->prepare = sonde_confusion_view_prepare;
  view->paint = sonde_confusion_view_paint;
  view->paint_overlay = sonde_confusion_view_paint_overlay;
  view->pick = sonde_confusion_view_pick;
  view->dup_tooltip = sonde_confusion_view_dup_tooltip;
  view->describe = sonde_confusion_view_describe;
  view->dup_table = sonde_confusion_view_dup_table;
  view->move_cursor = sonde_confusion_view_move_cursor;
  gtk_widget_class_add_binding (widget, GDK_KEY_Up, 0, on_vertical, "i", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Down, 0, on_vertical, "i", 1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Page_Up, 0, on_rank, "i", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Page_Down, 0, on_rank, "i", 1);
}

static void
sonde_confusion_view_init (SondeConfusionView *self)
{
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_UNIFORM);
  sonde_view_set_title (SONDE_VIEW (self), _ ("Misclassifications"));
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
  /* The selected cell is part of the description for assistive tools. */
  g_signal_connect (self, "notify::selection", G_CALLBACK (sonde_view_invalidate), NULL);
}
