/* SPDX-License-Identifier: Apache-2.0
 * The conditions against hand-made values, one of each condition and parameter, both met and not,
 * and against a plain reference in double over random values. */
#include "engine/live/sonde-condition.h"

#include <math.h>
#include <string.h>

#define MAX_ELEMENTS 6

/* ---- text ---------------------------------------------------------------- */

static void
test_table (void)
{
  /* name, abbreviation, target, parameters: MindInsight v2.0.0
   * debugger/conditionmgr/condition_list.py */
  static const char *const rows[] = {
    "tensor_overflow TO tensor",
    "operator_overflow OO tensor",
    "tensor_too_large TL tensor abs_mean_gt=- max_gt=- min_gt=- mean_gt=-",
    "tensor_too_small TS tensor abs_mean_lt=- max_lt=- min_lt=- mean_lt=-",
    "tensor_all_zero TZ tensor zero_percentage_ge=100",
    "tensor_range TR tensor range_start_inclusive=- range_end_inclusive=- range_percentage_lt=- "
    "range_percentage_gt=- max_min_lt=- "
    "max_min_gt=-",
    "weight_initialization WI weight zero_percentage_ge=100 max_gt=- min_lt=-",
    "weight_overflow WO weight",
    "weight_too_large WL weight abs_mean_gt=- max_gt=- min_gt=- mean_gt=-",
    "weight_too_small WS weight abs_mean_lt=- max_lt=- min_lt=- mean_lt=-",
    "weight_not_changed WNC weight rtol=1e-05 atol=1e-08 equal_nan=0",
    "weight_change_too_large WCL weight abs_mean_update_ratio_gt=0.1 epsilon=1e-09",
    "weight_change_too_small WCS weight abs_mean_update_ratio_lt=0.0001 epsilon=1e-09",
    "gradient_vanishing GV gradient abs_mean_lt=- max_lt=- min_lt=- mean_lt=-",
    "gradient_too_large GL gradient abs_mean_gt=- max_gt=- min_gt=- mean_gt=-",
    "gradient_exploding GE gradient",
    "activation_range AR activation range_start_inclusive=- range_end_inclusive=- "
    "range_percentage_lt=- range_percentage_gt=- "
    "max_min_lt=- max_min_gt=-",
  };
  guint n;
  const SondeConditionClass *classes = sonde_condition_classes (&n);

  g_assert_cmpuint (n, ==, 17);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GString) row = g_string_new (NULL);

      g_string_append_printf (row, "%s %s %s", classes[i].name, classes[i].abbreviation,
                              sonde_condition_target_name (classes[i].target));
      for (const SondeConditionParameter *p = classes[i].parameters; p->name != NULL; p++)
        if (isnan (p->preset))
          g_string_append_printf (row, " %s=-", p->name);
        else
          g_string_append_printf (row, " %s=%.15g", p->name, p->preset);
      g_assert_cmpstr (row->str, ==, rows[i]);
    }
}

static void
test_text_errors (void)
{
  static const struct
  {
    const char *text, *part;
    int code;
  } rows[] = {
    { "", "Which condition?", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_overfow", "the nearest is “tensor_overflow”", SONDE_ENGINE_ERROR_NOT_FOUND },
    { "zzz", "There is no condition “zzz”", SONDE_ENGINE_ERROR_NOT_FOUND },
    { "tensor_overflow x=1", "has no parameters", SONDE_ENGINE_ERROR_NOT_FOUND },
    { "tensor_too_large max_g=1", "the nearest is “max_gt”", SONDE_ENGINE_ERROR_NOT_FOUND },
    { "tensor_too_large max_gt", "write key=value", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_too_large max_gt=", "has to be a number", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_too_large max_gt=1x", "has to be a number", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_too_large max_gt=nan", "has to be a number", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_too_large max_gt=inf", "has to be a number", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_too_large", "needs at least one of its parameters: abs_mean_gt, max_gt",
      SONDE_ENGINE_ERROR_INVALID },
    { "tensor_all_zero zero_percentage_ge=101", "0 to 100", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_range range_percentage_lt=5", "needs range_start_inclusive and",
      SONDE_ENGINE_ERROR_INVALID },
    { "tensor_range range_percentage_lt=5 range_start_inclusive=1",
      "needs range_start_inclusive and", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_range range_start_inclusive=1 range_end_inclusive=2", "at least one",
      SONDE_ENGINE_ERROR_INVALID },
    { "tensor_range range_start_inclusive=3 range_end_inclusive=2 range_percentage_gt=1",
      "before it starts", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_range max_min_lt=0", "above 0", SONDE_ENGINE_ERROR_INVALID },
    { "tensor_range max_min_gt=-1", "from 0 on", SONDE_ENGINE_ERROR_INVALID },
    { "weight_not_changed equal_nan=2", "true or false", SONDE_ENGINE_ERROR_INVALID },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      SondeCondition condition;

      g_assert_false (sonde_condition_parse (&condition, rows[i].text, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, rows[i].code);
      g_assert_nonnull (strstr (error->message, rows[i].part));
    }
}

/* ---- checking ------------------------------------------------------------ */

static void
evaluate (const SondeCondition *condition, const float *data, const float *previous, gsize n,
          gboolean exact, gboolean inputs_finite, SondeOutcome *outcome)
{
  SondeFactsRequest request = { .exact = exact };
  SondeFacts facts;
  SondeWatchFacts watch = { .facts = &facts, .exact = exact, .inputs_finite = inputs_finite };

  request.n_ranges = sonde_condition_get_range (condition, &request.ranges[0]);
  request.n_tolerances = sonde_condition_get_tolerance (condition, &request.tolerances[0]);
  sonde_facts_init (&facts);
  sonde_facts_add (&facts, &request, SONDE_DTYPE_F32, data, previous, n);
  watch.in_range = facts.in_range[0];
  watch.within = facts.within[0];
  sonde_condition_evaluate (condition, &watch, outcome);
}

#define INF INFINITY

typedef struct
{
  const char *text;
  guint n;
  float data[MAX_ELEMENTS];
  gboolean has_previous;
  float previous[MAX_ELEMENTS];
  const char *parameter; /* NULL: no hit */
  double threshold, actual;
  guint unchecked;
} Case;

static const Case cases[] = {
  { "tensor_overflow", 3, { 1, NAN, INF }, .parameter = "non_finite", .actual = 2 },
  { "tensor_overflow", 2, { 1, -3e38f } },
  { "TO", 1, { -INF }, .parameter = "non_finite", .actual = 1 },
  { "operator_overflow", 2, { 1, INF }, .parameter = "non_finite", .actual = 1 },
  { "operator_overflow", 2, { 1, NAN } },
  { "tensor_too_large abs_mean_gt=2",
    2,
    { -3, 2 },
    .parameter = "abs_mean_gt",
    .threshold = 2,
    .actual = 2.5 },
  { "tensor_too_large abs_mean_gt=2.5", 2, { -3, 2 } },
  { "tensor_too_large max_gt=1", 2, { -3, 2 }, .parameter = "max_gt", .threshold = 1, .actual = 2 },
  { "tensor_too_large max_gt=2", 2, { -3, 2 } },
  { "tensor_too_large min_gt=-4",
    2,
    { -3, 2 },
    .parameter = "min_gt",
    .threshold = -4,
    .actual = -3 },
  { "tensor_too_large min_gt=-3", 2, { -3, 2 } },
  { "tensor_too_large mean_gt=-1",
    2,
    { -3, 2 },
    .parameter = "mean_gt",
    .threshold = -1,
    .actual = -0.5 },
  { "tensor_too_large mean_gt=-0.5", 2, { -3, 2 } },
  { "tensor_too_large abs_mean_gt=100 max_gt=100 mean_gt=-1",
    2,
    { -3, 2 },
    .parameter = "mean_gt",
    .threshold = -1,
    .actual = -0.5 },
  { "tensor_too_large max_gt=1", 2, { 5, NAN }, .unchecked = SONDE_UNCHECKED_NAN },
  { "tensor_too_large max_gt=1", 2, { 5, -INF }, .unchecked = SONDE_UNCHECKED_INFINITY },
  { "tensor_too_large max_gt=1",
    2,
    { NAN, INF },
    .unchecked = SONDE_UNCHECKED_NAN | SONDE_UNCHECKED_INFINITY },
  { "tensor_too_large max_gt=-1", 0, { 0 } },
  { "tensor_too_small abs_mean_lt=3",
    2,
    { -3, 2 },
    .parameter = "abs_mean_lt",
    .threshold = 3,
    .actual = 2.5 },
  { "tensor_too_small abs_mean_lt=2.5", 2, { -3, 2 } },
  { "tensor_too_small max_lt=3", 2, { -3, 2 }, .parameter = "max_lt", .threshold = 3, .actual = 2 },
  { "tensor_too_small max_lt=2", 2, { -3, 2 } },
  { "tensor_too_small min_lt=-2",
    2,
    { -3, 2 },
    .parameter = "min_lt",
    .threshold = -2,
    .actual = -3 },
  { "tensor_too_small min_lt=-3", 2, { -3, 2 } },
  { "tensor_too_small mean_lt=0",
    2,
    { -3, 2 },
    .parameter = "mean_lt",
    .threshold = 0,
    .actual = -0.5 },
  { "tensor_too_small mean_lt=-0.5", 2, { -3, 2 } },
  { "tensor_all_zero",
    2,
    { 0, -0.f },
    .parameter = "zero_percentage_ge",
    .threshold = 100,
    .actual = 100 },
  { "tensor_all_zero", 2, { 0, 1e-30f } },
  { "tensor_all_zero zero_percentage_ge=75",
    4,
    { 0, 0, 1, 0 },
    .parameter = "zero_percentage_ge",
    .threshold = 75,
    .actual = 75 },
  { "tensor_all_zero zero_percentage_ge=76", 4, { 0, 0, 1, 0 } },
  { "tensor_range range_start_inclusive=0 range_end_inclusive=1 range_percentage_lt=60",
    4,
    { 0, 1, 2, -1 },
    .parameter = "range_percentage_lt",
    .threshold = 60,
    .actual = 50 },
  { "tensor_range range_start_inclusive=0 range_end_inclusive=1 range_percentage_lt=50",
    4,
    { 0, 1, 2, -1 } },
  { "tensor_range range_start_inclusive=0 range_end_inclusive=1 range_percentage_gt=40",
    4,
    { 0, 1, 2, -1 },
    .parameter = "range_percentage_gt",
    .threshold = 40,
    .actual = 50 },
  { "tensor_range range_start_inclusive=0 range_end_inclusive=1 range_percentage_gt=50",
    4,
    { 0, 1, 2, -1 } },
  { "tensor_range max_min_lt=4",
    4,
    { 0, 1, 2, -1 },
    .parameter = "max_min_lt",
    .threshold = 4,
    .actual = 3 },
  { "tensor_range max_min_lt=3", 4, { 0, 1, 2, -1 } },
  { "tensor_range max_min_gt=2",
    4,
    { 0, 1, 2, -1 },
    .parameter = "max_min_gt",
    .threshold = 2,
    .actual = 3 },
  { "tensor_range max_min_gt=3", 4, { 0, 1, 2, -1 } },
  { "weight_initialization",
    2,
    { 0, 0 },
    .parameter = "zero_percentage_ge",
    .threshold = 100,
    .actual = 100 },
  { "weight_initialization max_gt=1",
    2,
    { 0, 2 },
    .parameter = "max_gt",
    .threshold = 1,
    .actual = 2 },
  { "weight_initialization min_lt=-1",
    2,
    { 0, -2 },
    .parameter = "min_lt",
    .threshold = -1,
    .actual = -2 },
  { "weight_initialization min_lt=-2", 2, { 0, -2 } },
  { "weight_overflow", 2, { 0, NAN }, .parameter = "non_finite", .actual = 1 },
  { "weight_overflow", 2, { 0, 1 } },
  { "weight_too_large max_gt=1", 2, { 0, 2 }, .parameter = "max_gt", .threshold = 1, .actual = 2 },
  { "weight_too_large mean_gt=1", 2, { 0, 2 } },
  { "weight_too_small abs_mean_lt=2",
    2,
    { 0, 2 },
    .parameter = "abs_mean_lt",
    .threshold = 2,
    .actual = 1 },
  { "weight_too_small min_lt=0", 2, { 0, 2 } },
  { "weight_not_changed", 2, { 1, 0 }, TRUE, { 1, 0 }, "rtol", 1e-5, 0 },
  { "weight_not_changed", 2, { 1.001f, 0 }, TRUE, { 1, 0 } },
  { "weight_not_changed rtol=0.5", 2, { 3, 4 }, TRUE, { 2, 4 }, "rtol", 0.5, 1.0 / 6 },
  { "weight_not_changed rtol=0.5", 2, { 3.1f, 4 }, TRUE, { 2, 4 } },
  { "weight_not_changed rtol=0 atol=1", 2, { 3, 4 }, TRUE, { 2, 4 }, "rtol", 0, 1.0 / 6 },
  { "weight_not_changed equal_nan=true",
    1,
    { NAN },
    TRUE,
    { NAN },
    .unchecked = SONDE_UNCHECKED_NAN },
  { "weight_not_changed", 1, { 1 }, .unchecked = SONDE_UNCHECKED_NO_PREVIOUS },
  { "weight_not_changed",
    2,
    { 1, INF },
    .unchecked = SONDE_UNCHECKED_NO_PREVIOUS | SONDE_UNCHECKED_INFINITY },
  { "weight_change_too_large",
    2,
    { 2, 5 },
    TRUE,
    { 2, 4 },
    "abs_mean_update_ratio_gt",
    0.1,
    1.0 / 6 },
  { "weight_change_too_large abs_mean_update_ratio_gt=0.2", 2, { 2, 5 }, TRUE, { 2, 4 } },
  { "weight_change_too_large epsilon=3", 2, { 2, 5 }, TRUE, { 2, 4 } },
  { "weight_change_too_large", 1, { 1 }, TRUE, { 0 }, "abs_mean_update_ratio_gt", 0.1, 1e9 },
  { "weight_change_too_large", 1, { 1 }, .unchecked = SONDE_UNCHECKED_NO_PREVIOUS },
  { "weight_change_too_small", 2, { 2, 4 }, TRUE, { 2, 4 }, "abs_mean_update_ratio_lt", 1e-4, 0 },
  { "weight_change_too_small", 2, { 2, 5 }, TRUE, { 2, 4 } },
  { "weight_change_too_small abs_mean_update_ratio_lt=0.2",
    2,
    { 2, 5 },
    TRUE,
    { 2, 4 },
    "abs_mean_update_ratio_lt",
    0.2,
    1.0 / 6 },
  { "gradient_vanishing abs_mean_lt=1e-9",
    2,
    { 1e-10f, -1e-10f },
    .parameter = "abs_mean_lt",
    .threshold = 1e-9,
    .actual = 1e-10 },
  { "gradient_vanishing abs_mean_lt=1e-9", 2, { 1e-8f, -1e-10f } },
  { "gradient_too_large max_gt=10",
    2,
    { 11, 0 },
    .parameter = "max_gt",
    .threshold = 10,
    .actual = 11 },
  { "gradient_too_large max_gt=11", 2, { 11, 0 } },
  { "gradient_exploding", 2, { 11, INF }, .parameter = "non_finite", .actual = 1 },
  { "gradient_exploding", 2, { 11, 0 } },
  { "activation_range range_start_inclusive=-1 range_end_inclusive=0 range_percentage_gt=99.9",
    3,
    { 0, 0, 0 },
    .parameter = "range_percentage_gt",
    .threshold = 99.9,
    .actual = 100 },
  { "activation_range range_start_inclusive=-1 range_end_inclusive=0 range_percentage_gt=99.9",
    3,
    { 0, 0, 1 } },
  { "activation_range max_min_lt=2",
    3,
    { 0, 0, 1 },
    .parameter = "max_min_lt",
    .threshold = 2,
    .actual = 1 },
};

static void
assert_case (const Case *row, const SondeOutcome *outcome)
{
  g_assert_cmpuint (outcome->unchecked, ==, row->unchecked);
  g_assert_cmpint (outcome->is_hit, ==, row->parameter != NULL);
  g_assert_cmpstr (outcome->parameter, ==, row->parameter);
  if (row->parameter == NULL)
    return;
  g_assert_cmpfloat (outcome->threshold, ==, row->threshold);
  g_assert_cmpfloat_with_epsilon (outcome->actual, row->actual, 1e-6 * fabs (row->actual) + 1e-300);
}

static void
test_cases (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int exact = 0; exact < 2; exact++)
      {
        const Case *row = &cases[i];
        g_autoptr (GError) error = NULL;
        SondeCondition condition;
        SondeOutcome outcome;

        sonde_condition_parse (&condition, row->text, &error);
        g_assert_no_error (error);
        evaluate (&condition, row->data, row->has_previous ? row->previous : NULL, row->n, exact,
                  TRUE, &outcome);
        if (!exact && outcome.is_near)
          continue;
        assert_case (row, &outcome);
      }
}

/* An infinity that came in is not the operator's. */
static void
test_operator (void)
{
  const float data[] = { 1, INF };
  SondeCondition condition;
  SondeOutcome outcome;

  g_assert_true (sonde_condition_parse (&condition, "operator_overflow", NULL));
  evaluate (&condition, data, NULL, 2, TRUE, FALSE, &outcome);
  g_assert_false (outcome.is_hit);
  g_assert_cmpuint (outcome.unchecked, ==, 0);
}

/* ---- a reference --------------------------------------------------------- */

#define N 3000

typedef struct
{
  float data[N], old[N];
} Values;

static double
reference_quantity (const Values *values, guint n, const char *parameter, double start, double end)
{
  double sum = 0, abs_sum = 0, change = 0, before = 0, min = INF, max = -INF;
  double zeros = 0, inside = 0;

  for (guint i = 0; i < n; i++)
    {
      double x = values->data[i], old = values->old[i];

      sum += x;
      abs_sum += fabs (x);
      min = fmin (min, x);
      max = fmax (max, x);
      zeros += x == 0;
      inside += x >= start && x <= end;
      change += fabs (x - old);
      before += fabs (old);
    }
  if (g_str_has_prefix (parameter, "abs_mean_update_ratio"))
    return change / n / (1e-9 + before / n);
  if (g_str_has_prefix (parameter, "abs_mean"))
    return abs_sum / n;
  if (g_str_has_prefix (parameter, "mean"))
    return sum / n;
  if (g_str_has_prefix (parameter, "max_min"))
    return max - min;
  if (g_str_has_prefix (parameter, "max"))
    return max;
  if (g_str_has_prefix (parameter, "min"))
    return min;
  if (g_str_has_prefix (parameter, "zero"))
    return 100 * zeros / n;
  return 100 * inside / n;
}

static gboolean
reference_compares (const char *parameter, double actual, double threshold)
{
  if (g_str_has_suffix (parameter, "_lt"))
    return actual < threshold;
  return g_str_has_suffix (parameter, "_ge") ? actual >= threshold : actual > threshold;
}

static void
fill (Values *values, guint n, GRand *random)
{
  const double scale = pow (10, g_rand_double_range (random, -4, 4)),
               shift = g_rand_double_range (random, -2, 2);

  for (guint i = 0; i < n; i++)
    {
      values->old[i] = (float) (scale * (g_rand_double_range (random, -1, 1) + shift));
      values->data[i]
          = g_rand_int_range (random, 0, 5) == 0
                ? 0
                : values->old[i] + (float) (scale * g_rand_double_range (random, -1, 1));
    }
}

/* One parameter of a random condition, with a threshold that lies at, just below or just above the
 * right number. */
static void
test_reference (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  g_autofree Values *values = g_new (Values, 1);
  guint n_classes, n_hits = 0, n_near = 0;
  const SondeConditionClass *classes = sonde_condition_classes (&n_classes);

  for (int round = 0; round < 4000; round++)
    {
      const SondeConditionClass *klass = &classes[g_rand_int_range (random, 0, (gint32) n_classes)];
      SondeCondition condition = { .klass = klass, .values = { NAN, NAN, NAN, NAN, NAN, NAN } };
      guint n = (guint) g_rand_int_range (random, 1, N), which = 0, n_parameters = 0;
      double actual, threshold, start, end;
      gboolean expected, exact = g_rand_boolean (random);
      SondeOutcome outcome;

      if (klass->check != SONDE_CHECK_PARAMETERS)
        continue;
      fill (values, n, random);
      start = values->data[0];
      end = start + fabs (values->data[n - 1]);
      while (klass->parameters[n_parameters].name != NULL)
        n_parameters++;
      do
        which = (guint) g_rand_int_range (random, 0, (gint32) n_parameters);
      while (klass->parameters[which].quantity == SONDE_QUANTITY_NONE);
      if (g_str_has_prefix (klass->parameters[0].name, "range"))
        {
          condition.values[0] = start;
          condition.values[1] = end;
        }
      if (klass->needs_previous)
        condition.values[1] = 1e-9;
      actual = reference_quantity (values, n, klass->parameters[which].name, start, end);
      threshold = actual
                  * (1
                     + (g_rand_int_range (random, 0, 3) - 1)
                           * pow (10, g_rand_double_range (random, -9, 0)));
      condition.values[which] = threshold;
      expected = reference_compares (klass->parameters[which].name, actual, threshold);

      evaluate (&condition, values->data, values->old, n, exact, TRUE, &outcome);
      if (outcome.is_near)
        {
          g_assert_false (exact);
          n_near++;
          evaluate (&condition, values->data, values->old, n, TRUE, TRUE, &outcome);
        }
      if (fabs (actual - threshold) > 1e-12 * fabs (actual))
        g_assert_cmpint (outcome.is_hit, ==, expected);
      if (!outcome.is_hit)
        continue;
      n_hits++;
      g_assert_cmpstr (outcome.parameter, ==, klass->parameters[which].name);
      g_assert_cmpfloat_with_epsilon (outcome.actual, actual, 1e-10 * fabs (actual) + 1e-300);
    }
  g_assert_cmpuint (n_hits, >, 500);
  g_assert_cmpuint (n_near, >, 100);
}

static void
test_unchecked_words (void)
{
  g_autofree char *two
      = sonde_unchecked_to_string (SONDE_UNCHECKED_NAN | SONDE_UNCHECKED_NO_HISTORY);
  g_autofree char *none = sonde_unchecked_to_string (0);

  g_assert_cmpstr (two, ==, "NaN in value, no history");
  g_assert_cmpstr (none, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/condition/table", test_table);
  g_test_add_func ("/engine/debug/condition/text-errors", test_text_errors);
  g_test_add_func ("/engine/debug/condition/cases", test_cases);
  g_test_add_func ("/engine/debug/condition/operator", test_operator);
  g_test_add_func ("/engine/debug/condition/reference", test_reference);
  g_test_add_func ("/engine/debug/condition/unchecked-words", test_unchecked_words);
  return g_test_run ();
}
