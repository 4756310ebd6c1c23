/* SPDX-License-Identifier: Apache-2.0
 * The split of the thread that drives a step. */
#include "data/profiles/sonde-step-split.h"

#include <string.h>

#include "data/profiles/sonde-intervals.h"
#include "data/profiles/sonde-trace-style.h"

/* ---- what a span is ------------------------------------------------------ */

#define AUTOGRAD "autograd::engine::evaluate_function"

/* In this order; @category: (nullable): any */
typedef struct
{
  const char *category, *prefix;
  SondeStepPart part;
} Rule;

static const Rule rules[] = {
  { NULL, "enumerate(DataLoader)#", SONDE_STEP_PART_DATA_WAIT },
  { NULL, "Optimizer.", SONDE_STEP_PART_OPTIMISER },
  { "cpu_op", "nccl:", SONDE_STEP_PART_COMMUNICATION },
  { "cpu_op", "gloo:", SONDE_STEP_PART_COMMUNICATION },
  { "cpu_op", "c10d::", SONDE_STEP_PART_COMMUNICATION },
  { "cpu_op", AUTOGRAD, SONDE_STEP_PART_BACKWARD },
  { "cpu_op", "", SONDE_STEP_PART_FORWARD },
  { "Node", "", SONDE_STEP_PART_FORWARD },
};

static const Rule own_rules[] = {
  { "op", "", SONDE_STEP_PART_FORWARD },
  { "copy", "", SONDE_STEP_PART_COPY },
  { "data", "", SONDE_STEP_PART_DATA_WAIT },
  { "wait", "", SONDE_STEP_PART_DATA_WAIT },
  { "recording", "", SONDE_STEP_PART_RECORDING },
  { "communication", "", SONDE_STEP_PART_COMMUNICATION },
};

static SondeStepPart
classify (const SondeTraceLabel *label, const Rule *list, guint n)
{
  for (guint i = 0; i < n; i++)
    if ((list[i].category == NULL || strcmp (label->category, list[i].category) == 0)
        && g_str_has_prefix (label->name, list[i].prefix))
      return list[i].part;
  return SONDE_STEP_PART_OTHER;
}

/* (transfer full) (array): of each label the part that its spans are */
static SondeStepPart *
classify_labels (const SondeTrace *trace, const SondeProfileFacts *facts)
{
  const gboolean own = sonde_trace_style_find (trace) == SONDE_TRACE_STYLE_OWN;
  SondeStepPart *parts = g_new (SondeStepPart, trace->labels->len + 1);
  g_autoptr (GHashTable) nodes = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; facts != NULL && i < facts->operators->len; i++)
    {
      SondeOperatorFacts *op = &g_array_index (facts->operators, SondeOperatorFacts, i);

      g_hash_table_insert (nodes, (gpointer) op->node, op);
    }
  for (guint i = 0; i < trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, i);
      const SondeOperatorFacts *op = g_hash_table_lookup (nodes, label->name);

      parts[i] = own ? classify (label, own_rules, G_N_ELEMENTS (own_rules))
                     : classify (label, rules, G_N_ELEMENTS (rules));
      if (own && op != NULL && strcmp (label->category, "op") == 0)
        parts[i] = op->is_copy ? SONDE_STEP_PART_COPY : op->part;
    }
  return parts;
}

static gboolean
is_step (const SondeTraceLabel *label)
{
  return (strcmp (label->category, "user_annotation") == 0
          && g_str_has_prefix (label->name, "ProfilerStep#"))
         || (strcmp (label->category, "Session") == 0 && strcmp (label->name, "model_run") == 0)
         || strcmp (label->category, "step") == 0;
}

static int
compare_steps (gconstpointer a, gconstpointer b, gpointer data)
{
  const SondeTrace *trace = data;
  const SondeTraceSpan *x = &trace->spans[*(const guint32 *) a];
  const SondeTraceSpan *y = &trace->spans[*(const guint32 *) b];

  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

GArray *
sonde_trace_find_steps (const SondeTrace *trace, const SondeStepRange *range)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree gboolean *is = g_new0 (gboolean, trace->labels->len + 1);

  for (guint i = 0; i < trace->labels->len; i++)
    is[i] = is_step (sonde_trace_get_label (trace, i));
  for (guint32 i = 0; i < trace->n_spans; i++)
    if (is[trace->spans[i].label])
      g_array_append_val (steps, i);
  g_array_sort_with_data (steps, compare_steps, (gpointer) trace);
  if (range != NULL)
    {
      g_array_remove_range (steps, 0, MIN (range->first, steps->len));
      g_array_set_size (steps, MIN (range->n, steps->len));
    }
  return steps;
}

/* ---- the split ----------------------------------------------------------- */

/* @parts: of each label
 * @owned: of the thread, when each part owns it: an instant belongs to the outermost classified span
 * @backward: when an autograd function is open on some thread of the process */
typedef struct
{
  const SondeTrace *trace;
  SondeStepPart *parts;
  guint32 thread;
  const char *pid;
  SondeIntervals owned[SONDE_STEP_PART_OTHER];
  SondeIntervals classified, backward, free_backward;
} Splitter;

static void
own_thread (Splitter *splitter)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (splitter->trace, splitter->thread);
  gint64 until = G_MININT64;

  for (guint64 i = thread->first; i < thread->first + thread->n; i++)
    {
      const SondeTraceSpan *span = &splitter->trace->spans[i];
      SondeStepPart part = splitter->parts[span->label];

      if (part == SONDE_STEP_PART_OTHER || span->end_ns <= until)
        continue;
      sonde_intervals_add (&splitter->owned[part], MAX (span->start_ns, until), span->end_ns);
      sonde_intervals_add (&splitter->classified, MAX (span->start_ns, until), span->end_ns);
      until = span->end_ns;
    }
  for (guint part = 0; part < SONDE_STEP_PART_OTHER; part++)
    sonde_intervals_settle (&splitter->owned[part]);
  sonde_intervals_settle (&splitter->classified);
}

static void
find_backward (Splitter *splitter)
{
  const SondeTrace *trace = splitter->trace;

  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];

      /* texts of a trace are there once: equal texts are one pointer */
      if (splitter->parts[span->label] == SONDE_STEP_PART_BACKWARD
          && sonde_trace_get_thread (trace, span->thread)->pid == splitter->pid)
        sonde_intervals_add (&splitter->backward, span->start_ns, span->end_ns);
    }
  sonde_intervals_settle (&splitter->backward);
  sonde_intervals_subtract (&splitter->backward, &splitter->classified, &splitter->free_backward);
}

static void
clear_splitter (Splitter *splitter)
{
  for (guint part = 0; part < SONDE_STEP_PART_OTHER; part++)
    sonde_intervals_clear (&splitter->owned[part]);
  sonde_intervals_clear (&splitter->classified);
  sonde_intervals_clear (&splitter->backward);
  sonde_intervals_clear (&splitter->free_backward);
}

static void
turn_to_thread (Splitter *splitter, guint32 thread)
{
  clear_splitter (splitter);
  for (guint part = 0; part < SONDE_STEP_PART_OTHER; part++)
    sonde_intervals_init (&splitter->owned[part]);
  sonde_intervals_init (&splitter->classified);
  sonde_intervals_init (&splitter->backward);
  sonde_intervals_init (&splitter->free_backward);
  splitter->thread = thread;
  splitter->pid = sonde_trace_get_thread (splitter->trace, thread)->pid;
  own_thread (splitter);
  find_backward (splitter);
}

static void
split_step (Splitter *splitter, const SondeTraceSpan *step, SondeStepSplit *split)
{
  gint64 wall_ns = step->end_ns - step->start_ns, rest_ns = wall_ns, ns;

  if (splitter->thread != step->thread)
    turn_to_thread (splitter, step->thread);
  for (guint part = 0; part < SONDE_STEP_PART_OTHER; part++)
    {
      ns = sonde_intervals_measure (&splitter->owned[part], step->start_ns, step->end_ns);
      split->parts_ns[part] += ns;
      rest_ns -= ns;
    }
  ns = sonde_intervals_measure (&splitter->free_backward, step->start_ns, step->end_ns);
  split->parts_ns[SONDE_STEP_PART_BACKWARD] += ns;
  split->parts_ns[SONDE_STEP_PART_OTHER] += rest_ns - ns;
  split->wall_ns += wall_ns;
  split->n_steps++;
}

void
sonde_step_split_compute_each (const SondeTrace *trace, const GArray *steps,
                               const SondeProfileFacts *facts, SondeStepSplit *splits)
{
  g_autofree SondeStepPart *parts = classify_labels (trace, facts);
  Splitter splitter = { trace, parts, SONDE_TRACE_NONE };

  for (guint i = 0; i < steps->len; i++)
    {
      splits[i] = (SondeStepSplit){ 0 };
      split_step (&splitter, &trace->spans[g_array_index (steps, guint32, i)], &splits[i]);
    }
  clear_splitter (&splitter);
}

void
sonde_step_split_compute (const SondeTrace *trace, const GArray *steps,
                          const SondeProfileFacts *facts, SondeStepSplit *split)
{
  g_autofree SondeStepPart *parts = classify_labels (trace, facts);
  Splitter splitter = { trace, parts, SONDE_TRACE_NONE };

  *split = (SondeStepSplit){ 0 };
  for (guint i = 0; i < steps->len; i++)
    split_step (&splitter, &trace->spans[g_array_index (steps, guint32, i)], split);
  clear_splitter (&splitter);
}
