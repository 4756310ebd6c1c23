/* SPDX-License-Identifier: Apache-2.0
 * How a run goes on. */
#include "engine/debug/run/sonde-stepper.h"

#include <string.h>

#include "engine/debug/run/sonde-step-scope.h"

void
sonde_stepper_init (SondeStepper *stepper, const SondeDebuggee *debuggee,
                    const SondeStopRecord *record, SondeLocationIndex *locations)
{
  *stepper = (SondeStepper){ .debuggee = debuggee, .record = record };
  sonde_until_init (&stepper->until, locations);
}

void
sonde_stepper_forget (SondeStepper *stepper)
{
  stepper->going = FALSE;
  stepper->is_over = FALSE;
  stepper->executed = 0;
  g_clear_pointer (&stepper->over, g_free);
  sonde_until_forget (&stepper->until);
}

/* ---- scopes -------------------------------------------------------------- */

/* The scope that begins between @before and @next: the outermost one that holds @next and not
 * @before. NULL when none begins. Returns: (transfer full) */
static char *
scope_that_begins (const char *before, const char *next)
{
  const char *end = next;

  while (end != NULL && *end != '\0')
    {
      const char *slash = strchr (end, '/');
      g_autofree char *scope
          = slash != NULL ? g_strndup (next, (gsize) (slash - next)) : g_strdup (next);

      if (!sonde_scope_contains (scope, before))
        return g_steal_pointer (&scope);
      end = slash != NULL ? slash + 1 : NULL;
    }
  return NULL;
}

/* NEXT begins before @step of @execution: remembers the scope that it runs over, if one begins
 * there. */
static void
set_over (SondeStepper *stepper, SondeExecution *execution, guint step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  guint n_steps = sonde_plan_get_n_steps (plan);
  guint next = step < n_steps ? step : 0;
  const char *before = sonde_execution_scope (execution);

  g_clear_pointer (&stepper->over, g_free);
  stepper->is_over = FALSE;
  if (n_steps == 0)
    return;
  if (stepper->record->entered != NULL)
    before = stepper->record->entered;
  else if (next > 0)
    before = sonde_step_scope (sonde_plan_get_step (plan, next - 1));
  stepper->over = scope_that_begins (before != NULL ? before : "",
                                     sonde_step_scope (sonde_plan_get_step (plan, next)));
  stepper->is_over = stepper->over != NULL;
}

/* OUT begins before @step of @execution: the innermost scope there, or else the body as a whole.
 * FALSE when there is nothing to leave. */
static gboolean
set_out (SondeStepper *stepper, SondeExecution *execution, guint step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  const char *base = sonde_execution_scope (execution);
  const char *scope = NULL;

  if (step < sonde_plan_get_n_steps (plan))
    scope = sonde_step_scope (sonde_plan_get_step (plan, step));
  g_clear_pointer (&stepper->over, g_free);
  stepper->is_over
      = scope != NULL && *scope != '\0' && (base == NULL || !sonde_scope_contains (scope, base));
  stepper->over = stepper->is_over ? g_strdup (scope) : NULL;
  stepper->out_depth = sonde_execution_depth (execution);
  return stepper->is_over || sonde_execution_get_parent (execution) != NULL;
}

/* @step of @execution lies in the scope that is run over, as did the one before it. */
static gboolean
is_still_over (SondeStepper *stepper, SondeExecution *execution, guint step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  const SondeStep *next = sonde_plan_get_step (plan, step);

  return stepper->is_over && sonde_scope_contains (stepper->over, sonde_step_scope (next))
         && (step > 0 ? next->phase == sonde_plan_get_step (plan, step - 1)->phase
                      : sonde_execution_get_parent (execution) != NULL);
}

/* ---- places inside one step ---------------------------------------------- */

static const SondeStep *
next_step (const SondeStepper *stepper, SondeExecution *execution, guint *position)
{
  SondePlan *plan = sonde_execution_get_plan (execution);

  *position = sonde_execution_is_running (execution)
                  ? sonde_debuggee_position_of (stepper->debuggee, execution)
                  : 0;
  return *position < sonde_plan_get_n_steps (plan) ? sonde_plan_get_step (plan, *position) : NULL;
}

/* The stop was named by a function call that became @step and more: inside it is the same
 * position. */
static char *
scope_of_call (const SondeStepper *stepper, SondeExecution *execution, const SondeStep *step)
{
  SondeGraph *original = sonde_debuggee_original_of (stepper->debuggee, execution);
  const SondeNode *call = NULL, *node = step->n_nodes > 0 ? step->nodes[0] : NULL;
  g_autofree char *inside = NULL;

  if (original == NULL || node == NULL || !sonde_stop_record_has_stopped (stepper->record)
      || stepper->record->stop.moment != SONDE_MOMENT_BEFORE
      || g_str_equal (stepper->record->node, step->name))
    return NULL;
  for (guint i = 0; i < node->origins->len && call == NULL; i++)
    if (g_str_equal (g_ptr_array_index (node->origins, i), stepper->record->node))
      call = sonde_graph_find_node (original, stepper->record->node);
  inside = call != NULL ? sonde_call_scope (call) : NULL;
  return inside != NULL && sonde_scope_contains (inside, node->scope) ? g_steal_pointer (&inside)
                                                                      : NULL;
}

gboolean
sonde_stepper_go_inside (const SondeStepper *stepper, SondeResume *resume, SondeInside *inside)
{
  SondeExecution *execution = sonde_debuggee_get_innermost (stepper->debuggee);
  guint position;
  const SondeStep *step = next_step (stepper, execution, &position);
  gboolean in_group = stepper->record->in_group && step != NULL;

  *inside = (SondeInside){ .execution = execution, .position = position };
  if (step == NULL || resume->kind == SONDE_RESUME_CONTINUE || resume->kind == SONDE_RESUME_UNTIL)
    return FALSE;
  if (!in_group && resume->kind == SONDE_RESUME_INTO && step->n_nodes == 1 && resume->count == 1)
    {
      inside->entered = scope_of_call (stepper, execution, step);
      return inside->entered != NULL;
    }
  if (in_group && resume->kind == SONDE_RESUME_OUT)
    {
      if (resume->count == 1)
        resume->kind = SONDE_RESUME_STEP;
      else
        resume->count--;
      return FALSE;
    }
  if (in_group || (resume->kind == SONDE_RESUME_INTO && step->n_nodes > 1))
    {
      guint64 to = in_group ? stepper->record->group_node + resume->count : resume->count - 1;

      if (to < step->n_nodes)
        {
          inside->node = (guint) to;
          return TRUE;
        }
      resume->count = to - step->n_nodes + 1; /* the step itself, and what is left */
    }
  return FALSE;
}

/* ---- resume -------------------------------------------------------------- */

static gboolean
set_target (SondeStepper *stepper, SondeExecution *innermost, const SondeResume *resume,
            guint64 *behind, GError **error)
{
  guint position;

  next_step (stepper, innermost, &position);
  if (resume->kind == SONDE_RESUME_UNTIL)
    return sonde_until_parse (&stepper->until, resume->target,
                              sonde_stop_record_get_step (stepper->record, stepper->debuggee),
                              behind, error);
  if (resume->kind == SONDE_RESUME_NEXT)
    set_over (stepper, innermost, position);
  if (resume->kind != SONDE_RESUME_OUT || set_out (stepper, innermost, position))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "There is nothing to leave here: it stands in the outermost graph, in no "
                   "scope. continue goes to "
                   "the end.");
  return FALSE;
}

gboolean
sonde_stepper_start (SondeStepper *stepper, const SondeResume *resume, guint64 *behind,
                     GError **error)
{
  SondeExecution *innermost = sonde_debuggee_get_innermost (stepper->debuggee);

  *behind = 0;
  sonde_stepper_forget (stepper);
  if (!set_target (stepper, innermost, resume, behind, error))
    {
      sonde_stepper_forget (stepper);
      return FALSE;
    }
  if (*behind > 0)
    return TRUE;
  stepper->resume = *resume;
  stepper->resume.target = NULL;
  stepper->depth = sonde_execution_depth (innermost);
  stepper->going = TRUE;
  return TRUE;
}

/* ---- on the way ---------------------------------------------------------- */

guint
sonde_stepper_wants (SondeStepper *stepper, SondeExecution *execution, guint step)
{
  if (!stepper->going || stepper->resume.kind == SONDE_RESUME_CONTINUE)
    return SONDE_WANT_NOTHING;
  if (stepper->resume.kind == SONDE_RESUME_UNTIL)
    return sonde_until_wants (&stepper->until, execution, step, stepper->executed)
               ? SONDE_WANT_BEFORE
               : SONDE_WANT_NOTHING;
  if (stepper->resume.kind == SONDE_RESUME_INTO
      || sonde_execution_depth (execution) <= stepper->depth)
    return SONDE_WANT_BEFORE | SONDE_WANT_AFTER;
  return SONDE_WANT_NOTHING;
}

void
sonde_stepper_count_executed (SondeStepper *stepper, SondeExecution *execution)
{
  guint depth;

  if (!stepper->going || stepper->resume.kind == SONDE_RESUME_CONTINUE
      || stepper->resume.kind == SONDE_RESUME_UNTIL)
    return;
  depth = sonde_execution_depth (execution);
  if (depth == stepper->depth)
    stepper->executed++;
  /* the node it was inside of: its last inner one has been counted */
  else if (depth < stepper->depth)
    {
      stepper->depth = depth;
      stepper->is_over = FALSE;
    }
}

/* One more of those that were asked for; TRUE when it was the last. */
static gboolean
is_last (SondeStepper *stepper)
{
  return --stepper->resume.count == 0;
}

static gboolean
next_is_done (SondeStepper *stepper, SondeExecution *execution, guint step)
{
  if (stepper->executed == 0 || (step > 0 && is_still_over (stepper, execution, step)))
    return FALSE;
  if (is_last (stepper))
    return TRUE;
  stepper->executed = 0;
  set_over (stepper, execution, step);
  return FALSE;
}

/* A scope is left for what lies outside of it; a body for what comes after its node. A scope that
 * begins again with the next iteration goes on. */
static gboolean
out_is_done (SondeStepper *stepper, SondeExecution *execution, guint step)
{
  guint depth = sonde_execution_depth (execution);

  if (depth >= stepper->out_depth
      && (stepper->executed == 0 || stepper->over == NULL
          || is_still_over (stepper, execution, step)))
    return FALSE;
  if (is_last (stepper) || !set_out (stepper, execution, step))
    return TRUE;
  stepper->executed = 0;
  return FALSE;
}

/* @depth: of where the run is */
static gboolean
into_is_done (SondeStepper *stepper, guint depth)
{
  if (depth <= stepper->depth && stepper->executed == 0)
    return FALSE;
  stepper->depth = depth;
  stepper->executed = 0;
  return is_last (stepper);
}

SondeStopReason
sonde_stepper_reason_before (SondeStepper *stepper, SondeExecution *execution, guint step)
{
  guint depth = sonde_execution_depth (execution);
  gboolean done = FALSE;

  if (!stepper->going)
    return SONDE_STOP_NONE;
  if (stepper->resume.kind == SONDE_RESUME_UNTIL)
    return sonde_until_is_here (&stepper->until, execution, step, stepper->executed)
               ? SONDE_STOP_UNTIL
               : SONDE_STOP_NONE;
  if (stepper->resume.kind == SONDE_RESUME_INTO)
    return into_is_done (stepper, depth) ? SONDE_STOP_STEP : SONDE_STOP_NONE;
  if (depth > stepper->depth)
    return SONDE_STOP_NONE;
  if (stepper->resume.kind == SONDE_RESUME_STEP)
    done = stepper->executed >= stepper->resume.count;
  else if (stepper->resume.kind == SONDE_RESUME_NEXT)
    done = next_is_done (stepper, execution, step);
  else if (stepper->resume.kind == SONDE_RESUME_OUT)
    done = out_is_done (stepper, execution, step);
  return done ? SONDE_STOP_STEP : SONDE_STOP_NONE;
}

void
sonde_stepper_count_run (SondeStepper *stepper)
{
  if (stepper->resume.kind == SONDE_RESUME_UNTIL) /* others count their steps */
    stepper->executed++;
}

gboolean
sonde_stepper_enters (const SondeStepper *stepper)
{
  if (!stepper->going)
    return FALSE;
  if (stepper->resume.kind == SONDE_RESUME_UNTIL)
    return stepper->until.step == stepper->debuggee->step + 1;
  return stepper->resume.kind != SONDE_RESUME_CONTINUE;
}
