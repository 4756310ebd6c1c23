/* SPDX-License-Identifier: Apache-2.0
 * An image with a signed map over it. */
#include "viewers/paint/sonde-map-paint.h"

#include <math.h>

gboolean
sonde_map_image_get_size (const SondeMapImage *drawing, int *width, int *height)
{
  if (drawing->image != NULL)
    {
      *width = drawing->image->width;
      *height = drawing->image->height;
      return TRUE;
    }
  if (drawing->map == NULL || drawing->map->shape.rank != 2
      || sonde_tensor_n_elements (drawing->map) < 1)
    return FALSE;
  *width = (int) drawing->map->shape.dims[1];
  *height = (int) drawing->map->shape.dims[0];
  return TRUE;
}

double
sonde_map_largest_magnitude (const SondeTensor *map)
{
  double largest = 0.0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    {
      double value = fabs (sonde_tensor_get_double (map, i));

      if (isfinite (value) && value > largest)
        largest = value;
    }
  return largest;
}

static guint32
pack (const SondeColor *color)
{
  return 0xFF000000u | (guint32) lround (255.0 * color->red) << 16
         | (guint32) lround (255.0 * color->green) << 8 | (guint32) lround (255.0 * color->blue);
}

/* Colour of the image's pixel; as grey when a map lies over it. */
static SondeColor
image_color (const SondeImage *image, int i, gboolean grey)
{
  const guint8 *p = image->pixels + (gsize) i * (gsize) image->channels;
  SondeColor color = { p[0] / 255.0, p[0] / 255.0, p[0] / 255.0, 1.0 };

  if (image->channels >= 3)
    color = (SondeColor){ p[0] / 255.0, p[1] / 255.0, p[2] / 255.0, 1.0 };
  if (grey)
    color.red = color.green = color.blue
        = 0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue;
  return color;
}

static SondeColor
pixel_color (const SondeTheme *theme, const SondeMapImage *drawing, double limit, int i)
{
  gboolean has_map = drawing->map != NULL && drawing->blend > 0;
  SondeColor under
      = drawing->image != NULL ? image_color (drawing->image, i, has_map) : theme->card;
  SondeColor over;
  double value;

  if (!has_map)
    return under;
  value = sonde_tensor_get_double (drawing->map, i);
  over = isnan (value) ? theme->hatch
                       : sonde_color_map_get (SONDE_COLOR_MAP_DIVERGING,
                                              limit > 0 ? 0.5 + 0.5 * value / limit : 0.5);
  return sonde_color_mix (&under, &over, drawing->blend);
}

/* Lines between pixels inside and outside the mask. */
static void
paint_outline (cairo_t *cr, const SondeTheme *theme, const SondeTensor *mask, int width, int height,
               double scale_x, double scale_y)
{
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        gboolean inside = sonde_tensor_get_int (mask, (gint64) y * width + x) != 0;
        gboolean right
            = x + 1 < width && sonde_tensor_get_int (mask, (gint64) y * width + x + 1) != 0;
        gboolean below
            = y + 1 < height && sonde_tensor_get_int (mask, (gint64) (y + 1) * width + x) != 0;

        if (inside != right && x + 1 < width)
          {
            cairo_move_to (cr, (x + 1) * scale_x, y * scale_y);
            cairo_line_to (cr, (x + 1) * scale_x, (y + 1) * scale_y);
          }
        if (inside != below && y + 1 < height)
          {
            cairo_move_to (cr, x * scale_x, (y + 1) * scale_y);
            cairo_line_to (cr, (x + 1) * scale_x, (y + 1) * scale_y);
          }
      }
  cairo_set_line_width (cr, 1.5);
  sonde_paint_set_color (cr, &theme->state[SONDE_STATE_OK]);
  cairo_stroke (cr);
}

void
sonde_paint_map (cairo_t *cr, const SondeTheme *theme, const SondeMapImage *drawing, double x,
                 double y, double width, double height)
{
  int columns, rows;
  double limit;
  cairo_surface_t *surface;
  guint8 *data;
  int stride;

  if (!sonde_map_image_get_size (drawing, &columns, &rows))
    return;
  limit = drawing->limit > 0 || drawing->map == NULL ? drawing->limit
                                                     : sonde_map_largest_magnitude (drawing->map);
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, columns, rows);
  data = cairo_image_surface_get_data (surface);
  stride = cairo_image_surface_get_stride (surface);
  for (int row = 0; data != NULL && row < rows; row++)
    for (int column = 0; column < columns; column++)
      {
        SondeColor color = pixel_color (theme, drawing, limit, row * columns + column);

        ((guint32 *) (void *) (data + (gsize) row * (gsize) stride))[column] = pack (&color);
      }
  cairo_surface_mark_dirty (surface);
  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  cairo_translate (cr, x, y);
  cairo_save (cr);
  cairo_scale (cr, width / columns, height / rows);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
  if (drawing->mask != NULL && drawing->mask->shape.rank == 2
      && drawing->mask->shape.dims[0] == rows && drawing->mask->shape.dims[1] == columns)
    paint_outline (cr, theme, drawing->mask, columns, rows, width / columns, height / rows);
  cairo_restore (cr);
  cairo_surface_destroy (surface);
}
