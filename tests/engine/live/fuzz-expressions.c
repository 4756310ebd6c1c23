/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for expressions: any text is parsed, evaluated over a few small values and explained,
 * or refused with a sentence. With libFuzzer, the entry is used; built alone, it replays files
 * given as arguments, or, without any, texts put together from a fixed seed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "engine/live/sonde-expression.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

/* x: 2×3 with everything special in it; i: integers; t: texts; later: not there; all others: one
 * number */
static SondeTensor *
get_tensor (SondeExpressionSource *source, const SondeReference *reference, GError **error)
{
  static const float numbers[] = { 1, -2.5f, 0, (float) INFINITY, -(float) INFINITY, (float) NAN };
  static const gint64 integers[] = { G_MININT64, -1, G_MAXINT64 };
  const char *texts[] = { "a", NULL };
  SondeShape shape = sonde_shape_make (2, 2, 3), three = sonde_shape_make (1, 3),
             two = sonde_shape_make (1, 2);

  if (g_str_equal (reference->name, "x"))
    return sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);
  if (g_str_equal (reference->name, "i"))
    return sonde_tensor_new_from_data (SONDE_DTYPE_I64, &three, integers);
  if (g_str_equal (reference->name, "t"))
    return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &two, texts);
  if (!reference->previous && !g_str_equal (reference->name, "later"))
    return sonde_tensor_new_f32 (3);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "Not there.");
  return NULL;
}

static char **
list_values (SondeExpressionSource *source, const char *glob, GError **error)
{
  return g_strsplit ("x later y", " ", -1);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  SondeExpressionSource source = { .get_tensor = get_tensor, .list_values = list_values };
  g_autofree char *text = g_strndup ((const char *) data, length);
  g_autoptr (GError) error = NULL, failure = NULL;
  g_autoptr (SondeExpression) expression = sonde_expression_parse (text, &error);
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (SondeMessage) explanation = NULL;

  g_assert_true ((expression == NULL) == (error != NULL));
  if (expression == NULL)
    return 0;
  for (guint k = 0; k < sonde_expression_get_n_references (expression); k++)
    g_assert_nonnull (sonde_expression_get_reference (expression, k)->name);
  if (!sonde_expression_evaluate (expression, &source, &result, &failure))
    {
      g_assert_nonnull (failure);
      return 0;
    }
  explanation = sonde_expression_explain (expression, &source, NULL);
  g_assert_nonnull (explanation);
  return 0;
}

#ifndef SONDE_LIBFUZZER
static void
run_made (guint n)
{
  static const char *const pieces[] = {
    "x",         "i",      "later",   "t",     "grad(",  "prev(", "update(", "nan(", "max(",
    "quantile(", "where(", "shape(",  "cast(", "stats(", ")",     ")",       ")",    ",",
    "[0",        "]",      "\"",      "'",     "*",      "**",    "%",       "/",    "-",
    "!",         "||",     "&&",      "==",    "<",      "1e9",   "0x",      "not ", "?",
    ":",         ".min",   "float16", " ",     "0",      "any(",
  };
  guint64 drawn = 0;

  for (guint round = 0; round < n; round++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      guint parts = (guint) (sonde_random_uniform (11, 0, drawn++) * 14);

      for (guint i = 0; i < parts; i++)
        g_string_append (
            text, pieces[(guint) (sonde_random_uniform (11, 0, drawn++) * G_N_ELEMENTS (pieces))]);
      LLVMFuzzerTestOneInput ((const guint8 *) text->str, text->len);
    }
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *text = NULL;
      gsize length;

      if (g_file_get_contents (argv[i], &text, &length, NULL))
        LLVMFuzzerTestOneInput ((const guint8 *) text, length);
    }
  if (argc == 1)
    run_made (50000);
  printf ("1..1\nok 1 /fuzz/expressions\n");
  return 0;
}
#endif
