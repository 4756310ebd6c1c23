/* SPDX-License-Identifier: Apache-2.0
 * A temporary file, fsync, rename, fsync of the folder. */
#include "data/base/sonde-replacement.h"

#include "data/base/sonde-error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define TEMPORARY_NAME_TRIES 100

/* @temporary: NULL: written in place
 * @needed: what was to be written so far, for the message about a full disk */
struct _SondeReplacement
{
  const SondeIo *io;
  char *path, *folder, *temporary;
  int fd;
  gsize needed;
};

static int
open_repeating (const SondeIo *io, const char *path, int flags, mode_t mode)
{
  int fd;

  do
    fd = io->open (io, AT_FDCWD, path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);

  return fd;
}

gboolean
sonde_io_is_temporary (const char *name)
{
  return strlen (name) == strlen (".sonde-01234567.part") && g_str_has_prefix (name, ".sonde-")
         && g_str_has_suffix (name, ".part") && strspn (name + 7, "0123456789abcdef") == 8;
}

/* An open, empty file beside @path under a name that nobody has. */
static int
open_temporary (const SondeIo *io, const char *folder, const char *path, char **name,
                GError **error)
{
  for (int i = 0; i < TEMPORARY_NAME_TRIES; i++)
    {
      g_autofree char *candidate = g_strdup_printf ("%s/.sonde-%08x.part", folder, g_random_int ());
      int fd = open_repeating (io, candidate, O_WRONLY | O_CREAT | O_EXCL, 0666);

      if (fd >= 0)
        {
          *name = g_steal_pointer (&candidate);
          return fd;
        }
      if (errno != EEXIST)
        break;
    }
  sonde_data_error_set_errno (error, errno, "cannot write “%s”: cannot create a file in “%s”", path,
                              folder);
  return -1;
}

static gboolean
sync_repeating (const SondeIo *io, int fd)
{
  int result;

  do
    result = io->fsync (io, fd);
  while (result < 0 && errno == EINTR);

  return result == 0;
}

static gboolean
sync_folder (const SondeIo *io, const char *folder, GError **error)
{
  int fd = open_repeating (io, folder, O_RDONLY | O_DIRECTORY, 0);
  int error_number = errno;
  gboolean synced = fd >= 0 && sync_repeating (io, fd);

  if (fd >= 0)
    {
      error_number = errno;
      sonde_io_close (io, fd);
    }
  /* EINVAL: a file system that knows no fsync of folders; EACCES: a folder that may be written to
   * but not listed. Neither can be helped, and the file is in place. */
  if (synced || error_number == EINVAL || error_number == EACCES)
    return TRUE;
  sonde_data_error_set_errno (error, error_number, "cannot flush the folder “%s” to disk", folder);
  return FALSE;
}

/* What is there already. Devices, pipes and what a link stands for must not be renamed over:
 * /dev/null would become a file. A file that nobody may write stays, though its folder would let us
 * replace it. */
typedef enum
{
  TARGET_REPLACED,
  TARGET_IN_PLACE,
  TARGET_READ_ONLY,
} Target;

static Target
look_at_target (const SondeIo *io, const char *path)
{
  struct stat status;

  if (io->stat (io, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return TARGET_REPLACED;
  if (!S_ISREG (status.st_mode))
    return TARGET_IN_PLACE;
  return (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 ? TARGET_READ_ONLY : TARGET_REPLACED;
}

/* A full disk: how much there should be. */
static void
add_needed_bytes (GError **error, gsize length)
{
  SondeMessage *message;

  if (error == NULL || !g_error_matches (*error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE))
    return;
  message = sonde_message_copy (sonde_error_get_message (*error));
  sonde_message_append_format (message, "; %zu bytes are needed", length);
  g_clear_error (error);
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE, message);
}

/* ---- writing ------------------------------------------------------------- */

static gboolean
open_replacement (SondeReplacement *replacement, Target target, GError **error)
{
  if (target == TARGET_READ_ONLY)
    {
      sonde_data_error_set_errno (error, EACCES, "cannot write “%s”, which is read-only",
                                  replacement->path);
      return FALSE;
    }
  if (target == TARGET_REPLACED)
    {
      replacement->fd = open_temporary (replacement->io, replacement->folder, replacement->path,
                                        &replacement->temporary, error);
      return replacement->fd >= 0;
    }
  replacement->fd = open_repeating (replacement->io, replacement->path,
                                    O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0666);
  if (replacement->fd < 0)
    sonde_data_error_set_errno (error, errno, "cannot write “%s”", replacement->path);
  return replacement->fd >= 0;
}

SondeReplacement *
sonde_replacement_begin (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (SondeReplacement) replacement = g_new0 (SondeReplacement, 1);

  replacement->io = io != NULL ? io : sonde_io_system ();
  replacement->path = g_strdup (path);
  replacement->folder = g_path_get_dirname (path);
  replacement->fd = -1;
  if (!open_replacement (replacement, look_at_target (replacement->io, path), error))
    return NULL;
  return g_steal_pointer (&replacement);
}

gboolean
sonde_replacement_write (SondeReplacement *replacement, const void *data, gsize length,
                         GError **error)
{
  replacement->needed += length;
  if (sonde_io_write_full (replacement->io, replacement->fd, replacement->path, data, length, NULL,
                           error))
    return TRUE;
  if (replacement->temporary != NULL)
    add_needed_bytes (error, replacement->needed);
  return FALSE;
}

static gboolean
sync_and_rename (SondeReplacement *replacement, GError **error)
{
  const SondeIo *io = replacement->io;

  if (!sync_repeating (io, replacement->fd))
    {
      sonde_data_error_set_errno (error, errno, "cannot bring “%s” to the disk", replacement->path);
      return FALSE;
    }
  sonde_io_close (io, replacement->fd);
  replacement->fd = -1;
  if (io->rename (io, replacement->temporary, replacement->path) < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot replace “%s”", replacement->path);
      return FALSE;
    }
  return TRUE;
}

gboolean
sonde_replacement_finish (SondeReplacement *replacement, GError **error)
{
  g_autoptr (SondeReplacement) owned = replacement;

  if (owned->temporary == NULL)
    return TRUE;
  if (!sync_and_rename (owned, error))
    {
      add_needed_bytes (error, owned->needed);
      return FALSE;
    }
  g_clear_pointer (&owned->temporary, g_free);
  return sync_folder (owned->io, owned->folder, error);
}

void
sonde_replacement_abandon (SondeReplacement *replacement)
{
  if (replacement == NULL)
    return;
  sonde_io_close (replacement->io, replacement->fd);
  if (replacement->temporary != NULL)
    replacement->io->unlink (replacement->io, replacement->temporary);
  g_free (replacement->path);
  g_free (replacement->folder);
  g_free (replacement->temporary);
  g_free (replacement);
}

gboolean
sonde_io_replace_file (const SondeIo *io, const char *path, const void *data, gsize length,
                       GError **error)
{
  g_autoptr (SondeReplacement) replacement = sonde_replacement_begin (io, path, error);

  return replacement != NULL && sonde_replacement_write (replacement, data, length, error)
         && sonde_replacement_finish (g_steal_pointer (&replacement), error);
}
