/* SPDX-License-Identifier: Apache-2.0
 * Compressed copies of event files ("….tfevents….gz"): the frames inside are read as they are
 * inflated, places are offsets of the inflated bytes. */
#include "data/records/sonde-record-format.h"

#include <fcntl.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-inflate-io.h"

#define BATCH_POINTS 8192
#define BATCH_BYTES ((guint64) 1 << 20)
/* A copy that is still being made is not damaged. */
#define SETTLED_SECONDS 60

typedef struct
{
  const SondeIo *io;
  SondeInflateIo *inflate;
  SondeFrameReader *frames;
  SondeRecordDecoder *decoder;
  char *path;
  guint n_damage; /* of the frames, handed on already */
  gboolean end_noted;
} Source;

static const SondeRecordFormat *const inner = &sonde_record_format_tensorboard;

static void
source_close (gpointer data)
{
  Source *source = data;

  sonde_frame_reader_free (source->frames);
  sonde_inflate_io_free (source->inflate);
  inner->decoder_free (source->decoder);
  g_free (source->path);
  g_free (source);
}

static gpointer
source_open (const SondeIo *io, const char *path, guint64 position, const SondeRecordTag *tags,
             gsize n_tags, GError **error)
{
  Source *source = g_new0 (Source, 1);

  source->io = io != NULL ? io : sonde_io_system ();
  source->inflate = sonde_inflate_io_new (io);
  source->decoder = inner->decoder_new (tags, n_tags);
  source->path = g_strdup (path);
  source->frames
      = sonde_frame_reader_open (sonde_inflate_io_get_io (source->inflate), path, position, error);
  if (source->frames != NULL)
    return source;
  source_close (source);
  return NULL;
}

static void
add_damage (GPtrArray *damage, guint64 offset, guint64 bytes, const char *reason)
{
  SondeFrameDamage *item = g_new0 (SondeFrameDamage, 1);

  item->offset = offset;
  item->bytes = bytes;
  item->reason = g_strdup (reason);
  g_ptr_array_add (damage, item);
}

static void
hand_on_damage (Source *source, GPtrArray *damage)
{
  GPtrArray *noted = sonde_frame_reader_get_damage (source->frames);

  for (; source->n_damage < noted->len; source->n_damage++)
    {
      const SondeFrameDamage *item = noted->pdata[source->n_damage];

      add_damage (damage, item->offset, item->bytes, item->reason);
    }
}

static gboolean
is_settled (const Source *source)
{
  struct stat status;

  return source->io->stat (source->io, AT_FDCWD, source->path, &status, 0) != 0
         || g_get_real_time () / G_USEC_PER_SEC - status.st_mtime > SETTLED_SECONDS;
}

/* What is wrong with the compressed file itself, said once. */
static void
note_end (Source *source, GPtrArray *damage)
{
  const char *reason;
  guint64 size, position = sonde_frame_reader_get_position (source->frames);
  gboolean complete = sonde_inflate_io_is_complete (source->inflate, &reason);

  if (complete || reason == NULL || source->end_noted
      || !sonde_inflate_io_get_size (source->inflate, &size) || !is_settled (source))
    return;
  source->end_noted = TRUE;
  add_damage (damage, position, size > position ? size - position : 0, reason);
}

static SondeFrameResult
next_frame (Source *source, const guint8 **payload, gsize *length, guint64 *offset, GError **error)
{
  guint64 size;
  gboolean knew = sonde_inflate_io_get_size (source->inflate, &size);
  SondeFrameResult result
      = sonde_frame_reader_next (source->frames, payload, length, offset, error);

  /* the size is known now, which a search for the next record waits for */
  if (result == SONDE_FRAME_WAITING && !knew && sonde_inflate_io_get_size (source->inflate, &size))
    result = sonde_frame_reader_next (source->frames, payload, length, offset, error);
  if (result == SONDE_FRAME_WAITING && sonde_inflate_io_is_complete (source->inflate, NULL))
    {
      sonde_frame_reader_finish (source->frames);
      result = sonde_frame_reader_next (source->frames, payload, length, offset, error);
    }
  return result;
}

static SondeFrameResult
source_next (gpointer data, SondeRecordBatch *batch, guint64 *position, guint64 *n_records,
             GPtrArray *damage, GError **error)
{
  Source *source = data;
  guint64 begin = sonde_frame_reader_get_position (source->frames), end = begin, n = 0;
  const gsize n_points = batch->n_points;
  SondeFrameResult result = SONDE_FRAME_RECORD;

  while (result == SONDE_FRAME_RECORD && batch->n_points - n_points < BATCH_POINTS
         && end - begin < BATCH_BYTES)
    {
      g_autoptr (GError) failure = NULL;
      const guint8 *payload;
      gsize length;
      guint64 offset;
      const guint64 before = end;

      result = next_frame (source, &payload, &length, &offset, error);
      end = sonde_frame_reader_get_position (source->frames);
      if (result != SONDE_FRAME_RECORD)
        break;
      if (inner->scan (source->decoder, payload, length, offset, batch, &failure))
        n++;
      else if (g_error_matches (failure, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY))
        {
          /* it may be right: it is for a later call, with a reader of its own */
          g_propagate_error (error, g_steal_pointer (&failure));
          result = SONDE_FRAME_ERROR;
          end = before;
        }
      else
        add_damage (damage, offset, length + SONDE_FRAME_OVERHEAD_BYTES, failure->message);
    }
  hand_on_damage (source, damage);
  if (result == SONDE_FRAME_WAITING)
    note_end (source, damage);
  *position = end;
  *n_records = n;
  return result == SONDE_FRAME_WAITING && n > 0 ? SONDE_FRAME_RECORD : result;
}

static GArray *
source_get_tags (gpointer data)
{
  return ((Source *) data)->decoder->tags;
}

static gboolean
read_place (const SondeIo *io, const char *path, guint64 place, const SondeRecordTag *tags,
            gsize n_tags, SondeRecord *record, GError **error)
{
  guint64 offset = sonde_record_place_offset (place), start = 0;
  Source *source = source_open (io, path, offset, tags, n_tags, error);
  const guint8 *payload;
  gsize length;
  gboolean right = FALSE;

  if (source == NULL)
    return FALSE;
  switch (sonde_frame_reader_next (source->frames, &payload, &length, &start, error))
    {
    case SONDE_FRAME_RECORD:
      right = start == offset
              && inner->read (source->decoder, payload, length, sonde_record_place_part (place),
                              record, error);
      break;
    case SONDE_FRAME_ERROR:
    case SONDE_FRAME_WAITING:
    default:
      break;
    }
  if (!right && error != NULL && *error == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” has no readable record at byte %" PRIu64 " of its decompressed content",
                     path, offset);
  source_close (source);
  return right;
}

static gboolean
recognises (const char *file_name)
{
  return strstr (file_name, "tfevents") != NULL && g_str_has_suffix (file_name, ".gz");
}

const SondeRecordFormat sonde_record_format_tensorboard_gzip = {
  .name = "tensorboard",
  .recognises = recognises,
  .open = source_open,
  .next = source_next,
  .get_tags = source_get_tags,
  .close = source_close,
  .read_place = read_place,
};
