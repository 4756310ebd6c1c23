/* SPDX-License-Identifier: Apache-2.0
 * What everybody does with files, on any table of calls: repeat on EINTR and short counts, name the
 * file in the error. Replacing a file as a whole: sonde-replacement.c. */
#include "data/base/sonde-io.h"

#include "data/base/sonde-error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Linux moves at most this much in one call; asking for more invites EINVAL elsewhere. */
#define MAX_CALL_BYTES ((gsize) 1 << 30)

static const SondeIo *
io_or_system (const SondeIo *io)
{
  return io != NULL ? io : sonde_io_system ();
}

static int
open_repeating (const SondeIo *io, const char *path, int flags, mode_t mode)
{
  int fd;

  do
    fd = io->open (io, AT_FDCWD, path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);

  return fd;
}

void
sonde_io_close (const SondeIo *io, int fd)
{
  io = io_or_system (io);
  if (fd >= 0)
    io->close (io, fd); /* never repeated: on Linux the descriptor is gone even after EINTR */
}

int
sonde_io_open_regular (const SondeIo *io, const char *path, guint64 *size, GError **error)
{
  struct stat status;
  int fd;

  io = io_or_system (io);
  fd = open_repeating (io, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot open “%s”", path);
      return -1;
    }
  if (io->fstat (io, fd, &status) < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot look at “%s”", path);
      sonde_io_close (io, fd);
      return -1;
    }
  if (!S_ISREG (status.st_mode))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN,
                       "“%s” is %-s; a regular file is needed", path,
                       S_ISDIR (status.st_mode) ? N_ ("a folder")
                                                : N_ ("a pipe, socket or device"));
      sonde_io_close (io, fd);
      return -1;
    }
  if (size != NULL)
    *size = (guint64) status.st_size;
  return fd;
}

gssize
sonde_io_pread_full (const SondeIo *io, int fd, const char *name, void *data, gsize length,
                     guint64 offset, GError **error)
{
  gsize done = 0;

  io = io_or_system (io);
  if (length > G_MAXSSIZE || offset > G_MAXINT64 || (guint64) G_MAXINT64 - offset < length)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "cannot read %zu bytes of “%s” at offset %" PRIu64
                       ": beyond the largest file",
                       length, name, offset);
      return -1;
    }

  while (done < length)
    {
      gsize part = MIN (length - done, MAX_CALL_BYTES);
      gssize got = io->pread (io, fd, (guint8 *) data + done, part, (off_t) (offset + done));

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        {
          sonde_data_error_set_errno (error, errno, "cannot read “%s” at offset %" PRIu64, name,
                                      offset + done);
          return -1;
        }
      if (got == 0)
        break;
      done += (gsize) got;
    }
  return (gssize) done;
}

gboolean
sonde_io_write_full (const SondeIo *io, int fd, const char *name, const void *data, gsize length,
                     gsize *written, GError **error)
{
  gsize done = 0;
  gboolean failed = FALSE;

  io = io_or_system (io);
  while (done < length && !failed)
    {
      gsize part = MIN (length - done, MAX_CALL_BYTES);
      gssize count = io->write (io, fd, (const guint8 *) data + done, part);

      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        {
          sonde_data_error_set_errno (error, count < 0 ? errno : EIO, "cannot write “%s”", name);
          failed = TRUE;
        }
      else
        done += (gsize) count;
    }
  if (written != NULL)
    *written = done;
  return !failed;
}

static gboolean
is_directory (const SondeIo *io, const char *path)
{
  struct stat status;

  return io->stat (io, AT_FDCWD, path, &status, 0) == 0 && S_ISDIR (status.st_mode);
}

gboolean
sonde_io_make_directories (const SondeIo *io, const char *path, GError **error)
{
  g_autofree char *part = g_strdup (path);

  io = io_or_system (io);
  for (char *end = part; *end != '\0';)
    {
      char kept;

      end += strspn (end, "/");
      end += strcspn (end, "/");
      kept = *end;
      *end = '\0';
      if (io->mkdir (io, part, 0777) < 0)
        {
          int error_number = errno;

          /* Some file systems say EROFS or EACCES, not EEXIST, for a folder that is there. */
          if (!is_directory (io, part))
            {
              if (error_number == EEXIST)
                sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                                 "cannot create the folder “%s”: “%s” exists and is not a folder",
                                 path, part);
              else
                sonde_data_error_set_errno (error, error_number, "cannot create the folder “%s”",
                                            part);
              return FALSE;
            }
        }
      *end = kept;
    }
  return TRUE;
}

GBytes *
sonde_io_read_file (const SondeIo *io, const char *path, guint64 max_bytes, GError **error)
{
  g_autofree guint8 *data = NULL;
  guint64 size;
  gssize got;
  int fd;

  fd = sonde_io_open_regular (io, path, &size, error);
  if (fd < 0)
    return NULL;

  if (size > max_bytes || size > G_MAXSSIZE)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s” holds %" PRIu64 " bytes; at most %" PRIu64 " are read here", path,
                       size, max_bytes);
      sonde_io_close (io, fd);
      return NULL;
    }

  data = g_try_malloc (MAX (size, 1));
  if (data == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "“%s” holds %" PRIu64 " bytes, more than the system has free", path, size);
      sonde_io_close (io, fd);
      return NULL;
    }

  got = sonde_io_pread_full (io, fd, path, data, size, 0, error);
  sonde_io_close (io, fd);
  if (got < 0)
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), (gsize) got);
}
