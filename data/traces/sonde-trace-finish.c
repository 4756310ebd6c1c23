/* SPDX-License-Identifier: Apache-2.0
 * From what was gathered to a trace. */
#include "data/traces/sonde-trace-builder-private.h"

static const char *
get_name (SondeTraceBuilder *builder, guint32 text)
{
  return text == SONDE_TRACE_NONE ? "" : sonde_trace_builder_get_text (builder, text);
}

static guint32
get_process (SondeTraceBuilder *builder, const SondeTraceThreadTexts *texts)
{
  gpointer name;

  if (texts->process != SONDE_TRACE_NONE)
    return texts->process;
  name = g_hash_table_lookup (builder->process_names, GUINT_TO_POINTER (texts->pid));
  return GPOINTER_TO_UINT (name);
}

static void
name_threads (SondeTraceBuilder *builder)
{
  for (guint i = 0; i < builder->trace->threads->len; i++)
    {
      SondeTraceThread *thread = &g_array_index (builder->trace->threads, SondeTraceThread, i);
      const SondeTraceThreadTexts *texts
          = &g_array_index (builder->thread_texts, SondeTraceThreadTexts, i);

      thread->pid = sonde_trace_builder_get_text (builder, texts->pid);
      thread->tid = sonde_trace_builder_get_text (builder, texts->tid);
      thread->process = sonde_trace_builder_get_text (builder, get_process (builder, texts));
      thread->name = get_name (builder, texts->name);
      thread->track = get_name (builder, texts->track);
    }
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const SondeTracePoint *x = a, *y = b;

  return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static void
finish_counter (SondeTraceCounter *counter)
{
  const SondeTracePoint *points;

  /* g_array_sort() is stable: points of one time stay as in the file */
  g_array_sort (counter->points, compare_points);
  points = (const SondeTracePoint *) counter->points->data;
  counter->min = counter->max = points[0].value;
  for (guint i = 1; i < counter->points->len; i++)
    {
      counter->min = MIN (counter->min, points[i].value);
      counter->max = MAX (counter->max, points[i].value);
    }
}

static int
compare_memory (gconstpointer a, gconstpointer b)
{
  const SondeTraceMemory *x = a, *y = b;

  return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

SondeTrace *
sonde_trace_builder_finish (SondeTraceBuilder *builder)
{
  name_threads (builder);
  for (guint i = 0; i < builder->trace->counters->len; i++)
    finish_counter (&g_array_index (builder->trace->counters, SondeTraceCounter, i));
  g_array_sort (builder->trace->memory, compare_memory);
  sonde_trace_builder_pair (builder);
  sonde_trace_builder_order (builder);
  sonde_trace_builder_nest (builder);
  sonde_trace_builder_chain_flows (builder);
  return g_steal_pointer (&builder->trace);
}
