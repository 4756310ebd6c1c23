/* SPDX-License-Identifier: Apache-2.0
 * Softmax and LogSoftmax along one axis (the form of opset 13), and their gradients. */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <tgmath.h>

#define T float
#define S f32
#include "engine/ops/nn/sonde-softmax-template.h"
#define T double
#define S f64
#include "engine/ops/nn/sonde-softmax-template.h"

static gboolean
read_axis (const SondeNode *node, int rank, int *axis, GError **error)
{
  return sonde_infer_axis (sonde_node_get_int (node, "axis", -1), rank, axis, error);
}

static gboolean
infer_softmax (SondeInferContext *context, GError **error)
{
  int axis = 0;

  if (!sonde_infer_need_float (context, 0, error))
    return FALSE;
  context->outputs[0] = context->inputs[0];
  return !sonde_infer_ready (context, 1)
         || read_axis (context->node, context->inputs[0].rank, &axis, error);
}

static gboolean
infer_softmax_grad (SondeInferContext *context, GError **error)
{
  return infer_softmax (context, error) && sonde_infer_float_pair (context, error);
}

static void
split_shape (const SondeKernelContext *context, gint64 *outer, gint64 *n, gint64 *inner)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  int axis = 0;

  (void) read_axis (context->node, shape->rank, &axis, NULL);
  *outer = sonde_shape_product (shape, 0, axis);
  *n = shape->dims[axis];
  *inner = sonde_shape_product (shape, axis + 1, shape->rank);
}

static void
run (const SondeKernelContext *context, gboolean logarithm)
{
  SondeTensor *x = context->inputs[0];
  gint64 outer, n, inner;

  split_shape (context, &outer, &n, &inner);
  SONDE_FLOAT_CALL (x->dtype, softmax, outer, n, inner, x->data, context->outputs[0]->data,
                    logarithm);
}

/* An item is one block of lines that lie beside each other. */
static void
run_grad (const SondeKernelContext *context, gint64 begin, gint64 end, gboolean logarithm)
{
  const SondeTensor *dy = context->inputs[0], *y = context->inputs[1];
  gint64 outer, n, inner;
  gsize at;

  split_shape (context, &outer, &n, &inner);
  at = (gsize) (begin * n * inner) * sonde_dtype_size (dy->dtype);
  SONDE_FLOAT_CALL (dy->dtype, softmax_grad, end - begin, n, inner, dy->data + at, y->data + at,
                    context->outputs[0]->data + at, logarithm);
}

static gint64
softmax_grad_count (const SondeKernelContext *context, gint64 *cost)
{
  gint64 outer, n, inner;

  split_shape (context, &outer, &n, &inner);
  *cost = 4 * n * inner;
  return outer;
}

static void
softmax_grad_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  run_grad (context, begin, end, FALSE);
}
SONDE_COMPUTE_PARTS (softmax_grad)

static gint64
log_softmax_grad_count (const SondeKernelContext *context, gint64 *cost)
{
  return softmax_grad_count (context, cost);
}

static void
log_softmax_grad_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  run_grad (context, begin, end, TRUE);
}
SONDE_COMPUTE_PARTS (log_softmax_grad)

static void
compute_softmax (const SondeKernelContext *context)
{
  run (context, FALSE);
}

static void
compute_log_softmax (const SondeKernelContext *context)
{
  run (context, TRUE);
}

static gboolean
gradient_softmax (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = sonde_rule_own_copying (
      context, "SoftmaxGrad", sonde_rule_dy (context), sonde_rule_y (context, 0), NULL);
  return TRUE;
}

static gboolean
gradient_log_softmax (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = sonde_rule_own_copying (
      context, "LogSoftmaxGrad", sonde_rule_dy (context), sonde_rule_y (context, 0), NULL);
  return TRUE;
}

static void
cost_softmax (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *x = &context->inputs[0];
  gint64 n = x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;

  cost->flops = n > 0 ? 4.0 * (double) n : 0;
}

static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };

#define ROW(set, label, opset, n, kind, rule, loop, derivative, decomposition, ...)                \
  {                                                                                                \
    .domain = set, .name = label, .since = opset, .min_inputs = n, .max_inputs = n,                \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_IN_PLACE, .family = kind,                \
    .attributes = axis_rule, .infer = rule, .compute = loop, .gradient = derivative,               \
    .decompose = decomposition, .cost = cost_softmax, __VA_ARGS__                                  \
  }

const SondeOpClass sonde_ops_softmax[] = {
  ROW ("", "LogSoftmax", 13, 1, SONDE_FAMILY_ACTIVATION, infer_softmax, compute_log_softmax,
       gradient_log_softmax, NULL, .reach = { sonde_reach_line, 0x1 },
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .id = SONDE_OP_ID_LOG_SOFTMAX),
  ROW ("", "Softmax", 13, 1, SONDE_FAMILY_ACTIVATION, infer_softmax, compute_softmax,
       gradient_softmax, NULL, .reach = { sonde_reach_line, 0x1 }, .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_ACTIVATION, .id = SONDE_OP_ID_SOFTMAX),
  ROW (SONDE_DOMAIN, "LogSoftmaxGrad", 1, 2, SONDE_FAMILY_GRADIENT, infer_softmax_grad,
       compute_log_softmax_grad, NULL, sonde_decompose_log_softmax_grad,
       .count_parts = log_softmax_grad_count, .compute_part = log_softmax_grad_part,
       .reach = { sonde_reach_line, 0x3 }, .typing = SONDE_TYPING_LEADING (2),
       .traits = SONDE_TRAIT_STRICT, .id = SONDE_OP_ID_LOG_SOFTMAX_GRAD),
  ROW (SONDE_DOMAIN, "SoftmaxGrad", 1, 2, SONDE_FAMILY_GRADIENT, infer_softmax_grad,
       compute_softmax_grad, NULL, sonde_decompose_softmax_grad, .count_parts = softmax_grad_count,
       .compute_part = softmax_grad_part, .reach = { sonde_reach_line, 0x3 },
       .typing = SONDE_TYPING_LEADING (2), .traits = SONDE_TRAIT_STRICT),
  { .name = NULL },
};
