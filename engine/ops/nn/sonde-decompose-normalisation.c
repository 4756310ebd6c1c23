/* SPDX-License-Identifier: Apache-2.0
 * Normalisations, and the gradients of some, as formulas of ordinary nodes. */
#include "engine/ops/sonde-decompose-rules.h"

/* ---- helpers ------------------------------------------------------------- */

/* @parameter [C] against @x [N, C, …], in @x's element type. */
static SondeGraphValue *
a_channel (SondeDecomposition *parts, SondeGraphValue *parameter, SondeGraphValue *x)
{
  gint64 shape[SONDE_MAX_RANK] = { -1 };

  parameter = sonde_decompose_cast (parts, parameter, x->type.dtype);
  for (int d = 1; d < x->type.rank - 1; d++)
    shape[d] = 1;
  return sonde_decompose_reshape (parts, parameter, shape, (gsize) x->type.rank - 1);
}

/* Σ over all dimensions but that of the channels, as [C] */
static SondeGraphValue *
sum_channels (SondeDecomposition *parts, SondeGraphValue *x)
{
  const gint64 flat = -1;
  gint64 axes[SONDE_MAX_RANK] = { 0 };
  gsize n = 1;

  for (int d = 2; d < x->type.rank; d++)
    axes[n++] = d;
  return sonde_decompose_reshape (parts, sonde_decompose_reduce (parts, "ReduceSum", x, axes, n),
                                  &flat, 1);
}

static SondeGraphValue *
square (SondeDecomposition *parts, SondeGraphValue *x)
{
  return sonde_decompose_mul (parts, x, x);
}

/* (x − mean) / sqrt (var + ε) over dimensions @first to before @last */
static SondeGraphValue *
standardise (SondeDecomposition *parts, SondeGraphValue *x, int first, int last, double epsilon)
{
  SondeGraphValue *variance = NULL;

  x = sonde_decompose_sub (parts, x,
                           sonde_decompose_reduce_range (parts, "ReduceMean", x, first, last));
  variance = sonde_decompose_reduce_range (parts, "ReduceMean", square (parts, x), first, last);
  return sonde_decompose_div (
      parts, x, sonde_rule_unary (parts, "Sqrt", sonde_decompose_plus (parts, variance, epsilon)));
}

static gboolean
read_axis (SondeDecomposition *parts, int rank, int *axis, GError **error)
{
  return sonde_infer_axis (sonde_node_get_int (parts->node, "axis", -1), rank, axis, error);
}

static double
epsilon_of (SondeDecomposition *parts)
{
  return sonde_node_get_float (parts->node, "epsilon", 1e-5);
}

/* ---- division by a norm -------------------------------------------------- */

gboolean
sonde_decompose_rms (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *x = sonde_decompose_upcast (parts, sonde_rule_x (parts, 0)), *squares = NULL;
  SondeGraphValue *scale = sonde_decompose_cast (parts, sonde_rule_x (parts, 1), x->type.dtype);
  int axis = 0;

  if (!sonde_decompose_need_rank (parts, 0, 1, error)
      || !read_axis (parts, x->type.rank, &axis, error))
    return FALSE;
  squares
      = sonde_decompose_reduce_range (parts, "ReduceMean", square (parts, x), axis, x->type.rank);
  x = sonde_decompose_div (
      parts, x,
      sonde_rule_unary (parts, "Sqrt", sonde_decompose_plus (parts, squares, epsilon_of (parts))));
  outputs[0] = sonde_decompose_cast (parts, sonde_decompose_mul (parts, x, scale),
                                     sonde_rule_x (parts, 1)->type.dtype);
  return TRUE;
}

/* A line of zeros is divided by 1. */
gboolean
sonde_decompose_lp (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *x = sonde_decompose_upcast (parts, sonde_rule_x (parts, 0)), *norm = NULL,
                  *zero = NULL;
  gboolean one = sonde_node_get_int (parts->node, "p", 2) == 1;
  int axis = 0;

  if (!sonde_decompose_need_rank (parts, 0, 1, error)
      || !read_axis (parts, x->type.rank, &axis, error))
    return FALSE;
  norm = one ? sonde_rule_unary (parts, "Abs", x) : square (parts, x);
  norm = sonde_decompose_reduce_range (parts, "ReduceSum", norm, axis, axis + 1);
  zero = sonde_rule_binary (parts, "Equal", norm, sonde_decompose_number (parts, x, 0));
  norm = sonde_decompose_where (parts, zero, sonde_decompose_number (parts, x, 1), norm);
  x = sonde_decompose_div (parts, x, one ? norm : sonde_rule_unary (parts, "Sqrt", norm));
  outputs[0] = sonde_decompose_cast (parts, x, sonde_rule_x (parts, 0)->type.dtype);
  return TRUE;
}

/* [C, C]: 1 where channel j is summed for channel i: i − before ≤ j ≤ i + after */
static SondeGraphValue *
make_band (SondeDecomposition *parts, SondeGraphValue *x, gint64 size)
{
  SondeGraphValue *places = sonde_decompose_range (parts, sonde_decompose_size (parts, x, 1));
  SondeGraphValue *apart = sonde_decompose_sub (parts, sonde_decompose_unsqueeze (parts, places, 0),
                                                sonde_decompose_unsqueeze (parts, places, 1));
  SondeGraphValue *low = sonde_decompose_number (parts, apart, -(double) ((size - 1) / 2));
  SondeGraphValue *high = sonde_decompose_number (parts, apart, (double) (size / 2));
  SondeGraphValue *inside
      = sonde_rule_binary (parts, "And", sonde_rule_binary (parts, "GreaterOrEqual", apart, low),
                           sonde_rule_binary (parts, "LessOrEqual", apart, high));

  return sonde_decompose_cast (parts, inside, x->type.dtype);
}

/* The sums of squares are a product with a band of ones. */
gboolean
sonde_decompose_lrn (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  const gint64 flat[] = { 0, 0, -1 };
  const SondeNode *node = parts->node;
  gint64 size = sonde_node_get_int (node, "size", 1);
  SondeGraphValue *x = sonde_decompose_upcast (parts, sonde_rule_x (parts, 0)), *sums = NULL;

  if (!sonde_decompose_need_rank (parts, 0, 2, error))
    return FALSE;
  sums = sonde_decompose_reshape (parts, square (parts, x), flat, G_N_ELEMENTS (flat));
  sums = sonde_rule_binary (parts, "MatMul", make_band (parts, x, size), sums);
  sums = sonde_decompose_reshape_like (parts, sums, x);
  sums = sonde_decompose_times (parts, sums,
                                sonde_node_get_float (node, "alpha", 1e-4) / (double) size);
  sums = sonde_decompose_plus (parts, sums, sonde_node_get_float (node, "bias", 1));
  x = sonde_decompose_mul (
      parts, x, sonde_decompose_power (parts, sums, -sonde_node_get_float (node, "beta", 0.75)));
  outputs[0] = sonde_decompose_cast (parts, x, sonde_rule_x (parts, 0)->type.dtype);
  return TRUE;
}

/* ---- of a sample --------------------------------------------------------- */

gboolean
sonde_decompose_instance (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *x = sonde_decompose_upcast (parts, sonde_rule_x (parts, 0)), *y = NULL;

  if (!sonde_decompose_need_rank (parts, 0, 3, error))
    return FALSE;
  y = standardise (parts, x, 2, x->type.rank, epsilon_of (parts));
  y = sonde_decompose_mul (parts, y, a_channel (parts, sonde_rule_x (parts, 1), x));
  y = sonde_decompose_add (parts, y, a_channel (parts, sonde_rule_x (parts, 2), x));
  outputs[0] = sonde_decompose_cast (parts, y, sonde_rule_x (parts, 0)->type.dtype);
  return TRUE;
}

/* @y [N, G, n] as [N, G, k, n / k], where @parameter [G, k, 1] has k numbers a group. */
static SondeGraphValue *
split_groups (SondeDecomposition *parts, SondeGraphValue *y, SondeGraphValue *parameter,
              gint64 groups)
{
  const gint64 first[] = { 0, groups }, rest = -1;
  SondeGraphValue *each = sonde_rule_unary (parts, "Shape", parameter), *shape = NULL;

  sonde_node_set_int (each->producer, "start", 1);
  sonde_node_set_int (each->producer, "end", 2);
  shape = sonde_decompose_concat (parts, 0, sonde_build_ints (parts->graph, first, 2),
                                  sonde_rule_infer (parts, each));
  shape = sonde_decompose_concat (parts, 0, shape, sonde_build_ints (parts->graph, &rest, 1));
  return sonde_rule_binary (parts, "Reshape", y, shape);
}

/* Scale and bias are a channel's, or (opset 18) a group's. */
gboolean
sonde_decompose_group (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  gint64 groups = sonde_node_get_int (parts->node, "num_groups", 1);
  const gint64 grouped[] = { 0, groups, -1 }, of_group[] = { groups, -1, 1 };
  SondeGraphValue *x = sonde_decompose_upcast (parts, sonde_rule_x (parts, 0)), *scale = NULL,
                  *bias = NULL, *y = NULL;

  if (!sonde_decompose_need_rank (parts, 0, 2, error))
    return FALSE;
  scale
      = sonde_decompose_reshape (parts, sonde_rule_x (parts, 1), of_group, G_N_ELEMENTS (of_group));
  bias
      = sonde_decompose_reshape (parts, sonde_rule_x (parts, 2), of_group, G_N_ELEMENTS (of_group));
  y = standardise (parts, sonde_decompose_reshape (parts, x, grouped, G_N_ELEMENTS (grouped)), 2, 3,
                   epsilon_of (parts));
  y = split_groups (parts, y, scale, groups);
  scale = sonde_decompose_cast (parts, scale, y->type.dtype);
  bias = sonde_decompose_cast (parts, bias, y->type.dtype);
  y = sonde_decompose_add (parts, sonde_decompose_mul (parts, y, scale), bias);
  outputs[0] = sonde_decompose_cast (parts, sonde_decompose_reshape_like (parts, y, x),
                                     sonde_rule_x (parts, 0)->type.dtype);
  return TRUE;
}

/* ---- second order -------------------------------------------------------- */

/* g less what goes through mean and variance, which sum over @first to before @last: g − mean (g) −
 * x̂·mean (g·x̂) */
static SondeGraphValue *
less_statistics (SondeDecomposition *parts, SondeGraphValue *g, SondeGraphValue *normal,
                 const gint64 *axes, gsize n)
{
  SondeGraphValue *plain = sonde_decompose_reduce (parts, "ReduceMean", g, axes, n);
  SondeGraphValue *slanted = sonde_decompose_reduce (
      parts, "ReduceMean", sonde_decompose_mul (parts, g, normal), axes, n);

  return sonde_decompose_sub (parts, sonde_decompose_sub (parts, g, plain),
                              sonde_decompose_mul (parts, normal, slanted));
}

/* (dy, x, scale, mean, var) → dx, dscale, dbias; mean and variance are operands of their own: what
 * they owe to x goes through outputs 3 and 4 of the forward node. */
gboolean
sonde_decompose_batch_grad (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *dy = sonde_rule_x (parts, 0), *x = sonde_rule_x (parts, 1), *inverse = NULL,
                  *normal = NULL, *dx = NULL;
  gint64 axes[SONDE_MAX_RANK] = { 0 };
  gsize n = 1;

  if (!sonde_decompose_need_rank (parts, 1, 2, error))
    return FALSE;
  for (int d = 2; d < x->type.rank; d++)
    axes[n++] = d;
  inverse = sonde_decompose_plus (parts, a_channel (parts, sonde_rule_x (parts, 4), x),
                                  epsilon_of (parts));
  inverse = sonde_rule_unary (parts, "Reciprocal", sonde_rule_unary (parts, "Sqrt", inverse));
  normal = sonde_decompose_sub (parts, x, a_channel (parts, sonde_rule_x (parts, 3), x));
  normal = sonde_decompose_mul (parts, normal, inverse);
  outputs[1] = sum_channels (parts, sonde_decompose_mul (parts, dy, normal));
  outputs[2] = sum_channels (parts, dy);
  dx = sonde_node_get_int (parts->node, "training_mode", 0) != 0
           ? less_statistics (parts, dy, normal, axes, n)
           : dy;
  inverse = sonde_decompose_mul (parts, inverse, a_channel (parts, sonde_rule_x (parts, 2), x));
  outputs[0] = sonde_decompose_mul (parts, dx, inverse);
  return TRUE;
}

/* (dy, x, scale, mean, 1/σ) → dx, dscale, dbias; here too mean and 1/σ are operands of their
 * own. */
gboolean
sonde_decompose_layer_grad (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *dy = sonde_rule_x (parts, 0), *x = sonde_rule_x (parts, 1),
                  *scale = sonde_rule_x (parts, 2);
  SondeGraphValue *inverse = sonde_decompose_cast (parts, sonde_rule_x (parts, 4), x->type.dtype);
  SondeGraphValue *normal = NULL, *shape = NULL, *g = NULL;
  gint64 axes[SONDE_MAX_RANK];
  int axis = 0, rank = x->type.rank;

  if (!sonde_decompose_need_rank (parts, 1, 1, error) || !read_axis (parts, rank, &axis, error))
    return FALSE;
  for (int d = axis; d < rank; d++)
    axes[d - axis] = d;
  normal = sonde_decompose_sub (
      parts, x, sonde_decompose_cast (parts, sonde_rule_x (parts, 3), x->type.dtype));
  normal = sonde_decompose_mul (parts, normal, inverse);
  shape = sonde_rule_unary (parts, "Shape", x);
  sonde_node_set_int (shape->producer, "start", axis);
  g = sonde_rule_binary (parts, "Reshape", scale, sonde_rule_infer (parts, shape));
  g = less_statistics (parts, sonde_decompose_mul (parts, dy, g), normal, axes,
                       (gsize) (rank - axis));
  outputs[0] = sonde_decompose_mul (parts, g, inverse);
  outputs[1] = sonde_decompose_reduce_range (parts, "ReduceSum",
                                             sonde_decompose_mul (parts, dy, normal), 0, axis);
  outputs[1] = sonde_decompose_reshape_like (parts, outputs[1], scale);
  outputs[2] = sonde_decompose_reshape_like (
      parts, sonde_decompose_reduce_range (parts, "ReduceSum", dy, 0, axis), scale);
  return TRUE;
}

/* ---- softmax ------------------------------------------------------------- */

static SondeGraphValue *
sum_line (SondeDecomposition *parts, SondeGraphValue *x)
{
  gint64 axis = sonde_node_get_int (parts->node, "axis", -1);

  return sonde_decompose_reduce (parts, "ReduceSum", x, &axis, 1);
}

gboolean
sonde_decompose_softmax_grad (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *dy = sonde_rule_x (parts, 0), *y = sonde_rule_x (parts, 1);

  outputs[0] = sonde_decompose_mul (
      parts, y,
      sonde_decompose_sub (parts, dy, sum_line (parts, sonde_decompose_mul (parts, dy, y))));
  return TRUE;
}

gboolean
sonde_decompose_log_softmax_grad (SondeDecomposition *parts, SondeGraphValue **outputs,
                                  GError **error)
{
  SondeGraphValue *dy = sonde_rule_x (parts, 0), *y = sonde_rule_x (parts, 1);

  outputs[0] = sonde_decompose_sub (
      parts, dy,
      sonde_decompose_mul (parts, sonde_rule_unary (parts, "Exp", y), sum_line (parts, dy)));
  return TRUE;
}
