/* SPDX-License-Identifier: Apache-2.0
 * One rule a family of operators: from the types of inputs to that of an output. */
#include "data/models/lowering/sonde-lowering-types.h"

#include <string.h>

#include "data/models/lowering/sonde-lowering-numbers.h"
#include "data/models/lowering/sonde-lowering-shapes.h"

/* The type of input @k; not known where it is absent. */
static SondeType
type_of (const SondeNode *node, guint k)
{
  const SondeGraphValue *value = sonde_node_get_input (node, k);

  return value != NULL ? value->type : sonde_type_unknown ();
}

static void
set_rank (SondeType *type, int rank)
{
  type->rank = rank <= SONDE_MAX_RANK ? rank : -1;
  for (int i = 0; i < type->rank; i++)
    type->dims[i] = (SondeDimension){ .size = -1 };
}

static void
set_size (SondeType *type, gint64 axis, gint64 size)
{
  axis += axis < 0 ? type->rank : 0;
  if (axis >= 0 && axis < type->rank)
    type->dims[axis] = (SondeDimension){ .size = MAX (size, -1) };
}

/* Size of dimension @i of @type; −1 when not known. */
static gint64
size_of (const SondeType *type, int i)
{
  return i >= 0 && i < type->rank ? type->dims[i].size : -1;
}

/* ---- the same for all elements ------------------------------------------- */

static void
infer_same (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  *type = type_of (node, 0);
}

static SondeDimension
broadcast_dimension (SondeDimension a, SondeDimension b)
{
  if (a.size == 1)
    return b;
  if (b.size == 1)
    return a;
  return a.size >= 0 ? a : b;
}

static void
broadcast (SondeType *type, const SondeType *other)
{
  SondeType result = *type;

  if (type->rank < 0 || other->rank < 0)
    {
      type->rank = -1;
      return;
    }
  set_rank (&result, MAX (type->rank, other->rank));
  for (int i = 1; i <= result.rank; i++)
    {
      const SondeDimension one = { .size = 1 };

      result.dims[result.rank - i]
          = broadcast_dimension (i <= type->rank ? type->dims[type->rank - i] : one,
                                 i <= other->rank ? other->dims[other->rank - i] : one);
    }
  *type = result;
}

static void
infer_broadcast (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  *type = type_of (node, 0);
  for (guint k = 1; k < node->inputs->len; k++)
    {
      const SondeType other = type_of (node, k);

      broadcast (type, &other);
    }
}

static void
infer_test (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  infer_broadcast (l, node, output, type);
  type->dtype = SONDE_DTYPE_BOOL;
}

static void
infer_where (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  infer_broadcast (l, node, output, type);
  type->dtype = type_of (node, 1).dtype;
}

static void
infer_cast (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 number = sonde_node_get_int (node, "to", 0);

  *type = type_of (node, 0);
  type->dtype = SONDE_DTYPE_INVALID;
  for (int dtype = 1; dtype < SONDE_N_DTYPES; dtype++)
    if (sonde_lowering_onnx_dtype ((SondeDtype) dtype) == number)
      type->dtype = (SondeDtype) dtype;
}

/* ---- shapes -------------------------------------------------------------- */

static void
infer_shape (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  int rank = type_of (node, 0).rank;
  gint64 start = sonde_node_get_int (node, "start", 0),
         end = sonde_node_get_int (node, "end", rank);

  type->dtype = SONDE_DTYPE_I64;
  set_rank (type, 1);
  if (rank >= 0)
    type->dims[0].size = MAX (MIN (end, rank) - MAX (start, 0), 0);
}

static void
infer_size (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  type->dtype = SONDE_DTYPE_I64;
  set_rank (type, 0);
}

static gint64
count_elements (const SondeType *type)
{
  SondeShape shape;

  return sonde_type_get_shape (type, &shape) ? sonde_shape_n_elements (&shape) : -1;
}

/* The shape that input @k says; its length is known where its type is. */
static void
set_shape_of (SondeLowering *l, const SondeNode *node, guint k, SondeType *type)
{
  const SondeType from = type_of (node, k);
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, k), numbers);

  if (n > SONDE_MAX_RANK)
    n = -1;
  set_rank (type, n >= 0           ? n
                  : from.rank == 1 ? (int) MIN (from.dims[0].size, SONDE_MAX_RANK + 1)
                                   : -1);
  for (int i = 0; i < n; i++)
    type->dims[i].size = MAX (numbers[i], -1);
}

/* What is left over for the one size that is not said. */
static void
infer_reshape (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0);
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS], all = count_elements (&from), known = 1;
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers), open = -1;

  type->dtype = from.dtype;
  set_shape_of (l, node, 1, type);
  for (int i = 0; i < type->rank && i < n; i++)
    {
      if (numbers[i] == 0 && sonde_node_get_int (node, "allowzero", 0) == 0)
        type->dims[i].size = size_of (&from, i);
      if (type->dims[i].size >= 0)
        known *= MIN (type->dims[i].size, (gint64) 1 << 30);
      else
        open = open < 0 ? i : type->rank;
      known = MIN (known, (gint64) 1 << 32);
    }
  if (n >= 0 && open >= 0 && open < type->rank && all >= 0 && known > 0 && all % known == 0)
    type->dims[open].size = all / known;
}

static void
infer_expand (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  SondeType shape = { .kind = SONDE_VALUE_TENSOR };

  set_shape_of (l, node, 1, &shape);
  *type = type_of (node, 0);
  broadcast (type, &shape);
}

static void
infer_filled (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeTensor *value = sonde_node_get_tensor (node, "value");

  type->dtype = value != NULL ? value->dtype : SONDE_DTYPE_F32;
  set_shape_of (l, node, 0, type);
}

static void
infer_tile (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers);

  *type = type_of (node, 0);
  for (int i = 0; i < type->rank; i++)
    {
      gint64 size = size_of (type, i), product;

      if (i >= n || numbers[i] < 0 || size < 0
          || __builtin_mul_overflow (size, numbers[i], &product))
        product = -1;
      type->dims[i] = (SondeDimension){ .size = product };
    }
}

/* The axes that input @k says. FALSE: not known */
static gboolean
find_axes (SondeLowering *l, const SondeNode *node, guint k, int rank, gboolean *is_axis)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, k), numbers);

  for (int i = 0; i < rank; i++)
    is_axis[i] = FALSE;
  for (int i = 0; i < n; i++)
    {
      gint64 axis = numbers[i] < 0 ? numbers[i] + rank : numbers[i];

      if (numbers[i] == SONDE_LOWERING_UNKNOWN || axis < 0 || axis >= rank)
        return FALSE;
      is_axis[axis] = TRUE;
    }
  return n >= 0;
}

static void
infer_squeeze (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0);
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
  else if (!find_axes (l, node, 1, from.rank, is_axis))
    return;
  for (int i = 0; i < from.rank; i++)
    if (!is_axis[i])
      type->dims[rank++] = from.dims[i];
  type->rank = rank;
}

static void
infer_unsqueeze (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0);
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers), at = 0;
  gboolean is_axis[SONDE_MAX_RANK];

  type->dtype = from.dtype;
  if (from.rank < 0 || n < 0 || from.rank + n > SONDE_MAX_RANK
      || !find_axes (l, node, 1, from.rank + n, is_axis))
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

static void
infer_slice (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  SondeGraphValue *axes = sonde_node_get_input (node, 3), *steps = sonde_node_get_input (node, 4);
  gint64 parts[4][SONDE_LOWERING_MAX_NUMBERS];
  int n[4];
  const SondeType from = type_of (node, 0);
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
      set_size (type, axis,
                open ? -1
                     : slice_size (size_of (&from, (int) CLAMP (axis, -1, SONDE_MAX_RANK)),
                                   parts[0][i], parts[1][i], steps != NULL ? parts[3][i] : 1));
    }
}

static void
infer_concat (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 axis = sonde_node_get_int (node, "axis", 0), sum = 0;

  *type = type_of (node, 0);
  if (type->rank < 0)
    return;
  axis += axis < 0 ? type->rank : 0;
  for (guint k = 0; k < node->inputs->len; k++)
    {
      const SondeType other = type_of (node, k);
      gint64 size = size_of (&other, (int) axis);

      sum = size < 0 || sum < 0 ? -1 : sum + size;
      for (int i = 0; i < MIN (type->rank, other.rank); i++)
        if (type->dims[i].size < 0)
          type->dims[i] = other.dims[i];
    }
  set_size (type, axis, sum);
}

static void
infer_split (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 axis = sonde_node_get_int (node, "axis", 0), numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers);
  gint64 size, parts = node->outputs->len;

  *type = type_of (node, 0);
  size = size_of (type, (int) (axis < 0 ? axis + type->rank : axis));
  if (node->inputs->len > 1)
    set_size (type, axis, (int) output < n ? numbers[output] : -1);
  else
    set_size (type, axis, size >= 0 && size % parts == 0 ? size / parts : -1);
}

static void
infer_gather (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0), indices = type_of (node, 1);
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

static void
infer_gather_nd (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0), indices = type_of (node, 1);
  int batch = (int) sonde_node_get_int (node, "batch_dims", 0);
  gint64 width = size_of (&indices, indices.rank - 1);
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

static void
infer_second_shape (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  *type = type_of (node, 1);
  type->dtype = type_of (node, 0).dtype;
}

static void
infer_pad (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS], axes[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers);
  int n_axes = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 3), axes);
  const SondeType from = type_of (node, 0);

  *type = from;
  for (int i = 0; i < type->rank && n_axes < 0; i++)
    axes[i] = i;
  if (n_axes < 0)
    n_axes = MAX (type->rank, 0);
  for (int i = 0; i < n_axes; i++)
    {
      gint64 axis = axes[i] < 0 ? axes[i] + type->rank : axes[i];
      gint64 size = size_of (&from, (int) CLAMP (axis, -1, SONDE_MAX_RANK));
      gboolean known = n == 2 * n_axes && size >= 0 && numbers[i] != SONDE_LOWERING_UNKNOWN
                       && numbers[n_axes + i] != SONDE_LOWERING_UNKNOWN;

      set_size (type, axis, known ? size + numbers[i] + numbers[n_axes + i] : -1);
    }
}

static void
infer_transpose (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0);
  gsize n = 0;
  const gint64 *order = sonde_node_get_ints (node, "perm", &n);

  *type = from;
  for (int i = 0; i < type->rank; i++)
    type->dims[i] = from.dims[order != NULL && (int) n == from.rank ? order[i] : from.rank - 1 - i];
}

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

static void
infer_reduce (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0);
  gboolean keep = sonde_node_get_int (node, "keepdims", 1) != 0, is_axis[SONDE_MAX_RANK];

  type->dtype = from.dtype;
  if (from.rank < 0)
    return;
  if (node->inputs->len < 2)
    for (int i = 0; i < from.rank; i++)
      is_axis[i] = TRUE;
  else if (!find_axes (l, node, 1, from.rank, is_axis))
    {
      if (keep)
        set_rank (type, from.rank);
      return;
    }
  reduce (type, &from, is_axis, keep);
}

static void
infer_arg (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0);
  gint64 axis = sonde_node_get_int (node, "axis", 0);
  gboolean is_axis[SONDE_MAX_RANK] = { FALSE };

  type->dtype = SONDE_DTYPE_I64;
  axis += axis < 0 ? from.rank : 0;
  if (axis < 0 || axis >= from.rank)
    return;
  is_axis[axis] = TRUE;
  reduce (type, &from, is_axis, sonde_node_get_int (node, "keepdims", 1) != 0);
}

static void
infer_top_k (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 1), numbers);

  *type = type_of (node, 0);
  if (output == 1)
    type->dtype = SONDE_DTYPE_I64;
  set_size (type, sonde_node_get_int (node, "axis", -1), n == 1 ? numbers[0] : -1);
}

static void
infer_indices (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  type->dtype = SONDE_DTYPE_I64;
  set_rank (type, 2);
  type->dims[0].size = type_of (node, 0).rank;
}

static void
infer_boxes (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  type->dtype = SONDE_DTYPE_I64;
  set_rank (type, 2);
  type->dims[1].size = 3;
}

static void
infer_unique (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0);

  type->dtype = output == 0 ? from.dtype : SONDE_DTYPE_I64;
  set_rank (type, 1);
  if (output == 2)
    type->dims[0].size = count_elements (&from);
}

static void
infer_range (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 start, limit, step, numbers[SONDE_LOWERING_MAX_NUMBERS];

  type->dtype = type_of (node, 0).dtype;
  set_rank (type, 1);
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

static void
infer_matmul (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  SondeType a = type_of (node, 0), b = type_of (node, 1);
  const SondeDimension rows = a.dims[MAX (a.rank - 2, 0)], columns = b.dims[MAX (b.rank - 1, 0)];

  type->dtype = a.dtype;
  if (a.rank < 2 || b.rank < 2)
    return;
  a.rank -= 2;
  b.rank -= 2;
  broadcast (&a, &b);
  *type = a;
  type->dims[type->rank++] = rows;
  type->dims[type->rank++] = columns;
}

static void
infer_gemm (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType a = type_of (node, 0), b = type_of (node, 1);

  type->dtype = a.dtype;
  set_rank (type, 2);
  type->dims[0].size = size_of (&a, sonde_node_get_int (node, "transA", 0) != 0 ? 1 : 0);
  type->dims[1].size = size_of (&b, sonde_node_get_int (node, "transB", 0) != 0 ? 0 : 1);
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

static void
infer_window (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0), weights = type_of (node, 1);
  gsize n = 0;
  const gint64 *kernel = sonde_node_get_ints (node, "kernel_shape", &n);

  *type = from;
  for (int i = 0; i < from.rank - 2; i++)
    type->dims[i + 2] = (SondeDimension){
      .size
      = window_size (node, size_of (&from, i + 2), i < (int) n ? kernel[i] : -1, i, from.rank - 2),
    };
  if (g_str_equal (node->op, "Conv"))
    set_size (type, 1, size_of (&weights, 0));
}

static void
infer_transposed_window (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  const SondeType from = type_of (node, 0), weights = type_of (node, 1);
  gint64 channels = size_of (&weights, 1);

  *type = from;
  for (int i = 1; i < type->rank; i++)
    type->dims[i] = (SondeDimension){ .size = -1 };
  if (channels >= 0)
    set_size (type, 1, channels * sonde_node_get_int (node, "group", 1));
}

static void
infer_resize (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, 3), numbers);
  gsize n_axes = 0;
  const gint64 *axes = sonde_node_get_ints (node, "axes", &n_axes);

  *type = type_of (node, 0);
  for (gsize i = 0; i < n_axes; i++)
    set_size (type, axes[i], (int) i < n ? numbers[i] : -1);
}

static void
infer_blocks (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 block = MAX (sonde_node_get_int (node, "blocksize", 1), 1);
  gboolean to_space = g_str_equal (node->op, "DepthToSpace");

  *type = type_of (node, 0);
  for (int i = 1; i < type->rank; i++)
    {
      gint64 size = type->dims[i].size, factor = i == 1 ? block * block : block;

      if (size >= 0)
        type->dims[i].size = (i == 1) == to_space ? size / factor : size * factor;
    }
}

/* ---- the table ----------------------------------------------------------- */

typedef void (*Rule) (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);

/* What is not listed keeps the type of its first input. */
static const struct
{
  Rule rule;
  const char *ops; /* each between blanks */
} rules[] = {
  { infer_broadcast, " Add Sub Mul Div Pow Mod Max Min Sum Mean And Or Xor PRelu BitwiseAnd "
                     "BitwiseOr BitwiseXor BitShift " },
  { infer_test, " Equal Less LessOrEqual Greater GreaterOrEqual IsNaN IsInf " },
  { infer_where, " Where " },
  { infer_cast, " Cast " },
  { infer_shape, " Shape " },
  { infer_size, " Size " },
  { infer_reshape, " Reshape " },
  { infer_expand, " Expand " },
  { infer_filled, " ConstantOfShape " },
  { infer_tile, " Tile " },
  { infer_squeeze, " Squeeze " },
  { infer_unsqueeze, " Unsqueeze " },
  { infer_slice, " Slice " },
  { infer_concat, " Concat " },
  { infer_split, " Split " },
  { infer_gather, " Gather " },
  { infer_gather_nd, " GatherND " },
  { infer_second_shape, " GatherElements " },
  { infer_pad, " Pad " },
  { infer_transpose, " Transpose " },
  { infer_reduce, " ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 "
                  "ReduceLogSum ReduceLogSumExp ReduceSumSquare " },
  { infer_arg, " ArgMax ArgMin " },
  { infer_top_k, " TopK " },
  { infer_indices, " NonZero " },
  { infer_boxes, " NonMaxSuppression " },
  { infer_unique, " Unique " },
  { infer_range, " Range " },
  { infer_matmul, " MatMul " },
  { infer_gemm, " Gemm " },
  { infer_window, " Conv MaxPool AveragePool " },
  { infer_transposed_window, " ConvTranspose " },
  { infer_resize, " Resize " },
  { infer_blocks, " DepthToSpace SpaceToDepth " },
};

static Rule
find_rule (const char *op)
{
  gsize length = strlen (op);

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    for (const char *at = strstr (rules[i].ops, op); at != NULL; at = strstr (at + 1, op))
      if (at[-1] == ' ' && at[length] == ' ')
        return rules[i].rule;
  return infer_same;
}

static gboolean
is_known (const SondeGraphValue *value)
{
  return value->type.kind != SONDE_VALUE_NONE && value->type.dtype != SONDE_DTYPE_INVALID;
}

/* Operators whose outputs have types of their own are told by whoever emits them. */
static gboolean
has_rule (const SondeNode *node)
{
  return *node->domain == '\0'
         && strstr (" If Loop Scan Einsum LSTM GRU RNN OneHot ", node->op) == NULL;
}

static void
infer_node (SondeLowering *lowering, const SondeNode *node)
{
  Rule rule = find_rule (node->op);

  for (guint i = 0; i < node->outputs->len; i++)
    {
      SondeGraphValue *value = sonde_node_get_output (node, i);
      SondeType type = sonde_type_unknown ();

      if (value == NULL || is_known (value))
        continue;
      type.kind = SONDE_VALUE_TENSOR;
      if (has_rule (node))
        rule (lowering, node, i, &type);
      value->type = type;
      sonde_lowering_infer_numbers (lowering, node, value);
    }
}

/* What was emitted for one node of the source hangs together in a short chain; everything before it
 * has its type. */
void
sonde_lowering_infer (SondeLowering *lowering, SondeGraphValue *value)
{
  const SondeNode *node = value->producer;

  if (is_known (value))
    return;
  if (node == NULL)
    {
      if (value->outer != NULL)
        {
          sonde_lowering_infer (lowering, value->outer);
          value->type = value->outer->type;
        }
      return;
    }
  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *input = sonde_node_get_input (node, k);

      if (input != NULL)
        sonde_lowering_infer (lowering, input);
    }
  infer_node (lowering, node);
}
