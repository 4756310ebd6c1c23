/* SPDX-License-Identifier: Apache-2.0
 * Nodes of float16 and bfloat16 on the fast kernels of float32. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/* NULL: nothing is half, or there is no fast kernel for float32 either. */
SondeKernel *sonde_cpu_prepare_half (SondeCpuDevice *device, SondePrepareRequest *request);

/* Element-wise nodes, all of whose operands are of one such type and of the result's shape or one
 * number; else NULL. */
SondeKernel *sonde_cpu_prepare_half_blocks (SondeCpuDevice *device, SondePrepareRequest *request);

/* sonde_dtype_convert(), fast for halves. */
void sonde_cpu_convert (SondeDtype from, const void *x, SondeDtype to, void *y, gsize n);

G_END_DECLS
