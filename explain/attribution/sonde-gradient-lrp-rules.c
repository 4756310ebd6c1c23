/* SPDX-License-Identifier: Apache-2.0
 * Relevance through operators without weights, and which class of operators has which rule. */
#include "data/base/sonde-text.h"
#include "explain/attribution/sonde-gradient-lrp.h"

static gboolean
refuse (const SondeGradientContext *context, const char *why, GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "node “%s”: relevance cannot be propagated through %s (%-s)",
                   context->node->name, context->node->op, why);
  return FALSE;
}

static gboolean
build_refused (SondeGradientContext *context, gpointer data, GError **error)
{
  (void) data;
  return refuse (context, N_ ("methods without gradients can still be used"), error);
}

/* Activations: R as it is. */
static gboolean
build_passed (SondeGradientContext *context, gpointer data, GError **error)
{
  (void) data;
  (void) error;
  context->input_gradients[0] = sonde_gradient_rule_dy (context);
  return TRUE;
}

/* What only moves numbers, and winners of a pooling. */
static gboolean
build_moved (SondeGradientContext *context, gpointer data, GError **error)
{
  (void) data;
  return sonde_gradient_rule_own (context, context->node, sonde_gradient_rule_dy (context),
                                  context->input_gradients, error);
}

/* R = a ⊙ the operator's own gradient of R / y */
static gboolean
build_linear (SondeGradientContext *context, gpointer data, GError **error)
{
  SondeGraphValue *part = sonde_lrp_share (data, context, sonde_gradient_rule_dy (context),
                                           sonde_node_get_output (context->node, 0));
  SondeGraphValue *back = sonde_gradient_rule_own_first (context, context->node, part, error);

  if (back == NULL)
    return FALSE;
  context->input_gradients[0]
      = sonde_gradient_rule_binary (context, "Mul", sonde_gradient_rule_x (context, 0), back);
  return TRUE;
}

/* One that was folded into the convolution before it lets R pass. */
static gboolean
build_normalisation (SondeGradientContext *context, gpointer data, GError **error)
{
  SondeGraphValue *x = sonde_gradient_rule_x (context, 0);

  if (x->producer != NULL && sonde_lrp_find_normalisation (x->producer) == context->node)
    return build_passed (context, data, error);
  return build_linear (context, data, error);
}

static gboolean
same_shape (const SondeGraphValue *a, const SondeGraphValue *b)
{
  SondeShape left, right;

  return sonde_type_get_shape (&a->type, &left) && sonde_type_get_shape (&b->type, &right)
         && sonde_shape_equal (&left, &right);
}

/* @x as large as the node's output. */
static SondeGraphValue *
spread (const SondeGradientContext *context, SondeGraphValue *x)
{
  SondeGraphValue *y = sonde_node_get_output (context->node, 0), *inputs[] = { x, NULL };
  SondeShape shape;

  if (same_shape (x, y) || !sonde_type_get_shape (&y->type, &shape))
    return x;
  inputs[1] = sonde_build_ints (context->graph, shape.dims, (gsize) shape.rank);
  return sonde_build_op (context->graph, NULL, "", "Expand", 2, inputs);
}

/* Relevance of an input that the node spreads over dimensions: the sum over these. */
static SondeGraphValue *
gather (const SondeGradientContext *context, SondeGraphValue *relevance, const SondeGraphValue *x)
{
  SondeGraphValue *inputs[] = { relevance, NULL };
  gint64 axes[SONDE_MAX_RANK];
  gsize n = 0;
  SondeShape large, small;

  if (same_shape (relevance, x) || !sonde_type_get_shape (&relevance->type, &large)
      || !sonde_type_get_shape (&x->type, &small))
    return relevance;
  for (int d = 0; d < large.rank; d++)
    if (d < large.rank - small.rank || small.dims[d - (large.rank - small.rank)] != large.dims[d])
      axes[n++] = d;
  inputs[1] = sonde_build_ints (context->graph, axes, n);
  inputs[0] = sonde_build_op (context->graph, NULL, "", "ReduceSum", 2, inputs);
  inputs[1] = sonde_build_ints (context->graph, small.dims, (gsize) small.rank);
  return sonde_build_op (context->graph, NULL, "", "Reshape", 2, inputs);
}

/* In proportion to the inputs, half each where their sum is 0; a constant absorbs its share. */
static gboolean
build_sum (SondeGradientContext *context, gpointer data, GError **error)
{
  const SondeLrp *lrp = data;
  gboolean both = context->wanted[0] && context->wanted[1];

  (void) error;
  for (guint k = 0; k < 2; k++)
    {
      SondeGraphValue *x = sonde_gradient_rule_x (context, k), *part;
      SondeGraphValue *inputs[]
          = { sonde_gradient_rule_dy (context), sonde_node_get_output (context->node, 0), NULL };

      if (!context->wanted[k])
        continue;
      inputs[2] = spread (context, x);
      if (k == 1 && sonde_node_is (context->node, SONDE_OP_ID_SUB))
        inputs[2] = sonde_build_unary (context->graph, "Neg", inputs[2]);
      part = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "SplitGrad", 3, inputs);
      sonde_node_set_float (part->producer, "epsilon", lrp->epsilon);
      sonde_node_set_float (part->producer, "factor", both ? 0.5 : 1.0);
      context->input_gradients[k] = gather (context, part, x);
    }
  return TRUE;
}

/* A constant factor changes nothing; two that vary get half each. */
static gboolean
build_product (SondeGradientContext *context, gpointer data, GError **error)
{
  gboolean both = context->wanted[0] && context->wanted[1];

  SondeGraphValue *part = sonde_gradient_rule_dy (context);

  (void) data;
  if (sonde_node_is (context->node, SONDE_OP_ID_DIV) && context->wanted[1])
    return refuse (context, N_ ("the divisor depends on the input"), error);
  if (both)
    part = sonde_gradient_rule_with_number (context, "Mul", part, 0.5);
  for (guint k = 0; k < 2; k++)
    if (context->wanted[k])
      context->input_gradients[k] = gather (context, part, sonde_gradient_rule_x (context, k));
  return TRUE;
}

static SondeGradientRuleBuild *const builds[SONDE_N_ATTRIBUTION_CLASSES] = {
  [SONDE_ATTRIBUTION_ACTIVATION] = build_passed,
  [SONDE_ATTRIBUTION_WEIGHTED] = sonde_lrp_build_weighted,
  [SONDE_ATTRIBUTION_MATMUL] = sonde_lrp_build_weighted,
  [SONDE_ATTRIBUTION_PRODUCT] = build_product,
  [SONDE_ATTRIBUTION_QUOTIENT] = build_product,
  [SONDE_ATTRIBUTION_SUM] = build_sum,
  [SONDE_ATTRIBUTION_LINEAR] = build_linear,
  [SONDE_ATTRIBUTION_NORMALISATION] = build_normalisation,
  [SONDE_ATTRIBUTION_MOVE] = build_moved,
  [SONDE_ATTRIBUTION_MAX_POOL] = build_moved,
};

SondeGradientRule *
sonde_lrp_make_rules (SondeLrp *lrp, guint *n)
{
  return sonde_gradient_rules_of_classes (builds, build_refused, "lrp", lrp, n);
}
