/* SPDX-License-Identifier: Apache-2.0
 * A given value keeps a copy; while it is given, its slot and the views of it point to that. What is
 * computed in the memory of a given value is made where it always is: its kernel reads the copy. */
#include "engine/plan/execution/sonde-execution-given.h"

#include <string.h>

/* Updates are left out: theirs is the memory of parameters. */
static gboolean
keep_slot (SondeGivenSteps *given, guint index, GError **error)
{
  SondeExecution *execution = given->execution;
  SondeDevice *device = execution->plan->device;
  const SondePlanSlot *slot = sonde_plan_slot (execution->plan, index);
  SondeGivenResult kept = { .slot = index };

  if (slot->storage == SONDE_STORAGE_BOX)
    kept.box = sonde_value_ref (execution->storage.boxes[index]);
  else if (sonde_plan_slot (execution->plan, slot->root)->storage != SONDE_STORAGE_ARENA
           || slot->source != index || slot->bytes == 0)
    return TRUE;
  else
    {
      kept.memory = device->klass->allocate (device, slot->bytes, error);
      if (kept.memory == NULL)
        return FALSE;
      memcpy (kept.memory, execution->storage.memory[index], slot->bytes);
    }
  g_array_append_val (given->kept, kept);
  return TRUE;
}

/* Runs up to behind @step and keeps what it made. */
static gboolean
keep_step (SondeGivenSteps *given, guint step, GError **error)
{
  const SondePlanStep *planned = sonde_plan_step (given->execution->plan, step);

  if (sonde_execution_run_to (given->execution, step + 1, error) != SONDE_RUN_PAUSED)
    return FALSE;
  given->of_step[step] = 1;
  for (guint k = 0; k < planned->n_output_slots; k++)
    if (planned->output_slots[k] != SONDE_NO_SLOT
        && !keep_slot (given, planned->output_slots[k], error))
      return FALSE;
  return TRUE;
}

SondeGivenSteps *
sonde_given_steps_new (SondeExecution *execution, const guint *steps, guint n, GError **error)
{
  g_autoptr (SondeGivenSteps) given = g_new0 (SondeGivenSteps, 1);
  const SondePlan *plan = execution->plan;

  g_return_val_if_fail (execution->given == NULL && n > 0, NULL);

  given->execution = execution;
  given->of_step = g_new0 (guint8, plan->steps->len + 1);
  given->kept = g_array_new (FALSE, TRUE, sizeof (SondeGivenResult));
  given->usual = g_new0 (void *, plan->slots->len + 1);
  if (!plan->device->klass->host_memory)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "On the device “%s” results cannot be given from memory.",
                       plan->device->klass->name);
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    if (!keep_step (given, steps[i], error))
      return NULL;
  if (sonde_execution_run_to (execution, plan->steps->len, error) != SONDE_RUN_PAUSED
      || sonde_execution_run (execution, error) != SONDE_RUN_DONE)
    return NULL;
  return g_steal_pointer (&given);
}

void
sonde_given_steps_set (SondeGivenSteps *given, gboolean on)
{
  SondeExecution *execution = given->execution;

  g_return_if_fail (execution->state != SONDE_EXECUTION_RUNNING);

  if (given->on == on)
    return;
  given->on = on;
  execution->given = on ? given : NULL;
  for (guint i = 0; i < given->kept->len; i++)
    {
      const SondeGivenResult *kept = &g_array_index (given->kept, SondeGivenResult, i);

      for (guint s = 0; s < execution->plan->slots->len && kept->memory != NULL; s++)
        {
          if (sonde_plan_slot (execution->plan, s)->source != kept->slot)
            continue;
          if (on)
            given->usual[s] = execution->storage.memory[s];
          execution->storage.memory[s] = on ? kept->memory : given->usual[s];
        }
    }
}

void
sonde_given_steps_free (SondeGivenSteps *given)
{
  SondeDevice *device;

  if (given == NULL)
    return;
  device = given->execution->plan->device;
  if (given->on)
    {
      sonde_execution_abandon (given->execution);
      sonde_given_steps_set (given, FALSE);
    }
  for (guint i = 0; i < given->kept->len; i++)
    {
      SondeGivenResult *kept = &g_array_index (given->kept, SondeGivenResult, i);

      if (kept->memory != NULL)
        device->klass->release (device, kept->memory);
      sonde_value_unref (kept->box);
    }
  g_array_unref (given->kept);
  g_free (given->of_step);
  g_free (given->usual);
  g_free (given);
}
