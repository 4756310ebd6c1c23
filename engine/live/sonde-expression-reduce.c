/* SPDX-License-Identifier: Apache-2.0
 * Calls that make one number of their argument, in one pass over blocks. */
#include "engine/live/sonde-expression-evaluation-private.h"

#include <math.h>

#define MAX_KEPT (1 << 28) /* elements that a quantile sorts */

/* ---- statistics ---------------------------------------------------------- */

static void
statistics_of_blocks (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                      SondeStatistics *statistics)
{
  const SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  gint64 n = sonde_shape_n_elements (&cell->shape);

  sonde_statistics_compute_data (SONDE_DTYPE_F64, NULL, 0, statistics);
  sonde_block_forget (evaluation, term);
  for (gint64 first = 0; first < n; first += SONDE_EXPRESSION_BLOCK)
    {
      gsize part = (gsize) MIN (n - first, SONDE_EXPRESSION_BLOCK);
      SondeStatistics some;

      sonde_statistics_compute_data (
          SONDE_DTYPE_F64,
          sonde_block_get (evaluation, term, &cell->shape, SONDE_KIND_REAL, first, part, 0), part,
          &some);
      if (first == 0)
        *statistics = some;
      else
        sonde_statistics_merge (statistics, &some);
    }
}

/* Those of a bare value, asked of the source once. */
static gboolean
statistics_of_value (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                     SondeStatistics *statistics, GError **error)
{
  const SondeReference *reference
      = sonde_expression_get_reference (evaluation->expression, term->reference);
  SondeStatistics **known = &evaluation->statistics[term->reference];

  if (*known == NULL)
    {
      g_autofree SondeStatistics *asked = g_new0 (SondeStatistics, 1);

      if (!evaluation->source->get_statistics (evaluation->source, reference, asked, error))
        return FALSE;
      *known = g_steal_pointer (&asked);
    }
  *statistics = **known;
  return TRUE;
}

/* Of what was read: once for several functions of it. */
static void
statistics_of_tensor (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                      SondeStatistics *statistics)
{
  SondeStatistics **known = &evaluation->statistics[term->reference];

  if (term->type != SONDE_TERM_VALUE)
    {
      sonde_statistics_compute (sonde_evaluation_cell (evaluation, term)->tensor, statistics);
      return;
    }
  if (*known == NULL)
    {
      *known = g_new0 (SondeStatistics, 1);
      sonde_statistics_compute (sonde_evaluation_cell (evaluation, term)->tensor, *known);
    }
  *statistics = **known;
}

static gboolean
is_number (SondeExpressionEvaluation *evaluation, const SondeTerm *term)
{
  double number;

  return !term->quoted && !term->previous && evaluation->source->get_number != NULL
         && evaluation->source->get_number (evaluation->source, term->name, &number);
}

static gboolean
take_argument (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
               const SondeTerm *argument, GError **error)
{
  if (!sonde_evaluation_prepare (evaluation, argument, error))
    return FALSE;
  if (sonde_evaluation_cell (evaluation, argument)->kind != SONDE_KIND_TEXT)
    return TRUE;
  sonde_evaluation_set_error (evaluation, argument, error, "%s does not take texts.",
                              term->function->help.name);
  return FALSE;
}

static gboolean
get_statistics (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                SondeStatistics *statistics, GError **error)
{
  const SondeTerm *argument = term->arguments[0];
  const SondeCell *cell = sonde_evaluation_cell (evaluation, argument);

  if (argument->type == SONDE_TERM_VALUE && argument->slice == NULL && !cell->prepared
      && evaluation->source->get_statistics != NULL && !is_number (evaluation, argument))
    return statistics_of_value (evaluation, argument, statistics, error);
  if (!take_argument (evaluation, term, argument, error))
    return FALSE;
  if (cell->tensor == NULL)
    statistics_of_blocks (evaluation, argument, statistics);
  else
    statistics_of_tensor (evaluation, argument, statistics);
  return TRUE;
}

/* ---- folds --------------------------------------------------------------- */

/* Arguments behind the folded ones: numbers. */
static gboolean
read_options (SondeExpressionEvaluation *evaluation, const SondeTerm *term, SondeFold *fold,
              GError **error)
{
  const SondeCallable *function = term->function;

  fold->options[0] = function->defaults[0];
  fold->options[1] = function->defaults[1];
  for (guint i = function->n_folded; i < term->n_arguments; i++)
    {
      const SondeCell *cell = sonde_evaluation_cell (evaluation, term->arguments[i]);

      if (!take_argument (evaluation, term, term->arguments[i], error))
        return FALSE;
      if (!cell->is_constant)
        {
          sonde_evaluation_set_error (evaluation, term->arguments[i], error,
                                      "%s wants one number here.", function->help.name);
          return FALSE;
        }
      fold->options[i - function->n_folded] = cell->number;
    }
  return TRUE;
}

static gboolean
check_kept (SondeExpressionEvaluation *evaluation, const SondeTerm *term, SondeFold *fold, gint64 n,
            GError **error)
{
  fold->count += n;
  if (term->function->n_folded != 1 || fold->count <= MAX_KEPT
      || (!g_str_equal (term->function->help.name, "median")
          && !g_str_equal (term->function->help.name, "quantile")))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "%s sorts at most %d elements; take a slice.", term->function->help.name,
                   MAX_KEPT);
  return FALSE;
}

static gboolean
fold_blocks (SondeExpressionEvaluation *evaluation, const SondeTerm *term, const SondeShape *domain,
             SondeFold *fold, GError **error)
{
  gint64 n = sonde_shape_n_elements (domain);
  gboolean more = check_kept (evaluation, term, fold, n, error);

  if (!more)
    return FALSE;
  for (guint i = 0; i < term->function->n_folded; i++)
    sonde_block_forget (evaluation, term->arguments[i]);
  for (gint64 first = 0; first < n && more; first += SONDE_EXPRESSION_BLOCK)
    {
      gsize part = (gsize) MIN (n - first, SONDE_EXPRESSION_BLOCK);
      const double *in[2] = { NULL };

      for (guint i = 0; i < term->function->n_folded; i++)
        in[i] = sonde_block_get (evaluation, term->arguments[i], domain, SONDE_KIND_REAL, first,
                                 part, i);
      more = term->function->block (fold, in, first, part);
    }
  return TRUE;
}

static gboolean
fold_arguments (SondeExpressionEvaluation *evaluation, const SondeTerm *term, SondeFold *fold,
                GError **error)
{
  SondeShape domain = sonde_shape_scalar ();

  for (guint i = 0; i < term->function->n_folded; i++)
    {
      const SondeCell *cell = sonde_evaluation_cell (evaluation, term->arguments[i]);
      SondeShape joined;

      if (!take_argument (evaluation, term, term->arguments[i], error))
        return FALSE;
      if (!sonde_shape_broadcast (&domain, &cell->shape, &joined)
          || sonde_shape_n_elements (&joined) < 0)
        {
          g_autofree char *a = sonde_shape_to_string (&domain),
                          *b = sonde_shape_to_string (&cell->shape);

          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                           "%s: the shapes %s and %s do not fit.", term->function->help.name, a, b);
          return FALSE;
        }
      domain = joined;
    }
  return fold_blocks (evaluation, term, &domain, fold, error);
}

/* ---- globs --------------------------------------------------------------- */

/* One value of a glob goes into @fold, or its statistics into @statistics. FALSE with @error; a
 * value that is not there is passed over and not counted in @n. */
static gboolean
add_value (SondeExpressionEvaluation *evaluation, const SondeTerm *term, const char *name,
           SondeFold *fold, SondeStatistics *statistics, guint *n, GError **error)
{
  SondeReference reference = { .name = name, .previous = term->arguments[0]->previous };
  SondeExpressionSource *source = evaluation->source;
  SondeCell *cell = sonde_evaluation_cell (evaluation, term->arguments[0]);
  g_autoptr (GError) failure = NULL;
  SondeStatistics some;
  SondeTensor *tensor = NULL;

  if (statistics == NULL || source->get_statistics == NULL)
    tensor = source->get_tensor (source, &reference, &failure);
  else if (source->get_statistics (source, &reference, &some, &failure))
    failure = NULL;
  if (g_error_matches (failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE))
    return TRUE;
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (tensor != NULL && statistics != NULL)
    sonde_statistics_compute (tensor, &some);
  if (statistics != NULL && sonde_number_holds (term->function->statistic (&some))
      && cell->first_found == NULL)
    cell->first_found = g_strdup (name);
  if (statistics != NULL && *n == 0)
    *statistics = some;
  else if (statistics != NULL)
    sonde_statistics_merge (statistics, &some);
  (*n)++;
  if (statistics != NULL || tensor == NULL)
    {
      sonde_tensor_unref (tensor);
      return TRUE;
    }
  g_clear_pointer (&cell->tensor, sonde_tensor_unref);
  cell->is_constant = FALSE;
  cell->filled = 0;
  sonde_cell_take_tensor (cell, tensor);
  return fold_blocks (evaluation, term, &tensor->shape, fold, error);
}

static gboolean
add_glob (SondeExpressionEvaluation *evaluation, const SondeTerm *term, SondeFold *fold,
          SondeStatistics *statistics, GError **error)
{
  const SondeTerm *argument = term->arguments[0];
  g_auto (GStrv) names = NULL;
  guint n = 0;

  if (evaluation->source->list_values == NULL)
    {
      sonde_evaluation_set_error (evaluation, argument, error,
                                  "globs are not possible here; name one value.");
      return FALSE;
    }
  names = evaluation->source->list_values (evaluation->source, argument->name, error);
  if (names == NULL)
    return FALSE;
  for (guint i = 0; names[i] != NULL; i++)
    if (!add_value (evaluation, term, names[i], fold, statistics, &n, error))
      return FALSE;
  if (n > 0)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "None of the values “%s” is there yet.", argument->name);
  return FALSE;
}

/* ---- facts --------------------------------------------------------------- */

static SondeTensor *
tensor_of_sizes (const SondeShape *shape)
{
  SondeShape form = sonde_shape_make (1, shape->rank);

  return sonde_tensor_new_from_data (SONDE_DTYPE_I64, &form, shape->dims);
}

static gboolean
tell_size (SondeExpressionEvaluation *evaluation, const SondeTerm *term, const SondeCell *of,
           GError **error)
{
  const SondeCell *index = sonde_evaluation_cell (evaluation, term->arguments[1]);
  double i;

  if (!take_argument (evaluation, term, term->arguments[1], error))
    return FALSE;
  i = index->is_constant ? index->number : NAN;
  if (i < 0)
    i += of->shape.rank;
  if (!(i >= 0 && i < of->shape.rank) || i != floor (i))
    {
      sonde_evaluation_set_error (evaluation, term, error, "there are %d dimensions.",
                                  of->shape.rank);
      return FALSE;
    }
  sonde_cell_set_real (sonde_evaluation_cell (evaluation, term), SONDE_KIND_WHOLE,
                       (double) of->shape.dims[(int) i]);
  return TRUE;
}

static gboolean
tell_fact (SondeExpressionEvaluation *evaluation, const SondeTerm *term, GError **error)
{
  SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  const SondeCell *of = sonde_evaluation_cell (evaluation, term->arguments[0]);
  const char *name = term->function->help.name;

  if (!sonde_evaluation_prepare (evaluation, term->arguments[0], error))
    return FALSE;
  if (g_str_equal (name, "shape") && term->n_arguments == 2)
    return tell_size (evaluation, term, of, error);
  if (g_str_equal (name, "rank"))
    sonde_cell_set_real (cell, SONDE_KIND_WHOLE, of->shape.rank);
  else if (g_str_equal (name, "shape"))
    sonde_cell_take_tensor (cell, tensor_of_sizes (&of->shape));
  else
    {
      cell->prepared = TRUE;
      cell->kind = SONDE_KIND_TEXT;
      cell->text = of->tensor != NULL             ? sonde_dtype_name (of->tensor->dtype)
                   : of->kind == SONDE_KIND_REAL  ? "float64"
                   : of->kind == SONDE_KIND_TRUTH ? "bool"
                   : of->kind == SONDE_KIND_WHOLE ? "int64"
                                                  : "string";
    }
  return TRUE;
}

/* ---- calls --------------------------------------------------------------- */

static gboolean
run_statistic (SondeExpressionEvaluation *evaluation, const SondeTerm *term, GError **error)
{
  SondeStatistics statistics;

  if (!(term->arguments[0]->glob ? add_glob (evaluation, term, NULL, &statistics, error)
                                 : get_statistics (evaluation, term, &statistics, error)))
    return FALSE;
  sonde_cell_set_real (sonde_evaluation_cell (evaluation, term), SONDE_KIND_REAL,
                       term->function->statistic (&statistics));
  return TRUE;
}

static gboolean
run_fold (SondeExpressionEvaluation *evaluation, const SondeTerm *term, GError **error)
{
  SondeFold fold = { .empty = TRUE };
  gboolean done;

  done = read_options (evaluation, term, &fold, error)
         && (term->arguments[0]->glob ? add_glob (evaluation, term, &fold, NULL, error)
                                      : fold_arguments (evaluation, term, &fold, error));
  if (done)
    sonde_cell_set_real (sonde_evaluation_cell (evaluation, term),
                         term->function->is_truth ? SONDE_KIND_TRUTH : SONDE_KIND_REAL,
                         term->function->finish (&fold));
  g_clear_pointer (&fold.kept, g_array_unref);
  return done;
}

gboolean
sonde_evaluation_reduce (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                         GError **error)
{
  if (term->function->klass == SONDE_CALL_FACT)
    return tell_fact (evaluation, term, error);
  if (term->function->klass == SONDE_CALL_STATISTIC)
    return run_statistic (evaluation, term, error);
  return run_fold (evaluation, term, error);
}
