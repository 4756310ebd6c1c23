/* SPDX-License-Identifier: Apache-2.0
 * One explanation map over its image. */
#include "viewers/sonde-saliency-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-map-paint.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEGEND_HEIGHT 34
#define MARGIN 6
#define MAX_ZOOM 64 /* px a pixel at most, where it is not larger when fitted */

enum
{
  PIXEL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

struct _SondeSaliencyView
{
  SondeView parent_instance;

  SondeImage *image;
  SondeTensor *map, *mask;
  double limit, blend;
  int max_side; /* px; > 0: the view asks for the height of its image */
  gboolean zoomable, legend;
  gint64 pixel; /* that the crosshair marks */
};

G_DEFINE_FINAL_TYPE (SondeSaliencyView, sonde_saliency_view, SONDE_TYPE_VIEW)

static SondeMapImage
image_of (SondeSaliencyView *self)
{
  return (SondeMapImage){ self->image, self->map, self->mask, self->limit,
                          self->map != NULL ? self->blend : 0 };
}

static double
limit_of (SondeSaliencyView *self)
{
  return self->limit > 0 || self->map == NULL ? self->limit
                                              : sonde_map_largest_magnitude (self->map);
}

static int
legend_height (SondeSaliencyView *self)
{
  return self->legend ? LEGEND_HEIGHT : 0;
}

/* The largest rectangle of the image's shape above the legend, on whole pixels where it is
 * magnified. */
static gboolean
place (SondeSaliencyView *self, int width, int height, SondeViewRect *rect, int *columns, int *rows)
{
  SondeMapImage drawing = image_of (self);
  double scale;

  if (!sonde_map_image_get_size (&drawing, columns, rows))
    return FALSE;
  if (self->max_side > 0)
    width = MIN (width, self->max_side);
  scale = fmin ((double) width / *columns, (double) MAX (height - legend_height (self), 1) / *rows);
  if (scale > 1)
    scale = floor (scale);
  rect->width = scale * *columns;
  rect->height = scale * *rows;
  rect->x = 0;
  rect->y = 0;
  return TRUE;
}

/* Where the whole image would be, of which @area shows a part. */
static SondeViewRect
magnify (SondeSaliencyView *self, const SondeViewRect *area, int width, int height, int columns,
         int rows)
{
  SondeViewport v;
  double scale_x, scale_y;

  if (!self->zoomable)
    return *area;
  sonde_view_get_viewport_for (SONDE_VIEW (self), width, height, &v);
  scale_x = area->width / (v.x1 - v.x0);
  scale_y = area->height / (v.y1 - v.y0);
  return (SondeViewRect){ area->x - v.x0 * scale_x, area->y - v.y0 * scale_y, columns * scale_x,
                          rows * scale_y };
}

static void
sonde_saliency_view_area (SondeView *view, int width, int height, SondeViewRect *area)
{
  int columns, rows;

  place (SONDE_SALIENCY_VIEW (view), width, height, area, &columns, &rows);
}

/* Not farther away than the whole image. */
static void
sonde_saliency_view_prepare (SondeView *view, int width, int height)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  SondeViewRect area;
  int columns, rows;

  if (!self->zoomable || !place (self, width, height, &area, &columns, &rows))
    return;
  sonde_view_set_scale_limits (view, area.width / columns, fmax (MAX_ZOOM, area.width / columns),
                               G_MAXDOUBLE);
}

static void
sonde_saliency_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeMapImage drawing = image_of (self);
  double limit = limit_of (self);
  SondeViewRect rect, whole;
  int columns, rows;

  if (!place (self, width, height, &rect, &columns, &rows))
    return;
  whole = magnify (self, &rect, width, height, columns, rows);
  cairo_save (cr);
  cairo_rectangle (cr, rect.x, rect.y, rect.width, rect.height);
  cairo_clip (cr);
  sonde_paint_map (cr, theme, &drawing, whole.x, whole.y, whole.width, whole.height);
  cairo_restore (cr);
  if (self->map == NULL || self->blend <= 0 || !self->legend)
    return;
  sonde_paint_color_legend (cr, theme, SONDE_COLOR_MAP_DIVERGING, -limit, limit, rect.x,
                            rect.y + rect.height + MARGIN, rect.width, 8);
}

/* The value of the marked pixel, of the map or else of the image. (transfer full) */
static char *
pixel_text (SondeSaliencyView *self)
{
  const guint8 *p;

  if (self->map != NULL)
    return self->pixel < sonde_tensor_n_elements (self->map)
               ? g_strdup_printf ("%+.4g", sonde_tensor_get_double (self->map, self->pixel))
               : NULL;
  if (self->image == NULL || self->pixel >= (gint64) self->image->width * self->image->height)
    return NULL;
  p = self->image->pixels + self->pixel * self->image->channels;
  return self->image->channels >= 3 ? g_strdup_printf ("%d, %d, %d", p[0], p[1], p[2])
                                    : g_strdup_printf ("%d", p[0]);
}

/* The value in a corner that the crosshair does not cross. */
static void
paint_value (cairo_t *cr, const SondeTheme *theme, const SondeViewRect *rect, double x, double y,
             const char *text)
{
  double width = sonde_text_measure (SONDE_FONT_LABEL, text, NULL) + 12, height = 20;
  double left = x < rect->x + rect->width / 2 ? rect->x + rect->width - width - 3 : rect->x + 3;
  double top = y < rect->y + rect->height / 2 ? rect->y + rect->height - height - 3 : rect->y + 3;

  sonde_paint_round_rectangle (cr, left, top, width, height, 4);
  sonde_paint_set_color_alpha (cr, &theme->card, 0.92);
  cairo_fill (cr);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, left + width / 2, top + height / 2, 0,
                    text);
}

static void
sonde_saliency_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeViewRect rect, whole;
  int columns, rows;
  double x, y;
  g_autofree char *text = NULL;

  if (self->pixel < 0 || !place (self, width, height, &rect, &columns, &rows)
      || self->pixel >= (gint64) columns * rows || (text = pixel_text (self)) == NULL)
    return;
  whole = magnify (self, &rect, width, height, columns, rows);
  x = whole.x + (self->pixel % columns + 0.5) * whole.width / columns;
  y = whole.y + (self->pixel / columns + 0.5) * whole.height / rows;
  cairo_save (cr);
  cairo_rectangle (cr, rect.x, rect.y, rect.width, rect.height);
  cairo_clip (cr);
  for (int pass = 0; pass < 2; pass++)
    {
      cairo_move_to (cr, floor (x) + 0.5, rect.y);
      cairo_line_to (cr, floor (x) + 0.5, rect.y + rect.height);
      cairo_move_to (cr, rect.x, floor (y) + 0.5);
      cairo_line_to (cr, rect.x + rect.width, floor (y) + 0.5);
      sonde_paint_set_color_alpha (cr, pass == 0 ? &theme->card : &theme->crosshair,
                                   pass == 0 ? 0.6 : 1);
      cairo_set_line_width (cr, pass == 0 ? 3 : 1);
      cairo_stroke (cr);
    }
  paint_value (cr, theme, &rect, x, y, text);
  cairo_restore (cr);
}

static void
go_to_pixel (SondeSaliencyView *self, gint64 pixel)
{
  if (pixel == self->pixel)
    return;
  sonde_saliency_view_set_pixel (self, pixel);
  g_signal_emit (self, signals[PIXEL_CHANGED], 0, pixel);
}

static void
sonde_saliency_view_hover_changed (SondeView *view)
{
  go_to_pixel (SONDE_SALIENCY_VIEW (view), sonde_view_get_hovered (view));
}

/* Along a row and on to the next one. */
static gboolean
sonde_saliency_view_move_cursor (SondeView *view, int count)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  SondeMapImage drawing = image_of (self);
  int columns, rows;
  gint64 n, at;

  if (!sonde_map_image_get_size (&drawing, &columns, &rows))
    return FALSE;
  n = (gint64) columns * rows;
  at = self->pixel >= 0 ? self->pixel : n / 2 + columns / 2;
  at = count == G_MININT ? 0 : count == G_MAXINT ? n - 1 : CLAMP (at + count, 0, n - 1);
  go_to_pixel (self, at);
  return TRUE;
}

/* A row up or down. */
static gboolean
move_row (GtkWidget *widget, GVariant *arguments, void *data)
{
  SondeMapImage drawing = image_of (SONDE_SALIENCY_VIEW (widget));
  int columns, rows;

  return sonde_map_image_get_size (&drawing, &columns, &rows)
         && sonde_saliency_view_move_cursor (SONDE_VIEW (widget),
                                             columns * g_variant_get_int32 (arguments));
}

static gboolean
sonde_saliency_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  int width = sonde_view_get_width (view), height = sonde_view_get_height (view);
  SondeViewRect rect;
  int columns, rows, column, row;

  if (!place (self, width, height, &rect, &columns, &rows) || x < rect.x || y < rect.y
      || x >= rect.x + rect.width || y >= rect.y + rect.height)
    return FALSE;
  rect = magnify (self, &rect, width, height, columns, rows);
  column = (int) floor ((x - rect.x) / rect.width * columns);
  row = (int) floor ((y - rect.y) / rect.height * rows);
  if (column < 0 || row < 0 || column >= columns || row >= rows)
    return FALSE;
  pick->id = (gint64) row * columns + column;
  pick->area
      = (SondeViewRect){ rect.x + column * rect.width / columns, rect.y + row * rect.height / rows,
                         rect.width / columns, rect.height / rows };
  return TRUE;
}

static char *
sonde_saliency_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  SondeMapImage drawing = image_of (self);
  GString *text = g_string_new (NULL);
  int columns, rows;

  if (!sonde_map_image_get_size (&drawing, &columns, &rows) || pick->id >= (gint64) columns * rows)
    return g_string_free (text, TRUE);
  g_string_append_printf (text, "x %d, y %d", (int) (pick->id % columns),
                          (int) (pick->id / columns));
  if (self->map != NULL && pick->id < sonde_tensor_n_elements (self->map))
    g_string_append_printf (text, ": %.6g", sonde_tensor_get_double (self->map, pick->id));
  if (self->image != NULL)
    {
      const guint8 *p = self->image->pixels + pick->id * self->image->channels;

      if (self->image->channels >= 3)
        g_string_append_printf (text, _ (" (image %d, %d, %d)"), p[0], p[1], p[2]);
      else
        g_string_append_printf (text, _ (" (image %d)"), p[0]);
    }
  return g_string_free (text, FALSE);
}

/* The marked pixel: keys move it, here or in a view beside it. */
static char *
sonde_saliency_view_dup_reading (SondeView *view)
{
  const SondeViewPick pick = { .id = SONDE_SALIENCY_VIEW (view)->pixel };

  return pick.id >= 0 ? sonde_saliency_view_dup_tooltip (view, &pick) : NULL;
}

static char *
sonde_saliency_view_describe (SondeView *view)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  const char *title = sonde_view_get_title (view);
  g_autofree char *limit = NULL;

  if (self->map == NULL)
    return g_strdup_printf (_ ("%s: image of %d by %d pixels."),
                            title != NULL ? title : _ ("Image"),
                            self->image != NULL ? self->image->width : 0,
                            self->image != NULL ? self->image->height : 0);
  if (limit_of (self) <= 0)
    return g_strdup_printf (_ ("%s: constant map, zero everywhere."),
                            title != NULL ? title : _ ("Map"));
  limit = sonde_format_number (limit_of (self));
  return g_strdup_printf (_ ("%s: signed map of %d by %d pixels, scale ±%s."),
                          title != NULL ? title : _ ("Map"), (int) self->map->shape.dims[1],
                          (int) self->map->shape.dims[0], limit);
}

/* The map's values as rows and columns. */
static char *
sonde_saliency_view_dup_table (SondeView *view, char separator)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  GString *text;

  if (self->map == NULL)
    return NULL;
  text = g_string_new (NULL);
  for (gint64 row = 0; row < self->map->shape.dims[0]; row++)
    for (gint64 column = 0; column < self->map->shape.dims[1]; column++)
      {
        g_autofree char *number
            = sonde_tensor_format_element (self->map, row * self->map->shape.dims[1] + column);

        g_string_append (text, number);
        g_string_append_c (text, column + 1 < self->map->shape.dims[1] ? separator : '\n');
      }
  return g_string_free (text, FALSE);
}

static void
clear_content (SondeSaliencyView *self)
{
  g_clear_pointer (&self->image, sonde_image_unref);
  g_clear_pointer (&self->map, sonde_tensor_unref);
  g_clear_pointer (&self->mask, sonde_tensor_unref);
}

static void
sonde_saliency_view_dispose (GObject *object)
{
  clear_content (SONDE_SALIENCY_VIEW (object));
  G_OBJECT_CLASS (sonde_saliency_view_parent_class)->dispose (object);
}

static GtkSizeRequestMode
sonde_saliency_view_get_request_mode (GtkWidget *widget)
{
  return SONDE_SALIENCY_VIEW (widget)->max_side > 0 ? GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH
                                                    : GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

static void
sonde_saliency_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                             int *minimum, int *natural, int *minimum_baseline,
                             int *natural_baseline)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (widget);
  SondeViewRect rect = { 0, 0, self->max_side, self->max_side };
  int columns, rows, side = self->max_side;

  if (for_size > 0)
    side = MIN ((int) sonde_view_from_widget (SONDE_VIEW (widget), for_size), side);
  GTK_WIDGET_CLASS (sonde_saliency_view_parent_class)
      ->measure (widget, orientation, for_size, minimum, natural, minimum_baseline,
                 natural_baseline);
  if (self->max_side > 0 && orientation == GTK_ORIENTATION_VERTICAL
      && place (self, side, side + legend_height (self), &rect, &columns, &rows))
    *minimum = *natural = (int) ceil (
        sonde_view_to_widget (SONDE_VIEW (widget), ceil (rect.height) + legend_height (self)));
}

static void
sonde_saliency_view_class_init (SondeSaliencyViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  static const struct
  {
    guint key;
    int count;
  } keys[] = { { GDK_KEY_Up, -1 }, { GDK_KEY_Down, 1 } };

  G_OBJECT_CLASS (klass)->dispose = sonde_saliency_view_dispose;
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), keys[i].key, 0, move_row, "i",
                                  keys[i].count);
  signals[PIXEL_CHANGED]
      = g_signal_new ("pixel-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  view->area = sonde_saliency_view_area;
  view->prepare = sonde_saliency_view_prepare;
  view->paint_overlay = sonde_saliency_view_paint_overlay;
  view->hover_changed = sonde_saliency_view_hover_changed;
  view->move_cursor = sonde_saliency_view_move_cursor;
  GTK_WIDGET_CLASS (klass)->get_request_mode = sonde_saliency_view_get_request_mode;
  GTK_WIDGET_CLASS (klass)->measure = sonde_saliency_view_measure;
  view->paint = sonde_saliency_view_paint;
  view->pick = sonde_saliency_view_pick;
  view->dup_tooltip = sonde_saliency_view_dup_tooltip;
  view->describe = sonde_saliency_view_describe;
  view->dup_reading = sonde_saliency_view_dup_reading;
  view->dup_table = sonde_saliency_view_dup_table;
}

static void
sonde_saliency_view_init (SondeSaliencyView *self)
{
  self->blend = 1;
  self->legend = TRUE;
  self->pixel = SONDE_VIEW_NOTHING;
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_minimum_size (SONDE_VIEW (self), 140, 140 + LEGEND_HEIGHT);
}

GtkWidget *
sonde_saliency_view_new (void)
{
  return g_object_new (SONDE_TYPE_SALIENCY_VIEW, NULL);
}

void
sonde_saliency_view_set_content (SondeSaliencyView *view, SondeImage *image, SondeTensor *map,
                                 SondeTensor *mask, double limit)
{
  SondeMapImage drawing;
  int columns, rows;

  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  clear_content (view);
  view->image = image;
  view->map = map != NULL ? sonde_tensor_ref (map) : NULL;
  view->mask = mask != NULL ? sonde_tensor_ref (mask) : NULL;
  view->limit = limit;
  /* A map of another size than its image is shown alone. */
  if (image != NULL && map != NULL
      && (map->shape.rank != 2 || map->shape.dims[0] != image->height
          || map->shape.dims[1] != image->width))
    g_clear_pointer (&view->image, sonde_image_unref);
  drawing = image_of (view);
  if (sonde_map_image_get_size (&drawing, &columns, &rows))
    sonde_view_set_bounds (SONDE_VIEW (view), &(SondeViewport){ 0, 0, columns, rows });
  gtk_widget_queue_resize (GTK_WIDGET (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_saliency_view_set_max_side (SondeSaliencyView *view, int max_side)
{
  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  view->max_side = max_side;
  gtk_widget_queue_resize (GTK_WIDGET (view));
}

void
sonde_saliency_view_set_blend (SondeSaliencyView *view, double blend)
{
  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  view->blend = CLAMP (blend, 0, 1);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_saliency_view_set_zoomable (SondeSaliencyView *view, gboolean zoomable)
{
  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  view->zoomable = zoomable;
  sonde_view_set_wheel_needs_control (SONDE_VIEW (view), TRUE);
  /* prepare() knows better */
  sonde_view_set_scale_limits (SONDE_VIEW (view), 0, G_MAXDOUBLE, G_MAXDOUBLE);
  sonde_view_set_zoom (SONDE_VIEW (view),
                       zoomable ? SONDE_VIEW_ZOOM_UNIFORM : SONDE_VIEW_ZOOM_NONE);
}

void
sonde_saliency_view_set_pixel (SondeSaliencyView *view, gint64 pixel)
{
  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  if (view->pixel == pixel)
    return;
  view->pixel = pixel;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

gint64
sonde_saliency_view_get_pixel (SondeSaliencyView *view)
{
  g_return_val_if_fail (SONDE_IS_SALIENCY_VIEW (view), SONDE_VIEW_NOTHING);
  return view->pixel;
}

void
sonde_saliency_view_set_legend (SondeSaliencyView *view, gboolean legend)
{
  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  view->legend = legend;
  gtk_widget_queue_resize (GTK_WIDGET (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}
