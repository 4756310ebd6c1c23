/* SPDX-License-Identifier: Apache-2.0
 * Operators from spans. Each label (category and name) that is an operator becomes a row; the rows are summed
 * up here and not taken from the labels, since steps may be left out. */
#include "data/profiles/sonde-profile-operators.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-pair-hash.h"
#include "data/profiles/sonde-rank-test.h"
#include "data/profiles/sonde-trace-style.h"

#define KERNEL_TIME "_kernel_time"
#define CALLS_AT_ONCE (1u << 20) /* whose durations are looked at together */
#define SCOPES "Scope Layer"     /* MindSpore's process that repeats operators under their scopes */

/* ---- which spans are operators ------------------------------------------- */

static gboolean
is_any (const char *text, const char *const *texts)
{
  for (; *texts != NULL; texts++)
    if (strcmp (text, *texts) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_operator (SondeTraceStyle style, const SondeTraceLabel *label)
{
  static const char *const pytorch[] = { "cpu_op", "kernel", "gpu_memcpy", "gpu_memset", NULL };
  static const char *const own[] = { "op", "copy", NULL };

  if (label->n == 0)
    return FALSE;
  switch (style)
    {
    case SONDE_TRACE_STYLE_PYTORCH:
      return is_any (label->category, pytorch);
    case SONDE_TRACE_STYLE_OWN:
      return is_any (label->category, own);
    case SONDE_TRACE_STYLE_ONNXRUNTIME:
      return strcmp (label->category, "Node") == 0 && g_str_has_suffix (label->name, KERNEL_TIME);
    default:
      return TRUE;
    }
}

guint
sonde_profile_count_operators (const SondeTrace *trace)
{
  const SondeTraceStyle style = sonde_trace_style_find (trace);
  guint n = 0;

  for (guint i = 0; i < trace->labels->len; i++)
    n += is_operator (style, sonde_trace_get_label (trace, i));
  return n;
}

/* ---- rows ---------------------------------------------------------------- */

/* @rows: label → operator, or SONDE_TRACE_NONE
 * @skipped: threads that are not looked at
 * @callers: of find_callers(), while calls are added
 * @in_steps: by operator, self time inside steps, as it goes round
 * @durations: of the calls of some operators, one after the other; @filled: of @durations, by operator */
typedef struct
{
  SondeProfile *profile;
  const GArray *times;
  guint32 *rows;
  gboolean *skipped;
  guint8 *callers;
  guint64 *in_steps;
  double *durations;
  gsize *filled;
} Collector;

static SondeProfileOperator *
get_operator (SondeProfile *profile, guint i)
{
  return &g_array_index (profile->operators, SondeProfileOperator, i);
}

/* "Conv2D" of MindSpore's "Default/conv1-Conv2d/Conv2D-op0", where no table beside the trace says it. */
static const char *
make_type (SondeProfile *profile, const char *node)
{
  const char *slash = strrchr (node, '/'), *name = slash != NULL ? slash + 1 : node;
  const char *end = g_strrstr (name, "-op");

  if (end == NULL || end == name || strspn (end + 3, "0123456789") != strlen (end + 3))
    return node;
  return g_string_chunk_insert_len (profile->texts, name, end - name);
}

/* The node that a span is named after; NULL when it is not told. */
static const char *
make_node (SondeProfile *profile, SondeTraceStyle style, const SondeTraceLabel *label)
{
  if (style == SONDE_TRACE_STYLE_ONNXRUNTIME)
    return g_string_chunk_insert_len (profile->texts, label->name,
                                      (gssize) (strlen (label->name) - strlen (KERNEL_TIME)));
  return style == SONDE_TRACE_STYLE_MINDSPORE || style == SONDE_TRACE_STYLE_OWN ? label->name
                                                                                : NULL;
}

static GHashTable *
index_facts (const SondeProfileFacts *facts)
{
  GHashTable *nodes = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; facts != NULL && i < facts->operators->len; i++)
    {
      SondeOperatorFacts *op = &g_array_index (facts->operators, SondeOperatorFacts, i);

      g_hash_table_insert (nodes, (gpointer) op->node, op);
    }
  return nodes;
}

static void
add_operators (Collector *collector)
{
  SondeProfile *profile = collector->profile;
  const SondeTrace *trace = profile->trace;
  const SondeTraceStyle style = sonde_trace_style_find (trace);
  g_autoptr (GHashTable) facts = index_facts (profile->facts);

  collector->rows = g_new (guint32, trace->labels->len + 1);
  for (guint i = 0; i < trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, i);
      SondeProfileOperator op = { .op = label->name, .category = label->category, .label = i };

      collector->rows[i] = SONDE_TRACE_NONE;
      if (!is_operator (style, label))
        continue;
      collector->rows[i] = profile->operators->len;
      op.node = make_node (profile, style, label);
      op.first_ns = G_MAXINT64;
      if (op.node != NULL)
        op.facts = g_hash_table_lookup (facts, op.node);
      if (op.facts != NULL)
        op.op = op.facts->op;
      else if (style == SONDE_TRACE_STYLE_MINDSPORE)
        op.op = make_type (profile, op.node);
      op.step_self_ns = g_new0 (double, profile->n_kept);
      g_array_append_val (profile->operators, op);
    }
}

/* Kernels and allocations of our own recordings are what an operator itself does. */
static gboolean
is_part_of_operator (const SondeTrace *trace, SondeTraceStyle style, const SondeTraceSpan *span)
{
  static const char *const parts[] = { "kernel", "alloc", NULL };

  return style == SONDE_TRACE_STYLE_OWN
         && is_any (sonde_trace_get_label (trace, span->label)->category, parts);
}

/* ---- calls --------------------------------------------------------------- */

/* The step in which @at_ns lies; -1: none */
static int
find_step (const GArray *times, gint64 at_ns)
{
  const SondeStepTime *steps = (const SondeStepTime *) times->data;
  guint low = 0, high = times->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (steps[middle].start_ns <= at_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 && at_ns < steps[low - 1].end_ns ? (int) low - 1 : -1;
}

/* What the producer wrote beside the span of that index; NULL: nothing */
static const SondeTraceOperator *
find_told (const SondeTrace *trace, guint32 span)
{
  guint low = 0, high = trace->operators->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const SondeTraceOperator *op = &g_array_index (trace->operators, SondeTraceOperator, middle);

      if (op->span == span)
        return op;
      if (op->span < span)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

/* Whether the span counts, and (out) in which step it lies. */
static gboolean
is_counted (const Collector *collector, const SondeTraceSpan *span, int *step)
{
  if (collector->rows[span->label] == SONDE_TRACE_NONE || collector->skipped[span->thread])
    return FALSE;
  *step = find_step (collector->times, span->start_ns);
  return *step >= 0 || collector->profile->range.n == 0;
}

/* What an operator has inside it: one that tells operations, one that only tells bytes. */
enum
{
  HAS_PRODUCT = 1 << 0,
  HAS_MOVE = 1 << 1,
};

/* PyTorch's operators call each other: conv2d, convolution, mkldnn_convolution. The innermost one that tells
 * its cost is who has it; what those around it have inside. NULL: none tells any. */
static guint8 *
find_callers (const SondeTrace *trace)
{
  guint8 *callers = NULL;

  for (guint i = 0; i < trace->operators->len; i++)
    {
      const SondeTraceOperator *told = &g_array_index (trace->operators, SondeTraceOperator, i);
      guint32 parent = trace->nesting[told->span].parent;

      const guint8 has = told->flops > 0 ? HAS_PRODUCT : HAS_MOVE;

      if (told->flops <= 0 && told->bytes <= 0)
        continue;
      if (callers == NULL)
        callers = g_new0 (guint8, trace->n_spans);
      for (; parent != SONDE_TRACE_NONE && !(callers[parent] & has);
           parent = trace->nesting[parent].parent)
        callers[parent] |= has;
    }
  return callers;
}

/* What is told of the cost of @span, if that is its own: a product that copies something inside it stays a product.
 * (nullable) */
static const SondeTraceOperator *
find_cost (const Collector *collector, guint32 span)
{
  const SondeTraceOperator *told
      = collector->callers != NULL ? find_told (collector->profile->trace, span) : NULL;

  if (told == NULL)
    return NULL;
  if (told->flops > 0)
    return collector->callers[span] & HAS_PRODUCT ? NULL : told;
  return told->bytes > 0 && collector->callers[span] == 0 ? told : NULL;
}

static void
add_told (const Collector *collector, SondeProfileOperator *op, guint32 span)
{
  const SondeTraceOperator *told = find_told (collector->profile->trace, span);
  const SondeTraceOperator *cost = find_cost (collector, span);

  if (told != NULL && told->type != NULL)
    op->op = told->type;
  if (cost != NULL && cost->flops > 0)
    {
      op->n_told++;
      op->told_flops += cost->flops;
    }
  if (cost != NULL && cost->bytes > 0)
    {
      op->n_moving++;
      op->told_bytes += cost->bytes;
    }
}

/* A call of a span, and its duration as self time. */
static void
add_call (Collector *collector, const SondeTraceSpan *span, int step)
{
  const SondeProfile *profile = collector->profile;
  SondeProfileOperator *op = get_operator (collector->profile, collector->rows[span->label]);

  op->n_calls++;
  op->first_ns = MIN (op->first_ns, span->start_ns);
  if (step >= 0)
    op->mean_calls += 1.0 / profile->n_steps;
  if (op->facts == NULL && profile->trace->operators->len > 0)
    add_told (collector, op, (guint32) (span - profile->trace->spans));
}

/* The self time of calls whose cost is told. */
static void
add_told_self (const Collector *collector, SondeProfileOperator *op, guint32 span, gint64 ns)
{
  const SondeTraceOperator *cost = find_cost (collector, span);

  if (cost != NULL && cost->flops > 0)
    op->told_self_ns = (gint64) ((guint64) op->told_self_ns + (guint64) ns);
  if (cost != NULL && cost->bytes > 0)
    op->moving_self_ns = (gint64) ((guint64) op->moving_self_ns + (guint64) ns);
}

/* Adds to the self time of the operator that @span is a call of; what is inside it takes from that.
 * Sums of hostile times go round, and come back when what is inside is taken off. */
static void
add_self (Collector *collector, const SondeTraceSpan *span, int step, gint64 ns)
{
  const guint32 row = collector->rows[span->label];
  SondeProfileOperator *op = get_operator (collector->profile, row);

  op->self_ns = (gint64) ((guint64) op->self_ns + (guint64) ns);
  if (op->facts == NULL)
    add_told_self (collector, op, (guint32) (span - collector->profile->trace->spans), ns);
  if (step < 0)
    return;
  collector->in_steps[row] += (guint64) ns;
  if (collector->profile->n_kept > 1)
    op->step_self_ns[step] += (double) ns;
}

/* Each span adds what it lasts to itself and takes it from its parent, so that nothing is kept by span. */
static void
add_calls (Collector *collector)
{
  SondeProfile *profile = collector->profile;
  const SondeTrace *trace = profile->trace;
  const SondeTraceStyle style = sonde_trace_style_find (trace);
  int step;

  collector->in_steps = g_new0 (guint64, MAX (profile->operators->len, 1));
  collector->callers = find_callers (trace);
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];
      guint32 parent = trace->nesting[i].parent;
      gint64 ns = span->end_ns - span->start_ns;

      if (is_counted (collector, span, &step))
        {
          add_call (collector, span, step);
          add_self (collector, span, step, ns);
        }
      if (parent != SONDE_TRACE_NONE && !is_part_of_operator (trace, style, span)
          && is_counted (collector, &trace->spans[parent], &step))
        add_self (collector, &trace->spans[parent], step, -ns);
    }
  g_clear_pointer (&collector->callers, g_free);
  for (guint i = 0; i < profile->operators->len; i++)
    {
      SondeProfileOperator *op = get_operator (profile, i);

      op->mean_self_ns = (double) (gint64) collector->in_steps[i] / profile->n_steps;
      if (profile->n_kept == 1)
        op->step_self_ns[0] = op->mean_self_ns;
    }
}

/* ---- total times --------------------------------------------------------- */

/* Where the outermost span of a label that was met last ends, on the lane where it lies. Spans of a lane are
 * inside or beside each other and come by their starts: one that starts before that end is inside. */
typedef struct
{
  guint32 thread;
  gint64 end_ns;
} Outermost;

static Outermost *
get_outermost (GHashTable *others, Outermost *first, const SondeTraceSpan *span, guint32 lane)
{
  guint64 key = (guint64) lane << 32 | span->label;
  Outermost *found;

  if (lane == 0)
    return &first[span->label];
  found = g_hash_table_lookup (others, &key);
  if (found == NULL)
    {
      found = g_new (Outermost, 1);
      *found = (Outermost){ SONDE_TRACE_NONE, 0 };
      g_hash_table_insert (others, g_memdup2 (&key, sizeof key), found);
    }
  return found;
}

static void
add_totals (Collector *collector)
{
  const SondeTrace *trace = collector->profile->trace;
  g_autofree Outermost *first = g_new (Outermost, trace->labels->len + 1);
  g_autoptr (GHashTable) others
      = g_hash_table_new_full (sonde_pair_hash, g_int64_equal, g_free, g_free);

  for (guint i = 0; i < trace->labels->len; i++)
    first[i] = (Outermost){ SONDE_TRACE_NONE, 0 };
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];
      Outermost *outermost;
      int step;

      if (!is_counted (collector, span, &step))
        continue;
      outermost = get_outermost (others, first, span, sonde_trace_get_lane (trace, i));
      if (outermost->thread == span->thread && span->start_ns < outermost->end_ns)
        continue;
      *outermost = (Outermost){ span->thread, span->end_ns };
      get_operator (collector->profile, collector->rows[span->label])->total_ns
          += span->end_ns - span->start_ns;
    }
}

/* ---- durations of calls -------------------------------------------------- */

/* Durations of the calls of operators [@first, @end), operator by operator. */
static void
gather_durations (Collector *collector, guint first, guint end)
{
  const SondeTrace *trace = collector->profile->trace;
  gsize sum = 0;
  int step;

  for (guint i = first; i < end; i++)
    {
      collector->filled[i] = sum;
      sum += get_operator (collector->profile, i)->n_calls;
    }
  collector->durations = g_renew (double, collector->durations, MAX (sum, 1));
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      guint32 row = collector->rows[trace->spans[i].label];

      if (row >= first && row < end && is_counted (collector, &trace->spans[i], &step))
        collector->durations[collector->filled[row]++]
            = (double) (trace->spans[i].end_ns - trace->spans[i].start_ns);
    }
}

/* As many operators at a time as have few calls together: long traces are gone through again rather than
 * kept twice. */
static void
add_quantiles (Collector *collector)
{
  SondeProfile *profile = collector->profile;
  const guint n = profile->operators->len;

  collector->filled = g_new (gsize, MAX (n, 1));
  for (guint first = 0, end; first < n; first = end)
    {
      guint64 n_calls = get_operator (profile, first)->n_calls;

      for (end = first + 1;
           end < n && n_calls + get_operator (profile, end)->n_calls <= CALLS_AT_ONCE; end++)
        n_calls += get_operator (profile, end)->n_calls;
      gather_durations (collector, first, end);
      for (guint i = first; i < end; i++)
        {
          SondeProfileOperator *op = get_operator (profile, i);
          double *own = collector->durations + collector->filled[i] - op->n_calls;

          op->p50_ns = sonde_quantile_take (own, op->n_calls, 0.5);
          op->p95_ns = sonde_quantile_take (own, op->n_calls, 0.95);
        }
    }
}

/* ---- all ----------------------------------------------------------------- */

/* By time, then by when they ran first, so that the order is the same on every machine. */
static int
compare_operators (gconstpointer a, gconstpointer b)
{
  const SondeProfileOperator *x = a, *y = b;

  if (x->mean_self_ns != y->mean_self_ns)
    return (x->mean_self_ns < y->mean_self_ns) - (x->mean_self_ns > y->mean_self_ns);
  if (x->self_ns != y->self_ns)
    return (x->self_ns < y->self_ns) - (x->self_ns > y->self_ns);
  return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

/* Those that have no call in the steps that are looked at. */
static void
remove_silent (SondeProfile *profile)
{
  for (guint i = profile->operators->len; i > 0; i--)
    if (get_operator (profile, i - 1)->n_calls == 0)
      g_array_remove_index_fast (profile->operators, i - 1);
}

gboolean
sonde_profile_is_repeated (const SondeTrace *trace, guint32 thread)
{
  return strcmp (trace->producer, "mindspore") == 0
         && strcmp (sonde_trace_get_thread (trace, thread)->process, SCOPES) == 0;
}

static void
skip_threads (Collector *collector)
{
  const SondeTrace *trace = collector->profile->trace;

  collector->skipped = g_new0 (gboolean, trace->threads->len + 1);
  for (guint i = 0; i < trace->threads->len; i++)
    collector->skipped[i] = sonde_profile_is_repeated (trace, i);
}

void
sonde_profile_collect_operators (SondeProfile *profile, const GArray *times)
{
  Collector collector = { .profile = profile, .times = times };

  add_operators (&collector);
  skip_threads (&collector);
  add_calls (&collector);
  add_totals (&collector);
  add_quantiles (&collector);
  remove_silent (profile);
  g_array_sort (profile->operators, compare_operators);
  g_free (collector.rows);
  g_free (collector.skipped);
  g_free (collector.in_steps);
  g_free (collector.durations);
  g_free (collector.filled);
}
