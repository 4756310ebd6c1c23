/* SPDX-License-Identifier: Apache-2.0
 * Operators on single elements that are several of ONNX. */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

static SondeGraphValue *
op1 (SondeTensorflowLower *lower, const char *op, SondeGraphValue *a)
{
  return sonde_tensorflow_op1 (lower, op, a);
}

static SondeGraphValue *
op2 (SondeTensorflowLower *lower, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  return sonde_tensorflow_op2 (lower, op, a, b);
}

static SondeGraphValue *
number (SondeTensorflowLower *lower, double value)
{
  return sonde_tensorflow_number (lower, sonde_tensorflow_in (lower, 0), value);
}

/* @n operands in the layout that changes least. */
static void
take (SondeTensorflowLower *lower, guint n, SondeGraphValue **operands)
{
  sonde_tensorflow_choose_layout (lower, n);
  for (guint k = 0; k < n; k++)
    operands[k] = sonde_tensorflow_in_any (lower, k);
}

/* ---- of one operand ------------------------------------------------------ */

static void
build_square (SondeTensorflowLower *lower)
{
  SondeGraphValue *x;

  take (lower, 1, &x);
  sonde_tensorflow_out_any (lower, 0, op2 (lower, "Mul", x, x));
}

static void
build_rsqrt (SondeTensorflowLower *lower)
{
  SondeGraphValue *x;

  take (lower, 1, &x);
  sonde_tensorflow_out_any (lower, 0, op1 (lower, "Reciprocal", op1 (lower, "Sqrt", x)));
}

/* 1 − erf x */
static void
build_erfc (SondeTensorflowLower *lower)
{
  SondeGraphValue *x;

  take (lower, 1, &x);
  sonde_tensorflow_out_any (lower, 0, op2 (lower, "Sub", number (lower, 1), op1 (lower, "Erf", x)));
}

/* e^x − 1 = 2t / (1 − t) with t = tanh (x / 2), which loses nothing near 0; beyond ±1, where t comes near
 * 1, as it is written. */
static void
build_expm1 (SondeTensorflowLower *lower)
{
  SondeGraphValue *x, *t, *near, *far, *is_near;

  take (lower, 1, &x);
  is_near = op2 (lower, "Less", op1 (lower, "Abs", x), number (lower, 1));
  t = op1 (lower, "Tanh", op2 (lower, "Mul", x, number (lower, 0.5)));
  near = op2 (lower, "Div", op2 (lower, "Mul", t, number (lower, 2)),
              op2 (lower, "Sub", number (lower, 1), t));
  far = op2 (lower, "Sub", op1 (lower, "Exp", x), number (lower, 1));
  sonde_tensorflow_out_any (lower, 0, sonde_tensorflow_op3 (lower, "Where", is_near, near, far));
}

/* log (1 + x) = 2 atanh (x / (2 + x)), which loses nothing near 0. */
static void
build_log1p (SondeTensorflowLower *lower)
{
  SondeGraphValue *x, *near, *far, *is_near;

  take (lower, 1, &x);
  is_near = op2 (lower, "Less", op1 (lower, "Abs", x), number (lower, 0.5));
  near = op2 (lower, "Div", x, op2 (lower, "Add", x, number (lower, 2)));
  near = op2 (lower, "Mul", op1 (lower, "Atanh", near), number (lower, 2));
  far = op1 (lower, "Log", op2 (lower, "Add", x, number (lower, 1)));
  sonde_tensorflow_out_any (lower, 0, sonde_tensorflow_op3 (lower, "Where", is_near, near, far));
}

static void
build_is_finite (SondeTensorflowLower *lower)
{
  SondeGraphValue *x;

  take (lower, 1, &x);
  x = op2 (lower, "Or", op1 (lower, "IsNaN", x), op1 (lower, "IsInf", x));
  sonde_tensorflow_out_any (lower, 0, op1 (lower, "Not", x));
}

/* Half the sum of squares. */
static void
build_l2_loss (SondeTensorflowLower *lower)
{
  SondeGraphValue *sum = op1 (lower, "ReduceSumSquare", sonde_tensorflow_in (lower, 0));

  sonde_node_set_int (sum->producer, "keepdims", 0);
  sonde_tensorflow_out (lower, 0, op2 (lower, "Mul", sum, number (lower, 0.5)));
}

/* ---- of two operands ----------------------------------------------------- */

static void
build_squared_difference (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2], *value;

  take (lower, 2, operands);
  value = op2 (lower, "Sub", operands[0], operands[1]);
  sonde_tensorflow_out_any (lower, 0, op2 (lower, "Mul", value, value));
}

/* What @value is where @zero is not 0, and 0 elsewhere. */
static SondeGraphValue *
unless_zero (SondeTensorflowLower *lower, SondeGraphValue *zero, SondeGraphValue *value)
{
  return sonde_tensorflow_op3 (lower, "Where", op2 (lower, "Equal", zero, number (lower, 0)),
                               number (lower, 0), value);
}

static void
build_div_no_nan (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2];

  take (lower, 2, operands);
  sonde_tensorflow_out_any (
      lower, 0, unless_zero (lower, operands[1], op2 (lower, "Div", operands[0], operands[1])));
}

static void
build_mul_no_nan (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2];

  take (lower, 2, operands);
  sonde_tensorflow_out_any (
      lower, 0, unless_zero (lower, operands[1], op2 (lower, "Mul", operands[0], operands[1])));
}

static void
build_x_div_y (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2];

  take (lower, 2, operands);
  sonde_tensorflow_out_any (
      lower, 0, unless_zero (lower, operands[0], op2 (lower, "Div", operands[0], operands[1])));
}

static void
build_x_log_y (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2];

  take (lower, 2, operands);
  sonde_tensorflow_out_any (
      lower, 0,
      unless_zero (lower, operands[0],
                   op2 (lower, "Mul", operands[0], op1 (lower, "Log", operands[1]))));
}

/* ---- division ------------------------------------------------------------ */

static gboolean
is_float (SondeTensorflowLower *lower)
{
  return sonde_dtype_is_float (sonde_tensorflow_in_dtype (lower, 0));
}

/* The remainder has the divisor's sign; ONNX's does so for integers only. */
static SondeGraphValue *
emit_remainder (SondeTensorflowLower *lower, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *rest = op2 (lower, "Mod", a, b), *zero, *wrong, *turned;

  if (!is_float (lower))
    return rest;
  sonde_node_set_int (rest->producer, "fmod", 1);
  zero = number (lower, 0);
  wrong = op2 (lower, "Xor", op2 (lower, "Less", rest, zero), op2 (lower, "Less", b, zero));
  wrong = op2 (lower, "And", wrong, op1 (lower, "Not", op2 (lower, "Equal", rest, zero)));
  turned = op2 (lower, "Add", rest, b);
  return sonde_tensorflow_op3 (lower, "Where", wrong, turned, rest);
}

static void
build_floor_mod (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2];

  take (lower, 2, operands);
  sonde_tensorflow_out_any (lower, 0, emit_remainder (lower, operands[0], operands[1]));
}

/* The remainder has the dividend's sign. */
static void
build_truncate_mod (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2], *value;

  take (lower, 2, operands);
  value = op2 (lower, "Mod", operands[0], operands[1]);
  sonde_node_set_int (value->producer, "fmod", 1);
  sonde_tensorflow_out_any (lower, 0, value);
}

static void
build_floor_div (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2], *value;

  take (lower, 2, operands);
  if (is_float (lower))
    value = op1 (lower, "Floor", op2 (lower, "Div", operands[0], operands[1]));
  else
    {
      value = emit_remainder (lower, operands[0], operands[1]);
      value = op2 (lower, "Div", op2 (lower, "Sub", operands[0], value), operands[1]);
    }
  sonde_tensorflow_out_any (lower, 0, value);
}

/* The angle of (x, y): atan (y / x) in the right half, turned by π in the left. */
static void
build_atan2 (SondeTensorflowLower *lower)
{
  SondeGraphValue *operands[2], *y, *x, *zero, *below, *angle, *turn, *steep;

  take (lower, 2, operands);
  y = operands[0];
  x = operands[1];
  zero = number (lower, 0);
  below = op2 (lower, "Less", y, zero);
  angle = op1 (lower, "Atan", op2 (lower, "Div", y, x));
  turn = sonde_tensorflow_op3 (lower, "Where", below, number (lower, -G_PI), number (lower, G_PI));
  angle = sonde_tensorflow_op3 (lower, "Where", op2 (lower, "Less", x, zero),
                                op2 (lower, "Add", angle, turn), angle);
  steep = op2 (lower, "Mul", op1 (lower, "Sign", y), number (lower, G_PI / 2));
  sonde_tensorflow_out_any (
      lower, 0, sonde_tensorflow_op3 (lower, "Where", op2 (lower, "Equal", x, zero), steep, angle));
}

static void
build_approximate_equal (SondeTensorflowLower *lower)
{
  double tolerance = sonde_tensorflow_attr_float (lower->node, "tolerance", 1e-5);
  SondeGraphValue *operands[2], *value;

  take (lower, 2, operands);
  value = op1 (lower, "Abs", op2 (lower, "Sub", operands[0], operands[1]));
  sonde_tensorflow_out_any (lower, 0, op2 (lower, "Less", value, number (lower, tolerance)));
}

/* ---- shifts -------------------------------------------------------------- */

/* 2^b of integers, by a table. */
static SondeGraphValue *
power_of_two (SondeTensorflowLower *lower, SondeGraphValue *exponent)
{
  gint64 powers[63];

  for (guint i = 0; i < G_N_ELEMENTS (powers); i++)
    powers[i] = (gint64) 1 << i;
  return op2 (lower, "Gather", sonde_lowering_ints (lower->to, powers, G_N_ELEMENTS (powers)),
              sonde_tensorflow_cast (lower, exponent, SONDE_DTYPE_I64));
}

/* a >> b rounds down: (a − a mod 2^b) / 2^b. */
static void
build_right_shift (SondeTensorflowLower *lower)
{
  SondeGraphValue *a
      = sonde_tensorflow_cast (lower, sonde_tensorflow_in (lower, 0), SONDE_DTYPE_I64);
  SondeGraphValue *power = power_of_two (lower, sonde_tensorflow_in (lower, 1));
  SondeGraphValue *rest = op2 (lower, "Sub", a, op2 (lower, "Mod", a, power));

  sonde_tensorflow_out (lower, 0,
                        sonde_lowering_cast (lower->to, op2 (lower, "Div", rest, power),
                                             sonde_tensorflow_in_dtype (lower, 0)));
}

static void
build_left_shift (SondeTensorflowLower *lower)
{
  SondeGraphValue *a
      = sonde_tensorflow_cast (lower, sonde_tensorflow_in (lower, 0), SONDE_DTYPE_I64);
  SondeGraphValue *power = power_of_two (lower, sonde_tensorflow_in (lower, 1));

  sonde_tensorflow_out (lower, 0,
                        sonde_lowering_cast (lower->to, op2 (lower, "Mul", a, power),
                                             sonde_tensorflow_in_dtype (lower, 0)));
}

/* ---- of many ------------------------------------------------------------- */

static void
build_add_n (SondeTensorflowLower *lower)
{
  guint n = lower->n_inputs;
  g_autofree SondeGraphValue **operands = g_new (SondeGraphValue *, n);
  SondeGraphValue *sum;

  take (lower, n, operands);
  if (is_float (lower))
    {
      sonde_tensorflow_out_any (lower, 0, sonde_lowering_op (lower->to, "Sum", operands, n));
      return;
    }
  sum = n == 1 ? op1 (lower, "Identity", operands[0]) : operands[0];
  for (guint k = 1; k < n; k++)
    {
      sum = op2 (lower, "Add", sum, operands[k]);
      sonde_lowering_infer (lower->to, sum);
    }
  sonde_tensorflow_out_any (lower, 0, sum);
}

/* ---- bias ---------------------------------------------------------------- */

/* One number a channel, which is the last dimension or the second. */
static void
build_bias (SondeTensorflowLower *lower)
{
  gboolean second = sonde_tensorflow_has_channels_first (lower);
  gint64 sizes[SONDE_MAX_RANK] = { -1 };
  SondeGraphValue *x, *bias = sonde_tensorflow_in (lower, 1);
  int rank = sonde_tensorflow_in_rank (lower, 0);

  if (!second)
    lower->first
        = sonde_lowering_find_channels_first (lower->to, sonde_tensorflow_in (lower, 0)) != NULL;
  x = sonde_tensorflow_in_any (lower, 0);
  if (second || lower->first)
    {
      if (rank < 0)
        rank = 4;
      for (int i = 1; i < rank - 1; i++)
        sizes[i] = 1;
      bias = sonde_lowering_reshape (lower->to, bias, sizes, MAX (rank - 1, 1));
    }
  sonde_tensorflow_out_any (lower, 0, op2 (lower, "Add", x, bias));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_arithmetic_rows[] = {
  { "AddN", 1, build_add_n, NULL },
  { "AccumulateNV2", 1, build_add_n, NULL },
  { "ApproximateEqual", 2, build_approximate_equal, NULL },
  { "Atan2", 2, build_atan2, NULL },
  { "BiasAdd", 2, build_bias, NULL },
  { "BiasAddV1", 2, build_bias, NULL },
  { "DivNoNan", 2, build_div_no_nan, NULL },
  { "Erfc", 1, build_erfc, NULL },
  { "Expm1", 1, build_expm1, NULL },
  { "FloorDiv", 2, build_floor_div, NULL },
  { "FloorMod", 2, build_floor_mod, NULL },
  { "IsFinite", 1, build_is_finite, NULL },
  { "L2Loss", 1, build_l2_loss, NULL },
  { "LeftShift", 2, build_left_shift, NULL },
  { "Log1p", 1, build_log1p, NULL },
  { "Mod", 2, build_truncate_mod, NULL },
  { "MulNoNan", 2, build_mul_no_nan, NULL },
  { "RightShift", 2, build_right_shift, NULL },
  { "Rsqrt", 1, build_rsqrt, NULL },
  { "Square", 1, build_square, NULL },
  { "SquaredDifference", 2, build_squared_difference, NULL },
  { "TruncateMod", 2, build_truncate_mod, NULL },
  { "Xdivy", 2, build_x_div_y, NULL },
  { "Xlogy", 2, build_x_log_y, NULL },
  { NULL, 0, NULL, NULL },
};
