/* SPDX-License-Identifier: Apache-2.0
 * The target of UNTIL. */
#include "engine/debug/run/sonde-until.h"

#include <string.h>

void
sonde_until_init (SondeUntil *until, SondeLocationIndex *locations)
{
  *until = (SondeUntil){ .locations = locations, .phase = -1, .end = -1, .iteration = -1 };
}

void
sonde_until_forget (SondeUntil *until)
{
  g_clear_pointer (&until->cache, g_ptr_array_unref);
  g_clear_pointer (&until->pattern, g_free);
  sonde_until_init (until, until->locations);
}

static gboolean
parse_number (const char *text, const char *what, guint64 minimum, guint64 *number, GError **error)
{
  if (g_ascii_string_to_unsigned (text, 10, minimum, G_MAXINT64, number, NULL))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s:%s” is not understood: give a number from %" PRIu64 " on.", what, text,
                   minimum);
  return FALSE;
}

static gboolean
parse_step (SondeUntil *until, const char *text, guint64 now, guint64 *behind, GError **error)
{
  const SondeDebuggee *debuggee = until->locations->debuggee;
  guint64 step;

  if (!parse_number (text, "step", 1, &step, error))
    return FALSE;
  if (step <= now && debuggee->history != NULL && debuggee->began)
    {
      *behind = step;
      return TRUE;
    }
  if (step <= now && (debuggee->began || step < now))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The run is at step %" PRIu64 " already; restart it to get to step %" PRIu64
                       ".",
                       now, step);
      return FALSE;
    }
  until->step = step;
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
follows_phase (SondePlan *plan, guint step, SondePhase phase, guint64 executed)
{
  int last = last_of_phase (plan, phase);

  if (last < 0)
    return FALSE;
  if (step == 0)
    return executed > 0 && (guint) last + 1 == sonde_plan_get_n_steps (plan);
  return (guint) last + 1 == step;
}

static gboolean
parse_phase (SondeUntil *until, const char *text, int *which, GError **error)
{
  SondePlan *plan
      = sonde_execution_get_plan (sonde_debuggee_get_execution (until->locations->debuggee));
  int phase = SONDE_PHASE_FORWARD;

  while (phase <= SONDE_PHASE_OPTIMISER && !g_str_equal (sonde_phase_name (phase), text))
    phase++;
  if (phase > SONDE_PHASE_OPTIMISER)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "There is no phase “%s”; there are forward, backward, optimiser.", text);
      return FALSE;
    }
  if (last_of_phase (plan, (SondePhase) phase) < 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
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
  return node != NULL && !sonde_node_is (node, SONDE_OP_ID_IF);
}

static gboolean
parse_iteration (SondeUntil *until, const char *text, GError **error)
{
  SondeExecution *execution = sonde_debuggee_get_innermost (until->locations->debuggee);
  guint64 number;

  if (!parse_number (text, "iteration", 0, &number, error))
    return FALSE;
  while (execution != NULL && !is_loop (sonde_execution_get_node (execution)))
    execution = sonde_execution_get_parent (execution);
  if (execution != NULL && (gint64) number <= sonde_execution_get_iteration (execution))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The loop “%s” is in iteration %" PRIi64 " already.",
                       sonde_execution_get_node (execution)->name,
                       sonde_execution_get_iteration (execution));
      return FALSE;
    }
  until->iteration = (gint64) number;
  until->node = execution != NULL ? sonde_execution_get_node (execution) : NULL;
  return TRUE;
}

/* ---- places -------------------------------------------------------------- */

static gboolean
parse_place (SondeUntil *until, const char *pattern, GError **error)
{
  SondeExecution *outermost = sonde_debuggee_get_execution (until->locations->debuggee);
  guint plan = sonde_location_index_of (until->locations, outermost);

  until->cache = g_ptr_array_new ();
  until->pattern = g_strdup (pattern);
  if (sonde_location_index_lookup (until->locations, until->cache, plan, pattern,
                                   SONDE_MOMENT_BEFORE)
              ->len
          > 0
      || sonde_location_index_count_inside (until->locations, pattern) > 0)
    return TRUE;
  sonde_location_index_set_error (until->locations, plan, pattern, error);
  return FALSE;
}

gboolean
sonde_until_parse (SondeUntil *until, const char *target, guint64 now, guint64 *behind,
                   GError **error)
{
  if (target == NULL || *target == '\0')
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Missing target: name a node, step:N, iteration:N, phase: or "
                       "end:forward|backward|optimiser.");
      return FALSE;
    }
  if (g_str_has_prefix (target, "step:"))
    return parse_step (until, target + strlen ("step:"), now, behind, error);
  if (g_str_has_prefix (target, "phase:"))
    return parse_phase (until, target + strlen ("phase:"), &until->phase, error);
  if (g_str_has_prefix (target, "end:"))
    return parse_phase (until, target + strlen ("end:"), &until->end, error);
  if (g_str_has_prefix (target, "iteration:"))
    return parse_iteration (until, target + strlen ("iteration:"), error);
  return parse_place (until, target, error);
}

static const SondeLocation *
find_location (SondeUntil *until, SondeExecution *execution, guint step)
{
  const GArray *found = sonde_location_index_lookup (
      until->locations, until->cache, sonde_location_index_of (until->locations, execution),
      until->pattern, SONDE_MOMENT_BEFORE);

  return sonde_locations_at (found, step, SONDE_MOMENT_BEFORE);
}

const SondeNode *
sonde_until_get_node (SondeUntil *until, SondeExecution *execution, guint step)
{
  const SondeLocation *location
      = until->cache != NULL ? find_location (until, execution, step) : NULL;

  return location != NULL ? location->node : NULL;
}

gboolean
sonde_until_wants (SondeUntil *until, SondeExecution *execution, guint step, guint64 executed)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  const SondeNode *node = sonde_execution_get_node (execution);

  if (until->iteration >= 0)
    return step == 0 && is_loop (node) && (until->node == NULL || until->node == node);
  if (until->cache != NULL)
    return find_location (until, execution, step) != NULL;
  if (node != NULL)
    return FALSE;
  if (until->phase >= 0)
    return starts_phase (plan, step, (SondePhase) until->phase);
  return step == 0
         || (until->end >= 0 && follows_phase (plan, step, (SondePhase) until->end, executed));
}

gboolean
sonde_until_is_here (SondeUntil *until, SondeExecution *execution, guint step, guint64 executed)
{
  if (!sonde_until_wants (until, execution, step, executed))
    return FALSE;
  if (until->iteration >= 0)
    return sonde_execution_get_iteration (execution) == until->iteration;
  if (until->step > 0)
    return until->locations->debuggee->step >= until->step;
  return until->end < 0
         || follows_phase (sonde_execution_get_plan (execution), step, (SondePhase) until->end,
                           executed);
}
