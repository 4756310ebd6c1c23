/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/writers/sonde-trace-calls.h"

#include "data/base/sonde-checked.h"

/* @slots: calls by parent, thread and name, index + 1, 0 is free; open addressing, a power of two, at
 *   most half are taken
 * @places: of the spans of one thread their call */
typedef struct
{
  GArray *calls;
  guint32 *slots;
  gsize n_slots;
  guint32 *places;
} Tree;

void
sonde_trace_compute_self (const SondeTrace *trace, guint32 thread, gint64 *self_ns)
{
  const SondeTraceThread *t = sonde_trace_get_thread (trace, thread);

  for (guint64 i = 0; i < t->n; i++)
    {
      const SondeTraceSpan *span = &trace->spans[t->first + i];
      guint32 parent = trace->nesting[t->first + i].parent;

      self_ns[i] = span->end_ns - span->start_ns;
      if (parent != SONDE_TRACE_NONE)
        self_ns[parent - t->first] -= self_ns[i];
    }
}

static SondeTraceCall *
get_call (const Tree *tree, guint32 index)
{
  return &g_array_index (tree->calls, SondeTraceCall, index);
}

static guint32 *
find_slot (const Tree *tree, const SondeTraceCall *call)
{
  guint64 hash = ((guint64) call->parent << 32 | call->thread) ^ GPOINTER_TO_SIZE (call->name);
  gsize i;

  hash *= G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  for (i = (hash ^ hash >> 32) & (tree->n_slots - 1);; i = (i + 1) & (tree->n_slots - 1))
    {
      const SondeTraceCall *other;

      if (tree->slots[i] == 0)
        return &tree->slots[i];
      other = get_call (tree, tree->slots[i] - 1);
      /* texts are there once */
      if (other->parent == call->parent && other->thread == call->thread
          && other->name == call->name)
        return &tree->slots[i];
    }
}

static void
grow_slots (Tree *tree)
{
  g_free (tree->slots);
  tree->n_slots = MAX (1024, 2 * tree->n_slots);
  tree->slots = g_new0 (guint32, tree->n_slots);
  for (guint32 i = 0; i < tree->calls->len; i++)
    *find_slot (tree, get_call (tree, i)) = i + 1;
}

static guint32
add_call (Tree *tree, guint32 parent, guint32 thread, const char *name)
{
  SondeTraceCall call = { parent, thread, name, 0, 0 };
  guint32 *slot;

  if (2 * (gsize) (tree->calls->len + 1) > tree->n_slots)
    grow_slots (tree);
  slot = find_slot (tree, &call);
  if (*slot == 0)
    {
      g_array_append_val (tree->calls, call);
      *slot = tree->calls->len;
    }
  return *slot - 1;
}

static void
add_weight (gint64 *sum, gint64 weight)
{
  if (!sonde_checked_add (sum, *sum, weight))
    *sum = G_MAXINT64;
}

static void
add_thread (Tree *tree, const SondeTrace *trace, guint32 thread)
{
  const SondeTraceThread *t = sonde_trace_get_thread (trace, thread);
  g_autofree gint64 *self_ns = g_new (gint64, MAX (t->n, 1));

  sonde_trace_compute_self (trace, thread, self_ns);
  tree->places = g_renew (guint32, tree->places, MAX (t->n, 1));
  for (guint64 i = 0; i < t->n; i++)
    {
      const SondeTraceNesting *nesting = &trace->nesting[t->first + i];
      const SondeTraceLabel *label
          = sonde_trace_get_label (trace, trace->spans[t->first + i].label);
      guint32 parent = nesting->parent == SONDE_TRACE_NONE
                           ? SONDE_TRACE_NONE
                           : tree->places[nesting->parent - t->first];

      tree->places[i] = sonde_trace_get_depth (trace, t->first + i) < SONDE_TRACE_CALLS_DEPTH
                            ? add_call (tree, parent, thread, label->name)
                            : parent;
      get_call (tree, tree->places[i])->n++;
      add_weight (&get_call (tree, tree->places[i])->weight, self_ns[i]);
    }
}

static void
add_samples (Tree *tree, const SondeTrace *trace)
{
  for (guint i = 0; i < trace->stacks->len; i++)
    {
      const SondeTraceStack *stack = &g_array_index (trace->stacks, SondeTraceStack, i);
      SondeTraceCall call = { stack->parent, SONDE_TRACE_NONE,
                              g_array_index (trace->frames, SondeTraceFrame, stack->frame).name, 0,
                              (gint64) stack->weight };

      g_array_append_val (tree->calls, call);
    }
}

GArray *
sonde_trace_list_calls (const SondeTrace *trace)
{
  Tree tree = { .calls = g_array_new (FALSE, FALSE, sizeof (SondeTraceCall)) };

  for (guint32 i = 0; i < trace->threads->len; i++)
    if (sonde_trace_get_thread (trace, i)->n > 0)
      add_thread (&tree, trace, i);
  add_samples (&tree, trace);
  g_free (tree.slots);
  g_free (tree.places);
  return tree.calls;
}
