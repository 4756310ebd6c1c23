/* SPDX-License-Identifier: Apache-2.0
 * A table of calls whose disk can be full, slow, short or broken; switched by the test while the
 * writing thread uses it. */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "data/base/sonde-io.h"

/**
 * DiskIo:
 * @room: bytes that still fit; G_MAXINT64 for no limit. A write that does not fit is cut, the next
 * fails
 * @write_error: (0: none) every write fails with it
 * @fsync_error, @truncate_error: the same for these
 * @max_bytes: (0: no limit) of one write
 * @failing_write: (0: none) the write with this number, from 1, fails with EIO
 * @interrupt: every second write fails with EINTR
 * @gate: writes wait while it is locked by the test
 */
typedef struct
{
  SondeIo io;
  _Atomic gint64 room;
  _Atomic int write_error, fsync_error, truncate_error;
  gsize max_bytes;
  gboolean interrupt;
  _Atomic guint writes, truncates, failing_write;
  pthread_mutex_t gate;
} DiskIo;

static inline ssize_t
disk_io_write (const SondeIo *io, int fd, const void *data, size_t length)
{
  DiskIo *disk = (DiskIo *) io;
  gint64 room;
  ssize_t written;

  pthread_mutex_lock (&disk->gate);
  pthread_mutex_unlock (&disk->gate);
  disk->writes++;
  room = disk->room;
  if (disk->failing_write != 0 && disk->writes == disk->failing_write)
    {
      errno = EIO;
      return -1;
    }
  if (disk->write_error != 0 || room <= 0 || (disk->interrupt && disk->writes % 2 == 0))
    {
      errno = disk->write_error != 0 ? disk->write_error : room <= 0 ? ENOSPC : EINTR;
      return -1;
    }
  if (disk->max_bytes != 0)
    length = MIN (length, disk->max_bytes);
  written = sonde_io_system ()->write (io, fd, data, MIN (length, (size_t) room));
  if (written > 0 && room != G_MAXINT64)
    atomic_fetch_sub (&disk->room, written);
  return written;
}

static inline int
disk_io_fsync (const SondeIo *io, int fd)
{
  DiskIo *disk = (DiskIo *) io;

  if (disk->fsync_error == 0)
    return sonde_io_system ()->fsync (io, fd);
  errno = disk->fsync_error;
  return -1;
}

static inline int
disk_io_truncate (const SondeIo *io, int fd, off_t length)
{
  DiskIo *disk = (DiskIo *) io;

  disk->truncates++;
  if (disk->truncate_error == 0)
    return sonde_io_system ()->truncate (io, fd, length);
  errno = disk->truncate_error;
  return -1;
}

static inline void
disk_io_init (DiskIo *disk)
{
  *disk = (DiskIo){ .io = *sonde_io_system (), .room = G_MAXINT64 };
  pthread_mutex_init (&disk->gate, NULL);
  disk->io.write = disk_io_write;
  disk->io.fsync = disk_io_fsync;
  disk->io.truncate = disk_io_truncate;
}
