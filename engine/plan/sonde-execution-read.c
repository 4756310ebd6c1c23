/* SPDX-License-Identifier: Apache-2.0
 * Looking at values: as they lie, or computed again beside the run when their memory was given away or
 * they are inside a fused step. Looking never changes what a run computes. */
#include "engine/plan/sonde-execution-private.h"

/* Memory of one look: slots computed again, freed as a whole. */
typedef struct
{
  SondeExecution *execution;
  void **memory;     /* by slot: where to read it now, NULL: not there */
  GPtrArray *blocks; /* allocated for this look */
} Beside;

static void
beside_clear (Beside *beside)
{
  SondeDevice *device = beside->execution->plan->device;

  for (guint i = 0; i < beside->blocks->len; i++)
    device->klass->release (device, g_ptr_array_index (beside->blocks, i));
  g_ptr_array_unref (beside->blocks);
  g_free (beside->memory);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Beside, beside_clear)

gboolean
sonde_execution_holds (const SondeExecution *execution,
                       guint                 index)
{
  const SondeSlot *slot = sonde_plan_slot (execution->plan, index);

  if (slot->produced_by == SONDE_NEVER)
    return TRUE;

  /* A view of an input shows the next run's as soon as that is set. */
  if (execution->sources_written && execution->state != SONDE_EXECUTION_RUNNING
      && sonde_plan_slot (execution->plan, slot->root)->room != SONDE_ROOM_ARENA && slot->root != index)
    return FALSE;

  return slot->produced_by < execution->position && slot->overwritten_by >= execution->position;
}

/* Memory as the steps of the last run saw it: after the exchange, the old parameters lie where the new
 * ones were made. */
static void
beside_init (Beside         *beside,
             SondeExecution *execution)
{
  const SondePlan *plan = execution->plan;

  beside->execution = execution;
  beside->memory = g_new0 (void *, plan->slots->len + 1);
  beside->blocks = g_ptr_array_new ();
  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondeSlot *slot = sonde_plan_slot (plan, i);
      guint from = i;

      if (execution->state == SONDE_EXECUTION_DONE && slot->partner != SONDE_NO_SLOT)
        from = slot->partner;
      if (sonde_execution_holds (execution, i))
        beside->memory[i] = execution->memory[from];
    }
}

static gboolean
refuse_again (const SondeExecution  *execution,
              const SondeGraphValue *value,
              const char            *why,
              GError               **error)
{
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
               "Value “%s” cannot be read: its memory was used again, and it cannot be computed again "
               "because %s",
               value->name, why);
  return FALSE;
}

static gboolean
run_beside (Beside  *beside,
            guint    index,
            GError **error)
{
  SondeExecution *execution = beside->execution;
  SondeDevice *device = execution->plan->device;
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);

  if (step->kind == SONDE_STEP_VIEW)
    {
      beside->memory[step->output_slots[0]] = beside->memory[step->input_slots[0]];
      return TRUE;
    }

  for (guint i = 0; i < step->n_output_slots; i++)
    {
      guint slot = step->output_slots[i];
      void *block;

      if (slot == SONDE_NO_SLOT)
        continue;

      block = device->klass->allocate (device, sonde_plan_slot (execution->plan, slot)->bytes, error);
      if (block == NULL)
        return FALSE;

      g_ptr_array_add (beside->blocks, block);
      beside->memory[slot] = block;
    }

  return sonde_execution_run_step (execution, index, beside->memory, error);
}

/* Makes the content of slot @wanted readable in beside->memory, running again the steps it needs. */
static gboolean
obtain (Beside  *beside,
        guint    wanted,
        GError **error)
{
  SondeExecution *execution = beside->execution;
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_val (stack, wanted);
  while (stack->len > 0)
    {
      guint index = g_array_index (stack, guint, stack->len - 1);
      const SondeSlot *slot = sonde_plan_slot (execution->plan, index);
      const SondePlanStep *step;
      gboolean ready = TRUE;

      if (beside->memory[index] != NULL)
        {
          g_array_set_size (stack, stack->len - 1);
          continue;
        }

      if (execution->sources_written)
        return refuse_again (execution, slot->value, "an input or parameter was written since", error);
      if (execution->edited != NULL && execution->edited[index])
        return refuse_again (execution, slot->value, "it had been written by hand", error);

      step = sonde_plan_step (execution->plan, slot->produced_by);
      for (guint i = 0; i < step->n_input_slots; i++)
        {
          guint input = step->input_slots[i];

          if (input != SONDE_NO_SLOT && beside->memory[input] == NULL)
            {
              g_array_append_val (stack, input);
              ready = FALSE;
            }
        }

      if (ready && !run_beside (beside, slot->produced_by, error))
        return FALSE;
    }

  return TRUE;
}

static SondeTensor *
download (SondeExecution  *execution,
          guint            slot,
          const void      *memory,
          GError         **error)
{
  SondeDevice *device = execution->plan->device;
  const SondeSlot *from = sonde_plan_slot (execution->plan, slot);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape;

  if (!device->klass->synchronise (device, error))
    return NULL;

  sonde_type_get_shape (&from->value->type, &shape);
  tensor = sonde_tensor_new (from->value->type.dtype, &shape);
  if (!device->klass->read_plain (device, &from->value->type, from->layout, memory, tensor->data, error))
    return NULL;

  return g_steal_pointer (&tensor);
}

/* ---- values inside fused steps -------------------------------------------------------------------- */

/* The plain tensors known while the nodes of a fused step run one by one; by value. */
static GHashTable *
read_group_inputs (Beside          *beside,
                   const SondeStep *step,
                   GError         **error)
{
  SondeExecution *execution = beside->execution;
  g_autoptr (GHashTable) known = g_hash_table_new_full (NULL, NULL, NULL,
                                                        (GDestroyNotify) sonde_tensor_unref);

  for (guint i = 0; i < step->n_inputs; i++)
    {
      guint slot = execution->plan->slot_of_value[step->inputs[i]->id];
      SondeTensor *tensor;

      if (!obtain (beside, slot, error))
        return NULL;

      tensor = download (execution, slot, beside->memory[slot], error);
      if (tensor == NULL)
        return NULL;

      g_hash_table_insert (known, step->inputs[i], tensor);
    }

  return g_steal_pointer (&known);
}

static gboolean
run_known_node (SondeExecution *execution,
                SondeNode      *node,
                GHashTable     *known,
                GError        **error)
{
  guint n_inputs = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeTensor **tensors = g_new0 (SondeTensor *, n_inputs + n_outputs + 1);

  for (guint i = 0; i < n_inputs; i++)
    tensors[i] = g_hash_table_lookup (known, g_ptr_array_index (node->inputs, i));

  if (!sonde_device_run_node (execution->plan->device, node, tensors, execution->run_seed,
                              execution->run_counter, tensors + n_inputs, error))
    return FALSE;

  for (guint i = 0; i < n_outputs; i++)
    if (tensors[n_inputs + i] != NULL)
      g_hash_table_insert (known, g_ptr_array_index (node->outputs, i), tensors[n_inputs + i]);

  return TRUE;
}

static SondeTensor *
read_inside (SondeExecution  *execution,
             SondeGraphValue *value,
             GError         **error)
{
  guint index = execution->plan->step_of_node[value->producer->id];
  const SondeStep *step = sonde_plan_get_step (execution->plan, index);
  g_autoptr (GHashTable) known = NULL;
  g_auto (Beside) beside;

  beside_init (&beside, execution);
  known = read_group_inputs (&beside, step, error);
  for (guint i = 0; known != NULL && i < step->n_nodes; i++)
    {
      if (!run_known_node (execution, step->nodes[i], known, error))
        return NULL;
      if (step->nodes[i] == value->producer)
        return sonde_tensor_ref (g_hash_table_lookup (known, value));
    }

  return NULL;
}

static SondeTensor *
read_again (SondeExecution *execution,
            guint           slot,
            GError        **error)
{
  g_auto (Beside) beside;

  beside_init (&beside, execution);
  return obtain (&beside, slot, error) ? download (execution, slot, beside.memory[slot], error) : NULL;
}

/* ---- reading -------------------------------------------------------------------------------------- */

static gboolean
is_planned (const SondeExecution  *execution,
            const SondeGraphValue *value)
{
  return value->id < execution->plan->graph->values->len
         && g_ptr_array_index (execution->plan->graph->values, value->id) == value;
}

/* After the exchange a parameter's update is the parameter. */
static SondeGraphValue *
resolve (const SondeExecution *execution,
         SondeGraphValue      *value)
{
  return execution->state == SONDE_EXECUTION_DONE && value->update_of != NULL ? value->update_of : value;
}

/* The step that makes @value, or SONDE_NEVER. */
static guint
making_step (const SondeExecution  *execution,
             const SondeGraphValue *value)
{
  return value->producer != NULL ? execution->plan->step_of_node[value->producer->id] : SONDE_NEVER;
}

gboolean
sonde_execution_is_available (SondeExecution  *execution,
                              SondeGraphValue *value)
{
  guint slot, step;

  g_return_val_if_fail (is_planned (execution, value), FALSE);

  value = resolve (execution, value);
  slot = execution->plan->slot_of_value[value->id];
  step = making_step (execution, value);
  if (step == SONDE_NEVER)
    return slot != SONDE_NO_SLOT || value->constant != NULL;
  if (step >= execution->position)
    return FALSE;

  return (slot != SONDE_NO_SLOT && sonde_execution_holds (execution, slot))
         || !execution->sources_written;
}

static SondeTensor *
read_constant (const SondeGraphValue *value,
               GError               **error)
{
  SondeTensor *tensor = value->constant != NULL ? sonde_value_get_tensor (value->constant) : NULL;

  if (tensor != NULL)
    return sonde_tensor_contiguous (tensor);

  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
               "Value “%s” cannot be read: no step of this plan makes it", value->name);
  return NULL;
}

SondeTensor *
sonde_execution_read (SondeExecution  *execution,
                      SondeGraphValue *value,
                      GError         **error)
{
  guint slot, step;

  g_return_val_if_fail (is_planned (execution, value), NULL);

  value = resolve (execution, value);
  slot = execution->plan->slot_of_value[value->id];
  step = making_step (execution, value);
  if (step == SONDE_NEVER && (slot == SONDE_NO_SLOT || value->role == SONDE_ROLE_CONSTANT))
    return read_constant (value, error);

  if (step != SONDE_NEVER && step >= execution->position)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Value “%s” is not computed yet: step %u (“%s”) makes it and the run stands before "
                   "step %u",
                   value->name, step, sonde_plan_get_step (execution->plan, step)->name,
                   execution->position);
      return NULL;
    }

  if (slot == SONDE_NO_SLOT)
    return read_inside (execution, value, error);

  if (sonde_execution_holds (execution, slot))
    return download (execution, slot, execution->memory[slot], error);

  return read_again (execution, slot, error);
}

/* The elements and nothing else, in whatever order: enough for statistics. */
static gboolean
is_dense (const SondePlan *plan,
          guint            index)
{
  const SondeSlot *slot = sonde_plan_slot (plan, index);
  const SondeDeviceClass *klass = plan->device->klass;

  return slot->layout == NULL
         || slot->bytes == klass->layout_bytes (plan->device, &slot->value->type, NULL);
}

gboolean
sonde_execution_read_statistics (SondeExecution  *execution,
                                 SondeGraphValue *value,
                                 SondeStatistics *statistics,
                                 GError         **error)
{
  const SondePlan *plan = execution->plan;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeGraphValue *at;
  guint index;

  g_return_val_if_fail (is_planned (execution, value), FALSE);

  at = resolve (execution, value);
  index = plan->slot_of_value[at->id];
  if (plan->device->klass->host_memory && index != SONDE_NO_SLOT
      && sonde_execution_holds (execution, index) && is_dense (plan, index))
    {
      SondeShape shape;

      sonde_type_get_shape (&at->type, &shape);
      sonde_statistics_compute_data (at->type.dtype, execution->memory[index],
                                     sonde_shape_n_elements (&shape), statistics);
      return TRUE;
    }

  tensor = sonde_execution_read (execution, value, error);
  if (tensor == NULL)
    return FALSE;

  sonde_statistics_compute (tensor, statistics);
  return TRUE;
}
