/* SPDX-License-Identifier: Apache-2.0
 * How a run goes on: counting executed steps, running over scopes, running until a place. Breakpoints
 * are not looked at here. */
#include "engine/debug/sonde-debugger-private.h"

#include <string.h>

void
sonde_debugger_forget_resume (SondeDebugger *debugger)
{
  debugger->going = FALSE;
  debugger->is_over = FALSE;
  debugger->until_step = 0;
  debugger->until_phase = -1;
  debugger->executed = 0;
  debugger->start = 0;
  g_clear_pointer (&debugger->over, g_free);
  g_clear_pointer (&debugger->until, g_ptr_array_unref);
  g_clear_pointer (&debugger->until_pattern, g_free);
}

/* ---- scopes --------------------------------------------------------------------------------- */

static const char *
scope_of_step (const SondeStep *step)
{
  return step->n_nodes > 0 ? step->nodes[step->n_nodes - 1]->scope : NULL;
}

/* The scope that begins between @before and @next: the outermost one that holds @next and not @before.
 * NULL when none begins. Returns: (transfer full) */
static char *
scope_that_begins (const char *before,
                   const char *next)
{
  const char *end = next;

  while (end != NULL && *end != '\0')
    {
      const char *slash = strchr (end, '/');
      g_autofree char *scope = slash != NULL ? g_strndup (next, (gsize) (slash - next)) : g_strdup (next);

      if (!sonde_scope_contains (scope, before))
        return g_steal_pointer (&scope);
      end = slash != NULL ? slash + 1 : NULL;
    }
  return NULL;
}

/* NEXT begins at @position of @plan: remembers the scope that it runs over, if one begins there. */
static void
set_over (SondeDebugger *debugger,
          SondePlan     *plan,
          guint          position)
{
  guint n_steps = sonde_plan_get_n_steps (plan);
  guint next = position < n_steps ? position : 0;
  const char *before = next > 0 ? scope_of_step (sonde_plan_get_step (plan, next - 1)) : NULL;

  g_clear_pointer (&debugger->over, g_free);
  if (n_steps > 0)
    debugger->over = scope_that_begins (before != NULL ? before : "", scope_of_step (sonde_plan_get_step (plan, next)));
  debugger->is_over = debugger->over != NULL;
}

/* ---- until ---------------------------------------------------------------------------------- */

static gboolean
parse_until_step (SondeDebugger *debugger,
                  const char    *text,
                  GError       **error)
{
  SondeStop stop;
  guint64 step;

  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT64, &step, NULL))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“step:%s” is no step: give a number from 1 on.", text);
      return FALSE;
    }
  sonde_debugger_get_stop (debugger, &stop);
  if (step <= stop.step && (debugger->began || step < stop.step))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The run is at step %" G_GUINT64_FORMAT " already; restart it to get to step %" G_GUINT64_FORMAT ".",
                   stop.step, step);
      return FALSE;
    }
  debugger->until_step = step;
  return TRUE;
}

static gboolean
starts_phase (SondePlan *plan,
              guint      step,
              SondePhase phase)
{
  return sonde_plan_get_step (plan, step)->phase == phase
         && (step == 0 || sonde_plan_get_step (plan, step - 1)->phase != phase);
}

static gboolean
has_phase (SondePlan *plan,
           SondePhase phase)
{
  guint n_steps = sonde_plan_get_n_steps (plan);

  for (guint k = 0; k < n_steps; k++)
    if (sonde_plan_get_step (plan, k)->phase == phase)
      return TRUE;
  return FALSE;
}

static gboolean
parse_until_phase (SondeDebugger *debugger,
                   SondePlan     *plan,
                   const char    *text,
                   GError       **error)
{
  int phase = SONDE_PHASE_FORWARD;

  while (phase <= SONDE_PHASE_OPTIMISER && !g_str_equal (sonde_phase_name (phase), text))
    phase++;
  if (phase > SONDE_PHASE_OPTIMISER)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "There is no phase “%s”; there are forward, backward, optimiser.", text);
      return FALSE;
    }
  if (!has_phase (plan, phase))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "Nothing here runs in the %s phase: this is an inference.", text);
      return FALSE;
    }
  debugger->until_phase = phase;
  return TRUE;
}

static gboolean
parse_until_place (SondeDebugger *debugger,
                   guint          index,
                   const char    *pattern,
                   GError       **error)
{
  debugger->until = g_ptr_array_new ();
  debugger->until_pattern = g_strdup (pattern);
  if (sonde_debugger_places (debugger, debugger->until, index, pattern, SONDE_MOMENT_BEFORE)->len > 0)
    return TRUE;
  sonde_place_index_set_error (g_ptr_array_index (debugger->indices, index), pattern, error);
  return FALSE;
}

static gboolean
parse_until (SondeDebugger *debugger,
             guint          index,
             const char    *target,
             GError       **error)
{
  SondePlaceIndex *places = g_ptr_array_index (debugger->indices, index);

  if (target == NULL || *target == '\0')
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Until what? Name a node, step:N or phase:forward|backward|optimiser.");
      return FALSE;
    }
  if (g_str_has_prefix (target, "step:"))
    return parse_until_step (debugger, target + strlen ("step:"), error);
  if (g_str_has_prefix (target, "phase:"))
    return parse_until_phase (debugger, places->plan, target + strlen ("phase:"), error);
  return parse_until_place (debugger, index, target, error);
}

/* ---- resume --------------------------------------------------------------------------------- */

gboolean
sonde_debugger_resume (SondeDebugger     *debugger,
                       const SondeResume *resume,
                       GError           **error)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  SondePlan *plan;
  guint position, index;

  if (execution == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "Nothing is open that could run.");
      return FALSE;
    }
  plan = sonde_execution_get_plan (execution);
  index = sonde_debugger_index_of (debugger, execution);
  position = sonde_execution_is_running (execution) ? sonde_execution_get_position (execution) : 0;
  sonde_debugger_forget_resume (debugger);
  if (resume->kind == SONDE_RESUME_UNTIL && !parse_until (debugger, index, resume->target, error))
    {
      sonde_debugger_forget_resume (debugger);
      return FALSE;
    }
  debugger->resume = *resume;
  debugger->resume.target = NULL;
  debugger->resume.count = MAX (resume->count, 1);
  debugger->start = position;
  if (resume->kind == SONDE_RESUME_NEXT)
    set_over (debugger, plan, position);
  debugger->going = TRUE;
  debugger->stop.reason = SONDE_STOP_NONE;
  g_array_set_size (debugger->hits, 0);
  sonde_debugger_refresh (debugger);
  return TRUE;
}

gboolean
sonde_debugger_wants_before (SondeDebugger *debugger,
                             guint          index,
                             guint          step)
{
  const SondePlaceIndex *places = g_ptr_array_index (debugger->indices, index);

  if (!debugger->going || debugger->resume.kind == SONDE_RESUME_CONTINUE)
    return FALSE;
  if (debugger->resume.kind != SONDE_RESUME_UNTIL)
    return TRUE;
  if (debugger->until_step > 0)
    return step == 0;
  if (debugger->until_phase >= 0)
    return starts_phase (places->plan, step, (SondePhase) debugger->until_phase);
  return sonde_places_at (sonde_debugger_places (debugger, debugger->until, index, debugger->until_pattern,
                                                 SONDE_MOMENT_BEFORE),
                          step, SONDE_MOMENT_BEFORE)
         != NULL;
}

/* NEXT stands before @step: TRUE when that was the last one wanted. */
static gboolean
next_is_done (SondeDebugger *debugger,
              SondePlan     *plan,
              guint          step)
{
  const SondeStep *next = sonde_plan_get_step (plan, step);

  if (debugger->is_over && step > 0 && sonde_scope_contains (debugger->over, scope_of_step (next))
      && next->phase == sonde_plan_get_step (plan, step - 1)->phase)
    return FALSE;
  if (--debugger->resume.count == 0)
    return TRUE;
  set_over (debugger, plan, step);
  return FALSE;
}

SondeStopReason
sonde_debugger_reason_before (SondeDebugger *debugger,
                              guint          index,
                              guint          step)
{
  const SondePlaceIndex *places = g_ptr_array_index (debugger->indices, index);
  guint64 executed = debugger->executed + step - MIN (debugger->start, step);

  if (!debugger->going)
    return SONDE_STOP_NONE;
  switch (debugger->resume.kind)
    {
    case SONDE_RESUME_STEP:
      return executed >= debugger->resume.count ? SONDE_STOP_STEP : SONDE_STOP_NONE;
    case SONDE_RESUME_NEXT:
      return executed > 0 && next_is_done (debugger, places->plan, step) ? SONDE_STOP_STEP : SONDE_STOP_NONE;
    case SONDE_RESUME_UNTIL:
      if (debugger->until_step > 0)
        return step == 0 && debugger->step >= debugger->until_step ? SONDE_STOP_UNTIL : SONDE_STOP_NONE;
      return sonde_debugger_wants_before (debugger, index, step) ? SONDE_STOP_UNTIL : SONDE_STOP_NONE;
    case SONDE_RESUME_CONTINUE:
    default:
      return SONDE_STOP_NONE;
    }
}
