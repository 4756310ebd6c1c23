/* SPDX-License-Identifier: Apache-2.0
 * Pooling and its gradients in 1 to 3 spatial dimensions. x [N, C, …]. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/nn/sonde-window-taps-private.h"

#include <math.h>
#include <string.h>

typedef struct
{
  SondeWindowGeometry window; /* extended */
  gint64 planes, x_plane, y_plane, taps;
  SondeTap *tap;
  gboolean column_major; /* of MaxPool's Indices */
} PoolSizes;

/* MaxPool's storage_order 1 counts with the first spatial dimension as the innermost. */
static inline gint64
place_in_order (const PoolSizes *sizes, gint64 at)
{
  const gint64 *in = sizes->window.in;

  if (!sizes->column_major)
    return at;
  return at / (in[1] * in[2]) + (at / in[2] % in[1] + at % in[2] * in[1]) * in[0];
}

#define T float
#define S f32
#include "engine/ops/nn/sonde-pooling-template.h"
#define T double
#define S f64
#include "engine/ops/nn/sonde-pooling-template.h"

static void
pool_sizes_clear (PoolSizes *sizes)
{
  g_free (sizes->tap);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PoolSizes, pool_sizes_clear)

static void
pool_sizes_init (PoolSizes *sizes, const SondeNode *node, const SondeShape *x)
{
  SondeWindowGeometry *window = &sizes->window;

  (void) sonde_window_read (node, x->rank - 2, x->dims + 2, NULL, window, NULL);
  sonde_window_extend (window);
  sizes->tap = sonde_window_make_taps (window, &sizes->taps);
  sizes->planes = x->dims[0] * x->dims[1];
  sizes->x_plane = window->in[0] * window->in[1] * window->in[2];
  sizes->y_plane = window->out[0] * window->out[1] * window->out[2];
  sizes->column_major = sonde_node_get_int (node, "storage_order", 0) != 0;
}

/* ---- shape rules --------------------------------------------------------- */

static gboolean
read_window (const SondeNode *node, const SondeType *x, SondeWindowGeometry *window, GError **error)
{
  gint64 in[SONDE_WINDOW_DIMS] = { 0 };
  gint64 plane = 1;

  if (x->rank < 3)
    return sonde_infer_fail (error, "the input must be [N, C, …], but has %d dimensions", x->rank);
  for (int d = 2; d < x->rank && d - 2 < SONDE_WINDOW_DIMS; d++)
    {
      in[d - 2] = x->dims[d].size;
      plane = plane > G_MAXINT32 ? plane : plane * MAX (in[d - 2], 1);
    }
  if (!sonde_window_read (node, x->rank - 2, in, NULL, window, error))
    return FALSE;
  if (plane > G_MAXINT32)
    return sonde_infer_fail (error, "planes of more than %d elements are not implemented",
                             G_MAXINT32);
  return TRUE;
}

static gboolean
infer_any_pool (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeWindowGeometry window;

  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!read_window (context->node, x, &window, error))
    return FALSE;
  for (guint k = 0; k < context->n_outputs; k++)
    {
      context->outputs[k] = sonde_infer_type (k == 0 ? x->dtype : SONDE_DTYPE_I64, x->rank);
      context->outputs[k].dims[0] = x->dims[0];
      context->outputs[k].dims[1] = x->dims[1];
      for (int d = 0; d < window.n; d++)
        context->outputs[k].dims[d + 2].size = window.out[d];
    }
  return TRUE;
}

static gboolean
infer_pool (SondeInferContext *context, GError **error)
{
  return sonde_infer_need_float (context, 0, error) && infer_any_pool (context, error);
}

static gboolean
infer_max_pool (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  if (dtype == SONDE_DTYPE_I8 || dtype == SONDE_DTYPE_U8)
    return infer_any_pool (context, error);
  return infer_pool (context, error);
}

/* (dy, x) → dx */
static gboolean
infer_pool_grad (SondeInferContext *context, GError **error)
{
  const SondeType *dy = &context->inputs[0], *x = &context->inputs[1];
  SondeWindowGeometry window;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!read_window (context->node, x, &window, error))
    return FALSE;
  for (int d = 0; d < x->rank; d++)
    {
      gint64 want = d < 2 ? x->dims[d].size : window.out[d - 2];

      if (dy->rank != x->rank || (want >= 0 && dy->dims[d].size >= 0 && want != dy->dims[d].size))
        return sonde_infer_fail (error,
                                 "the gradient does not have the shape of the pool's output");
    }
  context->outputs[0] = *x;
  return TRUE;
}

/* (d, x) → what d has where x has its maxima */
static gboolean
infer_max_pick (SondeInferContext *context, GError **error)
{
  SondeInferContext pool = *context;

  pool.inputs = &context->inputs[1];
  pool.n_inputs = 1;
  return sonde_infer_need_same (context, 0, 1, error)
         && sonde_infer_need_shape (&context->inputs[0], &context->inputs[1],
                                    N_ ("the tensor to pick from"), error)
         && infer_pool (&pool, error);
}

static gboolean
infer_global (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];

  if (!sonde_infer_need_float (context, 0, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (x->rank < 2)
    return sonde_infer_fail (error, "the input must be [N, C, …], but has %d dimensions", x->rank);
  context->outputs[0] = *x;
  for (int d = 2; d < x->rank; d++)
    context->outputs[0].dims[d] = sonde_dimension (1);
  return TRUE;
}

/* ---- kernels ------------------------------------------------------------- */

/* Bytes as float32, which holds all of them. */
static void
max_pool_bytes (const PoolSizes *sizes, gint64 begin, gint64 end, SondeTensor *x, SondeTensor *y,
                gint64 *indices, gint32 *at)
{
  PoolSizes one = *sizes;
  g_autofree float *from = g_new (float, sizes->x_plane + 1);
  g_autofree float *to = g_new (float, sizes->y_plane + 1);

  for (gint64 p = begin; p < end; p++)
    {
      gint64 *places = indices ? indices + p * sizes->y_plane : NULL;

      sonde_dtype_convert (x->dtype, x->data + p * sizes->x_plane, SONDE_DTYPE_F32, from,
                           (gsize) sizes->x_plane);
      max_pool_f32 (&one, 0, 1, from, to, places, at);
      sonde_dtype_convert (SONDE_DTYPE_F32, to, y->dtype, y->data + p * sizes->y_plane,
                           (gsize) sizes->y_plane);
      for (gint64 i = 0; i < sizes->y_plane && places != NULL; i++)
        places[i] += p * sizes->x_plane;
    }
}

static gint64
count_planes (const SondeKernelContext *context, gint64 *cost)
{
  const SondeTensor *x = context->inputs[0];
  const SondeTensor *y = sonde_kernel_output (context, 0);
  gsize n = 0;
  const gint64 *kernel = sonde_node_get_ints (context->node, "kernel_shape", &n);

  *cost = y ? sonde_shape_product (&y->shape, 2, y->shape.rank) : 0;
  for (gsize d = 0; d < n; d++)
    *cost *= kernel[d];
  return y ? x->shape.dims[0] * x->shape.dims[1] : 0;
}

static void
max_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  SondeTensor *indices = sonde_kernel_output (context, 1);
  gint64 *places = indices ? (gint64 *) (void *) indices->data : NULL;
  g_auto (PoolSizes) sizes = { .tap = NULL };
  g_autofree gint32 *at = NULL;

  if (y == NULL)
    return;
  pool_sizes_init (&sizes, context->node, &x->shape);
  at = g_new (gint32, sizes.y_plane + 1);
  if (sonde_dtype_is_float (x->dtype))
    SONDE_FLOAT_CALL (x->dtype, max_pool, &sizes, begin, end, x->data, y->data, places, at);
  else
    max_pool_bytes (&sizes, begin, end, x, y, places, at);
}

static void
compute_max (const SondeKernelContext *context)
{
  gint64 cost = 0;

  max_part (context, 0, count_planes (context, &cost));
}

static gint64
count_grad_planes (const SondeKernelContext *context, gint64 *cost)
{
  const SondeTensor *dy = context->inputs[0], *dx = context->outputs[0];
  gsize n = 0;
  const gint64 *kernel = sonde_node_get_ints (context->node, "kernel_shape", &n);

  *cost = sonde_shape_product (&dy->shape, 2, dy->shape.rank);
  for (gsize d = 0; d < n; d++)
    *cost *= kernel[d];
  return dx->shape.dims[0] * dx->shape.dims[1];
}

static void
max_grad_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *x = context->inputs[1];
  g_auto (PoolSizes) sizes = { .tap = NULL };
  g_autofree gint32 *at = NULL;
  g_autofree void *best = NULL;

  pool_sizes_init (&sizes, context->node, &x->shape);
  at = g_new (gint32, sizes.y_plane + 1);
  best = g_new (double, sizes.y_plane + 1);
  SONDE_FLOAT_CALL (x->dtype, max_pool_grad, &sizes, begin, end, dy->data, x->data,
                    context->outputs[0]->data, best, at);
}

static void
compute_max_grad (const SondeKernelContext *context)
{
  gint64 cost = 0;

  max_grad_part (context, 0, count_grad_planes (context, &cost));
}

static void
max_pick_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *x = context->inputs[1];
  g_auto (PoolSizes) sizes = { .tap = NULL };
  g_autofree gint32 *at = NULL;

  pool_sizes_init (&sizes, context->node, &x->shape);
  at = g_new (gint32, sizes.y_plane + 1);
  SONDE_FLOAT_CALL (x->dtype, max_pool_pick, &sizes, begin, end, context->inputs[0]->data, x->data,
                    context->outputs[0]->data, at);
}

static void
compute_max_pick (const SondeKernelContext *context)
{
  gint64 cost = 0;

  max_pick_part (context, 0, count_planes (context, &cost));
}

/* One over the number of elements that each output averages: a product of counts per dimension; 1
 * for a sum. */
static double *
average_shares (const PoolSizes *sizes, const SondeNode *node)
{
  const SondeWindowGeometry *window = &sizes->window;
  gboolean padding = sonde_node_get_int (node, "count_include_pad", 0) != 0;
  double *shares = g_new (double, sizes->y_plane + 1);

  for (gint64 i = 0; i < sizes->y_plane; i++)
    shares[i] = 1;
  for (int d = 0; d < SONDE_WINDOW_DIMS && !g_str_has_prefix (node->op, "Sum"); d++)
    {
      gint64 inner = d == 0 ? window->out[1] * window->out[2] : d == 1 ? window->out[2] : 1;
      gint64 low = padding ? -window->before[d] : 0;
      gint64 high = window->in[d] + (padding ? window->declared_after[d] : 0);

      for (gint64 i = 0; i < sizes->y_plane; i++)
        {
          gint64 start = i / inner % window->out[d] * window->stride[d] - window->before[d];
          gint64 count = 0;

          for (gint64 k = 0; k < window->kernel[d]; k++)
            count
                += start + k * window->dilation[d] >= low && start + k * window->dilation[d] < high;
          shares[i] /= (double) MAX (count, 1);
        }
    }
  return shares;
}

static void
average_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *x = context->inputs[0];
  g_auto (PoolSizes) sizes = { .tap = NULL };
  g_autofree double *shares = NULL;

  pool_sizes_init (&sizes, context->node, &x->shape);
  shares = average_shares (&sizes, context->node);
  SONDE_FLOAT_CALL (x->dtype, average_pool, &sizes, begin, end, shares, x->data,
                    context->outputs[0]->data);
}

static void
compute_average (const SondeKernelContext *context)
{
  gint64 cost = 0;

  average_part (context, 0, count_planes (context, &cost));
}

static void
average_grad_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *dx = context->outputs[0];
  g_auto (PoolSizes) sizes = { .tap = NULL };
  g_autofree double *shares = NULL;
  g_autofree void *part = NULL;

  pool_sizes_init (&sizes, context->node, &dx->shape);
  shares = average_shares (&sizes, context->node);
  part = g_new (double, sizes.y_plane + 1);
  SONDE_FLOAT_CALL (dy->dtype, average_pool_grad, &sizes, begin, end, shares, dy->data, dx->data,
                    part);
}

static void
compute_average_grad (const SondeKernelContext *context)
{
  gint64 cost = 0;

  average_grad_part (context, 0, count_grad_planes (context, &cost));
}

static void
compute_global (const SondeKernelContext *context, gboolean mean)
{
  SondeTensor *x = context->inputs[0];

  SONDE_FLOAT_CALL (x->dtype, global_pool, sonde_shape_product (&x->shape, 0, 2),
                    sonde_shape_product (&x->shape, 2, x->shape.rank), x->data,
                    context->outputs[0]->data, mean);
}

static void
compute_global_average (const SondeKernelContext *context)
{
  compute_global (context, TRUE);
}

static void
compute_global_max (const SondeKernelContext *context)
{
  compute_global (context, FALSE);
}

/* ---- gradients ----------------------------------------------------------- */

static gboolean
gradient_max (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = sonde_rule_own_copying (
      context, "MaxPoolGrad", sonde_rule_dy (context), sonde_rule_x (context, 0), NULL);
  return TRUE;
}

static gboolean
gradient_average (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = sonde_rule_own_copying (
      context, "AveragePoolGrad", sonde_rule_dy (context), sonde_rule_x (context, 0), NULL);
  return TRUE;
}

/* All of these are linear: the gradient of a gradient is the pool itself, and the other way
 * round. */

static SondeGraphValue *
same_window (SondeGradientContext *context, const char *domain, const char *op, SondeGraphValue *a,
             SondeGraphValue *b) /* (nullable) */
{
  SondeGraphValue *inputs[] = { a, b };
  SondeGraphValue *y = sonde_build_op (context->graph, NULL, domain, op, b ? 2 : 1, inputs);

  sonde_rule_copy_attributes (y->producer, context->node);
  return sonde_rule_infer (context, y);
}

static gboolean
gradient_average_grad (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0]
      = same_window (context, "", "AveragePool", sonde_rule_dy (context), NULL);
  return TRUE;
}

static gboolean
gradient_sum (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = same_window (context, SONDE_DOMAIN, "SumPoolGrad",
                                             sonde_rule_dy (context), sonde_rule_x (context, 0));
  return TRUE;
}

static gboolean
gradient_sum_grad (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0]
      = same_window (context, SONDE_DOMAIN, "SumPool", sonde_rule_dy (context), NULL);
  return TRUE;
}

/* Which elements are the largest does not move. */
static gboolean
gradient_max_grad (SondeGradientContext *context, GError **error)
{
  if (context->wanted[0])
    context->input_gradients[0] = same_window (context, SONDE_DOMAIN, "MaxPoolPick",
                                               sonde_rule_dy (context), sonde_rule_x (context, 1));
  return TRUE;
}

static gboolean
gradient_max_pick (SondeGradientContext *context, GError **error)
{
  if (context->wanted[0])
    context->input_gradients[0] = same_window (context, SONDE_DOMAIN, "MaxPoolGrad",
                                               sonde_rule_dy (context), sonde_rule_x (context, 1));
  return TRUE;
}

/* A reduction over all dimensions from 2 on. */
static gboolean
set_spatial_axes (SondeGradientContext *context, SondeGraphValue *dx, GError **error)
{
  int rank = sonde_rule_x (context, 0)->type.rank;
  gint64 axes[SONDE_MAX_RANK];

  if (rank < 2)
    return sonde_infer_fail (error, "node “%s” (%s): no gradient without the rank of its input",
                             context->node->name, context->node->op);
  for (int d = 2; d < rank; d++)
    axes[d - 2] = d;
  sonde_node_set_ints (dx->producer, "axes", axes, (gsize) (rank - 2));
  sonde_node_set_int (dx->producer, "noop_with_empty_axes", 1);
  context->input_gradients[0] = sonde_rule_infer (context, dx);
  return TRUE;
}

static gboolean
gradient_global_average (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dx = sonde_rule_own (context, "BroadcastLike", sonde_rule_dy (context),
                                        sonde_rule_x (context, 0), NULL);

  sonde_node_set_int (dx->producer, "mean", 1);
  return set_spatial_axes (context, dx, error);
}

static gboolean
gradient_global_max (SondeGradientContext *context, GError **error)
{
  return set_spatial_axes (context,
                           sonde_rule_own (context, "ReduceExtremeGrad", sonde_rule_dy (context),
                                           sonde_rule_x (context, 0), sonde_rule_y (context, 0),
                                           NULL),
                           error);
}

/* ---- rows ---------------------------------------------------------------- */

static void
cost_pool (const SondeInferContext *context, SondeCost *cost)
{
  gsize n = 0;
  const gint64 *kernel = sonde_node_get_ints (context->node, "kernel_shape", &n);
  const SondeType *y
      = g_str_has_suffix (context->node->op, "Grad") ? &context->inputs[0] : &context->outputs[0];
  gint64 outputs = y->rank >= 0 ? sonde_type_product (y, 0, y->rank) : -1;
  double flops = outputs > 0 ? (double) outputs : 0;

  for (gsize d = 0; d < n; d++)
    flops *= (double) kernel[d];
  cost->flops = flops;
}

static void
cost_global (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *x = &context->inputs[0];
  gint64 n = x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;

  cost->flops = n > 0 ? (double) n : 0;
}

static const char *const auto_pads[] = { "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", NULL };
static const SondeAttributeRule pool_rules[] = {
  { "auto_pad", SONDE_ATTRIBUTE_STRING, .choices = auto_pads },
  { "ceil_mode", SONDE_ATTRIBUTE_INT },
  { "count_include_pad", SONDE_ATTRIBUTE_INT },
  { "dilations", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "kernel_shape", SONDE_ATTRIBUTE_INTS, .required = TRUE, .minimum = 1, .maximum = G_MAXINT32 },
  { "pads", SONDE_ATTRIBUTE_INTS },
  { "storage_order", SONDE_ATTRIBUTE_INT },
  { "strides", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { NULL },
};

#define POOL(set, label, n, most_outputs, kind, rule, loop, derivative, likes, ...)                \
  {                                                                                                \
    .domain = set, .name = label, .since = 1, .min_inputs = n, .max_inputs = n, .min_outputs = 1,  \
    .max_outputs = most_outputs, .family = kind, .attributes = pool_rules, .infer = rule,          \
    .compute = loop, .gradient = derivative, .cost = cost_pool, .shape_only = likes, __VA_ARGS__   \
  }
#define GLOBAL(label, loop, derivative, ...)                                                       \
  {                                                                                                \
    .domain = "", .name = label, .since = 1, .min_inputs = 1, .max_inputs = 1, .min_outputs = 1,   \
    .max_outputs = 1, .family = SONDE_FAMILY_REDUCTION, .infer = infer_global, .compute = loop,    \
    .gradient = derivative, .cost = cost_global, .reach = { sonde_reach_leading, 2 }, __VA_ARGS__  \
  }

const SondeOpClass sonde_ops_pooling[] = {
  POOL ("", "AveragePool", 1, 1, SONDE_FAMILY_REDUCTION, infer_pool, compute_average,
        gradient_average, 0, .count_parts = count_planes, .compute_part = average_part,
        .reach = { sonde_reach_pool, 0x1 }, .typing = SONDE_TYPING_UNIFORM,
        .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_AUTOCAST_TRAINING | SONDE_TRAIT_KEEPS_POSITIVE,
        .attribution = SONDE_ATTRIBUTION_LINEAR, .id = SONDE_OP_ID_AVERAGE_POOL),
  POOL ("", "MaxPool", 1, 2, SONDE_FAMILY_REDUCTION, infer_max_pool, compute_max, gradient_max, 0,
        .count_parts = count_planes, .compute_part = max_part, .reach = { sonde_reach_pool, 0x1 },
        .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_AUTOCAST | SONDE_TRAIT_KEEPS_POSITIVE,
        .attribution = SONDE_ATTRIBUTION_MAX_POOL, .id = SONDE_OP_ID_MAX_POOL),
  POOL (SONDE_DOMAIN, "AveragePoolGrad", 2, 1, SONDE_FAMILY_GRADIENT, infer_pool_grad,
        compute_average_grad, gradient_average_grad, 1 << 1, .count_parts = count_grad_planes,
        .compute_part = average_grad_part, .reach = { sonde_reach_pool_back, 0 },
        .typing = SONDE_TYPING_LEADING (2)),
  POOL (SONDE_DOMAIN, "MaxPoolGrad", 2, 1, SONDE_FAMILY_GRADIENT, infer_pool_grad, compute_max_grad,
        gradient_max_grad, 0, .count_parts = count_grad_planes, .compute_part = max_grad_part,
        .reach = { sonde_reach_pool_back, 0 }, .typing = SONDE_TYPING_LEADING (2),
        .id = SONDE_OP_ID_MAX_POOL_GRAD),
  POOL (SONDE_DOMAIN, "MaxPoolPick", 2, 1, SONDE_FAMILY_GRADIENT, infer_max_pick, compute_max_pick,
        gradient_max_pick, 0, .count_parts = count_planes, .compute_part = max_pick_part,
        .reach = { sonde_reach_moved, 0x1 }, .typing = SONDE_TYPING_OWN,
        .traits = SONDE_TRAIT_STRICT),
  POOL (SONDE_DOMAIN, "SumPool", 1, 1, SONDE_FAMILY_REDUCTION, infer_pool, compute_average,
        gradient_sum, 0, .count_parts = count_planes, .compute_part = average_part,
        .reach = { sonde_reach_pool, 0x1 }, .typing = SONDE_TYPING_LEADING (1),
        .traits = SONDE_TRAIT_STRICT),
  POOL (SONDE_DOMAIN, "SumPoolGrad", 2, 1, SONDE_FAMILY_GRADIENT, infer_pool_grad,
        compute_average_grad, gradient_sum_grad, 1 << 1, .count_parts = count_grad_planes,
        .compute_part = average_grad_part, .reach = { sonde_reach_pool_back, 0 },
        .typing = SONDE_TYPING_LEADING (2)),
  GLOBAL ("GlobalAveragePool", compute_global_average, gradient_global_average,
          .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_KEEPS_POSITIVE,
          .attribution = SONDE_ATTRIBUTION_LINEAR, .id = SONDE_OP_ID_GLOBAL_AVERAGE_POOL),
  GLOBAL ("GlobalMaxPool", compute_global_max, gradient_global_max, .typing = SONDE_TYPING_UNIFORM,
          .attribution = SONDE_ATTRIBUTION_MOVE, .id = SONDE_OP_ID_GLOBAL_MAX_POOL,
          .traits = SONDE_TRAIT_KEEPS_POSITIVE),
  { .name = NULL },
};
