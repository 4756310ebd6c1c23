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
sum_all (SondeDecomposition *parts, SondeGraphValue *x)
{
  SondeGraphValue *sum = sonde_rule_unary (parts, "ReduceSum", x);

  sonde_node_set_int (sum->producer, "keepdims", 0);
  return sonde_rule_infer (parts, sum);
}

static SondeGraphValue *
choose (SondeDecomposition *parts, SondeGraphValue *scores, SondeGraphValue *labels)
{
  gint64 two = 2;
  SondeShape shape = sonde_shape_from_array (1, &two);
  SondeDtype dtype
      = sonde_dtype_is_float (scores->type.dtype) ? scores->type.dtype : SONDE_DTYPE_F32;
  g_autoptr (SondeTensor) values = sonde_tensor_new (dtype, &shape);
  SondeGraphValue *inputs[] = { labels, sonde_decompose_size (parts, scores, 1), NULL };
  SondeGraphValue *chosen = NULL;

  sonde_tensor_set_double (values, 1, 1);
  inputs[2] = sonde_build_constant (parts->graph, NULL, values);
  chosen = sonde_build_op (parts->graph, NULL, "", "OneHot", G_N_ELEMENTS (inputs), inputs);
  sonde_node_set_int (chosen->producer, "axis", 1);
  return sonde_rule_infer (parts, chosen);
}

static void
labels_init (Labels *result, SondeDecomposition *parts, SondeGraphValue *scores,
             SondeGraphValue *labels, SondeGraphValue *weights)
{
  gint64 ignore = sonde_node_get_int (parts->node, "ignore_index", 0);
  SondeGraphValue *used = NULL;

  labels = sonde_decompose_cast (parts, labels, SONDE_DTYPE_I64);
  if (sonde_node_find_attribute (parts->node, "ignore_index") != NULL)
    {
      SondeGraphValue *skipped
          = sonde_build_scalar (parts->graph, SONDE_DTYPE_I64, (double) ignore);

      used = sonde_rule_unary (parts, "Not", sonde_rule_binary (parts, "Equal", labels, skipped));
      labels
          = sonde_decompose_where (parts, used, labels, sonde_decompose_number (parts, labels, 0));
    }
  result->chosen = choose (parts, scores, labels);
  result->weight = weights != NULL ? sonde_decompose_gather (parts, weights, labels, 0) : NULL;
  if (used != NULL)
    result->weight = result->weight == NULL
                         ? sonde_decompose_cast (parts, used, scores->type.dtype)
                         : sonde_decompose_where (parts, used, result->weight,
                                                  sonde_decompose_number (parts, scores, 0));
  result->total = result->weight != NULL
                      ? sum_all (parts, result->weight)
                      : sonde_decompose_cast (parts, sonde_rule_unary (parts, "Size", labels),
                                              scores->type.dtype);
}

/* ---- the losses ---------------------------------------------------------- */

/* −weight·score of the label, joined as the node says */
static SondeGraphValue *
join_losses (SondeDecomposition *parts, SondeGraphValue *scores)
{
  const char *reduction = sonde_node_get_string (parts->node, "reduction", "mean");
  const gint64 classes = 1;
  SondeGraphValue *loss = NULL;
  Labels labels;

  labels_init (&labels, parts, scores, sonde_rule_x (parts, 1), sonde_rule_x (parts, 2));
  loss = sonde_decompose_reduce (parts, "ReduceSum",
                                 sonde_decompose_mul (parts, labels.chosen, scores), &classes, 1);
  loss = sonde_rule_binary (parts, "Squeeze", loss, sonde_build_ints (parts->graph, &classes, 1));
  loss = sonde_rule_unary (parts, "Neg", loss);
  if (labels.weight != NULL)
    loss = sonde_decompose_mul (parts, labels.weight, loss);
  if (strcmp (reduction, "none") == 0)
    return loss;
  loss = sum_all (parts, loss);
  return strcmp (reduction, "sum") == 0 ? loss : sonde_decompose_div (parts, loss, labels.total);
}

gboolean
sonde_decompose_likelihood (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  outputs[0] = join_losses (parts, sonde_rule_x (parts, 0));
  return TRUE;
}

gboolean
sonde_decompose_cross_entropy (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *log_prob = sonde_rule_unary (parts, "LogSoftmax", sonde_rule_x (parts, 0));

  sonde_node_set_int (log_prob->producer, "axis", 1);
  log_prob = sonde_rule_infer (parts, log_prob);
  outputs[0] = join_losses (parts, log_prob);
  if (parts->node->outputs->len > 1)
    outputs[1] = log_prob;
  return TRUE;
}

/* ---- their gradients ----------------------------------------------------- */

/* What each score's slope is multiplied with: dloss·weight, shared where the loss is a mean; [N, 1,
 * …] or scalar */
static SondeGraphValue *
factor_of (SondeDecomposition *parts, const Labels *labels)
{
  const char *reduction = sonde_node_get_string (parts->node, "reduction", "mean");
  SondeGraphValue *factor = sonde_rule_x (parts, 0);
  gboolean wide = strcmp (reduction, "none") == 0 || labels->weight != NULL;

  if (strcmp (reduction, "mean") == 0)
    factor = sonde_decompose_div (parts, factor, labels->total);
  if (labels->weight != NULL)
    factor = sonde_decompose_mul (parts, factor, labels->weight);
  return wide ? sonde_decompose_unsqueeze (parts, factor, 1) : factor;
}

/* (dloss, log_prob, labels, weights?) → dscores */
gboolean
sonde_decompose_cross_entropy_grad (SondeDecomposition *parts, SondeGraphValue **outputs,
                                    GError **error)
{
  SondeGraphValue *log_prob = sonde_rule_x (parts, 1);
  Labels labels;

  labels_init (&labels, parts, log_prob, sonde_rule_x (parts, 2), sonde_rule_x (parts, 3));
  outputs[0]
      = sonde_decompose_sub (parts, sonde_rule_unary (parts, "Exp", log_prob), labels.chosen);
  outputs[0] = sonde_decompose_mul (parts, outputs[0], factor_of (parts, &labels));
  return TRUE;
}

gboolean
sonde_decompose_likelihood_grad (SondeDecomposition *parts, SondeGraphValue **outputs,
                                 GError **error)
{
  Labels labels;

  labels_init (&labels, parts, sonde_rule_x (parts, 1), sonde_rule_x (parts, 2),
               sonde_rule_x (parts, 3));
  outputs[0] = sonde_decompose_mul (parts, sonde_rule_unary (parts, "Neg", labels.chosen),
                                    factor_of (parts, &labels));
  return TRUE;
}

/* (dloss, x, target) → dx */
gboolean
sonde_decompose_squares_grad (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *factor = sonde_decompose_times (parts, sonde_rule_x (parts, 0), 2),
                  *x = sonde_rule_x (parts, 1);

  if (strcmp (sonde_node_get_string (parts->node, "reduction", "mean"), "mean") == 0)
    factor = sonde_decompose_div (
        parts, factor,
        sonde_decompose_cast (parts, sonde_rule_unary (parts, "Size", x), x->type.dtype));
  outputs[0] = sonde_decompose_mul (parts, sonde_decompose_sub (parts, x, sonde_rule_x (parts, 2)),
                                    factor);
  return TRUE;
}
