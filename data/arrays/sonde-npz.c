/* SPDX-License-Identifier: Apache-2.0
 * .npz files: zip archives of .npy members. */
#include "data/arrays/sonde-npz.h"

#include "data/arrays/sonde-zip.h"
#include "data/base/sonde-error.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#define MAX_MEMBERS 100000

typedef struct archive WriteArchive;
typedef struct archive_entry ArchiveEntry;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WriteArchive, archive_write_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ArchiveEntry, archive_entry_free)

/* Reading */

typedef struct
{
  const char *path;
  SondeNamedTensors *tensors;
} Reading;

static gboolean
is_array (gpointer data, const char *name)
{
  return g_str_has_suffix (name, ".npy");
}

static gboolean
take_array (gpointer data, const char *name, guint8 *bytes, gsize length, GError **error)
{
  Reading *reading = data;
  g_autofree guint8 *owned = bytes;
  g_autofree char *shown = g_strdup_printf ("%s: %s", reading->path, name);
  g_autofree char *key = NULL;
  g_autoptr (SondeTensor) tensor = NULL;

  if (sonde_named_tensors_get_size (reading->tensors) == MAX_MEMBERS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s” holds more than %d arrays", reading->path, MAX_MEMBERS);
      return FALSE;
    }
  tensor = sonde_npy_parse (owned, length, shown, error);
  if (tensor == NULL)
    return FALSE;
  key = g_strndup (name, strlen (name) - strlen (".npy"));
  sonde_named_tensors_set (reading->tensors, key, tensor);
  return TRUE;
}

SondeNamedTensors *
sonde_npz_read (const SondeIo *io, const char *path, GError **error)
{
  static const SondeZipTaker taker = { is_array, take_array };
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  Reading reading = { path, tensors };

  if (!sonde_zip_read (io, path, ".npz", &taker, &reading, error))
    return NULL;
  return g_steal_pointer (&tensors);
}

/* Writing */

static la_ssize_t
append_bytes (struct archive *archive, void *user_data, const void *data, size_t length)
{
  GString *bytes = user_data;

  g_string_append_len (bytes, data, (gssize) length);
  return (la_ssize_t) length;
}

static gboolean
write_member (struct archive *archive, const char *name, SondeTensor *tensor)
{
  g_autoptr (GBytes) bytes = sonde_npy_serialise (tensor);
  g_autoptr (ArchiveEntry) entry = archive_entry_new ();
  g_autofree char *member = g_strconcat (name, ".npy", NULL);
  gsize length = g_bytes_get_size (bytes);

  archive_entry_set_pathname_utf8 (entry, member);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  archive_entry_set_size (entry, (la_int64_t) length);
  /* 1980, the first day of zip: equal arrays, equal files */
  archive_entry_set_mtime (entry, 315532800, 0);
  return archive_write_header (archive, entry) == ARCHIVE_OK
         && archive_write_data (archive, g_bytes_get_data (bytes, NULL), length)
                == (la_ssize_t) length
         && archive_write_finish_entry (archive) == ARCHIVE_OK;
}

static gboolean
write_all (struct archive *archive, const SondeNamedTensors *tensors, GString *bytes)
{
  gsize n = sonde_named_tensors_get_size (tensors);

  if (archive_write_set_format_zip (archive) != ARCHIVE_OK
      || archive_write_zip_set_compression_store (archive) != ARCHIVE_OK
      || archive_write_set_bytes_per_block (archive, 0) != ARCHIVE_OK
      || archive_write_open (archive, bytes, NULL, append_bytes, NULL) != ARCHIVE_OK)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      if (!write_member (archive, sonde_named_tensors_get_name (tensors, i),
                         sonde_named_tensors_get_tensor (tensors, i)))
        return FALSE;
    }
  return archive_write_close (archive) == ARCHIVE_OK;
}

gboolean
sonde_npz_write (const SondeIo *io, const char *path, const SondeNamedTensors *tensors,
                 GError **error)
{
  g_autoptr (WriteArchive) archive = archive_write_new ();
  GString *bytes = g_string_new (NULL);
  gboolean written = write_all (archive, tensors, bytes);

  if (written)
    written = sonde_io_replace_file (io, path, bytes->str, bytes->len, error);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "cannot write “%s”: %s", path,
                     archive_error_string (archive));
  g_string_free (bytes, TRUE);
  return written;
}
