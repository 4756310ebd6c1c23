/* SPDX-License-Identifier: Apache-2.0
 * Packing, unpacking; memory that travels as a descriptor. */
#include "engine/session/sonde-session-wire-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/base/sonde-error.h"

const guint8 sonde_session_preamble[SONDE_SESSION_PREAMBLE_BYTES] = {
  'S', 'O', 'N', 'D', 'E', 0, SONDE_SESSION_VERSION, '\n',
};

GBytes *
sonde_session_pack (const ProtobufCMessage *message)
{
  gsize length = protobuf_c_message_get_packed_size (message);
  guint8 *frame = g_malloc (SONDE_SESSION_LENGTH_BYTES + length);
  guint32 little = GUINT32_TO_LE ((guint32) length);

  memcpy (frame, &little, sizeof little);
  protobuf_c_message_pack (message, frame + SONDE_SESSION_LENGTH_BYTES);
  return g_bytes_new_take (frame, SONDE_SESSION_LENGTH_BYTES + length);
}

void *
sonde_session_unpack (const ProtobufCMessageDescriptor *descriptor, const guint8 *data,
                      gsize length, const char *what, GError **error)
{
  g_autoptr (GError) local = NULL;
  void *message = sonde_wire_decode_copy (descriptor, data, length, what, NULL, &local);

  if (message == NULL)
    sonde_set_error_from (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, local);
  return message;
}

/* ---- memory -------------------------------------------------------------- */

/* Written, not mapped: pages are neither cleared nor faulted in before they are filled. */
static gboolean
fill_memfd (int fd, const guint8 *data, gsize length)
{
  for (gsize done = 0; done < length;)
    {
      ssize_t written = write (fd, data + done, length - done);

      if (written < 0 && errno != EINTR)
        return FALSE;
      done += (gsize) MAX (written, 0);
    }
  return fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

int
sonde_session_make_memfd (const void *data, gsize length, GError **error)
{
  int fd = memfd_create ("sonde-value", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (fd >= 0 && fill_memfd (fd, data, length))
    return fd;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "There is no memory for %zu bytes on their way to a client: %-s", length,
                   sonde_message_describe_errno (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

void *
sonde_session_map_memfd (int fd, guint64 bytes, GError **error)
{
  int seals = fcntl (fd, F_GET_SEALS);
  struct stat info;
  void *memory;

  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat (fd, &info) != 0
      || (guint64) info.st_size < bytes || bytes == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The engine sent a descriptor that does not hold %" PRIu64 " sealed bytes.",
                       bytes);
      return NULL;
    }
  memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "cannot map %" PRIu64 " bytes: %-s", bytes,
                       sonde_message_describe_errno (errno));
      return NULL;
    }
  return memory;
}
