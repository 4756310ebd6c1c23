/* SPDX-License-Identifier: Apache-2.0
 * The memory of an execution: what it has always, and what it has only while it runs. */
#include "engine/plan/sonde-execution-private.h"

static gboolean
allocate (SondeExecution *execution, gsize bytes, void **memory, GError **error)
{
  SondeDevice *device = execution->plan->device;

  if (bytes > 0 && *memory == NULL)
    *memory = device->klass->allocate (device, bytes, error);

  return bytes == 0 || *memory != NULL;
}

static void
place_slots (SondeExecution *execution, gboolean all)
{
  const SondePlan *plan = execution->plan;

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);
      const SondePlanSlot *root = sonde_plan_slot (plan, slot->root);

      if (slot->storage == SONDE_STORAGE_BOX || root->shared
          || (root->storage == SONDE_STORAGE_ARENA && execution->arena == NULL))
        continue;
      if (root->storage == SONDE_STORAGE_ARENA)
        execution->storage.memory[i] = (guint8 *) execution->arena + root->offset;
      else if (all && root->in_place)
        execution->storage.memory[i]
            = (guint8 *) execution->own + sonde_plan_slot (plan, root->partner)->offset;
      else if (all)
        execution->storage.memory[i] = (guint8 *) execution->own + root->offset;
    }
}

gboolean
sonde_execution_allocate (SondeExecution *execution, GError **error)
{
  const SondePlan *plan = execution->plan;

  /* Where memory is short, intermediate values wait for the first run: by then the graph may have
   * let go of first values. */
  if (!allocate (execution, plan->own_bytes, &execution->own, error)
      || (!plan->update_in_place && !sonde_execution_wake (execution, error)))
    return FALSE;

  place_slots (execution, TRUE);
  return TRUE;
}

/* Parameters and states may have exchanged their memory since: only what lies in the arena is
 * placed anew. */
gboolean
sonde_execution_wake (SondeExecution *execution, GError **error)
{
  const SondePlan *plan = execution->plan;
  gboolean slept = plan->arena_bytes > 0 && execution->arena == NULL;

  if (!allocate (execution, plan->arena_bytes, &execution->arena, error))
    return FALSE;

  if (slept)
    place_slots (execution, FALSE);
  return TRUE;
}

static void
release (SondeExecution *execution, void **memory)
{
  SondeDevice *device = execution->plan->device;

  if (*memory != NULL)
    device->klass->release (device, *memory);
  *memory = NULL;
}

void
sonde_execution_rest (SondeExecution *execution)
{
  if (execution->state == SONDE_EXECUTION_RUNNING)
    return;

  sonde_execution_reattach (execution);
  sonde_execution_reset_inner (execution);
  execution->state = SONDE_EXECUTION_IDLE;
  execution->position = 0;
  execution->sources_written = TRUE;
  release (execution, &execution->arena);
}

gboolean
sonde_execution_grow_scratch (SondeExecution *execution, gsize bytes, GError **error)
{
  if (bytes <= execution->scratch_bytes)
    return TRUE;

  release (execution, &execution->scratch);
  execution->scratch_bytes = 0;
  if (!allocate (execution, bytes, &execution->scratch, error))
    return FALSE;
  execution->scratch_bytes = bytes;
  return TRUE;
}
