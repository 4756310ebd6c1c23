/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/plan/execution/sonde-run-memory.h"

#include "data/base/sonde-clock.h"
#include "data/values/sonde-tensor-memory.h"
#include "engine/plan/execution/sonde-execution-inner.h"

#define FIRST_RUNS 8 /* that are counted in any case */
#define LONG_RUN_NS 200000
#define EVERY_RUN 64 /* of short ones */

/**
 * Holders: who holds a buffer, or a value of several
 * @n: how many; @seen: in which count it was met last
 * @bytes: of the buffer
 * @base: (nullable): of a value of several: one with the same places before @first, and that holds them for both, so
 *   that what grows is not looked through again and again
 * @n_based: of how many it is the base; @based: (nullable): the newest of them, while it is there
 */
typedef struct _Holders Holders;
struct _Holders
{
  guint n, seen, n_based;
  guint64 bytes;
  gsize first;
  Holders *base, *based;
};

/* ---- buffers ------------------------------------------------------------------- */

/* What is counted by: of a tensor its buffer, of values of several the value itself, which goes from hand to hand. */
static gconstpointer
get_key (const SondeValue *value)
{
  const SondeTensor *tensor = sonde_value_get_tensor (value);

  return tensor != NULL ? (gconstpointer) tensor->buffer : value;
}

static Holders *
find_holders (const SondeRunMemory *memory, const SondeValue *value)
{
  return value != NULL ? g_hash_table_lookup (memory->holders, get_key (value)) : NULL;
}

/* Of a value of several; 0 of a tensor. */
static gsize
count_places (const SondeValue *value)
{
  return sonde_value_get_tensor (value) == NULL ? sonde_value_get_n_items (value) : 0;
}

static Holders *
add_holders (SondeRunMemory *memory, const SondeValue *value)
{
  Holders *holders = g_slice_new0 (Holders);

  holders->n = 1;
  g_hash_table_insert (memory->holders, (gpointer) get_key (value), holders);
  return holders;
}

static void
take_tensor (SondeRunMemory *memory, const SondeValue *value)
{
  const SondeTensor *tensor = sonde_value_get_tensor (value);
  const guint64 bytes = sonde_tensor_get_held_bytes (tensor);

  /* what is somebody else's does not count */
  if (bytes == 0 || g_hash_table_contains (memory->constants, tensor->buffer))
    return;
  add_holders (memory, value)->bytes = bytes;
  memory->live += bytes;
}

/* Whether @value begins with all that @list holds. */
static gboolean
continues (const SondeValue *value, const SondeValue *list)
{
  const gsize n = sonde_value_get_n_items (list);

  if (n == 0 || n > sonde_value_get_n_items (value))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (sonde_value_get_item (value, i) != sonde_value_get_item (list, i))
      return FALSE;
  return TRUE;
}

static void take_value (SondeRunMemory *memory, const SondeValue *value);

static void
take_list (SondeRunMemory *memory, const SondeValue *value)
{
  Holders *before
      = memory->last_list != NULL ? g_hash_table_lookup (memory->holders, memory->last_list) : NULL;
  Holders *holders = add_holders (memory, value);

  if (before != NULL && continues (value, memory->last_list))
    {
      holders->base = before;
      holders->first = sonde_value_get_n_items (memory->last_list);
      before->based = holders;
      before->n_based++;
    }
  memory->last_list = value;
  for (gsize i = holders->first; i < sonde_value_get_n_items (value); i++)
    take_value (memory, sonde_value_get_item (value, i));
}

static void
take_value (SondeRunMemory *memory, const SondeValue *value)
{
  Holders *holders = find_holders (memory, value);

  if (holders != NULL)
    holders->n++;
  else if (sonde_value_get_tensor (value) != NULL)
    take_tensor (memory, value);
  else if (value != NULL)
    take_list (memory, value);
}

static void give_back_value (SondeRunMemory *memory, const SondeValue *value);

/* Nobody holds the list of @holders any more; @value begins with all of it, up to place @end. */
static void
give_back_list (SondeRunMemory *memory, Holders *holders, const SondeValue *value, gsize end)
{
  while (holders != NULL && holders->n == 0 && holders->n_based == 0)
    {
      Holders *base = holders->base;

      for (gsize i = holders->first; i < end; i++)
        give_back_value (memory, sonde_value_get_item (value, i));
      end = holders->first;
      if (base != NULL)
        {
          base->n_based--;
          base->based = base->based == holders ? NULL : base->based;
        }
      g_slice_free (Holders, holders);
      holders = base;
    }
}

/* What is the base of one list only, and held by nobody, becomes a part of that. */
static void
join_based (Holders *holders)
{
  Holders *based = holders->based;

  based->base = holders->base;
  based->first = holders->first;
  if (holders->base != NULL && holders->base->based == holders)
    holders->base->based = based;
  g_slice_free (Holders, holders);
}

static void
give_back_value (SondeRunMemory *memory, const SondeValue *value)
{
  Holders *holders = find_holders (memory, value);

  if (holders == NULL || --holders->n > 0)
    return;
  g_hash_table_remove (memory->holders, get_key (value));
  memory->last_list = memory->last_list == value ? NULL : memory->last_list;
  if (sonde_value_get_tensor (value) != NULL)
    {
      memory->live -= holders->bytes;
      g_slice_free (Holders, holders);
    }
  else if (holders->n_based == 1 && holders->based != NULL)
    join_based (holders);
  else
    give_back_list (memory, holders, value, sonde_value_get_n_items (value));
}

/* Nobody is in the table for @base and those below it, which go with the last that is based on them. */
static void
free_bases (Holders *base)
{
  while (base != NULL && --base->n_based == 0 && base->n == 0)
    {
      Holders *next = base->base;

      g_slice_free (Holders, base);
      base = next;
    }
}

static gboolean
forget_one (gpointer key, gpointer value, gpointer data)
{
  Holders *holders = value;

  /* it is out of the table now, as those that are held no more; who is based on it frees it */
  holders->n = 0;
  if (holders->n_based == 0)
    {
      free_bases (holders->base);
      g_slice_free (Holders, holders);
    }
  return TRUE;
}

/* Everything, at once: nothing of it is looked at any more. The table keeps its room. */
static void
forget_holders (SondeRunMemory *memory)
{
  g_hash_table_foreach_remove (memory->holders, forget_one, NULL);
  memory->last_list = NULL;
  memory->live = 0;
}

void
sonde_run_memory_touch (SondeRunMemory *memory, guint64 bytes)
{
  if (memory == NULL)
    return;
  memory->step_most = MAX (memory->step_most, memory->live + bytes);
  memory->most = MAX (memory->most, memory->step_most);
}

guint64
sonde_run_memory_take (SondeRunMemory *memory, const SondeValue *value)
{
  guint64 before;

  if (memory == NULL || value == NULL)
    return 0;
  before = memory->live;
  take_value (memory, value);
  sonde_run_memory_touch (memory, 0);
  return memory->live - before;
}

void
sonde_run_memory_give_back (SondeRunMemory *memory, const SondeValue *value)
{
  if (memory != NULL)
    give_back_value (memory, value);
}

void
sonde_run_memory_add (SondeRunMemory *memory, gint64 bytes)
{
  if (memory == NULL)
    return;
  memory->live = (guint64) ((gint64) memory->live + bytes);
  sonde_run_memory_touch (memory, 0);
}

void
sonde_run_memory_begin_count (SondeRunMemory *memory)
{
  memory->n_counts++;
}

guint64
sonde_run_memory_count (const SondeRunMemory *memory, const SondeValue *value)
{
  Holders *holders = find_holders (memory, value);
  guint64 bytes;

  if (holders == NULL || holders->seen == memory->n_counts)
    return 0;
  holders->seen = memory->n_counts;
  bytes = holders->bytes;
  for (gsize i = 0; i < count_places (value); i++)
    bytes += sonde_run_memory_count (memory, sonde_value_get_item (value, i));
  return bytes;
}

/* What @value holds and nobody else does. */
static guint64
count_own (const SondeRunMemory *memory, const SondeValue *value)
{
  const Holders *holders = find_holders (memory, value);
  guint64 bytes;

  if (holders == NULL || holders->n > 1)
    return 0;
  bytes = holders->bytes;
  for (gsize i = 0; i < count_places (value); i++)
    bytes += count_own (memory, sonde_value_get_item (value, i));
  return bytes;
}

/* ---- boxes ---------------------------------------------------------------------- */

static void
take_boxes (SondeExecution *execution, gpointer data)
{
  SondeRunMemory *memory = data;

  for (guint i = 0; i < execution->plan->slots->len; i++)
    sonde_run_memory_take (memory, execution->storage.boxes[i]);
  sonde_execution_foreach_inner (execution, take_boxes, memory);
}

void
sonde_run_memory_give_back_boxes (SondeExecution *execution)
{
  SondeRunMemory *memory = sonde_run_memory_get (execution);

  for (guint i = 0; memory != NULL && i < execution->plan->slots->len; i++)
    sonde_run_memory_give_back (memory, execution->storage.boxes[i]);
}

/* ---- runs ----------------------------------------------------------------------- */

static void
add_constants (GHashTable *set, const SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      const SondeTensor *tensor = value != NULL && value->constant != NULL
                                      ? sonde_value_get_tensor (value->constant)
                                      : NULL;

      if (tensor != NULL)
        g_hash_table_add (set, tensor->buffer);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      for (guint k = 0; node != NULL && k < node->attributes->len; k++)
        {
          const SondeAttribute *attribute = g_ptr_array_index (node->attributes, k);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
            add_constants (set, attribute->u.graph);
        }
    }
}

static SondeRunMemory *
run_memory_new (const SondeGraph *graph)
{
  SondeRunMemory *memory = g_new0 (SondeRunMemory, 1);

  memory->constants = g_hash_table_new (NULL, NULL);
  memory->holders = g_hash_table_new (NULL, NULL);
  add_constants (memory->constants, graph);
  return memory;
}

void
sonde_run_memory_free (SondeRunMemory *memory)
{
  if (memory == NULL)
    return;
  forget_holders (memory);
  g_hash_table_unref (memory->constants);
  g_hash_table_unref (memory->holders);
  sonde_run_notes_free (memory->best);
  g_free (memory);
}

static gboolean
allocates_in_run (const SondePlan *plan)
{
  for (guint k = 0; k < plan->steps->len; k++)
    if (sonde_plan_step (plan, k)->kind >= SONDE_STEP_DEFERRED)
      return TRUE;
  return FALSE;
}

/* Notes of what @execution begins: those that are there are written over. */
static void
renew_notes (SondeExecution *execution)
{
  if (execution->notes != NULL && execution->notes->plan != execution->plan)
    g_clear_pointer (&execution->notes, sonde_run_notes_free);
  if (execution->notes == NULL)
    execution->notes = sonde_run_notes_new (execution->plan);
  else
    sonde_run_notes_reset (execution->notes);
}

/* Inputs are held by the execution from before the run on. */
static void
note_inputs (SondeRunMemory *memory, SondeExecution *execution)
{
  for (guint i = 0; i < execution->plan->slots->len; i++)
    if (sonde_plan_slot (execution->plan, i)->produced_by == SONDE_NEVER)
      execution->notes->slot_bytes[i] = sonde_run_memory_take (memory, execution->storage.boxes[i]);
}

static void
begin_counting (SondeRunMemory *memory, SondeExecution *execution)
{
  memory->active = TRUE;
  forget_holders (memory);
  memory->most = memory->step_most = 0;
  renew_notes (execution);
  note_inputs (memory, execution);
  sonde_execution_foreach_inner (execution, take_boxes, memory);
}

/* Counting may take a microsecond: much of a short run, nothing of a long one. */
static gboolean
is_counted (SondeRunMemory *memory)
{
  guint64 run = memory->n_runs++;

  return run < FIRST_RUNS || memory->took_ns >= LONG_RUN_NS || run % EVERY_RUN == 0;
}

void
sonde_run_memory_begin (SondeExecution *execution)
{
  const gboolean wanted = sonde_span_log_enter (execution->spans) != NULL;

  if (execution->run_memory == NULL && (!wanted || !allocates_in_run (execution->plan)))
    return;
  if (execution->run_memory == NULL)
    execution->run_memory = run_memory_new (execution->plan->graph);
  if (wanted && !execution->run_memory->was_wanted)
    {
      g_clear_pointer (&execution->run_memory->best, sonde_run_notes_free);
      execution->run_memory->n_runs = 0;
    }
  execution->run_memory->was_wanted = wanted;
  execution->run_memory->active = FALSE;
  if (!wanted || !is_counted (execution->run_memory))
    return;
  execution->run_memory->began_ns = sonde_clock_monotonic_ns (NULL);
  begin_counting (execution->run_memory, execution);
}

void
sonde_run_memory_end (SondeExecution *execution, gboolean done)
{
  SondeRunMemory *memory = sonde_run_memory_get (execution);

  if (memory == NULL)
    return;
  memory->active = FALSE;
  memory->took_ns = sonde_clock_monotonic_ns (NULL) - memory->began_ns;
  execution->notes->most = memory->most;
  if (done && (memory->best == NULL || memory->best->most < memory->most))
    {
      SondeRunNotes *other = memory->best;

      memory->best = execution->notes;
      execution->notes = other;
    }
}

/* ---- steps and bodies ------------------------------------------------------------ */

void
sonde_run_memory_end_step (SondeRunMemory *memory, SondeExecution *execution, guint index)
{
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);

  if (memory == NULL)
    return;
  for (guint k = 0; k < step->n_output_slots; k++)
    {
      guint slot = step->output_slots[k];

      if (slot != SONDE_NO_SLOT && execution->storage.boxes[slot] != NULL)
        execution->notes->slot_bytes[slot]
            = sonde_run_memory_take (memory, execution->storage.boxes[slot]);
    }
  execution->notes->step_bytes[index] = memory->step_most;
}

/* What each box of @body holds, into @bytes, beside what was counted since the count began. */
static void
count_boxes (SondeRunMemory *memory, const SondeExecution *body, guint64 *bytes)
{
  for (guint i = 0; i < body->plan->slots->len; i++)
    if (body->storage.boxes[i] != NULL)
      bytes[i] = sonde_run_memory_count (memory, body->storage.boxes[i]);
}

void
sonde_run_memory_settle_step (SondeRunMemory *memory, SondeExecution *execution, guint index,
                              const SondeExecution *body)
{
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);
  SondeBodyNotes *notes;
  SondeRunNotes *run;

  if (memory == NULL)
    return;
  notes = sonde_run_notes_get_body (execution->notes, index);
  run = body != NULL && notes->n_runs > 0 && notes->run->plan == body->plan ? notes->run : NULL;
  sonde_run_memory_begin_count (memory);
  if (run != NULL)
    count_boxes (memory, body, run->held_bytes);
  sonde_run_memory_begin_count (memory);
  for (guint k = 0; k < step->n_output_slots; k++)
    {
      guint slot = step->output_slots[k];

      if (slot != SONDE_NO_SLOT && execution->storage.boxes[slot] != NULL)
        execution->notes->slot_bytes[slot]
            = sonde_run_memory_count (memory, execution->storage.boxes[slot]);
    }
  if (run != NULL)
    count_boxes (memory, body, run->left_bytes);
}

void
sonde_run_memory_begin_body (SondeRunMemory *memory, SondeExecution *body)
{
  renew_notes (body);
  for (guint i = 0; i < body->plan->slots->len; i++) /* inputs were taken when they were set */
    if (body->storage.boxes[i] != NULL)
      body->notes->slot_bytes[i] = count_own (memory, body->storage.boxes[i]);
  body->outer_most = memory->most;
  memory->most = memory->live;
}

gboolean
sonde_run_memory_end_body (SondeRunMemory *memory, SondeExecution *body, guint step)
{
  SondeBodyNotes *all = sonde_run_notes_get_body (body->parent->notes, step);
  const guint n_steps = body->plan->steps->len;
  SondeRunNotes *other = all->run;
  const guint64 most = memory->most;
  const gboolean greatest = all->n_runs == 0 || most > all->most;

  /* its results are read while what its last step left is there */
  if (n_steps > 0)
    body->notes->step_bytes[n_steps - 1]
        = MAX (body->notes->step_bytes[n_steps - 1], memory->step_most);
  body->notes->most = most;
  memory->most = MAX (most, body->outer_most);
  all->name = body->body_name;
  all->least = all->n_runs == 0 ? most : MIN (all->least, most);
  all->n_runs++;
  if (!greatest)
    return FALSE;
  all->most = most;
  all->shown = all->n_runs - 1;
  all->run = body->notes;
  body->notes = other;
  return TRUE;
}
