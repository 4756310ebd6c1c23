/* SPDX-License-Identifier: Apache-2.0
 * Watches on values of a loop that is not ours. */
#include "engine/live/sonde-live-watch.h"

#include <fnmatch.h>
#include <string.h>
#include <math.h>

#include "data/values/sonde-tensor.h"

/* ---- which values -------------------------------------------------------- */

gboolean
sonde_live_watch_needs_old (const SondeArmedWatch *watch)
{
  return watch->expression == NULL && watch->condition.klass->needs_previous;
}

SondeMoment
sonde_live_watch_get_moment (const SondeArmedWatch *watch)
{
  return watch->expression == NULL && watch->condition.klass->initial ? SONDE_MOMENT_BEFORE
                                                                      : SONDE_MOMENT_AFTER;
}

/* Some are only about what a step changes. */
static gboolean
is_of_kind (const SondeArmedWatch *watch, const SondeLiveNode *node)
{
  const gboolean changes = sonde_live_watch_needs_old (watch)
                           || sonde_live_watch_get_moment (watch) == SONDE_MOMENT_BEFORE;

  return !changes || (node->kind == SONDE_LIVE_VALUE && node->target == SONDE_TARGET_WEIGHT);
}

static gboolean
is_name_of (const char *name, const char *value)
{
  g_autofree char *plain
      = strstr (name, "#1") != NULL ? sonde_live_name_without_first (name) : NULL;

  return g_str_equal (plain != NULL ? plain : name, value);
}

static gboolean
names_value (SondeExpression *expression, const SondeLiveNode *node, const char *value)
{
  guint n = sonde_expression_get_n_references (expression);

  for (guint i = 0; i < n; i++)
    if (is_name_of (sonde_expression_get_reference (expression, i)->name, value))
      return TRUE;
  return n == 0 && node->kind == SONDE_LIVE_OPERATOR;
}

static gboolean
is_about (SondeConditionTarget target, const SondeLiveNode *node)
{
  if (target == SONDE_TARGET_TENSOR)
    return node->kind == SONDE_LIVE_OPERATOR;
  return node->target == target;
}

gboolean
sonde_live_watch_is_on (const SondeArmedWatch *watch, const SondeLiveNode *node, const char *value)
{
  const char *pattern = watch->info.pattern;

  if (node->unjudged || !is_of_kind (watch, node))
    return FALSE;
  if (pattern != NULL)
    return fnmatch (pattern, value, 0) == 0 || sonde_live_node_matches (node, pattern);
  return watch->expression != NULL ? names_value (watch->expression, node, value)
                                   : is_about (watch->condition.klass->target, node);
}

/* ---- what they say ------------------------------------------------------- */

static SondeWatchHit *
new_hit (const SondeArmedWatch *watch, const SondeLiveValue *value)
{
  SondeWatchHit *hit = g_new0 (SondeWatchHit, 1);

  hit->watch = watch->info.id;
  hit->step = value->step;
  hit->node = g_strdup (value->node);
  hit->value = g_strdup (value->name);
  hit->condition
      = g_strdup (watch->expression != NULL ? watch->info.text : watch->condition.klass->name);
  return hit;
}

SondeWatchHit *
sonde_live_watch_unchecked (const SondeArmedWatch *watch, const SondeLiveValue *value,
                            const GError *error)
{
  SondeWatchHit *hit = new_hit (watch, value);

  hit->unchecked = g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY)
                       ? SONDE_UNCHECKED_MEMORY
                       : SONDE_UNCHECKED_NO_HISTORY;
  hit->explanation = sonde_error_dup_message (error);
  return hit;
}

/* ---- conditions ---------------------------------------------------------- */

/* Where @tolerance is among those that are asked for; -1: nowhere. */
static int
find_tolerance (const SondeFactsRequest *request, const SondeFactsTolerance *tolerance)
{
  for (guint i = 0; i < request->n_tolerances; i++)
    if (request->tolerances[i].relative == tolerance->relative
        && request->tolerances[i].absolute == tolerance->absolute)
      return (int) i;
  return -1;
}

/* Where @range is among those that are asked for; -1: nowhere. */
static int
find_range (const SondeFactsRequest *request, const SondeFactsRange *range)
{
  for (guint i = 0; i < request->n_ranges; i++)
    if (request->ranges[i].low == range->low && request->ranges[i].high == range->high)
      return (int) i;
  return -1;
}

void
sonde_live_facts_add (SondeLiveFacts *facts, const SondeArmedWatch *watch)
{
  SondeFactsRequest *request = &facts->request;
  SondeFactsRange range;
  SondeFactsTolerance tolerance;

  request->exact = TRUE;
  if (watch->expression == NULL && sonde_condition_get_tolerance (&watch->condition, &tolerance)
      && find_tolerance (request, &tolerance) < 0 && request->n_tolerances < SONDE_FACTS_MAX)
    request->tolerances[request->n_tolerances++] = tolerance;
  if (watch->expression == NULL && sonde_condition_get_range (&watch->condition, &range)
      && find_range (request, &range) < 0 && request->n_ranges < SONDE_FACTS_MAX)
    request->ranges[request->n_ranges++] = range;
}

void
sonde_live_facts_clear (SondeLiveFacts *facts)
{
  g_clear_error (&facts->problem);
}

/* Of an old value that has become another type or size nothing can be said. */
static const void *
comparable (const SondeTensor *old, const SondeTensor *now)
{
  return old != NULL && old->dtype == now->dtype && sonde_shape_equal (&old->shape, &now->shape)
             ? old->data
             : NULL;
}

/* The one pass over the value, at the first condition that asks. */
static void
read_facts (SondeLiveFacts *facts, const char *name, SondeExpressionSource *source)
{
  const SondeReference reference = { .name = name };
  g_autoptr (SondeTensor) tensor = source->get_tensor (source, &reference, &facts->problem);
  g_autoptr (SondeTensor) dense = NULL;

  facts->is_read = TRUE;
  facts->has_numbers = tensor != NULL && tensor->dtype != SONDE_DTYPE_STRING;
  if (!facts->has_numbers)
    return;
  dense = sonde_tensor_contiguous (tensor);
  sonde_facts_init (&facts->facts);
  sonde_facts_add (&facts->facts, &facts->request, dense->dtype, dense->data,
                   comparable (facts->old, dense), (gsize) sonde_tensor_n_elements (dense));
}

static SondeWatchHit *
check_facts (const SondeArmedWatch *watch, const SondeLiveValue *value, const SondeLiveFacts *facts)
{
  SondeWatchFacts known = { .facts = &facts->facts, .exact = TRUE, .inputs_finite = TRUE };
  SondeFactsRange range;
  SondeFactsTolerance tolerance;
  SondeOutcome outcome;
  SondeWatchHit *hit;

  if (sonde_condition_get_range (&watch->condition, &range))
    known.in_range = facts->facts.in_range[find_range (&facts->request, &range)];
  if (sonde_condition_get_tolerance (&watch->condition, &tolerance))
    known.within = facts->facts.within[find_tolerance (&facts->request, &tolerance)];
  sonde_condition_evaluate (&watch->condition, &known, &outcome);
  if (!outcome.is_hit && outcome.unchecked == 0)
    return NULL;
  hit = new_hit (watch, value);
  hit->parameter = g_strdup (outcome.parameter);
  hit->threshold = outcome.threshold;
  hit->actual = outcome.actual;
  hit->unchecked = outcome.unchecked;
  return hit;
}

/* There are more ranges or tolerances than one pass counts: this one's has a pass of its own. */
static gboolean
needs_own_pass (const SondeArmedWatch *watch, const SondeLiveFacts *facts)
{
  SondeFactsRange range;
  SondeFactsTolerance tolerance;

  return (sonde_condition_get_range (&watch->condition, &range)
          && find_range (&facts->request, &range) < 0)
         || (sonde_condition_get_tolerance (&watch->condition, &tolerance)
             && find_tolerance (&facts->request, &tolerance) < 0);
}

static SondeWatchHit *
check_condition (const SondeArmedWatch *watch, const SondeLiveValue *value, SondeLiveFacts *facts,
                 SondeExpressionSource *source)
{
  g_auto (SondeLiveFacts) own = { .old = facts->old };

  if (needs_own_pass (watch, facts))
    {
      sonde_live_facts_add (&own, watch);
      facts = &own;
    }
  if (!facts->is_read)
    read_facts (facts, value->name, source);
  if (facts->problem != NULL)
    return sonde_live_watch_unchecked (watch, value, facts->problem);
  return facts->has_numbers ? check_facts (watch, value, facts) : NULL;
}

/* ---- expressions --------------------------------------------------------- */

/* The loop's values, and x. */
typedef struct
{
  SondeExpressionSource base; /* first member */
  SondeExpressionSource *values;
  const char *name;
} ValueSource;

static SondeTensor *
get_tensor (SondeExpressionSource *base, const SondeReference *reference, GError **error)
{
  ValueSource *source = (ValueSource *) base;
  SondeReference meant = *reference;

  if (g_str_equal (reference->name, "x"))
    meant.name = source->name;
  return source->values->get_tensor (source->values, &meant, error);
}

static gboolean
get_number (SondeExpressionSource *base, const char *name, double *number)
{
  SondeExpressionSource *values = ((ValueSource *) base)->values;

  return values->get_number (values, name, number);
}

static SondeWatchHit *
check_expression (const SondeArmedWatch *watch, const SondeLiveValue *value,
                  SondeExpressionSource *values)
{
  ValueSource source = { .base = { .get_tensor = get_tensor, .get_number = get_number },
                         .values = values,
                         .name = value->name };
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  SondeWatchHit *hit;

  if (!sonde_expression_evaluate (watch->expression, &source.base, &result, &error))
    return sonde_live_watch_unchecked (watch, value, error);
  if (!result.truth)
    return NULL;
  hit = new_hit (watch, value);
  hit->explanation = sonde_expression_explain (watch->expression, &source.base, NULL);
  hit->parameter = g_strdup (hit->condition);
  hit->threshold = hit->actual = NAN;
  return hit;
}

SondeWatchHit *
sonde_live_watch_check (const SondeArmedWatch *watch, const SondeLiveValue *value,
                        SondeLiveFacts *facts, SondeExpressionSource *source)
{
  return watch->expression != NULL ? check_expression (watch, value, source)
                                   : check_condition (watch, value, facts, source);
}
