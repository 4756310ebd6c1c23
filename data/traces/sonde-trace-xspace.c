/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace-xspace.h"

#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/traces/sonde-trace-decimal.h"
#include "data/wire/sonde-wire-cursor.h"

#define HEAD_BYTES 20                            /* of a key and a number */
#define EVENT_MAX ((guint64) 1 << 20)            /* bytes of one event */
#define PS_REST (SONDE_TRACE_DECIMAL_ONE / 1000) /* a picosecond */

/* @thread: SONDE_TRACE_NONE until the first event */
typedef struct
{
  gint64 id, start_ns;
  guint32 name, display_name, thread;
  gboolean has_events;
} Line;

/* @names: number of an event's metadata → text
 * @first_line: of the plane among all lines */
typedef struct
{
  guint32 name;
  GHashTable *names;
  guint first_line;
} Plane;

/* @lines: Line, @planes: Plane, in the order of the file
 * @plane, @line: which one is being read
 * @stopped: the bytes are no message at @offset, or have ended */
typedef struct
{
  SondeTraceBuilder *builder;
  SondeByteStream *stream;
  GArray *planes, *lines;
  guint plane, line;
  gboolean stopped;
  guint64 offset;
} Reader;

/* One field; @length: of BYTES, which end at @end */
typedef struct
{
  guint32 number, type;
  guint64 value, start, length, end;
} Field;

typedef void (*FieldFunc) (Reader *reader, const Field *field, gpointer data);

/* ---- walking ------------------------------------------------------------- */

static gboolean
stop (Reader *reader, guint64 offset)
{
  if (!reader->stopped)
    reader->offset = offset;
  reader->stopped = TRUE;
  return FALSE;
}

/* The head of the next field; the stream is behind it then. */
static gboolean
take_head (Reader *reader, guint64 end, Field *field)
{
  gsize n;
  const guint8 *bytes = sonde_byte_stream_peek (reader->stream, HEAD_BYTES, &n);
  SondeWireCursor cursor = sonde_wire_cursor (bytes, n);
  guint64 key;
  gboolean right
      = sonde_wire_take_varint (&cursor, &key) && key >> 3 != 0 && key >> 3 <= G_MAXUINT32;

  field->start = sonde_byte_stream_get_offset (reader->stream);
  field->length = 0;
  if (right)
    {
      field->number = (guint32) (key >> 3);
      field->type = key & 7;
      if (field->type == SONDE_WIRE_FIXED64 || field->type == SONDE_WIRE_FIXED32)
        right = sonde_wire_take_fixed (&cursor, field->type == SONDE_WIRE_FIXED64 ? 8 : 4,
                                       &field->value);
      else
        right = (field->type == SONDE_WIRE_BYTES || field->type == SONDE_WIRE_VARINT)
                && sonde_wire_take_varint (&cursor, &field->value);
    }
  if (right && field->type == SONDE_WIRE_BYTES)
    field->length = field->value;
  if (!right || !sonde_checked_add (&field->end, field->start + (cursor.at - bytes), field->length)
      || field->end > end)
    return stop (reader, field->start);
  return sonde_byte_stream_skip (reader->stream, cursor.at - bytes);
}

/* Calls @func for each field of a message up to @end; the end of the file where @end is G_MAXUINT64. What
 * it leaves of a field is skipped. */
static void
walk (Reader *reader, guint64 end, FieldFunc func, gpointer data)
{
  Field field;
  gsize n;

  while (!reader->stopped && sonde_byte_stream_get_offset (reader->stream) < end)
    {
      guint64 at;

      sonde_byte_stream_peek (reader->stream, 1, &n);
      if (n == 0 && end == G_MAXUINT64)
        return;
      if (!take_head (reader, end, &field))
        return;
      func (reader, &field, data);
      at = sonde_byte_stream_get_offset (reader->stream);
      if (!reader->stopped && at < field.end
          && !sonde_byte_stream_skip (reader->stream, field.end - at))
        stop (reader, field.start);
    }
}

static gboolean
is_message (const Field *field, guint32 number)
{
  return field->number == number && field->type == SONDE_WIRE_BYTES;
}

static gboolean
is_varint (const Field *field, guint32 number)
{
  return field->number == number && field->type == SONDE_WIRE_VARINT;
}

/* The text that the field is, cut where texts are. */
static guint32
take_text (Reader *reader, const Field *field)
{
  gsize wanted = MIN (field->length, SONDE_TRACE_TEXT_MAX + 8), n;
  const guint8 *bytes = sonde_byte_stream_peek (reader->stream, wanted, &n);

  if (n < wanted)
    {
      stop (reader, field->start);
      return 0;
    }
  return sonde_trace_builder_add_text (reader->builder, (const char *) bytes, wanted);
}

/* ---- first: names -------------------------------------------------------- */

/* An entry of the map of metadata, or the metadata itself. */
typedef struct
{
  gboolean has_key;
  guint64 key;
  guint32 name;
} Metadata;

static void
take_metadata (Reader *reader, const Field *field, gpointer data)
{
  if (is_message (field, 2))
    ((Metadata *) data)->name = take_text (reader, field);
}

static void
take_metadata_entry (Reader *reader, const Field *field, gpointer data)
{
  if (is_varint (field, 1))
    ((Metadata *) data)->key = field->value;
  else if (is_message (field, 2))
    walk (reader, field->end, take_metadata, data);
}

static void
note_line (Reader *reader, const Field *field, gpointer data)
{
  Line *line = data;

  if (is_varint (field, 1))
    line->id = (gint64) field->value;
  else if (is_message (field, 2))
    line->name = take_text (reader, field);
  else if (is_varint (field, 3))
    line->start_ns = (gint64) field->value;
  else if (is_message (field, 4))
    line->has_events = TRUE;
  else if (is_message (field, 11))
    line->display_name = take_text (reader, field);
}

static void
note_plane (Reader *reader, const Field *field, gpointer data)
{
  Plane *plane = data;

  if (is_message (field, 2))
    plane->name = take_text (reader, field);
  else if (is_message (field, 3))
    {
      Line line = { .thread = SONDE_TRACE_NONE };

      walk (reader, field->end, note_line, &line);
      if (line.has_events)
        g_array_append_val (reader->lines, line);
    }
  else if (is_message (field, 4))
    {
      Metadata metadata = { 0 };

      walk (reader, field->end, take_metadata_entry, &metadata);
      g_hash_table_insert (plane->names, GSIZE_TO_POINTER (metadata.key),
                           GUINT_TO_POINTER (metadata.name));
    }
}

static void
note_space (Reader *reader, const Field *field, gpointer data)
{
  Plane plane = { .first_line = reader->lines->len };

  if (!is_message (field, 1))
    return;
  plane.names = g_hash_table_new (NULL, NULL);
  walk (reader, field->end, note_plane, &plane);
  g_array_append_val (reader->planes, plane);
}

/* ---- then: events -------------------------------------------------------- */

typedef struct
{
  guint64 metadata;
  gint64 offset_ps, duration_ps;
} Event;

static gboolean
decode_event (Event *event, SondeWireCursor cursor)
{
  SondeWireItem item;
  SondeWireStep step;

  *event = (Event){ 0 };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.type == SONDE_WIRE_VARINT && item.number == 1)
      event->metadata = item.value;
    else if (item.type == SONDE_WIRE_VARINT && item.number == 2)
      event->offset_ps = (gint64) item.value;
    else if (item.type == SONDE_WIRE_VARINT && item.number == 3)
      event->duration_ps = (gint64) item.value;
  return step == SONDE_WIRE_END;
}

static gboolean
add_ps (gint64 ns, gint64 ps, gint64 *sum)
{
  SondeTraceDecimal a = { ns, 0 }, b = { ps / 1000, ps % 1000 * PS_REST };

  return sonde_trace_decimal_round_sum (&a, &b, sum);
}

static guint32
get_thread (Reader *reader, const Plane *plane, Line *line)
{
  char id[32];
  guint32 tid;

  if (line->thread != SONDE_TRACE_NONE)
    return line->thread;
  g_snprintf (id, sizeof id, "%" G_GINT64_FORMAT, line->id);
  tid = sonde_trace_builder_add_text (reader->builder, id, strlen (id));
  line->thread = sonde_trace_builder_add_thread (reader->builder, plane->name, tid, 0);
  sonde_trace_builder_name_process (reader->builder, plane->name, plane->name);
  sonde_trace_builder_name_thread (reader->builder, line->thread,
                                   line->display_name != 0 ? line->display_name : line->name);
  return line->thread;
}

static void
apply_event (Reader *reader, const Event *event, guint64 place)
{
  const Plane *plane = &g_array_index (reader->planes, Plane, reader->plane);
  Line *line = &g_array_index (reader->lines, Line, reader->line);
  gpointer name = g_hash_table_lookup (plane->names, GSIZE_TO_POINTER (event->metadata));
  gint64 start_ns, end_ns, end_ps;

  if (event->duration_ps < 0)
    sonde_trace_builder_count_reason (reader->builder, SONDE_TRACE_REASON_DURATION);
  else if (!sonde_checked_add (&end_ps, event->offset_ps, event->duration_ps)
           || !add_ps (line->start_ns, event->offset_ps, &start_ns)
           || !add_ps (line->start_ns, end_ps, &end_ns))
    sonde_trace_builder_count_reason (reader->builder, SONDE_TRACE_REASON_TIME);
  else
    sonde_trace_builder_add_span (
        reader->builder, get_thread (reader, plane, line),
        sonde_trace_builder_add_label (reader->builder, 0, GPOINTER_TO_UINT (name)), start_ns,
        end_ns, place);
}

static void
read_event (Reader *reader, const Field *field)
{
  gsize n;
  const guint8 *bytes;
  Event event;

  /* a file that grew in between */
  if (reader->plane >= reader->planes->len || reader->line >= reader->lines->len)
    {
      stop (reader, field->start);
      return;
    }
  sonde_trace_builder_count_event (reader->builder);
  if (field->length > EVENT_MAX)
    {
      sonde_trace_builder_count_reason (reader->builder, SONDE_TRACE_REASON_PACKET);
      return;
    }
  bytes = sonde_byte_stream_peek (reader->stream, field->length, &n);
  if (n < field->length)
    stop (reader, field->start);
  else if (decode_event (&event, sonde_wire_cursor (bytes, field->length)))
    apply_event (reader, &event, field->start);
  else
    sonde_trace_builder_count_reason (reader->builder, SONDE_TRACE_REASON_PACKET);
}

static void
read_line (Reader *reader, const Field *field, gpointer data)
{
  if (!is_message (field, 4))
    return;
  *(gboolean *) data = TRUE;
  read_event (reader, field);
}

static void
read_plane (Reader *reader, const Field *field, gpointer data)
{
  gboolean has_events = FALSE;

  if (!is_message (field, 3))
    return;
  walk (reader, field->end, read_line, &has_events);
  reader->line += has_events;
}

static void
read_space (Reader *reader, const Field *field, gpointer data)
{
  if (!is_message (field, 1))
    return;
  walk (reader, field->end, read_plane, NULL);
  reader->plane++;
}

/* ---- the file ------------------------------------------------------------ */

static void
clear_plane (gpointer plane)
{
  g_hash_table_unref (((Plane *) plane)->names);
}

static void
read_all (Reader *reader)
{
  guint64 begin = sonde_byte_stream_get_offset (reader->stream);

  walk (reader, G_MAXUINT64, note_space, NULL);
  reader->stopped = FALSE;
  sonde_byte_stream_seek (reader->stream, begin);
  walk (reader, G_MAXUINT64, read_space, NULL);
  if (reader->stopped)
    sonde_trace_builder_set_truncated (reader->builder, reader->offset);
}

gboolean
sonde_trace_read_xspace (SondeTraceBuilder *builder, SondeByteStream *stream, GError **error)
{
  g_autoptr (GArray) planes = g_array_new (FALSE, FALSE, sizeof (Plane));
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (Line));
  Reader reader = { .builder = builder, .stream = stream, .planes = planes, .lines = lines };
  GError *problem;

  g_array_set_clear_func (planes, clear_plane);
  sonde_trace_builder_set_producer (builder, "tensorflow");
  read_all (&reader);
  problem = sonde_byte_stream_steal_error (stream);
  if (problem != NULL)
    g_propagate_error (error, problem);
  return problem == NULL;
}

/* A name is a text that can be printed, "/host:CPU" as a rule. */
static gboolean
is_plane_name (const guint8 *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (bytes[i] < 0x20 || bytes[i] == 0x7f)
      return FALSE;
  return n > 0 && g_utf8_validate_len ((const char *) bytes, n, NULL);
}

gboolean
sonde_trace_is_xspace (const guint8 *head, gsize n)
{
  SondeWireCursor cursor = sonde_wire_cursor (head, n), plane;
  SondeWireItem item;
  guint64 key, length;

  if (!sonde_wire_take_varint (&cursor, &key) || key != (1 << 3 | SONDE_WIRE_BYTES)
      || !sonde_wire_take_varint (&cursor, &length))
    return FALSE;
  plane = sonde_wire_cursor (cursor.at, MIN (length, (guint64) (cursor.end - cursor.at)));
  if (sonde_wire_next (&plane, &item) != SONDE_WIRE_ITEM)
    return FALSE;
  if (item.number == 1 && item.type == SONDE_WIRE_VARINT
      && sonde_wire_next (&plane, &item) != SONDE_WIRE_ITEM)
    return FALSE;
  if (item.number != 2 || item.type != SONDE_WIRE_BYTES || !is_plane_name (item.bytes, item.length))
    return FALSE;
  /* behind the name come lines, maps and statistics; a TensorProto has numbers there */
  return sonde_wire_next (&plane, &item) != SONDE_WIRE_ITEM
         || (item.number >= 3 && item.number <= 6 && item.type == SONDE_WIRE_BYTES);
}
