/* SPDX-License-Identifier: Apache-2.0
 * Our own operators around reductions: BroadcastLike, ReduceExtremeGrad, ReduceToShape. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/reduction/sonde-reduce-private.h"

#define T float
#define S f32
#include "engine/ops/reduction/sonde-reduce-gradient-template.h"
#define T double
#define S f64
#include "engine/ops/reduction/sonde-reduce-gradient-template.h"

/* Axes as the attribute says. */
static void
attribute_marks (const SondeNode *node, int rank, gboolean *marks)
{
  gsize n = 0;
  const gint64 *axes = sonde_node_get_ints (node, "axes", &n);

  (void) sonde_reduce_mark_axes (axes, n, sonde_node_get_int (node, "noop_with_empty_axes", 0) != 0,
                                 rank, marks, NULL);
}

static void
compute_extreme_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *x = context->inputs[1];
  SondeTensor *y = context->inputs[2];
  g_autofree double *counts = g_new0 (double, sonde_tensor_n_elements (y) + 1);
  gboolean marks[SONDE_MAX_RANK];
  SondeStrided rows;

  attribute_marks (context->node, x->shape.rank, marks);
  sonde_reduce_rows (&x->shape, marks, &rows);
  SONDE_FLOAT_CALL (x->dtype, count_equal, &rows, x->data, y->data, counts);
  SONDE_FLOAT_CALL (x->dtype, share_extreme, &rows, x->data, y->data, counts, dy->data,
                    context->outputs[0]->data);
}

static void
compute_to_shape (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *dx = context->outputs[0];
  int missing = dy->shape.rank - dx->shape.rank;
  gboolean marks[SONDE_MAX_RANK];

  for (int d = 0; d < dy->shape.rank; d++)
    marks[d] = d < missing || (dx->shape.dims[d - missing] == 1 && dy->shape.dims[d] != 1);
  sonde_reduce_sum (dy, marks, FALSE, dx);
}

static gboolean
infer_to_shape (SondeInferContext *context, GError **error)
{
  SondeType whole;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  context->outputs[0] = context->inputs[1];
  return sonde_infer_broadcast (&context->inputs[0], &context->inputs[1], &whole, error)
         && sonde_infer_need_shape (&context->inputs[0], &whole, N_ ("the gradient"), error);
}

/* (dy, x, …) → dx, where dy (and y, input 2) have the shape of x reduced by the node's own
 * attributes. */
static gboolean
infer_reduced_grad (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[1];
  gboolean none = sonde_node_get_int (context->node, "noop_with_empty_axes", 0) != 0;
  gsize n = 0;
  const gint64 *axes = sonde_node_get_ints (context->node, "axes", &n);
  gboolean marks[SONDE_MAX_RANK];
  SondeType reduced;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, context->n_inputs))
    return TRUE;
  if (!sonde_reduce_mark_axes (axes, n, none, x->rank, marks, error))
    return FALSE;
  reduced = sonde_reduce_type (x, marks, sonde_node_get_int (context->node, "keepdims", 1) != 0);
  context->outputs[0] = *x;
  return sonde_infer_need_shape (&context->inputs[0], &reduced, N_ ("the gradient"), error)
         && (context->n_inputs < 3
             || sonde_infer_need_shape (&context->inputs[2], &reduced, N_ ("the result"), error));
}

static void
compute_broadcast_like (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *dx = context->outputs[0];
  gint64 n = sonde_tensor_n_elements (dy);
  gboolean mean = sonde_node_get_int (context->node, "mean", 0) != 0;
  double scale = mean ? (double) n / (double) sonde_tensor_n_elements (dx) : 1;
  gboolean marks[SONDE_MAX_RANK];
  SondeStrided rows;

  attribute_marks (context->node, dx->shape.rank, marks);
  sonde_reduce_rows (&dx->shape, marks, &rows);
  SONDE_FLOAT_CALL (dx->dtype, spread, &rows, dy->data, scale, dx->data);
}

/* The sum over broadcast dimensions is linear: its gradient repeats. */
static gboolean
gradient_to_shape (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *shape = sonde_rule_unary (context, "Shape", sonde_rule_x (context, 0));

  context->input_gradients[0]
      = sonde_rule_binary (context, "Expand", sonde_rule_dy (context), shape);
  return TRUE;
}

static const SondeAttributeRule own_rules[] = {
  { "axes", SONDE_ATTRIBUTE_INTS },
  { "keepdims", SONDE_ATTRIBUTE_INT },
  { "noop_with_empty_axes", SONDE_ATTRIBUTE_INT },
  { "mean", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define OWN(label, n, kind, rule, loop, derivative, likes, ...)                                    \
  {                                                                                                \
    .domain = SONDE_DOMAIN, .name = label, .since = 1, .min_inputs = n, .max_inputs = n,           \
    .min_outputs = 1, .max_outputs = 1, .family = kind, .attributes = own_rules, .infer = rule,    \
    .compute = loop, .gradient = derivative, .cost = sonde_reduce_cost, .shape_only = likes,       \
    __VA_ARGS__                                                                                    \
  }

const SondeOpClass sonde_ops_reduce_gradient_kernels[] = {
  OWN ("BroadcastLike", 2, SONDE_FAMILY_GRADIENT, infer_reduced_grad, compute_broadcast_like,
       sonde_gradient_broadcast_like, 1 << 1, .reach = { sonde_reach_unreduced, 0x1 },
       .typing = SONDE_TYPING_LEADING (2), .traits = SONDE_TRAIT_STRICT),
  OWN ("ReduceExtremeGrad", 3, SONDE_FAMILY_GRADIENT, infer_reduced_grad, compute_extreme_grad,
       sonde_gradient_extreme_grad, 0, .reach = { sonde_reach_extreme, 0 },
       .typing = SONDE_TYPING_LEADING (3)),
  OWN ("ReduceToShape", 2, SONDE_FAMILY_REDUCTION, infer_to_shape, compute_to_shape,
       gradient_to_shape, 1 << 1, .reach = { sonde_reach_to_shape, 0x1 },
       .typing = SONDE_TYPING_LEADING (2), .traits = SONDE_TRAIT_STRICT),
  { .name = NULL },
};
