/* SPDX-License-Identifier: Apache-2.0
 * The run's part in a way back. */
#include "engine/debug/run/sonde-travel.h"

#include "engine/debug/run/sonde-step-scope.h"

void
sonde_travel_init (SondeTravel *travel, const SondeSubject *subject,
                   SondeBreakpointLocations *breakpoints, SondeWatchTable *watches)
{
  *travel = (SondeTravel){
    .look = -1, .subject = subject, .breakpoints = breakpoints, .watches = watches
  };
}

void
sonde_travel_forget (SondeTravel *travel)
{
  travel->kind = SONDE_TRAVEL_NONE;
  travel->restored = travel->found = travel->inside = travel->is_there = FALSE;
  travel->look = -1;
  g_clear_pointer (&travel->ids, g_array_unref);
  g_clear_pointer (&travel->pattern, g_free);
  g_clear_pointer (&travel->places, g_ptr_array_unref);
}

gboolean
sonde_travel_is_going (const SondeTravel *travel)
{
  return travel->kind != SONDE_TRAVEL_NONE;
}

void
sonde_travel_go_to (SondeTravel *travel, const SondeRunPlace *place, SondeStopReason reason)
{
  travel->kind = SONDE_TRAVEL_TO;
  travel->to = *place;
  travel->reason = reason;
  travel->restored = travel->inside = FALSE;
}

void
sonde_travel_search (SondeTravel *travel, const SondeRunPlace *end, const char *pattern)
{
  travel->kind = SONDE_TRAVEL_SEARCH;
  travel->end = *end;
  travel->pattern = g_strdup (pattern);
  travel->places = pattern != NULL ? g_ptr_array_new () : NULL;
}

gboolean
sonde_travel_is_direct (const SondeTravel *travel)
{
  return travel->kind == SONDE_TRAVEL_TO || travel->pattern != NULL;
}

/* The place at @step and @moment of @execution. */
static SondeRunPlace
place_at (const SondeTravel *travel, SondeExecution *execution, guint step, SondeMoment moment)
{
  return sonde_run_place_of (travel->subject, execution,
                             moment == SONDE_MOMENT_AFTER ? step + 1 : step);
}

/* The node that is searched for is hooked there. */
static gboolean
is_at_pattern (const SondeTravel *travel, SondeExecution *execution, guint step)
{
  SondeLocationIndex *locations = travel->breakpoints->locations;
  const GArray *found = sonde_location_index_lookup (locations, travel->places,
                                                     sonde_location_index_of (locations, execution),
                                                     travel->pattern, SONDE_MOMENT_BEFORE);

  return sonde_locations_at (found, step, SONDE_MOMENT_BEFORE) != NULL;
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
sonde_travel_wants (SondeTravel *travel, SondeExecution *execution, guint step)
{
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution)),
        depth = sonde_execution_depth (execution);
  guint wants;

  if (travel->kind == SONDE_TRAVEL_TO)
    return travel->inside && depth + 1 == travel->to.n_levels
               ? want_place (&travel->to, depth, n_steps, step)
               : 0;
  wants = want_place (&travel->end, depth, n_steps, step);
  if (travel->pattern != NULL && is_at_pattern (travel, execution, step))
    wants |= SONDE_WANT_BEFORE;
  return wants;
}

gboolean
sonde_travel_begins (const SondeTravel *travel)
{

  return (travel->kind == SONDE_TRAVEL_TO && travel->subject->run == travel->to.run)
         || (travel->kind == SONDE_TRAVEL_SEARCH && travel->subject->run == travel->end.run
             && sonde_run_place_is_first (&travel->end));
}

/* Something stops at @place. */
static void
note_found (SondeTravel *travel, const SondeRunPlace *place, SondeMoment moment,
            const SondeNode *node)
{

  if (travel->ids == NULL)
    travel->ids = g_array_new (FALSE, FALSE, sizeof (guint));
  if (!travel->found || sonde_run_place_compare (&travel->to, place) != 0)
    {
      g_array_set_size (travel->ids, 0);
      travel->to = *place;
      travel->moment = moment;
      travel->node = node;
      travel->found = TRUE;
    }
  g_array_append_vals (travel->ids, travel->breakpoints->record->hits->data,
                       travel->breakpoints->record->hits->len);
}

static void
look_for_stop (SondeTravel *travel, SondeExecution *execution, guint step, SondeMoment moment,
               const SondeRunPlace *place)
{
  const SondeNode *node;

  if (travel->pattern != NULL)
    {
      if (moment == SONDE_MOMENT_BEFORE && is_at_pattern (travel, execution, step))
        note_found (travel, place, moment, NULL);
      return;
    }
  g_array_set_size (travel->breakpoints->record->hits, 0);
  node = sonde_breakpoint_locations_count_hits (travel->breakpoints, execution, step, moment, TRUE);
  if (travel->breakpoints->record->hits->len > 0)
    {
      if (!travel->found || sonde_run_place_compare (&travel->to, place) != 0)
        sonde_watch_table_forget_stop (travel->watches);
      note_found (travel, place, moment, node);
    }
  g_array_set_size (travel->breakpoints->record->hits, 0);
}

gboolean
sonde_travel_looks (const SondeTravel *travel, SondeExecution *execution, guint step,
                    SondeMoment moment)
{
  SondeRunPlace place;

  if (travel->kind == SONDE_TRAVEL_NONE)
    return TRUE;
  if (sonde_travel_is_direct (travel) || travel->subject->run < travel->begin)
    return FALSE;
  place = place_at (travel, execution, step, moment);
  return sonde_run_place_compare (&place, &travel->end) < 0;
}

void
sonde_travel_note (SondeTravel *travel, SondeExecution *execution, guint step, SondeMoment moment)
{
  SondeRunPlace place;

  g_array_set_size (travel->breakpoints->record->hits, 0);
  place = place_at (travel, execution, step, moment);
  note_found (travel, &place, moment, NULL);
}

SondeAnswer
sonde_travel_comes_by (SondeTravel *travel, SondeExecution *execution, guint step,
                       SondeMoment moment)
{
  SondeRunPlace place;

  place = place_at (travel, execution, step, moment);
  if (travel->kind == SONDE_TRAVEL_TO)
    travel->is_there = sonde_run_place_compare (&place, &travel->to) == 0;
  else
    travel->is_there = sonde_run_place_compare (&place, &travel->end) >= 0;
  if (travel->is_there)
    return SONDE_ANSWER_PAUSE;
  if (travel->kind == SONDE_TRAVEL_SEARCH && travel->subject->run >= travel->begin)
    look_for_stop (travel, execution, step, moment, &place);
  return SONDE_ANSWER_CONTINUE;
}
