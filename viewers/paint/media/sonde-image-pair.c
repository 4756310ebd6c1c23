/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/media/sonde-image-pair.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text-paint.h"

#define HEAD 20   /* px for the names above the images */
#define LEGEND 32 /* px for the scale below a map */
#define GAP 12    /* px between images beside each other */
#define HANDLE 9  /* px: radius of what the divider is held by */

struct _SondeImagePair
{
  SondeImage *images[2];
  char *names[2];
  double brightness, contrast;
  SondeImageDifference difference;
  gboolean is_compared;
  cairo_surface_t *pictures[2],
      *maps[2];     /* made when they are first drawn; maps: plain, magnitude */
  double limits[2]; /* of the maps */
};

SondeImagePair *
sonde_image_pair_new (void)
{
  SondeImagePair *pair = g_new0 (SondeImagePair, 1);

  pair->contrast = 1;
  return pair;
}

static void
forget_pictures (SondeImagePair *pair)
{
  for (int i = 0; i < 2; i++)
    g_clear_pointer (&pair->pictures[i], cairo_surface_destroy);
}

static void
forget_maps (SondeImagePair *pair)
{
  for (int i = 0; i < 2; i++)
    g_clear_pointer (&pair->maps[i], cairo_surface_destroy);
}

void
sonde_image_pair_free (SondeImagePair *pair)
{
  if (pair == NULL)
    return;
  forget_pictures (pair);
  forget_maps (pair);
  for (int i = 0; i < 2; i++)
    {
      g_clear_pointer (&pair->images[i], sonde_image_unref);
      g_free (pair->names[i]);
    }
  g_free (pair);
}

void
sonde_image_pair_set_images (SondeImagePair *pair, const SondeImage *first,
                             const SondeImage *second)
{
  const SondeImage *images[2] = { first, second };

  for (int i = 0; i < 2; i++)
    {
      SondeImage *before = pair->images[i];

      pair->images[i] = images[i] != NULL ? sonde_image_ref (images[i]) : NULL;
      g_clear_pointer (&before, sonde_image_unref);
    }
  pair->is_compared
      = first != NULL && second != NULL && sonde_image_compare (second, first, &pair->difference);
  forget_pictures (pair);
  forget_maps (pair);
}

void
sonde_image_pair_set_names (SondeImagePair *pair, const char *first, const char *second)
{
  g_free (pair->names[0]);
  g_free (pair->names[1]);
  pair->names[0] = g_strdup (first);
  pair->names[1] = g_strdup (second);
}

void
sonde_image_pair_set_levels (SondeImagePair *pair, double brightness, double contrast)
{
  pair->brightness = brightness;
  pair->contrast = contrast;
  forget_pictures (pair);
}

const SondeImage *
sonde_image_pair_get_image (SondeImagePair *pair, guint index)
{
  return pair->images[index];
}

const char *
sonde_image_pair_get_name (SondeImagePair *pair, guint index)
{
  return pair->names[index];
}

const SondeImageDifference *
sonde_image_pair_get_difference (SondeImagePair *pair)
{
  return pair->is_compared ? &pair->difference : NULL;
}

gboolean
sonde_image_pair_get_size (SondeImagePair *pair, int *width, int *height)
{
  const SondeImage *image = pair->images[1] != NULL ? pair->images[1] : pair->images[0];

  if (image == NULL)
    return FALSE;
  *width = image->width;
  *height = image->height;
  return TRUE;
}

char *
sonde_image_pair_describe (SondeImagePair *pair)
{
  const SondeImage *a = pair->images[0], *b = pair->images[1];
  g_autofree char *mean = sonde_format_number (pair->difference.mean_absolute);
  g_autofree char *share = NULL;

  if (a == NULL || b == NULL)
    return g_strdup (_ ("nothing to compare with"));
  if (!pair->is_compared)
    return g_strdup_printf (_ ("sizes differ: %d × %d and %d × %d px"), a->width, a->height,
                            b->width, b->height);
  if (pair->difference.n_different == 0)
    return g_strdup (_ ("equal"));
  share = sonde_format_number (100.0 * (double) pair->difference.n_different
                               / (double) pair->difference.n_pixels);
  return g_strdup_printf (
      _ ("mean |Δ| %s · max |Δ| %d · PSNR %.1f dB · %s %% of the pixels differ"), mean,
      pair->difference.largest, pair->difference.psnr, share);
}

/* ---- pictures ------------------------------------------------------------ */

typedef guint32 (*PixelFunc) (const void *from, gint64 i, const void *user_data);

static cairo_surface_t *
make_surface (int width, int height, PixelFunc get_pixel, const void *from, const void *user_data)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  guint8 *data = cairo_image_surface_get_data (surface);
  const gsize stride = (gsize) cairo_image_surface_get_stride (surface);

  for (int y = 0; data != NULL && y < height; y++)
    for (int x = 0; x < width; x++)
      ((guint32 *) (void *) (data + (gsize) y * stride))[x]
          = get_pixel (from, (gint64) y * width + x, user_data);
  cairo_surface_mark_dirty (surface);
  return surface;
}

static guint32
get_image_pixel (const void *from, gint64 i, const void *unused)
{
  const SondeImage *image = from;

  return 0xFF000000u | (guint32) sonde_image_get_level (image, i, 0) << 16
         | (guint32) sonde_image_get_level (image, i, 1) << 8
         | (guint32) sonde_image_get_level (image, i, 2);
}

static cairo_surface_t *
get_picture (SondeImagePair *pair, guint index)
{
  const SondeImage *image = pair->images[index];
  g_autoptr (SondeImage) adjusted = NULL;

  if (image == NULL || pair->pictures[index] != NULL)
    return pair->pictures[index];
  if (pair->brightness != 0 || pair->contrast != 1)
    image = adjusted = sonde_image_new_adjusted (image, pair->brightness, pair->contrast);
  pair->pictures[index] = make_surface (image->width, image->height, get_image_pixel, image, NULL);
  return pair->pictures[index];
}

typedef struct
{
  guint32 colors[256];
  double low, scale; /* colour = (value − low) × scale */
} MapScale;

static guint32
get_map_pixel (const void *from, gint64 i, const void *user_data)
{
  const SondeTensor *map = from;
  const MapScale *scale = user_data;
  double value = ((const float *) (const void *) map->data)[i];

  return scale->colors[(int) CLAMP ((value - scale->low) * scale->scale, 0, 255)];
}

static SondeColorMap
choose_colors (gboolean magnitude)
{
  return magnitude ? SONDE_COLOR_MAP_VIRIDIS : SONDE_COLOR_MAP_DIVERGING;
}

static double
find_limit (const SondeTensor *map)
{
  const float *values = (const float *) (const void *) map->data;
  float largest = 0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    largest = fmaxf (largest, fabsf (values[i]));
  return largest > 0 ? (double) largest : 1;
}

static cairo_surface_t *
get_map (SondeImagePair *pair, gboolean magnitude)
{
  g_autoptr (SondeTensor) map = NULL;
  MapScale scale;
  double limit;

  if (!pair->is_compared || pair->maps[magnitude] != NULL)
    return pair->maps[magnitude];
  map = sonde_image_difference_map (pair->images[1], pair->images[0], magnitude);
  limit = pair->limits[magnitude] = find_limit (map);
  sonde_color_map_fill (choose_colors (magnitude), scale.colors);
  scale.low = magnitude ? 0 : -limit;
  scale.scale = 255.999 / (limit - scale.low);
  pair->maps[magnitude] = make_surface ((int) map->shape.dims[1], (int) map->shape.dims[0],
                                        get_map_pixel, map, &scale);
  return pair->maps[magnitude];
}

/* ---- places -------------------------------------------------------------- */

static gboolean
has_map (SondeImagePairMode mode)
{
  return mode == SONDE_IMAGE_PAIR_DIFFERENCE || mode == SONDE_IMAGE_PAIR_MAGNITUDE;
}

void
sonde_image_pair_get_pane (SondeImagePairMode mode, int width, int height, guint pane,
                           cairo_rectangle_t *area)
{
  double foot = has_map (mode) ? LEGEND : 0;

  *area = (cairo_rectangle_t){ 0, HEAD, width, MAX (height - HEAD - foot, 1) };
  if (mode != SONDE_IMAGE_PAIR_BESIDE)
    return;
  area->width = MAX ((width - GAP) / 2.0, 1);
  area->x = pane * (area->width + GAP);
}

/* Where the whole world lies on the screen when @pane shows @world of it. */
static void
find_whole (SondeImagePair *pair, const cairo_rectangle_t *pane, const cairo_rectangle_t *world,
            cairo_rectangle_t *whole)
{
  int columns = 1, rows = 1;
  double scale = pane->width / world->width;

  sonde_image_pair_get_size (pair, &columns, &rows);
  *whole = (cairo_rectangle_t){ pane->x - world->x * scale, pane->y - world->y * scale,
                                columns * scale, rows * scale };
}

void
sonde_image_pair_get_sight (SondeImagePair *pair, const cairo_rectangle_t *pane,
                            const cairo_rectangle_t *world, cairo_rectangle_t *sight)
{
  cairo_rectangle_t whole;
  double right, bottom;

  find_whole (pair, pane, world, &whole);
  right = fmin (whole.x + whole.width, pane->x + pane->width);
  bottom = fmin (whole.y + whole.height, pane->y + pane->height);
  sight->x = fmax (whole.x, pane->x);
  sight->y = fmax (whole.y, pane->y);
  sight->width = fmax (right - sight->x, 0);
  sight->height = fmax (bottom - sight->y, 0);
}

/* ---- painting ------------------------------------------------------------ */

/* Pixels are squares when they are magnified. */
static void
paint_surface (cairo_t *cr, cairo_surface_t *surface, const cairo_rectangle_t *clip,
               const cairo_rectangle_t *whole)
{
  double scale_x, scale_y;

  if (surface == NULL)
    return;
  scale_x = whole->width / cairo_image_surface_get_width (surface);
  scale_y = whole->height / cairo_image_surface_get_height (surface);
  cairo_save (cr);
  cairo_rectangle (cr, clip->x, clip->y, clip->width, clip->height);
  cairo_clip (cr);
  cairo_rectangle (cr, whole->x, whole->y, whole->width, whole->height);
  cairo_clip (cr);
  cairo_translate (cr, whole->x, whole->y);
  cairo_scale (cr, scale_x, scale_y);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr),
                            scale_x < 1 ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
}

static void
paint_missing (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *pane,
               const char *words)
{
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, pane->x + pane->width / 2,
                    pane->y + pane->height / 2, pane->width, words);
}

static void
paint_name (cairo_t *cr, const SondeTheme *theme, SondeImagePair *pair, guint index,
            SondeTextAlign align, double x, double width)
{
  if (pair->names[index] == NULL)
    return;
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, align, x, HEAD / 2.0 - 1, width, pair->names[index]);
}

static void
paint_beside (cairo_t *cr, const SondeTheme *theme, SondeImagePair *pair,
              const cairo_rectangle_t *world, int width, int height)
{
  for (guint i = 0; i < 2; i++)
    {
      cairo_rectangle_t pane, whole;

      sonde_image_pair_get_pane (SONDE_IMAGE_PAIR_BESIDE, width, height, i, &pane);
      find_whole (pair, &pane, world, &whole);
      if (pair->images[i] == NULL)
        paint_missing (cr, theme, &pane, _ ("no image"));
      paint_surface (cr, get_picture (pair, i), &pane, &whole);
      paint_name (cr, theme, pair, i, SONDE_ALIGN_CENTER, pane.x + pane.width / 2, pane.width);
    }
}

/* A light line in a dark one, seen on every image, with a handle that says which way it moves. */
static void
paint_divider (cairo_t *cr, double x, const cairo_rectangle_t *sight)
{
  double y = sight->y + sight->height / 2;

  for (int i = 0; i < 2; i++)
    {
      cairo_set_source_rgba (cr, i, i, i, i == 0 ? 0.6 : 1);
      cairo_set_line_width (cr, i == 0 ? 4 : 2);
      cairo_move_to (cr, x, sight->y);
      cairo_line_to (cr, x, sight->y + sight->height);
      cairo_stroke (cr);
      cairo_arc (cr, x, y, i == 0 ? HANDLE + 1 : HANDLE, 0, 2 * G_PI);
      cairo_fill (cr);
    }
  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_set_line_width (cr, 1.5);
  for (int side = -1; side <= 1; side += 2)
    {
      cairo_move_to (cr, x + side * 2.5, y - 3);
      cairo_line_to (cr, x + side * 5.5, y);
      cairo_line_to (cr, x + side * 2.5, y + 3);
      cairo_stroke (cr);
    }
}

static void
paint_divided (cairo_t *cr, const SondeTheme *theme, SondeImagePair *pair,
               const cairo_rectangle_t *world, double divider, int width, int height)
{
  cairo_rectangle_t pane, whole, sight, left, right;
  double x;

  sonde_image_pair_get_pane (SONDE_IMAGE_PAIR_DIVIDER, width, height, 0, &pane);
  find_whole (pair, &pane, world, &whole);
  sonde_image_pair_get_sight (pair, &pane, world, &sight);
  x = sight.x + divider * sight.width;
  left = right = pane;
  left.width = x - pane.x;
  right.x = x;
  right.width = pane.x + pane.width - x;
  paint_surface (cr, get_picture (pair, 0), &left, &whole);
  paint_surface (cr, get_picture (pair, 1), &right, &whole);
  paint_divider (cr, x, &sight);
  /* at the edges of the image, unless it is too narrow for them */
  if (sight.width < width / 2.0)
    sight = pane;
  paint_name (cr, theme, pair, 0, SONDE_ALIGN_START, sight.x, sight.width / 2 - 6);
  paint_name (cr, theme, pair, 1, SONDE_ALIGN_END, sight.x + sight.width, sight.width / 2 - 6);
}

static void
paint_map (cairo_t *cr, const SondeTheme *theme, SondeImagePair *pair, SondeImagePairMode mode,
           const cairo_rectangle_t *world, int width, int height)
{
  const gboolean magnitude = mode == SONDE_IMAGE_PAIR_MAGNITUDE;
  g_autofree char *name = g_strdup_printf (magnitude ? "|%s − %s|" : "%s − %s",
                                           pair->names[1] != NULL ? pair->names[1] : "",
                                           pair->names[0] != NULL ? pair->names[0] : "");
  g_autofree char *words = sonde_image_pair_describe (pair);
  cairo_surface_t *map = get_map (pair, magnitude);
  cairo_rectangle_t pane, whole;

  sonde_image_pair_get_pane (mode, width, height, 0, &pane);
  find_whole (pair, &pane, world, &whole);
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, width / 2.0, HEAD / 2.0 - 1, width,
                    name);
  if (map == NULL)
    {
      paint_missing (cr, theme, &pane, words);
      return;
    }
  paint_surface (cr, map, &pane, &whole);
  sonde_paint_color_legend (cr, theme, choose_colors (magnitude),
                            magnitude ? 0 : -pair->limits[FALSE], pair->limits[magnitude],
                            fmax (width / 2.0 - 120, 0), height - LEGEND + 8, fmin (width, 240), 8);
}

void
sonde_paint_image_pair (cairo_t *cr, const SondeTheme *theme, SondeImagePair *pair,
                        SondeImagePairMode mode, const cairo_rectangle_t *world, double divider,
                        int width, int height)
{
  if (has_map (mode))
    paint_map (cr, theme, pair, mode, world, width, height);
  else if (mode == SONDE_IMAGE_PAIR_DIVIDER)
    paint_divided (cr, theme, pair, world, divider, width, height);
  else
    paint_beside (cr, theme, pair, world, width, height);
}
