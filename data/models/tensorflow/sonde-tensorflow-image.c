/* SPDX-License-Identifier: Apache-2.0
 * Images of other sizes, and blocks of pixels that become channels or batches. */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-cubic.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- resizing ------------------------------------------------------------ */

/* What makes ONNX's Resize compute as TensorFlow does. */
typedef struct
{
  const char *mode;
  gboolean align_corners, half_pixel;
} ResizeForm;

static SondeGraphValue *
emit_resize (SondeTensorflowLower *lower, SondeGraphValue *value, const ResizeForm *form)
{
  static const gint64 axes[] = { 2, 3 };
  gboolean nearest = g_str_equal (form->mode, "nearest");
  SondeGraphValue *result = sonde_lowering_op (
      lower->to, "Resize", SONDE_VALUES (value, NULL, NULL, sonde_tensorflow_in_ints (lower, 1)));
  SondeNode *node = result->producer;

  sonde_node_set_ints (node, "axes", axes, 2);
  sonde_node_set_string (node, "mode", form->mode);
  sonde_node_set_string (node, "coordinate_transformation_mode",
                         form->align_corners ? "align_corners"
                         : form->half_pixel  ? "half_pixel"
                                             : "asymmetric");
  if (nearest)
    sonde_node_set_string (node, "nearest_mode",
                           form->align_corners ? "round_prefer_ceil" : "floor");
  if (g_str_equal (form->mode, "cubic"))
    {
      sonde_node_set_float (node, "cubic_coeff_a", form->half_pixel ? -0.5 : -0.75);
      sonde_node_set_int (node, "exclude_outside", form->half_pixel);
    }
  return result;
}

/* Which element of @in is nearest to each of @out, in float32 as TensorFlow computes it. Source: the
 * scalers of tensorflow/core/util/image_resizer_state.h */
static void
choose_nearest (const ResizeForm *form, gint64 in, gint64 out, gint64 *indices)
{
  float scale = form->align_corners && out > 1 ? (float) (in - 1) / (float) (out - 1)
                                               : (float) in / (float) out;

  for (gint64 i = 0; i < out; i++)
    {
      float at = ((float) i + (form->half_pixel ? 0.5f : 0)) * scale;

      indices[i] = (gint64) (form->align_corners ? roundf (at) : floorf (at));
      indices[i] = CLAMP (indices[i], 0, in - 1);
    }
}

static SondeGraphValue *
gather_nearest (SondeTensorflowLower *lower, SondeGraphValue *value, const ResizeForm *form,
                int axis, gint64 in, gint64 out)
{
  g_autofree gint64 *indices = g_new (gint64, out);

  choose_nearest (form, in, out, indices);
  value = sonde_tensorflow_op2 (lower, "Gather", value,
                                sonde_lowering_ints (lower->to, indices, (gsize) out));
  sonde_node_set_int (value->producer, "axis", axis);
  return value;
}

#define MOST_INDICES 65536

/* An output that is a multiple of the input: every choice is clear, whatever is rounded. */
static gboolean
is_multiple (const ResizeForm *form, gint64 in, gint64 out)
{
  return !form->align_corners && out % in == 0;
}

/* Sizes of images before and after, where all are known and small enough to be listed. */
static gboolean
get_sizes (SondeTensorflowLower *lower, gint64 *ins, gint64 *outs)
{
  const SondeType *type = &sonde_tensorflow_in (lower, 0)->type;
  guint n = 0;
  g_autofree gint64 *sizes = sonde_tensorflow_dup_ints (lower, 1, &n);

  if (sizes == NULL || n != 2 || type->rank != 4)
    return FALSE;
  for (int i = 0; i < 2; i++)
    {
      ins[i] = type->dims[i + 1].size;
      outs[i] = sizes[i];
      if (ins[i] < 1 || outs[i] < 1 || outs[i] > MOST_INDICES || ins[i] > MOST_INDICES)
        return FALSE;
    }
  return TRUE;
}

/* Nearest elements by number where rounding might matter. (nullable) */
static SondeGraphValue *
resize_by_number (SondeTensorflowLower *lower, SondeGraphValue *value, const ResizeForm *form,
                  const gint64 *ins, const gint64 *outs)
{
  if (is_multiple (form, ins[0], outs[0]) && is_multiple (form, ins[1], outs[1]))
    return NULL;
  value = gather_nearest (lower, value, form, 2, ins[0], outs[0]);
  return gather_nearest (lower, value, form, 3, ins[1], outs[1]);
}

#define MOST_WEIGHTS (1 << 20)

/* Rows · (x · columns turned). (nullable) */
static SondeGraphValue *
resize_by_weights (SondeTensorflowLower *lower, SondeGraphValue *value, const ResizeForm *form,
                   const gint64 *ins, const gint64 *outs)
{
  static const gint64 turned[] = { 1, 0 };
  SondeGraphValue *weights[2];

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (SondeTensor) tensor = NULL;

      if (ins[i] * outs[i] > MOST_WEIGHTS)
        return NULL;
      tensor
          = sonde_tensorflow_cubic_weights (ins[i], outs[i], form->align_corners, form->half_pixel);
      weights[i] = sonde_lowering_constant (lower->to, NULL, tensor);
    }
  value = sonde_tensorflow_op2 (lower, "MatMul", value,
                                sonde_lowering_permute (lower->to, weights[1], turned, 2));
  return sonde_tensorflow_op2 (lower, "MatMul", weights[0], value);
}

static void
note_cubic (SondeTensorflowLower *lower)
{
  sonde_lowering_mark (lower->to, SONDE_LOWERED_APPROXIMATE);
  sonde_lowering_note (
      lower->to, SONDE_NOTE_WARNING,
      sonde_message_new ("TensorFlow rounds the weights of bicubic resizing to 1/1024 of a pixel: "
                         "differences of up to 1/1000 of the largest value"),
      sonde_message_new ("Give the sizes of the images with --shape to have the same weights"));
}

static SondeGraphValue *
resize (SondeTensorflowLower *lower, SondeGraphValue *x, const ResizeForm *form)
{
  gint64 ins[2], outs[2];
  gboolean known = get_sizes (lower, ins, outs), cubic = g_str_equal (form->mode, "cubic");
  SondeGraphValue *value = NULL;

  if (known && cubic)
    value = resize_by_weights (lower, x, form, ins, outs);
  else if (known && g_str_equal (form->mode, "nearest"))
    value = resize_by_number (lower, x, form, ins, outs);
  if (value == NULL && cubic)
    note_cubic (lower);
  return value != NULL ? value : emit_resize (lower, x, form);
}

static void
build_resize (SondeTensorflowLower *lower)
{
  const ResizeForm form = {
    .mode = lower->row->to,
    .align_corners = sonde_tensorflow_attr_bool (lower->node, "align_corners", FALSE),
    .half_pixel = sonde_tensorflow_attr_bool (lower->node, "half_pixel_centers", FALSE),
  };
  SondeGraphValue *x;

  if (!sonde_tensorflow_check_rank (lower, 0, 4))
    return;
  x = sonde_tensorflow_in_first (lower, 0, 4);
  if (!sonde_dtype_is_float (x->type.dtype) && !g_str_equal (form.mode, "nearest"))
    x = sonde_tensorflow_cast (lower, x, SONDE_DTYPE_F32); /* the result is float32 whatever came */
  sonde_tensorflow_out_first (lower, 0, resize (lower, x, &form));
}

/* ---- depth --------------------------------------------------------------- */

static void
build_depth (SondeTensorflowLower *lower)
{
  gint64 block = sonde_tensorflow_attr_int (lower->node, "block_size", 0);
  gboolean first = sonde_tensorflow_has_channels_first (lower);
  SondeGraphValue *value;

  if (!sonde_tensorflow_check_rank (lower, 0, 4))
    return;
  if (block < 1 || block > 1 << 15)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "blocks of %" PRIi64 " are none",
                           block);
      return;
    }
  value = sonde_tensorflow_op1 (lower, lower->row->to,
                                first ? sonde_tensorflow_in (lower, 0)
                                      : sonde_tensorflow_in_first (lower, 0, 4));
  sonde_node_set_int (value->producer, "blocksize", block);
  if (first)
    sonde_tensorflow_out (lower, 0, value);
  else
    sonde_tensorflow_out_first (lower, 0, value);
}

/* ---- batches ------------------------------------------------------------- */

/* Sizes of the blocks and what is padded or cropped, [n, 2]; @shape: of the input, −1 where unknown. */
typedef struct
{
  int n, rank;
  gint64 blocks[SONDE_MAX_RANK], edges[2 * SONDE_MAX_RANK], shape[SONDE_MAX_RANK];
} Blocks;

/* Version 1 has one size for both dimensions of images. */
static gboolean
read_sizes (SondeTensorflowLower *lower, Blocks *blocks)
{
  guint n_edges = 0, n = 2;
  g_autofree gint64 *sizes = NULL;
  g_autofree gint64 *edges = NULL;
  gint64 size = sonde_tensorflow_attr_int (lower->node, "block_size", 0);

  if (size == 0)
    sizes = sonde_tensorflow_need_ints (lower, 1, N_ ("the size of the blocks"), &n);
  if (size == 0 && sizes == NULL)
    return FALSE;
  edges = sonde_tensorflow_need_ints (lower, lower->n_inputs - 1, N_ ("the padding"), &n_edges);
  if (edges == NULL)
    return FALSE;
  if (n_edges != 2 * n || (int) n >= blocks->rank || 2 * (int) n + blocks->rank > SONDE_MAX_RANK)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "%u blocks and %u edges do not fit %d dimensions", n, n_edges,
                           blocks->rank);
      return FALSE;
    }
  blocks->n = (int) n;
  for (guint i = 0; i < n_edges; i++)
    blocks->edges[i] = edges[i];
  for (guint i = 0; i < n; i++)
    blocks->blocks[i] = size != 0 ? size : sizes[i];
  return TRUE;
}

static gboolean
read_blocks (SondeTensorflowLower *lower, Blocks *blocks)
{
  const SondeType *type = &sonde_tensorflow_in (lower, 0)->type;

  blocks->rank = sonde_tensorflow_need_rank (lower, 0);
  if (blocks->rank < 0 || !read_sizes (lower, blocks))
    return FALSE;
  for (int i = 0; i < blocks->rank; i++)
    blocks->shape[i] = type->dims[i].size;
  for (int i = 0; i < blocks->n; i++)
    if (blocks->blocks[i] < 1 || blocks->blocks[i] > G_MAXINT32 || blocks->edges[2 * i] < 0
        || blocks->edges[2 * i + 1] < 0)
      {
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "blocks of %" PRIi64 " are none",
                             blocks->blocks[i]);
        return FALSE;
      }
  for (int i = 1; i < blocks->rank; i++)
    if (blocks->shape[i] < 0 || blocks->shape[i] > G_MAXINT32)
      {
        sonde_tensorflow_refuse (lower, sonde_message_new ("the sizes of its input must be known"),
                                 sonde_message_new ("Give them with --shape"));
        return FALSE;
      }
  return TRUE;
}

static SondeGraphValue *
pad_edges (SondeTensorflowLower *lower, SondeGraphValue *value, const Blocks *blocks)
{
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 }, axes[SONDE_MAX_RANK];

  for (int i = 0; i < blocks->n; i++)
    {
      pads[i] = blocks->edges[2 * i];
      pads[blocks->n + i] = blocks->edges[2 * i + 1];
      axes[i] = i + 1;
    }
  return sonde_lowering_op (
      lower->to, "Pad",
      SONDE_VALUES (value, sonde_lowering_ints (lower->to, pads, 2 * (gsize) blocks->n), NULL,
                    sonde_lowering_ints (lower->to, axes, (gsize) blocks->n)));
}

/* [batch, D1, …] as [batch, D1/b1, b1, …], then the blocks in front. */
static void
build_space_to_batch (SondeTensorflowLower *lower)
{
  Blocks blocks = { 0 };
  gint64 inner[SONDE_MAX_RANK] = { 0 }, order[SONDE_MAX_RANK], outer[SONDE_MAX_RANK] = { -1 };
  int n, n_inner = 1;
  SondeGraphValue *value;

  if (!read_blocks (lower, &blocks))
    return;
  n = blocks.n;
  value = pad_edges (lower, sonde_tensorflow_in (lower, 0), &blocks);
  inner[0] = -1;
  for (int i = 0; i < n; i++)
    {
      gint64 size = blocks.shape[i + 1] + blocks.edges[2 * i] + blocks.edges[2 * i + 1];

      inner[n_inner++] = outer[i + 1] = size / blocks.blocks[i];
      inner[n_inner++] = blocks.blocks[i];
      order[i] = 2 * i + 2;
      order[n + 1 + i] = 2 * i + 1;
    }
  order[n] = 0;
  for (int i = n + 1; i < blocks.rank; i++)
    {
      order[n_inner] = n_inner;
      inner[n_inner++] = outer[i] = blocks.shape[i];
    }
  value = sonde_lowering_reshape (lower->to, value, inner, n_inner);
  value = sonde_lowering_transpose (lower->to, value, order, n_inner);
  sonde_tensorflow_out (lower, 0, sonde_lowering_reshape (lower->to, value, outer, blocks.rank));
}

static void
build_batch_to_space (SondeTensorflowLower *lower)
{
  Blocks blocks = { 0 };
  gint64 inner[SONDE_MAX_RANK], order[SONDE_MAX_RANK], outer[SONDE_MAX_RANK];
  int n;
  SondeGraphValue *value;

  if (!read_blocks (lower, &blocks))
    return;
  n = blocks.n;
  inner[n] = outer[0] = -1;
  order[0] = n;
  for (int i = 0; i < n; i++)
    {
      inner[i] = blocks.blocks[i];
      inner[n + 1 + i] = blocks.shape[i + 1];
      order[1 + 2 * i] = n + 1 + i;
      order[2 + 2 * i] = i;
      outer[i + 1] = blocks.shape[i + 1] * blocks.blocks[i];
    }
  for (int i = n + 1; i < blocks.rank; i++)
    {
      order[i + n] = i + n;
      inner[i + n] = outer[i] = blocks.shape[i];
    }
  value
      = sonde_lowering_reshape (lower->to, sonde_tensorflow_in (lower, 0), inner, blocks.rank + n);
  value = sonde_lowering_transpose (lower->to, value, order, blocks.rank + n);
  value = sonde_lowering_reshape (lower->to, value, outer, blocks.rank);
  for (int i = 0; i < n; i++)
    if (blocks.edges[2 * i] > 0 || blocks.edges[2 * i + 1] > 0)
      value = sonde_lowering_slice (lower->to, value, i + 1, blocks.edges[2 * i],
                                    outer[i + 1] - blocks.edges[2 * i + 1], 1);
  sonde_tensorflow_out (lower, 0, value);
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_image_rows[] = {
  { "BatchToSpace", 2, build_batch_to_space, NULL },
  { "BatchToSpaceND", 3, build_batch_to_space, NULL },
  { "DepthToSpace", 1, build_depth, "DepthToSpace" },
  { "ResizeBicubic", 2, build_resize, "cubic" },
  { "ResizeBilinear", 2, build_resize, "linear" },
  { "ResizeNearestNeighbor", 2, build_resize, "nearest" },
  { "SpaceToBatch", 2, build_space_to_batch, NULL },
  { "SpaceToBatchND", 3, build_space_to_batch, NULL },
  { "SpaceToDepth", 1, build_depth, "SpaceToDepth" },
  { NULL, 0, NULL, NULL },
};
