/* SPDX-License-Identifier: Apache-2.0
 * Normalisations, and the gradients of some, as formulas of ordinary nodes. */
#include "engine/ops/sonde-decompose-rules.h"

/* ---- helpers ------------------------------------------------------------- */

/* @parameter [C] against @x [N, C, …], in @x's element type. */
static SondeGraphValue *
a_channel (SondeDecomposition *context, SondeGraphValue *parameter, SondeGraphValue *x)
{
  gint64 shape[SONDE_MAX_RANK] = { -1 };

  parameter = sonde_decompose_cast (context, parameter, x->type.dtype);
  for (int d = 1; d < x->type.rank - 1; d++)
    shape[d] = 1;
  return sonde_decompose_reshape (context, parameter, shape, (gsize) x->type.rank - 1);
}

/* Σ over all dimensions but that of the channels, as [C] */
static SondeGraphValue *
sum_channels (SondeDecomposition *context, SondeGraphValue *x)
{
  const gint64 flat = -1;
  gint64 axes[SONDE_MAX_RANK] = { 0 };
  gsize n = 1;

  for (int d = 2; d < x->type.rank; d++)
    axes[n++] = d;
  return sonde_decompose_reshape (
      context, sonde_decompose_reduce (context, "ReduceSum", x, axes, n), &flat, 1);
}

static SondeGraphValue *
square (SondeDecomposition *context, SondeGraphValue *x)
{
  return sonde_decompose_mul (context, x, x);
}

/* (x − mean) / sqrt (var + ε) over dimensions @first to before @last */
static SondeGraphValue *
standardise (SondeDecomposition *context, SondeGraphValue *x, int first, int last, double epsilon)
{
  SondeGraphValue *variance = NULL;

  x = sonde_decompose_sub (context, x,
                           sonde_decompose_reduce_range (context, "ReduceMean", x, first, last));
  variance = sonde_decompose_reduce_range (context, "ReduceMean", square (context, x), first, last);
  return sonde_decompose_div (
      context, x,
      sonde_rule_unary (context, "Sqrt", sonde_decompose_plus (context, variance, epsilon)));
}

static gboolean
read_axis (SondeDecomposition *context, int rank, int *axis, GError **error)
{
  return sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), rank, axis, error);
}

static double
epsilon_of (SondeDecomposition *context)
{
  return sonde_node_get_float (context->node, "epsilon", 1e-5);
}

/* ---- division by a norm -------------------------------------------------- */

gboolean
sonde_decompose_rms (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *x = sonde_decompose_upcast (context, sonde_rule_x (context, 0)), *squares = NULL;
  SondeGraphValue *scale = sonde_decompose_cast (context, sonde_rule_x (context, 1), x->type.dtype);
  int axis = 0;

  if (!sonde_decompose_need_rank (context, 0, 1, error)
      || !read_axis (context, x->type.rank, &axis, error))
    return FALSE;
  squares = sonde_decompose_reduce_range (context, "ReduceMean", square (context, x), axis,
                                          x->type.rank);
  x = sonde_decompose_div (
      context, x,
      sonde_rule_unary (context, "Sqrt",
                        sonde_decompose_plus (context, squares, epsilon_of (context))));
  outputs[0] = sonde_decompose_cast (context, sonde_decompose_mul (context, x, scale),
                                     sonde_rule_x (context, 1)->type.dtype);
  return TRUE;
}

/* A line of zeros is divided by 1. */
gboolean
sonde_decompose_lp (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *x = sonde_decompose_upcast (context, sonde_rule_x (context, 0)), *norm = NULL,
                  *zero = NULL;
  gboolean one = sonde_node_get_int (context->node, "p", 2) == 1;
  int axis = 0;

  if (!sonde_decompose_need_rank (context, 0, 1, error)
      || !read_axis (context, x->type.rank, &axis, error))
    return FALSE;
  norm = one ? sonde_rule_unary (context, "Abs", x) : square (context, x);
  norm = sonde_decompose_reduce_range (context, "ReduceSum", norm, axis, axis + 1);
  zero = sonde_rule_binary (context, "Equal", norm, sonde_decompose_number (context, x, 0));
  norm = sonde_decompose_where (context, zero, sonde_decompose_number (context, x, 1), norm);
  x = sonde_decompose_div (context, x, one ? norm : sonde_rule_unary (context, "Sqrt", norm));
  outputs[0] = sonde_decompose_cast (context, x, sonde_rule_x (context, 0)->type.dtype);
  return TRUE;
}

/* [C, C]: 1 where channel j is summed for channel i: i − before ≤ j ≤ i + after */
static SondeGraphValue *
make_band (SondeDecomposition *context, SondeGraphValue *x, gint64 size)
{
  SondeGraphValue *places = sonde_decompose_range (context, sonde_decompose_size (context, x, 1));
  SondeGraphValue *apart
      = sonde_decompose_sub (context, sonde_decompose_unsqueeze (context, places, 0),
                             sonde_decompose_unsqueeze (context, places, 1));
  SondeGraphValue *low = sonde_decompose_number (context, apart, -(double) ((size - 1) / 2));
  SondeGraphValue *high = sonde_decompose_number (context, apart, (double) (size / 2));
  SondeGraphValue *inside = sonde_rule_binary (
      context, "And", sonde_rule_binary (context, "GreaterOrEqual", apart, low),
      sonde_rule_binary (context, "LessOrEqual", apart, high));

  return sonde_decompose_cast (context, inside, x->type.dtype);
}

/* The sums of squares are a product with a band of ones. */
gboolean
sonde_decompose_lrn (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  const gint64 flat[] = { 0, 0, -1 };
  const SondeNode *node = context->node;
  gint64 size = sonde_node_get_int (node, "size", 1);
  SondeGraphValue *x = sonde_decompose_upcast (context, sonde_rule_x (context, 0)), *sums = NULL;

  if (!sonde_decompose_need_rank (context, 0, 2, error))
    return FALSE;
  sums = sonde_decompose_reshape (context, square (context, x), flat, G_N_ELEMENTS (flat));
  sums = sonde_rule_binary (context, "MatMul", make_band (context, x, size), sums);
  sums = sonde_decompose_reshape_like (context, sums, x);
  sums = sonde_decompose_times (context, sums,
                                sonde_node_get_float (node, "alpha", 1e-4) / (double) size);
  sums = sonde_decompose_plus (context, sums, sonde_node_get_float (node, "bias", 1));
  x = sonde_decompose_mul (
      context, x,
      sonde_decompose_power (context, sums, -sonde_node_get_float (node, "beta", 0.75)));
  outputs[0] = sonde_decompose_cast (context, x, sonde_rule_x (context, 0)->type.dtype);
  return TRUE;
}

/* ---- of a sample --------------------------------------------------------- */

gboolean
sonde_decompose_instance (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *x = sonde_decompose_upcast (context, sonde_rule_x (context, 0)), *y = NULL;

  if (!sonde_decompose_need_rank (context, 0, 3, error))
    return FALSE;
  y = standardise (context, x, 2, x->type.rank, epsilon_of (context));
  y = sonde_decompose_mul (context, y, a_channel (context, sonde_rule_x (context, 1), x));
  y = sonde_decompose_add (context, y, a_channel (context, sonde_rule_x (context, 2), x));
  outputs[0] = sonde_decompose_cast (context, y, sonde_rule_x (context, 0)->type.dtype);
  return TRUE;
}

/* @y [N, G, n] as [N, G, k, n / k], where @parameter [G, k, 1] has k numbers a group. */
static SondeGraphValue *
split_groups (SondeDecomposition *context, SondeGraphValue *y, SondeGraphValue *parameter,
              gint64 groups)
{
  const gint64 first[] = { 0, groups }, rest = -1;
  SondeGraphValue *each = sonde_rule_unary (context, "Shape", parameter), *shape = NULL;

  sonde_node_set_int (each->producer, "start", 1);
  sonde_node_set_int (each->producer, "end", 2);
  shape = sonde_decompose_concat (context, 0, sonde_build_ints (context->graph, first, 2),
                                  sonde_rule_infer (context, each));
  shape = sonde_decompose_concat (context, 0, shape, sonde_build_ints (context->graph, &rest, 1));
  return sonde_rule_binary (context, "Reshape", y, shape);
}

/* Scale and bias are a channel's, or (opset 18) a group's. */
gboolean
sonde_decompose_group (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  gint64 groups = sonde_node_get_int (context->node, "num_groups", 1);
  const gint64 grouped[] = { 0, groups, -1 }, of_group[] = { groups, -1, 1 };
  SondeGraphValue *x = sonde_decompose_upcast (context, sonde_rule_x (context, 0)), *scale = NULL,
                  *bias = NULL, *y = NULL;

  if (!sonde_decompose_need_rank (context, 0, 2, error))
    return FALSE;
  scale = sonde_decompose_reshape (context, sonde_rule_x (context, 1), of_group,
                                   G_N_ELEMENTS (of_group));
  bias = sonde_decompose_reshape (context, sonde_rule_x (context, 2), of_group,
                                  G_N_ELEMENTS (of_group));
  y = standardise (context, sonde_decompose_reshape (context, x, grouped, G_N_ELEMENTS (grouped)),
                   2, 3, epsilon_of (context));
  y = split_groups (context, y, scale, groups);
  scale = sonde_decompose_cast (context, scale, y->type.dtype);
  bias = sonde_decompose_cast (context, bias, y->type.dtype);
  y = sonde_decompose_add (context, sonde_decompose_mul (context, y, scale), bias);
  outputs[0] = sonde_decompose_cast (context, sonde_decompose_reshape_like (context, y, x),
                                     sonde_rule_x (context, 0)->type.dtype);
  return TRUE;
}

/* ---- second order -------------------------------------------------------- */

/* g less what goes through mean and variance, which sum over @first to before @last: g − mean (g) −
 * x̂·mean (g·x̂) */
static SondeGraphValue *
less_statistics (SondeDecomposition *context, SondeGraphValue *g, SondeGraphValue *normal,
                 const gint64 *axes, gsize n)
{
  SondeGraphValue *plain = sonde_decompose_reduce (context, "ReduceMean", g, axes, n);
  SondeGraphValue *slanted = sonde_decompose_reduce (
      context, "ReduceMean", sonde_decompose_mul (context, g, normal), axes, n);

  return sonde_decompose_sub (context, sonde_decompose_sub (context, g, plain),
                              sonde_decompose_mul (context, normal, slanted));
}

/* (dy, x, scale, mean, var) → dx, dscale, dbias; mean and variance are operands of their own: what
 * they owe to x goes through outputs 3 and 4 of the forward node. */
gboolean
sonde_decompose_batch_grad (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *dy = sonde_rule_x (context, 0), *x = sonde_rule_x (context, 1), *inverse = NULL,
                  *normal = NULL, *dx = NULL;
  gint64 axes[SONDE_MAX_RANK] = { 0 };
  gsize n = 1;

  if (!sonde_decompose_need_rank (context, 1, 2, error))
    return FALSE;
  for (int d = 2; d < x->type.rank; d++)
    axes[n++] = d;
  inverse = sonde_decompose_plus (context, a_channel (context, sonde_rule_x (context, 4), x),
                                  epsilon_of (context));
  inverse = sonde_rule_unary (context, "Reciprocal", sonde_rule_unary (context, "Sqrt", inverse));
  normal = sonde_decompose_sub (context, x, a_channel (context, sonde_rule_x (context, 3), x));
  normal = sonde_decompose_mul (context, normal, inverse);
  outputs[1] = sum_channels (context, sonde_decompose_mul (context, dy, normal));
  outputs[2] = sum_channels (context, dy);
  dx = sonde_node_get_int (context->node, "training_mode", 0) != 0
           ? less_statistics (context, dy, normal, axes, n)
           : dy;
  inverse
      = sonde_decompose_mul (context, inverse, a_channel (context, sonde_rule_x (context, 2), x));
  outputs[0] = sonde_decompose_mul (context, dx, inverse);
  return TRUE;
}

/* (dy, x, scale, mean, 1/σ) → dx, dscale, dbias; here too mean and 1/σ are operands of their
 * own. */
gboolean
sonde_decompose_layer_grad (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *dy = sonde_rule_x (context, 0), *x = sonde_rule_x (context, 1),
                  *scale = sonde_rule_x (context, 2);
  SondeGraphValue *inverse
      = sonde_decompose_cast (context, sonde_rule_x (context, 4), x->type.dtype);
  SondeGraphValue *normal = NULL, *shape = NULL, *g = NULL;
  gint64 axes[SONDE_MAX_RANK];
  int axis = 0, rank = x->type.rank;

  if (!sonde_decompose_need_rank (context, 1, 1, error) || !read_axis (context, rank, &axis, error))
    return FALSE;
  for (int d = axis; d < rank; d++)
    axes[d - axis] = d;
  normal = sonde_decompose_sub (
      context, x, sonde_decompose_cast (context, sonde_rule_x (context, 3), x->type.dtype));
  normal = sonde_decompose_mul (context, normal, inverse);
  shape = sonde_rule_unary (context, "Shape", x);
  sonde_node_set_int (shape->producer, "start", axis);
  g = sonde_rule_binary (context, "Reshape", scale, sonde_rule_infer (context, shape));
  g = less_statistics (context, sonde_decompose_mul (context, dy, g), normal, axes,
                       (gsize) (rank - axis));
  outputs[0] = sonde_decompose_mul (context, g, inverse);
  outputs[1] = sonde_decompose_reduce_range (context, "ReduceSum",
                                             sonde_decompose_mul (context, dy, normal), 0, axis);
  outputs[1] = sonde_decompose_reshape_like (context, outputs[1], scale);
  outputs[2] = sonde_decompose_reshape_like (
      context, sonde_decompose_reduce_range (context, "ReduceSum", dy, 0, axis), scale);
  return TRUE;
}

/* ---- softmax ------------------------------------------------------------- */

static SondeGraphValue *
sum_line (SondeDecomposition *context, SondeGraphValue *x)
{
  gint64 axis = sonde_node_get_int (context->node, "axis", -1);

  return sonde_decompose_reduce (context, "ReduceSum", x, &axis, 1);
}

gboolean
sonde_decompose_softmax_grad (SondeDecomposition *context, SondeGraphValue **outputs,
                              GError **error)
{
  SondeGraphValue *dy = sonde_rule_x (context, 0), *y = sonde_rule_x (context, 1);

  outputs[0] = sonde_decompose_mul (
      context, y,
      sonde_decompose_sub (context, dy, sum_line (context, sonde_decompose_mul (context, dy, y))));
  return TRUE;
}

gboolean
sonde_decompose_log_softmax_grad (SondeDecomposition *context, SondeGraphValue **outputs,
                                  GError **error)
{
  SondeGraphValue *dy = sonde_rule_x (context, 0), *y = sonde_rule_x (context, 1);

  outputs[0] = sonde_decompose_sub (
      context, dy,
      sonde_decompose_mul (context, sonde_rule_unary (context, "Exp", y), sum_line (context, dy)));
  return TRUE;
}
