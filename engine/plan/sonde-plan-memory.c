/* SPDX-License-Identifier: Apache-2.0
 * Lifetimes and offsets. Each root slot of the arena is a box: steps first…last wide, bytes high;
 * the scratch of a step is one as wide as that. Large boxes are placed first, each into the
 * smallest gap among the boxes that live at the same time. */
#include "engine/plan/sonde-arena.h"
#include "engine/plan/sonde-plan-build.h"
#include "engine/plan/sonde-weight-store.h"

#include <string.h>

static gsize
align (const SondePlan *plan, gsize bytes)
{
  gsize alignment = plan->device->klass->alignment;

  return (MAX (bytes, 1) + alignment - 1) / alignment * alignment;
}

/* Uses count for the slot whose content is read, so that a view keeps what it shows. */
static void
find_last_uses (SondePlan *plan)
{
  guint end = plan->steps->len;

  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *slot = sonde_plan_slot (plan, i);

      slot->bytes
          = plan->device->klass->layout_bytes (plan->device, &slot->value->type, slot->layout);
      slot->last_use = slot->produced_by == SONDE_NEVER ? 0 : slot->produced_by;
    }

  for (guint k = 0; k < end; k++)
    for (guint i = 0; i < sonde_plan_step (plan, k)->n_input_slots; i++)
      {
        guint index = sonde_plan_step (plan, k)->input_slots[i];

        if (index != SONDE_NO_SLOT)
          sonde_plan_slot (plan, sonde_plan_slot (plan, index)->source)->last_use = k;
      }

  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (plan->memory == SONDE_MEMORY_KEEP
          || (plan->slot_of_value[slot->value->id] == i && plan->stays[slot->value->id]))
        sonde_plan_slot (plan, slot->source)->last_use = end;
    }
}

/* Input @k is read here for the last time, and no other input shows the same memory in another
 * order: that would be overwritten while it is read. */
static gboolean
may_take_memory (SondePlan *plan, const SondePlanStep *step, guint index, guint k,
                 const SondePlanSlot *output)
{
  const guint slot = step->input_slots[k];
  const SondePlanSlot *input;

  if (slot == SONDE_NO_SLOT)
    return FALSE;

  input = sonde_plan_slot (plan, sonde_plan_slot (plan, slot)->source);
  if (sonde_plan_slot (plan, input->root)->storage != SONDE_STORAGE_ARENA
      || input->last_use != index || input->bytes != output->bytes)
    return FALSE;

  for (guint i = 0; i < step->n_input_slots; i++)
    if (step->input_slots[i] != SONDE_NO_SLOT && step->input_slots[i] != slot
        && sonde_plan_slot (plan, step->input_slots[i])->root == input->root)
      return FALSE;
  return TRUE;
}

static void
place_in_place (SondePlan *plan, guint index)
{
  const SondePlanStep *step = sonde_plan_step (plan, index);
  SondePlanSlot *output;

  if (step->in_place == 0 || step->kind != SONDE_STEP_KERNEL
      || step->in_place_output >= step->n_output_slots
      || step->output_slots[step->in_place_output] == SONDE_NO_SLOT)
    return;

  output = sonde_plan_slot (plan, step->output_slots[step->in_place_output]);
  if (output->storage != SONDE_STORAGE_ARENA)
    return;

  for (guint k = 0; k < MIN (step->n_input_slots, 64); k++)
    if ((step->in_place >> k & 1) != 0 && may_take_memory (plan, step, index, k, output))
      {
        SondePlanSlot *input
            = sonde_plan_slot (plan, sonde_plan_slot (plan, step->input_slots[k])->source);

        output->root = input->root;
        input->overwritten_by = index;
        return;
      }
}

/* Views take the root that their source ended up with. Sources come before their views. */
static void
settle_roots (SondePlan *plan)
{
  for (guint k = 0; k < plan->steps->len; k++)
    {
      const SondePlanStep *step = sonde_plan_step (plan, k);

      if (step->kind == SONDE_STEP_VIEW)
        {
          SondePlanSlot *slot = sonde_plan_slot (plan, step->output_slots[0]);

          slot->root = sonde_plan_slot (plan, slot->source)->root;
        }
      else if (plan->memory == SONDE_MEMORY_PLAN)
        place_in_place (plan, k);
    }
}

static int
compare_boxes (gconstpointer a, gconstpointer b)
{
  const SondeArenaBox *x = a, *y = b;

  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Scratch has the slot that there is none of. */
static GArray *
collect_boxes (SondePlan *plan)
{
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (SondeArenaBox));
  g_autofree guint *last = g_new0 (guint, plan->slots->len + 1);

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      last[slot->root] = MAX (last[slot->root], slot->last_use);
    }

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);
      SondeArenaBox box = {
        .slot = i,
        .first = slot->produced_by,
        .last = last[i],
        .bytes = align (plan, slot->bytes),
      };

      if (slot->root == i && slot->storage == SONDE_STORAGE_ARENA)
        g_array_append_val (boxes, box);
    }

  for (guint k = 0; k < plan->steps->len && plan->memory == SONDE_MEMORY_PLAN; k++)
    {
      const SondePlanStep *step = sonde_plan_step (plan, k);
      SondeArenaBox box = { .slot = plan->slots->len,
                            .first = k,
                            .last = k,
                            .bytes = align (plan, step->workspace_bytes) };

      if (step->workspace_bytes > 0)
        g_array_append_val (boxes, box);
    }

  g_array_sort (boxes, compare_boxes);
  return boxes;
}

/* A root's content is gone at the first step that writes where it lay. @boxes: sorted anew */
static void
find_overwrites (SondePlan *plan, GArray *boxes)
{
  g_autofree guint *gone = g_new (guint, plan->slots->len + 1);

  for (guint i = 0; i <= plan->slots->len; i++)
    gone[i] = SONDE_NEVER;
  sonde_arena_find_overwrites (boxes, gone);

  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *slot = sonde_plan_slot (plan, i);

      slot->overwritten_by = MIN (slot->overwritten_by, gone[slot->root]);
    }

  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *slot = sonde_plan_slot (plan, i);

      slot->overwritten_by = sonde_plan_slot (plan, slot->source)->overwritten_by;
    }
}

static void
place_boxes (SondePlan *plan)
{
  g_autoptr (GArray) boxes = collect_boxes (plan);
  g_autoptr (SondeArena) arena = sonde_arena_new (plan->steps->len + 1);

  for (guint i = 0; i < boxes->len; i++)
    {
      SondeArenaBox *box = &g_array_index (boxes, SondeArenaBox, i);

      if (plan->memory == SONDE_MEMORY_KEEP)
        box->offset = plan->arena_bytes;
      else
        sonde_arena_place (arena, box);

      plan->arena_bytes = MAX (plan->arena_bytes, box->offset + box->bytes);
      if (box->slot < plan->slots->len)
        sonde_plan_slot (plan, box->slot)->offset = box->offset;
      else
        sonde_plan_step (plan, box->first)->workspace_offset = box->offset;
    }

  find_overwrites (plan, boxes);
}

/* Where every value stays, all scratch lies behind them. */
static void
place_scratch (SondePlan *plan)
{
  gsize bytes = 0;

  for (guint k = 0; k < plan->steps->len; k++)
    {
      SondePlanStep *step = sonde_plan_step (plan, k);

      step->workspace_offset = plan->arena_bytes;
      bytes = MAX (bytes, step->workspace_bytes);
    }
  plan->arena_bytes += bytes > 0 ? align (plan, bytes) : 0;
}

/* Weights that no step reads where they lie need no room: the graph holds their bytes, or the
 * execution those that were written since. */
static void
box_unread_weights (SondePlan *plan)
{
  g_autofree gboolean *read = g_new0 (gboolean, plan->slots->len + 1);

  for (guint k = 0; k < plan->steps->len; k++)
    for (guint i = 0; i < sonde_plan_step (plan, k)->n_input_slots; i++)
      if (sonde_plan_step (plan, k)->input_slots[i] != SONDE_NO_SLOT)
        read[sonde_plan_step (plan, k)->input_slots[i]] = TRUE;

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      read[slot->root] = read[slot->root] || (slot->root != i && read[i]);
      if (slot->copy_of != SONDE_NO_SLOT)
        read[slot->copy_of] = TRUE;
    }

  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (slot->storage == SONDE_STORAGE_WEIGHT && slot->root == i && slot->copy_of == SONDE_NO_SLOT
          && slot->partner == SONDE_NO_SLOT && !read[i] && sonde_plan_is_static (plan, slot->value))
        slot->storage = SONDE_STORAGE_BOX;
    }
}

static void
place_derived (SondePlan *plan)
{
  for (guint k = 0; k < plan->steps->len; k++)
    {
      SondePlanStep *step = sonde_plan_step (plan, k);

      if (step->derived_bytes == 0)
        continue;

      step->derived_offset = plan->own_bytes;
      plan->own_bytes += align (plan, step->derived_bytes);
      plan->weight_bytes += step->derived_bytes;
    }
}

/* Weights that no step changes lie where all executions of the model find them. */
static void
share_weights (SondePlan *plan)
{
  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *slot = sonde_plan_slot (plan, i);

      slot->shared = slot->storage == SONDE_STORAGE_WEIGHT && slot->root == i
                     && slot->partner == SONDE_NO_SLOT && slot->value->constant != NULL
                     && sonde_value_get_tensor (slot->value->constant) != NULL
                     && sonde_plan_is_static (plan, slot->value);
      if (slot->shared)
        plan->weight_bytes += slot->bytes;
    }
}

static void
place_own_storage (SondePlan *plan)
{
  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (slot->root != i || slot->storage == SONDE_STORAGE_ARENA
          || slot->storage == SONDE_STORAGE_BOX || slot->shared)
        continue;
      if (slot->in_place)
        {
          slot->offset = plan->spare_bytes;
          plan->spare_bytes += align (plan, slot->bytes);
          continue;
        }

      slot->offset = plan->own_bytes;
      plan->own_bytes += align (plan, slot->bytes);
      if (slot->storage != SONDE_STORAGE_INPUT)
        plan->weight_bytes += slot->bytes;
    }
}

void
sonde_plan_get_memory (const SondePlan *plan, SondePlanMemory *memory)
{
  memory->rests = plan->arena_bytes;
  memory->bytes = memory->rests + plan->own_bytes;
  memory->written = 0;
  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (!slot->shared)
        continue;
      if (!sonde_weight_is_borrowed (plan->device, sonde_value_get_tensor (slot->value->constant),
                                     slot->layout))
        memory->bytes += slot->bytes;
      else if (slot->value->role == SONDE_ROLE_PARAMETER || slot->value->role == SONDE_ROLE_STATE)
        memory->written += slot->bytes;
    }
}

void
sonde_plan_lay_out (SondePlan *plan)
{
  find_last_uses (plan);
  settle_roots (plan);
  place_boxes (plan);
  if (plan->memory == SONDE_MEMORY_KEEP)
    place_scratch (plan);
  box_unread_weights (plan);
  share_weights (plan);
  if (plan->update_in_place)
    sonde_plan_find_in_place (plan);
  place_own_storage (plan);
  place_derived (plan);
}
