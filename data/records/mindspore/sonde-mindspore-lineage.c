/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's lineage files: framed LineageEvent messages, without a version record before them. */
#include "data/records/mindspore/sonde-mindspore-decoder-private.h"
#include "data/records/mindspore/sonde-mindspore-items-private.h"
#include "data/records/mindspore/sonde-mindspore-names-private.h"

#include "data/records/mindspore.pb-c.h"
#include "data/records/sonde-record-text.h"
#include "data/wire/sonde-wire-decode.h"

/* Of LineageEvent. */
enum
{
  EVENT_WALL_TIME = 1,
  EVENT_STEP = 2,
  EVENT_VERSION = 3,
};

typedef struct
{
  double wall_time;
  gint64 step;
  SondeWireItem what;
} Event;

/* ---- facts: fields of messages, by their names --------------------------- */

/* A text of JSON is what is in it, or itself. */
static void
add_text (const char *key, ProtobufCBinaryData text, gboolean is_json, GArray *items)
{
  if (!is_json || !sonde_mindspore_items_add_json (items, (const char *) text.data, text.len))
    sonde_mindspore_items_add (items, key, sonde_record_dup_bytes (text), SONDE_HPARAM_TEXT);
}

static void
add_message (const ProtobufCMessage *message, GArray *items)
{
  for (guint i = 0; i < message->descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
      const guint8 *at = (const guint8 *) message + field->offset;
      const ProtobufCMessage *inner;

      if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        {
          memcpy (&inner, at, sizeof inner);
          if (inner != NULL)
            add_message (inner, items);
        }
      else if (!*(const protobuf_c_boolean *) ((const guint8 *) message + field->quantifier_offset))
        continue;
      else if (field->type == PROTOBUF_C_TYPE_FLOAT)
        sonde_mindspore_items_add (items, field->name,
                                   sonde_mindspore_float_text ((double) *(const float *) at),
                                   SONDE_HPARAM_NUMBER);
      else if (field->type == PROTOBUF_C_TYPE_INT64)
        sonde_mindspore_items_add_int (items, field->name, *(const gint64 *) at);
      else
        add_text (field->name, *(const ProtobufCBinaryData *) at,
                  g_str_equal (field->name, "metric"), items);
    }
}

static gboolean
add_facts (const ProtobufCMessageDescriptor *descriptor, ProtobufCBinaryData message, GArray *items,
           GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const ProtobufCMessage *decoded = sonde_wire_decode_field (descriptor, message, &arena, error);

  if (decoded != NULL)
    add_message (decoded, items);
  return decoded != NULL;
}

static gboolean
read_train (ProtobufCBinaryData message, SondeRecord *record, GArray *items, GError **error)
{
  return add_facts (&mindspore__train_lineage__descriptor, message, items, error);
}

static gboolean
read_evaluation (ProtobufCBinaryData message, SondeRecord *record, GArray *items, GError **error)
{
  return add_facts (&mindspore__evaluation_lineage__descriptor, message, items, error);
}

static gboolean
read_dataset (ProtobufCBinaryData message, SondeRecord *record, GArray *items, GError **error)
{
  record->u.lineage.pipeline = sonde_mindspore_pipeline (message, items, error);
  return record->u.lineage.pipeline != NULL;
}

/* ---- the user's own facts ------------------------------------------------ */

static char *
make_key (const char *prefix, ProtobufCBinaryData key)
{
  g_autofree char *name = sonde_record_dup_bytes (key);

  return g_strconcat (prefix, name, NULL);
}

static void
add_own_facts (const Mindspore__UserDefinedInfo *info, const char *prefix, GArray *items)
{
  for (gsize i = 0; i < info->n_map_int32; i++)
    {
      g_autofree char *key = make_key (prefix, info->map_int32[i]->key);

      sonde_mindspore_items_add_int (items, key, info->map_int32[i]->value);
    }
  for (gsize i = 0; i < info->n_map_str; i++)
    {
      g_autofree char *key = make_key (prefix, info->map_str[i]->key);

      sonde_mindspore_items_add (items, key, sonde_record_dup_bytes (info->map_str[i]->value),
                                 SONDE_HPARAM_TEXT);
    }
  for (gsize i = 0; i < info->n_map_double; i++)
    {
      g_autofree char *key = make_key (prefix, info->map_double[i]->key);

      sonde_mindspore_items_add_number (items, key, info->map_double[i]->value);
    }
}

/* Inner dictionaries as "outer.inner"; the decoder bounds how deep they go. */
static gboolean
add_info (const Mindspore__UserDefinedInfo *info, const char *prefix, GArray *items, GError **error)
{
  for (gsize i = 0; i < info->n_user_info; i++)
    if (!add_info (info->user_info[i], prefix, items, error))
      return FALSE;
  for (gsize i = 0; i < info->n_map_dict; i++)
    {
      g_autofree char *key = make_key (prefix, info->map_dict[i]->key),
                      *inner = g_strconcat (key, ".", NULL);

      if (info->map_dict[i]->value != NULL
          && !add_info (info->map_dict[i]->value, inner, items, error))
        return FALSE;
    }
  if (!sonde_mindspore_items_check (items, info->n_map_int32 + info->n_map_str + info->n_map_double,
                                    error))
    return FALSE;
  add_own_facts (info, prefix, items);
  return TRUE;
}

static gboolean
read_custom (ProtobufCBinaryData message, SondeRecord *record, GArray *items, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Mindspore__UserDefinedInfo *info
      = sonde_wire_decode_field (&mindspore__user_defined_info__descriptor, message, &arena, error);

  return info != NULL && add_info (info, "", items, error);
}

/* ---- parts --------------------------------------------------------------- */

static const struct
{
  guint32 number;
  const char *part;
  gboolean (*read) (ProtobufCBinaryData message, SondeRecord *record, GArray *items,
                    GError **error);
} parts[] = {
  { 6, "train", read_train },
  { 7, "evaluation", read_evaluation },
  { 9, "dataset", read_dataset },
  { 10, "custom", read_custom },
};

/* ---- the format ---------------------------------------------------------- */

static gboolean
take_event (const guint8 *payload, gsize length, Event *event, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (payload, length);
  SondeWireItem item;
  SondeWireStep step;

  *event = (Event){ 0 };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    {
      const SondeWireType wanted = item.number == EVENT_WALL_TIME ? SONDE_WIRE_FIXED64
                                   : item.number == EVENT_STEP    ? SONDE_WIRE_VARINT
                                                                  : SONDE_WIRE_BYTES;

      if (item.type != wanted)
        return sonde_record_damaged (error, "LineageEvent has a field of the wrong wire type");
      if (item.number == EVENT_WALL_TIME)
        event->wall_time = sonde_wire_item_double (&item);
      else if (item.number == EVENT_STEP)
        event->step = (gint64) item.value;
      else
        event->what = item;
    }
  return step == SONDE_WIRE_END
         || sonde_record_damaged (error, "LineageEvent is truncated or not a valid message");
}

static gsize
find_part (const Event *event)
{
  gsize i = 0;

  while (i < G_N_ELEMENTS (parts) && parts[i].number != event->what.number)
    i++;
  return i;
}

static gboolean
scan (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint64 offset,
      SondeRecordBatch *batch, GError **error)
{
  SondeRecordRef ref = { .tag = SONDE_RECORD_NO_TAG,
                         .place = sonde_record_place (offset, 0),
                         .session = base->session };
  gboolean has_time;
  Event event;

  if (!take_event (payload, length, &event, error))
    return FALSE;
  has_time = sonde_mindspore_time (event.wall_time, &ref.wall_time_ns);
  ref.step = event.step;
  ref.kind = find_part (&event) < G_N_ELEMENTS (parts) ? SONDE_RECORD_LINEAGE : SONDE_RECORD_OTHER;
  if (ref.kind == SONDE_RECORD_LINEAGE && !sonde_wire_is_message (&event.what))
    return sonde_record_damaged (error, "the lineage is truncated or not a valid message");
  if (event.what.number > EVENT_VERSION)
    sonde_record_batch_add_ref (batch, &ref);
  if (has_time)
    sonde_record_batch_note_time (batch, ref.wall_time_ns);
  return TRUE;
}

static gboolean
read_record (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint part,
             SondeRecord *record, GError **error)
{
  g_autoptr (GArray) items = sonde_mindspore_items_new ();
  Event event;
  gsize i;

  *record = (SondeRecord){ .session = base->session, .kind = SONDE_RECORD_LINEAGE };
  if (!take_event (payload, length, &event, error))
    return FALSE;
  record->step = event.step;
  sonde_mindspore_time (event.wall_time, &record->wall_time_ns);
  i = find_part (&event);
  if (i == G_N_ELEMENTS (parts))
    {
      record->kind = SONDE_RECORD_OTHER;
      record->u.other.plugin = g_strdup_printf ("lineage field %u", event.what.number);
      record->u.other.bytes = event.what.length;
      return TRUE;
    }
  if (!parts[i].read (sonde_wire_item_field (&event.what), record, items, error))
    {
      sonde_record_clear (record);
      return FALSE;
    }
  sonde_mindspore_items_steal (items, record, parts[i].part);
  return TRUE;
}

const SondeRecordFormat sonde_record_format_mindspore_lineage = {
  .name = "mindspore",
  .recognises = sonde_mindspore_is_lineage_name,
  .probe = sonde_mindspore_probe_event,
  .decoder_new = sonde_mindspore_decoder_new,
  .decoder_free = sonde_mindspore_decoder_free,
  .scan = scan,
  .read = read_record,
};
