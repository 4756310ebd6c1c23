/* SPDX-License-Identifier: Apache-2.0
 * Views share memory with what they are views of. Where one of them is written in a paused run they
 * part for the rest of the run: what was computed stays what it was, what is computed later reads
 * what was written. */
#include "engine/plan/execution/sonde-execution-detach.h"

#include "engine/plan/execution/sonde-execution-storage.h"

static void *
new_block (SondeExecution *execution, guint slot, GError **error)
{
  SondeDevice *device = execution->plan->device;
  void *block = device->klass->allocate (
      device, MAX (sonde_plan_slot (execution->plan, slot)->bytes, 1), error);

  if (block == NULL)
    return NULL;
  if (execution->copies == NULL)
    execution->copies = g_ptr_array_new ();
  g_ptr_array_add (execution->copies, block);
  return block;
}

static void
place (SondeExecution *execution, guint slot, void *block)
{
  if (execution->placed == NULL)
    execution->placed = g_new0 (void *, execution->plan->slots->len + 1);
  if (execution->placed[slot] == NULL)
    execution->placed[slot] = execution->storage.memory[slot];
  execution->storage.memory[slot] = block;
}

/* @slot is a view: it, and views of it that are still to be made, move. */
static gboolean
move_away (SondeExecution *execution, guint slot, GError **error)
{
  const SondePlan *plan = execution->plan;
  void *block = new_block (execution, slot, error);

  if (block == NULL)
    return FALSE;
  place (execution, slot, block);
  for (guint k = execution->position; k < plan->steps->len; k++)
    {
      const SondePlanStep *step = sonde_plan_step (plan, k);

      if (step->kind == SONDE_STEP_VIEW && execution->storage.memory[step->input_slots[0]] == block)
        place (execution, step->output_slots[0], block);
    }
  return TRUE;
}

/* The content of the view @slot, in memory of its own. */
static gboolean
copy_view (SondeExecution *execution, guint slot, GError **error)
{
  SondeDevice *device = execution->plan->device;
  const SondePlanSlot *view = sonde_plan_slot (execution->plan, slot);
  g_autoptr (SondeValue) value
      = sonde_execution_download (execution, slot, &execution->storage, error);
  g_autoptr (SondeTensor) plain
      = value != NULL ? sonde_tensor_contiguous (sonde_value_get_tensor (value)) : NULL;
  void *block = plain != NULL ? new_block (execution, slot, error) : NULL;

  if (block == NULL
      || !device->klass->write_plain (device, &view->value->type, view->layout, plain->data, block,
                                      error))
    return FALSE;
  place (execution, slot, block);
  return TRUE;
}

gboolean
sonde_execution_detach (SondeExecution *execution, guint slot, GError **error)
{
  const SondePlan *plan = execution->plan;
  const void *memory = execution->storage.memory[slot];
  gboolean is_view = sonde_plan_slot (plan, slot)->root != slot;

  if (execution->state != SONDE_EXECUTION_RUNNING || memory == NULL)
    return TRUE;
  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *other = sonde_plan_slot (plan, i);

      if (i == slot || execution->storage.memory[i] != memory || other->storage == SONDE_STORAGE_BOX
          || (other->produced_by != SONDE_NEVER && other->produced_by >= execution->position))
        continue;
      if (is_view)
        return move_away (execution, slot, error);
      /* it was overwritten in place, nobody can see it */
      if (!sonde_execution_holds (execution, i))
        continue;
      if (!copy_view (execution, i, error))
        return FALSE;
    }
  return TRUE;
}

void
sonde_execution_reattach_from (SondeExecution *execution, guint step)
{
  const SondePlan *plan = execution->plan;

  for (guint k = step; execution->placed != NULL && k < plan->steps->len; k++)
    {
      const SondePlanStep *view = sonde_plan_step (plan, k);

      if (view->kind == SONDE_STEP_VIEW
          && execution->storage.memory[view->output_slots[0]]
                 != execution->storage.memory[view->input_slots[0]])
        place (execution, view->output_slots[0], execution->storage.memory[view->input_slots[0]]);
    }
}

gboolean
sonde_execution_copy_detached (SondeExecution *to, SondeExecution *from, GError **error)
{
  const SondePlan *plan = from->plan;
  g_autoptr (GHashTable) copies = g_hash_table_new (NULL, NULL); /* memory of @from -> its copy */
  SondeDevice *device = plan->device;

  for (guint i = 0; from->placed != NULL && i < plan->slots->len; i++)
    if (from->placed[i] == NULL && from->storage.memory[i] != NULL)
      g_hash_table_insert (copies, from->storage.memory[i], to->storage.memory[i]);
  for (guint i = 0; from->placed != NULL && i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);
      void *block
          = from->placed[i] != NULL ? g_hash_table_lookup (copies, from->storage.memory[i]) : NULL;
      g_autoptr (SondeTensor) plain = NULL;
      SondeShape shape;

      if (from->placed[i] == NULL)
        continue;
      if (block == NULL)
        {
          block = new_block (to, i, error);
          if (block == NULL)
            return FALSE;
          sonde_type_get_shape (&slot->value->type, &shape);
          plain = sonde_tensor_new (slot->value->type.dtype, &shape);
          if (!device->klass->read_plain (device, &slot->value->type, slot->layout,
                                          from->storage.memory[i], plain->data, error)
              || !device->klass->write_plain (device, &slot->value->type, slot->layout, plain->data,
                                              block, error))
            return FALSE;
          g_hash_table_insert (copies, from->storage.memory[i], block);
        }
      place (to, i, block);
    }
  return TRUE;
}

void
sonde_execution_reattach (SondeExecution *execution)
{
  SondeDevice *device = execution->plan->device;

  for (guint i = 0; execution->placed != NULL && i < execution->plan->slots->len; i++)
    if (execution->placed[i] != NULL)
      execution->storage.memory[i] = execution->placed[i];
  for (guint i = 0; execution->copies != NULL && i < execution->copies->len; i++)
    device->klass->release (device, g_ptr_array_index (execution->copies, i));
  g_clear_pointer (&execution->placed, g_free);
  g_clear_pointer (&execution->copies, g_ptr_array_unref);
}
