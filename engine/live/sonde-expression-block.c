/* SPDX-License-Identifier: Apache-2.0
 * Blocks of elements: every operator of a chain works on a thousand that stay in the cache. */
#include "engine/live/sonde-expression-evaluation-private.h"

#include <string.h>

/* Scratch block of @level. */
static SondeSlot *
scratch (SondeExpressionEvaluation *evaluation, guint level)
{
  while (evaluation->scratch->len <= level)
    g_ptr_array_add (evaluation->scratch, g_new (SondeSlot, SONDE_EXPRESSION_BLOCK));
  return g_ptr_array_index (evaluation->scratch, level);
}

void
sonde_block_forget (SondeExpressionEvaluation *evaluation, const SondeTerm *term)
{
  SondeCell *cell = sonde_evaluation_cell (evaluation, term);

  cell->placed = FALSE;
  for (guint i = 0; i < term->n_arguments && !cell->is_constant && cell->tensor == NULL; i++)
    sonde_block_forget (evaluation, term->arguments[i]);
}

/* ---- leaves -------------------------------------------------------------- */

static const void *
get_constant (SondeCell *cell, SondeKind kind, gsize n)
{
  if (n == 1)
    return kind == SONDE_KIND_REAL ? (const void *) &cell->number : &cell->whole;
  if (cell->fill == NULL)
    cell->fill = g_new (SondeSlot, SONDE_EXPRESSION_BLOCK);
  if (cell->fill_kind != kind)
    cell->filled = 0;
  for (; cell->filled < n; cell->filled++)
    if (kind == SONDE_KIND_REAL)
      cell->fill[cell->filled].real = cell->number;
    else
      cell->fill[cell->filled].whole = cell->whole;
  cell->fill_kind = kind;
  return cell->fill;
}

/* Strides of the value over @domain. */
static void
place (SondeCell *cell, const SondeShape *domain)
{
  const SondeTensor *tensor = cell->tensor;
  int missing = domain->rank - tensor->shape.rank;

  for (int d = 0; d < domain->rank; d++)
    cell->domain_strides[d]
        = d < missing || tensor->shape.dims[d - missing] == 1 ? 0 : tensor->strides[d - missing];
  cell->flat = sonde_shape_equal (domain, &tensor->shape) && sonde_tensor_is_contiguous (tensor);
  cell->placed = TRUE;
}

/* Copies @n elements of @size bytes, @stride elements apart. */
static void
gather (guint8 *to, const guint8 *from, gsize size, gint64 stride, gsize n)
{
  if (stride == 1)
    memcpy (to, from, n * size);
  else
    for (gsize i = 0; i < n; i++)
      memcpy (to + i * size, from + (gint64) i * stride * (gint64) size, size);
}

/* Elements @first … of the value over @domain, close together, as they are. */
static void
gather_block (const SondeCell *cell, const SondeShape *domain, gint64 first, gsize n, guint8 *to)
{
  gsize size = sonde_dtype_size (cell->tensor->dtype);
  gint64 index[SONDE_MAX_RANK], rest = first, offset = 0;
  int last = domain->rank - 1;

  for (int d = last; d >= 0; d--)
    {
      index[d] = rest % domain->dims[d];
      rest /= domain->dims[d];
      offset += index[d] * cell->domain_strides[d];
    }
  while (n > 0)
    {
      gsize run = last >= 0 ? MIN (n, (gsize) (domain->dims[last] - index[last])) : 1;

      gather (to, cell->tensor->data + offset * (gint64) size, size,
              last >= 0 ? cell->domain_strides[last] : 1, run);
      to += run * size;
      n -= run;
      if (n == 0)
        return;
      offset -= index[last] * cell->domain_strides[last];
      index[last] = 0;
      for (int d = last - 1; d >= 0; d--)
        {
          offset += cell->domain_strides[d];
          if (++index[d] < domain->dims[d])
            break;
          offset -= domain->dims[d] * cell->domain_strides[d];
          index[d] = 0;
        }
    }
}

/* The most frequent conversion, without a detour. */
SONDE_BLOCK_TARGET static void
widen (const float *from, double *to, gsize n)
{
  for (gsize i = 0; i < n; i++)
    to[i] = from[i];
}

static const void *
get_value (SondeExpressionEvaluation *evaluation, SondeCell *cell, const SondeShape *domain,
           SondeKind kind, gint64 first, gsize n, guint level)
{
  SondeDtype dtype = cell->tensor->dtype,
             wanted = kind == SONDE_KIND_REAL ? SONDE_DTYPE_F64 : SONDE_DTYPE_I64;
  const guint8 *from;
  SondeSlot *to;

  if (!cell->placed)
    place (cell, domain);
  if (cell->flat)
    from = cell->tensor->data + first * (gint64) sonde_dtype_size (dtype);
  else
    {
      guint8 *gathered = (guint8 *) scratch (evaluation, dtype == wanted ? level : level + 1);

      gather_block (cell, domain, first, n, gathered);
      from = gathered;
    }
  if (dtype == wanted)
    return from;
  to = scratch (evaluation, level);
  if (dtype == SONDE_DTYPE_F32 && wanted == SONDE_DTYPE_F64)
    widen ((const float *) (const void *) from, &to->real, n);
  else
    sonde_dtype_convert (dtype, from, wanted, to, n);
  return to;
}

/* ---- calls --------------------------------------------------------------- */

static SondeKind
argument_kind (SondeExpressionEvaluation *evaluation, const SondeTerm *term)
{
  const SondeCallable *function = term->function;
  SondeKind kind = SONDE_KIND_TRUTH;

  for (guint i = 0; i < term->n_arguments && term->arguments[i]->type != SONDE_TERM_TEXT; i++)
    kind = MAX (kind, sonde_evaluation_cell (evaluation, term->arguments[i])->kind);
  if (function->klass == SONDE_CALL_ELEMENT && function->whole == NULL
      && function->whole_test == NULL)
    return SONDE_KIND_REAL;
  return kind;
}

SondeKind
sonde_kind_of_dtype (SondeDtype dtype)
{
  if (dtype == SONDE_DTYPE_STRING)
    return SONDE_KIND_TEXT;
  if (dtype == SONDE_DTYPE_BOOL)
    return SONDE_KIND_TRUTH;
  return sonde_dtype_has_fractions (dtype) || dtype == SONDE_DTYPE_U64 ? SONDE_KIND_REAL
                                                                       : SONDE_KIND_WHOLE;
}

SondeKind
sonde_block_result_kind (SondeExpressionEvaluation *evaluation, const SondeTerm *term)
{
  if (term->function->klass == SONDE_CALL_CAST)
    return sonde_kind_of_dtype (term->dtype);
  if (term->function->test != NULL)
    return SONDE_KIND_TRUTH;
  return argument_kind (evaluation, term) == SONDE_KIND_REAL ? SONDE_KIND_REAL : SONDE_KIND_WHOLE;
}

static void
cast (SondeExpressionEvaluation *evaluation, const SondeTerm *term, const void *in,
      SondeKind kind_in, SondeSlot *out, gsize n, guint level)
{
  SondeSlot *middle = scratch (evaluation, level + 1);

  sonde_dtype_convert (kind_in == SONDE_KIND_REAL ? SONDE_DTYPE_F64 : SONDE_DTYPE_I64, in,
                       term->dtype, middle, n);
  sonde_dtype_convert (term->dtype, middle,
                       sonde_kind_of_dtype (term->dtype) == SONDE_KIND_REAL ? SONDE_DTYPE_F64
                                                                            : SONDE_DTYPE_I64,
                       out, n);
}

static void
run_kernel (SondeExpressionEvaluation *evaluation, const SondeTerm *term, const void *const *in,
            SondeKind kind, SondeSlot *out, gsize n, guint level)
{
  const SondeCallable *function = term->function;

  if (function->klass == SONDE_CALL_CAST)
    cast (evaluation, term, in[0], kind, out, n, level);
  else if (kind != SONDE_KIND_REAL)
    (function->whole_test != NULL ? function->whole_test
                                  : function->whole) ((const gint64 *const *) in, &out->whole, n);
  else if (function->test != NULL)
    function->test ((const double *const *) in, &out->whole, n);
  else
    function->real ((const double *const *) in, &out->real, n);
}

static const void *
get_call (SondeExpressionEvaluation *evaluation, const SondeTerm *term, const SondeShape *domain,
          SondeKind wanted, gint64 first, gsize n, guint level)
{
  SondeKind kind = argument_kind (evaluation, term);
  guint n_arguments = term->function->klass == SONDE_CALL_CAST ? 1 : term->n_arguments;
  const void *in[SONDE_EXPRESSION_MAX_ARGUMENTS];
  SondeSlot *out;

  /* each may use two blocks from its level on; the result goes where the first argument lay */
  for (guint i = 0; i < n_arguments; i++)
    in[i] = sonde_block_get (evaluation, term->arguments[i], domain, kind, first, n, level + i);
  out = scratch (evaluation, level);
  run_kernel (evaluation, term, in, kind, out, n, level);
  if (wanted == SONDE_KIND_REAL && sonde_block_result_kind (evaluation, term) != SONDE_KIND_REAL)
    for (gsize i = 0; i < n; i++)
      out[i].real = (double) out[i].whole;
  return out;
}

const void *
sonde_block_get (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                 const SondeShape *domain, SondeKind kind, gint64 first, gsize n, guint level)
{
  SondeCell *cell = sonde_evaluation_cell (evaluation, term);

  if (cell->is_constant)
    return get_constant (cell, kind, n);
  if (cell->tensor != NULL)
    return get_value (evaluation, cell, domain, kind, first, n, level);
  return get_call (evaluation, term, domain, kind, first, n, level);
}
