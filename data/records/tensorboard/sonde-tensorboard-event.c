/* SPDX-License-Identifier: Apache-2.0
 * Event, Summary and Value by hand: nothing is allocated, every byte is walked. */
#include "data/records/tensorboard/sonde-tensorboard-private.h"

#include <math.h>

#include "data/base/sonde-error.h"
#include "data/records/tensorboard.pb-c.h"
#include "data/wire/sonde-wire-decode.h"

#define MAX_SUMMARIES 64

static gboolean
broken (const SondeEvent *event, const char *what, const guint8 *at, GError **error)
{
  return sonde_record_damaged (error, "%-s is not a valid message near byte %zu of the record",
                               what, (gsize) (at - event->payload.at));
}

static inline gint64
rounded (double number)
{
  return (gint64) (number + (number >= 0 ? 0.5 : -0.5));
}

/* Seconds with all the digits that a double has; what is no time is 0. */
static gint64
time_of_seconds (double seconds)
{
  gint64 whole;

  if (G_UNLIKELY (!(fabs (seconds) < 9e9)))
    return 0;
  whole = (gint64) seconds;
  return whole * G_GINT64_CONSTANT (1000000000) + rounded ((seconds - (double) whole) * 1e9);
}

/* ---- event --------------------------------------------------------------- */

static const guint8 event_types[] = {
  [1] = 1 + SONDE_WIRE_FIXED64, [2] = 1 + SONDE_WIRE_VARINT, [3] = 1 + SONDE_WIRE_BYTES,
  [4] = 1 + SONDE_WIRE_BYTES,   [5] = 1 + SONDE_WIRE_BYTES,  [6] = 1 + SONDE_WIRE_BYTES,
  [7] = 1 + SONDE_WIRE_BYTES,   [8] = 1 + SONDE_WIRE_BYTES,  [9] = 1 + SONDE_WIRE_BYTES,
  [10] = 1 + SONDE_WIRE_BYTES,
};

gboolean
sonde_event_view (SondeEvent *event, const guint8 *payload, gsize length, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (payload, length);
  SondeWireItem item;
  SondeWireStep step;

  *event = (SondeEvent){ .payload = { payload, length } };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    {
      if (item.number >= G_N_ELEMENTS (event_types))
        continue;
      if (G_UNLIKELY (item.type != event_types[item.number] - 1))
        return sonde_record_damaged (error, "Field %u of the event has wire type %u", item.number,
                                     item.type);
      if (item.number == 1)
        event->wall_time_ns = time_of_seconds (sonde_wire_item_double (&item));
      else if (item.number == 2)
        event->step = (gint64) item.value;
      else if (item.number < 10)
        {
          event->n_summaries = item.number != SONDE_EVENT_SUMMARY ? 0 : event->n_summaries + 1;
          event->kind = (SondeEventKind) item.number;
          event->content = (SondeBytes){ item.bytes, item.length };
        }
    }
  if (G_UNLIKELY (step == SONDE_WIRE_BROKEN))
    return broken (event, "Event", cursor.at, error);
  if (G_LIKELY (event->n_summaries <= MAX_SUMMARIES))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "Event has %u summaries, the limit is %d", event->n_summaries, MAX_SUMMARIES);
  return FALSE;
}

/* ---- values -------------------------------------------------------------- */

static gboolean
check_message (const SondeEvent *event, const char *what, SondeBytes bytes, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (bytes.at, bytes.length);
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    ;
  return step == SONDE_WIRE_END || broken (event, what, cursor.at, error);
}

static gboolean
view_tensor (const SondeEvent *event, SondeEventValue *value, GError **error)
{
  const guint8 *at = value->content.at;

  return sonde_tensor_proto_view (&value->tensor, value->content.at, value->content.length, &at)
         || broken (event, N_ ("Tensor of a value"), at, error);
}

/* Whether its fields are right is seen when it is decoded. */
static gboolean
check_content (const SondeEvent *event, const SondeEventValue *value, GError **error)
{
  switch (value->form)
    {
    case SONDE_FORM_IMAGE:
      return check_message (event, "Image", value->content, error);
    case SONDE_FORM_AUDIO:
      return check_message (event, "Audio", value->content, error);
    case SONDE_FORM_HISTOGRAM:
      return check_message (event, "Histogram", value->content, error);
    default:
      return TRUE;
    }
}

static const guint8 value_types[] = {
  [1] = 1 + SONDE_WIRE_BYTES, [2] = 1 + SONDE_WIRE_FIXED32, [3] = 1 + SONDE_WIRE_BYTES,
  [4] = 1 + SONDE_WIRE_BYTES, [5] = 1 + SONDE_WIRE_BYTES,   [6] = 1 + SONDE_WIRE_BYTES,
  [7] = 1 + SONDE_WIRE_BYTES, [8] = 1 + SONDE_WIRE_BYTES,   [9] = 1 + SONDE_WIRE_BYTES,
};

static gboolean
view_value (const SondeEventWalk *walk, const SondeWireItem *bytes, SondeEventValue *value,
            GError **error)
{
  const SondeEvent *event = walk->event;
  SondeWireCursor cursor = sonde_wire_item_cursor (bytes);
  SondeBytes node_name = { 0 };
  SondeWireItem item;
  SondeWireStep step;

  value->tag = (SondeBytes){ 0 };
  value->has_metadata = FALSE;
  value->form = SONDE_FORM_NONE;
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    {
      if (item.number >= G_N_ELEMENTS (value_types))
        continue;
      if (G_UNLIKELY (item.type != value_types[item.number] - 1))
        return sonde_record_damaged (error, "Field %u of a value has wire type %u", item.number,
                                     item.type);
      if (item.number == 1)
        value->tag = (SondeBytes){ item.bytes, item.length };
      else if (item.number == 7)
        node_name = (SondeBytes){ item.bytes, item.length };
      else if (item.number == 9)
        {
          value->has_metadata = TRUE;
          value->metadata = (SondeBytes){ item.bytes, item.length };
        }
      else
        {
          value->form = (SondeForm) item.number;
          value->content = (SondeBytes){ item.bytes, item.length };
          if (item.number == SONDE_FORM_NUMBER)
            value->number = (double) sonde_wire_item_float (&item);
        }
    }
  if (G_UNLIKELY (step == SONDE_WIRE_BROKEN))
    return broken (event, "Value", cursor.at, error);
  if (value->tag.length == 0 && value->form == SONDE_FORM_TENSOR)
    value->tag = node_name;
  if (value->form == SONDE_FORM_TENSOR)
    return view_tensor (event, value, error);
  return value->form == SONDE_FORM_NUMBER || walk->reading || check_content (event, value, error);
}

/* The next summary of the event, those only that follow the last other member of the oneof. */
static gboolean
begin_summary (SondeEventWalk *walk)
{
  const SondeEvent *event = walk->event;
  SondeWireItem item;

  if (!walk->begun && event->n_summaries <= 1)
    {
      walk->begun = TRUE;
      walk->inner = sonde_wire_cursor (event->content.at, event->content.length);
      return event->n_summaries == 1;
    }
  if (event->n_summaries <= 1)
    return FALSE;
  if (!walk->begun)
    {
      SondeWireCursor ahead = sonde_wire_cursor (event->payload.at, event->payload.length);

      walk->begun = TRUE;
      walk->outer = ahead;
      while (sonde_wire_next (&ahead, &item) == SONDE_WIRE_ITEM)
        if (item.number > 2 && item.number < 10 && item.number != SONDE_EVENT_SUMMARY)
          walk->outer = ahead;
    }
  while (sonde_wire_next (&walk->outer, &item) == SONDE_WIRE_ITEM)
    if (item.number == SONDE_EVENT_SUMMARY)
      {
        walk->inner = sonde_wire_item_cursor (&item);
        return TRUE;
      }
  return FALSE;
}

SondeWireStep
sonde_event_walk_next (SondeEventWalk *walk, SondeEventValue *value, GError **error)
{
  SondeWireItem item;

  for (;;)
    {
      SondeWireStep step = walk->inner.at == walk->inner.end
                               ? SONDE_WIRE_END
                               : sonde_wire_next (&walk->inner, &item);

      if (step == SONDE_WIRE_END)
        {
          if (!begin_summary (walk))
            return SONDE_WIRE_END;
          continue;
        }
      if (step == SONDE_WIRE_BROKEN)
        {
          broken (walk->event, "Summary", walk->inner.at, error);
          return SONDE_WIRE_BROKEN;
        }
      if (item.number != 1)
        continue;
      if (item.type != SONDE_WIRE_BYTES)
        {
          broken (walk->event, "Summary", walk->inner.at, error);
          return SONDE_WIRE_BROKEN;
        }
      return view_value (walk, &item, value, error) ? SONDE_WIRE_ITEM : SONDE_WIRE_BROKEN;
    }
}

gboolean
sonde_event_metadata_view (SondeEventMetadata *metadata, SondeBytes bytes, SondeWireArena *arena,
                           GError **error)
{
  const Tensorboard__SummaryMetadata *message = sonde_wire_decode (
      &tensorboard__summary_metadata__descriptor, bytes.at, bytes.length, NULL, NULL, arena, error);

  *metadata = (SondeEventMetadata){ 0 };
  if (message == NULL)
    return FALSE;
  metadata->display_name = sonde_bytes_of_field (message->display_name);
  metadata->description = sonde_bytes_of_field (message->summary_description);
  if (message->plugin_data != NULL)
    {
      metadata->plugin = sonde_bytes_of_field (message->plugin_data->plugin_name);
      metadata->content = sonde_bytes_of_field (message->plugin_data->content);
    }
  return TRUE;
}
