/* SPDX-License-Identifier: Apache-2.0
 * gdk-pixbuf is given only as many frames as fit the limits, so that a file's length bounds nothing but
 * this walk over its blocks. */
#include "data/images/sonde-gif-private.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/images/sonde-image-limits-private.h"

#define SCREEN_END 13 /* signature, version and size of the screen */
#define RGBA 4
#define PIECE ((gsize) 4096)

/* ---- blocks -------------------------------------------------------------- */

typedef struct
{
  const guint8 *data;
  gsize length, at;
} Blocks;

static int
read_size (const guint8 *bytes)
{
  return bytes[0] | bytes[1] << 8;
}

static gboolean
skip (Blocks *blocks, gsize n)
{
  if (n > blocks->length - blocks->at)
    return FALSE;
  blocks->at += n;
  return TRUE;
}

/* @flags: whether there is a table of colours, and how large it is */
static gboolean
skip_colors (Blocks *blocks, guint8 flags)
{
  return (flags & 0x80) == 0 || skip (blocks, (gsize) 3 << ((flags & 7) + 1));
}

/* Pieces, each behind its length, to the one of length 0. */
static gboolean
skip_pieces (Blocks *blocks)
{
  guint8 n;

  do
    {
      if (blocks->at >= blocks->length)
        return FALSE;
      n = blocks->data[blocks->at++];
      if (!skip (blocks, n))
        return FALSE;
    }
  while (n != 0);
  return TRUE;
}

/* @pixels: of the frame itself, which may be smaller or larger than the screen */
static gboolean
skip_frame (Blocks *blocks, gint64 *pixels)
{
  const guint8 *frame = blocks->data + blocks->at;

  if (!skip (blocks, 9))
    return FALSE;
  *pixels = (gint64) read_size (frame + 4) * read_size (frame + 6);
  return skip_colors (blocks, frame[8]) && skip (blocks, 1) && skip_pieces (blocks);
}

/* @pixels: of frame @n on a screen of @width × @height */
static gboolean
check_pixels (int width, int height, guint n, gint64 pixels, GError **error)
{
  gboolean fits = width <= SONDE_IMAGE_MAX_SIDE && height <= SONDE_IMAGE_MAX_SIDE
                  && MAX (pixels, (gint64) width * height) <= SONDE_IMAGE_MAX_PIXELS;

  if (width == 0 || height == 0 || pixels == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "frame %u has no pixels",
                       n);
      return FALSE;
    }
  if (!fits)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "%d×%d pixels; at most %d a side and %d million are decoded", width, height,
                     SONDE_IMAGE_MAX_SIDE, (int) (SONDE_IMAGE_MAX_PIXELS / 1000000));
  return fits;
}

typedef enum
{
  FOUND_FRAME,
  FOUND_END, /* with or without its mark */
  FOUND_DAMAGE,
} Found;

static Found
set_damaged_block (gsize at, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "byte %zu is not the beginning of a GIF block", at);
  return FOUND_DAMAGE;
}

/* @n_frames: before the cut */
static Found
set_truncated (guint n_frames, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "the image is truncated: it ends in frame %u", n_frames + 1);
  return FOUND_DAMAGE;
}

static Found
find_frame (Blocks *blocks, gint64 *pixels, guint n_before, GError **error)
{
  while (blocks->at < blocks->length)
    switch (blocks->data[blocks->at++])
      {
      case 0x3b:
        return FOUND_END;
      case 0x2c:
        return skip_frame (blocks, pixels) ? FOUND_FRAME : set_truncated (n_before, error);
      case 0x21:
        if (!skip (blocks, 1) || !skip_pieces (blocks))
          return set_truncated (n_before, error);
        break;
      default:
        return set_damaged_block (blocks->at - 1, error);
      }
  return FOUND_END;
}

gboolean
sonde_gif_measure (const guint8 *data, gsize length, guint max_frames, SondeGif *gif,
                   GError **error)
{
  Blocks blocks = { data, length, SCREEN_END };
  gint64 total = 0, pixels = 0;
  Found found = FOUND_FRAME;

  *gif = (SondeGif){ 0 };
  if (length >= SCREEN_END && skip_colors (&blocks, data[10]))
    {
      gif->width = read_size (data + 6);
      gif->height = read_size (data + 8);
      gif->head = blocks.at;
    }
  else
    found = set_truncated (0, error);
  while (found == FOUND_FRAME
         && (found = find_frame (&blocks, &pixels, gif->n_recorded, error)) == FOUND_FRAME)
    {
      gif->n_recorded++;
      if (!check_pixels (gif->width, gif->height, gif->n_recorded, pixels, error))
        return FALSE;
      total += MAX ((gint64) gif->width * gif->height, pixels);
      if (gif->n_recorded > 1
          && (gif->n_recorded > max_frames || total > SONDE_ANIMATION_MAX_PIXELS))
        continue;
      gif->n_frames++;
      gif->length = blocks.at;
    }
  if (found == FOUND_END && gif->n_frames == 0)
    found = set_truncated (0, error);
  return found == FOUND_END;
}

/* ---- pixels -------------------------------------------------------------- */

void
sonde_gif_load_codec (void)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new_with_type ("gif", NULL);

  if (loader != NULL)
    gdk_pixbuf_loader_close (loader, NULL);
}

/* A frame of one transparent pixel, which changes nothing of those behind it. */
static const guint8 nothing[]
    = { 0x21, 0xf9, 4, 5, 10, 0, 0, 0,             /* stays, 100 ms, colour 0 is transparent */
        0x2c, 0,    0, 0, 0,  1, 0, 1, 0,    0x80, /* 1 × 1 at 0, 0; two colours */
        0,    0,    0, 0, 0,  0, 2, 2, 0x44, 0x01, 0 };

/* In pieces, for the codec moves all that it has not read yet at each 255 bytes; and with a frame in front,
 * for it draws its first one again at each piece: both together make the time go with the length. */
static gboolean
write_pieces (GdkPixbufLoader *loader, const guint8 *data, const SondeGif *gif, GError **error)
{
  if (!gdk_pixbuf_loader_write (loader, data, gif->head, error)
      || !gdk_pixbuf_loader_write (loader, nothing, sizeof nothing, error))
    return FALSE;
  for (gsize at = gif->head; at < gif->length; at += PIECE)
    if (!gdk_pixbuf_loader_write (loader, data + at, MIN (PIECE, gif->length - at), error))
      return FALSE;
  return gdk_pixbuf_loader_write (loader, (const guint8 *) ";", 1, error);
}

static GdkPixbufAnimation *
load_animation (const guint8 *data, const SondeGif *gif, GError **error)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new_with_type ("gif", error);
  g_autoptr (GError) reason = NULL;
  GdkPixbufAnimation *animation;
  gboolean loaded;

  if (loader == NULL)
    return NULL;
  loaded = write_pieces (loader, data, gif, &reason);
  if (!gdk_pixbuf_loader_close (loader, loaded ? &reason : NULL))
    loaded = FALSE;
  animation = loaded ? gdk_pixbuf_loader_get_animation (loader) : NULL;
  if (animation != NULL)
    return g_object_ref (animation);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "%s",
                   reason != NULL ? reason->message : "no frame can be decoded");
  return NULL;
}

/* Rows without padding, RGBA whatever @pixbuf has. FALSE: it is of another size. */
static gboolean
copy_frame (GdkPixbuf *pixbuf, const SondeGif *gif, guint8 *pixels)
{
  g_autoptr (GdkPixbuf) clear = NULL;
  gsize row = (gsize) gif->width * RGBA;

  if (pixbuf == NULL || gdk_pixbuf_get_width (pixbuf) != gif->width
      || gdk_pixbuf_get_height (pixbuf) != gif->height)
    return FALSE;
  clear = gdk_pixbuf_get_has_alpha (pixbuf) ? g_object_ref (pixbuf)
                                            : gdk_pixbuf_add_alpha (pixbuf, FALSE, 0, 0, 0);
  for (gsize y = 0; clear != NULL && y < (gsize) gif->height; y++)
    memcpy (pixels + y * row,
            gdk_pixbuf_read_pixels (clear) + y * (gsize) gdk_pixbuf_get_rowstride (clear), row);
  return clear != NULL;
}

G_GNUC_BEGIN_IGNORE_DEPRECATIONS /* GTimeVal is the only time that gdk-pixbuf's animations know */

    static void
    advance (GdkPixbufAnimationIter *iter, GTimeVal *now, guint ms)
{
  g_time_val_add (now, (glong) ms * 1000);
  gdk_pixbuf_animation_iter_advance (iter, now);
}

static guint
get_duration (GdkPixbufAnimationIter *iter)
{
  return (guint) CLAMP (gdk_pixbuf_animation_iter_get_delay_time (iter), 1, G_MAXUINT16 * 10);
}

/* Each frame at the moment it begins. */
static gboolean
copy_frames (GdkPixbufAnimation *animation, const SondeGif *gif, guint8 *pixels, guint32 *durations)
{
  GTimeVal now = { 0, 0 };
  g_autoptr (GdkPixbufAnimationIter) iter = gdk_pixbuf_animation_get_iter (animation, &now);
  gsize frame = (gsize) gif->width * (gsize) gif->height * RGBA;

  advance (iter, &now, get_duration (iter)); /* the one in front */
  for (guint i = 0; i < gif->n_frames; i++)
    {
      if (!copy_frame (gdk_pixbuf_animation_iter_get_pixbuf (iter), gif, pixels + i * frame))
        return FALSE;
      durations[i] = get_duration (iter);
      advance (iter, &now, durations[i]);
    }
  return TRUE;
}

G_GNUC_END_IGNORE_DEPRECATIONS

gboolean
sonde_gif_decode (const guint8 *data, gsize length, gboolean animation, SondeHelperResult *result,
                  GError **error)
{
  g_autoptr (GdkPixbufAnimation) loaded = NULL;
  g_autofree guint8 *payload = NULL;
  g_autofree guint32 *durations = NULL;
  SondeGif gif;
  gsize pixels, times;

  if (!sonde_gif_measure (data, length, animation ? SONDE_ANIMATION_MAX_FRAMES : 1, &gif, error))
    return FALSE;
  loaded = load_animation (data, &gif, error);
  if (loaded == NULL)
    return FALSE;
  pixels = (gsize) gif.width * (gsize) gif.height * RGBA * gif.n_frames;
  times = animation ? gif.n_frames * sizeof *durations : 0;
  payload = g_malloc (pixels + times);
  durations = g_new (guint32, gif.n_frames);
  if (!copy_frames (loaded, &gif, payload, durations))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "a frame of the animation cannot be decoded");
      return FALSE;
    }
  memcpy (payload + pixels, durations, times);
  result->facts[0] = gif.width;
  result->facts[1] = gif.height;
  result->facts[2] = animation ? (gint32) gif.n_frames : RGBA;
  result->facts[3] = animation ? (gint32) gif.n_recorded : 0;
  result->length = pixels + times;
  result->payload = result->owner = g_steal_pointer (&payload);
  result->release = g_free;
  return TRUE;
}
