/* SPDX-License-Identifier: Apache-2.0
 * Looking at what was kept of watched values, or at what is there now, again. */
#include "engine/debug/sonde-debugger-private.h"
#include "engine/debug/sonde-reverse-execution.h"
#include "engine/debug/watches/sonde-watch-outcome.h"
#include "engine/debug/watches/sonde-watch-history.h"
#include "engine/debug/sonde-watch.h"

/* The kept counts that @condition asks for; FALSE when they were not asked for then. */
static gboolean
find_counts (const SondeStepFacts *past, const SondeCondition *condition, SondeWatchFacts *watch)
{
  SondeFactsRequest request = *past->request;
  SondeFactsRange range;
  SondeFactsTolerance tolerance;
  guint k;

  if (sonde_condition_get_range (condition, &range))
    {
      k = sonde_watch_place_range (&request, &range);
      if (k >= past->request->n_ranges)
        return FALSE;
      watch->in_range = past->facts.in_range[k];
    }
  if (sonde_condition_get_tolerance (condition, &tolerance))
    {
      k = sonde_watch_place_tolerance (&request, &tolerance);
      if (k >= past->request->n_tolerances)
        return FALSE;
      watch->within = past->facts.within[k];
    }
  return TRUE;
}

/* Sums are those of the run: exact to SONDE_FACTS_ERROR. */
static SondeWatchHit *
check_past (SondeWatchList *list, const SondeWatchTarget *target, const SondeWatchCheck *check,
            guint64 step)
{
  const SondeStepFacts *past = sonde_watch_history_find (list->past, target, step);
  SondeWatchFacts watch = { .exact = TRUE, .inputs_finite = TRUE };
  SondeOutcome outcome;
  SondeWatchHit *hit;

  if (past != NULL)
    watch.facts = &past->facts;
  if (past == NULL || check->watch->expression != NULL
      || !find_counts (past, &check->watch->condition, &watch))
    hit = sonde_watch_unchecked (list->debuggee->step, target, check, SONDE_UNCHECKED_NO_HISTORY);
  else
    {
      sonde_condition_evaluate (&check->watch->condition, &watch, &outcome);
      hit = sonde_watch_hit_of_outcome (list->debuggee->step, target, check, &outcome);
    }
  if (hit != NULL)
    hit->step = step;
  return hit;
}

/* ---- now ----------------------------------------------------------------- */

/* A weight whose update is not there yet is looked at as it is. */
static gboolean
read_now (SondeExecution *execution, const SondeWatchTarget *target, SondeFacts *facts, guint *why)
{
  SondeWatchTarget present = *target;

  if (!sonde_execution_is_available (execution, present.value))
    {
      present.value = target->subject;
      present.previous = NULL;
    }
  if (!sonde_execution_is_available (execution, present.value))
    return FALSE;
  *why = sonde_watch_read (execution, &present, facts);
  return TRUE;
}

static void
recheck_target (SondeWatchList *list, SondeExecution *execution, const SondeWatchTarget *target,
                guint64 step, GPtrArray *hits)
{
  const gboolean now = step == list->debuggee->step;
  g_autofree SondeFacts *facts = g_new0 (SondeFacts, target->passes->len + 1);
  guint why = 0;

  if (target->initial && step != 1)
    return;

  /* of a finished step what it changed is only in what was kept */
  if (now
      && (sonde_execution_is_running (execution) || sonde_debuggee_reads_steps (list->debuggee)
          || target->previous == NULL
          || sonde_watch_history_find (list->past, target, step) == NULL))
    {
      if (!read_now (execution, target, facts, &why))
        return;
    }
  else
    why = G_MAXUINT;

  for (guint i = 0; i < target->checks->len; i++)
    {
      const SondeWatchCheck *check = &g_array_index (target->checks, SondeWatchCheck, i);
      SondeWatchHit *hit;

      if (why == G_MAXUINT)
        hit = check_past (list, target, check, step);
      else if (why != 0)
        hit = sonde_watch_unchecked (list->debuggee->step, target, check, why);
      else
        hit = sonde_watch_check_facts (list, execution, target, check, facts);
      if (hit != NULL)
        g_ptr_array_add (hits, hit);
    }
}

/* Of a target whose steps are all there: on the step itself, as if it stood there. */
static GPtrArray *
recheck_there (SondeDebugger *debugger, guint64 step, GError **error)
{
  SondeWatchList *list = &debugger->watches;
  g_autoptr (GPtrArray) hits
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);
  const guint64 here = debugger->debuggee.step;
  SondeExecution *execution;
  SondeWatchTargets *targets;

  step = step != 0 ? step : sonde_stop_record_get_step (&debugger->record, &debugger->debuggee);
  execution = debugger->debuggee.history->look_at (debugger->debuggee.history_data, step, error);
  if (execution == NULL)
    return NULL;

  targets = sonde_watch_list_get_targets (list, sonde_execution_get_plan (execution));
  debugger->debuggee.step = step;
  for (guint i = 0; i < targets->targets->len; i++)
    recheck_target (list, execution, g_ptr_array_index (targets->targets, i), step, hits);
  debugger->debuggee.step = here;
  return g_steal_pointer (&hits);
}

GPtrArray *
sonde_debugger_recheck (SondeDebugger *debugger, guint64 step, GError **error)
{
  SondeWatchList *list = &debugger->watches;
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  g_autoptr (GPtrArray) hits
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);
  SondeWatchTargets *targets;

  if (execution == NULL
      || (!debugger->debuggee.began && !sonde_debuggee_reads_steps (&debugger->debuggee)))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing has run yet that could be checked; run it first.");
      return NULL;
    }
  if (step == 0)
    step = debugger->debuggee.step;
  if (sonde_debuggee_reads_steps (&debugger->debuggee))
    return recheck_there (debugger, step, error);
  if (step != debugger->debuggee.step && !sonde_watch_history_has_step (list->past, step))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing is kept of step %" PRIu64 " (the present one is %" PRIu64
                       "): what watches "
                       "looked at is kept for %u steps. until step:%" PRIu64
                       " goes there, and recheck looks there.",
                       step, debugger->debuggee.step, SONDE_DEBUGGER_WATCH_HISTORY, step);
      return NULL;
    }

  targets = sonde_watch_list_get_targets (list, sonde_execution_get_plan (execution));
  for (guint i = 0; i < targets->targets->len; i++)
    recheck_target (list, execution, g_ptr_array_index (targets->targets, i), step, hits);
  return g_steal_pointer (&hits);
}

/* ---- once more ----------------------------------------------------------- */

static gboolean
lacks_something (const GPtrArray *hits)
{
  for (guint i = 0; hits != NULL && i < hits->len; i++)
    if ((((const SondeWatchHit *) g_ptr_array_index (hits, i))->unchecked
         & SONDE_UNCHECKED_NO_HISTORY)
        != 0)
      return TRUE;
  return hits == NULL;
}

/* The end of the last run of @step. FALSE: there is no way to it. */
static gboolean
find_end (SondeDebugger *debugger, guint64 step, SondeRunPosition *at)
{
  const SondeDebuggerHistory *history = debugger->debuggee.history;
  guint64 run, next;

  if (history == NULL || history->restore == NULL || history->find_run == NULL || step == 0)
    return FALSE;
  run = history->find_run (debugger->debuggee.history_data, step);
  next = history->find_run (debugger->debuggee.history_data, step + 1);
  return run >= sonde_debugger_get_first_run (debugger) && next > run
         && next <= debugger->lengths.n_seen && sonde_debugger_get_run_end (debugger, next - 1, at);
}

GPtrArray *
sonde_debugger_recheck_again (SondeDebugger *debugger, guint64 step, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GPtrArray) kept = sonde_debugger_recheck (debugger, step, &reason), again = NULL;
  SondeReturnPoint saved;
  SondeRunPosition end;
  gboolean good;

  if (step == 0 || step == debugger->debuggee.step || !lacks_something (kept)
      || !find_end (debugger, step, &end))
    {
      if (kept == NULL)
        g_propagate_error (error, g_steal_pointer (&reason));
      return g_steal_pointer (&kept);
    }
  sonde_return_point_init (&saved, debugger);
  good = sonde_debugger_travel_to (debugger, &end, SONDE_STOP_STEP, error);
  if (good)
    again = sonde_debugger_recheck (debugger, 0, error);
  good = sonde_return_point_go (&saved, debugger, good && again != NULL ? error : NULL);
  sonde_return_point_clear (&saved);
  return good ? g_steal_pointer (&again) : NULL;
}
