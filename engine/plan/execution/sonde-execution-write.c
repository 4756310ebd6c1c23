/* SPDX-License-Identifier: Apache-2.0
 * Writing: inputs of a run, parameters, and values of a paused run. */
#include "engine/plan/execution/sonde-execution-write.h"

#include "engine/plan/execution/sonde-execution-detach.h"
#include "engine/plan/execution/sonde-execution-past.h"
#include "engine/plan/execution/sonde-run-memory.h"
#include "engine/plan/execution/sonde-step-meter.h"
#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-execution-updates.h"
#include "engine/plan/execution/sonde-execution-weights.h"

/* Sizes that the plan does not know may be any. */
static gboolean
fits (const SondeType *planned, const SondeType *given)
{
  if (planned->kind == SONDE_VALUE_NONE)
    return TRUE;
  if (planned->kind != given->kind
      || (planned->dtype != SONDE_DTYPE_INVALID && given->dtype != SONDE_DTYPE_INVALID
          && planned->dtype != given->dtype))
    return FALSE;
  if (planned->kind != SONDE_VALUE_TENSOR || planned->rank < 0)
    return TRUE;
  if (planned->rank != given->rank)
    return FALSE;

  for (int d = 0; d < planned->rank; d++)
    if (planned->dims[d].size >= 0 && planned->dims[d].size != given->dims[d].size)
      return FALSE;

  return TRUE;
}

static gboolean
check_type (const SondeGraphValue *value, const SondeType *given, GError **error)
{
  g_autofree char *given_text = NULL, *wanted_text = NULL;

  if (fits (&value->type, given))
    return TRUE;

  given_text = sonde_type_to_string (given);
  wanted_text = sonde_type_to_string (&value->type);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "Value “%s” is planned as %s, but %s was given.", value->name, wanted_text,
                   given_text);
  return FALSE;
}

/* Box @slot holds @value (transfer full) from now on. */
static void
put_into_box (SondeExecution *execution, guint slot, SondeValue *value)
{
  SondeRunMemory *memory = sonde_run_memory_get (execution);

  sonde_run_memory_take (memory, value);
  sonde_run_memory_give_back (memory, execution->storage.boxes[slot]);
  sonde_value_unref (execution->storage.boxes[slot]);
  execution->storage.boxes[slot] = value;
  execution->filled[slot] = TRUE;
}

static gboolean
write_slot (SondeExecution *execution, guint slot, SondeTensor *tensor, GError **error)
{
  SondeDevice *device = execution->plan->device;
  const SondePlanSlot *to = sonde_plan_slot (execution->plan, slot);
  g_autoptr (SondeTensor) plain = NULL;

  if (to->storage == SONDE_STORAGE_BOX)
    {
      plain = sonde_tensor_copy (tensor);
      put_into_box (execution, slot, sonde_value_new_tensor (plain));
      return TRUE;
    }

  plain = sonde_tensor_contiguous (tensor);
  if (!device->klass->write_plain (device, &to->value->type, to->layout, plain->data,
                                   execution->storage.memory[slot], error))
    return FALSE;

  execution->filled[slot] = TRUE;
  return TRUE;
}

static gboolean
unknown_input (const SondePlan *plan, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < plan->graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (plan->graph->inputs, i);

      g_string_append_printf (names, "%s“%s”", i > 0 ? ", " : "", input->name);
    }

  if (names->len > 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "The graph has no input “%s”; its inputs are %s.", name, names->str);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "The graph has no input “%s”; it has no inputs at all.", name);
  return FALSE;
}

/* What an optional input may hold stands for an optional that holds it. */
static SondeValue *
as_declared (const SondeGraphValue *input, SondeValue *value)
{
  SondeValueKind kind = sonde_value_get_kind (value);

  if (kind == SONDE_VALUE_NONE
      || (input->type.kind == SONDE_VALUE_OPTIONAL && kind != SONDE_VALUE_OPTIONAL))
    return sonde_value_new_optional (value);

  return sonde_value_ref (value);
}

gboolean
sonde_execution_fill_input (SondeExecution *execution, const SondeGraphValue *input,
                            SondeValue *value, GError **error)
{
  guint slot = execution->plan->slot_of_value[input->id];
  g_autoptr (SondeValue) given = as_declared (input, value);
  SondeType type = sonde_type_of_value (given);

  if (!check_type (input, &type, error))
    return FALSE;

  execution->sources_written = TRUE;
  if (sonde_plan_slot (execution->plan, slot)->storage != SONDE_STORAGE_BOX)
    return write_slot (execution, slot, sonde_value_get_tensor (given), error);

  put_into_box (execution, slot, g_steal_pointer (&given));
  return TRUE;
}

gboolean
sonde_execution_set_input_value (SondeExecution *execution, const char *name, SondeValue *value,
                                 GError **error)
{
  const SondePlan *plan = execution->plan;

  g_return_val_if_fail (name != NULL, FALSE);

  for (guint i = 0; i < plan->graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (plan->graph->inputs, i);

      if (g_str_equal (input->name, name))
        return sonde_execution_fill_input (execution, input, value, error);
    }

  return unknown_input (plan, name, error);
}

gboolean
sonde_execution_set_input (SondeExecution *execution, const char *name, SondeTensor *tensor,
                           GError **error)
{
  g_autoptr (SondeTensor) kept = NULL;
  g_autoptr (SondeValue) value = NULL;
  guint64 moment = sonde_execution_get_moment (execution);
  gboolean good;

  g_return_val_if_fail (tensor != NULL, FALSE);

  /* Numbers are copied into the memory of the input, strings are kept as they are. */
  kept = tensor->dtype == SONDE_DTYPE_STRING ? sonde_tensor_copy (tensor)
                                             : sonde_tensor_ref (tensor);
  value = sonde_value_new_tensor (kept);
  good = sonde_execution_set_input_value (execution, name, value, error);
  sonde_execution_add_span (execution, SONDE_SPAN_COPY, name, moment,
                            (gint64) sonde_tensor_n_bytes (tensor));
  return good;
}

static gboolean
refuse (const SondeGraphValue *value, const char *why, GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Value “%s” cannot be written: %-s.", value->name, why);
  return FALSE;
}

/* Parameters, state and inputs. */
static gboolean
put_source (SondeExecution *execution, guint slot, SondeTensor *tensor, GError **error)
{
  if (!sonde_execution_detach (execution, slot, error)
      || !sonde_execution_own_weights (execution, slot, error)
      || !write_slot (execution, slot, tensor, error))
    return FALSE;

  execution->weights_written = execution->sources_written = TRUE;
  execution->n_writes++;
  return execution->state != SONDE_EXECUTION_RUNNING
         || sonde_execution_refresh_weights (execution, error);
}

/* Reordered copies of @value that were made already follow it. */
static gboolean
write_variants (SondeExecution *execution, guint primary, SondeTensor *tensor, GError **error)
{
  const SondePlan *plan = execution->plan;

  for (guint i = primary; i != SONDE_NO_SLOT; i = sonde_plan_slot (plan, i)->next)
    if (sonde_execution_holds (execution, i))
      {
        if (!write_slot (execution, i, tensor, error))
          return FALSE;

        if (execution->edited == NULL)
          execution->edited = g_new0 (guint8, plan->slots->len + 1);
        execution->edited[i] = TRUE;
      }

  return TRUE;
}

gboolean
sonde_execution_put (SondeExecution *execution, SondeGraphValue *value, SondeTensor *tensor,
                     GError **error)
{
  guint slot = execution->plan->slot_of_value[value->id];

  if (value->producer == NULL)
    return put_source (execution, slot, tensor, error);
  return sonde_execution_detach (execution, slot, error)
         && write_variants (execution, slot, tensor, error);
}

static gboolean
check_source (const SondeExecution *execution, const SondeGraphValue *value, guint slot,
              GError **error)
{
  if (slot == SONDE_NO_SLOT)
    return refuse (value, N_ ("no step of this plan reads it"), error);
  if (execution->state == SONDE_EXECUTION_RUNNING && sonde_execution_has_lost (execution, slot))
    return refuse (value, N_ ("this run has already updated it in place"), error);
  return value->role != SONDE_ROLE_CONSTANT || refuse (value, N_ ("it is a constant"), error);
}

static gboolean
check_computed (const SondeExecution *execution, const SondeGraphValue *value, guint slot,
                GError **error)
{
  if (execution->state != SONDE_EXECUTION_RUNNING)
    return refuse (value, N_ ("it is computed by a node, and no run is paused"), error);
  if (slot == SONDE_NO_SLOT)
    return refuse (value, N_ ("it lies inside a fused step; plan without fusion to write it"),
                   error);
  if (sonde_plan_slot (execution->plan, slot)->produced_by >= execution->position)
    return refuse (value, N_ ("it has not been computed yet and would be overwritten"), error);
  return sonde_execution_holds (execution, slot)
         || refuse (value, N_ ("its memory has been reused"), error);
}

gboolean
sonde_execution_write (SondeExecution *execution, SondeGraphValue *value, SondeTensor *tensor,
                       GError **error)
{
  SondeType type;
  guint slot;

  g_return_val_if_fail (value != NULL && tensor != NULL, FALSE);

  type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  if (!check_type (value, &type, error))
    return FALSE;

  slot = execution->plan->slot_of_value[value->id];
  return (value->producer == NULL ? check_source (execution, value, slot, error)
                                  : check_computed (execution, value, slot, error))
         && sonde_execution_note_edit (execution, value, slot, tensor, error)
         && sonde_execution_put (execution, value, tensor, error);
}

static gboolean
share (SondeExecution *to, SondeExecution *from, gboolean all, GError **error)
{
  SondeGraph *graph = to->plan->graph;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i), *other;
      g_autoptr (SondeTensor) tensor = NULL;

      if (value == NULL || value->producer != NULL || to->plan->slot_of_value[i] == SONDE_NO_SLOT
          || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE))
        continue;

      other = sonde_graph_find_value (from->plan->graph, value->name);
      if (other == NULL && !all)
        continue;
      if (other == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                           "Parameter “%s” has no counterpart in the source graph", value->name);
          return FALSE;
        }

      tensor = sonde_execution_read (from, other, error);
      if (tensor == NULL || !sonde_execution_write (to, value, tensor, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
sonde_execution_share_parameters (SondeExecution *to, SondeExecution *from, GError **error)
{
  return share (to, from, TRUE, error);
}

gboolean
sonde_execution_share_common (SondeExecution *to, SondeExecution *from, GError **error)
{
  return share (to, from, FALSE, error);
}
