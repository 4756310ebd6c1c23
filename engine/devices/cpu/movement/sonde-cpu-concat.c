/* SPDX-License-Identifier: Apache-2.0
 * Concat and Split: runs of the parts to and from the whole, plain or channels-last. */
#include "engine/devices/cpu/movement/sonde-cpu-copy.h"

#include "engine/ops/sonde-strided.h"

#include <string.h>

/**
 * ConcatKernel: the whole seen as [outer, the parts' runs one after the other]
 * @row: bytes of all parts of one @outer
 * @ends: by part, where its run ends within a row, in bytes
 */
typedef struct
{
  SondeKernel base;
  gboolean split;
  guint n;
  gint64 outer, row;
  gint64 ends[];
} ConcatKernel;

typedef struct
{
  const ConcatKernel *kernel;
  void *const *parts;
  guint8 *whole;
} ConcatCall;

#define LINE 64

/* Cache lines of the whole. */
static void
concat_range (gint64 begin, gint64 end, gpointer data)
{
  const ConcatCall *call = data;
  const ConcatKernel *kernel = call->kernel;
  gint64 at = begin * LINE, stop = MIN (end * LINE, kernel->outer * kernel->row);
  gint64 outer = at / kernel->row, place = at % kernel->row;
  guint k = 0;

  while (kernel->ends[k] <= place)
    k++;

  while (at < stop)
    {
      gint64 first = k > 0 ? kernel->ends[k - 1] : 0;
      gint64 bytes = MIN (kernel->ends[k] - place, stop - at);
      guint8 *part = call->parts[k];

      if (part != NULL && kernel->split)
        memcpy (part + outer * (kernel->ends[k] - first) + place - first, call->whole + at,
                (gsize) bytes);
      else if (part != NULL)
        memcpy (call->whole + at, part + outer * (kernel->ends[k] - first) + place - first,
                (gsize) bytes);

      at += bytes;
      place += bytes;
      while (k < kernel->n && kernel->ends[k] <= place)
        k++;
      if (k == kernel->n)
        {
          k = 0;
          place = 0;
          outer++;
          while (k < kernel->n && kernel->ends[k] == 0)
            k++;
        }
    }
}

static gboolean
run_concat (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const ConcatKernel *kernel = (ConcatKernel *) base;
  ConcatCall call = { kernel, arguments->inputs, arguments->outputs[0] };

  if (kernel->split)
    {
      call.parts = arguments->outputs;
      call.whole = arguments->inputs[0];
    }

  sonde_cpu_for (device, (kernel->outer * kernel->row + LINE - 1) / LINE, LINE / 8, concat_range,
                 &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

/* Elements of one run: all that lies further in than @axis, and what the part has along it. */
static gint64
run_length (const SondeShape *shape, gint64 axis, gboolean channels_last)
{
  gint64 strides[SONDE_MAX_RANK];

  if (!channels_last)
    {
      sonde_strided_row_major (shape, strides);
      return strides[axis] * shape->dims[axis];
    }

  if (axis == 1)
    return shape->dims[1];

  strides[1] = shape->dims[1];
  for (int d = shape->rank - 1; d >= 2; d--)
    {
      strides[1] *= shape->dims[d];
      if (d == axis)
        return strides[1];
    }
  return strides[1] * shape->dims[0];
}

static gboolean
fill_kernel (ConcatKernel *kernel, SondeGraphValue *const *parts, guint n, const SondeShape *whole,
             SondeDtype dtype, gint64 axis, gboolean channels_last)
{
  const gint64 size = (gint64) sonde_dtype_size (dtype);
  gint64 end = 0;

  for (guint k = 0; k < n; k++)
    {
      SondeShape shape;

      if (!sonde_type_get_shape (&parts[k]->type, &shape) || shape.rank != whole->rank)
        return FALSE;
      end += run_length (&shape, axis, channels_last) * size;
      kernel->ends[k] = end;
    }

  kernel->n = n;
  kernel->row = run_length (whole, axis, channels_last) * size;
  kernel->outer = sonde_shape_n_elements (whole) * size / kernel->row;
  return kernel->row == end;
}

/* The whole's sizes and axis, if its elements are plain bytes and all parts are there. */
static gboolean
read_whole (const SondePrepareRequest *request, const SondeGraphValue *value,
            SondeGraphValue *const *parts, guint n, gint64 default_axis, SondeShape *whole,
            gint64 *axis)
{
  for (guint k = 0; k < n; k++)
    if (parts[k] == NULL || parts[k]->type.dtype != value->type.dtype)
      return FALSE;

  if (value->type.dtype == SONDE_DTYPE_STRING || !sonde_type_get_shape (&value->type, whole)
      || sonde_shape_n_elements (whole) <= 0)
    return FALSE;

  *axis = sonde_node_get_int (request->nodes[0], "axis", default_axis);
  *axis += *axis < 0 ? whole->rank : 0;
  return *axis >= 0 && *axis < whole->rank;
}

static SondeKernel *
finish (SondePrepareRequest *request, ConcatKernel *kernel, gboolean split)
{
  kernel->base.run = run_concat;
  kernel->split = split;
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "copy";
  return &kernel->base;
}

static gboolean
any_channels_last (const SondePrepareRequest *request)
{
  if (request->plain_layouts)
    return FALSE;

  for (guint k = 0; k < request->n_inputs; k++)
    if (request->input_layouts[k] != NULL && request->input_layouts[k]->channels_last)
      return TRUE;

  return FALSE;
}

static SondeKernel *
prepare_concat (SondeCpuDevice *device, SondePrepareRequest *request)
{
  guint n = request->n_inputs;
  g_autofree ConcatKernel *kernel = g_malloc0 (sizeof (ConcatKernel) + n * sizeof (gint64));
  gboolean channels_last = any_channels_last (request);
  SondeShape whole;
  gint64 axis;

  if (!sonde_cpu_has_output (request, 0)
      || !read_whole (request, request->outputs[0], request->inputs, n, 1, &whole, &axis)
      || !fill_kernel (kernel, request->inputs, n, &whole, request->outputs[0]->type.dtype, axis,
                       channels_last))
    return NULL;

  for (guint k = 0; k < n; k++)
    if (channels_last)
      sonde_cpu_want_channels_last (device, request, k);
    else
      sonde_cpu_want_plain (device, request, k);
  if (channels_last)
    sonde_cpu_give_channels_last (request, 0);

  return finish (request, g_steal_pointer (&kernel), FALSE);
}

static SondeKernel *
prepare_split (SondeCpuDevice *device, SondePrepareRequest *request)
{
  guint n = request->n_outputs;
  g_autofree ConcatKernel *kernel = g_malloc0 (sizeof (ConcatKernel) + n * sizeof (gint64));
  gboolean channels_last = any_channels_last (request);
  SondeShape whole;
  gint64 axis;

  if (!sonde_cpu_has_input (request, 0)
      || !read_whole (request, request->inputs[0], request->outputs, n, 0, &whole, &axis)
      || !fill_kernel (kernel, request->outputs, n, &whole, request->inputs[0]->type.dtype, axis,
                       channels_last))
    return NULL;

  if (!channels_last)
    sonde_cpu_want_plain (device, request, 0);
  for (guint k = 1; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  for (guint k = 0; k < n && channels_last; k++)
    sonde_cpu_give_channels_last (request, k);

  return finish (request, g_steal_pointer (&kernel), TRUE);
}

const SondeCpuRow sonde_cpu_concat_rows[] = {
  { "", "Concat", prepare_concat },
  { "", "Split", prepare_split },
  { NULL, NULL, NULL },
};
