/* SPDX-License-Identifier: Apache-2.0
 * A table of calls with one regular file, in memory; reads are cut to @max_bytes. For fuzz
 * targets. */
#pragma once

#include <string.h>

#include "data/base/sonde-io.h"

typedef struct
{
  SondeIo io;
  const guint8 *data;
  gsize length, max_bytes;
} MemoryIo;

static int
memory_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  return 1000;
}

static int
memory_close (const SondeIo *io, int fd)
{
  return 0;
}

static int
memory_fstat (const SondeIo *io, int fd, struct stat *result)
{
  *result = (struct stat){ .st_mode = S_IFREG | 0600,
                           .st_size = (off_t) ((const MemoryIo *) io)->length };
  return 0;
}

static int
memory_stat (const SondeIo *io, int dirfd, const char *path, struct stat *result, int flags)
{
  return memory_fstat (io, 0, result);
}

static ssize_t
memory_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  const MemoryIo *memory = (const MemoryIo *) io;
  gsize bytes;

  if ((gsize) offset >= memory->length)
    return 0;
  bytes = MIN (MIN (length, memory->max_bytes), memory->length - (gsize) offset);
  memcpy (data, memory->data + offset, bytes);
  return (ssize_t) bytes;
}

static inline void
memory_io_init (MemoryIo *memory, const guint8 *data, gsize length, gsize max_bytes)
{
  *memory = (MemoryIo){
    .io = *sonde_io_system (), .data = data, .length = length, .max_bytes = max_bytes
  };
  memory->io.open = memory_open;
  memory->io.close = memory_close;
  memory->io.fstat = memory_fstat;
  memory->io.stat = memory_stat;
  memory->io.pread = memory_pread;
}
