/* SPDX-License-Identifier: Apache-2.0
 * Rules of operators along axes, of matrices and windows. */
#include "data/models/lowering/sonde-lowering-rules.h"

/* ---- along axes ---------------------------------------------------------- */

static void
reduce (SondeType *type, const SondeType *from, const gboolean *is_axis, gboolean keep)
{
  int rank = 0;

  for (int i = 0; i < from->rank; i++)
    if (!is_axis[i])
      type->dims[rank++] = from->dims[i];
    else if (keep)
      type->dims[rank++] = (SondeDimension){ .size = 1 };
  type->rank = rank;
}

void
sonde_rule_reduce (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0);
  gboolean keep = sonde_node_get_int (node, "keepdims", 1) != 0, is_axis[SONDE_MAX_RANK];

  type->dtype = from.dtype;
  if (from.rank < 0)
    return;
  if (node->inputs->len < 2)
    for (int i = 0; i < from.rank; i++)
      is_axis[i] = TRUE;
  else if (!sonde_rule_find_axes (l, node, 1, from.rank, is_axis))
    {
      if (keep)
        sonde_rule_set_rank (type, from.rank);
      return;
    }
  reduce (type, &from, is_axis, keep);
}

void
sonde_rule_arg (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0);
  gint64 axis = sonde_node_get_int (node, "axis", 0);
  gboolean is_axis[SONDE_MAX_RANK] = { FALSE };

  type->dtype = SONDE_DTYPE_I64;
  axis += axis < 0 ? from.rank : 0;
  if (axis < 0 || axis >= from.rank)
    return;
  is_axis[axis] = TRUE;
  reduce (type, &from, is_axis, sonde_node_get_int (node, "keepdims", 1) != 0);
}

void
sonde_rule_top_k (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers);

  *type = sonde_rule_type_of (node, 0);
  if (output == 1)
    type->dtype = SONDE_DTYPE_I64;
  sonde_rule_set_size (type, sonde_node_get_int (node, "axis", -1), n == 1 ? numbers[0] : -1);
}

void
sonde_rule_indices (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  type->dtype = SONDE_DTYPE_I64;
  sonde_rule_set_rank (type, 2);
  type->dims[0].size = sonde_rule_type_of (node, 0).rank;
}

void
sonde_rule_boxes (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  type->dtype = SONDE_DTYPE_I64;
  sonde_rule_set_rank (type, 2);
  type->dims[1].size = 3;
}

void
sonde_rule_unique (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0);

  type->dtype = output == 0 ? from.dtype : SONDE_DTYPE_I64;
  sonde_rule_set_rank (type, 1);
  if (output == 2)
    type->dims[0].size = sonde_rule_count_elements (&from);
}

void
sonde_rule_range (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 start, limit, step, numbers[SONDE_LOWERING_MAX_NUMBERS];

  type->dtype = sonde_rule_type_of (node, 0).dtype;
  sonde_rule_set_rank (type, 1);
  start = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 0), numbers) == 1
              ? numbers[0]
              : SONDE_LOWERING_UNKNOWN;
  limit = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers) == 1
              ? numbers[0]
              : SONDE_LOWERING_UNKNOWN;
  step = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 2), numbers) == 1
             ? numbers[0]
             : SONDE_LOWERING_UNKNOWN;
  if (start != SONDE_LOWERING_UNKNOWN && limit != SONDE_LOWERING_UNKNOWN && step == 1
      && ABS (start) < G_MAXINT32 && ABS (limit) < G_MAXINT32)
    type->dims[0].size = MAX (limit - start, 0);
}

/* ---- matrices and windows ------------------------------------------------ */

void
sonde_rule_matmul (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  SondeType a = sonde_rule_type_of (node, 0), b = sonde_rule_type_of (node, 1);
  const SondeDimension rows = a.dims[MAX (a.rank - 2, 0)], columns = b.dims[MAX (b.rank - 1, 0)];

  type->dtype = a.dtype;
  if (a.rank < 2 || b.rank < 2)
    return;
  a.rank -= 2;
  b.rank -= 2;
  sonde_rule_broadcast (&a, &b);
  *type = a;
  type->dims[type->rank++] = rows;
  type->dims[type->rank++] = columns;
}

void
sonde_rule_gemm (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType a = sonde_rule_type_of (node, 0), b = sonde_rule_type_of (node, 1);

  type->dtype = a.dtype;
  sonde_rule_set_rank (type, 2);
  type->dims[0].size = sonde_rule_size_of (&a, sonde_node_get_int (node, "transA", 0) != 0 ? 1 : 0);
  type->dims[1].size = sonde_rule_size_of (&b, sonde_node_get_int (node, "transB", 0) != 0 ? 0 : 1);
}

/* Outputs of a window along spatial dimension @i of @n. */
static gint64
window_size (const SondeNode *node, gint64 size, gint64 kernel, int i, int n)
{
  gsize n_pads = 0, n_strides = 0, n_dilations = 0;
  const gint64 *pads = sonde_node_get_ints (node, "pads", &n_pads);
  const gint64 *strides = sonde_node_get_ints (node, "strides", &n_strides);
  const gint64 *dilations = sonde_node_get_ints (node, "dilations", &n_dilations);
  gint64 stride = (int) n_strides == n ? strides[i] : 1;
  gint64 reach = (kernel - 1) * ((int) n_dilations == n ? dilations[i] : 1) + 1;

  if (size < 0)
    return -1;
  if (g_str_has_prefix (sonde_node_get_string (node, "auto_pad", ""), "SAME"))
    return (size + stride - 1) / stride;
  if (kernel < 1)
    return -1;
  if ((int) n_pads == 2 * n)
    size += pads[i] + pads[n + i];
  return size < reach ? -1 : (size - reach) / stride + 1;
}

void
sonde_rule_window (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0), weights = sonde_rule_type_of (node, 1);
  gsize n = 0;
  const gint64 *kernel = sonde_node_get_ints (node, "kernel_shape", &n);

  *type = from;
  for (int i = 0; i < from.rank - 2; i++)
    type->dims[i + 2] = (SondeDimension){
      .size = window_size (node, sonde_rule_size_of (&from, i + 2), i < (int) n ? kernel[i] : -1, i,
                           from.rank - 2),
    };
  if (g_str_equal (node->op, "Conv"))
    sonde_rule_set_size (type, 1, sonde_rule_size_of (&weights, 0));
}

void
sonde_rule_transposed_window (SondeLowering *l, const SondeNode *node, guint output,
                              SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0), weights = sonde_rule_type_of (node, 1);
  gint64 channels = sonde_rule_size_of (&weights, 1);

  *type = from;
  for (int i = 1; i < type->rank; i++)
    type->dims[i] = (SondeDimension){ .size = -1 };
  if (channels >= 0)
    sonde_rule_set_size (type, 1, channels * sonde_node_get_int (node, "group", 1));
}

void
sonde_rule_resize (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 3), numbers);
  gsize n_axes = 0;
  const gint64 *axes = sonde_node_get_ints (node, "axes", &n_axes);

  *type = sonde_rule_type_of (node, 0);
  for (gsize i = 0; i < n_axes; i++)
    sonde_rule_set_size (type, axes[i], (int) i < n ? numbers[i] : -1);
}

void
sonde_rule_blocks (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 block = MAX (sonde_node_get_int (node, "blocksize", 1), 1);
  gboolean to_space = g_str_equal (node->op, "DepthToSpace");

  *type = sonde_rule_type_of (node, 0);
  for (int i = 1; i < type->rank; i++)
    {
      gint64 size = type->dims[i].size, factor = i == 1 ? block * block : block;

      if (size >= 0)
        type->dims[i].size = (i == 1) == to_space ? size / factor : size * factor;
    }
}
