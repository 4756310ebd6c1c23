/* SPDX-License-Identifier: Apache-2.0 */
#include "data/records/sonde-record-format.h"

#include "data/base/sonde-error.h"

static const SondeRecordFormat *const formats[] = {
  &sonde_record_format_sonde,
  &sonde_record_format_mindspore_event,
  &sonde_record_format_mindspore_lineage,
  &sonde_record_format_mindspore_statistic,
  &sonde_record_format_mindspore_file,
  &sonde_record_format_csv,
  &sonde_record_format_tensorboard,
  &sonde_record_format_tensorboard_gzip,
  &sonde_record_format_tensorboard_projector,
  &sonde_record_format_tensorboard_asset,
};

const SondeRecordFormat *
sonde_record_format_find (const SondeIo *io, const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i]->recognises (name)
        && (formats[i]->probe == NULL || formats[i]->probe (io, path)))
      return formats[i];
  return NULL;
}

const SondeRecordFormat *
sonde_record_format_find_by_name (const char *file_name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i]->recognises (file_name))
      return formats[i]->probe == NULL ? formats[i] : NULL;
  return NULL;
}

gboolean
sonde_record_format_may_be (const char *file_name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i]->recognises (file_name))
      return TRUE;
  return FALSE;
}

void
sonde_record_decoder_init (SondeRecordDecoder *decoder, const SondeRecordTag *tags, gsize n_tags)
{
  decoder->tags = g_array_new (FALSE, TRUE, sizeof (SondeRecordTag));
  g_array_append_vals (decoder->tags, tags, n_tags);
  decoder->session = 1;
}

void
sonde_record_decoder_clear (SondeRecordDecoder *decoder)
{
  g_clear_pointer (&decoder->tags, g_array_unref);
}

gboolean
sonde_record_damaged (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* ---- reading one --------------------------------------------------------- */

static gboolean
read_payload (const SondeRecordFormat *format, const guint8 *payload, gsize length, guint part,
              const SondeRecordTag *tags, gsize n_tags, SondeRecord *record, GError **error)
{
  SondeRecordDecoder *decoder = format->decoder_new (tags, n_tags);
  gboolean right = format->read (decoder, payload, length, part, record, error);

  format->decoder_free (decoder);
  return right;
}

gboolean
sonde_record_format_read (const SondeRecordFormat *format, const SondeIo *io, const char *path,
                          guint64 place, const SondeRecordTag *tags, gsize n_tags,
                          SondeRecord *record, GError **error)
{
  guint64 offset = sonde_record_place_offset (place), start = 0;
  g_autoptr (SondeFrameReader) frames = NULL;
  const guint8 *payload;
  gsize length;
  SondeFrameResult result;

  if (format->read_place != NULL)
    return format->read_place (io, path, place, tags, n_tags, record, error);
  frames = sonde_frame_reader_open (io, path, offset, error);
  if (frames == NULL)
    return FALSE;
  result = sonde_frame_reader_next (frames, &payload, &length, &start, error);
  if (result == SONDE_FRAME_ERROR)
    return FALSE;
  if (result != SONDE_FRAME_RECORD || start != offset)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s” has no readable record at byte %" PRIu64, path, offset);
      return FALSE;
    }
  if (read_payload (format, payload, length, sonde_record_place_part (place), tags, n_tags, record,
                    error))
    return TRUE;
  sonde_prefix_error (error, "“%s”, record at byte %" PRIu64 ": ", path, offset);
  return FALSE;
}
