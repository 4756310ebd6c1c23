/* SPDX-License-Identifier: Apache-2.0
 * Gradient rules of convolution. */
#include "engine/ops/nn/sonde-conv-private.h"
#include "engine/ops/nn/sonde-window-geometry.h"

static gboolean
need_rank (SondeGradientContext *context, GError **error)
{
  if (sonde_rule_x (context, 0)->type.rank >= 3)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "node “%s” (%s): no gradient without the rank of its input", context->node->name,
                   context->node->op);
  return FALSE;
}

SondeGraphValue *
sonde_conv_bias_gradient (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dy = sonde_rule_dy (context);
  gint64 axes[SONDE_MAX_RANK];
  gsize n = 0;
  int rank = sonde_rule_x (context, 0)->type.rank;
  SondeGraphValue *sum = NULL;

  if (!need_rank (context, error))
    return NULL;
  for (int d = 0; d < rank; d++)
    if (d != 1)
      axes[n++] = d;
  sum = sonde_rule_binary (context, "ReduceSum", dy, sonde_build_ints (context->graph, axes, n));
  sonde_node_set_int (sum->producer, "keepdims", 0);
  return sonde_rule_infer (context, sum);
}

gboolean
sonde_conv_gradient (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dy = sonde_rule_dy (context);
  SondeGraphValue *x = sonde_rule_x (context, 0);
  SondeGraphValue *w = sonde_rule_x (context, 1);

  if (context->wanted[0])
    context->input_gradients[0] = sonde_rule_own_copying (context, "ConvGradInput", dy, w, x, NULL);
  if (context->wanted[1])
    context->input_gradients[1]
        = sonde_rule_own_copying (context, "ConvGradWeight", dy, x, w, NULL);
  if (sonde_rule_x (context, 2) == NULL || !context->wanted[2])
    return TRUE;
  context->input_gradients[2] = sonde_conv_bias_gradient (context, error);
  return context->input_gradients[2] != NULL;
}

/* The attributes that are only ConvTranspose's are settled: the window slides over dy. Its padding
 * is made explicit, since output_shape and auto_pad mean something else there. */
gboolean
sonde_conv_gradient_transposed (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dy = sonde_rule_dy (context);
  SondeGraphValue *x = sonde_rule_x (context, 0);
  SondeGraphValue *w = sonde_rule_x (context, 1);
  SondeGraphValue *made[2] = { NULL };
  gint64 pads[2 * SONDE_WINDOW_DIMS], in[SONDE_WINDOW_DIMS], kernel[SONDE_WINDOW_DIMS];
  SondeWindowGeometry window;

  if (!need_rank (context, error)
      || !sonde_conv_spatial_sizes (&x->type, &w->type, in, kernel, error)
      || !sonde_window_read_transposed (context->node, x->type.rank - 2, in, kernel, &window,
                                        error))
    return FALSE;
  for (int d = 0; d < window.n; d++)
    {
      if (in[d] < 0 && sonde_node_find_attribute (context->node, "pads") == NULL
          && sonde_node_find_attribute (context->node, "auto_pad") != NULL)
        return sonde_infer_fail (
            error, "node “%s” (ConvTranspose): its padding depends on a size that is not known",
            context->node->name);
      pads[d] = window.before[d];
      pads[d + window.n] = window.after[d];
    }
  if (context->wanted[0])
    {
      made[0] = context->input_gradients[0] = sonde_rule_binary (context, "Conv", dy, w);
      sonde_rule_copy_attributes (made[0]->producer, context->node);
    }
  if (context->wanted[1])
    made[1] = context->input_gradients[1]
        = sonde_rule_own_copying (context, "ConvGradWeight", x, dy, w, NULL);
  for (guint k = 0; k < 2; k++)
    if (made[k] != NULL)
      {
        (void) sonde_node_remove_attribute (made[k]->producer, "output_shape");
        (void) sonde_node_remove_attribute (made[k]->producer, "output_padding");
        (void) sonde_node_remove_attribute (made[k]->producer, "auto_pad");
        sonde_node_set_ints (made[k]->producer, "pads", pads, 2 * (gsize) window.n);
        (void) sonde_rule_infer (context, made[k]);
      }
  if (sonde_rule_x (context, 2) != NULL && context->wanted[2])
    context->input_gradients[2] = sonde_conv_bias_gradient (context, error);
  return TRUE;
}

/* The gradients of a convolution are linear in both arguments: theirs are convolutions again. */
gboolean
sonde_conv_gradient_of_input (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *d = sonde_rule_dy (context); /* shaped as x */
  SondeGraphValue *dy = sonde_rule_x (context, 0), *w = sonde_rule_x (context, 1);

  if (context->wanted[0])
    {
      SondeGraphValue *y = sonde_rule_binary (context, "Conv", d, w);

      sonde_rule_copy_attributes (y->producer, context->node);
      context->input_gradients[0] = sonde_rule_infer (context, y);
    }
  if (context->wanted[1])
    context->input_gradients[1]
        = sonde_rule_own_copying (context, "ConvGradWeight", dy, d, w, NULL);
  return TRUE;
}

gboolean
sonde_conv_gradient_of_weight (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *d = sonde_rule_dy (context); /* shaped as w */
  SondeGraphValue *dy = sonde_rule_x (context, 0), *x = sonde_rule_x (context, 1);

  if (context->wanted[0])
    {
      SondeGraphValue *y = sonde_rule_binary (context, "Conv", x, d);

      sonde_rule_copy_attributes (y->producer, context->node);
      context->input_gradients[0] = sonde_rule_infer (context, y);
    }
  if (context->wanted[1])
    context->input_gradients[1] = sonde_rule_own_copying (context, "ConvGradInput", dy, d, x, NULL);
  return TRUE;
}
