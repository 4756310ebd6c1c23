/* SPDX-License-Identifier: Apache-2.0
 * Gather, rows chosen by index, and its gradient. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-index.h"

#include <string.h>

static gboolean
gather_axis (const SondeNode *node, int rank, int *axis, GError **error)
{
  return sonde_infer_axis (sonde_node_get_int (node, "axis", 0), rank, axis, error);
}

/* Indices that are known already are checked here, where the message comes first. */
static gboolean
check_known_indices (const SondeInferContext *context, guint k, gint64 size, GError **error)
{
  gsize n = 0;
  g_autofree gint64 *indices = sonde_infer_known_ints (context, k, &n);

  for (gsize i = 0; i < n && size >= 0; i++)
    if (indices[i] < -size || indices[i] >= size)
      return sonde_infer_fail (
          error, "index %" PRIi64 " is outside of a dimension of size %" PRIi64, indices[i], size);
  return TRUE;
}

/* The type of what is gathered from input @x_at by input @indices_at. */
static gboolean
gathered_type (const SondeInferContext *context, guint x_at, guint indices_at, SondeType *result,
               GError **error)
{
  const SondeType *x = &context->inputs[x_at];
  const SondeType *indices = &context->inputs[indices_at];
  SondeType type;
  int axis = 0;

  if (!gather_axis (context->node, x->rank, &axis, error)
      || !check_known_indices (context, indices_at, x->dims[axis].size, error))
    return FALSE;
  if (x->rank + indices->rank - 1 > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the result would have more than %d dimensions",
                             SONDE_MAX_RANK);
  type = sonde_infer_type (x->dtype, x->rank + indices->rank - 1);
  for (int d = 0; d < type.rank; d++)
    type.dims[d] = d < axis                   ? x->dims[d]
                   : d < axis + indices->rank ? indices->dims[d - axis]
                                              : x->dims[d - indices->rank + 1];
  *result = type;
  return TRUE;
}

static gboolean
infer_gather (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  return !sonde_infer_ready (context, 2)
         || gathered_type (context, 0, 1, &context->outputs[0], error);
}

/* (dy, like x, indices) → dx */
static gboolean
infer_gather_grad (SondeInferContext *context, GError **error)
{
  SondeType forward;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error)
      || !sonde_infer_need_integer (context, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  context->outputs[0] = context->inputs[1];
  return gathered_type (context, 1, 2, &forward, error)
         && sonde_infer_need_shape (&context->inputs[0], &forward, N_ ("the gradient"), error);
}

static gboolean
check_gather (const SondeKernelContext *context, GError **error)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  int axis = 0;

  (void) gather_axis (context->node, shape->rank, &axis, NULL);
  return sonde_index_check (context, 1, shape->dims[axis], error);
}

/* The check refuses an index outside; a kernel that is asked all the same gives NaN in floats, 0 or
 * "" elsewhere. */
static void
fill_outside (SondeDtype dtype, guint8 *to, gsize bytes)
{
  memset (to, sonde_dtype_is_float (dtype) ? 0xff : 0, bytes);
}

static void
compute_gather (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  gsize n = 0;
  g_autofree gint64 *indices = sonde_kernel_ints (context, 1, &n);
  int axis = 0;
  gint64 outer, size;
  gsize row;
  guint8 *to = y->data;

  (void) gather_axis (context->node, x->shape.rank, &axis, NULL);
  outer = sonde_shape_product (&x->shape, 0, axis);
  size = x->shape.dims[axis];
  row = (gsize) sonde_shape_product (&x->shape, axis + 1, x->shape.rank)
        * sonde_dtype_size (x->dtype);
  for (gint64 o = 0; o < outer; o++)
    for (gsize i = 0; i < n; i++, to += row)
      {
        gint64 at = sonde_index_resolve (indices[i], size);

        if (at < 0)
          fill_outside (x->dtype, to, row);
        else
          memcpy (to, x->data + (gsize) (o * size + at) * row, row);
      }
  sonde_kernel_own_strings (y);
}

#define SCATTER_ADD(suffix, T)                                                                     \
  static void scatter_add_##suffix (gint64 outer, gint64 size, gint64 row, gsize n,                \
                                    const gint64 *indices, const void *from, void *to)             \
  {                                                                                                \
    const T *dy = from;                                                                            \
    for (gint64 o = 0; o < outer; o++)                                                             \
      for (gsize i = 0; i < n; i++, dy += row)                                                     \
        {                                                                                          \
          gint64 at = sonde_index_resolve (indices[i], size);                                      \
          T *restrict dx = (T *) to + (o * size + at) * row;                                       \
          for (gint64 e = 0; e < row && at >= 0; e++)                                              \
            dx[e] += dy[e];                                                                        \
        }                                                                                          \
  }
SCATTER_ADD (f32, float)
SCATTER_ADD (f64, double)

/* dx is zero where no index points; rows named twice get the sum. */
static void
compute_gather_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *dx = context->outputs[0];
  gsize n = 0;
  g_autofree gint64 *indices = sonde_kernel_ints (context, 2, &n);
  int axis = 0;
  gint64 outer, row;

  (void) gather_axis (context->node, dx->shape.rank, &axis, NULL);
  outer = sonde_shape_product (&dx->shape, 0, axis);
  row = sonde_shape_product (&dx->shape, axis + 1, dx->shape.rank);
  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  SONDE_FLOAT_CALL (dx->dtype, scatter_add, outer, dx->shape.dims[axis], row, n, indices, dy->data,
                    dx->data);
}

static gboolean
gradient_gather (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0]
      = sonde_rule_own_copying (context, "GatherGrad", sonde_rule_dy (context),
                                sonde_rule_x (context, 0), sonde_rule_x (context, 1), NULL);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_gather[] = {
  {
      .domain = "",
      .name = "Gather",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = axis_rule,
      .infer = infer_gather,
      .compute = compute_gather,
      .check = check_gather,
      .gradient = gradient_gather,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_MOVES,
      .attribution = SONDE_ATTRIBUTION_MOVE,
      .id = SONDE_OP_ID_GATHER,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "GatherGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = axis_rule,
      .infer = infer_gather_grad,
      .compute = compute_gather_grad,
      .gradient = sonde_gradient_gather_grad,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_moved_back, 0x1 },
      .typing = SONDE_TYPING_LEADING (2),
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
