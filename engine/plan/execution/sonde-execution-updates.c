/* SPDX-License-Identifier: Apache-2.0
 * Where updates of parameters and states are made: beside what they replace, which changes places
 * with them when a run is done; or, where the plan allows it and nobody watches, in the same
 * memory. */
#include "engine/plan/execution/sonde-execution-updates.h"

#include <string.h>

void
sonde_execution_exchange_updates (SondeExecution *execution)
{
  const SondePlan *plan = execution->plan;

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (slot->storage == SONDE_STORAGE_UPDATE)
        {
          void *old = execution->storage.memory[slot->partner];

          execution->storage.memory[slot->partner] = execution->storage.memory[i];
          execution->storage.memory[i] = old;
        }
    }
}

/* All weights come home from the spare block, which goes. */
static void
give_up_spare (SondeExecution *execution)
{
  const SondePlan *plan = execution->plan;

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);
      guint8 *home = (guint8 *) execution->own
                     + (slot->in_place ? sonde_plan_slot (plan, slot->partner)->offset : 0);

      if (!slot->in_place)
        continue;
      if (execution->storage.memory[slot->partner] != home)
        memcpy (home, execution->storage.memory[slot->partner], slot->bytes);
      execution->storage.memory[slot->partner] = execution->storage.memory[i] = home;
    }
  sonde_device_release (plan->device, "updates", execution->spare);
  execution->spare = NULL;
}

void
sonde_execution_keep_old (SondeExecution *execution)
{
  const SondePlan *plan = execution->plan;
  SondeDevice *device = plan->device;

  if (plan->spare_bytes == 0 || execution->state != SONDE_EXECUTION_RUNNING)
    return;
  if (execution->spare == NULL)
    execution->spare = sonde_device_allocate (device, "updates", plan->spare_bytes, NULL);

  for (guint i = 0; execution->spare != NULL && i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (slot->in_place && slot->produced_by >= execution->position
          && execution->storage.memory[i] == execution->storage.memory[slot->partner])
        execution->storage.memory[i] = (guint8 *) execution->spare + slot->offset;
    }
}

void
sonde_execution_place_updates (SondeExecution *execution)
{
  if (execution->watched)
    sonde_execution_keep_old (execution);
  else if (execution->spare != NULL)
    give_up_spare (execution);
}

gboolean
sonde_execution_has_lost (const SondeExecution *execution, guint index)
{
  const SondePlanSlot *slot = sonde_plan_slot (execution->plan, index), *update;

  if (slot->storage != SONDE_STORAGE_WEIGHT || slot->partner == SONDE_NO_SLOT
      || execution->state == SONDE_EXECUTION_IDLE)
    return FALSE;
  update = sonde_plan_slot (execution->plan, slot->partner);
  return update->in_place && update->produced_by < execution->position
         && execution->storage.memory[index] == execution->storage.memory[slot->partner];
}

gboolean
sonde_execution_has_updated_in_place (const SondeExecution *execution)
{
  for (guint i = 0; execution->plan->spare_bytes > 0 && i < execution->plan->slots->len; i++)
    if (sonde_execution_has_lost (execution, i))
      return TRUE;
  return FALSE;
}
