/* SPDX-License-Identifier: Apache-2.0
 * The loop over the steps of a plan, the same for forward, gradient and optimiser. */
#include "engine/plan/execution/sonde-execution-run.h"

#include "engine/plan/execution/sonde-execution-detach.h"
#include "engine/plan/execution/sonde-execution-given.h"
#include "engine/plan/execution/sonde-execution-inner.h"
#include "engine/plan/execution/sonde-execution-observers.h"
#include "engine/plan/execution/sonde-execution-past.h"
#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-execution-updates.h"
#include "engine/plan/execution/sonde-execution-weights.h"
#include "engine/plan/execution/sonde-run-memory.h"
#include "engine/plan/execution/sonde-step-meter.h"
#include "engine/plan/execution/sonde-step-runner.h"

/* ---- the loop ------------------------------------------------------------ */

static gboolean
check_inputs (const SondeExecution *execution, GError **error)
{
  const SondePlan *plan = execution->plan;

  for (guint i = 0; i < plan->graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (plan->graph->inputs, i);
      g_autofree char *type = NULL;

      if (execution->filled[plan->slot_of_value[input->id]]
          || (input->users->len == 0 && (input->captures == NULL || input->captures->len == 0)))
        continue;

      type = sonde_type_to_string (&input->type);
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Input “%s” (%s) must be given a value before the run", input->name, type);
      return FALSE;
    }

  return TRUE;
}

static void
drop_box (SondeExecution *execution, guint slot)
{
  if (execution->storage.boxes[slot] == NULL)
    return;
  sonde_run_memory_give_back (sonde_run_memory_get (execution), execution->storage.boxes[slot]);
  g_clear_pointer (&execution->storage.boxes[slot], sonde_value_unref);
}

void
sonde_execution_drop_results (SondeExecution *execution)
{
  const SondePlan *plan = execution->plan;

  for (guint i = 0; i < plan->slots->len; i++)
    if (sonde_plan_slot (plan, i)->produced_by != SONDE_NEVER)
      drop_box (execution, i);
}

/* A run begins: from here on nothing of the last one can be read. */
static gboolean
begin (SondeExecution *execution, GError **error)
{
  guint64 moment;

  if (execution->state == SONDE_EXECUTION_RUNNING)
    return TRUE;
  moment = execution->parent == NULL ? sonde_execution_begin_span (execution) : 0;
  if (execution->state == SONDE_EXECUTION_OVER && sonde_execution_has_updated_in_place (execution))
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
          "The last run ended while it was updating parameters in place: some are from before the "
          "step, some from after it. Abandon that run, then set all of them from a checkpoint.");
      return FALSE;
    }

  /* In this order: room that weights need while they are laid out is not needed at the same time as
   * that of the run. */
  if (!check_inputs (execution, error) || !sonde_execution_refresh_weights (execution, error)
      || !sonde_execution_wake (execution, error))
    return FALSE;

  sonde_execution_reattach (execution);
  sonde_execution_drop_results (execution);
  sonde_execution_forget_past (execution);
  sonde_execution_reset_inner (execution);
  if (execution->parent == NULL)
    sonde_run_memory_begin (execution);
  execution->state = SONDE_EXECUTION_RUNNING;
  execution->pass++;
  execution->position = 0;
  execution->announced = execution->ended = execution->before_done = FALSE;
  execution->sources_written = FALSE;
  g_clear_pointer (&execution->edited, g_free);
  execution->run_seed = execution->seed;
  execution->run_counter = execution->counter;
  sonde_execution_place_updates (execution);
  if (execution->parent == NULL)
    sonde_execution_add_begin (execution, moment);
  return TRUE;
}

/* What an answer means for the run. DONE: go on. */
static SondeRunResult
obey (SondeExecution *execution, SondeAnswer answer)
{
  if (answer == SONDE_ANSWER_CONTINUE)
    return SONDE_RUN_DONE;

  if (answer == SONDE_ANSWER_PAUSE)
    {
      sonde_execution_keep_old (execution->root);
      return SONDE_RUN_PAUSED;
    }

  execution->state = SONDE_EXECUTION_OVER;
  return SONDE_RUN_STOPPED;
}

gboolean
sonde_execution_take_interrupt (SondeExecution *execution)
{
  guint mask = atomic_load_explicit (&execution->root->mask, memory_order_relaxed);

  if ((execution->allowed & mask & SONDE_FLAG_INTERRUPT) == 0)
    return FALSE;

  atomic_fetch_and (&execution->root->mask, ~SONDE_FLAG_INTERRUPT);
  sonde_execution_keep_old (execution->root);
  return TRUE;
}

/* What counts now: in a body also an interrupt of the whole. */
static guint
current_mask (SondeExecution *execution)
{
  guint mask = atomic_load_explicit (&execution->mask, memory_order_relaxed);

  if (G_UNLIKELY (execution->root != execution))
    mask |= atomic_load_explicit (&execution->root->mask, memory_order_relaxed)
            & SONDE_FLAG_INTERRUPT;
  return mask & execution->allowed;
}

/* Somebody wants something before the step at the position. */
static SondeRunResult
attend_before (SondeExecution *execution, guint flags)
{
  if ((flags & SONDE_FLAG_INTERRUPT) != 0 && sonde_execution_take_interrupt (execution))
    return SONDE_RUN_PAUSED;

  if ((flags & SONDE_WANT_BEFORE) == 0 || execution->before_done)
    return SONDE_RUN_DONE;

  execution->before_done = TRUE;
  return obey (execution, sonde_execution_tell_before (execution, execution->position));
}

static void
store_results (SondeExecution *execution, const SondePlanStep *step)
{
  SondeDevice *device = execution->plan->device;

  for (guint i = 0; i < step->n_stores; i++)
    {
      const guint from = step->stores[2 * i], to = step->stores[2 * i + 1];

      device->klass->store (device, sonde_plan_slot (execution->plan, to)->bytes,
                            execution->storage.memory[from], execution->storage.memory[to]);
    }
}

/* What nobody reads any more goes, and the step runs. */
static SondeRunResult
run_step (SondeExecution *execution, guint index, GError **error)
{
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);
  SondeRunResult result;

  for (guint i = 0; i < step->n_dying; i++)
    drop_box (execution, step->dying[i]);

  if (G_UNLIKELY (execution->given != NULL) && sonde_execution_give (execution, index))
    result = SONDE_RUN_DONE;
  else
    result = sonde_execution_run_step (execution, index, &execution->storage, FALSE, error);
  if (step->n_stores > 0 && result == SONDE_RUN_DONE)
    store_results (execution, step);
  return result;
}

/* Steps up to @end; of the flags only those of @allowed count. */
static SondeRunResult
run_steps (SondeExecution *execution, guint end, guint allowed, GError **error)
{
  SondeStepMeter meter;

  sonde_step_meter_begin (&meter, execution);
  execution->allowed = allowed;
  execution->ahead = 0;
  while (execution->position < end)
    {
      guint step = execution->position;
      guint wanted = execution->flags[step] & current_mask (execution);
      SondeRunResult result;

      if (G_UNLIKELY (wanted != 0))
        {
          result = attend_before (execution, wanted);
          if (result != SONDE_RUN_DONE)
            return result;
          if (meter.ticks != NULL)
            sonde_step_meter_skip (&meter, execution);
        }

      result = run_step (execution, step, error);
      if (G_UNLIKELY (meter.ticks != NULL))
        sonde_step_meter_end (&meter, execution, step);
      if (result != SONDE_RUN_DONE)
        {
          if (result != SONDE_RUN_PAUSED)
            execution->state = SONDE_EXECUTION_OVER;
          return result;
        }

      execution->position = step + 1;
      execution->before_done = FALSE;
      wanted = execution->flags[step] & current_mask (execution);
      if (G_UNLIKELY ((wanted & SONDE_WANT_AFTER) != 0))
        {
          result = obey (execution, sonde_execution_tell_after (execution, step));
          if (result != SONDE_RUN_DONE)
            return result;
          if (meter.ticks != NULL)
            sonde_step_meter_skip (&meter, execution);
        }
    }

  return SONDE_RUN_DONE;
}

static SondeRunResult
run_whole (SondeExecution *execution, GError **error)
{
  SondeRunResult result;

  if (!begin (execution, error))
    return SONDE_RUN_FAILED;

  if (!execution->announced)
    {
      execution->announced = TRUE;
      result = obey (execution, sonde_execution_tell_begins (execution));
      if (result != SONDE_RUN_DONE)
        return result;
    }

  result = run_steps (execution, execution->plan->steps->len, G_MAXUINT, error);
  if (result != SONDE_RUN_DONE)
    return result;

  if (!execution->plan->device->klass->synchronise (execution->plan->device, error))
    {
      execution->state = SONDE_EXECUTION_OVER;
      return SONDE_RUN_FAILED;
    }

  if (!execution->ended)
    {
      execution->ended = TRUE;
      result = obey (execution, sonde_execution_tell_ends (execution));
      if (result != SONDE_RUN_DONE)
        return result;
    }

  sonde_execution_exchange_updates (execution);
  execution->state = SONDE_EXECUTION_DONE;
  return SONDE_RUN_DONE;
}

SondeRunResult
sonde_execution_run (SondeExecution *execution, GError **error)
{
  SondeRunResult result = run_whole (execution, error);

  sonde_run_memory_end (execution, result == SONDE_RUN_DONE);
  sonde_execution_end_span (execution, result == SONDE_RUN_DONE);
  return result;
}

/* ---- bodies -------------------------------------------------------------- */

/* Random numbers differ from iteration to iteration. */
static void
take_counter (SondeExecution *execution)
{
  const SondeExecution *parent = execution->parent;

  execution->seed
      = parent->run_seed ^ (guint64) execution->iteration * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  execution->counter = parent->run_counter;
}

SondeRunResult
sonde_execution_run_body (SondeExecution *execution, guint allowed, GError **error)
{
  gboolean told = execution->tells && (allowed & SONDE_WANT_BEFORE) != 0;
  SondeRunResult result;

  take_counter (execution);
  if (!begin (execution, error))
    return SONDE_RUN_FAILED;

  if (!execution->announced)
    {
      execution->announced = TRUE;
      result
          = told ? obey (execution, sonde_execution_tell_body (execution, TRUE)) : SONDE_RUN_DONE;
      if (result != SONDE_RUN_DONE)
        return result;
    }

  result = run_steps (execution, execution->plan->steps->len, allowed, error);
  if (result != SONDE_RUN_DONE)
    return result;

  if (!execution->ended)
    {
      execution->ended = TRUE;
      result
          = told ? obey (execution, sonde_execution_tell_body (execution, FALSE)) : SONDE_RUN_DONE;
      if (result != SONDE_RUN_DONE)
        return result;
    }

  execution->state = SONDE_EXECUTION_DONE;
  return SONDE_RUN_DONE;
}

void
sonde_execution_abandon (SondeExecution *execution)
{
  gboolean lost = sonde_execution_has_updated_in_place (execution);

  if (execution->state != SONDE_EXECUTION_RUNNING
      && !(execution->state == SONDE_EXECUTION_OVER && lost))
    return;

  if (lost && execution->state == SONDE_EXECUTION_RUNNING)
    {
      run_steps (execution, execution->plan->steps->len, 0, NULL);
      sonde_execution_exchange_updates (execution);
    }
  sonde_execution_reset_inner (execution);
  execution->state = SONDE_EXECUTION_IDLE;
  execution->position = 0;
}

/* Without what follows a run. */
static SondeRunResult
run_part (SondeExecution *execution, guint step, GError **error)
{
  if (!begin (execution, error))
    return SONDE_RUN_FAILED;

  if (execution->position > step)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
          "The run is already at step %u and cannot go back to step %u; abandon it first",
          execution->position, step);
      return SONDE_RUN_FAILED;
    }

  execution->announced = TRUE;
  sonde_execution_keep_old (execution);
  return run_steps (execution, step, SONDE_FLAG_INTERRUPT, error);
}

SondeRunResult
sonde_execution_run_to (SondeExecution *execution, guint step, GError **error)
{
  SondeRunResult result;

  g_return_val_if_fail (step <= execution->plan->steps->len, SONDE_RUN_FAILED);

  result = run_part (execution, step, error);
  sonde_run_memory_end (execution, FALSE);
  sonde_execution_end_span (execution, FALSE);
  return result == SONDE_RUN_DONE ? SONDE_RUN_PAUSED : result;
}
