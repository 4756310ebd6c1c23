/* SPDX-License-Identifier: Apache-2.0
 * Back to an earlier position of a run. Where every value has memory of its own, what earlier steps
 * read is still there and the position is all that changes. Where memory is reused, the steps
 * before it run once more, from the nearest checkpoint; parameters change places with their updates
 * only when a run is done, so that these find what they found. */
#include "engine/plan/sonde-execution-private.h"

#include <string.h>

#define MOST_SHARE 4 /* of the run's memory, checkpoints take one part in so many */
#define SPREAD 16    /* checkpoints over the run, besides those close to where it goes */

/* Something that was set by hand: before the step at @position. @before: (nullable): it had no
 * content */
typedef struct
{
  guint position;
  SondeGraphValue *value;
  SondeTensor *before, *after;
} Edit;

/* Content of one slot. */
typedef struct
{
  guint slot;
  void *bytes;
} Kept;

/* All that the steps from @position on read of those before it. @boxes: by slot */
typedef struct
{
  guint position;
  GArray *kept;
  SondeValue **boxes;
  guint n_boxes;
  gsize bytes;
} Checkpoint;

struct _SondePast
{
  GPtrArray *edits;       /* (element-type Edit): in the order they were made */
  GPtrArray *checkpoints; /* (element-type Checkpoint): by position */
};

static void
edit_free (void *data)
{
  Edit *edit = data;

  g_clear_pointer (&edit->before, sonde_tensor_unref);
  g_clear_pointer (&edit->after, sonde_tensor_unref);
  g_free (edit);
}

static void
checkpoint_free (void *data)
{
  Checkpoint *checkpoint = data;

  for (guint i = 0; i < checkpoint->kept->len; i++)
    g_free (g_array_index (checkpoint->kept, Kept, i).bytes);
  for (guint i = 0; i < checkpoint->n_boxes; i++)
    sonde_value_unref (checkpoint->boxes[i]);
  g_array_unref (checkpoint->kept);
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

/* ---- what was set by hand ------------------------------------------------ */

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
  Edit *edit;

  if (execution->state != SONDE_EXECUTION_RUNNING || slot == SONDE_NO_SLOT)
    return TRUE;

  edit = g_new0 (Edit, 1);
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
    if (((Checkpoint *) g_ptr_array_index (past->checkpoints, i - 1))->position >= edit->position)
      g_ptr_array_remove_index (past->checkpoints, i - 1);
  return TRUE;
}

/* Undoes what was set at positions after @position (all of it where @position is SONDE_NEVER). */
static gboolean
undo_edits (SondeExecution *execution, guint position, GError **error)
{
  SondePast *past = execution->past;

  for (guint i = past != NULL ? past->edits->len : 0; i > 0; i--)
    {
      const Edit *edit = g_ptr_array_index (past->edits, i - 1);

      if ((position == SONDE_NEVER || edit->position > position) && edit->before != NULL
          && !sonde_execution_put (execution, edit->value, edit->before, error))
        return FALSE;
    }
  return TRUE;
}

/* Edits of later positions are of a future that does not come any more. In a run it is edits alone
 * that write sources. */
static void
drop_edits (SondeExecution *execution, guint position)
{
  SondePast *past = execution->past;

  execution->sources_written = FALSE;

  for (guint i = past != NULL ? past->edits->len : 0; i > 0; i--)
    if (((Edit *) g_ptr_array_index (past->edits, i - 1))->position > position)
      g_ptr_array_remove_index (past->edits, i - 1);

  if (execution->edited != NULL)
    memset (execution->edited, 0, execution->plan->slots->len);
  for (guint i = 0; past != NULL && i < past->edits->len; i++)
    {
      const Edit *edit = g_ptr_array_index (past->edits, i);
      guint slot = edit->value->producer != NULL ? execution->plan->slot_of_value[edit->value->id]
                                                 : SONDE_NO_SLOT;

      execution->sources_written = execution->sources_written || edit->value->producer == NULL;
      for (; slot != SONDE_NO_SLOT; slot = sonde_plan_slot (execution->plan, slot)->next)
        execution->edited[slot] = sonde_execution_holds (execution, slot);
    }
}

/* ---- checkpoints --------------------------------------------------------- */

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

static Checkpoint *
make_checkpoint (SondeExecution *execution)
{
  const SondePlan *plan = execution->plan;
  Checkpoint *checkpoint = g_new0 (Checkpoint, 1);

  checkpoint->position = execution->position;
  checkpoint->kept = g_array_new (FALSE, FALSE, sizeof (Kept));
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
          const Kept kept = { i, g_memdup2 (execution->storage.memory[i], slot->bytes) };

          g_array_append_val (checkpoint->kept, kept);
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
      const Checkpoint *before = i > 0 ? g_ptr_array_index (checkpoints, i - 1) : NULL;
      const Checkpoint *next
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
         && ((Checkpoint *) g_ptr_array_index (checkpoints, at))->position < execution->position)
    at++;
  if (at < checkpoints->len
      && ((Checkpoint *) g_ptr_array_index (checkpoints, at))->position == execution->position)
    return;

  g_ptr_array_insert (checkpoints, (int) at, make_checkpoint (execution));
  sonde_plan_get_memory (execution->plan, &memory);
  for (guint i = 0; i < checkpoints->len; i++)
    total += ((Checkpoint *) g_ptr_array_index (checkpoints, i))->bytes;
  while (total > memory.bytes / MOST_SHARE)
    {
      guint least = find_least_wanted (checkpoints, execution->position + 1);

      total -= ((Checkpoint *) g_ptr_array_index (checkpoints, least))->bytes;
      g_ptr_array_remove_index (checkpoints, least);
    }
}

guint64
sonde_execution_get_checkpoint_bytes (SondeExecution *execution)
{
  guint64 total = 0;

  for (guint i = 0; execution->past != NULL && i < execution->past->checkpoints->len; i++)
    total += ((Checkpoint *) g_ptr_array_index (execution->past->checkpoints, i))->bytes;
  return total;
}

guint
sonde_execution_find_checkpoint (SondeExecution *execution, guint step)
{
  guint found = 0;

  for (guint i = 0; execution->past != NULL && i < execution->past->checkpoints->len; i++)
    {
      const Checkpoint *checkpoint = g_ptr_array_index (execution->past->checkpoints, i);

      if (checkpoint->position <= step)
        found = checkpoint->position;
    }
  return found;
}

static const Checkpoint *
checkpoint_at (const SondeExecution *execution, guint position)
{
  for (guint i = 0; execution->past != NULL && i < execution->past->checkpoints->len; i++)
    if (((Checkpoint *) g_ptr_array_index (execution->past->checkpoints, i))->position == position)
      return g_ptr_array_index (execution->past->checkpoints, i);
  return NULL;
}

/* What was not needed any more is in no checkpoint, though nothing has taken its memory at that
 * position. */
static void
find_lost (SondeExecution *execution, const Checkpoint *checkpoint)
{
  const SondePlan *plan = execution->plan;

  g_clear_pointer (&execution->lost, g_free);
  if (checkpoint == NULL)
    return;
  execution->lost = g_malloc0 (plan->slots->len + 1);
  for (guint i = 0; i < plan->slots->len; i++)
    {
      const SondePlanSlot *slot = sonde_plan_slot (plan, i);

      execution->lost[i] = sonde_plan_slot (plan, slot->root)->storage == SONDE_STORAGE_ARENA
                           && slot->produced_by < checkpoint->position;
    }
  for (guint i = 0; i < checkpoint->kept->len; i++)
    execution->lost[g_array_index (checkpoint->kept, Kept, i).slot] = FALSE;
  for (guint i = 0; i < plan->slots->len; i++) /* views */
    if (execution->lost[i])
      execution->lost[i] = execution->lost[sonde_plan_slot (plan, i)->source];
}

/* The run stands at the checkpoint of @position, or at its beginning. */
static void
restore (SondeExecution *execution, guint position)
{
  const Checkpoint *checkpoint = checkpoint_at (execution, position);
  const SondePlan *plan = execution->plan;

  for (guint i = 0; i < plan->slots->len; i++)
    if (sonde_plan_slot (plan, i)->storage == SONDE_STORAGE_BOX
        && sonde_plan_slot (plan, i)->produced_by != SONDE_NEVER)
      {
        g_clear_pointer (&execution->storage.boxes[i], sonde_value_unref);
        if (checkpoint != NULL && checkpoint->boxes[i] != NULL)
          execution->storage.boxes[i] = sonde_value_ref (checkpoint->boxes[i]);
      }
  for (guint i = 0; checkpoint != NULL && i < checkpoint->kept->len; i++)
    {
      const Kept *kept = &g_array_index (checkpoint->kept, Kept, i);

      memcpy (execution->storage.memory[kept->slot], kept->bytes,
              sonde_plan_slot (plan, kept->slot)->bytes);
    }
  execution->position = position;
  find_lost (execution, checkpoint);
}

/* ---- running once more --------------------------------------------------- */

/* Whether it is worth coming back to @position on the way to @step: close to it, and now and
 * then. */
static gboolean
is_stage (const SondeExecution *execution, guint position, guint step)
{
  guint left = step - position;

  return left > 0
         && ((left & (left - 1)) == 0
             || position % MAX (execution->plan->steps->len / SPREAD, 1) == 0);
}

static gboolean
redo_edits (SondeExecution *execution, GError **error)
{
  const SondePast *past = execution->past;

  for (guint i = 0; past != NULL && i < past->edits->len; i++)
    {
      const Edit *edit = g_ptr_array_index (past->edits, i);

      if (edit->position == execution->position
          && !sonde_execution_put (execution, edit->value, edit->after, error))
        return FALSE;
    }
  return TRUE;
}

static SondeRunResult
run_again (SondeExecution *execution, guint step, GError **error)
{
  guint from = sonde_execution_find_checkpoint (execution, step);
  gboolean good = undo_edits (execution, from > 0 ? from : SONDE_NEVER, error);

  sonde_execution_reattach (execution);
  restore (execution, from);
  good = good && (from > 0 || redo_edits (execution, error));
  while (good && execution->position < step)
    {
      guint next = execution->position + 1;
      SondeRunResult result = sonde_execution_run_to (execution, next, error);

      if (result != SONDE_RUN_PAUSED)
        return result;
      if (execution->position < next)
        break; /* interrupted */
      good = redo_edits (execution, error);
      if (good && is_stage (execution, next, step))
        sonde_execution_checkpoint (execution);
    }

  drop_edits (execution, execution->position);
  return good ? SONDE_RUN_PAUSED : SONDE_RUN_FAILED;
}

static gboolean
check_back (SondeExecution *execution, guint step, GError **error)
{
  const char *why = NULL;

  if (execution->state == SONDE_EXECUTION_IDLE)
    why = "nothing has run";
  else if (execution->state == SONDE_EXECUTION_DONE && execution->sources_written)
    why = "an input or parameter was written since the run was done";
  else if (step > execution->position)
    why = "it has not come that far";
  else if (step < execution->position && sonde_execution_has_lost_any (execution))
    why = "it updated parameters in place, as nobody looked on when it began; the next run can";
  if (why == NULL)
    return TRUE;

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "The run cannot go back to before step %u: %s", step, why);
  return FALSE;
}

SondeRunResult
sonde_execution_go_back (SondeExecution *execution, guint step, GError **error)
{
  guint before = execution->position;

  if (!check_back (execution, step, error))
    return SONDE_RUN_FAILED;

  if (execution->state == SONDE_EXECUTION_DONE)
    sonde_execution_exchange_updates (execution);
  sonde_execution_reset_inner (execution);
  execution->state = SONDE_EXECUTION_RUNNING;
  sonde_execution_keep_old (execution);
  execution->announced = TRUE;
  execution->ended = execution->before_done = FALSE;
  execution->ahead = 0;
  if (execution->plan->memory == SONDE_MEMORY_PLAN && step < before)
    return run_again (execution, step, error);

  if (!undo_edits (execution, step, error))
    return SONDE_RUN_FAILED;
  execution->position = step;
  sonde_execution_reattach_from (execution, step);
  drop_edits (execution, step);
  return SONDE_RUN_PAUSED;
}
