/* SPDX-License-Identifier: Apache-2.0
 * A second execution beside one: where that stands, or what that began with. */
#include "engine/plan/execution/sonde-execution-detach.h"
#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-execution-updates.h"
#include "engine/plan/execution/sonde-execution-weights.h"
#include "engine/plan/execution/sonde-execution-write.h"

#include <string.h>

static gboolean
copy_slot (SondeExecution *to, const SondeExecution *from, guint index, GError **error)
{
  SondeDevice *device = to->plan->device;
  const SondePlanSlot *slot = sonde_plan_slot (to->plan, index);
  g_autoptr (SondeTensor) plain = NULL;
  SondeShape shape;

  if (device->klass->host_memory)
    {
      memcpy (to->storage.memory[index], from->storage.memory[index], slot->bytes);
      return TRUE;
    }

  sonde_type_get_shape (&slot->value->type, &shape);
  plain = sonde_tensor_new (slot->value->type.dtype, &shape);
  return device->klass->read_plain (device, &slot->value->type, slot->layout,
                                    from->storage.memory[index], plain->data, error)
         && device->klass->write_plain (device, &slot->value->type, slot->layout, plain->data,
                                        to->storage.memory[index], error);
}

static gboolean
copy_slots (SondeExecution *to, const SondeExecution *from, GError **error)
{
  const SondePlan *plan = to->plan;

  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (from->storage.boxes[i] != NULL)
        {
          sonde_value_unref (to->storage.boxes[i]);
          to->storage.boxes[i] = sonde_value_ref (from->storage.boxes[i]);
        }
      if (slot->root != i || slot->storage == SONDE_STORAGE_BOX
          || (slot->shared && from->weights[i] != NULL)
          || (slot->storage == SONDE_STORAGE_ARENA && from->arena == NULL))
        continue;
      if (slot->shared && !sonde_execution_own_weights (to, i, error))
        return FALSE;
      if (!copy_slot (to, from, i, error))
        return FALSE;
    }
  return TRUE;
}

/* Where @from keeps both a weight and its update, so does @to; and has all other memory that it
 * has. */
static gboolean
keep_as_well (SondeExecution *to, const SondeExecution *from, GError **error)
{
  const SondePlan *plan = to->plan;
  SondeDevice *device = plan->device;

  if (from->arena != NULL && !sonde_execution_wake (to, error))
    return FALSE;
  if (from->spare == NULL)
    return TRUE;
  to->spare = device->klass->allocate (device, plan->spare_bytes, error);
  for (guint i = 0; to->spare != NULL && i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (slot->in_place && from->storage.memory[i] != from->storage.memory[slot->partner])
        to->storage.memory[i] = (guint8 *) to->spare + slot->offset;
    }
  return to->spare != NULL;
}

SondeExecution *
sonde_execution_branch (SondeExecution *execution, GError **error)
{
  const SondePlan *plan = execution->plan;
  g_autoptr (SondeExecution) branch = sonde_execution_new (execution->plan, error);

  if (branch == NULL || !keep_as_well (branch, execution, error)
      || !copy_slots (branch, execution, error)
      || !sonde_execution_copy_detached (branch, execution, error))
    return NULL;
  branch->weights_written = TRUE;
  if (!sonde_execution_refresh_weights (branch, error))
    return NULL;

  memcpy (branch->filled, execution->filled, plan->slots->len);
  branch->edited
      = execution->edited != NULL ? g_memdup2 (execution->edited, plan->slots->len + 1) : NULL;
  branch->position = execution->position;
  branch->state = execution->state;
  branch->sources_written = execution->sources_written;
  branch->announced = execution->announced;
  branch->ended = execution->ended;
  branch->seed = execution->seed;
  branch->counter = execution->counter;
  branch->run_seed = execution->run_seed;
  branch->run_counter = execution->run_counter;
  return g_steal_pointer (&branch);
}

/* ---- what a run began with ----------------------------------------------- */

/* After the exchange the old parameter lies where the new one was made. */
static SondeValue *
read_source (SondeExecution *execution, guint slot, GError **error)
{
  const SondePlanSlot *wanted = sonde_plan_slot (execution->plan, slot);
  g_autofree void **memory = NULL;
  SondeStorage storage = execution->storage;

  if (sonde_execution_has_lost (execution, slot))
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
          "The content of “%s” at the beginning of the run cannot be read: the run updated it in "
          "place because nothing was observed when it began. Run again to read it.",
          wanted->value->name);
      return NULL;
    }
  if (execution->state == SONDE_EXECUTION_DONE && wanted->partner != SONDE_NO_SLOT
      && wanted->storage == SONDE_STORAGE_WEIGHT)
    {
      memory = g_memdup2 (storage.memory, (execution->plan->slots->len + 1) * sizeof *memory);
      memory[slot] = memory[wanted->partner];
      storage.memory = memory;
    }
  return sonde_execution_download (execution, slot, &storage, error);
}

SondeValue *
sonde_execution_read_source (SondeExecution *execution, SondeGraphValue *value, GError **error)
{
  guint slot = execution->plan->slot_of_value[value->id];

  g_return_val_if_fail (value->producer == NULL, NULL);

  if (slot == SONDE_NO_SLOT || value->role == SONDE_ROLE_CONSTANT)
    return sonde_execution_read_value (execution, value, error);
  if (value->role == SONDE_ROLE_INPUT && !execution->filled[slot])
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Input “%s” has no value yet.", value->name);
      return NULL;
    }
  return read_source (execution, slot, error);
}

gboolean
sonde_execution_is_changed (SondeExecution *execution, const SondeGraphValue *value)
{
  guint slot = execution->plan->slot_of_value[value->id];

  return slot != SONDE_NO_SLOT && value->producer == NULL && value->role != SONDE_ROLE_CONSTANT
         && (!sonde_plan_slot (execution->plan, slot)->shared || execution->weights[slot] == NULL);
}

static gboolean
copy_source (SondeExecution *to, SondeGraphValue *value, SondeExecution *from,
             SondeGraphValue *other, GError **error)
{
  g_autoptr (SondeValue) content = sonde_execution_read_source (from, other, error);
  SondeTensor *tensor = content != NULL ? sonde_value_get_tensor (content) : NULL;
  g_autoptr (SondeTensor) fitting = NULL;

  if (content == NULL)
    return FALSE;
  if (tensor == NULL)
    return value->role == SONDE_ROLE_INPUT ? sonde_execution_fill_input (to, value, content, error)
                                           : TRUE;

  fitting = tensor->dtype == value->type.dtype || value->type.dtype == SONDE_DTYPE_INVALID
                ? sonde_tensor_ref (tensor)
                : sonde_tensor_cast (tensor, value->type.dtype);
  return sonde_execution_write (to, value, fitting, error);
}

static gboolean
copy_sources (SondeExecution *to, SondeExecution *from, gboolean only_inputs, GError **error)
{
  SondeGraph *graph = to->plan->graph;
  gboolean ran = from->state == SONDE_EXECUTION_RUNNING
                 || (from->state != SONDE_EXECUTION_IDLE && !from->sources_written);

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeGraphValue *other = value != NULL && value->producer == NULL
                                   ? sonde_graph_find_value (from->plan->graph, value->name)
                                   : NULL;

      if (other == NULL || other->producer != NULL || value->role == SONDE_ROLE_CONSTANT
          || value->role == SONDE_ROLE_NORMAL || (only_inputs && value->role != SONDE_ROLE_INPUT)
          || to->plan->slot_of_value[i] == SONDE_NO_SLOT
          || from->plan->slot_of_value[other->id] == SONDE_NO_SLOT
          || !from->filled[from->plan->slot_of_value[other->id]])
        continue;
      if (value->constant == other->constant && value->constant != NULL
          && !sonde_execution_is_changed (from, other))
        continue;
      if (!copy_source (to, value, from, other, error))
        return FALSE;
    }

  to->seed = ran ? from->run_seed : from->seed;
  to->counter = ran ? from->run_counter : from->counter;
  return TRUE;
}

gboolean
sonde_execution_copy_sources (SondeExecution *to, SondeExecution *from, GError **error)
{
  return copy_sources (to, from, FALSE, error);
}

gboolean
sonde_execution_copy_inputs (SondeExecution *to, SondeExecution *from, GError **error)
{
  return copy_sources (to, from, TRUE, error);
}
