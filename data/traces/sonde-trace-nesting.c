/* SPDX-License-Identifier: Apache-2.0
 * Which span is inside which, lane by lane, and the sums that follow from it. A span goes to the first
 * lane where, after what ended at or before its start is taken off, nothing is left or the top ends at
 * its end or later. */
#include "data/base/sonde-checked.h"
#include "data/base/sonde-pair-hash.h"
#include "data/traces/sonde-max-tree.h"
#include "data/traces/sonde-trace-builder-private.h"

/* A span that is open: its index, and what its direct children took. */
typedef struct
{
  gint64 children_ns;
  guint32 span;
} OpenSpan;

/* The spans that are open on one lane, outermost first. */
typedef struct
{
  GArray *open; /* OpenSpan */
} Lane;

/* @free_until: of each lane the end of its top, G_MAXINT64 when nothing is open
 * @ends: a heap of what is open on lanes above the first, the least end first
 * @open_counts: how many of each label are open on the first lane; for others in @open_above */
typedef struct
{
  SondeTrace *trace;
  GArray *lanes; /* Lane, of this thread and of those before it */
  guint32 n_lanes;
  SondeMaxTree free_until;
  GArray *ends; /* guint32: index of the span */
  guint32 *open_counts;
  GHashTable *open_above;
} Nesting;

static const SondeTraceSpan *
get_span (const Nesting *nesting, guint32 index)
{
  return &nesting->trace->spans[index];
}

/* Sums of hostile times stay at the greatest number. */
static void
add_ns (gint64 *sum, gint64 ns)
{
  if (!sonde_checked_add (sum, *sum, ns))
    *sum = G_MAXINT64;
}

/* ---- the heap of ends ---------------------------------------------------- */

static gboolean
ends_before (const Nesting *nesting, guint i, guint j)
{
  return get_span (nesting, g_array_index (nesting->ends, guint32, i))->end_ns
         < get_span (nesting, g_array_index (nesting->ends, guint32, j))->end_ns;
}

static void
swap_ends (Nesting *nesting, guint i, guint j)
{
  guint32 *ends = (guint32 *) nesting->ends->data, kept = ends[i];

  ends[i] = ends[j];
  ends[j] = kept;
}

static void
push_end (Nesting *nesting, guint32 span)
{
  guint i = nesting->ends->len;

  g_array_append_val (nesting->ends, span);
  for (; i > 0 && ends_before (nesting, i, (i - 1) / 2); i = (i - 1) / 2)
    swap_ends (nesting, i, (i - 1) / 2);
}

static void
drop_first_end (Nesting *nesting)
{
  guint n = nesting->ends->len - 1, i = 0;

  swap_ends (nesting, 0, n);
  g_array_set_size (nesting->ends, n);
  for (;;)
    {
      guint least = i;

      for (guint child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
        if (ends_before (nesting, child, least))
          least = child;
      if (least == i)
        return;
      swap_ends (nesting, i, least);
      i = least;
    }
}

/* ---- lanes --------------------------------------------------------------- */

static guint32
get_top (const Nesting *nesting, guint32 lane)
{
  const GArray *open = g_array_index (nesting->lanes, Lane, lane).open;

  return open->len > 0 ? g_array_index (open, OpenSpan, open->len - 1).span : SONDE_TRACE_NONE;
}

static void
set_free_until (Nesting *nesting, guint32 lane)
{
  guint32 top = get_top (nesting, lane);

  sonde_max_tree_set (&nesting->free_until, lane,
                      top == SONDE_TRACE_NONE ? G_MAXINT64 : get_span (nesting, top)->end_ns);
}

/* How many spans of a label are open on a lane. */
static void
count_open (Nesting *nesting, guint32 lane, guint32 label, int change)
{
  gint64 key = (gint64) lane << 32 | label;
  guint32 n;

  if (lane == 0)
    {
      nesting->open_counts[label] += change;
      return;
    }
  n = GPOINTER_TO_UINT (g_hash_table_lookup (nesting->open_above, &key)) + change;
  if (n == 0)
    g_hash_table_remove (nesting->open_above, &key);
  else
    g_hash_table_insert (nesting->open_above, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (n));
}

static gboolean
is_open (const Nesting *nesting, guint32 lane, guint32 label)
{
  gint64 key = (gint64) lane << 32 | label;

  return lane == 0 ? nesting->open_counts[label] > 0
                   : g_hash_table_contains (nesting->open_above, &key);
}

/* Takes the top off: its self time is known now. */
static void
pop (Nesting *nesting, guint32 lane)
{
  GArray *open = g_array_index (nesting->lanes, Lane, lane).open;
  OpenSpan top = g_array_index (open, OpenSpan, open->len - 1);
  const SondeTraceSpan *span = get_span (nesting, top.span);
  SondeTraceLabel *label = &g_array_index (nesting->trace->labels, SondeTraceLabel, span->label);

  g_array_set_size (open, open->len - 1);
  add_ns (&label->self_ns, span->end_ns - span->start_ns - top.children_ns);
  count_open (nesting, lane, span->label, -1);
}

/* Lanes above the first: what ended by @at_ns is the top of its lane, since inner spans end first. */
static void
pop_ended (Nesting *nesting, gint64 at_ns)
{
  while (nesting->ends->len > 0)
    {
      guint32 index = g_array_index (nesting->ends, guint32, 0), lane;

      if (get_span (nesting, index)->end_ns > at_ns)
        return;
      drop_first_end (nesting);
      lane = sonde_trace_get_lane (nesting->trace, index);
      pop (nesting, lane);
      set_free_until (nesting, lane);
    }
}

static void
pop_first_lane (Nesting *nesting, gint64 at_ns)
{
  guint32 top;

  while ((top = get_top (nesting, 0)) != SONDE_TRACE_NONE
         && get_span (nesting, top)->end_ns <= at_ns)
    pop (nesting, 0);
}

static void
add_lane (Nesting *nesting)
{
  if (nesting->n_lanes == nesting->lanes->len)
    {
      Lane lane = { g_array_new (FALSE, FALSE, sizeof (OpenSpan)) };

      g_array_append_val (nesting->lanes, lane);
    }
  sonde_max_tree_grow (&nesting->free_until, nesting->n_lanes + 1);
  nesting->n_lanes++;
}

/* The lane of @span; lanes above the first are only looked at where there are some. */
static guint32
find_lane (Nesting *nesting, const SondeTraceSpan *span)
{
  guint32 top;
  gsize lane;

  pop_first_lane (nesting, span->start_ns);
  pop_ended (nesting, span->start_ns);
  top = get_top (nesting, 0);
  if (top == SONDE_TRACE_NONE || get_span (nesting, top)->end_ns >= span->end_ns)
    return 0;
  if (nesting->n_lanes > 1 && sonde_max_tree_find_first (&nesting->free_until, span->end_ns, &lane))
    return lane;
  add_lane (nesting);
  return nesting->n_lanes - 1;
}

static void
add_to_label (Nesting *nesting, const SondeTraceSpan *span, gboolean is_outermost)
{
  SondeTraceLabel *label = &g_array_index (nesting->trace->labels, SondeTraceLabel, span->label);
  gint64 ns = span->end_ns - span->start_ns;

  nesting->trace->n_labels_with_spans += label->n == 0;
  label->min_ns = label->n == 0 ? ns : MIN (label->min_ns, ns);
  label->max_ns = label->n == 0 ? ns : MAX (label->max_ns, ns);
  label->n++;
  if (is_outermost)
    add_ns (&label->total_ns, ns);
}

static guint32
make_level (SondeTrace *trace, guint32 depth, guint32 lane)
{
  SondeTracePlace place = { depth, lane };

  if (lane == 0)
    return depth;
  g_array_append_val (trace->above, place);
  return (trace->above->len - 1) | SONDE_TRACE_ABOVE;
}

static void
place_span (Nesting *nesting, guint32 index)
{
  SondeTrace *trace = nesting->trace;
  const SondeTraceSpan *span = get_span (nesting, index);
  guint32 lane = find_lane (nesting, span), parent = get_top (nesting, lane);
  GArray *open = g_array_index (nesting->lanes, Lane, lane).open;
  OpenSpan one = { 0, index };

  trace->nesting[index] = (SondeTraceNesting){ parent, make_level (trace, open->len, lane) };
  if (parent != SONDE_TRACE_NONE)
    g_array_index (open, OpenSpan, open->len - 1).children_ns += span->end_ns - span->start_ns;
  add_to_label (nesting, span, !is_open (nesting, lane, span->label));
  count_open (nesting, lane, span->label, 1);
  g_array_append_val (open, one);
  if (lane > 0)
    {
      push_end (nesting, index);
      set_free_until (nesting, lane);
      trace->reasons[SONDE_TRACE_REASON_OVERLAPPING]++;
    }
}

static void
nest_thread (Nesting *nesting, SondeTraceThread *thread)
{
  gint64 busy_until = G_MININT64;

  nesting->n_lanes = 1;
  sonde_max_tree_set (&nesting->free_until, 0, G_MININT64); /* the first is looked at by itself */
  for (guint64 i = thread->first; i < thread->first + thread->n; i++)
    {
      const SondeTraceSpan *span = get_span (nesting, i);

      place_span (nesting, i);
      thread->max_depth = MAX (thread->max_depth, sonde_trace_get_depth (nesting->trace, i) + 1);
      if (span->end_ns > busy_until)
        add_ns (&thread->busy_ns, span->end_ns - MAX (span->start_ns, busy_until));
      busy_until = MAX (busy_until, span->end_ns);
    }
  thread->n_lanes = nesting->n_lanes;
  pop_first_lane (nesting, G_MAXINT64);
  pop_ended (nesting, G_MAXINT64);
  /* lanes that the next thread does not have yet are no choice */
  for (guint32 lane = 1; lane < nesting->n_lanes; lane++)
    sonde_max_tree_set (&nesting->free_until, lane, G_MININT64);
}

static void
clear_lane (gpointer lane)
{
  g_array_unref (((Lane *) lane)->open);
}

void
sonde_trace_builder_nest (SondeTraceBuilder *builder)
{
  SondeTrace *trace = builder->trace;
  Nesting nesting = {
    .trace = trace,
    .lanes = g_array_new (FALSE, FALSE, sizeof (Lane)),
    .ends = g_array_new (FALSE, FALSE, sizeof (guint32)),
    .open_counts = g_new0 (guint32, MAX (trace->labels->len, 1)),
    .open_above = g_hash_table_new_full (sonde_pair_hash, g_int64_equal, g_free, NULL),
  };

  trace->nesting = g_new (SondeTraceNesting, MAX (trace->n_spans, 1));
  g_array_set_clear_func (nesting.lanes, clear_lane);
  sonde_max_tree_init (&nesting.free_until, 1);
  add_lane (&nesting);
  for (guint i = 0; i < trace->threads->len; i++)
    nest_thread (&nesting, &g_array_index (trace->threads, SondeTraceThread, i));
  g_array_unref (nesting.lanes);
  g_array_unref (nesting.ends);
  g_hash_table_unref (nesting.open_above);
  sonde_max_tree_clear (&nesting.free_until);
  g_free (nesting.open_counts);
}
