/* SPDX-License-Identifier: Apache-2.0
 * Families of groups that run as one kernel: whether a group is one, and its kernel. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-epilogue.h"

G_BEGIN_DECLS

/* Where @value is among the request's inputs, or -1. */
static inline int
sonde_cpu_find_value (const SondePrepareRequest *request, const SondeGraphValue *value)
{
  for (guint i = 0; value != NULL && i < request->n_inputs; i++)
    if (request->inputs[i] == value)
      return (int) i;

  return -1;
}

/* BatchNormalization of inference, with nothing but its first output. */
gboolean sonde_cpu_is_plain_normalisation (const SondeNode *node);
/* One number for each of @channels beside a result [N, C, spatial…]. */
gboolean sonde_cpu_is_by_channel (const SondeDnnlPost *post, gint64 channels);

/* Conv first. (sonde-cpu-fused.c) */
gboolean sonde_cpu_can_fuse_convolution (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_convolution (SondeCpuDevice *device,
                                                  SondePrepareRequest *request);

/* Weights are constant, and Winograd's algorithm is faster for such a convolution.
 * (sonde-cpu-convolution.c) */
gboolean sonde_cpu_suits_winograd (const SondePrepareRequest *request,
                                   const SondeDnnlWindow *window);

/* MatMul or Gemm first. (sonde-cpu-matrix.c) */
gboolean sonde_cpu_can_fuse_matrix (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_matrix (SondeCpuDevice *device, SondePrepareRequest *request);
/* A product of matrices that lie plain, broadcast as MatMul does. @flat: (out): one matrix on the
 * right, the batch was made part of the rows. FALSE: vectors, empty, or of too many dimensions. */
gboolean sonde_cpu_set_product (const SondeShape *left, const SondeShape *right,
                                const SondeShape *result, SondeDnnlMatmul *matmul, gboolean *flat);
/* An operand beside a batch of matrices, beside one matrix with the rows of all of them. */
gboolean sonde_cpu_flatten_post (SondeDnnlPost *post, const SondeShape *result);

/* MatMulInteger or QLinearMatMul first. (sonde-cpu-quantised-product.c) */
gboolean sonde_cpu_can_fuse_quantised_product (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_quantised_product (SondeCpuDevice *device,
                                                        SondePrepareRequest *request);

/* BatchNormalization first. (sonde-cpu-affine.c) */
gboolean sonde_cpu_can_fuse_affine (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_affine (SondeCpuDevice *device, SondePrepareRequest *request);

/* Reshape, Transpose, Reshape. (sonde-cpu-shuffle.c) */
gboolean sonde_cpu_can_fuse_shuffle (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_shuffle (SondeCpuDevice *device, SondePrepareRequest *request);
/* How the result of the first or second node of a shuffle lies in the memory of its input, which
 * lies like @from.
 * Returns: (transfer full) (nullable) */
SondeLayout *sonde_cpu_find_view (const SondeNode *node, const SondeLayout *from);

/* DequantizeLinear of 8 bits first. (sonde-cpu-quantised.c) */
gboolean sonde_cpu_can_fuse_quantised_sum (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_quantised_sum (SondeCpuDevice *device,
                                                    SondePrepareRequest *request);
/* (sonde-cpu-quantised-table.c) */
gboolean sonde_cpu_can_fuse_quantised_table (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_quantised_table (SondeCpuDevice *device,
                                                      SondePrepareRequest *request);
gboolean sonde_cpu_can_fuse_quantised_pool (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_quantised_pool (SondeCpuDevice *device,
                                                     SondePrepareRequest *request);

/* DequantizeLinear twice, Conv. (sonde-cpu-quantised-floats.c) */
gboolean sonde_cpu_can_fuse_quantised_floats (SondeNode *const *nodes, guint n_nodes);
SondeKernel *sonde_cpu_prepare_fused_quantised_floats (SondeCpuDevice *device,
                                                       SondePrepareRequest *request);

/* One row times a large constant matrix, which is read as it lies. @inputs: of the request, by
 * argument.
 * NULL: another kernel is better, or needed. (sonde-cpu-row.c) */
SondeKernel *sonde_cpu_prepare_row_product (SondeCpuDevice *device, SondePrepareRequest *request,
                                            const SondeDnnlMatmul *matmul, const int *inputs);

G_END_DECLS
