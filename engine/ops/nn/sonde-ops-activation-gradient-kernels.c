/* SPDX-License-Identifier: Apache-2.0
 * Gradients of activations as one node each: dx from dy and the forward input or output. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/math/sonde-unary-private.h"

#include <math.h>
#include <string.h>
#include <tgmath.h>

/* d/dv of v/2·(1 + tanh (k·(v + 0.044715·v³))), k = √(2/π) */
#define GELU_SLOPE(suffix, T)                                                                      \
  static inline T gelu_slope_##suffix (T v)                                                        \
  {                                                                                                \
    const T k = (T) 0.79788456080286535588, c = (T) 0.044715;                                      \
    const T t = tanh (k * (v + c * v * v * v));                                                    \
    return (T) 0.5 * (1 + t) + (T) 0.5 * v * (1 - t * t) * k * (1 + 3 * c * v * v);                \
  }
GELU_SLOPE (f32, float)
GELU_SLOPE (f64, double)

#define T float
#define S f32
#include "engine/ops/nn/sonde-activation-gradient-template.h"
#define T double
#define S f64
#include "engine/ops/nn/sonde-activation-gradient-template.h"

typedef void (*GradLoop) (gint64 n, const void *dy, const void *x_or_y, void *dx, double alpha,
                          double beta);

static void
run (const SondeKernelContext *context, GradLoop single, GradLoop twice, double alpha, double beta)
{
  SondeTensor *dy = context->inputs[0];
  GradLoop loop = dy->dtype == SONDE_DTYPE_F64 ? twice : single;

  loop (sonde_tensor_n_elements (dy), dy->data, context->inputs[1]->data, context->outputs[0]->data,
        alpha, beta);
}

/* @alpha, @beta: defaults of the attributes of those names */
#define COMPUTE(name, alpha, beta)                                                                 \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    run (context, name##_grad_f32, name##_grad_f64,                                                \
         sonde_node_get_float (context->node, "alpha", alpha),                                     \
         sonde_node_get_float (context->node, "beta", beta));                                      \
  }

COMPUTE (elu, 1, 0)
COMPUTE (erf, 0, 0)
COMPUTE (hard_sigmoid, 0.2, 0.5)
COMPUTE (hard_swish, 0, 0)
COMPUTE (leaky_relu, 0.01, 0)
COMPUTE (relu, 0, 0)
COMPUTE (sigmoid, 0, 0)
COMPUTE (softplus, 0, 0)
COMPUTE (softsign, 0, 0)
COMPUTE (tanh, 0, 0)

static void
compute_clip (const SondeKernelContext *context)
{
  run (context, clip_grad_f32, clip_grad_f64, sonde_kernel_scalar (context, 2, -INFINITY),
       sonde_kernel_scalar (context, 3, INFINITY));
}

static void
compute_selu (const SondeKernelContext *context)
{
  run (context, selu_grad_f32, selu_grad_f64,
       sonde_node_get_float (context->node, "alpha", SONDE_SELU_ALPHA),
       sonde_node_get_float (context->node, "gamma", SONDE_SELU_GAMMA));
}

static void
compute_gelu (const SondeKernelContext *context)
{
  if (strcmp (sonde_node_get_string (context->node, "approximate", "none"), "tanh") == 0)
    run (context, gelu_tanh_grad_f32, gelu_tanh_grad_f64, 0, 0);
  else
    run (context, gelu_exact_grad_f32, gelu_exact_grad_f64, 0, 0);
}

static gboolean
infer_grad (SondeInferContext *context, GError **error)
{
  return sonde_infer_float_pair (context, error) && sonde_infer_need_same (context, 0, 3, error);
}

static const SondeAttributeRule parameters[] = {
  { "alpha", SONDE_ATTRIBUTE_FLOAT },
  { "beta", SONDE_ATTRIBUTE_FLOAT },
  { "gamma", SONDE_ATTRIBUTE_FLOAT },
  { "approximate", SONDE_ATTRIBUTE_STRING },
  { NULL },
};

#define ROW(own, most_inputs, loop, derivative, ...)                                               \
  {                                                                                                \
    .domain = SONDE_DOMAIN, .name = own, .since = 1, .min_inputs = 2, .max_inputs = most_inputs,   \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE,         \
    .family = SONDE_FAMILY_GRADIENT, .attributes = parameters, .infer = infer_grad,                \
    .compute = compute_##loop, .gradient = derivative, .cost = sonde_unary_cost, __VA_ARGS__       \
  }

const SondeOpClass sonde_ops_activation_gradient_kernels[] = {
  ROW ("ClipGrad", 4, clip, sonde_gradient_linear_grad, .typing = SONDE_TYPING_LEADING (4)),
  ROW ("EluGrad", 2, elu, sonde_gradient_elu_grad, .typing = SONDE_TYPING_LEADING (2)),
  ROW ("ErfGrad", 2, erf, sonde_gradient_erf_grad, .typing = SONDE_TYPING_LEADING (2)),
  ROW ("GeluGrad", 2, gelu, sonde_gradient_gelu_grad, .typing = SONDE_TYPING_LEADING (2)),
  ROW ("HardSigmoidGrad", 2, hard_sigmoid, sonde_gradient_linear_grad,
       .typing = SONDE_TYPING_LEADING (2)),
  ROW ("HardSwishGrad", 2, hard_swish, sonde_gradient_hard_swish_grad,
       .typing = SONDE_TYPING_LEADING (2)),
  ROW ("LeakyReluGrad", 2, leaky_relu, sonde_gradient_linear_grad,
       .typing = SONDE_TYPING_LEADING (2)),
  ROW ("ReluGrad", 2, relu, sonde_gradient_linear_grad, .typing = SONDE_TYPING_LEADING (2)),
  ROW ("SeluGrad", 2, selu, sonde_gradient_selu_grad, .typing = SONDE_TYPING_LEADING (2)),
  ROW ("SigmoidGrad", 2, sigmoid, sonde_gradient_sigmoid_grad, .typing = SONDE_TYPING_LEADING (2)),
  ROW ("SoftplusGrad", 2, softplus, sonde_gradient_softplus_grad,
       .typing = SONDE_TYPING_LEADING (2)),
  ROW ("SoftsignGrad", 2, softsign, sonde_gradient_softsign_grad,
       .typing = SONDE_TYPING_LEADING (2)),
  ROW ("TanhGrad", 2, tanh, sonde_gradient_tanh_grad, .typing = SONDE_TYPING_LEADING (2)),
  { .name = NULL },
};
