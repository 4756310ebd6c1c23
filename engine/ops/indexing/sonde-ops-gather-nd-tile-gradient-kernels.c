/* SPDX-License-Identifier: Apache-2.0
 * Gradient operators of GatherND and Tile: (dy, like x, what the forward node had) → dx. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-index.h"
#include "engine/ops/sonde-strided.h"

#include <string.h>

/* dx as x; dy as the operator @op makes of x and the rest. */
static gboolean
infer_backward (SondeInferContext *context, const char *op, GError **error)
{
  SondeType type = sonde_type_unknown ();
  SondeTensor *known = NULL;
  SondeInferContext forward = {
    .node = context->node,
    .n_inputs = context->n_inputs - 1,
    .inputs = context->inputs + 1,
    .known = context->known + 1,
    .n_outputs = 1,
    .outputs = &type,
    .known_outputs = &known,
  };

  context->outputs[0] = context->inputs[1];
  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  return sonde_op_table_find ("", op)->infer (&forward, error)
         && sonde_infer_need_shape (&context->inputs[0], &type, N_ ("the gradient"), error);
}

/* ---- GatherNDGrad -------------------------------------------------------- */

static gboolean
infer_tuples (SondeInferContext *context, GError **error)
{
  return infer_backward (context, "GatherND", error);
}

static int
batch_of (const SondeKernelContext *context)
{
  return (int) sonde_node_get_int (context->node, "batch_dims", 0);
}

static gboolean
check_tuples (const SondeKernelContext *context, GError **error)
{
  const SondeShape *indices = &context->inputs[2]->shape;

  return sonde_index_check_tuples (context, 2, &context->inputs[1]->shape, batch_of (context),
                                   (int) indices->dims[indices->rank - 1], error);
}

#define ADD_ROW(suffix, T)                                                                         \
  static void add_row_##suffix (gint64 n, const void *from, void *to)                              \
  {                                                                                                \
    const T *x = from;                                                                             \
    T *y = to;                                                                                     \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i] += x[i];                             \
  }
ADD_ROW (f32, float)
ADD_ROW (f64, double)

/* Where a tuple points, in elements of x; -1 outside. */
static gint64
tuple_offset (const SondeTensor *indices, gint64 tuple, const gint64 *dims, int n)
{
  gint64 at = 0;

  for (int k = 0; k < n; k++)
    {
      gint64 place = sonde_index_resolve (sonde_index_read (indices, tuple * n + k), dims[k]);

      if (place < 0)
        return -1;
      at = at * dims[k] + place;
    }
  return at;
}

/* Items are batches, whose slices of dx are their own. */
static gint64
tuples_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *indices = &context->inputs[2]->shape;

  *cost = sonde_shape_product (&context->outputs[0]->shape, batch_of (context),
                               context->outputs[0]->shape.rank);
  return sonde_shape_product (indices, 0, batch_of (context));
}

static void
tuples_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *dy = context->inputs[0], *indices = context->inputs[2];
  SondeTensor *dx = context->outputs[0];
  gsize size = sonde_dtype_size (dx->dtype);
  int batch = batch_of (context), n = (int) indices->shape.dims[indices->shape.rank - 1];
  gint64 block = sonde_shape_product (&dx->shape, batch, dx->shape.rank);
  gint64 slice = sonde_shape_product (&dx->shape, batch + n, dx->shape.rank);
  gint64 per_batch = sonde_shape_product (&indices->shape, batch, indices->shape.rank - 1);

  memset (dx->data + (gsize) (begin * block) * size, 0, (gsize) ((end - begin) * block) * size);
  for (gint64 t = begin * per_batch; t < end * per_batch; t++)
    {
      gint64 at = tuple_offset (indices, t, dx->shape.dims + batch, n);

      if (at >= 0)
        SONDE_FLOAT_CALL (dx->dtype, add_row, slice, dy->data + (gsize) (t * slice) * size,
                          dx->data + (gsize) (t / per_batch * block + at * slice) * size);
    }
}

SONDE_COMPUTE_PARTS (tuples)

/* ---- TileGrad ------------------------------------------------------------ */

static gboolean
infer_tiles (SondeInferContext *context, GError **error)
{
  return infer_backward (context, "Tile", error);
}

/* Row by row of dy; a row holds the last dimension of x several times. */
static void
compute_tiles (const SondeKernelContext *context)
{
  const SondeTensor *dy = context->inputs[0];
  SondeTensor *dx = context->outputs[0];
  gsize size = sonde_dtype_size (dx->dtype);
  gint64 strides[SONDE_MAX_RANK], index[SONDE_MAX_RANK] = { 0 };
  gint64 n = sonde_tensor_n_elements (dx) > 0 ? sonde_tensor_n_elements (dy) : 0;
  int last = dx->shape.rank - 1;
  gint64 row = last >= 0 ? dy->shape.dims[last] : 1, part = last >= 0 ? dx->shape.dims[last] : 1;

  sonde_strided_row_major (&dx->shape, strides);
  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  for (gint64 done = 0; done < n; done += row)
    {
      gint64 offset = 0;

      for (int d = 0; d < last; d++)
        offset += index[d] % dx->shape.dims[d] * strides[d];
      for (gint64 i = 0; i + part <= row; i += part)
        SONDE_FLOAT_CALL (dx->dtype, add_row, part, dy->data + (gsize) (done + i) * size,
                          dx->data + (gsize) offset * size);
      for (int d = last - 1; d >= 0; d--)
        {
          if (++index[d] < dy->shape.dims[d])
            break;
          index[d] = 0;
        }
    }
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule batch_rule[] = { { "batch_dims", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_gather_nd_tile_gradient_kernels[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "GatherNDGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = batch_rule,
      .infer = infer_tuples,
      .compute = compute_tuples,
      .check = check_tuples,
      .gradient = sonde_gradient_gather_tuples_grad,
      .count_parts = tuples_count,
      .compute_part = tuples_part,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_moved_back, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "TileGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .infer = infer_tiles,
      .compute = compute_tiles,
      .gradient = sonde_gradient_tile_grad,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_moved_back, 0x1 },
      .typing = SONDE_TYPING_LEADING (2),
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
