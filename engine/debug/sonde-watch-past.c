/* SPDX-License-Identifier: Apache-2.0
 * What is kept of watched values of the last steps, and looking at it, or at what is there now,
 * again. */
#include "engine/debug/sonde-watch-private.h"

#define MAX_VALUES 20000 /* of which something is kept: about 70 MB */

static void
clear_past (SondePastFacts *past)
{
  g_clear_pointer (&past->request, g_rc_box_release);
}

void
sonde_watch_past_free (gpointer data)
{
  SondePastFacts *past = data;

  for (guint i = 0; i < SONDE_DEBUGGER_WATCH_HISTORY; i++)
    clear_past (&past[i]);
  g_free (past);
}

void
sonde_watch_past_keep (SondeWatchList *list, const SondeWatchTarget *target,
                       const SondeFacts *facts)
{
  const guint64 step = list->debugger->step;
  SondePastFacts *past = g_hash_table_lookup (list->past, target->subject->name);

  if (past == NULL && g_hash_table_size (list->past) >= MAX_VALUES)
    return;
  if (past == NULL)
    {
      past = g_new0 (SondePastFacts, SONDE_DEBUGGER_WATCH_HISTORY);
      g_hash_table_insert (list->past, g_strdup (target->subject->name), past);
    }
  past += step % SONDE_DEBUGGER_WATCH_HISTORY;
  clear_past (past);
  past->step = step;
  past->request = g_rc_box_acquire (g_ptr_array_index (target->passes, 0));
  past->facts = facts[0];
}

static const SondePastFacts *
find_past (SondeWatchList *list, const SondeWatchTarget *target, guint64 step)
{
  const SondePastFacts *past = g_hash_table_lookup (list->past, target->subject->name);

  if (past == NULL)
    return NULL;
  past += step % SONDE_DEBUGGER_WATCH_HISTORY;
  return past->request != NULL && past->step == step ? past : NULL;
}

/* The kept counts that @condition asks for; FALSE when they were not asked for then. */
static gboolean
find_counts (const SondePastFacts *past, const SondeCondition *condition, SondeWatchFacts *watch)
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
  const SondePastFacts *past = find_past (list, target, step);
  SondeWatchFacts watch = { .exact = TRUE, .inputs_finite = TRUE };
  SondeOutcome outcome;
  SondeWatchHit *hit;

  if (past != NULL)
    watch.facts = &past->facts;
  if (past == NULL || check->watch->expression != NULL
      || !find_counts (past, &check->watch->condition, &watch))
    hit = sonde_watch_unchecked (list, target, check, SONDE_UNCHECKED_NO_HISTORY);
  else
    {
      sonde_condition_evaluate (&check->watch->condition, &watch, &outcome);
      hit = sonde_watch_hit_of_outcome (list, target, check, &outcome);
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
  const gboolean now = step == list->debugger->step;
  g_autofree SondeFacts *facts = g_new0 (SondeFacts, target->passes->len + 1);
  guint why = 0;

  if (target->initial && step != 1)
    return;

  /* of a finished step what it changed is only in what was kept */
  if (now
      && (sonde_execution_is_running (execution) || sonde_debugger_reads_steps (list->debugger)
          || target->previous == NULL || find_past (list, target, step) == NULL))
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
        hit = sonde_watch_unchecked (list, target, check, why);
      else
        hit = sonde_watch_check_facts (list, execution, target, check, facts);
      if (hit != NULL)
        g_ptr_array_add (hits, hit);
    }
}

static gboolean
has_step (SondeWatchList *list, guint64 step)
{
  GHashTableIter iter;
  gpointer past;

  g_hash_table_iter_init (&iter, list->past);
  while (g_hash_table_iter_next (&iter, NULL, &past))
    if (((const SondePastFacts *) past)[step % SONDE_DEBUGGER_WATCH_HISTORY].step == step)
      return TRUE;
  return FALSE;
}

/* Of a target whose steps are all there: on the step itself, as if it stood there. */
static GPtrArray *
recheck_there (SondeWatchList *list, guint64 step, GError **error)
{
  SondeDebugger *debugger = list->debugger;
  g_autoptr (GPtrArray) hits
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);
  const guint64 here = debugger->step;
  SondeExecution *execution;
  SondeWatchTable *table;
  SondeStop stop;

  sonde_debugger_get_stop (debugger, &stop);
  step = step != 0 ? step : stop.step;
  execution = debugger->history->look_at (debugger->history_data, step, error);
  if (execution == NULL)
    return NULL;

  table = sonde_watch_list_table (list, sonde_execution_get_plan (execution));
  debugger->step = step;
  for (guint i = 0; i < table->targets->len; i++)
    recheck_target (list, execution, g_ptr_array_index (table->targets, i), step, hits);
  debugger->step = here;
  return g_steal_pointer (&hits);
}

GPtrArray *
sonde_debugger_recheck (SondeDebugger *debugger, guint64 step, GError **error)
{
  SondeWatchList *list = sonde_debugger_watch_list (debugger);
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  g_autoptr (GPtrArray) hits
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);
  SondeWatchTable *table;

  if (execution == NULL || (!debugger->began && !sonde_debugger_reads_steps (debugger)))
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "Nothing has run yet that could be checked; run it first.");
      return NULL;
    }
  if (step == 0)
    step = debugger->step;
  if (sonde_debugger_reads_steps (debugger))
    return recheck_there (list, step, error);
  if (step != debugger->step && !has_step (list, step))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Nothing is kept of step %" G_GUINT64_FORMAT
                   " (the present one is %" G_GUINT64_FORMAT "): what watches "
                   "looked at is kept for %u steps. until step:%" G_GUINT64_FORMAT
                   " goes there, and recheck looks there.",
                   step, debugger->step, SONDE_DEBUGGER_WATCH_HISTORY, step);
      return NULL;
    }

  table = sonde_watch_list_table (list, sonde_execution_get_plan (execution));
  for (guint i = 0; i < table->targets->len; i++)
    recheck_target (list, execution, g_ptr_array_index (table->targets, i), step, hits);
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
find_end (SondeDebugger *debugger, guint64 step, SondeRunPlace *place)
{
  const SondeDebuggerHistory *history = debugger->history;
  guint64 run, next;

  if (history == NULL || history->restore == NULL || history->find_run == NULL || step == 0)
    return FALSE;
  run = history->find_run (debugger->history_data, step);
  next = history->find_run (debugger->history_data, step + 1);
  return run >= sonde_debugger_get_first_run (debugger) && next > run && next <= debugger->n_seen
         && sonde_debugger_get_run_end (debugger, next - 1, place);
}

GPtrArray *
sonde_debugger_recheck_again (SondeDebugger *debugger, guint64 step, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GPtrArray) kept = sonde_debugger_recheck (debugger, step, &reason), again = NULL;
  SondeStanding standing;
  SondeRunPlace end;
  gboolean good;

  if (step == 0 || step == debugger->step || !lacks_something (kept)
      || !find_end (debugger, step, &end))
    {
      if (kept == NULL)
        g_propagate_error (error, g_steal_pointer (&reason));
      return g_steal_pointer (&kept);
    }
  sonde_standing_init (&standing, debugger);
  good = sonde_debugger_visit (debugger, &end, SONDE_STOP_STEP, error);
  if (good)
    again = sonde_debugger_recheck (debugger, 0, error);
  good = sonde_standing_go_home (&standing, debugger, good && again != NULL ? error : NULL);
  sonde_standing_clear (&standing);
  return good ? g_steal_pointer (&again) : NULL;
}
