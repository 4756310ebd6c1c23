/* SPDX-License-Identifier: Apache-2.0
 * Losses: SoftmaxCrossEntropyLoss, NegativeLogLikelihoodLoss, MseLoss, and their gradients. */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>
#include <tgmath.h>

typedef enum
{
  REDUCTION_MEAN,
  REDUCTION_SUM,
  REDUCTION_NONE,
} LossReduction;

typedef struct
{
  gint64 batch, classes, inner;
  LossReduction reduction;
  gboolean ignores;
  gint64 ignore;
} LossSizes;

#define T float
#define S f32
#include "engine/ops/nn/sonde-loss-template.h"
#define T double
#define S f64
#include "engine/ops/nn/sonde-loss-template.h"

static LossReduction
read_reduction (const SondeNode *node)
{
  const char *name = sonde_node_get_string (node, "reduction", "mean");

  return strcmp (name, "sum") == 0    ? REDUCTION_SUM
         : strcmp (name, "none") == 0 ? REDUCTION_NONE
                                      : REDUCTION_MEAN;
}

/* ---- cross-entropy ------------------------------------------------------- */

/* Scores [N, C, …] and labels [N, …], weights [C]. */
static gboolean
check_scores (const SondeInferContext *context, guint scores_at, guint labels_at, guint weights_at,
              GError **error)
{
  const SondeType *scores = &context->inputs[scores_at];
  const SondeType *labels = &context->inputs[labels_at];
  const SondeType *weights = sonde_infer_input (context, weights_at);

  if (scores->rank < 2 || labels->rank != scores->rank - 1)
    return sonde_infer_fail (
        error, "scores must be [N, C, …] and labels [N, …], but have %d and %d dimensions",
        scores->rank, labels->rank);
  for (int d = 0; d < labels->rank; d++)
    {
      const SondeDimension *size = &scores->dims[d == 0 ? 0 : d + 1];

      if (size->size >= 0 && labels->dims[d].size >= 0 && size->size != labels->dims[d].size)
        return sonde_infer_fail (
            error, "labels have size %" PRIi64 " in dimension %d, but scores %" PRIi64,
            labels->dims[d].size, d, size->size);
    }
  if (scores->dims[1].size == 0)
    return sonde_infer_fail (error, "scores have no classes");
  if (!sonde_infer_need_rank (context, weights_at, 1, error))
    return FALSE;
  if (weights != NULL && weights->dtype != scores->dtype)
    return sonde_infer_fail (error, "the weights are %s, but the scores %s",
                             sonde_dtype_name (weights->dtype), sonde_dtype_name (scores->dtype));
  if (weights != NULL && weights->rank == 1 && weights->dims[0].size >= 0
      && scores->dims[1].size >= 0 && weights->dims[0].size != scores->dims[1].size)
    return sonde_infer_fail (error, "%" PRIi64 " weights for %" PRIi64 " classes",
                             weights->dims[0].size, scores->dims[1].size);
  return TRUE;
}

static gboolean
infer_likelihood (SondeInferContext *context, GError **error)
{
  const SondeType *scores = &context->inputs[0];
  const SondeType *labels = &context->inputs[1];

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!check_scores (context, 0, 1, 2, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (scores->dtype, 0);
  if (read_reduction (context->node) == REDUCTION_NONE)
    {
      context->outputs[0] = *labels;
      context->outputs[0].dtype = scores->dtype;
    }
  if (context->n_outputs > 1)
    context->outputs[1] = *scores;
  return TRUE;
}

static void
loss_sizes_init (LossSizes *sizes, const SondeNode *node, const SondeShape *scores)
{
  sizes->batch = scores->dims[0];
  sizes->classes = scores->dims[1];
  sizes->inner = sonde_shape_product (scores, 2, scores->rank);
  sizes->reduction = read_reduction (node);
  sizes->ignores = sonde_node_find_attribute (node, "ignore_index") != NULL;
  sizes->ignore = sonde_node_get_int (node, "ignore_index", 0);
}

static const void *
weights_data (const SondeKernelContext *context, guint k)
{
  SondeTensor *weights = sonde_kernel_input (context, k);

  return weights ? weights->data : NULL;
}

static void
compute_cross_entropy (const SondeKernelContext *context)
{
  SondeTensor *scores = context->inputs[0];
  SondeTensor *given = sonde_kernel_output (context, 1);
  g_autoptr (SondeTensor) log_prob
      = given ? sonde_tensor_ref (given) : sonde_tensor_new (scores->dtype, &scores->shape);
  g_autoptr (SondeTensor) labels = sonde_tensor_cast (context->inputs[1], SONDE_DTYPE_I64);
  LossSizes sizes;

  loss_sizes_init (&sizes, context->node, &scores->shape);
  SONDE_FLOAT_CALL (scores->dtype, log_softmax, &sizes, scores->data, log_prob->data);
  if (context->outputs[0] != NULL)
    SONDE_FLOAT_CALL (scores->dtype, likelihood, &sizes, log_prob->data,
                      (const gint64 *) (void *) labels->data, weights_data (context, 2),
                      context->outputs[0]->data);
}

static void
compute_likelihood (const SondeKernelContext *context)
{
  SondeTensor *scores = context->inputs[0];
  g_autoptr (SondeTensor) labels = sonde_tensor_cast (context->inputs[1], SONDE_DTYPE_I64);
  LossSizes sizes;

  loss_sizes_init (&sizes, context->node, &scores->shape);
  SONDE_FLOAT_CALL (scores->dtype, likelihood, &sizes, scores->data,
                    (const gint64 *) (void *) labels->data, weights_data (context, 2),
                    context->outputs[0]->data);
}

/* (dloss, log_prob, labels, weights?) → dscores */
static gboolean
infer_likelihood_grad (SondeInferContext *context, GError **error)
{
  SondeType loss = sonde_infer_type (context->inputs[1].dtype, 0);

  if (!sonde_infer_need_float (context, 1, error) || !sonde_infer_need_same (context, 0, 1, error)
      || !sonde_infer_need_integer (context, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  if (read_reduction (context->node) == REDUCTION_NONE)
    loss = context->inputs[2];
  context->outputs[0] = context->inputs[1];
  return check_scores (context, 1, 2, 3, error)
         && sonde_infer_need_shape (&context->inputs[0], &loss, N_ ("the gradient"), error);
}

static void
run_likelihood_grad (const SondeKernelContext *context, gboolean softmax)
{
  SondeTensor *log_prob = context->inputs[1];
  g_autoptr (SondeTensor) labels = sonde_tensor_cast (context->inputs[2], SONDE_DTYPE_I64);
  LossSizes sizes;

  loss_sizes_init (&sizes, context->node, &log_prob->shape);
  SONDE_FLOAT_CALL (log_prob->dtype, likelihood_grad, &sizes, context->inputs[0]->data,
                    softmax ? log_prob->data : NULL, (const gint64 *) (void *) labels->data,
                    weights_data (context, 3), context->outputs[0]->data);
}

static void
compute_cross_entropy_grad (const SondeKernelContext *context)
{
  run_likelihood_grad (context, TRUE);
}

static void
compute_likelihood_grad (const SondeKernelContext *context)
{
  run_likelihood_grad (context, FALSE);
}

static SondeGraphValue *
build_likelihood_grad (SondeGradientContext *context, const char *op, SondeGraphValue *log_prob)
{
  SondeGraphValue *inputs[] = { context->output_gradients[0], log_prob, sonde_rule_x (context, 1),
                                sonde_rule_x (context, 2) };
  SondeGraphValue *dx
      = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, op, inputs[3] ? 4 : 3, inputs);

  sonde_rule_copy_attributes (dx->producer, context->node);
  return sonde_rule_infer (context, dx);
}

/* The kernels know nothing of these: formulas do. */
static gboolean
weights_are_wanted (const SondeGradientContext *context)
{
  return context->node->inputs->len > 2 && context->wanted[2];
}

/* The second output is a log-softmax of its own. */
static gboolean
gradient_cross_entropy (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *log_prob = NULL, *dx = NULL, *second = NULL;
  SondeGraphValue *through = context->node->outputs->len > 1 ? context->output_gradients[1] : NULL;

  context->by_decomposition = weights_are_wanted (context);
  if (context->by_decomposition)
    return TRUE;
  log_prob = sonde_rule_ensure_y (context, 1);
  if (context->output_gradients[0] != NULL)
    dx = build_likelihood_grad (context, "SoftmaxCrossEntropyGrad", log_prob);
  if (through != NULL)
    {
      second = sonde_rule_own (context, "LogSoftmaxGrad", through, log_prob, NULL);
      sonde_node_set_int (second->producer, "axis", 1);
      second = sonde_rule_infer (context, second);
      dx = dx ? sonde_rule_binary (context, "Add", dx, second) : second;
    }
  context->input_gradients[0] = dx;
  return TRUE;
}

static gboolean
gradient_likelihood (SondeGradientContext *context, GError **error)
{
  context->by_decomposition = weights_are_wanted (context);
  if (!context->by_decomposition)
    context->input_gradients[0]
        = build_likelihood_grad (context, "NegativeLogLikelihoodGrad", sonde_rule_x (context, 0));
  return TRUE;
}

/* ---- mean squared error -------------------------------------------------- */

static gboolean
infer_squares (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_float_pair (context, error))
    return FALSE;
  if (read_reduction (context->node) != REDUCTION_NONE)
    context->outputs[0] = sonde_infer_type (context->inputs[0].dtype, 0);
  return TRUE;
}

/* (dloss, x, target) → dx */
static gboolean
infer_squares_grad (SondeInferContext *context, GError **error)
{
  SondeType loss = sonde_infer_type (context->inputs[1].dtype, 0);

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  if (read_reduction (context->node) == REDUCTION_NONE)
    loss = context->inputs[1];
  context->outputs[0] = context->inputs[1];
  return sonde_infer_need_shape (&context->inputs[2], &context->inputs[1], N_ ("the target"), error)
         && sonde_infer_need_shape (&context->inputs[0], &loss, N_ ("the gradient"), error);
}

static void
compute_squares (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];

  SONDE_FLOAT_CALL (x->dtype, squares, sonde_tensor_n_elements (x), read_reduction (context->node),
                    x->data, context->inputs[1]->data, context->outputs[0]->data);
}

static void
compute_squares_grad (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[1];

  SONDE_FLOAT_CALL (x->dtype, squares_grad, sonde_tensor_n_elements (x),
                    read_reduction (context->node), context->inputs[0]->data, x->data,
                    context->inputs[2]->data, context->outputs[0]->data);
}

static gboolean
gradient_squares (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dx
      = sonde_rule_own_copying (context, "MseLossGrad", sonde_rule_dy (context),
                                sonde_rule_x (context, 0), sonde_rule_x (context, 1), NULL);

  if (context->wanted[0])
    context->input_gradients[0] = dx;
  if (context->wanted[1])
    context->input_gradients[1] = sonde_rule_unary (context, "Neg", dx);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const reductions[] = { "mean", "sum", "none", NULL };
static const SondeAttributeRule loss_rules[] = {
  { "reduction", SONDE_ATTRIBUTE_STRING, .choices = reductions },
  { "ignore_index", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define ROW(set, label, opset, least, most, outs, kind, rule, loop, derivative, decomposition,     \
            ...)                                                                                   \
  {                                                                                                \
    .domain = set, .name = label, .since = opset, .min_inputs = least, .max_inputs = most,         \
    .min_outputs = 1, .max_outputs = outs, .family = kind, .attributes = loss_rules,               \
    .infer = rule, .compute = loop, .gradient = derivative, .decompose = decomposition,            \
    __VA_ARGS__                                                                                    \
  }

const SondeOpClass sonde_ops_loss[] = {
  ROW ("", "NegativeLogLikelihoodLoss", 12, 2, 3, 1, SONDE_FAMILY_REDUCTION, infer_likelihood,
       compute_likelihood, gradient_likelihood, sonde_decompose_likelihood,
       .reach = { sonde_reach_scores, 0 }, .typing = SONDE_TYPING_OWN),
  ROW ("", "SoftmaxCrossEntropyLoss", 12, 2, 3, 2, SONDE_FAMILY_REDUCTION, infer_likelihood,
       compute_cross_entropy, gradient_cross_entropy, sonde_decompose_cross_entropy,
       .reach = { sonde_reach_scores, 0 }, .typing = SONDE_TYPING_OWN),
  ROW (SONDE_DOMAIN, "MseLoss", 1, 2, 2, 1, SONDE_FAMILY_REDUCTION, infer_squares, compute_squares,
       gradient_squares, NULL, .reach = { sonde_reach_scores, 0 }, .typing = SONDE_TYPING_OWN),
  ROW (SONDE_DOMAIN, "MseLossGrad", 1, 3, 3, 1, SONDE_FAMILY_GRADIENT, infer_squares_grad,
       compute_squares_grad, NULL, sonde_decompose_squares_grad,
       .reach = { sonde_reach_scores, 0x1 }, .typing = SONDE_TYPING_OWN),
  ROW (SONDE_DOMAIN, "NegativeLogLikelihoodGrad", 1, 3, 4, 1, SONDE_FAMILY_GRADIENT,
       infer_likelihood_grad, compute_likelihood_grad, NULL, sonde_decompose_likelihood_grad,
       .reach = { sonde_reach_scores, 0x1 }, .typing = SONDE_TYPING_OWN),
  ROW (SONDE_DOMAIN, "SoftmaxCrossEntropyGrad", 1, 3, 4, 1, SONDE_FAMILY_GRADIENT,
       infer_likelihood_grad, compute_cross_entropy_grad, NULL, sonde_decompose_cross_entropy_grad,
       .reach = { sonde_reach_scores, 0x1 }, .typing = SONDE_TYPING_OWN),
  { .name = NULL },
};
