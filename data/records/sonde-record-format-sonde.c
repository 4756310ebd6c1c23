/* SPDX-License-Identifier: Apache-2.0
 * Our own record files (docs/record-format.md): one record a payload, tags as ids of the file. */
#include "data/records/sonde-record-format.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-wire-cursor.h"
#include "data/base/sonde-wire.h"
#include "data/records/sonde-record-decode-private.h"
#include "data/records/sonde-tag-table-private.h"

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

static gboolean
declare (Decoder *decoder, const SondeWireItem *declaration, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (declaration);
  SondeWireItem item, name = { 0 };
  guint32 id = 0;
  g_autofree char *text = NULL;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_VARINT)
      id = (guint32) item.value;
    else if (item.number == 2 && item.type == SONDE_WIRE_BYTES)
      name = item;
  text = sonde_record_dup_text (name.bytes, name.length);
  if (!sonde_tag_table_declare (decoder->table, id, text, error))
    return FALSE;
  make_room (decoder, id);
  g_array_index (decoder->base.tags, SondeRecordTag, id).name
      = sonde_tag_table_lookup (decoder->table, id, NULL);
  return TRUE;
}

/* ---- what a payload says ------------------------------------------------- */

/* Numbers are those of sonde-record.proto. */
enum
{
  FIELD_KIND = 1,
  FIELD_STEP = 2,
  FIELD_WALL_TIME = 3,
  FIELD_SESSION = 4,
  FIELD_TAG = 5,
  FIELD_DECLARATION = 6,
  FIELD_CONTENT = 20, /* plus the kind */
  SESSION_VERSION = 3,
};

typedef struct
{
  guint32 kind, session, tag;
  gint64 step, wall_time_ns;
  gboolean has_content, same;
  SondeWireItem content;
} Head;

/* Of a number in the head. */
static gboolean
has_right_type (const SondeWireItem *item)
{
  return item->number > FIELD_TAG
         || item->type
                == (item->number == FIELD_WALL_TIME ? SONDE_WIRE_FIXED64 : SONDE_WIRE_VARINT);
}

static gboolean
read_head (Decoder *decoder, const guint8 *payload, gsize length, Head *head, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (payload, length);
  SondeWireItem item;
  SondeWireStep step;

  *head = (Head){ .tag = SONDE_RECORD_NO_TAG };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    switch (has_right_type (&item) ? item.number : 0)
      {
      case 0:
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                  "Record has a field of the wrong wire type");
      case FIELD_KIND:
        head->kind = (guint32) item.value;
        break;
      case FIELD_STEP:
        head->step = (gint64) (item.value >> 1) ^ -(gint64) (item.value & 1);
        break;
      case FIELD_WALL_TIME:
        head->wall_time_ns = (gint64) item.value;
        break;
      case FIELD_SESSION:
        head->session = (guint32) item.value;
        break;
      case FIELD_TAG:
        head->tag = (guint32) item.value;
        break;
      case FIELD_DECLARATION:
        if (item.type != SONDE_WIRE_BYTES)
          return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                    "Record.declarations is not a message");
        if (!declare (decoder, &item, error))
          return FALSE;
        break;
      default:
        if (item.number > FIELD_CONTENT && item.type == SONDE_WIRE_BYTES)
          {
            head->has_content = TRUE;
            head->content = item;
          }
      }
  if (step == SONDE_WIRE_BROKEN)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record is not a valid message");
  return head->kind != 0
         || sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record has no kind");
}

/* Scalars: 1 ids of tags, 2 values; both packed. */
static gboolean
scan_scalars (Decoder *decoder, const Head *head, SondeRecordBatch *batch, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (&head->content), ids = { 0 };
  SondeWireItem item, values = { 0 };
  gsize before = batch->n_points, n = 0;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      ids = sonde_wire_item_cursor (&item);
    else if (item.number == 2 && item.type == SONDE_WIRE_BYTES)
      values = item;
  if (step == SONDE_WIRE_BROKEN)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Scalars is not a valid message");
  for (; ids.at != ids.end; n++)
    {
      guint64 id;
      double value;

      if (!sonde_wire_take_varint (&ids, &id) || id >= SONDE_TAG_TABLE_MAX_TAGS
          || 8 * n + 8 > values.length)
        break;
      memcpy (&value, values.bytes + 8 * n, sizeof value);
      sonde_record_batch_add_point (batch, (guint32) id, head->step, head->wall_time_ns, value,
                                    head->session);
      make_room (decoder, (guint32) id);
    }
  if (ids.at == ids.end && 8 * n == values.length)
    return TRUE;
  batch->n_points = before;
  return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                            "Scalars has different numbers of tags and values");
}

/* The varint field @number of a content, 0 when absent. */
static guint64
number_of (const Head *head, guint32 number)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (&head->content);
  SondeWireItem item;
  guint64 value = 0;

  while (head->has_content && sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == number && item.type == SONDE_WIRE_VARINT)
      value = item.value;
  return value;
}

static gboolean
scan_ref (Decoder *decoder, const Head *head, guint64 offset, SondeRecordBatch *batch,
          GError **error)
{
  SondeRecordRef ref = {
    .tag = head->tag,
    .kind = head->kind < SONDE_N_RECORD_KINDS ? (SondeRecordKind) head->kind : SONDE_RECORD_UNKNOWN,
    .step = head->step,
    .wall_time_ns = head->wall_time_ns,
    .place = sonde_record_place (offset, 0),
    .session = head->session,
    .same = (head->kind == SONDE_RECORD_IMAGE && number_of (head, 4) > 0)
            || (head->kind == SONDE_RECORD_AUDIO && number_of (head, 2) > 0),
  };

  if (ref.tag != SONDE_RECORD_NO_TAG && ref.tag >= SONDE_TAG_TABLE_MAX_TAGS)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record has an invalid tag number");
  if (ref.tag != SONDE_RECORD_NO_TAG)
    make_room (decoder, ref.tag);
  sonde_record_batch_add_ref (batch, &ref);
  return TRUE;
}

static gboolean
check_session (const Head *head, GError **error)
{
  if (!head->has_content)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record of kind %s has no content",
                              sonde_record_kind_name (SONDE_RECORD_SESSION));
  return sonde_decode_check_version (number_of (head, SESSION_VERSION), error);
}

/* Contents are checked whole, but for compressed ones what is inside. */
static gboolean
scan (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint64 offset,
      SondeRecordBatch *batch, GError **error)
{
  Decoder *decoder = (Decoder *) base;
  Head head;

  if (!read_head (decoder, payload, length, &head, error))
    return FALSE;
  if (head.kind == SONDE_RECORD_SCALARS)
    {
      if (!head.has_content)
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                  "Record of kind scalar has no content");
      if (!scan_scalars (decoder, &head, batch, error))
        return FALSE;
    }
  else
    {
      if (!sonde_record_check (payload, length, error)
          || (head.kind == SONDE_RECORD_SESSION && !check_session (&head, error)))
        return FALSE;
      if (head.kind == SONDE_RECORD_GAP)
        batch->n_lost = batch->n_lost > G_MAXUINT64 - number_of (&head, 1)
                            ? G_MAXUINT64
                            : batch->n_lost + number_of (&head, 1);
      else if (head.kind != SONDE_RECORD_SESSION && head.kind != SONDE_RECORD_END
               && !scan_ref (decoder, &head, offset, batch, error))
        return FALSE;
    }
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
