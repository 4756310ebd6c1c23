/* SPDX-License-Identifier: Apache-2.0
 * Flow events become arrows: a start opens a chain, a step and an end draw an arrow from the event
 * before, an end closes it. */
#include "data/traces/sonde-max-tree.h"
#include "data/traces/sonde-trace-builder-private.h"

/* The ends of the spans of one thread, for finding what is open at a time. */
typedef struct
{
  const SondeTrace *trace;
  guint32 thread; /* SONDE_TRACE_NONE: of none yet */
  SondeMaxTree ends;
} Finder;

static int
compare_flows (gconstpointer a, gconstpointer b)
{
  const SondeTraceFlow *x = a, *y = b;

  return x->key != y->key       ? SONDE_TRACE_COMPARE (x->key, y->key)
         : x->at_ns != y->at_ns ? SONDE_TRACE_COMPARE (x->at_ns, y->at_ns)
                                : SONDE_TRACE_COMPARE (x->place, y->place);
}

/* The first span of @thread that starts at @at_ns or later, counted from the thread's first. */
static gsize
find_start (const SondeTrace *trace, const SondeTraceThread *thread, gint64 at_ns)
{
  gsize low = 0, high = thread->n;

  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (trace->spans[thread->first + middle].start_ns < at_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
turn_to_thread (Finder *finder, guint32 index)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (finder->trace, index);

  if (finder->thread == index)
    return;
  sonde_max_tree_clear (&finder->ends);
  sonde_max_tree_init (&finder->ends, thread->n);
  for (gsize i = 0; i < thread->n; i++)
    sonde_max_tree_fill (&finder->ends, i, finder->trace->spans[thread->first + i].end_ns);
  sonde_max_tree_build (&finder->ends);
  finder->thread = index;
}

/* start ≤ time < end, or an empty span at that time; the one that starts last. */
static guint32
find_enclosing (Finder *finder, const SondeTraceFlow *flow)
{
  const SondeTrace *trace = finder->trace;
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, flow->thread);
  gsize first = find_start (trace, thread, flow->at_ns), index;
  gsize end = flow->at_ns == G_MAXINT64 ? thread->n : find_start (trace, thread, flow->at_ns + 1);

  /* of equal starts the empty ones are the last */
  if (end > first && trace->spans[thread->first + end - 1].end_ns == flow->at_ns)
    return thread->first + end - 1;
  turn_to_thread (finder, flow->thread);
  if (!sonde_max_tree_find_last (&finder->ends, end, flow->at_ns, &index))
    return SONDE_TRACE_NONE;
  return thread->first + index;
}

static guint32
find_next (const SondeTrace *trace, const SondeTraceFlow *flow)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, flow->thread);
  gsize i = find_start (trace, thread, flow->at_ns);

  return i < thread->n ? thread->first + i : SONDE_TRACE_NONE;
}

/* What a flow event lies on. Times of spans never move while flows are bound. */
static guint32
find_span (Finder *finder, const SondeTraceFlow *flow)
{
  switch ((SondeTraceBinding) flow->binding)
    {
    case SONDE_TRACE_BIND_OWN:
      return flow->own;
    case SONDE_TRACE_BIND_NEXT:
      return find_next (finder->trace, flow);
    case SONDE_TRACE_BIND_INSTANT:
      return SONDE_TRACE_NONE;
    case SONDE_TRACE_BIND_ENCLOSING:
      break;
    }
  return find_enclosing (finder, flow);
}

/* ---- chains -------------------------------------------------------------- */

/* The arrow from @from to @to, as indices of flows: spans are looked for when all are drawn. */
static void
draw (SondeTraceBuilder *builder, guint from, guint to)
{
  const SondeTraceFlow *a = &g_array_index (builder->flows, SondeTraceFlow, from);
  const SondeTraceFlow *b = &g_array_index (builder->flows, SondeTraceFlow, to);
  SondeTraceArrow arrow = { a->at_ns, b->at_ns, a->thread, b->thread, from, to, FALSE };

  g_array_append_val (builder->trace->arrows, arrow);
}

/* @before: the event before in the same open chain, or SONDE_TRACE_NONE; @has_arrow: whether an arrow
 * starts there. Returns the event to go on from. */
static guint
chain (SondeTraceBuilder *builder, guint before, gboolean *has_arrow, guint index)
{
  const SondeTraceFlow *flow = &g_array_index (builder->flows, SondeTraceFlow, index);

  if (flow->kind == SONDE_TRACE_FLOW_START
      || (flow->kind == SONDE_TRACE_FLOW_TOUCH && before == SONDE_TRACE_NONE))
    {
      if (before != SONDE_TRACE_NONE && !*has_arrow)
        sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_UNMATCHED_FLOW);
      *has_arrow = flow->kind == SONDE_TRACE_FLOW_TOUCH; /* nobody misses it */
      return index;
    }
  if (before == SONDE_TRACE_NONE)
    {
      sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_UNMATCHED_FLOW);
      return SONDE_TRACE_NONE;
    }
  draw (builder, before, index);
  *has_arrow = TRUE;
  return flow->kind == SONDE_TRACE_FLOW_END || flow->kind == SONDE_TRACE_FLOW_LAST
             ? SONDE_TRACE_NONE
             : index;
}

static void
chain_all (SondeTraceBuilder *builder)
{
  const GArray *flows = builder->flows;
  guint before = SONDE_TRACE_NONE;
  gboolean has_arrow = FALSE;

  for (guint i = 0; i < flows->len; i++)
    {
      guint32 key = g_array_index (flows, SondeTraceFlow, i).key;

      before = chain (builder, before, &has_arrow, i);
      if (i + 1 < flows->len && g_array_index (flows, SondeTraceFlow, i + 1).key == key)
        continue;
      if (before != SONDE_TRACE_NONE && !has_arrow)
        sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_UNMATCHED_FLOW);
      before = SONDE_TRACE_NONE;
      has_arrow = FALSE;
    }
}

/* ---- what arrows lie on -------------------------------------------------- */

static int
compare_threads (gconstpointer a, gconstpointer b, gpointer flows)
{
  const SondeTraceFlow *x = &g_array_index ((GArray *) flows, SondeTraceFlow, *(const guint *) a);
  const SondeTraceFlow *y = &g_array_index ((GArray *) flows, SondeTraceFlow, *(const guint *) b);

  return SONDE_TRACE_COMPARE (x->thread, y->thread);
}

/* Flow events thread by thread, so that each thread is prepared once. Returns the span of each. */
static guint32 *
find_spans (SondeTraceBuilder *builder)
{
  guint n = builder->flows->len;
  g_autofree guint *order = g_new (guint, MAX (n, 1));
  guint32 *spans = g_new (guint32, MAX (n, 1));
  Finder finder = { builder->trace, SONDE_TRACE_NONE, { 0, NULL } };

  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, n, sizeof *order, compare_threads, builder->flows);
  for (guint i = 0; i < n; i++)
    spans[order[i]]
        = find_span (&finder, &g_array_index (builder->flows, SondeTraceFlow, order[i]));
  sonde_max_tree_clear (&finder.ends);
  return spans;
}

static gboolean
is_on_something (const SondeTraceBuilder *builder, guint32 flow, const guint32 *spans)
{
  return spans[flow] != SONDE_TRACE_NONE
         || g_array_index (builder->flows, SondeTraceFlow, flow).binding
                == SONDE_TRACE_BIND_INSTANT;
}

void
sonde_trace_builder_chain_flows (SondeTraceBuilder *builder)
{
  g_autofree guint32 *spans = NULL;

  g_array_sort (builder->flows, compare_flows);
  chain_all (builder);
  spans = find_spans (builder);
  for (guint i = 0; i < builder->trace->arrows->len; i++)
    {
      SondeTraceArrow *arrow = &g_array_index (builder->trace->arrows, SondeTraceArrow, i);

      arrow->is_bound = is_on_something (builder, arrow->from, spans)
                        && is_on_something (builder, arrow->to, spans);
      arrow->from = spans[arrow->from];
      arrow->to = spans[arrow->to];
    }
}
