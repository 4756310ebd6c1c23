/* SPDX-License-Identifier: Apache-2.0
 * The gate for paths out of files; the kernel resolves, we look at what came out. */
#include "data/base/sonde-path-gate.h"

#include "data/base/sonde-budget.h"

#include "data/base/sonde-error.h"

#include <errno.h>
#include <fcntl.h>

#define RACE_TRIES 100 /* openat2() says EAGAIN when a rename raced its resolution */

static gboolean
check_status (const struct stat *status, const char *path, GError **error)
{
  if (!S_ISREG (status->st_mode))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN,
                       "“%s” is not opened: it is not a regular file", path);
      return FALSE;
    }
  if (status->st_nlink != 1)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN,
                       "“%s” is not opened: the file has %" PRIu64
                       " names (hard links), so it may belong elsewhere; copy it",
                       path, (guint64) status->st_nlink);
      return FALSE;
    }
  return TRUE;
}

static int
open_beneath (const SondeIo *io, const char *folder, const char *path, GError **error)
{
  int folder_fd, fd, error_number;
  int tries = RACE_TRIES;

  do
    folder_fd = io->open (io, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  while (folder_fd < 0 && errno == EINTR);
  if (folder_fd < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot open the folder “%s”", folder);
      return -1;
    }

  do
    fd = io->open_beneath (io, folder_fd, path);
  while (fd < 0 && (errno == EINTR || (errno == EAGAIN && tries-- > 0)));
  error_number = errno;
  sonde_io_close (io, folder_fd);

  if (fd < 0 && (error_number == EXDEV || error_number == ELOOP))
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN, "“%s” is not opened: it %-s “%s”",
        path, error_number == EXDEV ? N_ ("leads out of") : N_ ("follows a symbolic link beneath"),
        folder);
  else if (fd < 0 && error_number == ENXIO)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN,
                     "“%s” is not opened: it is not a regular file", path);
  else if (fd < 0)
    sonde_data_error_set_errno (error, error_number, "cannot open “%s” in “%s”", path, folder);
  return fd;
}

int
sonde_path_gate_open (const SondeIo *io, const char *folder, const char *path, guint64 *size,
                      GError **error)
{
  struct stat status;
  int fd;

  if (io == NULL)
    io = sonde_io_system ();
  if (folder == NULL || folder[0] == '\0' || path == NULL || path[0] == '\0')
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN,
                       "“%s” is not opened: %-s", path != NULL ? path : "",
                       path == NULL || path[0] == '\0' ? N_ ("the path is empty")
                                                       : N_ ("it belongs to no folder"));
      return -1;
    }

  fd = open_beneath (io, folder, path, error);
  if (fd < 0)
    return -1;

  if (io->fstat (io, fd, &status) < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot look at “%s”", path);
      sonde_io_close (io, fd);
      return -1;
    }
  if (!check_status (&status, path, error))
    {
      sonde_io_close (io, fd);
      return -1;
    }
  if (size != NULL)
    *size = (guint64) status.st_size;
  return fd;
}

GBytes *
sonde_path_gate_read (const SondeIo *io, const char *folder, const char *path, guint64 max_bytes,
                      GError **error)
{
  guint64 size;
  int fd = sonde_path_gate_open (io, folder, path, &size, error);
  guint8 *data = NULL;
  gssize got = -1;

  if (fd < 0)
    return NULL;
  if (size > max_bytes)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "“%s” has %" PRIu64 " bytes, more than "
                     "%" PRIu64,
                     path, size, max_bytes);
  else if ((data = sonde_try_alloc (NULL, size + 1, path, error)) != NULL)
    got = sonde_io_pread_full (io, fd, path, data, size, 0, error);
  sonde_io_close (io, fd);
  if (got >= 0)
    {
      data[got] = '\0';
      return g_bytes_new_take (data, (gsize) got);
    }
  g_free (data);
  return NULL;
}
