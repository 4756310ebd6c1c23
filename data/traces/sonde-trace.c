/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace.h"

#include "data/traces/sonde-trace-texts.h"

void
sonde_trace_free (SondeTrace *trace)
{
  if (trace == NULL)
    return;
  g_free (trace->spans);
  g_free (trace->nesting);
  g_clear_pointer (&trace->above, g_array_unref);
  g_clear_pointer (&trace->labels, g_array_unref);
  g_clear_pointer (&trace->details, g_array_unref);
  g_clear_pointer (&trace->threads, g_array_unref);
  g_clear_pointer (&trace->instants, g_array_unref);
  g_clear_pointer (&trace->async, g_array_unref);
  for (guint i = 0; i < trace->counters->len; i++)
    g_array_unref (g_array_index (trace->counters, SondeTraceCounter, i).points);
  g_clear_pointer (&trace->counters, g_array_unref);
  g_clear_pointer (&trace->arrows, g_array_unref);
  g_clear_pointer (&trace->memory, g_array_unref);
  g_clear_pointer (&trace->operators, g_array_unref);
  g_clear_pointer (&trace->ignored, g_array_unref);
  g_clear_pointer (&trace->frames, g_array_unref);
  g_clear_pointer (&trace->stacks, g_array_unref);
  g_clear_pointer (&trace->texts, sonde_trace_texts_free);
  g_free (trace);
}

void
sonde_trace_add_detail (SondeTrace *trace, guint32 label, const char *key, const char *text,
                        gint64 number)
{
  SondeTraceDetail detail = { label, key, NULL, number };

  g_return_if_fail (
      trace->details->len == 0
      || g_array_index (trace->details, SondeTraceDetail, trace->details->len - 1).label <= label);
  if (text != NULL)
    detail.text
        = sonde_trace_texts_get (trace->texts, sonde_trace_texts_add_string (trace->texts, text));
  g_array_append_val (trace->details, detail);
}

const SondeTraceDetail *
sonde_trace_get_details (const SondeTrace *trace, guint32 label, guint *n)
{
  const SondeTraceDetail *all = (const SondeTraceDetail *) (const void *) trace->details->data;
  guint low = 0, high = trace->details->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (all[middle].label < label)
        low = middle + 1;
      else
        high = middle;
    }
  for (*n = 0; low + *n < trace->details->len && all[low + *n].label == label;)
    ++*n;
  return *n > 0 ? &all[low] : NULL;
}

const char *
sonde_trace_format_get_name (SondeTraceFormat format)
{
  static const char *const names[] = {
    [SONDE_TRACE_CHROME] = "chrome", [SONDE_TRACE_PERFETTO] = "perfetto",
    [SONDE_TRACE_XSPACE] = "xspace", [SONDE_TRACE_COLLAPSED] = "collapsed",
    [SONDE_TRACE_PERF] = "perf",
  };

  return names[format];
}

const char *
sonde_trace_reason_get_name (SondeTraceReason reason)
{
  static const char *const names[SONDE_TRACE_N_REASONS] = {
    [SONDE_TRACE_REASON_EVENT] = "event",
    [SONDE_TRACE_REASON_PHASE] = "phase",
    [SONDE_TRACE_REASON_TIME] = "time",
    [SONDE_TRACE_REASON_DURATION] = "duration",
    [SONDE_TRACE_REASON_ID] = "id",
    [SONDE_TRACE_REASON_COUNTER] = "counter",
    [SONDE_TRACE_REASON_UNMATCHED_END] = "unmatched_end",
    [SONDE_TRACE_REASON_UNCLOSED] = "unclosed",
    [SONDE_TRACE_REASON_DUPLICATE_ID] = "duplicate_id",
    [SONDE_TRACE_REASON_UNMATCHED_FLOW] = "unmatched_flow",
    [SONDE_TRACE_REASON_OVERLAPPING] = "overlapping",
    [SONDE_TRACE_REASON_PACKET] = "packet",
    [SONDE_TRACE_REASON_STATE] = "state",
    [SONDE_TRACE_REASON_LINE] = "line",
    [SONDE_TRACE_REASON_LONG_TEXT] = "long_text",
  };

  return names[reason];
}
