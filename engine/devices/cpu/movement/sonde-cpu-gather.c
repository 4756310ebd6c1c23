/* SPDX-License-Identifier: Apache-2.0
 * Gather: rows by memcpy. An index outside is for the reference kernel to judge. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/devices/sonde-host-kernel.h"

#include <string.h>

/**
 * GatherKernel: x [outer, size, row bytes] → y [outer, n, row bytes]
 * @narrow: indices are int32
 */
typedef struct
{
  SondeKernel base;
  SondeHostKernel *host;
  gint64 outer, size, n;
  gsize row;
  gboolean narrow;
} GatherKernel;

typedef struct
{
  const GatherKernel *kernel;
  const guint8 *x;
  const void *indices;
  guint8 *y;
} GatherCall;

static inline gint64
get_index (const GatherKernel *kernel, const void *indices, gint64 i)
{
  gint64 index = kernel->narrow ? ((const gint32 *) indices)[i] : ((const gint64 *) indices)[i];

  return index < 0 ? index + kernel->size : index;
}

static gboolean
all_inside (const GatherKernel *kernel, const void *indices)
{
  for (gint64 i = 0; i < kernel->n; i++)
    {
      gint64 index = get_index (kernel, indices, i);

      if (index < 0 || index >= kernel->size)
        return FALSE;
    }

  return TRUE;
}

static void
gather_range (gint64 begin, gint64 end, gpointer data)
{
  const GatherCall *call = data;
  const GatherKernel *kernel = call->kernel;
  const gsize row = kernel->row;

  for (gint64 i = begin; i < end; i++)
    {
      gint64 at = i / kernel->n * kernel->size + get_index (kernel, call->indices, i % kernel->n);
      const guint8 *from = call->x + (gsize) at * row;
      guint8 *to = call->y + (gsize) i * row;

      if (row == 4)
        memcpy (to, from, 4);
      else if (row == 8)
        memcpy (to, from, 8);
      else
        memcpy (to, from, row);
    }
}

static gboolean
run_gather (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const GatherKernel *kernel = (GatherKernel *) base;
  GatherCall call = { kernel, arguments->inputs[0], arguments->inputs[1], arguments->outputs[0] };

  if (!all_inside (kernel, call.indices))
    return sonde_host_kernel_run (kernel->host, arguments, error);

  sonde_cpu_for (device, kernel->outer * kernel->n, (gint64) (kernel->row / 4 + 1), gather_range,
                 &call);
  return TRUE;
}

static void
free_gather (SondeKernel *base)
{
  sonde_host_kernel_free (((GatherKernel *) base)->host);
  g_free (base);
}

static gint64
product (const SondeShape *shape, gint64 first, gint64 end)
{
  gint64 n = 1;

  for (gint64 d = first; d < end; d++)
    n *= shape->dims[d];
  return n;
}

static SondeKernel *
prepare_gather (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gint64 axis = sonde_node_get_int (request->nodes[0], "axis", 0);
  SondeShape x, indices, y;
  SondeHostKernel *host;
  GatherKernel *kernel;
  SondeDtype dtype;

  if (!sonde_cpu_has_input (request, 0) || !sonde_cpu_has_input (request, 1)
      || !sonde_cpu_has_output (request, 0) || request->inputs[0]->type.dtype == SONDE_DTYPE_STRING
      || !sonde_type_get_shape (&request->inputs[0]->type, &x)
      || !sonde_type_get_shape (&request->inputs[1]->type, &indices)
      || !sonde_type_get_shape (&request->outputs[0]->type, &y) || sonde_shape_n_elements (&y) <= 0)
    return NULL;

  dtype = request->inputs[1]->type.dtype;
  axis += axis < 0 ? x.rank : 0;
  if (axis < 0 || axis >= x.rank || (dtype != SONDE_DTYPE_I32 && dtype != SONDE_DTYPE_I64))
    return NULL;

  host = sonde_host_kernel_new (&device->base, request, NULL);
  if (host == NULL)
    return NULL;

  kernel = g_new0 (GatherKernel, 1);
  kernel->base.run = run_gather;
  kernel->base.free = free_gather;
  kernel->host = host;
  kernel->narrow = dtype == SONDE_DTYPE_I32;
  kernel->n = sonde_shape_n_elements (&indices);
  kernel->outer = product (&x, 0, axis);
  kernel->size = x.dims[axis];
  kernel->row
      = (gsize) product (&x, axis + 1, x.rank) * sonde_dtype_size (request->inputs[0]->type.dtype);
  request->in_place = FALSE;
  request->implementation = "copy";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_gather_rows[] = {
  { "", "Gather", prepare_gather },
  { NULL, NULL, NULL },
};
