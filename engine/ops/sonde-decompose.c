/* SPDX-License-Identifier: Apache-2.0
 * Formulas as nodes. */
#include "engine/ops/sonde-decompose.h"

SondeGraphValue *
sonde_decompose_number (SondeDecomposition *context, SondeGraphValue *like, double number)
{
  return sonde_rule_number (context, like, number);
}

SondeGraphValue *
sonde_decompose_plus (SondeDecomposition *context, SondeGraphValue *x, double number)
{
  return sonde_decompose_add (context, x, sonde_decompose_number (context, x, number));
}

SondeGraphValue *
sonde_decompose_times (SondeDecomposition *context, SondeGraphValue *x, double number)
{
  return sonde_rule_scale (context, x, number);
}

SondeGraphValue *
sonde_decompose_power (SondeDecomposition *context, SondeGraphValue *x, double number)
{
  return number == 1
             ? x
             : sonde_rule_binary (context, "Pow", x, sonde_decompose_number (context, x, number));
}

SondeGraphValue *
sonde_decompose_sum (SondeDecomposition *context, SondeGraphValue *a, SondeGraphValue *b)
{
  return a == NULL ? b : b == NULL ? a : sonde_decompose_add (context, a, b);
}

SondeGraphValue *
sonde_decompose_reduce (SondeDecomposition *context, const char *op, SondeGraphValue *x,
                        const gint64 *axes, gsize n)
{
  return n == 0 ? x
                : sonde_rule_binary (context, op, x, sonde_build_ints (context->graph, axes, n));
}

SondeGraphValue *
sonde_decompose_reduce_range (SondeDecomposition *context, const char *op, SondeGraphValue *x,
                              int first, int last)
{
  gint64 axes[SONDE_MAX_RANK];

  for (int d = first; d < last; d++)
    axes[d - first] = d;
  return sonde_decompose_reduce (context, op, x, axes, (gsize) MAX (last - first, 0));
}

SondeGraphValue *
sonde_decompose_cast (SondeDecomposition *context, SondeGraphValue *x, SondeDtype dtype)
{
  SondeGraphValue *y = NULL;

  if (x->type.dtype == dtype)
    return x;
  y = sonde_rule_unary (context, "Cast", x);
  sonde_node_set_int (y->producer, "to", sonde_dtype_to_onnx (dtype));
  return sonde_rule_infer (context, y);
}

SondeGraphValue *
sonde_decompose_upcast (SondeDecomposition *context, SondeGraphValue *x)
{
  gboolean half = x->type.dtype == SONDE_DTYPE_F16 || x->type.dtype == SONDE_DTYPE_BF16;

  return half ? sonde_decompose_cast (context, x, SONDE_DTYPE_F32) : x;
}

SondeGraphValue *
sonde_decompose_reshape (SondeDecomposition *context, SondeGraphValue *x, const gint64 *shape,
                         gsize n)
{
  return sonde_rule_binary (context, "Reshape", x, sonde_build_ints (context->graph, shape, n));
}

SondeGraphValue *
sonde_decompose_reshape_like (SondeDecomposition *context, SondeGraphValue *x,
                              SondeGraphValue *like)
{
  return sonde_rule_own (context, "ReshapeLike", x, like, NULL);
}

SondeGraphValue *
sonde_decompose_transpose (SondeDecomposition *context, SondeGraphValue *x, const gint64 *order,
                           gsize n)
{
  SondeGraphValue *y = sonde_rule_unary (context, "Transpose", x);

  sonde_node_set_ints (y->producer, "perm", order, n);
  return sonde_rule_infer (context, y);
}

SondeGraphValue *
sonde_decompose_unsqueeze (SondeDecomposition *context, SondeGraphValue *x, gint64 axis)
{
  return sonde_rule_binary (context, "Unsqueeze", x, sonde_build_ints (context->graph, &axis, 1));
}

SondeGraphValue *
sonde_decompose_slice (SondeDecomposition *context, SondeGraphValue *x, gint64 axis, gint64 begin,
                       gint64 end)
{
  SondeGraphValue *inputs[]
      = { x, sonde_build_ints (context->graph, &begin, 1),
          sonde_build_ints (context->graph, &end, 1), sonde_build_ints (context->graph, &axis, 1) };

  return sonde_build_op (context->graph, NULL, "", "Slice", G_N_ELEMENTS (inputs), inputs);
}

SondeGraphValue *
sonde_decompose_gather (SondeDecomposition *context, SondeGraphValue *x, SondeGraphValue *indices,
                        gint64 axis)
{
  SondeGraphValue *y = sonde_rule_binary (context, "Gather", x, indices);

  sonde_node_set_int (y->producer, "axis", axis);
  return sonde_rule_infer (context, y);
}

SondeGraphValue *
sonde_decompose_concat (SondeDecomposition *context, gint64 axis, SondeGraphValue *a,
                        SondeGraphValue *b)
{
  SondeGraphValue *y = sonde_rule_binary (context, "Concat", a, b);

  sonde_node_set_int (y->producer, "axis", axis);
  return sonde_rule_infer (context, y);
}

SondeGraphValue *
sonde_decompose_where (SondeDecomposition *context, SondeGraphValue *condition, SondeGraphValue *a,
                       SondeGraphValue *b)
{
  return sonde_rule_where (context, condition, a, b);
}

SondeGraphValue *
sonde_decompose_size (SondeDecomposition *context, SondeGraphValue *x, int axis)
{
  SondeGraphValue *shape = NULL;

  if (axis < x->type.rank && x->type.dims[axis].size >= 0)
    return sonde_build_scalar (context->graph, SONDE_DTYPE_I64, (double) x->type.dims[axis].size);
  shape = sonde_rule_unary (context, "Shape", x);
  return sonde_decompose_gather (context, shape,
                                 sonde_build_scalar (context->graph, SONDE_DTYPE_I64, axis), 0);
}

SondeGraphValue *
sonde_decompose_range (SondeDecomposition *context, SondeGraphValue *n)
{
  SondeGraphValue *inputs[] = { sonde_build_scalar (context->graph, SONDE_DTYPE_I64, 0), n,
                                sonde_build_scalar (context->graph, SONDE_DTYPE_I64, 1) };

  return sonde_build_op (context->graph, NULL, "", "Range", G_N_ELEMENTS (inputs), inputs);
}

SondeGraphValue *
sonde_decompose_zeros (SondeDecomposition *context, SondeGraphValue *shape, SondeGraphValue *like)
{
  SondeShape one = sonde_shape_make (1, 1);
  g_autoptr (SondeTensor) zero = sonde_tensor_new (
      sonde_dtype_is_float (like->type.dtype) ? like->type.dtype : SONDE_DTYPE_F32, &one);
  SondeGraphValue *zeros = sonde_rule_unary (context, "ConstantOfShape", shape);

  sonde_node_set_tensor (zeros->producer, "value", zero);
  return sonde_rule_infer (context, zeros);
}

gboolean
sonde_decompose_fail (SondeDecomposition *context, const char *what, GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "node “%s” (%s): %-s must be known before the run to compute a gradient",
                   context->node->name, context->node->op, what);
  return FALSE;
}

gboolean
sonde_decompose_need_rank (SondeDecomposition *context, guint k, int least, GError **error)
{
  SondeGraphValue *x = sonde_rule_x (context, k);

  return (x != NULL && x->type.rank >= least)
         || sonde_decompose_fail (context, N_ ("the number of dimensions of its operands"), error);
}
