/* SPDX-License-Identifier: Apache-2.0
 * Operators that take their inputs element by element. */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"

/* ---- one operator of ONNX ------------------------------------------------ */

/* By the numbers of the schema. */
static const struct
{
  int code;
  const char *op;
  guint n_inputs;
} direct[] = {
  { 8, "Floor", 1 },        { 14, "Sigmoid", 1 }, { 19, "Relu", 1 },
  { 28, "Tanh", 1 },        { 47, "Exp", 1 },     { 54, "PRelu", 2 },
  { 55, "Max", 2 },         { 57, "Min", 2 },     { 58, "Less", 2 },
  { 59, "Neg", 1 },         { 61, "Greater", 2 }, { 62, "GreaterOrEqual", 2 },
  { 63, "LessOrEqual", 2 }, { 66, "Sin", 1 },     { 71, "Equal", 2 },
  { 73, "Log", 1 },         { 75, "Sqrt", 1 },    { 78, "Pow", 2 },
  { 84, "Or", 2 },          { 86, "And", 2 },     { 87, "Not", 1 },
  { 101, "Abs", 1 },        { 104, "Ceil", 1 },   { 108, "Cos", 1 },
  { 111, "Elu", 1 },        { 116, "Round", 1 },  { 117, "HardSwish", 1 },
  { 123, "Where", 3 },      { 158, "Sign", 1 },   { 160, "BitwiseXor", 2 },
};

static guint
find_direct (int code)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (direct) && direct[i].code != code)
    i++;
  g_assert (i < G_N_ELEMENTS (direct));
  return i;
}

static SondeGraphValue *
emit (SondeTfliteLower *lower, const char *op, guint n)
{
  SondeGraphValue *inputs[3];

  sonde_tflite_choose_layout (lower, n);
  for (guint k = 0; k < n; k++)
    inputs[k] = sonde_tflite_in_any (lower, k);
  return sonde_lowering_op (lower->to, op, inputs, n);
}

void
sonde_tflite_build_direct (SondeTfliteLower *lower)
{
  guint i = find_direct (lower->op->code);

  sonde_tflite_out_any (lower, 0, emit (lower, direct[i].op, direct[i].n_inputs));
}

/* Equal of texts and not-equal. */
void
sonde_tflite_build_not_equal (SondeTfliteLower *lower)
{
  SondeGraphValue *equal = emit (lower, "Equal", 2);

  sonde_tflite_out_any (lower, 0, sonde_lowering_op (lower->to, "Not", SONDE_VALUES (equal)));
}

/* ---- arithmetic with an activation --------------------------------------- */

void
sonde_tflite_build_arithmetic (SondeTfliteLower *lower)
{
  static const struct
  {
    int code;
    const char *op;
  } ops[] = { { 0, "Add" }, { 18, "Mul" }, { 41, "Sub" }, { 42, "Div" } };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (ops[i].code == lower->op->code)
      {
        SondeGraphValue *value = emit (lower, ops[i].op, 2);

        value = sonde_tflite_activate (lower, value, sonde_tflite_option8 (lower, 0));
        sonde_tflite_out_any (lower, 0, value);
      }
}

void
sonde_tflite_build_add_n (SondeTfliteLower *lower)
{
  guint n = lower->op->n_inputs;
  g_autofree SondeGraphValue **inputs = g_new (SondeGraphValue *, n);
  SondeDtype dtype = sonde_tflite_out_tensor (lower, 0)->dtype;
  SondeGraphValue *sum;

  for (guint k = 0; k < n; k++)
    if ((inputs[k] = sonde_tflite_in (lower, k)) == NULL)
      {
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u is absent", k);
        return;
      }
  if (dtype == SONDE_DTYPE_F32)
    {
      sonde_tflite_out (lower, 0, sonde_lowering_op (lower->to, "Sum", inputs, n));
      return;
    }
  sum = inputs[0];
  for (guint k = 1; k < n; k++)
    sum = sonde_lowering_op (lower->to, "Add", SONDE_VALUES (sum, inputs[k]));
  if (n == 1)
    sum = sonde_lowering_op (lower->to, "Identity", inputs, 1);
  sonde_tflite_out (lower, 0, sum);
}

/* ---- products of themselves ---------------------------------------------- */

void
sonde_tflite_build_square (SondeTfliteLower *lower)
{
  SondeGraphValue *value;

  sonde_tflite_choose_layout (lower, 1);
  value = sonde_tflite_in_any (lower, 0);
  sonde_tflite_out_any (lower, 0,
                        sonde_lowering_op (lower->to, "Mul", SONDE_VALUES (value, value)));
}

void
sonde_tflite_build_squared_difference (SondeTfliteLower *lower)
{
  SondeGraphValue *value = emit (lower, "Sub", 2);

  sonde_tflite_out_any (lower, 0,
                        sonde_lowering_op (lower->to, "Mul", SONDE_VALUES (value, value)));
}

void
sonde_tflite_build_rsqrt (SondeTfliteLower *lower)
{
  SondeGraphValue *root = emit (lower, "Sqrt", 1);

  sonde_tflite_out_any (lower, 0, sonde_lowering_op (lower->to, "Reciprocal", SONDE_VALUES (root)));
}

/* ---- activations --------------------------------------------------------- */

void
sonde_tflite_build_clip (SondeTfliteLower *lower)
{
  static const struct
  {
    int code;
    double least, most;
  } ranges[] = { { 20, -1, 1 }, { 21, 0, 6 }, { 152, 0, 1 } };

  sonde_tflite_choose_layout (lower, 1);
  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (ranges[i].code == lower->op->code)
      sonde_tflite_out_any (
          lower, 0,
          sonde_lowering_op (
              lower->to, "Clip",
              SONDE_VALUES (sonde_tflite_in_any (lower, 0),
                            sonde_lowering_number (lower->to, SONDE_DTYPE_F32, ranges[i].least),
                            sonde_lowering_number (lower->to, SONDE_DTYPE_F32, ranges[i].most))));
}

void
sonde_tflite_build_leaky_relu (SondeTfliteLower *lower)
{
  SondeGraphValue *value = emit (lower, "LeakyRelu", 1);

  sonde_node_set_float (value->producer, "alpha", (double) sonde_tflite_option_float (lower, 0));
  sonde_tflite_out_any (lower, 0, value);
}

void
sonde_tflite_build_gelu (SondeTfliteLower *lower)
{
  SondeGraphValue *value = emit (lower, "Gelu", 1);

  if (sonde_tflite_option_bool (lower, 0))
    sonde_node_set_string (value->producer, "approximate", "tanh");
  sonde_tflite_out_any (lower, 0, value);
}

/* ---- division ------------------------------------------------------------ */

/* The remainder has the divisor's sign. */
static SondeGraphValue *
emit_remainder (SondeTfliteLower *lower, SondeGraphValue *a, SondeGraphValue *b, gboolean floats)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *rest = sonde_lowering_op (to, "Mod", SONDE_VALUES (a, b));
  SondeGraphValue *zero, *wrong, *is_zero;

  if (!floats)
    return rest;
  sonde_node_set_int (rest->producer, "fmod", 1);
  zero = sonde_lowering_number (to, SONDE_DTYPE_F32, 0);
  wrong
      = sonde_lowering_op (to, "Xor",
                           SONDE_VALUES (sonde_lowering_op (to, "Less", SONDE_VALUES (rest, zero)),
                                         sonde_lowering_op (to, "Less", SONDE_VALUES (b, zero))));
  is_zero = sonde_lowering_op (to, "Equal", SONDE_VALUES (rest, zero));
  wrong = sonde_lowering_op (
      to, "And", SONDE_VALUES (wrong, sonde_lowering_op (to, "Not", SONDE_VALUES (is_zero))));
  return sonde_lowering_op (
      to, "Where",
      SONDE_VALUES (wrong, sonde_lowering_op (to, "Add", SONDE_VALUES (rest, b)), rest));
}

static gboolean
is_float (const SondeTfliteLower *lower)
{
  return lower->floats || sonde_dtype_is_float (sonde_tflite_in_tensor (lower, 0)->dtype);
}

void
sonde_tflite_build_floor_mod (SondeTfliteLower *lower)
{
  sonde_tflite_out (lower, 0,
                    emit_remainder (lower, sonde_tflite_in (lower, 0), sonde_tflite_in (lower, 1),
                                    is_float (lower)));
}

void
sonde_tflite_build_floor_div (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *a = sonde_tflite_in (lower, 0), *b = sonde_tflite_in (lower, 1);
  SondeGraphValue *rest;

  if (is_float (lower))
    {
      SondeGraphValue *quotient = sonde_lowering_op (to, "Div", SONDE_VALUES (a, b));

      sonde_tflite_out (lower, 0, sonde_lowering_op (to, "Floor", SONDE_VALUES (quotient)));
      return;
    }
  rest = emit_remainder (lower, a, b, FALSE);
  rest = sonde_lowering_op (to, "Sub", SONDE_VALUES (a, rest));
  sonde_tflite_out (lower, 0, sonde_lowering_op (to, "Div", SONDE_VALUES (rest, b)));
}

/* a >> b rounds down: (a − a mod 2^b) / 2^b. */
void
sonde_tflite_build_right_shift (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *a = sonde_lowering_cast (to, sonde_tflite_in (lower, 0), SONDE_DTYPE_I64);
  SondeGraphValue *b = sonde_lowering_cast (to, sonde_tflite_in (lower, 1), SONDE_DTYPE_I64);
  gint64 powers[64];
  SondeGraphValue *power, *rest;

  for (guint i = 0; i < G_N_ELEMENTS (powers); i++)
    powers[i] = (gint64) 1 << MIN (i, 62);
  power = sonde_lowering_op (
      to, "Gather", SONDE_VALUES (sonde_lowering_ints (to, powers, G_N_ELEMENTS (powers)), b));
  rest = sonde_lowering_op (to, "Mod", SONDE_VALUES (a, power));
  rest = sonde_lowering_op (to, "Sub", SONDE_VALUES (a, rest));
  rest = sonde_lowering_op (to, "Div", SONDE_VALUES (rest, power));
  sonde_tflite_out (lower, 0,
                    sonde_lowering_cast (to, rest, sonde_tflite_out_tensor (lower, 0)->dtype));
}

/* The angle of (x, y): atan (y / x) in the right half, turned by π in the left. */
void
sonde_tflite_build_atan2 (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *y = sonde_tflite_in (lower, 0), *x = sonde_tflite_in (lower, 1);
  SondeDtype dtype = sonde_tflite_in_tensor (lower, 0)->dtype;
  SondeGraphValue *zero = sonde_lowering_number (to, dtype, 0);
  SondeGraphValue *pi = sonde_lowering_number (to, dtype, G_PI);
  SondeGraphValue *half = sonde_lowering_number (to, dtype, G_PI / 2);
  SondeGraphValue *below = sonde_lowering_op (to, "Less", SONDE_VALUES (y, zero));
  SondeGraphValue *left = sonde_lowering_op (to, "Less", SONDE_VALUES (x, zero));
  SondeGraphValue *on_axis = sonde_lowering_op (to, "Equal", SONDE_VALUES (x, zero));
  SondeGraphValue *angle, *turned, *turn, *steep;

  angle = sonde_lowering_op (to, "Div", SONDE_VALUES (y, x));
  angle = sonde_lowering_op (to, "Atan", SONDE_VALUES (angle));
  turn = sonde_lowering_op (
      to, "Where", SONDE_VALUES (below, sonde_lowering_op (to, "Neg", SONDE_VALUES (pi)), pi));
  turned = sonde_lowering_op (to, "Add", SONDE_VALUES (angle, turn));
  angle = sonde_lowering_op (to, "Where", SONDE_VALUES (left, turned, angle));
  steep = sonde_lowering_op (to, "Mul",
                             SONDE_VALUES (sonde_lowering_op (to, "Sign", SONDE_VALUES (y)), half));
  sonde_tflite_out (lower, 0,
                    sonde_lowering_op (to, "Where", SONDE_VALUES (on_axis, steep, angle)));
}

/* ---- types --------------------------------------------------------------- */

void
sonde_tflite_build_cast (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *tensor = sonde_tflite_out_tensor (lower, 0);

  if (tensor->dtype == SONDE_DTYPE_INVALID
      || sonde_tflite_in_tensor (lower, 0)->dtype == SONDE_DTYPE_INVALID)
    sonde_tflite_refuse (lower, sonde_message_new ("complex numbers are not supported"), NULL);
  else
    {
      sonde_tflite_choose_layout (lower, 1);
      sonde_tflite_out_any (
          lower, 0, sonde_lowering_cast (lower->to, sonde_tflite_in_any (lower, 0), tensor->dtype));
    }
}

/* The same bits: integers of the same size wrap, others have no operator. */
void
sonde_tflite_build_bitcast (SondeTfliteLower *lower)
{
  SondeDtype from = sonde_tflite_in_tensor (lower, 0)->dtype;
  SondeDtype dtype = sonde_tflite_out_tensor (lower, 0)->dtype;

  if (!sonde_dtype_is_integer (from) || !sonde_dtype_is_integer (dtype)
      || sonde_dtype_size (from) != sonde_dtype_size (dtype))
    sonde_tflite_refuse (lower,
                         sonde_message_new ("the bits of %s cannot be taken for %s",
                                            sonde_dtype_name (from), sonde_dtype_name (dtype)),
                         NULL);
  else
    sonde_tflite_out (lower, 0, sonde_lowering_cast (lower->to, sonde_tflite_in (lower, 0), dtype));
}

/* A condition of one dimension chooses rows. */
void
sonde_tflite_build_select (SondeTfliteLower *lower)
{
  SondeGraphValue *condition = sonde_tflite_in (lower, 0);
  int rank = sonde_tflite_in_rank (lower, 1);
  gint64 sizes[SONDE_MAX_RANK] = { -1 };

  if (sonde_tflite_in_rank (lower, 0) == 1 && rank > 1)
    {
      for (int i = 1; i < rank; i++)
        sizes[i] = 1;
      condition = sonde_lowering_reshape (lower->to, condition, sizes, rank);
    }
  sonde_tflite_out (lower, 0,
                    sonde_lowering_op (lower->to, "Where",
                                       SONDE_VALUES (condition, sonde_tflite_in (lower, 1),
                                                     sonde_tflite_in (lower, 2))));
}

/* How many boundaries are not above the number. */
void
sonde_tflite_build_bucketize (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  SondeFlatVector vector = sonde_flat_table_get_vector (&lower->op->options, 0, 4);
  const SondeShape shape = sonde_shape_make (1, vector.count);
  g_autoptr (SondeTensor) boundaries = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_tflite_in (lower, 0);
  gint64 last = -1;
  SondeGraphValue *above;

  for (guint32 i = 0; i < vector.count; i++)
    sonde_tensor_set_double (boundaries, i, (double) sonde_flat_vector_get_f32 (&vector, i));
  value = sonde_lowering_cast (to, value, SONDE_DTYPE_F32);
  value = sonde_lowering_unsqueeze (to, value, -1);
  above = sonde_lowering_op (to, "GreaterOrEqual",
                             SONDE_VALUES (value, sonde_lowering_constant (to, NULL, boundaries)));
  above = sonde_lowering_cast (to, above, SONDE_DTYPE_I32);
  above = sonde_lowering_op (to, "ReduceSum",
                             SONDE_VALUES (above, sonde_lowering_ints (to, &last, 1)));
  sonde_node_set_int (above->producer, "keepdims", 0);
  sonde_tflite_out (lower, 0, above);
}

/* ---- quantising ---------------------------------------------------------- */

void
sonde_tflite_build_dequantize (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, 0);
  SondeGraphValue *value;

  sonde_tflite_choose_layout (lower, 1);
  value = sonde_tflite_in_any (lower, 0); /* real numbers, where it is quantised */
  if (!sonde_tflite_is_quantised (tensor))
    value = sonde_lowering_cast (lower->to, value, sonde_tflite_out_tensor (lower, 0)->dtype);
  sonde_tflite_out_any (lower, 0, value);
}

/* Also from one quantised type to another. */
void
sonde_tflite_build_quantize (SondeTfliteLower *lower)
{
  if (!sonde_tflite_is_quantised (sonde_tflite_out_tensor (lower, 0)))
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "its output has no scale to quantise with");
      return;
    }
  sonde_tflite_choose_layout (lower, 1);
  sonde_tflite_out_any (lower, 0, sonde_tflite_in_any (lower, 0));
}

/* The range is moved so that 0 is one of its numbers. Source: FakeQuantizeArray and
 * NudgeQuantizationRange of tensorflow/lite/kernels/internal/quantization_util.h */
void
sonde_tflite_build_fake_quant (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  float min = sonde_tflite_option_float (lower, 0), max = sonde_tflite_option_float (lower, 1);
  int bits = sonde_tflite_option (lower, 2, 0);
  float least = sonde_tflite_option_bool (lower, 3) ? 1 : 0, most, scale, zero, at_least, at_most;
  SondeGraphValue *value;

  if (bits < 2 || bits > 16 || !(min < max) || !isfinite (min) || !isfinite (max))
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "its range %g to %g in %d bits is none", (double) min, (double) max,
                           bits);
      return;
    }
  most = (float) ((1 << bits) - 1);
  scale = (max - min) / (most - least);
  zero = least - min / scale;
  zero = zero < least ? least : zero > most ? most : roundf (zero);
  at_least = (least - zero) * scale;
  at_most = (most - zero) * scale;
  value = sonde_lowering_op (to, "Clip",
                             SONDE_VALUES (sonde_tflite_in (lower, 0),
                                           sonde_lowering_number (to, SONDE_DTYPE_F32, at_least),
                                           sonde_lowering_number (to, SONDE_DTYPE_F32, at_most)));
  value = sonde_lowering_op (
      to, "Sub", SONDE_VALUES (value, sonde_lowering_number (to, SONDE_DTYPE_F32, at_least)));
  value = sonde_lowering_op (
      to, "Mul", SONDE_VALUES (value, sonde_lowering_number (to, SONDE_DTYPE_F32, 1 / scale)));
  value = sonde_lowering_op (
      to, "Add", SONDE_VALUES (value, sonde_lowering_number (to, SONDE_DTYPE_F32, 0.5)));
  value = sonde_lowering_op (to, "Floor", SONDE_VALUES (value));
  value = sonde_lowering_op (
      to, "Mul", SONDE_VALUES (value, sonde_lowering_number (to, SONDE_DTYPE_F32, scale)));
  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (
          to, "Add", SONDE_VALUES (value, sonde_lowering_number (to, SONDE_DTYPE_F32, at_least))));
}
