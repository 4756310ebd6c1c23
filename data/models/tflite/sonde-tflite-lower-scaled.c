/* SPDX-License-Identifier: Apache-2.0
 * Quantised operators of single numbers, in integers: sums, products, steps of other scales. */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"
#include "data/models/tflite/sonde-tflite-fixed-point.h"

#define ADD_SHIFT 20 /* room that sums of 8-bit numbers take */
#define ADD_SHIFT_16 15
#define SQUARE_SHIFT 7

/* ---- sums and products of two -------------------------------------------- */

/* Both inputs in steps of twice the larger scale, with room below. */
static SondeGraphValue *
emit_sum (SondeTfliteLower *lower, const char *op, int shift, double larger)
{
  SondeGraphValue *terms[2];

  for (guint k = 0; k < 2; k++)
    {
      double real = (double) sonde_tflite_scale_of (sonde_tflite_in_tensor (lower, k)) / larger;

      terms[k] = sonde_lowering_op (
          lower->to, "Mul",
          SONDE_VALUES (sonde_tflite_emit_offset (lower, k),
                        sonde_lowering_number (lower->to, SONDE_DTYPE_I32, 1 << shift)));
      terms[k] = sonde_tflite_emit_scale (lower, terms[k], &real, 1, 0);
    }
  return sonde_lowering_op (lower->to, op, terms, 2);
}

gboolean
sonde_tflite_exact_arithmetic (SondeTfliteLower *lower)
{
  enum
  {
    ADD = 0,
    MUL = 18,
    DIV = 42
  };
  const SondeTfliteTensor *a = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *b = sonde_tflite_in_tensor (lower, 1);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  int activation = sonde_tflite_option8 (lower, 0), code = lower->op->code;
  int shift = out->dtype == SONDE_DTYPE_I16 ? ADD_SHIFT_16 : ADD_SHIFT;
  double larger, real;

  if (code == DIV || !sonde_tflite_is_plain (a, TRUE) || !sonde_tflite_is_plain (b, TRUE)
      || !sonde_tflite_is_plain (out, TRUE) || a->dtype != out->dtype || b->dtype != out->dtype
      || !sonde_tflite_knows_activation (activation))
    return FALSE;
  sonde_tflite_choose_layout (lower, 2);
  if (code == MUL)
    {
      real = (double) (sonde_tflite_scale_of (a) * sonde_tflite_scale_of (b)
                       / sonde_tflite_scale_of (out));
      sonde_tflite_out_any (
          lower, 0,
          sonde_tflite_emit_scaled (
              lower,
              sonde_lowering_op (lower->to, "Mul",
                                 SONDE_VALUES (sonde_tflite_emit_offset (lower, 0),
                                               sonde_tflite_emit_offset (lower, 1))),
              &real, 1, 0, activation));
      return TRUE;
    }
  larger = (double) (2 * MAX (sonde_tflite_scale_of (a), sonde_tflite_scale_of (b)));
  real = larger / ((double) (1 << shift) * (double) sonde_tflite_scale_of (out));
  sonde_tflite_out_any (
      lower, 0,
      sonde_tflite_emit_scaled (lower, emit_sum (lower, code == ADD ? "Add" : "Sub", shift, larger),
                                &real, 1, 0, activation));
  return TRUE;
}

/* Source: PrepareQuantizedSquaredDifference and SquaredDifference of
 * tensorflow/lite/kernels/squared_difference.cc */
gboolean
sonde_tflite_exact_squared_difference (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *a = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *b = sonde_tflite_in_tensor (lower, 1);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  SondeGraphValue *value;
  double larger, real;

  if (!sonde_tflite_is_plain (a, FALSE) || !sonde_tflite_is_plain (b, FALSE)
      || !sonde_tflite_is_plain (out, FALSE) || a->dtype != out->dtype || b->dtype != out->dtype)
    return FALSE;
  sonde_tflite_choose_layout (lower, 2);
  larger = 2 * (double) MAX (sonde_tflite_scale_of (a), sonde_tflite_scale_of (b));
  real
      = larger * larger / ((double) (1 << 2 * SQUARE_SHIFT) * (double) sonde_tflite_scale_of (out));
  value = emit_sum (lower, "Sub", SQUARE_SHIFT, larger);
  value = sonde_lowering_op (lower->to, "Mul", SONDE_VALUES (value, value));
  sonde_tflite_out_any (lower, 0, sonde_tflite_emit_scaled (lower, value, &real, 1, 0, 0));
  return TRUE;
}

/* ---- one input in other steps -------------------------------------------- */

gboolean
sonde_tflite_exact_quantize (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  double real;

  if (!sonde_tflite_is_plain (x, TRUE) || !sonde_tflite_is_plain (out, TRUE))
    return FALSE;
  real = (double) sonde_tflite_scale_of (x) / (double) sonde_tflite_scale_of (out);
  sonde_tflite_choose_layout (lower, 1);
  sonde_tflite_out_any (
      lower, 0,
      sonde_tflite_emit_scaled (lower, sonde_tflite_emit_offset (lower, 0), &real, 1, 0, 0));
  return TRUE;
}

gboolean
sonde_tflite_exact_relu (SondeTfliteLower *lower)
{
  static const int activations[][2] = { { 19, 1 }, { 20, 2 }, { 21, 3 } };
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  double real;

  for (guint i = 0; i < G_N_ELEMENTS (activations); i++)
    if (activations[i][0] == lower->op->code && sonde_tflite_is_plain (x, FALSE)
        && sonde_tflite_is_plain (out, FALSE))
      {
        real = (double) (sonde_tflite_scale_of (x) / sonde_tflite_scale_of (out));
        sonde_tflite_choose_layout (lower, 1);
        sonde_tflite_out_any (lower, 0,
                              sonde_tflite_emit_scaled (lower, sonde_tflite_emit_offset (lower, 0),
                                                        &real, 1, 0, activations[i][1]));
        return TRUE;
      }
  return FALSE;
}

gboolean
sonde_tflite_exact_leaky_relu (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  float alpha = sonde_tflite_option_float (lower, 0);
  double above, below;
  SondeGraphValue *value, *is_above;

  if (!sonde_tflite_is_plain (x, TRUE) || !sonde_tflite_is_plain (out, TRUE) || !isfinite (alpha))
    return FALSE;
  above = (double) (sonde_tflite_scale_of (x) / sonde_tflite_scale_of (out));
  below = (double) (sonde_tflite_scale_of (x) * alpha / sonde_tflite_scale_of (out));
  sonde_tflite_choose_layout (lower, 1);
  value = sonde_tflite_emit_offset (lower, 0);
  is_above = sonde_lowering_op (
      lower->to, "GreaterOrEqual",
      SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_I32, 0)));
  sonde_tflite_out_any (
      lower, 0,
      sonde_lowering_op (lower->to, "Where",
                         SONDE_VALUES (is_above,
                                       sonde_tflite_emit_scaled (lower, value, &above, 1, 0, 0),
                                       sonde_tflite_emit_scaled (lower, value, &below, 1, 0, 0))));
  return TRUE;
}
