/* SPDX-License-Identifier: Apache-2.0
 * Rules of operators on shapes, of parts and joins. */
#include "data/models/lowering/sonde-lowering-rules.h"

/* ---- shapes -------------------------------------------------------------- */

void
sonde_rule_shape (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  int rank = sonde_rule_type_of (node, 0).rank;
  gint64 start = sonde_node_get_int (node, "start", 0),
         end = sonde_node_get_int (node, "end", rank);

  type->dtype = SONDE_DTYPE_I64;
  sonde_rule_set_rank (type, 1);
  if (rank >= 0)
    type->dims[0].size = MAX (MIN (end, rank) - MAX (start, 0), 0);
}

void
sonde_rule_size (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  type->dtype = SONDE_DTYPE_I64;
  sonde_rule_set_rank (type, 0);
}

/* The shape that input @k says; its length is known where its type is. */
static void
set_shape_of (SondeLowering *l, const SondeNode *node, guint k, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, k);
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, k), numbers);

  if (n > SONDE_MAX_RANK)
    n = -1;
  sonde_rule_set_rank (type, n >= 0           ? n
                             : from.rank == 1 ? (int) MIN (from.dims[0].size, SONDE_MAX_RANK + 1)
                                              : -1);
  for (int i = 0; i < n; i++)
    type->dims[i].size = MAX (numbers[i], -1);
}

/* What is left over for the one size that is not said. */
void
sonde_rule_reshape (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0);
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS], all = sonde_rule_count_elements (&from), known = 1;
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers), open = -1;

  type->dtype = from.dtype;
  set_shape_of (l, node, 1, type);
  for (int i = 0; i < type->rank && i < n; i++)
    {
      if (numbers[i] == 0 && sonde_node_get_int (node, "allowzero", 0) == 0)
        type->dims[i].size = sonde_rule_size_of (&from, i);
      if (type->dims[i].size >= 0)
        known *= MIN (type->dims[i].size, (gint64) 1 << 30);
      else
        open = open < 0 ? i : type->rank;
      known = MIN (known, (gint64) 1 << 32);
    }
  if (n >= 0 && open >= 0 && open < type->rank && all >= 0 && known > 0 && all % known == 0)
    type->dims[open].size = all / known;
}

void
sonde_rule_expand (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  SondeType shape = { .kind = SONDE_VALUE_TENSOR };

  set_shape_of (l, node, 1, &shape);
  *type = sonde_rule_type_of (node, 0);
  sonde_rule_broadcast (type, &shape);
}

void
sonde_rule_filled (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeTensor *value = sonde_node_get_tensor (node, "value");

  type->dtype = value != NULL ? value->dtype : SONDE_DTYPE_F32;
  set_shape_of (l, node, 0, type);
}

void
sonde_rule_tile (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers);

  *type = sonde_rule_type_of (node, 0);
  for (int i = 0; i < type->rank; i++)
    {
      gint64 size = sonde_rule_size_of (type, i), product;

      if (i >= n || numbers[i] < 0 || size < 0
          || __builtin_mul_overflow (size, numbers[i], &product))
        product = -1;
      type->dims[i] = (SondeDimension){ .size = product };
    }
}

void
sonde_rule_squeeze (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0);
  gboolean is_axis[SONDE_MAX_RANK];
  int rank = 0;

  type->dtype = from.dtype;
  if (from.rank < 0)
    return;
  if (node->inputs->len < 2)
    for (int i = 0; i < from.rank; i++)
      {
        if (from.dims[i].size < 0)
          return;
        is_axis[i] = from.dims[i].size == 1;
      }
  else if (!sonde_rule_find_axes (l, node, 1, from.rank, is_axis))
    return;
  for (int i = 0; i < from.rank; i++)
    if (!is_axis[i])
      type->dims[rank++] = from.dims[i];
  type->rank = rank;
}

void
sonde_rule_unsqueeze (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0);
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers), at = 0;
  gboolean is_axis[SONDE_MAX_RANK];

  type->dtype = from.dtype;
  if (from.rank < 0 || n < 0 || from.rank + n > SONDE_MAX_RANK
      || !sonde_rule_find_axes (l, node, 1, from.rank + n, is_axis))
    return;
  for (int i = 0; i < from.rank + n; i++)
    type->dims[i] = is_axis[i] || at >= from.rank ? (SondeDimension){ .size = 1 } : from.dims[at++];
  type->rank = from.rank + n;
}

/* ---- parts and joins ----------------------------------------------------- */

/* Elements from @start to before @end in steps, of @size. */
static gint64
slice_size (gint64 size, gint64 start, gint64 end, gint64 step)
{
  if (size < 0 || start == SONDE_LOWERING_UNKNOWN || end == SONDE_LOWERING_UNKNOWN || step == 0)
    return -1;
  start = CLAMP (start < 0 ? start + size : start, step > 0 ? 0 : 0, step > 0 ? size : size - 1);
  end = end < 0 && end >= -size ? end + size : end;
  end = CLAMP (end, step > 0 ? 0 : -1, size);
  return step > 0 ? MAX ((end - start + step - 1) / step, 0)
                  : MAX ((start - end - step - 1) / -step, 0);
}

void
sonde_rule_slice (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  SondeGraphValue *axes = sonde_node_get_input (node, 3), *steps = sonde_node_get_input (node, 4);
  gint64 parts[4][SONDE_LOWERING_MAX_NUMBERS];
  int n[4];
  const SondeType from = sonde_rule_type_of (node, 0);
  gboolean open;

  *type = from;
  for (guint k = 0; k < 4; k++)
    n[k] = sonde_lowering_get_numbers (l, sonde_node_get_input (node, k + 1), parts[k]);
  open = n[0] < 0 || n[1] != n[0] || (axes != NULL && n[2] != n[0])
         || (steps != NULL && n[3] != n[0]);
  for (int i = 0; i < type->rank && open && (axes == NULL || n[2] < 0); i++)
    type->dims[i] = (SondeDimension){ .size = -1 };
  for (int i = 0; i < (open ? MAX (n[2], 0) : n[0]); i++)
    {
      gint64 axis = axes != NULL ? parts[2][i] : i;

      axis += axis < 0 ? type->rank : 0;
      sonde_rule_set_size (
          type, axis,
          open ? -1
               : slice_size (sonde_rule_size_of (&from, (int) CLAMP (axis, -1, SONDE_MAX_RANK)),
                             parts[0][i], parts[1][i], steps != NULL ? parts[3][i] : 1));
    }
}

void
sonde_rule_concat (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 axis = sonde_node_get_int (node, "axis", 0), sum = 0;

  *type = sonde_rule_type_of (node, 0);
  if (type->rank < 0)
    return;
  axis += axis < 0 ? type->rank : 0;
  for (guint k = 0; k < node->inputs->len; k++)
    {
      const SondeType other = sonde_rule_type_of (node, k);
      gint64 size = sonde_rule_size_of (&other, (int) axis);

      sum = size < 0 || sum < 0 ? -1 : sum + size;
      for (int i = 0; i < MIN (type->rank, other.rank); i++)
        if (type->dims[i].size < 0)
          type->dims[i] = other.dims[i];
    }
  sonde_rule_set_size (type, axis, sum);
}

void
sonde_rule_split (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 axis = sonde_node_get_int (node, "axis", 0), numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers);
  gint64 size, parts = node->outputs->len;

  *type = sonde_rule_type_of (node, 0);
  size = sonde_rule_size_of (type, (int) (axis < 0 ? axis + type->rank : axis));
  if (node->inputs->len > 1)
    sonde_rule_set_size (type, axis, (int) output < n ? numbers[output] : -1);
  else
    sonde_rule_set_size (type, axis, size >= 0 && size % parts == 0 ? size / parts : -1);
}

void
sonde_rule_gather (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0), indices = sonde_rule_type_of (node, 1);
  gint64 axis = sonde_node_get_int (node, "axis", 0);
  int rank = from.rank + indices.rank - 1;

  type->dtype = from.dtype;
  axis += axis < 0 ? from.rank : 0;
  if (from.rank < 1 || indices.rank < 0 || rank > SONDE_MAX_RANK || axis < 0 || axis >= from.rank)
    return;
  for (int i = 0; i < rank; i++)
    type->dims[i] = i < axis                  ? from.dims[i]
                    : i < axis + indices.rank ? indices.dims[i - axis]
                                              : from.dims[i - indices.rank + 1];
  type->rank = rank;
}

void
sonde_rule_gather_nd (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0), indices = sonde_rule_type_of (node, 1);
  int batch = (int) sonde_node_get_int (node, "batch_dims", 0);
  gint64 width = sonde_rule_size_of (&indices, indices.rank - 1);
  int from_rank = from.rank - batch - (int) MIN (width, SONDE_MAX_RANK + 1), n = 0;

  type->dtype = from.dtype;
  if (from.rank < 0 || width < 0 || from_rank < 0 || indices.rank - 1 + from_rank > SONDE_MAX_RANK)
    return;
  for (int i = 0; i < indices.rank - 1; i++)
    type->dims[n++] = indices.dims[i];
  for (int i = from.rank - from_rank; i < from.rank; i++)
    type->dims[n++] = from.dims[i];
  type->rank = n;
}

void
sonde_rule_second_shape (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  *type = sonde_rule_type_of (node, 1);
  type->dtype = sonde_rule_type_of (node, 0).dtype;
}

void
sonde_rule_pad (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS], axes[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers);
  int n_axes = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 3), axes);
  const SondeType from = sonde_rule_type_of (node, 0);

  *type = from;
  for (int i = 0; i < type->rank && n_axes < 0; i++)
    axes[i] = i;
  if (n_axes < 0)
    n_axes = MAX (type->rank, 0);
  for (int i = 0; i < n_axes; i++)
    {
      gint64 axis = axes[i] < 0 ? axes[i] + type->rank : axes[i];
      gint64 size = sonde_rule_size_of (&from, (int) CLAMP (axis, -1, SONDE_MAX_RANK));
      gboolean known = n == 2 * n_axes && size >= 0 && numbers[i] != SONDE_LOWERING_UNKNOWN
                       && numbers[n_axes + i] != SONDE_LOWERING_UNKNOWN;

      sonde_rule_set_size (type, axis, known ? size + numbers[i] + numbers[n_axes + i] : -1);
    }
}

void
sonde_rule_transpose (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = sonde_rule_type_of (node, 0);
  gsize n = 0;
  const gint64 *order = sonde_node_get_ints (node, "perm", &n);

  *type = from;
  for (int i = 0; i < type->rank; i++)
    type->dims[i] = from.dims[order != NULL && (int) n == from.rank ? order[i] : from.rank - 1 - i];
}
