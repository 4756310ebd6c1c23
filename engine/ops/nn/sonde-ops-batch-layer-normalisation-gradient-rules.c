/* SPDX-License-Identifier: Apache-2.0
 * Gradient rules of BatchNormalization and LayerNormalization, also through the statistics that
 * they give. */
#include "engine/ops/sonde-decompose-rules.h"

static SondeNode *
add_grad_node (SondeGradientContext *context, const char *op, SondeGraphValue **inputs)
{
  SondeNode *node = sonde_graph_add_node (context->graph, NULL, SONDE_DOMAIN, op, inputs, 5, 3);

  for (guint k = 0; k < 3; k++)
    if (k < context->node->inputs->len && context->wanted[k])
      context->input_gradients[k] = sonde_node_get_output (node, k);
  return node;
}

/* ---- BatchNormalization -------------------------------------------------- */

/* The batch's own mean (or variance): what output @plain asks of it, and through @momentum the
 * running one. */
static SondeGraphValue *
batch_statistic_gradient (SondeGradientContext *context, guint running, guint plain)
{
  guint n = context->node->outputs->len;
  SondeGraphValue *through = running < n ? context->output_gradients[running] : NULL;
  double momentum = sonde_node_get_float (context->node, "momentum", 0.9);

  if (through != NULL)
    through = sonde_decompose_times (context, through, 1 - momentum);
  return sonde_decompose_sum (context, through,
                              plain < n ? context->output_gradients[plain] : NULL);
}

/* @gradient [C] of a mean over N and space, for each of its elements. */
static SondeGraphValue *
spread_channels (SondeGradientContext *context, SondeGraphValue *gradient)
{
  SondeGraphValue *x = sonde_rule_x (context, 0), *spread = NULL;
  gint64 axes[SONDE_MAX_RANK] = { 0 };
  gsize n = 1;

  for (int d = 2; d < x->type.rank; d++)
    axes[n++] = d;
  gradient = sonde_decompose_cast (context, gradient, x->type.dtype);
  spread = sonde_rule_own (context, "BroadcastLike", gradient, x, NULL);
  sonde_node_set_ints (spread->producer, "axes", axes, n);
  sonde_node_set_int (spread->producer, "keepdims", 0);
  sonde_node_set_int (spread->producer, "mean", 1);
  return sonde_rule_infer (context, spread);
}

/* Gradients that come through the other outputs of training. */
static void
add_statistics (SondeGradientContext *context)
{
  SondeGraphValue *x = sonde_rule_x (context, 0), *more = NULL;
  SondeGraphValue *mean = batch_statistic_gradient (context, 1, 3),
                  *variance = batch_statistic_gradient (context, 2, 4);
  double momentum = sonde_node_get_float (context->node, "momentum", 0.9);

  if (variance != NULL && context->wanted[0])
    {
      gint64 column[SONDE_MAX_RANK] = { -1 };
      SondeGraphValue *centre = NULL;

      for (int d = 1; d < x->type.rank - 1; d++)
        column[d] = 1;
      centre = sonde_decompose_cast (context, sonde_rule_ensure_y (context, 3), x->type.dtype);
      centre = sonde_decompose_sub (
          context, x, sonde_decompose_reshape (context, centre, column, (gsize) x->type.rank - 1));
      more = sonde_decompose_mul (context, sonde_decompose_times (context, centre, 2),
                                  spread_channels (context, variance));
    }
  if (mean != NULL && context->wanted[0])
    more = sonde_decompose_sum (context, more, spread_channels (context, mean));
  context->input_gradients[0] = sonde_decompose_sum (context, context->input_gradients[0], more);
  for (guint k = 1; k < 3 && k < context->node->outputs->len; k++)
    if (context->output_gradients[k] != NULL && context->wanted[k + 2])
      context->input_gradients[k + 2]
          = sonde_decompose_times (context, context->output_gradients[k], momentum);
}

/* Outside of training mean and variance are operands: dmean = −dbias·scale/σ, dvar =
 * −dscale·scale/(2σ²). */
static void
add_operands (SondeGradientContext *context, SondeNode *node)
{
  SondeGraphValue *scale = sonde_rule_x (context, 1);
  SondeGraphValue *square = sonde_decompose_plus (
      context, sonde_rule_x (context, 4), sonde_node_get_float (context->node, "epsilon", 1e-5));
  SondeGraphValue *dscale = sonde_node_get_output (node, 1),
                  *dbias = sonde_node_get_output (node, 2);

  scale = sonde_decompose_cast (context, sonde_rule_unary (context, "Neg", scale),
                                square->type.dtype);
  dscale = sonde_decompose_cast (context, dscale, square->type.dtype);
  dbias = sonde_decompose_cast (context, dbias, square->type.dtype);
  if (context->wanted[3])
    context->input_gradients[3]
        = sonde_decompose_div (context, sonde_decompose_mul (context, dbias, scale),
                               sonde_rule_unary (context, "Sqrt", square));
  if (context->wanted[4])
    context->input_gradients[4]
        = sonde_decompose_div (context, sonde_decompose_mul (context, dscale, scale),
                               sonde_decompose_times (context, square, 2));
}

gboolean
sonde_batch_normalisation_gradient (SondeGradientContext *context, GError **error)
{
  gboolean training = sonde_node_get_int (context->node, "training_mode", 0) != 0;
  SondeGraphValue *inputs[]
      = { sonde_rule_dy (context), sonde_rule_x (context, 0), sonde_rule_x (context, 1),
          training ? sonde_rule_ensure_y (context, 3) : sonde_rule_x (context, 3),
          training ? sonde_rule_ensure_y (context, 4) : sonde_rule_x (context, 4) };
  SondeNode *node = NULL;

  if (!sonde_decompose_need_rank (context, 0, 2, error))
    return FALSE;
  if (inputs[0] != NULL)
    {
      node = add_grad_node (context, "BatchNormalizationGrad", inputs);
      sonde_node_set_float (node, "epsilon", sonde_node_get_float (context->node, "epsilon", 1e-5));
      sonde_node_set_int (node, "training_mode", training);
      (void) sonde_build_infer (context->graph, node, NULL);
    }
  if (training)
    add_statistics (context);
  else if (node != NULL && (context->wanted[3] || context->wanted[4]))
    add_operands (context, node);
  return TRUE;
}

/* ---- LayerNormalization -------------------------------------------------- */

/* @gradient of what is normalised together, over all of it as of a mean. */
static SondeGraphValue *
spread_line (SondeGradientContext *context, SondeGraphValue *gradient, int axis)
{
  SondeGraphValue *x = sonde_rule_x (context, 0);
  SondeGraphValue *spread = sonde_rule_own (
      context, "BroadcastLike", sonde_decompose_cast (context, gradient, x->type.dtype), x, NULL);
  gint64 axes[SONDE_MAX_RANK];

  for (int d = axis; d < x->type.rank; d++)
    axes[d - axis] = d;
  sonde_node_set_ints (spread->producer, "axes", axes, (gsize) (x->type.rank - axis));
  sonde_node_set_int (spread->producer, "mean", 1);
  return sonde_rule_infer (context, spread);
}

/* What comes through Mean and InvStdDev: d(1/σ)/dx = −(x − mean)/(n·σ³). */
static gboolean
add_layer_statistics (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *x = sonde_rule_x (context, 0), *more = NULL;
  SondeGraphValue *mean = context->output_gradients[1];
  SondeGraphValue *inverse = context->node->outputs->len > 2 ? context->output_gradients[2] : NULL;
  int axis = 0;

  if (!context->wanted[0] || (mean == NULL && inverse == NULL))
    return TRUE;
  if (!sonde_decompose_need_rank (context, 0, 1, error)
      || !sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), x->type.rank, &axis,
                            error))
    return FALSE;
  if (mean != NULL)
    more = spread_line (context, mean, axis);
  if (inverse != NULL)
    {
      SondeGraphValue *centre = sonde_decompose_sub (
          context, x,
          sonde_decompose_cast (context, sonde_rule_ensure_y (context, 1), x->type.dtype));

      inverse = sonde_decompose_mul (context, inverse,
                                     sonde_decompose_power (context, sonde_rule_y (context, 2), 3));
      inverse = spread_line (context, sonde_rule_unary (context, "Neg", inverse), axis);
      more = sonde_decompose_sum (context, more, sonde_decompose_mul (context, centre, inverse));
    }
  context->input_gradients[0] = sonde_decompose_sum (context, context->input_gradients[0], more);
  return TRUE;
}

gboolean
sonde_layer_normalisation_gradient (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[]
      = { sonde_rule_dy (context), sonde_rule_x (context, 0), sonde_rule_x (context, 1),
          sonde_rule_ensure_y (context, 1), sonde_rule_ensure_y (context, 2) };
  SondeNode *node = NULL;

  if (inputs[0] != NULL)
    {
      node = add_grad_node (context, "LayerNormalizationGrad", inputs);
      sonde_node_set_int (node, "axis", sonde_node_get_int (context->node, "axis", -1));
      (void) sonde_build_infer (context->graph, node, NULL);
    }
  return add_layer_statistics (context, error);
}
