/* SPDX-License-Identifier: Apache-2.0
 * Values that are not there to be looked at, because their memory was given away or they are inside
 * a fused step, computed again beside the run. Looking never changes what a run computes. */
#include "engine/plan/execution/sonde-execution-recompute.h"

#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-execution-updates.h"
#include "engine/plan/execution/sonde-step-runner.h"

/* Memory of one look: slots computed again, freed as a whole. */
typedef struct
{
  SondeExecution *execution;
  SondeStorage storage; /* where to read now; NULL: not there */
  GPtrArray *blocks;    /* allocated for this look */
} Beside;

static void
beside_clear (Beside *beside)
{
  SondeDevice *device = beside->execution->plan->device;

  for (guint i = 0; i < beside->blocks->len; i++)
    device->klass->release (device, g_ptr_array_index (beside->blocks, i));
  for (guint i = 0; i < beside->execution->plan->slots->len; i++)
    sonde_value_unref (beside->storage.boxes[i]);
  g_ptr_array_unref (beside->blocks);
  g_free (beside->storage.memory);
  g_free (beside->storage.boxes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Beside, beside_clear)

/* Memory as the steps of the last run saw it: after the exchange, the old parameters lie where the
 * new ones were made. */
static void
beside_init (Beside *beside, SondeExecution *execution)
{
  const SondePlan *plan = execution->plan;

  beside->execution = execution;
  beside->storage.memory = g_new0 (void *, plan->slots->len + 1);
  beside->storage.boxes = g_new0 (SondeValue *, plan->slots->len + 1);
  beside->blocks = g_ptr_array_new ();
  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);
      guint from = i;

      if (execution->state == SONDE_EXECUTION_DONE && slot->partner != SONDE_NO_SLOT)
        from = slot->partner;
      if (!sonde_execution_holds (execution, i) || sonde_execution_has_lost (execution, i))
        continue;

      beside->storage.memory[i] = execution->storage.memory[from];
      if (execution->storage.boxes[i] != NULL)
        beside->storage.boxes[i] = sonde_value_ref (execution->storage.boxes[i]);
    }
}

static gboolean
refuse_again (const SondeExecution *execution, const SondeGraphValue *value, const char *why,
              GError **error)
{
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
      "Value “%s” cannot be read: its memory has been reused, and it cannot be computed again: "
      "%-s.",
      value->name, why);
  return FALSE;
}

static gboolean
refuse_lost (const SondeExecution *execution, guint wanted, const SondeGraphValue *parameter,
             GError **error)
{
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
      "Value “%s” cannot be read: it depends on the previous content of “%s”, which this run "
      "updated in place because nothing was observed when it began. Run again to read it.",
      sonde_plan_slot (execution->plan, wanted)->value->name, parameter->name);
  return FALSE;
}

static gboolean
run_beside (Beside *beside, guint index, GError **error)
{
  SondeExecution *execution = beside->execution;
  SondeDevice *device = execution->plan->device;
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);

  if (step->kind == SONDE_STEP_VIEW)
    {
      beside->storage.memory[step->output_slots[0]] = beside->storage.memory[step->input_slots[0]];
      return TRUE;
    }

  for (guint i = 0; i < step->n_output_slots; i++)
    {
      guint slot = step->output_slots[i];
      void *block;

      if (slot == SONDE_NO_SLOT
          || sonde_plan_slot (execution->plan, slot)->storage == SONDE_STORAGE_BOX)
        continue;

      block
          = device->klass->allocate (device, sonde_plan_slot (execution->plan, slot)->bytes, error);
      if (block == NULL)
        return FALSE;

      g_ptr_array_add (beside->blocks, block);
      beside->storage.memory[slot] = block;
    }

  return sonde_execution_run_step (execution, index, &beside->storage, TRUE, error)
         == SONDE_RUN_DONE;
}

/* Makes the content of slot @wanted readable in beside->memory, running again the steps it
 * needs. */
static gboolean
obtain (Beside *beside, guint wanted, GError **error)
{
  SondeExecution *execution = beside->execution;
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_val (stack, wanted);
  while (stack->len > 0)
    {
      guint index = g_array_index (stack, guint, stack->len - 1);
      const SondePlanSlot *slot = sonde_plan_slot (execution->plan, index);
      const SondePlanStep *step;
      gboolean ready = TRUE;

      if (sonde_storage_has (execution->plan, &beside->storage, index))
        {
          g_array_set_size (stack, stack->len - 1);
          continue;
        }

      if (execution->sources_written)
        return refuse_again (execution, slot->value, N_ ("an input or parameter was written since"),
                             error);
      if (execution->edited != NULL && execution->edited[index])
        return refuse_again (execution, slot->value, N_ ("it had been set by hand"), error);

      if (slot->produced_by == SONDE_NEVER && sonde_execution_has_lost (execution, index))
        return refuse_lost (execution, wanted, slot->value, error);
      if (slot->produced_by == SONDE_NEVER)
        return refuse_again (execution, slot->value, N_ ("it was not given"), error);

      step = sonde_plan_step (execution->plan, slot->produced_by);
      for (guint i = 0; i < step->n_input_slots; i++)
        {
          guint input = step->input_slots[i];

          if (input != SONDE_NO_SLOT
              && !sonde_storage_has (execution->plan, &beside->storage, input))
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

/* ---- values inside fused steps ------------------------------------------- */

/* The plain tensors known while the nodes of a fused step run one by one; by value. */
static GHashTable *
read_group_inputs (Beside *beside, const SondeStep *step, GError **error)
{
  SondeExecution *execution = beside->execution;
  g_autoptr (GHashTable) known
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_tensor_unref);

  for (guint i = 0; i < step->n_inputs; i++)
    {
      guint slot = execution->plan->slot_of_value[step->inputs[i]->id];
      g_autoptr (SondeValue) value = NULL;

      if (!obtain (beside, slot, error))
        return NULL;

      value = sonde_execution_download (execution, slot, &beside->storage, error);
      if (value == NULL)
        return NULL;

      g_hash_table_insert (known, step->inputs[i],
                           sonde_tensor_ref (sonde_value_get_tensor (value)));
    }

  return g_steal_pointer (&known);
}

static gboolean
run_known_node (SondeExecution *execution, SondeNode *node, GHashTable *known, GError **error)
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

SondeTensor *
sonde_execution_read_inside (SondeExecution *execution, SondeGraphValue *value, GError **error)
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

SondeValue *
sonde_execution_read_again (SondeExecution *execution, guint slot, GError **error)
{
  g_auto (Beside) beside;

  beside_init (&beside, execution);
  return obtain (&beside, slot, error)
             ? sonde_execution_download (execution, slot, &beside.storage, error)
             : NULL;
}
