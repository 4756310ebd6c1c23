/* SPDX-License-Identifier: Apache-2.0
 * The table of file and socket calls that really asks the operating system. */
#include "data/base/sonde-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPEN_BENEATH_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static int
system_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  return openat (dirfd, path, flags, mode);
}

int
sonde_io_walk_beneath (int dirfd, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  int folder = dirfd;

  if (path[0] == '\0' || path[0] == '/')
    {
      errno = path[0] == '/' ? EXDEV : ENOENT;
      return -1;
    }

  for (gsize i = 0; names[i] != NULL; i++)
    {
      gboolean last = names[i + 1] == NULL;
      int flags = OPEN_BENEATH_FLAGS | O_NOFOLLOW | (last ? 0 : O_DIRECTORY);
      int next, error_number;

      errno = EXDEV;
      next = strcmp (names[i], "..") == 0
                 ? -1
                 : openat (folder, names[i][0] == '\0' ? "." : names[i], flags);
      error_number = errno == ENOTDIR && !last ? ELOOP : errno;

      if (folder != dirfd)
        close (folder);
      errno = error_number;
      if (next < 0)
        return -1;
      folder = next;
    }
  return folder;
}

static int
system_open_beneath (const SondeIo *io, int dirfd, const char *path)
{
  struct open_how how = {
    .flags = OPEN_BENEATH_FLAGS,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  long fd = syscall (SYS_openat2, dirfd, path, &how, sizeof how);

  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    return sonde_io_walk_beneath (dirfd, path);
  return (int) fd;
}

static int
system_close (const SondeIo *io, int fd)
{
  return close (fd);
}

static ssize_t
system_read (const SondeIo *io, int fd, void *data, size_t length)
{
  return read (fd, data, length);
}

static ssize_t
system_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  return pread (fd, data, length, offset);
}

static ssize_t
system_write (const SondeIo *io, int fd, const void *data, size_t length)
{
  return write (fd, data, length);
}

static int
system_fsync (const SondeIo *io, int fd)
{
  return fsync (fd);
}

static int
system_truncate (const SondeIo *io, int fd, off_t length)
{
  return ftruncate (fd, length);
}

static int
system_stat (const SondeIo *io, int dirfd, const char *path, struct stat *result, int flags)
{
  return fstatat (dirfd, path, result, flags);
}

static int
system_fstat (const SondeIo *io, int fd, struct stat *result)
{
  return fstat (fd, result);
}

static int
system_rename (const SondeIo *io, const char *from, const char *to)
{
  return rename (from, to);
}

static int
system_unlink (const SondeIo *io, const char *path)
{
  return unlink (path);
}

static int
system_mkdir (const SondeIo *io, const char *path, mode_t mode)
{
  return mkdir (path, mode);
}

static ssize_t
system_send (const SondeIo *io, int fd, const struct msghdr *message, int flags)
{
  return sendmsg (fd, message, flags);
}

static ssize_t
system_receive (const SondeIo *io, int fd, struct msghdr *message, int flags)
{
  return recvmsg (fd, message, flags);
}

static int
skip_fsync (const SondeIo *io, int fd)
{
  return 0;
}

#define CALLS(sync)                                                                                \
  .open = system_open, .open_beneath = system_open_beneath, .close = system_close,                 \
  .read = system_read, .pread = system_pread, .write = system_write, .fsync = sync,                \
  .truncate = system_truncate, .stat = system_stat, .fstat = system_fstat,                         \
  .rename = system_rename, .unlink = system_unlink, .mkdir = system_mkdir, .send = system_send,    \
  .receive = system_receive

static const SondeIo system_io = { CALLS (system_fsync) };
static const SondeIo hasty_io = { CALLS (skip_fsync) };

const SondeIo *
sonde_io_system (void)
{
  return &system_io;
}

const SondeIo *
sonde_io_hasty (void)
{
  return &hasty_io;
}
