/* SPDX-License-Identifier: Apache-2.0
 * Packets of a Perfetto trace, decoded: the fields that say when, where and what, of the dozens there
 * are. What does not live here: what packets mean together. Source of numbers and meanings: Perfetto's
 * trace protos, version 0.59. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A GHashFunc of keys that are numbers themselves: all their bits count. */
static inline guint
sonde_perfetto_hash (gconstpointer key)
{
  guint64 number = (guint64) GPOINTER_TO_SIZE (key);

  return (guint) ((number ^ number >> 32) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32);
}

/* Lent bytes of a message or a text; @bytes is NULL where there is none. */
typedef struct
{
  const guint8 *bytes;
  gsize n;
} SondePerfettoBytes;

/**
 * SondePerfettoPacket:
 * @clock: 0: not given
 * @clears_state: what the sequence said before does not hold any more
 * @needs_state: makes no sense without what the sequence said before
 * @lost_before: whether the producer lost packets before this one
 * @other: number of the content when it is none of these, or 0
 */
typedef struct
{
  gboolean has_time, clears_state, needs_state, lost_before;
  guint64 time;
  guint32 clock, sequence, other;
  SondePerfettoBytes event, interned, defaults, track, clocks, compressed;
} SondePerfettoPacket;

/* Returns FALSE when the bytes are no message; so do all functions below. */
gboolean sonde_perfetto_packet_decode (SondePerfettoPacket *packet, const guint8 *bytes, gsize n);

/* How a content that is not read is called in Perfetto's protos, "field 700" for an unknown one.
 * @buffer: of at least 32 bytes, used for the latter */
const char *sonde_perfetto_packet_get_name (guint32 number, char *buffer);

typedef enum
{
  SONDE_PERFETTO_OTHER_EVENT = 0,
  SONDE_PERFETTO_BEGIN = 1,
  SONDE_PERFETTO_END = 2,
  SONDE_PERFETTO_INSTANT = 3,
  SONDE_PERFETTO_COUNTER = 4,
} SondePerfettoEventType;

/**
 * SondePerfettoEvent:
 * @name: else the name with number @name_iid
 * @category_iids, @flows, @last_flows: guint64; the last are not used again
 * @categories: SondePerfettoBytes
 * @phase, @id: of an event of the older kind, which has a letter instead of a type; 0 else. The id is
 *   one that all processes know
 *
 * A track event. Its arrays are made once and used for all events.
 */
typedef struct
{
  guint64 type; /* SondePerfettoEventType or unknown */
  gboolean has_track, has_value, has_id;
  guint64 track, name_iid, phase, id;
  SondePerfettoBytes name;
  double value;
  GArray *category_iids, *categories, *flows, *last_flows;
} SondePerfettoEvent;

void sonde_perfetto_event_init (SondePerfettoEvent *event);
void sonde_perfetto_event_clear (SondePerfettoEvent *event);
gboolean sonde_perfetto_event_decode (SondePerfettoEvent *event, SondePerfettoBytes bytes);

/* A track descriptor. @multiplier, @is_incremental: of a counter */
typedef struct
{
  guint64 uuid, parent;
  gboolean has_parent, has_process, has_thread, is_incremental;
  gint64 pid, tid, multiplier;
  SondePerfettoBytes name, process_name, thread_name;
} SondePerfettoTrackInfo;

gboolean sonde_perfetto_track_decode (SondePerfettoTrackInfo *info, SondePerfettoBytes bytes);

/* One clock of a snapshot. @multiplier: ns of its unit */
typedef struct
{
  guint32 id;
  gboolean is_incremental;
  guint64 time, multiplier;
} SondePerfettoClockInfo;

/* @clocks: SondePerfettoClockInfo, replaced */
gboolean sonde_perfetto_clocks_decode (GArray *clocks, SondePerfettoBytes bytes);

typedef enum
{
  SONDE_PERFETTO_CATEGORIES,
  SONDE_PERFETTO_NAMES,
  SONDE_PERFETTO_N_INTERNED,
} SondePerfettoInternedKind;

/* A name that is known by its number from now on. */
typedef struct
{
  SondePerfettoInternedKind kind;
  guint64 iid;
  SondePerfettoBytes text;
} SondePerfettoInterned;

/* @interned: SondePerfettoInterned, replaced */
gboolean sonde_perfetto_interned_decode (GArray *interned, SondePerfettoBytes bytes);

/* What holds where a packet does not say it. @clock: 0: not given */
typedef struct
{
  gboolean has_track;
  guint64 track;
  guint32 clock;
} SondePerfettoDefaults;

gboolean sonde_perfetto_defaults_decode (SondePerfettoDefaults *defaults, SondePerfettoBytes bytes);

G_END_DECLS
