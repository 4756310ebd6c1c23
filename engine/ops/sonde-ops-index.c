/* SPDX-License-Identifier: Apache-2.0
 * Elements chosen by position: Slice, Gather, Pad, and their gradients. */
#include "engine/ops/sonde-op-private.h"
#include "engine/ops/sonde-strided.h"

#include "data/base/sonde-checked.h"

#include <string.h>

/* ---- Slice ------------------------------------------------------------------------------------ */

/* Per dimension of the input: first element, step, number of elements. */
typedef struct
{
  gint64 start[SONDE_MAX_RANK], step[SONDE_MAX_RANK], count[SONDE_MAX_RANK];
} SliceRange;

/* Bounds as Python's: negative ones count from the end, then they are clamped. */
static gint64
clamp_bound (gint64 bound,
             gint64 size,
             gint64 low,
             gint64 high)
{
  if (bound < 0)
    bound = bound < -size ? -1 : bound + size;
  return CLAMP (bound, low, high);
}

static void
slice_dimension (SliceRange *range,
                 int         d,
                 gint64      size,
                 gint64      start,
                 gint64      end,
                 gint64      step)
{
  gint64 first = step > 0 ? clamp_bound (start, size, 0, size) : clamp_bound (start, size, -1, size - 1);
  gint64 last = step > 0 ? clamp_bound (end, size, 0, size) : clamp_bound (end, size, -1, size - 1);
  gint64 distance = step > 0 ? last - first : first - last;
  guint64 stride = step > 0 ? (guint64) step : -(guint64) step;

  range->start[d] = first;
  range->count[d] = distance <= 0 ? 0 : (gint64) (((guint64) distance - 1) / stride) + 1;
  /* A single element needs no step, and a huge step no product. */
  range->step[d] = range->count[d] > 1 ? step : 1;
}

/* Lists as they stand in the inputs; NULL where one is absent or unknown. */
typedef struct
{
  gint64 *starts, *ends, *axes, *steps;
  gsize n_starts, n_ends, n_axes, n_steps;
} SliceLists;

static void
slice_lists_clear (SliceLists *lists)
{
  g_free (lists->starts);
  g_free (lists->ends);
  g_free (lists->axes);
  g_free (lists->steps);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SliceLists, slice_lists_clear)

static gboolean
slice_lists_check (const SliceLists *lists,
                   GError          **error)
{
  gsize n = lists->n_starts;

  if (lists->n_ends != n || (lists->axes && lists->n_axes != n) || (lists->steps && lists->n_steps != n))
    return sonde_infer_fail (error, "starts, ends, axes and steps have different lengths");
  for (gsize i = 0; i < lists->n_steps; i++)
    if (lists->steps[i] == 0)
      return sonde_infer_fail (error, "step %" G_GSIZE_FORMAT " is 0", i);
  return TRUE;
}

/* @dims: sizes; the range of a dimension of unknown size gets count -1, unless it is the whole. */
static gboolean
slice_read (const SliceLists *lists,
            int               rank,
            const gint64     *dims,
            SliceRange       *range,
            GError          **error)
{
  if (!slice_lists_check (lists, error))
    return FALSE;
  for (int d = 0; d < rank; d++)
    {
      range->start[d] = 0;
      range->step[d] = 1;
      range->count[d] = dims[d];
    }
  for (gsize i = 0; i < lists->n_starts; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (lists->axes ? lists->axes[i] : (gint64) i, rank, &axis, error))
        return FALSE;
      if (dims[axis] >= 0)
        slice_dimension (range, axis, dims[axis], lists->starts[i], lists->ends[i], lists->steps ? lists->steps[i] : 1);
      else
        range->count[axis] = -1;
    }
  return TRUE;
}

/* @first: index of the input with starts */
static void
slice_lists_known (SliceLists              *lists,
                   const SondeInferContext *context,
                   guint                    first)
{
  lists->starts = sonde_infer_known_ints (context, first, &lists->n_starts);
  lists->ends = sonde_infer_known_ints (context, first + 1, &lists->n_ends);
  lists->axes = sonde_infer_known_ints (context, first + 2, &lists->n_axes);
  lists->steps = sonde_infer_known_ints (context, first + 3, &lists->n_steps);
}

static gboolean
infer_slice (SondeInferContext *context,
             GError           **error)
{
  const SondeType *x = &context->inputs[0];
  g_auto (SliceLists) lists = { NULL };
  gint64 dims[SONDE_MAX_RANK];
  SliceRange range;

  for (guint k = 1; k < context->n_inputs; k++)
    if (!sonde_infer_need_integer (context, k, error))
      return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  slice_lists_known (&lists, context, 1);
  context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
  if (lists.starts == NULL || lists.ends == NULL
      || (sonde_infer_input (context, 3) && lists.axes == NULL)
      || (sonde_infer_input (context, 4) && lists.steps == NULL))
    return TRUE;

  for (int d = 0; d < x->rank; d++)
    dims[d] = x->dims[d].size;
  for (gsize i = 0; i < lists.n_axes; i++)
    if (lists.n_axes > (gsize) x->rank)
      return sonde_infer_fail (error, "slices %" G_GSIZE_FORMAT " axes of %d dimensions", lists.n_axes, x->rank);
  if (!slice_read (&lists, x->rank, dims, &range, error))
    return FALSE;
  for (int d = 0; d < x->rank; d++)
    context->outputs[0].dims[d] = range.count[d] == dims[d] ? x->dims[d] : sonde_dimension (range.count[d]);
  for (gsize i = 0; i < lists.n_starts; i++)
    {
      int axis = 0;

      (void) sonde_infer_axis (lists.axes ? lists.axes[i] : (gint64) i, x->rank, &axis, NULL);
      if (dims[axis] < 0)
        context->outputs[0].dims[axis] = sonde_dimension (-1);
    }
  return TRUE;
}

/* Copies between the slice of @whole and the contiguous @part. */
static void
slice_copy (const SondeKernelContext *context,
            guint                     first,
            SondeTensor              *whole,
            SondeTensor              *part,
            gboolean                  into_whole)
{
  g_auto (SliceLists) lists = { NULL };
  gint64 own[SONDE_MAX_RANK], in_whole[SONDE_MAX_RANK], in_part[SONDE_MAX_RANK];
  gsize size = sonde_dtype_size (whole->dtype);
  gint64 offset = 0;
  SliceRange range;
  guint8 *start = NULL;

  lists.starts = sonde_kernel_ints (context, first, &lists.n_starts);
  lists.ends = sonde_kernel_ints (context, first + 1, &lists.n_ends);
  lists.axes = sonde_kernel_ints (context, first + 2, &lists.n_axes);
  lists.steps = sonde_kernel_ints (context, first + 3, &lists.n_steps);
  if (sonde_tensor_n_elements (part) == 0
      || !slice_read (&lists, whole->shape.rank, whole->shape.dims, &range, NULL))
    return;
  sonde_strided_row_major (&whole->shape, own);
  sonde_strided_row_major (&part->shape, in_part);
  for (int d = 0; d < whole->shape.rank; d++)
    {
      in_whole[d] = own[d] * range.step[d];
      offset += own[d] * range.start[d];
    }
  start = whole->data + offset * (gint64) size;
  if (into_whole)
    sonde_strided_copy (&part->shape, size, part->data, in_part, start, in_whole);
  else
    sonde_strided_copy (&part->shape, size, start, in_whole, part->data, in_part);
}

static void
compute_slice (const SondeKernelContext *context)
{
  slice_copy (context, 1, context->inputs[0], context->outputs[0], FALSE);
  sonde_kernel_own_strings (context->outputs[0]);
}

static void
compute_slice_grad (const SondeKernelContext *context)
{
  SondeTensor *dx = context->outputs[0];

  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  slice_copy (context, 2, dx, context->inputs[0], TRUE);
}

static gboolean
gradient_slice (SondeGradientContext *context,
                GError              **error)
{
  SondeGraphValue *inputs[6] = { sonde_rule_dy (context) };
  guint n = context->node->inputs->len;

  for (guint k = 0; k < n; k++)
    inputs[k + 1] = sonde_rule_x (context, k);
  context->input_gradients[0] = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "SliceGrad", n + 1, inputs);
  return TRUE;
}

/* ---- Gather ----------------------------------------------------------------------------------- */

static gboolean
gather_axis (const SondeNode *node,
             int              rank,
             int             *axis,
             GError         **error)
{
  return sonde_infer_axis (sonde_node_get_int (node, "axis", 0), rank, axis, error);
}

/* Indices that are known already are checked here; a kernel cannot complain. */
static gboolean
check_known_indices (const SondeInferContext *context,
                     guint                    k,
                     gint64                   size,
                     GError                 **error)
{
  gsize n = 0;
  g_autofree gint64 *indices = sonde_infer_known_ints (context, k, &n);

  for (gsize i = 0; i < n && size >= 0; i++)
    if (indices[i] < -size || indices[i] >= size)
      return sonde_infer_fail (error, "index %" G_GINT64_FORMAT " is outside of a dimension of size %"
                               G_GINT64_FORMAT, indices[i], size);
  return TRUE;
}

static gboolean
infer_gather (SondeInferContext *context,
              GError           **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *indices = &context->inputs[1];
  SondeType type;
  int axis = 0;

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!gather_axis (context->node, x->rank, &axis, error)
      || !check_known_indices (context, 1, x->dims[axis].size, error))
    return FALSE;
  if (x->rank + indices->rank - 1 > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the result would have more than %d dimensions", SONDE_MAX_RANK);
  type = sonde_infer_type (x->dtype, x->rank + indices->rank - 1);
  for (int d = 0; d < type.rank; d++)
    type.dims[d] = d < axis                   ? x->dims[d]
                   : d < axis + indices->rank ? indices->dims[d - axis]
                                              : x->dims[d - indices->rank + 1];
  context->outputs[0] = type;
  return TRUE;
}

/* The position an index means; -1 outside. */
static inline gint64
resolve_index (gint64 index,
               gint64 size)
{
  if (index < 0)
    index += size;
  return index >= 0 && index < size ? index : -1;
}

/* An index outside gives NaN in floats, 0 or "" elsewhere: a finding, no crash. */
static void
fill_outside (SondeDtype dtype,
              guint8    *to,
              gsize      bytes)
{
  memset (to, sonde_dtype_is_float (dtype) ? 0xff : 0, bytes);
}

static void
compute_gather (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  gsize n = 0;
  g_autofree gint64 *indices = sonde_kernel_ints (context, 1, &n);
  int axis = 0;
  gint64 outer, size;
  gsize row;
  guint8 *to = y->data;

  (void) gather_axis (context->node, x->shape.rank, &axis, NULL);
  outer = sonde_shape_product (&x->shape, 0, axis);
  size = x->shape.dims[axis];
  row = (gsize) sonde_shape_product (&x->shape, axis + 1, x->shape.rank) * sonde_dtype_size (x->dtype);
  for (gint64 o = 0; o < outer; o++)
    for (gsize i = 0; i < n; i++, to += row)
      {
        gint64 at = resolve_index (indices[i], size);

        if (at < 0)
          fill_outside (x->dtype, to, row);
        else
          memcpy (to, x->data + (gsize) (o * size + at) * row, row);
      }
  sonde_kernel_own_strings (y);
}

#define SCATTER_ADD(suffix, T)                                                                     \
  static void scatter_add_##suffix (gint64 outer, gint64 size, gint64 row, gsize n,                \
                                    const gint64 *indices, const void *from, void *to)             \
  {                                                                                                \
    const T *dy = from;                                                                            \
    for (gint64 o = 0; o < outer; o++)                                                             \
      for (gsize i = 0; i < n; i++, dy += row)                                                     \
        {                                                                                          \
          gint64 at = resolve_index (indices[i], size);                                            \
          T *restrict dx = (T *) to + (o * size + at) * row;                                       \
          for (gint64 e = 0; e < row && at >= 0; e++)                                              \
            dx[e] += dy[e];                                                                        \
        }                                                                                          \
  }
SCATTER_ADD (f32, float)
SCATTER_ADD (f64, double)

/* dx is zero where no index points; rows named twice get the sum. */
static void
compute_gather_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *dx = context->outputs[0];
  gsize n = 0;
  g_autofree gint64 *indices = sonde_kernel_ints (context, 2, &n);
  int axis = 0;
  gint64 outer, row;

  (void) gather_axis (context->node, dx->shape.rank, &axis, NULL);
  outer = sonde_shape_product (&dx->shape, 0, axis);
  row = sonde_shape_product (&dx->shape, axis + 1, dx->shape.rank);
  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  SONDE_FLOAT_CALL (dx->dtype, scatter_add, outer, dx->shape.dims[axis], row, n, indices, dy->data, dx->data);
}

static gboolean
gradient_gather (SondeGradientContext *context,
                 GError              **error)
{
  context->input_gradients[0] = sonde_rule_own_copying (context, "GatherGrad", sonde_rule_dy (context),
                                                        sonde_rule_x (context, 0), sonde_rule_x (context, 1), NULL);
  return TRUE;
}

/* ---- Pad -------------------------------------------------------------------------------------- */

/* Elements before and after each dimension; negative ones crop. */
typedef struct
{
  gint64 before[SONDE_MAX_RANK], after[SONDE_MAX_RANK];
} Pads;

static gboolean
pads_read (const gint64 *values,
           gsize         n_values,
           const gint64 *axes,
           gsize         n_axes,
           int           rank,
           Pads         *pads,
           GError      **error)
{
  gsize n = axes ? n_axes : (gsize) rank;

  memset (pads, 0, sizeof *pads);
  if (n_values != 2 * n)
    return sonde_infer_fail (error, "%" G_GSIZE_FORMAT " pads for %" G_GSIZE_FORMAT " dimensions, but needs two for each",
                             n_values, n);
  for (gsize i = 0; i < n; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (axes ? axes[i] : (gint64) i, rank, &axis, error))
        return FALSE;
      if (ABS (values[i]) > G_MAXINT32 || ABS (values[i + n]) > G_MAXINT32)
        return sonde_infer_fail (error, "the pads of dimension %d are impossible", axis);
      pads->before[axis] = values[i];
      pads->after[axis] = values[i + n];
    }
  return TRUE;
}

static const char *
pad_mode (const SondeNode *node)
{
  return sonde_node_get_string (node, "mode", "constant");
}

/* @first: index of the input with pads; @axes: of that with axes */
static gboolean
pads_known (const SondeInferContext *context,
            guint                    first,
            guint                    axes_at,
            int                      rank,
            Pads                    *pads,
            gboolean                *known,
            GError                 **error)
{
  gsize n = 0, n_axes = 0;
  g_autofree gint64 *values = sonde_infer_known_ints (context, first, &n);
  g_autofree gint64 *axes = sonde_infer_known_ints (context, axes_at, &n_axes);

  *known = values != NULL && (sonde_infer_input (context, axes_at) == NULL || axes != NULL);
  return !*known || pads_read (values, n, axes, n_axes, rank, pads, error);
}

static gboolean
pad_dimension (const SondeType *x,
               int              d,
               const Pads      *pads,
               const char      *mode,
               SondeDimension  *result,
               GError         **error)
{
  gint64 size = x->dims[d].size;
  gint64 most = MAX (pads->before[d], pads->after[d]);
  gint64 padded = size + pads->before[d] + pads->after[d];

  *result = x->dims[d];
  if (pads->before[d] == 0 && pads->after[d] == 0)
    return TRUE;
  *result = sonde_dimension (-1);
  if (size < 0)
    return TRUE;
  if (padded < 0 || size + MIN (pads->before[d], 0) < 0 || size + MIN (pads->after[d], 0) < 0)
    return sonde_infer_fail (error, "crops more than size %" G_GINT64_FORMAT " of dimension %d", size, d);
  if (most > 0 && ((strcmp (mode, "reflect") == 0 && most >= size) || (strcmp (mode, "constant") != 0 && size == 0)))
    return sonde_infer_fail (error, "mode %s cannot make %" G_GINT64_FORMAT " elements from size %" G_GINT64_FORMAT
                             " of dimension %d", mode, most, size, d);
  result->size = padded;
  return TRUE;
}

static gboolean
infer_pad (SondeInferContext *context,
           GError           **error)
{
  const SondeType *x = &context->inputs[0];
  gboolean known = FALSE;
  SondeType type;
  Pads pads;

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (sonde_infer_input (context, 2) && context->inputs[2].dtype != x->dtype
      && context->inputs[2].kind == SONDE_VALUE_TENSOR && x->kind == SONDE_VALUE_TENSOR)
    return sonde_infer_fail (error, "the value is %s, but the input is %s",
                             sonde_dtype_name (context->inputs[2].dtype), sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!pads_known (context, 1, 3, x->rank, &pads, &known, error))
    return FALSE;
  type = sonde_infer_type (x->dtype, x->rank);
  for (int d = 0; d < x->rank && known; d++)
    if (!pad_dimension (x, d, &pads, pad_mode (context->node), &type.dims[d], error))
      return FALSE;
  context->outputs[0] = type;
  return TRUE;
}

/* Which element of the input stands at padded position @at; -1: the constant. */
static gint64
pad_source (gint64      at,
            gint64      size,
            const char *mode)
{
  if (at >= 0 && at < size)
    return at;
  if (strcmp (mode, "edge") == 0)
    return at < 0 ? 0 : size - 1;
  if (strcmp (mode, "wrap") == 0)
    return (at % size + size) % size;
  if (strcmp (mode, "reflect") == 0)
    return at < 0 ? -at : 2 * (size - 1) - at;
  return -1;
}

/* For each dimension a table from output position to input position; -1: outside. */
static gint64 *
pad_table (const SondeShape *whole,
           const SondeShape *x,
           const Pads       *pads,
           const char       *mode,
           gint64          **tables)
{
  gint64 n = 0;
  gint64 *memory = NULL;

  for (int d = 0; d < whole->rank; d++)
    n += whole->dims[d];
  memory = g_new (gint64, n + 1);
  n = 0;
  for (int d = 0; d < whole->rank; d++)
    {
      tables[d] = memory + n;
      for (gint64 i = 0; i < whole->dims[d]; i++)
        memory[n++] = pad_source (i - pads->before[d], x->dims[d], mode);
    }
  return memory;
}

/* Walks rows of the padded tensor; @visit gets the row's place in both. */
typedef void (*PadRow) (gpointer      data,
                        gint64        padded_offset,
                        gint64        x_offset, /* -1: the whole row is outside */
                        gint64        n,
                        const gint64 *columns);

static void
pad_walk (const SondeShape *whole,
          const SondeShape *x,
          const Pads       *pads,
          const char       *mode,
          PadRow            visit,
          gpointer          data)
{
  gint64 *tables[SONDE_MAX_RANK];
  g_autofree gint64 *memory = pad_table (whole, x, pads, mode, tables);
  gint64 own[SONDE_MAX_RANK];
  gint64 index[SONDE_MAX_RANK] = { 0 };
  int last = whole->rank - 1;
  gint64 total = sonde_shape_product (whole, 0, whole->rank);

  sonde_strided_row_major (x, own);
  for (gint64 done = 0; done < total; done += whole->dims[last])
    {
      gint64 offset = 0;

      for (int d = 0; d < last && offset >= 0; d++)
        offset = tables[d][index[d]] < 0 ? -1 : offset + tables[d][index[d]] * own[d];
      visit (data, done, offset, whole->dims[last], tables[last]);
      for (int d = last - 1; d >= 0; d--)
        {
          if (++index[d] < whole->dims[d])
            break;
          index[d] = 0;
        }
    }
}

typedef struct
{
  gsize size;
  const guint8 *x;
  const guint8 *value;
  guint8 *y;
} PadCopy;

static void
pad_copy_row (gpointer      data,
              gint64        padded_offset,
              gint64        x_offset,
              gint64        n,
              const gint64 *columns)
{
  PadCopy *copy = data;
  gsize size = copy->size;

  for (gint64 i = 0; i < n; i++)
    memcpy (copy->y + (gsize) (padded_offset + i) * size,
            x_offset < 0 || columns[i] < 0 ? copy->value : copy->x + (gsize) (x_offset + columns[i]) * size, size);
}

static gboolean
pads_of_kernel (const SondeKernelContext *context,
                guint                     first,
                guint                     axes_at,
                int                       rank,
                Pads                     *pads)
{
  gsize n = 0, n_axes = 0;
  g_autofree gint64 *values = sonde_kernel_ints (context, first, &n);
  g_autofree gint64 *axes = sonde_kernel_ints (context, axes_at, &n_axes);

  return pads_read (values, n, axes, n_axes, rank, pads, NULL);
}

static void
compute_pad (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  SondeTensor *value = sonde_kernel_input (context, 2);
  guint64 zero = 0;
  gboolean given = value != NULL && sonde_tensor_n_elements (value) > 0;
  PadCopy copy = { sonde_dtype_size (x->dtype), x->data, given ? value->data : (guint8 *) &zero, y->data };
  Pads pads;

  if (x->shape.rank == 0)
    sonde_kernel_copy (x, y);
  else if (pads_of_kernel (context, 1, 3, x->shape.rank, &pads))
    {
      pad_walk (&y->shape, &x->shape, &pads, pad_mode (context->node), pad_copy_row, &copy);
      sonde_kernel_own_strings (y);
    }
}

#define PAD_ADD_ROW(suffix, T)                                                                       \
  static void pad_add_row_##suffix (gpointer data, gint64 padded_offset, gint64 x_offset, gint64 n,  \
                                    const gint64 *columns)                                           \
  {                                                                                                  \
    PadCopy *copy = data;                                                                            \
    const T *dy = (const T *) (const void *) copy->x + padded_offset;                                \
    T *dx = (T *) (void *) copy->y + x_offset;                                                       \
    for (gint64 i = 0; i < n && x_offset >= 0; i++)                                                  \
      if (columns[i] >= 0)                                                                           \
        dx[columns[i]] += dy[i];                                                                     \
  }
PAD_ADD_ROW (f32, float)
PAD_ADD_ROW (f64, double)

static void
compute_pad_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *dx = context->outputs[0];
  PadCopy copy = { 0, dy->data, NULL, dx->data };
  Pads pads;

  if (dx->shape.rank == 0)
    {
      sonde_kernel_copy (dy, dx);
      return;
    }
  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  if (pads_of_kernel (context, 2, 3, dx->shape.rank, &pads))
    pad_walk (&dy->shape, &dx->shape, &pads, pad_mode (context->node),
              dx->dtype == SONDE_DTYPE_F64 ? pad_add_row_f64 : pad_add_row_f32, &copy);
}

static gboolean
gradient_pad (SondeGradientContext *context,
              GError              **error)
{
  SondeGraphValue *inputs[] = { sonde_rule_dy (context), sonde_rule_x (context, 0), sonde_rule_x (context, 1),
                                sonde_rule_x (context, 3) };
  SondeGraphValue *dx = NULL;

  if (context->wanted[0])
    {
      dx = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "PadGrad", inputs[3] ? 4 : 3, inputs);
      sonde_rule_copy_attributes (dx->producer, context->node);
      context->input_gradients[0] = sonde_rule_infer (context, dx);
    }
  return TRUE;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static const char *const pad_modes[] = { "constant", "reflect", "edge", "wrap", NULL };
static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule mode_rule[] = { { "mode", SONDE_ATTRIBUTE_STRING, .choices = pad_modes }, { NULL } };

#define ROW(set, label, opset, least, most, kind, rules, rule, loop, derivative, likes)             \
  {                                                                                                 \
    .domain = set, .name = label, .since = opset, .min_inputs = least, .max_inputs = most,          \
    .min_outputs = 1, .max_outputs = 1, .family = kind, .attributes = rules, .infer = rule,         \
    .compute = loop, .gradient = derivative, .shape_only = likes,                                   \
  }

const SondeOpClass sonde_ops_index[] = {
  ROW ("", "Gather", 1, 2, 2, SONDE_FAMILY_SHAPE, axis_rule, infer_gather, compute_gather, gradient_gather, 0),
  ROW ("", "Pad", 11, 2, 4, SONDE_FAMILY_SHAPE, mode_rule, infer_pad, compute_pad, gradient_pad, 0),
  ROW ("", "Slice", 10, 3, 5, SONDE_FAMILY_SHAPE, NULL, infer_slice, compute_slice, gradient_slice, 0),
  ROW (SONDE_DOMAIN, "GatherGrad", 1, 3, 3, SONDE_FAMILY_GRADIENT, axis_rule, sonde_infer_like_second,
       compute_gather_grad, NULL, 1 << 1),
  ROW (SONDE_DOMAIN, "PadGrad", 1, 3, 4, SONDE_FAMILY_GRADIENT, mode_rule, sonde_infer_like_second,
       compute_pad_grad, NULL, 1 << 1),
  ROW (SONDE_DOMAIN, "SliceGrad", 1, 4, 6, SONDE_FAMILY_GRADIENT, NULL, sonde_infer_like_second,
       compute_slice_grad, NULL, 1 << 1),
  { .name = NULL },
};
