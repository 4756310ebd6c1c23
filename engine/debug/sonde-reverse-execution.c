/* SPDX-License-Identifier: Apache-2.0
 * Reverse execution: restore the state that was kept before the position that is wanted, let the
 * target run to the beginning of its run with nobody stopping it, then to its position. REVERSE looks
 * for the position first: it lets the target run over windows that end at the present position, the
 * latest first, and notes the last position of each where something stops. */
#include "engine/debug/sonde-reverse-execution.h"

#include "engine/debug/sonde-debugger-private.h"

gboolean
sonde_debugger_is_going_back (SondeDebugger *debugger)
{
  return sonde_reverse_run_is_active (&debugger->reverse);
}

/* Something may ask for values of the step before. */
static gboolean
needs_previous (SondeDebugger *debugger)
{
  return (debugger->previous.kept != NULL && debugger->previous.kept->len > 0)
         || debugger->watch_table.list->len > 0;
}

/* To the latest state at or before @run, or before that one, so that what is kept of the step
 * before can be kept again.
 * @first: (out): the first run of which all is known then */
static gboolean
restore (SondeDebugger *debugger, guint64 run, guint64 *first, GError **error)
{
  guint64 least = sonde_debuggee_get_first_run (&debugger->debuggee, run),
          wanted = needs_previous (debugger) && run > least ? run - 1 : run;

  if (debugger->debuggee.history == NULL || debugger->debuggee.history->restore == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing was kept of earlier runs.");
      return FALSE;
    }
  if (!debugger->debuggee.history->restore (debugger->debuggee.history_data, wanted, first, error))
    return FALSE;
  *first += needs_previous (debugger) && *first > least ? 1 : 0;
  sonde_previous_values_forget (&debugger->previous);
  return TRUE;
}

static SondeRunResult
run_target (SondeDebugger *debugger, GError **error)
{
  SondeRunResult result;
  SondeRunPosition here;

  debugger->reverse.arrived = FALSE;
  result = debugger->debuggee.history != NULL
               ? debugger->debuggee.history->run (debugger->debuggee.history_data, error)
               : sonde_execution_run (sonde_debugger_get_execution (debugger), error);
  if (result != SONDE_RUN_DONE && result != SONDE_RUN_STOPPED)
    return result;
  here = sonde_run_position_now (&debugger->debuggee);
  if (debugger->reverse.kind == SONDE_REVERSE_SEARCH
      && (sonde_debuggee_is_at_end (&debugger->debuggee)
          || sonde_run_position_compare (&here, &debugger->reverse.end)
                 >= 0)) /* it was over there */
    {
      debugger->reverse.arrived = TRUE;
      return SONDE_RUN_PAUSED;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "The run ended on the way back, before it reached its earlier position.");
  return SONDE_RUN_FAILED;
}

/* It stands where it was to go. */
static void
arrive (SondeDebugger *debugger)
{
  SondeReverseRun *reverse = &debugger->reverse;
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
  guint position = MIN (reverse->to.levels[reverse->to.n_levels - 1].position, n_steps);
  gboolean after
      = position > 0
        && (position == n_steps || (reverse->found && reverse->moment == SONDE_MOMENT_AFTER));
  SondeStopReason reason = reverse->reason;
  gint64 group_node = reverse->group_node;

  g_array_set_size (debugger->record.hits, 0);
  if (reverse->found && reverse->ids != NULL)
    g_array_append_vals (debugger->record.hits, reverse->ids->data, reverse->ids->len);
  if (n_steps > 0)
    sonde_debugger_set_stop (debugger, execution, after ? position - 1 : position,
                             after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE,
                             reverse->found ? reverse->node : NULL, reason);
  sonde_reverse_run_forget (&debugger->reverse);
  if (group_node >= 0)
    sonde_debugger_enter_group (debugger, execution, position, (guint) group_node);
  sonde_debuggee_refresh (&debugger->debuggee);
}

/* To the position of the outermost execution, in the run that has begun. TRUE: it is there. */
static gboolean
run_in_place (SondeDebugger *debugger, guint position, SondeRunResult *result, GError **error)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  guint now = sonde_execution_get_position (execution);
  gboolean back = position < now || !sonde_execution_is_running (execution)
                  || sonde_execution_get_inner (execution) != NULL;

  *result = back ? sonde_execution_go_back (execution, position, error)
                 : sonde_execution_run_to (execution, position, error);
  return *result == SONDE_RUN_PAUSED && sonde_execution_get_position (execution) == position
         && sonde_execution_get_inner (execution) == NULL;
}

/* From before the node whose body it is, into it. */
static SondeRunResult
go_inside (SondeDebugger *debugger, GError **error)
{
  SondeReverseRun *reverse = &debugger->reverse;
  SondeRunResult result;

  if (!reverse->in_body)
    {
      reverse->in_body = TRUE;
      debugger->record.evaluated = SONDE_NO_POSITION;
      sonde_debuggee_refresh (&debugger->debuggee);
    }
  result = run_target (debugger, error);
  if (result == SONDE_RUN_PAUSED && reverse->arrived)
    arrive (debugger);
  return result;
}

static SondeRunResult
go_to_position (SondeDebugger *debugger, GError **error)
{
  SondeReverseRun *reverse = &debugger->reverse;
  SondeRunResult result = SONDE_RUN_PAUSED;
  SondeRunPosition here = sonde_run_position_now (&debugger->debuggee);
  guint64 restored;

  if (!sonde_debuggee_is_in_run (&debugger->debuggee) && here.run == reverse->to.run
      && sonde_run_position_is_first (&reverse->to))
    {
      debugger->debuggee.step = debugger->debuggee.step_source != NULL
                                    ? debugger->debuggee.step_source (debugger->debuggee.step_data)
                                    : 1;
      arrive (debugger); /* nothing has run, or nothing of that run */
      return SONDE_RUN_PAUSED;
    }
  if (!sonde_debuggee_is_in_run (&debugger->debuggee) || here.run != reverse->to.run)
    {
      if (!reverse->restored && !restore (debugger, reverse->to.run, &restored, error))
        return SONDE_RUN_FAILED;
      reverse->restored = TRUE;
      result = run_target (debugger, error);
      if (result != SONDE_RUN_PAUSED || !sonde_debuggee_is_in_run (&debugger->debuggee)
          || debugger->debuggee.run != reverse->to.run)
        return result; /* interrupted: it is on its way */
      here = sonde_run_position_now (&debugger->debuggee);
    }
  if (reverse->in_body)
    return go_inside (debugger, error);
  if (reverse->group_node >= 0 && sonde_run_position_compare (&here, &reverse->to) == 0)
    {
      arrive (debugger);
      return SONDE_RUN_PAUSED;
    }
  if (!run_in_place (debugger, reverse->to.levels[0].position, &result, error))
    return result;
  if (reverse->to.n_levels > 1)
    return go_inside (debugger, error);
  arrive (debugger);
  return SONDE_RUN_PAUSED;
}

/* The next window begins: in the present run, or at the latest state before its end. */
static gboolean
begin_window (SondeDebugger *debugger, GError **error)
{
  SondeReverseRun *reverse = &debugger->reverse;
  SondeRunPosition here = sonde_run_position_now (&debugger->debuggee);
  gboolean first = sonde_run_position_is_first (&reverse->end);

  debugger->record.evaluated = SONDE_NO_POSITION;
  reverse->restored = TRUE;
  reverse->begin = reverse->end.run;
  if (sonde_debuggee_is_in_run (&debugger->debuggee) && here.run == reverse->end.run && !first)
    return sonde_execution_go_back (sonde_debugger_get_execution (debugger), 0, error)
           == SONDE_RUN_PAUSED;
  return restore (debugger, first ? reverse->end.run - 1 : reverse->end.run, &reverse->begin,
                  error);
}

/* The window was searched. A node is only searched in its run. */
static void
end_window (SondeDebugger *debugger)
{
  SondeReverseRun *reverse = &debugger->reverse;
  const SondeRunPosition begin
      = sonde_run_position (reverse->pattern != NULL ? reverse->end.run : reverse->begin, 0);

  if (reverse->found && (reverse->pattern == NULL || reverse->to.run == reverse->end.run))
    {
      reverse->kind = SONDE_REVERSE_TO;
      reverse->reason = reverse->pattern != NULL ? SONDE_STOP_UNTIL
                        : reverse->ids->len > 0  ? SONDE_STOP_BREAKPOINT
                                                 : SONDE_STOP_WATCHPOINT;
    }
  else if (reverse->pattern != NULL
           || begin.run <= sonde_debuggee_get_first_run (&debugger->debuggee, begin.run))
    {
      reverse->found = FALSE;
      sonde_reverse_run_go_to (&debugger->reverse, &begin, SONDE_STOP_BEGINNING);
    }
  else
    reverse->end = begin;
  reverse->restored = reverse->arrived = FALSE;
  sonde_debuggee_refresh (&debugger->debuggee);
}

static SondeRunResult
search (SondeDebugger *debugger, GError **error)
{
  SondeReverseRun *reverse = &debugger->reverse;
  SondeRunPosition end = reverse->end;
  SondeRunResult result;

  if (!reverse->restored && sonde_run_position_is_first (&end)
      && end.run <= sonde_debuggee_get_first_run (&debugger->debuggee, end.run))
    {
      sonde_reverse_run_go_to (&debugger->reverse, &end, SONDE_STOP_BEGINNING);
      return SONDE_RUN_PAUSED;
    }
  if (!reverse->restored && !begin_window (debugger, error))
    return SONDE_RUN_FAILED;
  sonde_debuggee_refresh (&debugger->debuggee);
  result = run_target (debugger, error);
  if (result != SONDE_RUN_PAUSED)
    return result;
  if (reverse->arrived
      || (debugger->debuggee.run == end.run && sonde_run_position_is_first (&end)
          && sonde_debuggee_is_in_run (&debugger->debuggee)))
    end_window (debugger);
  return SONDE_RUN_PAUSED;
}

SondeRunResult
sonde_debugger_run_back (SondeDebugger *debugger, GError **error)
{
  SondeRunResult result = SONDE_RUN_PAUSED;

  while (sonde_debugger_is_going_back (debugger) && result == SONDE_RUN_PAUSED)
    {
      SondeReverseKind kind = debugger->reverse.kind;
      SondeRunPosition end = debugger->reverse.end;

      result
          = kind == SONDE_REVERSE_TO ? go_to_position (debugger, error) : search (debugger, error);
      if (result == SONDE_RUN_PAUSED && debugger->reverse.kind == kind
          && sonde_run_position_compare (&debugger->reverse.end, &end) == 0)
        break; /* interrupted */
    }
  if (result == SONDE_RUN_FAILED)
    sonde_reverse_run_forget (&debugger->reverse);
  return result;
}

/* ---- there and back, for whoever looks at earlier steps ------------------ */

void
sonde_debugger_get_run_position (SondeDebugger *debugger, SondeRunPosition *at)
{
  *at = sonde_run_position_now (&debugger->debuggee);
}

gboolean
sonde_debugger_get_run_end (SondeDebugger *debugger, guint64 run, SondeRunPosition *at)
{
  guint cursor = sonde_run_lengths_end (&debugger->lengths),
        length = sonde_run_lengths_get (&debugger->lengths, run, &cursor);

  *at = sonde_run_position (run, length);
  return length > 0;
}

guint64
sonde_debugger_get_first_run (SondeDebugger *debugger)
{
  SondeRunPosition here = sonde_run_position_now (&debugger->debuggee);

  return sonde_debuggee_get_first_run (&debugger->debuggee, here.run);
}

gboolean
sonde_debugger_is_over (SondeDebugger *debugger)
{
  return debugger->debuggee.began && debugger->debuggee.history != NULL
         && !sonde_debuggee_is_in_run (&debugger->debuggee)
         && !sonde_debugger_has_stopped (debugger)
         && debugger->debuggee.history->get_run (debugger->debuggee.history_data)
                == debugger->lengths.n_seen;
}

guint64
sonde_debugger_get_last_run (SondeDebugger *debugger)
{
  return debugger->lengths.n_seen - 1;
}

gboolean
sonde_debugger_can_travel (SondeDebugger *debugger)
{
  const SondeDebuggerHistory *history = debugger->debuggee.history;

  return history != NULL && history->restore != NULL && history->read_before == NULL
         && debugger->debuggee.began && debugger->record.stop.reason != SONDE_STOP_ERROR
         && !debugger->record.in_group
         && (sonde_debugger_has_stopped (debugger) || sonde_debugger_is_over (debugger));
}

static void
leave_stop (SondeDebugger *debugger)
{
  sonde_stepper_forget (&debugger->stepper);
  sonde_reverse_run_forget (&debugger->reverse);
  sonde_debugger_forget_stop (debugger);
}

gboolean
sonde_debugger_travel_to (SondeDebugger *debugger, const SondeRunPosition *at,
                          SondeStopReason reason, GError **error)
{
  leave_stop (debugger);
  sonde_reverse_run_go_to (&debugger->reverse, at, reason);
  sonde_debuggee_refresh (&debugger->debuggee);
  while (sonde_debugger_is_going_back (debugger))
    if (sonde_debugger_run_back (debugger, error) == SONDE_RUN_FAILED)
      return FALSE;
  return TRUE;
}

gboolean
sonde_debugger_travel_to_end (SondeDebugger *debugger, GError **error)
{
  const SondeRunPosition nowhere = sonde_run_position (G_MAXUINT64, 0);
  SondeRunResult result = SONDE_RUN_PAUSED;
  guint64 restored;

  leave_stop (debugger);
  if (!restore (debugger, debugger->lengths.n_seen - 1, &restored, error))
    return FALSE;
  sonde_reverse_run_go_to (&debugger->reverse, &nowhere,
                           SONDE_STOP_NONE); /* so that nothing stops it */
  sonde_debuggee_refresh (&debugger->debuggee);
  while (result == SONDE_RUN_PAUSED)
    result = debugger->debuggee.history->run (debugger->debuggee.history_data, error);
  sonde_debugger_run_is_over (debugger);
  return result != SONDE_RUN_FAILED;
}

/* ---- where it stood ------------------------------------------------------ */

void
sonde_return_point_init (SondeReturnPoint *point, SondeDebugger *debugger)
{
  sonde_debugger_get_run_position (debugger, &point->at);
  point->is_over = sonde_debugger_is_over (debugger);
  point->stop = debugger->record.stop;
  point->node = g_strdup (debugger->record.node);
  point->op = g_strdup (debugger->record.op);
  point->scope = g_strdup (debugger->record.scope);
  point->hits = g_array_copy (debugger->record.hits);
  point->stops = g_ptr_array_new ();
  for (guint i = 0; i < debugger->watch_table.stops->len; i++)
    g_ptr_array_add (point->stops,
                     sonde_watch_hit_copy (g_ptr_array_index (debugger->watch_table.stops, i)));
}

void
sonde_return_point_clear (SondeReturnPoint *point)
{
  g_free (point->node);
  g_free (point->op);
  g_free (point->scope);
  g_array_unref (point->hits);
  g_clear_pointer (&point->stops, g_ptr_array_unref);
}

/* What is told of the stop is what was told of it. */
static void
restore_stop (SondeReturnPoint *point, SondeDebugger *debugger)
{
  debugger->record.stop = point->stop;
  g_free (debugger->record.node);
  g_free (debugger->record.op);
  g_free (debugger->record.scope);
  debugger->record.node = g_steal_pointer (&point->node);
  debugger->record.op = g_steal_pointer (&point->op);
  debugger->record.scope = g_steal_pointer (&point->scope);
  g_array_set_size (debugger->record.hits, 0);
  g_array_append_vals (debugger->record.hits, point->hits->data, point->hits->len);
  for (guint i = 0; i < point->stops->len; i++)
    g_ptr_array_add (debugger->watch_table.stops, g_ptr_array_index (point->stops, i));
}

gboolean
sonde_return_point_go (SondeReturnPoint *point, SondeDebugger *debugger, GError **error)
{
  gboolean good = point->is_over
                      ? sonde_debugger_travel_to_end (debugger, error)
                      : sonde_debugger_travel_to (debugger, &point->at, point->stop.reason, error);

  if (good)
    restore_stop (point, debugger);
  else
    sonde_prefix_error (error, "The run could not come back to where it stood: ");
  return good;
}
