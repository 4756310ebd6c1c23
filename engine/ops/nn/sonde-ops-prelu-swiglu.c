/* SPDX-License-Identifier: Apache-2.0
 * Activations of two operands: PRelu, whose slope is broadcast to x and never the other way, and
 * SwiGLU, whose operands have one shape. */
#include "engine/ops/math/sonde-binary-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-gradient-rules.h"

#include <tgmath.h>

/* ---- PRelu --------------------------------------------------------------- */

#define FLOAT_LOOP(suffix, T) SONDE_BINARY_LOOP (prelu_##suffix, T, T, x < 0 ? x * y : x)
FLOAT_LOOP (f32, float)
FLOAT_LOOP (f64, double)

/* Integers wrap. */
#define INTEGER_LOOP(suffix, T, U)                                                                 \
  SONDE_BINARY_LOOP (prelu_##suffix, T, T, x < 0 ? (U) ((guint64) x * (guint64) y) : (U) x)
INTEGER_LOOP (i32, gint32, guint32)
INTEGER_LOOP (i64, gint64, guint64)

/* No unsigned number is below 0. */
#define UNSIGNED_LOOP(suffix, T) SONDE_BINARY_LOOP (prelu_##suffix, T, T, y == 0 ? x : x)
UNSIGNED_LOOP (u32, guint32)
UNSIGNED_LOOP (u64, guint64)

static SondeBinaryLoops prelu_loops = {
  SONDE_BINARY_FLOATS (prelu),   [SONDE_DTYPE_I32] = prelu_i32, [SONDE_DTYPE_I64] = prelu_i64,
  [SONDE_DTYPE_U32] = prelu_u32, [SONDE_DTYPE_U64] = prelu_u64,
};

static gboolean
is_prelu_type (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype) || dtype == SONDE_DTYPE_I32
         || dtype == SONDE_DTYPE_I64 || dtype == SONDE_DTYPE_U32 || dtype == SONDE_DTYPE_U64;
}

static gboolean
infer_prelu (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeType joined;

  if (!is_prelu_type (x->dtype))
    return sonde_infer_fail (error, "the input is %s, which PRelu does not take",
                             sonde_dtype_name (x->dtype));
  if (!sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  context->outputs[0] = *x;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  return sonde_infer_broadcast (x, &context->inputs[1], &joined, error)
         && sonde_infer_need_shape (&joined, x, N_ ("the input with its slope"), error);
}

static void
compute_prelu (const SondeKernelContext *context)
{
  sonde_binary_run (context->inputs[0], context->inputs[1], context->outputs[0], prelu_loops);
}

/* ---- SwiGLU -------------------------------------------------------------- */

#define GATE_LOOP(suffix, T)                                                                       \
  static void gate_##suffix (gint64 n, double alpha, const void *gate, const void *value,          \
                             void *to)                                                             \
  {                                                                                                \
    const T *a = gate, *b = value, factor = (T) alpha;                                             \
    T *y = to;                                                                                     \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i]                                      \
        = a[i] / (1 + exp (-factor * a[i])) * b[i];                                                \
  }
GATE_LOOP (f32, float)
GATE_LOOP (f64, double)

static void
compute_swiglu (const SondeKernelContext *context)
{
  SondeTensor *y = context->outputs[0];

  SONDE_FLOAT_CALL (y->dtype, gate, sonde_tensor_n_elements (y),
                    sonde_node_get_float (context->node, "alpha", 1), context->inputs[0]->data,
                    context->inputs[1]->data, y->data);
}

static void
cost_gated (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *x = &context->inputs[0];
  gint64 n = x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;

  cost->flops = n > 0 ? 2.0 * (double) n : 0;
}

static const SondeAttributeRule alpha_rule[] = { { "alpha", SONDE_ATTRIBUTE_FLOAT }, { NULL } };

#define ROW(onnx, opset, bits, rules, rule, loop, derivative, ...)                                 \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = 2, .max_inputs = 2,                  \
    .min_outputs = 1, .max_outputs = 1, .flags = bits, .family = SONDE_FAMILY_ACTIVATION,          \
    .attributes = rules, .infer = rule, .compute = loop, .gradient = derivative,                   \
    .cost = cost_gated, __VA_ARGS__                                                                \
  }

const SondeOpClass sonde_ops_prelu_swiglu[] = {
  ROW ("PRelu", 9, SONDE_OP_IN_PLACE, NULL, infer_prelu, compute_prelu, sonde_gradient_prelu,
       .reach = { sonde_reach_elementwise, 0 }, .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_ACTIVATION,
       .attribution = SONDE_ATTRIBUTION_ACTIVATION),
  ROW ("SwiGLU", 28, SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE, alpha_rule, sonde_infer_float_pair,
       compute_swiglu, sonde_gradient_swiglu, .typing = SONDE_TYPING_OWN),
  { .name = NULL },
};
