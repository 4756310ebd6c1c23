/* SPDX-License-Identifier: Apache-2.0
 * GatherElements, one index an element, and GatherND, one tuple of indices a slice. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-index.h"
#include "engine/ops/sonde-strided.h"

#include <string.h>

/* ---- GatherElements ------------------------------------------------------ */

static gboolean
infer_elements (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *indices = &context->inputs[1];
  int axis = 0;

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->rank, &axis, error)
      || !sonde_infer_need_rank (context, 1, x->rank, error))
    return FALSE;
  for (int d = 0; d < x->rank; d++)
    if (d != axis && x->dims[d].size >= 0 && indices->dims[d].size > x->dims[d].size)
      return sonde_infer_fail (error,
                               "dimension %d of the indices has %" PRIi64
                               " elements, but that of the "
                               "data only %" PRIi64,
                               d, indices->dims[d].size, x->dims[d].size);
  context->outputs[0] = *indices;
  context->outputs[0].dtype = x->dtype;
  return TRUE;
}

static gboolean
check_elements (const SondeKernelContext *context, GError **error)
{
  return sonde_index_check (context, 1,
                            context->inputs[0]->shape.dims[sonde_kernel_axis (context, 0)], error);
}

/* Items are rows of the indices. */
static gint64
elements_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[1]->shape;

  *cost = shape->dims[shape->rank - 1];
  return *cost > 0 ? sonde_shape_product (shape, 0, shape->rank - 1) : 0;
}

#define PICK(T)                                                                                    \
  for (gint64 i = 0; i < n; i++)                                                                   \
    ((T *) (void *) to)[i] = ((const T *) (const void *) from)[places[i] * step + beside * i];

/* to[i] = from[places[i]·step + beside·i] */
static void
pick (gsize size, gint64 n, const guint8 *from, const gint64 *places, gint64 step, gint64 beside,
      guint8 *to)
{
  if (size == 4)
    PICK (guint32)
  else if (size == 8)
    PICK (guint64)
  else if (size == 2)
    PICK (guint16)
  else
    PICK (guint8)
}

static void
elements_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *x = context->inputs[0], *indices = context->inputs[1];
  gsize size = sonde_dtype_size (x->dtype);
  int axis = sonde_kernel_axis (context, 0), last = x->shape.rank - 1;
  gint64 n = indices->shape.dims[last], limit = x->shape.dims[axis], beside = axis == last ? 0 : 1;
  gint64 strides[SONDE_MAX_RANK], index[SONDE_MAX_RANK], places[SONDE_INDEX_BLOCK];

  sonde_strided_row_major (&x->shape, strides);
  for (gint64 row = begin; row < end; row++)
    {
      gint64 from = sonde_index_offset (&indices->shape, strides, last, -1, row, index)
                    - beside * index[axis] * strides[axis];

      for (gint64 i = 0; i < n; i += SONDE_INDEX_BLOCK)
        {
          gint64 count = MIN (n - i, SONDE_INDEX_BLOCK);
          guint8 *to = context->outputs[0]->data + (gsize) (row * n + i) * size;

          if (sonde_index_resolve_block (indices, row * n + i, count, limit, places))
            pick (size, count, x->data + (gsize) (from + beside * i) * size, places, strides[axis],
                  beside, to);
          else
            memset (to, 0, (gsize) count * size);
        }
    }
}

static void
compute_elements (const SondeKernelContext *context)
{
  gint64 cost = 0;

  elements_part (context, 0, elements_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

/* ---- GatherND ------------------------------------------------------------ */

static gboolean
check_tuple_types (const SondeInferContext *context, int batch, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *indices = &context->inputs[1];
  gint64 n = indices->rank > 0 ? indices->dims[indices->rank - 1].size : 0;

  if (indices->rank < 1 || x->rank < 1)
    return sonde_infer_fail (error, "data and indices must have dimensions");
  if (batch >= MIN (x->rank, indices->rank))
    return sonde_infer_fail (error, "batch_dims is %d, but must be less than both ranks, %d and %d",
                             batch, x->rank, indices->rank);
  if (n == 0 || n > x->rank - batch)
    return sonde_infer_fail (
        error, "the last dimension of the indices is %" PRIi64 ", but must be from 1 to %d", n,
        x->rank - batch);
  for (int d = 0; d < batch; d++)
    {
      SondeDimension joined;

      if (!sonde_dimension_unify (&x->dims[d], &indices->dims[d], &joined))
        return sonde_infer_fail (
            error, "batch dimension %d is %" PRIi64 " in the data, but %" PRIi64 " in the indices",
            d, x->dims[d].size, indices->dims[d].size);
    }
  return TRUE;
}

static gboolean
infer_tuples (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *indices = &context->inputs[1];
  gint64 batch = sonde_node_get_int (context->node, "batch_dims", 0);
  gint64 n;
  SondeType type;

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (batch < 0 || batch > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "batch_dims is %" PRIi64, batch);
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!check_tuple_types (context, (int) batch, error))
    return FALSE;
  n = indices->dims[indices->rank - 1].size;
  if (n < 0)
    return TRUE;
  type = sonde_infer_type (x->dtype, 0);
  if (indices->rank - 1 + x->rank - (int) batch - (int) n > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the result would have more than %d dimensions",
                             SONDE_MAX_RANK);
  for (int d = 0; d < indices->rank - 1; d++)
    type.dims[type.rank++] = indices->dims[d];
  for (int d = (int) (batch + n); d < x->rank; d++)
    type.dims[type.rank++] = x->dims[d];
  context->outputs[0] = type;
  return TRUE;
}

/**
 * Tuples: geometry of a GatherND
 * @n: indices a tuple; @batches, @per_batch: tuples are [batches, per_batch]
 * @slice: elements a tuple names; @block: elements of one batch of the data
 */
typedef struct
{
  int batch, n;
  gint64 batches, per_batch, slice, block;
} Tuples;

static Tuples
read_tuples (const SondeKernelContext *context)
{
  const SondeShape *x = &context->inputs[0]->shape, *indices = &context->inputs[1]->shape;
  Tuples tuples = { .batch = (int) sonde_node_get_int (context->node, "batch_dims", 0) };

  tuples.n = (int) indices->dims[indices->rank - 1];
  tuples.batches = sonde_shape_product (indices, 0, tuples.batch);
  tuples.per_batch = sonde_shape_product (indices, tuples.batch, indices->rank - 1);
  tuples.slice = sonde_shape_product (x, tuples.batch + tuples.n, x->rank);
  tuples.block = sonde_shape_product (x, tuples.batch, x->rank);
  return tuples;
}

static gboolean
check_tuples (const SondeKernelContext *context, GError **error)
{
  Tuples tuples = read_tuples (context);

  return sonde_index_check_tuples (context, 1, &context->inputs[0]->shape, tuples.batch, tuples.n,
                                   error);
}

static gint64
tuples_count (const SondeKernelContext *context, gint64 *cost)
{
  Tuples tuples = read_tuples (context);

  *cost = tuples.slice + tuples.n;
  return tuples.slice > 0 ? tuples.batches * tuples.per_batch : 0;
}

static void
tuples_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *x = context->inputs[0], *indices = context->inputs[1];
  Tuples tuples = read_tuples (context);
  gsize size = sonde_dtype_size (x->dtype), bytes = (gsize) tuples.slice * size;
  gint64 strides[SONDE_MAX_RANK];

  sonde_strided_row_major (&x->shape, strides);
  for (gint64 i = begin; i < end; i++)
    {
      gint64 from = i / tuples.per_batch * tuples.block;
      guint8 *to = context->outputs[0]->data + (gsize) i * bytes;
      gboolean inside = TRUE;

      for (int k = 0; k < tuples.n; k++)
        {
          gint64 at = sonde_index_resolve (sonde_index_read (indices, i * tuples.n + k),
                                           x->shape.dims[tuples.batch + k]);

          inside &= at >= 0;
          from += at * strides[tuples.batch + k];
        }
      if (!inside)
        memset (to, 0, bytes);
      else if (tuples.slice == 1)
        sonde_index_copy (size, x->data + (gsize) from * size, to);
      else
        memcpy (to, x->data + (gsize) from * size, bytes);
    }
}

static void
compute_tuples (const SondeKernelContext *context)
{
  gint64 cost = 0;

  tuples_part (context, 0, tuples_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule batch_rule[] = { { "batch_dims", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_gather_elements_nd[] = {
  {
      .domain = "",
      .name = "GatherElements",
      .since = 11,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = axis_rule,
      .infer = infer_elements,
      .compute = compute_elements,
      .gradient = sonde_gradient_gather_elements,
      .check = check_elements,
      .count_parts = elements_count,
      .compute_part = elements_part,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_LEADING (1),
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = "",
      .name = "GatherND",
      .since = 11,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = batch_rule,
      .infer = infer_tuples,
      .compute = compute_tuples,
      .gradient = sonde_gradient_gather_tuples,
      .check = check_tuples,
      .count_parts = tuples_count,
      .compute_part = tuples_part,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_LEADING (1),
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
