/* SPDX-License-Identifier: Apache-2.0
 * Zip archives; libarchive asks us for bytes. */
#include "data/arrays/sonde-zip.h"

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-message-nest.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#define READ_BLOCK (256 << 10)
#define EMPTY_ARCHIVE_BYTES 22

typedef struct archive ReadArchive;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReadArchive, archive_read_free)

typedef struct
{
  const SondeIo *io;
  int fd;
  const char *path, *kind;
  SondeBudget budget;
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
  g_autofree char *incomplete
      = sonde_message_nest ("not a complete %s (zip) archive", source->kind);
  const char *reason = archive_error_string (archive);

  if (reason == NULL)
    reason = incomplete;
  if (source->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&source->error));
      return FALSE;
    }
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
             guint8 **bytes, gsize *length, GError **error)
{
  g_autofree guint8 *room = NULL;
  guint64 declared;
  gsize done = 0;

  if (!archive_entry_size_is_set (entry) || archive_entry_size (entry) < 0)
    return fail (source, archive, name, error);

  declared = (guint64) archive_entry_size (entry);
  room = sonde_try_alloc (&source->budget, declared, name, error);
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
hand_over (Source *source, struct archive *archive, struct archive_entry *entry,
           const SondeZipTaker *taker, gpointer data, GError **error)
{
  const char *name = archive_entry_pathname (entry);
  guint8 *bytes = NULL;
  gsize length = 0;

  if (name == NULL || !taker->wants (data, name))
    return TRUE;
  return read_member (source, archive, entry, name, &bytes, &length, error)
         && taker->take (data, name, bytes, length, error);
}

static gboolean
read_all (Source *source, const SondeZipTaker *taker, gpointer data, GError **error)
{
  g_autoptr (ReadArchive) archive = archive_read_new ();
  struct archive_entry *entry;
  int status;

  archive_read_support_format_zip_seekable (archive);
  archive_read_set_read_callback (archive, source_read);
  archive_read_set_seek_callback (archive, source_seek);
  archive_read_set_callback_data (archive, source);
  if (archive_read_open1 (archive) != ARCHIVE_OK)
    return fail (source, archive, NULL, error);
  while ((status = archive_read_next_header (archive, &entry)) == ARCHIVE_OK)
    {
      if (!hand_over (source, archive, entry, taker, data, error))
        return FALSE;
    }
  return status == ARCHIVE_EOF || fail (source, archive, NULL, error);
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

gboolean
sonde_zip_read (const SondeIo *io, const char *path, const char *kind, const SondeZipTaker *taker,
                gpointer data, GError **error)
{
  Source source = { .io = io, .path = path, .kind = kind };
  g_autofree char *budget_name = sonde_message_nest ("the arrays of “%s”", path);
  gboolean done;

  source.fd = sonde_io_open_regular (io, path, &source.size, error);
  if (source.fd < 0)
    return FALSE;
  sonde_budget_init (&source.budget, SONDE_BUDGET_PARSE_BYTES, budget_name);
  source.block = g_malloc (READ_BLOCK);
  done = is_empty_archive (&source) || read_all (&source, taker, data, error);
  g_free (source.block);
  g_clear_error (&source.error);
  sonde_io_close (io, source.fd);
  return done;
}
