/* SPDX-License-Identifier: Apache-2.0
 * Evaluation: every term gets a shape and a kind, reductions and what has no dimensions become
 * numbers; what is left is one elementwise chain, which is gone over in blocks. */
#include "engine/live/sonde-expression-evaluation-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"

/* ---- cells --------------------------------------------------------------- */

SondeCell *
sonde_evaluation_cell (SondeExpressionEvaluation *evaluation, const SondeTerm *term)
{
  return &evaluation->cells[term->id];
}

void
sonde_cell_set_number (SondeCell *cell, SondeKind kind, SondeSlot slot)
{
  cell->prepared = cell->is_constant = TRUE;
  cell->kind = kind;
  cell->shape = sonde_shape_scalar ();
  cell->number = kind == SONDE_KIND_REAL ? slot.real : (double) slot.whole;
  cell->whole = kind == SONDE_KIND_REAL ? 0 : slot.whole;
}

void
sonde_cell_set_real (SondeCell *cell, SondeKind kind, double number)
{
  SondeSlot slot = { .real = number };

  if (kind != SONDE_KIND_REAL)
    slot.whole = (gint64) number;
  sonde_cell_set_number (cell, kind, slot);
}

void
sonde_cell_take_tensor (SondeCell *cell, SondeTensor *tensor)
{
  SondeSlot slot;

  cell->prepared = TRUE;
  cell->kind = sonde_kind_of_dtype (tensor->dtype);
  cell->shape = tensor->shape;
  cell->tensor = tensor;
  if (tensor->shape.rank > 0)
    return;
  if (cell->kind == SONDE_KIND_TEXT)
    {
      cell->text = ((const char *const *) (const void *) tensor->data)[0];
      return;
    }
  if (cell->kind == SONDE_KIND_REAL)
    slot.real = sonde_tensor_get_double (tensor, 0);
  else
    slot.whole = sonde_tensor_get_int (tensor, 0);
  sonde_cell_set_number (cell, cell->kind, slot);
}

void
sonde_evaluation_init (SondeExpressionEvaluation *evaluation, const SondeExpression *expression,
                       SondeExpressionSource *source)
{
  *evaluation = (SondeExpressionEvaluation){ .expression = expression, .source = source };
  evaluation->cells = g_new0 (SondeCell, expression->terms->len);
  evaluation->tensors = g_new0 (SondeTensor *, expression->references->len + 1);
  evaluation->statistics = g_new0 (SondeStatistics *, expression->references->len + 1);
  evaluation->scratch = g_ptr_array_new_with_free_func (g_free);
}

void
sonde_evaluation_clear (SondeExpressionEvaluation *evaluation)
{
  for (guint i = 0; i < evaluation->expression->terms->len; i++)
    {
      sonde_tensor_unref (evaluation->cells[i].tensor);
      g_free (evaluation->cells[i].fill);
      g_free (evaluation->cells[i].first_found);
    }
  for (guint i = 0; i < evaluation->expression->references->len; i++)
    {
      sonde_tensor_unref (evaluation->tensors[i]);
      g_free (evaluation->statistics[i]);
    }
  g_free (evaluation->cells);
  g_free (evaluation->tensors);
  g_free (evaluation->statistics);
  g_ptr_array_unref (evaluation->scratch);
}

char *
sonde_evaluation_dup_text (SondeExpressionEvaluation *evaluation, const SondeTerm *term)
{
  return g_strchomp (
      g_strndup (evaluation->expression->text + term->first, term->last - term->first));
}

void
sonde_evaluation_set_error (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                            GError **error, const char *format, ...)
{
  g_autofree char *text = sonde_evaluation_dup_text (evaluation, term);
  va_list arguments;

  if (strlen (text) > 100)
    memcpy (text + 97, "...", 4);
  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, format, arguments);
  va_end (arguments);
  sonde_prefix_error (error, "“%s”: ", text);
}

/* ---- values -------------------------------------------------------------- */

SondeTensor *
sonde_evaluation_read (SondeExpressionEvaluation *evaluation, const SondeTerm *term, GError **error)
{
  const SondeReference *reference
      = sonde_expression_get_reference (evaluation->expression, term->reference);
  SondeTensor **read = &evaluation->tensors[term->reference];

  if (*read == NULL)
    {
      g_autoptr (SondeTensor) whole
          = evaluation->source->get_tensor (evaluation->source, reference, error);

      if (whole == NULL)
        return NULL;
      *read = sonde_tensor_slice (whole, reference->slice, error);
      if (*read == NULL)
        sonde_prefix_error (error, "“%s”: ", reference->name);
    }
  return *read != NULL ? sonde_tensor_ref (*read) : NULL;
}

static gboolean
prepare_value (SondeExpressionEvaluation *evaluation, const SondeTerm *term, GError **error)
{
  SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  SondeTensor *tensor;
  double number;

  if (term->glob)
    {
      sonde_evaluation_set_error (
          evaluation, term, error,
          "a glob stands for many values; put it into max(), nan(), any() ….");
      return FALSE;
    }
  if (!term->quoted && !term->previous && term->slice == NULL
      && evaluation->source->get_number != NULL
      && evaluation->source->get_number (evaluation->source, term->name, &number))
    {
      sonde_cell_set_real (cell, SONDE_KIND_REAL, number);
      return TRUE;
    }
  tensor = sonde_evaluation_read (evaluation, term, error);
  if (tensor == NULL)
    return FALSE;
  sonde_cell_take_tensor (cell, tensor);
  return TRUE;
}

/* ---- truths that are decided early --------------------------------------- */

static gboolean
set_truth (SondeCell *cell, gboolean truth)
{
  sonde_cell_set_real (cell, SONDE_KIND_TRUTH, truth);
  return TRUE;
}

/* @term is prepared and one number that decides an operator by being @deciding. */
static gboolean
decides (SondeExpressionEvaluation *evaluation, const SondeTerm *term, gboolean deciding)
{
  const SondeCell *cell = sonde_evaluation_cell (evaluation, term);

  return cell->is_constant && sonde_number_holds (cell->number) == deciding;
}

/* && and ||: unknown (an error of STATE) on one side is no matter when the other side decides.
 * @done: (out): the term is a truth now */
static gboolean
prepare_logic (SondeExpressionEvaluation *evaluation, const SondeTerm *term, gboolean *done,
               GError **error)
{
  gboolean deciding = g_str_equal (term->function->help.name, "||");
  g_autoptr (GError) unknown = NULL;

  if (!sonde_evaluation_prepare (evaluation, term->arguments[0], &unknown)
      && !g_error_matches (unknown, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE))
    {
      g_propagate_error (error, g_steal_pointer (&unknown));
      return FALSE;
    }
  *done = unknown == NULL && decides (evaluation, term->arguments[0], deciding);
  if (*done)
    return set_truth (sonde_evaluation_cell (evaluation, term), deciding);
  if (!sonde_evaluation_prepare (evaluation, term->arguments[1], unknown == NULL ? error : NULL))
    {
      if (unknown != NULL)
        g_propagate_error (error, g_steal_pointer (&unknown));
      return FALSE;
    }
  *done = decides (evaluation, term->arguments[1], deciding);
  if (*done)
    return set_truth (sonde_evaluation_cell (evaluation, term), deciding);
  if (unknown == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&unknown));
  return FALSE;
}

/* where(c, a, b) with one truth: the other side is not looked at. */
static gboolean
prepare_choice (SondeExpressionEvaluation *evaluation, const SondeTerm *term, gboolean *done,
                GError **error)
{
  SondeCell *cell = sonde_evaluation_cell (evaluation, term), *chosen;
  const SondeTerm *side;

  if (!sonde_evaluation_prepare (evaluation, term->arguments[0], error))
    return FALSE;
  if (!sonde_evaluation_cell (evaluation, term->arguments[0])->is_constant)
    return TRUE;
  side = term->arguments[decides (evaluation, term->arguments[0], TRUE) ? 1 : 2];
  if (!sonde_evaluation_prepare (evaluation, side, error))
    return FALSE;
  chosen = sonde_evaluation_cell (evaluation, side);
  *done = chosen->is_constant;
  if (*done)
    sonde_cell_set_number (cell, chosen->kind,
                           chosen->kind == SONDE_KIND_REAL ? (SondeSlot){ .real = chosen->number }
                                                           : (SondeSlot){ .whole = chosen->whole });
  return TRUE;
}

/* ---- elementwise --------------------------------------------------------- */

/* dtype(x) == "float32" */
static gboolean
compare_texts (SondeExpressionEvaluation *evaluation, const SondeTerm *term, GError **error)
{
  SondeCell *a = sonde_evaluation_cell (evaluation, term->arguments[0]);
  SondeCell *b
      = term->n_arguments == 2 ? sonde_evaluation_cell (evaluation, term->arguments[1]) : NULL;
  gboolean equal = g_str_equal (term->function->help.name, "==");

  if (b == NULL || a->text == NULL || b->text == NULL
      || (!equal && !g_str_equal (term->function->help.name, "!=")))
    {
      sonde_evaluation_set_error (evaluation, term, error, "%s does not take texts.",
                                  term->function->help.name);
      return FALSE;
    }
  return set_truth (sonde_evaluation_cell (evaluation, term),
                    g_str_equal (a->text, b->text) == equal);
}

/* Shape and kind out of the arguments'. */
static gboolean
join_arguments (SondeExpressionEvaluation *evaluation, const SondeTerm *term, GError **error)
{
  SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  guint n = term->function->klass == SONDE_CALL_CAST ? 1 : term->n_arguments;
  SondeShape shape = sonde_shape_scalar ();

  for (guint i = 0; i < n; i++)
    {
      const SondeCell *argument = sonde_evaluation_cell (evaluation, term->arguments[i]);
      SondeShape joined;

      if (argument->kind == SONDE_KIND_TEXT)
        return compare_texts (evaluation, term, error);
      if (!sonde_shape_broadcast (&shape, &argument->shape, &joined)
          || sonde_shape_n_elements (&joined) < 0)
        {
          g_autofree char *a = sonde_shape_to_string (&shape),
                          *b = sonde_shape_to_string (&argument->shape);
          g_autofree char *text = sonde_evaluation_dup_text (evaluation, term);

          if (term->function->test != NULL)
            sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                             "“%s”: the shapes %s and %s do not fit; any(…) and all(…) make one "
                             "truth of each.",
                             text, a, b);
          else
            sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                             "“%s”: the shapes %s and %s do not fit.", text, a, b);
          return FALSE;
        }
      shape = joined;
    }
  cell->shape = shape;
  cell->kind = sonde_block_result_kind (evaluation, term);
  cell->prepared = TRUE;
  return TRUE;
}

static gboolean
prepare_elements (SondeExpressionEvaluation *evaluation, const SondeTerm *term, GError **error)
{
  SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  guint n = term->function->klass == SONDE_CALL_CAST ? 1 : term->n_arguments;
  const char *name = term->function->help.name;
  gboolean done = FALSE;
  SondeSlot slot;

  if ((g_str_equal (name, "||") || g_str_equal (name, "&&"))
      && !prepare_logic (evaluation, term, &done, error))
    return FALSE;
  if (g_str_equal (name, "where") && !prepare_choice (evaluation, term, &done, error))
    return FALSE;
  for (guint i = 0; i < n && !done; i++)
    if (!sonde_evaluation_prepare (evaluation, term->arguments[i], error))
      return FALSE;
  if (done)
    return TRUE;
  if (!join_arguments (evaluation, term, error))
    return FALSE;
  if (cell->is_constant || cell->shape.rank > 0)
    return TRUE;
  memcpy (&slot, sonde_block_get (evaluation, term, &cell->shape, cell->kind, 0, 1, 0),
          sizeof slot);
  sonde_cell_set_number (cell, cell->kind, slot);
  return TRUE;
}

gboolean
sonde_evaluation_prepare (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                          GError **error)
{
  SondeCell *cell = sonde_evaluation_cell (evaluation, term);

  if (cell->prepared)
    return TRUE;
  switch (term->type)
    {
    case SONDE_TERM_NUMBER:
      sonde_cell_set_number (cell, term->kind,
                             term->kind == SONDE_KIND_REAL ? (SondeSlot){ .real = term->number }
                                                           : (SondeSlot){ .whole = term->integer });
      return TRUE;
    case SONDE_TERM_TEXT:
      cell->prepared = TRUE;
      cell->kind = SONDE_KIND_TEXT;
      cell->text = term->name;
      return TRUE;
    case SONDE_TERM_VALUE:
      return prepare_value (evaluation, term, error);
    case SONDE_TERM_CALL:
    default:
      if (term->function->klass == SONDE_CALL_ELEMENT || term->function->klass == SONDE_CALL_CAST)
        return prepare_elements (evaluation, term, error);
      return sonde_evaluation_reduce (evaluation, term, error);
    }
}

/* ---- what came out ------------------------------------------------------- */

gboolean
sonde_evaluation_holds (SondeExpressionEvaluation *evaluation, const SondeTerm *term, gint64 *index,
                        GError **error)
{
  const SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  gint64 n = sonde_shape_n_elements (&cell->shape);

  *index = -1;
  if (cell->kind == SONDE_KIND_TEXT)
    return FALSE;
  if (cell->is_constant)
    return sonde_number_holds (cell->number);
  sonde_block_forget (evaluation, term);
  for (gint64 first = 0; first < n; first += SONDE_EXPRESSION_BLOCK)
    {
      gsize part = (gsize) MIN (n - first, SONDE_EXPRESSION_BLOCK);
      const void *block
          = sonde_block_get (evaluation, term, &cell->shape, cell->kind, first, part, 0);

      for (gsize i = 0; i < part; i++)
        if (cell->kind == SONDE_KIND_REAL ? sonde_number_holds (((const double *) block)[i])
                                          : ((const gint64 *) block)[i] != 0)
          {
            *index = first + (gint64) i;
            return TRUE;
          }
    }
  return FALSE;
}

double
sonde_evaluation_number_at (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                            const SondeShape *domain, gint64 index)
{
  sonde_block_forget (evaluation, term);
  return *(const double *) sonde_block_get (evaluation, term, domain, SONDE_KIND_REAL, index, 1, 0);
}

/* All elements of the prepared root. @holds: (out). (transfer full) */
static SondeTensor *
materialise (SondeExpressionEvaluation *evaluation, const SondeTerm *term, gboolean *holds,
             GError **error)
{
  const SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  SondeDtype dtype = cell->kind == SONDE_KIND_REAL    ? SONDE_DTYPE_F64
                     : cell->kind == SONDE_KIND_TRUTH ? SONDE_DTYPE_BOOL
                                                      : SONDE_DTYPE_I64;
  g_autofree char *what = sonde_evaluation_dup_text (evaluation, term);
  SondeTensor *tensor = sonde_tensor_try_new (dtype, &cell->shape, NULL, what, error);
  gint64 n = sonde_shape_n_elements (&cell->shape);

  if (tensor == NULL)
    return NULL;
  sonde_block_forget (evaluation, term);
  for (gint64 first = 0; first < n; first += SONDE_EXPRESSION_BLOCK)
    {
      gsize part = (gsize) MIN (n - first, SONDE_EXPRESSION_BLOCK);
      const void *block
          = sonde_block_get (evaluation, term, &cell->shape, cell->kind, first, part, 0);

      for (gsize i = 0; i < part && !*holds; i++)
        *holds = cell->kind == SONDE_KIND_REAL ? sonde_number_holds (((const double *) block)[i])
                                               : ((const gint64 *) block)[i] != 0;
      sonde_dtype_convert (cell->kind == SONDE_KIND_REAL ? SONDE_DTYPE_F64 : SONDE_DTYPE_I64, block,
                           dtype, tensor->data + first * (gint64) sonde_dtype_size (dtype), part);
    }
  return tensor;
}

static SondeTensor *
tensor_of_text (const char *text)
{
  SondeShape scalar = sonde_shape_scalar ();

  return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &scalar, &text);
}

static gboolean
fill_result (SondeExpressionEvaluation *evaluation, SondeExpressionResult *result, GError **error)
{
  const SondeTerm *root = evaluation->expression->root;
  const SondeCell *cell = sonde_evaluation_cell (evaluation, root);
  gint64 index;

  result->number = NAN;
  result->is_scalar = cell->shape.rank == 0;
  if (cell->is_constant)
    {
      result->number = cell->number;
      result->truth = sonde_number_holds (cell->number);
      result->dtype = cell->kind == SONDE_KIND_REAL    ? SONDE_DTYPE_F64
                      : cell->kind == SONDE_KIND_TRUTH ? SONDE_DTYPE_BOOL
                                                       : SONDE_DTYPE_I64;
      return TRUE;
    }
  if (cell->text != NULL)
    result->tensor = tensor_of_text (cell->text);
  else if (cell->tensor != NULL)
    {
      result->tensor = sonde_tensor_ref (cell->tensor);
      result->truth = sonde_evaluation_holds (evaluation, root, &index, error);
    }
  else
    result->tensor = materialise (evaluation, root, &result->truth, error);
  if (result->tensor == NULL)
    return FALSE;
  result->dtype = result->tensor->dtype;
  return TRUE;
}

/* Errors of data/ become the engine's, so that a condition's caller has one domain to ask. */
static void
translate_error (GError **error)
{
  GError *found = error != NULL ? *error : NULL;
  SondeEngineError code;

  if (found == NULL || found->domain != SONDE_DATA_ERROR)
    return;
  code = found->code == SONDE_DATA_ERROR_NO_MEMORY || found->code == SONDE_DATA_ERROR_LIMIT
             ? SONDE_ENGINE_ERROR_MEMORY
             : SONDE_ENGINE_ERROR_INVALID;
  found->domain = SONDE_ENGINE_ERROR;
  found->code = (int) code;
}

gboolean
sonde_expression_evaluate (SondeExpression *expression, SondeExpressionSource *source,
                           SondeExpressionResult *result, GError **error)
{
  SondeExpressionEvaluation evaluation;
  gboolean done;

  *result = (SondeExpressionResult){ 0 };
  sonde_evaluation_init (&evaluation, expression, source);
  done = sonde_evaluation_prepare (&evaluation, expression->root, error)
         && fill_result (&evaluation, result, error);
  sonde_evaluation_clear (&evaluation);
  if (!done)
    translate_error (error);
  return done;
}

void
sonde_expression_result_clear (SondeExpressionResult *result)
{
  g_clear_pointer (&result->tensor, sonde_tensor_unref);
}
