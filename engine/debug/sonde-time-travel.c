/* SPDX-License-Identifier: Apache-2.0
 * Ways back. Each is: bring back what was kept before the place that is wanted, let the target run
 * to the beginning of its run with nobody stopping it, then to its position. REVERSE looks for the
 * place first: it lets the target run over windows that end at the present place, the latest first,
 * and notes the last place of each where something stops. */
#include "engine/debug/sonde-time-travel.h"

#include "engine/debug/sonde-debugger-private.h"

/* ---- what is asked ------------------------------------------------------- */

/* Steps back in the bodies it stands in, an iteration before the other, out of a body to before its
 * node.
 * Returns: how many are left. */
static guint64
go_steps_inside (SondeDebugger *debugger, SondeRunPlace *place, guint64 left)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);

  for (; left > 0 && place->n_levels > 1; execution = sonde_execution_get_parent (execution))
    {
      guint level = place->n_levels - 1,
            n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));

      while (left > place->levels[level].position && place->levels[level].iteration > 0)
        {
          left -= place->levels[level].position;
          place->levels[level].iteration--;
          place->levels[level].position = n_steps;
        }
      if (left <= place->levels[level].position)
        {
          place->levels[level].position -= (guint) left;
          return 0;
        }
      left -= place->levels[level].position + 1;
      place->n_levels--;
    }
  return left;
}

static void
go_steps (SondeDebugger *debugger, guint64 count)
{
  guint cursor = sonde_run_lengths_end (&debugger->lengths);
  SondeRunPlace place = sonde_run_place_here (&debugger->subject);
  guint64 first = sonde_subject_get_first_run (&debugger->subject, place.run), left = count;
  guint *position = &place.levels[0].position;

  if (debugger->record.in_group && count <= debugger->record.n_looked)
    {
      sonde_travel_go_to (&debugger->travel, &place, SONDE_STOP_STEP);
      debugger->travel.look = (gint64) (debugger->record.n_looked - count);
      return;
    }
  left = go_steps_inside (debugger, &place,
                          left - (debugger->record.in_group ? debugger->record.n_looked : 0));
  while (place.n_levels == 1 && left > *position && place.run > first)
    {
      left -= *position;
      place.run--;
      *position = sonde_run_lengths_get (&debugger->lengths, place.run, &cursor);
    }
  if (place.n_levels > 1 || left <= *position)
    {
      *position -= place.n_levels == 1 ? (guint) left : 0;
      sonde_travel_go_to (&debugger->travel, &place, SONDE_STOP_STEP);
      return;
    }
  *position = 0;
  sonde_travel_go_to (&debugger->travel, &place, SONDE_STOP_BEGINNING);
}

/* The latest place of @pattern that is not after @position, or SONDE_NO_POSITION. */
static guint
find_before (SondeDebugger *debugger, SondeExecution *execution, const char *pattern,
             guint position, gboolean *matches)
{
  guint plan = sonde_location_index_of (&debugger->locations, execution);
  g_autoptr (GArray) found
      = sonde_location_index_find (&debugger->locations, plan, pattern, SONDE_MOMENT_BEFORE);
  guint last = SONDE_NO_POSITION;

  *matches = *matches || found->len > 0;
  for (guint i = 0; i < found->len; i++)
    if (g_array_index (found, SondeLocation, i).step <= position)
      last = g_array_index (found, SondeLocation, i).step;
  return last;
}

/* Between runs it is the one before that was looked at last. */
static SondeRunPlace
get_looked_at (SondeDebugger *debugger)
{
  guint cursor = sonde_run_lengths_end (&debugger->lengths);
  SondeRunPlace place = sonde_run_place_here (&debugger->subject);

  if (sonde_subject_is_in_run (&debugger->subject)
      || place.run <= sonde_subject_get_first_run (&debugger->subject, place.run))
    return place;
  return sonde_run_place (place.run - 1,
                          sonde_run_lengths_get (&debugger->lengths, place.run - 1, &cursor));
}

static gboolean
go_before_node (SondeDebugger *debugger, const char *pattern, GError **error)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger),
                 *outermost = sonde_debugger_get_execution (debugger);
  SondeRunPlace here = get_looked_at (debugger);
  gboolean matches = FALSE;

  if (pattern == NULL || *pattern == '\0')
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Missing node: name the node to go back to.");
      return FALSE;
    }
  for (; execution != NULL && here.n_levels > 0;
       execution = sonde_execution_get_parent (execution), here.n_levels--)
    {
      guint *position = &here.levels[here.n_levels - 1].position;
      guint last = find_before (debugger, execution, pattern, *position, &matches);

      if (last != SONDE_NO_POSITION)
        {
          *position = last;
          sonde_travel_go_to (&debugger->travel, &here, SONDE_STOP_UNTIL);
          return TRUE;
        }
    }
  here = get_looked_at (debugger);
  if (matches)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "“%s” lies ahead, this run has not come to it yet; until %s goes there.",
                     pattern, pattern);
  else if (sonde_location_index_count_inside (&debugger->locations, pattern) > 0)
    sonde_travel_search (&debugger->travel, &here, pattern);
  else
    sonde_location_index_set_error (&debugger->locations,
                                    sonde_location_index_of (&debugger->locations, outermost),
                                    pattern, error);
  return sonde_debugger_is_going_back (debugger);
}

static gboolean
go_before_step (SondeDebugger *debugger, guint64 step, GError **error)
{
  SondeRunPlace here = sonde_run_place_here (&debugger->subject), place;
  guint64 run = 0, first = sonde_subject_get_first_run (&debugger->subject, here.run);

  if (debugger->subject.history != NULL)
    run = debugger->subject.history->find_run (debugger->subject.history_data, MAX (step, 1));
  if (run >= first && run <= here.run)
    {
      place = sonde_run_place (run, 0);
      sonde_travel_go_to (&debugger->travel, &place, SONDE_STOP_UNTIL);
      return TRUE;
    }
  if (run > here.run)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "Step %" PRIu64 " lies ahead; until step:%" PRIu64 " goes there.", step, step);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "Nothing was kept of step %" PRIu64
                     ": states are kept from where the debugger came to the "
                     "training, and from the last time that it rolled back.",
                     step);
  return FALSE;
}

gboolean
sonde_debugger_go_back (SondeDebugger *debugger, const SondeBack *back, GError **error)
{
  gboolean good = TRUE;

  if (sonde_debugger_get_execution (debugger) == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing is open to go back in.");
      return FALSE;
    }
  sonde_stepper_forget (&debugger->stepper);
  sonde_travel_forget (&debugger->travel);
  if (back->kind == SONDE_BACK_STEPS)
    go_steps (debugger, MAX (back->count, 1));
  else if (back->kind == SONDE_BACK_NODE)
    good = go_before_node (debugger, back->target, error);
  else if (back->kind == SONDE_BACK_RUN)
    good = go_before_step (debugger, back->count, error);
  else
    {
      SondeRunPlace end = sonde_run_place_here (&debugger->subject);

      if (sonde_subject_is_at_end (&debugger->subject))
        end.levels[0].position++;
      sonde_travel_search (&debugger->travel, &end, NULL);
    }
  if (!good)
    return FALSE;
  sonde_debugger_forget_stop (debugger);
  sonde_subject_refresh (&debugger->subject);
  return TRUE;
}

gboolean
sonde_debugger_is_going_back (SondeDebugger *debugger)
{
  return sonde_travel_is_going (&debugger->travel);
}

/* ---- going --------------------------------------------------------------- */

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
  guint64 least = sonde_subject_get_first_run (&debugger->subject, run),
          wanted = needs_previous (debugger) && run > least ? run - 1 : run;

  if (debugger->subject.history == NULL || debugger->subject.history->restore == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing was kept of earlier runs.");
      return FALSE;
    }
  if (!debugger->subject.history->restore (debugger->subject.history_data, wanted, first, error))
    return FALSE;
  *first += needs_previous (debugger) && *first > least ? 1 : 0;
  sonde_previous_values_forget (&debugger->previous);
  return TRUE;
}

static SondeRunResult
run_target (SondeDebugger *debugger, GError **error)
{
  SondeRunResult result;
  SondeRunPlace here;

  debugger->travel.is_there = FALSE;
  result = debugger->subject.history != NULL
               ? debugger->subject.history->run (debugger->subject.history_data, error)
               : sonde_execution_run (sonde_debugger_get_execution (debugger), error);
  if (result != SONDE_RUN_DONE && result != SONDE_RUN_STOPPED)
    return result;
  here = sonde_run_place_here (&debugger->subject);
  if (debugger->travel.kind == SONDE_TRAVEL_SEARCH
      && (sonde_subject_is_at_end (&debugger->subject)
          || sonde_run_place_compare (&here, &debugger->travel.end) >= 0)) /* it was over there */
    {
      debugger->travel.is_there = TRUE;
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
  SondeTravel *travel = &debugger->travel;
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
  guint position = MIN (travel->to.levels[travel->to.n_levels - 1].position, n_steps);
  gboolean after
      = position > 0
        && (position == n_steps || (travel->found && travel->moment == SONDE_MOMENT_AFTER));
  SondeStopReason reason = travel->reason;
  gint64 look = travel->look;

  g_array_set_size (debugger->record.hits, 0);
  if (travel->found && travel->ids != NULL)
    g_array_append_vals (debugger->record.hits, travel->ids->data, travel->ids->len);
  if (n_steps > 0)
    sonde_debugger_set_stop (debugger, execution, after ? position - 1 : position,
                             after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE,
                             travel->found ? travel->node : NULL, reason);
  sonde_travel_forget (&debugger->travel);
  if (look >= 0)
    sonde_debugger_look_at_node (debugger, execution, position, (guint) look);
  sonde_subject_refresh (&debugger->subject);
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
  SondeTravel *travel = &debugger->travel;
  SondeRunResult result;

  if (!travel->inside)
    {
      travel->inside = TRUE;
      debugger->record.evaluated = SONDE_NO_POSITION;
      sonde_subject_refresh (&debugger->subject);
    }
  result = run_target (debugger, error);
  if (result == SONDE_RUN_PAUSED && travel->is_there)
    arrive (debugger);
  return result;
}

static SondeRunResult
travel_to (SondeDebugger *debugger, GError **error)
{
  SondeTravel *travel = &debugger->travel;
  SondeRunResult result = SONDE_RUN_PAUSED;
  SondeRunPlace here = sonde_run_place_here (&debugger->subject);
  guint64 restored;

  if (!sonde_subject_is_in_run (&debugger->subject) && here.run == travel->to.run
      && sonde_run_place_is_first (&travel->to))
    {
      debugger->subject.step = debugger->subject.step_source != NULL
                                   ? debugger->subject.step_source (debugger->subject.step_data)
                                   : 1;
      arrive (debugger); /* nothing has run, or nothing of that run */
      return SONDE_RUN_PAUSED;
    }
  if (!sonde_subject_is_in_run (&debugger->subject) || here.run != travel->to.run)
    {
      if (!travel->restored && !restore (debugger, travel->to.run, &restored, error))
        return SONDE_RUN_FAILED;
      travel->restored = TRUE;
      result = run_target (debugger, error);
      if (result != SONDE_RUN_PAUSED || !sonde_subject_is_in_run (&debugger->subject)
          || debugger->subject.run != travel->to.run)
        return result; /* interrupted: it is on its way */
      here = sonde_run_place_here (&debugger->subject);
    }
  if (travel->inside)
    return go_inside (debugger, error);
  if (travel->look >= 0 && sonde_run_place_compare (&here, &travel->to) == 0)
    {
      arrive (debugger);
      return SONDE_RUN_PAUSED;
    }
  if (!run_in_place (debugger, travel->to.levels[0].position, &result, error))
    return result;
  if (travel->to.n_levels > 1)
    return go_inside (debugger, error);
  arrive (debugger);
  return SONDE_RUN_PAUSED;
}

/* The next window begins: in the present run, or at the latest state before its end. */
static gboolean
begin_window (SondeDebugger *debugger, GError **error)
{
  SondeTravel *travel = &debugger->travel;
  SondeRunPlace here = sonde_run_place_here (&debugger->subject);
  gboolean first = sonde_run_place_is_first (&travel->end);

  debugger->record.evaluated = SONDE_NO_POSITION;
  travel->restored = TRUE;
  travel->begin = travel->end.run;
  if (sonde_subject_is_in_run (&debugger->subject) && here.run == travel->end.run && !first)
    return sonde_execution_go_back (sonde_debugger_get_execution (debugger), 0, error)
           == SONDE_RUN_PAUSED;
  return restore (debugger, first ? travel->end.run - 1 : travel->end.run, &travel->begin, error);
}

/* The window was searched. A node is only searched in its run. */
static void
end_window (SondeDebugger *debugger)
{
  SondeTravel *travel = &debugger->travel;
  const SondeRunPlace begin
      = sonde_run_place (travel->pattern != NULL ? travel->end.run : travel->begin, 0);

  if (travel->found && (travel->pattern == NULL || travel->to.run == travel->end.run))
    {
      travel->kind = SONDE_TRAVEL_TO;
      travel->reason = travel->pattern != NULL ? SONDE_STOP_UNTIL
                       : travel->ids->len > 0  ? SONDE_STOP_BREAKPOINT
                                               : SONDE_STOP_WATCHPOINT;
    }
  else if (travel->pattern != NULL
           || begin.run <= sonde_subject_get_first_run (&debugger->subject, begin.run))
    {
      travel->found = FALSE;
      sonde_travel_go_to (&debugger->travel, &begin, SONDE_STOP_BEGINNING);
    }
  else
    travel->end = begin;
  travel->restored = travel->is_there = FALSE;
  sonde_subject_refresh (&debugger->subject);
}

static SondeRunResult
search (SondeDebugger *debugger, GError **error)
{
  SondeTravel *travel = &debugger->travel;
  SondeRunPlace end = travel->end;
  SondeRunResult result;

  if (!travel->restored && sonde_run_place_is_first (&end)
      && end.run <= sonde_subject_get_first_run (&debugger->subject, end.run))
    {
      sonde_travel_go_to (&debugger->travel, &end, SONDE_STOP_BEGINNING);
      return SONDE_RUN_PAUSED;
    }
  if (!travel->restored && !begin_window (debugger, error))
    return SONDE_RUN_FAILED;
  sonde_subject_refresh (&debugger->subject);
  result = run_target (debugger, error);
  if (result != SONDE_RUN_PAUSED)
    return result;
  if (travel->is_there
      || (debugger->subject.run == end.run && sonde_run_place_is_first (&end)
          && sonde_subject_is_in_run (&debugger->subject)))
    end_window (debugger);
  return SONDE_RUN_PAUSED;
}

SondeRunResult
sonde_debugger_run_back (SondeDebugger *debugger, GError **error)
{
  SondeRunResult result = SONDE_RUN_PAUSED;

  while (sonde_debugger_is_going_back (debugger) && result == SONDE_RUN_PAUSED)
    {
      SondeTravelKind kind = debugger->travel.kind;
      SondeRunPlace end = debugger->travel.end;

      result = kind == SONDE_TRAVEL_TO ? travel_to (debugger, error) : search (debugger, error);
      if (result == SONDE_RUN_PAUSED && debugger->travel.kind == kind
          && sonde_run_place_compare (&debugger->travel.end, &end) == 0)
        break; /* interrupted */
    }
  if (result == SONDE_RUN_FAILED)
    sonde_travel_forget (&debugger->travel);
  return result;
}

/* ---- there and back, for whoever looks at earlier steps ------------------ */

void
sonde_debugger_get_run_place (SondeDebugger *debugger, SondeRunPlace *place)
{
  *place = sonde_run_place_here (&debugger->subject);
}

gboolean
sonde_debugger_get_run_end (SondeDebugger *debugger, guint64 run, SondeRunPlace *place)
{
  guint cursor = sonde_run_lengths_end (&debugger->lengths),
        length = sonde_run_lengths_get (&debugger->lengths, run, &cursor);

  *place = sonde_run_place (run, length);
  return length > 0;
}

guint64
sonde_debugger_get_first_run (SondeDebugger *debugger)
{
  SondeRunPlace here = sonde_run_place_here (&debugger->subject);

  return sonde_subject_get_first_run (&debugger->subject, here.run);
}

gboolean
sonde_debugger_is_over (SondeDebugger *debugger)
{
  return debugger->subject.began && debugger->subject.history != NULL
         && !sonde_subject_is_in_run (&debugger->subject) && !sonde_debugger_has_stopped (debugger)
         && debugger->subject.history->get_run (debugger->subject.history_data)
                == debugger->lengths.n_seen;
}

guint64
sonde_debugger_get_last_run (SondeDebugger *debugger)
{
  return debugger->lengths.n_seen - 1;
}

gboolean
sonde_debugger_can_visit (SondeDebugger *debugger)
{
  const SondeDebuggerHistory *history = debugger->subject.history;

  return history != NULL && history->restore != NULL && history->read_before == NULL
         && debugger->subject.began && debugger->record.stop.reason != SONDE_STOP_ERROR
         && !debugger->record.in_group
         && (sonde_debugger_has_stopped (debugger) || sonde_debugger_is_over (debugger));
}

static void
leave_stop (SondeDebugger *debugger)
{
  sonde_stepper_forget (&debugger->stepper);
  sonde_travel_forget (&debugger->travel);
  sonde_debugger_forget_stop (debugger);
}

gboolean
sonde_debugger_visit (SondeDebugger *debugger, const SondeRunPlace *place, SondeStopReason reason,
                      GError **error)
{
  leave_stop (debugger);
  sonde_travel_go_to (&debugger->travel, place, reason);
  sonde_subject_refresh (&debugger->subject);
  while (sonde_debugger_is_going_back (debugger))
    if (sonde_debugger_run_back (debugger, error) == SONDE_RUN_FAILED)
      return FALSE;
  return TRUE;
}

gboolean
sonde_debugger_visit_end (SondeDebugger *debugger, GError **error)
{
  const SondeRunPlace nowhere = sonde_run_place (G_MAXUINT64, 0);
  SondeRunResult result = SONDE_RUN_PAUSED;
  guint64 restored;

  leave_stop (debugger);
  if (!restore (debugger, debugger->lengths.n_seen - 1, &restored, error))
    return FALSE;
  sonde_travel_go_to (&debugger->travel, &nowhere, SONDE_STOP_NONE); /* so that nothing stops it */
  sonde_subject_refresh (&debugger->subject);
  while (result == SONDE_RUN_PAUSED)
    result = debugger->subject.history->run (debugger->subject.history_data, error);
  sonde_debugger_run_is_over (debugger);
  return result != SONDE_RUN_FAILED;
}

/* ---- where it stood ------------------------------------------------------ */

void
sonde_standing_init (SondeStanding *standing, SondeDebugger *debugger)
{
  sonde_debugger_get_run_place (debugger, &standing->place);
  standing->is_over = sonde_debugger_is_over (debugger);
  standing->stop = debugger->record.stop;
  standing->node = g_strdup (debugger->record.node);
  standing->op = g_strdup (debugger->record.op);
  standing->scope = g_strdup (debugger->record.scope);
  standing->hits = g_array_copy (debugger->record.hits);
  standing->stops = g_ptr_array_new ();
  for (guint i = 0; i < debugger->watch_table.stops->len; i++)
    g_ptr_array_add (standing->stops,
                     sonde_watch_hit_copy (g_ptr_array_index (debugger->watch_table.stops, i)));
}

void
sonde_standing_clear (SondeStanding *standing)
{
  g_free (standing->node);
  g_free (standing->op);
  g_free (standing->scope);
  g_array_unref (standing->hits);
  g_clear_pointer (&standing->stops, g_ptr_array_unref);
}

/* What is told of the stop is what was told of it. */
static void
restore_stop (SondeStanding *standing, SondeDebugger *debugger)
{
  debugger->record.stop = standing->stop;
  g_free (debugger->record.node);
  g_free (debugger->record.op);
  g_free (debugger->record.scope);
  debugger->record.node = g_steal_pointer (&standing->node);
  debugger->record.op = g_steal_pointer (&standing->op);
  debugger->record.scope = g_steal_pointer (&standing->scope);
  g_array_set_size (debugger->record.hits, 0);
  g_array_append_vals (debugger->record.hits, standing->hits->data, standing->hits->len);
  for (guint i = 0; i < standing->stops->len; i++)
    g_ptr_array_add (debugger->watch_table.stops, g_ptr_array_index (standing->stops, i));
}

gboolean
sonde_standing_go_home (SondeStanding *standing, SondeDebugger *debugger, GError **error)
{
  gboolean good = standing->is_over ? sonde_debugger_visit_end (debugger, error)
                                    : sonde_debugger_visit (debugger, &standing->place,
                                                            standing->stop.reason, error);

  if (good)
    restore_stop (standing, debugger);
  else
    sonde_prefix_error (error, "The run could not come back to where it stood: ");
  return good;
}
