/* SPDX-License-Identifier: Apache-2.0
 * Operators that are one strided copy: Transpose, Slice, Expand, Tile. Channels-last memory is read
 * as it lies. */
#include "engine/devices/cpu/movement/sonde-cpu-copy.h"

#include "engine/ops/sonde-strided.h"

/**
 * ArrangeKernel:
 * @offset: bytes, of the first element at the source
 * @whole: the memory stays as it is, and only means something else
 */
typedef struct
{
  SondeKernel base;
  gsize offset;
  gboolean whole;
  SondeCpuCopy copy;
} ArrangeKernel;

static gboolean
run_arrange (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  const ArrangeKernel *kernel = (ArrangeKernel *) base;

  if (kernel->whole && arguments->inputs[0] == arguments->outputs[0])
    return TRUE;
  sonde_cpu_copy_run (device, &kernel->copy, (const guint8 *) arguments->inputs[0] + kernel->offset,
                      arguments->outputs[0]);
  return TRUE;
}

/* Shapes of input 0 and output 0 where such a copy makes sense; types and ranks of other inputs are
 * the shape rule's to check. */
static gboolean
get_shapes (const SondePrepareRequest *request, SondeShape *x, SondeShape *y)
{
  return sonde_cpu_has_input (request, 0) && sonde_cpu_has_output (request, 0)
         && request->inputs[0]->type.dtype == request->outputs[0]->type.dtype
         && request->inputs[0]->type.dtype != SONDE_DTYPE_STRING
         && sonde_type_get_shape (&request->inputs[0]->type, x)
         && sonde_type_get_shape (&request->outputs[0]->type, y) && sonde_shape_n_elements (x) > 0
         && sonde_shape_n_elements (y) > 0;
}

/* All of input 0, in the order in which it lies. */
static gboolean
is_whole (const SondePrepareRequest *request, const SondeCpuCopy *copy)
{
  SondeShape x;

  return copy->rank == 1 && copy->from[0] == 1
         && sonde_type_get_shape (&request->inputs[0]->type, &x)
         && copy->dims[0] == sonde_shape_n_elements (&x);
}

/* @dims with strides @from (in elements of the input) are written to output 0, whose strides are
 * @to. */
static SondeKernel *
finish (SondePrepareRequest *request, int rank, const gint64 *dims, const gint64 *from,
        const gint64 *to, gint64 offset)
{
  ArrangeKernel *kernel = g_new0 (ArrangeKernel, 1);
  gsize size = sonde_dtype_size (request->inputs[0]->type.dtype);

  kernel->base.run = run_arrange;
  kernel->offset = (gsize) offset * size;
  sonde_cpu_copy_init (&kernel->copy, size, rank, dims, from, to);
  kernel->whole = is_whole (request, &kernel->copy) && offset == 0;
  request->in_place = kernel->whole;
  request->workspace_bytes = 0;
  request->implementation = "copy";
  return &kernel->base;
}

/* All inputs but the first plain; the first as it lies where that is dense. */
static const SondeLayout *
take_layouts (SondeCpuDevice *device, SondePrepareRequest *request)
{
  for (guint k = 1; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);

  if (request->input_layouts[0] != NULL && !request->input_layouts[0]->channels_last)
    sonde_cpu_want_plain (device, request, 0);
  return request->input_layouts[0];
}

/* ---- Transpose ----------------------------------------------------------- */

/* What lies at strides @from lies channels-last in a result of @shape: so plain [N, space…, C]
 * becomes [N, C, space…]. */
static gboolean
brings_channels (const SondeShape *shape, const gint64 *from)
{
  gint64 stride = 1;

  if (shape->rank < 3 || shape->rank > 5)
    return FALSE;

  for (int i = 0; i < shape->rank; i++)
    {
      /* C, then space from its end, then N */
      const int d = i == 0 ? 1 : i < shape->rank - 1 ? shape->rank - i : 0;

      if (shape->dims[d] != 1 && from[d] != stride)
        return FALSE;
      stride *= shape->dims[d];
    }

  return TRUE;
}

static SondeKernel *
prepare_transpose (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gsize n = 0;
  const gint64 *given = sonde_node_get_ints (request->nodes[0], "perm", &n);
  gint64 permutation[SONDE_MAX_RANK], own[SONDE_MAX_RANK], from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  const SondeLayout *layout;
  SondeShape x, y;

  if (!get_shapes (request, &x, &y) || (given != NULL && n != (gsize) x.rank))
    return NULL;

  for (int d = 0; d < x.rank; d++)
    permutation[d] = given != NULL ? given[d] : x.rank - 1 - d;

  layout = take_layouts (device, request);
  sonde_cpu_copy_strides (&x, layout, own);
  for (int d = 0; d < x.rank; d++)
    from[d] = own[permutation[d]];
  if (layout == NULL && brings_channels (&y, from))
    sonde_cpu_give_channels_last (request, 0);
  sonde_cpu_copy_strides (&y, request->output_layouts[0], to);

  return finish (request, x.rank, y.dims, from, to, 0);
}

/* ---- Expand, Tile -------------------------------------------------------- */

static SondeKernel *
prepare_expand (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gint64 from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  SondeShape x, y;

  if (!get_shapes (request, &x, &y))
    return NULL;

  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);

  sonde_strided_broadcast (&x, &y, from);
  sonde_cpu_copy_strides (&y, NULL, to);
  return finish (request, y.rank, y.dims, from, to, 0);
}

/* Each dimension is two: how often, and the input's own. */
static SondeKernel *
prepare_tile (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gint64 dims[SONDE_MAX_RANK], from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  gint64 x_strides[SONDE_MAX_RANK], y_strides[SONDE_MAX_RANK];
  SondeShape x, y;
  int n = 0;

  if (!get_shapes (request, &x, &y) || x.rank != y.rank || 2 * x.rank > SONDE_MAX_RANK)
    return NULL;

  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);

  sonde_cpu_copy_strides (&x, NULL, x_strides);
  sonde_cpu_copy_strides (&y, NULL, y_strides);
  for (int d = 0; d < x.rank; d++)
    {
      dims[n] = y.dims[d] / x.dims[d];
      from[n] = 0;
      to[n++] = y_strides[d] * x.dims[d];
      dims[n] = x.dims[d];
      from[n] = x_strides[d];
      to[n++] = y_strides[d];
    }

  return finish (request, n, dims, from, to, 0);
}

/* ---- Slice --------------------------------------------------------------- */

/* The tensor of a constant input. FALSE: it is there, but not constant. */
static gboolean
read_constant (const SondePrepareRequest *request, guint k, SondeTensor **tensor)
{
  const SondeGraphValue *value = sonde_cpu_has_input (request, k) ? request->inputs[k] : NULL;

  *tensor = NULL;
  if (value == NULL)
    return TRUE;
  if (value->constant == NULL || value->role != SONDE_ROLE_CONSTANT)
    return FALSE;

  *tensor = sonde_value_get_tensor (value->constant);
  return *tensor != NULL;
}

/* First element and step of each dimension; that they fit was the shape rule's to check. */
static gboolean
read_slice (const SondePrepareRequest *request, const SondeShape *x, gint64 *starts, gint64 *steps)
{
  SondeTensor *lists[5] = { NULL };

  for (guint k = 1; k < 5; k++)
    if (!read_constant (request, k, &lists[k]))
      return FALSE;
  if (lists[1] == NULL)
    return FALSE;

  for (int d = 0; d < x->rank; d++)
    {
      starts[d] = 0;
      steps[d] = 1;
    }

  for (gint64 i = 0; i < sonde_tensor_n_elements (lists[1]); i++)
    {
      gint64 axis = lists[3] != NULL ? sonde_tensor_get_int (lists[3], i) : i;
      gint64 start = sonde_tensor_get_int (lists[1], i);
      gint64 step = lists[4] != NULL ? sonde_tensor_get_int (lists[4], i) : 1;

      axis += axis < 0 ? x->rank : 0;
      if (axis < 0 || axis >= x->rank)
        return FALSE;
      if (start < 0)
        start = start < -x->dims[axis] ? -1 : start + x->dims[axis];
      starts[axis] = CLAMP (start, 0, step > 0 ? x->dims[axis] : x->dims[axis] - 1);
      steps[axis] = step;
    }

  return TRUE;
}

static SondeKernel *
prepare_slice (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gint64 starts[SONDE_MAX_RANK], steps[SONDE_MAX_RANK], from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  SondeLayout *layout;
  SondeShape x, y;
  gint64 offset = 0;

  if (!get_shapes (request, &x, &y) || x.rank != y.rank || !read_slice (request, &x, starts, steps))
    return NULL;

  take_layouts (device, request);
  layout = request->input_layouts[0];
  if (layout != NULL)
    sonde_cpu_give_channels_last (request, 0);
  sonde_cpu_copy_strides (&x, layout, from);
  /* A result of few channels or pixels may be plain and channels-last at once. */
  sonde_cpu_copy_strides (&y, request->output_layouts[0], to);
  for (int d = 0; d < x.rank; d++)
    {
      offset += starts[d] * from[d];
      from[d] = y.dims[d] > 1 ? from[d] * steps[d] : 0;
    }

  return finish (request, x.rank, y.dims, from, to, offset);
}

const SondeCpuRow sonde_cpu_arrange_rows[] = {
  { "", "Expand", prepare_expand },
  { "", "Slice", prepare_slice },
  { "", "Tile", prepare_tile },
  { "", "Transpose", prepare_transpose },
  { NULL, NULL, NULL },
};
