/* SPDX-License-Identifier: Apache-2.0
 * What is an image, and what the helper may say of one. */
#include "data/images/sonde-image-decoder.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/helper/sonde-helper.h"
#include "data/images/sonde-image-limits-private.h"

struct _SondeImageDecoder
{
  SondeHelper *helper;
};

SondeImageDecoder *
sonde_image_decoder_new (const char *const *arguments)
{
  SondeImageDecoder *decoder = g_new0 (SondeImageDecoder, 1);

  decoder->helper = sonde_helper_new (arguments);
  return decoder;
}

void
sonde_image_decoder_free (SondeImageDecoder *decoder)
{
  if (decoder == NULL)
    return;
  sonde_helper_free (decoder->helper);
  g_free (decoder);
}

/* @facts: width, height, channels */
static void *
make_image (const gint32 facts[SONDE_HELPER_FACTS], guint64 length, void *data)
{
  SondeImage **image = data;
  int width = facts[0], height = facts[1], channels = facts[2];

  if (width < 1 || width > SONDE_IMAGE_MAX_SIDE || height < 1 || height > SONDE_IMAGE_MAX_SIDE
      || (gint64) width * height > SONDE_IMAGE_MAX_PIXELS || (channels != 3 && channels != 4)
      || length != (guint64) ((gint64) width * height * channels))
    return NULL;
  *image = sonde_image_new (width, height, channels);
  return (*image)->pixels;
}

static gboolean
begins_with (GBytes *encoded, const char *magic, gsize n)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (encoded, &length);

  return length >= n && memcmp (data, magic, n) == 0;
}

static gboolean
check_encoded (GBytes *encoded, const char *name, guint32 *kind, GError **error)
{
  gsize length = g_bytes_get_size (encoded);

  if (begins_with (encoded, "\x89PNG\r\n\x1a\n", 8))
    *kind = SONDE_IMAGE_REQUEST_PNG;
  else if (begins_with (encoded, "\xff\xd8\xff", 3))
    *kind = SONDE_IMAGE_REQUEST_JPEG;
  else if (begins_with (encoded, "GIF87a", 6) || begins_with (encoded, "GIF89a", 6))
    *kind = SONDE_IMAGE_REQUEST_GIF;
  else
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” is not a PNG, JPEG or GIF image: its first bytes match none of them",
                       name);
      return FALSE;
    }
  if (length > SONDE_IMAGE_MAX_BYTES)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s” holds %zu bytes; images of at most %d MiB are decoded", name, length,
                       (int) (SONDE_IMAGE_MAX_BYTES >> 20));
      return FALSE;
    }
  return TRUE;
}

SondeImage *
sonde_image_decoder_decode (SondeImageDecoder *decoder, GBytes *encoded, const char *name,
                            GError **error)
{
  SondeImage *image = NULL;
  guint32 kind;

  if (!check_encoded (encoded, name, &kind, error))
    return NULL;
  if (!sonde_helper_decode (decoder->helper, kind, encoded, name, make_image, &image, error))
    g_clear_pointer (&image, sonde_image_unref);
  return image;
}

/* ---- animations ---------------------------------------------------------- */

/* What the helper sends, before it is made an animation. */
typedef struct
{
  int width, height;
  guint n_frames, n_recorded;
  guint8 *payload;
} Frames;

static gsize
get_frame_size (const Frames *frames)
{
  return (gsize) frames->width * (gsize) frames->height * 4;
}

/* @facts: width, height, frames, frames of the file */
static void *
make_room (const gint32 facts[SONDE_HELPER_FACTS], guint64 length, void *data)
{
  Frames *frames = data;
  gint64 pixels;

  if (facts[0] < 1 || facts[0] > SONDE_IMAGE_MAX_SIDE || facts[1] < 1
      || facts[1] > SONDE_IMAGE_MAX_SIDE || facts[2] < 1 || facts[2] > SONDE_ANIMATION_MAX_FRAMES
      || facts[3] < facts[2])
    return NULL;
  *frames = (Frames){ facts[0], facts[1], (guint) facts[2], (guint) facts[3], NULL };
  pixels = (gint64) frames->width * frames->height;
  if (pixels > SONDE_IMAGE_MAX_PIXELS
      || (frames->n_frames > 1 && pixels * frames->n_frames > SONDE_ANIMATION_MAX_PIXELS)
      || length != frames->n_frames * (get_frame_size (frames) + sizeof (guint32)))
    return NULL;
  frames->payload = g_malloc (length);
  return frames->payload;
}

static SondeAnimation *
make_animation (const Frames *frames)
{
  SondeAnimation *animation = sonde_animation_new (frames->n_frames, frames->n_recorded);
  gsize size = get_frame_size (frames);

  for (guint i = 0; i < frames->n_frames; i++)
    {
      guint32 duration;

      animation->frames[i] = sonde_image_new (frames->width, frames->height, 4);
      memcpy (animation->frames[i]->pixels, frames->payload + i * size, size);
      memcpy (&duration, frames->payload + frames->n_frames * size + i * sizeof duration,
              sizeof duration);
      animation->durations[i] = MAX (duration, 1);
    }
  return animation;
}

SondeAnimation *
sonde_image_decoder_decode_animation (SondeImageDecoder *decoder, GBytes *encoded, const char *name,
                                      GError **error)
{
  Frames frames = { 0 };
  SondeAnimation *animation = NULL;
  guint32 kind;

  if (!check_encoded (encoded, name, &kind, error))
    return NULL;
  if (kind == SONDE_IMAGE_REQUEST_GIF)
    {
      if (sonde_helper_decode (decoder->helper, SONDE_IMAGE_REQUEST_ANIMATION, encoded, name,
                               make_room, &frames, error))
        animation = make_animation (&frames);
      g_free (frames.payload);
    }
  else
    {
      SondeImage *image = sonde_image_decoder_decode (decoder, encoded, name, error);

      animation = image != NULL ? sonde_animation_new (1, 1) : NULL;
      if (animation != NULL)
        {
          animation->frames[0] = image;
          animation->durations[0] = 1;
        }
    }
  return animation;
}
