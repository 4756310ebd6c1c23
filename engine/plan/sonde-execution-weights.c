/* SPDX-License-Identifier: Apache-2.0
 * Weights of an execution: shared until somebody writes one, then its own. */
#include "engine/plan/sonde-execution-private.h"

/* Slots that show the memory of @root follow it; those that have parted from it for this run do
 * afterwards. */
static void
move_root (SondeExecution *execution, guint root, void *memory)
{
  const SondePlan *plan = execution->plan;

  for (guint i = 0; i < plan->slots->len; i++)
    if (sonde_plan_slot (plan, i)->root == root)
      {
        gboolean parted = execution->placed != NULL && execution->placed[i] != NULL;

        *(parted ? &execution->placed[i] : &execution->storage.memory[i]) = memory;
      }
}

gboolean
sonde_execution_share_weights (SondeExecution *execution, GError **error)
{
  const SondePlan *plan = execution->plan;

  execution->weights = g_new0 (SondeWeight *, plan->slots->len + 1);
  execution->own_weights = g_ptr_array_new ();
  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (!slot->shared)
        continue;

      execution->weights[i] = sonde_weight_store_get (execution->store, slot->value->constant,
                                                      &slot->value->type, slot->layout, error);
      if (execution->weights[i] == NULL)
        return FALSE;

      execution->storage.memory[i] = execution->weights[i]->memory;
      execution->filled[i] = TRUE;
    }

  for (guint i = 0; i < plan->slots->len; i++)
    {
      guint root = sonde_plan_slot (plan, i)->root;

      if (root != i && sonde_plan_slot (plan, root)->shared)
        execution->storage.memory[i] = execution->storage.memory[root];
    }

  return TRUE;
}

gboolean
sonde_execution_own_weights (SondeExecution *execution, guint primary, GError **error)
{
  const SondePlan *plan = execution->plan;
  SondeDevice *device = plan->device;

  for (guint i = primary; i != SONDE_NO_SLOT; i = sonde_plan_slot (plan, i)->next)
    {
      void *block;

      if (execution->weights[i] == NULL)
        continue;

      block = sonde_weight_steal (execution->weights[i]);
      if (block == NULL)
        {
          block = device->klass->allocate (device, sonde_plan_slot (plan, i)->bytes, error);
          if (block == NULL)
            return FALSE;

          sonde_weight_unref (execution->weights[i]);
        }

      execution->weights[i] = NULL;
      g_ptr_array_add (execution->own_weights, block);
      move_root (execution, i, block);
    }

  return TRUE;
}

void
sonde_execution_drop_weights (SondeExecution *execution)
{
  SondeDevice *device = execution->plan->device;

  for (guint i = 0; execution->weights != NULL && i < execution->plan->slots->len; i++)
    sonde_weight_unref (execution->weights[i]);
  for (guint i = 0; execution->own_weights != NULL && i < execution->own_weights->len; i++)
    device->klass->release (device, g_ptr_array_index (execution->own_weights, i));
  g_free (execution->weights);
  g_clear_pointer (&execution->own_weights, g_ptr_array_unref);
}
