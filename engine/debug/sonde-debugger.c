/* SPDX-License-Identifier: Apache-2.0
 * The debugger itself: an observer that asks its parts what they want of a step, and stops the run
 * where one of them says so. */
#include "engine/debug/sonde-debugger-private.h"

/* ---- stops --------------------------------------------------------------- */

void
sonde_debugger_set_stop (SondeDebugger *debugger, SondeExecution *execution, guint step,
                         SondeMoment moment, const SondeNode *node, SondeStopReason reason)
{
  sonde_stop_record_set (&debugger->record, execution, step, moment, node, reason,
                         debugger->debuggee.step);
  sonde_breakpoint_table_drop_temporary (&debugger->breakpoints, debugger->record.hits);
  sonde_stepper_forget (&debugger->stepper);
  /* so that steps back are few */
  sonde_execution_checkpoint (sonde_debugger_get_execution (debugger));
  sonde_debuggee_refresh (&debugger->debuggee);
}

void
sonde_debugger_enter_group (SondeDebugger *debugger, SondeExecution *execution, guint position,
                            guint n)
{
  const SondeStep *step = sonde_plan_get_step (sonde_execution_get_plan (execution), position);

  sonde_debugger_set_stop (debugger, execution, position, SONDE_MOMENT_BEFORE, step->nodes[n],
                           SONDE_STOP_STEP);
  sonde_stop_record_enter_group (&debugger->record, n);
  sonde_execution_look_ahead (execution, n);
}

void
sonde_debugger_forget_stop (SondeDebugger *debugger)
{
  sonde_stop_record_forget (&debugger->record);
  sonde_watch_table_forget_stop (&debugger->watch_table);
}

/* Breakpoints hooked to @step and @moment; hits are in the record. */
static const SondeNode *
count_hits (SondeDebugger *debugger, SondeExecution *execution, guint step, SondeMoment moment)
{
  return sonde_breakpoint_locations_count_hits (&debugger->breakpoint_locations, execution, step,
                                                moment,
                                                sonde_reverse_run_is_active (&debugger->reverse));
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
  guint result = sonde_stepper_wants (&debugger->stepper, execution, step);

  if (sonde_reverse_run_is_active (&debugger->reverse))
    result = sonde_reverse_run_wants (&debugger->reverse, execution, step);
  if ((debugger->breakpoints.list->len == 0 && debugger->probes.list == NULL)
      || sonde_reverse_run_ignores_breakpoints (&debugger->reverse))
    return result;
  if (sonde_probes_want (&debugger->probes, sonde_execution_get_plan (execution), step))
    result |= SONDE_WANT_AFTER;
  return result
         | sonde_breakpoint_locations_want (&debugger->breakpoint_locations, execution, step);
}

static SondeAnswer
before (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeDebugger *debugger = debugger_of (observer);
  SondeStopReason reason;
  const SondeNode *node;

  if (sonde_stop_record_is_evaluated (&debugger->record, execution, step))
    return SONDE_ANSWER_CONTINUE;
  /* not before it: it goes on in a body of this very step */
  if (sonde_execution_get_inner (execution) != NULL)
    return SONDE_ANSWER_CONTINUE;
  sonde_stop_record_set_evaluated (&debugger->record, execution, step);
  if (sonde_reverse_run_is_active (&debugger->reverse))
    return sonde_reverse_run_pass (&debugger->reverse, execution, step, SONDE_MOMENT_BEFORE);
  node = count_hits (debugger, execution, step, SONDE_MOMENT_BEFORE);
  reason = sonde_stepper_reason_before (&debugger->stepper, execution, step);
  if (debugger->record.hits->len > 0)
    reason = SONDE_STOP_BREAKPOINT;
  if (reason == SONDE_STOP_NONE)
    return SONDE_ANSWER_CONTINUE;
  if (reason == SONDE_STOP_UNTIL)
    node = sonde_until_get_node (&debugger->stepper.until, execution, step);
  sonde_debugger_set_stop (debugger, execution, step, SONDE_MOMENT_BEFORE, node, reason);
  return SONDE_ANSWER_PAUSE;
}

static SondeAnswer
after (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeDebugger *debugger = debugger_of (observer);
  const SondeNode *node;

  sonde_stop_record_set_evaluated (&debugger->record, NULL, SONDE_NO_POSITION);
  if (sonde_reverse_run_is_active (&debugger->reverse))
    return sonde_reverse_run_pass (&debugger->reverse, execution, step, SONDE_MOMENT_AFTER);
  sonde_stepper_count_executed (&debugger->stepper, execution);
  sonde_probes_run (&debugger->probes, execution, step);
  node = count_hits (debugger, execution, step, SONDE_MOMENT_AFTER);
  if (debugger->record.hits->len == 0)
    return SONDE_ANSWER_CONTINUE;
  /* the position before the next step is the same one: what stops there has been hit too */
  if (step + 1 < sonde_plan_get_n_steps (sonde_execution_get_plan (execution)))
    count_hits (debugger, execution, step + 1, SONDE_MOMENT_BEFORE);
  sonde_debugger_set_stop (debugger, execution, step, SONDE_MOMENT_AFTER, node,
                           SONDE_STOP_BREAKPOINT);
  return SONDE_ANSWER_PAUSE;
}

/* A watch stops the run; if a breakpoint has stopped it already, it stays that. In reverse execution it is
 * only noted. */
static SondeAnswer
stop_for_watch (SondeExecution *execution, guint step, SondeMoment moment, gpointer data)
{
  SondeDebugger *debugger = data;
  guint next = moment == SONDE_MOMENT_AFTER ? step + 1 : step;

  if (sonde_reverse_run_is_active (&debugger->reverse))
    {
      sonde_reverse_run_note_stop (&debugger->reverse, execution, step, moment);
      return SONDE_ANSWER_CONTINUE;
    }
  if (sonde_debugger_has_stopped (debugger))
    return SONDE_ANSWER_PAUSE;
  /* breakpoints of the same position have been hit, too, unless this observer saw it before */
  if (next < sonde_plan_get_n_steps (sonde_execution_get_plan (execution))
      && !sonde_stop_record_is_evaluated (&debugger->record, execution, next))
    count_hits (debugger, execution, next, SONDE_MOMENT_BEFORE);
  sonde_debugger_set_stop (debugger, execution, step, moment, NULL, SONDE_STOP_WATCHPOINT);
  return SONDE_ANSWER_PAUSE;
}

static SondeAnswer
run_begins (SondeObserver *observer, SondeExecution *execution)
{
  SondeDebugger *debugger = debugger_of (observer);

  sonde_stop_record_set_evaluated (&debugger->record, NULL, SONDE_NO_POSITION);
  debugger->record.stopped_in_run = FALSE;
  sonde_debuggee_begin_run (&debugger->debuggee, execution);
  sonde_previous_values_begin_run (&debugger->previous);
  sonde_run_lengths_note (&debugger->lengths, &debugger->debuggee,
                          sonde_plan_get_n_steps (sonde_execution_get_plan (execution)));
  return atomic_exchange (&debugger->interrupted, FALSE)
                 || sonde_reverse_run_pauses_at_begin (&debugger->reverse)
             ? SONDE_ANSWER_PAUSE
             : SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
run_ends (SondeObserver *observer, SondeExecution *execution)
{
  SondeDebugger *debugger = debugger_of (observer);

  sonde_stepper_count_run (&debugger->stepper);
  sonde_previous_values_end_run (&debugger->previous, execution,
                                 debugger->record.stopped_in_run
                                     || sonde_stepper_enters (&debugger->stepper));
  return SONDE_ANSWER_CONTINUE;
}

/* ---- life ---------------------------------------------------------------- */

/* A breakpoint goes: what it read of the step before is not kept for it any more. */
static void
breakpoint_removed (SondeArmedBreakpoint *breakpoint, gpointer data)
{
  SondeDebugger *debugger = data;
  SondeExpression *expression;

  for (guint k = 0; (expression = sonde_armed_breakpoint_get_expression (breakpoint, k)) != NULL;
       k++)
    sonde_previous_values_drop_references (&debugger->previous, expression);
}

SondeDebugger *
sonde_debugger_new (SondeGraph *original)
{
  SondeDebugger *debugger = g_new0 (SondeDebugger, 1);
  SondeDebuggee *debuggee = &debugger->debuggee;

  debugger->observer.wants = wants;
  debugger->observer.before = before;
  debugger->observer.after = after;
  debugger->observer.run_begins = run_begins;
  debugger->observer.run_ends = run_ends;
  debugger->observer.nested = TRUE;
  sonde_debuggee_set_original (debuggee, original);
  sonde_location_index_init (&debugger->locations, debuggee);
  sonde_stop_record_init (&debugger->record);
  debugger->lookup = (SondeValueLookup){ debuggee, &debugger->record };
  debugger->previous.debuggee = debugger->probes.debuggee = debuggee;
  debugger->previous.lookup = &debugger->lookup;
  sonde_breakpoint_table_init (&debugger->breakpoints);
  debugger->breakpoints.removed = breakpoint_removed;
  debugger->breakpoints.removed_data = debugger;
  debugger->breakpoint_locations = (SondeBreakpointLocations){
    .table = &debugger->breakpoints,
    .locations = &debugger->locations,
    .lookup = &debugger->lookup,
    .previous = &debugger->previous,
    .record = &debugger->record,
  };
  sonde_watch_table_init (&debugger->watch_table);
  sonde_reverse_run_init (&debugger->reverse, debuggee, &debugger->breakpoint_locations,
                          &debugger->watch_table);
  sonde_watch_list_init (&debugger->watches, &debugger->watch_table, debuggee, &debugger->reverse);
  sonde_watch_observer_init (&debugger->watches.observer);
  debugger->watches.stop = stop_for_watch;
  debugger->watches.stop_data = debugger;
  sonde_stepper_init (&debugger->stepper, debuggee, &debugger->record, &debugger->locations);
  return debugger;
}

void
sonde_debugger_free (SondeDebugger *debugger)
{
  if (debugger == NULL)
    return;
  sonde_debugger_detach (debugger);
  sonde_stepper_forget (&debugger->stepper);
  sonde_watch_list_clear (&debugger->watches);
  sonde_reverse_run_forget (&debugger->reverse);
  sonde_run_lengths_clear (&debugger->lengths);
  sonde_watch_table_clear (&debugger->watch_table);
  sonde_breakpoint_table_clear (&debugger->breakpoints);
  sonde_probes_clear (&debugger->probes);
  sonde_previous_values_clear (&debugger->previous);
  sonde_stop_record_clear (&debugger->record);
  sonde_location_index_clear (&debugger->locations);
  sonde_debuggee_set_original (&debugger->debuggee, NULL);
  g_free (debugger);
}

void
sonde_debugger_attach (SondeDebugger *debugger, const SondeDebuggerTarget *target, gpointer data)
{
  g_return_if_fail (debugger->debuggee.target == NULL);
  debugger->debuggee.target = target;
  debugger->debuggee.target_data = data;
  target->add_observer (data, &debugger->observer);
  if (debugger->watch_table.list->len > 0)
    sonde_watch_list_attach (&debugger->watches);
}

void
sonde_debugger_detach (SondeDebugger *debugger)
{
  SondeDebuggee *debuggee = &debugger->debuggee;

  if (debuggee->target == NULL)
    return;
  sonde_watch_list_detach (&debugger->watches);
  debuggee->target->remove_observer (debuggee->target_data, &debugger->observer);
  debuggee->target = NULL;
  debuggee->current = NULL;
}

void
sonde_debugger_interrupt (SondeDebugger *debugger)
{
  atomic_store (&debugger->interrupted, TRUE);
}

void
sonde_debugger_set_step_source (SondeDebugger *debugger, SondeDebuggerStepSource source,
                                gpointer data)
{
  debugger->debuggee.step_source = source;
  debugger->debuggee.step_data = data;
}

void
sonde_debugger_set_history (SondeDebugger *debugger, const SondeDebuggerHistory *history,
                            gpointer data)
{
  debugger->debuggee.history = history;
  debugger->debuggee.history_data = data;
}

/* ---- where it stands ----------------------------------------------------- */

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
  sonde_reverse_run_forget (&debugger->reverse);
  if (n_steps == 0)
    return;
  if (position < n_steps
      && !sonde_stop_record_is_evaluated (&debugger->record, execution, position))
    node = count_hits (debugger, execution, position, SONDE_MOMENT_BEFORE);
  stop_at (debugger, execution, position, node,
           debugger->record.hits->len > 0 ? SONDE_STOP_BREAKPOINT : SONDE_STOP_PAUSE);
}

void
sonde_debugger_run_is_over (SondeDebugger *debugger)
{
  sonde_stepper_forget (&debugger->stepper);
  sonde_reverse_run_forget (&debugger->reverse);
  sonde_probes_give_up (&debugger->probes);
  sonde_debugger_forget_stop (debugger);
  sonde_stop_record_leave (&debugger->record);
  sonde_stop_record_set_evaluated (&debugger->record, NULL, SONDE_NO_POSITION);
  sonde_debuggee_refresh (&debugger->debuggee);
}

void
sonde_debugger_moved (SondeDebugger *debugger, SondeExecution *execution, SondeGraph *original)
{
  SondeDebuggee *debuggee = &debugger->debuggee;

  sonde_debuggee_set_original (debuggee, original);
  sonde_debugger_run_is_over (debugger);
  debuggee->current = execution;
  debuggee->began
      = sonde_execution_is_running (execution) || sonde_execution_get_position (execution) > 0;
  if (debuggee->history != NULL)
    sonde_run_lengths_forget (&debugger->lengths,
                              debuggee->history->get_run (debuggee->history_data));
  if (!sonde_execution_is_running (execution))
    return;
  /* the breakpoints here were counted when the run came by */
  sonde_stop_record_set_evaluated (&debugger->record, execution,
                                   sonde_execution_get_position (execution));
  sonde_debugger_stop_here (debugger);
}

void
sonde_debugger_set_original (SondeDebugger *debugger, SondeGraph *original)
{
  const SondeDebuggee *debuggee = &debugger->debuggee;
  const guint64 next
      = sonde_run_position_now (debuggee).run + (sonde_debuggee_is_in_run (debuggee) ? 1 : 0);

  sonde_debuggee_set_original (&debugger->debuggee, original);
  sonde_run_lengths_forget (&debugger->lengths, next);
}

void
sonde_debugger_run_failed (SondeDebugger *debugger)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);
  guint position
      = execution != NULL ? sonde_debuggee_position_of (&debugger->debuggee, execution) : 0;

  sonde_debugger_run_is_over (debugger);
  if (debugger->debuggee.began && execution != NULL
      && position < sonde_plan_get_n_steps (sonde_execution_get_plan (execution)))
    stop_at (debugger, execution, position, NULL, SONDE_STOP_ERROR);
}

void
sonde_debugger_restarted (SondeDebugger *debugger)
{
  sonde_previous_values_forget (&debugger->previous);
  sonde_watch_list_restarted (&debugger->watches);
  sonde_debugger_run_is_over (debugger);
  debugger->debuggee.began = FALSE;
  debugger->debuggee.step = 0;
}
