/* SPDX-License-Identifier: Apache-2.0
 * FixedPointScale (x, multiplier, shift): sums of quantised products in the steps of another scale, in
 * integers alone, with the ties of TFLite's reference kernels.
 *
 * y = clamp (round (x · multiplier · 2^(shift − 31)) + zero_point, minimum, maximum), one multiplier or
 * one for each place along axis. Of int32 it rounds twice: the upper half of the doubled product, ties
 * up, then the shift to the right, ties away from zero. Of int64 the multiplier keeps 15 bits, and
 * ties go up.
 * Source: MultiplyByQuantizedMultiplier of tensorflow/lite/kernels/internal/common.cc;
 * github.com/google/gemmlowp, fixedpoint.h */
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-implement.h"

#define MOST_SHIFT 31
#define SHORT_BITS 15 /* of the multiplier of 64-bit sums */

/* ---- arithmetic ---------------------------------------------------------- */

/* round (a · b / 2^31), ties up. */
static gint32
high_half (gint32 a, gint32 b)
{
  gint64 product = (gint64) a * b;
  gint64 nudge = product >= 0 ? (gint64) 1 << 30 : 1 - ((gint64) 1 << 30);

  if (a == G_MININT32 && b == G_MININT32)
    return G_MAXINT32;
  return (gint32) ((product + nudge) / ((gint64) 1 << 31));
}

/* round (x / 2^exponent), ties away from zero. */
static gint32
shift_right (gint32 x, int exponent)
{
  gint32 mask = (gint32) (((gint64) 1 << exponent) - 1);
  gint32 threshold = (mask >> 1) + (x < 0);

  return (x >> exponent) + ((x & mask) > threshold);
}

static gint64
scale_32 (gint64 x, gint32 multiplier, int shift)
{
  gint32 shifted = (gint32) (guint32) ((guint64) x << MAX (shift, 0));

  return shift_right (high_half (shifted, multiplier), MAX (-shift, 0));
}

static gint64
scale_64 (gint64 x, gint32 multiplier, int shift)
{
  gint64 reduced = multiplier < 0x7fff0000 ? (multiplier + (1 << SHORT_BITS)) >> 16 : 0x7fff;
  int total = SHORT_BITS - shift;

  if (total < 1)
    return (gint64) ((guint64) x * (guint64) reduced << -total);
  return (gint64) ((guint64) x * (guint64) reduced + ((guint64) 1 << (total - 1))) >> total;
}

/* ---- the operator -------------------------------------------------------- */

static gboolean
infer_fixed_point_scale (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeDtype to = sonde_dtype_from_onnx (sonde_node_get_int (context->node, "to", 0));
  int axis = 0;

  if (!sonde_dtype_is_integer (to))
    return sonde_infer_fail (error, "the attribute “to” names no type of integers");
  if (x->dtype != SONDE_DTYPE_INVALID && x->dtype != SONDE_DTYPE_I32 && x->dtype != SONDE_DTYPE_I64)
    return sonde_infer_fail (error, "input 0 is %s, but must be int32 or int64",
                             sonde_dtype_name (x->dtype));
  for (guint k = 1; k < 3; k++)
    {
      const SondeType *type = &context->inputs[k];

      if ((type->dtype != SONDE_DTYPE_INVALID && type->dtype != SONDE_DTYPE_I32)
          || (type->rank >= 0 && type->rank != 1))
        return sonde_infer_fail (error, "input %u must be int32 of one dimension", k);
      if (x->rank < 0 || type->rank < 0 || type->dims[0].size < 0 || type->dims[0].size == 1)
        continue;
      if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 1), x->rank, &axis, error))
        return FALSE;
      if (x->dims[axis].size >= 0 && x->dims[axis].size != type->dims[0].size)
        return sonde_infer_fail (error,
                                 "input %u has %" PRIi64 " entries, but must have one or %" PRIi64,
                                 k, type->dims[0].size, x->dims[axis].size);
    }
  context->outputs[0] = *x;
  context->outputs[0].dtype = to;
  return TRUE;
}

/* A shift that no number of these bits has is none. */
static gboolean
check_fixed_point_scale (const SondeKernelContext *context, GError **error)
{
  const SondeTensor *shifts = context->inputs[2];

  if (sonde_tensor_n_elements (shifts) == 0 || sonde_tensor_n_elements (context->inputs[1]) == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "there is no multiplier or no shift");
      return FALSE;
    }
  for (gint64 i = 0; i < sonde_tensor_n_elements (shifts); i++)
    if (ABS (sonde_tensor_get_int (shifts, i)) > MOST_SHIFT)
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "the shift %" PRIi64 " is not between -31 and 31",
                         sonde_tensor_get_int (shifts, i));
        return FALSE;
      }
  return TRUE;
}

static void
compute_fixed_point_scale (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  const gint32 *multipliers = (const gint32 *) (const void *) context->inputs[1]->data;
  const gint32 *shifts = (const gint32 *) (const void *) context->inputs[2]->data;
  gint64 n_entries = sonde_tensor_n_elements (context->inputs[1]);
  gint64 n_shifts = sonde_tensor_n_elements (context->inputs[2]);
  gint64 zero = sonde_node_get_int (context->node, "zero_point", 0), least = 0, most = 0;
  int axis = n_entries > 1 || n_shifts > 1 ? sonde_kernel_axis (context, 1) : 0;
  gint64 inner = sonde_shape_product (&x->shape, axis + 1, x->shape.rank);
  gint64 n = sonde_tensor_n_elements (x);
  gboolean wide = x->dtype == SONDE_DTYPE_I64;
  g_autofree gint64 *made = g_new (gint64, MAX (n, 1));

  sonde_dtype_get_range (y->dtype, &least, &most);
  least = sonde_node_get_int (context->node, "minimum", least);
  most = sonde_node_get_int (context->node, "maximum", most);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 entry = n_entries > 1 ? i / inner % n_entries : 0;
      gint64 place = n_shifts > 1 ? i / inner % n_shifts : 0;
      gint64 value = wide ? ((const gint64 *) (const void *) x->data)[i]
                          : ((const gint32 *) (const void *) x->data)[i];

      value = wide ? scale_64 (value, multipliers[entry], shifts[place])
                   : scale_32 (value, multipliers[entry], shifts[place]);
      made[i] = CLAMP (value + zero, least, most);
    }
  sonde_dtype_convert (SONDE_DTYPE_I64, made, y->dtype, y->data, (gsize) n);
}

static const SondeAttributeRule rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },       { "maximum", SONDE_ATTRIBUTE_INT },
  { "minimum", SONDE_ATTRIBUTE_INT },    { "to", SONDE_ATTRIBUTE_INT, .required = TRUE },
  { "zero_point", SONDE_ATTRIBUTE_INT }, { NULL },
};

const SondeOpClass sonde_ops_fixed_point_scale[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "FixedPointScale",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .attributes = rules,
      .infer = infer_fixed_point_scale,
      .compute = compute_fixed_point_scale,
      .check = check_fixed_point_scale,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_NONE,
  },
  { NULL },
};
