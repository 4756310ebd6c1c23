/* SPDX-License-Identifier: Apache-2.0
 * Sockets by path, and the directory that holds them. */
#include "engine/session/sonde-session-path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "data/base/sonde-error.h"

int
sonde_session_open_directory (const SondeIo *io, const char *path, gboolean make, GError **error)
{
  struct stat info;
  int fd;

  if (make)
    {
      g_autofree char *parent = g_path_get_dirname (path);

      if (!sonde_io_make_directories (io, parent, error))
        return -1;
      if (io->mkdir (io, path, 0700) != 0 && errno != EEXIST)
        {
          sonde_data_error_set_errno (error, errno, "cannot make “%s”", path);
          return -1;
        }
    }
  fd = io->open (io, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0 || io->fstat (io, fd, &info) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot open the sessions' directory “%s”", path);
      if (fd >= 0)
        sonde_io_close (io, fd);
      return -1;
    }
  if (info.st_uid == geteuid () && (info.st_mode & 077) == 0)
    return fd;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN,
      "The sessions' directory “%s” must belong to this user and have mode 0700, it has "
      "%04o of user %u: "
      "others could reach the debugger. Remove it or chmod it.",
      path, (guint) info.st_mode & 07777, (guint) info.st_uid);
  sonde_io_close (io, fd);
  return -1;
}

/* Address of @name in @directory_fd: whole when it fits, else through the descriptor, which always
 * fits. */
static socklen_t
fill_address (struct sockaddr_un *address, const char *path, int directory_fd, const char *name)
{
  *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
  if (strlen (path) < sizeof address->sun_path)
    g_strlcpy (address->sun_path, path, sizeof address->sun_path);
  else
    g_snprintf (address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", directory_fd,
                name);
  return sizeof *address;
}

static int
open_socket (GError **error)
{
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  if (fd < 0)
    sonde_data_error_set_errno (error, errno, "cannot make a socket");
  return fd;
}

int
sonde_session_listen_path (const SondeIo *io, const char *path, int directory_fd, int backlog,
                           GError **error)
{
  g_autofree char *name = g_path_get_basename (path);
  struct sockaddr_un address;
  socklen_t length = fill_address (&address, path, directory_fd, name);
  int fd = open_socket (error);

  if (fd < 0)
    return -1;
  io->unlink (io, path); /* of a dead process of the same number */
  fchmod (fd, 0600);     /* the inode that bind() makes gets this mode */
  if (bind (fd, (struct sockaddr *) &address, length) == 0
      && fchmodat (AT_FDCWD, path, 0600, 0) == 0 && listen (fd, backlog) == 0)
    return fd;
  sonde_data_error_set_errno (error, errno, "cannot listen on “%s”", path);
  io->unlink (io, path);
  close (fd);
  return -1;
}

int
sonde_session_connect_path (const char *path, GError **error)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  struct sockaddr_un address;
  int directory_fd = open (directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  socklen_t length = fill_address (&address, path, directory_fd, name);
  int fd = open_socket (error);

  if (fd >= 0 && connect (fd, (struct sockaddr *) &address, length) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot reach the session at “%s”", path);
      close (fd);
      fd = -1;
    }
  if (directory_fd >= 0)
    close (directory_fd);
  return fd;
}
