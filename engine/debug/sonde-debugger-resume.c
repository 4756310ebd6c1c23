/* SPDX-License-Identifier: Apache-2.0
 * How a run goes on: counting executed steps, over scopes and bodies, into them, out of them.
 * Breakpoints are not looked at here. */
#include "engine/debug/sonde-watch-private.h"

#include <string.h>

void
sonde_debugger_forget_resume (SondeDebugger *debugger)
{
  debugger->going = FALSE;
  debugger->is_over = FALSE;
  debugger->executed = 0;
  g_clear_pointer (&debugger->over, g_free);
  sonde_debugger_forget_until (debugger);
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
set_over (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  guint n_steps = sonde_plan_get_n_steps (plan);
  guint next = step < n_steps ? step : 0;
  const char *before = sonde_debugger_base_scope (execution);

  g_clear_pointer (&debugger->over, g_free);
  debugger->is_over = FALSE;
  if (n_steps == 0)
    return;
  if (debugger->entered != NULL)
    before = debugger->entered;
  else if (next > 0)
    before = sonde_step_scope (sonde_plan_get_step (plan, next - 1));
  debugger->over = scope_that_begins (before != NULL ? before : "",
                                      sonde_step_scope (sonde_plan_get_step (plan, next)));
  debugger->is_over = debugger->over != NULL;
}

/* OUT begins before @step of @execution: the innermost scope there, or else the body as a whole.
 * FALSE when there is nothing to leave. */
static gboolean
set_out (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  const char *base = sonde_debugger_base_scope (execution);
  const char *scope = NULL;

  if (step < sonde_plan_get_n_steps (plan))
    scope = sonde_step_scope (sonde_plan_get_step (plan, step));
  g_clear_pointer (&debugger->over, g_free);
  debugger->is_over
      = scope != NULL && *scope != '\0' && (base == NULL || !sonde_scope_contains (scope, base));
  debugger->over = debugger->is_over ? g_strdup (scope) : NULL;
  debugger->out_depth = sonde_debugger_depth_of (execution);
  return debugger->is_over || sonde_execution_get_parent (execution) != NULL;
}

/* @step of @execution lies in the scope that is run over, as did the one before it. */
static gboolean
is_still_over (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  const SondeStep *next = sonde_plan_get_step (plan, step);

  return debugger->is_over && sonde_scope_contains (debugger->over, sonde_step_scope (next))
         && (step > 0 ? next->phase == sonde_plan_get_step (plan, step - 1)->phase
                      : sonde_execution_get_parent (execution) != NULL);
}

/* ---- places inside one step ---------------------------------------------- */

static const SondeStep *
next_step (SondeDebugger *debugger, SondeExecution *execution, guint *position)
{
  SondePlan *plan = sonde_execution_get_plan (execution);

  *position = sonde_execution_is_running (execution)
                  ? sonde_debugger_position_of (debugger, execution)
                  : 0;
  return *position < sonde_plan_get_n_steps (plan) ? sonde_plan_get_step (plan, *position) : NULL;
}

static void
forget_stop (SondeDebugger *debugger)
{
  debugger->stop.reason = SONDE_STOP_NONE;
  g_array_set_size (debugger->hits, 0);
  sonde_watch_list_forget_stop (debugger->watches);
}

void
sonde_debugger_look_at_node (SondeDebugger *debugger, SondeExecution *execution, guint position,
                             guint n)
{
  const SondeStep *step = sonde_plan_get_step (sonde_execution_get_plan (execution), position);

  sonde_debugger_set_stop (debugger, execution, position, SONDE_MOMENT_BEFORE, step->nodes[n],
                           SONDE_STOP_STEP);
  debugger->in_group = TRUE;
  debugger->n_looked = n;
  sonde_execution_look_ahead (execution, n);
}

/* The stop was named by a function call that became @step and more: inside it is the same
 * position. */
static char *
scope_of_call (SondeDebugger *debugger, SondeExecution *execution, const SondeStep *step)
{
  SondeGraph *original = sonde_debugger_original_of (debugger, execution);
  const SondeNode *call = NULL, *node = step->n_nodes > 0 ? step->nodes[0] : NULL;
  g_autofree char *inside = NULL;

  if (original == NULL || node == NULL || !sonde_debugger_has_stopped (debugger)
      || debugger->stop.moment != SONDE_MOMENT_BEFORE || g_str_equal (debugger->node, step->name))
    return NULL;
  for (guint i = 0; i < node->origins->len && call == NULL; i++)
    if (g_str_equal (g_ptr_array_index (node->origins, i), debugger->node))
      call = sonde_graph_find_node (original, debugger->node);
  inside = call != NULL ? sonde_call_scope (call) : NULL;
  return inside != NULL && sonde_scope_contains (inside, node->scope) ? g_steal_pointer (&inside)
                                                                      : NULL;
}

static gboolean
go_into_call (SondeDebugger *debugger, SondeExecution *execution, const SondeStep *step,
              guint position)
{
  char *inside = scope_of_call (debugger, execution, step);

  if (inside == NULL)
    return FALSE;
  forget_stop (debugger);
  sonde_debugger_set_stop (debugger, execution, position, SONDE_MOMENT_BEFORE, NULL,
                           SONDE_STOP_STEP);
  debugger->entered = inside;
  return TRUE;
}

/* Goes on without running anything, where that is what @resume asks for; else takes from its count
 * what was done. */
static gboolean
go_inside_step (SondeDebugger *debugger, SondeExecution *execution, SondeResume *resume)
{
  guint position;
  const SondeStep *step = next_step (debugger, execution, &position);
  gboolean in_group = debugger->in_group && step != NULL;

  if (step == NULL || resume->kind == SONDE_RESUME_CONTINUE || resume->kind == SONDE_RESUME_UNTIL)
    return FALSE;
  if (!in_group && resume->kind == SONDE_RESUME_INTO && step->n_nodes == 1 && resume->count == 1)
    return go_into_call (debugger, execution, step, position);
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
      guint64 to = in_group ? debugger->n_looked + resume->count : resume->count - 1;

      if (to < step->n_nodes)
        {
          forget_stop (debugger);
          sonde_debugger_look_at_node (debugger, execution, position, (guint) to);
          return TRUE;
        }
      resume->count = to - step->n_nodes + 1; /* the step itself, and what is left */
    }
  return FALSE;
}

/* ---- resume -------------------------------------------------------------- */

static gboolean
set_target (SondeDebugger *debugger, SondeExecution *innermost, const SondeResume *resume,
            GError **error)
{
  guint position;

  next_step (debugger, innermost, &position);
  if (resume->kind == SONDE_RESUME_UNTIL)
    return sonde_debugger_parse_until (debugger, resume->target, error);
  if (resume->kind == SONDE_RESUME_NEXT)
    set_over (debugger, innermost, position);
  if (resume->kind != SONDE_RESUME_OUT || set_out (debugger, innermost, position))
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "There is nothing to leave here: it stands in the outermost graph, in no "
                       "scope. continue goes to "
                       "the end.");
  return FALSE;
}

gboolean
sonde_debugger_resume (SondeDebugger *debugger, const SondeResume *asked, GError **error)
{
  SondeExecution *innermost = sonde_debugger_get_innermost (debugger);
  SondeResume resume = *asked;

  if (innermost == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "Nothing is open that could run.");
      return FALSE;
    }
  resume.count = MAX (resume.count, 1);
  if (resume.kind == SONDE_RESUME_UNTIL && g_strcmp0 (resume.target, "end") == 0)
    resume.kind = SONDE_RESUME_OUT;
  if (go_inside_step (debugger, innermost, &resume))
    return TRUE;
  sonde_debugger_forget_resume (debugger);
  sonde_debugger_forget_travel (debugger);
  if (!set_target (debugger, innermost, &resume, error))
    {
      sonde_debugger_forget_resume (debugger);
      return FALSE;
    }
  if (sonde_debugger_is_going_back (debugger)) /* until a step that has been */
    return TRUE;
  debugger->resume = resume;
  debugger->resume.target = NULL;
  debugger->depth = sonde_debugger_depth_of (innermost);
  debugger->in_group = FALSE;
  debugger->selected = 0;
  g_clear_pointer (&debugger->entered, g_free);
  debugger->going = TRUE;
  forget_stop (debugger);
  sonde_debugger_refresh (debugger);
  return TRUE;
}

/* ---- on the way ---------------------------------------------------------- */

guint
sonde_debugger_resume_wants (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  if (!debugger->going || debugger->resume.kind == SONDE_RESUME_CONTINUE)
    return SONDE_WANT_NOTHING;
  if (debugger->resume.kind == SONDE_RESUME_UNTIL)
    return sonde_debugger_wants_until (debugger, execution, step) ? SONDE_WANT_BEFORE
                                                                  : SONDE_WANT_NOTHING;
  if (debugger->resume.kind == SONDE_RESUME_INTO
      || sonde_debugger_depth_of (execution) <= debugger->depth)
    return SONDE_WANT_BEFORE | SONDE_WANT_AFTER;
  return SONDE_WANT_NOTHING;
}

void
sonde_debugger_count_executed (SondeDebugger *debugger, SondeExecution *execution)
{
  guint depth;

  if (!debugger->going || debugger->resume.kind == SONDE_RESUME_CONTINUE
      || debugger->resume.kind == SONDE_RESUME_UNTIL)
    return;
  depth = sonde_debugger_depth_of (execution);
  if (depth == debugger->depth)
    debugger->executed++;
  /* the node it was inside of: its last inner one has been counted */
  else if (depth < debugger->depth)
    {
      debugger->depth = depth;
      debugger->is_over = FALSE;
    }
}

/* One more of those that were asked for; TRUE when it was the last. */
static gboolean
is_last (SondeDebugger *debugger)
{
  return --debugger->resume.count == 0;
}

static gboolean
next_is_done (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  if (debugger->executed == 0 || (step > 0 && is_still_over (debugger, execution, step)))
    return FALSE;
  if (is_last (debugger))
    return TRUE;
  debugger->executed = 0;
  set_over (debugger, execution, step);
  return FALSE;
}

/* A scope is left for what lies outside of it; a body for what comes after its node. A scope that
 * begins again with the next iteration goes on. */
static gboolean
out_is_done (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  guint depth = sonde_debugger_depth_of (execution);

  if (depth >= debugger->out_depth
      && (debugger->executed == 0 || debugger->over == NULL
          || is_still_over (debugger, execution, step)))
    return FALSE;
  if (is_last (debugger) || !set_out (debugger, execution, step))
    return TRUE;
  debugger->executed = 0;
  return FALSE;
}

/* @depth: of where the run is */
static gboolean
into_is_done (SondeDebugger *debugger, guint depth)
{
  if (depth <= debugger->depth && debugger->executed == 0)
    return FALSE;
  debugger->depth = depth;
  debugger->executed = 0;
  return is_last (debugger);
}

SondeStopReason
sonde_debugger_reason_before (SondeDebugger *debugger, SondeExecution *execution, guint step)
{
  guint depth = sonde_debugger_depth_of (execution);
  gboolean done = FALSE;

  if (!debugger->going)
    return SONDE_STOP_NONE;
  if (debugger->resume.kind == SONDE_RESUME_UNTIL)
    return sonde_debugger_is_until (debugger, execution, step) ? SONDE_STOP_UNTIL : SONDE_STOP_NONE;
  if (debugger->resume.kind == SONDE_RESUME_INTO)
    return into_is_done (debugger, depth) ? SONDE_STOP_STEP : SONDE_STOP_NONE;
  if (depth > debugger->depth)
    return SONDE_STOP_NONE;
  if (debugger->resume.kind == SONDE_RESUME_STEP)
    done = debugger->executed >= debugger->resume.count;
  else if (debugger->resume.kind == SONDE_RESUME_NEXT)
    done = next_is_done (debugger, execution, step);
  else if (debugger->resume.kind == SONDE_RESUME_OUT)
    done = out_is_done (debugger, execution, step);
  return done ? SONDE_STOP_STEP : SONDE_STOP_NONE;
}
