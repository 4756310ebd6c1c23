/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/perfetto/sonde-perfetto-packet.h"

#include "data/wire/sonde-wire-cursor.h"

/* A field of the expected type; one of another type is an unknown one. */
#define VARINT(number) ((number) << 3)
#define FIXED64(number) ((number) << 3 | 1)
#define BYTES(number) ((number) << 3 | 2)

static guint64
get_tag (const SondeWireItem *item)
{
  return (guint64) item->number << 3 | item->type;
}

static SondePerfettoBytes
get_bytes (const SondeWireItem *item)
{
  return (SondePerfettoBytes){ item->bytes, item->length };
}

static SondeWireCursor
open_bytes (SondePerfettoBytes bytes)
{
  return sonde_wire_cursor (bytes.bytes, bytes.n);
}

/* ---- packets ------------------------------------------------------------- */

/* Fields of a packet beside its content. */
static gboolean
is_about_packet (guint32 number)
{
  static const guint8 numbers[] = { 3, 8, 10, 12, 13, 41, 42, 58, 59, 79, 87, 98 };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i] == number)
      return TRUE;
  return FALSE;
}

static void
take_content (SondePerfettoPacket *packet, const SondeWireItem *item)
{
  switch (get_tag (item))
    {
    case BYTES (6):
      packet->clocks = get_bytes (item);
      break;
    case BYTES (11):
      packet->event = get_bytes (item);
      break;
    case BYTES (50):
      packet->compressed = get_bytes (item);
      break;
    case BYTES (60):
      packet->track = get_bytes (item);
      break;
    default:
      packet->other = item->number;
      break;
    }
}

static void
take_field (SondePerfettoPacket *packet, const SondeWireItem *item)
{
  switch (get_tag (item))
    {
    case VARINT (8):
      packet->has_time = TRUE;
      packet->time = item->value;
      break;
    case VARINT (10):
      packet->sequence = (guint32) item->value;
      break;
    case BYTES (12):
      packet->interned = get_bytes (item);
      break;
    case VARINT (13):
      packet->clears_state = packet->clears_state || (item->value & 1) != 0;
      packet->needs_state = (item->value & 2) != 0;
      break;
    case VARINT (41):
      packet->clears_state = packet->clears_state || item->value != 0;
      break;
    case VARINT (42):
      packet->lost_before = item->value != 0;
      break;
    case VARINT (58):
      packet->clock = (guint32) item->value;
      break;
    case BYTES (59):
      packet->defaults = get_bytes (item);
      break;
    default:
      if (!is_about_packet (item->number))
        take_content (packet, item);
      break;
    }
}

gboolean
sonde_perfetto_packet_decode (SondePerfettoPacket *packet, const guint8 *bytes, gsize n)
{
  SondeWireCursor cursor = sonde_wire_cursor (bytes, n);
  SondeWireItem item;
  SondeWireStep step;

  *packet = (SondePerfettoPacket){ 0 };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    take_field (packet, &item);
  return step == SONDE_WIRE_END;
}

/* ---- events -------------------------------------------------------------- */

void
sonde_perfetto_event_init (SondePerfettoEvent *event)
{
  *event = (SondePerfettoEvent){
    .category_iids = g_array_new (FALSE, FALSE, sizeof (guint64)),
    .categories = g_array_new (FALSE, FALSE, sizeof (SondePerfettoBytes)),
    .flows = g_array_new (FALSE, FALSE, sizeof (guint64)),
    .last_flows = g_array_new (FALSE, FALSE, sizeof (guint64)),
  };
}

void
sonde_perfetto_event_clear (SondePerfettoEvent *event)
{
  g_array_unref (event->category_iids);
  g_array_unref (event->categories);
  g_array_unref (event->flows);
  g_array_unref (event->last_flows);
}

static void
reset_event (SondePerfettoEvent *event)
{
  event->type = 0;
  event->has_track = event->has_value = event->has_id = FALSE;
  event->track = event->name_iid = event->phase = event->id = 0;
  event->name = (SondePerfettoBytes){ NULL, 0 };
  g_array_set_size (event->category_iids, 0);
  g_array_set_size (event->categories, 0);
  g_array_set_size (event->flows, 0);
  g_array_set_size (event->last_flows, 0);
}

/* Numbers that are packed into one field. */
static gboolean
take_packed (GArray *numbers, const SondeWireItem *item, gboolean is_fixed)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (item);
  guint64 number;

  while (cursor.at != cursor.end)
    {
      if (!(is_fixed ? sonde_wire_take_fixed (&cursor, 8, &number)
                     : sonde_wire_take_varint (&cursor, &number)))
        return FALSE;
      g_array_append_val (numbers, number);
    }
  return TRUE;
}

static gboolean
decode_legacy (SondePerfettoEvent *event, SondeWireCursor cursor)
{
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == VARINT (2))
      event->phase = item.value;
    else if (get_tag (&item) == VARINT (6) || get_tag (&item) == VARINT (11))
      {
        event->has_id = TRUE;
        event->id = item.value;
      }
  return step == SONDE_WIRE_END;
}

static gboolean
take_list_field (SondePerfettoEvent *event, const SondeWireItem *item)
{
  SondePerfettoBytes text = get_bytes (item);

  switch (get_tag (item))
    {
    case VARINT (3):
      g_array_append_val (event->category_iids, item->value);
      return TRUE;
    case BYTES (3):
      return take_packed (event->category_iids, item, FALSE);
    case BYTES (22):
      g_array_append_val (event->categories, text);
      return TRUE;
    case VARINT (36):
    case FIXED64 (47):
      g_array_append_val (event->flows, item->value);
      return TRUE;
    case BYTES (36):
    case BYTES (47):
      return take_packed (event->flows, item, item->number == 47);
    case VARINT (42):
    case FIXED64 (48):
      g_array_append_val (event->last_flows, item->value);
      return TRUE;
    case BYTES (42):
    case BYTES (48):
      return take_packed (event->last_flows, item, item->number == 48);
    default:
      return TRUE;
    }
}

static gboolean
take_event_field (SondePerfettoEvent *event, const SondeWireItem *item)
{
  switch (get_tag (item))
    {
    case BYTES (6):
      return decode_legacy (event, sonde_wire_item_cursor (item));
    case VARINT (9):
      event->type = item->value;
      return TRUE;
    case VARINT (10):
      event->name_iid = item->value;
      return TRUE;
    case VARINT (11):
      event->has_track = TRUE;
      event->track = item->value;
      return TRUE;
    case BYTES (23):
      event->name = get_bytes (item);
      return TRUE;
    case VARINT (30):
      event->has_value = TRUE;
      event->value = (double) (gint64) item->value;
      return TRUE;
    case FIXED64 (44):
      event->has_value = TRUE;
      event->value = sonde_wire_item_double (item);
      return TRUE;
    default:
      return take_list_field (event, item);
    }
}

gboolean
sonde_perfetto_event_decode (SondePerfettoEvent *event, SondePerfettoBytes bytes)
{
  SondeWireCursor cursor = open_bytes (bytes);
  SondeWireItem item;
  SondeWireStep step;

  reset_event (event);
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (!take_event_field (event, &item))
      return FALSE;
  return step == SONDE_WIRE_END;
}

/* ---- tracks -------------------------------------------------------------- */

static gboolean
decode_process (SondePerfettoTrackInfo *info, SondeWireCursor cursor)
{
  SondeWireItem item;
  SondeWireStep step;

  info->has_process = TRUE;
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == VARINT (1))
      info->pid = (gint32) item.value;
    else if (get_tag (&item) == BYTES (6))
      info->process_name = get_bytes (&item);
  return step == SONDE_WIRE_END;
}

static gboolean
decode_thread (SondePerfettoTrackInfo *info, SondeWireCursor cursor)
{
  SondeWireItem item;
  SondeWireStep step;

  info->has_thread = TRUE;
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == VARINT (1))
      info->pid = (gint32) item.value;
    else if (get_tag (&item) == VARINT (2))
      info->tid = (gint64) item.value;
    else if (get_tag (&item) == BYTES (5))
      info->thread_name = get_bytes (&item);
  return step == SONDE_WIRE_END;
}

static gboolean
decode_counter (SondePerfettoTrackInfo *info, SondeWireCursor cursor)
{
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == VARINT (4))
      info->multiplier = (gint64) item.value;
    else if (get_tag (&item) == VARINT (5))
      info->is_incremental = item.value != 0;
  return step == SONDE_WIRE_END;
}

static gboolean
take_track_field (SondePerfettoTrackInfo *info, const SondeWireItem *item)
{
  switch (get_tag (item))
    {
    case VARINT (1):
      info->uuid = item->value;
      return TRUE;
    case BYTES (2): /* one text under three numbers */
    case BYTES (10):
    case BYTES (13):
      info->name = get_bytes (item);
      return TRUE;
    case BYTES (3):
      return decode_process (info, sonde_wire_item_cursor (item));
    case BYTES (4):
      return decode_thread (info, sonde_wire_item_cursor (item));
    case VARINT (5):
      info->has_parent = TRUE;
      info->parent = item->value;
      return TRUE;
    case BYTES (8):
      return decode_counter (info, sonde_wire_item_cursor (item));
    default:
      return TRUE;
    }
}

gboolean
sonde_perfetto_track_decode (SondePerfettoTrackInfo *info, SondePerfettoBytes bytes)
{
  SondeWireCursor cursor = open_bytes (bytes);
  SondeWireItem item;
  SondeWireStep step;

  *info = (SondePerfettoTrackInfo){ .multiplier = 1 };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (!take_track_field (info, &item))
      return FALSE;
  return step == SONDE_WIRE_END;
}

/* ---- what events refer to ------------------------------------------------ */

static gboolean
decode_clock (SondePerfettoClockInfo *info, SondeWireCursor cursor)
{
  SondeWireItem item;
  SondeWireStep step;

  *info = (SondePerfettoClockInfo){ .multiplier = 1 };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    switch (get_tag (&item))
      {
      case VARINT (1):
        info->id = (guint32) item.value;
        break;
      case VARINT (2):
        info->time = item.value;
        break;
      case VARINT (3):
        info->is_incremental = item.value != 0;
        break;
      case VARINT (4):
        info->multiplier = item.value;
        break;
      default:
        break;
      }
  return step == SONDE_WIRE_END;
}

gboolean
sonde_perfetto_clocks_decode (GArray *clocks, SondePerfettoBytes bytes)
{
  SondeWireCursor cursor = open_bytes (bytes);
  SondeWireItem item;
  SondeWireStep step;
  SondePerfettoClockInfo info;

  g_array_set_size (clocks, 0);
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == BYTES (1))
      {
        if (!decode_clock (&info, sonde_wire_item_cursor (&item)))
          return FALSE;
        g_array_append_val (clocks, info);
      }
  return step == SONDE_WIRE_END;
}

static gboolean
decode_interned (SondePerfettoInterned *interned, SondeWireCursor cursor)
{
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == VARINT (1))
      interned->iid = item.value;
    else if (get_tag (&item) == BYTES (2))
      interned->text = get_bytes (&item);
  return step == SONDE_WIRE_END;
}

gboolean
sonde_perfetto_interned_decode (GArray *interned, SondePerfettoBytes bytes)
{
  SondeWireCursor cursor = open_bytes (bytes);
  SondeWireItem item;
  SondeWireStep step;

  g_array_set_size (interned, 0);
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == BYTES (1) || get_tag (&item) == BYTES (2))
      {
        SondePerfettoInterned entry
            = { .kind = item.number == 1 ? SONDE_PERFETTO_CATEGORIES : SONDE_PERFETTO_NAMES };

        if (!decode_interned (&entry, sonde_wire_item_cursor (&item)))
          return FALSE;
        g_array_append_val (interned, entry);
      }
  return step == SONDE_WIRE_END;
}

static gboolean
decode_event_defaults (SondePerfettoDefaults *defaults, SondeWireCursor cursor)
{
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == VARINT (11))
      {
        defaults->has_track = TRUE;
        defaults->track = item.value;
      }
  return step == SONDE_WIRE_END;
}

gboolean
sonde_perfetto_defaults_decode (SondePerfettoDefaults *defaults, SondePerfettoBytes bytes)
{
  SondeWireCursor cursor = open_bytes (bytes);
  SondeWireItem item;
  SondeWireStep step;

  *defaults = (SondePerfettoDefaults){ 0 };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (get_tag (&item) == VARINT (58))
      defaults->clock = (guint32) item.value;
    else if (get_tag (&item) == BYTES (11)
             && !decode_event_defaults (defaults, sonde_wire_item_cursor (&item)))
      return FALSE;
  return step == SONDE_WIRE_END;
}
