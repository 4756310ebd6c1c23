/* SPDX-License-Identifier: Apache-2.0
 * A table of calls that fails on purpose: call number k, short counts, EINTR. Also for other
 * folders' tests: a copy of the system's table with its own counters behind it. */
#pragma once

#include "data/base/sonde-io.h"

#include <errno.h>

/**
 * FaultyIo:
 * @io: the table to hand in
 * @fail_call: this call (1 is the first; closing does not count) fails with @fail_errno; 0: none
 * @fail_from: TRUE: all calls from @fail_call on
 * @max_bytes: reads and writes move at most this much; 0: no limit
 * @interrupt_every: each so-many-th call fails with EINTR first; 0: none
 * @calls, @n_open: calls so far, descriptors open now
 */
typedef struct
{
  SondeIo io;
  guint fail_call;
  int fail_errno;
  gboolean fail_from;
  gsize max_bytes;
  guint interrupt_every;
  guint calls;
  guint n_open;
} FaultyIo;

static inline gboolean
faulty_io_strike (const SondeIo *io, gboolean may_interrupt)
{
  FaultyIo *faulty = (FaultyIo *) io;

  faulty->calls++;
  if (faulty->fail_call != 0
      && (faulty->calls == faulty->fail_call
          || (faulty->fail_from && faulty->calls > faulty->fail_call)))
    {
      errno = faulty->fail_errno;
      return TRUE;
    }
  if (may_interrupt && faulty->interrupt_every != 0 && faulty->calls % faulty->interrupt_every == 0)
    {
      errno = EINTR;
      return TRUE;
    }
  return FALSE;
}

static inline gsize
faulty_io_cut (const SondeIo *io, gsize length)
{
  const FaultyIo *faulty = (const FaultyIo *) io;

  return faulty->max_bytes != 0 ? MIN (length, faulty->max_bytes) : length;
}

static inline int
faulty_io_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  int fd
      = faulty_io_strike (io, TRUE) ? -1 : sonde_io_system ()->open (io, dirfd, path, flags, mode);

  ((FaultyIo *) io)->n_open += fd >= 0;
  return fd;
}

static inline int
faulty_io_open_beneath (const SondeIo *io, int dirfd, const char *path)
{
  int fd = faulty_io_strike (io, TRUE) ? -1 : sonde_io_system ()->open_beneath (io, dirfd, path);

  ((FaultyIo *) io)->n_open += fd >= 0;
  return fd;
}

static inline int
faulty_io_close (const SondeIo *io, int fd)
{
  ((FaultyIo *) io)->n_open--;
  return sonde_io_system ()->close (io, fd);
}

static inline ssize_t
faulty_io_read (const SondeIo *io, int fd, void *data, size_t length)
{
  return faulty_io_strike (io, TRUE)
             ? -1
             : sonde_io_system ()->read (io, fd, data, faulty_io_cut (io, length));
}

static inline ssize_t
faulty_io_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  if (faulty_io_strike (io, TRUE))
    return -1;
  return sonde_io_system ()->pread (io, fd, data, faulty_io_cut (io, length), offset);
}

static inline ssize_t
faulty_io_write (const SondeIo *io, int fd, const void *data, size_t length)
{
  return faulty_io_strike (io, TRUE)
             ? -1
             : sonde_io_system ()->write (io, fd, data, faulty_io_cut (io, length));
}

static inline int
faulty_io_fsync (const SondeIo *io, int fd)
{
  return faulty_io_strike (io, TRUE) ? -1 : sonde_io_system ()->fsync (io, fd);
}

static inline int
faulty_io_fstat (const SondeIo *io, int fd, struct stat *result)
{
  return faulty_io_strike (io, FALSE) ? -1 : sonde_io_system ()->fstat (io, fd, result);
}

static inline int
faulty_io_rename (const SondeIo *io, const char *from, const char *to)
{
  return faulty_io_strike (io, FALSE) ? -1 : sonde_io_system ()->rename (io, from, to);
}

static inline void
faulty_io_init (FaultyIo *faulty)
{
  *faulty = (FaultyIo){ .io = *sonde_io_system () };
  faulty->io.open = faulty_io_open;
  faulty->io.open_beneath = faulty_io_open_beneath;
  faulty->io.close = faulty_io_close;
  faulty->io.read = faulty_io_read;
  faulty->io.pread = faulty_io_pread;
  faulty->io.write = faulty_io_write;
  faulty->io.fsync = faulty_io_fsync;
  faulty->io.fstat = faulty_io_fstat;
  faulty->io.rename = faulty_io_rename;
}
