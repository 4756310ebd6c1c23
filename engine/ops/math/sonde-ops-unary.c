/* SPDX-License-Identifier: Apache-2.0
 * Mathematical functions of one input. Activations are in sonde-ops-activation.c. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/math/sonde-unary-private.h"
#include "engine/ops/sonde-op-causes.h"

#include <tgmath.h>

#define T float
#define S f32
#include "engine/ops/math/sonde-unary-template.h"
#define T double
#define S f64
#include "engine/ops/math/sonde-unary-template.h"

/* Integers: wrapping, as NumPy's. */
#define INTEGER_LOOP(name, T, U, expression)                                                       \
  static void name (gint64 n, const void *from, void *to, double alpha, double beta)               \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    T *y_ = to;                                                                                    \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const T x = x_[i];                                                                           \
      y_[i] = (T) (expression);                                                                    \
    }                                                                                              \
  }

#define SIGNED_LOOPS(suffix, T, U)                                                                 \
  INTEGER_LOOP (absolute_##suffix, T, U, x < 0 ? (U) 0 - (U) x : (U) x)                            \
  INTEGER_LOOP (negate_##suffix, T, U, (U) 0 - (U) x)                                              \
  INTEGER_LOOP (sign_##suffix, T, U, (x > 0) - (x < 0))

SIGNED_LOOPS (i8, gint8, guint8)
SIGNED_LOOPS (i16, gint16, guint16)
SIGNED_LOOPS (i32, gint32, guint32)
SIGNED_LOOPS (i64, gint64, guint64)

#define UNSIGNED_LOOPS(suffix, T)                                                                  \
  INTEGER_LOOP (same_##suffix, T, T, x)                                                            \
  INTEGER_LOOP (sign_##suffix, T, T, x > 0)

UNSIGNED_LOOPS (u8, guint8)
UNSIGNED_LOOPS (u16, guint16)
UNSIGNED_LOOPS (u32, guint32)
UNSIGNED_LOOPS (u64, guint64)

#define SIGNED_ROW(name)                                                                           \
  [SONDE_DTYPE_I8] = name##_i8, [SONDE_DTYPE_I16] = name##_i16, [SONDE_DTYPE_I32] = name##_i32,    \
  [SONDE_DTYPE_I64] = name##_i64
#define UNSIGNED_ROW(name)                                                                         \
  [SONDE_DTYPE_U8] = name##_u8, [SONDE_DTYPE_U16] = name##_u16, [SONDE_DTYPE_U32] = name##_u32,    \
  [SONDE_DTYPE_U64] = name##_u64

static SondeUnaryLoops absolute_loops
    = { SONDE_UNARY_FLOATS (absolute), SIGNED_ROW (absolute), UNSIGNED_ROW (same) };
static SondeUnaryLoops negate_loops = { SONDE_UNARY_FLOATS (negate), SIGNED_ROW (negate) };
static SondeUnaryLoops sign_loops
    = { SONDE_UNARY_FLOATS (sign), SIGNED_ROW (sign), UNSIGNED_ROW (sign) };

/* ---- shape rules --------------------------------------------------------- */

static gboolean
infer_signed (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  context->outputs[0] = context->inputs[0];
  if (dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype)
      || (sonde_dtype_is_integer (dtype) && sonde_dtype_is_signed (dtype)))
    return TRUE;
  return sonde_infer_fail (error, "the input is %s, but must be a signed number",
                           sonde_dtype_name (dtype));
}

static gboolean
infer_number (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  context->outputs[0] = context->inputs[0];
  if (dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype)
      || sonde_dtype_is_integer (dtype))
    return TRUE;
  return sonde_infer_fail (error, "the input is %s, but must be a number",
                           sonde_dtype_name (dtype));
}

void
sonde_unary_cost (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *type = &context->outputs[0];
  gint64 n = type->rank >= 0 ? sonde_type_product (type, 0, type->rank) : -1;

  cost->flops = n > 0 ? (double) n : 0;
}

/* ---- gradients ----------------------------------------------------------- */

#define GRADIENT(name, expression)                                                                 \
  static gboolean gradient_##name (SondeGradientContext *context, GError **error)                  \
  {                                                                                                \
    SondeGraphValue *dy = sonde_rule_dy (context);                                                 \
    SondeGraphValue *x G_GNUC_UNUSED = sonde_rule_x (context, 0);                                  \
    SondeGraphValue *y G_GNUC_UNUSED = sonde_rule_y (context, 0);                                  \
    context->input_gradients[0] = (expression);                                                    \
    return TRUE;                                                                                   \
  }

#define NUMBER(value) sonde_rule_number (context, x, value)
/* (1 − x)·(1 + x), exact near ±1 */
#define ONE_LESS_SQUARE OP2 ("Mul", OP2 ("Sub", NUMBER (1), x), OP2 ("Add", NUMBER (1), x))
#define SQUARE_AND_ONE OP2 ("Add", OP2 ("Mul", x, x), NUMBER (1))

GRADIENT (absolute, OP2 ("Mul", dy, OP1 ("Sign", x)))
GRADIENT (arc_cosine, OP1 ("Neg", OP2 ("Div", dy, OP1 ("Sqrt", ONE_LESS_SQUARE))))
GRADIENT (arc_hyperbolic_cosine, OP2 ("Div", dy, OP1 ("Sqrt", OP1 ("Neg", ONE_LESS_SQUARE))))
GRADIENT (arc_hyperbolic_sine, OP2 ("Div", dy, OP1 ("Sqrt", SQUARE_AND_ONE)))
GRADIENT (arc_hyperbolic_tangent, OP2 ("Div", dy, ONE_LESS_SQUARE))
GRADIENT (arc_sine, OP2 ("Div", dy, OP1 ("Sqrt", ONE_LESS_SQUARE)))
GRADIENT (arc_tangent, OP2 ("Div", dy, SQUARE_AND_ONE))
GRADIENT (cosine, OP1 ("Neg", OP2 ("Mul", dy, OP1 ("Sin", x))))
GRADIENT (error_function, sonde_rule_own (context, "ErfGrad", dy, x, NULL))
GRADIENT (exponential, OP2 ("Mul", dy, y))
GRADIENT (hyperbolic_cosine, OP2 ("Mul", dy, OP1 ("Sinh", x)))
GRADIENT (hyperbolic_sine, OP2 ("Mul", dy, OP1 ("Cosh", x)))
GRADIENT (logarithm, OP2 ("Div", dy, x))
GRADIENT (negate, OP1 ("Neg", dy))
GRADIENT (reciprocal, OP1 ("Neg", OP2 ("Mul", dy, OP2 ("Mul", y, y))))
GRADIENT (sine, OP2 ("Mul", dy, OP1 ("Cos", x)))
GRADIENT (square_root, OP2 ("Div", dy, OP2 ("Add", y, y)))
GRADIENT (tangent, OP2 ("Mul", dy, OP2 ("Add", OP2 ("Mul", y, y), NUMBER (1))))

/* ---- rows ---------------------------------------------------------------- */

#define COMPUTE(name)                                                                              \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    static SondeUnaryLoops loops = { SONDE_UNARY_FLOATS (name) };                                  \
    sonde_unary_run (context, loops, 0, 0);                                                        \
  }
#define COMPUTE_TYPED(name)                                                                        \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    sonde_unary_run (context, name##_loops, 0, 0);                                                 \
  }

COMPUTE_TYPED (absolute)
COMPUTE_TYPED (negate)
COMPUTE_TYPED (sign)
COMPUTE (arc_cosine)
COMPUTE (arc_hyperbolic_cosine)
COMPUTE (arc_hyperbolic_sine)
COMPUTE (arc_hyperbolic_tangent)
COMPUTE (arc_sine)
COMPUTE (arc_tangent)
COMPUTE (ceiling)
COMPUTE (cosine)
COMPUTE (error_function)
COMPUTE (exponential)
COMPUTE (floor_down)
COMPUTE (hyperbolic_cosine)
COMPUTE (hyperbolic_sine)
COMPUTE (logarithm)
COMPUTE (reciprocal)
COMPUTE (round_even)
COMPUTE (sine)
COMPUTE (square_root)
COMPUTE (tangent)

#define ROW(onnx, opset, rule, loop, derivative, ...)                                              \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = 1, .max_inputs = 1,                  \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE,         \
    .family = SONDE_FAMILY_OTHER, .infer = rule, .compute = compute_##loop,                        \
    .gradient = derivative, .cost = sonde_unary_cost, __VA_ARGS__                                  \
  }

const SondeOpClass sonde_ops_unary[] = {
  ROW ("Abs", 6, infer_number, absolute, gradient_absolute, .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_POSITIVE,
       .attribution = SONDE_ATTRIBUTION_NONLINEAR),
  ROW ("Acos", 7, sonde_infer_float_like_first, arc_cosine, gradient_arc_cosine,
       .typing = SONDE_TYPING_LEADING (1), .causes = sonde_causes_acos),
  ROW ("Acosh", 9, sonde_infer_float_like_first, arc_hyperbolic_cosine,
       gradient_arc_hyperbolic_cosine, .typing = SONDE_TYPING_OWN, .causes = sonde_causes_acosh),
  ROW ("Asin", 7, sonde_infer_float_like_first, arc_sine, gradient_arc_sine,
       .typing = SONDE_TYPING_LEADING (1), .causes = sonde_causes_asin),
  ROW ("Asinh", 9, sonde_infer_float_like_first, arc_hyperbolic_sine, gradient_arc_hyperbolic_sine,
       .typing = SONDE_TYPING_OWN),
  ROW ("Atan", 7, sonde_infer_float_like_first, arc_tangent, gradient_arc_tangent,
       .typing = SONDE_TYPING_LEADING (1)),
  ROW ("Atanh", 9, sonde_infer_float_like_first, arc_hyperbolic_tangent,
       gradient_arc_hyperbolic_tangent, .typing = SONDE_TYPING_OWN, .causes = sonde_causes_atanh),
  ROW ("Ceil", 6, sonde_infer_float_like_first, ceiling, sonde_rule_flat,
       .typing = SONDE_TYPING_LEADING (1)),
  ROW ("Cos", 7, sonde_infer_float_like_first, cosine, gradient_cosine,
       .typing = SONDE_TYPING_LEADING (1), .attribution = SONDE_ATTRIBUTION_NONLINEAR),
  ROW ("Cosh", 9, sonde_infer_float_like_first, hyperbolic_cosine, gradient_hyperbolic_cosine,
       .typing = SONDE_TYPING_LEADING (1)),
  ROW ("Erf", 9, sonde_infer_float_like_first, error_function, gradient_error_function,
       .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_ACTIVATION,
       .id = SONDE_OP_ID_ERF),
  ROW ("Exp", 6, sonde_infer_float_like_first, exponential, gradient_exponential,
       .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_NONLINEAR),
  ROW ("Floor", 6, sonde_infer_float_like_first, floor_down, sonde_rule_flat,
       .typing = SONDE_TYPING_LEADING (1)),
  ROW ("Log", 6, sonde_infer_float_like_first, logarithm, gradient_logarithm,
       .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_NONLINEAR,
       .causes = sonde_causes_logarithm),
  ROW ("Neg", 6, infer_signed, negate, gradient_negate, .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_STRICT),
  ROW ("Reciprocal", 6, sonde_infer_float_like_first, reciprocal, gradient_reciprocal,
       .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_NONLINEAR,
       .causes = sonde_causes_reciprocal),
  ROW ("Round", 11, sonde_infer_float_like_first, round_even, sonde_rule_flat,
       .typing = SONDE_TYPING_LEADING (1)),
  ROW ("Sign", 9, infer_number, sign, sonde_rule_flat, .typing = SONDE_TYPING_LEADING (1)),
  ROW ("Sin", 7, sonde_infer_float_like_first, sine, gradient_sine,
       .typing = SONDE_TYPING_LEADING (1), .attribution = SONDE_ATTRIBUTION_NONLINEAR),
  ROW ("Sinh", 9, sonde_infer_float_like_first, hyperbolic_sine, gradient_hyperbolic_sine,
       .typing = SONDE_TYPING_LEADING (1)),
  ROW ("Sqrt", 6, sonde_infer_float_like_first, square_root, gradient_square_root,
       .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_NONLINEAR,
       .causes = sonde_causes_square_root),
  ROW ("Tan", 7, sonde_infer_float_like_first, tangent, gradient_tangent,
       .typing = SONDE_TYPING_LEADING (1)),
  { .name = NULL },
};
