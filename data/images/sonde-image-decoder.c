/* SPDX-License-Identifier: Apache-2.0
 * The program's side of image decoding: starts the helper, asks, checks what comes back as it
 * would check a file (the helper has looked at hostile bytes), starts another one when it died. */
#include "data/images/sonde-image-decoder.h"

#include "data/base/sonde-error.h"
#include "data/images/sonde-image-wire-private.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPLY_SECONDS 60 /* the helper's own limit of processor time is shorter */

struct _SondeImageDecoder
{
  char **arguments;
  GMutex lock; /* all below */
  GPid pid;    /* 0: no helper */
  int socket;
};

SondeImageDecoder *
sonde_image_decoder_new (const char *const *arguments)
{
  SondeImageDecoder *decoder = g_new0 (SondeImageDecoder, 1);

  decoder->arguments = g_strdupv ((char **) arguments);
  decoder->socket = -1;
  g_mutex_init (&decoder->lock);
  return decoder;
}

static void
stop_helper (SondeImageDecoder *decoder)
{
  if (decoder->pid == 0)
    return;
  close (decoder->socket);
  kill (decoder->pid, SIGKILL); /* it holds nothing that could be lost */
  while (waitpid (decoder->pid, NULL, 0) < 0 && errno == EINTR)
    ;
  g_spawn_close_pid (decoder->pid);
  decoder->pid = 0;
  decoder->socket = -1;
}

void
sonde_image_decoder_free (SondeImageDecoder *decoder)
{
  if (decoder == NULL)
    return;
  stop_helper (decoder);
  g_mutex_clear (&decoder->lock);
  g_strfreev (decoder->arguments);
  g_free (decoder);
}

static gboolean
start_helper (SondeImageDecoder *decoder, GError **error)
{
  const struct timeval limit = { .tv_sec = REPLY_SECONDS };
  g_autoptr (GError) reason = NULL;
  int sockets[2];
  gboolean started;

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot make a socket for the image helper");
      return FALSE;
    }
  started = g_spawn_async_with_pipes_and_fds (
      NULL, (const char *const *) decoder->arguments, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH | G_SPAWN_CLOEXEC_PIPES, NULL, NULL,
      sockets[1], sockets[1], -1, NULL, NULL, 0, &decoder->pid, NULL, NULL, NULL, &reason);
  close (sockets[1]);
  if (!started)
    {
      close (sockets[0]);
      decoder->pid = 0;
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                       "cannot start the image helper “%s”: %s", decoder->arguments[0],
                       reason->message);
      return FALSE;
    }
  decoder->socket = sockets[0];
  setsockopt (decoder->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt (decoder->socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return TRUE;
}

/* MSG_NOSIGNAL: a dead helper is an error, not a SIGPIPE. */
static gboolean
send_all (int fd, const void *data, gsize length)
{
  const SondeIo *io = sonde_io_system ();
  gsize done = 0;

  while (done < length)
    {
      struct iovec part = { (guint8 *) data + done, length - done };
      struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
      ssize_t count = io->send (io, fd, &message, MSG_NOSIGNAL);

      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return FALSE;
      done += (gsize) count;
    }
  return TRUE;
}

static gboolean
receive_all (int fd, void *data, gsize length)
{
  const SondeIo *io = sonde_io_system ();
  gsize done = 0;

  while (done < length)
    {
      struct iovec part = { (guint8 *) data + done, length - done };
      struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
      ssize_t count = io->receive (io, fd, &message, 0);

      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return FALSE;
      done += (gsize) count;
    }
  return TRUE;
}

/* Sends the image; a helper that died since the last one is replaced once. */
static gboolean
ask (SondeImageDecoder *decoder, GBytes *encoded, gboolean is_png, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (encoded, &length);
  const SondeImageRequest request = { SONDE_IMAGE_WIRE_MAGIC, is_png, length };

  for (int attempt = 0; attempt < 2; attempt++)
    {
      if (decoder->pid == 0 && !start_helper (decoder, error))
        return FALSE;
      if (send_all (decoder->socket, &request, sizeof request)
          && send_all (decoder->socket, data, length))
        return TRUE;
      stop_helper (decoder);
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                   "the image helper “%s” does not respond", decoder->arguments[0]);
  return FALSE;
}

static gboolean
reply_makes_sense (const SondeImageReply *reply)
{
  if (reply->magic != SONDE_IMAGE_WIRE_MAGIC)
    return FALSE;
  if (reply->code != 0)
    return reply->code <= 1 + SONDE_DATA_ERROR_CANCELLED
           && reply->length <= SONDE_IMAGE_MAX_MESSAGE;
  return reply->width >= 1 && reply->width <= SONDE_IMAGE_MAX_SIDE && reply->height >= 1
         && reply->height <= SONDE_IMAGE_MAX_SIDE
         && (gint64) reply->width * reply->height <= SONDE_IMAGE_MAX_PIXELS
         && (reply->channels == 3 || reply->channels == 4)
         && reply->length == (guint64) ((gint64) reply->width * reply->height * reply->channels);
}

static gboolean
receive_refusal (SondeImageDecoder *decoder, const SondeImageReply *reply, const char *name,
                 GError **error)
{
  char message[SONDE_IMAGE_MAX_MESSAGE];
  g_autofree char *text = NULL;

  if (!receive_all (decoder->socket, message, reply->length))
    return FALSE;
  text = g_utf8_make_valid (message, (gssize) reply->length);
  sonde_set_error (error, SONDE_DATA_ERROR, (int) reply->code - 1, "“%s”: %s", name, text);
  return TRUE;
}

/* FALSE: no sound reply came, and the helper is no use any more. */
static gboolean
receive (SondeImageDecoder *decoder, const char *name, SondeImage **image, GError **error)
{
  SondeImageReply reply;

  if (!receive_all (decoder->socket, &reply, sizeof reply) || !reply_makes_sense (&reply))
    return FALSE;
  if (reply.code != 0)
    return receive_refusal (decoder, &reply, name, error);

  *image = sonde_image_new (reply.width, reply.height, reply.channels);
  if (receive_all (decoder->socket, (*image)->pixels, reply.length))
    return TRUE;
  g_clear_pointer (image, sonde_image_unref);
  return FALSE;
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

  g_mutex_lock (&decoder->lock);
  if (ask (decoder, encoded, is_png, error) && !receive (decoder, name, &image, error))
    {
      stop_helper (decoder);
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
          "“%s”: the image helper ended while it decoded this image, which may be damaged "
          "or made to harm",
          name);
    }
  g_mutex_unlock (&decoder->lock);
  return image;
}
