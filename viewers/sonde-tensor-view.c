/* SPDX-License-Identifier: Apache-2.0
 * A tensor as a heat map. */
#include "viewers/sonde-tensor-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-cell-cursor.h"
#include "viewers/paint/sonde-tensor-image.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEGEND_HEIGHT 32
#define LEGEND_GAP 6
#define MIN_LEGEND_WIDTH 150

struct _SondeTensorView
{
  SondeView parent_instance;

  SondeTensorImage *drawing; /* (nullable) */
  gint64 cell;               /* that keys lead to; SONDE_CELL_NONE */
};

G_DEFINE_FINAL_TYPE (SondeTensorView, sonde_tensor_view, SONDE_TYPE_VIEW)

static void
place (SondeTensorView *self, int width, int height, SondeViewRect *rect)
{
  rect->x = rect->y = 0;
  sonde_tensor_image_fit (self->drawing, width, MAX (height - LEGEND_HEIGHT, 1), &rect->width,
                          &rect->height);
}

/* A scale around a single value would show numbers that nothing has. */
static void
paint_legend (SondeTensorView *self, cairo_t *cr, const SondeTheme *theme,
              const SondeViewRect *rect, int width)
{
  g_autofree char *constant = sonde_tensor_image_dup_constant (self->drawing);
  double y = rect->y + rect->height + LEGEND_GAP;

  if (constant == NULL)
    {
      sonde_paint_color_legend (cr, theme, self->drawing->colors, self->drawing->low,
                                self->drawing->high, rect->x, y,
                                MIN (MAX (rect->width, MIN_LEGEND_WIDTH), width), 8);
      return;
    }
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, rect->x,
                    y + sonde_font_height (SONDE_FONT_SMALL) / 2, width, constant);
}

static void
sonde_tensor_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeTensorView *self = SONDE_TENSOR_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeViewRect rect;

  if (self->drawing == NULL)
    return;
  place (self, width, height, &rect);
  sonde_paint_tensor (cr, theme, self->drawing, rect.x, rect.y, rect.width, rect.height);
  paint_legend (self, cr, theme, &rect, width);
}

/* What is at a cell of the picture; FALSE between its tiles. */
static gboolean
pick_cell (SondeTensorView *self, int column, int row, SondeViewPick *pick)
{
  SondeViewRect rect;
  double cell_width, cell_height;

  place (self, sonde_view_get_width (SONDE_VIEW (self)), sonde_view_get_height (SONDE_VIEW (self)),
         &rect);
  cell_width = rect.width / self->drawing->columns;
  cell_height = rect.height / self->drawing->rows;
  pick->id = sonde_tensor_image_index_at (self->drawing, column, row);
  pick->area = (SondeViewRect){ rect.x + column * cell_width, rect.y + row * cell_height,
                                cell_width, cell_height };
  return pick->id >= 0;
}

static gboolean
sonde_tensor_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  SondeTensorView *self = SONDE_TENSOR_VIEW (view);
  SondeViewRect rect;

  if (self->drawing == NULL)
    return FALSE;
  place (self, sonde_view_get_width (view), sonde_view_get_height (view), &rect);
  if (x < rect.x || y < rect.y || x >= rect.x + rect.width || y >= rect.y + rect.height)
    return FALSE;
  return pick_cell (self, (int) ((x - rect.x) / (rect.width / self->drawing->columns)),
                    (int) ((y - rect.y) / (rect.height / self->drawing->rows)), pick);
}

static char *
sonde_tensor_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  SondeTensorView *self = SONDE_TENSOR_VIEW (view);
  g_autofree char *place = NULL, *element = NULL;

  if (self->drawing == NULL || pick->id < 0
      || pick->id >= sonde_tensor_n_elements (self->drawing->tensor))
    return NULL;
  place = sonde_shape_format_index (&self->drawing->tensor->shape, pick->id);
  element = sonde_tensor_format_element (self->drawing->tensor, pick->id);
  return g_strdup_printf ("%s: %s", place, element);
}

/* ---- keys ---------------------------------------------------------------- */

static gboolean
is_element (int column, int row, gconstpointer drawing)
{
  return sonde_tensor_image_index_at (drawing, column, row) >= 0;
}

static gboolean
move_cell (SondeTensorView *self, int dx, int dy)
{
  if (self->drawing == NULL)
    return FALSE;
  self->cell = sonde_cell_cursor_move (self->cell, self->drawing->columns, self->drawing->rows, dx,
                                       dy, is_element, self->drawing);
  sonde_view_keys_moved (SONDE_VIEW (self));
  return TRUE;
}

static gboolean
sonde_tensor_view_move_cursor (SondeView *view, int count)
{
  return move_cell (SONDE_TENSOR_VIEW (view), count, 0);
}

static gboolean
move_row (GtkWidget *widget, GVariant *arguments, void *data)
{
  return move_cell (SONDE_TENSOR_VIEW (widget), 0, g_variant_get_int32 (arguments));
}

/* FALSE: keys did not lead anywhere, or the picture is another one by now. */
static gboolean
pick_cursor (SondeTensorView *self, SondeViewPick *pick)
{
  return self->drawing != NULL && self->cell != SONDE_CELL_NONE
         && self->cell < (gint64) self->drawing->columns * self->drawing->rows
         && pick_cell (self, (int) (self->cell % self->drawing->columns),
                       (int) (self->cell / self->drawing->columns), pick);
}

static char *
sonde_tensor_view_dup_reading (SondeView *view)
{
  SondeViewPick pick;

  return pick_cursor (SONDE_TENSOR_VIEW (view), &pick) ? sonde_tensor_view_dup_tooltip (view, &pick)
                                                       : NULL;
}

static void
sonde_tensor_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeViewPick pick;

  if (pick_cursor (SONDE_TENSOR_VIEW (view), &pick))
    sonde_paint_cell_cursor (cr, sonde_view_get_theme (view), &pick.area);
}

/* ---- text ---------------------------------------------------------------- */

char *
sonde_tensor_view_dup_caption (SondeTensorView *view)
{
  const SondeTensorImage *drawing = view->drawing;
  g_autofree char *text = NULL;

  if (drawing == NULL)
    return g_strdup ("");
  if (drawing->n_tiles < drawing->n_tiles_all)
    text = g_strdup_printf (_ ("first %d of %" PRIi64 " tiles of %d × %d"), drawing->n_tiles,
                            drawing->n_tiles_all, drawing->tile_height, drawing->tile_width);
  else if (drawing->n_tiles > 1)
    text = g_strdup_printf (_ ("%d tiles of %d × %d"), drawing->n_tiles, drawing->tile_height,
                            drawing->tile_width);
  else
    text = g_strdup_printf ("%d × %d", drawing->tile_height, drawing->tile_width);
  if (drawing->least >= drawing->largest)
    {
      g_autofree char *least = sonde_format_number (drawing->least);

      return g_strdup_printf (_ ("%s, all %s"), text, least);
    }
  return g_steal_pointer (&text);
}

static char *
sonde_tensor_view_describe (SondeView *view)
{
  SondeTensorView *self = SONDE_TENSOR_VIEW (view);
  const char *title = sonde_view_get_title (view);
  g_autofree char *caption = NULL, *low = NULL, *high = NULL;

  if (self->drawing == NULL)
    return g_strdup (_ ("No value."));
  low = sonde_format_number (self->drawing->low);
  high = sonde_format_number (self->drawing->high);
  caption = sonde_tensor_view_dup_caption (self);
  return g_strdup_printf (_ ("%s: %s, values from %s to %s."), title != NULL ? title : _ ("Value"),
                          caption, low, high);
}

/* One line for each row of the last dimension. */
static char *
sonde_tensor_view_dup_table (SondeView *view, char separator)
{
  SondeTensorView *self = SONDE_TENSOR_VIEW (view);
  GString *text;
  gint64 n;

  if (self->drawing == NULL)
    return NULL;
  text = g_string_new (NULL);
  n = sonde_tensor_n_elements (self->drawing->tensor);
  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *element = sonde_tensor_format_element (self->drawing->tensor, i);

      g_string_append (text, element);
      g_string_append_c (text, (i + 1) % self->drawing->tile_width == 0 ? '\n' : separator);
    }
  return g_string_free (text, FALSE);
}

gboolean
sonde_tensor_view_set_tensor (SondeTensorView *view, SondeTensor *tensor)
{
  g_return_val_if_fail (SONDE_IS_TENSOR_VIEW (view), FALSE);
  g_clear_pointer (&view->drawing, sonde_tensor_image_free);
  if (tensor != NULL)
    view->drawing = sonde_tensor_image_new (tensor);
  sonde_view_invalidate (SONDE_VIEW (view));
  return view->drawing != NULL;
}

int
sonde_tensor_view_get_wanted_height (SondeTensorView *view, int width)
{
  double w, h;

  if (view->drawing == NULL)
    return LEGEND_HEIGHT;
  sonde_tensor_image_fit (view->drawing, width, width, &w, &h);
  return (int) ceil (h) + LEGEND_HEIGHT;
}

static void
sonde_tensor_view_dispose (GObject *object)
{
  SondeTensorView *self = SONDE_TENSOR_VIEW (object);

  g_clear_pointer (&self->drawing, sonde_tensor_image_free);
  G_OBJECT_CLASS (sonde_tensor_view_parent_class)->dispose (object);
}

static void
sonde_tensor_view_class_init (SondeTensorViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_tensor_view_dispose;
  view->paint = sonde_tensor_view_paint;
  view->paint_overlay = sonde_tensor_view_paint_overlay;
  view->move_cursor = sonde_tensor_view_move_cursor;
  view->dup_reading = sonde_tensor_view_dup_reading;
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Up, 0, move_row, "i", -1);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Down, 0, move_row, "i", 1);
  view->pick = sonde_tensor_view_pick;
  view->dup_tooltip = sonde_tensor_view_dup_tooltip;
  view->describe = sonde_tensor_view_describe;
  view->dup_table = sonde_tensor_view_dup_table;
}

static void
sonde_tensor_view_init (SondeTensorView *self)
{
  self->cell = SONDE_CELL_NONE;
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_minimum_size (SONDE_VIEW (self), 80, 60);
}

GtkWidget *
sonde_tensor_view_new (void)
{
  return g_object_new (SONDE_TYPE_TENSOR_VIEW, NULL);
}
