/* SPDX-License-Identifier: Apache-2.0
 * What was set by hand in a run, and its checkpoints. */
#include "engine/plan/execution/sonde-execution-past.h"

#include "engine/plan/execution/sonde-execution-storage.h"

#define MOST_SHARE 4 /* of the run's memory, checkpoints take one part in so many */

static void
edit_free (void *data)
{
  SondeExecutionEdit *edit = data;

  g_clear_pointer (&edit->before, sonde_tensor_unref);
  g_clear_pointer (&edit->after, sonde_tensor_unref);
  g_free (edit);
}

static void
checkpoint_free (void *data)
{
  SondeCheckpoint *checkpoint = data;

  for (guint i = 0; i < checkpoint->contents->len; i++)
    g_free (g_array_index (checkpoint->contents, SondeSlotContent, i).bytes);
  for (guint i = 0; i < checkpoint->n_boxes; i++)
    sonde_value_unref (checkpoint->boxes[i]);
  g_array_unref (checkpoint->contents);
  g_free (checkpoint->boxes);
  g_free (checkpoint);
}

static SondePast *
get_past (SondeExecution *execution)
{
  if (execution->past == NULL)
    {
      execution->past = g_new0 (SondePast, 1);
      execution->past->edits = g_ptr_array_new_with_free_func (edit_free);
      execution->past->checkpoints = g_ptr_array_new_with_free_func (checkpoint_free);
    }
  return execution->past;
}

void
sonde_execution_forget_past (SondeExecution *execution)
{
  SondePast *past = g_steal_pointer (&execution->past);

  g_clear_pointer (&execution->lost, g_free);
  if (past == NULL)
    return;
  g_ptr_array_unref (past->edits);
  g_ptr_array_unref (past->checkpoints);
  g_free (past);
}

static gboolean
has_content (const SondeExecution *execution, guint slot)
{
  return sonde_storage_has (execution->plan, &execution->storage, slot)
         && (sonde_plan_slot (execution->plan, slot)->produced_by != SONDE_NEVER
             || execution->filled[slot]
             || sonde_plan_slot (execution->plan, slot)->storage == SONDE_STORAGE_WEIGHT);
}

gboolean
sonde_execution_note_edit (SondeExecution *execution, SondeGraphValue *value, guint slot,
                           SondeTensor *tensor, GError **error)
{
  SondePast *past;
  SondeExecutionEdit *edit;

  if (execution->state != SONDE_EXECUTION_RUNNING || slot == SONDE_NO_SLOT)
    return TRUE;

  edit = g_new0 (SondeExecutionEdit, 1);
  if (has_content (execution, slot))
    {
      g_autoptr (SondeValue) content
          = sonde_execution_download (execution, slot, &execution->storage, error);

      if (content == NULL)
        {
          edit_free (edit);
          return FALSE;
        }
      edit->before = sonde_value_get_tensor (content) != NULL
                         ? sonde_tensor_copy (sonde_value_get_tensor (content))
                         : NULL;
    }

  past = get_past (execution);
  edit->position = execution->position;
  edit->value = value;
  edit->after = sonde_tensor_copy (tensor);
  g_ptr_array_add (past->edits, edit);
  for (guint i = past->checkpoints->len; i > 0; i--)
    if (((SondeCheckpoint *) g_ptr_array_index (past->checkpoints, i - 1))->position
        >= edit->position)
      g_ptr_array_remove_index (past->checkpoints, i - 1);
  return TRUE;
}

/* Content in the arena that a step from the position on reads. */
static gboolean
is_needed (const SondeExecution *execution, guint index)
{
  const SondePlanSlot *slot = sonde_plan_slot (execution->plan, index);

  return slot->source == index
         && sonde_plan_slot (execution->plan, slot->root)->storage == SONDE_STORAGE_ARENA
         && slot->produced_by != SONDE_NEVER && slot->last_use >= execution->position
         && sonde_execution_holds (execution, index);
}

static gsize
count_bytes (const SondeValue *value)
{
  const SondeTensor *tensor = sonde_value_get_tensor (value);

  return tensor != NULL ? sonde_tensor_n_bytes (tensor) : 0;
}

static SondeCheckpoint *
make_checkpoint (SondeExecution *execution)
{
  const SondePlan *plan = execution->plan;
  SondeCheckpoint *checkpoint = g_new0 (SondeCheckpoint, 1);

  checkpoint->position = execution->position;
  checkpoint->contents = g_array_new (FALSE, FALSE, sizeof (SondeSlotContent));
  checkpoint->n_boxes = plan->slots->len;
  checkpoint->boxes = g_new0 (SondeValue *, plan->slots->len + 1);
  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (slot->storage == SONDE_STORAGE_BOX && slot->produced_by != SONDE_NEVER
          && execution->storage.boxes[i] != NULL)
        {
          checkpoint->boxes[i] = sonde_value_ref (execution->storage.boxes[i]);
          checkpoint->bytes += count_bytes (checkpoint->boxes[i]);
        }
      else if (slot->storage != SONDE_STORAGE_BOX && is_needed (execution, i))
        {
          const SondeSlotContent kept
              = { i, g_memdup2 (execution->storage.memory[i], slot->bytes) };

          g_array_append_val (checkpoint->contents, kept);
          checkpoint->bytes += slot->bytes;
        }
    }
  return checkpoint;
}

/* The one whose neighbours are closest to each other, as seen from @from: what lies far back is
 * wanted less often. */
static guint
find_least_wanted (const GPtrArray *checkpoints, guint from)
{
  guint least = 0;
  double smallest = G_MAXDOUBLE;

  for (guint i = 0; i < checkpoints->len; i++)
    {
      const SondeCheckpoint *before = i > 0 ? g_ptr_array_index (checkpoints, i - 1) : NULL;
      const SondeCheckpoint *next
          = i + 1 < checkpoints->len ? g_ptr_array_index (checkpoints, i + 1) : NULL;
      double first = before != NULL ? before->position : 0,
             last = next != NULL ? next->position : from;
      double gap = (last - first) / (1.0 + MAX ((double) from - first, 0.0));

      if (gap < smallest)
        {
          smallest = gap;
          least = i;
        }
    }
  return least;
}

void
sonde_execution_checkpoint (SondeExecution *execution)
{
  GPtrArray *checkpoints;
  SondePlanMemory memory;
  gsize total = 0;
  guint at = 0;

  if (execution->state != SONDE_EXECUTION_RUNNING || execution->plan->memory == SONDE_MEMORY_KEEP
      || !execution->plan->device->klass->host_memory || execution->position == 0
      || execution->inner != NULL || execution->placed != NULL)
    return;

  checkpoints = get_past (execution)->checkpoints;
  while (at < checkpoints->len
         && ((SondeCheckpoint *) g_ptr_array_index (checkpoints, at))->position
                < execution->position)
    at++;
  if (at < checkpoints->len
      && ((SondeCheckpoint *) g_ptr_array_index (checkpoints, at))->position == execution->position)
    return;

  g_ptr_array_insert (checkpoints, (int) at, make_checkpoint (execution));
  sonde_plan_get_memory (execution->plan, &memory);
  for (guint i = 0; i < checkpoints->len; i++)
    total += ((SondeCheckpoint *) g_ptr_array_index (checkpoints, i))->bytes;
  while (total > memory.bytes / MOST_SHARE)
    {
      guint least = find_least_wanted (checkpoints, execution->position + 1);

      total -= ((SondeCheckpoint *) g_ptr_array_index (checkpoints, least))->bytes;
      g_ptr_array_remove_index (checkpoints, least);
    }
}

guint64
sonde_execution_get_checkpoint_bytes (SondeExecution *execution)
{
  guint64 total = 0;

  for (guint i = 0; execution->past != NULL && i < execution->past->checkpoints->len; i++)
    total += ((SondeCheckpoint *) g_ptr_array_index (execution->past->checkpoints, i))->bytes;
  return total;
}

guint
sonde_execution_find_checkpoint (SondeExecution *execution, guint step)
{
  guint found = 0;

  for (guint i = 0; execution->past != NULL && i < execution->past->checkpoints->len; i++)
    {
      const SondeCheckpoint *checkpoint = g_ptr_array_index (execution->past->checkpoints, i);

      if (checkpoint->position <= step)
        found = checkpoint->position;
    }
  return found;
}
