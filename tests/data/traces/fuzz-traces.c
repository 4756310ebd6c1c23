/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for traces of all formats, recognised by their bytes as always. Built by gcc it replays the
 * files named on the command line, and each of them damaged in many places (a test); with clang
 * -fsanitize=fuzzer -DSONDE_LIBFUZZER it is a libFuzzer target (scripts/fuzz). */
#include "tests/data/traces/trace-bytes.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

/* ---- what holds of every trace ------------------------------------------- */

static void
check_text (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    g_error ("“%s” is no UTF-8", text);
}

static void
check_spans (const SondeTrace *trace)
{
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, span->thread);
      guint32 parent = trace->nesting[i].parent;

      g_assert_cmpint (span->start_ns, <=, span->end_ns);
      g_assert_cmpint (span->start_ns, >=, trace->start_ns);
      g_assert_cmpint (span->end_ns, <=, trace->end_ns);
      g_assert_cmpint (i, >=, thread->first);
      g_assert_cmpint (i, <, thread->first + thread->n);
      g_assert_cmpint (sonde_trace_get_lane (trace, i), <, thread->n_lanes);
      g_assert_cmpint (sonde_trace_get_depth (trace, i), <, thread->max_depth);
      if (parent == SONDE_TRACE_NONE)
        continue;
      g_assert_cmpint (parent, <, i);
      g_assert_cmpint (trace->spans[parent].start_ns, <=, span->start_ns);
      g_assert_cmpint (trace->spans[parent].end_ns, >=, span->end_ns);
      g_assert_cmpint (sonde_trace_get_lane (trace, parent), ==, sonde_trace_get_lane (trace, i));
    }
}

static void
check_rest (const SondeTrace *trace)
{
  for (guint i = 0; i < trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, i);

      check_text (label->category);
      check_text (label->name);
      g_assert_cmpint (label->self_ns, >=, 0);
      g_assert_cmpint (label->total_ns, >=, label->n > 0 ? label->max_ns : 0);
    }
  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);

      check_text (counter->name);
      g_assert_cmpint (counter->points->len, >, 0);
    }
  for (guint i = 0; i < trace->arrows->len; i++)
    {
      const SondeTraceArrow *arrow = &g_array_index (trace->arrows, SondeTraceArrow, i);

      g_assert_true (arrow->from == SONDE_TRACE_NONE || arrow->from < trace->n_spans);
      g_assert_true (arrow->to == SONDE_TRACE_NONE || arrow->to < trace->n_spans);
    }
  for (guint i = 0; i < trace->frames->len; i++)
    {
      const SondeTraceFrame *frame = &g_array_index (trace->frames, SondeTraceFrame, i);

      check_text (frame->name);
      g_assert_cmpint (frame->self, <=, frame->total);
    }
}

/* How the bytes come in changes nothing. */
static void
assert_equal (const SondeTrace *a, const SondeTrace *b)
{
  g_assert_cmpint (a->format, ==, b->format);
  g_assert_cmpint (a->n_events, ==, b->n_events);
  g_assert_cmpint (a->n_spans, ==, b->n_spans);
  g_assert_cmpint (a->weight, ==, b->weight);
  g_assert_cmpint (a->truncated, ==, b->truncated);
  g_assert_cmpint (a->truncated_at, ==, b->truncated_at);
  for (guint i = 0; i < SONDE_TRACE_N_REASONS; i++)
    g_assert_cmpint (a->reasons[i], ==, b->reasons[i]);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  g_autoptr (SondeTrace) trace = read_trace (data, length, 1 << 20, NULL);
  g_autoptr (SondeTrace) again = NULL;
  g_autoptr (GError) error = NULL;

  if (trace == NULL)
    return 0;
  check_spans (trace);
  check_rest (trace);
  /* how much of a damaged gzip file comes out depends on how it is read */
  if (trace->compressed)
    return 0;
  again = read_trace (data, length, 11, &error);
  g_assert_no_error (error);
  assert_equal (trace, again);
  return 0;
}

#ifndef SONDE_LIBFUZZER
/* Each byte in turn becomes another one, in a way that is the same each time. */
static void
damage (const char *data, gsize length)
{
  g_autofree guint8 *bytes = g_memdup2 (data, length);
  guint32 state = 1;

  for (gsize i = 0; i < length; i++)
    {
      guint8 kept = bytes[i];

      state = state * 1664525 + 1013904223;
      bytes[i] = state >> 24;
      LLVMFuzzerTestOneInput (bytes, i % 5 == 0 ? i : length);
      bytes[i] = kept;
    }
}

static int
replay (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *data = NULL;
  const char *name;
  gsize length;
  int n = 0;

  if (dir == NULL)
    {
      if (!g_file_get_contents (path, &data, &length, NULL))
        return 0;
      LLVMFuzzerTestOneInput ((const guint8 *) data, length);
      damage (data, length);
      return 1;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      n += replay (child);
    }
  return n;
}

int
main (int argc, char *argv[])
{
  int n = 0;

  for (int i = 1; i < argc; i++)
    n += replay (argv[i]);
  g_print ("1..1\n%s 1 - /data/traces/fuzz # %d inputs\n", n > 0 ? "ok" : "not ok", n);
  return n > 0 ? 0 : 1;
}
#endif
