/* SPDX-License-Identifier: Apache-2.0
 * What everybody does with files, on any table of calls: repeat on EINTR and short counts, name the
 * file in the error, replace a file as a whole. */
#include "data/base/sonde-io.h"

#include "data/base/sonde-error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Linux moves at most this much in one call; asking for more invites EINVAL elsewhere. */
#define MAX_CALL_BYTES ((gsize) 1 << 30)
#define TEMPORARY_NAME_TRIES 100

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
                       "“%s” is %s; a regular file is needed", path,
                       S_ISDIR (status.st_mode) ? "a folder" : "a pipe, socket or device");
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

gboolean
sonde_io_is_temporary (const char *name)
{
  return strlen (name) == strlen (".sonde-01234567.part") && g_str_has_prefix (name, ".sonde-")
         && g_str_has_suffix (name, ".part") && strspn (name + 7, "0123456789abcdef") == 8;
}

/* An open, empty file beside @path under a name that nobody has. */
static int
open_temporary (const SondeIo *io, const char *folder, const char *path, char **name,
                GError **error)
{
  for (int i = 0; i < TEMPORARY_NAME_TRIES; i++)
    {
      g_autofree char *candidate = g_strdup_printf ("%s/.sonde-%08x.part", folder, g_random_int ());
      int fd = open_repeating (io, candidate, O_WRONLY | O_CREAT | O_EXCL, 0666);

      if (fd >= 0)
        {
          *name = g_steal_pointer (&candidate);
          return fd;
        }
      if (errno != EEXIST)
        break;
    }
  sonde_data_error_set_errno (error, errno, "cannot write “%s”: cannot create a file in “%s”", path,
                              folder);
  return -1;
}

static gboolean
sync_repeating (const SondeIo *io, int fd)
{
  int result;

  do
    result = io->fsync (io, fd);
  while (result < 0 && errno == EINTR);

  return result == 0;
}

static gboolean
write_and_sync (const SondeIo *io, int fd, const char *path, const void *data, gsize length,
                GError **error)
{
  if (!sonde_io_write_full (io, fd, path, data, length, NULL, error))
    return FALSE;
  if (!sync_repeating (io, fd))
    {
      sonde_data_error_set_errno (error, errno, "cannot bring “%s” to the disk", path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
sync_folder (const SondeIo *io, const char *folder, GError **error)
{
  int fd = open_repeating (io, folder, O_RDONLY | O_DIRECTORY, 0);
  int error_number = errno;
  gboolean synced = fd >= 0 && sync_repeating (io, fd);

  if (fd >= 0)
    {
      error_number = errno;
      sonde_io_close (io, fd);
    }
  /* EINVAL: a file system that knows no fsync of folders; EACCES: a folder that may be written to
   * but not listed. Neither can be helped, and the file is in place. */
  if (synced || error_number == EINVAL || error_number == EACCES)
    return TRUE;
  sonde_data_error_set_errno (error, error_number, "cannot flush the folder “%s” to disk", folder);
  return FALSE;
}

/* What is there already. Devices, pipes and what a link stands for must not be renamed over:
 * /dev/null would become a file. A file that nobody may write stays, though its folder would let us
 * replace it. */
typedef enum
{
  TARGET_REPLACED,
  TARGET_IN_PLACE,
  TARGET_READ_ONLY,
} Target;

static Target
look_at_target (const SondeIo *io, const char *path)
{
  struct stat status;

  if (io->stat (io, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return TARGET_REPLACED;
  if (!S_ISREG (status.st_mode))
    return TARGET_IN_PLACE;
  return (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 ? TARGET_READ_ONLY : TARGET_REPLACED;
}

/* A full disk: how much there should be. */
static void
add_needed_bytes (GError **error, gsize length)
{
  SondeMessage *message;

  if (error == NULL || !g_error_matches (*error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE))
    return;
  message = sonde_message_copy (sonde_error_get_message (*error));
  sonde_message_append_format (message, "; %zu bytes are needed", length);
  g_clear_error (error);
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE, message);
}

static gboolean
write_in_place (const SondeIo *io, const char *path, const void *data, gsize length, GError **error)
{
  int fd = open_repeating (io, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0666);
  gboolean done;

  if (fd < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot write “%s”", path);
      return FALSE;
    }
  done = sonde_io_write_full (io, fd, path, data, length, NULL, error);
  sonde_io_close (io, fd);
  return done;
}

gboolean
sonde_io_replace_file (const SondeIo *io, const char *path, const void *data, gsize length,
                       GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *temporary = NULL;
  Target target;
  gboolean done;
  int fd;

  io = io_or_system (io);
  target = look_at_target (io, path);
  if (target == TARGET_IN_PLACE)
    return write_in_place (io, path, data, length, error);
  if (target == TARGET_READ_ONLY)
    {
      sonde_data_error_set_errno (error, EACCES, "cannot write “%s”, which is read-only", path);
      return FALSE;
    }
  fd = open_temporary (io, folder, path, &temporary, error);
  if (fd < 0)
    return FALSE;

  done = write_and_sync (io, fd, path, data, length, error);
  sonde_io_close (io, fd);
  if (done && io->rename (io, temporary, path) < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot replace “%s”", path);
      done = FALSE;
    }
  if (!done)
    {
      io->unlink (io, temporary);
      add_needed_bytes (error, length);
      return FALSE;
    }
  return sync_folder (io, folder, error);
}
