/* SPDX-License-Identifier: Apache-2.0
 * Ways back. Each is: bring back what was kept before the place that is wanted, let the target run
 * to the beginning of its run with nobody stopping it, then to its position. REVERSE looks for the
 * place first: it lets the target run over windows that end at the present place, the latest first,
 * and notes the last place of each where something stops. */
#include "engine/debug/sonde-debugger-source.h"
#include "engine/debug/sonde-watch-private.h"

void
sonde_debugger_set_history (SondeDebugger *debugger, const SondeDebuggerHistory *history,
                            gpointer data)
{
  debugger->history = history;
  debugger->history_data = data;
}

void
sonde_debugger_forget_travel (SondeDebugger *debugger)
{
  SondeTravel *travel = &debugger->travel;

  travel->kind = SONDE_TRAVEL_NONE;
  travel->restored = travel->found = travel->inside = travel->is_there = FALSE;
  travel->look = -1;
  g_clear_pointer (&travel->ids, g_array_unref);
  g_clear_pointer (&travel->pattern, g_free);
  g_clear_pointer (&travel->places, g_ptr_array_unref);
}

/* ---- the length of runs -------------------------------------------------- */

/* Runs from @first on have @n_steps, up to the next span. */
typedef struct
{
  guint64 first;
  guint n_steps;
} Span;

void
sonde_debugger_note_run (SondeDebugger *debugger, guint n_steps)
{
  const Span span = { debugger->run, n_steps };
  const Span *last;

  if (debugger->spans == NULL)
    debugger->spans = g_array_new (FALSE, FALSE, sizeof (Span));
  if (debugger->history == NULL)
    g_array_set_size (debugger->spans, 0);
  last = debugger->spans->len > 0 ? &g_array_index (debugger->spans, Span, debugger->spans->len - 1)
                                  : NULL;
  if (last != NULL && debugger->run < debugger->n_seen)
    return;
  debugger->n_seen = debugger->run + 1;
  if (last == NULL || last->n_steps != n_steps)
    g_array_append_val (debugger->spans, span);
}

void
sonde_debugger_forget_lengths (SondeDebugger *debugger, guint64 run)
{
  while (debugger->spans != NULL && debugger->spans->len > 0
         && g_array_index (debugger->spans, Span, debugger->spans->len - 1).first >= run)
    g_array_set_size (debugger->spans, debugger->spans->len - 1);
  debugger->n_seen = MIN (debugger->n_seen, run);
}

/* @cursor: span to begin with, from the end; runs are asked for in falling order */
static guint
length_of (SondeDebugger *debugger, guint64 run, guint *cursor)
{
  while (*cursor > 0 && g_array_index (debugger->spans, Span, *cursor - 1).first > run)
    (*cursor)--;
  return *cursor > 0 ? g_array_index (debugger->spans, Span, *cursor - 1).n_steps : 0;
}

/* ---- places -------------------------------------------------------------- */

/* The run whose values are there can be gone back into. */
static gboolean
is_in_run (SondeDebugger *debugger)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  gboolean in_place = debugger->history == NULL || debugger->history->in_place;

  return debugger->began
         && (sonde_execution_is_running (execution)
             || (in_place
                 && (sonde_execution_get_position (execution) > 0
                     || sonde_execution_get_inner (execution) != NULL)));
}

/* @position of @execution, and where those around it stand. */
static void
fill_place (SondeDebugger *debugger, SondeExecution *execution, guint position,
            SondeRunPlace *place)
{
  guint depth = sonde_debugger_depth_of (execution);

  place->run = debugger->run;
  place->n_levels = MIN (depth + 1, SONDE_MOST_LEVELS);
  for (; execution != NULL; execution = sonde_execution_get_parent (execution), depth--)
    {
      if (depth < SONDE_MOST_LEVELS)
        {
          place->levels[depth].position = position;
          place->levels[depth].iteration
              = depth > 0 ? sonde_execution_get_iteration (execution) : 0;
        }
      if (depth > 0)
        position = sonde_execution_get_position (sonde_execution_get_parent (execution));
    }
}

static SondeRunPlace
place_of (guint64 run, guint position)
{
  SondeRunPlace place = { .run = run, .n_levels = 1 };

  place.levels[0].position = position;
  return place;
}

static SondeRunPlace
get_place (SondeDebugger *debugger)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);
  SondeRunPlace place = { 0 };

  if (!is_in_run (debugger))
    return place_of (
        debugger->history != NULL ? debugger->history->get_run (debugger->history_data) : 0, 0);
  fill_place (debugger, execution, sonde_execution_get_position (execution), &place);
  return place;
}

/* The run is done and stays: what stops after its last node has stopped before. */
static gboolean
is_at_end (SondeDebugger *debugger)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);

  return is_in_run (debugger) && !sonde_execution_is_running (execution)
         && sonde_execution_get_position (execution)
                == sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
}

/* A node comes before what is in its bodies. */
static int
compare_places (const SondeRunPlace *a, const SondeRunPlace *b)
{
  if (a->run != b->run)
    return a->run < b->run ? -1 : 1;
  for (guint i = 0; i < MIN (a->n_levels, b->n_levels); i++)
    {
      if (a->levels[i].iteration != b->levels[i].iteration)
        return a->levels[i].iteration < b->levels[i].iteration ? -1 : 1;
      if (a->levels[i].position != b->levels[i].position)
        return a->levels[i].position < b->levels[i].position ? -1 : 1;
    }
  return a->n_levels < b->n_levels ? -1 : a->n_levels > b->n_levels;
}

static gboolean
is_first_of_run (const SondeRunPlace *place)
{
  return place->n_levels == 1 && place->levels[0].position == 0;
}

/* The earliest run that can be gone to. */
static guint64
get_first (SondeDebugger *debugger, guint64 here)
{
  guint64 first;

  if (debugger->history == NULL || debugger->history->get_first == NULL
      || !debugger->history->get_first (debugger->history_data, &first))
    return here;
  return MIN (first, here);
}

/* ---- what is asked ------------------------------------------------------- */

static void
go_to (SondeDebugger *debugger, const SondeRunPlace *place, SondeStopReason reason)
{
  debugger->travel.kind = SONDE_TRAVEL_TO;
  debugger->travel.to = *place;
  debugger->travel.reason = reason;
  debugger->travel.restored = debugger->travel.inside = FALSE;
}

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
  guint cursor = debugger->spans != NULL ? debugger->spans->len : 0;
  SondeRunPlace place = get_place (debugger);
  guint64 first = get_first (debugger, place.run), left = count;
  guint *position = &place.levels[0].position;

  if (debugger->in_group && count <= debugger->n_looked)
    {
      go_to (debugger, &place, SONDE_STOP_STEP);
      debugger->travel.look = (gint64) (debugger->n_looked - count);
      return;
    }
  left = go_steps_inside (debugger, &place, left - (debugger->in_group ? debugger->n_looked : 0));
  while (place.n_levels == 1 && left > *position && place.run > first)
    {
      left -= *position;
      place.run--;
      *position = length_of (debugger, place.run, &cursor);
    }
  if (place.n_levels > 1 || left <= *position)
    {
      *position -= place.n_levels == 1 ? (guint) left : 0;
      go_to (debugger, &place, SONDE_STOP_STEP);
      return;
    }
  *position = 0;
  go_to (debugger, &place, SONDE_STOP_BEGINNING);
}

/* The latest place of @pattern that is not after @position, or SONDE_NO_POSITION. */
static guint
find_before (SondeDebugger *debugger, SondeExecution *execution, const char *pattern,
             guint position, gboolean *matches)
{
  guint index = sonde_debugger_index_of (debugger, execution); /* may add one */
  g_autoptr (GArray) found = sonde_place_index_find (g_ptr_array_index (debugger->indices, index),
                                                     pattern, SONDE_MOMENT_BEFORE);
  guint last = SONDE_NO_POSITION;

  *matches = *matches || found->len > 0;
  for (guint i = 0; i < found->len; i++)
    if (g_array_index (found, SondePlace, i).step <= position)
      last = g_array_index (found, SondePlace, i).step;
  return last;
}

/* Only bodies have @pattern: the run is searched for the last time it came by. */
static void
search_node (SondeDebugger *debugger, const char *pattern, const SondeRunPlace *here)
{
  debugger->travel.kind = SONDE_TRAVEL_SEARCH;
  debugger->travel.end = *here;
  debugger->travel.pattern = g_strdup (pattern);
  debugger->travel.places = g_ptr_array_new ();
}

/* Between runs it is the one before that was looked at last. */
static SondeRunPlace
get_looked_at (SondeDebugger *debugger)
{
  guint cursor = debugger->spans != NULL ? debugger->spans->len : 0;
  SondeRunPlace place = get_place (debugger);

  if (is_in_run (debugger) || place.run <= get_first (debugger, place.run))
    return place;
  return place_of (place.run - 1, length_of (debugger, place.run - 1, &cursor));
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
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Before which node? Name one.");
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
          go_to (debugger, &here, SONDE_STOP_UNTIL);
          return TRUE;
        }
    }
  here = get_looked_at (debugger);
  if (matches)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                 "“%s” lies ahead, this run has not come to it yet; until %s goes there.", pattern,
                 pattern);
  else if (sonde_debugger_count_inside (debugger, pattern) > 0)
    search_node (debugger, pattern, &here);
  else
    {
      guint index = sonde_debugger_index_of (debugger, outermost); /* may add one */

      sonde_place_index_set_error (g_ptr_array_index (debugger->indices, index), pattern, error);
    }
  return sonde_debugger_is_going_back (debugger);
}

static gboolean
go_before_step (SondeDebugger *debugger, guint64 step, GError **error)
{
  SondeRunPlace here = get_place (debugger), place;
  guint64 run = 0, first = get_first (debugger, here.run);

  if (debugger->history != NULL)
    run = debugger->history->find_run (debugger->history_data, MAX (step, 1));
  if (run >= first && run <= here.run)
    {
      place = place_of (run, 0);
      go_to (debugger, &place, SONDE_STOP_UNTIL);
      return TRUE;
    }
  if (run > here.run)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                 "Step %" G_GUINT64_FORMAT " lies ahead; until step:%" G_GUINT64_FORMAT
                 " goes there.",
                 step, step);
  else
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                 "Nothing was kept of step %" G_GUINT64_FORMAT
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
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "Nothing is open that could go back.");
      return FALSE;
    }
  sonde_debugger_forget_resume (debugger);
  sonde_debugger_forget_travel (debugger);
  if (back->kind == SONDE_BACK_STEPS)
    go_steps (debugger, MAX (back->count, 1));
  else if (back->kind == SONDE_BACK_NODE)
    good = go_before_node (debugger, back->target, error);
  else if (back->kind == SONDE_BACK_RUN)
    good = go_before_step (debugger, back->count, error);
  else
    {
      debugger->travel.kind = SONDE_TRAVEL_SEARCH;
      debugger->travel.end = get_place (debugger);
      if (is_at_end (debugger))
        debugger->travel.end.levels[0].position++;
    }
  if (!good)
    return FALSE;
  debugger->stop.reason = SONDE_STOP_NONE;
  g_array_set_size (debugger->hits, 0);
  sonde_watch_list_forget_stop (debugger->watches);
  sonde_debugger_refresh (debugger);
  return TRUE;
}

gboolean
sonde_debugger_is_going_back (SondeDebugger *debugger)
{
  return debugger->travel.kind != SONDE_TRAVEL_NONE;
}

/* ---- the observer's part ------------------------------------------------- */

gboolean
sonde_debugger_is_direct (SondeDebugger *debugger)
{
  return debugger->travel.kind == SONDE_TRAVEL_TO || debugger->travel.pattern != NULL;
}

/* The steps around @place in plans of its depth. */
static guint
want_place (const SondeRunPlace *place, guint depth, guint n_steps, guint step)
{
  guint position
      = depth < place->n_levels ? MIN (place->levels[depth].position, n_steps) : G_MAXUINT - 1;

  return (step == position ? SONDE_WANT_BEFORE : 0) | (step + 1 == position ? SONDE_WANT_AFTER : 0);
}

guint
sonde_debugger_travel_wants (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  SondeTravel *travel = &debugger->travel;
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution)),
        depth = sonde_debugger_depth_of (execution);
  guint wants;

  if (travel->kind == SONDE_TRAVEL_TO)
    return travel->inside && depth + 1 == travel->to.n_levels
               ? want_place (&travel->to, depth, n_steps, step)
               : 0;
  wants = want_place (&travel->end, depth, n_steps, step);
  if (travel->pattern != NULL
      && sonde_places_at (sonde_debugger_places (debugger, travel->places,
                                                 sonde_debugger_index_of (debugger, execution),
                                                 travel->pattern, SONDE_MOMENT_BEFORE),
                          step, SONDE_MOMENT_BEFORE)
             != NULL)
    wants |= SONDE_WANT_BEFORE;
  return wants;
}

gboolean
sonde_debugger_travel_begins (SondeDebugger *debugger)
{
  const SondeTravel *travel = &debugger->travel;

  return (travel->kind == SONDE_TRAVEL_TO && debugger->run == travel->to.run)
         || (travel->kind == SONDE_TRAVEL_SEARCH && debugger->run == travel->end.run
             && is_first_of_run (&travel->end));
}

/* Something stops at @place. */
static void
note_found (SondeDebugger *debugger, const SondeRunPlace *place, SondeMoment moment,
            const SondeNode *node)
{
  SondeTravel *travel = &debugger->travel;

  if (travel->ids == NULL)
    travel->ids = g_array_new (FALSE, FALSE, sizeof (guint));
  if (!travel->found || compare_places (&travel->to, place) != 0)
    {
      g_array_set_size (travel->ids, 0);
      travel->to = *place;
      travel->moment = moment;
      travel->node = node;
      travel->found = TRUE;
    }
  g_array_append_vals (travel->ids, debugger->hits->data, debugger->hits->len);
}

static void
look_for_stop (SondeDebugger *debugger, SondeExecution *execution, guint step, SondeMoment moment,
               const SondeRunPlace *place)
{
  SondeTravel *travel = &debugger->travel;
  guint index = sonde_debugger_index_of (debugger, execution);
  const SondeNode *node;

  if (travel->pattern != NULL)
    {
      if (moment == SONDE_MOMENT_BEFORE
          && sonde_places_at (
                 sonde_debugger_places (debugger, travel->places, index, travel->pattern, moment),
                 step, moment)
                 != NULL)
        note_found (debugger, place, moment, NULL);
      return;
    }
  g_array_set_size (debugger->hits, 0);
  node = sonde_debugger_count_hits (debugger, index, step, moment);
  if (debugger->hits->len > 0)
    {
      if (!travel->found || compare_places (&travel->to, place) != 0)
        sonde_watch_list_forget_stop (debugger->watches);
      note_found (debugger, place, moment, node);
    }
  g_array_set_size (debugger->hits, 0);
}

gboolean
sonde_debugger_travel_looks (SondeDebugger *debugger, SondeExecution *execution, guint step,
                             SondeMoment moment)
{
  const SondeTravel *travel = &debugger->travel;
  SondeRunPlace place = { 0 };

  if (travel->kind == SONDE_TRAVEL_NONE)
    return TRUE;
  if (sonde_debugger_is_direct (debugger) || debugger->run < travel->begin)
    return FALSE;
  fill_place (debugger, execution, moment == SONDE_MOMENT_AFTER ? step + 1 : step, &place);
  return compare_places (&place, &travel->end) < 0;
}

void
sonde_debugger_travel_note (SondeDebugger *debugger, SondeExecution *execution, guint step,
                            SondeMoment moment)
{
  SondeRunPlace place = { 0 };

  g_array_set_size (debugger->hits, 0);
  fill_place (debugger, execution, moment == SONDE_MOMENT_AFTER ? step + 1 : step, &place);
  note_found (debugger, &place, moment, NULL);
}

SondeAnswer
sonde_debugger_travel_comes_by (SondeDebugger *debugger, SondeExecution *execution, guint step,
                                SondeMoment moment)
{
  SondeTravel *travel = &debugger->travel;
  SondeRunPlace place = { 0 };

  fill_place (debugger, execution, moment == SONDE_MOMENT_AFTER ? step + 1 : step, &place);
  if (travel->kind == SONDE_TRAVEL_TO)
    travel->is_there = compare_places (&place, &travel->to) == 0;
  else
    travel->is_there = compare_places (&place, &travel->end) >= 0;
  if (travel->is_there)
    return SONDE_ANSWER_PAUSE;
  if (travel->kind == SONDE_TRAVEL_SEARCH && debugger->run >= travel->begin)
    look_for_stop (debugger, execution, step, moment, &place);
  return SONDE_ANSWER_CONTINUE;
}

/* ---- going --------------------------------------------------------------- */

/* Something may ask for values of the step before. */
static gboolean
needs_previous (SondeDebugger *debugger)
{
  return (debugger->kept != NULL && debugger->kept->len > 0)
         || (debugger->watches != NULL && debugger->watches->watches->len > 0);
}

/* To the latest state at or before @run, or before that one, so that what is kept of the step
 * before can be kept again.
 * @first: (out): the first run of which all is known then */
static gboolean
restore (SondeDebugger *debugger, guint64 run, guint64 *first, GError **error)
{
  guint64 least = get_first (debugger, run),
          wanted = needs_previous (debugger) && run > least ? run - 1 : run;

  if (debugger->history == NULL || debugger->history->restore == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "Nothing was kept of earlier runs.");
      return FALSE;
    }
  if (!debugger->history->restore (debugger->history_data, wanted, first, error))
    return FALSE;
  *first += needs_previous (debugger) && *first > least ? 1 : 0;
  sonde_debugger_forget_previous (debugger);
  return TRUE;
}

static SondeRunResult
run_target (SondeDebugger *debugger, GError **error)
{
  SondeRunResult result;
  SondeRunPlace here;

  debugger->travel.is_there = FALSE;
  result = debugger->history != NULL
               ? debugger->history->run (debugger->history_data, error)
               : sonde_execution_run (sonde_debugger_get_execution (debugger), error);
  if (result != SONDE_RUN_DONE && result != SONDE_RUN_STOPPED)
    return result;
  here = get_place (debugger);
  if (debugger->travel.kind == SONDE_TRAVEL_SEARCH
      && (is_at_end (debugger)
          || compare_places (&here, &debugger->travel.end) >= 0)) /* it was over there */
    {
      debugger->travel.is_there = TRUE;
      return SONDE_RUN_PAUSED;
    }
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "It ended on the way back, before the place that it had come to.");
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

  g_array_set_size (debugger->hits, 0);
  if (travel->found && travel->ids != NULL)
    g_array_append_vals (debugger->hits, travel->ids->data, travel->ids->len);
  if (n_steps > 0)
    sonde_debugger_set_stop (debugger, execution, after ? position - 1 : position,
                             after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE,
                             travel->found ? travel->node : NULL, reason);
  sonde_debugger_forget_travel (debugger);
  if (look >= 0)
    sonde_debugger_look_at_node (debugger, execution, position, (guint) look);
  sonde_debugger_refresh (debugger);
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
      debugger->evaluated = SONDE_NO_POSITION;
      sonde_debugger_refresh (debugger);
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
  SondeRunPlace here = get_place (debugger);
  guint64 restored;

  if (!is_in_run (debugger) && here.run == travel->to.run && is_first_of_run (&travel->to))
    {
      debugger->step
          = debugger->step_source != NULL ? debugger->step_source (debugger->step_data) : 1;
      arrive (debugger); /* nothing has run, or nothing of that run */
      return SONDE_RUN_PAUSED;
    }
  if (!is_in_run (debugger) || here.run != travel->to.run)
    {
      if (!travel->restored && !restore (debugger, travel->to.run, &restored, error))
        return SONDE_RUN_FAILED;
      travel->restored = TRUE;
      result = run_target (debugger, error);
      if (result != SONDE_RUN_PAUSED || !is_in_run (debugger) || debugger->run != travel->to.run)
        return result; /* interrupted: it is on its way */
      here = get_place (debugger);
    }
  if (travel->inside)
    return go_inside (debugger, error);
  if (travel->look >= 0 && compare_places (&here, &travel->to) == 0)
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
  SondeRunPlace here = get_place (debugger);
  gboolean first = is_first_of_run (&travel->end);

  debugger->evaluated = SONDE_NO_POSITION;
  travel->restored = TRUE;
  travel->begin = travel->end.run;
  if (is_in_run (debugger) && here.run == travel->end.run && !first)
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
      = place_of (travel->pattern != NULL ? travel->end.run : travel->begin, 0);

  if (travel->found && (travel->pattern == NULL || travel->to.run == travel->end.run))
    {
      travel->kind = SONDE_TRAVEL_TO;
      travel->reason = travel->pattern != NULL ? SONDE_STOP_UNTIL
                       : travel->ids->len > 0  ? SONDE_STOP_BREAKPOINT
                                               : SONDE_STOP_WATCHPOINT;
    }
  else if (travel->pattern != NULL || begin.run <= get_first (debugger, begin.run))
    {
      travel->found = FALSE;
      go_to (debugger, &begin, SONDE_STOP_BEGINNING);
    }
  else
    travel->end = begin;
  travel->restored = travel->is_there = FALSE;
  sonde_debugger_refresh (debugger);
}

static SondeRunResult
search (SondeDebugger *debugger, GError **error)
{
  SondeTravel *travel = &debugger->travel;
  SondeRunPlace end = travel->end;
  SondeRunResult result;

  if (!travel->restored && is_first_of_run (&end) && end.run <= get_first (debugger, end.run))
    {
      go_to (debugger, &end, SONDE_STOP_BEGINNING);
      return SONDE_RUN_PAUSED;
    }
  if (!travel->restored && !begin_window (debugger, error))
    return SONDE_RUN_FAILED;
  sonde_debugger_refresh (debugger);
  result = run_target (debugger, error);
  if (result != SONDE_RUN_PAUSED)
    return result;
  if (travel->is_there
      || (debugger->run == end.run && is_first_of_run (&end) && is_in_run (debugger)))
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
          && compare_places (&debugger->travel.end, &end) == 0)
        break; /* interrupted */
    }
  if (result == SONDE_RUN_FAILED)
    sonde_debugger_forget_travel (debugger);
  return result;
}

void
sonde_debugger_set_original (SondeDebugger *debugger, SondeGraph *original)
{
  SondeGraph *old = debugger->original;
  const guint64 next = get_place (debugger).run + (is_in_run (debugger) ? 1 : 0);

  debugger->original = original != NULL ? sonde_graph_ref (original) : NULL;
  g_clear_pointer (&old, sonde_graph_unref);
  sonde_debugger_forget_lengths (debugger, next);
}

/* ---- there and back, for whoever looks at earlier steps ------------------ */

void
sonde_debugger_get_run_place (SondeDebugger *debugger, SondeRunPlace *place)
{
  *place = get_place (debugger);
}

gboolean
sonde_debugger_get_run_end (SondeDebugger *debugger, guint64 run, SondeRunPlace *place)
{
  guint cursor = debugger->spans != NULL ? debugger->spans->len : 0,
        length = length_of (debugger, run, &cursor);

  *place = place_of (run, length);
  return length > 0;
}

guint64
sonde_debugger_get_first_run (SondeDebugger *debugger)
{
  SondeRunPlace here = get_place (debugger);

  return get_first (debugger, here.run);
}

gboolean
sonde_debugger_is_over (SondeDebugger *debugger)
{
  return debugger->began && debugger->history != NULL && !is_in_run (debugger)
         && debugger->stop.reason == SONDE_STOP_NONE
         && debugger->history->get_run (debugger->history_data) == debugger->n_seen;
}

static void
leave_stop (SondeDebugger *debugger)
{
  sonde_debugger_forget_resume (debugger);
  sonde_debugger_forget_travel (debugger);
  debugger->stop.reason = SONDE_STOP_NONE;
  g_array_set_size (debugger->hits, 0);
  sonde_watch_list_forget_stop (debugger->watches);
}

gboolean
sonde_debugger_visit (SondeDebugger *debugger, const SondeRunPlace *place, SondeStopReason reason,
                      GError **error)
{
  leave_stop (debugger);
  go_to (debugger, place, reason);
  sonde_debugger_refresh (debugger);
  while (sonde_debugger_is_going_back (debugger))
    if (sonde_debugger_run_back (debugger, error) == SONDE_RUN_FAILED)
      return FALSE;
  return TRUE;
}

gboolean
sonde_debugger_visit_end (SondeDebugger *debugger, GError **error)
{
  const SondeRunPlace nowhere = place_of (G_MAXUINT64, 0);
  SondeRunResult result = SONDE_RUN_PAUSED;
  guint64 restored;

  leave_stop (debugger);
  if (!restore (debugger, debugger->n_seen - 1, &restored, error))
    return FALSE;
  go_to (debugger, &nowhere, SONDE_STOP_NONE); /* so that nothing stops it */
  sonde_debugger_refresh (debugger);
  while (result == SONDE_RUN_PAUSED)
    result = debugger->history->run (debugger->history_data, error);
  sonde_debugger_run_is_over (debugger);
  return result != SONDE_RUN_FAILED;
}
