/* SPDX-License-Identifier: Apache-2.0
 * Elements between depth and space (DepthToSpace, SpaceToDepth), and CenterCropPad. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-strided.h"

#include "data/base/sonde-checked.h"

#include <string.h>

#define MOST_BLOCK 32768

/* ---- DepthToSpace, SpaceToDepth ------------------------------------------ */

/* [N, depth, H, W] ↔ [N, C, rows, columns]: N, C, H, W are the outer sizes, b × b the block. */
static gboolean
infer_block (SondeInferContext *context, gboolean to_space, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gint64 b = sonde_node_get_int (context->node, "blocksize", 1);
  SondeType type;

  if (b < 1 || b > MOST_BLOCK)
    return sonde_infer_fail (error, "blocksize %" PRIi64 " is impossible", b);
  if (!sonde_infer_need_rank (context, 0, 4, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  type = sonde_infer_type (x->dtype, 4);
  type.dims[0] = x->dims[0];
  for (int d = 1; d < 4; d++)
    {
      gint64 factor = d == 1 ? b * b : b;
      gint64 size = x->dims[d].size;

      if (size < 0)
        continue;
      if ((d == 1) == to_space && size % factor != 0)
        return sonde_infer_fail (error,
                                 "size %" PRIi64 " of dimension %d is not a multiple of %" PRIi64,
                                 size, d, factor);
      if ((d == 1) != to_space && !sonde_checked_mul (&size, size, factor))
        return sonde_infer_fail (error, "dimension %d would be too big", d);
      type.dims[d].size = (d == 1) == to_space ? size / factor : size;
    }
  context->outputs[0] = type;
  return TRUE;
}

static gboolean
infer_depth_to_space (SondeInferContext *context, GError **error)
{
  return infer_block (context, TRUE, error);
}

static gboolean
infer_space_to_depth (SondeInferContext *context, GError **error)
{
  return infer_block (context, FALSE, error);
}

/* Both sides as [N, C, H, row, W, column] with strides, whatever their order in memory is. */
static void
move_blocks (const SondeKernelContext *context, gboolean to_space)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  const SondeTensor *deep = to_space ? x : y;
  gint64 b = sonde_node_get_int (context->node, "blocksize", 1);
  gboolean depth_first = strcmp (sonde_node_get_string (context->node, "mode", "DCR"), "DCR") == 0;
  gint64 channels = deep->shape.dims[1] / (b * b), height = deep->shape.dims[2],
         width = deep->shape.dims[3];
  gint64 plane = height * width;
  SondeShape shape = { .rank = 6, .dims = { deep->shape.dims[0], channels, height, b, width, b } };
  gint64 depth = depth_first ? plane : b * b * plane;
  gint64 block = depth_first ? channels * plane : plane;
  gint64 deep_strides[] = { channels * b * b * plane, depth, width, b * block, 1, block };
  gint64 flat_strides[]
      = { channels * b * b * plane, b * b * plane, b * width * b, width * b, b, 1 };

  sonde_strided_copy (&shape, sonde_dtype_size (x->dtype), x->data,
                      to_space ? deep_strides : flat_strides, y->data,
                      to_space ? flat_strides : deep_strides);
  sonde_kernel_own_strings (y);
}

static void
compute_depth_to_space (const SondeKernelContext *context)
{
  move_blocks (context, TRUE);
}

static void
compute_space_to_depth (const SondeKernelContext *context)
{
  move_blocks (context, FALSE);
}

/* ---- CenterCropPad ------------------------------------------------------- */

/* The target size of each dimension; FALSE with @error when axes and shape do not fit. */
static gboolean
read_target (const SondeNode *node, const gint64 *sizes, gsize n_sizes, int rank, gint64 *target,
             GError **error)
{
  gsize n = 0;
  const gint64 *axes = sonde_node_get_ints (node, "axes", &n);

  if (n_sizes != (axes ? n : (gsize) rank))
    return sonde_infer_fail (error, "%zu sizes for %zu dimensions", n_sizes,
                             axes ? n : (gsize) rank);
  for (gsize i = 0; i < n_sizes; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (axes ? axes[i] : (gint64) i, rank, &axis, error))
        return FALSE;
      if (sizes[i] < 0)
        return sonde_infer_fail (error, "size %" PRIi64 " is negative", sizes[i]);
      target[axis] = sizes[i];
    }
  return TRUE;
}

static gboolean
infer_center_crop_pad (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gsize n = 0, n_axes = 0;
  g_autofree gint64 *sizes = sonde_infer_known_ints (context, 1, &n);
  const gint64 *axes = sonde_node_get_ints (context->node, "axes", &n_axes);
  gint64 target[SONDE_MAX_RANK];

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  context->outputs[0] = axes || sizes ? *x : sonde_infer_type (x->dtype, x->rank);
  for (int d = 0; d < x->rank; d++)
    target[d] = x->dims[d].size;
  for (gsize i = 0; i < n_axes; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (axes[i], x->rank, &axis, error))
        return FALSE;
      target[axis] = -1;
    }
  if (sizes != NULL && !read_target (context->node, sizes, n, x->rank, target, error))
    return FALSE;
  for (int d = 0; d < x->rank; d++)
    if (target[d] != x->dims[d].size || target[d] < 0)
      context->outputs[0].dims[d] = target[d] < 0 && axes == NULL ? context->outputs[0].dims[d]
                                                                  : sonde_dimension (target[d]);
  return TRUE;
}

/* What is kept lies in the middle of the larger one, half an element to the left when that is
 * odd. */
static void
compute_center_crop_pad (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gsize size = sonde_dtype_size (x->dtype);
  gint64 from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  gint64 x_offset = 0, y_offset = 0;
  SondeShape common = { .rank = x->shape.rank };

  sonde_strided_row_major (&x->shape, from);
  sonde_strided_row_major (&y->shape, to);
  for (int d = 0; d < x->shape.rank; d++)
    {
      gint64 have = x->shape.dims[d], want = y->shape.dims[d];

      common.dims[d] = MIN (have, want);
      x_offset += MAX (have - want, 0) / 2 * from[d];
      y_offset += MAX (want - have, 0) / 2 * to[d];
    }
  memset (y->data, 0, sonde_tensor_n_bytes (y));
  if (sonde_shape_n_elements (&common) > 0)
    sonde_strided_copy (&common, size, x->data + (gsize) x_offset * size, from,
                        y->data + (gsize) y_offset * size, to);
  sonde_kernel_own_strings (y);
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const block_modes[] = { "DCR", "CRD", NULL };
static const SondeAttributeRule block_rules[] = {
  { "blocksize", SONDE_ATTRIBUTE_INT, .required = TRUE, .minimum = 1, .maximum = MOST_BLOCK },
  { "mode", SONDE_ATTRIBUTE_STRING, .choices = block_modes },
  { NULL },
};
static const SondeAttributeRule axes_rule[] = { { "axes", SONDE_ATTRIBUTE_INTS }, { NULL } };

#define MOVE(label, opset, inputs, rules, rule, loop, derivative, ...)                             \
  {                                                                                                \
    .domain = "", .name = label, .since = opset, .min_inputs = inputs, .max_inputs = inputs,       \
    .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_SHAPE, .attributes = rules,         \
    .infer = rule, .compute = loop, .gradient = sonde_gradient_##derivative,                       \
    .reach = { sonde_reach_moved, 0x1 }, .traits = SONDE_TRAIT_STRICT, __VA_ARGS__                 \
  }

const SondeOpClass sonde_ops_depth_to_space[] = {
  MOVE ("CenterCropPad", 18, 2, axes_rule, infer_center_crop_pad, compute_center_crop_pad,
        center_crop_pad, .typing = SONDE_TYPING_OWN),
  MOVE ("DepthToSpace", 1, 1, block_rules, infer_depth_to_space, compute_depth_to_space,
        depth_to_space, .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_MOVE,
        .id = SONDE_OP_ID_DEPTH_TO_SPACE),
  MOVE ("SpaceToDepth", 1, 1, block_rules, infer_space_to_depth, compute_space_to_depth,
        space_to_depth, .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_MOVE),
  { NULL },
};
