/* SPDX-License-Identifier: Apache-2.0
 * Expressions: precedence, names, every function against a plain loop, the truth table of
 * docs/expressions.md row by row, what cannot be parsed, and texts that want to break it. */
#include "engine/live/sonde-expression.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"

/* ---- values -------------------------------------------------------------- */

typedef struct
{
  SondeExpressionSource source;
  GHashTable *values; /* name -> tensor; "<name" is that of the step before */
  guint n_reads, n_statistics;
} Values;

static SondeTensor *
get_tensor (SondeExpressionSource *source, const SondeReference *reference, GError **error)
{
  Values *values = (Values *) source;
  g_autofree char *key = g_strconcat (reference->previous ? "<" : "", reference->name, NULL);
  SondeTensor *tensor = g_hash_table_lookup (values->values, key);

  values->n_reads++;
  if (tensor != NULL)
    return sonde_tensor_ref (tensor);
  if (reference->previous || g_str_equal (reference->name, "later"))
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "“%s” is not there yet.",
                 key);
  else
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "There is no value “%s”.",
                 key);
  return NULL;
}

static gboolean
get_statistics (SondeExpressionSource *source, const SondeReference *reference,
                SondeStatistics *statistics, GError **error)
{
  Values *values = (Values *) source;
  g_autoptr (SondeTensor) tensor = get_tensor (source, reference, error);

  values->n_reads--;
  values->n_statistics++;
  if (tensor != NULL)
    sonde_statistics_compute (tensor, statistics);
  return tensor != NULL;
}

static gboolean
get_number (SondeExpressionSource *source, const char *name, double *number)
{
  *number = 6;
  return g_str_equal (name, "hits");
}

static char **
list_values (SondeExpressionSource *source, const char *glob, GError **error)
{
  if (g_str_equal (glob, "*"))
    return g_strsplit ("x later bad", " ", -1);
  if (g_str_equal (glob, "l*"))
    return g_strsplit ("later", " ", -1);
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "No value matches “%s”.",
               glob);
  return NULL;
}

static void
put (Values *values, const char *name, SondeDtype dtype, SondeShape shape, const double *numbers)
{
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, numbers[i]);
  g_hash_table_insert (values->values, g_strdup (name), tensor);
}

static const double x_numbers[] = { -2, 0, 1.5, 4, 0, -1 };          /* x: 2×3 */
static const double bad_numbers[] = { NAN, INFINITY, -INFINITY, 3 }; /* bad: 4 */

static Values *
values_new (void)
{
  static const double row[] = { 10, 20, 30 }, halves[] = { 0.5 }, whole[] = { 7, -3, 2 },
                      flags[] = { 1, 0, 1 };
  static const double before[] = { -2, 0, 1, 4, 1, -1 };
  const char *words[] = { "ja", "nein" };
  SondeShape two = sonde_shape_make (1, 2);
  Values *values = g_new0 (Values, 1);

  values->source = (SondeExpressionSource){ get_tensor, get_statistics, get_number, list_values };
  values->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                          (GDestroyNotify) sonde_tensor_unref);
  put (values, "x", SONDE_DTYPE_F32, sonde_shape_make (2, 2, 3), x_numbers);
  put (values, "<x", SONDE_DTYPE_F32, sonde_shape_make (2, 2, 3), before);
  put (values, "row", SONDE_DTYPE_F16, sonde_shape_make (1, 3), row);
  put (values, "h", SONDE_DTYPE_F64, sonde_shape_scalar (), halves);
  put (values, "one", SONDE_DTYPE_F32, sonde_shape_make (1, 1), halves);
  put (values, "i", SONDE_DTYPE_I64, sonde_shape_make (1, 3), whole);
  put (values, "b", SONDE_DTYPE_BOOL, sonde_shape_make (1, 3), flags);
  put (values, "bad", SONDE_DTYPE_F32, sonde_shape_make (1, 4), bad_numbers);
  put (values, "empty", SONDE_DTYPE_F32, sonde_shape_make (1, 0), row);
  put (values, "conv1.weight", SONDE_DTYPE_F32, sonde_shape_make (1, 3), row);
  put (values, "conv1.weight'", SONDE_DTYPE_F32, sonde_shape_make (1, 3), whole);
  put (values, "grad(conv1.weight)", SONDE_DTYPE_F32, sonde_shape_make (1, 3), whole);
  put (values, "state(conv1.weight, momentum)", SONDE_DTYPE_F32, sonde_shape_make (1, 3), row);
  put (values, "/layer/0/Relu_output_0", SONDE_DTYPE_F32, sonde_shape_make (1, 3), row);
  put (values, "a/b:0", SONDE_DTYPE_F32, sonde_shape_make (1, 3), row);
  put (values, "a - b [0]", SONDE_DTYPE_F32, sonde_shape_make (1, 3), row);
  put (values, "12", SONDE_DTYPE_F32, sonde_shape_make (1, 3), row);
  g_hash_table_insert (values->values, g_strdup ("words"),
                       sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &two, words));
  return values;
}

static void
values_free (Values *values)
{
  g_hash_table_unref (values->values);
  g_free (values);
}

static gboolean
evaluate (Values *values, const char *text, SondeExpressionResult *result, GError **error)
{
  g_autoptr (SondeExpression) expression = sonde_expression_parse (text, error);

  *result = (SondeExpressionResult){ 0 };
  return expression != NULL
         && sonde_expression_evaluate (expression, &values->source, result, error);
}

/* ---- numbers ------------------------------------------------------------- */

typedef struct
{
  const char *text;
  double number;
} Row;

static void
check_rows (const Row *rows, gsize n)
{
  Values *values = values_new ();

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (SondeExpressionResult) result = { 0 };

      evaluate (values, rows[i].text, &result, &error);
      g_assert_no_error (error);
      g_assert_true (result.is_scalar);
      if (isnan (rows[i].number)
              ? !isnan (result.number)
              : fabs (result.number - rows[i].number) > 1e-12 * fabs (rows[i].number)
                    && result.number != rows[i].number)
        g_error ("%s is %.17g, not %.17g", rows[i].text, result.number, rows[i].number);
    }
  values_free (values);
}

static void
test_operators (void)
{
  static const Row rows[] = {
    { "1 + 2 * 3", 7 },
    { "(1 + 2) * 3", 9 },
    { "2 ** 3 ** 2", 512 },
    { "-2 ** 2", -4 },
    { "2 ** -1", 0.5 },
    { "--3", 3 },
    { "+3 - -2", 5 },
    { "10 - 4 - 3", 3 },
    { "16 / 4 / 2", 2 },
    { "7 / 2", 3.5 },
    { "-7 % 3", 2 },
    { "7 % -3", -2 },
    { "7.5 % 2", 1.5 },
    { "1 / 0", INFINITY },
    { "-1 / 0", -INFINITY },
    { "0 / 0", NAN },
    { "5 % 0", NAN },
    { "0x10 + 1", 17 },
    { "1e4", 10000 },
    { ".5e-1", 0.05 },
    { "inf - inf", NAN },
    { "nan", NAN },
    { "9007199254740993 - 9007199254740992", 1 }, /* exact: integers stay such */
    { "1 < 2 && 2 < 3", 1 },
    { "1 > 2 || 2 > 3", 0 },
    { "1 || 0 && 0", 1 },
    { "!0 == 1", 1 },
    { "not 1 == 0", 1 },
    { "not 0 and not 0", 1 },
    { "1 and 0 or 1", 1 },
    { "3 == 3.0", 1 },
    { "1 + 1 == 2", 1 },
    { "5 > 3 ? 10 : 20", 10 },
    { "0 ? 10 : 1 ? 20 : 30", 20 },
    { "hits % 5", 1 },
    { "true + true", 2 },
  };

  check_rows (rows, G_N_ELEMENTS (rows));
}

static void
test_names (void)
{
  static const Row rows[] = {
    { "conv1.weight[1]", 20 },
    { "conv1.weight [ 1 ]", 20 },
    { "conv1.weight'[1]", -3 },
    { "grad(conv1.weight)[0]", 7 },
    { "grad( conv1.weight )[0]", 7 },
    { "grad(conv1.weight[0])", 7 },
    { "grad('conv1.weight')[0]", 7 },
    { "state(conv1.weight,momentum)[2]", 30 },
    { "update(conv1.weight)[0]", -3 },
    { "update(conv1.weight[0])", -3 },
    { "/layer/0/Relu_output_0[2]", 30 },
    { "mean(/layer/0/Relu_output_0)/2", 10 },
    { "a/b:0[0]", 10 },
    { "row[0]/2", 5 },
    { "max(row)/max(row)", 1 },
    { "\"a - b [0]\"[1]", 20 },
    { "'12'[1] + 12", 32 },
    { "prev(x[0, 2])", 1 },
    { "prev(x)[0, 2]", 1 },
    { "prev(max(x))", 4 },
    { "x[0, 2] - prev(x)[0, 2]", 0.5 },
  };

  check_rows (rows, G_N_ELEMENTS (rows));
}

static void
test_reductions (void)
{
  static const Row rows[] = {
    { "min(x)", -2 },
    { "max(x)", 4 },
    { "absmax(x)", 4 },
    { "absmin(x - 0.5)", 0.5 },
    { "mean(x)", 2.5 / 6 },
    { "var(x)", (4 + 2.25 + 16 + 1) / 6 - (2.5 / 6) * (2.5 / 6) },
    { "sum(x)", 2.5 },
    { "absmean(x)", 8.5 / 6 },
    { "l1(x)", 8.5 },
    { "l2(x) ** 2", 23.25 },
    { "norm(x) ** 2", 23.25 },
    { "median(x)", 0 },
    { "median(row)", 20 },
    { "quantile(row, 0.25)", 15 },
    { "quantile(row, 1)", 30 },
    { "quantile(row, 2)", NAN },
    { "argmin(x)", 0 },
    { "argmax(x)", 3 },
    { "count(x)", 6 },
    { "size(x)", 6 },
    { "zeros(x)", 2.0 / 6 },
    { "negatives(x)", 2.0 / 6 },
    { "positives(x)", 2.0 / 6 },
    { "count_zeros(x)", 2 },
    { "count_negatives(x)", 2 },
    { "count_positives(x)", 2 },
    { "nan(bad)", 1 },
    { "inf(bad)", 2 },
    { "posinf(bad)", 1 },
    { "neginf(bad)", 1 },
    { "finite(bad)", 1 },
    { "max(bad)", 3 },
    { "min(bad)", 3 },
    { "mean(bad)", 3 },
    { "absmax(bad)", INFINITY },
    { "absmax(bad[::3])", 3 },
    { "sum(bad)", NAN },
    { "absmin(bad)", 3 },
    { "argmax(bad)", 3 },
    { "median(bad)", 3 },
    { "max(empty)", NAN },
    { "sum(empty)", 0 },
    { "zeros(empty)", NAN },
    { "any(empty > 0)", 0 },
    { "all(empty > 0)", 1 },
    { "any(x > 3)", 1 },
    { "all(x > 3)", 0 },
    { "all(x > -3)", 1 },
    { "any(x > 1 && x < 2)", 1 },
    { "any(x > 2 && x < 3)", 0 },
    { "stats(x).abs_mean", 8.5 / 6 },
    { "stats(x).zeros", 2 },
    { "stats(bad).pos_inf", 1 },
    { "mean(abs(x - prev(x)))", 1.5 / 6 },
    { "max(x * row)", 45 },
    { "max(x[:, ::-1])", 4 },
    { "sum(x[:, 1])", 0 },
    { "sum(i * i)", 62 },
    { "sum(b)", 2 },
    { "min(h, 2)", 0.5 },
    { "max(h, 2)", 2 },
    { "max(min(x, 1))", 1 },
    { "nan(*)", 1 },
    { "nan(\"*\")", 1 },
    { "count(*)", 10 },
    { "max(*)", 4 },
    { "sum(abs(x)) + sum(\"*\") * 0", NAN },
    { "any(*)", 1 },
  };

  check_rows (rows, G_N_ELEMENTS (rows));
}

static void
test_functions (void)
{
  static const Row rows[] = {
    { "abs(-2)", 2 },
    { "exp(1)", M_E },
    { "log(exp(2))", 2 },
    { "log2(8)", 3 },
    { "log10(1000)", 3 },
    { "log(0)", -INFINITY },
    { "log(-1)", NAN },
    { "sqrt(9)", 3 },
    { "sign(-3)", -1 },
    { "sign(0.0)", 0 },
    { "floor(-1.5)", -2 },
    { "ceil(-1.5)", -1 },
    { "round(2.5)", 2 },
    { "round(3.5)", 4 },
    { "sin(pi / 2)", 1 },
    { "cos(0)", 1 },
    { "tanh(0.5)", 0.46211715726000975 },
    { "sigmoid(0)", 0.5 },
    { "sigmoid(-1000)", 0 },
    { "relu(-2)", 0 },
    { "relu(nan)", NAN },
    { "isnan(nan)", 1 },
    { "isinf(-inf)", 1 },
    { "isfinite(3)", 1 },
    { "clip(5, 0, 2)", 2 },
    { "clip(nan, 0, 2)", NAN },
    { "where(1 > 2, 3, 4)", 4 },
    { "sum(where(x > 0, 1, 0))", 2 },
    { "cast(65520, float16)", INFINITY },
    { "cast(1.0009765625, \"bfloat16\")", 1 },
    { "cast(2.9, int32)", 2 },
    { "rank(x)", 2 },
    { "shape(x, 0)", 2 },
    { "shape(x, -1)", 3 },
    { "sum(shape(x))", 5 },
    { "dtype(x) == \"float32\"", 1 },
    { "dtype(x) != 'float32'", 0 },
    { "dtype(i) == int64", 1 },
    { "'bool' == dtype(x > 1)", 1 },
    { "dtype(words) == string", 1 },
    { "shape(words, 0)", 2 },
    { "allclose(x, x)", 1 },
    { "allclose(x, x + 1e-3)", 0 },
    { "allclose(x, x + 1e-3, 0, 1e-2)", 1 },
    { "allclose(bad, bad)", 0 },
    { "allclose(bad[1:], bad[1:])", 1 },
    { "cosine(x, 2 * x)", 1 },
    { "cosine(x, -x)", -1 },
    { "maxdiff(x, prev(x))", 1 },
    { "maxdiff(bad, bad)", 0 },
    { "maxdiff(bad, 0)", INFINITY },
  };

  check_rows (rows, G_N_ELEMENTS (rows));
}

/* ---- truth --------------------------------------------------------------- */

typedef enum
{
  FALSE_, /* does not hold */
  TRUE_,  /* holds */
  UNKNOWN /* does not hold, and there is a reason */
} Truth;

/* The table of docs/expressions.md, row by row. */
static const struct
{
  const char *text;
  Truth truth;
} truths[] = {
  /* numbers */
  { "1", TRUE_ },
  { "-0.5", TRUE_ },
  { "0", FALSE_ },
  { "-0.0", FALSE_ },
  { "inf", TRUE_ },
  { "-inf", TRUE_ },
  { "nan", FALSE_ },
  { "!nan", TRUE_ },
  /* comparisons with NaN */
  { "nan == nan", FALSE_ },
  { "nan != nan", TRUE_ },
  { "nan < 1", FALSE_ },
  { "nan <= 1", FALSE_ },
  { "nan > 1", FALSE_ },
  { "nan >= 1", FALSE_ },
  { "nan == 1", FALSE_ },
  { "nan != 1", TRUE_ },
  { "!(nan > 1)", TRUE_ },
  /* infinities */
  { "inf > 1e308", TRUE_ },
  { "inf == inf", TRUE_ },
  { "-inf < inf", TRUE_ },
  { "inf - inf == 0", FALSE_ },
  /* division by zero */
  { "1 / 0 > 1e300", TRUE_ },
  { "-1 / 0 < -1e300", TRUE_ },
  { "0 / 0 > 0", FALSE_ },
  { "0 / 0 != 0", TRUE_ },
  { "5 % 0 == 0", FALSE_ },
  /* logic over NaN */
  { "nan && 1", FALSE_ },
  { "nan || 1", TRUE_ },
  { "nan || nan", FALSE_ },
  /* tensors: any element */
  { "x > 3", TRUE_ },
  { "x > 4", FALSE_ },
  { "!(x > 3)", TRUE_ },
  { "bad > 1", TRUE_ },
  { "bad == bad[0]", FALSE_ },
  { "bad != bad", TRUE_ },
  { "empty == empty", FALSE_ },
  { "x", TRUE_ },
  { "x * 0", FALSE_ },
  /* counts */
  { "nan(bad)", TRUE_ },
  { "nan(x)", FALSE_ },
  { "nan(x) || absmax(x) > 1e4", FALSE_ },
  { "nan(bad) || absmax(bad) > 1e4", TRUE_ },
  { "absmax(bad) > 1e4", TRUE_ },
  { "max(bad) > 1e4", FALSE_ },
  { "mean(bad[:1]) < 1", FALSE_ }, /* nothing finite: NaN */
  { "zeros(empty) > 0.99", FALSE_ },
  /* values that are not there */
  { "later > 1", UNKNOWN },
  { "!(later > 1)", UNKNOWN },
  { "prev(row) == row", UNKNOWN },
  { "later > 1 || 1", TRUE_ },
  { "1 || later > 1", TRUE_ },
  { "later > 1 && 0", FALSE_ },
  { "0 && later > 1", FALSE_ },
  { "later > 1 || 0", UNKNOWN },
  { "1 && later > 1", UNKNOWN },
  { "later > 1 || later < 1", UNKNOWN },
  { "any(later > 1)", UNKNOWN },
  { "1 ? 1 : later", TRUE_ },
  { "nan(\"l*\")", UNKNOWN },
};

static void
test_truth (void)
{
  Values *values = values_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (truths); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (SondeExpressionResult) result = { 0 };
      gboolean known = evaluate (values, truths[i].text, &result, &error);

      if (truths[i].truth == UNKNOWN)
        g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
      else
        g_assert_no_error (error);
      if (known != (truths[i].truth != UNKNOWN) || result.truth != (truths[i].truth == TRUE_))
        g_error ("%s: known %d, truth %d", truths[i].text, known, result.truth);
    }
  values_free (values);
}

/* ---- tensors ------------------------------------------------------------- */

static void
test_tensors (void)
{
  Values *values = values_new ();
  g_autoptr (GError) error = NULL;
  g_auto (SondeExpressionResult) sum = { 0 }, bare = { 0 }, whole = { 0 }, flags = { 0 },
                                 text = { 0 };

  g_assert_true (evaluate (values, "x * row + h", &sum, &error));
  g_assert_false (sum.is_scalar);
  g_assert_cmpint (sum.dtype, ==, SONDE_DTYPE_F64);
  g_assert_true (isnan (sum.number));
  for (gint64 k = 0; k < 6; k++)
    g_assert_cmpfloat (sonde_tensor_get_double (sum.tensor, k), ==,
                       x_numbers[k] * (10.0 * (double) (k % 3 + 1)) + 0.5);

  g_assert_true (evaluate (values, "x[:, 1:]", &bare, &error));
  g_assert_cmpint (bare.dtype, ==, SONDE_DTYPE_F32);
  g_assert_cmpint (sonde_tensor_n_elements (bare.tensor), ==, 4);

  g_assert_true (evaluate (values, "i * 9007199254740993", &whole, &error));
  g_assert_cmpint (whole.dtype, ==, SONDE_DTYPE_I64);
  g_assert_cmpint (sonde_tensor_get_int (whole.tensor, 1), ==,
                   -3 * G_GINT64_CONSTANT (9007199254740993));

  g_assert_true (evaluate (values, "x.T > 1 || x > 1", &flags, NULL) == FALSE);
  g_assert_true (evaluate (values, "x > one", &flags, &error));
  g_assert_cmpint (flags.dtype, ==, SONDE_DTYPE_BOOL);
  for (gint64 k = 0; k < 6; k++)
    g_assert_cmpint (sonde_tensor_get_int (flags.tensor, k), ==, x_numbers[k] > 0.5);

  g_assert_true (evaluate (values, "dtype(x)", &text, &error));
  g_assert_cmpint (text.dtype, ==, SONDE_DTYPE_STRING);
  values_free (values);
}

/* Large, every dtype, blocks that end anywhere, slices with gaps: against a plain loop over the
 * elements. */
static void
test_against_loops (void)
{
  static const SondeDtype dtypes[]
      = { SONDE_DTYPE_F64, SONDE_DTYPE_F32, SONDE_DTYPE_F16, SONDE_DTYPE_BF16,
          SONDE_DTYPE_I32, SONDE_DTYPE_U8,  SONDE_DTYPE_I64, SONDE_DTYPE_BOOL };
  Values *values = values_new ();
  guint64 drawn = 0;

  for (guint round = 0; round < 40; round++)
    {
      gint64 rows = 1 + (gint64) (sonde_random_uniform (7, 0, drawn++) * 90);
      gint64 columns = 1 + (gint64) (sonde_random_uniform (7, 0, drawn++) * 300);
      SondeDtype dtype = dtypes[round % G_N_ELEMENTS (dtypes)];
      SondeShape shape = sonde_shape_make (2, rows, columns), line = sonde_shape_make (1, columns);
      g_autofree double *numbers = g_new (double, rows *columns),
                        *weights = g_new (double, columns);
      g_autoptr (GError) error = NULL;
      g_auto (SondeExpressionResult) total = { 0 }, made = { 0 }, sliced = { 0 };
      SondeTensor *y, *w;
      double sum = 0, part = 0;

      for (gint64 k = 0; k < rows * columns; k++)
        numbers[k] = floor (sonde_random_uniform (7, 0, drawn++) * 100);
      for (gint64 k = 0; k < columns; k++)
        weights[k] = sonde_random_uniform (7, 0, drawn++) - 0.5;
      put (values, "y", dtype, shape, numbers);
      put (values, "w", SONDE_DTYPE_F64, line, weights);
      y = g_hash_table_lookup (values->values, "y");
      w = g_hash_table_lookup (values->values, "w");
      g_assert_true (evaluate (values, "sum(abs(y - 50) * w + min(y, 3))", &total, &error));
      g_assert_true (evaluate (values, "abs(y - 50) * w + min(y, 3)", &made, &error));
      g_assert_true (evaluate (values, "sum(y[::-2, ::3])", &sliced, &error));
      for (gint64 k = 0; k < rows * columns; k++)
        {
          double a = sonde_tensor_get_double (y, k), b = sonde_tensor_get_double (w, k % columns);
          double expected = fabs (a - 50) * b + MIN (a, 3);

          g_assert_cmpfloat (sonde_tensor_get_double (made.tensor, k), ==, expected);
          sum += expected;
          if ((rows - 1 - k / columns) % 2 == 0 && k % columns % 3 == 0)
            part += a;
        }
      g_assert_cmpfloat (fabs (total.number - sum), <=, 1e-9 * (1 + fabs (sum)));
      g_assert_cmpfloat (sliced.number, ==, part);
    }
  values_free (values);
}

/* Statistics of a bare value are asked for, not its elements; a value that is read is read once. */
static void
test_reads (void)
{
  Values *values = values_new ();
  g_autoptr (GError) error = NULL;
  g_auto (SondeExpressionResult) one = { 0 }, two = { 0 };

  g_assert_true (evaluate (values, "nan(x) || inf(x) || absmax(x) > 100", &one, &error));
  g_assert_cmpuint (values->n_reads, ==, 0);
  g_assert_cmpuint (values->n_statistics, ==, 1);
  g_assert_true (evaluate (values, "sum(x * x) - sum(x) * sum(x)", &two, &error));
  g_assert_cmpuint (values->n_reads, ==, 1);
  values_free (values);
}

static void
test_references (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExpression) expression = sonde_expression_parse (
      "  max(update(P)) > 1 && mean(x[0]) < mean(prev(x)) || x[0] > P ", &error);
  g_autoptr (SondeExpression) bare = sonde_expression_parse ("grad(P)[0]", &error);
  static const struct
  {
    const char *name, *slice;
    gboolean previous;
  } expected[]
      = { { "P'", NULL, FALSE }, { "P", NULL, FALSE }, { "x", "0", FALSE }, { "x", NULL, TRUE } };

  g_assert_no_error (error);
  g_assert_cmpstr (sonde_expression_get_text (expression), ==,
                   "max(update(P)) > 1 && mean(x[0]) < mean(prev(x)) || x[0] > P");
  g_assert_cmpuint (sonde_expression_get_n_references (expression), ==, G_N_ELEMENTS (expected));
  for (guint k = 0; k < G_N_ELEMENTS (expected); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (expression, k);

      g_assert_cmpstr (reference->name, ==, expected[k].name);
      g_assert_cmpstr (reference->slice, ==, expected[k].slice);
      g_assert_cmpint (reference->previous, ==, expected[k].previous);
    }
  g_assert_false (sonde_expression_is_reference (expression));
  g_assert_true (sonde_expression_is_reference (bare));
}

/* ---- words --------------------------------------------------------------- */

static void
test_explain (void)
{
  static const char *const rows[][2] = {
    { "absmax(x) > 1", "absmax(x) = 4 > 1" },
    { "absmax(x) > 1e4", "absmax(x) = 4, not > 10000" },
    { "nan(bad)", "nan(bad) = 1" },
    { "nan(x) || absmax(x) > 3", "absmax(x) = 4 > 3" },
    { "nan(x) || absmax(x) > 5", "nan(x) = 0 and absmax(x) = 4, not > 5" },
    { "max(x) > 3 && min(x) < 0", "max(x) = 4 > 3 and min(x) = -2 < 0" },
    { "max(x) > 9 && min(x) < 0", "max(x) = 4, not > 9" },
    { "x > 3", "x[1, 0] = 4 > 3" },
    { "any(x * 2 > 7)", "(x * 2)[1, 0] = 8 > 7" },
    { "x > 4", "no element of “x > 4” is true" },
    { "max(x) > mean(row)", "max(x) = 4, not > mean(row) = 20" },
    { "!nan(x)", "nan(x) = 0" },
    { "mean(bad[:1]) > 1", "mean(bad[:1]) = nan, not > 1" },
    { "dtype(x) == \"float32\"", "dtype(x) = “float32” == “float32”" },
    { "nan(*)", "nan(*) = 1 (first in “bad”)" },
    { "h", "h = 0.5" },
  };
  Values *values = values_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeExpression) expression = sonde_expression_parse (rows[i][0], &error);
      g_autoptr (SondeMessage) message
          = sonde_expression_explain (expression, &values->source, &error);
      g_autofree char *text = message != NULL ? sonde_message_dup_english (message) : NULL;

      g_assert_no_error (error);
      g_assert_cmpstr (text, ==, rows[i][1]);
    }
  values_free (values);
}

static void
test_errors (void)
{
  static const struct
  {
    const char *text, *part;
    int code;
  } rows[] = {
    { "", "Column 1", SONDE_ENGINE_ERROR_INVALID },
    { "1 +", "Column 4", SONDE_ENGINE_ERROR_INVALID },
    { "(1 + 2", "not closed", SONDE_ENGINE_ERROR_INVALID },
    { "1 2", "operator was expected", SONDE_ENGINE_ERROR_INVALID },
    { "x = 2", "==", SONDE_ENGINE_ERROR_INVALID },
    { "x & 2", "&&", SONDE_ENGINE_ERROR_INVALID },
    { "1 < x < 2", "a < b && b < c", SONDE_ENGINE_ERROR_INVALID },
    { "absmx(x)", "absmax", SONDE_ENGINE_ERROR_INVALID },
    { "mean(x, 2)", "mean(x)", SONDE_ENGINE_ERROR_INVALID },
    { "quantile(x)", "quantile(x, q)", SONDE_ENGINE_ERROR_INVALID },
    { "x[0", "“]” is missing", SONDE_ENGINE_ERROR_INVALID },
    { "x[0][1]", "slice", SONDE_ENGINE_ERROR_INVALID },
    { "(x - 1)[0]", "slice", SONDE_ENGINE_ERROR_INVALID },
    { "'x", "quote", SONDE_ENGINE_ERROR_INVALID },
    { "12x", "quotes", SONDE_ENGINE_ERROR_INVALID },
    { "prev(prev(x))", "one step", SONDE_ENGINE_ERROR_INVALID },
    { "stats(x).median", "abs_mean", SONDE_ENGINE_ERROR_INVALID },
    { "1 ? 2", "“:”", SONDE_ENGINE_ERROR_INVALID },
    { "cast(x, float23)", "dtype", SONDE_ENGINE_ERROR_INVALID },
    { "grad()", "name", SONDE_ENGINE_ERROR_INVALID },
    { "grad(x", "“)”", SONDE_ENGINE_ERROR_INVALID },
    { "nosuch > 1", "nosuch", SONDE_ENGINE_ERROR_NOT_FOUND },
    { "0 || nosuch", "nosuch", SONDE_ENGINE_ERROR_NOT_FOUND },
    { "x + i + bad", "2×3", SONDE_ENGINE_ERROR_SHAPE },
    { "x[5]", "x", SONDE_ENGINE_ERROR_INVALID },
    { "words + 1", "text", SONDE_ENGINE_ERROR_INVALID },
    { "mean(words[0:1] )", "mean", SONDE_ENGINE_ERROR_INVALID },
    { "quantile(x, x)", "one number", SONDE_ENGINE_ERROR_INVALID },
    { "shape(x, 2)", "2 dimensions", SONDE_ENGINE_ERROR_INVALID },
    { "nan(\"zz*\")", "zz*", SONDE_ENGINE_ERROR_NOT_FOUND },
    { "abs(\"x*\")", "x*", SONDE_ENGINE_ERROR_NOT_FOUND },
  };
  Values *values = values_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (SondeExpressionResult) result = { 0 };

      if (evaluate (values, rows[i].text, &result, &error))
        g_error ("“%s” is no error", rows[i].text);
      g_assert_error (error, SONDE_ENGINE_ERROR, rows[i].code);
      if (strstr (error->message, rows[i].part) == NULL)
        g_error ("“%s”: %s", rows[i].text, error->message);
    }
  values_free (values);
}

/* The ids of a message's parts: what a catalogue translates. */
static void
test_message_parts (void)
{
  static const char *const rows[][3] = {
    { "(1 + 2", "Column %ld of the expression: ", "this “(” is not closed." },
    { "1 +", "Column %ld of the expression: ",
      "a number, a value or a function was expected at the end." },
    { "x = 2", "Column %ld of the expression: ", "%-s" },
    { "quantile(x, x)", "“%s”: ", "%s wants one number here." },
    { "x + i + bad", "“%s”: the shapes %s and %s do not fit.", NULL },
    { "x < bad", "“%s”: the shapes %s and %s do not fit; any(…) and all(…) make one truth of each.",
      NULL },
  };
  Values *values = values_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (SondeExpressionResult) result = { 0 };
      const SondeMessage *message;
      const char *const *arguments;

      g_assert_false (evaluate (values, rows[i][0], &result, &error));
      message = sonde_error_get_message (error);
      g_assert_cmpuint (sonde_message_get_n_parts (message), ==, rows[i][2] != NULL ? 2 : 1);
      g_assert_cmpstr (sonde_message_get_part (message, 0, &arguments), ==, rows[i][1]);
      if (rows[i][2] != NULL)
        g_assert_cmpstr (sonde_message_get_part (message, 1, &arguments), ==, rows[i][2]);
    }
  values_free (values);
}

/* Whatever is typed: an answer or an error, and in no time. */
static void
test_hostile (void)
{
  static const char pieces[][10]
      = { "(",    ")",  "x", "[",     "]",    "0",    "-",      "!",     "**",
          "nan(", "\"", "'", "||",    "<",    ",",    "prev(",  "grad(", "*",
          "/",    ":",  "?", "1e999", "\xc3", "not ", "where(", ".",     "cast(" };
  Values *values = values_new ();
  guint64 drawn = 0;

  for (guint round = 0; round < 20000; round++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_auto (SondeExpressionResult) result = { 0 };
      g_autoptr (GError) error = NULL;
      guint n = (guint) (sonde_random_uniform (7, 0, drawn++) * 12);

      for (guint i = 0; i < n; i++)
        g_string_append (
            text, pieces[(guint) (sonde_random_uniform (7, 0, drawn++) * G_N_ELEMENTS (pieces))]);
      if (!evaluate (values, text->str, &result, &error))
        g_assert_nonnull (error);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      g_auto (SondeExpressionResult) result = { 0 };

      while (text->len < SONDE_EXPRESSION_MAX_BYTES - 16)
        g_string_append (text, pieces[i]);
      /* a number of 65,000 zeros is one */
      g_assert_true (evaluate (values, text->str, &result, &error) == (error == NULL));
      g_assert_true (error != NULL || g_str_equal (pieces[i], "0"));
    }
  values_free (values);
}

static void
test_limits (void)
{
  Values *values = values_new ();
  g_autoptr (GString) deep = g_string_new (NULL), chain = g_string_new ("x"),
                      longest = g_string_new (NULL);
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 150; i++)
    g_string_append_c (deep, '(');
  g_string_append (deep, "x");
  for (guint i = 0; i < 150; i++)
    g_string_append_c (deep, ')');
  g_assert_true (evaluate (values, deep->str, &result, &error));
  sonde_expression_result_clear (&result);
  for (guint i = 0; i < 900; i++)
    g_string_append (chain, " + 1");
  g_assert_true (evaluate (values, chain->str, &result, &error));
  g_assert_cmpfloat (sonde_tensor_get_double (result.tensor, 0), ==, 898);
  sonde_expression_result_clear (&result);
  for (guint i = 0; i < 900; i++)
    g_string_append (chain, " + 1");
  g_assert_false (evaluate (values, chain->str, &result, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  g_clear_error (&error);
  while (longest->len <= SONDE_EXPRESSION_MAX_BYTES)
    g_string_append_c (longest, ' ');
  g_assert_false (evaluate (values, longest->str, &result, &error));
  g_assert_nonnull (strstr (error->message, "64 KiB"));
  values_free (values);
}

/* Every row of the table of functions has a usage that begins with its name. */
static void
test_help (void)
{
  guint n = 0;

  for (const SondeExpressionHelp *help; (help = sonde_expression_help (n)) != NULL; n++)
    {
      g_assert_true (g_str_has_prefix (help->usage, help->name));
      g_assert_nonnull (help->summary);
    }
  g_assert_cmpuint (n, >, 55);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/expression/operators", test_operators);
  g_test_add_func ("/expression/names", test_names);
  g_test_add_func ("/expression/reductions", test_reductions);
  g_test_add_func ("/expression/functions", test_functions);
  g_test_add_func ("/expression/truth", test_truth);
  g_test_add_func ("/expression/tensors", test_tensors);
  g_test_add_func ("/expression/against-loops", test_against_loops);
  g_test_add_func ("/expression/reads", test_reads);
  g_test_add_func ("/expression/references", test_references);
  g_test_add_func ("/expression/explain", test_explain);
  g_test_add_func ("/expression/errors", test_errors);
  g_test_add_func ("/expression/message-parts", test_message_parts);
  g_test_add_func ("/expression/hostile", test_hostile);
  g_test_add_func ("/expression/limits", test_limits);
  g_test_add_func ("/expression/help", test_help);
  return g_test_run ();
}
