/* SPDX-License-Identifier: Apache-2.0
 * The observer of watches: looks at values in the run, right after the step that made them, while
 * they are in cache. */
#include "engine/debug/watches/sonde-watch-list.h"
#include "engine/debug/watches/sonde-watch-outcome.h"
#include "engine/debug/watches/sonde-watch-history.h"

#include <string.h>

/* ---- one value ----------------------------------------------------------- */

/* Only asked where the outcome hangs on it, which is rare. */
static gboolean
inputs_are_finite (SondeExecution *execution, const SondeWatchTarget *target)
{
  const SondeNode *node = target->value->producer;

  for (guint i = 0; node != NULL && i < node->inputs->len; i++)
    {
      SondeGraphValue *input = sonde_node_get_input (node, i);
      SondeStatistics statistics;

      if (input != NULL && sonde_execution_read_statistics (execution, input, &statistics, NULL)
          && statistics.nan + statistics.pos_inf + statistics.neg_inf > 0)
        return FALSE;
    }
  return TRUE;
}

static SondeGraphValue *
previous_of (SondeExecution *execution, const SondeWatchTarget *target)
{
  if (target->previous != NULL && target->previous->recorded)
    return sonde_execution_is_available (execution, target->previous) ? target->previous : NULL;
  /* after a run the update is the weight, and what it was is gone */
  return sonde_execution_is_running (execution) ? target->previous : NULL;
}

static void
evaluate (SondeExecution *execution, const SondeWatchTarget *target, const SondeWatchCheck *check,
          const SondeFacts *facts, gboolean exact, SondeOutcome *outcome)
{
  const SondeCondition *condition = &check->watch->condition;
  SondeWatchFacts watch = { .facts = facts,
                            .exact = exact,
                            .in_range = facts->in_range[check->range],
                            .within = facts->within[check->tolerance],
                            .inputs_finite = TRUE };

  if (condition->klass->check == SONDE_CHECK_OPERATOR && facts->pos_inf + facts->neg_inf > 0)
    watch.inputs_finite = inputs_are_finite (execution, target);
  sonde_condition_evaluate (condition, &watch, outcome);
}

/* Once more where float sums do not decide. */
static void
evaluate_exactly (SondeExecution *execution, const SondeWatchTarget *target,
                  const SondeWatchCheck *check, SondeOutcome *outcome)
{
  SondeFactsRequest request
      = *(const SondeFactsRequest *) g_ptr_array_index (target->passes, check->pass);
  SondeFacts facts;

  request.exact = TRUE;
  if (sonde_execution_read_facts (execution, target->value, previous_of (execution, target),
                                  &request, &facts, NULL))
    evaluate (execution, target, check, &facts, TRUE, outcome);
}

SondeWatchHit *
sonde_watch_check_facts (SondeWatchList *list, SondeExecution *execution,
                         const SondeWatchTarget *target, const SondeWatchCheck *check,
                         const SondeFacts *facts)
{
  SondeOutcome outcome;

  if (check->watch->expression != NULL)
    return sonde_watch_check_expression (list, execution, target, check);
  evaluate (execution, target, check, &facts[check->pass], FALSE, &outcome);
  if (outcome.is_near)
    evaluate_exactly (execution, target, check, &outcome);
  return sonde_watch_hit_of_outcome (list->debuggee->step, target, check, &outcome);
}

guint
sonde_watch_read (SondeExecution *execution, const SondeWatchTarget *target, SondeFacts *facts)
{
  for (guint i = 0; i < target->passes->len; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!sonde_execution_read_facts (execution, target->value, previous_of (execution, target),
                                       g_ptr_array_index (target->passes, i), &facts[i], &error))
        return g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY)
                   ? SONDE_UNCHECKED_MEMORY
                   : SONDE_UNCHECKED_NO_HISTORY;
    }
  return 0;
}

/* Notes what @check says, if anything: what could not be checked only when it is news. TRUE:
 * stop. */
static gboolean
note (SondeWatchList *list, SondeWatchCheck *check, SondeWatchHit *hit)
{
  const guint unchecked = hit != NULL ? hit->unchecked : 0;
  const gboolean is_news = unchecked != check->told;

  check->told = unchecked;
  if (hit == NULL)
    return FALSE;
  if (unchecked == 0 || is_news)
    return sonde_watch_table_note (list->table, check->watch, hit,
                                   sonde_reverse_run_is_active (list->reverse));
  check->watch->info.unchecked++;
  sonde_watch_hit_free (hit);
  return FALSE;
}

/* TRUE: stop. */
static gboolean
look_at (SondeWatchList *list, SondeExecution *execution, SondeWatchTarget *target)
{
  g_autofree SondeFacts *heap
      = target->passes->len > 1 ? g_new (SondeFacts, target->passes->len) : NULL;
  SondeFacts one, *facts = heap != NULL ? heap : &one;
  gboolean stops = FALSE;
  guint why = sonde_watch_read (execution, target, facts);

  if (why == 0 && target->passes->len > 0 && !sonde_reverse_run_is_active (list->reverse))
    sonde_watch_history_keep (list->past, list->debuggee->step, target, facts);
  for (guint i = 0; i < target->checks->len; i++)
    {
      SondeWatchCheck *check = &g_array_index (target->checks, SondeWatchCheck, i);

      stops |= note (list, check,
                     why != 0 ? sonde_watch_unchecked (list->debuggee->step, target, check, why)
                              : sonde_watch_check_facts (list, execution, target, check, facts));
    }
  return stops;
}

static gboolean
look_at_all (SondeWatchList *list, SondeExecution *execution, GPtrArray *targets)
{
  gboolean stops = FALSE;

  for (guint i = 0; targets != NULL && i < targets->len; i++)
    {
      SondeWatchTarget *target = g_ptr_array_index (targets, i);

      if (!target->initial || list->debuggee->step == 1)
        stops |= look_at (list, execution, target);
    }
  return stops;
}

/* Looks, and stops where a watch does; in reverse execution the stops before are no longer the last. */
static SondeAnswer
look_and_stop (SondeWatchList *list, SondeExecution *execution, GPtrArray *targets, guint step,
               SondeMoment moment)
{
  guint before = list->table->stops->len;

  if (targets == NULL || !sonde_reverse_run_counts_stop (list->reverse, execution, step, moment)
      || !look_at_all (list, execution, targets))
    return SONDE_ANSWER_CONTINUE;
  if (sonde_reverse_run_is_active (list->reverse) && before > 0)
    g_ptr_array_remove_range (list->table->stops, 0, before);
  return list->stop (execution, step, moment, list->stop_data);
}

/* ---- the observer -------------------------------------------------------- */

static guint
wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeWatchList *list = (SondeWatchList *) observer;
  const SondeWatchTargets *targets;

  if (list->table->list->len == 0)
    return SONDE_WANT_NOTHING;
  targets = sonde_watch_list_get_targets (list, sonde_execution_get_plan (execution));
  return (targets->before[step] != NULL ? SONDE_WANT_BEFORE : 0)
         | (targets->after[step] != NULL ? SONDE_WANT_AFTER : 0);
}

static SondeAnswer
before (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeWatchList *list = (SondeWatchList *) observer;
  SondeWatchTargets *targets
      = sonde_watch_list_get_targets (list, sonde_execution_get_plan (execution));

  if (sonde_execution_get_inner (execution) != NULL) /* it goes on in a body of this very step */
    return SONDE_ANSWER_CONTINUE;
  return look_and_stop (list, execution, targets->before[step], step, SONDE_MOMENT_BEFORE);
}

static SondeAnswer
after (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeWatchList *list = (SondeWatchList *) observer;
  SondeWatchTargets *targets
      = sonde_watch_list_get_targets (list, sonde_execution_get_plan (execution));

  return look_and_stop (list, execution, targets->after[step], step, SONDE_MOMENT_AFTER);
}

static SondeAnswer
run_begins (SondeObserver *observer, SondeExecution *execution)
{
  SondeWatchList *list = (SondeWatchList *) observer;

  if (list->table->list->len == 0
      || sonde_plan_get_n_steps (sonde_execution_get_plan (execution)) == 0)
    return SONDE_ANSWER_CONTINUE;
  return look_and_stop (
      list, execution,
      sonde_watch_list_get_targets (list, sonde_execution_get_plan (execution))->at_begin, 0,
      SONDE_MOMENT_BEFORE);
}

void
sonde_watch_observer_init (SondeObserver *observer)
{
  observer->wants = wants;
  observer->before = before;
  observer->after = after;
  observer->run_begins = run_begins;
  observer->body_begins = run_begins;
  observer->nested = TRUE;
}
