/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-sprite.h"

struct _SondeSprite
{
  cairo_surface_t *surface;
  int tile_width, tile_height, n_across, n_down;
};

/* As Cairo wants it: alpha in the highest byte, colours multiplied by it. */
static guint32
get_pixel (const SondeImage *image, int x, int y)
{
  const guint8 *p
      = &image->pixels[((gsize) y * (gsize) image->width + (gsize) x) * (gsize) image->channels];
  guint32 alpha = image->channels == 4 ? p[3] : 255, r = p[0],
          g = image->channels >= 3 ? p[1] : p[0], b = image->channels >= 3 ? p[2] : p[0];

  return alpha << 24 | (r * alpha / 255) << 16 | (g * alpha / 255) << 8 | b * alpha / 255;
}

static cairo_surface_t *
make_surface (const SondeImage *image)
{
  cairo_surface_t *surface
      = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, image->width, image->height);
  guint8 *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  if (data == NULL)
    return surface; /* no memory: it paints nothing */
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      *(guint32 *) (void *) (data + (gsize) y * (gsize) stride + (gsize) x * 4)
          = get_pixel (image, x, y);
  cairo_surface_mark_dirty (surface);
  return surface;
}

SondeSprite *
sonde_sprite_new (const SondeImage *image, int tile_width, int tile_height)
{
  SondeSprite *sprite;

  if (tile_width < 1 || tile_height < 1 || tile_width > image->width || tile_height > image->height)
    return NULL;
  sprite = g_new0 (SondeSprite, 1);
  sprite->tile_width = tile_width;
  sprite->tile_height = tile_height;
  sprite->n_across = image->width / tile_width;
  sprite->n_down = image->height / tile_height;
  sprite->surface = make_surface (image);
  return sprite;
}

void
sonde_sprite_free (SondeSprite *sprite)
{
  if (sprite == NULL)
    return;
  cairo_surface_destroy (sprite->surface);
  g_free (sprite);
}

gsize
sonde_sprite_get_n_tiles (const SondeSprite *sprite)
{
  return (gsize) sprite->n_across * (gsize) sprite->n_down;
}

void
sonde_paint_sprite (cairo_t *cr, const SondeTheme *theme, const SondeSprite *sprite, gsize number,
                    double x, double y, double side)
{
  double scale = side / MAX (sprite->tile_width, sprite->tile_height),
         width = sprite->tile_width * scale, height = sprite->tile_height * scale,
         column = (double) (number % (gsize) sprite->n_across),
         row = (double) (number / (gsize) sprite->n_across);

  if (number >= sonde_sprite_get_n_tiles (sprite))
    return;
  cairo_save (cr);
  cairo_translate (cr, x - width / 2, y - height);
  cairo_rectangle (cr, 0, 0, width, height);
  sonde_paint_set_color (cr, &theme->card);
  cairo_fill_preserve (cr);
  cairo_save (cr);
  cairo_clip (cr);
  cairo_scale (cr, scale, scale);
  cairo_set_source_surface (cr, sprite->surface, -column * sprite->tile_width,
                            -row * sprite->tile_height);
  cairo_paint (cr);
  cairo_restore (cr);
  cairo_rectangle (cr, 0, 0, width, height);
  sonde_paint_set_color (cr, &theme->grid);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  cairo_restore (cr);
}
