/* SPDX-License-Identifier: Apache-2.0
 * A file in an own folder, for tests that write bytes and read them back. */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>

#include <fcntl.h>
#include <unistd.h>

typedef struct
{
  char *folder, *path;
} TemporaryFile;

static inline void
temporary_file_init (TemporaryFile *file)
{
  file->folder = g_dir_make_tmp ("sonde-records-XXXXXX", NULL);
  g_assert_nonnull (file->folder);
  file->path = g_build_filename (file->folder, "test.sonde", NULL);
}

static inline void
temporary_file_write (TemporaryFile *file, const void *data, gsize length)
{
  int fd = g_open (file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, length), ==, (gssize) length);
  close (fd);
}

static inline void
temporary_file_clear (TemporaryFile *file)
{
  g_remove (file->path);
  g_rmdir (file->folder);
  g_free (file->path);
  g_free (file->folder);
}
