/* SPDX-License-Identifier: Apache-2.0
 * One explanation map over its picture. */
#include "viewers/sonde-saliency-view.h"

#include <math.h>

#include "viewers/paint/sonde-map-paint.h"

#define LEGEND_HEIGHT 34
#define MARGIN 6

struct _SondeSaliencyView
{
  SondeView parent_instance;

  SondeImage *image;
  SondeTensor *map, *mask;
  double limit, blend;
  int max_side; /* px; > 0: the view asks for the height of its picture */
};

G_DEFINE_FINAL_TYPE (SondeSaliencyView, sonde_saliency_view, SONDE_TYPE_VIEW)

static SondeMapPicture
picture_of (SondeSaliencyView *self)
{
  return (SondeMapPicture) { self->image, self->map, self->mask, self->limit, self->map != NULL ? self->blend : 0 };
}

static double
limit_of (SondeSaliencyView *self)
{
  return self->limit > 0 || self->map == NULL ? self->limit : sonde_map_largest_magnitude (self->map);
}

/* The largest rectangle of the picture's shape above the legend, on whole pixels where it is magnified. */
static gboolean
place (SondeSaliencyView *self,
       int                width,
       int                height,
       SondeViewRect     *rect,
       int               *columns,
       int               *rows)
{
  SondeMapPicture picture = picture_of (self);
  double scale;

  if (!sonde_map_picture_get_size (&picture, columns, rows))
    return FALSE;
  if (self->max_side > 0)
    width = MIN (width, self->max_side);
  scale = fmin ((double) width / *columns, (double) MAX (height - LEGEND_HEIGHT, 1) / *rows);
  if (scale > 1)
    scale = floor (scale);
  rect->width = scale * *columns;
  rect->height = scale * *rows;
  rect->x = 0;
  rect->y = 0;
  return TRUE;
}

static void
sonde_saliency_view_paint (SondeView *view,
                           cairo_t   *cr,
                           int        width,
                           int        height)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeMapPicture picture = picture_of (self);
  double limit = limit_of (self);
  SondeViewRect rect;
  int columns, rows;

  if (!place (self, width, height, &rect, &columns, &rows))
    return;
  sonde_paint_map (cr, theme, &picture, rect.x, rect.y, rect.width, rect.height);
  if (self->map == NULL || self->blend <= 0)
    return;
  sonde_paint_color_legend (cr, theme, SONDE_COLOR_MAP_DIVERGING, -limit, limit, rect.x, rect.y + rect.height + MARGIN,
                            rect.width, 8);
}

static gboolean
sonde_saliency_view_pick (SondeView     *view,
                          double         x,
                          double         y,
                          SondeViewPick *pick)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  SondeViewRect rect;
  int columns, rows, column, row;

  if (!place (self, gtk_widget_get_width (GTK_WIDGET (view)), gtk_widget_get_height (GTK_WIDGET (view)), &rect,
              &columns, &rows)
      || x < rect.x || y < rect.y || x >= rect.x + rect.width || y >= rect.y + rect.height)
    return FALSE;
  column = (int) ((x - rect.x) / rect.width * columns);
  row = (int) ((y - rect.y) / rect.height * rows);
  pick->id = (gint64) row * columns + column;
  pick->area = (SondeViewRect) { rect.x + column * rect.width / columns, rect.y + row * rect.height / rows,
                                 rect.width / columns, rect.height / rows };
  return TRUE;
}

static char *
sonde_saliency_view_dup_tooltip (SondeView           *view,
                                 const SondeViewPick *pick)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  SondeMapPicture picture = picture_of (self);
  GString *text = g_string_new (NULL);
  int columns, rows;

  if (!sonde_map_picture_get_size (&picture, &columns, &rows) || pick->id >= (gint64) columns * rows)
    return g_string_free (text, TRUE);
  g_string_append_printf (text, "x %d, y %d", (int) (pick->id % columns), (int) (pick->id / columns));
  if (self->map != NULL && pick->id < sonde_tensor_n_elements (self->map))
    g_string_append_printf (text, ": %.6g", sonde_tensor_get_double (self->map, pick->id));
  if (self->image != NULL)
    {
      const guint8 *p = self->image->pixels + pick->id * self->image->channels;

      if (self->image->channels >= 3)
        g_string_append_printf (text, " (picture %d, %d, %d)", p[0], p[1], p[2]);
      else
        g_string_append_printf (text, " (picture %d)", p[0]);
    }
  return g_string_free (text, FALSE);
}

static char *
sonde_saliency_view_describe (SondeView *view)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (view);
  const char *title = sonde_view_get_title (view);

  if (self->map == NULL)
    return g_strdup_printf ("%s: picture of %d by %d pixels.", title != NULL ? title : "Picture",
                            self->image != NULL ? self->image->width : 0, self->image != NULL ? self->image->height : 0);
  if (limit_of (self) <= 0)
    return g_strdup_printf ("%s: constant map, zero everywhere.", title != NULL ? title : "Map");
  return g_strdup_printf ("%s: signed map of %d by %d pixels, scale ±%.4g.", title != NULL ? title : "Map",
                          (int) self->map->shape.dims[1], (int) self->map->shape.dims[0], limit_of (self));
}

/* The map's values as rows and columns. */
static char *
sonde_saliency_view_dup_table (SondeView *view,
                               char       separator)
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
  g_clear_pointer (&self->image, sonde_image_free);
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
sonde_saliency_view_measure (GtkWidget      *widget,
                             GtkOrientation  orientation,
                             int             for_size,
                             int            *minimum,
                             int            *natural,
                             int            *minimum_baseline,
                             int            *natural_baseline)
{
  SondeSaliencyView *self = SONDE_SALIENCY_VIEW (widget);
  SondeViewRect rect = { 0, 0, self->max_side, self->max_side };
  int columns, rows, side = for_size > 0 ? MIN (for_size, self->max_side) : self->max_side;

  GTK_WIDGET_CLASS (sonde_saliency_view_parent_class)
      ->measure (widget, orientation, for_size, minimum, natural, minimum_baseline, natural_baseline);
  if (self->max_side > 0 && orientation == GTK_ORIENTATION_VERTICAL
      && place (self, side, side + LEGEND_HEIGHT, &rect, &columns, &rows))
    *minimum = *natural = (int) ceil (rect.height) + LEGEND_HEIGHT;
}

static void
sonde_saliency_view_class_init (SondeSaliencyViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_saliency_view_dispose;
  GTK_WIDGET_CLASS (klass)->get_request_mode = sonde_saliency_view_get_request_mode;
  GTK_WIDGET_CLASS (klass)->measure = sonde_saliency_view_measure;
  view->paint = sonde_saliency_view_paint;
  view->pick = sonde_saliency_view_pick;
  view->dup_tooltip = sonde_saliency_view_dup_tooltip;
  view->describe = sonde_saliency_view_describe;
  view->dup_table = sonde_saliency_view_dup_table;
}

static void
sonde_saliency_view_init (SondeSaliencyView *self)
{
  self->blend = 1;
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_minimum_size (SONDE_VIEW (self), 140, 140 + LEGEND_HEIGHT);
}

GtkWidget *
sonde_saliency_view_new (void)
{
  return g_object_new (SONDE_TYPE_SALIENCY_VIEW, NULL);
}

void
sonde_saliency_view_set_content (SondeSaliencyView *view,
                                 SondeImage        *image,
                                 SondeTensor       *map,
                                 SondeTensor       *mask,
                                 double             limit)
{
  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  clear_content (view);
  view->image = image;
  view->map = map != NULL ? sonde_tensor_ref (map) : NULL;
  view->mask = mask != NULL ? sonde_tensor_ref (mask) : NULL;
  view->limit = limit;
  /* A map of another size than its picture is shown alone. */
  if (image != NULL && map != NULL
      && (map->shape.rank != 2 || map->shape.dims[0] != image->height || map->shape.dims[1] != image->width))
    g_clear_pointer (&view->image, sonde_image_free);
  gtk_widget_queue_resize (GTK_WIDGET (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_saliency_view_set_max_side (SondeSaliencyView *view,
                                  int                max_side)
{
  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  view->max_side = max_side;
  gtk_widget_queue_resize (GTK_WIDGET (view));
}

void
sonde_saliency_view_set_blend (SondeSaliencyView *view,
                               double             blend)
{
  g_return_if_fail (SONDE_IS_SALIENCY_VIEW (view));
  view->blend = CLAMP (blend, 0, 1);
  sonde_view_invalidate (SONDE_VIEW (view));
}
