/* SPDX-License-Identifier: Apache-2.0
 * Gradients of QuantizeLinear and DequantizeLinear: straight through the rounding, zero where the
 * number was clipped, and for the scales what follows from that (Esser et al., Learned Step Size
 * Quantization, 2020). The gradient of the quantised tensor is a float tensor. Zero points get
 * none. */
#include "engine/ops/sonde-gradient-rules.h"

#define RULE SONDE_GRADIENT

/* DequantizeLinear of a tensor that has @number everywhere, with the node's own scales (and zero
 * points): numbers of the shape of @like. */
static SondeGraphValue *
dequantised (SondeGradientContext *context, SondeGraphValue *like, SondeDtype dtype, double number,
             gboolean zeros)
{
  SondeShape one = sonde_shape_make (1, 1);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &one);
  SondeGraphValue *inputs[]
      = { OP1 ("ConstantOfShape", OP1 ("Shape", like)), sonde_rule_x (context, 1), NULL };
  SondeGraphValue *y = NULL;

  sonde_tensor_set_double (tensor, 0, number);
  sonde_node_set_tensor (inputs[0]->producer, "value", tensor);
  inputs[0] = sonde_rule_infer (context, inputs[0]);
  inputs[2] = zeros ? sonde_rule_x (context, 2) : NULL;
  y = sonde_build_op (context->graph, NULL, "", "DequantizeLinear", inputs[2] ? 3 : 2, inputs);
  sonde_node_set_int (y->producer, "axis", sonde_node_get_int (context->node, "axis", 1));
  sonde_node_set_int (y->producer, "block_size",
                      sonde_node_get_int (context->node, "block_size", 0));
  return sonde_rule_infer (context, y);
}

/* @gradient of x's shape summed to that of the scale. FALSE with @error: blocks */
static gboolean
give_scale (SondeGradientContext *context, SondeGraphValue *gradient, GError **error)
{
  SondeGraphValue *scale = sonde_rule_x (context, 1), *sum = NULL;
  gint64 axes[SONDE_MAX_RANK], axis = sonde_node_get_int (context->node, "axis", 1);
  gboolean whole
      = scale->type.rank == 0 || (scale->type.rank == 1 && scale->type.dims[0].size == 1);
  int rank = gradient->type.rank;
  gsize n = 0;

  if (sonde_node_get_int (context->node, "block_size", 0) != 0 || scale->type.rank < 0
      || (!whole && rank < 0))
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
          "node “%s” (%s): no gradient for the scales of blocks, or of ranks that are not known",
          context->node->name, context->node->op);
      return FALSE;
    }
  axis = CLAMP (axis, -rank, rank - 1);
  for (int d = 0; d < rank; d++)
    if (whole || d != (axis < 0 ? axis + rank : axis))
      axes[n++] = d;
  sum = n > 0 && !whole ? OP2 ("ReduceSum", gradient, sonde_build_ints (context->graph, axes, n))
        : n > 0         ? OP1 ("ReduceSum", gradient)
                        : gradient;
  if (n > 0)
    {
      sonde_node_set_int (sum->producer, "keepdims", 0);
      sum = sonde_rule_infer (context, sum);
    }
  context->input_gradients[1] = sonde_rule_own (
      context, "ReshapeLike", sonde_rule_cast_like (context, sum, scale), scale, NULL);
  return TRUE;
}

/* y = (q − zero)·scale */
RULE (dequantise)
{
  SondeGraphValue *q = sonde_rule_x (context, 0), *dy = sonde_rule_dy (context);
  SondeGraphValue *scales = NULL;

  if (context->wanted[0])
    {
      scales
          = sonde_rule_cast_like (context, dequantised (context, q, SONDE_DTYPE_I8, 1, FALSE), dy);
      context->input_gradients[0] = OP2 ("Mul", dy, scales);
    }
  if (!context->wanted[1])
    return TRUE;
  scales = sonde_rule_cast_like (context, dequantised (context, q, SONDE_DTYPE_I8, 1, FALSE), dy);
  return give_scale (context, OP2 ("Mul", dy, OP2 ("Div", sonde_rule_y (context, 0), scales)),
                     error);
}

/* Where round (x/scale) + zero is a number of the type: everywhere for floats, which have room. */
static SondeGraphValue *
mark_inside (SondeGradientContext *context, SondeGraphValue *steps, SondeGraphValue *scales)
{
  SondeDtype dtype = sonde_rule_y (context, 0)->type.dtype;
  SondeGraphValue *x = sonde_rule_x (context, 0), *rounded = NULL, *bounds[2];
  gint64 range[2];

  if (!sonde_dtype_get_range (dtype, &range[0], &range[1]))
    return NULL;
  rounded = OP1 ("Round", steps);
  for (int k = 0; k < 2; k++)
    {
      SondeGraphValue *bound = sonde_rule_cast_like (
          context, dequantised (context, x, dtype, (double) range[k], TRUE), steps);

      bounds[k] = OP1 ("Round", OP2 ("Div", bound, scales));
    }
  return OP2 ("And", OP2 ("GreaterOrEqual", rounded, bounds[0]),
              OP2 ("LessOrEqual", rounded, bounds[1]));
}

/* q = clip (round (x/scale) + zero) */
RULE (quantise)
{
  SondeGraphValue *x = sonde_rule_x (context, 0);
  SondeGraphValue *dy = sonde_rule_cast_like (context, sonde_rule_dy (context), x);
  SondeGraphValue *scales
      = sonde_rule_cast_like (context, dequantised (context, x, SONDE_DTYPE_I8, 1, FALSE), x);
  SondeGraphValue *steps = OP2 ("Div", x, scales), *inside = mark_inside (context, steps, scales);
  SondeGraphValue *dx = OP2 ("Div", dy, scales);

  if (inside != NULL)
    dx = sonde_rule_where (context, inside, dx, NULL);
  if (context->wanted[0])
    context->input_gradients[0] = dx;
  if (!context->wanted[1])
    return TRUE;
  return give_scale (context, OP1 ("Neg", OP2 ("Mul", dx, steps)), error);
}
