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
check_encoded (GBytes *encoded, const char *name, gboolean *is_png, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (encoded, &length);
  gboolean is_jpeg = length >= 3 && memcmp (data, "\xff\xd8\xff", 3) == 0;

  *is_png = length >= 8 && memcmp (data, "\x89PNG\r\n\x1a\n", 8) == 0;
  if (!is_jpeg && !*is_png)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” is not a PNG or JPEG image: its first bytes match neither format",
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
  gboolean is_png;

  if (!check_encoded (encoded, name, &is_png, error))
    return NULL;
  if (!sonde_helper_decode (decoder->helper, is_png, encoded, name, make_image, &image, error))
    g_clear_pointer (&image, sonde_image_unref);
  return image;
}
