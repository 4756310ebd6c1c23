/* SPDX-License-Identifier: Apache-2.0
 * Our own record files (docs/record-format.md): one record a payload, tags as ids of the file. */
#include "data/records/sonde-record-format.h"

#include "data/records/sonde-record-decode-private.h"
#include "data/records/sonde-record-head-private.h"

typedef struct
{
  SondeRecordDecoder base;
  SondeTagTable *table;
} Decoder;

static gboolean
recognises (const char *file_name)
{
  return g_str_has_suffix (file_name, ".sonde");
}

/* RUN/records/000001.sonde */
static char *
dup_run (const char *folder)
{
  g_autofree char *name = g_path_get_basename (folder);

  return g_str_equal (name, "records") ? g_path_get_dirname (folder) : g_strdup (folder);
}

static SondeRecordDecoder *
decoder_new (const SondeRecordTag *tags, gsize n_tags)
{
  Decoder *decoder = g_new0 (Decoder, 1);

  sonde_record_decoder_init (&decoder->base, tags, n_tags);
  decoder->table = sonde_tag_table_new ();
  for (gsize i = 0; i < n_tags; i++)
    if (tags[i].name != NULL)
      sonde_tag_table_declare (decoder->table, (guint32) i, tags[i].name, NULL);
  return &decoder->base;
}

static void
decoder_free (SondeRecordDecoder *base)
{
  Decoder *decoder = (Decoder *) base;

  sonde_record_decoder_clear (base);
  sonde_tag_table_free (decoder->table);
  g_free (decoder);
}

/* Makes ids up to @id known, without names where nothing declared them. */
static void
make_room (Decoder *decoder, guint32 id)
{
  if (id >= decoder->base.tags->len)
    g_array_set_size (decoder->base.tags, id + 1);
}

static void
on_declared (guint32 id, gpointer data)
{
  Decoder *decoder = data;

  make_room (decoder, id);
  g_array_index (decoder->base.tags, SondeRecordTag, id).name
      = sonde_tag_table_lookup (decoder->table, id, NULL);
}

/* ---- scanning ------------------------------------------------------------ */

static gboolean
add_scalars (Decoder *decoder, const SondeRecordHead *head, SondeRecordScalars scalars,
             SondeRecordBatch *batch, GError **error)
{
  const gsize before = batch->n_points;
  double value;
  guint32 tag;

  while (sonde_record_scalars_next (&scalars, &tag, &value))
    {
      if (G_UNLIKELY (tag >= decoder->base.tags->len))
        {
          if (!sonde_tag_table_check (tag, error))
            {
              batch->n_points = before;
              return FALSE;
            }
          make_room (decoder, tag);
        }
      sonde_record_batch_add_point (batch, tag, head->step, head->wall_time_ns, value,
                                    head->session);
    }
  return TRUE;
}

static gboolean
add_ref (Decoder *decoder, const SondeRecordHead *head, gboolean same, guint64 offset,
         SondeRecordBatch *batch, GError **error)
{
  SondeRecordRef ref = {
    .tag = head->tag,
    .kind = head->kind < SONDE_N_RECORD_KINDS ? (SondeRecordKind) head->kind : SONDE_RECORD_UNKNOWN,
    .step = head->step,
    .wall_time_ns = head->wall_time_ns,
    .place = sonde_record_place (offset, 0),
    .session = head->session,
    .same = same,
  };

  if (ref.tag != SONDE_RECORD_NO_TAG)
    {
      if (!sonde_tag_table_check (ref.tag, error))
        return FALSE;
      make_room (decoder, ref.tag);
    }
  sonde_record_batch_add_ref (batch, &ref);
  return TRUE;
}

/* What counts of a content is in the batch, or makes it no record of its own. */
typedef struct
{
  gboolean is_ref;
  gboolean same; /* the second picture or sound of a step */
} Content;

static gboolean
look_at_content (const Sonde__Records__Record *message, guint32 kind, SondeRecordBatch *batch,
                 Content *content, GError **error)
{
  guint64 lost;

  switch (kind)
    {
    case SONDE_RECORD_SESSION:
      if (message->session_start == NULL)
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                  "Record of kind %s has no content",
                                  sonde_record_kind_name (SONDE_RECORD_SESSION));
      content->is_ref = FALSE;
      return sonde_decode_check_version (SONDE_WIRE_OR (message->session_start, format_version, 0),
                                         error);
    case SONDE_RECORD_GAP:
      lost = message->gap != NULL ? SONDE_WIRE_OR (message->gap, records, 0) : 0;
      batch->n_lost = batch->n_lost > G_MAXUINT64 - lost ? G_MAXUINT64 : batch->n_lost + lost;
      content->is_ref = FALSE;
      return TRUE;
    case SONDE_RECORD_IMAGE:
      content->same = message->image != NULL && SONDE_WIRE_OR (message->image, index, 0) > 0;
      return TRUE;
    default:
      content->same = message->audio != NULL && SONDE_WIRE_OR (message->audio, index, 0) > 0;
      return TRUE;
    }
}

/* Contents are looked at whole, but for compressed ones what is inside; few are needed now. */
static gboolean
scan_content (Decoder *decoder, const SondeRecordHead *head, const guint8 *payload, gsize length,
              SondeRecordBatch *batch, Content *content, GError **error)
{
  const Sonde__Records__Record *message;
  gboolean right;

  *content = (Content){ .is_ref = head->kind != SONDE_RECORD_END };
  if (head->kind != SONDE_RECORD_SESSION && head->kind != SONDE_RECORD_GAP
      && head->kind != SONDE_RECORD_IMAGE && head->kind != SONDE_RECORD_AUDIO)
    return sonde_decode_check (payload, length, error)
           && (head->kind != 0
               || sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record has no kind"));
  message = sonde_decode_message (payload, length, decoder->table, error);
  right = message != NULL && look_at_content (message, head->kind, batch, content, error);
  sonde_wire_arena_empty (sonde_tag_table_get_arena (decoder->table));
  return right;
}

static gboolean
scan (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint64 offset,
      SondeRecordBatch *batch, GError **error)
{
  Decoder *decoder = (Decoder *) base;
  SondeRecordScalars scalars;
  SondeRecordHead head;
  Content content;
  gboolean right;

  if (!sonde_record_head_read (&head, payload, length, decoder->table, on_declared, decoder, error))
    return FALSE;
  if (head.kind == SONDE_RECORD_SCALARS)
    right = sonde_decode_scalars (&head, payload, length, decoder->table, &scalars, error)
            && add_scalars (decoder, &head, scalars, batch, error);
  else
    right = scan_content (decoder, &head, payload, length, batch, &content, error)
            && (!content.is_ref || add_ref (decoder, &head, content.same, offset, batch, error));
  if (!right)
    return FALSE;
  base->session = head.session;
  sonde_record_batch_note_time (batch, head.wall_time_ns);
  batch->ended = head.kind == SONDE_RECORD_END;
  return TRUE;
}

static gboolean
read_record (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint part,
             SondeRecord *record, GError **error)
{
  return sonde_record_decode (payload, length, ((Decoder *) base)->table, record, error);
}

const SondeRecordFormat sonde_record_format_sonde = {
  .name = "sonde",
  .ids_are_of_file = TRUE,
  .recognises = recognises,
  .dup_run = dup_run,
  .decoder_new = decoder_new,
  .decoder_free = decoder_free,
  .scan = scan,
  .read = read_record,
};
