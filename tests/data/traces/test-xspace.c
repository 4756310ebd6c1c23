/* SPDX-License-Identifier: Apache-2.0
 * Profiles of TensorFlow as no sample has them. */
#include <string.h>

#include "data/wire/sonde-wire-emit.h"
#include "tests/data/traces/trace-bytes.h"

static void
add_event (GByteArray *out, gint64 metadata, gint64 offset_ps, gint64 duration_ps)
{
  gsize start = sonde_emit_begin (out, 4);

  sonde_emit_number (out, 1, metadata);
  sonde_emit_number (out, 2, offset_ps);
  sonde_emit_number (out, 3, duration_ps);
  sonde_emit_end (out, start);
}

static void
add_metadata (GByteArray *out, gint64 id, const char *name)
{
  gsize start = sonde_emit_begin (out, 4), inner;

  sonde_emit_number (out, 1, id);
  inner = sonde_emit_begin (out, 2);
  sonde_emit_text (out, 2, name);
  sonde_emit_end (out, inner);
  sonde_emit_end (out, start);
}

/* A plane as TensorFlow writes it, the names behind the events; and one without events */
static GByteArray *
make_space (void)
{
  GByteArray *out = g_byte_array_new ();
  gsize plane = sonde_emit_begin (out, 1), line;

  sonde_emit_number (out, 1, 3);
  sonde_emit_text (out, 2, "/host:CPU");
  line = sonde_emit_begin (out, 3);
  sonde_emit_number (out, 1, -5);
  sonde_emit_text (out, 2, "line");
  sonde_emit_number (out, 3, 1000);
  add_event (out, 1, 1499, 1002); /* 1001.499 to 1002.501 ns */
  add_event (out, 2, 5000, 0);
  add_event (out, 9, 6000, 1000); /* without a name */
  add_event (out, 1, 7000, -1);
  add_event (out, 1, G_MAXINT64, 1);
  sonde_emit_text (out, 11, "shown");
  sonde_emit_end (out, line);
  line = sonde_emit_begin (out, 3);
  sonde_emit_number (out, 1, 6);
  sonde_emit_end (out, line);
  line = sonde_emit_begin (out, 3);
  sonde_emit_text (out, 2, "late");
  add_event (out, 2, -1500, 1000); /* -1.5 to -0.5 ns: halves away from zero */
  sonde_emit_end (out, line);
  add_metadata (out, 1, "first");
  add_metadata (out, 2, "second");
  sonde_emit_end (out, plane);
  plane = sonde_emit_begin (out, 1);
  sonde_emit_text (out, 2, "Task Environment");
  sonde_emit_end (out, plane);
  return out;
}

static void
assert_span (const SondeTrace *trace, gsize i, const char *name, gint64 start_ns, gint64 end_ns)
{
  g_assert_cmpstr (sonde_trace_get_label (trace, trace->spans[i].label)->name, ==, name);
  g_assert_cmpint (trace->spans[i].start_ns, ==, start_ns);
  g_assert_cmpint (trace->spans[i].end_ns, ==, end_ns);
}

static void
test_plain (void)
{
  g_autoptr (GByteArray) bytes = make_space ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrace) trace = read_trace (bytes->data, bytes->len, 5, &error);

  g_assert_no_error (error);
  g_assert_cmpint (trace->format, ==, SONDE_TRACE_XSPACE);
  g_assert_cmpint (trace->n_events, ==, 6);
  g_assert_cmpint (trace->n_spans, ==, 4);
  g_assert_cmpint (trace->threads->len, ==, 2);
  g_assert_cmpstr (sonde_trace_get_thread (trace, 0)->tid, ==, "-5");
  g_assert_cmpstr (sonde_trace_get_thread (trace, 0)->name, ==, "shown");
  g_assert_cmpstr (sonde_trace_get_thread (trace, 1)->tid, ==, "0");
  g_assert_cmpstr (sonde_trace_get_thread (trace, 1)->name, ==, "late");
  g_assert_cmpstr (sonde_trace_get_thread (trace, 1)->process, ==, "/host:CPU");
  assert_span (trace, 0, "first", 1001, 1003);
  assert_span (trace, 1, "second", 1005, 1005);
  assert_span (trace, 2, "", 1006, 1007);
  assert_span (trace, 3, "second", -2, -1);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_DURATION], ==, 1);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_TIME], ==, 1);
  g_assert_false (trace->truncated);
}

/* Cut everywhere: the events before stay; without their names where these were cut off. */
static void
test_cut (void)
{
  g_autoptr (GByteArray) bytes = make_space ();
  guint64 n_before = 0;

  for (gsize n = 20; n < bytes->len; n++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTrace) trace = read_trace (bytes->data, n, 50, &error);

      g_assert_no_error (error);
      g_assert_cmpint (trace->format, ==, SONDE_TRACE_XSPACE);
      g_assert_cmpint (trace->n_events, >=, n_before);
      /* there is one place between the two planes */
      g_assert_true (trace->truncated || trace->n_events == 6);
      n_before = trace->n_events;
    }
  g_assert_cmpint (n_before, ==, 6);
}

static void
test_broken_event (void)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (SondeTrace) trace = NULL;
  gsize plane = sonde_emit_begin (out, 1), line;

  sonde_emit_text (out, 2, "p");
  line = sonde_emit_begin (out, 3);
  sonde_emit_bytes (out, 4, "\x08", 1);
  add_event (out, 1, 5000, 1000);
  sonde_emit_end (out, line);
  sonde_emit_end (out, plane);
  sonde_emit_raw (out, "\x0b", 1);
  trace = read_trace (out->data, out->len, 50, NULL);
  g_assert_cmpint (trace->n_events, ==, 2);
  g_assert_cmpint (trace->n_spans, ==, 1);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_PACKET], ==, 1);
  g_assert_true (trace->truncated);
  g_assert_cmpint (trace->truncated_at, ==, out->len - 1);
}

/* What begins with the same byte. */
static void
test_others (void)
{
  static const struct
  {
    const char *bytes;
    gsize n;
    SondeTraceFormat format;
  } cases[] = {
    { "\n\x04\x08\x03\x12\x03\x10\x01", 8, SONDE_TRACE_PERFETTO }, /* dimensions of a tensor */
    { "\na;b 3\n", 7, SONDE_TRACE_COLLAPSED },
    { "\n\n\nbash 1 2.5: x:\n\t1 f (g)\n", 27, SONDE_TRACE_PERF },
    { "\n\x04P\001h\001", 6, SONDE_TRACE_PERFETTO },
    { "\n", 1, SONDE_TRACE_PERFETTO },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTrace) trace = read_trace (cases[i].bytes, cases[i].n, 50, &error);

      g_assert_no_error (error);
      g_assert_cmpint (trace->format, ==, cases[i].format);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/traces/xspace/plain", test_plain);
  g_test_add_func ("/data/traces/xspace/cut", test_cut);
  g_test_add_func ("/data/traces/xspace/broken-event", test_broken_event);
  g_test_add_func ("/data/traces/xspace/others", test_others);
  return g_test_run ();
}
