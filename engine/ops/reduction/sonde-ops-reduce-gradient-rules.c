/* SPDX-License-Identifier: Apache-2.0
 * Gradients of reductions, and of the operators that those are made of. Values of the reduced shape
 * get their dimensions back as ones, so that broadcasting does the rest. */
#include "engine/ops/sonde-gradient-rules.h"

#define RULE SONDE_GRADIENT

/**
 * Axes: of a reduction
 * @value: (nullable): input 1
 * @known: (nullable) (owned): its numbers
 */
typedef struct
{
  SondeGraphValue *value;
  gint64 *known;
  gsize n;
  gboolean keep, none;
} Axes;

static void
axes_clear (Axes *axes)
{
  g_clear_pointer (&axes->known, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Axes, axes_clear)

static void
read_axes (const SondeGradientContext *context, Axes *axes)
{
  *axes = (Axes){ .value = sonde_rule_x (context, 1) };
  axes->known = sonde_rule_known_ints (axes->value, &axes->n);
  axes->keep = sonde_node_get_int (context->node, "keepdims", 1) != 0;
  axes->none = sonde_node_get_int (context->node, "noop_with_empty_axes", 0) != 0;
}

static SondeGraphValue *
make_ints_like (SondeGradientContext *context, SondeGraphValue *like, gint64 number)
{
  SondeShape one = sonde_shape_make (1, 1);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_I64, &one);
  SondeGraphValue *ones = OP1 ("ConstantOfShape", OP1 ("Shape", like));

  sonde_tensor_set_double (tensor, 0, (double) number);
  sonde_node_set_tensor (ones->producer, "value", tensor);
  return sonde_rule_infer (context, ones);
}

/* The shape of x with ones at axes that are computed while the network runs. */
static SondeGraphValue *
make_kept_shape (SondeGradientContext *context, const Axes *axes)
{
  SondeGraphValue *whole = OP1 ("Shape", sonde_rule_x (context, 0));
  gint64 length = axes->value->type.rank == 1 ? axes->value->type.dims[0].size : -1;

  if (length == 0)
    return axes->none ? whole : make_ints_like (context, whole, 1);
  return sonde_rule_op (context, "ScatterElements", whole, axes->value,
                        make_ints_like (context, axes->value, 1), NULL);
}

/* @value has the node's output's shape: made to broadcast against x. */
static SondeGraphValue *
keep_dims (SondeGradientContext *context, const Axes *axes, SondeGraphValue *value)
{
  if (axes->keep || axes->value == NULL || (axes->known != NULL && axes->n == 0))
    return value;
  if (axes->known != NULL)
    return OP2 ("Unsqueeze", value, axes->value);
  return OP2 ("Reshape", value, make_kept_shape (context, axes));
}

/* ---- sums ---------------------------------------------------------------- */

/* Axes, keepdims of the forward node as attributes of the new one. */
static void
give_broadcast (SondeGradientContext *context, const Axes *axes, gboolean mean)
{
  SondeGraphValue *x = sonde_rule_x (context, 0), *dy = sonde_rule_dy (context), *dx = NULL;

  if (axes->value != NULL && axes->known == NULL)
    {
      if (mean)
        {
          SondeGraphValue *many = sonde_rule_cast_like (context, OP1 ("Size", x), dy);
          SondeGraphValue *few = sonde_rule_cast_like (context, OP1 ("Size", dy), dy);

          dy = OP2 ("Div", OP2 ("Mul", dy, few), many);
        }
      context->input_gradients[0] = OP2 ("Expand", keep_dims (context, axes, dy), OP1 ("Shape", x));
      return;
    }
  dx = sonde_rule_own_copying (context, "BroadcastLike", dy, x, NULL);
  sonde_node_set_ints (dx->producer, "axes", axes->known, axes->n);
  if (mean)
    sonde_node_set_int (dx->producer, "mean", 1);
  context->input_gradients[0] = sonde_rule_infer (context, dx);
}

RULE (reduce_sum)
{
  g_auto (Axes) axes = { NULL };

  read_axes (context, &axes);
  give_broadcast (context, &axes, FALSE);
  return TRUE;
}

RULE (reduce_mean)
{
  g_auto (Axes) axes = { NULL };

  read_axes (context, &axes);
  give_broadcast (context, &axes, TRUE);
  return TRUE;
}

/* dx = dy·@slope, with dy (or what was made of it) broadcast */
#define SCALED(name, share, slope)                                                                 \
  RULE (name)                                                                                      \
  {                                                                                                \
    g_auto (Axes) axes = { NULL };                                                                 \
    SondeGraphValue *dy = sonde_rule_dy (context), *x = sonde_rule_x (context, 0);                 \
    SondeGraphValue *y G_GNUC_UNUSED = sonde_rule_y (context, 0);                                  \
    read_axes (context, &axes);                                                                    \
    dy = keep_dims (context, &axes, share);                                                        \
    context->input_gradients[0] = OP2 ("Mul", dy, slope);                                          \
    return TRUE;                                                                                   \
  }

SCALED (reduce_l1, dy, OP1 ("Sign", x))
SCALED (reduce_sum_square, dy, OP2 ("Add", x, x))

/* A number where y is zero, which is where all x are. */
static SondeGraphValue *
not_zero (SondeGradientContext *context, SondeGraphValue *y)
{
  SondeGraphValue *zero = OP2 ("Equal", y, sonde_rule_number (context, y, 0));

  return sonde_rule_where (context, zero, sonde_rule_number (context, y, 1), y);
}
SCALED (reduce_l2, OP2 ("Div", dy, not_zero (context, y)), x)

RULE (reduce_log_sum)
{
  g_auto (Axes) axes = { NULL };
  SondeGraphValue *share
      = OP2 ("Div", sonde_rule_dy (context), OP1 ("Exp", sonde_rule_y (context, 0)));
  SondeGraphValue *x = sonde_rule_x (context, 0);

  read_axes (context, &axes);
  context->input_gradients[0] = OP2 ("Expand", keep_dims (context, &axes, share), OP1 ("Shape", x));
  return TRUE;
}

/* softmax (x): zero where all x are −Inf */
RULE (reduce_log_sum_exp)
{
  g_auto (Axes) axes = { NULL };
  SondeGraphValue *dy = sonde_rule_dy (context), *y = sonde_rule_y (context, 0);
  SondeGraphValue *nothing = OP1 ("IsInf", y);

  read_axes (context, &axes);
  sonde_node_set_int (nothing->producer, "detect_positive", 0);
  y = keep_dims (context, &axes, sonde_rule_where (context, nothing, NULL, y));
  context->input_gradients[0] = OP2 ("Mul", keep_dims (context, &axes, dy),
                                     OP1 ("Exp", OP2 ("Sub", sonde_rule_x (context, 0), y)));
  return TRUE;
}

/* ---- products ------------------------------------------------------------ */

/* At each place along @axis the product of all others along it: no division, so zeros are nothing
 * special. */
static SondeGraphValue *
product_of_others (SondeGradientContext *context, SondeGraphValue *x, gint64 axis)
{
  SondeGraphValue *parts[2];

  for (int k = 0; k < 2; k++)
    {
      parts[k]
          = OP2 ("CumProd", x, sonde_build_scalar (context->graph, SONDE_DTYPE_I64, (double) axis));
      sonde_node_set_int (parts[k]->producer, "exclusive", 1);
      if (k == 1)
        sonde_node_set_int (parts[k]->producer, "reverse", 1);
    }
  return OP2 ("Mul", parts[0], parts[1]);
}

/* Others over several axes: others along the first one, times others along the second of the
 * products over the first, and so on. */
RULE (reduce_product)
{
  g_auto (Axes) axes = { NULL };
  SondeGraphValue *rest = sonde_rule_x (context, 0), *dx = NULL;
  int rank = rest->type.rank;
  gsize n;

  read_axes (context, &axes);
  if (rank < 0 || (axes.value != NULL && axes.known == NULL))
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
          "node “%s” (ReduceProd): no gradient, because its %-s known only while the network runs",
          context->node->name, rank < 0 ? N_ ("rank is") : N_ ("axes are"));
      return FALSE;
    }
  n = axes.n > 0 || axes.none ? axes.n : (gsize) rank;
  dx = keep_dims (context, &axes, sonde_rule_dy (context));
  for (gsize k = 0; k < n; k++)
    {
      gint64 axis = axes.n > 0 ? axes.known[k] : (gint64) k;

      dx = OP2 ("Mul", dx, product_of_others (context, rest, axis));
      if (k + 1 < n)
        rest = OP2 ("ReduceProd", rest, sonde_build_ints (context->graph, &axis, 1));
    }
  context->input_gradients[0] = dx;
  return TRUE;
}

/* ---- extremes ------------------------------------------------------------ */

/* One at each extreme. */
static SondeGraphValue *
mark_extremes (SondeGradientContext *context, const Axes *axes, SondeGraphValue *x,
               SondeGraphValue *y)
{
  return sonde_rule_cast_like (context, OP2 ("Equal", x, keep_dims (context, axes, y)), x);
}

RULE (reduce_extreme)
{
  g_auto (Axes) axes = { NULL };
  SondeGraphValue *dy = sonde_rule_dy (context), *x = sonde_rule_x (context, 0),
                  *y = sonde_rule_y (context, 0);
  SondeGraphValue *dx = NULL;

  read_axes (context, &axes);
  if (axes.value != NULL && axes.known == NULL)
    {
      SondeGraphValue *marks = mark_extremes (context, &axes, x, y);
      SondeGraphValue *count = OP2 ("ReduceSum", marks, axes.value);

      context->input_gradients[0]
          = OP2 ("Mul", OP2 ("Div", keep_dims (context, &axes, dy), count), marks);
      return TRUE;
    }
  dx = sonde_rule_own_copying (context, "ReduceExtremeGrad", dy, x, y, NULL);
  sonde_node_set_ints (dx->producer, "axes", axes.known, axes.n);
  context->input_gradients[0] = sonde_rule_infer (context, dx);
  return TRUE;
}

/* ---- second derivatives -------------------------------------------------- */

/* The attribute "axes" of one of our own operators, as those of a reduction. */
static void
read_own_axes (SondeGradientContext *context, Axes *axes)
{
  const gint64 *values = sonde_node_get_ints (context->node, "axes", &axes->n);

  axes->keep = sonde_node_get_int (context->node, "keepdims", 1) != 0;
  axes->none = sonde_node_get_int (context->node, "noop_with_empty_axes", 0) != 0;
  axes->known = g_memdup2 (values, axes->n * sizeof *values);
  axes->value = sonde_build_ints (context->graph, values, axes->n);
}

static SondeGraphValue *
reduce (SondeGradientContext *context, const char *op, SondeGraphValue *x, const Axes *axes,
        gboolean keep)
{
  SondeGraphValue *y = axes->n > 0 ? OP2 (op, x, axes->value) : OP1 (op, x);

  sonde_node_set_int (y->producer, "keepdims", keep);
  if (axes->none)
    sonde_node_set_int (y->producer, "noop_with_empty_axes", 1);
  return sonde_rule_infer (context, y);
}

RULE (broadcast_like)
{
  g_auto (Axes) axes = { NULL };
  gboolean mean = sonde_node_get_int (context->node, "mean", 0) != 0;

  if (!context->wanted[0])
    return TRUE;
  read_own_axes (context, &axes);
  context->input_gradients[0] = reduce (context, mean ? "ReduceMean" : "ReduceSum",
                                        sonde_rule_dy (context), &axes, axes.keep);
  return TRUE;
}

/* Linear in the gradient: the mean of what reaches the extremes. Which those are does not move. */
RULE (extreme_grad)
{
  g_auto (Axes) axes = { NULL };
  SondeGraphValue *marks = NULL, *sum = NULL;

  if (!context->wanted[0])
    return TRUE;
  read_own_axes (context, &axes);
  marks = mark_extremes (context, &axes, sonde_rule_x (context, 1), sonde_rule_x (context, 2));
  sum = reduce (context, "ReduceSum", OP2 ("Mul", sonde_rule_dy (context), marks), &axes,
                axes.keep);
  context->input_gradients[0]
      = OP2 ("Div", sum, reduce (context, "ReduceSum", marks, &axes, axes.keep));
  return TRUE;
}
