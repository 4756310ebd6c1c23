/* SPDX-License-Identifier: Apache-2.0
 * Images of other sizes, and blocks of pixels that become channels or batches. */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"
#include "data/models/tflite/sonde-tflite-fixed-point.h"

/* ---- resizing ------------------------------------------------------------ */

/* What makes ONNX's Resize compute as TensorFlow does. */
typedef struct
{
  gboolean nearest, align_corners, half_pixel;
} ResizeForm;

static SondeGraphValue *
emit_resize (SondeTfliteLower *lower, SondeGraphValue *value, SondeGraphValue *sizes,
             const ResizeForm *form)
{
  static const gint64 axes[] = { 2, 3 };
  SondeGraphValue *result
      = sonde_lowering_op (lower->to, "Resize", SONDE_VALUES (value, NULL, NULL, sizes));
  SondeNode *node = result->producer;

  sonde_node_set_ints (node, "axes", axes, 2);
  sonde_node_set_string (node, "mode", form->nearest ? "nearest" : "linear");
  sonde_node_set_string (node, "coordinate_transformation_mode",
                         form->align_corners ? "align_corners"
                         : form->half_pixel  ? "half_pixel"
                                             : "asymmetric");
  if (form->nearest)
    sonde_node_set_string (node, "nearest_mode",
                           form->align_corners || form->half_pixel ? "round_prefer_ceil" : "floor");
  return result;
}

/* TensorFlow computes the scale in float32; where that makes another choice than exact arithmetic,
 * the choice is written down. Source: GetNearestNeighbor of
 * tensorflow/lite/kernels/internal/reference/resize_nearest_neighbor.h */
static gboolean
choose_nearest (const ResizeForm *form, gint64 in, gint64 out, gint64 *indices)
{
  gboolean corners = form->align_corners && out > 1;
  float scale = corners ? (float) (in - 1) / (float) (out - 1) : (float) in / (float) out;
  float offset = form->half_pixel ? 0.5f : 0;
  double exact_scale
      = corners ? (double) (in - 1) / (double) (out - 1) : (double) in / (double) out;
  gboolean differs = FALSE;

  for (gint64 i = 0; i < out; i++)
    {
      float at = ((float) i + offset) * scale;
      double exact = ((double) i + (double) offset) * exact_scale;
      gint64 other = (gint64) (form->align_corners ? floor (exact + 0.5) : floor (exact));

      indices[i] = (gint64) (form->align_corners ? roundf (at) : floorf (at));
      indices[i] = CLAMP (indices[i], 0, in - 1);
      differs |= indices[i] != CLAMP (other, 0, in - 1);
    }
  return differs;
}

static SondeGraphValue *
gather_nearest (SondeTfliteLower *lower, SondeGraphValue *value, const ResizeForm *form, int axis,
                gint64 in, gint64 out)
{
  g_autofree gint64 *indices = g_new (gint64, out);

  choose_nearest (form, in, out, indices);
  value = sonde_lowering_op (
      lower->to, "Gather",
      SONDE_VALUES (value, sonde_lowering_ints (lower->to, indices, (gsize) out)));
  sonde_node_set_int (value->producer, "axis", axis);
  return value;
}

#define MOST_INDICES 65536

static gboolean
needs_gather (const ResizeForm *form, const gint64 *ins, const gint64 *outs)
{
  gboolean differs = FALSE;

  for (int i = 0; i < 2; i++)
    {
      g_autofree gint64 *indices = NULL;

      if (ins[i] < 1 || outs[i] < 1 || outs[i] > MOST_INDICES)
        return FALSE;
      indices = g_new (gint64, outs[i]);
      differs |= choose_nearest (form, ins[i], outs[i], indices);
    }
  return differs;
}

/* ---- in integers --------------------------------------------------------- */

#define UNIT 1024 /* of a place between two pixels */
#define MOST_WEIGHTS (1 << 22)

/* [@out, @in]: the shares of the pixels along one dimension, in parts of UNIT. Source: ResizeBilinearInteger of
 * tensorflow/lite/kernels/internal/reference/resize_bilinear.h */
static SondeGraphValue *
add_shares (SondeTfliteLower *lower, const ResizeForm *form, gint64 in, gint64 out, gboolean turned)
{
  const SondeShape shape = sonde_shape_make (2, turned ? in : out, turned ? out : in);
  g_autoptr (SondeTensor) shares = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  double *numbers = (double *) (void *) shares->data;
  const gboolean corners = form->align_corners && out > 1;
  const gint64 scale
      = corners ? (UNIT * (in - 1) + (out - 1) / 2) / (out - 1) : (UNIT * in + out / 2) / out;

  for (gint64 i = 0; i < out; i++)
    {
      const gint64 at = i * scale + (form->half_pixel ? scale / 2 - UNIT / 2 : 0);
      const gint64 low = MIN (MAX (at / UNIT, 0), in - 1);
      const gint64 high = MIN ((at + UNIT - 1) / UNIT, in - 1);
      const double part = (double) (at - UNIT * low);

      numbers[turned ? low * out + i : i * in + low] += UNIT - part;
      numbers[turned ? high * out + i : i * in + high] += part;
    }
  return sonde_lowering_constant (lower->to, NULL, shares);
}

/* Rows and columns are sums of two each, exact in double; halves go away from zero. */
gboolean
sonde_tflite_exact_resize (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  const ResizeForm form = { .align_corners = sonde_tflite_option_bool (lower, 2),
                            .half_pixel = sonde_tflite_option_bool (lower, 3) };
  guint n = 0;
  g_autofree gint64 *sizes = sonde_tflite_dup_ints (lower, 1, &n);
  const gint64 *from = x->signature.dims + 1;
  SondeGraphValue *value;

  if (!sonde_tflite_is_plain (x, TRUE) || !sonde_tflite_is_plain (out, TRUE)
      || x->dtype == SONDE_DTYPE_U8 || x->dtype != out->dtype || x->signature.rank != 4 || n != 2)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (from[i] < 1 || sizes[i] < 1 || from[i] > G_MAXINT16 || sizes[i] > G_MAXINT16
        || from[i] * sizes[i] > MOST_WEIGHTS)
      return FALSE;
  value = sonde_lowering_cast (lower->to, sonde_tflite_in_first (lower, 0), SONDE_DTYPE_F64);
  value = sonde_lowering_op (
      lower->to, "MatMul",
      SONDE_VALUES (add_shares (lower, &form, from[0], sizes[0], FALSE), value));
  value = sonde_lowering_op (
      lower->to, "MatMul",
      SONDE_VALUES (value, add_shares (lower, &form, from[1], sizes[1], TRUE)));
  value = sonde_lowering_op (
      lower->to, "Div",
      SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_F64, UNIT * UNIT)));
  sonde_tflite_out_first (lower, 0, sonde_tflite_emit_rounded (lower, value, 0));
  return TRUE;
}

void
sonde_tflite_build_resize (SondeTfliteLower *lower)
{
  enum
  {
    BILINEAR = 23
  };
  ResizeForm form = { .nearest = lower->op->code != BILINEAR };
  guint slot = form.nearest ? 0 : 2, n = 0;
  g_autofree gint64 *outs = sonde_tflite_dup_ints (lower, 1, &n);
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  SondeGraphValue *value;

  if (!sonde_tflite_check_rank (lower, 0, 4))
    return;
  form.align_corners = sonde_tflite_option_bool (lower, slot);
  form.half_pixel = sonde_tflite_option_bool (lower, slot + 1);
  if (outs != NULL && (n != 2 || outs[0] < 1 || outs[1] < 1))
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "the size of its output is none");
      return;
    }
  value = sonde_tflite_in_first (lower, 0);
  if (form.nearest && outs != NULL && needs_gather (&form, x->signature.dims + 1, outs))
    {
      value = gather_nearest (lower, value, &form, 2, x->signature.dims[1], outs[0]);
      value = gather_nearest (lower, value, &form, 3, x->signature.dims[2], outs[1]);
    }
  else
    value = emit_resize (lower, value, sonde_tflite_as_ints (lower, sonde_tflite_in_raw (lower, 1)),
                         &form);
  sonde_tflite_out_first (lower, 0, value);
}

/* ---- blocks -------------------------------------------------------------- */

void
sonde_tflite_build_depth_to_space (SondeTfliteLower *lower)
{
  enum
  {
    DEPTH_TO_SPACE = 5
  };
  gboolean to_space = lower->op->code == DEPTH_TO_SPACE;
  int block = sonde_tflite_option (lower, 0, 0);
  SondeGraphValue *value;

  if (!sonde_tflite_check_rank (lower, 0, 4))
    return;
  if (block < 1 || block > 1 << 15)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "blocks of %d are none", block);
      return;
    }
  value = sonde_lowering_op (lower->to, to_space ? "DepthToSpace" : "SpaceToDepth",
                             SONDE_VALUES (sonde_tflite_in_first (lower, 0)));
  sonde_node_set_int (value->producer, "blocksize", block);
  sonde_tflite_out_first (lower, 0, value);
}

/* Sizes of the blocks and what is padded or cropped, [n, 2], as constants. */
typedef struct
{
  guint n;
  gint64 *blocks, *edges;
} Blocks;

static void
blocks_clear (Blocks *blocks)
{
  g_free (blocks->blocks);
  g_free (blocks->edges);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Blocks, blocks_clear)

static gboolean
read_blocks (SondeTfliteLower *lower, Blocks *blocks)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  guint n_edges = 0;

  blocks->blocks = sonde_tflite_need_ints (lower, 1, N_ ("the size of the blocks"), &blocks->n);
  if (blocks->blocks == NULL)
    return FALSE;
  blocks->edges = sonde_tflite_need_ints (lower, 2, N_ ("the padding"), &n_edges);
  if (blocks->edges == NULL)
    return FALSE;
  if (n_edges != 2 * blocks->n || (int) blocks->n >= x->shape.rank
      || 2 * (int) blocks->n + x->shape.rank > SONDE_MAX_RANK)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "%u blocks and %u edges do not fit %d dimensions", blocks->n, n_edges,
                           x->shape.rank);
      return FALSE;
    }
  for (guint i = 0; i < blocks->n; i++)
    {
      gint64 size = x->signature.dims[i + 1];

      if (size < 0)
        {
          sonde_tflite_refuse (lower, sonde_message_new ("the sizes of its input must be known"),
                               NULL);
          return FALSE;
        }
      if (blocks->blocks[i] < 1 || blocks->blocks[i] > G_MAXINT32 || blocks->edges[2 * i] < 0
          || blocks->edges[2 * i + 1] < 0)
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                               "blocks of %" PRIi64 " are none", blocks->blocks[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static SondeGraphValue *
pad_edges (SondeTfliteLower *lower, SondeGraphValue *value, const Blocks *blocks)
{
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 }, axes[SONDE_MAX_RANK];

  for (guint i = 0; i < blocks->n; i++)
    {
      pads[i] = blocks->edges[2 * i];
      pads[blocks->n + i] = blocks->edges[2 * i + 1];
      axes[i] = i + 1;
    }
  return sonde_lowering_op (
      lower->to, "Pad",
      SONDE_VALUES (value, sonde_lowering_ints (lower->to, pads, 2 * (gsize) blocks->n), NULL,
                    sonde_lowering_ints (lower->to, axes, blocks->n)));
}

void
sonde_tflite_build_space_to_batch (SondeTfliteLower *lower)
{
  g_auto (Blocks) blocks = { 0 };
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  gint64 inner[SONDE_MAX_RANK], order[SONDE_MAX_RANK], outer[SONDE_MAX_RANK];
  int rank = x->shape.rank, n, n_inner = 1;
  SondeGraphValue *value;

  if (!read_blocks (lower, &blocks))
    return;
  n = (int) blocks.n;
  value = pad_edges (lower, sonde_tflite_in (lower, 0), &blocks);
  inner[0] = x->signature.dims[0];
  outer[0] = -1;
  for (int i = 0; i < n; i++)
    {
      gint64 size = x->signature.dims[i + 1] + blocks.edges[2 * i] + blocks.edges[2 * i + 1];

      inner[n_inner++] = outer[i + 1] = size / blocks.blocks[i];
      inner[n_inner++] = blocks.blocks[i];
      order[i] = 2 * i + 2;
      order[n + 1 + i] = 2 * i + 1;
    }
  order[n] = 0;
  for (int i = n + 1; i < rank; i++)
    {
      order[n_inner] = n_inner;
      outer[i] = x->signature.dims[i];
      inner[n_inner++] = x->signature.dims[i];
    }
  value = sonde_lowering_reshape (lower->to, value, inner, n_inner);
  value = sonde_lowering_transpose (lower->to, value, order, n_inner);
  sonde_tflite_out (lower, 0, sonde_lowering_reshape (lower->to, value, outer, rank));
}

void
sonde_tflite_build_batch_to_space (SondeTfliteLower *lower)
{
  g_auto (Blocks) blocks = { 0 };
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  gint64 inner[SONDE_MAX_RANK], order[SONDE_MAX_RANK], outer[SONDE_MAX_RANK];
  int rank = x->shape.rank, n;
  SondeGraphValue *value;

  if (!read_blocks (lower, &blocks))
    return;
  n = (int) blocks.n;
  value = sonde_tflite_in (lower, 0);
  inner[n] = outer[0] = -1;
  order[0] = n;
  for (int i = 0; i < n; i++)
    {
      inner[i] = blocks.blocks[i];
      inner[n + 1 + i] = x->signature.dims[i + 1];
      order[1 + 2 * i] = n + 1 + i;
      order[2 + 2 * i] = i;
      outer[i + 1] = x->signature.dims[i + 1] * blocks.blocks[i];
    }
  for (int i = n + 1; i < rank; i++)
    {
      order[i + n] = i + n;
      inner[i + n] = outer[i] = x->signature.dims[i];
    }
  value = sonde_lowering_reshape (lower->to, value, inner, rank + n);
  value = sonde_lowering_transpose (lower->to, value, order, rank + n);
  value = sonde_lowering_reshape (lower->to, value, outer, rank);
  for (int i = 0; i < n; i++)
    if (blocks.edges[2 * i] > 0 || blocks.edges[2 * i + 1] > 0)
      value = sonde_lowering_slice (lower->to, value, i + 1, blocks.edges[2 * i],
                                    outer[i + 1] - blocks.edges[2 * i + 1], 1);
  sonde_tflite_out (lower, 0, value);
}
