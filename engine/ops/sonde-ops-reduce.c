/* SPDX-License-Identifier: Apache-2.0
 * Reductions over axes: ReduceSum, ReduceMean, ReduceMax, ReduceMin. What their gradients need is in
 * sonde-ops-reduce-grad.c, ArgMax in sonde-ops-argument.c. */
#include "engine/ops/sonde-reduce-private.h"

#include <math.h>
#include <string.h>

#define T float
#define S f32
#include "engine/ops/sonde-reduce-template.h"
#define T double
#define S f64
#include "engine/ops/sonde-reduce-template.h"

/* ---- axes ------------------------------------------------------------------------------------- */

gboolean
sonde_reduce_mark_axes (const gint64 *axes,
                        gsize         n,
                        gboolean      empty_is_none,
                        int           rank,
                        gboolean     *marks,
                        GError      **error)
{
  for (int d = 0; d < rank; d++)
    marks[d] = n == 0 && !empty_is_none;
  for (gsize i = 0; i < n; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (axes[i], rank, &axis, error))
        return FALSE;
      marks[axis] = TRUE;
    }
  return TRUE;
}

/* @x without its marked dimensions, or with ones in their places. */
SondeType
sonde_reduce_type (const SondeType *x,
                   const gboolean  *marks,
                   gboolean         keep)
{
  SondeType type = sonde_infer_type (x->dtype, 0);

  for (int d = 0; d < x->rank; d++)
    if (!marks[d])
      type.dims[type.rank++] = x->dims[d];
    else if (keep)
      type.dims[type.rank++] = sonde_dimension (1);
  return type;
}

static gboolean
infer_reduce (SondeInferContext *context,
              GError           **error)
{
  const SondeType *x = &context->inputs[0];
  gboolean keep = sonde_node_get_int (context->node, "keepdims", 1) != 0;
  gboolean none = sonde_node_get_int (context->node, "noop_with_empty_axes", 0) != 0;
  gboolean given = sonde_infer_input (context, 1) != NULL;
  gsize n = 0;
  g_autofree gint64 *axes = sonde_infer_known_ints (context, 1, &n);
  gboolean marks[SONDE_MAX_RANK];

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (x->dtype == SONDE_DTYPE_STRING || x->dtype == SONDE_DTYPE_BOOL)
    return sonde_infer_fail (error, "input 0 is %s, but must be a number", sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (given && axes == NULL)
    {
      if (keep)
        context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
      return TRUE;
    }
  if (!sonde_reduce_mark_axes (axes, n, none, x->rank, marks, error))
    return FALSE;
  context->outputs[0] = sonde_reduce_type (x, marks, keep);
  return TRUE;
}

/* Rows over @shape with the strides of a reduced tensor (0 along marked dimensions) as operand 1. */
void
sonde_reduce_rows (const SondeShape *shape,
                   const gboolean   *marks,
                   SondeStrided     *rows)
{
  gint64 whole[SONDE_MAX_RANK], reduced[SONDE_MAX_RANK];
  const gint64 *strides[] = { whole, reduced };
  gint64 step = 1;

  sonde_strided_row_major (shape, whole);
  for (int d = shape->rank - 1; d >= 0; d--)
    {
      reduced[d] = marks[d] ? 0 : step;
      step *= marks[d] ? 1 : shape->dims[d];
    }
  sonde_strided_init (rows, shape, 2, strides);
  /* One lone element has no stride to speak of: take it as reduced. */
  if (rows->rank == 1 && rows->dims[0] == 1)
    rows->strides[1][0] = 0;
}

/* Axes from the input (ONNX) or from the attribute (ours). */
static void
kernel_marks (const SondeKernelContext *context,
              int                       rank,
              gboolean                 *marks)
{
  gsize n = 0;
  g_autofree gint64 *axes = sonde_kernel_ints (context, 1, &n);
  gboolean none = sonde_node_get_int (context->node, "noop_with_empty_axes", 0) != 0;

  (void) sonde_reduce_mark_axes (axes, n, none, rank, marks, NULL);
}

/* ---- sums ------------------------------------------------------------------------------------- */

/* y = scale · Σ x over the marked dimensions. */
void
sonde_reduce_sum (SondeTensor    *x,
                  const gboolean *marks,
                  gboolean        mean,
                  SondeTensor    *y)
{
  gint64 n = sonde_tensor_n_elements (y);
  g_autofree double *sums = g_new0 (double, n + 1);
  double scale = 1;
  SondeStrided rows;

  if (mean)
    scale = (double) n / (double) sonde_tensor_n_elements (x);
  sonde_reduce_rows (&x->shape, marks, &rows);
  SONDE_FLOAT_CALL (x->dtype, reduce_sum, &rows, x->data, sums);
  for (gint64 i = 0; i < n && mean; i++)
    sums[i] *= scale;
  sonde_dtype_convert (SONDE_DTYPE_F64, sums, y->dtype, y->data, (gsize) n);
}

typedef gint64 (*IntegerStep) (gint64 accumulator, gint64 x);

static gint64
step_sum (gint64 accumulator, gint64 x)
{
  return (gint64) ((guint64) accumulator + (guint64) x);
}

static gint64
step_maximum (gint64 accumulator, gint64 x)
{
  return MAX (accumulator, x);
}

static gint64
step_minimum (gint64 accumulator, gint64 x)
{
  return MIN (accumulator, x);
}

/* Integers go through int64: they are few, so clarity wins over speed here. uint64 wraps. */
static void
reduce_integers (SondeTensor    *x,
                 const gboolean *marks,
                 IntegerStep     step,
                 gint64          start,
                 gint64          divisor,
                 SondeTensor    *y)
{
  gint64 n = sonde_tensor_n_elements (y);
  g_autofree gint64 *results = g_new (gint64, n + 1);
  g_autoptr (SondeTensor) wide = sonde_tensor_cast (x, SONDE_DTYPE_I64);
  const gint64 *values = (const gint64 *) (void *) wide->data;
  SondeStrided rows;
  SondeCursor cursor;

  for (gint64 i = 0; i < n; i++)
    results[i] = start;
  sonde_reduce_rows (&x->shape, marks, &rows);
  if (sonde_strided_start (&rows, &cursor))
    do
      for (gint64 i = 0; i < rows.dims[rows.rank - 1]; i++)
        {
          gint64 *at = &results[cursor.offsets[1] + i * rows.strides[1][rows.rank - 1]];

          *at = step (*at, values[cursor.offsets[0] + i]);
        }
    while (sonde_strided_next (&rows, &cursor));
  for (gint64 i = 0; i < n && divisor > 1; i++)
    results[i] /= divisor;
  sonde_dtype_convert (SONDE_DTYPE_I64, results, y->dtype, y->data, (gsize) n);
}

static void
compute_sum_or_mean (const SondeKernelContext *context,
                     gboolean                  mean)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  gint64 n = sonde_tensor_n_elements (y);
  gboolean marks[SONDE_MAX_RANK];

  kernel_marks (context, x->shape.rank, marks);
  if (sonde_dtype_is_float (x->dtype))
    sonde_reduce_sum (x, marks, mean, y);
  else
    reduce_integers (x, marks, step_sum, 0, mean && n > 0 ? sonde_tensor_n_elements (x) / n : 1, y);
}

static void
compute_sum (const SondeKernelContext *context)
{
  compute_sum_or_mean (context, FALSE);
}

static void
compute_mean (const SondeKernelContext *context)
{
  compute_sum_or_mean (context, TRUE);
}

/* ---- extremes --------------------------------------------------------------------------------- */

static void
compute_extreme (const SondeKernelContext *context,
                 int                       sign)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  gint64 n = sonde_tensor_n_elements (y);
  gboolean marks[SONDE_MAX_RANK];
  SondeStrided rows;

  kernel_marks (context, x->shape.rank, marks);
  if (!sonde_dtype_is_float (x->dtype))
    {
      reduce_integers (x, marks, sign > 0 ? step_maximum : step_minimum, sign > 0 ? G_MININT64 : G_MAXINT64, 1, y);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (y, i, sign > 0 ? -INFINITY : INFINITY);
  sonde_reduce_rows (&x->shape, marks, &rows);
  SONDE_FLOAT_CALL (x->dtype, reduce_extreme, &rows, x->data, y->data, sign);
}

static void
compute_maximum (const SondeKernelContext *context)
{
  compute_extreme (context, 1);
}

static void
compute_minimum (const SondeKernelContext *context)
{
  compute_extreme (context, -1);
}

/* ---- gradients -------------------------------------------------------------------------------- */

/* Axes, keepdims of the forward node as attributes of the new one. FALSE: axes are not known. */
static gboolean
copy_axes (SondeGradientContext *context,
           SondeGraphValue      *value,
           GError              **error)
{
  SondeGraphValue *axes_value = sonde_rule_x (context, 1);
  gsize n = 0;
  g_autofree gint64 *axes = sonde_rule_known_ints (axes_value, &n);

  if (axes_value != NULL && axes == NULL)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "node “%s” (%s): no gradient, because its axes “%s” are computed while the network runs",
                   context->node->name, context->node->op, axes_value->name);
      return FALSE;
    }
  sonde_rule_copy_attributes (value->producer, context->node);
  sonde_node_set_ints (value->producer, "axes", axes, n);
  context->input_gradients[0] = sonde_rule_infer (context, value);
  return TRUE;
}

static gboolean
gradient_sum (SondeGradientContext *context,
              GError              **error)
{
  return copy_axes (context, sonde_rule_own (context, "BroadcastLike", sonde_rule_dy (context),
                                             sonde_rule_x (context, 0), NULL), error);
}

static gboolean
gradient_mean (SondeGradientContext *context,
               GError              **error)
{
  SondeGraphValue *dx = sonde_rule_own (context, "BroadcastLike", sonde_rule_dy (context),
                                        sonde_rule_x (context, 0), NULL);

  sonde_node_set_int (dx->producer, "mean", 1);
  return copy_axes (context, dx, error);
}

static gboolean
gradient_extreme (SondeGradientContext *context,
                  GError              **error)
{
  return copy_axes (context, sonde_rule_own (context, "ReduceExtremeGrad", sonde_rule_dy (context),
                                             sonde_rule_x (context, 0), sonde_rule_y (context, 0), NULL), error);
}

/* ---- rows ------------------------------------------------------------------------------------- */

void
sonde_reduce_cost (const SondeInferContext *context,
                   SondeCost               *cost)
{
  const SondeType *x = &context->inputs[0];
  gint64 n = x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;

  cost->flops = n > 0 ? (double) n : 0;
}

static const SondeAttributeRule reduce_rules[] = {
  { "keepdims", SONDE_ATTRIBUTE_INT },
  { "noop_with_empty_axes", SONDE_ATTRIBUTE_INT },
  { NULL },
};
#define REDUCE(onnx, opset, loop, derivative)                                                      \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = 1, .max_inputs = 2, .min_outputs = 1, \
    .max_outputs = 1, .family = SONDE_FAMILY_REDUCTION, .attributes = reduce_rules,                \
    .infer = infer_reduce, .compute = loop, .gradient = derivative, .cost = sonde_reduce_cost,           \
  }
const SondeOpClass sonde_ops_reduce[] = {
  REDUCE ("ReduceMax", 18, compute_maximum, gradient_extreme),
  REDUCE ("ReduceMean", 18, compute_mean, gradient_mean),
  REDUCE ("ReduceMin", 18, compute_minimum, gradient_extreme),
  REDUCE ("ReduceSum", 13, compute_sum, gradient_sum),
  { .name = NULL },
};
