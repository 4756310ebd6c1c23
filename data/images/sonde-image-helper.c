/* SPDX-License-Identifier: Apache-2.0
 * The helper's side: of gdk-pixbuf only the PNG, JPEG and GIF loaders are named; what a file claims to be
 * counts for nothing. */
#include "data/images/sonde-image-decoder.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/helper/sonde-helper-loop.h"
#include "data/images/sonde-gif-private.h"
#include "data/images/sonde-image-limits-private.h"

#define MAX_JPEG_SCANS 100 /* each may go over all pixels; encoders make about ten */

/* Loading the codecs once, before the limits, so that no file has to be opened later. */
static void
load_codecs (void)
{
  static const char *const names[] = { "png", "jpeg" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new_with_type (names[i], NULL);

      if (loader != NULL)
        gdk_pixbuf_loader_close (loader, NULL);
    }
  sonde_gif_load_codec ();
}

typedef struct
{
  int width, height;
  gboolean too_large;
  int n_rows; /* that have come so far */
} Progress;

static void
check_size (GdkPixbufLoader *loader, int width, int height, gpointer user_data)
{
  Progress *progress = user_data;

  progress->width = width;
  progress->height = height;
  progress->too_large = width > SONDE_IMAGE_MAX_SIDE || height > SONDE_IMAGE_MAX_SIDE
                        || (gint64) width * height > SONDE_IMAGE_MAX_PIXELS;
  if (progress->too_large)
    gdk_pixbuf_loader_set_size (loader, 0, 0); /* both loaders stop at that, before any pixel */
}

static void
count_rows (GdkPixbufLoader *loader, int x, int y, int width, int height, gpointer user_data)
{
  Progress *progress = user_data;

  progress->n_rows = MAX (progress->n_rows, y + height);
}

/* Why there is no image; the loaders themselves are content with one whose end is missing. */
static void
set_reason (const Progress *progress, const GError *reason, GError **error)
{
  gboolean memory
      = g_error_matches (reason, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY);

  if (progress->too_large)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "%d×%d pixels; at most %d a side and %d million are decoded", progress->width,
                     progress->height, SONDE_IMAGE_MAX_SIDE,
                     (int) (SONDE_IMAGE_MAX_PIXELS / 1000000));
  else if (reason != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR,
                     memory ? SONDE_DATA_ERROR_LIMIT : SONDE_DATA_ERROR_DAMAGED, "%s",
                     reason->message);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "the image is truncated: it ends in row %d of %d", progress->n_rows,
                     progress->height);
}

/* How often the decoder would go over the image. What is no JPEG at some place is left to the
 * decoder. */
static guint
count_jpeg_scans (const guint8 *data, gsize length)
{
  guint n = 0;

  for (gsize at = 2; at + 4 <= length;)
    {
      guint8 marker = data[at + 1];

      if (data[at] != 0xff || marker <= 1 || marker == 0xff || (marker >= 0xd0 && marker <= 0xd8))
        {
          at++; /* of a scan, filling, or a marker that stands alone */
          continue;
        }
      if (marker == 0xd9)
        break;
      n += marker == 0xda;
      at += 2 + MAX (2, (gsize) data[at + 2] << 8 | data[at + 3]);
    }
  return n;
}

static gboolean
check_scans (const guint8 *data, gsize length, GError **error)
{
  guint n = count_jpeg_scans (data, length);

  if (n > MAX_JPEG_SCANS)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "the image has %u scans; at most %d are decoded", n, MAX_JPEG_SCANS);
  return n <= MAX_JPEG_SCANS;
}

static GdkPixbuf *
load_pixbuf (const guint8 *data, gsize length, gboolean is_png, GError **error)
{
  g_autoptr (GdkPixbufLoader) loader = NULL;
  g_autoptr (GError) reason = NULL;
  Progress progress = { 0 };
  GdkPixbuf *pixbuf;
  gboolean loaded;

  if (!is_png && !check_scans (data, length, error))
    return NULL;
  loader = gdk_pixbuf_loader_new_with_type (is_png ? "png" : "jpeg", error);
  if (loader == NULL)
    return NULL;
  g_signal_connect (loader, "size-prepared", G_CALLBACK (check_size), &progress);
  g_signal_connect (loader, "area-updated", G_CALLBACK (count_rows), &progress);
  loaded = gdk_pixbuf_loader_write (loader, data, length, &reason);
  if (!gdk_pixbuf_loader_close (loader, loaded ? &reason : NULL))
    loaded = FALSE;

  pixbuf = loaded ? gdk_pixbuf_loader_get_pixbuf (loader) : NULL;
  if (pixbuf != NULL && progress.n_rows == progress.height)
    return g_object_ref (pixbuf);
  set_reason (&progress, reason, error);
  return NULL;
}

/* Rows without padding, moved together in place. */
static const guint8 *
pack_rows (GdkPixbuf *pixbuf, gsize *length)
{
  guint8 *pixels = gdk_pixbuf_get_pixels (pixbuf);
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
  gsize row = (gsize) (gdk_pixbuf_get_width (pixbuf) * gdk_pixbuf_get_n_channels (pixbuf));
  gsize height = (gsize) gdk_pixbuf_get_height (pixbuf);

  for (gsize y = 1; y < height && stride != row; y++)
    memmove (pixels + y * row, pixels + y * stride, row);
  *length = row * height;
  return pixels;
}

static gboolean
decode (guint32 kind, const guint8 *data, gsize length, SondeHelperResult *result, GError **error)
{
  GdkPixbuf *pixbuf;

  if (kind == SONDE_IMAGE_REQUEST_GIF || kind == SONDE_IMAGE_REQUEST_ANIMATION)
    return sonde_gif_decode (data, length, kind == SONDE_IMAGE_REQUEST_ANIMATION, result, error);
  pixbuf = load_pixbuf (data, length, kind == SONDE_IMAGE_REQUEST_PNG, error);
  if (pixbuf == NULL)
    return FALSE;
  result->facts[0] = gdk_pixbuf_get_width (pixbuf);
  result->facts[1] = gdk_pixbuf_get_height (pixbuf);
  result->facts[2] = gdk_pixbuf_get_n_channels (pixbuf);
  result->payload = pack_rows (pixbuf, &result->length);
  result->owner = pixbuf;
  result->release = g_object_unref;
  return TRUE;
}

int
sonde_image_helper_run (int fd)
{
  const SondeHelperCodec codec = { SONDE_IMAGE_MAX_BYTES, 0, load_codecs, decode };

  return sonde_helper_run (fd, &codec);
}
