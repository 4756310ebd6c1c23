/* SPDX-License-Identifier: Apache-2.0
 * Reorders between plain and channels-last in tiles of our own: oneDNN's loops take several times
 * as long where the strides are powers of two. */
#include "engine/devices/cpu/movement/sonde-cpu-copy.h"

typedef struct
{
  SondeKernel base;
  SondeCpuCopy copy;
} CopyKernel;

static gboolean
run_copy (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  sonde_cpu_copy_run (device, &((CopyKernel *) base)->copy, arguments->inputs[0],
                      arguments->outputs[0]);
  return TRUE;
}

SondeKernel *
sonde_cpu_prepare_reorder_copy (const SondeType *type, const SondeLayout *from,
                                const SondeLayout *to)
{
  gint64 source[SONDE_MAX_RANK], target[SONDE_MAX_RANK];
  SondeShape shape;
  CopyKernel *kernel;

  if ((from != NULL && !from->channels_last) || (to != NULL && !to->channels_last)
      || !sonde_type_get_shape (type, &shape) || sonde_shape_n_elements (&shape) <= 0)
    return NULL;

  sonde_cpu_copy_strides (&shape, from, source);
  sonde_cpu_copy_strides (&shape, to, target);
  kernel = g_new0 (CopyKernel, 1);
  kernel->base.run = run_copy;
  sonde_cpu_copy_init (&kernel->copy, sonde_dtype_size (type->dtype), shape.rank, shape.dims,
                       source, target);
  return &kernel->base;
}
