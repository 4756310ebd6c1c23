/* SPDX-License-Identifier: Apache-2.0
 * Softmax through oneDNN. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"

static SondeKernel *
prepare_softmax (SondeCpuDevice      *device,
                 SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  gint64 outer = 1, inner = 1;
  SondeDnnlPrimitive *primitive;
  SondeShape x, y;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y) || x.rank == 0)
    return NULL;

  axis += axis < 0 ? x.rank : 0;
  if (axis < 0 || axis >= x.rank)
    return NULL;

  for (int i = 0; i < x.rank; i++)
    if (i < axis)
      outer *= x.dims[i];
    else if (i > axis)
      inner *= x.dims[i];

  primitive = sonde_dnnl_softmax (device->dnnl, outer, x.dims[axis], inner,
                                  g_str_equal (node->op, "LogSoftmax"));
  if (primitive == NULL)
    return NULL;

  sonde_cpu_want_plain (device, request, 0);
  request->in_place = FALSE;
  return &sonde_cpu_primitive_kernel_new (request, primitive)->base;
}

const SondeCpuRow sonde_cpu_softmax_rows[] = {
  { "", "LogSoftmax", prepare_softmax },
  { "", "Softmax", prepare_softmax },
  { NULL, NULL, NULL },
};
