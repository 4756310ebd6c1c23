/* SPDX-License-Identifier: Apache-2.0
 * Is a record file still the one that was read: notices that it grew, was cut, replaced or
 * deleted. */
#include "data/runs/sonde-run-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "data/base/sonde-text.h"

/* The bytes before @anchor_end; how many there are. */
static guint
read_anchor (SondeRunFileReader *file, guint8 bytes[SONDE_RUN_ANCHOR_BYTES])
{
  guint n = MIN (file->anchor_end, SONDE_RUN_ANCHOR_BYTES);
  gssize got = 0;
  int fd;

  fd = sonde_io_open_regular (file->io, file->path, NULL, NULL);
  if (fd < 0)
    return 0;
  got = sonde_io_pread_full (file->io, fd, file->path, bytes, n, file->anchor_end - n, NULL);
  sonde_io_close (file->io, fd);
  return MAX (got, 0);
}

void
sonde_run_file_reader_take_anchor (SondeRunFileReader *file)
{
  /* a position need not be an offset of the file: it may be one of what is packed in it */
  file->anchor_end = MIN (file->position, file->size);
  file->n_anchor = read_anchor (file, file->anchor);
}

static gboolean
anchor_holds (SondeRunFileReader *file)
{
  guint8 bytes[SONDE_RUN_ANCHOR_BYTES];

  return file->n_anchor == 0
         || (read_anchor (file, bytes) == file->n_anchor
             && memcmp (bytes, file->anchor, file->n_anchor) == 0);
}

/* Does the file end before what was read of it. */
static gboolean
is_cut (const SondeRunFileReader *file, const struct stat *status)
{
  guint64 read = file->format->open ? MIN (file->position, file->size) : file->position;

  return (guint64) status->st_size < read;
}

static SondeRunFileChange
lose_file (SondeRunFileReader *file, int reason)
{
  if (reason != ENOENT && reason != ENOTDIR)
    {
      g_autofree char *problem
          = g_strdup_printf (_ ("Cannot access “%s”: %s."), file->path, g_strerror (reason));

      sonde_run_file_reader_set_problem (file, problem);
      return SONDE_RUN_FILE_SAME;
    }
  if (file->gone && file->inode == 0)
    return SONDE_RUN_FILE_SAME;
  sonde_run_file_reader_reset (file);
  file->gone = TRUE;
  file->inode = file->device = file->size = 0;
  return SONDE_RUN_FILE_GONE;
}

static gint64
to_ns (const struct timespec *time)
{
  return time->tv_sec * (gint64) 1000000000 + time->tv_nsec;
}

SondeRunFileChange
sonde_run_file_reader_look (SondeRunFileReader *file, gint64 now_ns)
{
  struct stat status;
  gint64 mtime_ns, ctime_ns;
  gboolean known = file->inode != 0, changed;

  if (file->io->stat (file->io, AT_FDCWD, file->path, &status, 0) != 0)
    return lose_file (file, errno);
  if (!S_ISREG (status.st_mode))
    return lose_file (file, ENOENT);
  mtime_ns = to_ns (&status.st_mtim);
  ctime_ns = to_ns (&status.st_ctim);
  changed = !known || (guint64) status.st_size != file->size || mtime_ns != file->mtime_ns
            || ctime_ns != file->ctime_ns;
  if (known
      && (file->inode != status.st_ino || (file->device && file->device != status.st_dev)
          || is_cut (file, &status) || (changed && !anchor_holds (file))))
    {
      sonde_run_file_reader_reset (file);
      known = FALSE;
    }
  /* A shorter tail or one that grew after it was given up is read afresh. */
  if ((guint64) status.st_size < file->size || (changed && file->finished))
    sonde_run_file_reader_rest (file);
  if (changed)
    {
      file->finished = FALSE;
      g_ptr_array_set_size (file->tail_damage, 0);
      g_clear_pointer (&file->problem, g_free);
    }
  file->unsaved |= changed;
  file->gone = FALSE;
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->size = status.st_size;
  file->mtime_ns = mtime_ns;
  file->ctime_ns = ctime_ns;
  if (file->is_copy && known && !changed)
    return SONDE_RUN_FILE_SAME;
  if (!known)
    return SONDE_RUN_FILE_RESET;
  if (changed || (file->waiting && !sonde_run_file_reader_is_live (file, now_ns))
      || (file->position < file->size && !file->waiting && !file->finished && !file->problem)
      || (file->problem && now_ns - file->problem_ns > SONDE_RUN_RETRY_NS))
    return SONDE_RUN_FILE_GREW;
  return SONDE_RUN_FILE_SAME;
}
