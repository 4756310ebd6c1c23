/* SPDX-License-Identifier: Apache-2.0
 * Frames, then messages. */
#include "data/records/sonde-record-reader.h"

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-frame-private.h"

struct _SondeRecordReader
{
  SondeFrameReader *frames;
  SondeTagTable *table;
};

SondeRecordReader *
sonde_record_reader_open (const SondeIo *io, const char *path, GError **error)
{
  SondeFrameReader *frames = sonde_frame_reader_open (io, path, 0, error);
  SondeRecordReader *reader;

  if (frames == NULL)
    return NULL;
  reader = g_new0 (SondeRecordReader, 1);
  reader->frames = frames;
  reader->table = sonde_tag_table_new ();
  return reader;
}

void
sonde_record_reader_free (SondeRecordReader *reader)
{
  if (reader == NULL)
    return;
  sonde_frame_reader_free (reader->frames);
  sonde_tag_table_free (reader->table);
  g_free (reader);
}

SondeFrameResult
sonde_record_reader_next (SondeRecordReader *reader, SondeRecord *record, guint64 *offset,
                          GError **error)
{
  while (TRUE)
    {
      g_autoptr (GError) problem = NULL;
      const guint8 *payload;
      gsize length;
      guint64 start;
      SondeFrameResult result
          = sonde_frame_reader_next (reader->frames, &payload, &length, &start, error);

      if (result != SONDE_FRAME_RECORD)
        return result;
      if (sonde_record_decode (payload, length, reader->table, record, &problem))
        {
          if (offset != NULL)
            *offset = start;
          return SONDE_FRAME_RECORD;
        }
      if (g_error_matches (problem, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY))
        {
          sonde_frame_reader_seek (reader->frames, start); /* the record may be right */
          g_propagate_error (error, g_steal_pointer (&problem));
          return SONDE_FRAME_ERROR;
        }
      sonde_frame_reader_add_damage (reader->frames, start, length + SONDE_FRAME_OVERHEAD_BYTES,
                                     g_strdup (problem->message));
    }
}

SondeFrameReader *
sonde_record_reader_get_frames (SondeRecordReader *reader)
{
  return reader->frames;
}
