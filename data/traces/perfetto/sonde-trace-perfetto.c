/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/perfetto/sonde-trace-perfetto.h"

#include <math.h>
#include <string.h>

#include <isa-l/igzip_lib.h>

#include "data/base/sonde-checked.h"
#include "data/traces/perfetto/sonde-perfetto-clocks.h"
#include "data/traces/perfetto/sonde-perfetto-sequences.h"
#include "data/traces/perfetto/sonde-perfetto-tracks.h"
#include "data/wire/sonde-wire-cursor.h"

#define PACKET_KEY (1 << 3 | SONDE_WIRE_BYTES)
#define HEAD_BYTES 20 /* of a key and a length */

/* @event … @interned: scratch, used again for each packet
 * @shift: what lies between a place in the file and one in the file as if it were not compressed
 * @is_inside: whether compressed packets are being read; @is_damaged: whether these could not be */
typedef struct
{
  SondeTraceBuilder *builder;
  SondePerfettoTracks *tracks;
  SondePerfettoSequences *sequences;
  SondePerfettoClocks *clocks;
  SondePerfettoEvent event;
  GArray *snapshot, *interned;
  struct inflate_state *inflate;
  guint64 shift;
  gboolean is_inside, is_damaged;
} Reader;

/* A packet and what is in it. @sequence: of its writer */
typedef struct
{
  SondePerfettoPacket packet;
  SondePerfettoDefaults defaults;
  SondePerfettoTrackInfo track;
  SondePerfettoSequence *sequence;
  guint64 place;
} Packet;

static void
reader_init (Reader *reader, SondeTraceBuilder *builder)
{
  *reader = (Reader){
    .builder = builder,
    .tracks = sonde_perfetto_tracks_new (builder),
    .sequences = sonde_perfetto_sequences_new (),
    .clocks = sonde_perfetto_clocks_new (),
    .snapshot = g_array_new (FALSE, FALSE, sizeof (SondePerfettoClockInfo)),
    .interned = g_array_new (FALSE, FALSE, sizeof (SondePerfettoInterned)),
    .inflate = g_new (struct inflate_state, 1),
  };
  sonde_perfetto_event_init (&reader->event);
}

static void
reader_clear (Reader *reader)
{
  sonde_perfetto_tracks_free (reader->tracks);
  sonde_perfetto_sequences_free (reader->sequences);
  sonde_perfetto_clocks_free (reader->clocks);
  sonde_perfetto_event_clear (&reader->event);
  g_array_unref (reader->snapshot);
  g_array_unref (reader->interned);
  g_free (reader->inflate);
}

static void
count (Reader *reader, SondeTraceReason reason)
{
  sonde_trace_builder_count_reason (reader->builder, reason);
}

static guint32
add_text (Reader *reader, SondePerfettoBytes text)
{
  return sonde_trace_builder_add_text (reader->builder, (const char *) text.bytes, text.n);
}

/* ---- events -------------------------------------------------------------- */

static guint64
get_track (const Reader *reader, const Packet *packet)
{
  return reader->event.has_track ? reader->event.track : packet->sequence->defaults.track;
}

static guint32
get_name (Reader *reader, const Packet *packet)
{
  if (reader->event.name.bytes != NULL)
    return add_text (reader, reader->event.name);
  return sonde_perfetto_sequence_get_text (packet->sequence, SONDE_PERFETTO_NAMES,
                                           reader->event.name_iid);
}

static void
append_category (Reader *reader, GString *all, guint32 category)
{
  if (all->len > 0)
    g_string_append_c (all, ',');
  g_string_append (all, sonde_trace_builder_get_text (reader->builder, category));
}

/* Several become one text with commas. */
static guint32
get_category (Reader *reader, const Packet *packet)
{
  const GArray *iids = reader->event.category_iids, *texts = reader->event.categories;
  g_autoptr (GString) all = NULL;
  guint32 category = 0;

  if (iids->len + texts->len > 1)
    all = g_string_new (NULL);
  for (guint i = 0; i < iids->len + texts->len; i++)
    {
      category
          = i < iids->len
                ? sonde_perfetto_sequence_get_text (packet->sequence, SONDE_PERFETTO_CATEGORIES,
                                                    g_array_index (iids, guint64, i))
                : add_text (reader, g_array_index (texts, SondePerfettoBytes, i - iids->len));
      if (all != NULL && all->len < SONDE_TRACE_TEXT_MAX)
        append_category (reader, all, category);
    }
  return all != NULL ? sonde_trace_builder_add_text (reader->builder, all->str, all->len)
                     : category;
}

static guint32
get_label (Reader *reader, const Packet *packet)
{
  return sonde_trace_builder_add_label (reader->builder, get_category (reader, packet),
                                        get_name (reader, packet));
}

static void
add_flows (Reader *reader, const Packet *packet, const GArray *ids, SondeTraceFlowKind kind,
           SondeTraceBinding binding, guint32 thread, gint64 at_ns)
{
  char text[24];

  for (guint i = 0; i < ids->len; i++)
    {
      g_snprintf (text, sizeof text, "%" G_GINT64_MODIFIER "x", g_array_index (ids, guint64, i));
      sonde_trace_builder_add_flow (
          reader->builder, kind, binding, thread, SONDE_TRACE_NONE,
          sonde_trace_builder_add_text (reader->builder, text, strlen (text)), at_ns,
          packet->place);
    }
}

static void
apply_slice (Reader *reader, const Packet *packet, gint64 at_ns)
{
  guint32 thread = sonde_perfetto_tracks_get_thread (reader->tracks, get_track (reader, packet));
  SondeTraceBinding binding = SONDE_TRACE_BIND_ENCLOSING;

  if (reader->event.type == SONDE_PERFETTO_END)
    sonde_trace_builder_add_end (reader->builder, thread, SONDE_TRACE_NONE, at_ns, packet->place);
  else if (reader->event.type == SONDE_PERFETTO_BEGIN)
    {
      sonde_trace_builder_add_begin (reader->builder, thread, get_label (reader, packet), at_ns,
                                     packet->place);
      binding = SONDE_TRACE_BIND_OWN;
    }
  else
    {
      sonde_trace_builder_add_instant (reader->builder, thread, get_label (reader, packet), at_ns,
                                       packet->place);
      binding = SONDE_TRACE_BIND_INSTANT;
    }
  add_flows (reader, packet, reader->event.flows, SONDE_TRACE_FLOW_TOUCH, binding, thread, at_ns);
  add_flows (reader, packet, reader->event.last_flows, SONDE_TRACE_FLOW_LAST, binding, thread,
             at_ns);
}

static void
apply_counter (Reader *reader, const Packet *packet, gint64 at_ns)
{
  guint32 counter;

  if (!reader->event.has_value || !isfinite (reader->event.value))
    {
      count (reader, SONDE_TRACE_REASON_COUNTER);
      return;
    }
  counter = sonde_perfetto_tracks_get_counter (reader->tracks, get_track (reader, packet));
  sonde_trace_builder_add_counter_point (reader->builder, counter, at_ns, reader->event.value);
}

static gboolean
is_async (const SondePerfettoEvent *event)
{
  return event->type == SONDE_PERFETTO_OTHER_EVENT && event->has_id
         && (event->phase == 'b' || event->phase == 'e');
}

static void
apply_async (Reader *reader, const Packet *packet, gint64 at_ns)
{
  guint32 thread = sonde_perfetto_tracks_get_thread (reader->tracks, get_track (reader, packet));
  char id[24];

  g_snprintf (id, sizeof id, "%" G_GINT64_MODIFIER "x", reader->event.id);
  sonde_trace_builder_add_async (reader->builder, reader->event.phase == 'b', 'b', thread,
                                 get_label (reader, packet),
                                 sonde_trace_builder_add_text (reader->builder, id, strlen (id)),
                                 SONDE_TRACE_NONE, at_ns, packet->place);
}

static void
count_ignored (Reader *reader, guint32 number)
{
  char buffer[32];
  const char *name = sonde_perfetto_packet_get_name (number, buffer);

  sonde_trace_builder_count_ignored (
      reader->builder, sonde_trace_builder_add_text (reader->builder, name, strlen (name)));
}

static void
apply_event (Reader *reader, const Packet *packet, gboolean has_time, gint64 at_ns)
{
  sonde_trace_builder_count_event (reader->builder);
  if (!has_time)
    count (reader, SONDE_TRACE_REASON_TIME);
  else if (reader->event.type == SONDE_PERFETTO_COUNTER)
    apply_counter (reader, packet, at_ns);
  else if (reader->event.type >= SONDE_PERFETTO_BEGIN
           && reader->event.type <= SONDE_PERFETTO_INSTANT)
    apply_slice (reader, packet, at_ns);
  else if (is_async (&reader->event))
    apply_async (reader, packet, at_ns);
  else
    count_ignored (reader, 11);
}

/* ---- packets ------------------------------------------------------------- */

/* All of a packet is decoded before any of it counts. */
static gboolean
decode (Reader *reader, Packet *packet, const guint8 *bytes, gsize n)
{
  const SondePerfettoPacket *p = &packet->packet;

  return sonde_perfetto_packet_decode (&packet->packet, bytes, n)
         && (p->event.bytes == NULL || sonde_perfetto_event_decode (&reader->event, p->event))
         && (p->interned.bytes == NULL
             || sonde_perfetto_interned_decode (reader->interned, p->interned))
         && (p->clocks.bytes == NULL || sonde_perfetto_clocks_decode (reader->snapshot, p->clocks))
         && (p->track.bytes == NULL || sonde_perfetto_track_decode (&packet->track, p->track))
         && (p->defaults.bytes == NULL
             || sonde_perfetto_defaults_decode (&packet->defaults, p->defaults));
}

static void
apply_state (Reader *reader, Packet *packet)
{
  const SondePerfettoPacket *p = &packet->packet;

  if (p->interned.bytes != NULL)
    for (guint i = 0; i < reader->interned->len; i++)
      {
        const SondePerfettoInterned *entry
            = &g_array_index (reader->interned, SondePerfettoInterned, i);

        sonde_perfetto_sequence_intern (packet->sequence, entry->kind, entry->iid,
                                        entry->text.bytes != NULL ? add_text (reader, entry->text)
                                                                  : 0);
      }
  if (p->defaults.bytes != NULL)
    packet->sequence->defaults = packet->defaults;
  if (p->clocks.bytes != NULL)
    sonde_perfetto_clocks_add_snapshot (reader->clocks, p->sequence, reader->snapshot);
  if (p->track.bytes != NULL)
    sonde_perfetto_tracks_describe (reader->tracks, &packet->track);
}

/* Packets without an event are asked, too: incremental clocks go on with each. */
static gboolean
get_time (Reader *reader, const Packet *packet, gint64 *ns)
{
  const SondePerfettoPacket *p = &packet->packet;
  guint32 clock = p->clock != 0                           ? p->clock
                  : packet->sequence->defaults.clock != 0 ? packet->sequence->defaults.clock
                                                          : SONDE_PERFETTO_BOOT_CLOCK;

  return p->has_time
         && sonde_perfetto_clocks_convert (reader->clocks, p->sequence, clock, p->time, ns);
}

static void read_compressed (Reader *reader, SondePerfettoBytes bytes, guint64 place);

static void
take_packet (Reader *reader, const guint8 *bytes, gsize n, guint64 place)
{
  Packet packet = { .place = place };
  const SondePerfettoPacket *p = &packet.packet;
  gboolean has_time;
  gint64 at_ns = 0;

  if (!decode (reader, &packet, bytes, n))
    {
      count (reader, SONDE_TRACE_REASON_PACKET);
      return;
    }
  packet.sequence = sonde_perfetto_sequences_get (reader->sequences, p->sequence);
  if (p->lost_before)
    {
      sonde_trace_builder_count_dropped (reader->builder);
      packet.sequence->is_valid = FALSE;
    }
  if (p->clears_state)
    sonde_perfetto_sequence_begin (packet.sequence);
  has_time = get_time (reader, &packet, &at_ns);
  if (p->needs_state && !packet.sequence->is_valid)
    {
      count (reader, SONDE_TRACE_REASON_STATE);
      return;
    }
  apply_state (reader, &packet);
  if (p->event.bytes != NULL)
    apply_event (reader, &packet, has_time, at_ns);
  if (p->other != 0)
    count_ignored (reader, p->other);
  if (p->compressed.bytes != NULL)
    read_compressed (reader, p->compressed, place);
}

/* The next field of the file, which is a packet as a rule. Returns FALSE at the end: @is_whole then
 * says whether it lies between two fields. */
static gboolean
read_field (Reader *reader, SondeByteStream *stream, gboolean *is_whole)
{
  guint64 start = sonde_byte_stream_get_offset (stream), key, length = 0;
  gsize n, head;
  const guint8 *bytes = sonde_byte_stream_peek (stream, HEAD_BYTES, &n);
  SondeWireCursor cursor = sonde_wire_cursor (bytes, n);

  *is_whole = n == 0;
  if (n == 0 || !sonde_wire_take_varint (&cursor, &key) || key >> 3 == 0)
    return FALSE;
  if ((key & 7) == SONDE_WIRE_FIXED64 || (key & 7) == SONDE_WIRE_FIXED32)
    length = (key & 7) == SONDE_WIRE_FIXED64 ? 8 : 4;
  else if (!sonde_wire_take_varint (&cursor, &length))
    return FALSE;
  else if ((key & 7) == SONDE_WIRE_VARINT)
    length = 0; /* it was the number */
  else if ((key & 7) != SONDE_WIRE_BYTES)
    return FALSE;
  head = cursor.at - bytes;
  if (key != PACKET_KEY || length > SONDE_BYTE_STREAM_MAX - HEAD_BYTES)
    {
      if (key == PACKET_KEY)
        count (reader, SONDE_TRACE_REASON_PACKET);
      return sonde_checked_add (&length, length, (guint64) head)
             && sonde_byte_stream_skip (stream, length);
    }
  bytes = sonde_byte_stream_peek (stream, head + length, &n);
  if (n < head + length)
    return FALSE;
  take_packet (reader, bytes + head, length, start + reader->shift);
  return sonde_byte_stream_skip (stream, head + length);
}

/* ---- compressed packets -------------------------------------------------- */

/* A SondeByteSource. */
static gssize
inflate (gpointer data, guint8 *bytes, gsize n, GError **error)
{
  Reader *reader = data;
  struct inflate_state *state = reader->inflate;
  int result;

  state->next_out = bytes;
  state->avail_out = (guint32) MIN (n, G_MAXUINT32);
  result = isal_inflate (state);
  if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT)
    {
      reader->is_damaged = TRUE;
      state->avail_in = 0; /* what came before counts */
    }
  return state->next_out - bytes;
}

/* Packets inside a packet, zlib's format; those inside these are not read. */
static void
read_compressed (Reader *reader, SondePerfettoBytes bytes, guint64 place)
{
  g_autoptr (SondeByteStream) stream = NULL;
  guint64 shift = reader->shift;
  gboolean is_whole = FALSE;

  if (reader->is_inside)
    {
      count (reader, SONDE_TRACE_REASON_PACKET);
      return;
    }
  /* of damaged data ISA-L reads more of its state than it sets */
  memset (reader->inflate, 0, sizeof *reader->inflate);
  isal_inflate_init (reader->inflate);
  reader->inflate->crc_flag = ISAL_ZLIB;
  reader->inflate->next_in = (guint8 *) bytes.bytes;
  reader->inflate->avail_in = (guint32) bytes.n;
  stream = sonde_byte_stream_new (inflate, reader);
  reader->is_inside = TRUE;
  reader->is_damaged = FALSE;
  reader->shift = place;
  while (read_field (reader, stream, &is_whole))
    ;
  reader->is_inside = FALSE;
  reader->shift = shift + sonde_byte_stream_get_offset (stream);
  if (!is_whole || reader->is_damaged || reader->inflate->block_state != ISAL_BLOCK_FINISH)
    count (reader, SONDE_TRACE_REASON_PACKET);
}

gboolean
sonde_trace_read_perfetto (SondeTraceBuilder *builder, SondeByteStream *stream, GError **error)
{
  Reader reader;
  gboolean is_whole;
  GError *problem;
  guint64 offset;

  reader_init (&reader, builder);
  do
    offset = sonde_byte_stream_get_offset (stream);
  while (read_field (&reader, stream, &is_whole));
  sonde_perfetto_tracks_finish (reader.tracks);
  reader_clear (&reader);
  problem = sonde_byte_stream_steal_error (stream);
  if (problem != NULL)
    {
      g_propagate_error (error, problem);
      return FALSE;
    }
  if (!is_whole)
    sonde_trace_builder_set_truncated (builder, offset);
  return TRUE;
}
