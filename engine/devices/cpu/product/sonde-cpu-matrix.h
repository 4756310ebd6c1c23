/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices as oneDNN takes them. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/* A product of matrices that lie plain, broadcast as MatMul does. @flat: (out): one matrix on the
 * right, the batch was made part of the rows. FALSE: vectors, empty, or of too many dimensions.
 * (sonde-cpu-matrix.c) */
gboolean sonde_cpu_set_product (const SondeShape *left, const SondeShape *right,
                                const SondeShape *result, SondeDnnlMatmul *matmul, gboolean *flat);
/* An operand beside a batch of matrices, beside one matrix with the rows of all of them.
 * (sonde-cpu-matrix.c) */
gboolean sonde_cpu_flatten_post (SondeDnnlPost *post, const SondeShape *result);

/* One row times a large constant matrix, which is read as it lies. @inputs: of the request, by
 * argument. NULL: another kernel is better, or needed. (sonde-cpu-row.c) */
SondeKernel *sonde_cpu_prepare_row_product (SondeCpuDevice *device, SondePrepareRequest *request,
                                            const SondeDnnlMatmul *matmul, const int *inputs);

G_END_DECLS
