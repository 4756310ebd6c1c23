/* SPDX-License-Identifier: Apache-2.0
 * Which values a watch is on: kinds of values, and patterns over their names. MindInsight knows
 * weights by the ends of their names; here a weight is a parameter, and it is known which ones are
 * trained: those that a value updates. */
#include "engine/debug/watches/sonde-watch-values.h"

#include <fnmatch.h>
#include <string.h>

#include "engine/debug/run/sonde-named-kind.h"
#include "engine/debug/run/sonde-step-scope.h"
#include "engine/live/sonde-recommended.h"

#define MAX_DEPTH 16 /* of subgraphs in one another */

void
sonde_watch_plan_init (SondeWatchPlan *watched, SondePlan *plan)
{
  SondeGraph *graph = sonde_plan_get_graph (plan);
  guint n_values = graph->values->len, n_steps = sonde_plan_get_n_steps (plan);

  watched->plan = sonde_plan_ref (plan);
  watched->step_of = g_new (guint, n_values + 1);
  watched->is_made = g_new0 (gboolean, n_values + 1);
  watched->updates = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < n_values; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      int step = value != NULL && value->producer != NULL
                     ? sonde_plan_find_step (plan, value->producer)
                     : -1;

      watched->step_of[i] = step >= 0 ? (guint) step : SONDE_NEVER_MADE;
      if (value != NULL && value->update_of != NULL && step >= 0)
        g_hash_table_insert (watched->updates, value->update_of, (gpointer) value);
    }

  for (guint k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);

      for (guint i = 0; i < step->n_outputs; i++)
        if (step->outputs[i] != NULL)
          watched->is_made[step->outputs[i]->id] = TRUE;
    }

  for (guint i = 0; i < n_values; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->recorded && value->producer != NULL)
        watched->is_made[i] = TRUE;
    }
}

void
sonde_watch_plan_clear (SondeWatchPlan *watched)
{
  g_clear_pointer (&watched->updates, g_hash_table_unref);
  g_clear_pointer (&watched->is_made, g_free);
  g_clear_pointer (&watched->step_of, g_free);
  g_clear_pointer (&watched->plan, sonde_plan_unref);
}

/* ---- kinds --------------------------------------------------------------- */

static gboolean
is_float (const SondeGraphValue *value)
{
  switch (value->type.dtype)
    {
    case SONDE_DTYPE_F64:
    case SONDE_DTYPE_F32:
    case SONDE_DTYPE_F16:
    case SONDE_DTYPE_BF16:
      return TRUE;
    default:
      return FALSE;
    }
}

static const SondeNamedKind *
kind_of_target (SondeConditionTarget target)
{
  return sonde_named_kind_find (sonde_condition_target_name (target));
}

/* ---- patterns ------------------------------------------------------------ */

static gboolean
is_glob (const char *pattern)
{
  return strpbrk (pattern, "*?[") != NULL;
}

static gboolean
name_matches (const char *pattern, const char *name)
{
  return g_str_equal (pattern, name) || (is_glob (pattern) && fnmatch (pattern, name, 0) == 0);
}

/* By its name or that of an original node it stands for. */
static gboolean
node_matches (const SondeNode *node, const char *pattern)
{
  if (name_matches (pattern, node->name))
    return TRUE;
  if (node->origin_kind == SONDE_ORIGIN_GRADIENT || node->origin_kind == SONDE_ORIGIN_OPTIMISER)
    return FALSE;
  for (guint i = 0; i < node->origins->len; i++)
    if (name_matches (pattern, g_ptr_array_index (node->origins, i)))
      return TRUE;
  return FALSE;
}

/* "op:TYPE" and "scope:SCOPE" and names. */
static gboolean
any_node_matches (const SondeNode *node, const char *pattern)
{
  if (g_str_has_prefix (pattern, "op:"))
    return fnmatch (pattern + strlen ("op:"), node->op, 0) == 0;
  if (g_str_has_prefix (pattern, "scope:"))
    return node->scope != NULL && sonde_scope_contains (pattern + strlen ("scope:"), node->scope);
  return node_matches (node, pattern);
}

/* Some node that reads @weight matches. */
static gboolean
reader_matches (const SondeGraphValue *weight, const char *pattern)
{
  for (guint i = 0; i < weight->users->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (weight->users, i);

      if (node->phase == SONDE_PHASE_FORWARD && any_node_matches (node, pattern))
        return TRUE;
    }
  return FALSE;
}

static gboolean
value_matches (const SondeGraph *graph, const SondeGraphValue *value, const char *pattern,
               SondeConditionTarget target)
{
  if (g_str_has_prefix (pattern, "kind:"))
    {
      const SondeNamedKind *kind = sonde_named_kind_find (pattern + strlen ("kind:"));

      return kind != NULL && kind->is (graph, value);
    }
  if (name_matches (pattern, value->name))
    return TRUE;
  if (target == SONDE_TARGET_WEIGHT)
    return value->role == SONDE_ROLE_PARAMETER && reader_matches (value, pattern);
  if (value->producer == NULL || !any_node_matches (value->producer, pattern))
    return FALSE;
  if (is_glob (pattern) || g_str_has_prefix (pattern, "op:")
      || g_str_has_prefix (pattern, "scope:"))
    return TRUE;
  /* a node's name means its first output, unless a value has that name */
  return value->producer_output == 0 && sonde_graph_find_value (graph, pattern) == NULL;
}

gboolean
sonde_watch_reads (const SondeNode *node, const SondeGraphValue *value, const char *pattern)
{
  return g_str_equal (pattern, value->name) || any_node_matches (node, pattern);
}

/* A node's inputs; where a value's own name was given, the value. */
static gboolean
input_matches (const SondeGraphValue *value, const char *pattern)
{
  if (g_str_equal (pattern, value->name))
    return TRUE;
  for (guint i = 0; i < value->users->len; i++)
    if (any_node_matches (g_ptr_array_index (value->users, i), pattern))
      return TRUE;
  return FALSE;
}

static gboolean
has_numbers (const SondeGraphValue *value)
{
  return value->type.kind == SONDE_VALUE_TENSOR && value->type.dtype != SONDE_DTYPE_STRING
         && value->type.dtype != SONDE_DTYPE_INVALID;
}

gboolean
sonde_watch_glob_matches (const SondeGraph *graph, const SondeGraphValue *value, const char *glob)
{
  return has_numbers (value) && is_float (value)
         && value_matches (graph, value, glob, SONDE_TARGET_TENSOR);
}

/* A glob takes only what the condition is about; a name, an operator or a kind says itself what it
 * means. */
static gboolean
is_wanted (const SondeGraph *graph, const SondeGraphValue *value, const char *pattern,
           SondeConditionTarget target, gboolean on_inputs)
{
  if (!has_numbers (value))
    return FALSE;
  if (on_inputs)
    return input_matches (value, pattern);
  if (!value_matches (graph, value, pattern, target))
    return FALSE;
  return g_str_has_prefix (pattern, "kind:") || g_str_has_prefix (pattern, "op:")
         || !is_glob (pattern) || target == SONDE_TARGET_TENSOR
         || kind_of_target (target)->is (graph, value);
}

/* Where nothing is said: numbers with a fraction that a step leaves in memory; weights as they
 * are. */
static gboolean
is_usual (const SondeWatchPlan *watched, const SondeGraphValue *value, SondeConditionTarget target)
{
  return has_numbers (value) && is_float (value)
         && kind_of_target (target)->is (sonde_plan_get_graph (watched->plan), value)
         && (target == SONDE_TARGET_WEIGHT || watched->is_made[value->id]);
}

GPtrArray *
sonde_watch_find_values (const SondeWatchPlan *watched, const char *pattern,
                         SondeConditionTarget target, gboolean on_inputs)
{
  const SondeGraph *graph = sonde_plan_get_graph (watched->plan);
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL
          && (pattern != NULL ? is_wanted (graph, value, pattern, target, on_inputs)
                              : is_usual (watched, value, target)))
        g_ptr_array_add (found, value);
    }
  return found;
}

static gboolean
matches_inside (const SondeGraph *graph, const char *pattern, SondeConditionTarget target,
                guint depth)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value_matches (graph, value, pattern, target))
        return TRUE;
    }

  for (guint i = 0; i < graph->nodes->len && depth < MAX_DEPTH; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      for (guint a = 0; node != NULL && a < node->attributes->len; a++)
        {
          const SondeAttribute *attribute = g_ptr_array_index (node->attributes, a);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH
              && matches_inside (attribute->u.graph, pattern, target, depth + 1))
            return TRUE;
        }
    }
  return FALSE;
}

gboolean
sonde_watch_matches_inside (const SondeGraph *graph, const char *pattern,
                            SondeConditionTarget target)
{
  return matches_inside (graph, pattern, target, 0);
}

/* ---- the recommended set ------------------------------------------------- */

static gboolean
has_usual (const SondeWatchPlan *watched, SondeConditionTarget target)
{
  g_autoptr (GPtrArray) values = sonde_watch_find_values (watched, NULL, target, FALSE);

  return values->len > 0;
}

static gboolean
has_op (SondePlan *plan, const char *op)
{
  const SondeGraph *graph = sonde_plan_get_graph (plan);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      if (node != NULL && g_str_equal (node->op, op))
        return TRUE;
    }
  return FALSE;
}

/* What it was one step before is known. */
static gboolean
has_recorded_weight (SondePlan *plan)
{
  const SondeGraph *graph = sonde_plan_get_graph (plan);

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->recorded && value->update_of != NULL
          && value->role == SONDE_ROLE_PARAMETER)
        return TRUE;
    }
  return FALSE;
}

char **
sonde_watch_recommend (SondePlan *plan)
{
  GPtrArray *texts = g_ptr_array_new ();
  const SondeRecommendedActivation *activation;
  SondeWatchPlan watched;

  sonde_watch_plan_init (&watched, plan);
  if (has_usual (&watched, SONDE_TARGET_WEIGHT))
    g_ptr_array_add (texts, g_strdup ("preset weight_initialization zero_percentage_ge=100"));
  if (g_hash_table_size (watched.updates) > 0 || has_recorded_weight (plan))
    g_ptr_array_add (texts, g_strdup ("preset weight_change_too_large abs_mean_update_ratio_gt=1"));
  if (has_usual (&watched, SONDE_TARGET_GRADIENT))
    g_ptr_array_add (texts, g_strdup (SONDE_RECOMMENDED_GRADIENT));
  g_ptr_array_add (texts, g_strdup ("preset operator_overflow"));
  g_ptr_array_add (texts, g_strdup (SONDE_RECOMMENDED_OVERFLOW));
  g_ptr_array_add (texts, g_strdup (SONDE_RECOMMENDED_ZERO));
  for (gsize i = 0; (activation = sonde_recommended_activation (i)) != NULL; i++)
    if (has_op (plan, activation->op))
      g_ptr_array_add (texts, g_strdup (activation->text));
  sonde_watch_plan_clear (&watched);
  g_ptr_array_add (texts, NULL);
  return (char **) g_ptr_array_free (texts, FALSE);
}
