/* SPDX-License-Identifier: Apache-2.0
 * The run's part in reverse execution. */
#include "engine/debug/run/sonde-reverse-run.h"

#include "engine/debug/run/sonde-step-scope.h"

void
sonde_reverse_run_init (SondeReverseRun *reverse, const SondeDebuggee *debuggee,
                        SondeBreakpointLocations *breakpoints, SondeWatchTable *watches)
{
  *reverse = (SondeReverseRun){
    .group_node = -1, .debuggee = debuggee, .breakpoints = breakpoints, .watches = watches
  };
}

void
sonde_reverse_run_forget (SondeReverseRun *reverse)
{
  reverse->kind = SONDE_REVERSE_NONE;
  reverse->restored = reverse->found = reverse->in_body = reverse->arrived = FALSE;
  reverse->group_node = -1;
  g_clear_pointer (&reverse->ids, g_array_unref);
  g_clear_pointer (&reverse->pattern, g_free);
  g_clear_pointer (&reverse->cache, g_ptr_array_unref);
}

gboolean
sonde_reverse_run_is_active (const SondeReverseRun *reverse)
{
  return reverse->kind != SONDE_REVERSE_NONE;
}

void
sonde_reverse_run_go_to (SondeReverseRun *reverse, const SondeRunPosition *at,
                         SondeStopReason reason)
{
  reverse->kind = SONDE_REVERSE_TO;
  reverse->to = *at;
  reverse->reason = reason;
  reverse->restored = reverse->in_body = FALSE;
}

void
sonde_reverse_run_search (SondeReverseRun *reverse, const SondeRunPosition *end,
                          const char *pattern)
{
  reverse->kind = SONDE_REVERSE_SEARCH;
  reverse->end = *end;
  reverse->pattern = g_strdup (pattern);
  reverse->cache = pattern != NULL ? g_ptr_array_new () : NULL;
}

gboolean
sonde_reverse_run_ignores_breakpoints (const SondeReverseRun *reverse)
{
  return reverse->kind == SONDE_REVERSE_TO || reverse->pattern != NULL;
}

/* The place at @step and @moment of @execution. */
static SondeRunPosition
position_at (const SondeReverseRun *reverse, SondeExecution *execution, guint step,
             SondeMoment moment)
{
  return sonde_run_position_in (reverse->debuggee, execution,
                                moment == SONDE_MOMENT_AFTER ? step + 1 : step);
}

/* The node that is searched for is hooked there. */
static gboolean
is_at_pattern (const SondeReverseRun *reverse, SondeExecution *execution, guint step)
{
  SondeLocationIndex *locations = reverse->breakpoints->locations;
  const GArray *found = sonde_location_index_lookup (locations, reverse->cache,
                                                     sonde_location_index_of (locations, execution),
                                                     reverse->pattern, SONDE_MOMENT_BEFORE);

  return sonde_locations_at (found, step, SONDE_MOMENT_BEFORE) != NULL;
}

/* The steps around @place in plans of its depth. */
static guint
wants_around (const SondeRunPosition *at, guint depth, guint n_steps, guint step)
{
  guint position = depth < at->n_levels ? MIN (at->levels[depth].position, n_steps) : G_MAXUINT - 1;

  return (step == position ? SONDE_WANT_BEFORE : 0) | (step + 1 == position ? SONDE_WANT_AFTER : 0);
}

guint
sonde_reverse_run_wants (SondeReverseRun *reverse, SondeExecution *execution, guint step)
{
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution)),
        depth = sonde_execution_depth (execution);
  guint wants;

  if (reverse->kind == SONDE_REVERSE_TO)
    return reverse->in_body && depth + 1 == reverse->to.n_levels
               ? wants_around (&reverse->to, depth, n_steps, step)
               : 0;
  wants = wants_around (&reverse->end, depth, n_steps, step);
  if (reverse->pattern != NULL && is_at_pattern (reverse, execution, step))
    wants |= SONDE_WANT_BEFORE;
  return wants;
}

gboolean
sonde_reverse_run_pauses_at_begin (const SondeReverseRun *reverse)
{

  return (reverse->kind == SONDE_REVERSE_TO && reverse->debuggee->run == reverse->to.run)
         || (reverse->kind == SONDE_REVERSE_SEARCH && reverse->debuggee->run == reverse->end.run
             && sonde_run_position_is_first (&reverse->end));
}

/* Something stops at @place. */
static void
note_found (SondeReverseRun *reverse, const SondeRunPosition *at, SondeMoment moment,
            const SondeNode *node)
{

  if (reverse->ids == NULL)
    reverse->ids = g_array_new (FALSE, FALSE, sizeof (guint));
  if (!reverse->found || sonde_run_position_compare (&reverse->to, at) != 0)
    {
      g_array_set_size (reverse->ids, 0);
      reverse->to = *at;
      reverse->moment = moment;
      reverse->node = node;
      reverse->found = TRUE;
    }
  g_array_append_vals (reverse->ids, reverse->breakpoints->record->hits->data,
                       reverse->breakpoints->record->hits->len);
}

static void
look_for_stop (SondeReverseRun *reverse, SondeExecution *execution, guint step, SondeMoment moment,
               const SondeRunPosition *at)
{
  const SondeNode *node;

  if (reverse->pattern != NULL)
    {
      if (moment == SONDE_MOMENT_BEFORE && is_at_pattern (reverse, execution, step))
        note_found (reverse, at, moment, NULL);
      return;
    }
  g_array_set_size (reverse->breakpoints->record->hits, 0);
  node
      = sonde_breakpoint_locations_count_hits (reverse->breakpoints, execution, step, moment, TRUE);
  if (reverse->breakpoints->record->hits->len > 0)
    {
      if (!reverse->found || sonde_run_position_compare (&reverse->to, at) != 0)
        sonde_watch_table_forget_stop (reverse->watches);
      note_found (reverse, at, moment, node);
    }
  g_array_set_size (reverse->breakpoints->record->hits, 0);
}

gboolean
sonde_reverse_run_counts_stop (const SondeReverseRun *reverse, SondeExecution *execution,
                               guint step, SondeMoment moment)
{
  SondeRunPosition at;

  if (reverse->kind == SONDE_REVERSE_NONE)
    return TRUE;
  if (sonde_reverse_run_ignores_breakpoints (reverse) || reverse->debuggee->run < reverse->begin)
    return FALSE;
  at = position_at (reverse, execution, step, moment);
  return sonde_run_position_compare (&at, &reverse->end) < 0;
}

void
sonde_reverse_run_note_stop (SondeReverseRun *reverse, SondeExecution *execution, guint step,
                             SondeMoment moment)
{
  SondeRunPosition at;

  g_array_set_size (reverse->breakpoints->record->hits, 0);
  at = position_at (reverse, execution, step, moment);
  note_found (reverse, &at, moment, NULL);
}

SondeAnswer
sonde_reverse_run_pass (SondeReverseRun *reverse, SondeExecution *execution, guint step,
                        SondeMoment moment)
{
  SondeRunPosition at;

  at = position_at (reverse, execution, step, moment);
  if (reverse->kind == SONDE_REVERSE_TO)
    reverse->arrived = sonde_run_position_compare (&at, &reverse->to) == 0;
  else
    reverse->arrived = sonde_run_position_compare (&at, &reverse->end) >= 0;
  if (reverse->arrived)
    return SONDE_ANSWER_PAUSE;
  if (reverse->kind == SONDE_REVERSE_SEARCH && reverse->debuggee->run >= reverse->begin)
    look_for_stop (reverse, execution, step, moment, &at);
  return SONDE_ANSWER_CONTINUE;
}
