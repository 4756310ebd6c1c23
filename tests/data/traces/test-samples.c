/* SPDX-License-Identifier: Apache-2.0
 * Collapsed stacks and the text of perf script: lines as real tools write them, and lines that no tool
 * should write. */
#include <string.h>

#include "tests/data/traces/trace-bytes.h"

static const SondeTraceFrame *
get_frame (const SondeTrace *trace, const char *name)
{
  for (guint i = 0; i < trace->frames->len; i++)
    if (strcmp (g_array_index (trace->frames, SondeTraceFrame, i).name, name) == 0)
      return &g_array_index (trace->frames, SondeTraceFrame, i);
  g_test_message ("no frame “%s”", name);
  g_test_fail ();
  return &g_array_index (trace->frames, SondeTraceFrame, 0);
}

static void
assert_frame (const SondeTrace *trace, const char *name, guint64 self, guint64 total)
{
  const SondeTraceFrame *frame = get_frame (trace, name);

  g_assert_cmpint (frame->self, ==, self);
  g_assert_cmpint (frame->total, ==, total);
}

/* The stacks as they would be collapsed. */
static char *
write_stacks (const SondeTrace *trace)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < trace->stacks->len; i++)
    {
      const SondeTraceStack *stack = &g_array_index (trace->stacks, SondeTraceStack, i);
      g_autoptr (GString) line = g_string_new (NULL);

      for (guint32 at = i; at != SONDE_TRACE_NONE;)
        {
          const SondeTraceStack *place = &g_array_index (trace->stacks, SondeTraceStack, at);

          g_assert_true (place->parent == SONDE_TRACE_NONE || place->parent < at);
          if (line->len > 0)
            g_string_prepend_c (line, ';');
          g_string_prepend (line,
                            g_array_index (trace->frames, SondeTraceFrame, place->frame).name);
          at = place->parent;
        }
      if (stack->weight > 0)
        g_string_append_printf (text, "%s %" G_GUINT64_FORMAT "\n", line->str, stack->weight);
    }
  return g_string_free (text, FALSE);
}

/* ---- collapsed ----------------------------------------------------------- */

static void
test_collapsed_tree (void)
{
  g_autoptr (SondeTrace) trace = read_text ("a;b 1\nc 2\r\na;b;a 3\na;b 4\na 5");
  g_autofree char *stacks = write_stacks (trace);

  g_assert_cmpint (trace->format, ==, SONDE_TRACE_COLLAPSED);
  g_assert_cmpstr (stacks, ==, "a 5\na;b 5\nc 2\na;b;a 3\n");
  assert_frame (trace, "a", 8, 13);
  assert_frame (trace, "b", 5, 8);
  g_assert_false (trace->has_time);
}

/* Counts of more than 64 bits, and sums that reach them, stay at the greatest number. */
static void
test_collapsed_counts (void)
{
  g_autoptr (SondeTrace) trace
      = read_text ("a 99999999999999999999999\nb 9223372036854775807\nb 1\nc 007\n");

  assert_frame (trace, "a", G_MAXINT64, G_MAXINT64);
  assert_frame (trace, "b", G_MAXINT64, G_MAXINT64);
  assert_frame (trace, "c", 7, 7);
  g_assert_cmpint (trace->weight, ==, G_MAXINT64);
}

/* One line of 5 MiB, more than is kept, between two others. */
static void
test_collapsed_long_line (void)
{
  g_autoptr (GString) text = g_string_new ("a 1\n");
  g_autoptr (SondeTrace) trace = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < (5 << 20) / 4; i++)
    g_string_append (text, "abc;");
  g_string_append (text, "x 3\nb 2\n");
  trace = read_trace (text->str, text->len, 70000, &error);
  g_assert_no_error (error);
  g_assert_cmpint (trace->n_samples, ==, 2);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_LINE], ==, 1);
  assert_frame (trace, "b", 2, 2);
}

/* Frames without end: the sums are right, the tree keeps what it may. */
static void
test_collapsed_deep (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (SondeTrace) trace = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 600; i++)
    {
      g_string_append_printf (text, "root%u", i);
      for (guint k = 0; k < 5000; k++)
        g_string_append (text, ";a");
      g_string_append (text, ";leaf 1\n");
    }
  trace = read_trace (text->str, text->len, 1 << 20, &error);
  g_assert_no_error (error);
  assert_frame (trace, "leaf", 600, 600);
  assert_frame (trace, "a", 0, 600);
  g_assert_cmpint (trace->stacks->len, <=, SONDE_TRACE_STACKS_MAX);
  g_assert_cmpint (trace->stacks->len, >, SONDE_TRACE_STACKS_MAX / 2);
}

static void
test_no_lines (void)
{
  static const char *const texts[] = { "", "word\n", "a;b\n3\n", "a;b 3x\n", " 7\n", "a;b\t3" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTrace) trace = read_trace (texts[i], strlen (texts[i]), 100, &error);

      g_assert_null (trace);
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
    }
}

/* ---- perf ---------------------------------------------------------------- */

static void
assert_thread (const SondeTrace *trace, guint i, const char *process, const char *pid,
               const char *tid, guint64 n)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);

  g_assert_cmpstr (thread->process, ==, process);
  g_assert_cmpstr (thread->pid, ==, pid);
  g_assert_cmpstr (thread->tid, ==, tid);
  g_assert_cmpint (thread->n_samples, ==, n);
}

static void
test_perf_headers (void)
{
  g_autoptr (SondeTrace) trace = read_text ("# captured on: Monday\n"
                                            "# cmdline : perf record -g a 1\n"
                                            "\n"
                                            "my 5 tool 12/13 [001] 7.5: 10 cycles:u: \n"
                                            "\t 1 f+0x1 (x)\n"
                                            "\n"
                                            "my 5 tool 12/13 8.25: cycles:\n"
                                            "\t 1 g (x)\n"
                                            "\t 2 f (x)\n"
                                            "\n"
                                            "         swapper     0 [000] 9.000000001: 1 "
                                            "cycles:  ffffffff81 native_write_msr+0x4 ([kernel])\n"
                                            ":-1    -1 [000] 9.5: 1 sched:sched_switch: a=1 b\n");

  g_assert_cmpint (trace->format, ==, SONDE_TRACE_PERF);
  g_assert_cmpint (trace->n_samples, ==, 4);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_LINE], ==, 0);
  g_assert_cmpint (trace->threads->len, ==, 3);
  assert_thread (trace, 0, "my 5 tool", "12", "13", 2);
  assert_thread (trace, 1, "swapper", "", "0", 1);
  assert_thread (trace, 2, ":-1", "", "-1", 1);
  assert_frame (trace, "f", 1, 2);
  assert_frame (trace, "g", 1, 1);
  assert_frame (trace, "native_write_msr", 1, 1);
  g_assert_cmpint (trace->frames->len, ==, 3);
  g_assert_cmpint (trace->start_ns, ==, 7500000000);
  g_assert_cmpint (trace->end_ns, ==, 9500000000);
}

static void
test_perf_frames (void)
{
  g_autoptr (SondeTrace) trace = read_text (
      "a 1 1.0: x:\r\n"
      "\tffff std::map<int, char (*)(long)>::find(int const&)+0x1f (/a b/c (deleted))\r\n"
      "\t7f00 operator() (inlined)\r\n"
      "\t7f01 add (/x)\r\n"
      "\tadd (/x)\r\n"
      "\t1 +0x5 (/x)\r\n"
      "\t12 [unknown] ([unknown])\r\n"
      "\t13 no file\r\n"
      "\r\n"
      "\t13 nowhere\r\n"
      "neither this\r\n");

  assert_frame (trace, "std::map<int, char (*)(long)>::find(int const&)", 1, 1);
  assert_frame (trace, "operator()", 0, 1);
  assert_frame (trace, "add", 0, 1);
  assert_frame (trace, "", 0, 1);
  assert_frame (trace, "[unknown]", 0, 1);
  assert_frame (trace, "no file", 0, 1);
  g_assert_cmpint (trace->frames->len, ==, 6);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_LINE], ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/traces/samples/collapsed/tree", test_collapsed_tree);
  g_test_add_func ("/data/traces/samples/collapsed/counts", test_collapsed_counts);
  g_test_add_func ("/data/traces/samples/collapsed/long-line", test_collapsed_long_line);
  g_test_add_func ("/data/traces/samples/collapsed/deep", test_collapsed_deep);
  g_test_add_func ("/data/traces/samples/no-lines", test_no_lines);
  g_test_add_func ("/data/traces/samples/perf/headers", test_perf_headers);
  g_test_add_func ("/data/traces/samples/perf/frames", test_perf_frames);
  return g_test_run ();
}
