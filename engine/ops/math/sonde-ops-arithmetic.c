/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic of broadcast operands: Add, Sub, Mul, Div, Pow, and the variadic Sum, Mean, Max,
 * Min. */
#include "engine/ops/math/sonde-binary-private.h"
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-causes.h"
#include "engine/ops/sonde-strided.h"

#include <string.h>
#include <tgmath.h>

/* ---- loops --------------------------------------------------------------- */

#define FLOAT_LOOPS(suffix, T)                                                                     \
  SONDE_BINARY_LOOP (add_##suffix, T, T, x + y)                                                    \
  SONDE_BINARY_LOOP (subtract_##suffix, T, T, x - y)                                               \
  SONDE_BINARY_LOOP (multiply_##suffix, T, T, x *y)                                                \
  SONDE_BINARY_LOOP (divide_##suffix, T, T, x / y)                                                 \
  SONDE_BINARY_LOOP (power_##suffix, T, T, y == 2 ? x * x : y == 1 ? x : pow (x, y))               \
  SONDE_BINARY_LOOP (maximum_##suffix, T, T, x > y || x != x ? x : y)                              \
  SONDE_BINARY_LOOP (minimum_##suffix, T, T, x < y || x != x ? x : y)
FLOAT_LOOPS (f32, float)
FLOAT_LOOPS (f64, double)

/* Integers wrap; x / 0 is 0 and the smallest / −1 itself, since a kernel may not trap. */
#define DIVIDE_SIGNED(suffix, T, U)                                                                \
  SONDE_BINARY_LOOP (divide_##suffix, T, T,                                                        \
                     y == 0    ? (U) 0                                                             \
                     : y == -1 ? (U) ((U) 0 - (U) x)                                               \
                               : (U) (x / y))
#define DIVIDE_UNSIGNED(suffix, T) SONDE_BINARY_LOOP (divide_##suffix, T, T, y == 0 ? 0 : x / y)
DIVIDE_SIGNED (i8, gint8, guint8)
DIVIDE_SIGNED (i16, gint16, guint16)
DIVIDE_SIGNED (i32, gint32, guint32)
DIVIDE_SIGNED (i64, gint64, guint64)
DIVIDE_UNSIGNED (u8, guint8)
DIVIDE_UNSIGNED (u16, guint16)
DIVIDE_UNSIGNED (u32, guint32)
DIVIDE_UNSIGNED (u64, guint64)

#define INTEGER_LOOPS(suffix, T, U)                                                                \
  SONDE_BINARY_LOOP (add_##suffix, T, T, (U) ((guint64) x + (guint64) y))                          \
  SONDE_BINARY_LOOP (subtract_##suffix, T, T, (U) ((guint64) x - (guint64) y))                     \
  SONDE_BINARY_LOOP (multiply_##suffix, T, T, (U) ((guint64) x * (guint64) y))                     \
  SONDE_BINARY_LOOP (maximum_##suffix, T, T, x > y ? x : y)                                        \
  SONDE_BINARY_LOOP (minimum_##suffix, T, T, x < y ? x : y)
SONDE_FOR_INTEGERS (INTEGER_LOOPS)

/* By repeated squaring, wrapping; a negative exponent gives what truncation of the quotient
 * gives. */
static guint64
integer_power (gint64 base, gint64 exponent)
{
  guint64 result = 1, factor = (guint64) base;

  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : (guint64) -1) : 0;
  for (; exponent > 0; exponent >>= 1)
    {
      if (exponent & 1)
        result *= factor;
      factor *= factor;
    }
  return result;
}

#define POWER_LOOP(suffix, T, U)                                                                   \
  SONDE_BINARY_LOOP (power_##suffix, T, T, (U) integer_power ((gint64) x, (gint64) y))
SONDE_FOR_INTEGERS (POWER_LOOP)

#define TABLE(name)                                                                                \
  static SondeBinaryLoops name##_loops                                                             \
      = { SONDE_BINARY_FLOATS (name), SONDE_BINARY_INTEGERS (name) }
TABLE (add);
TABLE (subtract);
TABLE (multiply);
TABLE (divide);
TABLE (power);
TABLE (maximum);
TABLE (minimum);

/* ---- running ------------------------------------------------------------- */

static void
init_rows (const SondeTensor *a, const SondeTensor *b, const SondeTensor *c, SondeStrided *rows)
{
  gint64 a_strides[SONDE_MAX_RANK], b_strides[SONDE_MAX_RANK], c_strides[SONDE_MAX_RANK];
  const gint64 *strides[] = { a_strides, b_strides, c_strides };

  sonde_strided_broadcast (&a->shape, &c->shape, a_strides);
  sonde_strided_broadcast (&b->shape, &c->shape, b_strides);
  sonde_strided_row_major (&c->shape, c_strides);
  sonde_strided_init (rows, &c->shape, 3, strides);
}

gint64
sonde_binary_count (const SondeTensor *a, const SondeTensor *b, const SondeTensor *c, gint64 *cost)
{
  SondeStrided rows;

  if (sonde_tensor_n_elements (c) == 0)
    return 0;
  init_rows (a, b, c, &rows);
  *cost = rows.rank > 1 ? rows.dims[rows.rank - 1] : 1;
  return rows.rank > 1 ? sonde_strided_count (&rows) : rows.dims[0];
}

void
sonde_binary_part (SondeTensor *a, SondeTensor *b, SondeTensor *c, SondeBinaryLoops loops,
                   gint64 begin, gint64 end)
{
  SondeBinaryLoop loop = loops[a->dtype];
  gint64 size = (gint64) sonde_dtype_size (a->dtype);
  gint64 out_size = (gint64) sonde_dtype_size (c->dtype);
  SondeStrided rows;
  SondeCursor cursor;
  int last;

  init_rows (a, b, c, &rows);
  last = rows.rank - 1;
  if (begin >= end)
    return;
  if (last == 0)
    {
      loop (end - begin, a->data + begin * rows.strides[0][0] * size, rows.strides[0][0],
            b->data + begin * rows.strides[1][0] * size, rows.strides[1][0],
            c->data + begin * out_size);
      return;
    }
  sonde_strided_seek (&rows, &cursor, begin);
  for (gint64 row = begin; row < end; row++)
    {
      loop (rows.dims[last], a->data + cursor.offsets[0] * size, rows.strides[0][last],
            b->data + cursor.offsets[1] * size, rows.strides[1][last],
            c->data + cursor.offsets[2] * out_size);
      (void) sonde_strided_next (&rows, &cursor);
    }
}

void
sonde_binary_run (SondeTensor *a, SondeTensor *b, SondeTensor *c, SondeBinaryLoops loops)
{
  gint64 cost = 0;

  sonde_binary_part (a, b, c, loops, 0, sonde_binary_count (a, b, c, &cost));
}

SONDE_BINARY_KERNEL (add, add_loops)
SONDE_BINARY_KERNEL (subtract, subtract_loops)
SONDE_BINARY_KERNEL (multiply, multiply_loops)
SONDE_BINARY_KERNEL (divide, divide_loops)

/* The exponent may be of another type than the base. */
static void
compute_power (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->inputs[1];
  g_autoptr (SondeTensor) exponent = sonde_tensor_cast (y, x->dtype);
  g_autoptr (SondeTensor) base = NULL, result = NULL;

  if (sonde_dtype_is_float (x->dtype) || !sonde_dtype_is_float (y->dtype))
    {
      sonde_binary_run (x, exponent, context->outputs[0], power_loops);
      return;
    }
  base = sonde_tensor_cast (x, SONDE_DTYPE_F64);
  sonde_tensor_unref (exponent);
  exponent = sonde_tensor_cast (y, SONDE_DTYPE_F64);
  result = sonde_tensor_new (SONDE_DTYPE_F64, &context->outputs[0]->shape);
  sonde_binary_run (base, exponent, result, power_loops);
  sonde_dtype_convert (SONDE_DTYPE_F64, result->data, x->dtype, context->outputs[0]->data,
                       (gsize) sonde_tensor_n_elements (result));
}

static gint64
power_count (const SondeKernelContext *context, gint64 *cost)
{
  return context->inputs[0]->dtype == context->inputs[1]->dtype
             ? sonde_binary_kernel_count (context, cost)
             : -1;
}

static void
power_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0], power_loops,
                     begin, end);
}

/* The first two into the output, then one further operand at a time: the sum is made in order. */
static void
run_variadic (const SondeKernelContext *context, SondeBinaryLoops loops)
{
  SondeTensor *output = context->outputs[0];
  SondeShape *shape = &context->inputs[0]->shape;
  gint64 from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];

  if (context->n_inputs > 1)
    sonde_binary_run (context->inputs[0], context->inputs[1], output, loops);
  else
    {
      sonde_strided_broadcast (shape, &output->shape, from);
      sonde_strided_row_major (&output->shape, to);
      sonde_strided_copy (&output->shape, sonde_dtype_size (output->dtype),
                          context->inputs[0]->data, from, output->data, to);
    }
  for (guint k = 2; k < context->n_inputs; k++)
    sonde_binary_run (output, context->inputs[k], output, loops);
}

static gint64
variadic_count (const SondeKernelContext *context, gint64 *cost)
{
  return context->n_inputs == 2 ? sonde_binary_kernel_count (context, cost) : -1;
}

static void
compute_sum (const SondeKernelContext *context)
{
  run_variadic (context, add_loops);
}

static void
sum_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0], add_loops, begin,
                     end);
}

static void
compute_maximum (const SondeKernelContext *context)
{
  run_variadic (context, maximum_loops);
}

static void
maximum_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0], maximum_loops,
                     begin, end);
}

static void
compute_minimum (const SondeKernelContext *context)
{
  run_variadic (context, minimum_loops);
}

static void
minimum_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0], minimum_loops,
                     begin, end);
}

static void
compute_mean (const SondeKernelContext *context)
{
  SondeShape scalar = sonde_shape_scalar ();
  g_autoptr (SondeTensor) count = sonde_tensor_new (context->outputs[0]->dtype, &scalar);

  run_variadic (context, add_loops);
  sonde_tensor_set_double (count, 0, context->n_inputs);
  sonde_binary_run (context->outputs[0], count, context->outputs[0], divide_loops);
}

/* ---- shape rules --------------------------------------------------------- */

static gboolean
need_number (SondeDtype dtype, GError **error)
{
  if (dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype)
      || sonde_dtype_is_integer (dtype))
    return TRUE;
  return sonde_infer_fail (error, "input 0 is %s, but must be a number", sonde_dtype_name (dtype));
}

static gboolean
infer_all_broadcast (SondeInferContext *context, GError **error)
{
  SondeType type = context->inputs[0];

  if (!sonde_infer_ready (context, context->n_inputs))
    return TRUE;
  for (guint k = 1; k < context->n_inputs; k++)
    if (!sonde_infer_broadcast (&type, &context->inputs[k], &type, error))
      return FALSE;
  context->outputs[0] = type;
  return TRUE;
}

static gboolean
infer_arithmetic (SondeInferContext *context, GError **error)
{
  for (guint k = 0; k < context->n_inputs; k++)
    if (sonde_infer_input (context, k) == NULL)
      return sonde_infer_fail (error, "input %u is missing", k);
  return need_number (context->inputs[0].dtype, error)
         && sonde_infer_need_same (context, 0, context->n_inputs - 1, error)
         && infer_all_broadcast (context, error);
}

static gboolean
infer_mean (SondeInferContext *context, GError **error)
{
  return sonde_infer_need_float (context, 0, error) && infer_arithmetic (context, error);
}

static gboolean
infer_power (SondeInferContext *context, GError **error)
{
  return need_number (context->inputs[0].dtype, error)
         && need_number (context->inputs[1].dtype, error) && infer_all_broadcast (context, error);
}

/* ---- gradients ----------------------------------------------------------- */

static void
give (SondeGradientContext *context, guint k, SondeGraphValue *gradient)
{
  context->input_gradients[k]
      = sonde_rule_unbroadcast (context, gradient, sonde_rule_x (context, k));
}

static gboolean
gradient_sum (SondeGradientContext *context, GError **error)
{
  for (guint k = 0; k < context->node->inputs->len; k++)
    if (context->wanted[k])
      give (context, k, sonde_rule_dy (context));
  return TRUE;
}

static gboolean
gradient_mean (SondeGradientContext *context, GError **error)
{
  guint n = context->node->inputs->len;
  SondeGraphValue *share = OP2 ("Div", sonde_rule_dy (context), sonde_rule_scalar (context, n));

  for (guint k = 0; k < n; k++)
    if (context->wanted[k])
      give (context, k, share);
  return TRUE;
}

static gboolean
gradient_subtract (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dy = sonde_rule_dy (context);

  if (context->wanted[0])
    give (context, 0, dy);
  if (context->wanted[1])
    context->input_gradients[1]
        = OP1 ("Neg", sonde_rule_unbroadcast (context, dy, sonde_rule_x (context, 1)));
  return TRUE;
}

static gboolean
gradient_multiply (SondeGradientContext *context, GError **error)
{
  for (guint k = 0; k < 2; k++)
    if (context->wanted[k])
      give (context, k, OP2 ("Mul", sonde_rule_dy (context), sonde_rule_x (context, 1 - k)));
  return TRUE;
}

static gboolean
gradient_divide (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *share = OP2 ("Div", sonde_rule_dy (context), sonde_rule_x (context, 1));

  if (context->wanted[0])
    give (context, 0, share);
  if (context->wanted[1])
    give (context, 1, OP1 ("Neg", OP2 ("Mul", share, sonde_rule_y (context, 0))));
  return TRUE;
}

/* d/dx x^p = p·x^(p−1), 0 where p = 0 even at x = 0 */
static SondeGraphValue *
power_base (SondeGradientContext *context, SondeGraphValue *dy, SondeGraphValue *x,
            SondeGraphValue *p)
{
  SondeGraphValue *exponent = sonde_rule_x (context, 1);
  SondeTensor *known = exponent->constant ? sonde_value_get_tensor (exponent->constant) : NULL;
  gboolean number = known != NULL && exponent->role == SONDE_ROLE_CONSTANT
                    && sonde_tensor_n_elements (known) == 1;
  double value = number ? sonde_tensor_get_double (known, 0) : 0;
  SondeGraphValue *slope = NULL;

  if (value == 2)
    return OP2 ("Mul", dy, OP2 ("Add", x, x));
  slope = OP2 ("Mul", p, OP2 ("Pow", x, OP2 ("Sub", p, sonde_rule_number (context, x, 1))));
  if (value == 0)
    slope = sonde_rule_where (context, OP2 ("Equal", p, sonde_rule_number (context, p, 0)), NULL,
                              slope);
  return OP2 ("Mul", dy, slope);
}

/* d/dp x^p = x^p·ln x, taken as 0 where x ≤ 0. */
static SondeGraphValue *
power_exponent (SondeGradientContext *context, SondeGraphValue *dy, SondeGraphValue *x)
{
  SondeGraphValue *positive = OP2 ("Greater", x, sonde_rule_number (context, x, 0));
  SondeGraphValue *safe
      = sonde_rule_where (context, positive, x, sonde_rule_number (context, x, 1));
  SondeGraphValue *slope = OP2 ("Mul", sonde_rule_y (context, 0), OP1 ("Log", safe));

  return OP2 ("Mul", dy, sonde_rule_where (context, positive, slope, NULL));
}

static gboolean
gradient_power (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dy = sonde_rule_dy (context);
  SondeGraphValue *x = sonde_rule_x (context, 0);
  SondeGraphValue *p = sonde_rule_x (context, 1);

  if (context->wanted[0])
    give (context, 0, power_base (context, dy, x, sonde_rule_cast_like (context, p, x)));
  if (context->wanted[1])
    give (context, 1, sonde_rule_cast_like (context, power_exponent (context, dy, x), p));
  return TRUE;
}

/* All of dy to each operand that is the extreme, in equal parts when several are. */
static gboolean
gradient_extreme (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *y = sonde_rule_y (context, 0);
  SondeGraphValue *zero = sonde_rule_scalar (context, 0);
  SondeGraphValue *one = sonde_rule_scalar (context, 1);
  guint n = context->node->inputs->len;
  g_autofree SondeGraphValue **marks = g_new0 (SondeGraphValue *, n);
  SondeGraphValue *count = NULL, *share = NULL;

  for (guint k = 0; k < n; k++)
    {
      SondeGraphValue *inputs[] = { OP2 ("Equal", sonde_rule_x (context, k), y), one, zero };

      marks[k] = sonde_build_op (context->graph, NULL, "", "Where", 3, inputs);
      count = count ? OP2 ("Add", count, marks[k]) : marks[k];
    }
  share = OP2 ("Div", sonde_rule_dy (context), count);
  for (guint k = 0; k < n; k++)
    if (context->wanted[k])
      give (context, k, OP2 ("Mul", share, marks[k]));
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static void
cost_variadic (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *type = &context->outputs[0];
  gint64 n = type->rank >= 0 ? sonde_type_product (type, 0, type->rank) : -1;

  cost->flops = n > 0 ? (double) n * MAX (context->n_inputs - 1, 1) : 0;
}

#define mean_part NULL
#define ROW(onnx, opset, least, most, rule, loop, derivative, items, ...)                          \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = least, .max_inputs = most,           \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE,         \
    .family = SONDE_FAMILY_OTHER, .infer = rule, .compute = compute_##loop,                        \
    .gradient = derivative, .cost = cost_variadic, .count_parts = items,                           \
    .compute_part = loop##_part, __VA_ARGS__                                                       \
  }

const SondeOpClass sonde_ops_arithmetic[] = {
  ROW ("Add", 7, 2, 2, infer_arithmetic, add, gradient_sum, sonde_binary_kernel_count,
       .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_AUTOCAST_ALL | SONDE_TRAIT_COMMUTES,
       .attribution = SONDE_ATTRIBUTION_SUM, .id = SONDE_OP_ID_ADD),
  ROW ("Div", 7, 2, 2, infer_arithmetic, divide, gradient_divide, sonde_binary_kernel_count,
       .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_QUOTIENT,
       .causes = sonde_causes_divide, .id = SONDE_OP_ID_DIV),
  ROW ("Max", 8, 1, -1, infer_arithmetic, maximum, gradient_extreme, variadic_count,
       .typing = SONDE_TYPING_UNIFORM, .changes_nothing = sonde_identity_of_one_input,
       .traits = SONDE_TRAIT_COMMUTES),
  ROW ("Mean", 8, 1, -1, infer_mean, mean, gradient_mean, NULL, .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_COMMUTES,
       .changes_nothing = sonde_identity_of_one_input),
  ROW ("Min", 8, 1, -1, infer_arithmetic, minimum, gradient_extreme, variadic_count,
       .typing = SONDE_TYPING_UNIFORM, .changes_nothing = sonde_identity_of_one_input,
       .traits = SONDE_TRAIT_COMMUTES),
  ROW ("Mul", 7, 2, 2, infer_arithmetic, multiply, gradient_multiply, sonde_binary_kernel_count,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_COMMUTES,
       .attribution = SONDE_ATTRIBUTION_PRODUCT, .id = SONDE_OP_ID_MUL),
  ROW ("Pow", 7, 2, 2, infer_power, power, gradient_power, power_count,
       .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_NONLINEAR,
       .causes = sonde_causes_power),
  ROW ("Sub", 7, 2, 2, infer_arithmetic, subtract, gradient_subtract, sonde_binary_kernel_count,
       .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_STRICT,
       .attribution = SONDE_ATTRIBUTION_SUM, .id = SONDE_OP_ID_SUB),
  ROW ("Sum", 8, 1, -1, infer_arithmetic, sum, gradient_sum, variadic_count,
       .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_AUTOCAST_ALL | SONDE_TRAIT_COMMUTES,
       .changes_nothing = sonde_identity_of_one_input, .id = SONDE_OP_ID_SUM),
  { .name = NULL },
};
