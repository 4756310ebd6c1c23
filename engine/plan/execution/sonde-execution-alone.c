/* SPDX-License-Identifier: Apache-2.0
 * One step of a plan on inputs of the caller's, beside the run: the plan's own kernel, in memory of
 * its own. */
#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-execution-updates.h"
#include "engine/plan/execution/sonde-step-runner.h"

#include <string.h>

/* What one slot had before. */
typedef struct
{
  guint slot;
  void *memory;
  SondeValue *box;
} Saved;

/* Slots of one call, and their memory; what was there before comes back. */
typedef struct
{
  SondeExecution *execution;
  SondeStorage *storage;
  GArray *saved; /* (element-type Saved) */
  GPtrArray *blocks;
} Alone;

static void
alone_init (Alone *alone, SondeExecution *execution)
{
  alone->execution = execution;
  alone->storage = &execution->storage;
  alone->saved = g_array_new (FALSE, FALSE, sizeof (Saved));
  alone->blocks = g_ptr_array_new ();
}

static void
alone_clear (Alone *alone)
{
  SondeDevice *device = alone->execution->plan->device;

  for (guint i = alone->saved->len; i-- > 0;)
    {
      const Saved *saved = &g_array_index (alone->saved, Saved, i);

      sonde_value_unref (alone->storage->boxes[saved->slot]);
      alone->storage->memory[saved->slot] = saved->memory;
      alone->storage->boxes[saved->slot] = saved->box;
    }
  for (guint i = 0; i < alone->blocks->len; i++)
    device->klass->release (device, g_ptr_array_index (alone->blocks, i));
  g_array_unref (alone->saved);
  g_ptr_array_unref (alone->blocks);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Alone, alone_clear)

/* From here to the end of the call slot @index is another. */
static void
save (Alone *alone, guint index)
{
  Saved saved = { index, alone->storage->memory[index], alone->storage->boxes[index] };

  g_array_append_val (alone->saved, saved);
  alone->storage->boxes[index] = NULL;
}

/* New memory for slot @index. */
static gboolean
give_memory (Alone *alone, guint index, GError **error)
{
  SondeDevice *device = alone->execution->plan->device;
  const SondePlanSlot *slot = sonde_plan_slot (alone->execution->plan, index);
  gsize bytes;
  void *block;

  save (alone, index);
  if (slot->storage == SONDE_STORAGE_BOX)
    return TRUE;
  bytes = device->klass->layout_bytes (device, &slot->value->type, slot->layout);
  block = device->klass->allocate (device, MAX (bytes, 1), error);
  if (block == NULL)
    return FALSE;
  g_ptr_array_add (alone->blocks, block);
  alone->storage->memory[index] = block;
  return TRUE;
}

static gboolean
refuse_shape (const SondeGraphValue *value, const SondeTensor *tensor, GError **error)
{
  g_autofree char *given = sonde_shape_to_string (&tensor->shape),
                  *planned = sonde_type_to_string (&value->type);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "Value “%s” is planned as %s, but %s was given.", value->name, planned, given);
  return FALSE;
}

/* What the step reads from slot @index is @content. */
static gboolean
force_slot (Alone *alone, guint index, SondeValue *content, GError **error)
{
  SondeDevice *device = alone->execution->plan->device;
  const SondePlanSlot *slot = sonde_plan_slot (alone->execution->plan, index);
  SondeTensor *tensor = sonde_value_get_tensor (content);
  g_autoptr (SondeTensor) plain = NULL;
  SondeShape shape;

  if (tensor != NULL && tensor->dtype != slot->value->type.dtype
      && slot->value->type.dtype != SONDE_DTYPE_INVALID)
    plain = sonde_tensor_cast (tensor, slot->value->type.dtype);
  else if (tensor != NULL)
    plain = sonde_tensor_contiguous (tensor);
  if (slot->storage == SONDE_STORAGE_BOX)
    {
      save (alone, index);
      alone->storage->boxes[index]
          = plain != NULL ? sonde_value_new_tensor (plain) : sonde_value_ref (content);
      return TRUE;
    }
  if (plain == NULL || !sonde_type_get_shape (&slot->value->type, &shape)
      || !sonde_shape_equal (&shape, &plain->shape))
    return tensor == NULL || refuse_shape (slot->value, tensor, error);
  return give_memory (alone, index, error)
         && device->klass->write_plain (device, &slot->value->type, slot->layout, plain->data,
                                        alone->storage->memory[index], error);
}

static gboolean
force_inputs (Alone *alone, const SondePlanStep *step, GHashTable *forced, GError **error)
{
  for (guint i = 0; i < step->n_input_slots; i++)
    {
      guint index = step->input_slots[i];
      SondeValue *content = index != SONDE_NO_SLOT ? g_hash_table_lookup (
                                forced, sonde_plan_slot (alone->execution->plan, index)->value)
                                                   : NULL;

      if (content == NULL && index != SONDE_NO_SLOT
          && sonde_execution_has_lost (alone->execution, index))
        {
          sonde_set_error (
              error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
              "Step “%s” cannot be run again: “%s”, which it reads, was updated in place.",
              step->info.name, sonde_plan_slot (alone->execution->plan, index)->value->name);
          return FALSE;
        }
      if (content != NULL && !force_slot (alone, index, content, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run (Alone *alone, guint index, const SondePlanStep *step, GError **error)
{
  if (step->kind == SONDE_STEP_VIEW)
    {
      save (alone, step->output_slots[0]);
      alone->storage->memory[step->output_slots[0]] = alone->storage->memory[step->input_slots[0]];
      return TRUE;
    }
  for (guint i = 0; i < step->n_output_slots; i++)
    if (step->output_slots[i] != SONDE_NO_SLOT
        && !give_memory (alone, step->output_slots[i], error))
      return FALSE;
  return sonde_execution_run_step (alone->execution, index, alone->storage, TRUE, error)
         == SONDE_RUN_DONE;
}

gboolean
sonde_execution_run_alone (SondeExecution *execution, guint index, GHashTable *forced,
                           SondeValue **outputs, GError **error)
{
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);
  g_auto (Alone) alone = { NULL };

  memset (outputs, 0, step->info.n_outputs * sizeof *outputs);
  alone_init (&alone, execution);
  if (!force_inputs (&alone, step, forced, error) || !run (&alone, index, step, error))
    return FALSE;
  for (guint i = 0; i < step->n_output_slots; i++)
    for (guint k = 0; step->output_slots[i] != SONDE_NO_SLOT && k < step->info.n_outputs; k++)
      if (sonde_plan_slot (execution->plan, step->output_slots[i])->value == step->info.outputs[k]
          && outputs[k] == NULL)
        {
          outputs[k]
              = sonde_execution_download (execution, step->output_slots[i], alone.storage, error);
          if (outputs[k] == NULL)
            {
              for (guint j = 0; j < step->info.n_outputs; j++)
                g_clear_pointer (&outputs[j], sonde_value_unref);
              return FALSE;
            }
        }
  return TRUE;
}
