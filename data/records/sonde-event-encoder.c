/* SPDX-License-Identifier: Apache-2.0
 * The encoder, and which function writes a record. */
#include "data/records/sonde-event-encoder-private.h"

static void
free_note (gpointer data)
{
  SondeEventNote *note = data;

  g_free (note->display_name);
  g_free (note->description);
  g_free (note);
}

SondeEventEncoder *
sonde_event_encoder_new (SondeEventFormat format, const SondeEventOptions *options)
{
  SondeEventEncoder *encoder = g_new0 (SondeEventEncoder, 1);

  encoder->format = format;
  if (options != NULL)
    encoder->options = *options;
  encoder->tags = g_hash_table_new (g_direct_hash, g_direct_equal);
  encoder->order = g_ptr_array_new ();
  encoder->notes = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, free_note);
  return encoder;
}

void
sonde_event_encoder_free (SondeEventEncoder *encoder)
{
  if (encoder == NULL)
    return;
  g_hash_table_unref (encoder->tags);
  g_ptr_array_unref (encoder->order);
  g_hash_table_unref (encoder->notes);
  g_free (encoder);
}

gsize
sonde_event_encoder_get_mark (const SondeEventEncoder *encoder)
{
  return encoder->order->len;
}

void
sonde_event_encoder_rewind (SondeEventEncoder *encoder, gsize mark)
{
  for (gsize i = mark; i < encoder->order->len; i++)
    g_hash_table_remove (encoder->tags, g_ptr_array_index (encoder->order, i));
  g_ptr_array_set_size (encoder->order, (gint) mark);
}

/* ---- one record ---------------------------------------------------------- */

static gboolean
keep_note (SondeEventEncoder *encoder, const SondeRecord *record, const char **reason)
{
  const char *tag = g_intern_string (record->tag);
  SondeEventNote *note;

  if (encoder->format == SONDE_EVENTS_MINDSPORE)
    {
      *reason = N_ ("descriptions and units of tags");
      return FALSE;
    }
  if (record->u.tag_note.unit != NULL || record->u.tag_note.group != NULL)
    *reason = N_ ("units and groups of tags");
  if (g_hash_table_contains (encoder->tags, tag))
    *reason = N_ ("a description that comes after the tag's first value");
  if (!g_hash_table_contains (encoder->notes, tag))
    {
      note = g_new0 (SondeEventNote, 1);
      note->display_name = g_strdup (record->u.tag_note.display_name);
      note->description = g_strdup (record->u.tag_note.description);
      g_hash_table_insert (encoder->notes, (gpointer) tag, note);
    }
  return *reason == NULL;
}

gboolean
sonde_event_encoder_encode (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                            SondeEventFile *file, const char **reason)
{
  SondeEventFunction write;
  const gsize before = out->len;
  SondeRecord named;

  *file = SONDE_EVENT_FILE_MAIN;
  *reason = NULL;
  if (record->kind == SONDE_RECORD_NOTE)
    return keep_note (encoder, record, reason);
  write = encoder->format == SONDE_EVENTS_TENSORBOARD ? sonde_event_tensorboard_find (record->kind)
                                                      : sonde_event_mindspore_find (record->kind);
  if (write == NULL)
    {
      *reason = N_ ("records of this kind");
      return FALSE;
    }
  /* What has no tag (a foreign lineage, say) goes by the name of its kind. */
  if (record->tag == NULL)
    {
      named = *record;
      named.tag = sonde_record_kind_name (record->kind);
      record = &named;
    }
  if (write (encoder, record, out, file, reason))
    return TRUE;
  g_byte_array_set_size (out, (guint) before);
  return FALSE;
}
