/* SPDX-License-Identifier: Apache-2.0
 * Division by a norm: RMSNormalization, LpNormalization, LRN. Sums are float64. */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-strided.h"

#include <math.h>
#include <string.h>

static gint64
first_elements (const SondeInferContext *context)
{
  const SondeType *x = &context->inputs[0];

  return x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;
}

static void
cost_norm (const SondeInferContext *context, SondeCost *cost)
{
  gint64 n = first_elements (context);

  cost->flops = n > 0 ? 4.0 * (double) n : 0;
}

/* ---- RMSNormalization ---------------------------------------------------- */

/* The result has the scale's element type. */
static gboolean
infer_rms (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0], *scale = &context->inputs[1];
  SondeType joined;
  int axis = 0;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_float (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), x->rank, &axis, error)
      || !sonde_infer_broadcast (x, scale, &joined, error)
      || !sonde_infer_need_shape (&joined, x, N_ ("the input with its scale"), error))
    return FALSE;
  context->outputs[0] = *x;
  context->outputs[0].dtype = scale->dtype;
  return TRUE;
}

/* x[i] / sqrt (mean (x²) + ε) */
static void
divide_by_rms (double *x, gint64 n, double epsilon)
{
  double sum = 0, inverse;

  for (gint64 i = 0; i < n; i++)
    sum += x[i] * x[i];
  inverse = 1 / sqrt (sum / (double) n + epsilon);
  for (gint64 i = 0; i < n; i++)
    x[i] *= inverse;
}

/* The scale as float64, repeated to the shape of @x from @axis on. */
static double *
read_scale (const SondeTensor *scale, const SondeShape *x, int axis)
{
  SondeShape part = sonde_shape_from_array (x->rank - axis, x->dims + axis);
  gint64 from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  g_autofree double *plain = g_new (double, sonde_tensor_n_elements (scale) + 1);
  double *repeated = g_new (double, sonde_shape_n_elements (&part) + 1);

  sonde_dtype_convert (scale->dtype, scale->data, SONDE_DTYPE_F64, plain,
                       (gsize) sonde_tensor_n_elements (scale));
  sonde_strided_broadcast (&scale->shape, &part, from);
  sonde_strided_row_major (&part, to);
  sonde_strided_copy (&part, sizeof (double), (const guint8 *) plain, from, (guint8 *) repeated,
                      to);
  return repeated;
}

static void
compute_rms_rows (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  double epsilon = sonde_node_get_float (context->node, "epsilon", 1e-5);
  g_autofree double *scale = NULL, *row = NULL;
  gint64 n, each;
  int axis = 0, from;

  (void) sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), x->shape.rank, &axis,
                           NULL);
  /* A scale of more dimensions than are normalised is read over the whole of x. */
  from = context->inputs[1]->shape.rank > x->shape.rank - axis ? 0 : axis;
  scale = read_scale (context->inputs[1], &x->shape, from);
  n = sonde_shape_product (&x->shape, axis, x->shape.rank);
  each = sonde_shape_product (&x->shape, from, x->shape.rank);
  row = g_new (double, n + 1);
  for (gint64 at = begin * n; at < end * n; at += n)
    {
      const double *factors = scale + at % each;

      sonde_dtype_convert (x->dtype, x->data + (gsize) at * sonde_dtype_size (x->dtype),
                           SONDE_DTYPE_F64, row, (gsize) n);
      divide_by_rms (row, n, epsilon);
      for (gint64 i = 0; i < n; i++)
        row[i] *= factors[i];
      sonde_dtype_convert (SONDE_DTYPE_F64, row, y->dtype,
                           y->data + (gsize) at * sonde_dtype_size (y->dtype), (gsize) n);
    }
}

static gint64
count_rms_rows (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *x = &context->inputs[0]->shape;
  int axis = 0;

  (void) sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), x->rank, &axis, NULL);
  *cost = 4 * sonde_shape_product (x, axis, x->rank);
  return sonde_shape_product (x, 0, axis);
}

static void
compute_rms (const SondeKernelContext *context)
{
  gint64 cost;

  compute_rms_rows (context, 0, count_rms_rows (context, &cost));
}

/* ---- LpNormalization ----------------------------------------------------- */

static gboolean
infer_lp (SondeInferContext *context, GError **error)
{
  int axis = 0;

  context->outputs[0] = context->inputs[0];
  return sonde_infer_need_float (context, 0, error)
         && (!sonde_infer_ready (context, 1)
             || sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1),
                                  context->inputs[0].rank, &axis, error));
}

/* A line of zeros stays zeros. */
#define LP_LOOP(suffix, T)                                                                         \
  static void lp_##suffix (gint64 outer, gint64 n, gint64 inner, int p, const void *from,          \
                           void *to)                                                               \
  {                                                                                                \
    for (gint64 line = 0; line < outer * inner; line++)                                            \
      {                                                                                            \
        const gint64 offset = line / inner * n * inner + line % inner;                             \
        const T *x = (const T *) from + offset;                                                    \
        T *y = (T *) to + offset;                                                                  \
        double norm = 0;                                                                           \
        for (gint64 i = 0; i < n; i++)                                                             \
          norm += p == 1 ? fabs ((double) x[i * inner])                                            \
                         : (double) x[i * inner] * (double) x[i * inner];                          \
        norm = p == 1 ? norm : sqrt (norm);                                                        \
        for (gint64 i = 0; i < n; i++)                                                             \
          y[i * inner] = norm == 0 ? 0 : (T) ((double) x[i * inner] / norm);                       \
      }                                                                                            \
  }
LP_LOOP (f32, float)
LP_LOOP (f64, double)

static void
compute_lp (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  int axis = 0;

  (void) sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), x->shape.rank, &axis,
                           NULL);
  SONDE_FLOAT_CALL (x->dtype, lp, sonde_shape_product (&x->shape, 0, axis), x->shape.dims[axis],
                    sonde_shape_product (&x->shape, axis + 1, x->shape.rank),
                    (int) sonde_node_get_int (context->node, "p", 2), x->data,
                    context->outputs[0]->data);
}

/* ---- LRN ----------------------------------------------------------------- */

static gboolean
infer_lrn (SondeInferContext *context, GError **error)
{
  gint64 size = sonde_node_get_int (context->node, "size", 0);

  context->outputs[0] = context->inputs[0];
  if (size < 1)
    return sonde_infer_fail (error, "size must be at least 1, but is %" PRIi64, size);
  if (!sonde_infer_need_float (context, 0, error))
    return FALSE;
  if (sonde_infer_ready (context, 1) && context->inputs[0].rank < 2)
    return sonde_infer_fail (error, "the input must be [N, C, …], but has %d dimensions",
                             context->inputs[0].rank);
  return TRUE;
}

/* y = x / (bias + α/size·Σ x²)^β, summed over the channels from c − ⌊(size−1)/2⌋ to c +
 * ⌈(size−1)/2⌉.
 * @sums: [inner] */
static void
respond (const SondeNode *node, const double *x, gint64 channels, gint64 inner, gint64 channel,
         double *sums)
{
  gint64 size = sonde_node_get_int (node, "size", 1), before = MIN ((size - 1) / 2, channel);
  gint64 after = MIN (size / 2, channels - 1 - channel);
  double alpha = sonde_node_get_float (node, "alpha", 1e-4) / (double) size;
  double beta = sonde_node_get_float (node, "beta", 0.75),
         bias = sonde_node_get_float (node, "bias", 1);

  memset (sums, 0, sizeof (double) * (gsize) inner);
  for (gint64 c = channel - before; c <= channel + after; c++)
    for (gint64 i = 0; i < inner; i++)
      sums[i] += x[c * inner + i] * x[c * inner + i];
  for (gint64 i = 0; i < inner; i++)
    sums[i] = x[channel * inner + i] * pow (bias + alpha * sums[i], -beta);
}

static void
compute_lrn (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 channels = x->shape.dims[1], inner = sonde_shape_product (&x->shape, 2, x->shape.rank),
         n = channels * inner;
  gsize size = sonde_dtype_size (x->dtype);
  g_autofree double *sample = g_new (double, n + 1), *sums = g_new (double, inner + 1);

  for (gint64 b = 0; b < x->shape.dims[0]; b++)
    {
      sonde_dtype_convert (x->dtype, x->data + (gsize) (b * n) * size, SONDE_DTYPE_F64, sample,
                           (gsize) n);
      for (gint64 c = 0; c < channels; c++)
        {
          respond (context->node, sample, channels, inner, c, sums);
          sonde_dtype_convert (SONDE_DTYPE_F64, sums, y->dtype,
                               y->data + (gsize) (b * n + c * inner) * size, (gsize) inner);
        }
    }
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule rms_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "epsilon", SONDE_ATTRIBUTE_FLOAT },
  { "stash_type", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule lp_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "p", SONDE_ATTRIBUTE_INT, FALSE, 1, 2 },
  { NULL },
};
static const SondeAttributeRule lrn_rules[] = {
  { "alpha", SONDE_ATTRIBUTE_FLOAT },
  { "beta", SONDE_ATTRIBUTE_FLOAT },
  { "bias", SONDE_ATTRIBUTE_FLOAT },
  { "size", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT32 },
  { NULL },
};

/* Behind the kernel: as formulas, its form in parts if it has one. */
#define ROW(onnx, opset, n, rules, rule, loop, ...)                                                \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = n, .max_inputs = n,                  \
    .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_NORMALISATION, .attributes = rules, \
    .infer = rule, .compute = loop, .cost = cost_norm, __VA_ARGS__                                 \
  }

const SondeOpClass sonde_ops_rms_lp_normalisation_lrn[] = {
  ROW ("LRN", 1, 1, lrn_rules, infer_lrn, compute_lrn, .decompose = sonde_decompose_lrn,
       .reach = { sonde_reach_lrn, 0 }, .typing = SONDE_TYPING_UNIFORM),
  ROW ("LpNormalization", 1, 1, lp_rules, infer_lp, compute_lp, .decompose = sonde_decompose_lp,
       .reach = { sonde_reach_line, 0x1 }, .typing = SONDE_TYPING_LEADING (1)),
  ROW ("RMSNormalization", 23, 2, rms_rules, infer_rms, compute_rms,
       .decompose = sonde_decompose_rms, .count_parts = count_rms_rows,
       .compute_part = compute_rms_rows, .reach = { sonde_reach_layer_norm, 0 },
       .typing = SONDE_TYPING_UNIFORM, .id = SONDE_OP_ID_RMS_NORMALIZATION),
  { .name = NULL },
};
