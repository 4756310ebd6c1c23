/* SPDX-License-Identifier: Apache-2.0
 * Packets of Perfetto as no sample has them: tracks that are described late, clocks of all kinds, state
 * that is lost, bytes that are no packets. */
#include <math.h>
#include <string.h>

#include <isa-l/igzip_lib.h>

#include "data/wire/sonde-wire-emit.h"
#include "tests/data/traces/trace-bytes.h"

/* A trace that is written packet by packet. @sequence, @flags, @clock: of the packets that follow */
typedef struct
{
  GByteArray *bytes;
  guint sequence, flags, clock;
  gsize start;
} Writer;

static Writer
writer_new (void)
{
  return (Writer){ .bytes = g_byte_array_new (), .sequence = 1 };
}

static void
begin_packet (Writer *writer, gint64 time)
{
  writer->start = sonde_emit_begin (writer->bytes, 1);
  if (time >= 0)
    sonde_emit_number (writer->bytes, 8, time);
  sonde_emit_number (writer->bytes, 10, writer->sequence);
  if (writer->flags != 0)
    sonde_emit_number (writer->bytes, 13, writer->flags);
  if (writer->clock != 0)
    sonde_emit_number (writer->bytes, 58, writer->clock);
}

static void
end_packet (Writer *writer)
{
  sonde_emit_end (writer->bytes, writer->start);
}

static gsize
begin_event (Writer *writer, gint64 time, guint type, guint64 track)
{
  gsize start;

  begin_packet (writer, time);
  start = sonde_emit_begin (writer->bytes, 11);
  sonde_emit_number (writer->bytes, 9, type);
  sonde_emit_number (writer->bytes, 11, track);
  return start;
}

static void
end_event (Writer *writer, gsize start)
{
  sonde_emit_end (writer->bytes, start);
  end_packet (writer);
}

static void
add_event (Writer *writer, gint64 time, guint type, guint64 track, const char *name)
{
  gsize start = begin_event (writer, time, type, track);

  sonde_emit_text (writer->bytes, 23, name);
  end_event (writer, start);
}

static void
add_flow (Writer *writer, gint64 time, guint type, guint64 track, guint field, guint64 id)
{
  gsize start = begin_event (writer, time, type, track);

  sonde_emit_varint (writer->bytes, field << 3 | 1);
  sonde_emit_raw (writer->bytes, &id, sizeof id);
  end_event (writer, start);
}

/* @kind: 3 a process, 4 a thread, 0 neither */
static void
add_track (Writer *writer, guint64 uuid, gint64 parent, guint kind, gint64 pid, gint64 tid,
           const char *name)
{
  gsize track, inner;

  begin_packet (writer, -1);
  track = sonde_emit_begin (writer->bytes, 60);
  sonde_emit_number (writer->bytes, 1, uuid);
  if (parent >= 0)
    sonde_emit_number (writer->bytes, 5, parent);
  if (kind == 0)
    sonde_emit_text (writer->bytes, 2, name);
  else
    {
      inner = sonde_emit_begin (writer->bytes, kind);
      sonde_emit_number (writer->bytes, 1, pid);
      if (kind == 4)
        sonde_emit_number (writer->bytes, 2, tid);
      sonde_emit_text (writer->bytes, kind == 4 ? 5 : 6, name);
      sonde_emit_end (writer->bytes, inner);
    }
  sonde_emit_end (writer->bytes, track);
  end_packet (writer);
}

/* @numbers: id, time, multiplier, incremental; four each, up to an id of 0 */
static void
add_snapshot (Writer *writer, const guint64 *numbers)
{
  gsize snapshot, clock;

  begin_packet (writer, -1);
  snapshot = sonde_emit_begin (writer->bytes, 6);
  for (; numbers[0] != 0; numbers += 4)
    {
      clock = sonde_emit_begin (writer->bytes, 1);
      sonde_emit_number (writer->bytes, 1, numbers[0]);
      sonde_emit_number (writer->bytes, 2, numbers[1]);
      sonde_emit_number (writer->bytes, 4, numbers[2]);
      sonde_emit_number (writer->bytes, 3, numbers[3]);
      sonde_emit_end (writer->bytes, clock);
    }
  sonde_emit_end (writer->bytes, snapshot);
  end_packet (writer);
}

static SondeTrace *
finish (Writer *writer)
{
  g_autoptr (GError) error = NULL;
  SondeTrace *trace = read_trace (writer->bytes->data, writer->bytes->len, 1000, &error);

  g_assert_no_error (error);
  g_assert_cmpint (trace->format, ==, SONDE_TRACE_PERFETTO);
  g_byte_array_unref (writer->bytes);
  return trace;
}

static const SondeTraceThread *
get_thread (const SondeTrace *trace, guint i, const char *expected)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);
  g_autofree char *text = g_strjoin ("|", thread->pid, thread->tid, thread->process, thread->name,
                                     thread->track, NULL);

  g_assert_cmpstr (text, ==, expected);
  return thread;
}

/* ---- tracks -------------------------------------------------------------- */

static void
test_late_tracks (void)
{
  Writer writer = writer_new ();
  g_autoptr (SondeTrace) trace = NULL;

  for (guint i = 1; i <= 5; i++)
    {
      add_event (&writer, 10 * i, 1, i, "span");
      add_event (&writer, 10 * i + 5, 2, i, NULL);
    }
  add_track (&writer, 1, -1, 4, 7, 8, "worker");
  add_track (&writer, 2, 1, 0, 0, 0, "inner");
  add_track (&writer, 3, -1, 3, 7, 0, "program");
  add_track (&writer, 4, 3, 0, 0, 0, "queue");
  trace = finish (&writer);
  get_thread (trace, 0, "7|8|program|worker|");
  get_thread (trace, 1, "7|8|program|worker|inner");
  get_thread (trace, 2, "7||program||process");
  get_thread (trace, 3, "7||program||queue");
  g_assert_cmpint (get_thread (trace, 4, "||||")->busy_ns, ==, 5);
  g_assert_cmpint (trace->n_events, ==, 10);
}

/* Parents in a circle, and more of them than are followed. */
static void
test_parents (void)
{
  Writer writer = writer_new ();
  g_autoptr (SondeTrace) trace = NULL;

  add_track (&writer, 1, 2, 0, 0, 0, "a");
  add_track (&writer, 2, 1, 0, 0, 0, "b");
  add_event (&writer, 1, 3, 1, "here");
  for (guint i = 0; i < 100000; i++)
    {
      add_track (&writer, 10 + i, 9 + i, i == 0 ? 3 : 0, 5, 0, "t");
      add_event (&writer, i, 1, 10 + i, "s");
      add_event (&writer, i + 1, 2, 10 + i, NULL);
    }
  trace = finish (&writer);
  get_thread (trace, 0, "||||a");
  get_thread (trace, 1, "5||t||process");
  get_thread (trace, 60, "5||t||t");
  get_thread (trace, 100000, "||||t");
  g_assert_cmpint (trace->n_threads_with_spans, ==, 100000);
}

static void
test_counters (void)
{
  Writer writer = writer_new ();
  g_autoptr (SondeTrace) trace = NULL;
  static const gint64 values[] = { 3, -1, 5 };
  const SondeTraceCounter *counter;
  gsize start, track;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      start = begin_event (&writer, 10 * i, 4, 9);
      sonde_emit_number (writer.bytes, 30, values[i]);
      end_event (&writer, start);
    }
  start = begin_event (&writer, 50, 4, 9);
  sonde_emit_double (writer.bytes, 44, NAN);
  end_event (&writer, start);
  add_event (&writer, 60, 4, 9, "no value");
  begin_packet (&writer, -1);
  track = sonde_emit_begin (writer.bytes, 60);
  sonde_emit_number (writer.bytes, 1, 9);
  sonde_emit_text (writer.bytes, 10, "moves");
  start = sonde_emit_begin (writer.bytes, 8);
  sonde_emit_number (writer.bytes, 4, 1000);
  sonde_emit_number (writer.bytes, 5, 1);
  sonde_emit_end (writer.bytes, start);
  sonde_emit_end (writer.bytes, track);
  end_packet (&writer);
  trace = finish (&writer);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_COUNTER], ==, 2);
  g_assert_cmpint (trace->counters->len, ==, 1);
  counter = &g_array_index (trace->counters, SondeTraceCounter, 0);
  g_assert_cmpstr (counter->name, ==, "moves");
  g_assert_cmpint (counter->points->len, ==, 3);
  g_assert_cmpfloat (counter->min, ==, 2000);
  g_assert_cmpfloat (counter->max, ==, 7000);
  g_assert_cmpfloat (g_array_index (counter->points, SondeTracePoint, 2).value, ==, 7000);
}

/* ---- clocks -------------------------------------------------------------- */

static void
assert_instants (const SondeTrace *trace, const gint64 *expected, guint n)
{
  g_assert_cmpint (trace->instants->len, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (g_array_index (trace->instants, SondeTraceInstant, i).at_ns, ==, expected[i]);
}

static void
test_clocks (void)
{
  Writer writer = writer_new ();
  g_autoptr (SondeTrace) trace = NULL;
  static const gint64 expected[] = { 1005, 900, 2000, 2010, 3000000, 5000000, 1505, 1503 };

  add_snapshot (&writer, (const guint64[]){ 6, 1000, 1, 0, 3, 100, 1, 0, 0 });
  /* again after the machine slept */
  add_snapshot (&writer, (const guint64[]){ 6, 2000, 1, 0, 3, 200, 1, 0, 0 });
  writer.clock = 3;
  add_event (&writer, 105, 3, 1, "before the second");
  add_event (&writer, 0, 3, 1, "before the first");
  add_event (&writer, 200, 3, 1, "at it");
  add_event (&writer, 210, 3, 1, "after it");
  /* microseconds that add up, of this sequence alone */
  add_snapshot (&writer, (const guint64[]){ 6, 2000000, 1, 0, 64, 0, 1000, 1, 0 });
  writer.clock = 64;
  add_event (&writer, 1000, 3, 1, "one");
  add_event (&writer, 2000, 3, 1, "three");
  writer.sequence = 2;
  add_event (&writer, 1000, 3, 1, "of another sequence");
  /* a clock that all may use, known by a clock that is known */
  writer.sequence = 1;
  writer.clock = 0;
  add_snapshot (&writer, (const guint64[]){ 200, 7, 1, 0, 3, 110, 1, 0, 0 });
  writer.sequence = 2;
  writer.clock = 200;
  add_event (&writer, 502, 3, 1, "by all");
  add_event (&writer, 500, 3, 1, "by all");
  add_event (&writer, G_MAXINT64, 3, 1, "too late");
  writer.clock = 5;
  add_event (&writer, 1, 3, 1, "never given");
  writer.clock = 6;
  add_event (&writer, G_MININT64 + 1, 3, 1, "beyond 63 bits");
  trace = finish (&writer);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_TIME], ==, 4);
  assert_instants (trace, expected, G_N_ELEMENTS (expected));
}

/* ---- state --------------------------------------------------------------- */

static void
intern (Writer *writer, guint kind, guint64 iid, const char *name)
{
  gsize start, entry;

  begin_packet (writer, -1);
  start = sonde_emit_begin (writer->bytes, 12);
  entry = sonde_emit_begin (writer->bytes, kind);
  sonde_emit_number (writer->bytes, 1, iid);
  sonde_emit_text (writer->bytes, 2, name);
  sonde_emit_end (writer->bytes, entry);
  sonde_emit_end (writer->bytes, start);
  end_packet (writer);
}

static void
add_named (Writer *writer, gint64 time, guint64 category, guint64 name)
{
  gsize start = begin_event (writer, time, 3, 1);

  sonde_emit_number (writer->bytes, 3, category);
  sonde_emit_number (writer->bytes, 3, 1);
  sonde_emit_text (writer->bytes, 22, "own");
  sonde_emit_number (writer->bytes, 10, name);
  end_event (writer, start);
}

static void
assert_label (const SondeTrace *trace, guint instant, const char *category, const char *name)
{
  const SondeTraceInstant *i = &g_array_index (trace->instants, SondeTraceInstant, instant);

  g_assert_cmpstr (sonde_trace_get_label (trace, i->label)->category, ==, category);
  g_assert_cmpstr (sonde_trace_get_label (trace, i->label)->name, ==, name);
}

static void
test_state (void)
{
  Writer writer = writer_new ();
  g_autoptr (SondeTrace) trace = NULL;

  writer.flags = 1;
  intern (&writer, 1, 1, "a");
  writer.flags = 2;
  intern (&writer, 1, 2, "b");
  intern (&writer, 2, 2, "name");
  add_named (&writer, 1, 2, 2);
  add_named (&writer, 2, 7, 7);
  /* lost: what needs the state goes, what does not stays */
  begin_packet (&writer, -1);
  sonde_emit_number (writer.bytes, 42, 1);
  end_packet (&writer);
  add_named (&writer, 3, 2, 2);
  writer.flags = 0;
  add_named (&writer, 4, 2, 2);
  /* anew: numbers mean nothing until they are given again */
  writer.flags = 1;
  intern (&writer, 2, 2, "other");
  writer.flags = 2;
  add_named (&writer, 5, 2, 2);
  trace = finish (&writer);
  g_assert_cmpint (trace->n_dropped, ==, 1);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_STATE], ==, 2);
  g_assert_cmpint (trace->instants->len, ==, 4);
  assert_label (trace, 0, "b,a,own", "name");
  assert_label (trace, 1, "a,own", "");
  assert_label (trace, 2, "b,a,own", "name");
  assert_label (trace, 3, "own", "other");
}

static void
test_flows (void)
{
  Writer writer = writer_new ();
  g_autoptr (SondeTrace) trace = NULL;
  const SondeTraceArrow *arrow;

  add_flow (&writer, 10, 1, 1, 47, 5);
  add_flow (&writer, 20, 3, 2, 47, 5);
  add_flow (&writer, 30, 1, 3, 48, 5);
  add_flow (&writer, 40, 1, 4, 48, 5); /* is closed */
  add_flow (&writer, 50, 1, 4, 47, G_MAXUINT64);
  trace = finish (&writer);
  g_assert_cmpint (trace->arrows->len, ==, 2);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_UNMATCHED_FLOW], ==, 1);
  g_assert_cmpint (trace->n_flow_starts + trace->n_flow_steps + trace->n_flow_ends, ==, 0);
  arrow = &g_array_index (trace->arrows, SondeTraceArrow, 0);
  g_assert_cmpint (trace->spans[arrow->from].start_ns, ==, 10);
  g_assert_cmpint (arrow->to, ==, SONDE_TRACE_NONE);
  g_assert_true (arrow->is_bound);
  arrow = &g_array_index (trace->arrows, SondeTraceArrow, 1);
  g_assert_cmpint (arrow->from_ns, ==, 20);
  g_assert_cmpint (trace->spans[arrow->to].start_ns, ==, 30);
}

/* ---- bytes --------------------------------------------------------------- */

/* @n: of the compressed bytes, all when it is 0 */
static void
add_compressed (Writer *writer, const GByteArray *packets, gsize n)
{
  guint8 bytes[1000];
  struct isal_zstream stream;

  isal_deflate_stateless_init (&stream);
  stream.next_in = packets->data;
  stream.avail_in = packets->len;
  stream.next_out = bytes;
  stream.avail_out = sizeof bytes;
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  stream.gzip_flag = IGZIP_ZLIB;
  g_assert_cmpint (isal_deflate_stateless (&stream), ==, COMP_OK);
  begin_packet (writer, -1);
  sonde_emit_bytes (writer->bytes, 50, bytes, n > 0 ? n : stream.total_out);
  end_packet (writer);
}

static void
test_compressed (void)
{
  Writer writer = writer_new (), inner = writer_new (), innermost = writer_new ();
  g_autoptr (SondeTrace) trace = NULL;

  add_event (&innermost, 5, 3, 1, "too deep");
  add_event (&inner, 10, 1, 1, "outer");
  add_event (&inner, 10, 1, 1, "inner");
  add_event (&inner, 20, 2, 1, NULL);
  add_compressed (&writer, inner.bytes, 0);
  add_event (&writer, 20, 2, 1, NULL); /* of the same time, but behind in the file */
  add_compressed (&writer, inner.bytes, 20);
  add_compressed (&inner, innermost.bytes, 0);
  add_compressed (&writer, inner.bytes, 0);
  begin_packet (&writer, -1);
  sonde_emit_bytes (writer.bytes, 50, "no zlib", 7);
  end_packet (&writer);
  trace = finish (&writer);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_PACKET], ==, 3);
  g_assert_cmpint (trace->instants->len, ==, 0);
  g_assert_cmpstr (sonde_trace_get_label (trace, trace->spans[0].label)->name, ==, "outer");
  g_assert_cmpint (trace->spans[0].end_ns, ==, 20);
  g_byte_array_unref (inner.bytes);
  g_byte_array_unref (innermost.bytes);
}

static void
test_foreign_fields (void)
{
  Writer writer = writer_new ();
  g_autoptr (SondeTrace) trace = NULL;

  add_event (&writer, 10, 3, 1, "a");
  sonde_emit_number (writer.bytes, 5, 77);
  sonde_emit_double (writer.bytes, 6, 1.5);
  sonde_emit_float (writer.bytes, 7, 1.5);
  sonde_emit_text (writer.bytes, 8, "skipped");
  begin_packet (&writer, -1);
  sonde_emit_text (writer.bytes, 33, "");
  end_packet (&writer);
  begin_packet (&writer, -1);
  sonde_emit_text (writer.bytes, 7000, "x");
  end_packet (&writer);
  sonde_emit_text (writer.bytes, 1, "no packet");
  add_event (&writer, 20, 3, 1, "b");
  trace = finish (&writer);
  g_assert_cmpint (trace->instants->len, ==, 2);
  g_assert_false (trace->truncated);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_PACKET], ==, 1);
  g_assert_cmpint (trace->ignored->len, ==, 2);
  g_assert_cmpstr (g_array_index (trace->ignored, SondeTraceIgnored, 0).name, ==, "trace_config");
  g_assert_cmpstr (g_array_index (trace->ignored, SondeTraceIgnored, 1).name, ==, "field 7000");
}

/* Cut everywhere: what is whole counts, and the place is that of the first packet that is not. */
static void
test_cut (void)
{
  Writer writer = writer_new ();
  gsize second;

  add_event (&writer, 10, 3, 1, "first");
  second = writer.bytes->len;
  add_event (&writer, 20, 3, 1, "second");
  for (gsize n = 1; n < writer.bytes->len; n++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTrace) trace = read_trace (writer.bytes->data, n, 7, &error);

      g_assert_no_error (error);
      g_assert_cmpint (trace->n_events, ==, n >= second);
      g_assert_cmpint (trace->truncated, ==, n != second);
      if (n != second)
        g_assert_cmpint (trace->truncated_at, ==, n < second ? 0 : second);
    }
  g_byte_array_unref (writer.bytes);
}

/* A packet greater than is kept, whole and cut. */
static void
test_large_packet (void)
{
  Writer writer = writer_new ();
  g_autofree char *text = g_strnfill (40 << 20, 'x');
  g_autoptr (SondeTrace) trace = NULL, cut = NULL;

  add_event (&writer, 10, 3, 1, "first");
  add_event (&writer, 20, 3, 1, text);
  cut = read_trace (writer.bytes->data, writer.bytes->len - 1, 1 << 20, NULL);
  g_assert_true (cut->truncated);
  add_event (&writer, 30, 3, 1, "third");
  trace = finish (&writer);
  g_assert_cmpint (trace->instants->len, ==, 2);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_PACKET], ==, 1);
  g_assert_false (trace->truncated);
}

/* A first packet whose key and length look like the beginning of JSON (91, 123 bytes) or of a text. */
static void
test_recognised (void)
{
  for (guint length = 20; length < 128; length++)
    {
      Writer writer = writer_new ();
      g_autoptr (SondeTrace) trace = NULL;
      g_autofree char *name = g_strnfill (length - 14, 'x');

      begin_packet (&writer, 5);
      sonde_emit_text (writer.bytes, 99, name);
      end_packet (&writer);
      g_assert_cmpint (writer.bytes->data[1], <, 128);
      add_event (&writer, 10, 3, 1, "only");
      trace = finish (&writer);
      g_assert_cmpint (trace->format, ==, SONDE_TRACE_PERFETTO);
      g_assert_cmpint (trace->instants->len, ==, 1);
    }
}

/* Texts that begin with an empty line stay what they are. */
static void
test_texts_recognised (void)
{
  static const struct
  {
    const char *text;
    SondeTraceFormat format;
  } texts[]
      = { { "\n{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"x\"}]}\n", SONDE_TRACE_CHROME },
          { "\n[{\"ph\":\"i\",\"ts\":1,\"name\":\"x\"}]\n", SONDE_TRACE_CHROME },
          { "\n\nmain;step 5\nmain;other 6\n", SONDE_TRACE_COLLAPSED } };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTrace) trace
          = read_trace (texts[i].text, strlen (texts[i].text), 1 << 20, &error);

      g_assert_no_error (error);
      g_assert_cmpint (trace->format, ==, texts[i].format);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/traces/perfetto/late-tracks", test_late_tracks);
  g_test_add_func ("/data/traces/perfetto/parents", test_parents);
  g_test_add_func ("/data/traces/perfetto/counters", test_counters);
  g_test_add_func ("/data/traces/perfetto/clocks", test_clocks);
  g_test_add_func ("/data/traces/perfetto/state", test_state);
  g_test_add_func ("/data/traces/perfetto/flows", test_flows);
  g_test_add_func ("/data/traces/perfetto/compressed", test_compressed);
  g_test_add_func ("/data/traces/perfetto/foreign-fields", test_foreign_fields);
  g_test_add_func ("/data/traces/perfetto/cut", test_cut);
  g_test_add_func ("/data/traces/perfetto/large-packet", test_large_packet);
  g_test_add_func ("/data/traces/perfetto/recognised", test_recognised);
  g_test_add_func ("/data/traces/perfetto/texts-recognised", test_texts_recognised);
  return g_test_run ();
}
