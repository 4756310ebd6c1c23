/* SPDX-License-Identifier: Apache-2.0
 * Sampled stacks: sums over frames, and the tree of who called whom. */
#include "data/traces/sonde-trace-samples.h"

#include "data/base/sonde-checked.h"
#include "data/traces/sonde-trace-texts.h"

/* Frames of a stack that get a place in the tree. */
#define DEPTH_MAX 4096

/* @trace: what is filled
 * @indices: name → index of the frame + 1
 * @last_stacks: guint64: the last stack each frame was counted in
 * @slots: places of the tree by parent and frame, index + 1, 0 is free; open addressing, a power of
 *   two, at most half are taken */
struct _SondeTraceSamples
{
  SondeTrace *trace;
  GHashTable *indices;
  GArray *last_stacks;
  guint64 n_stacks;
  guint32 *slots;
  gsize n_slots;
};

SondeTraceSamples *
sonde_trace_samples_new (SondeTrace *trace)
{
  SondeTraceSamples *samples = g_new0 (SondeTraceSamples, 1);

  samples->trace = trace;
  samples->indices = g_hash_table_new (NULL, NULL);
  samples->last_stacks = g_array_new (FALSE, FALSE, sizeof (guint64));
  return samples;
}

void
sonde_trace_samples_free (SondeTraceSamples *samples)
{
  if (samples == NULL)
    return;
  g_hash_table_unref (samples->indices);
  g_array_unref (samples->last_stacks);
  g_free (samples->slots);
  g_free (samples);
}

static guint32
find_frame (SondeTraceSamples *samples, guint32 name)
{
  gpointer known = g_hash_table_lookup (samples->indices, GUINT_TO_POINTER (name));
  SondeTraceFrame frame = { sonde_trace_texts_get (samples->trace->texts, name), 0, 0 };
  guint64 never = 0;

  if (known != NULL)
    return GPOINTER_TO_UINT (known) - 1;
  g_array_append_val (samples->trace->frames, frame);
  g_array_append_val (samples->last_stacks, never);
  g_hash_table_insert (samples->indices, GUINT_TO_POINTER (name),
                       GUINT_TO_POINTER (samples->trace->frames->len));
  return samples->trace->frames->len - 1;
}

/* Sums of hostile counts stay at the greatest number that JSON can hold. */
static void
add_weight (guint64 *sum, guint64 weight)
{
  if (!sonde_checked_add (sum, *sum, weight) || *sum > G_MAXINT64)
    *sum = G_MAXINT64;
}

/* ---- the tree ------------------------------------------------------------ */

static guint32 *
find_slot (const SondeTraceSamples *samples, guint32 parent, guint32 frame)
{
  guint64 hash = ((guint64) parent << 32 | frame) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  gsize i = (hash ^ hash >> 32) & (samples->n_slots - 1);

  for (;; i = (i + 1) & (samples->n_slots - 1))
    {
      const SondeTraceStack *stack;

      if (samples->slots[i] == 0)
        return &samples->slots[i];
      stack = &g_array_index (samples->trace->stacks, SondeTraceStack, samples->slots[i] - 1);
      if (stack->parent == parent && stack->frame == frame)
        return &samples->slots[i];
    }
}

static void
grow_slots (SondeTraceSamples *samples)
{
  g_free (samples->slots);
  samples->n_slots = MAX (1024, 2 * samples->n_slots);
  samples->slots = g_new0 (guint32, samples->n_slots);
  for (guint i = 0; i < samples->trace->stacks->len; i++)
    {
      const SondeTraceStack *stack = &g_array_index (samples->trace->stacks, SondeTraceStack, i);

      *find_slot (samples, stack->parent, stack->frame) = i + 1;
    }
}

/* Moves @place to @frame called from there. Returns FALSE where there is no more room. */
static gboolean
go_down (SondeTraceSamples *samples, guint32 *place, guint32 frame)
{
  SondeTraceStack stack = { *place, frame, 0 };
  guint32 *slot;

  if (2 * (gsize) (samples->trace->stacks->len + 1) > samples->n_slots)
    grow_slots (samples);
  slot = find_slot (samples, *place, frame);
  if (*slot == 0)
    {
      if (samples->trace->stacks->len >= SONDE_TRACE_STACKS_MAX)
        return FALSE;
      g_array_append_val (samples->trace->stacks, stack);
      *slot = samples->trace->stacks->len;
    }
  *place = *slot - 1;
  return TRUE;
}

/* ---- samples ------------------------------------------------------------- */

static void
count_frame (SondeTraceSamples *samples, guint32 index, guint64 weight, gboolean is_innermost)
{
  SondeTraceFrame *frame = &g_array_index (samples->trace->frames, SondeTraceFrame, index);
  guint64 *last_stack = &g_array_index (samples->last_stacks, guint64, index);

  if (*last_stack != samples->n_stacks)
    add_weight (&frame->total, weight);
  *last_stack = samples->n_stacks;
  if (is_innermost)
    add_weight (&frame->self, weight);
}

void
sonde_trace_samples_add (SondeTraceSamples *samples, const guint32 *frames, gsize n, guint64 weight)
{
  guint32 place = SONDE_TRACE_NONE;
  gboolean has_room = TRUE;

  samples->trace->n_samples++;
  add_weight (&samples->trace->weight, weight);
  samples->n_stacks++;
  for (gsize i = 0; i < n; i++)
    {
      guint32 frame = find_frame (samples, frames[i]);

      count_frame (samples, frame, weight, i == n - 1);
      has_room = has_room && i < DEPTH_MAX && go_down (samples, &place, frame);
    }
  if (place != SONDE_TRACE_NONE)
    add_weight (&g_array_index (samples->trace->stacks, SondeTraceStack, place).weight, weight);
}
