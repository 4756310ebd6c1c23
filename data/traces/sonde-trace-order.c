/* SPDX-License-Identifier: Apache-2.0
 * Spans by thread, there by start; of equal starts the longest first, then as in the file. */
#include <stdlib.h>
#include <string.h>

#include "data/traces/sonde-trace-builder-private.h"

static int
compare_spans (const void *a, const void *b)
{
  const SondeTraceSpan *x = a, *y = b;

  return x->start_ns != y->start_ns ? SONDE_TRACE_COMPARE (x->start_ns, y->start_ns)
         : x->end_ns != y->end_ns   ? SONDE_TRACE_COMPARE (y->end_ns, x->end_ns)
                                    : SONDE_TRACE_COMPARE (x->place, y->place);
}

static gboolean
is_sorted (const SondeTraceSpan *spans, gsize n)
{
  for (gsize i = 1; i < n; i++)
    if (compare_spans (&spans[i - 1], &spans[i]) > 0)
      return FALSE;
  return TRUE;
}

/* Each thread's share of the array. */
static void
lay_out_threads (SondeTraceBuilder *builder)
{
  SondeTraceThread *threads = (SondeTraceThread *) builder->trace->threads->data;
  guint64 first = 0;

  for (guint i = 0; i < builder->spans->len; i++)
    threads[g_array_index (builder->spans, SondeTraceSpan, i).thread].n++;
  for (guint i = 0; i < builder->trace->threads->len; i++)
    {
      threads[i].first = first;
      first += threads[i].n;
      builder->trace->n_threads_with_spans += threads[i].n > 0;
    }
}

/* In most files the spans of a thread follow each other already. */
static void
move_spans (SondeTraceBuilder *builder)
{
  SondeTrace *trace = builder->trace;
  g_autofree gsize *next = g_new (gsize, MAX (trace->threads->len, 1));

  trace->spans = g_new (SondeTraceSpan, MAX (trace->n_spans, 1));
  for (guint i = 0; i < trace->threads->len; i++)
    next[i] = sonde_trace_get_thread (trace, i)->first;
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &g_array_index (builder->spans, SondeTraceSpan, i);

      trace->spans[next[span->thread]++] = *span;
    }
  g_array_set_size (builder->spans, 0);
}

/* What pairs of marks became is in order already. */
static gboolean
is_by_thread (const GArray *spans)
{
  for (guint i = 1; i < spans->len; i++)
    if (g_array_index (spans, SondeTraceSpan, i - 1).thread
        > g_array_index (spans, SondeTraceSpan, i).thread)
      return FALSE;
  return TRUE;
}

void
sonde_trace_builder_order (SondeTraceBuilder *builder)
{
  SondeTrace *trace = builder->trace;

  trace->n_spans = builder->spans->len;
  lay_out_threads (builder);
  if (trace->n_spans > 0 && is_by_thread (builder->spans))
    trace->spans = (SondeTraceSpan *) g_array_steal (builder->spans, NULL);
  else
    move_spans (builder);
  for (guint i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);
      SondeTraceSpan *spans = trace->spans + thread->first;

      if (!is_sorted (spans, thread->n))
        qsort (spans, thread->n, sizeof *spans, compare_spans);
    }
}
