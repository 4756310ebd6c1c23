/* SPDX-License-Identifier: Apache-2.0
 * Updates that may be made where the parameter or state lies that they replace: nothing reads that
 * any more. */
#include "engine/plan/sonde-plan-build.h"

static gboolean
is_update (const SondeNode *node)
{
  return node->phase == SONDE_PHASE_OPTIMISER;
}

/* Whether something that is no part of the updates reads what they make. */
static gboolean
is_read (const GPtrArray *order)
{
  for (guint i = 0; i < order->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (order, i);

      for (guint k = 0; !is_update (node) && k < node->inputs->len; k++)
        {
          const SondeGraphValue *value = g_ptr_array_index (node->inputs, k);

          if (value != NULL && value->producer != NULL && is_update (value->producer))
            return TRUE;
        }
    }
  return FALSE;
}

void
sonde_plan_defer_updates (GPtrArray *order)
{
  g_autoptr (GPtrArray) updates = g_ptr_array_new ();
  guint n = 0;

  if (is_read (order))
    return;
  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = g_ptr_array_index (order, i);

      if (is_update (node))
        g_ptr_array_add (updates, node);
      else
        order->pdata[n++] = node;
    }
  for (guint i = 0; i < updates->len; i++)
    order->pdata[n++] = updates->pdata[i];
}

/* Step @step makes slot @update and reads @weight: element by element, so that both may be one. */
static gboolean
takes_one_memory (const SondePlanStep *step, guint weight, guint update)
{
  const SondeNode *node = step->info.n_nodes == 1 ? step->info.nodes[0] : NULL;
  const SondeOpClass *klass = node != NULL ? sonde_op_of_node (node) : NULL;
  guint n = 0;

  for (guint i = 0; i < step->n_input_slots; i++)
    n += step->input_slots[i] == weight;
  if (step->kind != SONDE_STEP_KERNEL || n != 1)
    return FALSE;
  return (klass != NULL && (klass->flags & SONDE_OP_UPDATES) != 0)
         || ((step->in_place & 1) != 0 && step->in_place_output == 0
             && step->input_slots[0] == weight && step->output_slots[0] == update);
}

/* The last reader of each slot; SONDE_NEVER: none. */
static guint *
find_last_readers (const SondePlan *plan)
{
  guint *last = g_new (guint, plan->slots->len + 1);

  for (guint i = 0; i < plan->slots->len; i++)
    last[i] = SONDE_NEVER;
  for (guint k = 0; k < plan->steps->len; k++)
    for (guint i = 0; i < sonde_plan_step (plan, k)->n_input_slots; i++)
      if (sonde_plan_step (plan, k)->input_slots[i] != SONDE_NO_SLOT)
        last[sonde_plan_slot (plan, sonde_plan_step (plan, k)->input_slots[i])->root] = k;
  return last;
}

void
sonde_plan_find_in_place (SondePlan *plan)
{
  g_autofree guint *last = find_last_readers (plan);
  g_autofree gboolean *shown = g_new0 (gboolean, plan->slots->len + 1);

  for (guint i = 0; i < plan->slots->len; i++)
    if (sonde_plan_slot (plan, i)->root != i)
      shown[sonde_plan_slot (plan, i)->root] = TRUE;

  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *update = sonde_plan_slot (plan, i);
      const SondePlanSlot *weight = update->storage == SONDE_STORAGE_UPDATE
                                        ? sonde_plan_slot (plan, update->partner)
                                        : NULL;
      guint reader, step = update->produced_by;

      if (weight == NULL || weight->storage != SONDE_STORAGE_WEIGHT || update->root != i
          || weight->root != update->partner || shown[i] || shown[update->partner]
          || update->bytes != weight->bytes || plan->stays[weight->value->id])
        continue;
      reader = last[update->partner];
      update->in_place
          = reader == SONDE_NEVER || reader < step
            || (reader == step
                && takes_one_memory (sonde_plan_step (plan, step), update->partner, i));
    }
}

gboolean
sonde_plan_updates (const SondePlan *plan, const SondeGraphValue *value)
{
  guint slot = plan->slot_of_value[value->id];

  return value->producer == NULL && slot != SONDE_NO_SLOT
         && sonde_plan_slot (plan, slot)->storage == SONDE_STORAGE_WEIGHT
         && sonde_plan_slot (plan, slot)->partner != SONDE_NO_SLOT;
}
