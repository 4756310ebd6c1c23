/* SPDX-License-Identifier: Apache-2.0
 * Reads frames from a file that may be growing or damaged. */
#include "data/records/sonde-record-frame-private.h"

#include <errno.h>
#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"

#define FIRST_BLOCK_BYTES ((gsize) 64 << 10)
#define BLOCK_BYTES ((gsize) 1 << 20)
#define KEEP_BYTES ((gsize) 16 << 20) /* a larger buffer is given back after its record */
/* Bytes looked at in one gap, checksums of payloads included, and in gaps with no record between
 * them. The second is larger than one record, so that a large record with a damaged header can be
 * overcome, and bounds the time for a file that is none of ours. */
#define GAP_WORK ((guint64) 64 << 20)
#define BARREN_WORK ((guint64) 1 << 30)

/* @position: of the next frame, everything before it is delivered or noted
 * @search: the next offset to try when no frame is right at @position; 0 when none was tried
 * @limit: the search ends there
 * @work: bytes looked at in this gap; @barren: in the gaps before it without a record */
struct _SondeFrameReader
{
  const SondeIo *io;
  char *path;
  int fd;
  guint8 *buffer; /* file bytes [base, base + filled) */
  gsize capacity, filled, block;
  guint64 base;
  guint64 file_size;
  guint64 position;
  guint64 search, limit, work, barren;
  guint64 count;
  gboolean finished;
  GPtrArray *damage;
};

typedef enum
{
  FRAME_GOOD,
  FRAME_SHORT, /* the file ends inside it */
  FRAME_BAD_HEADER,
  FRAME_TOO_LONG,
  FRAME_BAD_PAYLOAD,
  FRAME_FAILED, /* error is set */
} FrameState;

/* ---- bytes --------------------------------------------------------------- */

static gboolean
update_size (SondeFrameReader *reader, GError **error)
{
  const SondeIo *io = reader->io != NULL ? reader->io : sonde_io_system ();
  struct stat status;

  if (io->fstat (io, reader->fd, &status) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot determine the size of “%s”", reader->path);
      return FALSE;
    }
  reader->file_size = (guint64) status.st_size;
  if (reader->file_size >= reader->position)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” has %" PRIu64 " bytes but was already read up to byte %" PRIu64
                   ": it was truncated or replaced; open it again",
                   reader->path, reader->file_size, reader->position);
  return FALSE;
}

static gboolean
make_room (SondeFrameReader *reader, gsize bytes, GError **error)
{
  guint8 *buffer;

  if (reader->capacity >= bytes && (reader->capacity <= KEEP_BYTES || bytes > BLOCK_BYTES))
    return TRUE;
  buffer = g_try_realloc (reader->buffer, bytes);
  if (buffer == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "not enough memory for a record of %zu bytes in “%s”", bytes, reader->path);
      return FALSE;
    }
  reader->buffer = buffer;
  reader->capacity = bytes;
  return TRUE;
}

/* How many bytes from @offset on are in the buffer. */
static gsize
bytes_ahead (const SondeFrameReader *reader, guint64 offset)
{
  if (offset < reader->base || offset - reader->base >= reader->filled)
    return 0;
  return reader->filled - (gsize) (offset - reader->base);
}

/* Lends @bytes bytes at @offset until the next call. NULL without an error: the file is shorter. */
static const guint8 *
load (SondeFrameReader *reader, guint64 offset, gsize bytes, GError **error)
{
  gsize kept, wanted;
  gssize got;

  if (bytes_ahead (reader, offset) >= bytes)
    return reader->buffer + (offset - reader->base);
  if (!update_size (reader, error))
    return NULL;
  if (offset > reader->file_size || bytes > reader->file_size - offset)
    return NULL;

  wanted = MIN (MAX (bytes, reader->block), reader->file_size - offset);
  reader->block = MIN (reader->block * 4, BLOCK_BYTES);
  kept = MIN (bytes_ahead (reader, offset), wanted);
  if (kept > 0)
    memmove (reader->buffer, reader->buffer + (offset - reader->base), kept);
  reader->base = offset;
  reader->filled = kept;
  if (!make_room (reader, wanted, error))
    return NULL;

  got = sonde_io_pread_full (reader->io, reader->fd, reader->path, reader->buffer + kept,
                             wanted - kept, offset + kept, error);
  if (got < 0)
    return NULL;
  reader->filled = kept + (gsize) got;
  return reader->filled >= bytes ? reader->buffer : NULL;
}

static FrameState
check_frame (SondeFrameReader *reader, guint64 offset, guint64 *length, GError **error)
{
  g_autoptr (GError) failure = NULL;
  const guint8 *frame;
  guint32 stored;

  frame = load (reader, offset, SONDE_FRAME_HEADER_BYTES, &failure);
  if (frame != NULL)
    {
      if (!sonde_frame_header_is_right (frame, length))
        return FRAME_BAD_HEADER;
      if (*length > SONDE_BUDGET_RECORD_BYTES)
        return FRAME_TOO_LONG;
      frame = load (reader, offset, *length + SONDE_FRAME_OVERHEAD_BYTES, &failure);
    }
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FRAME_FAILED;
    }
  if (frame == NULL)
    return FRAME_SHORT;

  memcpy (&stored, frame + SONDE_FRAME_HEADER_BYTES + *length, 4);
  if (GUINT32_FROM_LE (stored)
      != sonde_frame_masked_crc (frame + SONDE_FRAME_HEADER_BYTES, *length))
    return FRAME_BAD_PAYLOAD;
  return FRAME_GOOD;
}

/* ---- damage -------------------------------------------------------------- */

void
sonde_frame_reader_add_damage (SondeFrameReader *reader, guint64 offset, guint64 bytes,
                               char *reason)
{
  SondeFrameDamage *damage = g_new0 (SondeFrameDamage, 1);

  damage->offset = offset;
  damage->bytes = bytes;
  damage->reason = reason;
  g_ptr_array_add (reader->damage, damage);
}

static void
go_to (SondeFrameReader *reader, guint64 position)
{
  reader->position = position;
  reader->search = 0;
  reader->work = 0;
}

/* Notes everything from the position to @end. */
static void
note_gap (SondeFrameReader *reader, guint64 end, char *reason)
{
  sonde_frame_reader_add_damage (reader, reader->position, end - reader->position, reason);
  go_to (reader, end);
}

/* Returns: (transfer full): why there is no frame at the position. */
static char *
explain (SondeFrameReader *reader, FrameState state, guint64 length)
{
  static const guint8 zeros[SONDE_FRAME_HEADER_BYTES];
  const guint8 *header;

  if (state == FRAME_SHORT)
    return g_strdup ("cut off inside a record");
  if (state == FRAME_BAD_PAYLOAD)
    return g_strdup ("payload checksum");
  if (state == FRAME_TOO_LONG)
    return g_strdup_printf ("length %" PRIu64 " exceeds the budget of %" PRIu64 " bytes", length,
                            SONDE_BUDGET_RECORD_BYTES);
  header = load (reader, reader->position, SONDE_FRAME_HEADER_BYTES, NULL);
  if (header == NULL)
    return g_strdup ("length checksum");
  if (memcmp (header, zeros, sizeof zeros) == 0)
    return g_strdup ("zeros");
  if (reader->position == 0 && sonde_frame_explain_file (header) != NULL)
    return g_strdup (sonde_frame_explain_file (header));
  return g_strdup (sonde_frame_explain_header (header));
}

/* ---- the next record ----------------------------------------------------- */

typedef enum
{
  SEARCH_FOUND, /* a whole frame begins at *search */
  SEARCH_ENDED, /* none so far in this file; *search is where to go on when it has grown */
  SEARCH_TIRED, /* enough looked at */
  SEARCH_FAILED,
} SearchResult;

/* The first offset in the @bytes at @data whose header is right, or @bytes - 11. */
static gsize
find_header (const guint8 *data, gsize bytes)
{
  gsize last = bytes - SONDE_FRAME_HEADER_BYTES;
  guint64 length;

  for (gsize i = 0; i <= last; i++)
    {
      memcpy (&length, data + i, 8);
      if (GUINT64_FROM_LE (length) <= SONDE_BUDGET_RECORD_BYTES
          && sonde_frame_header_is_right (data + i, &length))
        return i;
    }
  return last + 1;
}

static SearchResult
search_record (SondeFrameReader *reader, GError **error)
{
  while (reader->work < GAP_WORK)
    {
      g_autoptr (GError) failure = NULL;
      const guint8 *data;
      FrameState state;
      gsize bytes, step;
      guint64 length = 0;

      if (reader->search >= reader->limit)
        return SEARCH_ENDED;
      /* Not a full block each time: many false headers would move the buffer for each of them. */
      bytes = bytes_ahead (reader, reader->search);
      if (bytes < SONDE_FRAME_HEADER_BYTES)
        {
          if (!update_size (reader, error))
            return SEARCH_FAILED;
          if (reader->search + SONDE_FRAME_HEADER_BYTES > reader->file_size)
            return SEARCH_ENDED;
          bytes = MIN (BLOCK_BYTES, reader->file_size - reader->search);
        }
      data = load (reader, reader->search, bytes, &failure);
      if (data == NULL && failure == NULL)
        return SEARCH_ENDED; /* the file was cut meanwhile: the next call says so */
      if (data == NULL)
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return SEARCH_FAILED;
        }

      step = find_header (data, bytes);
      reader->search += step;
      reader->work += step;
      if (step + SONDE_FRAME_HEADER_BYTES > bytes)
        continue;

      state = check_frame (reader, reader->search, &length, error);
      if (state == FRAME_GOOD)
        return SEARCH_FOUND;
      if (state == FRAME_FAILED)
        return SEARCH_FAILED;
      if (state == FRAME_SHORT && !reader->finished)
        return SEARCH_ENDED;
      reader->search++;
      reader->work += 1 + (state == FRAME_BAD_PAYLOAD ? length : 0);
    }
  return SEARCH_TIRED;
}

typedef enum
{
  STEP_DONE,
  STEP_UNDECIDED, /* the next header is not there yet */
  STEP_REFUSED,
} StepResult;

/* A frame whose payload alone is wrong is stepped over by its length, when that leads to the next
 * frame: what looks like frames inside its payload must not come up. */
static StepResult
step_over_payload (SondeFrameReader *reader, guint64 length)
{
  guint64 next = reader->position + length + SONDE_FRAME_OVERHEAD_BYTES;
  const guint8 *header = load (reader, next, SONDE_FRAME_HEADER_BYTES, NULL);

  if (header == NULL && !reader->finished)
    return STEP_UNDECIDED;
  if (header == NULL ? next != reader->file_size : !sonde_frame_header_is_right (header, &length))
    return STEP_REFUSED;
  note_gap (reader, next, g_strdup ("payload checksum"));
  return STEP_DONE;
}

/* No frame is right at the position. Goes to the next one, or returns FALSE at the end. */
static gboolean
overcome (SondeFrameReader *reader, FrameState state, guint64 length, SearchResult *result,
          GError **error)
{
  g_autofree char *reason = NULL;
  StepResult step = state == FRAME_BAD_PAYLOAD ? step_over_payload (reader, length) : STEP_REFUSED;

  if (step != STEP_REFUSED)
    return step == STEP_DONE;
  if (reader->search == 0)
    reader->search = reader->position + 1;
  *result = search_record (reader, error);
  if (*result == SEARCH_FAILED || (*result == SEARCH_ENDED && !reader->finished))
    return FALSE;

  reason = explain (reader, state, length);
  if (*result == SEARCH_FOUND)
    {
      note_gap (reader, reader->search, g_steal_pointer (&reason));
      return TRUE;
    }
  if (*result == SEARCH_ENDED)
    {
      note_gap (reader, reader->file_size, g_steal_pointer (&reason));
      return FALSE;
    }

  reader->barren += reader->work;
  if (reader->barren < BARREN_WORK)
    {
      note_gap (reader, reader->search,
                g_strdup_printf ("%s, and no record up to here: the search goes on", reason));
      return TRUE;
    }
  reader->barren = 0;
  note_gap (
      reader, reader->file_size,
      g_strdup_printf ("%s, and no record for so long that the rest of the file was not searched",
                       reason));
  return FALSE;
}

/* Brings the position to the next right frame. */
static SondeFrameResult
locate (SondeFrameReader *reader, guint64 *length, GError **error)
{
  SearchResult search = SEARCH_ENDED;
  FrameState state;

  do
    {
      state = check_frame (reader, reader->position, length, error);
      if (state == FRAME_GOOD)
        {
          reader->search = reader->work = reader->barren = 0;
          return SONDE_FRAME_RECORD;
        }
      if (state == FRAME_FAILED)
        return SONDE_FRAME_ERROR;
      if (state == FRAME_SHORT && (!reader->finished || reader->position == reader->file_size))
        return SONDE_FRAME_WAITING;
    }
  while (overcome (reader, state, *length, &search, error));
  return search == SEARCH_FAILED ? SONDE_FRAME_ERROR : SONDE_FRAME_WAITING;
}

SondeFrameResult
sonde_frame_reader_next (SondeFrameReader *reader, const guint8 **payload, gsize *length,
                         guint64 *offset, GError **error)
{
  guint64 bytes = 0;
  SondeFrameResult result = locate (reader, &bytes, error);

  if (result != SONDE_FRAME_RECORD)
    {
      /* What stands behind the position may be holes that are filled later: read it again then. */
      reader->filled = 0;
      return result;
    }
  if (offset != NULL)
    *offset = reader->position;
  *payload = reader->buffer + (reader->position - reader->base) + SONDE_FRAME_HEADER_BYTES;
  *length = bytes;
  reader->position += bytes + SONDE_FRAME_OVERHEAD_BYTES;
  reader->count++;
  return SONDE_FRAME_RECORD;
}

void
sonde_frame_reader_finish (SondeFrameReader *reader)
{
  guint64 length = 0;

  reader->finished = TRUE;
  reader->search = 0; /* an unfinished record inside the gap is no reason to wait any more */
  locate (reader, &length, NULL);
}

/* ---- object -------------------------------------------------------------- */

SondeFrameReader *
sonde_frame_reader_open (const SondeIo *io, const char *path, guint64 start, GError **error)
{
  SondeFrameReader *reader;
  guint64 size;
  int fd = sonde_io_open_regular (io, path, &size, error);

  if (fd < 0)
    return NULL;
  reader = g_new0 (SondeFrameReader, 1);
  reader->io = io;
  reader->path = g_strdup (path);
  reader->fd = fd;
  reader->file_size = size;
  reader->position = start;
  reader->block = FIRST_BLOCK_BYTES;
  reader->limit = G_MAXUINT64;
  reader->damage = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  return reader;
}

void
sonde_frame_reader_free (SondeFrameReader *reader)
{
  if (reader == NULL)
    return;
  sonde_io_close (reader->io, reader->fd);
  g_ptr_array_unref (reader->damage);
  g_free (reader->buffer);
  g_free (reader->path);
  g_free (reader);
}

void
sonde_frame_reader_seek (SondeFrameReader *reader, guint64 position)
{
  go_to (reader, position);
}

gboolean
sonde_frame_reader_find (SondeFrameReader *reader, guint64 end)
{
  gboolean found;

  reader->search = reader->position;
  reader->limit = end;
  found = search_record (reader, NULL) == SEARCH_FOUND && reader->search < end;
  reader->limit = G_MAXUINT64;
  go_to (reader, found ? reader->search : end);
  return found;
}

guint64
sonde_frame_reader_get_position (const SondeFrameReader *reader)
{
  return reader->position;
}

guint64
sonde_frame_reader_get_count (const SondeFrameReader *reader)
{
  return reader->count;
}

guint64
sonde_frame_reader_get_file_size (const SondeFrameReader *reader)
{
  return reader->file_size;
}

gboolean
sonde_frame_reader_is_waiting (const SondeFrameReader *reader)
{
  return reader->position < reader->file_size;
}

GPtrArray *
sonde_frame_reader_get_damage (const SondeFrameReader *reader)
{
  return reader->damage;
}
