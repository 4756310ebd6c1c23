/* SPDX-License-Identifier: Apache-2.0
 * Quantised operators in the integers of TFLite's reference kernels: sums in ONNX's integer operators,
 * steps of the result's scale by FixedPointScale. FALSE, before anything is emitted, where a kernel
 * is none of these: the operator then runs between DequantizeLinear and QuantizeLinear.
 * Source: tensorflow/lite/kernels/kernel_util.cc (multipliers, ranges of activations), and the kernel
 * of each operator under internal/reference and internal/reference/integer_ops. */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"
#include "data/models/tflite/sonde-tflite-fixed-point.h"

/* ---- scales -------------------------------------------------------------- */

static gboolean
is_type (const SondeTfliteTensor *tensor, gboolean wide)
{
  if (!sonde_tflite_is_quantised (tensor))
    return FALSE;
  for (guint i = 0; i < tensor->quantisation.n; i++)
    if (!isfinite (tensor->quantisation.scales[i]) || !(tensor->quantisation.scales[i] > 0))
      return FALSE;
  return tensor->dtype == SONDE_DTYPE_I8 || tensor->dtype == SONDE_DTYPE_U8
         || (wide && tensor->dtype == SONDE_DTYPE_I16);
}

/* One scale for the whole tensor. */
gboolean
sonde_tflite_is_plain (const SondeTfliteTensor *tensor, gboolean wide)
{
  return is_type (tensor, wide) && tensor->quantisation.n == 1;
}

float
sonde_tflite_scale_of (const SondeTfliteTensor *tensor)
{
  return tensor->quantisation.scales[0];
}

gint64
sonde_tflite_zero_of (const SondeTfliteTensor *tensor)
{
  return tensor->quantisation.zero_points[0];
}

/* A real multiplier as a number of 31 bits and a shift. Source: QuantizeMultiplier of
 * tensorflow/lite/kernels/internal/quantization_util.cc */
void
sonde_tflite_split_multiplier (double real, gint32 *multiplier, gint32 *shift)
{
  int exponent = 0;
  double fraction = frexp (real, &exponent);
  gint64 fixed = (gint64) round (fraction * (double) ((gint64) 1 << 31));

  if (fixed == (gint64) 1 << 31)
    {
      fixed /= 2;
      exponent++;
    }
  if (exponent < -31)
    {
      exponent = 0;
      fixed = 0;
    }
  *multiplier = (gint32) fixed;
  *shift = MIN (exponent, 31);
}

/* ---- the range of an activation ------------------------------------------ */

static gint64
quantise (const SondeTfliteTensor *tensor, float number)
{
  return sonde_tflite_zero_of (tensor) + (gint64) roundf (number / sonde_tflite_scale_of (tensor));
}

static void
find_range (const SondeTfliteTensor *tensor, int activation, gint64 *least, gint64 *most)
{
  enum
  {
    RELU = 1,
    RELU_N1_TO_1 = 2,
    RELU6 = 3
  };

  sonde_dtype_get_range (tensor->dtype, least, most);
  if (activation == RELU || activation == RELU6)
    *least = MAX (*least, quantise (tensor, 0));
  if (activation == RELU6)
    *most = MIN (*most, quantise (tensor, 6));
  if (activation == RELU_N1_TO_1)
    {
      *least = MAX (*least, quantise (tensor, -1));
      *most = MIN (*most, quantise (tensor, 1));
    }
}

gboolean
sonde_tflite_knows_activation (int activation)
{
  return activation >= 0 && activation <= 3;
}

/* ---- emitting ------------------------------------------------------------ */

/* (transfer full) values as a constant of int32. */
static SondeGraphValue *
add_numbers (SondeTfliteLower *lower, const gint32 *numbers, guint n)
{
  const SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I32, &shape, numbers);

  return sonde_lowering_constant (lower->to, NULL, tensor);
}

static SondeGraphValue *
emit_fixed (SondeTfliteLower *lower, SondeGraphValue *sums, const gint32 *multipliers,
            const gint32 *shifts, guint n, gint64 axis)
{
  SondeNode *node = sonde_lowering_node (
      lower->to, "sonde", "FixedPointScale",
      SONDE_VALUES (sums, add_numbers (lower, multipliers, n), add_numbers (lower, shifts, n)), 1);

  sonde_node_set_int (node, "axis", axis);
  sonde_node_set_int (node, "to", sonde_lowering_onnx_dtype (SONDE_DTYPE_I32));
  return sonde_node_get_output (node, 0);
}

SondeGraphValue *
sonde_tflite_emit_scale (SondeTfliteLower *lower, SondeGraphValue *sums, const double *reals,
                         guint n, gint64 axis)
{
  g_autofree gint32 *multipliers = g_new (gint32, n);
  g_autofree gint32 *shifts = g_new (gint32, n);

  for (guint i = 0; i < n; i++)
    sonde_tflite_split_multiplier (reals[i], &multipliers[i], &shifts[i]);
  return emit_fixed (lower, sums, multipliers, shifts, n, axis);
}

/* In the steps of output 0, within the range of @activation. */
static SondeGraphValue *
finish (SondeTfliteLower *lower, SondeGraphValue *value, int activation)
{
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  gint64 least = 0, most = 0;

  find_range (out, activation, &least, &most);
  sonde_node_set_int (value->producer, "to", sonde_lowering_onnx_dtype (out->dtype));
  sonde_node_set_int (value->producer, "zero_point", sonde_tflite_zero_of (out));
  sonde_node_set_int (value->producer, "minimum", least);
  sonde_node_set_int (value->producer, "maximum", most);
  return value;
}

SondeGraphValue *
sonde_tflite_emit_scaled (SondeTfliteLower *lower, SondeGraphValue *sums, const double *reals,
                          guint n, gint64 axis, int activation)
{
  return finish (lower, sonde_tflite_emit_scale (lower, sums, reals, n, axis), activation);
}

SondeGraphValue *
sonde_tflite_emit_multiplied (SondeTfliteLower *lower, SondeGraphValue *sums, gint32 multiplier,
                              gint32 shift)
{
  return finish (lower, emit_fixed (lower, sums, &multiplier, &shift, 1, 0), 0);
}

/* Input @k in the chosen layout, its zero point taken off, as int32. */
SondeGraphValue *
sonde_tflite_emit_offset (SondeTfliteLower *lower, guint k)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, k);
  SondeGraphValue *value
      = sonde_lowering_cast (lower->to, sonde_tflite_in_any (lower, k), SONDE_DTYPE_I32);

  return sonde_lowering_op (
      lower->to, "Sub",
      SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_I32,
                                                  (double) sonde_tflite_zero_of (tensor))));
}

static SondeGraphValue *
zero_constant (SondeTfliteLower *lower, const SondeTfliteTensor *tensor)
{
  return sonde_lowering_number (lower->to, tensor->dtype, (double) sonde_tflite_zero_of (tensor));
}

/* ---- products ------------------------------------------------------------ */

/* Where x and the bias stand; weights are input 1. */
static guint
product_input (const SondeTfliteLower *lower)
{
  enum
  {
    TRANSPOSE_CONV = 67
  };

  return lower->op->code == TRANSPOSE_CONV ? 2 : 0;
}

static guint
product_bias (const SondeTfliteLower *lower)
{
  return product_input (lower) == 0 ? 2 : 3;
}

/* Scales of input times weights in steps of the output. @apart: the product of the two is taken in
 * double, as kernels with a scale for each filter do. (transfer full) */
static double *
product_scales (SondeTfliteLower *lower, guint *n)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, product_input (lower));
  const SondeTfliteQuantisation *weights = &sonde_tflite_in_tensor (lower, 1)->quantisation;
  double out = (double) sonde_tflite_scale_of (sonde_tflite_out_tensor (lower, 0));
  gboolean in_float = x->dtype == SONDE_DTYPE_U8 || (lower->op->code == 9 && weights->n == 1);
  double *reals = g_new (double, weights->n);

  *n = weights->n;
  for (guint i = 0; i < weights->n; i++)
    {
      float product = sonde_tflite_scale_of (x) * weights->scales[i];

      reals[i] = in_float ? (double) product / out
                          : (double) sonde_tflite_scale_of (x) * (double) weights->scales[i] / out;
    }
  return reals;
}

gboolean
sonde_tflite_fits_product (SondeTfliteLower *lower, int activation, gboolean wide)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, product_input (lower));
  const SondeTfliteTensor *weights = sonde_tflite_in_tensor (lower, 1);
  const SondeTfliteTensor *bias = sonde_tflite_in_tensor (lower, product_bias (lower));

  if (!sonde_tflite_is_plain (x, wide) || !is_type (weights, FALSE)
      || !sonde_tflite_is_plain (sonde_tflite_out_tensor (lower, 0), wide)
      || !sonde_tflite_knows_activation (activation)
      || (bias != NULL
          && ((bias->dtype != SONDE_DTYPE_I32 && bias->dtype != SONDE_DTYPE_I64)
              || bias->shape.rank != 1)))
    return FALSE;
  for (guint i = 1; i < weights->quantisation.n; i++)
    if (weights->quantisation.zero_points[i] != weights->quantisation.zero_points[0])
      return FALSE;
  return TRUE;
}

/* @value less the zero point of @tensor, in double, in which every sum of these is exact. */
SondeGraphValue *
sonde_tflite_emit_wide (SondeTfliteLower *lower, SondeGraphValue *value,
                        const SondeTfliteTensor *tensor)
{
  value = sonde_lowering_cast (lower->to, value, SONDE_DTYPE_F64);
  return sonde_lowering_op (
      lower->to, "Sub",
      SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_F64,
                                                  (double) sonde_tflite_zero_of (tensor))));
}

SondeGraphValue *
sonde_tflite_emit_wide_conv (SondeTfliteLower *lower, const char *op, SondeGraphValue *weights)
{
  guint k = product_input (lower);

  return sonde_lowering_op (
      lower->to, op,
      SONDE_VALUES (sonde_tflite_emit_wide (lower, sonde_tflite_in_first (lower, k),
                                            sonde_tflite_in_tensor (lower, k)),
                    sonde_tflite_emit_wide (lower, weights, sonde_tflite_in_tensor (lower, 1))));
}

/* There is no operator of integers for 16 bits. */
SondeGraphValue *
sonde_tflite_emit_conv_integer (SondeTfliteLower *lower, SondeGraphValue *weights)
{
  if (sonde_tflite_in_tensor (lower, 0)->dtype == SONDE_DTYPE_I16)
    return sonde_tflite_emit_wide_conv (lower, "Conv", weights);
  return sonde_lowering_op (
      lower->to, "ConvInteger",
      SONDE_VALUES (sonde_tflite_in_first (lower, 0), weights,
                    zero_constant (lower, sonde_tflite_in_tensor (lower, 0)),
                    zero_constant (lower, sonde_tflite_in_tensor (lower, 1))));
}

SondeGraphValue *
sonde_tflite_emit_conv_output (SondeTfliteLower *lower, SondeGraphValue *sums, int activation)
{
  static const gint64 channels[] = { 1, -1, 1, 1 };
  SondeGraphValue *bias = sonde_tflite_in_raw (lower, product_bias (lower));
  gboolean wide = sonde_tflite_in_tensor (lower, product_input (lower))->dtype == SONDE_DTYPE_I16;
  SondeDtype dtype = wide ? SONDE_DTYPE_I64 : SONDE_DTYPE_I32;
  guint n = 0;
  g_autofree double *reals = product_scales (lower, &n);

  if (wide || product_input (lower) != 0)
    sums = sonde_lowering_cast (lower->to, sums, dtype);
  if (bias != NULL)
    bias = sonde_lowering_reshape (lower->to, sonde_lowering_cast (lower->to, bias, dtype),
                                   channels, 4);
  if (bias != NULL)
    sums = sonde_lowering_op (lower->to, "Add", SONDE_VALUES (sums, bias));
  return sonde_tflite_emit_scaled (lower, sums, reals, n, 1, activation);
}

SondeGraphValue *
sonde_tflite_emit_product (SondeTfliteLower *lower, SondeGraphValue *a, SondeGraphValue *b)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *y = sonde_tflite_in_tensor (lower, 1);

  if (x->dtype != SONDE_DTYPE_I16)
    return sonde_lowering_op (
        lower->to, "MatMulInteger",
        SONDE_VALUES (a, b, zero_constant (lower, x), zero_constant (lower, y)));
  a = sonde_lowering_op (
      lower->to, "MatMul",
      SONDE_VALUES (sonde_tflite_emit_wide (lower, a, x), sonde_tflite_emit_wide (lower, b, y)));
  return sonde_lowering_cast (lower->to, a, SONDE_DTYPE_I64);
}

gboolean
sonde_tflite_exact_fully_connected (SondeTfliteLower *lower)
{
  static const gint64 turned[] = { 1, 0 };
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *weights = sonde_tflite_in_tensor (lower, 1);
  gboolean keep = sonde_tflite_option_bool (lower, 2);
  int activation = sonde_tflite_option8 (lower, 0), rank = keep ? x->shape.rank : 2;
  gint64 rows[] = { -1, weights->shape.rank == 2 ? weights->shape.dims[1] : 0 };
  SondeGraphValue *value, *bias;
  guint n = 0;
  g_autofree double *reals = NULL;

  if (!sonde_tflite_fits_product (lower, activation, TRUE) || weights->shape.rank != 2
      || rows[1] < 1 || sonde_tflite_option8 (lower, 1) != 0 || weights->quantisation.dimension != 0
      || rank < 2)
    return FALSE;
  value = sonde_tflite_in (lower, 0);
  if (!keep && (x->shape.rank != 2 || x->signature.dims[1] != rows[1]))
    value = sonde_lowering_reshape (lower->to, value, rows, 2);
  value = sonde_tflite_emit_product (
      lower, value, sonde_lowering_permute (lower->to, sonde_tflite_in (lower, 1), turned, 2));
  bias = sonde_tflite_in_raw (lower, 2);
  if (bias != NULL && x->dtype == SONDE_DTYPE_I16)
    bias = sonde_lowering_cast (lower->to, bias, SONDE_DTYPE_I64);
  if (bias != NULL)
    value = sonde_lowering_op (lower->to, "Add", SONDE_VALUES (value, bias));
  reals = product_scales (lower, &n);
  sonde_tflite_out (lower, 0,
                    sonde_tflite_emit_scaled (lower, value, reals, n, rank - 1, activation));
  return TRUE;
}

/* ---- pooling ------------------------------------------------------------- */

gboolean
sonde_tflite_fits_pool (SondeTfliteLower *lower, int activation)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);

  return sonde_tflite_is_plain (x, TRUE) && sonde_tflite_is_plain (out, TRUE)
         && x->dtype == out->dtype && sonde_tflite_knows_activation (activation);
}

SondeGraphValue *
sonde_tflite_emit_rounded (SondeTfliteLower *lower, SondeGraphValue *means, int activation)
{
  SondeLowering *to = lower->to;
  gint64 least = 0, most = 0;
  SondeGraphValue *value = sonde_lowering_op (to, "Abs", SONDE_VALUES (means));

  find_range (sonde_tflite_out_tensor (lower, 0), activation, &least, &most);
  value = sonde_lowering_op (
      to, "Add", SONDE_VALUES (value, sonde_lowering_number (to, SONDE_DTYPE_F64, 0.5)));
  value = sonde_lowering_op (to, "Floor", SONDE_VALUES (value));
  value = sonde_lowering_op (
      to, "Mul", SONDE_VALUES (value, sonde_lowering_op (to, "Sign", SONDE_VALUES (means))));
  value = sonde_lowering_op (
      to, "Clip",
      SONDE_VALUES (value, sonde_lowering_number (to, SONDE_DTYPE_F64, (double) least),
                    sonde_lowering_number (to, SONDE_DTYPE_F64, (double) most)));
  return sonde_lowering_cast (to, value, sonde_tflite_out_tensor (lower, 0)->dtype);
}
