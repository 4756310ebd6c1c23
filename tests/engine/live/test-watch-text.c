/* SPDX-License-Identifier: Apache-2.0
 * Texts of watches and names read back as what they were made of. */
#include "engine/live/sonde-watch-table.h"
#include "engine/live/sonde-watch-text.h"

/* Names that an expression would not take without quotes. */
static void
test_names (void)
{
  static const char *const names[] = { "conv1.weight", "my value", "a \"b\"",   "back\\slash",
                                       "x[0]",         "12",       "grad(a b)", "a on b" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = sonde_expression_quote (names[i], i % 2 == 0 ? NULL : "0, :2");
      g_autoptr (SondeExpression) expression = sonde_expression_parse (text, &error);
      const SondeReference *reference;

      g_assert_no_error (error);
      g_assert_cmpuint (sonde_expression_get_n_references (expression), ==, 1);
      reference = sonde_expression_get_reference (expression, 0);
      g_assert_cmpstr (reference->name, ==, names[i]);
      g_assert_cmpstr (reference->slice, ==, i % 2 == 0 ? NULL : "0, :2");
    }
}

/* A pattern keeps its blanks, and words that mean something elsewhere. */
static void
test_patterns (void)
{
  static const struct
  {
    const char *expression, *pattern, *read;
  } rows[] = {
    { "nan(x)", NULL, NULL },
    { "nan(x)", "  ", NULL },
    { "max(x) > 3", "conv*", "conv*" },
    { "max(x) > 3", " my layer ", "my layer" },
    { "max(x) > 3", "\"my layer\"", "my layer" },
    { "max(x) > 3", "lamp on table", "lamp on table" },
    { "max(x) > 3", "its inputs", "its inputs" },
    { "max(x) > 3", "go nostop", "go nostop" },
    { "max(x) > 3", "op:Relu", "op:Relu" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = sonde_watch_text_of_expression (rows[i].expression, rows[i].pattern);
      g_autoptr (SondeArmedWatch) watch = sonde_armed_watch_new (text, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (watch->info.text, ==, rows[i].expression);
      g_assert_cmpstr (watch->info.pattern, ==, rows[i].read);
      g_assert_false (watch->info.on_inputs);
      g_assert_false (watch->info.log_only);
    }
}

static void
test_condition (void)
{
  g_autoptr (GError) error = NULL;
  const SondeConditionClass *klass = sonde_condition_find ("tensor_too_large", &error);
  const char *values[SONDE_CONDITION_MAX_PARAMETERS] = { " 3.5 ", "" };
  g_autofree char *text = NULL;
  g_autoptr (SondeArmedWatch) watch = NULL;

  g_assert_no_error (error);
  text = sonde_watch_text_of_condition (klass, values, "my layer");
  watch = sonde_armed_watch_new (text, &error);
  g_assert_no_error (error);
  g_assert_true (watch->condition.klass == klass);
  g_assert_cmpfloat (watch->condition.values[0], ==, 3.5);
  g_assert_cmpstr (watch->info.pattern, ==, "my layer");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/live/watch-text/names", test_names);
  g_test_add_func ("/engine/live/watch-text/patterns", test_patterns);
  g_test_add_func ("/engine/live/watch-text/condition", test_condition);
  return g_test_run ();
}
