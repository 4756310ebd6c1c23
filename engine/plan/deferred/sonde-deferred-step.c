/* SPDX-License-Identifier: Apache-2.0
 * One run of a deferred step: its operands as values, and where its results go. */
#include "engine/plan/deferred/sonde-deferred-step.h"

#include "engine/plan/execution/sonde-execution-storage.h"

/* Whether operand @i is a copy, not what a slot or the graph holds anyway. */
static gboolean
is_copy (const SondeDeferredRun *run, guint i)
{
  const guint slot = run->step->input_slots[i];

  if (run->values[i] == NULL || run->wrapped[i])
    return FALSE;
  return run->values[i]
         != (slot != SONDE_NO_SLOT ? run->storage->boxes[slot] : run->step->operands[i]->constant);
}

void
sonde_deferred_run_clear (SondeDeferredRun *run)
{
  for (guint i = 0; i < run->step->n_input_slots; i++)
    {
      if (run->memory != NULL && is_copy (run, i))
        sonde_run_memory_give_back (run->memory, run->values[i]);
      sonde_value_unref (run->values[i]);
    }
  g_free (run->values);
  g_free (run->wrapped);
}

void
sonde_deferred_run_count (SondeDeferredRun *run)
{
  run->memory = sonde_run_memory_get (run->execution);
  sonde_run_memory_mark (run->memory);
  for (guint i = 0; run->memory != NULL && i < run->step->n_input_slots; i++)
    if (is_copy (run, i))
      sonde_run_memory_take (run->memory, run->values[i]);
}

/* ---- operands ------------------------------------------------------------ */

/* Only the type counts: one element for all. */
static SondeValue *
value_of_type (const SondeType *type)
{
  static const gint64 strides[SONDE_MAX_RANK] = { 0 };
  SondeShape one = sonde_shape_scalar (), shape;
  g_autoptr (SondeTensor) element = sonde_tensor_new (type->dtype, &one);
  g_autoptr (SondeTensor) tensor = NULL;

  sonde_type_get_shape (type, &shape);
  tensor = sonde_tensor_view (element, &shape, strides, 0);
  return sonde_value_new_tensor (tensor);
}

static SondeValue *
wrap_slot (const SondePlanSlot *slot, void *memory)
{
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape;

  sonde_type_get_shape (&slot->value->type, &shape);
  tensor = sonde_tensor_new_take (slot->value->type.dtype, &shape, memory, NULL, NULL);
  return sonde_value_new_tensor (tensor);
}

static SondeValue *
contiguous_value (SondeValue *value)
{
  SondeTensor *tensor = sonde_value_get_tensor (value);
  g_autoptr (SondeTensor) plain = NULL;

  if (tensor == NULL || sonde_tensor_is_contiguous (tensor))
    return sonde_value_ref (value);

  plain = sonde_tensor_contiguous (tensor);
  return sonde_value_new_tensor (plain);
}

static SondeValue *
gather_operand (SondeDeferredRun *run, guint k, GError **error)
{
  const SondeGraphValue *value = run->step->operands[k];
  guint index = run->step->input_slots[k];
  SondeDevice *device = run->execution->plan->device;
  const SondePlanSlot *slot;

  if (index == SONDE_NO_SLOT)
    return value->constant != NULL && value->role == SONDE_ROLE_CONSTANT
               ? contiguous_value (value->constant)
               : value_of_type (&value->type);

  slot = sonde_plan_slot (run->execution->plan, index);
  if (slot->storage == SONDE_STORAGE_BOX && run->storage->boxes[index] != NULL)
    return contiguous_value (run->storage->boxes[index]);

  if (slot->storage == SONDE_STORAGE_BOX)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "node “%s” (%s): its input “%s” has no value", run->node->name,
                       run->node->op, value->name);
      return NULL;
    }

  if (!device->klass->host_memory)
    return sonde_execution_download (run->execution, index, run->storage, error);

  run->wrapped[k] = TRUE;
  return wrap_slot (slot, run->storage->memory[index]);
}

static gboolean
gather (SondeDeferredRun *run, GError **error)
{
  for (guint k = 0; k < run->step->n_input_slots; k++)
    if (run->step->operands[k] != NULL)
      {
        run->values[k] = gather_operand (run, k, error);
        if (run->values[k] == NULL)
          return FALSE;
      }

  return TRUE;
}

gboolean
sonde_deferred_run_init (SondeDeferredRun *run, SondeExecution *execution, guint index,
                         const SondeStorage *storage, GError **error)
{
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);

  *run = (SondeDeferredRun){
    .execution = execution,
    .step = step,
    .node = step->info.nodes[0],
    .storage = storage,
    .index = index,
    .values = g_new0 (SondeValue *, step->n_input_slots + 1),
    .wrapped = g_new0 (gboolean, step->n_input_slots + 1),
  };
  return gather (run, error);
}

/* ---- results ------------------------------------------------------------- */

gboolean
sonde_deferred_check_output (const SondeDeferredRun *run, guint k, const SondeType *type,
                             GError **error)
{
  const SondeGraphValue *value = sonde_node_get_output (run->node, k);
  g_autofree char *made = NULL, *planned = NULL;
  SondeShape a, b;

  if (sonde_plan_is_boxed (value)
      || (type->dtype == value->type.dtype && sonde_type_get_shape (type, &a)
          && sonde_type_get_shape (&value->type, &b) && sonde_shape_equal (&a, &b)))
    return TRUE;

  made = sonde_type_to_string (type);
  planned = sonde_type_to_string (&value->type);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "node “%s” (%s): its output “%s” is %s where %s was planned", run->node->name,
                   run->node->op, value->name, made, planned);
  return FALSE;
}

/* The value itself, or another one on the same memory: an entry of it. */
static gboolean
shows_slot (const SondeDeferredRun *run, const SondeValue *value)
{
  const SondeTensor *tensor = sonde_value_get_tensor (value);

  for (guint i = 0; tensor != NULL && i < run->step->n_input_slots; i++)
    if (run->wrapped[i] && sonde_value_get_tensor (run->values[i])->buffer == tensor->buffer)
      return TRUE;

  return FALSE;
}

SondeValue *
sonde_deferred_own_value (const SondeDeferredRun *run, SondeValue *value)
{
  g_autoptr (SondeTensor) copy = NULL;

  if (value == NULL || !shows_slot (run, value))
    return value != NULL ? sonde_value_ref (value) : NULL;

  copy = sonde_tensor_copy (sonde_value_get_tensor (value));
  return sonde_value_new_tensor (copy);
}

gboolean
sonde_deferred_store (SondeDeferredRun *run, guint k, SondeValue *value, GError **error)
{
  SondeDevice *device = run->execution->plan->device;
  guint index = run->step->output_slots[k];
  const SondePlanSlot *slot = sonde_plan_slot (run->execution->plan, index);
  g_autoptr (SondeValue) taken = value;
  g_autoptr (SondeTensor) plain = NULL;
  SondeType type = sonde_type_of_value (value);

  if (!sonde_deferred_check_output (run, k, &type, error))
    return FALSE;

  if (slot->storage == SONDE_STORAGE_BOX)
    {
      sonde_value_unref (run->storage->boxes[index]);
      run->storage->boxes[index] = g_steal_pointer (&taken);
      return TRUE;
    }

  /* there for a moment, beside the slot */
  sonde_run_memory_take (run->memory, taken);
  sonde_run_memory_give_back (run->memory, taken);
  plain = sonde_tensor_contiguous (sonde_value_get_tensor (value));
  return device->klass->write_plain (device, &slot->value->type, slot->layout, plain->data,
                                     run->storage->memory[index], error);
}
