/* SPDX-License-Identifier: Apache-2.0
 * Quantised functions of one number, in integers: whatever a kernel of TFLite does, its result is one of
 * a table with an entry for each number of the input, which is made here. Softmax is built of such
 * tables, too.
 * Sources: tensorflow/lite/kernels/{activations,elementwise,exp,gelu}.cc, internal/common.h (tables of
 * 16 bits), internal/reference/hard_swish.h, internal/reference/integer_ops/{logistic,tanh}.h */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"
#include "data/models/tflite/sonde-tflite-fixed-point.h"

/* Numbers of operators in the schema. */
enum
{
  LOGISTIC = 14,
  TANH = 28,
  EXP = 47,
  LOG = 73,
  SQRT = 75,
  RSQRT = 76,
  ELU = 111,
  HARD_SWISH = 117,
  GELU = 150,
  INVERSE = -1, /* of one more; only here */
};

/**
 * Curve: one function
 * @apply: of real numbers, in float32 as the kernels compute
 * @least, @most: of the numbers of the output
 */
typedef struct
{
  int code;
  gboolean approximate;
  float in_scale, out_scale;
  gint64 in_zero, out_zero, least, most;
} Curve;

/* ---- real functions ------------------------------------------------------ */

static float
apply_gelu (const Curve *curve, float x)
{
  const float cubic = 0.7978845608028654f * (x + 0.044715f * x * x * x);

  return curve->approximate ? 0.5f * x * (1 + tanhf (cubic))
                            : 0.5f * x * (1 + erff (x * (float) M_SQRT1_2));
}

static float
apply (const Curve *curve, float x)
{
  switch (curve->code)
    {
    case LOGISTIC:
      return 1.0f / (1.0f + expf (-x));
    case TANH:
      return tanhf (x);
    case EXP:
      return expf (x);
    case LOG:
      return x > 0 ? logf (x) : curve->out_scale * (float) (curve->least - curve->out_zero);
    case SQRT:
      return sqrtf (x);
    case RSQRT:
      return x > 0 ? 1 / sqrtf (x) : curve->out_scale * (float) (curve->most - curve->out_zero);
    case INVERSE:
      return 1 / (1 + x);
    case ELU:
      return x < 0 ? expm1f (x) : x;
    default:
      return apply_gelu (curve, x);
    }
}

/* ---- tables of 8 bits ---------------------------------------------------- */

static gint64
limit (const Curve *curve, double number)
{
  return (gint64) CLAMP (number, (double) curve->least, (double) curve->most);
}

static gint64
find_real (const Curve *curve, gint64 x)
{
  const float real = apply (curve, curve->in_scale * (float) (x - curve->in_zero));
  const float steps = real * (1 / curve->out_scale);

  if (isnan (steps))
    return curve->least;
  /* The root alone is cut off, not rounded. */
  return limit (curve, (double) (curve->code == SQRT ? truncf (steps) : roundf (steps))
                           + (double) curve->out_zero);
}

/* The upper half of the doubled product: rounded, or cut off. */
static gint64
multiply_high (gint64 a, gint64 b, gboolean rounds)
{
  const gint64 product = a * b;

  if (a == G_MININT16 && b == G_MININT16)
    return G_MAXINT16;
  if (!rounds)
    return product / (1 << 15);
  return (product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15);
}

static gint64
shift_left (gint64 x, int bits)
{
  return CLAMP (x * ((gint64) 1 << bits), G_MININT16, G_MAXINT16);
}

static gint64
shift_right (gint64 x, int bits)
{
  const gint64 mask = ((gint64) 1 << bits) - 1;

  return (x >> bits) + ((x & mask) > (mask >> 1) + (x < 0));
}

static gint64
split_short (float real, int *shift)
{
  gint32 multiplier, exponent;

  sonde_tflite_split_multiplier (isfinite (real) ? (double) real : 0, &multiplier, &exponent);
  *shift = CLAMP (exponent, -31, 31);
  return multiplier >= G_MAXINT32 - (1 << 15) ? G_MAXINT16 : (multiplier + (1 << 15)) >> 16;
}

/* x · relu6 (x + 3) / 6 in 16 bits, with 7 more bits for the input. */
static gint64
find_hard_swish (const Curve *curve, gint64 x)
{
  const float fine = 1.0f / 128 * curve->in_scale;
  int out_shift, share_shift;
  const gint64 out_multiplier = split_short (fine / curve->out_scale, &out_shift);
  const gint64 share_multiplier = split_short (fine / (3.0f / 32768), &share_shift);
  const gint64 value = (x - curve->in_zero) * 128;
  gint64 share = value;

  if (share_shift > 0)
    share = shift_left (share, share_shift - 1);
  share = multiply_high (share, share_multiplier, TRUE);
  share = share_shift > 0 ? shift_left (share, 1) : shift_right (share, -share_shift);
  share = (share + (1 << 15)) >> 1;
  share = multiply_high (share, multiply_high (value, out_multiplier, TRUE), FALSE);
  return limit (curve, (double) (shift_right (share, MAX (-out_shift, 0)) + curve->out_zero));
}

/* ---- tables of 16 bits --------------------------------------------------- */

#define N_STEPS 512

static double
clip_16 (double number)
{
  return isnan (number) ? 0 : CLAMP (number, G_MININT16, G_MAXINT16);
}

/* 513 points of @curve, whose error in the middle between two is halved. */
static void
fill_points (const Curve *curve, gint64 *points)
{
  const float least = curve->in_scale * (float) (G_MININT16 - curve->in_zero);
  const float most = curve->in_scale * (float) (G_MAXINT16 - curve->in_zero);
  const float out_least = curve->out_scale * (float) (G_MININT16 - curve->out_zero);
  const float out_most = curve->out_scale * (float) (G_MAXINT16 - curve->out_zero);
  const float step = (most - least) / N_STEPS, half = step / 2;
  const float steps = 65536 / (out_most - out_least);

  for (int i = 0; i < N_STEPS; i++)
    {
      const float at = least + (float) i * step;
      const float value = roundf (apply (curve, at) * steps);
      const float middle = roundf (apply (curve, at + half) * steps);
      const float next = apply (curve, least + (float) (i + 1) * step) * steps;
      const float apart = roundf ((next + value) / 2) - middle;

      points[i] = (gint64) clip_16 ((double) (value - roundf (apart / 2)));
    }
  points[N_STEPS] = (gint64) clip_16 ((double) roundf (apply (curve, most) * steps));
}

static gint64
look_up (const gint64 *points, gint64 x)
{
  const gint64 *point = points + 256 + (x >> 7);

  return point[0] + (((point[1] - point[0]) * (x & 0x7f) + 64) >> 7);
}

static double
scale_logistic (double k)
{
  return 65536 / (1 + exp (-k / 24));
}

#define LAST_LOGISTIC 255 /* entry of the kernels' table */

/* 65,536 times the logistic function of k / 24; half the error in the middle to the next is added. */
static gint64
get_sigmoid (gint64 k)
{
  const double here = scale_logistic ((double) k), next = scale_logistic ((double) (k + 1));
  const double middle = scale_logistic ((double) k + 0.5);

  if (k >= LAST_LOGISTIC)
    return 65535;
  return (gint64) floor (here + (middle - (here + next) / 2) / 2 + 0.5);
}

/* The input in steps of 1 / 12,288. */
static gint64
scale_sigmoid (const Curve *curve, gint64 x)
{
  int exponent = 0, shift = 0;
  const double fraction = frexp ((double) curve->in_scale, &exponent);
  const int left = 12 + exponent - 1;
  double multiplier = (double) curve->in_scale * 4096 * 3;

  if (fraction == 0.5 && (left == 0 || (curve->code == TANH && left == 1)))
    return x * (3 << left);
  for (; multiplier <= 32767.0 / 2 && shift <= 30; shift++)
    multiplier *= 2;
  return (x * (gint64) MIN (multiplier, G_MAXINT16) + (shift > 0 ? (gint64) 1 << (shift - 1) : 0))
         >> shift;
}

static gint64
find_logistic_16 (const Curve *curve, gint64 x)
{
  const gint64 scaled = scale_sigmoid (curve, x), size = ABS (scaled), k = size >> 9;
  const gint64 a = get_sigmoid (k), b = get_sigmoid (k + 1);
  gint64 y = k >= 255 ? 0x7fff << 10 : (a << 9) + (size & 0x1ff) * (b - a);

  y = scaled >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1;
  return y >> 10;
}

/* 2 · logistic (2x) − 1 */
static gint64
find_tanh_16 (const Curve *curve, gint64 x)
{
  const gint64 scaled = scale_sigmoid (curve, x), size = ABS (scaled), k = size >> 8;
  const gint64 a = get_sigmoid (k), b = get_sigmoid (k + 1);
  gint64 y = k >= 255 ? 0xffff << 8 : (a << 8) + (size & 0xff) * (b - a);

  y = scaled >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1;
  return y >> 8;
}

/* ---- one table ----------------------------------------------------------- */

/* @n entries from the least number of the input on. */
static void
fill_table (const Curve *curve, gboolean wide, gint64 first, gint64 n, gint64 *table)
{
  gint64 points[N_STEPS + 1];

  if (wide && curve->code != LOGISTIC && curve->code != TANH)
    fill_points (curve, points);
  for (gint64 i = 0; i < n; i++)
    {
      const gint64 x = first + i;

      if (curve->code == HARD_SWISH)
        table[i] = find_hard_swish (curve, x);
      else if (!wide)
        table[i] = find_real (curve, x);
      else if (curve->code == LOGISTIC)
        table[i] = find_logistic_16 (curve, x);
      else if (curve->code == TANH)
        table[i] = find_tanh_16 (curve, x);
      else
        table[i] = look_up (points, x);
    }
}

static SondeGraphValue *
add_table (SondeTfliteLower *lower, const gint64 *numbers, gint64 n, SondeDtype dtype)
{
  const SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) table = sonde_tensor_new (dtype, &shape);

  sonde_dtype_convert (SONDE_DTYPE_I64, numbers, dtype, table->data, (gsize) n);
  return sonde_lowering_constant (lower->to, NULL, table);
}

/* The entry for each number of @value, whose least is @first. */
static SondeGraphValue *
emit_look_up (SondeTfliteLower *lower, SondeGraphValue *table, SondeGraphValue *value,
              SondeDtype dtype, gint64 first)
{
  value
      = dtype == SONDE_DTYPE_I32 ? value : sonde_lowering_cast (lower->to, value, SONDE_DTYPE_I32);
  if (first != 0)
    value = sonde_lowering_op (
        lower->to, "Sub",
        SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_I32, (double) first)));
  return sonde_lowering_op (lower->to, "Gather", SONDE_VALUES (table, value));
}

/* Kernels of 16 bits that are made otherwise than by a table stay as they are. */
static gboolean
has_table (int code, gboolean wide)
{
  return wide ? code != SQRT && code != ELU && code != HARD_SWISH : code != RSQRT;
}

gboolean
sonde_tflite_exact_table (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  const gboolean wide = x->dtype == SONDE_DTYPE_I16;
  gint64 first = 0, last = 0;
  g_autofree gint64 *table = NULL;
  Curve curve = { .code = lower->op->code };

  if (!sonde_tflite_is_plain (x, TRUE) || !sonde_tflite_is_plain (out, TRUE)
      || x->dtype != out->dtype || !has_table (curve.code, wide))
    return FALSE;
  curve.approximate = curve.code == GELU && sonde_tflite_option_bool (lower, 0);
  curve.in_scale = sonde_tflite_scale_of (x);
  curve.out_scale = sonde_tflite_scale_of (out);
  curve.in_zero = sonde_tflite_zero_of (x);
  curve.out_zero = sonde_tflite_zero_of (out);
  sonde_dtype_get_range (out->dtype, &curve.least, &curve.most);
  sonde_dtype_get_range (x->dtype, &first, &last);
  table = g_new (gint64, last - first + 1);
  fill_table (&curve, wide, first, last - first + 1, table);
  sonde_tflite_choose_layout (lower, 1);
  sonde_tflite_out_any (lower, 0,
                        emit_look_up (lower, add_table (lower, table, last - first + 1, out->dtype),
                                      sonde_tflite_in_any (lower, 0), x->dtype, first));
  return TRUE;
}

/* ---- softmax ------------------------------------------------------------- */

/* exp (−scale · beta · k), in float32 */
static SondeGraphValue *
add_powers (SondeTfliteLower *lower, float scale)
{
  const SondeShape shape = sonde_shape_make (1, 256);
  float powers[256];
  g_autoptr (SondeTensor) table = NULL;

  for (int k = 0; k < 256; k++)
    powers[k] = expf (-scale * (float) k);
  table = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, powers);
  return sonde_lowering_constant (lower->to, NULL, table);
}

static SondeGraphValue *
reduce_last (SondeTfliteLower *lower, const char *op, SondeGraphValue *value)
{
  const gint64 last = -1;

  value = sonde_lowering_op (lower->to, op,
                             SONDE_VALUES (value, sonde_lowering_ints (lower->to, &last, 1)));
  sonde_node_set_int (value->producer, "keepdims", 1);
  return value;
}

/* Entries for all numbers of 16 bits. */
static SondeGraphValue *
add_points (SondeTfliteLower *lower, const Curve *curve)
{
  g_autofree gint64 *table = g_new (gint64, 65536);

  fill_table (curve, TRUE, G_MININT16, 65536, table);
  return add_table (lower, table, 65536, SONDE_DTYPE_I32);
}

static SondeGraphValue *
compute (SondeTfliteLower *lower, const char *op, SondeGraphValue *a, double b)
{
  return sonde_lowering_op (
      lower->to, op, SONDE_VALUES (a, sonde_lowering_number (lower->to, SONDE_DTYPE_F64, b)));
}

/* @value + @offset, within 16 bits, as a place in add_points(). */
static SondeGraphValue *
look_up_wide (SondeTfliteLower *lower, const Curve *curve, SondeGraphValue *value, double offset)
{
  value = compute (lower, "Add", value, offset);
  value = sonde_lowering_op (
      lower->to, "Clip",
      SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_F64, G_MININT16),
                    sonde_lowering_number (lower->to, SONDE_DTYPE_F64, G_MAXINT16)));
  value = emit_look_up (lower, add_points (lower, curve), value, SONDE_DTYPE_F64, G_MININT16);
  return sonde_lowering_cast (lower->to, value, SONDE_DTYPE_F64);
}

/* 2 to the power of @value. */
static SondeGraphValue *
raise_two (SondeTfliteLower *lower, SondeGraphValue *value)
{
  return sonde_lowering_op (
      lower->to, "Pow",
      SONDE_VALUES (sonde_lowering_number (lower->to, SONDE_DTYPE_F64, 2), value));
}

/* In double, where all of it is exact: the sum is brought to 17 bits, its reciprocal comes from a table.
 * Source: SoftmaxInt16 of tensorflow/lite/kernels/internal/reference/softmax.h */
static void
build_softmax_16 (SondeTfliteLower *lower)
{
  const Curve power = { .code = EXP,
                        .in_scale = (float) (10.0 / 65535),
                        .in_zero = G_MAXINT16,
                        .out_scale = (float) (2.0 / 65535),
                        .least = G_MININT16,
                        .most = G_MAXINT16 };
  const Curve inverse = { .code = INVERSE,
                          .in_scale = (float) (1.0 / 65535),
                          .in_zero = G_MININT16,
                          .out_scale = (float) (2.0 / 65535),
                          .least = G_MININT16,
                          .most = G_MAXINT16 };
  const double beta = (double) sonde_tflite_option_float (lower, 0);
  const double real
      = (double) sonde_tflite_scale_of (sonde_tflite_in_tensor (lower, 0)) * beta / (10.0 / 65535);
  SondeGraphValue *value, *sum, *bits, *factor;

  value = sonde_lowering_cast (lower->to, sonde_tflite_in (lower, 0), SONDE_DTYPE_I32);
  value = sonde_lowering_op (lower->to, "Sub",
                             SONDE_VALUES (value, reduce_last (lower, "ReduceMax", value)));
  value = sonde_tflite_emit_scale (lower, value, &real, 1, 0);
  value = look_up_wide (lower, &power, sonde_lowering_cast (lower->to, value, SONDE_DTYPE_F64),
                        G_MAXINT16);
  sum = reduce_last (lower, "ReduceSum", value);
  bits = sonde_lowering_op (lower->to, "Log", SONDE_VALUES (compute (lower, "Add", sum, 0.5)));
  bits = sonde_lowering_op (lower->to, "Floor", SONDE_VALUES (compute (lower, "Div", bits, G_LN2)));
  /* To 31 bits, then to 17. */
  factor = raise_two (lower, compute (lower, "Sub", compute (lower, "Mul", bits, -1), -30));
  sum = sonde_lowering_op (lower->to, "Mul", SONDE_VALUES (sum, factor));
  sum = compute (lower, "Div", compute (lower, "Add", sum, 1 << 13), 1 << 14);
  sum = sonde_lowering_op (lower->to, "Floor", SONDE_VALUES (sum));
  factor = look_up_wide (lower, &inverse, sum, -((1 << 15) + (1 << 16)));
  value = sonde_lowering_op (lower->to, "Mul", SONDE_VALUES (value, factor));
  value = sonde_lowering_op (lower->to, "Div", SONDE_VALUES (value, raise_two (lower, bits)));
  value = sonde_lowering_op (lower->to, "Floor", SONDE_VALUES (compute (lower, "Add", value, 0.5)));
  sonde_tflite_out (lower, 0, sonde_tflite_emit_rounded (lower, value, 1));
}

/* Of 8 bits: powers from a table over the distance to the largest, one float32 division. Source: Softmax of
 * tensorflow/lite/kernels/internal/optimized/optimized_ops.h, which the reference kernels use, too */
gboolean
sonde_tflite_exact_softmax (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  SondeGraphValue *value, *sum, *scale;

  if (sonde_tflite_is_plain (x, TRUE) && sonde_tflite_is_plain (out, TRUE)
      && x->dtype == SONDE_DTYPE_I16 && out->dtype == SONDE_DTYPE_I16)
    {
      build_softmax_16 (lower);
      return TRUE;
    }
  if (!sonde_tflite_is_plain (x, FALSE) || !sonde_tflite_is_plain (out, FALSE)
      || x->dtype != out->dtype)
    return FALSE;
  value = sonde_lowering_cast (lower->to, sonde_tflite_in (lower, 0), SONDE_DTYPE_I32);
  value = sonde_lowering_op (lower->to, "Sub",
                             SONDE_VALUES (reduce_last (lower, "ReduceMax", value), value));
  value = emit_look_up (
      lower, add_powers (lower, sonde_tflite_scale_of (x) * sonde_tflite_option_float (lower, 0)),
      value, SONDE_DTYPE_I32, 0);
  sum = reduce_last (lower, "ReduceSum", value);
  scale = sonde_lowering_number (lower->to, SONDE_DTYPE_F32, (double) sonde_tflite_scale_of (out));
  sum = sonde_lowering_op (lower->to, "Mul", SONDE_VALUES (sum, scale));
  sum = sonde_lowering_op (
      lower->to, "Div", SONDE_VALUES (sonde_lowering_number (lower->to, SONDE_DTYPE_F32, 1), sum));
  value = sonde_lowering_op (lower->to, "Mul", SONDE_VALUES (value, sum));
  value = sonde_lowering_cast (lower->to, value, SONDE_DTYPE_F64);
  value = sonde_lowering_op (
      lower->to, "Add",
      SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_F64, 0.5)));
  value = sonde_lowering_op (lower->to, "Floor", SONDE_VALUES (value));
  value = sonde_lowering_op (
      lower->to, "Add",
      SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_F64,
                                                  (double) sonde_tflite_zero_of (out))));
  sonde_tflite_out (lower, 0, sonde_tflite_emit_rounded (lower, value, 0));
  return TRUE;
}
