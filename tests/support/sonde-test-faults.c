/* SPDX-License-Identifier: Apache-2.0
 * One set of counters for the program: what fails is a call that any thread makes. */
#include "tests/support/sonde-test-faults.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define EACH_UP_TO 16

static struct
{
  _Atomic int kind, number;
  _Atomic guint first, calls, struck;
  _Atomic gboolean forever;
} faults = { .kind = -1, .number = EIO };

gboolean
sonde_test_fault (SondeTestFault kind)
{
  guint call;

  if (faults.kind != (int) kind)
    return FALSE;
  call = atomic_fetch_add (&faults.calls, 1) + 1;
  if (call != faults.first && !(faults.forever && call > faults.first))
    return FALSE;
  atomic_fetch_add (&faults.struck, 1);
  return TRUE;
}

gboolean
sonde_test_faults_end (void)
{
  faults.kind = -1;
  return faults.struck > 0;
}

void
sonde_test_faults_set_errno (int number)
{
  faults.number = number;
}

guint
sonde_test_faults_loop (SondeTestFault kind, void (*round) (gpointer data), gpointer data)
{
  static const char *const names[]
      = { "file call", "allocation", "database call", "database allocation" };
  const gboolean all = g_strcmp0 (g_getenv ("SONDE_TEST_FAULTS"), "all") == 0;
  guint n = 0;

  for (int forever = 0; forever < 2; forever++)
    for (guint k = 1;; k += all || k < EACH_UP_TO ? 1 : k / 4)
      {
        faults.first = k;
        faults.calls = faults.struck = 0;
        faults.forever = forever == 1;
        faults.kind = (int) kind;
        round (data);
        g_assert_cmpint (faults.kind, ==, -1);
        if (faults.struck == 0)
          break;
        n++;
      }
  g_test_message ("%u faults of kind %s", n, names[kind]);
  return n;
}

/* ---- calls --------------------------------------------------------------- */

static gboolean
fails (void)
{
  if (!sonde_test_fault (SONDE_TEST_FAULT_IO))
    return FALSE;
  errno = faults.number;
  return TRUE;
}

static int
faulty_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  return fails () ? -1 : sonde_io_system ()->open (io, dirfd, path, flags, mode);
}

static int
faulty_open_beneath (const SondeIo *io, int dirfd, const char *path)
{
  return fails () ? -1 : sonde_io_system ()->open_beneath (io, dirfd, path);
}

static ssize_t
faulty_read (const SondeIo *io, int fd, void *data, size_t length)
{
  return fails () ? -1 : sonde_io_system ()->read (io, fd, data, length);
}

static ssize_t
faulty_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  return fails () ? -1 : sonde_io_system ()->pread (io, fd, data, length, offset);
}

/* A part of it is written first: a torn record is the worse fault. */
static ssize_t
faulty_write (const SondeIo *io, int fd, const void *data, size_t length)
{
  if (!fails ())
    return sonde_io_system ()->write (io, fd, data, length);
  if (length > 1 && sonde_io_system ()->write (io, fd, data, length / 2) < 0)
    return -1;
  errno = faults.number;
  return -1;
}

static int
faulty_fsync (const SondeIo *io, int fd)
{
  return fails () ? -1 : sonde_io_system ()->fsync (io, fd);
}

static int
faulty_truncate (const SondeIo *io, int fd, off_t length)
{
  return fails () ? -1 : sonde_io_system ()->truncate (io, fd, length);
}

static int
faulty_stat (const SondeIo *io, int dirfd, const char *path, struct stat *result, int flags)
{
  return fails () ? -1 : sonde_io_system ()->stat (io, dirfd, path, result, flags);
}

static int
faulty_fstat (const SondeIo *io, int fd, struct stat *result)
{
  return fails () ? -1 : sonde_io_system ()->fstat (io, fd, result);
}

static int
faulty_rename (const SondeIo *io, const char *from, const char *to)
{
  return fails () ? -1 : sonde_io_system ()->rename (io, from, to);
}

static int
faulty_unlink (const SondeIo *io, const char *path)
{
  return fails () ? -1 : sonde_io_system ()->unlink (io, path);
}

static int
faulty_mkdir (const SondeIo *io, const char *path, mode_t mode)
{
  return fails () ? -1 : sonde_io_system ()->mkdir (io, path, mode);
}

const SondeIo *
sonde_test_faults_io (void)
{
  static SondeIo table;
  static gsize is_made;

  if (g_once_init_enter (&is_made))
    {
      table = *sonde_io_system ();
      table.open = faulty_open;
      table.open_beneath = faulty_open_beneath;
      table.read = faulty_read;
      table.pread = faulty_pread;
      table.write = faulty_write;
      table.fsync = faulty_fsync;
      table.truncate = faulty_truncate;
      table.stat = faulty_stat;
      table.fstat = faulty_fstat;
      table.rename = faulty_rename;
      table.unlink = faulty_unlink;
      table.mkdir = faulty_mkdir;
      g_once_init_leave (&is_made, 1);
    }
  return &table;
}

/* ---- memory: the program's own come before GLib's ------------------------ */

static gboolean
overflows (gsize n, gsize bytes)
{
  return bytes != 0 && n > G_MAXSIZE / bytes;
}

gpointer (g_try_malloc) (gsize bytes)
{
  return bytes == 0 || sonde_test_fault (SONDE_TEST_FAULT_MEMORY) ? NULL : malloc (bytes);
}

gpointer (g_try_malloc0) (gsize bytes)
{
  return bytes == 0 || sonde_test_fault (SONDE_TEST_FAULT_MEMORY) ? NULL : calloc (1, bytes);
}

gpointer (g_try_malloc_n) (gsize n, gsize bytes)
{
  return overflows (n, bytes) ? NULL : (g_try_malloc) (n * bytes);
}

gpointer (g_try_malloc0_n) (gsize n, gsize bytes)
{
  return overflows (n, bytes) ? NULL : (g_try_malloc0) (n * bytes);
}

gpointer (g_try_realloc) (gpointer memory, gsize bytes)
{
  if (bytes > 0)
    return sonde_test_fault (SONDE_TEST_FAULT_MEMORY) ? NULL : realloc (memory, bytes);
  free (memory);
  return NULL;
}

gpointer (g_try_realloc_n) (gpointer memory, gsize n, gsize bytes)
{
  return overflows (n, bytes) ? NULL : (g_try_realloc) (memory, n * bytes);
}
