/* SPDX-License-Identifier: Apache-2.0
 * Bits and remainders: BitShift, BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot, Mod; and the
 * questions IsInf and IsNaN. Every pair of operands has a result: a remainder by zero is 0 for
 * integers and NaN for floats, a shift by less than zero or by all bits leaves what the fill
 * makes. */
#include "engine/ops/math/sonde-binary-private.h"
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-causes.h"

#include <string.h>
#include <tgmath.h>

/* ---- bits ---------------------------------------------------------------- */

/* The numbers are widened, so that a shift to the right by 63 leaves only the sign, whatever their
 * type. */
#define BIT_LOOPS(suffix, T, U)                                                                    \
  SONDE_BINARY_LOOP (shift_left_##suffix, T, T,                                                    \
                     (guint64) y < 8 * sizeof (T) ? (guint64) x << ((guint64) y & 63) : 0)         \
  SONDE_BINARY_LOOP (bits_and_##suffix, T, T, x &y)                                                \
  SONDE_BINARY_LOOP (bits_or_##suffix, T, T, x | y)                                                \
  SONDE_BINARY_LOOP (bits_xor_##suffix, T, T, x ^ y)
SONDE_FOR_INTEGERS (BIT_LOOPS)

#define SHIFT_RIGHT(suffix, T, W)                                                                  \
  SONDE_BINARY_LOOP (shift_right_##suffix, T, T,                                                   \
                     (guint64) y < 8 * sizeof (T) ? (W) x >> ((guint64) y & 63)                    \
                     : x < 0                      ? (W) -1                                         \
                                                  : (W) 0)
#define SHIFT_RIGHT_UNSIGNED(suffix, T)                                                            \
  SONDE_BINARY_LOOP (shift_right_##suffix, T, T,                                                   \
                     (guint64) y < 8 * sizeof (T) ? (guint64) x >> ((guint64) y & 63) : 0)
SHIFT_RIGHT (i8, gint8, gint64)
SHIFT_RIGHT (i16, gint16, gint64)
SHIFT_RIGHT (i32, gint32, gint64)
SHIFT_RIGHT (i64, gint64, gint64)
SHIFT_RIGHT_UNSIGNED (u8, guint8)
SHIFT_RIGHT_UNSIGNED (u16, guint16)
SHIFT_RIGHT_UNSIGNED (u32, guint32)
SHIFT_RIGHT_UNSIGNED (u64, guint64)

static SondeBinaryLoops shift_left_loops = { SONDE_BINARY_INTEGERS (shift_left) };
static SondeBinaryLoops shift_right_loops = { SONDE_BINARY_INTEGERS (shift_right) };
static SondeBinaryLoops bits_and_loops = { SONDE_BINARY_INTEGERS (bits_and) };
static SondeBinaryLoops bits_or_loops = { SONDE_BINARY_INTEGERS (bits_or) };
static SondeBinaryLoops bits_xor_loops = { SONDE_BINARY_INTEGERS (bits_xor) };

SONDE_BINARY_KERNEL (bits_and, bits_and_loops)
SONDE_BINARY_KERNEL (bits_or, bits_or_loops)
SONDE_BINARY_KERNEL (bits_xor, bits_xor_loops)

static void
shift_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  gboolean left = strcmp (sonde_node_get_string (context->node, "direction", "LEFT"), "LEFT") == 0;

  if (left)
    sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0],
                       shift_left_loops, begin, end);
  else
    sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0],
                       shift_right_loops, begin, end);
}

static void
compute_bits_not (const SondeKernelContext *context)
{
  const guint8 *x = context->inputs[0]->data;
  guint8 *y = context->outputs[0]->data;
  gsize n = sonde_tensor_n_bytes (context->inputs[0]);

#pragma GCC ivdep
  for (gsize i = 0; i < n; i++)
    y[i] = (guint8) ~x[i];
}

/* ---- remainders ---------------------------------------------------------- */

/* fmod = 0: the sign of the divisor, which a zero takes, too. */
#define FLOAT_REMAINDERS(suffix, T)                                                                \
  static inline T floor_remainder_one_##suffix (T x, T y)                                          \
  {                                                                                                \
    const T r = fmod (x, y);                                                                       \
    if (r == 0)                                                                                    \
      return copysign ((T) 0, y);                                                                  \
    return (r < 0) != (y < 0) ? r + y : r;                                                         \
  }                                                                                                \
  SONDE_BINARY_LOOP (floor_remainder_##suffix, T, T, floor_remainder_one_##suffix (x, y))          \
  SONDE_BINARY_LOOP (remainder_##suffix, T, T, fmod (x, y))
FLOAT_REMAINDERS (f32, float)
FLOAT_REMAINDERS (f64, double)

#define SIGNED_REMAINDERS(suffix, T)                                                               \
  static inline T floor_remainder_one_##suffix (T x, T y)                                          \
  {                                                                                                \
    const T r = y == 0 || y == -1 ? 0 : (T) (x % y);                                               \
    return r != 0 && (r < 0) != (y < 0) ? (T) (r + y) : r;                                         \
  }                                                                                                \
  SONDE_BINARY_LOOP (floor_remainder_##suffix, T, T, floor_remainder_one_##suffix (x, y))          \
  SONDE_BINARY_LOOP (remainder_##suffix, T, T, y == 0 || y == -1 ? 0 : x % y)
SIGNED_REMAINDERS (i8, gint8)
SIGNED_REMAINDERS (i16, gint16)
SIGNED_REMAINDERS (i32, gint32)
SIGNED_REMAINDERS (i64, gint64)

#define UNSIGNED_REMAINDERS(suffix, T)                                                             \
  SONDE_BINARY_LOOP (remainder_##suffix, T, T, y == 0 ? 0 : x % y)
UNSIGNED_REMAINDERS (u8, guint8)
UNSIGNED_REMAINDERS (u16, guint16)
UNSIGNED_REMAINDERS (u32, guint32)
UNSIGNED_REMAINDERS (u64, guint64)

#define floor_remainder_u8 remainder_u8
#define floor_remainder_u16 remainder_u16
#define floor_remainder_u32 remainder_u32
#define floor_remainder_u64 remainder_u64
static SondeBinaryLoops floor_remainder_loops
    = { SONDE_BINARY_FLOATS (floor_remainder), SONDE_BINARY_INTEGERS (floor_remainder) };
static SondeBinaryLoops remainder_loops
    = { SONDE_BINARY_FLOATS (remainder), SONDE_BINARY_INTEGERS (remainder) };

static void
remainder_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  if (sonde_node_get_int (context->node, "fmod", 0) != 0)
    sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0], remainder_loops,
                       begin, end);
  else
    sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0],
                       floor_remainder_loops, begin, end);
}

#define shift_count sonde_binary_kernel_count
#define remainder_count sonde_binary_kernel_count
SONDE_COMPUTE_PARTS (shift)
SONDE_COMPUTE_PARTS (remainder)

/* ---- questions ----------------------------------------------------------- */

#define ASK(name, T, expression)                                                                   \
  static void name (gint64 n, const void *from, guint8 *y, gboolean above, gboolean below)         \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const T x = x_[i];                                                                         \
        y[i] = (expression);                                                                       \
      }                                                                                            \
  }
ASK (is_nan_f32, float, x != x)
ASK (is_nan_f64, double, x != x)
ASK (is_infinite_f32, float, (above && x > G_MAXFLOAT) || (below && x < -G_MAXFLOAT))
ASK (is_infinite_f64, double, (above && x > G_MAXDOUBLE) || (below && x < -G_MAXDOUBLE))

static void
compute_is_nan (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];

  SONDE_FLOAT_CALL (x->dtype, is_nan, sonde_tensor_n_elements (x), x->data,
                    context->outputs[0]->data, TRUE, TRUE);
}

static void
compute_is_infinite (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  gboolean above = sonde_node_get_int (context->node, "detect_positive", 1) != 0;
  gboolean below = sonde_node_get_int (context->node, "detect_negative", 1) != 0;

  SONDE_FLOAT_CALL (x->dtype, is_infinite, sonde_tensor_n_elements (x), x->data,
                    context->outputs[0]->data, above, below);
}

/* ---- shape rules --------------------------------------------------------- */

static gboolean
infer_pair (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  return !sonde_infer_ready (context, 2)
         || sonde_infer_broadcast (&context->inputs[0], &context->inputs[1], &context->outputs[0],
                                   error);
}

static gboolean
infer_integers (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_integer (context, 0, error))
    return FALSE;
  if (context->n_inputs > 1)
    return infer_pair (context, error);
  context->outputs[0] = context->inputs[0];
  return TRUE;
}

static gboolean
infer_remainder (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  if (dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (dtype)
      && !sonde_dtype_is_integer (dtype))
    return sonde_infer_fail (error, "input 0 is %s, but must be a number",
                             sonde_dtype_name (dtype));
  return infer_pair (context, error);
}

static gboolean
infer_question (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_float (context, 0, error))
    return FALSE;
  context->outputs[0] = context->inputs[0];
  if (context->inputs[0].kind == SONDE_VALUE_TENSOR)
    context->outputs[0].dtype = SONDE_DTYPE_BOOL;
  return TRUE;
}

/* y = a − n·b, n a whole number that does not move */
static gboolean
gradient_remainder (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *a = sonde_rule_x (context, 0),
                  *b = sonde_rule_x (context, 1);

  if (context->wanted[0])
    context->input_gradients[0] = sonde_rule_unbroadcast (context, dy, a);
  if (context->wanted[1])
    {
      SondeGraphValue *n = OP1 ("Round", OP2 ("Div", OP2 ("Sub", a, sonde_rule_y (context, 0)), b));

      context->input_gradients[1]
          = sonde_rule_unbroadcast (context, OP1 ("Neg", OP2 ("Mul", dy, n)), b);
    }
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const directions[] = { "LEFT", "RIGHT", NULL };
static const SondeAttributeRule shift_rules[] = {
  { "direction", SONDE_ATTRIBUTE_STRING, .required = TRUE, .choices = directions },
  { NULL },
};
static const SondeAttributeRule remainder_rules[] = { { "fmod", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule infinite_rules[] = {
  { "detect_negative", SONDE_ATTRIBUTE_INT },
  { "detect_positive", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define ROW(onnx, opset, n, rules, rule, loop, ...)                                                \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = n, .max_inputs = n,                  \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_ELEMENTWISE,                             \
    .family = SONDE_FAMILY_OTHER, .attributes = rules, .infer = rule, .compute = compute_##loop,   \
    .typing = SONDE_TYPING_OWN, __VA_ARGS__                                                        \
  }
#define PARTS(loop) .count_parts = sonde_binary_kernel_count, .compute_part = loop##_part

const SondeOpClass sonde_ops_bitwise_mod_isnan[] = {
  ROW ("BitShift", 11, 2, shift_rules, infer_integers, shift, PARTS (shift)),
  ROW ("BitwiseAnd", 18, 2, NULL, infer_integers, bits_and, PARTS (bits_and)),
  ROW ("BitwiseNot", 18, 1, NULL, infer_integers, bits_not, .count_parts = NULL),
  ROW ("BitwiseOr", 18, 2, NULL, infer_integers, bits_or, PARTS (bits_or)),
  ROW ("BitwiseXor", 18, 2, NULL, infer_integers, bits_xor, PARTS (bits_xor)),
  ROW ("IsInf", 10, 1, infinite_rules, infer_question, is_infinite, .count_parts = NULL),
  ROW ("IsNaN", 9, 1, NULL, infer_question, is_nan, .count_parts = NULL),
  ROW ("Mod", 10, 2, remainder_rules, infer_remainder, remainder, PARTS (remainder),
       .gradient = gradient_remainder, .causes = sonde_causes_remainder),
  { .name = NULL },
};
