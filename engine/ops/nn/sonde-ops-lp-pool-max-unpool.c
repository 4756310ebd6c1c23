/* SPDX-License-Identifier: Apache-2.0
 * Pooling by norm, LpPool and GlobalLpPool: y = (Σ |x|^p)^(1/p), padding counting as zeros; and
 * MaxUnpool, which puts what MaxPool chose back to its place. x [N, C, …]. */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/nn/sonde-window-taps-private.h"

#include "data/base/sonde-checked.h"

#include <math.h>
#include <string.h>

/* ---- LpPool -------------------------------------------------------------- */

#define NORM(suffix, T, absolute, power, root)                                                     \
  static inline T raise_##suffix (T x, gint64 p)                                                   \
  {                                                                                                \
    return p == 2 ? x * x : p == 1 ? absolute (x) : power (absolute (x), (T) p);                   \
  }                                                                                                \
                                                                                                   \
  static void take_root_##suffix (T *y, gint64 n, gint64 p)                                        \
  {                                                                                                \
    for (gint64 i = 0; i < n && p != 1; i++)                                                       \
      y[i] = p == 2 ? root (y[i]) : power (y[i], (T) (1 / (double) p));                            \
  }                                                                                                \
                                                                                                   \
  /* As in the other pools each tap is one pass over rows of outputs. */                           \
  static void norm_plane_##suffix (const SondeWindowGeometry *window, const SondeTap *taps,        \
                                   gint64 n_taps, gint64 p, const void *from, void *to)            \
  {                                                                                                \
    const gint64 n = window->out[0] * window->out[1] * window->out[2], step = window->stride[2];   \
    T *restrict y = to;                                                                            \
    memset (y, 0, (gsize) n * sizeof (T));                                                         \
    for (const SondeTap *tap = taps; tap < taps + n_taps; tap++)                                   \
      for (gint64 i = tap->low[0]; i < tap->high[0]; i++)                                          \
        for (gint64 j = tap->low[1]; j < tap->high[1]; j++)                                        \
          {                                                                                        \
            const T *x = (const T *) from + sonde_tap_row (window, tap, i, j);                     \
            T *restrict sum = y + (i * window->out[1] + j) * window->out[2];                       \
            for (gint64 k = tap->low[2]; k < tap->high[2]; k++)                                    \
              sum[k] += raise_##suffix (x[k * step], p);                                           \
          }                                                                                        \
    take_root_##suffix (y, n, p);                                                                  \
  }                                                                                                \
                                                                                                   \
  static void norm_all_##suffix (gint64 n, gint64 p, const void *from, void *to)                   \
  {                                                                                                \
    const T *x = from;                                                                             \
    double sum = 0;                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      sum += (double) raise_##suffix (x[i], p);                                                    \
    *(T *) to = (T) (p == 1 ? sum : p == 2 ? sqrt (sum) : pow (sum, 1 / (double) p));              \
  }
NORM (f32, float, fabsf, powf, sqrtf)
NORM (f64, double, fabs, pow, sqrt)

static gboolean
read_window (const SondeNode *node, const SondeType *x, SondeWindowGeometry *window, GError **error)
{
  gint64 in[SONDE_WINDOW_DIMS] = { 0 };

  if (x->rank < 3)
    return sonde_infer_fail (error, "the input must be [N, C, …], but has %d dimensions", x->rank);
  for (int d = 2; d < x->rank && d - 2 < SONDE_WINDOW_DIMS; d++)
    in[d - 2] = x->dims[d].size;
  return sonde_window_read (node, x->rank - 2, in, NULL, window, error);
}

static gboolean
infer_lp_pool (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeWindowGeometry window;

  if (!sonde_infer_need_float (context, 0, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!read_window (context->node, x, &window, error))
    return FALSE;
  context->outputs[0] = *x;
  for (int d = 0; d < window.n; d++)
    context->outputs[0].dims[d + 2] = sonde_dimension (window.out[d]);
  return TRUE;
}

static gint64
count_planes (const SondeKernelContext *context, gint64 *cost)
{
  const SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gsize n = 0;
  const gint64 *kernel = sonde_node_get_ints (context->node, "kernel_shape", &n);

  *cost = sonde_shape_product (&y->shape, 2, y->shape.rank);
  for (gsize d = 0; d < n; d++)
    *cost *= kernel[d];
  return x->shape.dims[0] * x->shape.dims[1];
}

static void
lp_pool_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 p = sonde_node_get_int (context->node, "p", 2);
  gsize x_bytes
      = (gsize) sonde_shape_product (&x->shape, 2, x->shape.rank) * sonde_dtype_size (x->dtype);
  gsize y_bytes
      = (gsize) sonde_shape_product (&y->shape, 2, y->shape.rank) * sonde_dtype_size (y->dtype);
  SondeWindowGeometry window;
  gint64 n = 0;
  g_autofree SondeTap *taps = NULL;

  (void) sonde_window_read (context->node, x->shape.rank - 2, x->shape.dims + 2, NULL, &window,
                            NULL);
  sonde_window_extend (&window);
  taps = sonde_window_make_taps (&window, &n);
  for (gint64 plane = begin; plane < end; plane++)
    SONDE_FLOAT_CALL (x->dtype, norm_plane, &window, taps, n, p, x->data + (gsize) plane * x_bytes,
                      y->data + (gsize) plane * y_bytes);
}

static void
compute_lp_pool (const SondeKernelContext *context)
{
  gint64 cost = 0;

  lp_pool_part (context, 0, count_planes (context, &cost));
}

/* ---- GlobalLpPool -------------------------------------------------------- */

static gboolean
infer_global_lp_pool (SondeInferContext *context, GError **error)
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

static void
compute_global_lp_pool (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 p = sonde_node_get_int (context->node, "p", 2);
  gint64 planes = sonde_shape_product (&x->shape, 0, 2),
         n = sonde_shape_product (&x->shape, 2, x->shape.rank);
  gsize size = sonde_dtype_size (x->dtype);

  for (gint64 plane = 0; plane < planes; plane++)
    SONDE_FLOAT_CALL (x->dtype, norm_all, n, p, x->data + (gsize) (plane * n) * size,
                      y->data + (gsize) plane * size);
}

/* ---- gradients of norms -------------------------------------------------- */

/* dx = |x|^(p−1)·sign (x)·(what reaches x of dy / y^(p−1)); where y is 0, the slope is taken as
 * 0. */
static gboolean
gradient_norm (SondeGradientContext *context, GError **error)
{
  gint64 p = sonde_node_get_int (context->node, "p", 2);
  gboolean window = sonde_node_find_attribute (context->node, "kernel_shape") != NULL;
  SondeGraphValue *x = sonde_rule_x (context, 0), *y = sonde_rule_y (context, 0),
                  *dy = sonde_rule_dy (context);
  SondeGraphValue *slope = p == 1 ? sonde_rule_unary (context, "Sign", x) : x;

  if (p > 1)
    {
      SondeGraphValue *zero
          = sonde_rule_binary (context, "Equal", y, sonde_decompose_number (context, y, 0));

      y = sonde_decompose_where (context, zero, sonde_decompose_number (context, y, 1), y);
      dy = sonde_decompose_div (context, dy, sonde_decompose_power (context, y, (double) (p - 1)));
    }
  if (p > 2)
    slope = sonde_decompose_mul (
        context, x,
        sonde_decompose_power (context, sonde_rule_unary (context, "Abs", x), (double) (p - 2)));
  if (window)
    {
      dy = sonde_rule_own_copying (context, "SumPoolGrad", dy, x, NULL);
      (void) sonde_node_remove_attribute (dy->producer, "p");
    }
  context->input_gradients[0] = sonde_decompose_mul (context, slope, dy);
  return TRUE;
}

/* ---- MaxUnpool ----------------------------------------------------------- */

/* The sizes that MaxPool's input had if nothing was left over: indices count in them. */
static gboolean
unpooled_sizes (const SondeNode *node, const SondeType *x, SondeType *result, GError **error)
{
  int n = x->rank - 2;
  gsize n_kernel = 0, n_strides = 0, n_pads = 0;
  const gint64 *kernel = sonde_node_get_ints (node, "kernel_shape", &n_kernel);
  const gint64 *strides = sonde_node_get_ints (node, "strides", &n_strides);
  const gint64 *pads = sonde_node_get_ints (node, "pads", &n_pads);

  if (n < 1 || n_kernel != (gsize) n || (strides && n_strides != (gsize) n)
      || (pads && n_pads != 2 * (gsize) n))
    return sonde_infer_fail (
        error, "kernel_shape, strides and pads do not fit an input of %d dimensions", x->rank);
  *result = *x;
  for (int d = 0; d < n; d++)
    {
      gint64 size = x->dims[d + 2].size;
      gint64 before = pads ? pads[d] : 0, after = pads ? pads[d + n] : 0;

      if (kernel[d] < 1 || kernel[d] > G_MAXINT32 || before < 0 || before > G_MAXINT32 || after < 0
          || after > G_MAXINT32)
        return sonde_infer_fail (error, "the window of dimension %d is impossible", d + 2);
      if (size < 0)
        continue;
      if (!sonde_checked_mul (&size, MAX (size - 1, 0), strides ? strides[d] : 1)
          || size > G_MAXINT32)
        return sonde_infer_fail (error, "dimension %d would be too big", d + 2);
      size += kernel[d] - before - after;
      if (size < 0 || size > G_MAXINT32)
        return sonde_infer_fail (error, "dimension %d would get size %" PRIi64, d + 2, size);
      result->dims[d + 2] = sonde_dimension (x->dims[d + 2].size == 0 ? 0 : size);
    }
  return TRUE;
}

static gboolean
infer_max_unpool (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gsize n = 0;
  g_autofree gint64 *sizes = sonde_infer_known_ints (context, 2, &n);

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_integer (context, 1, error)
      || !sonde_infer_need_integer (context, 2, error)
      || !sonde_infer_need_shape (&context->inputs[1], x, N_ ("the indices"), error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!unpooled_sizes (context->node, x, &context->outputs[0], error))
    return FALSE;
  if (sonde_infer_input (context, 2) == NULL)
    return TRUE;
  if (sizes != NULL && n != (gsize) x->rank)
    return sonde_infer_fail (error, "output_shape has %zu sizes for %d dimensions", n, x->rank);
  for (int d = 0; d < x->rank; d++)
    {
      if (sizes != NULL && sizes[d] < 0)
        return sonde_infer_fail (error, "size %" PRIi64 " is negative", sizes[d]);
      context->outputs[0].dims[d] = sonde_dimension (sizes ? sizes[d] : -1);
    }
  return TRUE;
}

/* Of the tensor in which the indices of @x (or of what is shaped as it) count. */
static gboolean
indices_shape (const SondeKernelContext *context, const SondeTensor *x, SondeShape *shape)
{
  SondeType type = sonde_type_tensor (x->dtype, &x->shape), whole;

  return unpooled_sizes (context->node, &type, &whole, NULL)
         && sonde_type_get_shape (&whole, shape);
}

static gboolean
check_max_unpool (const SondeKernelContext *context, GError **error)
{
  const SondeTensor *indices = context->inputs[1];
  gint64 n = sonde_tensor_n_elements (indices), total;
  SondeShape shape;

  if (!indices_shape (context, indices, &shape))
    return TRUE;
  total = sonde_shape_n_elements (&shape);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = sonde_tensor_get_int (indices, i);

      if (at >= 0 && at < total)
        continue;
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "index %" PRIi64 " at %" PRIi64 " is outside of a tensor of %" PRIi64
                       " elements",
                       at, i, total);
      return FALSE;
    }
  return TRUE;
}

/* Where element @at of @from lies in @to, which starts at the same corner; -1 outside. */
static gint64
place_in (const SondeShape *from, const SondeShape *to, gint64 at)
{
  gint64 place = 0, stride = 1;

  for (int d = from->rank - 1; d >= 0; d--)
    {
      gint64 index = at % from->dims[d];

      if (index >= to->dims[d])
        return -1;
      place += index * stride;
      stride *= to->dims[d];
      at /= from->dims[d];
    }
  return place;
}

static void
compute_max_unpool (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *indices = context->inputs[1], *y = context->outputs[0];
  gsize size = sonde_dtype_size (x->dtype);
  gint64 n = sonde_tensor_n_elements (x), total;
  SondeShape shape;

  memset (y->data, 0, sonde_tensor_n_bytes (y));
  if (!indices_shape (context, indices, &shape))
    return;
  total = sonde_shape_n_elements (&shape);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = sonde_tensor_get_int (indices, i);
      gint64 place = at >= 0 && at < total ? place_in (&shape, &y->shape, at) : -1;

      if (place >= 0)
        memcpy (y->data + (gsize) place * size, x->data + (gsize) i * size, size);
    }
}

/* (dy, indices) → dx: what came out where x went */
static gboolean
infer_max_unpool_grad (SondeInferContext *context, GError **error)
{
  const SondeType *dy = &context->inputs[0], *indices = &context->inputs[1];
  SondeType whole;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (dy->rank != indices->rank)
    return sonde_infer_fail (error, "the gradient has %d dimensions, but the indices have %d",
                             dy->rank, indices->rank);
  context->outputs[0] = *indices;
  context->outputs[0].dtype = dy->dtype;
  return unpooled_sizes (context->node, indices, &whole, error);
}

static void
compute_max_unpool_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0], *indices = context->inputs[1], *dx = context->outputs[0];
  gsize size = sonde_dtype_size (dy->dtype);
  gint64 n = sonde_tensor_n_elements (dx), total;
  SondeShape shape;

  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  if (!indices_shape (context, indices, &shape))
    return;
  total = sonde_shape_n_elements (&shape);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = sonde_tensor_get_int (indices, i);
      gint64 place = at >= 0 && at < total ? place_in (&shape, &dy->shape, at) : -1;

      if (place >= 0)
        memcpy (dx->data + (gsize) i * size, dy->data + (gsize) place * size, size);
    }
}

static gboolean
gradient_max_unpool (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = sonde_rule_own_copying (
      context, "MaxUnpoolGrad", sonde_rule_dy (context), sonde_rule_x (context, 1), NULL);
  return TRUE;
}

static gboolean
gradient_max_unpool_grad (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[] = { sonde_rule_dy (context), sonde_rule_x (context, 1),
                                sonde_rule_unary (context, "Shape", sonde_rule_x (context, 0)) };
  SondeGraphValue *y
      = sonde_build_op (context->graph, NULL, "", "MaxUnpool", G_N_ELEMENTS (inputs), inputs);

  sonde_rule_copy_attributes (y->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, y);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static void
cost_norm (const SondeInferContext *context, SondeCost *cost)
{
  gsize n = 0;
  const gint64 *kernel = sonde_node_get_ints (context->node, "kernel_shape", &n);
  const SondeType *type = kernel ? &context->outputs[0] : &context->inputs[0];
  gint64 elements = type->rank >= 0 ? sonde_type_product (type, 0, type->rank) : -1;

  cost->flops = elements > 0 ? 2 * (double) elements : 0;
  for (gsize d = 0; d < n; d++)
    cost->flops *= (double) kernel[d];
}

static const char *const auto_pads[] = { "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", NULL };
static const SondeAttributeRule lp_pool_rules[] = {
  { "auto_pad", SONDE_ATTRIBUTE_STRING, .choices = auto_pads },
  { "ceil_mode", SONDE_ATTRIBUTE_INT },
  { "dilations", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "kernel_shape", SONDE_ATTRIBUTE_INTS, .required = TRUE, .minimum = 1, .maximum = G_MAXINT32 },
  { "p", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT16 },
  { "pads", SONDE_ATTRIBUTE_INTS },
  { "strides", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { NULL },
};
static const SondeAttributeRule norm_rule[] = {
  { "p", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT16 },
  { NULL },
};
static const SondeAttributeRule unpool_rules[] = {
  { "kernel_shape", SONDE_ATTRIBUTE_INTS, .required = TRUE, .minimum = 1, .maximum = G_MAXINT32 },
  { "pads", SONDE_ATTRIBUTE_INTS, .minimum = 0, .maximum = G_MAXINT32 },
  { "strides", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { NULL },
};

const SondeOpClass sonde_ops_lp_pool_max_unpool[] = {
  {
      .domain = "",
      .name = "GlobalLpPool",
      .since = 2,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = norm_rule,
      .infer = infer_global_lp_pool,
      .compute = compute_global_lp_pool,
      .gradient = gradient_norm,
      .cost = cost_norm,
      .reach = { sonde_reach_leading, 2 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "LpPool",
      .since = 2,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = lp_pool_rules,
      .infer = infer_lp_pool,
      .compute = compute_lp_pool,
      .gradient = gradient_norm,
      .cost = cost_norm,
      .count_parts = count_planes,
      .compute_part = lp_pool_part,
      .reach = { sonde_reach_pool, 0x1 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "MaxUnpool",
      .since = 9,
      .min_inputs = 2,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = unpool_rules,
      .infer = infer_max_unpool,
      .compute = compute_max_unpool,
      .check = check_max_unpool,
      .gradient = gradient_max_unpool,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "MaxUnpoolGrad",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = unpool_rules,
      .infer = infer_max_unpool_grad,
      .compute = compute_max_unpool_grad,
      .gradient = gradient_max_unpool_grad,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  { NULL },
};
