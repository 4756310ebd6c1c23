/* SPDX-License-Identifier: Apache-2.0
 * Losses and their gradients as formulas: for second order, and for gradients of class weights. */
#include "engine/ops/sonde-decompose-rules.h"

#include <string.h>

/* Of each label: @chosen: 1 at its class, [N, C, …]; @weight: (nullable): [N, …], NULL: 1
 * throughout; @total: scalar */
typedef struct
{
  SondeGraphValue *chosen, *weight, *total;
} Labels;

static SondeGraphValue *
sum_all (SondeDecomposition *context, SondeGraphValue *x)
{
  SondeGraphValue *sum = sonde_rule_unary (context, "ReduceSum", x);

  sonde_node_set_int (sum->producer, "keepdims", 0);
  return sonde_rule_infer (context, sum);
}

static SondeGraphValue *
choose (SondeDecomposition *context, SondeGraphValue *scores, SondeGraphValue *labels)
{
  gint64 two = 2;
  SondeShape shape = sonde_shape_from_array (1, &two);
  SondeDtype dtype
      = sonde_dtype_is_float (scores->type.dtype) ? scores->type.dtype : SONDE_DTYPE_F32;
  g_autoptr (SondeTensor) values = sonde_tensor_new (dtype, &shape);
  SondeGraphValue *inputs[] = { labels, sonde_decompose_size (context, scores, 1), NULL };
  SondeGraphValue *chosen = NULL;

  sonde_tensor_set_double (values, 1, 1);
  inputs[2] = sonde_build_constant (context->graph, NULL, values);
  chosen = sonde_build_op (context->graph, NULL, "", "OneHot", G_N_ELEMENTS (inputs), inputs);
  sonde_node_set_int (chosen->producer, "axis", 1);
  return sonde_rule_infer (context, chosen);
}

static void
labels_init (Labels *result, SondeDecomposition *context, SondeGraphValue *scores,
             SondeGraphValue *labels, SondeGraphValue *weights)
{
  gint64 ignore = sonde_node_get_int (context->node, "ignore_index", 0);
  SondeGraphValue *used = NULL;

  labels = sonde_decompose_cast (context, labels, SONDE_DTYPE_I64);
  if (sonde_node_find_attribute (context->node, "ignore_index") != NULL)
    {
      SondeGraphValue *skipped
          = sonde_build_scalar (context->graph, SONDE_DTYPE_I64, (double) ignore);

      used = sonde_rule_unary (context, "Not",
                               sonde_rule_binary (context, "Equal", labels, skipped));
      labels = sonde_decompose_where (context, used, labels,
                                      sonde_decompose_number (context, labels, 0));
    }
  result->chosen = choose (context, scores, labels);
  result->weight = weights != NULL ? sonde_decompose_gather (context, weights, labels, 0) : NULL;
  if (used != NULL)
    result->weight = result->weight == NULL
                         ? sonde_decompose_cast (context, used, scores->type.dtype)
                         : sonde_decompose_where (context, used, result->weight,
                                                  sonde_decompose_number (context, scores, 0));
  result->total = result->weight != NULL
                      ? sum_all (context, result->weight)
                      : sonde_decompose_cast (context, sonde_rule_unary (context, "Size", labels),
                                              scores->type.dtype);
}

/* ---- the losses ---------------------------------------------------------- */

/* −weight·score of the label, joined as the node says */
static SondeGraphValue *
join_losses (SondeDecomposition *context, SondeGraphValue *scores)
{
  const char *reduction = sonde_node_get_string (context->node, "reduction", "mean");
  const gint64 classes = 1;
  SondeGraphValue *loss = NULL;
  Labels labels;

  labels_init (&labels, context, scores, sonde_rule_x (context, 1), sonde_rule_x (context, 2));
  loss = sonde_decompose_reduce (context, "ReduceSum",
                                 sonde_decompose_mul (context, labels.chosen, scores), &classes, 1);
  loss = sonde_rule_binary (context, "Squeeze", loss,
                            sonde_build_ints (context->graph, &classes, 1));
  loss = sonde_rule_unary (context, "Neg", loss);
  if (labels.weight != NULL)
    loss = sonde_decompose_mul (context, labels.weight, loss);
  if (strcmp (reduction, "none") == 0)
    return loss;
  loss = sum_all (context, loss);
  return strcmp (reduction, "sum") == 0 ? loss : sonde_decompose_div (context, loss, labels.total);
}

gboolean
sonde_decompose_likelihood (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  outputs[0] = join_losses (context, sonde_rule_x (context, 0));
  return TRUE;
}

gboolean
sonde_decompose_cross_entropy (SondeDecomposition *context, SondeGraphValue **outputs,
                               GError **error)
{
  SondeGraphValue *log_prob = sonde_rule_unary (context, "LogSoftmax", sonde_rule_x (context, 0));

  sonde_node_set_int (log_prob->producer, "axis", 1);
  log_prob = sonde_rule_infer (context, log_prob);
  outputs[0] = join_losses (context, log_prob);
  if (context->node->outputs->len > 1)
    outputs[1] = log_prob;
  return TRUE;
}

/* ---- their gradients ----------------------------------------------------- */

/* What each score's slope is multiplied with: dloss·weight, shared where the loss is a mean; [N, 1,
 * …] or scalar */
static SondeGraphValue *
factor_of (SondeDecomposition *context, const Labels *labels)
{
  const char *reduction = sonde_node_get_string (context->node, "reduction", "mean");
  SondeGraphValue *factor = sonde_rule_x (context, 0);
  gboolean wide = strcmp (reduction, "none") == 0 || labels->weight != NULL;

  if (strcmp (reduction, "mean") == 0)
    factor = sonde_decompose_div (context, factor, labels->total);
  if (labels->weight != NULL)
    factor = sonde_decompose_mul (context, factor, labels->weight);
  return wide ? sonde_decompose_unsqueeze (context, factor, 1) : factor;
}

/* (dloss, log_prob, labels, weights?) → dscores */
gboolean
sonde_decompose_cross_entropy_grad (SondeDecomposition *context, SondeGraphValue **outputs,
                                    GError **error)
{
  SondeGraphValue *log_prob = sonde_rule_x (context, 1);
  Labels labels;

  labels_init (&labels, context, log_prob, sonde_rule_x (context, 2), sonde_rule_x (context, 3));
  outputs[0]
      = sonde_decompose_sub (context, sonde_rule_unary (context, "Exp", log_prob), labels.chosen);
  outputs[0] = sonde_decompose_mul (context, outputs[0], factor_of (context, &labels));
  return TRUE;
}

gboolean
sonde_decompose_likelihood_grad (SondeDecomposition *context, SondeGraphValue **outputs,
                                 GError **error)
{
  Labels labels;

  labels_init (&labels, context, sonde_rule_x (context, 1), sonde_rule_x (context, 2),
               sonde_rule_x (context, 3));
  outputs[0] = sonde_decompose_mul (context, sonde_rule_unary (context, "Neg", labels.chosen),
                                    factor_of (context, &labels));
  return TRUE;
}

/* (dloss, x, target) → dx */
gboolean
sonde_decompose_squares_grad (SondeDecomposition *context, SondeGraphValue **outputs,
                              GError **error)
{
  SondeGraphValue *factor = sonde_decompose_times (context, sonde_rule_x (context, 0), 2),
                  *x = sonde_rule_x (context, 1);

  if (strcmp (sonde_node_get_string (context->node, "reduction", "mean"), "mean") == 0)
    factor = sonde_decompose_div (
        context, factor,
        sonde_decompose_cast (context, sonde_rule_unary (context, "Size", x), x->type.dtype));
  outputs[0] = sonde_decompose_mul (
      context, sonde_decompose_sub (context, x, sonde_rule_x (context, 2)), factor);
  return TRUE;
}
