/* SPDX-License-Identifier: Apache-2.0
 * The memory of an execution: what it always has, what it has only while it runs, and the contents
 * of slots in it. */
#include "engine/plan/execution/sonde-execution-storage.h"

#include "engine/devices/sonde-device-spans.h"
#include "engine/plan/execution/sonde-execution-updates.h"

static gboolean
allocate (SondeExecution *execution, const char *what, gsize bytes, void **memory, GError **error)
{
  if (bytes > 0 && *memory == NULL)
    *memory = sonde_device_allocate (execution->plan->device, what, bytes, error);

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
  if (!allocate (execution, "own values", plan->own_bytes, &execution->own, error)
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

  if (!allocate (execution, "arena", plan->arena_bytes, &execution->arena, error))
    return FALSE;

  if (slept)
    place_slots (execution, FALSE);
  return TRUE;
}

static void
release (SondeExecution *execution, const char *what, void **memory)
{
  if (*memory != NULL)
    sonde_device_release (execution->plan->device, what, *memory);
  *memory = NULL;
}

void
sonde_execution_release_arena (SondeExecution *execution)
{
  release (execution, "arena", &execution->arena);
}

gboolean
sonde_execution_grow_scratch (SondeExecution *execution, gsize bytes, GError **error)
{
  if (bytes <= execution->scratch_bytes)
    return TRUE;

  release (execution, "scratch", &execution->scratch);
  execution->scratch_bytes = 0;
  if (!allocate (execution, "scratch", bytes, &execution->scratch, error))
    return FALSE;
  execution->scratch_bytes = bytes;
  return TRUE;
}

/* ---- contents ------------------------------------------------------------ */

gboolean
sonde_execution_holds (const SondeExecution *execution, guint index)
{
  const SondePlanSlot *slot = sonde_plan_slot (execution->plan, index);

  /* Of a run that is done the parameter is the updated one. */
  if (slot->produced_by == SONDE_NEVER)
    return execution->state == SONDE_EXECUTION_DONE || !sonde_execution_has_lost (execution, index);

  /* A view of an input shows the next run's as soon as that is set. */
  if (execution->sources_written && execution->state != SONDE_EXECUTION_RUNNING
      && sonde_plan_slot (execution->plan, slot->root)->storage != SONDE_STORAGE_ARENA
      && slot->root != index)
    return FALSE;

  return slot->produced_by < execution->position && slot->overwritten_by >= execution->position
         && (execution->lost == NULL || !execution->lost[index])
         && sonde_storage_has (execution->plan, &execution->storage, index);
}

gboolean
sonde_storage_has (const SondePlan *plan, const SondeStorage *storage, guint slot)
{
  return sonde_plan_slot (plan, slot)->storage == SONDE_STORAGE_BOX ? storage->boxes[slot] != NULL
                                                                    : storage->memory[slot] != NULL;
}

SondeValue *
sonde_execution_download (SondeExecution *execution, guint slot, const SondeStorage *storage,
                          GError **error)
{
  SondeDevice *device = execution->plan->device;
  const SondePlanSlot *from = sonde_plan_slot (execution->plan, slot);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape;

  if (from->storage == SONDE_STORAGE_BOX && storage->boxes[slot] != NULL)
    return sonde_value_ref (storage->boxes[slot]);

  if (from->storage == SONDE_STORAGE_BOX)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Value “%s” cannot be read: it has no value yet", from->value->name);
      return NULL;
    }

  if (!device->klass->synchronise (device, error))
    return NULL;

  sonde_type_get_shape (&from->value->type, &shape);
  tensor = sonde_tensor_new (from->value->type.dtype, &shape);
  if (!device->klass->read_plain (device, &from->value->type, from->layout, storage->memory[slot],
                                  tensor->data, error))
    return NULL;

  return sonde_value_new_tensor (tensor);
}
