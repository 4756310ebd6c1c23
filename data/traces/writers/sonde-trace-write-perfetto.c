/* SPDX-License-Identifier: Apache-2.0
 * Perfetto's protobuf. Source of the numbers: Perfetto's trace protos, version 0.59. */
#include <math.h>

#include "data/traces/writers/sonde-trace-output.h"
#include "data/traces/writers/sonde-trace-rows.h"
#include "data/traces/writers/sonde-trace-writer.h"
#include "data/wire/sonde-wire-emit.h"

#define SEQUENCE 1
#define STATE_CLEARED 1
#define NEEDS_STATE 2
#define EXACT_MAX 9007199254740992.0 /* 2⁵³ */

typedef enum
{
  TYPE_BEGIN = 1,
  TYPE_END = 2,
  TYPE_INSTANT = 3,
  TYPE_COUNTER = 4,
} EventType;

/* A flow that begins or ends on a span. */
typedef struct
{
  guint32 span;
  guint64 id;
} Flow;

/* @packet: that is being made; @event, @interned: parts of it
 * @names, @categories: text → number, as far as they were written
 * @flows: Flow, by span; @next_flow: the first that is left
 * @shift_ns: what is added to all times */
typedef struct
{
  const SondeTrace *trace;
  SondeTraceOutput *output;
  SondeTraceRows rows;
  GByteArray *packet, *event, *interned;
  GHashTable *names, *categories;
  GArray *flows;
  guint next_flow;
  guint64 shift_ns;
} Writer;

/* ---- packets ------------------------------------------------------------- */

static void
write_packet (Writer *writer)
{
  guint8 head[11] = { 1 << 3 | 2 };
  guint n = 1;

  for (guint length = writer->packet->len;; length >>= 7)
    {
      head[n++] = (guint8) (length & 0x7f) | (length >= 0x80 ? 0x80 : 0);
      if (length < 0x80)
        break;
    }
  sonde_trace_output_add (writer->output, head, n);
  sonde_trace_output_add (writer->output, writer->packet->data, writer->packet->len);
  g_byte_array_set_size (writer->packet, 0);
}

static void
begin_packet (Writer *writer, guint flags)
{
  sonde_emit_number (writer->packet, 10, SEQUENCE);
  sonde_emit_number (writer->packet, 13, flags);
}

/* ---- tracks -------------------------------------------------------------- */

/* Tracks are numbered: processes, then rows, then counters. */
static guint64
get_process_track (guint process)
{
  return 1 + (guint64) process;
}

static guint64
get_row_track (const Writer *writer, const SondeTraceRow *row)
{
  return 1 + (guint64) writer->rows.processes->len
         + (row - (const SondeTraceRow *) writer->rows.rows->data);
}

static guint64
get_counter_track (const Writer *writer, guint counter)
{
  return 1 + (guint64) writer->rows.processes->len + writer->rows.rows->len + counter;
}

static void
write_process (Writer *writer, guint index)
{
  const SondeTraceRowProcess *process
      = &g_array_index (writer->rows.processes, SondeTraceRowProcess, index);
  gsize track, inner;

  begin_packet (writer, 0);
  track = sonde_emit_begin (writer->packet, 60);
  sonde_emit_number (writer->packet, 1, get_process_track (index));
  inner = sonde_emit_begin (writer->packet, 3);
  sonde_emit_number (writer->packet, 1, process->pid);
  sonde_emit_text (writer->packet, 6, *process->name != 0 ? process->name : process->text);
  sonde_emit_end (writer->packet, inner);
  sonde_emit_end (writer->packet, track);
  write_packet (writer);
}

/* A lane above the first is a track inside its thread, and so is a track of the trace inside its process. */
static void
write_row (Writer *writer, const SondeTraceRow *row)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (writer->trace, row->thread);
  g_autofree char *name = sonde_trace_rows_dup_name (writer->trace, row);
  const SondeTraceRow *first = sonde_trace_rows_get (&writer->rows, row->thread, 0);
  gsize track, inner;

  begin_packet (writer, 0);
  track = sonde_emit_begin (writer->packet, 60);
  sonde_emit_number (writer->packet, 1, get_row_track (writer, row));
  if (row->lane == 0 && *thread->track == 0)
    {
      inner = sonde_emit_begin (writer->packet, 4);
      sonde_emit_number (writer->packet, 1, row->pid);
      sonde_emit_number (writer->packet, 2, row->tid);
      sonde_emit_text (writer->packet, 5, *name != 0 ? name : NULL);
      sonde_emit_end (writer->packet, inner);
    }
  else
    {
      sonde_emit_text (writer->packet, 2, name);
      sonde_emit_number (writer->packet, 5,
                         row->lane > 0 ? get_row_track (writer, first)
                                       : get_process_track (row->process));
    }
  sonde_emit_end (writer->packet, track);
  write_packet (writer);
}

/* A series has one name here. */
static char *
dup_counter_name (const SondeTraceCounter *counter)
{
  if (*counter->key == 0 || g_str_equal (counter->key, "value")
      || g_str_equal (counter->key, counter->name))
    return g_strdup (counter->name);
  return g_strconcat (counter->name, " ", counter->key, NULL);
}

static void
write_counter_track (Writer *writer, guint index)
{
  const SondeTraceCounter *counter
      = &g_array_index (writer->trace->counters, SondeTraceCounter, index);
  const SondeTraceRowProcess *process = sonde_trace_rows_get_process (&writer->rows, counter->pid);
  g_autofree char *name = dup_counter_name (counter);
  gsize track, inner;

  begin_packet (writer, 0);
  track = sonde_emit_begin (writer->packet, 60);
  sonde_emit_number (writer->packet, 1, get_counter_track (writer, index));
  sonde_emit_text (writer->packet, 2, name);
  sonde_emit_number (
      writer->packet, 5,
      get_process_track (process - (const SondeTraceRowProcess *) writer->rows.processes->data));
  inner = sonde_emit_begin (writer->packet, 8);
  sonde_emit_end (writer->packet, inner);
  sonde_emit_end (writer->packet, track);
  write_packet (writer);
}

static void
write_tracks (Writer *writer)
{
  /* from here on numbers mean what is said in this file */
  begin_packet (writer, STATE_CLEARED);
  write_packet (writer);
  for (guint i = 0; i < writer->rows.processes->len; i++)
    write_process (writer, i);
  for (guint i = 0; i < writer->rows.rows->len; i++)
    write_row (writer, &g_array_index (writer->rows.rows, SondeTraceRow, i));
  for (guint i = 0; i < writer->trace->counters->len; i++)
    write_counter_track (writer, i);
}

/* ---- events -------------------------------------------------------------- */

/* The number of @text, which is defined in the packet where it is used first. @field: of its table */
static guint
intern (Writer *writer, GHashTable *table, guint field, const char *text)
{
  guint iid = GPOINTER_TO_UINT (g_hash_table_lookup (table, text));
  gsize entry;

  if (iid > 0)
    return iid;
  iid = g_hash_table_size (table) + 1;
  g_hash_table_insert (table, (gpointer) text, GUINT_TO_POINTER (iid));
  entry = sonde_emit_begin (writer->interned, field);
  sonde_emit_number (writer->interned, 1, iid);
  sonde_emit_text (writer->interned, 2, text);
  sonde_emit_end (writer->interned, entry);
  return iid;
}

/* @type: 0: none of its own */
static void
begin_event (Writer *writer, guint type, guint64 track)
{
  if (type != 0)
    sonde_emit_number (writer->event, 9, type);
  sonde_emit_number (writer->event, 11, track);
}

static void
emit_label (Writer *writer, guint32 index)
{
  const SondeTraceLabel *label = sonde_trace_get_label (writer->trace, index);

  if (*label->category != 0)
    sonde_emit_number (writer->event, 3, intern (writer, writer->categories, 1, label->category));
  if (*label->name != 0)
    sonde_emit_number (writer->event, 10, intern (writer, writer->names, 2, label->name));
}

/* As debug annotations. */
static void
emit_details (Writer *writer, guint32 label)
{
  guint n;
  const SondeTraceDetail *details = sonde_trace_get_details (writer->trace, label, &n);

  for (guint i = 0; i < n; i++)
    {
      gsize annotation = sonde_emit_begin (writer->event, 4);

      if (details[i].text != NULL)
        sonde_emit_text (writer->event, 6, details[i].text);
      else
        sonde_emit_number (writer->event, 4, details[i].number);
      sonde_emit_text (writer->event, 10, details[i].key);
      sonde_emit_end (writer->event, annotation);
    }
}

static void
end_event (Writer *writer, gint64 at_ns)
{
  sonde_emit_varint (writer->packet, 8 << 3);
  sonde_emit_varint (writer->packet, (guint64) at_ns + writer->shift_ns);
  begin_packet (writer, NEEDS_STATE);
  if (writer->interned->len > 0)
    sonde_emit_bytes (writer->packet, 12, writer->interned->data, writer->interned->len);
  sonde_emit_bytes (writer->packet, 11, writer->event->data, writer->event->len);
  g_byte_array_set_size (writer->interned, 0);
  g_byte_array_set_size (writer->event, 0);
  write_packet (writer);
}

static void
emit_flows (Writer *writer, guint32 span)
{
  for (; writer->next_flow < writer->flows->len; writer->next_flow++)
    {
      const Flow *flow = &g_array_index (writer->flows, Flow, writer->next_flow);

      if (flow->span != span)
        return;
      sonde_emit_varint (writer->event, 47 << 3 | 1);
      sonde_emit_raw (writer->event, &flow->id, sizeof flow->id);
    }
}

static void
write_begin (Writer *writer, guint32 span)
{
  const SondeTraceRow *row = sonde_trace_rows_of_span (&writer->rows, writer->trace, span);

  begin_event (writer, TYPE_BEGIN, get_row_track (writer, row));
  emit_label (writer, writer->trace->spans[span].label);
  emit_details (writer, writer->trace->spans[span].label);
  emit_flows (writer, span);
  end_event (writer, writer->trace->spans[span].start_ns);
}

static void
write_end (Writer *writer, guint32 span)
{
  const SondeTraceRow *row = sonde_trace_rows_of_span (&writer->rows, writer->trace, span);

  begin_event (writer, TYPE_END, get_row_track (writer, row));
  end_event (writer, writer->trace->spans[span].end_ns);
}

/* Ends what is open on the lane of @span and does not hold it; all of it when @span is SONDE_TRACE_NONE.
 * @open: of each lane its innermost open span */
static void
write_ends (Writer *writer, guint32 *open, guint32 lane, guint32 span)
{
  guint32 parent = span != SONDE_TRACE_NONE ? writer->trace->nesting[span].parent : span;

  for (; open[lane] != parent; open[lane] = writer->trace->nesting[open[lane]].parent)
    write_end (writer, open[lane]);
}

static void
write_thread (Writer *writer, const SondeTraceThread *thread)
{
  g_autofree guint32 *open = g_new (guint32, MAX (thread->n_lanes, 1));

  for (guint32 lane = 0; lane < thread->n_lanes; lane++)
    open[lane] = SONDE_TRACE_NONE;
  for (guint64 i = thread->first; i < thread->first + thread->n; i++)
    {
      guint32 lane = sonde_trace_get_lane (writer->trace, i);

      write_ends (writer, open, lane, i);
      write_begin (writer, i);
      open[lane] = i;
      if (sonde_trace_output_has_failed (writer->output))
        return;
    }
  for (guint32 lane = 0; lane < thread->n_lanes; lane++)
    write_ends (writer, open, lane, SONDE_TRACE_NONE);
}

static void
write_instants (Writer *writer)
{
  for (guint i = 0; i < writer->trace->instants->len; i++)
    {
      const SondeTraceInstant *instant
          = &g_array_index (writer->trace->instants, SondeTraceInstant, i);
      const SondeTraceRow *row = sonde_trace_rows_get (&writer->rows, instant->thread, 0);

      begin_event (writer, TYPE_INSTANT, get_row_track (writer, row));
      emit_label (writer, instant->label);
      end_event (writer, instant->at_ns);
    }
}

/* Of a span that belongs to no thread: an event of the older kind, with phase and id. */
static void
write_async_event (Writer *writer, guint index, char phase, gint64 at_ns)
{
  const SondeTraceAsync *async = &g_array_index (writer->trace->async, SondeTraceAsync, index);
  const SondeTraceRow *row = sonde_trace_rows_get (&writer->rows, async->thread, 0);
  gsize legacy;

  begin_event (writer, 0, get_row_track (writer, row));
  emit_label (writer, async->label);
  legacy = sonde_emit_begin (writer->event, 6);
  sonde_emit_number (writer->event, 2, phase);
  sonde_emit_number (writer->event, 6, (gint64) index + 1);
  sonde_emit_end (writer->event, legacy);
  end_event (writer, at_ns);
}

static void
write_async (Writer *writer)
{
  for (guint i = 0; i < writer->trace->async->len; i++)
    {
      const SondeTraceAsync *async = &g_array_index (writer->trace->async, SondeTraceAsync, i);

      write_async_event (writer, i, 'b', async->start_ns);
      write_async_event (writer, i, 'e', async->end_ns);
    }
}

static void
write_points (Writer *writer, guint counter)
{
  const GArray *points = g_array_index (writer->trace->counters, SondeTraceCounter, counter).points;

  for (guint i = 0; i < points->len; i++)
    {
      const SondeTracePoint *point = &g_array_index (points, SondeTracePoint, i);

      if (!isfinite (point->value))
        continue;
      begin_event (writer, TYPE_COUNTER, get_counter_track (writer, counter));
      if (fabs (point->value) <= EXACT_MAX && trunc (point->value) == point->value)
        sonde_emit_number (writer->event, 30, (gint64) point->value);
      else
        sonde_emit_double (writer->event, 44, point->value);
      end_event (writer, point->at_ns);
    }
}

/* ---- flows --------------------------------------------------------------- */

static int
compare_flows (gconstpointer a, gconstpointer b)
{
  const Flow *x = a, *y = b;

  return x->span != y->span ? (x->span > y->span) - (x->span < y->span)
                            : (x->id > y->id) - (x->id < y->id);
}

/* An arrow between two spans is a number that both mention; here an arrow needs two. */
static GArray *
list_flows (const SondeTrace *trace)
{
  GArray *flows = g_array_new (FALSE, FALSE, sizeof (Flow));

  for (guint i = 0; i < trace->arrows->len; i++)
    {
      const SondeTraceArrow *arrow = &g_array_index (trace->arrows, SondeTraceArrow, i);
      Flow from = { arrow->from, i + 1 }, to = { arrow->to, i + 1 };

      if (from.span == SONDE_TRACE_NONE || to.span == SONDE_TRACE_NONE)
        continue;
      g_array_append_val (flows, from);
      g_array_append_val (flows, to);
    }
  g_array_sort (flows, compare_flows);
  return flows;
}

/* ---- the file ------------------------------------------------------------ */

static void
write_all (Writer *writer)
{
  write_tracks (writer);
  for (guint i = 0; i < writer->trace->threads->len; i++)
    write_thread (writer, sonde_trace_get_thread (writer->trace, i));
  write_instants (writer);
  write_async (writer);
  for (guint i = 0; i < writer->trace->counters->len; i++)
    write_points (writer, i);
}

gboolean
sonde_trace_write_perfetto (const SondeTrace *trace, const char *path, GError **error)
{
  Writer writer = { .trace = trace };

  if (!sonde_trace_output_needs_spans (trace, path, error))
    return FALSE;
  writer.output = sonde_trace_output_new (path, FALSE, error);
  if (writer.output == NULL)
    return FALSE;
  sonde_trace_rows_init (&writer.rows, trace);
  writer.packet = g_byte_array_new ();
  writer.event = g_byte_array_new ();
  writer.interned = g_byte_array_new ();
  writer.names = g_hash_table_new (NULL, NULL);
  writer.categories = g_hash_table_new (NULL, NULL);
  writer.flows = list_flows (trace);
  writer.shift_ns = trace->has_time && trace->start_ns < 0 ? -(guint64) trace->start_ns : 0;
  write_all (&writer);
  g_byte_array_unref (writer.packet);
  g_byte_array_unref (writer.event);
  g_byte_array_unref (writer.interned);
  g_hash_table_unref (writer.names);
  g_hash_table_unref (writer.categories);
  g_array_unref (writer.flows);
  sonde_trace_rows_clear (&writer.rows);
  return sonde_trace_output_finish (writer.output, error);
}
