/* SPDX-License-Identifier: Apache-2.0
 * Text of conditions, and facts against them. */
#include "engine/live/sonde-condition.h"

#include <math.h>
#include <string.h>

#include "engine/live/sonde-nearest.h"

/* ---- text ---------------------------------------------------------------- */

static const char *
class_candidate (guint k, gpointer data)
{
  guint n;

  return sonde_condition_classes (&n)[k].name;
}

const SondeConditionClass *
sonde_condition_find (const char *name, GError **error)
{
  guint n;
  const SondeConditionClass *classes = sonde_condition_classes (&n);
  const char *nearest;

  for (guint i = 0; i < n; i++)
    if (g_str_equal (classes[i].name, name)
        || g_ascii_strcasecmp (classes[i].abbreviation, name) == 0)
      return &classes[i];

  nearest = sonde_nearest_name (name, class_candidate, n, NULL);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no condition “%s”; the nearest is “%s”.", name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no condition “%s”; they are tensor_overflow, tensor_too_large … "
                     "(docs/debugger.md lists them), "
                     "or recommended for a set.",
                     name);
  return NULL;
}

static guint
count_parameters (const SondeConditionClass *klass)
{
  guint n = 0;

  while (klass->parameters[n].name != NULL)
    n++;
  return n;
}

static const char *
parameter_candidate (guint k, gpointer data)
{
  return ((const SondeConditionClass *) data)->parameters[k].name;
}

static const SondeConditionParameter *
find_parameter (const SondeConditionClass *klass, const char *name, GError **error)
{
  guint n = count_parameters (klass);
  const char *nearest;

  for (guint i = 0; i < n; i++)
    if (g_str_equal (klass->parameters[i].name, name))
      return &klass->parameters[i];

  nearest = sonde_nearest_name (name, parameter_candidate, n, (gpointer) klass);
  if (n == 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "%s has no parameters, not “%s” either.", klass->name, name);
  else if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "%s has no parameter “%s”; the nearest is “%s”.", klass->name, name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "%s has no parameter “%s”; its first is “%s”.", klass->name, name,
                     klass->parameters[0].name);
  return NULL;
}

static const struct
{
  double least, most;
  gboolean open; /* the least itself is not allowed */
  const char *words;
} kinds[] = {
  [SONDE_CONDITION_NUMBER] = { -INFINITY, INFINITY, FALSE, N_ ("a number") },
  [SONDE_CONDITION_PERCENT] = { 0, 100, FALSE, N_ ("a percentage from 0 to 100") },
  [SONDE_CONDITION_POSITIVE] = { 0, INFINITY, TRUE, N_ ("a number above 0") },
  [SONDE_CONDITION_NOT_NEGATIVE] = { 0, INFINITY, FALSE, N_ ("a number from 0 on") },
  [SONDE_CONDITION_BOOLEAN] = { 0, 1, FALSE, N_ ("true or false") },
};

static gboolean
parse_value (const SondeConditionParameter *parameter, const char *text, double *value,
             GError **error)
{
  char *end = NULL;

  if (parameter->kind == SONDE_CONDITION_BOOLEAN
      && (g_str_equal (text, "true") || g_str_equal (text, "false")))
    {
      *value = g_str_equal (text, "true");
      return TRUE;
    }

  *value = g_ascii_strtod (text, &end);
  if (*text != '\0' && *end == '\0' && isfinite (*value) && *value >= kinds[parameter->kind].least
      && *value <= kinds[parameter->kind].most
      && !(kinds[parameter->kind].open && *value == kinds[parameter->kind].least))
    return TRUE;

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "%s is “%s”, but has to be %-s.", parameter->name, text,
                   kinds[parameter->kind].words);
  return FALSE;
}

static gboolean
parse_setting (SondeCondition *condition, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : NULL;
  const SondeConditionParameter *parameter;

  if (equals == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "“%s” is no parameter of %s: write key=value.", text,
                       condition->klass->name);
      return FALSE;
    }

  parameter = find_parameter (condition->klass, name, error);
  return parameter != NULL
         && parse_value (parameter, equals + 1,
                         &condition->values[parameter - condition->klass->parameters], error);
}

/* By name; NaN where there is no such parameter, or it is off. */
static double
setting (const SondeCondition *condition, const char *name)
{
  for (guint i = 0; condition->klass->parameters[i].name != NULL; i++)
    if (g_str_equal (condition->klass->parameters[i].name, name))
      return condition->values[i];
  return NAN;
}

static gboolean
is_on (const SondeCondition *condition, SondeConditionQuantity quantity)
{
  for (guint i = 0; condition->klass->parameters[i].name != NULL; i++)
    if (condition->klass->parameters[i].quantity == quantity && !isnan (condition->values[i]))
      return TRUE;
  return FALSE;
}

static gboolean
check_whole (const SondeCondition *condition, GError **error)
{
  const SondeConditionClass *klass = condition->klass;
  double start = setting (condition, "range_start_inclusive"),
         end = setting (condition, "range_end_inclusive");
  gboolean any = klass->check != SONDE_CHECK_PARAMETERS;
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; klass->parameters[i].name != NULL; i++)
    if (klass->parameters[i].quantity != SONDE_QUANTITY_NONE)
      {
        any = any || !isnan (condition->values[i]);
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                                klass->parameters[i].name);
      }

  if (!any)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "%s needs at least one of its parameters: %s.", klass->name, names->str);
  else if (is_on (condition, SONDE_QUANTITY_RANGE_PERCENT) && (isnan (start) || isnan (end)))
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
        "A range percentage of %s needs range_start_inclusive and range_end_inclusive.",
        klass->name);
  else if (start > end)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "The range of %s ends (%g) before it starts (%g).", klass->name, end, start);
  else
    return TRUE;
  return FALSE;
}

gboolean
sonde_condition_parse (SondeCondition *condition, const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t", -1);
  guint first = 0;

  while (words[first] != NULL && *words[first] == '\0')
    first++;
  if (words[first] == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Which condition? For example: watch preset tensor_overflow.");
      return FALSE;
    }

  condition->klass = sonde_condition_find (words[first], error);
  if (condition->klass == NULL)
    return FALSE;

  for (guint i = 0; condition->klass->parameters[i].name != NULL; i++)
    condition->values[i] = condition->klass->parameters[i].preset;
  for (guint i = first + 1; words[i] != NULL; i++)
    if (*words[i] != '\0' && !parse_setting (condition, words[i], error))
      return FALSE;
  return check_whole (condition, error);
}

gboolean
sonde_condition_get_range (const SondeCondition *condition, SondeFactsRange *range)
{
  if (!is_on (condition, SONDE_QUANTITY_RANGE_PERCENT))
    return FALSE;
  range->low = setting (condition, "range_start_inclusive");
  range->high = setting (condition, "range_end_inclusive");
  return TRUE;
}

gboolean
sonde_condition_get_tolerance (const SondeCondition *condition, SondeFactsTolerance *tolerance)
{
  if (condition->klass->check != SONDE_CHECK_UNCHANGED)
    return FALSE;
  tolerance->relative = setting (condition, "rtol");
  tolerance->absolute = setting (condition, "atol");
  return TRUE;
}

/* ---- checking ------------------------------------------------------------ */

static double
quantity_of (const SondeCondition *condition, const SondeWatchFacts *watch,
             SondeConditionQuantity quantity)
{
  const SondeFacts *facts = watch->facts;
  const double count = (double) facts->count;

  switch (quantity)
    {
    case SONDE_QUANTITY_MAX:
      return facts->max;
    case SONDE_QUANTITY_MIN:
      return facts->min;
    case SONDE_QUANTITY_MEAN:
      return sonde_facts_mean (facts);
    case SONDE_QUANTITY_ABS_MEAN:
      return sonde_facts_abs_mean (facts);
    case SONDE_QUANTITY_ZERO_PERCENT:
      return 100.0 * (double) facts->zeros / count;
    case SONDE_QUANTITY_RANGE_PERCENT:
      return 100.0 * (double) watch->in_range / count;
    case SONDE_QUANTITY_MAX_MIN:
      return facts->max - facts->min;
    case SONDE_QUANTITY_UPDATE_RATIO:
      return facts->abs_change / count / (setting (condition, "epsilon") + facts->abs_old / count);
    case SONDE_QUANTITY_NONE:
    default:
      return NAN;
    }
}

static gboolean
compares (double actual, SondeConditionRelation relation, double threshold)
{
  switch (relation)
    {
    case SONDE_RELATION_LT:
      return actual < threshold;
    case SONDE_RELATION_GE:
      return actual >= threshold;
    case SONDE_RELATION_GT:
    default:
      return actual > threshold;
    }
}

static void
set_hit (SondeOutcome *outcome, const char *parameter, double threshold, double actual)
{
  if (outcome->is_hit)
    return;
  outcome->is_hit = TRUE;
  outcome->parameter = parameter;
  outcome->threshold = threshold;
  outcome->actual = actual;
}

static void
check_parameters (const SondeCondition *condition, const SondeWatchFacts *watch,
                  SondeOutcome *outcome)
{
  const double error = watch->exact ? 0 : SONDE_FACTS_ERROR * sonde_facts_abs_mean (watch->facts);

  for (guint i = 0; condition->klass->parameters[i].name != NULL; i++)
    {
      const SondeConditionParameter *parameter = &condition->klass->parameters[i];
      const double threshold = condition->values[i];
      const gboolean is_sum = parameter->quantity == SONDE_QUANTITY_MEAN
                              || parameter->quantity == SONDE_QUANTITY_ABS_MEAN;
      double actual;

      if (parameter->quantity == SONDE_QUANTITY_NONE || isnan (threshold))
        continue;
      actual = quantity_of (condition, watch, parameter->quantity);
      if (compares (actual, parameter->relation, threshold))
        {
          outcome->is_near = outcome->is_near || (is_sum && !watch->exact && !outcome->is_hit);
          set_hit (outcome, parameter->name, threshold, actual);
        }
      else if (is_sum && !watch->exact && fabs (actual - threshold) <= error)
        outcome->is_near = TRUE;
    }
}

/* The actual value is the update ratio, to which the relative tolerance can be compared. */
static void
check_unchanged (const SondeCondition *condition, const SondeWatchFacts *watch,
                 SondeOutcome *outcome)
{
  const SondeFacts *facts = watch->facts;

  if (watch->within == facts->count)
    set_hit (outcome, "rtol", setting (condition, "rtol"),
             facts->abs_old > 0 ? facts->abs_change / facts->abs_old : 0);
}

void
sonde_condition_evaluate (const SondeCondition *condition, const SondeWatchFacts *watch,
                          SondeOutcome *outcome)
{
  const SondeFacts *facts = watch->facts;
  const gint64 n_infinite = facts->pos_inf + facts->neg_inf;

  *outcome = (SondeOutcome){ 0 };
  if (facts->count == 0)
    return;

  if (condition->klass->check == SONDE_CHECK_OVERFLOW)
    {
      if (n_infinite + facts->nan > 0)
        set_hit (outcome, "non_finite", 0, (double) (n_infinite + facts->nan));
      return;
    }
  if (condition->klass->check == SONDE_CHECK_OPERATOR)
    {
      if (n_infinite > 0 && watch->inputs_finite)
        set_hit (outcome, "non_finite", 0, (double) n_infinite);
      return;
    }

  outcome->unchecked
      = (facts->nan > 0 ? SONDE_UNCHECKED_NAN : 0) | (n_infinite > 0 ? SONDE_UNCHECKED_INFINITY : 0)
        | (condition->klass->needs_previous && !facts->has_change ? SONDE_UNCHECKED_NO_PREVIOUS
                                                                  : 0);
  if (outcome->unchecked != 0)
    return;
  if (condition->klass->check == SONDE_CHECK_UNCHANGED)
    check_unchanged (condition, watch, outcome);
  else
    check_parameters (condition, watch, outcome);
}
