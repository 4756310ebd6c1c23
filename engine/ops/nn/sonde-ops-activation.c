/* SPDX-License-Identifier: Apache-2.0
 * Activation functions of one operand. Kernels of their gradients:
 * sonde-ops-activation-gradient-kernels.c. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/math/sonde-unary-private.h"

#include <string.h>
#include <tgmath.h>

#define T float
#define S f32
#include "engine/ops/nn/sonde-activation-template.h"
#define T double
#define S f64
#include "engine/ops/nn/sonde-activation-template.h"

/* Relu of integers is opset 14's. */
#define INTEGER_RELU(suffix, T)                                                                    \
  static void relu_##suffix (gint64 n, const void *from, void *to, double alpha, double beta)      \
  {                                                                                                \
    const T *x = from;                                                                             \
    T *y = to;                                                                                     \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i] = x[i] < 0 ? 0 : x[i];               \
  }
INTEGER_RELU (i8, gint8)
INTEGER_RELU (i16, gint16)
INTEGER_RELU (i32, gint32)
INTEGER_RELU (i64, gint64)

static gboolean
infer_relu (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  context->outputs[0] = context->inputs[0];
  if (dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype)
      || (sonde_dtype_is_integer (dtype) && sonde_dtype_is_signed (dtype)))
    return TRUE;
  return sonde_infer_fail (error, "the input is %s, but must be a signed number",
                           sonde_dtype_name (dtype));
}

static void
compute_relu (const SondeKernelContext *context)
{
  static SondeUnaryLoops loops = {
    SONDE_UNARY_FLOATS (relu),    [SONDE_DTYPE_I8] = relu_i8,   [SONDE_DTYPE_I16] = relu_i16,
    [SONDE_DTYPE_I32] = relu_i32, [SONDE_DTYPE_I64] = relu_i64,
  };

  sonde_unary_run (context, loops, 0, 0);
}

/* @alpha, @beta: defaults of the attributes of those names */
#define COMPUTE(name, alpha, beta)                                                                 \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    static SondeUnaryLoops loops = { SONDE_UNARY_FLOATS (name) };                                  \
    sonde_unary_run (context, loops, sonde_node_get_float (context->node, "alpha", alpha),         \
                     sonde_node_get_float (context->node, "beta", beta));                          \
  }

COMPUTE (celu, 1, 0)
COMPUTE (elu, 1, 0)
COMPUTE (hard_sigmoid, 0.2, 0.5)
COMPUTE (hard_swish, 0, 0)
COMPUTE (leaky_relu, 0.01, 0)
COMPUTE (mish, 0, 0)
COMPUTE (sigmoid, 0, 0)
COMPUTE (softplus, 0, 0)
COMPUTE (softsign, 0, 0)
COMPUTE (swish, 1, 0)
COMPUTE (hyperbolic_tangent, 0, 0)
COMPUTE (thresholded_relu, 1, 0)

static void
compute_selu (const SondeKernelContext *context)
{
  static SondeUnaryLoops loops = { SONDE_UNARY_FLOATS (selu) };

  sonde_unary_run (context, loops, sonde_node_get_float (context->node, "alpha", SONDE_SELU_ALPHA),
                   sonde_node_get_float (context->node, "gamma", SONDE_SELU_GAMMA));
}

static gboolean
infer_shrink (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  context->outputs[0] = context->inputs[0];
  if (dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype)
      || sonde_dtype_is_integer (dtype))
    return TRUE;
  return sonde_infer_fail (error, "the input is %s, but must be a number",
                           sonde_dtype_name (dtype));
}

static void
compute_shrink (const SondeKernelContext *context)
{
  static SondeUnaryLoops loops = { SONDE_UNARY_FLOATS (shrink) };
  double lambd = sonde_node_get_float (context->node, "lambd", 0.5);
  double bias = sonde_node_get_float (context->node, "bias", 0);
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];

  if (sonde_dtype_is_float (x->dtype))
    {
      sonde_unary_run (context, loops, lambd, bias);
      return;
    }
  for (gint64 i = 0; y != NULL && i < sonde_tensor_n_elements (x); i++)
    {
      double value = sonde_tensor_get_double (x, i);

      sonde_tensor_set_double (y, i,
                               value < -lambd  ? value + bias
                               : value > lambd ? value - bias
                                               : 0);
    }
}

static void
compute_gelu (const SondeKernelContext *context)
{
  static SondeUnaryLoops exact = { SONDE_UNARY_FLOATS (gelu_exact) };
  static SondeUnaryLoops approximate = { SONDE_UNARY_FLOATS (gelu_tanh) };
  const char *form = sonde_node_get_string (context->node, "approximate", "none");

  sonde_unary_run (context, strcmp (form, "tanh") == 0 ? approximate : exact, 0, 0);
}

/* ---- gradients ----------------------------------------------------------- */

#define GRADIENT(name, op, forward)                                                                \
  static gboolean gradient_##name (SondeGradientContext *context, GError **error)                  \
  {                                                                                                \
    context->input_gradients[0] = sonde_rule_own_copying (                                         \
        context, op, sonde_rule_dy (context), sonde_rule_##forward (context, 0), NULL);            \
    return TRUE;                                                                                   \
  }

GRADIENT (elu, "EluGrad", x)
GRADIENT (gelu, "GeluGrad", x)
GRADIENT (hard_sigmoid, "HardSigmoidGrad", x)
GRADIENT (hard_swish, "HardSwishGrad", x)
GRADIENT (leaky_relu, "LeakyReluGrad", x)
GRADIENT (relu, "ReluGrad", y)
GRADIENT (selu, "SeluGrad", x)
GRADIENT (sigmoid, "SigmoidGrad", y)
GRADIENT (softplus, "SoftplusGrad", x)
GRADIENT (softsign, "SoftsignGrad", x)
GRADIENT (tanh, "TanhGrad", y)

/* ---- rows ---------------------------------------------------------------- */

static const char *const gelu_forms[] = { "none", "tanh", NULL };
static const SondeAttributeRule alpha_rule[] = { { "alpha", SONDE_ATTRIBUTE_FLOAT }, { NULL } };
static const SondeAttributeRule alpha_beta_rule[] = {
  { "alpha", SONDE_ATTRIBUTE_FLOAT },
  { "beta", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
static const SondeAttributeRule alpha_gamma_rule[] = {
  { "alpha", SONDE_ATTRIBUTE_FLOAT },
  { "gamma", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
static const SondeAttributeRule shrink_rule[] = {
  { "bias", SONDE_ATTRIBUTE_FLOAT },
  { "lambd", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
static const SondeAttributeRule gelu_rule[] = {
  { "approximate", SONDE_ATTRIBUTE_STRING, .choices = gelu_forms },
  { NULL },
};

#define ROW(onnx, opset, rules, rule, loop, derivative, ...)                                       \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = 1, .max_inputs = 1,                  \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE,         \
    .family = SONDE_FAMILY_ACTIVATION, .attributes = rules, .infer = rule,                         \
    .compute = compute_##loop, .gradient = derivative, .cost = sonde_unary_cost, __VA_ARGS__       \
  }

const SondeOpClass sonde_ops_activation[] = {
  ROW ("Celu", 12, alpha_rule, sonde_infer_float_like_first, celu, sonde_gradient_celu,
       .typing = SONDE_TYPING_LEADING (1), .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("Elu", 6, alpha_rule, sonde_infer_float_like_first, elu, gradient_elu,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("Gelu", 20, gelu_rule, sonde_infer_float_like_first, gelu, gradient_gelu,
       .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_ACTIVATION | SONDE_TRAIT_AUTOCAST_TRAINING,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION, .id = SONDE_OP_ID_GELU),
  ROW ("HardSigmoid", 6, alpha_beta_rule, sonde_infer_float_like_first, hard_sigmoid,
       gradient_hard_sigmoid, .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION, .id = SONDE_OP_ID_HARD_SIGMOID),
  ROW ("HardSwish", 14, NULL, sonde_infer_float_like_first, hard_swish, gradient_hard_swish,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("LeakyRelu", 6, alpha_rule, sonde_infer_float_like_first, leaky_relu, gradient_leaky_relu,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION | SONDE_TRAIT_AUTOCAST,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("Mish", 18, NULL, sonde_infer_float_like_first, mish, sonde_gradient_mish,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("Relu", 6, NULL, infer_relu, relu, gradient_relu, .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_ACTIVATION | SONDE_TRAIT_AUTOCAST | SONDE_TRAIT_POSITIVE,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION, .id = SONDE_OP_ID_RELU),
  ROW ("Selu", 6, alpha_gamma_rule, sonde_infer_float_like_first, selu, gradient_selu,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("Shrink", 9, shrink_rule, infer_shrink, shrink, sonde_gradient_shrink,
       .typing = SONDE_TYPING_LEADING (1)),
  ROW ("Sigmoid", 6, NULL, sonde_infer_float_like_first, sigmoid, gradient_sigmoid,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION | SONDE_TRAIT_POSITIVE,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION, .id = SONDE_OP_ID_SIGMOID),
  ROW ("Softplus", 1, NULL, sonde_infer_float_like_first, softplus, gradient_softplus,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION | SONDE_TRAIT_POSITIVE,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("Softsign", 1, NULL, sonde_infer_float_like_first, softsign, gradient_softsign,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("Swish", 24, alpha_rule, sonde_infer_float_like_first, swish, sonde_gradient_swish,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("Tanh", 6, NULL, sonde_infer_float_like_first, hyperbolic_tangent, gradient_tanh,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("ThresholdedRelu", 10, alpha_rule, sonde_infer_float_like_first, thresholded_relu,
       sonde_gradient_thresholded_relu, .typing = SONDE_TYPING_LEADING (1),
       .traits = SONDE_TRAIT_ACTIVATION, .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  { .name = NULL },
};
