/* SPDX-License-Identifier: Apache-2.0
 * Expressions as watches: where the values they name come from during a run, when all of them are
 * there, what was there one step before. */
#include "engine/debug/sonde-watch-private.h"

#include <math.h>
#include <string.h>

#include "engine/live/sonde-nearest.h"

static const char placeholder[] = "x"; /* each of the values of "on PATTERN" */

/* ---- names --------------------------------------------------------------- */

/* A value's name, or a node's, meaning its first output. */
static SondeGraphValue *
find_named (const SondeGraph *graph, const char *name)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  const SondeNode *node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;

  return node != NULL && node->outputs->len > 0 ? sonde_node_get_output (node, 0) : value;
}

static gboolean
is_placeholder (const SondeArmedWatch *watch, const char *name)
{
  return watch->info.pattern != NULL && g_str_equal (name, placeholder);
}

/* The number of the step, unless a value has that name. */
static gboolean
is_step (const SondeGraph *graph, const char *name)
{
  return g_str_equal (name, "step") && find_named (graph, name) == NULL;
}

static void
set_name_error (const SondeGraph *graph, const char *name, GError **error)
{
  const char *nearest = sonde_nearest_in_graph (name, graph);

  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
               "There is no value “%s”%s%s%s%s", name,
               nearest != NULL ? "; the nearest is “" : "; info values lists them",
               nearest != NULL ? nearest : "", nearest != NULL ? "”." : ".",
               g_str_equal (name, placeholder) ? " (x is each value of … on PATTERN.)" : "");
}

gboolean
sonde_watch_check_names (SondeWatchTable *table, SondeArmedWatch *watch, GError **error)
{
  const SondeGraph *graph = sonde_plan_get_graph (table->watched.plan);

  for (guint k = 0; k < sonde_expression_get_n_references (watch->expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (watch->expression, k);

      if (is_placeholder (watch, reference->name) || is_step (graph, reference->name)
          || find_named (graph, reference->name) != NULL
          || sonde_watch_matches_inside (graph, reference->name, SONDE_TARGET_TENSOR))
        continue;
      set_name_error (graph, reference->name, error);
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

      if (is_placeholder (watch, reference->name) || is_step (graph, reference->name))
        continue;
      if (reference->glob)
        made = last_of_glob (watched, reference->name, &read);
      else if ((read = find_named (graph, reference->name)) != NULL)
        made = watched->step_of[read->id];
      if (read == NULL)
        return FALSE;
      if (*value == NULL || later (*step, made) != *step)
        *value = read;
      *step = later (*step, made);
    }
  return *value != NULL || watch->info.pattern != NULL;
}

/* ---- what was there one step before -------------------------------------- */

/* Two steps of a value. */
typedef struct
{
  guint64 step, earlier_step;
  SondeTensor *tensor, *earlier; /* (nullable) */
} Kept;

void
sonde_watch_kept_free (gpointer data)
{
  Kept *kept = data;

  g_clear_pointer (&kept->tensor, sonde_tensor_unref);
  g_clear_pointer (&kept->earlier, sonde_tensor_unref);
  g_free (kept);
}

static void
keep (SondeWatchList *list, const char *name, SondeTensor *tensor)
{
  const guint64 step = list->debugger->step;
  Kept *kept = g_hash_table_lookup (list->kept, name);

  if (kept == NULL)
    {
      kept = g_new0 (Kept, 1);
      g_hash_table_insert (list->kept, g_strdup (name), kept);
    }
  if (kept->tensor == NULL || kept->step != step)
    {
      g_clear_pointer (&kept->earlier, sonde_tensor_unref);
      kept->earlier = g_steal_pointer (&kept->tensor);
      kept->earlier_step = kept->step;
    }
  /* the last one counts: of iterations, of a step that ran again */
  g_clear_pointer (&kept->tensor, sonde_tensor_unref);
  kept->tensor = sonde_tensor_copy (tensor);
  kept->step = step;
}

static SondeTensor *
find_kept (SondeWatchList *list, const char *name)
{
  const Kept *kept = g_hash_table_lookup (list->kept, name);
  const guint64 wanted = list->debugger->step - 1;

  if (kept == NULL)
    return NULL;
  if (kept->tensor != NULL && kept->step == wanted)
    return kept->tensor;
  return kept->earlier != NULL && kept->earlier_step == wanted ? kept->earlier : NULL;
}

/* ---- the source ---------------------------------------------------------- */

typedef struct
{
  SondeExpressionSource base; /* first member */
  SondeWatchList *list;
  SondeExecution *execution;
  const SondeWatchTarget *target;
  const SondeArmedWatch *watch;
  gboolean lacks_previous;
} WatchSource;

/* In the graph that runs, then in those around it. */
static SondeGraphValue *
find_value (WatchSource *source, const char *name, SondeExecution **execution)
{
  SondeGraphValue *value = NULL;

  *execution = source->execution;
  if (is_placeholder (source->watch, name))
    return source->target->value;
  while (*execution != NULL)
    {
      value = find_named (sonde_plan_get_graph (sonde_execution_get_plan (*execution)), name);
      if (value != NULL)
        return value;
      *execution = sonde_execution_get_parent (*execution);
    }
  return NULL;
}

static SondeTensor *
get_previous (WatchSource *source, const SondeReference *reference, GError **error)
{
  const SondeWatchTarget *target = source->target;
  SondeDebugger *debugger = source->list->debugger;
  SondeTensor *tensor;

  if (sonde_debugger_reads_steps (debugger))
    {
      const char *name = is_placeholder (source->watch, reference->name) ? target->subject->name
                                                                         : reference->name;

      tensor = debugger->history->read_before (debugger->history_data, debugger->step, name, error);
      source->lacks_previous = tensor == NULL;
      return tensor;
    }

  if (is_placeholder (source->watch, reference->name) && target->previous != NULL
      && sonde_execution_is_running (source->execution))
    return sonde_execution_read (source->execution, target->previous, error);
  tensor = find_kept (source->list, is_placeholder (source->watch, reference->name)
                                        ? target->subject->name
                                        : reference->name);
  if (tensor != NULL)
    return sonde_tensor_ref (tensor);
  source->lacks_previous = TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
               "Nothing is known of “%s” one step before.", reference->name);
  return NULL;
}

static SondeTensor *
get_tensor (SondeExpressionSource *base, const SondeReference *reference, GError **error)
{
  WatchSource *source = (WatchSource *) base;
  SondeExecution *execution;
  SondeGraphValue *value;

  if (reference->previous)
    return get_previous (source, reference, error);
  value = find_value (source, reference->name, &execution);
  if (value != NULL)
    return sonde_execution_read (execution, value, error);
  set_name_error (sonde_plan_get_graph (sonde_execution_get_plan (source->execution)),
                  reference->name, error);
  return NULL;
}

static gboolean
get_statistics (SondeExpressionSource *base, const SondeReference *reference,
                SondeStatistics *statistics, GError **error)
{
  WatchSource *source = (WatchSource *) base;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeExecution *execution;
  SondeGraphValue *value
      = !reference->previous ? find_value (source, reference->name, &execution) : NULL;

  if (value != NULL)
    return sonde_execution_read_statistics (execution, value, statistics, error);
  tensor = get_tensor (base, reference, error);
  if (tensor != NULL)
    sonde_statistics_compute (tensor, statistics);
  return tensor != NULL;
}

static char **
list_values (SondeExpressionSource *base, const char *glob, GError **error)
{
  WatchSource *source = (WatchSource *) base;
  const SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (source->execution));
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && sonde_watch_glob_matches (graph, value, glob)
          && sonde_execution_is_available (source->execution, value))
        g_ptr_array_add (names, g_strdup (value->name));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

static gboolean
get_number (SondeExpressionSource *base, const char *name, double *number)
{
  const WatchSource *source = (WatchSource *) base;

  if (!is_step (sonde_plan_get_graph (sonde_execution_get_plan (source->execution)), name))
    return FALSE;
  *number = (double) source->list->debugger->step;
  return TRUE;
}

/* What the next step will ask for as prev(…). */
static void
keep_for_next (WatchSource *source)
{
  for (guint k = 0; k < sonde_expression_get_n_references (source->watch->expression); k++)
    {
      const SondeReference *reference
          = sonde_expression_get_reference (source->watch->expression, k);
      const gboolean is_x = is_placeholder (source->watch, reference->name);
      SondeReference now = *reference;
      g_autoptr (SondeTensor) tensor = NULL;

      if (sonde_debugger_reads_steps (source->list->debugger) || !reference->previous
          || reference->glob || (is_x && source->target->previous != NULL))
        continue;
      now.previous = FALSE;
      tensor = get_tensor (&source->base, &now, NULL);
      if (tensor != NULL)
        keep (source->list, is_x ? source->target->subject->name : reference->name, tensor);
    }
}

/* ---- hits ---------------------------------------------------------------- */

/* "absmax(x) = 12034 > 10000" -> the three parts; "nan(x) = 3" has no threshold. */
static void
take_explanation (SondeWatchHit *hit)
{
  const char *equals = hit->explanation != NULL ? strstr (hit->explanation, " = ") : NULL;
  char *end = NULL;

  hit->threshold = hit->actual = NAN;
  if (equals == NULL)
    {
      hit->parameter = g_strdup (hit->condition);
      return;
    }
  hit->parameter = g_strndup (hit->explanation, (gsize) (equals - hit->explanation));
  hit->actual = g_ascii_strtod (equals + strlen (" = "), &end);
  end += strspn (end, " <>=!");
  if (*end != '\0' && (g_ascii_isdigit (*end) || strchr ("+-.", *end) != NULL))
    hit->threshold = g_ascii_strtod (end, NULL);
}

static guint
why_unknown (const WatchSource *source, const GError *error)
{
  if (source->lacks_previous)
    return SONDE_UNCHECKED_NO_PREVIOUS;
  if (g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY))
    return SONDE_UNCHECKED_MEMORY;
  return SONDE_UNCHECKED_NO_HISTORY;
}

SondeWatchHit *
sonde_watch_check_expression (SondeWatchList *list, SondeExecution *execution,
                              const SondeWatchTarget *target, const SondeWatchCheck *check)
{
  WatchSource source = {
    .base = { get_tensor, get_statistics, get_number, list_values },
    .list = list,
    .execution = execution,
    .target = target,
    .watch = check->watch,
  };
  SondeExpression *expression = check->watch->expression;
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  SondeWatchHit *hit = NULL;

  if (!sonde_expression_evaluate (expression, &source.base, &result, &error))
    {
      hit = sonde_watch_unchecked (list, target, check, why_unknown (&source, error));
      hit->explanation = g_strdup (error->message);
    }
  else if (result.truth)
    {
      hit = sonde_watch_new_hit (list, target, check);
      hit->explanation = sonde_expression_explain (expression, &source.base, NULL);
      take_explanation (hit);
    }
  keep_for_next (&source);
  return hit;
}
