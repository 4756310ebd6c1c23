/* SPDX-License-Identifier: Apache-2.0
 * Slots as lifetimes. Slots of one root hold its memory one after the other, each from the step that
 * makes it to the one before the next is made. */
#include "engine/plan/sonde-plan-lifetimes.h"

#include "engine/plan/sonde-plan-build.h"
#include "engine/plan/sonde-weight-store.h"

static guint
last_step (const SondePlan *plan)
{
  return plan->steps->len > 0 ? plan->steps->len - 1 : 0;
}

/* Steps that read each slot, or a view of it, last. */
static guint *
find_last_readers (const SondePlan *plan)
{
  guint *last = g_new (guint, plan->slots->len + 1);

  for (guint i = 0; i < plan->slots->len; i++)
    last[i] = SONDE_NO_STEP;
  for (guint k = 0; k < plan->steps->len; k++)
    for (guint i = 0; i < sonde_plan_step (plan, k)->n_input_slots; i++)
      {
        guint slot = sonde_plan_step (plan, k)->input_slots[i];

        if (slot != SONDE_NO_SLOT)
          last[slot] = last[sonde_plan_slot (plan, slot)->source] = k;
      }
  return last;
}

/* By slot: those that hold the same memory before and after it; SONDE_NO_SLOT: none. */
typedef struct
{
  guint *last, *before, *after;
} Uses;

static void
find_chains (const SondePlan *plan, Uses *uses)
{
  g_autofree guint *holder = g_new (guint, plan->slots->len + 1);

  for (guint i = 0; i < plan->slots->len; i++)
    uses->before[i] = uses->after[i] = holder[i] = SONDE_NO_SLOT;
  for (guint k = 0; k < plan->steps->len; k++)
    for (guint i = 0; i < sonde_plan_step (plan, k)->n_output_slots; i++)
      {
        guint index = sonde_plan_step (plan, k)->output_slots[i];
        guint root = index != SONDE_NO_SLOT ? sonde_plan_slot (plan, index)->root : SONDE_NO_SLOT;

        if (index == SONDE_NO_SLOT || sonde_plan_slot (plan, index)->source != index)
          continue;
        uses->before[index] = holder[root];
        if (holder[root] != SONDE_NO_SLOT)
          uses->after[holder[root]] = index;
        holder[root] = index;
      }
}

static guint64
align (const SondePlan *plan, gsize bytes)
{
  gsize alignment = plan->device->klass->alignment;

  return (MAX (bytes, 1) + alignment - 1) / alignment * alignment;
}

static void
add_view (const SondePlan *plan, guint index, const Uses *uses, GArray *lifetimes)
{
  const SondePlanSlot *slot = sonde_plan_slot (plan, index);
  guint id = slot->value->id, reader = uses->last[index];
  gboolean stays
      = plan->memory == SONDE_MEMORY_KEEP || (plan->slot_of_value[id] == index && plan->stays[id]);
  SondePlanLifetime lifetime = {
    .room = SONDE_ROOM_ARENA,
    .value = slot->value,
    .shares = sonde_plan_slot (plan, slot->source)->value,
    .made_by = slot->produced_by,
    .last_reader = stays ? SONDE_NO_STEP : reader,
    .from = slot->produced_by,
    .until = stays                     ? last_step (plan)
             : reader == SONDE_NO_STEP ? slot->produced_by
                                       : reader,
    .offset = sonde_plan_slot (plan, slot->root)->offset,
    .slot = index,
  };

  g_array_append_val (lifetimes, lifetime);
}

static void
add_arena (const SondePlan *plan, guint index, const Uses *uses, GArray *lifetimes)
{
  const SondePlanSlot *slot = sonde_plan_slot (plan, index);
  guint before = uses->before[index], after = uses->after[index];
  SondePlanLifetime lifetime = {
    .room = SONDE_ROOM_ARENA,
    .value = slot->value,
    .shares = before != SONDE_NO_SLOT ? sonde_plan_slot (plan, before)->value : NULL,
    .made_by = slot->produced_by,
    .last_reader = slot->last_use >= plan->steps->len ? SONDE_NO_STEP : uses->last[index],
    .from = slot->produced_by,
    .until = after != SONDE_NO_SLOT ? sonde_plan_slot (plan, after)->produced_by - 1
                                    : MIN (slot->last_use, last_step (plan)),
    .offset = sonde_plan_slot (plan, slot->root)->offset,
    .bytes = align (plan, slot->bytes),
    .slot = index,
  };

  g_array_append_val (lifetimes, lifetime);
}

static void
add_own (const SondePlan *plan, guint index, const Uses *uses, GArray *lifetimes)
{
  const SondePlanSlot *slot = sonde_plan_slot (plan, index);
  SondePlanLifetime lifetime = {
    .value = slot->value,
    .made_by = slot->produced_by != SONDE_NEVER ? slot->produced_by : SONDE_NO_STEP,
    .last_reader = uses->last[index],
    .until = last_step (plan),
    .slot = index,
  };

  lifetime.room = slot->storage == SONDE_STORAGE_INPUT    ? SONDE_ROOM_INPUT
                  : slot->storage == SONDE_STORAGE_UPDATE ? SONDE_ROOM_UPDATE
                                                          : SONDE_ROOM_WEIGHT;
  if (slot->shared)
    {
      SondeTensor *tensor = sonde_value_get_tensor (slot->value->constant);
      gboolean trained
          = slot->value->role == SONDE_ROLE_PARAMETER || slot->value->role == SONDE_ROLE_STATE;

      if (!sonde_weight_is_borrowed (plan->device, tensor, slot->layout))
        lifetime.bytes = lifetime.copied = slot->bytes;
      else if (trained)
        lifetime.copied = slot->bytes;
    }
  else if (slot->in_place)
    lifetime.shares = slot->value->update_of;
  else
    lifetime.bytes = lifetime.copied = align (plan, slot->bytes);
  g_array_append_val (lifetimes, lifetime);
}

static void
add_slot (const SondePlan *plan, guint index, const Uses *uses, GArray *lifetimes)
{
  const SondePlanSlot *slot = sonde_plan_slot (plan, index);
  const SondePlanSlot *root = sonde_plan_slot (plan, slot->root);

  if (slot->storage == SONDE_STORAGE_BOX || root->storage == SONDE_STORAGE_BOX)
    return;
  if (slot->source != index)
    add_view (plan, index, uses, lifetimes);
  else if (root->storage == SONDE_STORAGE_ARENA)
    add_arena (plan, index, uses, lifetimes);
  else
    add_own (plan, index, uses, lifetimes);
}

static void
add_step (const SondePlan *plan, guint k, GArray *lifetimes)
{
  const SondePlanStep *step = sonde_plan_step (plan, k);
  SondePlanLifetime lifetime = {
    .made_by = k,
    .last_reader = SONDE_NO_STEP,
    .slot = SONDE_NO_SLOT,
  };

  if (step->workspace_bytes > 0)
    {
      lifetime.room = SONDE_ROOM_SCRATCH;
      lifetime.from = lifetime.until = k;
      lifetime.offset = step->workspace_offset;
      lifetime.bytes = align (plan, step->workspace_bytes);
      g_array_append_val (lifetimes, lifetime);
    }
  if (step->derived_bytes > 0)
    {
      lifetime.room = SONDE_ROOM_DERIVED;
      lifetime.from = 0;
      lifetime.until = last_step (plan);
      lifetime.offset = 0;
      lifetime.bytes = lifetime.copied = align (plan, step->derived_bytes);
      g_array_append_val (lifetimes, lifetime);
    }
}

/* In the order they were added where they begin together. */
static int
compare_lifetimes (gconstpointer a, gconstpointer b)
{
  const SondePlanLifetime *x = a, *y = b;

  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  if (x->room != y->room)
    return x->room < y->room ? -1 : 1;
  return x->slot < y->slot ? -1 : x->slot > y->slot;
}

GArray *
sonde_plan_list_lifetimes (const SondePlan *plan)
{
  GArray *lifetimes = g_array_new (FALSE, FALSE, sizeof (SondePlanLifetime));
  g_autofree guint *last = find_last_readers (plan);
  g_autofree guint *before = g_new (guint, plan->slots->len + 1);
  g_autofree guint *after = g_new (guint, plan->slots->len + 1);
  Uses uses = { last, before, after };

  find_chains (plan, &uses);
  for (guint i = 0; i < plan->slots->len; i++)
    add_slot (plan, i, &uses, lifetimes);
  for (guint k = 0; k < plan->steps->len; k++)
    add_step (plan, k, lifetimes);
  g_array_sort (lifetimes, compare_lifetimes);
  return lifetimes;
}

GArray *
sonde_plan_list_run_values (const SondePlan *plan, const guint64 *slot_bytes)
{
  GArray *lifetimes = g_array_new (FALSE, FALSE, sizeof (SondePlanLifetime));
  g_autofree guint *last = find_last_readers (plan);

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);
      const gboolean given = slot->produced_by == SONDE_NEVER,
                     dies = slot->overwritten_by != SONDE_NEVER && !given;
      SondePlanLifetime lifetime = {
        .room = given ? SONDE_ROOM_INPUT : SONDE_ROOM_ARENA,
        .value = slot->value,
        .made_by = given ? SONDE_NO_STEP : slot->produced_by,
        .last_reader = dies ? last[i] : SONDE_NO_STEP,
        .from = given ? 0 : slot->produced_by,
        .until = dies ? slot->overwritten_by - 1 : SONDE_NO_STEP,
        .bytes = slot_bytes[i],
        .slot = i,
      };

      if (slot->storage == SONDE_STORAGE_BOX)
        g_array_append_val (lifetimes, lifetime);
    }
  return lifetimes;
}
