/* SPDX-License-Identifier: Apache-2.0
 * Letting the run go on, forward or in reverse. Nothing runs here: what is asked is checked and
 * noted. */
#include "engine/debug/sonde-debugger-private.h"

/* ---- in reverse ---------------------------------------------------------- */

/* Steps back in the bodies it stands in, an iteration before the other, out of a body to before its
 * node.
 * Returns: how many are left. */
static guint64
go_steps_inside (SondeDebugger *debugger, SondeRunPosition *at, guint64 left)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);

  for (; left > 0 && at->n_levels > 1; execution = sonde_execution_get_parent (execution))
    {
      guint level = at->n_levels - 1,
            n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));

      while (left > at->levels[level].position && at->levels[level].iteration > 0)
        {
          left -= at->levels[level].position;
          at->levels[level].iteration--;
          at->levels[level].position = n_steps;
        }
      if (left <= at->levels[level].position)
        {
          at->levels[level].position -= (guint) left;
          return 0;
        }
      left -= at->levels[level].position + 1;
      at->n_levels--;
    }
  return left;
}

static void
go_steps (SondeDebugger *debugger, guint64 count)
{
  guint cursor = sonde_run_lengths_end (&debugger->lengths);
  SondeRunPosition at = sonde_run_position_now (&debugger->debuggee);
  guint64 first = sonde_debuggee_get_first_run (&debugger->debuggee, at.run), left = count;
  guint *position = &at.levels[0].position;

  if (debugger->record.in_group && count <= debugger->record.group_node)
    {
      sonde_reverse_run_go_to (&debugger->reverse, &at, SONDE_STOP_STEP);
      debugger->reverse.group_node = (gint64) (debugger->record.group_node - count);
      return;
    }
  left = go_steps_inside (debugger, &at,
                          left - (debugger->record.in_group ? debugger->record.group_node : 0));
  while (at.n_levels == 1 && left > *position && at.run > first)
    {
      left -= *position;
      at.run--;
      *position = sonde_run_lengths_get (&debugger->lengths, at.run, &cursor);
    }
  if (at.n_levels > 1 || left <= *position)
    {
      *position -= at.n_levels == 1 ? (guint) left : 0;
      sonde_reverse_run_go_to (&debugger->reverse, &at, SONDE_STOP_STEP);
      return;
    }
  *position = 0;
  sonde_reverse_run_go_to (&debugger->reverse, &at, SONDE_STOP_BEGINNING);
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
static SondeRunPosition
get_looked_at (SondeDebugger *debugger)
{
  guint cursor = sonde_run_lengths_end (&debugger->lengths);
  SondeRunPosition at = sonde_run_position_now (&debugger->debuggee);

  if (sonde_debuggee_is_in_run (&debugger->debuggee)
      || at.run <= sonde_debuggee_get_first_run (&debugger->debuggee, at.run))
    return at;
  return sonde_run_position (at.run - 1,
                             sonde_run_lengths_get (&debugger->lengths, at.run - 1, &cursor));
}

static gboolean
go_before_node (SondeDebugger *debugger, const char *pattern, GError **error)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger),
                 *outermost = sonde_debugger_get_execution (debugger);
  SondeRunPosition here = get_looked_at (debugger);
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
          sonde_reverse_run_go_to (&debugger->reverse, &here, SONDE_STOP_UNTIL);
          return TRUE;
        }
    }
  here = get_looked_at (debugger);
  if (matches)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "“%s” lies ahead, this run has not come to it yet; until %s goes there.",
                     pattern, pattern);
  else if (sonde_location_index_count_inside (&debugger->locations, pattern) > 0)
    sonde_reverse_run_search (&debugger->reverse, &here, pattern);
  else
    sonde_location_index_set_error (&debugger->locations,
                                    sonde_location_index_of (&debugger->locations, outermost),
                                    pattern, error);
  return sonde_debugger_is_going_back (debugger);
}

static gboolean
go_before_step (SondeDebugger *debugger, guint64 step, GError **error)
{
  SondeRunPosition here = sonde_run_position_now (&debugger->debuggee), at;
  guint64 run = 0, first = sonde_debuggee_get_first_run (&debugger->debuggee, here.run);

  if (debugger->debuggee.history != NULL)
    run = debugger->debuggee.history->find_run (debugger->debuggee.history_data, MAX (step, 1));
  if (run >= first && run <= here.run)
    {
      at = sonde_run_position (run, 0);
      sonde_reverse_run_go_to (&debugger->reverse, &at, SONDE_STOP_UNTIL);
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
  sonde_reverse_run_forget (&debugger->reverse);
  if (back->kind == SONDE_BACK_STEPS)
    go_steps (debugger, MAX (back->count, 1));
  else if (back->kind == SONDE_BACK_NODE)
    good = go_before_node (debugger, back->target, error);
  else if (back->kind == SONDE_BACK_RUN)
    good = go_before_step (debugger, back->count, error);
  else
    {
      SondeRunPosition end = sonde_run_position_now (&debugger->debuggee);

      if (sonde_debuggee_is_at_end (&debugger->debuggee))
        end.levels[0].position++;
      sonde_reverse_run_search (&debugger->reverse, &end, NULL);
    }
  if (!good)
    return FALSE;
  sonde_debugger_forget_stop (debugger);
  sonde_debuggee_refresh (&debugger->debuggee);
  return TRUE;
}

/* ---- forward ------------------------------------------------------------- */

/* Stands inside the present step: nothing runs. */
static void
stand_inside (SondeDebugger *debugger, const SondeInside *inside)
{
  sonde_debugger_forget_stop (debugger);
  if (inside->entered == NULL)
    {
      sonde_debugger_enter_group (debugger, inside->execution, inside->position, inside->node);
      return;
    }
  sonde_debugger_set_stop (debugger, inside->execution, inside->position, SONDE_MOMENT_BEFORE, NULL,
                           SONDE_STOP_STEP);
  debugger->record.entered = inside->entered;
}

gboolean
sonde_debugger_resume (SondeDebugger *debugger, const SondeResume *asked, GError **error)
{
  SondeResume resume = *asked;
  SondeInside inside;
  guint64 behind;

  if (sonde_debugger_get_execution (debugger) == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing is open to run.");
      return FALSE;
    }
  resume.count = MAX (resume.count, 1);
  if (resume.kind == SONDE_RESUME_UNTIL && g_strcmp0 (resume.target, "end") == 0)
    resume.kind = SONDE_RESUME_OUT;
  if (sonde_stepper_go_inside (&debugger->stepper, &resume, &inside))
    {
      stand_inside (debugger, &inside);
      return TRUE;
    }
  sonde_reverse_run_forget (&debugger->reverse);
  if (!sonde_stepper_start (&debugger->stepper, &resume, &behind, error))
    return FALSE;
  if (behind > 0) /* until a step that has been */
    {
      const SondeBack back = { .kind = SONDE_BACK_RUN, .count = behind };

      return sonde_debugger_go_back (debugger, &back, error);
    }
  sonde_stop_record_leave (&debugger->record);
  sonde_debugger_forget_stop (debugger);
  sonde_debuggee_refresh (&debugger->debuggee);
  return TRUE;
}
