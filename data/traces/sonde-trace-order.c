/* SPDX-License-Identifier: Apache-2.0
 * Spans by thread, there by start; of equal starts the longest first, then as in the file. */
#include <stdlib.h>
#include <string.h>

#include "data/traces/sonde-trace-builder-private.h"

/* Spans that are moved before the memory that they were in is given back. */
#define MOVED_AT_ONCE (1u << 14)

static int
compare_met (const void *a, const void *b)
{
  const SondeTraceMet *x = a, *y = b;

  return x->span.start_ns != y->span.start_ns
             ? SONDE_TRACE_COMPARE (x->span.start_ns, y->span.start_ns)
         : x->span.end_ns != y->span.end_ns ? SONDE_TRACE_COMPARE (y->span.end_ns, x->span.end_ns)
                                            : SONDE_TRACE_COMPARE (x->place, y->place);
}

static SondeTraceMet
get_met (const SondeTraceBuilder *builder, gsize i)
{
  return (SondeTraceMet){ builder->trace->spans[i], builder->places[i] };
}

static gboolean
is_sorted (const SondeTraceBuilder *builder, gsize first, gsize n)
{
  for (gsize i = first + 1; i < first + n; i++)
    {
      SondeTraceMet before = get_met (builder, i - 1), one = get_met (builder, i);

      if (compare_met (&before, &one) > 0)
        return FALSE;
    }
  return TRUE;
}

static void
sort_spans (SondeTraceBuilder *builder, gsize first, gsize n)
{
  g_autofree SondeTraceMet *met = g_new (SondeTraceMet, n);

  for (gsize i = 0; i < n; i++)
    met[i] = get_met (builder, first + i);
  qsort (met, n, sizeof *met, compare_met);
  for (gsize i = 0; i < n; i++)
    {
      builder->trace->spans[first + i] = met[i].span;
      builder->places[first + i] = met[i].place;
    }
}

/* Each thread's share of the array. */
static void
lay_out_threads (SondeTraceBuilder *builder)
{
  SondeTraceThread *threads = (SondeTraceThread *) builder->trace->threads->data;
  guint64 first = 0;

  for (guint i = 0; i < builder->spans->len; i++)
    threads[g_array_index (builder->spans, SondeTraceMet, i).span.thread].n++;
  for (guint i = 0; i < builder->trace->threads->len; i++)
    {
      threads[i].first = first;
      first += threads[i].n;
      builder->trace->n_threads_with_spans += threads[i].n > 0;
    }
}

static void
move_spans (SondeTraceBuilder *builder)
{
  SondeTrace *trace = builder->trace;
  SondeTraceMet *met = (SondeTraceMet *) (void *) builder->spans->data;
  g_autofree gsize *next = g_new (gsize, MAX (trace->threads->len, 1));

  trace->spans = g_new (SondeTraceSpan, MAX (trace->n_spans, 1));
  builder->places = g_new (guint64, MAX (trace->n_spans, 1));
  for (guint i = 0; i < trace->threads->len; i++)
    next[i] = sonde_trace_get_thread (trace, i)->first;
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      gsize place = next[met[i].span.thread]++;

      trace->spans[place] = met[i].span;
      builder->places[place] = met[i].place;
      if ((i + 1) % MOVED_AT_ONCE == 0)
        sonde_trace_release (met + i + 1 - MOVED_AT_ONCE, MOVED_AT_ONCE * sizeof *met);
    }
  g_array_unref (builder->spans);
  builder->spans = g_array_new (FALSE, FALSE, sizeof (SondeTraceMet));
}

static int
compare_named (gconstpointer a, gconstpointer b)
{
  const SondeTraceNamed *x = a, *y = b;

  return SONDE_TRACE_COMPARE (x->place, y->place);
}

static void
name_operators (SondeTraceBuilder *builder)
{
  SondeTrace *trace = builder->trace;

  g_array_sort (builder->operators, compare_named);
  for (gsize i = 0; builder->operators->len > 0 && i < trace->n_spans; i++)
    {
      SondeTraceNamed key = { builder->places[i], NULL, 0, 0 };
      guint at;

      if (g_array_binary_search (builder->operators, &key, compare_named, &at))
        {
          const SondeTraceNamed *met = &g_array_index (builder->operators, SondeTraceNamed, at);
          SondeTraceOperator named = { (guint32) i, met->type, met->flops, met->bytes };

          g_array_append_val (trace->operators, named);
        }
    }
}

static int
compare_flow_places (gconstpointer a, gconstpointer b, gpointer flows)
{
  const SondeTraceFlow *all = flows;
  guint64 x = all[*(const guint *) a].place, y = all[*(const guint *) b].place;

  return SONDE_TRACE_COMPARE (x, y);
}

/* Of the flows in @sorted, by place, those of @place lie on @span. */
static void
bind_own (SondeTraceFlow *flows, const GArray *sorted, guint64 place, guint32 span)
{
  guint low = 0, high = sorted->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (flows[g_array_index (sorted, guint, middle)].place < place)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < sorted->len && flows[g_array_index (sorted, guint, low)].place == place; low++)
    flows[g_array_index (sorted, guint, low)].own = span;
}

static void
bind_flows (SondeTraceBuilder *builder)
{
  SondeTraceFlow *flows = (SondeTraceFlow *) (void *) builder->flows->data;
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < builder->flows->len; i++)
    if (flows[i].binding == SONDE_TRACE_BIND_OWN)
      g_array_append_val (sorted, i);
  if (sorted->len == 0)
    return;
  g_array_sort_with_data (sorted, compare_flow_places, flows);
  for (gsize i = 0; i < builder->trace->n_spans; i++)
    bind_own (flows, sorted, builder->places[i], (guint32) i);
}

void
sonde_trace_builder_order (SondeTraceBuilder *builder)
{
  SondeTrace *trace = builder->trace;

  trace->n_spans = builder->spans->len;
  lay_out_threads (builder);
  move_spans (builder);
  for (guint i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);

      if (!is_sorted (builder, thread->first, thread->n))
        sort_spans (builder, thread->first, thread->n);
    }
  name_operators (builder);
  bind_flows (builder);
  g_clear_pointer (&builder->places, g_free);
}
