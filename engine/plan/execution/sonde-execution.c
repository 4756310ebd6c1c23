/* SPDX-License-Identifier: Apache-2.0
 * Making an execution and letting it go. The loop is in sonde-execution-run.c, reading and writing
 * in sonde-execution-read.c and -write.c. */
#include "engine/plan/execution/sonde-execution-detach.h"
#include "engine/plan/execution/sonde-execution-inner.h"
#include "engine/plan/execution/sonde-execution-past.h"
#include "engine/plan/execution/sonde-execution-sharing.h"
#include "engine/plan/execution/sonde-run-memory.h"
#include "engine/plan/execution/sonde-step-meter.h"
#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-execution-weights.h"
#include "engine/plan/sonde-run-budget.h"

#include <string.h>

void
sonde_execution_free (SondeExecution *execution)
{
  SondeDevice *device;

  if (execution == NULL)
    return;

  device = execution->plan->device;
  sonde_execution_reattach (execution);
  sonde_execution_forget_past (execution);
  if (execution->arena != NULL)
    device->klass->release (device, execution->arena);
  if (execution->own != NULL)
    device->klass->release (device, execution->own);
  if (execution->spare != NULL)
    device->klass->release (device, execution->spare);
  if (execution->scratch != NULL)
    device->klass->release (device, execution->scratch);
  if (execution->parent != NULL)
    sonde_run_memory_give_back_boxes (execution);
  sonde_execution_free_step_state (execution);
  for (guint i = 0; i < execution->plan->slots->len; i++)
    sonde_value_unref (execution->storage.boxes[i]);
  for (guint i = 0; i < SONDE_MAX_OBSERVERS; i++)
    g_free (execution->wants[i]);
  sonde_execution_drop_weights (execution);
  sonde_weight_store_unref (execution->store);
  g_free (execution->storage.memory);
  g_free (execution->storage.boxes);
  sonde_run_budget_unref (execution->budget);
  g_free (execution->flags);
  g_free (execution->filled);
  g_free (execution->edited);
  g_free (execution->step_ticks);
  g_free (execution->last_ticks);
  sonde_execution_clear_spans (execution);
  sonde_run_memory_free (execution->run_memory);
  sonde_run_notes_free (execution->notes);
  sonde_plan_unref (execution->plan);
  g_free (execution);
}

/* Parameters, constants and defaults of inputs. */
static gboolean
upload (SondeExecution *execution, GError **error)
{
  const SondePlan *plan = execution->plan;
  SondeDevice *device = plan->device;

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);
      g_autoptr (SondeTensor) plain = NULL;
      SondeTensor *tensor;

      if (slot->root != i || slot->produced_by != SONDE_NEVER || slot->copy_of != SONDE_NO_SLOT
          || slot->value->constant == NULL || slot->shared)
        continue;

      execution->filled[i] = TRUE;
      if (slot->storage == SONDE_STORAGE_BOX)
        {
          execution->storage.boxes[i] = sonde_value_ref (slot->value->constant);
          continue;
        }

      tensor = sonde_value_get_tensor (slot->value->constant);
      plain = sonde_tensor_contiguous (tensor);
      if (!device->klass->write_plain (device, &slot->value->type, slot->layout, plain->data,
                                       execution->storage.memory[i], error))
        return FALSE;
    }

  return TRUE;
}

SondeExecution *
sonde_execution_new (SondePlan *plan, GError **error)
{
  SondeWeightStore *store = sonde_weight_store_new (plan->device);
  SondeExecution *execution = sonde_execution_new_sharing (plan, store, error);

  sonde_weight_store_unref (store);
  return execution;
}

SondeExecution *
sonde_execution_new_sharing (SondePlan *plan, SondeWeightStore *store, GError **error)
{
  g_autoptr (SondeExecution) execution = g_new0 (SondeExecution, 1);
  guint n_steps = plan->steps->len;

  execution->plan = sonde_plan_ref (plan);
  execution->root = execution;
  execution->store = sonde_weight_store_ref (store);
  execution->storage.memory = g_new0 (void *, plan->slots->len + 1);
  execution->storage.boxes = g_new0 (SondeValue *, plan->slots->len + 1);
  execution->budget = sonde_run_budget_new ();
  execution->filled = g_malloc0 (plan->slots->len + 1);
  execution->flags = g_malloc (n_steps + 1);
  memset (execution->flags, SONDE_FLAG_INTERRUPT, n_steps + 1);
  execution->weights_written = TRUE;
  if (!sonde_execution_allocate (execution, error) || !upload (execution, error)
      || !sonde_execution_share_weights (execution, error))
    return NULL;

  return g_steal_pointer (&execution);
}

SondeExecution *
sonde_execution_new_inside (SondePlan *plan, SondeExecution *parent, GError **error)
{
  SondeExecution *execution = sonde_execution_new_sharing (plan, parent->store, error);

  if (execution == NULL)
    return NULL;

  execution->parent = parent;
  execution->root = parent->root;
  sonde_run_budget_unref (execution->budget);
  execution->budget = sonde_run_budget_ref (parent->budget);
  return execution;
}

SondePlan *
sonde_execution_get_plan (SondeExecution *execution)
{
  return execution->plan;
}

void
sonde_execution_set_memory_limit (SondeExecution *execution, guint64 bytes)
{
  sonde_run_budget_set_limit (execution->budget, bytes);
}

void
sonde_execution_set_counter (SondeExecution *execution, guint64 seed, guint64 step)
{
  execution->seed = seed;
  execution->counter = step;
}

void
sonde_execution_get_counter (SondeExecution *execution, guint64 *seed, guint64 *step)
{
  gboolean ran = execution->state != SONDE_EXECUTION_IDLE;

  *seed = ran ? execution->run_seed : execution->seed;
  *step = ran ? execution->run_counter : execution->counter;
}

guint
sonde_execution_get_position (const SondeExecution *execution)
{
  return execution->position;
}

gboolean
sonde_execution_is_running (const SondeExecution *execution)
{
  return execution->state == SONDE_EXECUTION_RUNNING;
}

void
sonde_execution_interrupt (SondeExecution *execution)
{
  atomic_fetch_or (&execution->root->mask, SONDE_FLAG_INTERRUPT);
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
  sonde_execution_release_arena (execution);
}
