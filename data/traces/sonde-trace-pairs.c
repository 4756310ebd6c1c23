/* SPDX-License-Identifier: Apache-2.0
 * Begins and ends become spans. */
#include "data/base/sonde-checked.h"
#include "data/traces/sonde-trace-builder-private.h"

/* ---- of threads ---------------------------------------------------------- */

/* A span of the thread that is open: index in builder->spans. @below: the newest open one of the same name
 * under it, plus 1 */
typedef struct
{
  guint span, below;
} Open;

/* @newest: name → place in @open of the newest one with that name, plus 1
 * @late: guint: spans that end with the trace */
typedef struct
{
  SondeTraceBuilder *builder;
  GArray *open; /* Open */
  GHashTable *newest;
  GArray *late;
  guint32 thread;
} Pairing;

static SondeTraceSpan *
get_span (const Pairing *pairing, guint span)
{
  return &g_array_index (pairing->builder->spans, SondeTraceMet, span).span;
}

static gpointer
get_name (const Pairing *pairing, guint span)
{
  guint32 label = get_span (pairing, span)->label;

  return GUINT_TO_POINTER (sonde_trace_builder_get_label_name (pairing->builder, label));
}

/* Its end is not known yet: spans are in the order of their begins, which is nearly that of the trace. */
static void
open_span (Pairing *pairing, guint32 thread, const SondeTraceMark *mark)
{
  SondeTraceMet met = { { mark->at_ns, mark->at_ns, mark->what, thread }, mark->place / 2 };
  Open open = { pairing->builder->spans->len, 0 };

  g_array_append_val (pairing->builder->spans, met);
  open.below
      = GPOINTER_TO_UINT (g_hash_table_lookup (pairing->newest, get_name (pairing, open.span)));
  g_array_append_val (pairing->open, open);
  g_hash_table_insert (pairing->newest, get_name (pairing, open.span),
                       GUINT_TO_POINTER (pairing->open->len));
}

/* Closes the newest open span at @end_ns. */
static void
close_span (Pairing *pairing, gint64 end_ns)
{
  Open open = g_array_index (pairing->open, Open, pairing->open->len - 1);

  g_array_set_size (pairing->open, pairing->open->len - 1);
  g_hash_table_insert (pairing->newest, get_name (pairing, open.span),
                       GUINT_TO_POINTER (open.below));
  get_span (pairing, open.span)->end_ns = end_ns;
}

static void
apply_end (Pairing *pairing, const SondeTraceMark *mark)
{
  guint32 target = pairing->open->len;

  if (mark->what != SONDE_TRACE_NONE)
    target
        = GPOINTER_TO_UINT (g_hash_table_lookup (pairing->newest, GUINT_TO_POINTER (mark->what)));
  if (target == 0)
    {
      sonde_trace_builder_count_reason (pairing->builder, SONDE_TRACE_REASON_UNMATCHED_END);
      return;
    }
  for (; pairing->open->len > target; close_span (pairing, mark->at_ns))
    sonde_trace_builder_count_reason (pairing->builder, SONDE_TRACE_REASON_UNCLOSED);
  close_span (pairing, mark->at_ns);
}

/* What stays open ends with the trace, whose end is not known before all threads are paired. */
static void
leave_open (Pairing *pairing)
{
  for (guint i = 0; i < pairing->open->len; i++)
    {
      g_array_append_val (pairing->late, g_array_index (pairing->open, Open, i).span);
      sonde_trace_builder_count_reason (pairing->builder, SONDE_TRACE_REASON_UNCLOSED);
    }
  g_array_set_size (pairing->open, 0);
  g_hash_table_remove_all (pairing->newest);
}

static void
apply_mark (const SondeTraceMark *mark, gpointer data)
{
  Pairing *pairing = data;

  if (mark->place % 2 == 1)
    open_span (pairing, pairing->thread, mark);
  else
    apply_end (pairing, mark);
}

/* Marks are freed as they are used up. Returns what never ends: indices of spans. */
static GArray *
pair_marks (SondeTraceBuilder *builder)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Open));
  g_autoptr (GHashTable) newest = g_hash_table_new (NULL, NULL);
  Pairing pairing = { builder, open, newest, g_array_new (FALSE, FALSE, sizeof (guint)), 0 };

  for (guint i = 0; i < builder->marks->len; i++)
    {
      g_autoptr (SondeTraceMarks) marks = g_steal_pointer (&g_ptr_array_index (builder->marks, i));

      if (marks == NULL)
        continue;
      pairing.thread = i;
      sonde_trace_marks_drain (marks, apply_mark, &pairing);
      leave_open (&pairing);
    }
  return pairing.late;
}

/* A span of 2⁶³ ns or more is left out. */
static void
drop_endless (SondeTraceBuilder *builder, guint first)
{
  GArray *spans = builder->spans;
  guint n = first;
  gint64 ns;

  for (guint i = first; i < spans->len; i++)
    {
      const SondeTraceMet *met = &g_array_index (spans, SondeTraceMet, i);

      if (sonde_checked_sub (&ns, met->span.end_ns, met->span.start_ns))
        g_array_index (spans, SondeTraceMet, n++) = *met;
      else
        sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_TIME);
    }
  g_array_set_size (spans, n);
}

/* ---- of none ------------------------------------------------------------- */

static int
compare_async (gconstpointer a, gconstpointer b)
{
  const SondeTraceAsyncMark *x = a, *y = b;

  return x->key != y->key       ? SONDE_TRACE_COMPARE (x->key, y->key)
         : x->at_ns != y->at_ns ? SONDE_TRACE_COMPARE (x->at_ns, y->at_ns)
                                : SONDE_TRACE_COMPARE (x->place, y->place);
}

static void
add_async (SondeTraceBuilder *builder, const SondeTraceAsyncMark *begin, gint64 end_ns)
{
  SondeTraceAsync async = { begin->at_ns, end_ns, begin->label, begin->thread };

  g_array_append_val (builder->trace->async, async);
}

/* Of one key; the newest begin ends first. Returns the first mark of the next. */
static guint
pair_key (SondeTraceBuilder *builder, guint first, GArray *open, GArray *late)
{
  const GArray *marks = builder->async;
  guint32 key = g_array_index (marks, SondeTraceAsyncMark, first).key;
  guint i;

  for (i = first; i < marks->len; i++)
    {
      const SondeTraceAsyncMark *mark = &g_array_index (marks, SondeTraceAsyncMark, i);

      if (mark->key != key)
        break;
      if (mark->begins)
        {
          if (open->len > 0)
            sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_DUPLICATE_ID);
          g_array_append_val (open, i);
        }
      else if (open->len == 0)
        sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_UNMATCHED_END);
      else
        {
          guint begin = g_array_index (open, guint, open->len - 1);

          add_async (builder, &g_array_index (marks, SondeTraceAsyncMark, begin), mark->at_ns);
          g_array_set_size (open, open->len - 1);
        }
    }
  g_array_append_vals (late, open->data, open->len);
  g_array_set_size (open, 0);
  return i;
}

/* Returns the begins that never end, as indices. */
static GArray *
pair_async (SondeTraceBuilder *builder)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *late = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_sort (builder->async, compare_async);
  for (guint i = 0; i < builder->async->len;)
    i = pair_key (builder, i, open, late);
  return late;
}

void
sonde_trace_builder_pair (SondeTraceBuilder *builder)
{
  guint first = builder->spans->len;
  g_autoptr (GArray) spans = pair_marks (builder);
  g_autoptr (GArray) async = pair_async (builder);

  /* now the end of the trace is known */
  for (guint i = 0; i < spans->len; i++)
    {
      guint span = g_array_index (spans, guint, i);

      g_array_index (builder->spans, SondeTraceMet, span).span.end_ns = builder->trace->end_ns;
    }
  drop_endless (builder, first);
  for (guint i = 0; i < async->len; i++)
    {
      guint begin = g_array_index (async, guint, i);

      sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_UNCLOSED);
      add_async (builder, &g_array_index (builder->async, SondeTraceAsyncMark, begin),
                 builder->trace->end_ns);
    }
}
