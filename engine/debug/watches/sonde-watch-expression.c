/* SPDX-License-Identifier: Apache-2.0
 * Expressions as watches: where the values they name come from during a run, when all of them are
 * there, what was there one step before. */
#include "engine/debug/watches/sonde-watch-previous.h"
#include "engine/debug/watches/sonde-watch-list.h"
#include "engine/debug/watches/sonde-watch-names.h"
#include "engine/debug/watches/sonde-watch-outcome.h"

#include <math.h>
#include <string.h>

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
  if (sonde_watch_is_placeholder (source->watch, name))
    return source->target->value;
  while (*execution != NULL)
    {
      value = sonde_watch_find_named (sonde_plan_get_graph (sonde_execution_get_plan (*execution)),
                                      name);
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
  const SondeDebuggee *debuggee = source->list->debuggee;
  SondeTensor *tensor;

  if (sonde_debuggee_reads_steps (debuggee))
    {
      const char *name = sonde_watch_is_placeholder (source->watch, reference->name)
                             ? target->subject->name
                             : reference->name;

      tensor = debuggee->history->read_before (debuggee->history_data, debuggee->step, name, error);
      source->lacks_previous = tensor == NULL;
      return tensor;
    }

  if (sonde_watch_is_placeholder (source->watch, reference->name) && target->previous != NULL
      && sonde_execution_is_running (source->execution))
    return sonde_execution_read (source->execution, target->previous, error);
  tensor = sonde_watch_previous_find (source->list->kept, debuggee->step - 1,
                                      sonde_watch_is_placeholder (source->watch, reference->name)
                                          ? target->subject->name
                                          : reference->name);
  if (tensor != NULL)
    return sonde_tensor_ref (tensor);
  source->lacks_previous = TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
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
  sonde_watch_set_name_error (sonde_plan_get_graph (sonde_execution_get_plan (source->execution)),
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

  if (!sonde_watch_is_step (sonde_plan_get_graph (sonde_execution_get_plan (source->execution)),
                            name))
    return FALSE;
  *number = (double) source->list->debuggee->step;
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
      const gboolean is_x = sonde_watch_is_placeholder (source->watch, reference->name);
      SondeReference now = *reference;
      g_autoptr (SondeTensor) tensor = NULL;

      if (sonde_debuggee_reads_steps (source->list->debuggee) || !reference->previous
          || reference->glob || (is_x && source->target->previous != NULL))
        continue;
      now.previous = FALSE;
      tensor = get_tensor (&source->base, &now, NULL);
      if (tensor != NULL)
        sonde_watch_previous_keep (source->list->kept, source->list->debuggee->step,
                                   is_x ? source->target->subject->name : reference->name, tensor);
    }
}

/* ---- hits ---------------------------------------------------------------- */

/* "absmax(x) = 12034 > 10000" -> the three parts; "nan(x) = 3" has no threshold. */
static void
take_explanation (SondeWatchHit *hit)
{
  g_autofree char *text
      = hit->explanation != NULL ? sonde_message_dup_english (hit->explanation) : NULL;
  const char *equals = text != NULL ? strstr (text, " = ") : NULL;
  char *end = NULL;

  hit->threshold = hit->actual = NAN;
  if (equals == NULL)
    {
      hit->parameter = g_strdup (hit->condition);
      return;
    }
  hit->parameter = g_strndup (text, (gsize) (equals - text));
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
      hit = sonde_watch_unchecked (list->debuggee->step, target, check,
                                   why_unknown (&source, error));
      hit->explanation = sonde_error_dup_message (error);
    }
  else if (result.truth)
    {
      hit = sonde_watch_new_hit (list->debuggee->step, target, check);
      hit->explanation = sonde_expression_explain (expression, &source.base, NULL);
      take_explanation (hit);
    }
  keep_for_next (&source);
  return hit;
}
