/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/curve/sonde-column-ink.h"

#include <math.h>

#define MAX_SCALE 8
#define WHOLE 256 /* of a pixel is covered */

static gboolean
is_whole (double value)
{
  return fabs (value - round (value)) < 1e-3;
}

static guint32
premultiply (const SondeColor *color, double alpha)
{
  guint a = (guint) (CLAMP (alpha, 0, 1) * 255 + 0.5);
  guint r = (guint) (color->red * a + 0.5), g = (guint) (color->green * a + 0.5),
        b = (guint) (color->blue * a + 0.5);

  return a << 24 | r << 16 | g << 8 | b;
}

/* Where the context's px lie in the image. */
static gboolean
find_place (SondeColumnInk *ink, cairo_t *cr)
{
  cairo_matrix_t matrix;
  double scale_x, scale_y, dx, dy;

  cairo_get_matrix (cr, &matrix);
  cairo_surface_get_device_scale (ink->surface, &scale_x, &scale_y);
  cairo_surface_get_device_offset (ink->surface, &dx, &dy);
  dx += matrix.x0 * scale_x;
  dy += matrix.y0 * scale_y;
  scale_x *= matrix.xx;
  scale_y *= matrix.yy;
  if (matrix.xy != 0 || matrix.yx != 0 || fabs (scale_x - scale_y) > 1e-6 || !is_whole (scale_x)
      || !is_whole (dx) || scale_x < 0.5 || scale_x > MAX_SCALE)
    return FALSE;
  ink->scale = (int) round (scale_x);
  ink->x = (int) round (dx);
  ink->y = dy;
  return TRUE;
}

static void
find_clip (SondeColumnInk *ink, cairo_t *cr)
{
  int width = cairo_image_surface_get_width (ink->surface),
      height = cairo_image_surface_get_height (ink->surface);
  double x0, y0, x1, y1;

  cairo_clip_extents (cr, &x0, &y0, &x1, &y1);
  ink->left = CLAMP ((int) round (x0 * ink->scale) + ink->x, 0, width);
  ink->right = CLAMP ((int) round (x1 * ink->scale) + ink->x, 0, width);
  ink->top = CLAMP ((int) round (y0 * ink->scale + ink->y), 0, height);
  ink->bottom = CLAMP ((int) round (y1 * ink->scale + ink->y), 0, height);
}

gboolean
sonde_column_ink_begin (SondeColumnInk *ink, cairo_t *cr, const SondeColor *color, double alpha)
{
  cairo_format_t format;

  *ink = (SondeColumnInk){ .surface = cairo_get_group_target (cr) };
  if (cairo_surface_get_type (ink->surface) != CAIRO_SURFACE_TYPE_IMAGE)
    return FALSE;
  format = cairo_image_surface_get_format (ink->surface);
  if ((format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24) || !find_place (ink, cr))
    return FALSE;
  find_clip (ink, cr);
  cairo_surface_flush (ink->surface);
  ink->data = cairo_image_surface_get_data (ink->surface);
  ink->stride = cairo_image_surface_get_stride (ink->surface);
  ink->colour = premultiply (color, alpha);
  return ink->data != NULL;
}

void
sonde_column_ink_end (SondeColumnInk *ink)
{
  cairo_surface_mark_dirty (ink->surface);
}

/* All four channels × @share / WHOLE. */
static guint32
multiply (guint32 pixel, guint share)
{
  guint32 even = ((pixel & 0x00ff00ff) * share >> 8) & 0x00ff00ff;
  guint32 odd = ((pixel >> 8) & 0x00ff00ff) * share & 0xff00ff00;

  return even | odd;
}

/* @colour over what is there; its alpha of 255 leaves nothing of that. */
static guint32
blend (guint32 below, guint32 colour)
{
  guint alpha = colour >> 24;

  return colour + multiply (below, WHOLE - (alpha + (alpha >> 7)));
}

/* A pixel of which @covered is under the line. */
static guint32
blend_part (guint32 below, guint32 colour, double covered)
{
  return blend (below, multiply (colour, (guint) (covered * WHOLE + 0.5)));
}

/* @n pixels that are all under it. */
static void
blend_run (guint32 *pixel, gsize step, int n, guint32 colour)
{
  guint alpha = colour >> 24, rest = WHOLE - (alpha + (alpha >> 7));

  if (rest == 0)
    for (int i = 0; i < n; i++)
      pixel[(gsize) i * step] = colour;
  else
    for (int i = 0; i < n; i++)
      pixel[(gsize) i * step] = colour + multiply (pixel[(gsize) i * step], rest);
}

/* @top, @bottom: inside of the clip, so not below 0: a cast rounds down as floor() does */
static void
fill_image_column (const SondeColumnInk *ink, int x, double top, double bottom)
{
  int first = (int) top, last = (int) bottom;
  gsize step = (gsize) ink->stride / sizeof (guint32);
  guint32 *column = (guint32 *) (gpointer) ink->data + x;

  if (first == last)
    {
      column[(gsize) first * step]
          = blend_part (column[(gsize) first * step], ink->colour, bottom - top);
      return;
    }
  column[(gsize) first * step]
      = blend_part (column[(gsize) first * step], ink->colour, first + 1 - top);
  blend_run (column + (gsize) (first + 1) * step, step, last - first - 1, ink->colour);
  if (bottom > last)
    column[(gsize) last * step]
        = blend_part (column[(gsize) last * step], ink->colour, bottom - last);
}

void
sonde_column_ink_fill (const SondeColumnInk *ink, int x, double top, double bottom)
{
  double first = top * ink->scale + ink->y, last = bottom * ink->scale + ink->y;

  /* comparisons, not fmax() and fmin(): a chart of many runs has millions of columns */
  first = first > ink->top ? first : ink->top;
  last = last < ink->bottom ? last : ink->bottom;
  if (!(first < last))
    return;
  for (int i = 0; i < ink->scale; i++)
    {
      int column = x * ink->scale + ink->x + i;

      if (column >= ink->left && column < ink->right)
        fill_image_column (ink, column, first, last);
    }
}
