/* SPDX-License-Identifier: Apache-2.0
 * Tags and times of MindSpore's files. Tags are spelled out in every record there. */
#include "data/records/mindspore/sonde-mindspore-decoder-private.h"

#include <math.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-text.h"
#include "data/records/sonde-record-limits.h"

#define MAX_NAME_BYTES ((gsize) 1 << 20)

SondeRecordDecoder *
sonde_mindspore_decoder_new (const SondeRecordTag *tags, gsize n_tags)
{
  SondeMindsporeDecoder *decoder = g_new0 (SondeMindsporeDecoder, 1);

  sonde_record_decoder_init (&decoder->base, tags, n_tags);
  return &decoder->base;
}

void
sonde_mindspore_decoder_free (SondeRecordDecoder *base)
{
  SondeMindsporeDecoder *decoder = (SondeMindsporeDecoder *) base;

  g_clear_pointer (&decoder->ids, g_hash_table_unref);
  sonde_record_decoder_clear (base);
  g_free (decoder);
}

const char *
sonde_mindspore_intern (ProtobufCBinaryData name, GError **error)
{
  g_autofree char *text = NULL;

  if (name.len > MAX_NAME_BYTES)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "a tag of %zu bytes is longer than the limit of %zu", name.len,
                       MAX_NAME_BYTES);
      return NULL;
    }
  text = sonde_record_dup_bytes (name);
  return g_intern_string (text);
}

static void
know_tags (SondeMindsporeDecoder *decoder)
{
  GArray *tags = decoder->base.tags;

  decoder->ids = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < tags->len; i++)
    {
      const char *name = g_array_index (tags, SondeRecordTag, i).name;

      if (name != NULL)
        g_hash_table_insert (decoder->ids, (char *) name, GUINT_TO_POINTER (i + 1));
    }
}

static gboolean
add_tag (SondeMindsporeDecoder *decoder, ProtobufCBinaryData name, guint32 *id, GError **error)
{
  SondeRecordTag tag = { NULL, NULL };

  if (decoder->base.tags->len >= SONDE_TAG_TABLE_MAX_TAGS
      || name.len > SONDE_TAG_TABLE_MAX_BYTES - decoder->tag_bytes)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "the tags of this file are more than %d or take more than %zu bytes",
                       SONDE_TAG_TABLE_MAX_TAGS, SONDE_TAG_TABLE_MAX_BYTES);
      return FALSE;
    }
  tag.name = sonde_mindspore_intern (name, error);
  if (tag.name == NULL)
    return FALSE;
  decoder->tag_bytes += name.len;
  *id = decoder->base.tags->len;
  g_array_append_val (decoder->base.tags, tag);
  g_hash_table_insert (decoder->ids, (char *) tag.name, GUINT_TO_POINTER (*id + 1));
  return TRUE;
}

gboolean
sonde_mindspore_decoder_tag (SondeRecordDecoder *base, ProtobufCBinaryData name, guint32 *id,
                             GError **error)
{
  SondeMindsporeDecoder *decoder = (SondeMindsporeDecoder *) base;
  g_autofree char *long_text = NULL;
  char short_text[256];
  const char *text = short_text;
  guint known;

  if (decoder->ids == NULL)
    know_tags (decoder);
  if (name.len < sizeof short_text && (name.len == 0 || memchr (name.data, 0, name.len) == NULL))
    {
      if (name.len > 0)
        memcpy (short_text, name.data, name.len);
      short_text[name.len] = '\0';
    }
  else if (name.len > MAX_NAME_BYTES)
    return sonde_mindspore_intern (name, error) != NULL;
  else
    text = long_text = sonde_record_dup_bytes (name);
  known = GPOINTER_TO_UINT (g_hash_table_lookup (decoder->ids, text));
  *id = known - 1;
  return known != 0 || add_tag (decoder, name, id, error);
}

gboolean
sonde_mindspore_decoder_text_tag (SondeRecordDecoder *base, const char *name, guint32 *id,
                                  GError **error)
{
  const ProtobufCBinaryData bytes = { strlen (name), (guint8 *) name };

  return sonde_mindspore_decoder_tag (base, bytes, id, error);
}

gboolean
sonde_mindspore_time (double seconds, gint64 *wall_time_ns)
{
  double whole = floor (seconds);

  *wall_time_ns = 0;
  /* what 64 bits of nanoseconds hold, from 1678 to 2262 */
  if (!(fabs (seconds) < 9.2e9))
    return FALSE;
  *wall_time_ns = (gint64) whole * 1000000000 + (gint64) llround ((seconds - whole) * 1e9);
  return TRUE;
}
