/* SPDX-License-Identifier: Apache-2.0
 * Descriptors as bytes. */
#include "engine/session/sonde-session-carried.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "engine/session/sonde-session-wire-private.h"

#define HEAD_BIT ((guint32) 1 << 31)
#define MAX_WAITING 64 /* that came and were not taken */

/* ---- out ----------------------------------------------------------------- */

typedef struct
{
  void *memory;
  gsize length;
} Mapping;

static void
unmap (void *data)
{
  Mapping *mapping = data;

  munmap (mapping->memory, mapping->length);
  g_free (mapping);
}

GBytes *
sonde_session_carried_dup_bytes (int memfd, GError **error)
{
  guint64 bytes = sonde_session_carried_get_size (memfd);
  void *memory = bytes <= SONDE_SESSION_ELSEWHERE_BYTES
                     ? sonde_session_map_memfd (memfd, bytes, error)
                     : NULL;

  close (memfd);
  if (memory != NULL)
    {
      Mapping *mapping = g_new0 (Mapping, 1);

      *mapping = (Mapping){ memory, bytes };
      return g_bytes_new_with_free_func (memory, bytes, unmap, mapping);
    }
  if (bytes > SONDE_SESSION_ELSEWHERE_BYTES)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine announced a message of %" PRIu64 " bytes; at most %" PRIu64
                     " are allowed.",
                     bytes, SONDE_SESSION_ELSEWHERE_BYTES);
  return NULL;
}

GBytes *
sonde_session_carried_dup_head (GBytes *bytes)
{
  guint32 little = GUINT32_TO_LE ((guint32) g_bytes_get_size (bytes) | HEAD_BIT);

  return g_bytes_new (&little, sizeof little);
}

/* ---- in ------------------------------------------------------------------ */

gboolean
sonde_session_carried_is_head (guint32 length)
{
  return (length & HEAD_BIT) != 0;
}

guint64
sonde_session_carried_get_bytes (guint32 length)
{
  return length & ~HEAD_BIT;
}

guint64
sonde_session_carried_get_size (int fd)
{
  struct stat info;

  return fstat (fd, &info) == 0 ? (guint64) info.st_size : 0;
}

int
sonde_session_carried_open (guint64 bytes, guint n, GError **error)
{
  int fd = -1;

  if (n >= MAX_WAITING || bytes > SONDE_SESSION_ELSEWHERE_BYTES)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The other end sent more data than it may.");
      return -1;
    }
  fd = memfd_create ("sonde-value", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    sonde_data_error_set_errno (error, errno, "cannot keep what the other end sent");
  return fd;
}

gboolean
sonde_session_carried_take (int fd, const guint8 *start, gsize there, guint64 *left,
                            gsize *consumed, GError **error)
{
  gsize wanted = (gsize) MIN (there, *left);

  for (gsize done = 0; done < wanted;)
    {
      ssize_t written = write (fd, start + done, wanted - done);

      if (written < 0 && errno != EINTR)
        {
          sonde_data_error_set_errno (error, errno, "cannot keep what the other end sent");
          return FALSE;
        }
      done += (gsize) MAX (written, 0);
    }
  *consumed += wanted;
  *left -= wanted;
  if (*left == 0
      && fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot keep what the other end sent");
      return FALSE;
    }
  return TRUE;
}

void
sonde_session_carried_drop (int *fd)
{
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
}
