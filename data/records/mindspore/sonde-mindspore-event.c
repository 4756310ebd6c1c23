/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's summary and explain files: framed Event messages. All values of a step are in one of
 * them, so a frame holds many records; the parts of its place count those that are no scalars.
 * Layout: formats/mindspore of the reference, sections 1 to 4. */
#include "data/records/mindspore/sonde-mindspore-contents-private.h"
#include "data/records/mindspore/sonde-mindspore-decoder-private.h"
#include "data/records/mindspore/sonde-mindspore-graph-private.h"
#include "data/records/mindspore/sonde-mindspore-names-private.h"
#include "data/records/mindspore/sonde-mindspore-tensor-private.h"

#include "data/base/sonde-error.h"
#include "data/wire/sonde-wire-decode.h"

/* Of Event. */
enum
{
  EVENT_WALL_TIME = 1,
  EVENT_STEP = 2,
  EVENT_VERSION = 3,
  EVENT_GRAPH = 4,
  EVENT_SUMMARY = 5,
  EVENT_EXPLAIN = 6,
};

#define VALUE_TAG 1
#define VALUE_SCALAR 3

/* @what: the one content, number 0 when there is none; @is_known: this program knows it */
typedef struct
{
  double wall_time;
  gint64 step;
  SondeWireItem what;
} Event;

/* What a Summary.Value holds. @content: number 0 when it has nothing that is known */
typedef struct
{
  SondeWireItem tag, content, unknown;
} Value;

static gboolean read_tensor (ProtobufCBinaryData message, SondeRecord *record, GError **error);
static gboolean read_graph (ProtobufCBinaryData message, SondeRecord *record, GError **error);
static gboolean read_other (ProtobufCBinaryData message, SondeRecord *record, GError **error);

typedef struct
{
  guint32 number;
  const char *name;
  SondeRecordKind kind;
  gboolean (*read) (ProtobufCBinaryData message, SondeRecord *record, GError **error);
} Content;

static const Content contents[] = {
  { 4, "Summary.Image", SONDE_RECORD_IMAGE, sonde_mindspore_read_image },
  { 8, "TensorProto", SONDE_RECORD_TENSOR, read_tensor },
  { 9, "Summary.Histogram", SONDE_RECORD_HISTOGRAM, sonde_mindspore_read_histogram },
  { 10, "LossLandscape", SONDE_RECORD_LANDSCAPE, sonde_mindspore_read_landscape },
}, event_contents[] = {
  { EVENT_GRAPH, "GraphProto", SONDE_RECORD_GRAPH, read_graph },
  { EVENT_EXPLAIN, "Explain", SONDE_RECORD_EXPLAIN, sonde_mindspore_read_explanation },
}, unknown_content = { 0, "an unknown field", SONDE_RECORD_OTHER, read_other };

static const Content *
find_content (const Content *list, gsize n, guint32 number)
{
  for (gsize i = 0; i < n; i++)
    if (list[i].number == number)
      return &list[i];
  return &unknown_content;
}

/* ---- messages ------------------------------------------------------------ */

static gboolean
expect (const SondeWireItem *item, SondeWireType type, const char *name, GError **error)
{
  return item->type == type || sonde_record_damaged (error, "%s has the wrong wire type", name);
}

static gboolean
check_content (const Content *content, const SondeWireItem *item, GError **error)
{
  return sonde_wire_is_message (item)
         || sonde_record_damaged (error, "%s is not a valid message", content->name);
}

static gboolean
take_event (const guint8 *payload, gsize length, Event *event, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (payload, length);
  SondeWireItem item;
  SondeWireStep step;

  *event = (Event){ 0 };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    switch (item.number)
      {
      case EVENT_WALL_TIME:
        if (!expect (&item, SONDE_WIRE_FIXED64, "Event.wall_time", error))
          return FALSE;
        event->wall_time = sonde_wire_item_double (&item);
        break;
      case EVENT_STEP:
        if (!expect (&item, SONDE_WIRE_VARINT, "Event.step", error))
          return FALSE;
        event->step = (gint64) item.value;
        break;
      case EVENT_VERSION:
      case EVENT_GRAPH:
      case EVENT_SUMMARY:
      case EVENT_EXPLAIN:
        if (!expect (&item, SONDE_WIRE_BYTES, "the content of Event", error))
          return FALSE;
        event->what = item;
        break;
      default:
        /* content of a later version */
        if (item.type == SONDE_WIRE_BYTES && event->what.number == 0)
          event->what = item;
      }
  return step == SONDE_WIRE_END
         || sonde_record_damaged (error, "Event is truncated or not a valid message");
}

static gboolean
take_value (const SondeWireItem *message, Value *value, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item;
  SondeWireStep step;

  *value = (Value){ { 0 } };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == VALUE_TAG)
      {
        if (!expect (&item, SONDE_WIRE_BYTES, "Summary.Value.tag", error))
          return FALSE;
        value->tag = item;
      }
    else if (item.number == VALUE_SCALAR)
      {
        if (!expect (&item, SONDE_WIRE_FIXED32, "Summary.Value.scalar_value", error))
          return FALSE;
        value->content = item;
      }
    else
      {
        const Content *content = find_content (contents, G_N_ELEMENTS (contents), item.number);

        if (content == &unknown_content)
          value->unknown = item;
        else if (!expect (&item, SONDE_WIRE_BYTES, content->name, error))
          return FALSE;
        else
          value->content = item;
      }
  return step == SONDE_WIRE_END
         || sonde_record_damaged (error, "Summary.Value is truncated or not a valid message");
}

/* The next value of a Summary; FALSE at the end and on errors. */
static gboolean
next_value (SondeWireCursor *summary, Value *value, GError **error)
{
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (summary, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 1)
      return expect (&item, SONDE_WIRE_BYTES, "Summary.value", error)
             && take_value (&item, value, error);
  return step == SONDE_WIRE_END
             ? FALSE
             : sonde_record_damaged (error, "Summary is truncated or not a valid message");
}

/* ---- scanning ------------------------------------------------------------ */

static gboolean
add_ref (SondeRecordDecoder *base, SondeRecordBatch *batch, SondeRecordRef *ref,
         const Content *content, GError **error)
{
  if (sonde_record_place_part (ref->place) == SONDE_RECORD_PLACE_MAX_PARTS - 1)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "Summary has more than %u values that are not scalars",
                       SONDE_RECORD_PLACE_MAX_PARTS - 1);
      return FALSE;
    }
  ref->kind = content->kind;
  sonde_record_batch_add_ref (batch, ref);
  ref->place += (guint64) 1 << SONDE_RECORD_PLACE_OFFSET_BITS;
  return TRUE;
}

static gboolean
scan_summary (SondeRecordDecoder *base, SondeRecordBatch *batch, const Event *event,
              SondeRecordRef ref, GError **error)
{
  SondeWireCursor summary = sonde_wire_item_cursor (&event->what);
  GError *problem = NULL;
  Value value;

  while (next_value (&summary, &value, &problem))
    {
      const Content *content;

      if (!sonde_mindspore_decoder_tag (base, sonde_wire_item_field (&value.tag), &ref.tag, error))
        return FALSE;
      if (value.content.number == VALUE_SCALAR)
        {
          sonde_record_batch_add_point (batch, ref.tag, ref.step, ref.wall_time_ns,
                                        sonde_wire_item_float (&value.content), ref.session);
          continue;
        }
      content = find_content (contents, G_N_ELEMENTS (contents), value.content.number);
      if ((content != &unknown_content && !check_content (content, &value.content, error))
          || !add_ref (base, batch, &ref, content, error))
        return FALSE;
    }
  if (problem == NULL)
    return TRUE;
  g_propagate_error (error, problem);
  return FALSE;
}

static gboolean
scan_content (SondeRecordDecoder *base, SondeRecordBatch *batch, const Event *event,
              SondeRecordRef *ref, GError **error)
{
  const Content *content
      = find_content (event_contents, G_N_ELEMENTS (event_contents), event->what.number);

  return (content == &unknown_content || check_content (content, &event->what, error))
         && add_ref (base, batch, ref, content, error);
}

static gboolean
scan (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint64 offset,
      SondeRecordBatch *batch, GError **error)
{
  const gsize n_points = batch->n_points;
  const guint n_refs = batch->refs->len;
  SondeRecordRef ref = { .tag = SONDE_RECORD_NO_TAG,
                         .place = sonde_record_place (offset, 0),
                         .session = base->session };
  gboolean right = TRUE, has_time;
  Event event;

  if (!take_event (payload, length, &event, error))
    return FALSE;
  has_time = sonde_mindspore_time (event.wall_time, &ref.wall_time_ns);
  ref.step = event.step;
  /* a version not at the start: the file was opened once more */
  if (event.what.number == EVENT_VERSION)
    base->session += offset > 0;
  else if (event.what.number == EVENT_SUMMARY)
    right = scan_summary (base, batch, &event, ref, error);
  else if (event.what.number != 0)
    right = scan_content (base, batch, &event, &ref, error);
  if (!right)
    {
      batch->n_points = n_points;
      g_array_set_size (batch->refs, n_refs);
      return FALSE;
    }
  if (has_time)
    sonde_record_batch_note_time (batch, ref.wall_time_ns);
  return TRUE;
}

/* ---- reading ------------------------------------------------------------- */

static gboolean
read_tensor (ProtobufCBinaryData message, SondeRecord *record, GError **error)
{
  record->u.tensor = sonde_mindspore_tensor (message, SONDE_MINDSPORE_TENSOR_SUMMARY, error);
  return record->u.tensor != NULL;
}

static gboolean
read_graph (ProtobufCBinaryData message, SondeRecord *record, GError **error)
{
  record->u.graph.graph = sonde_mindspore_graph (message, error);
  return record->u.graph.graph != NULL;
}

static gboolean
read_other (ProtobufCBinaryData message, SondeRecord *record, GError **error)
{
  record->u.other.bytes = message.len;
  if (message.len > 0)
    record->u.other.content = g_bytes_new (message.data, message.len);
  return TRUE;
}

/* The value that is no scalar and has number @part among these. */
static gboolean
find_value (const Event *event, guint part, Value *value, GError **error)
{
  SondeWireCursor summary = sonde_wire_item_cursor (&event->what);
  GError *problem = NULL;
  guint i = 0;

  while (next_value (&summary, value, &problem))
    if (value->content.number != VALUE_SCALAR && i++ == part)
      return TRUE;
  if (problem != NULL)
    g_propagate_error (error, problem);
  else
    sonde_record_damaged (error, "Summary has no value %u", part);
  return FALSE;
}

static gboolean
read_content (const Content *content, const SondeWireItem *item, SondeRecord *record,
              GError **error)
{
  record->kind = content->kind;
  if (content == &unknown_content)
    record->u.other.plugin = g_strdup_printf ("field %u", item->number);
  if (content->read (sonde_wire_item_field (item), record, error))
    return TRUE;
  sonde_record_clear (record);
  return FALSE;
}

static gboolean
read_record (SondeRecordDecoder *base, const guint8 *payload, gsize length, guint part,
             SondeRecord *record, GError **error)
{
  Event event;
  Value value;

  *record = (SondeRecord){ .session = base->session };
  if (!take_event (payload, length, &event, error))
    return FALSE;
  record->step = event.step;
  sonde_mindspore_time (event.wall_time, &record->wall_time_ns);
  if (event.what.number != EVENT_SUMMARY)
    return read_content (
        find_content (event_contents, G_N_ELEMENTS (event_contents), event.what.number),
        &event.what, record, error);
  if (!find_value (&event, part, &value, error))
    return FALSE;
  record->tag = sonde_mindspore_intern (sonde_wire_item_field (&value.tag), error);
  if (record->tag == NULL)
    return FALSE;
  return read_content (find_content (contents, G_N_ELEMENTS (contents), value.content.number),
                       value.content.number != 0 ? &value.content : &value.unknown, record, error);
}

const SondeRecordFormat sonde_record_format_mindspore_event = {
  .name = "mindspore",
  .recognises = sonde_mindspore_is_event_name,
  .probe = sonde_mindspore_probe_event,
  .decoder_new = sonde_mindspore_decoder_new,
  .decoder_free = sonde_mindspore_decoder_free,
  .scan = scan,
  .read = read_record,
};
