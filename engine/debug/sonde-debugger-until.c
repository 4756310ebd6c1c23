/* SPDX-License-Identifier: Apache-2.0
 * What UNTIL runs to: a place, a step of the training, a phase, an iteration. */
#include "engine/debug/sonde-debugger-private.h"

#include <string.h>

void
sonde_debugger_forget_until (SondeDebugger *debugger)
{
  debugger->until_step = 0;
  debugger->until_phase = debugger->until_end = -1;
  debugger->until_iteration = -1;
  debugger->until_node = NULL;
  g_clear_pointer (&debugger->until, g_ptr_array_unref);
  g_clear_pointer (&debugger->until_pattern, g_free);
}

static gboolean
parse_number (const char *text, const char *what, guint64 minimum, guint64 *number, GError **error)
{
  if (g_ascii_string_to_unsigned (text, 10, minimum, G_MAXINT64, number, NULL))
    return TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "“%s:%s” is no %s: give a number from %" G_GUINT64_FORMAT " on.", what, text, what,
               minimum);
  return FALSE;
}

static gboolean
parse_step (SondeDebugger *debugger, const char *text, GError **error)
{
  SondeStop stop;
  guint64 step;

  if (!parse_number (text, "step", 1, &step, error))
    return FALSE;
  sonde_debugger_get_stop (debugger, &stop);
  if (step <= stop.step && debugger->history != NULL && debugger->began)
    {
      const SondeBack back = { .kind = SONDE_BACK_RUN, .count = step };

      return sonde_debugger_go_back (debugger, &back, error);
    }
  if (step <= stop.step && (debugger->began || step < stop.step))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The run is at step %" G_GUINT64_FORMAT
                   " already; restart it to get to step %" G_GUINT64_FORMAT ".",
                   stop.step, step);
      return FALSE;
    }
  debugger->until_step = step;
  return TRUE;
}

/* ---- phases -------------------------------------------------------------- */

static gboolean
starts_phase (SondePlan *plan, guint step, SondePhase phase)
{
  return sonde_plan_get_step (plan, step)->phase == phase
         && (step == 0 || sonde_plan_get_step (plan, step - 1)->phase != phase);
}

/* Last step of @phase, -1 when there is none. */
static int
last_of_phase (SondePlan *plan, SondePhase phase)
{
  for (guint k = sonde_plan_get_n_steps (plan); k > 0; k--)
    if (sonde_plan_get_step (plan, k - 1)->phase == phase)
      return (int) k - 1;
  return -1;
}

/* The end of a run is the beginning of the next. */
static gboolean
follows_phase (SondeDebugger *debugger, SondePlan *plan, guint step, SondePhase phase)
{
  int last = last_of_phase (plan, phase);

  if (last < 0)
    return FALSE;
  if (step == 0)
    return debugger->executed > 0 && (guint) last + 1 == sonde_plan_get_n_steps (plan);
  return (guint) last + 1 == step;
}

static gboolean
parse_phase (SondeDebugger *debugger, const char *text, int *which, GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (sonde_debugger_get_execution (debugger));
  int phase = SONDE_PHASE_FORWARD;

  while (phase <= SONDE_PHASE_OPTIMISER && !g_str_equal (sonde_phase_name (phase), text))
    phase++;
  if (phase > SONDE_PHASE_OPTIMISER)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "There is no phase “%s”; there are forward, backward, optimiser.", text);
      return FALSE;
    }
  if (last_of_phase (plan, (SondePhase) phase) < 0)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "Nothing here runs in the %s phase: this is an inference.", text);
      return FALSE;
    }
  *which = phase;
  return TRUE;
}

/* ---- iterations ---------------------------------------------------------- */

static gboolean
is_loop (const SondeNode *node)
{
  return node != NULL && !sonde_node_is_op (node, "If");
}

static gboolean
parse_iteration (SondeDebugger *debugger, const char *text, GError **error)
{
  SondeExecution *execution = sonde_debugger_get_innermost (debugger);
  guint64 number;

  if (!parse_number (text, "iteration", 0, &number, error))
    return FALSE;
  while (execution != NULL && !is_loop (sonde_execution_get_node (execution)))
    execution = sonde_execution_get_parent (execution);
  if (execution != NULL && (gint64) number <= sonde_execution_get_iteration (execution))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The loop “%s” is in iteration %" G_GINT64_FORMAT " already.",
                   sonde_execution_get_node (execution)->name,
                   sonde_execution_get_iteration (execution));
      return FALSE;
    }
  debugger->until_iteration = (gint64) number;
  debugger->until_node = execution != NULL ? sonde_execution_get_node (execution) : NULL;
  return TRUE;
}

/* ---- places -------------------------------------------------------------- */

static gboolean
parse_place (SondeDebugger *debugger, const char *pattern, GError **error)
{
  SondeExecution *outermost = sonde_debugger_get_execution (debugger);
  guint index = sonde_debugger_index_of (debugger, outermost);

  debugger->until = g_ptr_array_new ();
  debugger->until_pattern = g_strdup (pattern);
  if (sonde_debugger_places (debugger, debugger->until, index, pattern, SONDE_MOMENT_BEFORE)->len
          > 0
      || sonde_debugger_count_inside (debugger, pattern) > 0)
    return TRUE;
  sonde_place_index_set_error (g_ptr_array_index (debugger->indices, index), pattern, error);
  return FALSE;
}

gboolean
sonde_debugger_parse_until (SondeDebugger *debugger, const char *target, GError **error)
{
  if (target == NULL || *target == '\0')
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Until what? Name a node, step:N, iteration:N, phase: or "
                           "end:forward|backward|optimiser.");
      return FALSE;
    }
  if (g_str_has_prefix (target, "step:"))
    return parse_step (debugger, target + strlen ("step:"), error);
  if (g_str_has_prefix (target, "phase:"))
    return parse_phase (debugger, target + strlen ("phase:"), &debugger->until_phase, error);
  if (g_str_has_prefix (target, "end:"))
    return parse_phase (debugger, target + strlen ("end:"), &debugger->until_end, error);
  if (g_str_has_prefix (target, "iteration:"))
    return parse_iteration (debugger, target + strlen ("iteration:"), error);
  return parse_place (debugger, target, error);
}

static const SondePlace *
until_place (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  const GArray *places = sonde_debugger_places (debugger, debugger->until,
                                                sonde_debugger_index_of (debugger, execution),
                                                debugger->until_pattern, SONDE_MOMENT_BEFORE);

  return sonde_places_at (places, step, SONDE_MOMENT_BEFORE);
}

const SondeNode *
sonde_debugger_until_node (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  const SondePlace *place
      = debugger->until != NULL ? until_place (debugger, execution, step) : NULL;

  return place != NULL ? place->node : NULL;
}

gboolean
sonde_debugger_wants_until (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  const SondeNode *node = sonde_execution_get_node (execution);

  if (debugger->until_iteration >= 0)
    return step == 0 && is_loop (node)
           && (debugger->until_node == NULL || debugger->until_node == node);
  if (debugger->until != NULL)
    return until_place (debugger, execution, step) != NULL;
  if (node != NULL)
    return FALSE;
  if (debugger->until_phase >= 0)
    return starts_phase (plan, step, (SondePhase) debugger->until_phase);
  return step == 0
         || (debugger->until_end >= 0
             && follows_phase (debugger, plan, step, (SondePhase) debugger->until_end));
}

gboolean
sonde_debugger_is_until (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  if (!sonde_debugger_wants_until (debugger, execution, step))
    return FALSE;
  if (debugger->until_iteration >= 0)
    return sonde_execution_get_iteration (execution) == debugger->until_iteration;
  if (debugger->until_step > 0)
    return debugger->step >= debugger->until_step;
  return debugger->until_end < 0
         || follows_phase (debugger, sonde_execution_get_plan (execution), step,
                           (SondePhase) debugger->until_end);
}
