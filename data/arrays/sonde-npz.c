/* SPDX-License-Identifier: Apache-2.0
 * .npz files: zip archives of .npy members, in memory through libarchive, which asks us for
 * bytes. */
#include "data/arrays/sonde-npz.h"

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-message-nest.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#define READ_BLOCK (256 << 10)
#define MAX_MEMBERS 100000
#define EMPTY_ARCHIVE_BYTES 22

typedef struct archive ReadArchive;
typedef struct archive WriteArchive;
typedef struct archive_entry ArchiveEntry;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReadArchive, archive_read_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WriteArchive, archive_write_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ArchiveEntry, archive_entry_free)

/* Reading */

typedef struct
{
  const SondeIo *io;
  int fd;
  const char *path;
  guint64 size;
  guint64 offset;
  guint8 *block;
  GError *error; /* (nullable) owned: what failed below libarchive */
} Source;

static la_ssize_t
source_read (struct archive *archive, void *user_data, const void **block)
{
  Source *source = user_data;
  gssize got;

  *block = source->block;
  g_clear_error (&source->error);
  got = sonde_io_pread_full (source->io, source->fd, source->path, source->block, READ_BLOCK,
                             source->offset, &source->error);
  if (got < 0)
    {
      archive_set_error (archive, EIO, "%s", source->error->message);
      return ARCHIVE_FATAL;
    }
  source->offset += (guint64) got;
  return got;
}

static la_int64_t
source_seek (struct archive *archive, void *user_data, la_int64_t offset, int whence)
{
  Source *source = user_data;
  gint64 base
      = whence == SEEK_SET ? 0 : (gint64) (whence == SEEK_CUR ? source->offset : source->size);

  if (offset < -base || offset > G_MAXINT64 - base)
    return ARCHIVE_FATAL;
  source->offset = (guint64) (base + offset);
  return (la_int64_t) source->offset;
}

static gboolean
fail (Source *source, struct archive *archive, const char *member, GError **error)
{
  const char *reason = archive_error_string (archive);

  if (source->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&source->error));
      return FALSE;
    }
  if (reason == NULL)
    reason = N_ ("not a complete .npz (zip) archive");
  if (member != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”, member “%s”, near offset %" PRIu64 ": %-s", source->path, member,
                     source->offset, reason);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” near offset %" PRIu64 ": %-s", source->path, source->offset, reason);
  return FALSE;
}

/* The bytes of the current member. Not more than it declared, and that within the budget. */
static gboolean
read_member (Source *source, struct archive *archive, struct archive_entry *entry, const char *name,
             SondeBudget *budget, guint8 **bytes, gsize *length, GError **error)
{
  g_autofree guint8 *room = NULL;
  guint64 declared;
  gsize done = 0;

  if (!archive_entry_size_is_set (entry) || archive_entry_size (entry) < 0)
    return fail (source, archive, name, error);

  declared = (guint64) archive_entry_size (entry);
  room = sonde_try_alloc (budget, declared, name, error);
  if (room == NULL)
    {
      sonde_prefix_error (error, "“%s”: ", source->path);
      return FALSE;
    }
  while (done < declared)
    {
      la_ssize_t got = archive_read_data (archive, room + done, declared - done);

      if (got < 0)
        return fail (source, archive, name, error);
      if (got == 0)
        break;
      done += (gsize) got;
    }
  /* Only the read past the end makes libarchive compare the checksum. */
  guint8 beyond;
  la_ssize_t rest = archive_read_data (archive, &beyond, 1);

  if (done < declared || rest != 0)
    return fail (source, archive, name, error);

  *bytes = g_steal_pointer (&room);
  *length = done;
  return TRUE;
}

static gboolean
add_member (Source *source, struct archive *archive, struct archive_entry *entry,
            SondeBudget *budget, SondeNamedTensors *tensors, GError **error)
{
  const char *name = archive_entry_pathname (entry);
  g_autofree char *shown = NULL;
  g_autofree char *key = NULL;
  g_autofree guint8 *bytes = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  gsize length = 0;

  if (name == NULL || !g_str_has_suffix (name, ".npy"))
    return TRUE; /* not an array: stepped over */
  if (sonde_named_tensors_get_size (tensors) == MAX_MEMBERS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s” holds more than %d arrays", source->path, MAX_MEMBERS);
      return FALSE;
    }
  if (!read_member (source, archive, entry, name, budget, &bytes, &length, error))
    return FALSE;

  shown = g_strdup_printf ("%s: %s", source->path, name);
  tensor = sonde_npy_parse (bytes, length, shown, error);
  if (tensor == NULL)
    return FALSE;
  key = g_strndup (name, strlen (name) - strlen (".npy"));
  sonde_named_tensors_set (tensors, key, tensor);
  return TRUE;
}

static SondeNamedTensors *
read_all (Source *source, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (ReadArchive) archive = archive_read_new ();
  g_autofree char *budget_name = sonde_message_nest ("the arrays of “%s”", source->path);
  struct archive_entry *entry;
  SondeBudget budget;
  int status;

  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, budget_name);
  archive_read_support_format_zip_seekable (archive);
  archive_read_set_read_callback (archive, source_read);
  archive_read_set_seek_callback (archive, source_seek);
  archive_read_set_callback_data (archive, source);
  if (archive_read_open1 (archive) != ARCHIVE_OK)
    {
      fail (source, archive, NULL, error);
      return NULL;
    }
  while ((status = archive_read_next_header (archive, &entry)) == ARCHIVE_OK)
    {
      if (!add_member (source, archive, entry, &budget, tensors, error))
        return NULL;
    }
  if (status != ARCHIVE_EOF)
    {
      fail (source, archive, NULL, error);
      return NULL;
    }
  return g_steal_pointer (&tensors);
}

/* An archive of no members is only an end record, which libarchive does not recognise. */
static gboolean
is_empty_archive (Source *source)
{
  const guint8 end_record[EMPTY_ARCHIVE_BYTES] = { 'P', 'K', 5, 6 };
  guint8 bytes[EMPTY_ARCHIVE_BYTES];

  return source->size == sizeof bytes
         && sonde_io_pread_full (source->io, source->fd, source->path, bytes, sizeof bytes, 0, NULL)
                == (gssize) sizeof bytes
         && memcmp (bytes, end_record, sizeof bytes) == 0;
}

SondeNamedTensors *
sonde_npz_read (const SondeIo *io, const char *path, GError **error)
{
  Source source = { .io = io, .path = path };
  SondeNamedTensors *tensors;

  source.fd = sonde_io_open_regular (io, path, &source.size, error);
  if (source.fd < 0)
    return NULL;

  source.block = g_malloc (READ_BLOCK);
  tensors = is_empty_archive (&source) ? sonde_named_tensors_new () : read_all (&source, error);
  g_free (source.block);
  g_clear_error (&source.error);
  sonde_io_close (io, source.fd);
  return tensors;
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
