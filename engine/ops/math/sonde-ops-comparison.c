/* SPDX-License-Identifier: Apache-2.0
 * Comparison and logic; results are bool, so nothing here has a gradient. */
#include "engine/ops/math/sonde-binary-private.h"

#include <string.h>

#define COMPARE_LOOPS(suffix, T, U)                                                                \
  SONDE_BINARY_LOOP (equal_##suffix, T, guint8, x == y)                                            \
  SONDE_BINARY_LOOP (greater_##suffix, T, guint8, x > y)                                           \
  SONDE_BINARY_LOOP (less_##suffix, T, guint8, x < y)                                              \
  SONDE_BINARY_LOOP (greater_or_equal_##suffix, T, guint8, x >= y)                                 \
  SONDE_BINARY_LOOP (less_or_equal_##suffix, T, guint8, x <= y)
COMPARE_LOOPS (f32, float, float)
COMPARE_LOOPS (f64, double, double)
SONDE_FOR_INTEGERS (COMPARE_LOOPS)

SONDE_BINARY_LOOP (both, guint8, guint8, x &&y)
SONDE_BINARY_LOOP (either, guint8, guint8, x || y)
SONDE_BINARY_LOOP (one_of, guint8, guint8, !x != !y)
SONDE_BINARY_LOOP (equal_bool, guint8, guint8, !x == !y)

typedef const char *Text;
SONDE_BINARY_LOOP (equal_string, Text, guint8, strcmp (x ? x : "", y ? y : "") == 0)

#define COMPUTE(name, ...)                                                                         \
  static SondeBinaryLoops name##_loops = { __VA_ARGS__ };                                          \
  SONDE_BINARY_KERNEL (name, name##_loops)

COMPUTE (equal, SONDE_BINARY_FLOATS (equal), SONDE_BINARY_INTEGERS (equal),
         [SONDE_DTYPE_BOOL] = equal_bool, [SONDE_DTYPE_STRING] = equal_string)
COMPUTE (greater, SONDE_BINARY_FLOATS (greater), SONDE_BINARY_INTEGERS (greater))
COMPUTE (greater_or_equal, SONDE_BINARY_FLOATS (greater_or_equal),
         SONDE_BINARY_INTEGERS (greater_or_equal))
COMPUTE (less, SONDE_BINARY_FLOATS (less), SONDE_BINARY_INTEGERS (less))
COMPUTE (less_or_equal, SONDE_BINARY_FLOATS (less_or_equal), SONDE_BINARY_INTEGERS (less_or_equal))
COMPUTE (and, [SONDE_DTYPE_BOOL] = both)
COMPUTE (or, [SONDE_DTYPE_BOOL] = either)
COMPUTE (xor, [SONDE_DTYPE_BOOL] = one_of)

static void
compute_not (const SondeKernelContext *context)
{
  const guint8 *x = context->inputs[0]->data;
  guint8 *y = context->outputs[0]->data;
  gint64 n = sonde_tensor_n_elements (context->inputs[0]);

#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    y[i] = !x[i];
}

static gboolean
infer_pair (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_infer_broadcast (&context->inputs[0], &context->inputs[1], &context->outputs[0],
                              error))
    return FALSE;
  context->outputs[0].dtype = SONDE_DTYPE_BOOL;
  return TRUE;
}

static gboolean
infer_order (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  if (dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (dtype)
      && !sonde_dtype_is_integer (dtype))
    return sonde_infer_fail (error, "%s has no order", sonde_dtype_name (dtype));
  return infer_pair (context, error);
}

static gboolean
infer_equal (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  if (sonde_dtype_is_narrow (dtype))
    return sonde_infer_fail (error, "elements of %s are not compared: insert a Cast",
                             sonde_dtype_name (dtype));
  return infer_pair (context, error);
}

static gboolean
infer_logic (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  if (dtype != SONDE_DTYPE_INVALID && dtype != SONDE_DTYPE_BOOL)
    return sonde_infer_fail (error, "input 0 is %s, but must be bool", sonde_dtype_name (dtype));
  return context->n_inputs == 1 ? sonde_infer_like_first (context, error)
                                : infer_pair (context, error);
}

#define not_part NULL
#define ROW(onnx, opset, n, rule, loop)                                                            \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = n, .max_inputs = n,                  \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_ELEMENTWISE,                             \
    .family = SONDE_FAMILY_OTHER, .infer = rule, .compute = compute_##loop,                        \
    .count_parts = n == 2 ? sonde_binary_kernel_count : NULL, .compute_part = loop##_part,         \
    .typing = SONDE_TYPING_OWN,                                                                    \
  }

const SondeOpClass sonde_ops_comparison[] = {
  ROW ("And", 7, 2, infer_logic, and),
  ROW ("Equal", 7, 2, infer_equal, equal),
  ROW ("Greater", 7, 2, infer_order, greater),
  ROW ("GreaterOrEqual", 12, 2, infer_order, greater_or_equal),
  ROW ("Less", 7, 2, infer_order, less),
  ROW ("LessOrEqual", 12, 2, infer_order, less_or_equal),
  ROW ("Not", 1, 1, infer_logic, not ),
  ROW ("Or", 7, 2, infer_logic, or),
  ROW ("Xor", 7, 2, infer_logic, xor),
  { .name = NULL },
};
