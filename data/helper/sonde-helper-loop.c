/* SPDX-License-Identifier: Apache-2.0
 * Limits first, then one file after the other. */
#include "data/helper/sonde-helper-loop.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-message-variant.h"
#include "data/helper/sonde-helper-wire-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXTRA_MEMORY ((rlim_t) 1 << 30) /* on top of what is mapped when the work begins */
#define FILE_SECONDS 30                 /* processor time for one file */
#define BYTES_A_SECOND ((guint64) 64 << 20)

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

/* ---- limits -------------------------------------------------------------- */

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

/* The limit counts the whole life of the process, the promise is for one file. */
static void
grant_time (const SondeHelperCodec *codec, guint64 length)
{
  rlim_t seconds = (codec->seconds > 0 ? codec->seconds : FILE_SECONDS) + length / BYTES_A_SECOND;
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  lower_limit (RLIMIT_CPU, (rlim_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1) + seconds);
}

/* ---- the loop ------------------------------------------------------------ */

/* A message that is too long loses its ids, then its end. (transfer full) */
static GVariant *
pack_message (const GError *error)
{
  g_autoptr (SondeMessage) message = sonde_error_dup_message (error);
  g_autoptr (SondeMessage) plain = NULL;
  g_autofree char *text = NULL;
  GVariant *packed = g_variant_ref_sink (sonde_message_to_variant (message));

  if (g_variant_get_size (packed) <= SONDE_HELPER_MAX_MESSAGE)
    return packed;
  g_variant_unref (packed);
  text = g_strndup (error->message, SONDE_HELPER_MAX_MESSAGE / 4);
  plain = sonde_message_new_text (text);
  return g_variant_ref_sink (sonde_message_to_variant (plain));
}

static gboolean
refuse (int fd, const GError *error)
{
  g_autoptr (GVariant) message = pack_message (error);
  gsize length = g_variant_get_size (message);
  int code = error->domain == SONDE_DATA_ERROR ? error->code : SONDE_DATA_ERROR_UNSUPPORTED;
  SondeHelperReply reply
      = { .magic = SONDE_HELPER_WIRE_MAGIC, .code = 1 + (guint32) code, .length = length };

  return write_all (fd, &reply, sizeof reply)
         && write_all (fd, g_variant_get_data (message), length);
}

static gboolean
answer (int fd, const SondeHelperCodec *codec, guint32 kind, const guint8 *data, gsize length)
{
  g_autoptr (GError) error = NULL;
  SondeHelperResult result = { 0 };
  SondeHelperReply reply = { .magic = SONDE_HELPER_WIRE_MAGIC };
  gboolean written;

  if (!codec->decode (kind, data, length, &result, &error))
    return refuse (fd, error);
  memcpy (reply.facts, result.facts, sizeof reply.facts);
  reply.length = result.length;
  written = write_all (fd, &reply, sizeof reply) && write_all (fd, result.payload, result.length);
  if (result.release != NULL)
    result.release (result.owner);
  return written;
}

int
sonde_helper_run (int fd, const SondeHelperCodec *codec)
{
  SondeHelperRequest request;

  fd = keep_only_socket (fd);
  if (fd < 0)
    return 1;
  codec->load ();
  set_limits ();

  while (read_all (fd, &request, sizeof request))
    {
      g_autofree guint8 *data = NULL;

      if (request.magic != SONDE_HELPER_WIRE_MAGIC || request.length > codec->max_bytes)
        return 1;
      data = g_malloc (MAX (request.length, 1));
      if (!read_all (fd, data, request.length))
        return 1;
      grant_time (codec, request.length);
      if (!answer (fd, codec, request.kind, data, request.length))
        return 1;
    }
  return 0;
}
