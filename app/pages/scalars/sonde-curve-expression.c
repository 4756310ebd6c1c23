/* SPDX-License-Identifier: Apache-2.0
 * The parser of the debugger reads the text. What it does not have is ema(), which needs the points before: each is
 * taken out first, a quoted name of the same length stands in its place, and its argument is an expression of its own
 * in brackets, with as many characters in front as it stood behind; so every column in a message is that of the whole text. */
#include "app/pages/scalars/sonde-curve-expression.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "engine/live/sonde-expression.h"

#define MAX_DEPTH 16 /* of ema() in one another */

/* ema(@inner, @weight), under the name @name in the text around it. */
typedef struct
{
  char *name;
  SondeCurveExpression *inner;
  double weight;
} Mean;

struct _SondeCurveExpression
{
  SondeExpressionSource source; /* first: it is cast back */
  SondeExpression *expression;
  GPtrArray *means;   /* Mean */
  GPtrArray *tags;    /* char *, NULL at its end */
  GHashTable *values; /* tag -> GArray of double, lent during the evaluation */
  gsize n;            /* of each */
};

static void
mean_free (void *data)
{
  Mean *mean = data;

  g_free (mean->name);
  sonde_curve_expression_free (mean->inner);
  g_free (mean);
}

void
sonde_curve_expression_free (SondeCurveExpression *expression)
{
  if (expression == NULL)
    return;
  sonde_expression_free (expression->expression);
  g_ptr_array_unref (expression->means);
  g_ptr_array_unref (expression->tags);
  g_free (expression);
}

/* ---- values -------------------------------------------------------------- */

static gboolean evaluate (SondeCurveExpression *expression, GHashTable *values, gsize n,
                          double *result, GError **error);

/* Corrected for the start, as curves are smoothed. */
static void
smooth (double *values, gsize n, double weight)
{
  double last = 0, power = 1;

  for (gsize i = 0; i < n; i++)
    {
      if (!isfinite (values[i]))
        continue;
      last = weight * last + (1 - weight) * values[i];
      power *= weight;
      values[i] = last / (1 - power);
    }
}

static const Mean *
find_mean (SondeCurveExpression *expression, const char *name)
{
  for (guint i = 0; i < expression->means->len; i++)
    {
      const Mean *mean = expression->means->pdata[i];

      if (g_str_equal (mean->name, name))
        return mean;
    }
  return NULL;
}

static SondeTensor *
get_tensor (SondeExpressionSource *source, const SondeReference *reference, GError **error)
{
  SondeCurveExpression *expression = (SondeCurveExpression *) source;
  const Mean *mean = find_mean (expression, reference->name);
  const GArray *recorded = g_hash_table_lookup (expression->values, reference->name);
  SondeShape shape = sonde_shape_make (1, (gint64) expression->n);
  g_autofree double *values = g_new (double, expression->n + 1);

  if (mean != NULL)
    {
      if (!evaluate (mean->inner, expression->values, expression->n, values, error))
        return NULL;
      smooth (values, expression->n, mean->weight);
    }
  else if (recorded != NULL)
    memcpy (values, recorded->data, expression->n * sizeof *values);
  else
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "There is no scalar “%s”.", reference->name);
      return NULL;
    }
  return sonde_tensor_new_from_data (SONDE_DTYPE_F64, &shape, values);
}

/* Whatever comes out, as @n doubles: a single number stands at every step. */
static gboolean
take_result (const SondeExpressionResult *result, gsize n, double *values, GError **error)
{
  if (result->is_scalar || result->tensor == NULL)
    {
      for (gsize i = 0; i < n; i++)
        values[i] = result->number;
      return TRUE;
    }
  if (sonde_shape_n_elements (&result->tensor->shape) != (gint64) n)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "The result is not a curve: it does not have a value for each step.");
      return FALSE;
    }
  for (gsize i = 0; i < n; i++)
    values[i] = sonde_tensor_get_double (result->tensor, (gint64) i);
  return TRUE;
}

static gboolean
evaluate (SondeCurveExpression *expression, GHashTable *values, gsize n, double *result,
          GError **error)
{
  g_auto (SondeExpressionResult) value = { 0 };

  expression->values = values;
  expression->n = n;
  return sonde_expression_evaluate (expression->expression, &expression->source, &value, error)
         && take_result (&value, n, result, error);
}

/* ---- points -------------------------------------------------------------- */

static int
compare_points (const void *a, const void *b)
{
  const SondePoint *x = a, *y = b;

  return (x->step > y->step) - (x->step < y->step);
}

/* (transfer full): by step, of each step the last point. g_array_sort() keeps the order of equal ones. */
static GArray *
dup_points (SondeSeries *series)
{
  gsize n = (gsize) MIN (sonde_series_get_n_points (series), G_MAXUINT / sizeof (SondePoint));
  GArray *points = g_array_sized_new (FALSE, FALSE, sizeof (SondePoint), (guint) n);
  guint kept = 0;

  g_array_set_size (points, (guint) n);
  n = sonde_series_copy_points (series, 0, n, (SondePoint *) points->data);
  g_array_set_size (points, (guint) n);
  g_array_sort (points, compare_points);
  for (guint i = 0; i < points->len; i++)
    {
      const SondePoint *point = &g_array_index (points, SondePoint, i);

      if (kept == 0 || g_array_index (points, SondePoint, kept - 1).step != point->step)
        kept++;
      g_array_index (points, SondePoint, kept - 1) = *point;
    }
  g_array_set_size (points, kept);
  return points;
}

/* Keeps of both only the steps that the other has, too. */
static void
intersect (GArray *a, GArray *b)
{
  guint i = 0, k = 0, n = 0;

  while (i < a->len && k < b->len)
    {
      SondePoint *x = &g_array_index (a, SondePoint, i), *y = &g_array_index (b, SondePoint, k);

      if (x->step == y->step)
        {
          g_array_index (a, SondePoint, n) = *x;
          g_array_index (b, SondePoint, n++) = *y;
        }
      i += x->step <= y->step;
      k += x->step >= y->step;
    }
  g_array_set_size (a, n);
  g_array_set_size (b, n);
}

/* (transfer full): the points of each tag at the steps that all have; NULL: the run lacks one. */
static GPtrArray *
collect (SondeCurveExpression *expression, SondeRun *run)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint i = 0; i + 1 < expression->tags->len; i++)
    {
      SondeSeries *series = sonde_run_get_series (run, expression->tags->pdata[i]);

      if (series == NULL)
        {
          g_ptr_array_unref (all);
          return NULL;
        }
      g_ptr_array_add (all, dup_points (series));
    }
  /* Twice: what the last one lacks is to go from the first one, too. */
  for (guint i = 1; i < all->len; i++)
    intersect (all->pdata[0], all->pdata[i]);
  for (guint i = 1; i < all->len; i++)
    intersect (all->pdata[0], all->pdata[i]);
  return all;
}

static GHashTable *
make_values (SondeCurveExpression *expression, GPtrArray *all)
{
  GHashTable *values
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_array_unref);

  for (guint i = 0; i < all->len; i++)
    {
      const GArray *points = all->pdata[i];
      GArray *numbers = g_array_sized_new (FALSE, FALSE, sizeof (double), points->len);

      for (guint k = 0; k < points->len; k++)
        g_array_append_val (numbers, g_array_index (points, SondePoint, k).value);
      g_hash_table_insert (values, expression->tags->pdata[i], numbers);
    }
  return values;
}

GArray *
sonde_curve_expression_compute (SondeCurveExpression *expression, SondeRun *run, GError **error)
{
  g_autoptr (GPtrArray) all = collect (expression, run);
  g_autoptr (GHashTable) values = NULL;
  g_autofree double *results = NULL;
  GArray *points;

  if (all == NULL || all->len == 0 || ((GArray *) all->pdata[0])->len == 0)
    return g_array_new (FALSE, FALSE, sizeof (SondePoint));
  points = g_array_ref (all->pdata[0]);
  values = make_values (expression, all);
  results = g_new (double, points->len);
  if (!evaluate (expression, values, points->len, results, error))
    {
      g_array_unref (points);
      return NULL;
    }
  for (guint i = 0; i < points->len; i++)
    g_array_index (points, SondePoint, i).value = results[i];
  return points;
}

/* ---- parsing ------------------------------------------------------------- */

static SondeCurveExpression *parse (const char *text, int depth, GError **error);

/* Behind the bracket that closes the one at @open, quotes aside; NULL: there is none. @comma: (out): the last comma
 * that stands in no further bracket; NULL without. */
static const char *
find_end (const char *open, const char **comma)
{
  int depth = 0;
  char quote = '\0';

  *comma = NULL;
  for (const char *p = open; *p != '\0'; p++)
    {
      if (quote != '\0')
        quote = *p == quote ? '\0' : quote;
      else if (*p == '"' || *p == '\'')
        quote = *p;
      else if (*p == '(' || *p == '[')
        depth++;
      else if (*p == ',' && depth == 1)
        *comma = p;
      else if ((*p == ')' || *p == ']') && --depth == 0)
        return p + 1;
    }
  return NULL;
}

/* Position of the next "ema(" that is a call; NULL: none. */
static char *
find_call (char *text)
{
  char quote = '\0';

  for (char *p = text; *p != '\0'; p++)
    {
      if (quote != '\0')
        quote = *p == quote ? '\0' : quote;
      else if (*p == '"' || *p == '\'')
        quote = *p;
      else if (g_str_has_prefix (p, "ema(")
               && (p == text || !(g_ascii_isalnum (p[-1]) || strchr ("_./$@#", p[-1]) != NULL)))
        return p;
    }
  return NULL;
}

static gboolean
parse_weight (const char *from, const char *to, const char *text, double *weight, GError **error)
{
  g_autofree char *number = g_strndup (from, (gsize) (to - from));
  char *end;

  *weight = g_ascii_strtod (g_strstrip (number), &end);
  if (end != number && *end == '\0' && *weight >= 0 && *weight < 1)
    return TRUE;
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
      "Column %d of the expression: the weight of ema() is a number from 0 to less than 1.",
      (int) (from - text) + 1);
  return FALSE;
}

/* Puts a name in place of the call at @call, and keeps what it stands for. */
static gboolean
take_call (SondeCurveExpression *expression, char *text, char *call, int depth, GError **error)
{
  const char *comma, *end = find_end (call + 3, &comma);
  g_autofree char *inner = NULL;
  Mean *mean;

  if (end == NULL || comma == NULL || depth >= MAX_DEPTH)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "Column %d of the expression: ema() takes a curve and a weight, as in ema(loss, 0.9).",
          (int) (call - text) + 1);
      return FALSE;
    }
  mean = g_new0 (Mean, 1);
  g_ptr_array_add (expression->means, mean);
  if (!parse_weight (comma + 1, end - 1, text, &mean->weight, error))
    return FALSE;
  inner = g_strdup_printf ("%.*s)", (int) (comma - text), text);
  memset (inner, ' ', (gsize) (call + 4 - text));
  inner[0] = '('; /* spaces alone would be stripped */
  mean->inner = parse (inner, depth + 1, error);
  if (mean->inner == NULL)
    return FALSE;
  /* As long as the call: "ema(a,0)" has room for a quoted number. */
  mean->name = g_strdup_printf ("%0*u", (int) (end - call) - 2, expression->means->len);
  call[0] = '"';
  memcpy (call + 1, mean->name, (gsize) (end - call) - 2);
  call[end - call - 1] = '"';
  return TRUE;
}

static void
add_tag (SondeCurveExpression *expression, const char *tag)
{
  for (guint i = 0; i < expression->tags->len; i++)
    if (g_str_equal (expression->tags->pdata[i], tag))
      return;
  g_ptr_array_add (expression->tags, g_strdup (tag));
}

static gboolean
take_names (SondeCurveExpression *expression, GError **error)
{
  for (guint i = 0; i < expression->means->len; i++)
    {
      const Mean *mean = expression->means->pdata[i];

      for (guint k = 0; k + 1 < mean->inner->tags->len; k++)
        add_tag (expression, mean->inner->tags->pdata[k]);
    }
  for (guint i = 0; i < sonde_expression_get_n_references (expression->expression); i++)
    {
      const SondeReference *reference = sonde_expression_get_reference (expression->expression, i);

      if (reference->glob || reference->previous || reference->slice != NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "“%s”: an expression of curves takes whole scalars, by their tags.",
                           reference->name);
          return FALSE;
        }
      if (find_mean (expression, reference->name) == NULL)
        add_tag (expression, reference->name);
    }
  g_ptr_array_add (expression->tags, NULL);
  return TRUE;
}

static SondeCurveExpression *
parse (const char *text, int depth, GError **error)
{
  g_autoptr (SondeCurveExpression) expression = g_new0 (SondeCurveExpression, 1);
  g_autofree char *outer = g_strdup (text);
  char *call;

  expression->source.get_tensor = get_tensor;
  expression->means = g_ptr_array_new_with_free_func (mean_free);
  expression->tags = g_ptr_array_new_with_free_func (g_free);
  while ((call = find_call (outer)) != NULL)
    if (!take_call (expression, outer, call, depth, error))
      return NULL;
  expression->expression = sonde_expression_parse (outer, error);
  if (expression->expression == NULL || !take_names (expression, error))
    return NULL;
  return g_steal_pointer (&expression);
}

SondeCurveExpression *
sonde_curve_expression_new (const char *text, GError **error)
{
  return parse (text, 0, error);
}

const char *const *
sonde_curve_expression_get_tags (SondeCurveExpression *expression)
{
  return (const char *const *) expression->tags->pdata;
}
