/* SPDX-License-Identifier: Apache-2.0
 * Convolution and its gradients in 1 to 3 spatial dimensions; ConvTranspose is the gradient for the
 * input used forwards. x [N, C, …], w [M, C/group, …], y [N, M, …]. Gradient rules are in
 * sonde-ops-conv-gradient-rules.c, fast kernels are the devices' business. */
#include "engine/ops/nn/sonde-conv-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/nn/sonde-window-taps-private.h"

#include <string.h>

/* ---- geometry for the kernels -------------------------------------------- */

typedef struct
{
  SondeWindowGeometry window; /* extended */
  gint64 batch, channels, filters, taps, x_plane, y_plane;
  SondeTap *tap;
} ConvSizes;

#define T float
#define S f32
#include "engine/ops/nn/sonde-conv-template.h"
#define T double
#define S f64
#include "engine/ops/nn/sonde-conv-template.h"

static void
set_window (ConvSizes *sizes)
{
  SondeWindowGeometry *window = &sizes->window;

  sonde_window_extend (window);
  sizes->tap = sonde_window_make_taps (window, &sizes->taps);
  sizes->x_plane = window->in[0] * window->in[1] * window->in[2];
  sizes->y_plane = window->out[0] * window->out[1] * window->out[2];
}

static void
conv_sizes_clear (ConvSizes *sizes)
{
  g_free (sizes->tap);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ConvSizes, conv_sizes_clear)

/* @x: the side that the window slides over; @w: the weight */
static void
conv_sizes_init (ConvSizes *sizes, const SondeNode *node, const SondeShape *x, const SondeShape *w)
{
  sizes->batch = x->dims[0];
  sizes->channels = x->dims[1];
  sizes->filters = w->dims[0];
  (void) sonde_window_read (node, x->rank - 2, x->dims + 2, w->dims + 2, &sizes->window, NULL);
  set_window (sizes);
}

/* ---- shape rules --------------------------------------------------------- */

static gboolean
check_channels (const SondeType *x, const SondeType *w, gint64 group, GError **error)
{
  gint64 channels = x->dims[1].size, filters = w->dims[0].size, each = w->dims[1].size;

  if (channels >= 0 && each >= 0 && (channels % group != 0 || channels / group != each))
    return sonde_infer_fail (error,
                             "the input has %" PRIi64 " channels, but the weight takes %" PRIi64
                             " in %" PRIi64 " groups",
                             channels, each, group);
  if (filters >= 0 && filters % group != 0)
    return sonde_infer_fail (error, "%" PRIi64 " filters cannot be shared among %" PRIi64 " groups",
                             filters, group);
  return TRUE;
}

static gboolean
check_bias (const SondeInferContext *context, gint64 filters, GError **error)
{
  const SondeType *bias = sonde_infer_input (context, 2);

  if (!sonde_infer_need_rank (context, 2, 1, error))
    return FALSE;
  if (bias != NULL && bias->rank == 1 && bias->dims[0].size >= 0 && filters >= 0
      && bias->dims[0].size != filters)
    return sonde_infer_fail (error, "the bias has %" PRIi64 " entries for %" PRIi64 " filters",
                             bias->dims[0].size, filters);
  return TRUE;
}

static gboolean
infer_conv (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *w = &context->inputs[1];
  gint64 in[SONDE_WINDOW_DIMS] = { 0 }, kernel[SONDE_WINDOW_DIMS] = { 0 };
  SondeWindowGeometry window;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_conv_spatial_sizes (x, w, in, kernel, error)
      || !sonde_window_read (context->node, x->rank - 2, in, kernel, &window, error)
      || !check_channels (x, w, window.group, error)
      || !check_bias (context, w->dims[0].size, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
  context->outputs[0].dims[0] = x->dims[0];
  context->outputs[0].dims[1] = w->dims[0];
  for (int d = 0; d < window.n; d++)
    context->outputs[0].dims[d + 2].size = window.out[d];
  return TRUE;
}

/* Weight [C, M/group, …]: as a convolution backwards, C are its filters and M its channels. */
static gboolean
infer_conv_transpose (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *w = &context->inputs[1];
  gint64 in[SONDE_WINDOW_DIMS] = { 0 }, kernel[SONDE_WINDOW_DIMS] = { 0 };
  gint64 filters = -1;
  SondeWindowGeometry window;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_conv_spatial_sizes (x, w, in, kernel, error)
      || !sonde_window_read_transposed (context->node, x->rank - 2, in, kernel, &window, error))
    return FALSE;
  if (x->dims[1].size >= 0 && w->dims[0].size >= 0
      && (x->dims[1].size != w->dims[0].size || x->dims[1].size % window.group != 0))
    return sonde_infer_fail (error,
                             "the input has %" PRIi64 " channels, but the weight takes %" PRIi64
                             " in %" PRIi64 " groups",
                             x->dims[1].size, w->dims[0].size, window.group);
  if (w->dims[1].size >= 0)
    filters = w->dims[1].size * window.group;
  if (!check_bias (context, filters, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
  context->outputs[0].dims[0] = x->dims[0];
  context->outputs[0].dims[1].size = filters;
  for (int d = 0; d < window.n; d++)
    context->outputs[0].dims[d + 2].size = window.in[d];
  return TRUE;
}

/* dy must be what the forward rule gives for (x, w). @x_at, @w_at, @dy_at: their inputs */
static gboolean
check_gradient (SondeInferContext *context, guint dy_at, guint x_at, guint w_at, GError **error)
{
  const SondeType *x = &context->inputs[x_at], *w = &context->inputs[w_at],
                  *dy = &context->inputs[dy_at];
  gint64 in[SONDE_WINDOW_DIMS] = { 0 }, kernel[SONDE_WINDOW_DIMS] = { 0 };
  SondeWindowGeometry window;

  if (!sonde_conv_spatial_sizes (x, w, in, kernel, error)
      || !sonde_window_read (context->node, x->rank - 2, in, kernel, &window, error)
      || !check_channels (x, w, window.group, error))
    return FALSE;
  for (int d = 0; d < dy->rank; d++)
    {
      gint64 want = d == 0 ? x->dims[0].size : d == 1 ? w->dims[0].size : window.out[d - 2];

      if (dy->rank != x->rank || (want >= 0 && dy->dims[d].size >= 0 && dy->dims[d].size != want))
        return sonde_infer_fail (
            error, "the gradient does not have the shape of the convolution's output");
    }
  return TRUE;
}

/* (dy, w, like x) → dx */
static gboolean
infer_grad_input (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  context->outputs[0] = context->inputs[2];
  return check_gradient (context, 0, 2, 1, error);
}

/* (dy, x, like w) → dw */
static gboolean
infer_grad_weight (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  context->outputs[0] = context->inputs[2];
  return check_gradient (context, 0, 1, 2, error);
}

/* ---- kernels ------------------------------------------------------------- */

static const void *
bias_data (const SondeKernelContext *context)
{
  SondeTensor *bias = sonde_kernel_input (context, 2);

  return bias ? bias->data : NULL;
}

static void
compute_conv (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *w = context->inputs[1];
  g_auto (ConvSizes) sizes = { .tap = NULL };

  conv_sizes_init (&sizes, context->node, &x->shape, &w->shape);
  SONDE_FLOAT_CALL (x->dtype, conv_forward, &sizes, x->data, w->data, bias_data (context),
                    context->outputs[0]->data);
}

static void
compute_conv_transpose (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *w = context->inputs[1];
  SondeTensor *y = context->outputs[0];
  g_auto (ConvSizes) sizes = { .tap = NULL };

  sizes.batch = x->shape.dims[0];
  sizes.channels = y->shape.dims[1];
  sizes.filters = x->shape.dims[1];
  (void) sonde_window_read_transposed (context->node, x->shape.rank - 2, x->shape.dims + 2,
                                       w->shape.dims + 2, &sizes.window, NULL);
  set_window (&sizes);
  SONDE_FLOAT_CALL (x->dtype, conv_input, &sizes, x->data, w->data, bias_data (context), y->data);
}

static void
compute_grad_input (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *w = context->inputs[1];
  SondeTensor *dx = context->outputs[0];
  g_auto (ConvSizes) sizes = { .tap = NULL };

  conv_sizes_init (&sizes, context->node, &dx->shape, &w->shape);
  SONDE_FLOAT_CALL (dx->dtype, conv_input, &sizes, dy->data, w->data, NULL, dx->data);
}

static void
compute_grad_weight (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *x = context->inputs[1];
  SondeTensor *dw = context->outputs[0];
  g_auto (ConvSizes) sizes = { .tap = NULL };

  conv_sizes_init (&sizes, context->node, &x->shape, &dw->shape);
  SONDE_FLOAT_CALL (x->dtype, conv_weight, &sizes, dy->data, x->data, dw->data);
}

/* ---- rows ---------------------------------------------------------------- */

/* Two a multiplied element of the weight; @y: the smaller side, @w: the weight */
static void
cost_of (const SondeType *y, const SondeType *w, SondeCost *cost)
{
  gint64 outputs = y->rank >= 3 ? sonde_type_product (y, 0, y->rank) : -1;
  gint64 each = w->rank >= 3 ? sonde_type_product (w, 1, w->rank) : -1;

  cost->flops = outputs >= 0 && each >= 0 ? 2.0 * (double) outputs * (double) each : 0;
}

static void
cost_conv (const SondeInferContext *context, SondeCost *cost)
{
  cost_of (&context->outputs[0], &context->inputs[1], cost);
}

static void
cost_backwards (const SondeInferContext *context, SondeCost *cost)
{
  cost_of (&context->inputs[0], &context->inputs[1], cost);
}

static void
cost_grad_weight (const SondeInferContext *context, SondeCost *cost)
{
  cost_of (&context->inputs[0], &context->inputs[2], cost);
}

static const char *const auto_pads[] = { "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", NULL };
static const SondeAttributeRule conv_rules[] = {
  { "auto_pad", SONDE_ATTRIBUTE_STRING, .choices = auto_pads },
  { "dilations", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "group", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT32 },
  { "kernel_shape", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "output_padding", SONDE_ATTRIBUTE_INTS, .minimum = 0, .maximum = G_MAXINT32 },
  { "output_shape", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "pads", SONDE_ATTRIBUTE_INTS },
  { "strides", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { NULL },
};

#define ROW(set, label, least, most, rule, loop, derivative, price, likes, ...)                    \
  {                                                                                                \
    .domain = set, .name = label, .since = 1, .min_inputs = least, .max_inputs = most,             \
    .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_CONVOLUTION,                        \
    .attributes = conv_rules, .infer = rule, .compute = loop, .gradient = derivative,              \
    .cost = price, .shape_only = likes, __VA_ARGS__                                                \
  }

const SondeOpClass sonde_ops_conv[] = {
  ROW ("", "Conv", 2, 3, infer_conv, compute_conv, sonde_conv_gradient, cost_conv, 0,
       .reach = { sonde_reach_conv, 0 }, .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_WEIGHTS,
       .attribution = SONDE_ATTRIBUTION_WEIGHTED, .id = SONDE_OP_ID_CONV),
  ROW ("", "ConvTranspose", 2, 3, infer_conv_transpose, compute_conv_transpose,
       sonde_conv_gradient_transposed, cost_backwards, 0,
       .reach = { sonde_reach_conv_transposed, 0 }, .typing = SONDE_TYPING_UNIFORM,
       .attribution = SONDE_ATTRIBUTION_WEIGHTED, .traits = SONDE_TRAIT_WEIGHTS,
       .id = SONDE_OP_ID_CONV_TRANSPOSE),
  ROW (SONDE_DOMAIN, "ConvGradInput", 3, 3, infer_grad_input, compute_grad_input,
       sonde_conv_gradient_of_input, cost_backwards, 1 << 2, .reach = { sonde_reach_conv_input, 0 },
       .typing = SONDE_TYPING_LEADING (3)),
  ROW (SONDE_DOMAIN, "ConvGradWeight", 3, 3, infer_grad_weight, compute_grad_weight,
       sonde_conv_gradient_of_weight, cost_grad_weight, 1 << 2,
       .reach = { sonde_reach_conv_weight, 0 }, .typing = SONDE_TYPING_LEADING (3)),
  { .name = NULL },
};
