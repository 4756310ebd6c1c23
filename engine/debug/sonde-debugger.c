/* SPDX-License-Identifier: Apache-2.0
 * The observer itself: what it wants, what it answers, where it stopped. */
#include "engine/debug/sonde-debugger-private.h"
#include "engine/debug/sonde-debugger-source.h"
#include "engine/debug/sonde-watch-private.h"

guint
sonde_debugger_index_of (SondeDebugger *debugger, SondeExecution *execution)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  SondePlaceIndex *index;

  for (guint i = 0; i < debugger->indices->len; i++)
    if (((SondePlaceIndex *) g_ptr_array_index (debugger->indices, i))->plan == plan)
      return i;
  index = sonde_place_index_new (plan, sonde_debugger_original_of (debugger, execution));
  index->is_body = sonde_execution_get_parent (execution) != NULL;
  index->base = g_strdup (sonde_debugger_base_scope (execution));
  g_ptr_array_add (debugger->indices, index);
  return debugger->indices->len - 1;
}

/* ---- stops --------------------------------------------------------------- */

static void
name_stop (SondeDebugger *debugger, const char *node, const char *op, const char *scope)
{
  g_free (debugger->node);
  g_free (debugger->op);
  g_free (debugger->scope);
  debugger->node = g_strdup (node);
  debugger->op = g_strdup (op);
  debugger->scope = g_strdup (scope);
}

void
sonde_debugger_set_stop (SondeDebugger *debugger, SondeExecution *execution, guint step,
                         SondeMoment moment, const SondeNode *node, SondeStopReason reason)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  const SondeStep *info = sonde_plan_get_step (plan, step);
  const SondeNode *last = info->n_nodes > 0 ? info->nodes[info->n_nodes - 1] : NULL;
  SondeStop *stop = &debugger->stop;

  stop->reason = reason;
  stop->position = moment == SONDE_MOMENT_AFTER ? step + 1 : step;
  stop->n_steps = sonde_plan_get_n_steps (plan);
  stop->moment = moment;
  stop->phase = info->phase;
  stop->step = debugger->step;
  if (node != NULL)
    name_stop (debugger, node->name, node->op, node->scope);
  else
    name_stop (debugger, info->name, info->op, last != NULL ? last->scope : NULL);
  debugger->evaluated = stop->position;
  debugger->evaluated_in = execution;
  debugger->evaluated_pass = sonde_execution_get_pass (execution);
  debugger->stopped_in_run = TRUE;
  debugger->in_group = FALSE;
  debugger->selected = 0;
  g_clear_pointer (&debugger->entered, g_free);
  sonde_debugger_drop_temporary (debugger);
  sonde_debugger_forget_resume (debugger);
  /* so that steps back are few */
  sonde_execution_checkpoint (sonde_debugger_get_execution (debugger));
  sonde_debugger_refresh (debugger);
}

/* ---- the observer's entries ---------------------------------------------- */

static SondeDebugger *
debugger_of (SondeObserver *observer)
{
  return (SondeDebugger *) observer;
}

static guint
wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeDebugger *debugger = debugger_of (observer);
  GPtrArray *list = sonde_debugger_get_breakpoints (debugger);
  guint result = sonde_debugger_resume_wants (debugger, execution, step);
  guint index;

  if (sonde_debugger_is_going_back (debugger))
    result = sonde_debugger_travel_wants (debugger, execution, step);
  if ((list->len == 0 && debugger->probes == NULL) || sonde_debugger_is_direct (debugger))
    return result;
  index = sonde_debugger_index_of (debugger, execution);
  if (sonde_debugger_wants_probe (debugger, sonde_execution_get_plan (execution), step))
    result |= SONDE_WANT_AFTER;
  for (guint i = 0; i < list->len && result != (SONDE_WANT_BEFORE | SONDE_WANT_AFTER); i++)
    {
      SondeArmedBreakpoint *breakpoint = g_ptr_array_index (list, i);
      const GArray *places = sonde_debugger_breakpoint_places (debugger, breakpoint, index);

      if (!breakpoint->info.enabled)
        continue;
      if (sonde_places_at (places, step, SONDE_MOMENT_BEFORE) != NULL)
        result |= SONDE_WANT_BEFORE;
      if (sonde_places_at (places, step, SONDE_MOMENT_AFTER) != NULL)
        result |= SONDE_WANT_AFTER;
    }
  return result;
}

static void
set_evaluated (SondeDebugger *debugger, const SondeExecution *execution, guint position)
{
  debugger->evaluated = position;
  debugger->evaluated_in = execution;
  debugger->evaluated_pass = execution != NULL ? sonde_execution_get_pass (execution) : 0;
}

/* The same position of the next iteration is another one. */
static gboolean
is_evaluated (SondeDebugger *debugger, const SondeExecution *execution, guint position)
{
  return debugger->evaluated == position && debugger->evaluated_in == execution
         && debugger->evaluated_pass == sonde_execution_get_pass (execution);
}

static SondeAnswer
before (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeDebugger *debugger = debugger_of (observer);
  guint index = sonde_debugger_index_of (debugger, execution);
  SondeStopReason reason;
  const SondeNode *node;

  if (is_evaluated (debugger, execution, step))
    return SONDE_ANSWER_CONTINUE;
  /* not before it: it goes on in a body of this very step */
  if (sonde_execution_get_inner (execution) != NULL)
    return SONDE_ANSWER_CONTINUE;
  set_evaluated (debugger, execution, step);
  if (sonde_debugger_is_going_back (debugger))
    return sonde_debugger_travel_comes_by (debugger, execution, step, SONDE_MOMENT_BEFORE);
  node = sonde_debugger_count_hits (debugger, index, step, SONDE_MOMENT_BEFORE);
  reason = sonde_debugger_reason_before (debugger, execution, step);
  if (debugger->hits->len > 0)
    reason = SONDE_STOP_BREAKPOINT;
  if (reason == SONDE_STOP_NONE)
    return SONDE_ANSWER_CONTINUE;
  if (reason == SONDE_STOP_UNTIL)
    node = sonde_debugger_until_node (debugger, execution, step);
  sonde_debugger_set_stop (debugger, execution, step, SONDE_MOMENT_BEFORE, node, reason);
  return SONDE_ANSWER_PAUSE;
}

static SondeAnswer
after (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeDebugger *debugger = debugger_of (observer);
  guint index = sonde_debugger_index_of (debugger, execution);
  const SondeNode *node;

  set_evaluated (debugger, NULL, SONDE_NO_POSITION);
  if (sonde_debugger_is_going_back (debugger))
    return sonde_debugger_travel_comes_by (debugger, execution, step, SONDE_MOMENT_AFTER);
  sonde_debugger_count_executed (debugger, execution);
  sonde_debugger_run_probes (debugger, execution, step);
  node = sonde_debugger_count_hits (debugger, index, step, SONDE_MOMENT_AFTER);
  if (debugger->hits->len == 0)
    return SONDE_ANSWER_CONTINUE;
  /* the position before the next step is the same one: what stops there has been hit too */
  if (step + 1 < sonde_plan_get_n_steps (sonde_execution_get_plan (execution)))
    sonde_debugger_count_hits (debugger, index, step + 1, SONDE_MOMENT_BEFORE);
  sonde_debugger_set_stop (debugger, execution, step, SONDE_MOMENT_AFTER, node,
                           SONDE_STOP_BREAKPOINT);
  return SONDE_ANSWER_PAUSE;
}

SondeAnswer
sonde_debugger_stop_for_watch (SondeDebugger *debugger, SondeExecution *execution, guint step,
                               SondeMoment moment)
{
  guint index = sonde_debugger_index_of (debugger, execution);
  guint next = moment == SONDE_MOMENT_AFTER ? step + 1 : step;

  if (sonde_debugger_is_going_back (debugger))
    {
      sonde_debugger_travel_note (debugger, execution, step, moment);
      return SONDE_ANSWER_CONTINUE;
    }
  if (debugger->stop.reason != SONDE_STOP_NONE)
    return SONDE_ANSWER_PAUSE;
  /* breakpoints of the same position have been hit, too, unless this observer saw it before */
  if (next < sonde_plan_get_n_steps (sonde_execution_get_plan (execution))
      && !is_evaluated (debugger, execution, next))
    sonde_debugger_count_hits (debugger, index, next, SONDE_MOMENT_BEFORE);
  sonde_debugger_set_stop (debugger, execution, step, moment, NULL, SONDE_STOP_WATCHPOINT);
  return SONDE_ANSWER_PAUSE;
}

static SondeAnswer
run_begins (SondeObserver *observer, SondeExecution *execution)
{
  SondeDebugger *debugger = debugger_of (observer);

  debugger->current = execution;
  set_evaluated (debugger, NULL, SONDE_NO_POSITION);
  debugger->step = debugger->step_source != NULL ? debugger->step_source (debugger->step_data)
                                                 : debugger->step + 1;
  debugger->began = TRUE;
  sonde_debugger_take_previous (debugger);
  debugger->run
      = debugger->history != NULL ? debugger->history->get_run (debugger->history_data) : 0;
  sonde_debugger_note_run (debugger, sonde_plan_get_n_steps (sonde_execution_get_plan (execution)));
  return atomic_exchange (&debugger->interrupted, FALSE) || sonde_debugger_travel_begins (debugger)
             ? SONDE_ANSWER_PAUSE
             : SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
run_ends (SondeObserver *observer, SondeExecution *execution)
{
  SondeDebugger *debugger = debugger_of (observer);

  if (debugger->resume.kind == SONDE_RESUME_UNTIL) /* others count their steps */
    debugger->executed++;
  sonde_debugger_copy_previous (debugger, execution);
  return SONDE_ANSWER_CONTINUE;
}

/* ---- life ---------------------------------------------------------------- */

SondeDebugger *
sonde_debugger_new (SondeGraph *original)
{
  SondeDebugger *debugger = g_new0 (SondeDebugger, 1);

  debugger->observer.wants = wants;
  debugger->observer.before = before;
  debugger->observer.after = after;
  debugger->observer.run_begins = run_begins;
  debugger->observer.run_ends = run_ends;
  debugger->observer.nested = TRUE;
  debugger->original = original != NULL ? sonde_graph_ref (original) : NULL;
  debugger->indices = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_place_index_free);
  debugger->hits = g_array_new (FALSE, FALSE, sizeof (guint));
  debugger->iterations = g_array_new (FALSE, FALSE, sizeof (guint64));
  debugger->evaluated = SONDE_NO_POSITION;
  sonde_debugger_forget_until (debugger);
  sonde_debugger_forget_travel (debugger);
  return debugger;
}

void
sonde_debugger_free (SondeDebugger *debugger)
{
  if (debugger == NULL)
    return;
  sonde_debugger_detach (debugger);
  sonde_debugger_forget_resume (debugger);
  g_clear_pointer (&debugger->watches, sonde_watch_list_free);
  sonde_debugger_forget_travel (debugger);
  g_clear_pointer (&debugger->spans, g_array_unref);
  g_clear_pointer (&debugger->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&debugger->probes, g_ptr_array_unref);
  sonde_debugger_forget_previous (debugger);
  g_clear_pointer (&debugger->kept, g_ptr_array_unref);
  g_clear_pointer (&debugger->indices, g_ptr_array_unref);
  g_clear_pointer (&debugger->original, sonde_graph_unref);
  g_array_unref (debugger->hits);
  g_array_unref (debugger->iterations);
  g_free (debugger->entered);
  g_free (debugger->condition_error);
  name_stop (debugger, NULL, NULL, NULL);
  g_free (debugger);
}

void
sonde_debugger_attach (SondeDebugger *debugger, const SondeDebuggerTarget *target, gpointer data)
{
  g_return_if_fail (debugger->target == NULL);
  debugger->target = target;
  debugger->target_data = data;
  target->add_observer (data, &debugger->observer);
  if (debugger->watches != NULL && debugger->watches->watches->len > 0)
    sonde_watch_list_attach (debugger->watches);
}

static SondeExecution *
execution_itself (gpointer data)
{
  return data;
}

static void
execution_add (gpointer data, SondeObserver *observer)
{
  sonde_execution_add_observer (data, observer);
}

static void
execution_remove (gpointer data, SondeObserver *observer)
{
  sonde_execution_remove_observer (data, observer);
}

static void
execution_refresh (gpointer data)
{
  sonde_execution_refresh_observers (data);
}

static const SondeDebuggerTarget execution_target = {
  .get_execution = execution_itself,
  .add_observer = execution_add,
  .remove_observer = execution_remove,
  .refresh_observers = execution_refresh,
};

void
sonde_debugger_attach_execution (SondeDebugger *debugger, SondeExecution *execution)
{
  sonde_debugger_attach (debugger, &execution_target, execution);
}

void
sonde_debugger_detach (SondeDebugger *debugger)
{
  if (debugger->target == NULL)
    return;
  if (debugger->watches != NULL)
    sonde_watch_list_detach (debugger->watches);
  debugger->target->remove_observer (debugger->target_data, &debugger->observer);
  debugger->target = NULL;
  debugger->current = NULL;
}

SondeExecution *
sonde_debugger_get_execution (SondeDebugger *debugger)
{
  if (debugger->target == NULL)
    return NULL;
  return debugger->current != NULL ? debugger->current
                                   : debugger->target->get_execution (debugger->target_data);
}

void
sonde_debugger_interrupt (SondeDebugger *debugger)
{
  atomic_store (&debugger->interrupted, TRUE);
}

void
sonde_debugger_refresh (SondeDebugger *debugger)
{
  if (debugger->target != NULL)
    debugger->target->refresh_observers (debugger->target_data);
}

void
sonde_debugger_set_step_source (SondeDebugger *debugger, SondeDebuggerStepSource source,
                                gpointer data)
{
  debugger->step_source = source;
  debugger->step_data = data;
}

/* ---- where it stands ----------------------------------------------------- */

gboolean
sonde_debugger_has_stopped (SondeDebugger *debugger)
{
  return debugger->stop.reason != SONDE_STOP_NONE;
}

/* The step at @position, or after the last one. */
static void
stop_at (SondeDebugger *debugger, SondeExecution *execution, guint position, const SondeNode *node,
         SondeStopReason reason)
{
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));

  sonde_debugger_set_stop (debugger, execution, MIN (position, n_steps - 1),
                           position < n_steps ? SONDE_MOMENT_BEFORE : SONDE_MOMENT_AFTER, node,
                           reason);
}

void
sonde_debugger_stop_here (SondeDebugger *debugger)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);
  const SondeNode *node = NULL;
  guint position, n_steps;

  if (execution == NULL || sonde_debugger_has_stopped (debugger))
    return;
  n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
  position = sonde_execution_is_running (execution) ? sonde_execution_get_position (execution) : 0;
  sonde_debugger_forget_travel (debugger);
  if (n_steps == 0)
    return;
  if (position < n_steps && !is_evaluated (debugger, execution, position))
    node = sonde_debugger_count_hits (debugger, sonde_debugger_index_of (debugger, execution),
                                      position, SONDE_MOMENT_BEFORE);
  stop_at (debugger, execution, position, node,
           debugger->hits->len > 0 ? SONDE_STOP_BREAKPOINT : SONDE_STOP_PAUSE);
}

void
sonde_debugger_run_is_over (SondeDebugger *debugger)
{
  sonde_debugger_forget_resume (debugger);
  sonde_debugger_forget_travel (debugger);
  sonde_debugger_give_up_probes (debugger);
  debugger->stop.reason = SONDE_STOP_NONE;
  debugger->in_group = FALSE;
  debugger->selected = 0;
  g_clear_pointer (&debugger->entered, g_free);
  set_evaluated (debugger, NULL, SONDE_NO_POSITION);
  g_array_set_size (debugger->hits, 0);
  sonde_watch_list_forget_stop (debugger->watches);
  sonde_debugger_refresh (debugger);
}

void
sonde_debugger_moved (SondeDebugger *debugger, SondeExecution *execution, SondeGraph *original)
{
  SondeGraph *old = debugger->original;

  debugger->original = original != NULL ? sonde_graph_ref (original) : NULL;
  g_clear_pointer (&old, sonde_graph_unref);
  sonde_debugger_run_is_over (debugger);
  debugger->current = execution;
  debugger->began
      = sonde_execution_is_running (execution) || sonde_execution_get_position (execution) > 0;
  if (debugger->history != NULL)
    sonde_debugger_forget_lengths (debugger, debugger->history->get_run (debugger->history_data));
  if (!sonde_execution_is_running (execution))
    return;
  /* the breakpoints here were counted when the run came by */
  set_evaluated (debugger, execution, sonde_execution_get_position (execution));
  sonde_debugger_stop_here (debugger);
}

void
sonde_debugger_run_failed (SondeDebugger *debugger)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);
  guint position = execution != NULL ? sonde_debugger_position_of (debugger, execution) : 0;

  sonde_debugger_run_is_over (debugger);
  if (debugger->began && execution != NULL
      && position < sonde_plan_get_n_steps (sonde_execution_get_plan (execution)))
    stop_at (debugger, execution, position, NULL, SONDE_STOP_ERROR);
}

void
sonde_debugger_restarted (SondeDebugger *debugger)
{
  sonde_debugger_forget_previous (debugger);
  sonde_watch_list_restarted (debugger->watches);
  sonde_debugger_run_is_over (debugger);
  debugger->began = FALSE;
  debugger->step = 0;
}

/* A place that was not stopped at: from the execution's position. */
static void
describe_position (SondeDebugger *debugger, SondeStop *stop)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  SondePlan *plan = execution != NULL ? sonde_execution_get_plan (execution) : NULL;
  const SondeStep *info;
  gboolean after_last;

  stop->node = stop->op = (char *) "";
  if (plan == NULL || sonde_plan_get_n_steps (plan) == 0)
    return;
  stop->n_steps = sonde_plan_get_n_steps (plan);
  stop->position
      = debugger->began ? MIN (sonde_execution_get_position (execution), stop->n_steps) : 0;
  after_last = stop->position == stop->n_steps;
  info = sonde_plan_get_step (plan, after_last ? stop->n_steps - 1 : stop->position);
  stop->moment = after_last ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  stop->node = (char *) info->name;
  stop->op = (char *) info->op;
  stop->phase = info->phase;
  stop->scope = (char *) sonde_step_scope (info);
}

/* Numbers of the loops it stands in, from the outermost. */
static void
describe_iterations (SondeDebugger *debugger, SondeStop *stop)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);

  g_array_set_size (debugger->iterations, 0);
  for (; execution != NULL; execution = sonde_execution_get_parent (execution))
    {
      const SondeNode *node = sonde_execution_get_node (execution);
      guint64 iteration = (guint64) sonde_execution_get_iteration (execution);

      if (node != NULL && !sonde_node_is_op (node, "If"))
        g_array_prepend_val (debugger->iterations, iteration);
    }
  stop->iterations = &g_array_index (debugger->iterations, guint64, 0);
  stop->n_iterations = debugger->iterations->len;
}

void
sonde_debugger_get_stop (SondeDebugger *debugger, SondeStop *stop)
{
  *stop = (SondeStop){ 0 };
  if (sonde_debugger_has_stopped (debugger))
    {
      *stop = debugger->stop;
      stop->node = debugger->node;
      stop->op = debugger->op;
      stop->scope = debugger->scope;
      stop->breakpoints = &g_array_index (debugger->hits, guint, 0);
      stop->n_breakpoints = debugger->hits->len;
      stop->condition_error = debugger->hits->len > 0 ? debugger->condition_error : NULL;
      stop->watchpoints = debugger->watches != NULL ? debugger->watches->stops : NULL;
      describe_iterations (debugger, stop);
      return;
    }
  describe_position (debugger, stop);
  stop->step = debugger->began                 ? debugger->step
               : debugger->step_source != NULL ? debugger->step_source (debugger->step_data)
                                               : 1;
}
