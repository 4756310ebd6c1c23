/* SPDX-License-Identifier: Apache-2.0
 * The helper's side: a process that can do nothing but turn image bytes into pixels. Of
 * gdk-pixbuf only the PNG and JPEG loaders are named; what a file claims to be counts for
 * nothing. */
#include "data/images/sonde-image-decoder.h"

#include "data/base/sonde-error.h"
#include "data/images/sonde-image-wire-private.h"

#include <errno.h>
#include <fcntl.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXTRA_MEMORY ((rlim_t) 1 << 30) /* on top of what is mapped when the work begins */
#define PICTURE_SECONDS 30              /* processor time for one image */
#define MAX_JPEG_SCANS 100              /* each may go over all pixels; encoders make about ten */

static gboolean
read_all (int fd, void *data, gsize length)
{
  gsize done = 0;

  while (done < length)
    {
      ssize_t count = read (fd, (guint8 *) data + done, length - done);

      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return FALSE;
      done += (gsize) count;
    }
  return TRUE;
}

static gboolean
write_all (int fd, const void *data, gsize length)
{
  return sonde_io_write_full (NULL, fd, "the socket", data, length, NULL, NULL);
}

/* Limits */

/* stdin and stdout must not be the socket any more: a library that prints would break the
 * frames. */
static int
keep_only_socket (int fd)
{
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  int socket = fcntl (fd, F_DUPFD_CLOEXEC, 3);

  if (null < 0 || socket < 0 || dup2 (null, 0) < 0 || dup2 (null, 1) < 0)
    return -1;
  if (socket != 3 && dup3 (socket, 3, O_CLOEXEC) < 0)
    return -1;
  close_range (4, ~0u, 0);
  return 3;
}

static rlim_t
mapped_bytes (void)
{
  g_autofree char *text = NULL;
  guint64 pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    pages = g_ascii_strtoull (text, NULL, 10);
  return (rlim_t) pages * (rlim_t) sysconf (_SC_PAGESIZE);
}

static void
lower_limit (int resource, rlim_t soft)
{
  struct rlimit limit;

  getrlimit (resource, &limit);
  limit.rlim_cur = MIN (soft, limit.rlim_max);
  setrlimit (resource, &limit);
}

static void
forbid (int resource)
{
  const struct rlimit none = { 0, 0 };

  setrlimit (resource, &none);
}

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
}

static void
set_limits (void)
{
  rlim_t mapped = mapped_bytes ();

  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  forbid (RLIMIT_CORE);
  forbid (RLIMIT_FSIZE);
  forbid (RLIMIT_NOFILE); /* no further descriptor, whatever happens */
  if (mapped > 0)
    lower_limit (RLIMIT_AS, mapped + EXTRA_MEMORY);
}

/* The limit counts the whole life of the process, the promise is for one image. */
static void
grant_time (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  lower_limit (RLIMIT_CPU,
               (rlim_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1 + PICTURE_SECONDS));
}

/* Decoding */

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
decode (const guint8 *data, gsize length, gboolean is_png, GError **error)
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
answer (int fd, const guint8 *data, gsize length, gboolean is_png)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkPixbuf) pixbuf = decode (data, length, is_png, &error);
  SondeImageReply reply = { .magic = SONDE_IMAGE_WIRE_MAGIC };
  const void *payload;
  gsize n_bytes;

  if (pixbuf == NULL)
    {
      payload = error->message;
      n_bytes = MIN (strlen (error->message), SONDE_IMAGE_MAX_MESSAGE);
      reply.code = 1
                   + (guint32) (error->domain == SONDE_DATA_ERROR ? error->code
                                                                  : SONDE_DATA_ERROR_UNSUPPORTED);
    }
  else
    {
      payload = pack_rows (pixbuf, &n_bytes);
      reply.width = gdk_pixbuf_get_width (pixbuf);
      reply.height = gdk_pixbuf_get_height (pixbuf);
      reply.channels = gdk_pixbuf_get_n_channels (pixbuf);
    }
  reply.length = n_bytes;
  return write_all (fd, &reply, sizeof reply) && write_all (fd, payload, n_bytes);
}

int
sonde_image_helper_run (int fd)
{
  SondeImageRequest request;

  fd = keep_only_socket (fd);
  if (fd < 0)
    return 1;
  load_codecs ();
  set_limits ();

  while (read_all (fd, &request, sizeof request))
    {
      g_autofree guint8 *data = NULL;

      if (request.magic != SONDE_IMAGE_WIRE_MAGIC || request.length > SONDE_IMAGE_MAX_BYTES)
        return 1;
      data = g_malloc (MAX (request.length, 1));
      if (!read_all (fd, data, request.length))
        return 1;
      grant_time ();
      if (!answer (fd, data, request.length, request.is_png != 0))
        return 1;
    }
  return 0;
}
