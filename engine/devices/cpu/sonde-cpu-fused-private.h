/* SPDX-License-Identifier: Apache-2.0
 * Families of groups that run as one kernel: whether a group is one, and its kernel. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-epilogue.h"

G_BEGIN_DECLS

/* Where @value is among the request's inputs, or -1. */
static inline int
sonde_cpu_find_value (const SondePrepareRequest *request,
                      const SondeGraphValue     *value)
{
  for (guint i = 0; value != NULL && i < request->n_inputs; i++)
    if (request->inputs[i] == value)
      return (int) i;

  return -1;
}

/* Conv first. (sonde-cpu-fused.c) */
gboolean sonde_cpu_can_fuse_convolution (SondeNode *const *nodes,
                                         guint             n_nodes);
SondeKernel *sonde_cpu_prepare_fused_convolution (SondeCpuDevice      *device,
                                                  SondePrepareRequest *request);

/* MatMul or Gemm first. (sonde-cpu-matrix.c) */
gboolean sonde_cpu_can_fuse_matrix (SondeNode *const *nodes,
                                    guint             n_nodes);
SondeKernel *sonde_cpu_prepare_fused_matrix (SondeCpuDevice      *device,
                                             SondePrepareRequest *request);

G_END_DECLS
