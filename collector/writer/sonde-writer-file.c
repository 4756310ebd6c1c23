/* SPDX-License-Identifier: Apache-2.0
 * The files of one session. */
#include "collector/writer/sonde-writer-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "data/base/sonde-error.h"

#define MAX_SESSIONS 999999

static const SondeIo *
table_of (const SondeIo *io)
{
  return io != NULL ? io : sonde_io_system ();
}

/* Whether it worked cannot be used for anything: some file systems have no such call. */
static void
sync_folder (const SondeIo *io, const char *path)
{
  int fd = table_of (io)->open (io, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

  if (fd < 0)
    return;
  table_of (io)->fsync (io, fd);
  sonde_io_close (io, fd);
}

static int
open_new (const SondeIo *io, const char *path)
{
  int fd;

  do
    fd = table_of (io)->open (
        io, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}

/* The name that try number @attempt gives a file, from 1. */
static char *
make_name (SondeWriterFileKind kind, gint64 seconds, guint32 attempt)
{
  char host[HOST_NAME_MAX + 1] = "";

  if (kind == SONDE_WRITER_FILE_RECORDS)
    return g_strdup_printf ("%06u.sonde", attempt);
  gethostname (host, sizeof host - 1);
  g_strdelimit (host, "/", '_');
  if (*host == '\0')
    strcpy (host, "localhost");
  if (kind == SONDE_WRITER_FILE_TENSORBOARD)
    return g_strdup_printf ("events.out.tfevents.%010" G_GINT64_FORMAT ".%s.%d.%u", seconds, host,
                            (int) getpid (), attempt - 1);
  /* MindSpore's names have no counter: files of one second get the following ones. */
  return g_strdup_printf ("events.out.events.summary.%" PRIi64 ".0.%s%s", seconds + attempt - 1,
                          host, kind == SONDE_WRITER_FILE_LINEAGE ? "_lineage" : "_MS");
}

/* Event files of the kind that @folder has. */
static guint32
count_sessions (SondeWriterFileKind kind, const char *folder)
{
  const char *word = kind == SONDE_WRITER_FILE_TENSORBOARD ? "tfevents"
                     : kind == SONDE_WRITER_FILE_MINDSPORE ? "_MS"
                                                           : "_lineage";
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint32 n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    n += strstr (name, word) != NULL;
  return n;
}

static gboolean
create_in (SondeWriterFile *file, SondeWriterFileKind kind, const SondeClock *clock,
           const char *folder, GError **error)
{
  const gint64 seconds = sonde_clock_wall_ns (clock) / 1000000000;
  guint32 before = kind != SONDE_WRITER_FILE_RECORDS ? count_sessions (kind, folder) : 0;

  for (guint32 attempt = 1; attempt <= MAX_SESSIONS; attempt++)
    {
      g_autofree char *name = make_name (kind, seconds, attempt);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      int fd = open_new (file->io, path);

      if (fd >= 0)
        {
          file->fd = fd;
          file->number = kind == SONDE_WRITER_FILE_RECORDS ? attempt : before + 1;
          file->path = g_steal_pointer (&path);
          return TRUE;
        }
      if (errno != EEXIST)
        {
          sonde_data_error_set_errno (error, errno, "cannot create the record file “%s”", path);
          return FALSE;
        }
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "“%s” already has %d record files: choose another run folder", folder,
                   MAX_SESSIONS);
  return FALSE;
}

gboolean
sonde_writer_file_create (SondeWriterFile *file, SondeWriterFileKind kind, const SondeIo *io,
                          const SondeClock *clock, const char *run, GError **error)
{
  g_autofree char *folder = kind == SONDE_WRITER_FILE_RECORDS
                                ? g_build_filename (run, "records", NULL)
                                : g_strdup (run);
  g_autofree char *parent = g_path_get_dirname (run);

  *file = (SondeWriterFile){ .io = io, .fd = -1 };
  if (!sonde_io_make_directories (io, folder, error))
    {
      sonde_prefix_error (error, "cannot record into “%s”: ", run);
      return FALSE;
    }
  if (!create_in (file, kind, clock, folder, error))
    return FALSE;
  sync_folder (io, folder);
  if (kind == SONDE_WRITER_FILE_RECORDS)
    sync_folder (io, run);
  sync_folder (io, parent);
  return TRUE;
}

void
sonde_writer_file_clear (SondeWriterFile *file)
{
  if (file->fd >= 0)
    sonde_io_close (file->io, file->fd);
  g_free (file->path);
  *file = (SondeWriterFile){ .fd = -1 };
}

static gboolean
cut_back (SondeWriterFile *file)
{
  int result;

  do
    result = table_of (file->io)->truncate (file->io, file->fd, (off_t) file->end);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

gboolean
sonde_writer_file_append (SondeWriterFile *file, const void *data, gsize length, GError **error)
{
  gsize written = 0;

  if (sonde_io_write_full (file->io, file->fd, file->path, data, length, &written, error))
    {
      file->end += length;
      return TRUE;
    }
  if (written > 0 && !cut_back (file))
    file->end += written;
  return FALSE;
}

gboolean
sonde_writer_file_sync (SondeWriterFile *file, GError **error)
{
  struct stat status;
  int result;

  do
    result = table_of (file->io)->fsync (file->io, file->fd);
  while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
    {
      sonde_data_error_set_errno (error, errno, "cannot sync “%s” to disk", file->path);
      return FALSE;
    }
  if (table_of (file->io)->fstat (file->io, file->fd, &status) != 0 || status.st_nlink > 0)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "“%s” was deleted while it was being written: new records are lost", file->path);
  return FALSE;
}
