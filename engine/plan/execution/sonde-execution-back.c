/* SPDX-License-Identifier: Apache-2.0
 * Back to an earlier position of a run. Where every value has memory of its own, what earlier steps
 * read is still there and the position is all that changes. Where memory is reused, the steps
 * before it run once more, from the nearest checkpoint; parameters change places with their updates
 * only when a run is done, so that these find what they found. */
#include "engine/plan/execution/sonde-execution-detach.h"
#include "engine/plan/execution/sonde-execution-inner.h"
#include "engine/plan/execution/sonde-execution-past.h"
#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-execution-updates.h"
#include "engine/plan/execution/sonde-execution-write.h"

#include <string.h>

#define SPREAD 16 /* checkpoints over the run, besides those close to where it goes */

/* ---- what was set by hand ------------------------------------------------ */

/* Undoes what was set at positions after @position (all of it where @position is SONDE_NEVER). */
static gboolean
undo_edits (SondeExecution *execution, guint position, GError **error)
{
  SondePast *past = execution->past;

  for (guint i = past != NULL ? past->edits->len : 0; i > 0; i--)
    {
      const SondeExecutionEdit *edit = g_ptr_array_index (past->edits, i - 1);

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
    if (((SondeExecutionEdit *) g_ptr_array_index (past->edits, i - 1))->position > position)
      g_ptr_array_remove_index (past->edits, i - 1);

  if (execution->edited != NULL)
    memset (execution->edited, 0, execution->plan->slots->len);
  for (guint i = 0; past != NULL && i < past->edits->len; i++)
    {
      const SondeExecutionEdit *edit = g_ptr_array_index (past->edits, i);
      guint slot = edit->value->producer != NULL ? execution->plan->slot_of_value[edit->value->id]
                                                 : SONDE_NO_SLOT;

      execution->sources_written = execution->sources_written || edit->value->producer == NULL;
      for (; slot != SONDE_NO_SLOT; slot = sonde_plan_slot (execution->plan, slot)->next)
        execution->edited[slot] = sonde_execution_holds (execution, slot);
    }
}

/* ---- checkpoints --------------------------------------------------------- */

static const SondeCheckpoint *
checkpoint_at (const SondeExecution *execution, guint position)
{
  for (guint i = 0; execution->past != NULL && i < execution->past->checkpoints->len; i++)
    if (((SondeCheckpoint *) g_ptr_array_index (execution->past->checkpoints, i))->position
        == position)
      return g_ptr_array_index (execution->past->checkpoints, i);
  return NULL;
}

/* What was not needed any more is in no checkpoint, though nothing has taken its memory at that
 * position. */
static void
find_lost (SondeExecution *execution, const SondeCheckpoint *checkpoint)
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
  for (guint i = 0; i < checkpoint->contents->len; i++)
    execution->lost[g_array_index (checkpoint->contents, SondeSlotContent, i).slot] = FALSE;
  for (guint i = 0; i < plan->slots->len; i++) /* views */
    if (execution->lost[i])
      execution->lost[i] = execution->lost[sonde_plan_slot (plan, i)->source];
}

/* The run stands at the checkpoint of @position, or at its beginning. */
static void
restore (SondeExecution *execution, guint position)
{
  const SondeCheckpoint *checkpoint = checkpoint_at (execution, position);
  const SondePlan *plan = execution->plan;

  for (guint i = 0; i < plan->slots->len; i++)
    if (sonde_plan_slot (plan, i)->storage == SONDE_STORAGE_BOX
        && sonde_plan_slot (plan, i)->produced_by != SONDE_NEVER)
      {
        g_clear_pointer (&execution->storage.boxes[i], sonde_value_unref);
        if (checkpoint != NULL && checkpoint->boxes[i] != NULL)
          execution->storage.boxes[i] = sonde_value_ref (checkpoint->boxes[i]);
      }
  for (guint i = 0; checkpoint != NULL && i < checkpoint->contents->len; i++)
    {
      const SondeSlotContent *kept = &g_array_index (checkpoint->contents, SondeSlotContent, i);

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
      const SondeExecutionEdit *edit = g_ptr_array_index (past->edits, i);

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
    why = N_ ("nothing has run");
  else if (execution->state == SONDE_EXECUTION_DONE && execution->sources_written)
    why = N_ ("an input or parameter was written since the run finished");
  else if (step > execution->position)
    why = N_ ("it has not come that far");
  else if (step < execution->position && sonde_execution_has_updated_in_place (execution))
    why = N_ ("it updated parameters in place because nothing was observed when it began; the "
              "next run can");
  if (why == NULL)
    return TRUE;

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "The run cannot go back to before step %u: %-s.", step, why);
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
