/* SPDX-License-Identifier: Apache-2.0
 * Operators that fill a tensor by a pattern: OneHot, EyeLike, Trilu, Range. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-index.h"

#include <math.h>
#include <string.h>

/* ---- OneHot -------------------------------------------------------------- */

/* A position is as good as the next one in a float type: truncated. FALSE: not one number. */
static gboolean
known_depth (const SondeInferContext *context, gint64 *depth, GError **error)
{
  const SondeTensor *known = context->known[1];

  *depth = -1;
  if (known == NULL)
    return TRUE;
  if (known->dtype == SONDE_DTYPE_STRING || sonde_tensor_n_elements (known) != 1)
    return sonde_infer_fail (error, "the depth must be one number");
  sonde_dtype_convert (known->dtype, known->data, SONDE_DTYPE_I64, depth, 1);
  if (*depth < 0)
    return sonde_infer_fail (error, "the depth is %" PRIi64 ", but may not be negative", *depth);
  return TRUE;
}

static gboolean
infer_one_hot (SondeInferContext *context, GError **error)
{
  const SondeType *indices = &context->inputs[0];
  const SondeType *values = &context->inputs[2];
  SondeType type;
  gint64 depth = -1;
  int axis = 0;

  if (indices->dtype == SONDE_DTYPE_STRING || indices->dtype == SONDE_DTYPE_BOOL)
    return sonde_infer_fail (error, "the indices are %s, but must be numbers",
                             sonde_dtype_name (indices->dtype));
  if (!known_depth (context, &depth, error) || !sonde_infer_need_rank (context, 2, 1, error))
    return FALSE;
  if (values->rank == 1 && values->dims[0].size >= 0 && values->dims[0].size != 2)
    return sonde_infer_fail (error, "input 2 must be two values, off and on");
  if (indices->kind != SONDE_VALUE_TENSOR || indices->rank < 0
      || values->dtype == SONDE_DTYPE_INVALID)
    return TRUE;
  if (indices->rank == SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the result would have more than %d dimensions",
                             SONDE_MAX_RANK);
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), indices->rank + 1, &axis,
                         error))
    return FALSE;
  type = sonde_infer_type (values->dtype, indices->rank + 1);
  for (int d = 0; d < type.rank; d++)
    type.dims[d] = d == axis ? sonde_dimension (depth) : indices->dims[d > axis ? d - 1 : d];
  context->outputs[0] = type;
  return TRUE;
}

/* Items are the dimensions before the new one. */
static gint64
one_hot_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->outputs[0]->shape;
  int axis = 0;

  (void) sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), shape->rank, &axis,
                           NULL);
  *cost = sonde_shape_product (shape, axis, shape->rank);
  return *cost > 0 ? sonde_shape_product (shape, 0, axis) : 0;
}

static void
fill_elements (gsize size, gint64 n, const guint8 *value, guint8 *to)
{
  for (gint64 i = 0; i < n; i++)
    sonde_index_copy (size, value, to + (gsize) i * size);
}

static void
one_hot_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *indices = context->inputs[0], *values = context->inputs[2];
  SondeTensor *y = context->outputs[0];
  gsize size = sonde_dtype_size (y->dtype);
  gint64 depth, inner;
  g_autofree gint64 *places = NULL;
  int axis = 0;

  if (begin >= end)
    return;
  (void) sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), y->shape.rank, &axis,
                           NULL);
  depth = y->shape.dims[axis];
  inner = sonde_shape_product (&y->shape, axis + 1, y->shape.rank);
  places = g_new (gint64, (end - begin) * inner);
  sonde_dtype_convert (indices->dtype,
                       indices->data + (gsize) (begin * inner) * sonde_dtype_size (indices->dtype),
                       SONDE_DTYPE_I64, places, (gsize) ((end - begin) * inner));
  fill_elements (size, (end - begin) * depth * inner, values->data,
                 y->data + (gsize) (begin * depth * inner) * size);
  for (gint64 item = begin; item < end; item++)
    for (gint64 i = 0; i < inner; i++)
      {
        gint64 at = sonde_index_resolve (places[(item - begin) * inner + i], depth);

        if (at >= 0)
          sonde_index_copy (size, values->data + size,
                            y->data + (gsize) ((item * depth + at) * inner + i) * size);
      }
}

static void
compute_one_hot (const SondeKernelContext *context)
{
  gint64 cost = 0;

  one_hot_part (context, 0, one_hot_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

/* ---- EyeLike ------------------------------------------------------------- */

static gboolean
infer_eye (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeDtype dtype = x->dtype;

  if (sonde_node_find_attribute (context->node, "dtype") != NULL)
    {
      gint64 number = sonde_node_get_int (context->node, "dtype", 0);

      dtype = sonde_dtype_from_onnx (number);
      if (dtype == SONDE_DTYPE_INVALID)
        return sonde_infer_fail (error, "dtype %" PRIi64 " is not an element type", number);
    }
  if (dtype == SONDE_DTYPE_STRING)
    return sonde_infer_fail (error, "a string is neither zero nor one");
  if (!sonde_infer_need_rank (context, 0, 2, error))
    return FALSE;
  if (x->kind != SONDE_VALUE_TENSOR || x->rank < 0)
    return TRUE;
  context->outputs[0] = *x;
  context->outputs[0].dtype = dtype;
  return TRUE;
}

static void
compute_eye (const SondeKernelContext *context)
{
  SondeTensor *y = context->outputs[0];
  gint64 rows = y->shape.dims[0], columns = y->shape.dims[1];
  gint64 k = CLAMP (sonde_node_get_int (context->node, "k", 0), -rows, columns);

  memset (y->data, 0, sonde_tensor_n_bytes (y));
  for (gint64 i = MAX (0, -k); i < rows && i + k < columns; i++)
    sonde_tensor_set_double (y, i * columns + i + k, 1);
}

/* ---- Trilu --------------------------------------------------------------- */

static gboolean
infer_triangle (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *k = sonde_infer_input (context, 1);

  context->outputs[0] = *x;
  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (k != NULL && k->rank >= 0 && sonde_type_product (k, 0, k->rank) != 1
      && sonde_type_product (k, 0, k->rank) != -1)
    return sonde_infer_fail (error, "k must be one number");
  if (x->rank >= 0 && x->rank < 2)
    return sonde_infer_fail (error, "the input has %d dimensions, but matrices have two", x->rank);
  return TRUE;
}

/* Items are rows of the matrices. */
static gint64
triangle_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;

  *cost = shape->dims[shape->rank - 1];
  return *cost > 0 ? sonde_shape_product (shape, 0, shape->rank - 1) : 0;
}

static void
triangle_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *x = context->inputs[0];
  const SondeTensor *diagonal = sonde_kernel_input (context, 1);
  SondeTensor *y = context->outputs[0];
  gboolean upper = sonde_node_get_int (context->node, "upper", 1) != 0;
  gint64 rows = x->shape.dims[x->shape.rank - 2], columns = x->shape.dims[x->shape.rank - 1];
  gint64 k
      = diagonal && sonde_tensor_n_elements (diagonal) > 0 ? sonde_index_read (diagonal, 0) : 0;
  gsize size = sonde_dtype_size (x->dtype), bytes = (gsize) columns * size;

  k = CLAMP (k, -rows - 1, columns + 1);
  for (gint64 row = begin; row < end; row++)
    {
      /* Columns before the cut are the lower part. */
      gsize cut = (gsize) CLAMP (row % rows + k + (upper ? 0 : 1), 0, columns) * size;
      const guint8 *from = x->data + (gsize) row * bytes;
      guint8 *to = y->data + (gsize) row * bytes;

      memset (upper ? to : to + cut, 0, upper ? cut : bytes - cut);
      if (from != to)
        memcpy (upper ? to + cut : to, upper ? from + cut : from, upper ? bytes - cut : cut);
    }
}

static void
compute_triangle (const SondeKernelContext *context)
{
  gint64 cost = 0;

  triangle_part (context, 0, triangle_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

/* ---- Range --------------------------------------------------------------- */

#define MOST_STEPS (G_GINT64_CONSTANT (1) << 40)

/* -1: no end, or more than can be counted. */
static gint64
integer_steps (gint64 start, gint64 limit, gint64 delta)
{
  /* The difference of two int64 fits into a uint64 when its sign is known. */
  gboolean forward = delta > 0;
  guint64 step = forward ? (guint64) delta : (guint64) 0 - (guint64) delta;
  guint64 distance
      = forward ? (guint64) limit - (guint64) start : (guint64) start - (guint64) limit;
  guint64 steps;

  if (delta == 0)
    return -1;
  if (forward ? limit <= start : limit >= start)
    return 0;
  steps = (distance - 1) / step + 1;
  return steps <= (guint64) MOST_STEPS ? (gint64) steps : -1;
}

static gint64
range_length (SondeTensor *const *known)
{
  double n;

  if (sonde_dtype_is_integer (known[0]->dtype))
    return integer_steps (sonde_tensor_get_int (known[0], 0), sonde_tensor_get_int (known[1], 0),
                          sonde_tensor_get_int (known[2], 0));
  n = ceil ((sonde_tensor_get_double (known[1], 0) - sonde_tensor_get_double (known[0], 0))
            / sonde_tensor_get_double (known[2], 0));
  return isfinite (n) && n <= (double) MOST_STEPS ? (gint64) MAX (n, 0) : -1;
}

static gboolean
infer_range (SondeInferContext *context, GError **error)
{
  SondeTensor *const *known = context->known;
  SondeDtype dtype = context->inputs[0].dtype;

  if (!sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (dtype)
      && !sonde_dtype_is_integer (dtype))
    return sonde_infer_fail (error, "input 0 is %s, but must be a number",
                             sonde_dtype_name (dtype));
  context->outputs[0] = sonde_infer_type (dtype, 1);
  for (guint k = 0; k < 3; k++)
    if (known[k] == NULL)
      return TRUE;
    else if (sonde_tensor_n_elements (known[k]) != 1)
      return sonde_infer_fail (error, "input %u must be one number", k);
  context->outputs[0].dims[0].size = range_length (known);
  if (context->outputs[0].dims[0].size < 0)
    return sonde_infer_fail (error, "the step is 0, or the range has no end that can be reached");
  return TRUE;
}

static gint64
range_count (const SondeKernelContext *context, gint64 *cost)
{
  *cost = 1;
  return sonde_tensor_n_elements (context->outputs[0]);
}

#define RANGE_BLOCK 256

/* In int64 or double, a block at a time, then in the type wanted: rounded once. */
static void
range_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *y = context->outputs[0];
  gboolean whole = sonde_dtype_is_integer (y->dtype);
  gsize size = sonde_dtype_size (y->dtype);
  union
  {
    gint64 integers[RANGE_BLOCK];
    double floats[RANGE_BLOCK];
  } block;
  guint64 start = whole ? (guint64) sonde_tensor_get_int (context->inputs[0], 0) : 0;
  guint64 delta = whole ? (guint64) sonde_tensor_get_int (context->inputs[2], 0) : 0;
  double first = sonde_kernel_scalar (context, 0, 0), step = sonde_kernel_scalar (context, 2, 1);

  for (gint64 i = begin; i < end; i += RANGE_BLOCK)
    {
      gint64 n = MIN (end - i, RANGE_BLOCK);

      for (gint64 k = 0; k < n && whole; k++)
        block.integers[k] = (gint64) (start + (guint64) (i + k) * delta);
      for (gint64 k = 0; k < n && !whole; k++)
        block.floats[k] = first + (double) (i + k) * step;
      sonde_dtype_convert (whole ? SONDE_DTYPE_I64 : SONDE_DTYPE_F64, &block, y->dtype,
                           y->data + (gsize) i * size, (gsize) n);
    }
}

SONDE_COMPUTE_PARTS (range)

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule eye_rules[] = {
  { "dtype", SONDE_ATTRIBUTE_INT },
  { "k", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule upper_rule[] = { { "upper", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule stash_rule[] = { { "stash_type", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_onehot_eyelike_trilu_range[] = {
  {
      .domain = "",
      .name = "OneHot",
      .since = 9,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .attributes = axis_rule,
      .infer = infer_one_hot,
      .compute = compute_one_hot,
      .gradient = sonde_gradient_one_hot,
      .count_parts = one_hot_count,
      .compute_part = one_hot_part,
      .reach = { sonde_reach_moved, 0x4 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = "",
      .name = "EyeLike",
      .since = 9,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .attributes = eye_rules,
      .infer = infer_eye,
      .compute = compute_eye,
      .gradient = sonde_rule_flat,
      .shape_only = 1 << 0,
      .reach = { sonde_reach_nothing, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = "",
      .name = "Trilu",
      .since = 14,
      .min_inputs = 1,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_IN_PLACE,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = upper_rule,
      .infer = infer_triangle,
      .compute = compute_triangle,
      .gradient = sonde_gradient_own_inverse,
      .count_parts = triangle_count,
      .compute_part = triangle_part,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = "",
      .name = "Range",
      .since = 11,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .attributes = stash_rule,
      .infer = infer_range,
      .compute = compute_range,
      .gradient = sonde_gradient_range,
      .count_parts = range_count,
      .compute_part = range_part,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
