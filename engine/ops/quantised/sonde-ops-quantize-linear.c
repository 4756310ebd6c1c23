/* SPDX-License-Identifier: Apache-2.0
 * Between numbers and their quantised form: QuantizeLinear, DequantizeLinear,
 * DynamicQuantizeLinear.
 *
 * y = saturate (round (x / scale) + zero point), ties to even, and back y = (x - zero point) *
 * scale. One scale for all, one for each index of an axis, or one for each block of indices of it.
 * The quotient is rounded to the type of the scale (or to “precision”). A scale of 0, an infinity,
 * NaN: x / scale is clamped like any other, NaN to the smallest number. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

#define BLOCK 512

/* ---- which scale is for which element ------------------------------------ */

/**
 * ScaleRuns: the tensor as @n_rows rows of @row elements, a row as @per_row runs of @length
 * @stride: 0: one scale for all of a run, else one each
 * @row_scales: scales that belong to one row; 0: all rows have the same
 * @together: so many runs have the same scales, @step further on are those of the next
 */
typedef struct
{
  gint64 n_rows, row, per_row, length;
  gint64 stride, row_scales, together, step;
} ScaleRuns;

static void
scale_runs_init (ScaleRuns *runs, const SondeShape *x, const SondeTensor *scale, gint64 axis,
                 gint64 block)
{
  int at = (int) (axis < 0 ? axis + x->rank : axis);
  gint64 n = sonde_shape_n_elements (x);
  gint64 inner = 1, size = 1, rows = 1, blocks = 1;

  *runs = (ScaleRuns){ 1, n, 1, n, 0, 0, 1, 0 };
  if (block == 0 && sonde_tensor_n_elements (scale) == 1)
    return;
  inner = sonde_shape_product (x, at + 1, x->rank);
  size = x->dims[at];
  rows = n / (inner * size);
  blocks = block > 0 ? size / block + (size % block != 0) : 1;
  if (block > 0)
    *runs = inner > 1
                ? (ScaleRuns){ rows, size * inner, size, inner, 1, blocks * inner, block, inner }
                : (ScaleRuns){ rows, size, blocks, block, 0, blocks, 1, 1 };
  else
    *runs = inner > 1 ? (ScaleRuns){ rows, size * inner, size, inner, 0, 0, 1, 1 }
                      : (ScaleRuns){ rows, size, 1, size, 1, 0, 1, 0 };
}

typedef void (*RunKernel) (const void *self, gint64 start, gint64 n, gint64 scale, gint64 stride);

static void
for_each_run (const ScaleRuns *runs, RunKernel kernel, const void *self)
{
  for (gint64 row = 0; row < runs->n_rows; row++)
    for (gint64 k = 0; k < runs->per_row; k++)
      {
        gint64 start = k * runs->length, n = MIN (runs->length, runs->row - start);
        gint64 scale = row * runs->row_scales + k / runs->together * runs->step;

        for (gint64 done = 0; done < n; done += BLOCK)
          kernel (self, row * runs->row + start + done, MIN (n - done, BLOCK),
                  scale + done * runs->stride, runs->stride);
      }
}

/* ---- shape rules --------------------------------------------------------- */

static gboolean
check_axis_scale (const SondeType *x, const SondeType *scale, int axis, GError **error)
{
  gint64 size = x->dims[axis].size, n = scale->dims[0].size;

  if (n >= 0 && size >= 0 && n != 1 && n != size)
    return sonde_infer_fail (error,
                             "there are %" PRIi64 " scales for the %" PRIi64 " indices of axis %d",
                             n, size, axis);
  return TRUE;
}

static gboolean
check_block_scale (const SondeType *x, const SondeType *scale, int axis, gint64 block,
                   GError **error)
{
  if (scale->rank != x->rank)
    return sonde_infer_fail (error, "the scales of blocks have %d dimensions, but the input has %d",
                             scale->rank, x->rank);
  for (int d = 0; d < x->rank; d++)
    {
      gint64 size = x->dims[d].size, n = scale->dims[d].size;
      gint64 want = d == axis && size >= 0 ? size / block + (size % block != 0) : size;

      if (n >= 0 && want >= 0 && n != want)
        return sonde_infer_fail (
            error, "there are %" PRIi64 " scales in dimension %d, but must be %" PRIi64, n, d,
            want);
    }
  return TRUE;
}

/* Scale, zero point, axis, block size fit the input. */
static gboolean
check_scales (const SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0], *scale = &context->inputs[1];
  const SondeType *zero = sonde_infer_input (context, 2);
  gint64 block = sonde_node_get_int (context->node, "block_size", 0);
  int axis = 0;

  if (x->rank < 0 || scale->rank < 0)
    return TRUE;
  if (zero != NULL && zero->rank >= 0 && sonde_type_product (zero, 0, zero->rank) != 1
      && !sonde_infer_need_shape (zero, scale, N_ ("the zero point"), error))
    return FALSE;
  if (scale->rank == 0 && block == 0)
    return TRUE;
  if (scale->rank == 1 && block == 0 && scale->dims[0].size == 1)
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 1), x->rank, &axis, error))
    {
      /* a list has one axis, whatever the default says */
      if (x->rank != 1)
        return FALSE;
      g_clear_error (error);
      axis = 0;
    }
  if (block > 0)
    return check_block_scale (x, scale, axis, block, error);
  if (scale->rank > 1)
    return sonde_infer_fail (error, "the scale has %d dimensions, but there is no block_size",
                             scale->rank);
  return check_axis_scale (x, scale, axis, error);
}

/* The axis as the kernels take it. */
static gint64
axis_of (const SondeNode *node, const SondeShape *x)
{
  gint64 axis = sonde_node_get_int (node, "axis", 1);

  return CLAMP (axis, -x->rank, x->rank - 1);
}

/* FALSE with @error when “NAME” is no element type. @dtype: INVALID without the attribute */
static gboolean
read_dtype (const SondeNode *node, const char *name, SondeDtype *dtype, GError **error)
{
  gint64 number = sonde_node_get_int (node, name, 0);

  *dtype = sonde_dtype_from_onnx (number);
  if (number != 0 && *dtype == SONDE_DTYPE_INVALID)
    return sonde_infer_fail (error, "%s is the element type %" PRIi64 ", which is not supported",
                             name, number);
  return TRUE;
}

static gboolean
is_quantised (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_I8 || dtype == SONDE_DTYPE_U8 || dtype == SONDE_DTYPE_I16
         || dtype == SONDE_DTYPE_U16
         || (sonde_dtype_is_narrow (dtype) && dtype != SONDE_DTYPE_F8E8M0);
}

static gboolean
is_scale (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_INVALID || dtype == SONDE_DTYPE_F8E8M0 || dtype == SONDE_DTYPE_I32
         || (sonde_dtype_is_float (dtype) && dtype != SONDE_DTYPE_F64);
}

static gboolean
infer_quantise (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0], *zero = sonde_infer_input (context, 2);
  SondeDtype dtype = SONDE_DTYPE_INVALID, precision = SONDE_DTYPE_INVALID;

  if (!read_dtype (context->node, "output_dtype", &dtype, error)
      || !read_dtype (context->node, "precision", &precision, error))
    return FALSE;
  if (zero != NULL && zero->dtype != SONDE_DTYPE_INVALID && dtype != SONDE_DTYPE_INVALID
      && zero->dtype != dtype)
    return sonde_infer_fail (error, "the zero point is %s, but output_dtype says %s",
                             sonde_dtype_name (zero->dtype), sonde_dtype_name (dtype));
  if (dtype == SONDE_DTYPE_INVALID)
    dtype = zero != NULL ? zero->dtype : SONDE_DTYPE_U8;
  if (dtype != SONDE_DTYPE_INVALID && !is_quantised (dtype))
    return sonde_infer_fail (error, "quantises to %s, which cannot be", sonde_dtype_name (dtype));
  if (x->dtype != SONDE_DTYPE_I32 && !sonde_infer_need_float (context, 0, error))
    return FALSE;
  if (!is_scale (context->inputs[1].dtype)
      || (precision != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (precision)))
    return sonde_infer_fail (error, "the scale is %s, but must be of a float type",
                             sonde_dtype_name (context->inputs[1].dtype));
  if (!check_scales (context, error))
    return FALSE;
  context->outputs[0] = *x;
  if (x->kind == SONDE_VALUE_TENSOR)
    context->outputs[0].dtype = dtype;
  return TRUE;
}

static gboolean
infer_dequantise (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0], *scale = &context->inputs[1];
  SondeDtype dtype = SONDE_DTYPE_INVALID;

  if (!read_dtype (context->node, "output_dtype", &dtype, error))
    return FALSE;
  if (x->dtype != SONDE_DTYPE_INVALID && x->dtype != SONDE_DTYPE_I32 && !is_quantised (x->dtype))
    return sonde_infer_fail (error, "input 0 is %s, which is not a quantised type",
                             sonde_dtype_name (x->dtype));
  if (sonde_infer_input (context, 2) != NULL && x->dtype != context->inputs[2].dtype
      && x->dtype != SONDE_DTYPE_INVALID && context->inputs[2].dtype != SONDE_DTYPE_INVALID)
    return sonde_infer_fail (error, "the zero point is %s, but the input is %s",
                             sonde_dtype_name (context->inputs[2].dtype),
                             sonde_dtype_name (x->dtype));
  if (!is_scale (scale->dtype) || scale->dtype == SONDE_DTYPE_I32)
    return sonde_infer_fail (error, "the scale is %s, but must be of a float type",
                             sonde_dtype_name (scale->dtype));
  dtype = dtype != SONDE_DTYPE_INVALID ? dtype : scale->dtype;
  if (dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (dtype))
    return sonde_infer_fail (error, "the result would be %s: output_dtype must say which float",
                             sonde_dtype_name (dtype));
  if (!check_scales (context, error))
    return FALSE;
  context->outputs[0] = *x;
  if (x->kind == SONDE_VALUE_TENSOR)
    context->outputs[0].dtype = dtype;
  return TRUE;
}

/* ---- QuantizeLinear ------------------------------------------------------ */

/**
 * Quantise: what the runs of one call share
 * @scale: as float32; @exact_scale: as double where the quotient is of integers, else NULL
 * @zero: (nullable)
 * @precision: of the quotient
 */
typedef struct
{
  const SondeTensor *x;
  SondeTensor *y;
  const float *scale;
  const double *exact_scale;
  const float *zero;
  SondeDtype precision;
  float low, high;
  gboolean saturate;
} Quantise;

static void
round_to (SondeDtype dtype, float *values, gint64 n)
{
  guint16 half[BLOCK];

  if (dtype != SONDE_DTYPE_F16 && dtype != SONDE_DTYPE_BF16)
    return;
  sonde_dtype_convert (SONDE_DTYPE_F32, values, dtype, half, (gsize) n);
  sonde_dtype_convert (dtype, half, SONDE_DTYPE_F32, values, (gsize) n);
}

static void
divide (const Quantise *self, gint64 start, gint64 n, gint64 scale, gint64 stride, float *to)
{
  const guint8 *x = self->x->data + (gsize) start * sonde_dtype_size (self->x->dtype);

  if (self->exact_scale != NULL)
    {
      const gint32 *integers = (const gint32 *) (const void *) x;

      for (gint64 i = 0; i < n; i++)
        to[i] = (float) rint (integers[i] / self->exact_scale[scale + i * stride]);
      return;
    }
  sonde_dtype_convert (self->x->dtype, x, SONDE_DTYPE_F32, to, (gsize) n);
  round_to (self->precision, to, n);
  if (stride == 0)
    for (gint64 i = 0; i < n; i++)
      to[i] /= self->scale[scale];
  else
    for (gint64 i = 0; i < n; i++)
      to[i] /= self->scale[scale + i];
  round_to (self->precision, to, n);
}

/* The bounds are integers, so that clamping may come first; then adding 1.5·2²³ rounds to even. */
static inline gint32
quantum (float value, float low, float high, float zero)
{
  const float magic = 12582912.0f;
  float clamped = value >= low - zero ? (value > high - zero ? high - zero : value) : low - zero;

  return (gint32) ((clamped + magic) - magic + zero);
}

static void
quantise_integers (const Quantise *self, gint64 start, gint64 n, gint64 scale, gint64 stride,
                   const float *values)
{
  const float none = 0, *zero = self->zero != NULL ? self->zero + scale : &none;
  gint64 step = self->zero != NULL ? stride : 0;

  if (sonde_dtype_size (self->y->dtype) == 2)
    {
      guint16 *to = (guint16 *) (void *) self->y->data + start;

      for (gint64 i = 0; i < n; i++)
        to[i] = (guint16) quantum (values[i], self->low, self->high, zero[i * step]);
    }
  else if (step == 0)
    for (gint64 i = 0; i < n; i++)
      self->y->data[start + i] = (guint8) quantum (values[i], self->low, self->high, *zero);
  else
    for (gint64 i = 0; i < n; i++)
      self->y->data[start + i] = (guint8) quantum (values[i], self->low, self->high, zero[i]);
}

static void
quantise_run (const void *data, gint64 start, gint64 n, gint64 scale, gint64 stride)
{
  const Quantise *self = data;
  float values[BLOCK];

  divide (self, start, n, scale, stride, values);
  if (!sonde_dtype_has_fractions (self->y->dtype))
    {
      quantise_integers (self, start, n, scale, stride, values);
      return;
    }
  for (gint64 i = 0; i < n && self->zero != NULL; i++)
    values[i] += self->zero[scale + i * stride];
  sonde_dtype_convert_narrow (SONDE_DTYPE_F32, values, self->y->dtype, self->y->data + start,
                              (gsize) n, self->saturate, SONDE_ROUND_NEAREST);
}

/* One zero point serves all scales. @n: of scales. Returns: (transfer full) (nullable) */
static SondeTensor *
spread_zero (SondeTensor *zero, gint64 n)
{
  SondeShape list = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) wide = zero ? sonde_tensor_cast (zero, SONDE_DTYPE_F32) : NULL;
  SondeTensor *all = NULL;

  if (wide == NULL || sonde_tensor_n_elements (wide) == n)
    return g_steal_pointer (&wide);
  all = sonde_tensor_new (SONDE_DTYPE_F32, &list);
  for (gint64 i = 0; i < n; i++)
    ((float *) (void *) all->data)[i] = *(float *) (void *) wide->data;
  return all;
}

static SondeDtype
precision_of (const SondeNode *node, SondeDtype scale)
{
  SondeDtype dtype = sonde_dtype_from_onnx (sonde_node_get_int (node, "precision", 0));

  return dtype != SONDE_DTYPE_INVALID ? dtype : scale;
}

static void
compute_quantise (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *scale = context->inputs[1], *y = context->outputs[0];
  gint64 block = sonde_node_get_int (context->node, "block_size", 0);
  gboolean exact = x->dtype == SONDE_DTYPE_I32 && scale->dtype == SONDE_DTYPE_I32;
  SondeDtype precision = precision_of (context->node, scale->dtype);
  g_autoptr (SondeTensor) rounded = sonde_tensor_cast (scale, precision);
  g_autoptr (SondeTensor) scales = sonde_tensor_cast (rounded, SONDE_DTYPE_F32);
  g_autoptr (SondeTensor) exact_scales = exact ? sonde_tensor_cast (scale, SONDE_DTYPE_F64) : NULL;
  g_autoptr (SondeTensor) zero
      = spread_zero (sonde_kernel_input (context, 2), sonde_tensor_n_elements (scale));
  Quantise self
      = { x, y, (const float *) (const void *) scales->data, NULL, NULL, precision, 0, 0, TRUE };
  ScaleRuns runs;
  gint64 low, high;

  if (sonde_tensor_n_elements (x) == 0)
    return;
  self.exact_scale = exact ? (const double *) (const void *) exact_scales->data : NULL;
  self.zero = zero ? (const float *) (const void *) zero->data : NULL;
  self.saturate = sonde_node_get_int (context->node, "saturate", 1) != 0;
  (void) sonde_dtype_get_range (y->dtype, &low, &high);
  self.low = (float) low;
  self.high = (float) high;
  scale_runs_init (&runs, &x->shape, scale, axis_of (context->node, &x->shape), block);
  for_each_run (&runs, quantise_run, &self);
}

/* ---- DequantizeLinear ---------------------------------------------------- */

typedef struct
{
  const SondeTensor *x;
  SondeTensor *y;
  const float *scale;
  const float *zero; /* (nullable) */
} Dequantise;

static void
dequantise_run (const void *data, gint64 start, gint64 n, gint64 scale, gint64 stride)
{
  const Dequantise *self = data;
  const guint8 *x = self->x->data + (gsize) start * sonde_dtype_size (self->x->dtype);
  const float none = 0, *zero = self->zero != NULL ? self->zero + scale : &none;
  const float *factor = self->scale + scale;
  gint64 step = self->zero != NULL ? stride : 0;
  float values[BLOCK];

  sonde_dtype_convert (self->x->dtype, x, SONDE_DTYPE_F32, values, (gsize) n);
  if (stride == 0)
    for (gint64 i = 0; i < n; i++)
      values[i] = (values[i] - *zero) * *factor;
  else
    for (gint64 i = 0; i < n; i++)
      values[i] = (values[i] - zero[i * step]) * factor[i];
  sonde_dtype_convert (SONDE_DTYPE_F32, values, self->y->dtype,
                       self->y->data + (gsize) start * sonde_dtype_size (self->y->dtype),
                       (gsize) n);
}

static void
compute_dequantise (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *scale = context->inputs[1];
  gint64 block = sonde_node_get_int (context->node, "block_size", 0);
  g_autoptr (SondeTensor) scales = sonde_tensor_cast (scale, SONDE_DTYPE_F32);
  g_autoptr (SondeTensor) zero
      = spread_zero (sonde_kernel_input (context, 2), sonde_tensor_n_elements (scale));
  Dequantise self = { x, context->outputs[0], (const float *) (const void *) scales->data, NULL };
  ScaleRuns runs;

  if (sonde_tensor_n_elements (x) == 0)
    return;
  self.zero = zero ? (const float *) (const void *) zero->data : NULL;
  scale_runs_init (&runs, &x->shape, scale, axis_of (context->node, &x->shape), block);
  for_each_run (&runs, dequantise_run, &self);
}

/* ---- DynamicQuantizeLinear ----------------------------------------------- */

static gboolean
infer_dynamic (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];

  if (!sonde_infer_need_float (context, 0, error))
    return FALSE;
  context->outputs[0] = *x;
  if (x->kind == SONDE_VALUE_TENSOR)
    context->outputs[0].dtype = SONDE_DTYPE_U8;
  if (context->n_outputs > 1)
    context->outputs[1] = sonde_infer_type (SONDE_DTYPE_F32, 0);
  if (context->n_outputs > 2)
    context->outputs[2] = sonde_infer_type (SONDE_DTYPE_U8, 0);
  return TRUE;
}

/* The scale spans the numbers and 0. NaN does not count. */
static void
choose_scale (const float *x, gint64 n, float *scale, float *zero)
{
  float low = 0, high = 0;

  for (gint64 i = 0; i < n; i++)
    {
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
    }
  *scale = (high == low ? 1.0f : high - low) / 255.0f;
  *zero = (float) quantum (-low / *scale, 0, 255, 0);
}

static void
compute_dynamic (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  SondeTensor *y_scale = sonde_kernel_output (context, 1),
              *y_zero = sonde_kernel_output (context, 2);
  g_autoptr (SondeTensor) wide = sonde_tensor_cast (x, SONDE_DTYPE_F32);
  gint64 n = sonde_tensor_n_elements (x);
  float scale = 1, zero = 0;
  Quantise self = { wide, y, &scale, NULL, &zero, SONDE_DTYPE_F32, 0, 255, TRUE };
  const ScaleRuns runs = { 1, n, 1, n, 0, 0, 1, 0 };

  choose_scale ((const float *) (const void *) wide->data, n, &scale, &zero);
  if (y != NULL)
    for_each_run (&runs, quantise_run, &self);
  if (y_scale != NULL)
    *(float *) (void *) y_scale->data = scale;
  if (y_zero != NULL)
    *y_zero->data = (guint8) zero;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule quantise_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "block_size", SONDE_ATTRIBUTE_INT, .minimum = 0, .maximum = G_MAXINT64 },
  { "output_dtype", SONDE_ATTRIBUTE_INT },
  { "precision", SONDE_ATTRIBUTE_INT },
  { "saturate", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule dequantise_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "block_size", SONDE_ATTRIBUTE_INT, .minimum = 0, .maximum = G_MAXINT64 },
  { "output_dtype", SONDE_ATTRIBUTE_INT },
  { NULL },
};

/* ---- dependency ---------------------------------------------------------- */

static gboolean
reach_quantize (SondeReachContext *context)
{
  const gint64 block = sonde_node_get_int (context->node, "block_size", 0);
  const int axis = sonde_reach_axis (context, context->shape->rank, 1);

  sonde_reach_add_element (context, 0, context->element);
  for (guint k = 1; k < context->n_inputs; k++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, k);
      SondeReach reach;

      if (tensor == NULL)
        continue;
      reach = sonde_reach_whole (tensor, k);
      if (reach.rank == 1 && reach.count[0] > 1 && context->shape->rank > 0)
        sonde_reach_at (&reach, 0, context->index[axis]);
      else if (reach.rank == context->shape->rank && block > 0)
        for (int d = 0; d < reach.rank; d++)
          sonde_reach_at (&reach, d, d == axis ? context->index[d] / block : context->index[d]);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

const SondeOpClass sonde_ops_quantize_linear[] = {
  {
      .domain = "",
      .name = "QuantizeLinear",
      .since = 10,
      .min_inputs = 2,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_RAW_HALF,
      .family = SONDE_FAMILY_DATA,
      .attributes = quantise_rules,
      .infer = infer_quantise,
      .compute = compute_quantise,
      .gradient = sonde_gradient_quantise,
      .reach = { reach_quantize, 0 },
      .typing = SONDE_TYPING_OWN,
      .id = SONDE_OP_ID_QUANTIZE_LINEAR,
  },
  {
      .domain = "",
      .name = "DequantizeLinear",
      .since = 10,
      .min_inputs = 2,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_RAW_HALF,
      .family = SONDE_FAMILY_DATA,
      .attributes = dequantise_rules,
      .infer = infer_dequantise,
      .compute = compute_dequantise,
      .gradient = sonde_gradient_dequantise,
      .reach = { reach_quantize, 0 },
      .typing = SONDE_TYPING_OWN,
      .id = SONDE_OP_ID_DEQUANTIZE_LINEAR,
  },
  {
      .domain = "",
      .name = "DynamicQuantizeLinear",
      .since = 11,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 3,
      .family = SONDE_FAMILY_DATA,
      .infer = infer_dynamic,
      .compute = compute_dynamic,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { NULL },
};
