/* SPDX-License-Identifier: Apache-2.0
 * Looking at values as they lie. What has to be computed for it is in sonde-execution-recompute.c. */
#include "engine/plan/execution/sonde-execution-read.h"

#include "engine/plan/execution/sonde-execution-recompute.h"
#include "engine/plan/execution/sonde-execution-storage.h"

static gboolean
is_planned (const SondeExecution *execution, const SondeGraphValue *value)
{
  return value->id < execution->plan->graph->values->len
         && g_ptr_array_index (execution->plan->graph->values, value->id) == value;
}

/* After the exchange a parameter's update is the parameter. */
static SondeGraphValue *
resolve (const SondeExecution *execution, SondeGraphValue *value)
{
  return execution->state == SONDE_EXECUTION_DONE && value->update_of != NULL && !value->recorded
             ? value->update_of
             : value;
}

/* The step that makes @value, or SONDE_NEVER. */
static guint
making_step (const SondeExecution *execution, const SondeGraphValue *value)
{
  return value->producer != NULL ? execution->plan->step_of_node[value->producer->id] : SONDE_NEVER;
}

void
sonde_execution_look_ahead (SondeExecution *execution, guint n_nodes)
{
  execution->ahead = n_nodes;
}

/* @value is made inside the step at the position, by a node that is looked ahead at. */
static gboolean
is_ahead (const SondeExecution *execution, const SondeGraphValue *value, guint step)
{
  const SondeStep *info;

  if (execution->ahead == 0 || step != execution->position || execution->sources_written)
    return FALSE;

  info = sonde_plan_get_step (execution->plan, step);
  for (guint i = 0; i < MIN (execution->ahead, info->n_nodes); i++)
    if (info->nodes[i] == value->producer)
      return TRUE;

  return FALSE;
}

gboolean
sonde_execution_is_available (SondeExecution *execution, SondeGraphValue *value)
{
  guint slot, step;

  g_return_val_if_fail (is_planned (execution, value), FALSE);

  if (value->recorded)
    return execution->records != NULL && execution->records->has (execution->records_data, value);

  value = resolve (execution, value);
  slot = execution->plan->slot_of_value[value->id];
  step = making_step (execution, value);
  if (step == SONDE_NEVER)
    return slot != SONDE_NO_SLOT ? sonde_execution_holds (execution, slot)
                                 : value->constant != NULL;
  if (step >= execution->position)
    return is_ahead (execution, value, step);

  return (slot != SONDE_NO_SLOT && sonde_execution_holds (execution, slot))
         || !execution->sources_written;
}

void
sonde_execution_set_records (SondeExecution *execution, const SondeRecords *records, gpointer data)
{
  execution->records = records;
  execution->records_data = data;
}

static SondeValue *
read_recorded (SondeExecution *execution, const SondeGraphValue *value, GError **error)
{
  g_autoptr (SondeTensor) tensor = NULL;

  if (execution->records != NULL)
    tensor = execution->records->read (execution->records_data, value, error);
  else
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
        "Value “%s” was recorded, not computed, and its recording is not available here",
        value->name);
  return tensor != NULL ? sonde_value_new_tensor (tensor) : NULL;
}

static SondeValue *
read_constant (const SondeGraphValue *value, GError **error)
{
  if (value->constant != NULL)
    return sonde_value_ref (value->constant);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Value “%s” cannot be read: no step of this plan produces it", value->name);
  return NULL;
}

static SondeValue *
read_fused (SondeExecution *execution, SondeGraphValue *value, GError **error)
{
  g_autoptr (SondeTensor) tensor = sonde_execution_read_inside (execution, value, error);

  return tensor != NULL ? sonde_value_new_tensor (tensor) : NULL;
}

SondeValue *
sonde_execution_read_value (SondeExecution *execution, SondeGraphValue *value, GError **error)
{
  guint slot, step;

  g_return_val_if_fail (is_planned (execution, value), NULL);

  if (value->recorded)
    return read_recorded (execution, value, error);

  value = resolve (execution, value);
  slot = execution->plan->slot_of_value[value->id];
  step = making_step (execution, value);
  if (step == SONDE_NEVER && (slot == SONDE_NO_SLOT || value->role == SONDE_ROLE_CONSTANT))
    return read_constant (value, error);

  if (step != SONDE_NEVER && is_ahead (execution, value, step))
    return read_fused (execution, value, error);

  if (step != SONDE_NEVER && step >= execution->position)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Value “%s” is not computed yet: step %u (“%s”) produces it, and the run is "
                       "before step %u",
                       value->name, step, sonde_plan_get_step (execution->plan, step)->name,
                       execution->position);
      return NULL;
    }

  if (slot == SONDE_NO_SLOT)
    return read_fused (execution, value, error);

  if (sonde_execution_holds (execution, slot))
    return sonde_execution_download (execution, slot, &execution->storage, error);

  return sonde_execution_read_again (execution, slot, error);
}

SondeTensor *
sonde_execution_read (SondeExecution *execution, SondeGraphValue *value, GError **error)
{
  g_autoptr (SondeValue) content = sonde_execution_read_value (execution, value, error);
  g_autofree char *type = NULL;
  SondeType actual;

  if (content == NULL)
    return NULL;
  if (sonde_value_get_tensor (content) != NULL)
    return sonde_tensor_contiguous (sonde_value_get_tensor (content));

  actual = sonde_type_of_value (content);
  type = sonde_type_to_string (&actual);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Value “%s” is not a tensor but %s; it can only be read as a whole", value->name,
                   type);
  return NULL;
}

void
sonde_execution_get_type (SondeExecution *execution, const SondeGraphValue *value, SondeType *type)
{
  guint slot;

  g_return_if_fail (is_planned (execution, value));

  slot = execution->plan->slot_of_value[value->id];
  *type = value->type;
  if (slot != SONDE_NO_SLOT && execution->storage.boxes[slot] != NULL
      && sonde_execution_holds (execution, slot))
    *type = sonde_type_of_value (execution->storage.boxes[slot]);
}

/* The elements and nothing else, in whatever order: enough for statistics. */
static gboolean
is_dense (const SondePlan *plan, guint index)
{
  const SondePlanSlot *slot = sonde_plan_slot (plan, index);
  const SondeDeviceClass *klass = plan->device->klass;

  if (slot->storage == SONDE_STORAGE_BOX)
    return FALSE;

  return slot->layout == NULL
         || slot->bytes == klass->layout_bytes (plan->device, &slot->value->type, NULL);
}

const void *
sonde_execution_find_elements (SondeExecution *execution, SondeGraphValue *value, guint *slot)
{
  const SondePlan *plan = execution->plan;
  guint index;

  g_return_val_if_fail (is_planned (execution, value), NULL);

  index = plan->slot_of_value[resolve (execution, value)->id];
  if (!plan->device->klass->host_memory || index == SONDE_NO_SLOT
      || !sonde_execution_holds (execution, index) || !is_dense (plan, index))
    return NULL;

  *slot = index;
  return execution->storage.memory[index];
}

gboolean
sonde_execution_read_statistics (SondeExecution *execution, SondeGraphValue *value,
                                 SondeStatistics *statistics, GError **error)
{
  g_autoptr (SondeTensor) tensor = NULL;
  const void *elements;
  guint slot;

  elements = sonde_execution_find_elements (execution, value, &slot);
  if (elements != NULL)
    {
      const SondeType *type = &sonde_plan_slot (execution->plan, slot)->value->type;
      SondeShape shape;

      sonde_type_get_shape (type, &shape);
      sonde_statistics_compute_data (type->dtype, elements, sonde_shape_n_elements (&shape),
                                     statistics);
      return TRUE;
    }

  tensor = sonde_execution_read (execution, value, error);
  if (tensor == NULL)
    return FALSE;

  if (tensor->dtype == SONDE_DTYPE_STRING)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Value “%s” holds strings, which have no statistics", value->name);
      return FALSE;
    }

  sonde_statistics_compute (tensor, statistics);
  return TRUE;
}
