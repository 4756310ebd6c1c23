/* SPDX-License-Identifier: Apache-2.0
 * ArgMax and ArgMin: positions, so without gradient. */
#include "engine/ops/sonde-op-private.h"

static gboolean
infer_argument (SondeInferContext *context,
                GError           **error)
{
  const SondeType *x = &context->inputs[0];
  gboolean keep = sonde_node_get_int (context->node, "keepdims", 1) != 0;
  SondeType type;
  int axis = 0;

  if (x->dtype == SONDE_DTYPE_STRING || x->dtype == SONDE_DTYPE_BOOL)
    return sonde_infer_fail (error, "input 0 is %s, but must be a number", sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->rank, &axis, error))
    return FALSE;
  if (x->dims[axis].size == 0)
    return sonde_infer_fail (error, "dimension %d is empty, so it has no extreme", axis);
  type = sonde_infer_type (SONDE_DTYPE_I64, 0);
  for (int d = 0; d < x->rank; d++)
    if (d != axis)
      type.dims[type.rank++] = x->dims[d];
    else if (keep)
      type.dims[type.rank++] = sonde_dimension (1);
  context->outputs[0] = type;
  return TRUE;
}

/* NaN is the extreme of all, as in NumPy; @last: of equal ones the last. */
static gint64
find_extreme (const double *x,
              gint64        n,
              gint64        step,
              double        sign,
              gboolean      last)
{
  double best = sign * x[0];
  gint64 at = 0;

  for (gint64 i = 1; i < n && best == best; i++)
    {
      const double v = sign * x[i * step];

      if (v > best || v != v || (last && v == best))
        {
          best = v;
          at = i;
        }
    }
  return at;
}

static void
run (const SondeKernelContext *context,
     double                    sign)
{
  SondeTensor *x = context->inputs[0];
  gboolean last = sonde_node_get_int (context->node, "select_last_index", 0) != 0;
  g_autoptr (SondeTensor) wide = sonde_tensor_cast (x, SONDE_DTYPE_F64);
  const double *values = (const double *) (void *) wide->data;
  gint64 *places = (gint64 *) (void *) context->outputs[0]->data;
  gint64 outer, n, inner;
  int axis = 0;

  (void) sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->shape.rank, &axis, NULL);
  outer = sonde_shape_product (&x->shape, 0, axis);
  n = x->shape.dims[axis];
  inner = sonde_shape_product (&x->shape, axis + 1, x->shape.rank);
  for (gint64 o = 0; o < outer; o++)
    for (gint64 i = 0; i < inner; i++)
      places[o * inner + i] = find_extreme (values + o * n * inner + i, n, inner, sign, last);
}

static void
compute_maximum (const SondeKernelContext *context)
{
  run (context, 1);
}

static void
compute_minimum (const SondeKernelContext *context)
{
  run (context, -1);
}

static const SondeAttributeRule rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "keepdims", SONDE_ATTRIBUTE_INT },
  { "select_last_index", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define ROW(onnx, loop)                                                                        \
  {                                                                                            \
    .domain = "", .name = onnx, .since = 1, .min_inputs = 1, .max_inputs = 1, .min_outputs = 1, \
    .max_outputs = 1, .family = SONDE_FAMILY_REDUCTION, .attributes = rules,                   \
    .infer = infer_argument, .compute = loop,                                                  \
  }

const SondeOpClass sonde_ops_argument[] = {
  ROW ("ArgMax", compute_maximum),
  ROW ("ArgMin", compute_minimum),
  { .name = NULL },
};
