/* SPDX-License-Identifier: Apache-2.0
 * Weights of an execution: shared until somebody writes one, then its own; and what is made from
 * them before a run. */
#include "engine/plan/execution/sonde-execution-weights.h"

#include "data/base/sonde-spare-memory.h"
#include "engine/plan/execution/sonde-step-meter.h"
#include "engine/plan/execution/sonde-execution-storage.h"

#define LEAST_RETURNED ((gsize) 4 << 20)

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
          block = sonde_device_allocate (device, "weight", sonde_plan_slot (plan, i)->bytes, error);
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

/* ---- what is made from weights ------------------------------------------- */

/* What the kernel of @step makes of weights. */
static gboolean
derive (SondeExecution *execution, const SondePlanStep *step, GError **error)
{
  SondeDevice *device = execution->plan->device;
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autofree const void **inputs = g_new0 (const void *, step->n_input_slots + 1);

  for (guint i = 0; i < step->n_input_slots; i++)
    {
      g_autoptr (SondeValue) value = NULL;
      SondeTensor *tensor;

      if (step->derive_slots[i] == SONDE_NO_SLOT)
        continue;

      value
          = sonde_execution_download (execution, step->derive_slots[i], &execution->storage, error);
      if (value == NULL)
        return FALSE;

      tensor = sonde_tensor_contiguous (sonde_value_get_tensor (value));
      g_ptr_array_add (tensors, tensor);
      inputs[i] = tensor->data;
    }

  return device->klass->derive (device, step->kernel, inputs,
                                (guint8 *) execution->own + step->derived_offset, error);
}

/* By way of plain memory: a device need not know how to come from one blocked layout to another. */
static gboolean
copy_weight (SondeExecution *execution, guint from, guint to, GError **error)
{
  SondeDevice *device = execution->plan->device;
  const SondePlanSlot *target = sonde_plan_slot (execution->plan, to);
  g_autoptr (SondeValue) value
      = sonde_execution_download (execution, from, &execution->storage, error);
  g_autoptr (SondeTensor) plain
      = value != NULL ? sonde_tensor_contiguous (sonde_value_get_tensor (value)) : NULL;

  return plain != NULL
         && device->klass->write_plain (device, &target->value->type, target->layout, plain->data,
                                        execution->storage.memory[to], error);
}

#define LEAST_RETURNED ((gsize) 4 << 20)
#define STACK_POINTERS 64

gboolean
sonde_execution_refresh_weights (SondeExecution *execution, GError **error)
{
  const SondePlan *plan = execution->plan;
  gsize derived = 0;
  guint64 moment;

  if (!execution->weights_written)
    return TRUE;
  moment = sonde_execution_get_moment (execution);

  for (guint i = 0; i < plan->slots->len; i++)
    {
      guint from = sonde_plan_slot (plan, i)->copy_of;

      if (from != SONDE_NO_SLOT && execution->weights[i] == NULL
          && !copy_weight (execution, from, i, error))
        return FALSE;
    }

  for (guint k = 0; k < plan->steps->len; k++)
    {
      const SondePlanStep *step = sonde_plan_step (plan, k);

      if (step->derived_bytes > 0 && !derive (execution, step, error))
        return FALSE;
      derived += step->derived_bytes;
    }

  /* What was made on the way to the weights of the first run would stay beside its values. */
  if (execution->pass == 0 && derived >= LEAST_RETURNED)
    sonde_return_memory (LEAST_RETURNED);
  execution->weights_written = FALSE;
  sonde_execution_add_span (execution, SONDE_SPAN_COPY, "weights", moment, (gint64) derived);
  return TRUE;
}
