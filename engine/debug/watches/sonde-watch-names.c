/* SPDX-License-Identifier: Apache-2.0
 * Names in the expressions of watches. */
#include "engine/debug/watches/sonde-watch-names.h"

#include "engine/debug/run/sonde-location-match.h"

static const char placeholder[] = "x"; /* each of the values of "on PATTERN" */

SondeGraphValue *
sonde_watch_find_named (const SondeGraph *graph, const char *name)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  const SondeNode *node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;

  return node != NULL && node->outputs->len > 0 ? sonde_node_get_output (node, 0) : value;
}

gboolean
sonde_watch_is_placeholder (const SondeArmedWatch *watch, const char *name)
{
  return watch->info.pattern != NULL && g_str_equal (name, placeholder);
}

gboolean
sonde_watch_is_step (const SondeGraph *graph, const char *name)
{
  return g_str_equal (name, "step") && sonde_watch_find_named (graph, name) == NULL;
}

void
sonde_watch_set_name_error (const SondeGraph *graph, const char *name, GError **error)
{
  const char *nearest = sonde_nearest_in_graph (name, graph);

  if (g_str_equal (name, placeholder))
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no value “%s”. In a watch … on PATTERN, x stands for each value.",
                     name);
  else if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no value “%s”; the nearest is “%s”.", name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no value “%s”; info values lists them.", name);
}

gboolean
sonde_watch_check_names (const SondeWatchPlan *watched, SondeArmedWatch *watch, GError **error)
{
  const SondeGraph *graph = sonde_plan_get_graph (watched->plan);

  for (guint k = 0; k < sonde_expression_get_n_references (watch->expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (watch->expression, k);

      if (sonde_watch_is_placeholder (watch, reference->name)
          || sonde_watch_is_step (graph, reference->name)
          || sonde_watch_find_named (graph, reference->name) != NULL
          || sonde_watch_matches_inside (graph, reference->name, SONDE_TARGET_TENSOR))
        continue;
      sonde_watch_set_name_error (graph, reference->name, error);
      return FALSE;
    }
  return TRUE;
}

/* Later of two steps, where none at all is the beginning of a run. */
static guint
later (guint a, guint b)
{
  if (a == SONDE_NEVER_MADE)
    return b;
  return b == SONDE_NEVER_MADE ? a : MAX (a, b);
}

static guint
last_of_glob (const SondeWatchPlan *watched, const char *glob, SondeGraphValue **value)
{
  const SondeGraph *graph = sonde_plan_get_graph (watched->plan);
  guint last = SONDE_NEVER_MADE;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *other = g_ptr_array_index (graph->values, i);

      if (other == NULL || !sonde_watch_glob_matches (graph, other, glob))
        continue;
      if (*value == NULL || later (last, watched->step_of[i]) != last)
        *value = other;
      last = later (last, watched->step_of[i]);
    }
  return last;
}

gboolean
sonde_watch_last_read (const SondeWatchPlan *watched, SondeArmedWatch *watch,
                       SondeGraphValue **value, guint *step)
{
  const SondeGraph *graph = sonde_plan_get_graph (watched->plan);

  *value = NULL;
  *step = SONDE_NEVER_MADE;
  for (guint k = 0; k < sonde_expression_get_n_references (watch->expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (watch->expression, k);
      SondeGraphValue *read = NULL;
      guint made = SONDE_NEVER_MADE;

      if (sonde_watch_is_placeholder (watch, reference->name)
          || sonde_watch_is_step (graph, reference->name))
        continue;
      if (reference->glob)
        made = last_of_glob (watched, reference->name, &read);
      else if ((read = sonde_watch_find_named (graph, reference->name)) != NULL)
        made = watched->step_of[read->id];
      if (read == NULL)
        return FALSE;
      if (*value == NULL || later (*step, made) != *step)
        *value = read;
      *step = later (*step, made);
    }
  return *value != NULL || watch->info.pattern != NULL;
}
