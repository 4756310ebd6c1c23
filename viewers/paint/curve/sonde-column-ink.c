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

/* ---- columns side by side ------------------------------------------------ */

/* Pixels of neighbouring columns lie side by side in memory, those of one column a line apart: a strip of columns is
 * painted line by line, as vector code. */
#define STRIP 16

/* Of the pixels that are all under the line: [@first, @last) of each column; @first ≥ @last: there are none. */
typedef struct
{
  int first[STRIP], last[STRIP];
  int top, bottom; /* of all columns */
} Strip;

static guint32 *
get_pixel (const SondeColumnInk *ink, int x, int y)
{
  return (guint32 *) (gpointer) (ink->data + (gsize) y * (gsize) ink->stride) + x;
}

/* Pixels of a line, all of them under it; each channel by itself, as multiply() does it. */
static void
blend_line (const guint8 *below, const guint8 *colour, guint rest, guint8 *over)
{
  for (int i = 0; i < STRIP * 4; i++)
    over[i] = (guint8) (colour[i] + ((guint16) (below[i] * rest) >> 8));
}

static void
blend_strip (const SondeColumnInk *ink, int x, const Strip *strip)
{
  guint alpha = ink->colour >> 24, rest = WHOLE - (alpha + (alpha >> 7));
  guint32 colour[STRIP], over[STRIP];

  for (int k = 0; k < STRIP; k++)
    colour[k] = over[k] = ink->colour;
  for (int y = strip->top; y < strip->bottom; y++)
    {
      guint32 *line = get_pixel (ink, x, y);

      if (rest > 0)
        blend_line ((const guint8 *) line, (const guint8 *) colour, rest, (guint8 *) over);
      for (int k = 0; k < STRIP; k++)
        {
          guint32 mask = 0u - (guint32) ((y >= strip->first[k]) & (y < strip->last[k]));

          line[k] = (over[k] & mask) | (line[k] & ~mask);
        }
    }
}

/* Few pixels of many lines are cheaper one by one, and beside the image there is nothing to be looked at. */
static gboolean
is_worth_lines (const SondeColumnInk *ink, int x, const Strip *strip)
{
  int n_pixels = 0;

  for (int k = 0; k < STRIP; k++)
    n_pixels += MAX (strip->last[k] - strip->first[k], 0);
  return x + STRIP <= ink->right && n_pixels * 4 > (strip->bottom - strip->top) * STRIP;
}

static void
paint_strip (const SondeColumnInk *ink, int x, const Strip *strip)
{
  if (is_worth_lines (ink, x, strip))
    {
      blend_strip (ink, x, strip);
      return;
    }
  for (int k = 0; k < STRIP; k++)
    if (strip->first[k] < strip->last[k])
      blend_run (get_pixel (ink, x + k, strip->first[k]), (gsize) ink->stride / sizeof (guint32),
                 strip->last[k] - strip->first[k], ink->colour);
}

/* The ends of a column at once; what lies between them goes into the strip. */
static void
add_column (const SondeColumnInk *ink, int x, double top, double bottom, int k, Strip *strip)
{
  double low = top * ink->scale + ink->y, high = bottom * ink->scale + ink->y;
  int first, last;

  strip->first[k] = strip->last[k] = 0;
  /* comparisons, not fmax() and fmin(): a chart of many runs has millions of columns */
  low = low > ink->top ? low : ink->top;
  high = high < ink->bottom ? high : ink->bottom;
  if (!(low < high) || x < ink->left || x >= ink->right)
    return;
  /* inside of the image, so not below 0: a cast rounds down as floor() does */
  first = (int) low;
  last = (int) high;
  *get_pixel (ink, x, first) = blend_part (*get_pixel (ink, x, first), ink->colour,
                                           (first == last ? high : first + 1) - low);
  if (first == last)
    return;
  if (high > last)
    *get_pixel (ink, x, last) = blend_part (*get_pixel (ink, x, last), ink->colour, high - last);
  strip->first[k] = first + 1;
  strip->last[k] = last;
  if (first + 1 >= last)
    return;
  strip->top = MIN (strip->top, first + 1);
  strip->bottom = MAX (strip->bottom, last);
}

void
sonde_column_ink_fill (const SondeColumnInk *ink, int x, int n, const float *tops,
                       const float *bottoms)
{
  int begin = x * ink->scale + ink->x, end = begin + n * ink->scale;

  for (int at = MAX (begin, ink->left); at < MIN (end, ink->right); at += STRIP)
    {
      Strip strip = { .top = G_MAXINT, .bottom = 0 };

      for (int k = 0; k < STRIP && at + k < end; k++)
        {
          int i = (at + k - begin) / ink->scale;

          add_column (ink, at + k, (double) tops[i], (double) bottoms[i], k, &strip);
        }
      if (strip.top < strip.bottom)
        paint_strip (ink, at, &strip);
    }
}
