/* SPDX-License-Identifier: Apache-2.0
 * Helpers of shape rules: what is known of inputs, broadcasting, axes, the rules that many rows
 * share. */
#include "engine/ops/sonde-op-implement.h"

#include "data/base/sonde-checked.h"

const SondeType *
sonde_infer_input (const SondeInferContext *context, guint k)
{
  if (k >= context->n_inputs || sonde_node_get_input (context->node, k) == NULL)
    return NULL;
  return &context->inputs[k];
}

gboolean
sonde_infer_ready (const SondeInferContext *context, guint n)
{
  for (guint k = 0; k < n && k < context->n_inputs; k++)
    {
      const SondeType *type = sonde_infer_input (context, k);

      if (type != NULL
          && (type->kind != SONDE_VALUE_TENSOR || type->rank < 0
              || type->dtype == SONDE_DTYPE_INVALID))
        return FALSE;
    }
  return TRUE;
}

gboolean
sonde_infer_need_float (const SondeInferContext *context, guint k, GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);

  if (type == NULL || type->dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (type->dtype))
    return TRUE;
  return sonde_infer_fail (error, "input %u is %s, but must be of a float type", k,
                           sonde_dtype_name (type->dtype));
}

gboolean
sonde_infer_need_integer (const SondeInferContext *context, guint k, GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);

  if (type == NULL || type->dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_integer (type->dtype))
    return TRUE;
  return sonde_infer_fail (error, "input %u is %s, but must be of an integer type", k,
                           sonde_dtype_name (type->dtype));
}

gboolean
sonde_infer_need_same (const SondeInferContext *context, guint first, guint last, GError **error)
{
  SondeDtype dtype = SONDE_DTYPE_INVALID;

  for (guint k = first; k <= last && k < context->n_inputs; k++)
    {
      const SondeType *type = sonde_infer_input (context, k);

      if (type == NULL || type->dtype == SONDE_DTYPE_INVALID)
        continue;
      if (dtype != SONDE_DTYPE_INVALID && type->dtype != dtype)
        return sonde_infer_fail (error, "input %u is %s, but input %u is %s: insert a Cast", k,
                                 sonde_dtype_name (type->dtype), first, sonde_dtype_name (dtype));
      dtype = type->dtype;
    }
  return TRUE;
}

gboolean
sonde_infer_need_rank (const SondeInferContext *context, guint k, int rank, GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);

  if (type == NULL || type->rank < 0 || type->rank == rank)
    return TRUE;
  return sonde_infer_fail (error, "input %u has %d dimensions, but must have %d", k, type->rank,
                           rank);
}

gboolean
sonde_infer_need_sizes (const SondeInferContext *context, guint k, int rank, const gint64 *sizes,
                        GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);

  if (!sonde_infer_need_rank (context, k, rank, error))
    return FALSE;
  for (int d = 0; d < rank && type != NULL && type->rank == rank; d++)
    if (type->dims[d].size >= 0 && sizes[d] >= 0 && type->dims[d].size != sizes[d])
      return sonde_infer_fail (
          error, "input %u has size %" PRIi64 " in dimension %d, but must have %" PRIi64, k,
          type->dims[d].size, d, sizes[d]);
  return TRUE;
}

gboolean
sonde_infer_need_shape (const SondeType *have, const SondeType *want, const char *what,
                        GError **error)
{
  gboolean fits = have->rank < 0 || want->rank < 0 || have->rank == want->rank;
  g_autofree char *have_text = NULL, *want_text = NULL;
  SondeDimension joined;

  for (int d = 0; d < have->rank && fits && want->rank >= 0; d++)
    fits = sonde_dimension_unify (&have->dims[d], &want->dims[d], &joined);
  if (fits)
    return TRUE;
  have_text = sonde_type_to_string (have);
  want_text = sonde_type_to_string (want);
  return sonde_infer_fail (error, "%-s is %s, but must have the shape of %s", what, have_text,
                           want_text);
}

SondeDimension
sonde_dimension (gint64 size)
{
  return (SondeDimension){ .size = size };
}

SondeType
sonde_infer_type (SondeDtype dtype, int rank)
{
  SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = dtype, .rank = rank };

  for (int d = 0; d < rank; d++)
    type.dims[d].size = -1;
  return type;
}

gboolean
sonde_dimension_unify (const SondeDimension *a, const SondeDimension *b, SondeDimension *result)
{
  if (a->size >= 0 && b->size >= 0 && a->size != b->size)
    return FALSE;
  *result = a->size >= 0 || (b->size < 0 && a->symbol != NULL) ? *a : *b;
  return TRUE;
}

/* 1 gives way to anything; an unknown size beside a known one > 1 can only be 1 or that one. */
static gboolean
broadcast_dimension (const SondeDimension *a, const SondeDimension *b, SondeDimension *result)
{
  if (a->size == 1)
    *result = *b;
  else if (b->size == 1)
    *result = *a;
  else if (a->size < 0 && b->size < 0 && (a->symbol == NULL || a->symbol != b->symbol))
    *result = sonde_dimension (-1);
  else
    return sonde_dimension_unify (a, b, result);
  return TRUE;
}

gboolean
sonde_infer_broadcast (const SondeType *a, const SondeType *b, SondeType *result, GError **error)
{
  SondeDimension one = sonde_dimension (1);
  SondeType joined = sonde_infer_type (a->dtype, MAX (a->rank, b->rank));

  for (int d = 0; d < joined.rank; d++)
    {
      int ka = d - (joined.rank - a->rank);
      int kb = d - (joined.rank - b->rank);
      const SondeDimension *da = ka < 0 ? &one : &a->dims[ka];
      const SondeDimension *db = kb < 0 ? &one : &b->dims[kb];

      if (!broadcast_dimension (da, db, &joined.dims[d]))
        {
          g_autofree char *left = sonde_type_to_string (a);
          g_autofree char *right = sonde_type_to_string (b);

          return sonde_infer_fail (error,
                                   "%s and %s do not broadcast: sizes %" PRIi64 " and %" PRIi64
                                   " differ and neither is 1",
                                   left, right, da->size, db->size);
        }
    }
  *result = joined;
  return TRUE;
}

gboolean
sonde_infer_axis (gint64 axis, int limit, int *result, GError **error)
{
  if (axis < -limit || axis >= limit)
    return sonde_infer_fail (error, "axis %" PRIi64 " is outside of [%d, %d]", axis, -limit,
                             limit - 1);
  *result = (int) (axis < 0 ? axis + limit : axis);
  return TRUE;
}

gint64 *
sonde_infer_read_ints (const SondeTensor *tensor, gsize *n)
{
  gint64 *ints = NULL;

  if (tensor == NULL
      || !(sonde_dtype_is_integer (tensor->dtype) || tensor->dtype == SONDE_DTYPE_BOOL))
    return NULL;
  *n = (gsize) sonde_tensor_n_elements (tensor);
  ints = g_new (gint64, *n + 1);
  for (gsize i = 0; i < *n; i++)
    ints[i] = sonde_tensor_get_int (tensor, (gint64) i);
  return ints;
}

gint64 *
sonde_infer_known_ints (const SondeInferContext *context, guint k, gsize *n)
{
  *n = 0;
  return k < context->n_inputs ? sonde_infer_read_ints (context->known[k], n) : NULL;
}

gint64
sonde_type_product (const SondeType *type, int first, int last)
{
  gint64 product = 1;

  for (int d = first; d < last; d++)
    if (type->dims[d].size < 0 || !sonde_checked_mul (&product, product, type->dims[d].size))
      return -1;
  return product;
}

gint64
sonde_shape_product (const SondeShape *shape, int first, int last)
{
  gint64 product = 1;

  for (int d = first; d < last; d++)
    product *= shape->dims[d];
  return product;
}

gboolean
sonde_infer_backwards (SondeInferContext *context,
                       gboolean (*forward) (SondeInferContext *context, GError **error),
                       GError **error)
{
  SondeType result = { .kind = SONDE_VALUE_NONE };
  SondeTensor *known = NULL;
  SondeInferContext operands = *context;

  if (context->n_inputs < 2)
    return sonde_infer_fail (error, "has no operands");
  operands.inputs = context->inputs + 1;
  operands.known = context->known ? context->known + 1 : NULL;
  operands.n_inputs = context->n_inputs - 1;
  operands.outputs = &result;
  operands.known_outputs = &known;
  operands.n_outputs = 1;
  if (!sonde_infer_need_float (context, 0, error) || !forward (&operands, error))
    return FALSE;
  g_clear_pointer (&known, sonde_tensor_unref);
  if (result.kind == SONDE_VALUE_NONE || context->inputs[0].kind == SONDE_VALUE_NONE)
    return TRUE;
  if (context->inputs[0].dtype != result.dtype)
    return sonde_infer_fail (error, "the gradient is %s, but must be %s",
                             sonde_dtype_name (context->inputs[0].dtype),
                             sonde_dtype_name (result.dtype));
  return sonde_infer_need_shape (&context->inputs[0], &result, "the gradient", error);
}

gboolean
sonde_infer_like_first (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return TRUE;
}

gboolean
sonde_infer_float_like_first (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return sonde_infer_need_float (context, 0, error);
}

gboolean
sonde_infer_float_pair (SondeInferContext *context, GError **error)
{
  const SondeType *a = &context->inputs[0];
  const SondeType *b = &context->inputs[1];

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (a->rank != b->rank)
    return sonde_infer_fail (error, "inputs of rank %d and %d must have one shape", a->rank,
                             b->rank);
  context->outputs[0] = *a;
  for (int d = 0; d < a->rank; d++)
    if (!sonde_dimension_unify (&a->dims[d], &b->dims[d], &context->outputs[0].dims[d]))
      return sonde_infer_fail (error, "sizes %" PRIi64 " and %" PRIi64 " of dimension %d differ",
                               a->dims[d].size, b->dims[d].size, d);
  return TRUE;
}
