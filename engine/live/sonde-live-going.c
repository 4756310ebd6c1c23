/* SPDX-License-Identifier: Apache-2.0
 * How a loop goes on from a stop, and where that stops it again. */
#include "engine/live/sonde-live-loop-private.h"

#include <fnmatch.h>
#include <string.h>

#include "engine/live/sonde-nearest.h"

/* ---- arriving ------------------------------------------------------------ */

/* @scope is @outer, or lies in it: "a.b", "a#2" and "a/b" lie in "a". */
static gboolean
lies_in (const char *scope, const char *outer)
{
  gsize length = strlen (outer);

  return scope != NULL && strncmp (scope, outer, length) == 0
         && (scope[length] == '\0' || strchr (".#/", scope[length]) != NULL);
}

/* One of the nodes that were to be passed over is behind it. */
static gboolean
counts (SondeLiveGoing *going, const SondeLiveNode *node)
{
  if (going->leaves != NULL && node->phase == going->phase && lies_in (node->scope, going->leaves))
    return FALSE;
  g_clear_pointer (&going->leaves, g_free);
  if (--going->resume.count == 0)
    return TRUE;
  if (going->resume.kind == SONDE_RESUME_NEXT)
    going->leaves = g_strdup (node->begins);
  else if (going->resume.kind == SONDE_RESUME_OUT)
    going->leaves = g_strdup (node->scope);
  going->phase = node->phase;
  return FALSE;
}

static gboolean
until_is_reached (const SondeLiveLoop *loop, const SondeLiveNode *node)
{
  const SondeLiveGoing *going = &loop->going;

  if (going->until_step > 0)
    return loop->step >= going->until_step;
  if (going->phase_begins)
    return node->phase == going->target_phase && loop->last_phase != going->target_phase;
  if (going->phase_ends)
    return node->phase != going->target_phase && loop->last_phase == going->target_phase;
  return sonde_live_node_matches (node, going->until);
}

SondeStopReason
sonde_live_loop_arrive (SondeLiveLoop *loop, const SondeLiveNode *node)
{
  SondeLiveGoing *going = &loop->going;

  if (loop->pausing && node->kind == SONDE_LIVE_OPERATOR)
    return SONDE_STOP_PAUSE;
  if (!going->active)
    return SONDE_STOP_NONE;
  if (going->resume.kind == SONDE_RESUME_UNTIL)
    return (node->kind == SONDE_LIVE_OPERATOR || going->until != NULL)
                   && until_is_reached (loop, node)
               ? SONDE_STOP_UNTIL
               : SONDE_STOP_NONE;
  return node->kind == SONDE_LIVE_OPERATOR && counts (going, node) ? SONDE_STOP_STEP
                                                                   : SONDE_STOP_NONE;
}

/* ---- names of nodes ------------------------------------------------------ */

static const char *
candidate (guint k, gpointer names)
{
  return ((char **) names)[k];
}

/* Names of nodes are known once a step has run; a pattern that means none of them is an error then,
 * unless it is one that means many. */
gboolean
sonde_live_loop_check_pattern (SondeLiveLoop *loop, const char *pattern, guint *n, GError **error)
{
  g_auto (GStrv) names = loop->hooks->list_nodes (loop->data);
  const char *nearest;

  *n = 0;
  for (guint i = 0; names[i] != NULL; i++)
    *n += fnmatch (pattern, names[i], 0) == 0;
  if (*n > 0 || names[0] == NULL || strpbrk (pattern, "*?[:#") != NULL)
    return TRUE;
  nearest = sonde_nearest_name (pattern, candidate, g_strv_length (names), names);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no node “%s”; the nearest name is “%s”.", pattern, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no node “%s”; use list to list the nodes.", pattern);
  return FALSE;
}

static gboolean
step_matches (const SondeStepInfo *step, const char *pattern)
{
  const SondeLiveNode node = { .name = step->name,
                               .op = step->op,
                               .functions = (const char *const *) step->functions,
                               .scope = step->scope,
                               .phase = step->phase,
                               .kind = SONDE_LIVE_OPERATOR,
                               .outputs = (const char *const *) step->outputs };

  return sonde_live_node_matches (&node, pattern);
}

guint
sonde_live_loop_count_nodes (SondeLiveLoop *loop, const char *pattern, const GPtrArray *steps)
{
  gboolean of_scopes = g_str_has_prefix (pattern, "scope:");
  g_auto (GStrv) names = loop->hooks->list_nodes (loop->data);
  g_autoptr (GHashTable) operators = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = 0;

  for (guint i = 0; i < steps->len; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, i);

      g_hash_table_add (operators, step->name);
      n += step_matches (step, pattern);
    }
  for (guint i = 0; names[i] != NULL; i++) /* modules and values */
    n += !g_hash_table_contains (operators, names[i])
         && fnmatch (of_scopes ? pattern + strlen ("scope:") : pattern, names[i], 0) == 0;
  return n;
}

/* ---- setting out --------------------------------------------------------- */

static gboolean
refuse_target (const char *target, GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is no phase: forward, backward, optimiser.", target);
  return FALSE;
}

static gboolean
find_phase (const char *name, SondePhase *phase, GError **error)
{
  static const SondePhase phases[]
      = { SONDE_PHASE_FORWARD, SONDE_PHASE_BACKWARD, SONDE_PHASE_OPTIMISER };

  for (gsize i = 0; i < G_N_ELEMENTS (phases); i++)
    if (g_str_equal (name, sonde_phase_name (phases[i])))
      {
        *phase = phases[i];
        return TRUE;
      }
  return refuse_target (name, error);
}

static gboolean
set_until_step (SondeLiveLoop *loop, const char *target, GError **error)
{
  if (g_ascii_string_to_unsigned (target + strlen ("step:"), 10, loop->step + 1, G_MAXINT64,
                                  &loop->going.until_step, NULL))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is no step that comes: the run is at step %" PRIu64 ".", target,
                   loop->step);
  return FALSE;
}

static gboolean
set_until (SondeLiveLoop *loop, const char *target, GError **error)
{
  SondeLiveGoing *going = &loop->going;
  guint n;

  if (g_str_has_prefix (target, "step:"))
    return set_until_step (loop, target, error);
  going->phase_begins = g_str_has_prefix (target, "phase:");
  going->phase_ends = g_str_has_prefix (target, "end:");
  if (going->phase_begins || going->phase_ends)
    return find_phase (strchr (target, ':') + 1, &going->target_phase, error);
  /* in the first step not all nodes are known */
  if (!sonde_live_loop_check_pattern (loop, target, &n, loop->step < 2 ? NULL : error)
      && loop->step >= 2)
    return FALSE;
  going->until = g_strdup (target);
  return TRUE;
}

static gboolean
set_out (SondeLiveLoop *loop, GError **error)
{
  if (loop->stop.scope == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "The run is in no module that it could go out of.");
      return FALSE;
    }
  loop->going.resume.kind = SONDE_RESUME_OUT;
  loop->going.leaves = g_strdup (loop->stop.scope);
  return TRUE;
}

static gboolean
set_going (SondeLiveLoop *loop, const SondeResume *resume, GError **error)
{
  if (resume->kind == SONDE_RESUME_NEXT && loop->stop.moment == SONDE_MOMENT_BEFORE)
    loop->going.leaves = g_strdup (loop->begins);
  if (resume->kind == SONDE_RESUME_OUT
      || (resume->kind == SONDE_RESUME_UNTIL && g_strcmp0 (resume->target, "end") == 0))
    return set_out (loop, error);
  if (resume->kind != SONDE_RESUME_UNTIL)
    return TRUE;
  if (resume->target != NULL && *resume->target != '\0')
    return set_until (loop, resume->target, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Missing target: name a node or step:N.");
  return FALSE;
}

static gboolean
check_into (SondeLiveLoop *loop, const SondeResume *resume, GError **error)
{
  return resume->kind != SONDE_RESUME_INTO || loop->hooks->check_into == NULL || !loop->has_place
         || loop->hooks->check_into (loop->data, loop->stop.node, error);
}

gboolean
sonde_live_loop_resume (SondeLiveLoop *loop, const SondeResume *resume, GError **error)
{
  SondeLiveGoing *going = &loop->going;

  if (!check_into (loop, resume, error))
    return FALSE;

  sonde_live_going_clear (going);
  going->resume = (SondeResume){ .kind = resume->kind, .count = MAX (resume->count, 1) };
  going->phase = loop->stop.phase;
  if (!set_going (loop, resume, error))
    {
      sonde_live_going_clear (going);
      return FALSE;
    }
  going->active = resume->kind != SONDE_RESUME_CONTINUE;
  loop->arming++;
  sonde_live_loop_forget_stop (loop);
  return TRUE;
}

/* ---- back ---------------------------------------------------------------- */

gboolean
sonde_live_loop_go_back (SondeLiveLoop *loop, const SondeBack *back, GError **error)
{
  if (loop->hooks->go_back == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "PyTorch cannot take back what ran; start the step by d.step (function, …) to "
                     "run it again.");
  if (loop->hooks->go_back == NULL || !loop->hooks->go_back (loop->data, back, error))
    return FALSE;
  sonde_live_going_clear (&loop->going);
  loop->pausing = FALSE;
  loop->arming++;
  sonde_live_loop_forget_stop (loop);
  return TRUE;
}

/* ---- whether operators matter -------------------------------------------- */

/* What each value is called in an expression that looks at all of them. */
#define ANY_VALUE "x"

static gboolean
reads (SondeExpression *expression, const char *name)
{
  guint n = sonde_expression_get_n_references (expression);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (sonde_expression_get_reference (expression, i)->name, name))
      return TRUE;
  return FALSE;
}

static gboolean
reads_operators (SondeExpression *expression)
{
  guint n = sonde_expression_get_n_references (expression);

  for (guint i = 0; i < n; i++)
    if (sonde_live_pattern_reaches_operators (sonde_expression_get_reference (expression, i)->name))
      return TRUE;
  return FALSE;
}

static gboolean
breakpoint_reaches (const SondeArmedBreakpoint *breakpoint)
{
  SondeExpression *expression;

  if (!breakpoint->info.enabled)
    return FALSE;
  if (sonde_live_pattern_reaches_operators (breakpoint->info.pattern))
    return TRUE;
  for (guint k = 0; (expression = sonde_armed_breakpoint_get_expression (breakpoint, k)) != NULL;
       k++)
    if (reads_operators (expression))
      return TRUE;
  return FALSE;
}

static gboolean
watch_reaches (const SondeArmedWatch *watch)
{
  SondeConditionTarget target;

  if (!watch->info.enabled)
    return FALSE;
  if (watch->expression != NULL && reads_operators (watch->expression))
    return TRUE;
  if (watch->info.pattern != NULL)
    return sonde_live_pattern_reaches_operators (watch->info.pattern);
  if (watch->expression != NULL)
    return sonde_expression_get_n_references (watch->expression) == 0
           || reads (watch->expression, ANY_VALUE);
  target = watch->condition.klass->target;
  return target == SONDE_TARGET_TENSOR || target == SONDE_TARGET_ACTIVATION;
}

static gboolean
breakpoints_reach (const SondeBreakpointTable *breakpoints)
{
  for (guint i = 0; i < breakpoints->list->len; i++)
    if (breakpoint_reaches (g_ptr_array_index (breakpoints->list, i)))
      return TRUE;
  return FALSE;
}

static gboolean
watches_reach (const SondeWatchTable *watches)
{
  for (guint i = 0; i < watches->list->len; i++)
    if (watch_reaches (g_ptr_array_index (watches->list, i)))
      return TRUE;
  return FALSE;
}

/* A step's number is compared only from that step on. */
static gboolean
going_reaches (const SondeLiveLoop *loop)
{
  const SondeLiveGoing *going = &loop->going;

  if (!going->active)
    return FALSE;
  if (going->until_step > 0)
    return loop->step >= going->until_step;
  return going->until == NULL || sonde_live_pattern_reaches_operators (going->until);
}

gboolean
sonde_live_loop_reaches_operators (const SondeLiveLoop *loop)
{
  return loop->pausing || going_reaches (loop) || breakpoints_reach (&loop->breakpoints)
         || watches_reach (&loop->watches);
}
