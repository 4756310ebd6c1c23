/* SPDX-License-Identifier: Apache-2.0
 * ScatterElements, ScatterND, TensorScatter: the data with some elements replaced, or combined with
 * others. Where two updates meet, they are applied in their order. Parts are cut so that no two of
 * them write the same element. */
#include "engine/ops/indexing/sonde-scatter-combine.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-index.h"
#include "engine/ops/sonde-strided.h"

#include <string.h>

static gboolean
read_reduction (const SondeInferContext *context, GError **error)
{
  const char *name = sonde_node_get_string (context->node, "reduction", "none");
  SondeDtype dtype = context->inputs[0].dtype;
  SondeCombine how = SONDE_COMBINE_NONE;

  if (!sonde_combine_from_name (name, &how))
    return sonde_infer_fail (error, "reduction is “%s”, but must be none, add, mul, max or min",
                             name);
  if (dtype != SONDE_DTYPE_INVALID && sonde_combine_find (how, dtype) == NULL)
    return sonde_infer_fail (error, "elements of %s cannot be combined by %s",
                             sonde_dtype_name (dtype), name);
  return TRUE;
}

static SondeCombine
combine_kind (const SondeKernelContext *context)
{
  SondeCombine how = SONDE_COMBINE_NONE;

  (void) sonde_combine_from_name (sonde_node_get_string (context->node, "reduction", "none"), &how);
  return how;
}

static void
copy_run (const SondeKernelContext *context, gint64 offset, gint64 n)
{
  gsize size = sonde_dtype_size (context->outputs[0]->dtype);
  const guint8 *from = context->inputs[0]->data + (gsize) offset * size;
  guint8 *to = context->outputs[0]->data + (gsize) offset * size;

  if (from != to)
    memcpy (to, from, (gsize) n * size);
}

/* ---- ScatterElements ----------------------------------------------------- */

static gboolean
infer_elements (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *indices = &context->inputs[1];
  int axis = 0;

  context->outputs[0] = *x;
  if (!sonde_infer_need_integer (context, 1, error) || !read_reduction (context, error))
    return FALSE;
  if (x->dtype != SONDE_DTYPE_INVALID && context->inputs[2].dtype != SONDE_DTYPE_INVALID
      && x->dtype != context->inputs[2].dtype)
    return sonde_infer_fail (error, "the updates are %s, but the data is %s",
                             sonde_dtype_name (context->inputs[2].dtype),
                             sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->rank, &axis, error)
      || !sonde_infer_need_rank (context, 1, x->rank, error)
      || !sonde_infer_need_rank (context, 2, x->rank, error)
      || !sonde_infer_need_shape (&context->inputs[2], indices, N_ ("the tensor of updates"),
                                  error))
    return FALSE;
  for (int d = 0; d < x->rank; d++)
    if (d != axis && x->dims[d].size >= 0 && indices->dims[d].size > x->dims[d].size)
      return sonde_infer_fail (error,
                               "dimension %d of the indices has %" PRIi64
                               " elements, but that of the "
                               "data only %" PRIi64,
                               d, indices->dims[d].size, x->dims[d].size);
  return TRUE;
}

static gboolean
check_elements (const SondeKernelContext *context, GError **error)
{
  return sonde_index_check (context, 1,
                            context->inputs[0]->shape.dims[sonde_kernel_axis (context, 0)], error);
}

/* Elements that are taken together where the dimensions behind the axis are one. */
#define MOST_BESIDE SONDE_INDEX_BLOCK

/**
 * Slices: the data as [outer, rows, inner], of which every part of at most @width elements of
 * @inner is an item
 */
typedef struct
{
  gint64 outer, rows, inner, width, parts;
} Slices;

/* FALSE: the axis is the last dimension, or the indices are smaller than the data beside it. */
static gboolean
find_slices (const SondeKernelContext *context, Slices *slices)
{
  const SondeShape *shape = &context->inputs[0]->shape, *indices = &context->inputs[1]->shape;
  int axis = sonde_kernel_axis (context, 0);

  for (int d = 0; d < shape->rank; d++)
    if (d != axis && shape->dims[d] != indices->dims[d])
      return FALSE;

  slices->outer = sonde_shape_product (shape, 0, axis);
  slices->rows = shape->dims[axis];
  slices->inner = sonde_shape_product (shape, axis + 1, shape->rank);
  slices->width = CLAMP (slices->inner, 1, MOST_BESIDE);
  slices->parts = (slices->inner + slices->width - 1) / slices->width;
  return axis < shape->rank - 1;
}

/* Items are places of the data in all dimensions but the axis and the last one, or parts of
 * slices. */
static gint64
elements_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  int axis = sonde_kernel_axis (context, 0), last = shape->rank - 1;
  gint64 n = 1;
  Slices slices;

  if (find_slices (context, &slices))
    {
      *cost = slices.width * slices.rows;
      return *cost > 0 ? slices.outer * slices.parts : 0;
    }

  for (int d = 0; d < last; d++)
    n *= d == axis ? 1 : shape->dims[d];
  *cost = shape->dims[last] * (axis == last ? 1 : shape->dims[axis]);
  return *cost > 0 ? n : 0;
}

/* The item's place is one that the indices have, too. */
static gboolean
has_indices (const SondeShape *indices, const gint64 *index)
{
  for (int d = 0; d < indices->rank; d++)
    if (index[d] >= indices->dims[d])
      return FALSE;
  return TRUE;
}

/* @n updates from @first on to places of the slice that begins at @to, @step apart along the axis
 * and, but where that is the last dimension, @beside = 1 apart beside it. */
static void
scatter_row (const SondeKernelContext *context, SondeCombineAtLoop combine, gint64 first, gint64 n,
             gint64 to, gint64 step, gint64 beside)
{
  const SondeTensor *indices = context->inputs[1], *updates = context->inputs[2];
  SondeTensor *y = context->outputs[0];
  gsize size = sonde_dtype_size (y->dtype);
  gint64 limit = y->shape.dims[sonde_kernel_axis (context, 0)];
  gint64 places[SONDE_INDEX_BLOCK];

  for (gint64 begin = 0; begin < n; begin += SONDE_INDEX_BLOCK)
    {
      gint64 count = MIN (n - begin, SONDE_INDEX_BLOCK);
      gboolean inside = sonde_index_resolve_block (indices, first + begin, count, limit, places);

      for (gint64 i = 0; i < count; i++)
        places[i] = places[i] * step + beside * (begin + i);
      if (inside)
        combine (count, updates->data + (gsize) (first + begin) * size, places,
                 y->data + (gsize) to * size);
    }
}

static void
slices_part (const SondeKernelContext *context, const Slices *slices, SondeCombineAtLoop combine,
             gint64 begin, gint64 end)
{
  const gint64 rows = context->inputs[1]->shape.dims[sonde_kernel_axis (context, 0)];

  for (gint64 item = begin; item < end; item++)
    {
      const gint64 outer = item / slices->parts, column = item % slices->parts * slices->width;
      const gint64 n = MIN (slices->width, slices->inner - column);
      const gint64 to = outer * slices->rows * slices->inner + column,
                   first = outer * rows * slices->inner + column;

      for (gint64 r = 0; r < slices->rows; r++)
        copy_run (context, to + r * slices->inner, n);
      for (gint64 r = 0; r < rows; r++)
        scatter_row (context, combine, first + r * slices->inner, n, to, slices->inner, 1);
    }
}

static void
elements_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeShape *shape = &context->inputs[0]->shape, *indices = &context->inputs[1]->shape;
  SondeCombineAtLoop combine
      = sonde_combine_find_at (combine_kind (context), context->outputs[0]->dtype);
  int axis = sonde_kernel_axis (context, 0), last = shape->rank - 1;
  gint64 strides[SONDE_MAX_RANK], own[SONDE_MAX_RANK], index[SONDE_MAX_RANK];
  gint64 rows = axis == last ? 1 : shape->dims[axis];
  Slices slices;

  if (find_slices (context, &slices))
    {
      slices_part (context, &slices, combine, begin, end);
      return;
    }

  sonde_strided_row_major (shape, strides);
  sonde_strided_row_major (indices, own);
  for (gint64 item = begin; item < end; item++)
    {
      gint64 to = sonde_index_offset (shape, strides, axis, last, item, index);
      gint64 first = 0;

      for (gint64 r = 0; r < rows; r++)
        copy_run (context, to + (axis == last ? 0 : r * strides[axis]), shape->dims[last]);
      if (!has_indices (indices, index))
        continue;
      for (int d = 0; d <= last; d++)
        first += index[d] * own[d];
      for (gint64 r = 0; r < (axis == last ? 1 : indices->dims[axis]); r++)
        scatter_row (context, combine, first + (axis == last ? 0 : r * own[axis]),
                     indices->dims[last], to, strides[axis], axis == last ? 0 : 1);
    }
}

static void
compute_elements (const SondeKernelContext *context)
{
  gint64 cost = 0;

  elements_part (context, 0, elements_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

/* ---- ScatterND ----------------------------------------------------------- */

static gboolean
infer_tuples (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *indices = &context->inputs[1];
  SondeType want;
  gint64 n;

  context->outputs[0] = *x;
  if (!sonde_infer_need_integer (context, 1, error) || !read_reduction (context, error))
    return FALSE;
  if (x->dtype != SONDE_DTYPE_INVALID && context->inputs[2].dtype != SONDE_DTYPE_INVALID
      && x->dtype != context->inputs[2].dtype)
    return sonde_infer_fail (error, "the updates are %s, but the data is %s",
                             sonde_dtype_name (context->inputs[2].dtype),
                             sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  if (indices->rank < 1 || x->rank < 1)
    return sonde_infer_fail (error, "data and indices must have dimensions");
  n = indices->dims[indices->rank - 1].size;
  if (n == 0 || n > x->rank)
    return sonde_infer_fail (
        error, "the last dimension of the indices is %" PRIi64 ", but must be from 1 to %d", n,
        x->rank);
  if (n < 0)
    return TRUE;
  if (indices->rank - 1 + x->rank - n > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the updates would have more than %d dimensions",
                             SONDE_MAX_RANK);
  want = sonde_infer_type (x->dtype, 0);
  for (int d = 0; d < indices->rank - 1; d++)
    want.dims[want.rank++] = indices->dims[d];
  for (int d = (int) n; d < x->rank; d++)
    want.dims[want.rank++] = x->dims[d];
  return sonde_infer_need_shape (&context->inputs[2], &want, N_ ("the tensor of updates"), error);
}

static int
tuple_size (const SondeKernelContext *context)
{
  const SondeShape *indices = &context->inputs[1]->shape;

  return (int) indices->dims[indices->rank - 1];
}

static gboolean
check_tuples (const SondeKernelContext *context, GError **error)
{
  return sonde_index_check_tuples (context, 1, &context->inputs[0]->shape, 0, tuple_size (context),
                                   error);
}

/* Items are the slices of the data that tuples can name. Each part looks at all tuples. */
static gint64
tuples_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  int n = tuple_size (context);

  *cost = sonde_shape_product (shape, n, shape->rank);
  return *cost > 0 ? sonde_shape_product (shape, 0, n) : 0;
}

static void
tuples_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *indices = context->inputs[1], *updates = context->inputs[2];
  SondeTensor *y = context->outputs[0];
  SondeCombineLoop combine = sonde_combine_find (combine_kind (context), y->dtype);
  int n = tuple_size (context);
  gint64 slice = sonde_shape_product (&y->shape, n, y->shape.rank);
  gint64 tuples = sonde_shape_product (&indices->shape, 0, indices->shape.rank - 1);
  gsize bytes = (gsize) slice * sonde_dtype_size (y->dtype);

  copy_run (context, begin * slice, (end - begin) * slice);
  for (gint64 t = 0; t < tuples && begin < end; t++)
    {
      gint64 at = 0;
      gboolean inside = TRUE;

      for (int k = 0; k < n; k++)
        {
          gint64 place
              = sonde_index_resolve (sonde_index_read (indices, t * n + k), y->shape.dims[k]);

          inside &= place >= 0;
          at = at * y->shape.dims[k] + place;
        }
      if (inside && at >= begin && at < end)
        combine (slice, updates->data + (gsize) t * bytes, y->data + (gsize) at * bytes);
    }
}

static void
compute_tuples (const SondeKernelContext *context)
{
  gint64 cost = 0;

  tuples_part (context, 0, tuples_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

/* ---- TensorScatter ------------------------------------------------------- */

static const char *const cache_modes[] = { "linear", "circular", NULL };

static gboolean
infer_cache (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *update = &context->inputs[1];
  const SondeType *places = sonde_infer_input (context, 2);
  int axis = 0;

  context->outputs[0] = *x;
  if (!sonde_infer_need_same (context, 0, 1, error)
      || !sonde_infer_need_integer (context, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", -2), x->rank, &axis, error)
      || !sonde_infer_need_rank (context, 1, x->rank, error))
    return FALSE;
  if (axis == 0)
    return sonde_infer_fail (error, "axis is the batch dimension");
  for (int d = 0; d < x->rank; d++)
    {
      gint64 have = update->dims[d].size, capacity = x->dims[d].size;

      if (have >= 0 && capacity >= 0 && (d == axis ? have > capacity : have != capacity))
        return sonde_infer_fail (
            error, "dimension %d of the update is %" PRIi64 ", that of the cache %" PRIi64, d, have,
            capacity);
    }
  if (places != NULL
      && (places->rank != 1
          || (places->dims[0].size >= 0 && x->dims[0].size >= 0
              && places->dims[0].size != x->dims[0].size)))
    return sonde_infer_fail (error, "write_indices must be one number for each of the batch");
  return TRUE;
}

static gboolean
is_circular (const SondeKernelContext *context)
{
  return strcmp (sonde_node_get_string (context->node, "mode", "linear"), "circular") == 0;
}

static gboolean
check_cache (const SondeKernelContext *context, GError **error)
{
  const SondeTensor *places = sonde_kernel_input (context, 2);
  int axis = sonde_kernel_axis (context, -2);
  gint64 last = context->inputs[0]->shape.dims[axis] - context->inputs[1]->shape.dims[axis];

  for (gint64 i = 0; places != NULL && i < sonde_tensor_n_elements (places); i++)
    {
      gint64 at = sonde_index_read (places, i);

      if (at < 0 || (at > last && !is_circular (context)))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "write index %" PRIi64 " of sample %" PRIi64
                           " is outside of 0 to %" PRIi64,
                           at, i, last);
          return FALSE;
        }
    }
  return TRUE;
}

/* Items are the dimensions before the axis. */
static gint64
cache_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  int axis = sonde_kernel_axis (context, -2);

  *cost = sonde_shape_product (shape, axis, shape->rank);
  return *cost > 0 ? sonde_shape_product (shape, 0, axis) : 0;
}

static void
cache_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *update = context->inputs[1], *places = sonde_kernel_input (context, 2);
  SondeTensor *y = context->outputs[0];
  int axis = sonde_kernel_axis (context, -2);
  gint64 capacity = y->shape.dims[axis], n = update->shape.dims[axis];
  gint64 inner = sonde_shape_product (&y->shape, axis + 1, y->shape.rank);
  gint64 per_sample = sonde_shape_product (&y->shape, 1, axis);
  gsize bytes = (gsize) inner * sonde_dtype_size (y->dtype);

  copy_run (context, begin * capacity * inner, (end - begin) * capacity * inner);
  for (gint64 item = begin; item < end; item++)
    {
      gint64 start = places != NULL ? sonde_index_read (places, item / per_sample) % capacity : 0;

      for (gint64 i = 0; i < n; i++)
        {
          gint64 at = (MAX (start, 0) + i) % capacity;

          memcpy (y->data + (gsize) (item * capacity + at) * bytes,
                  update->data + (gsize) (item * n + i) * bytes, bytes);
        }
    }
}

static void
compute_cache (const SondeKernelContext *context)
{
  gint64 cost = 0;

  cache_part (context, 0, cache_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule element_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "reduction", SONDE_ATTRIBUTE_STRING, .choices = sonde_combine_names },
  { NULL },
};
static const SondeAttributeRule tuple_rules[] = {
  { "reduction", SONDE_ATTRIBUTE_STRING, .choices = sonde_combine_names },
  { NULL },
};
static const SondeAttributeRule cache_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "mode", SONDE_ATTRIBUTE_STRING, .choices = cache_modes },
  { NULL },
};

#define ROW(onnx, opset, least, most, rules, base, rule, ...)                                      \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = least, .max_inputs = most,           \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_IN_PLACE, .family = SONDE_FAMILY_SHAPE,  \
    .attributes = rules, .infer = infer_##base, .compute = compute_##base, .check = check_##base,  \
    .gradient = sonde_gradient_##rule, .count_parts = base##_count, .compute_part = base##_part,   \
    .traits = SONDE_TRAIT_STRICT, __VA_ARGS__                                                      \
  }

const SondeOpClass sonde_ops_scatter[] = {
  ROW ("ScatterElements", 18, 3, 3, element_rules, elements, scatter,
       .reach = { sonde_reach_scatter, 0x5 }, .typing = SONDE_TYPING_OWN),
  ROW ("ScatterND", 18, 3, 3, tuple_rules, tuples, scatter, .reach = { sonde_reach_scatter, 0x5 },
       .typing = SONDE_TYPING_OWN),
  ROW ("TensorScatter", 24, 2, 3, cache_rules, cache, tensor_scatter,
       .reach = { sonde_reach_moved, 0x3 }, .typing = SONDE_TYPING_OWN),
  { .name = NULL },
};
