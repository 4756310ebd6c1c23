/* SPDX-License-Identifier: Apache-2.0
 * Numbers of 8 bits: what a value of them stands for, and the nodes that say it. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-fusion.h"

G_BEGIN_DECLS

/* A value of 8 bits stands for (q − zero) · scale. */
typedef struct
{
  SondeDtype dtype;
  float scale;
  gint32 zero;
} SondeCpuQuantity;

/* One constant scale and zero point (nullable: 0) of a value of @dtype, which is 8 bits. */
gboolean sonde_cpu_read_quantity (const SondeGraphValue *scale, const SondeGraphValue *zero,
                                  SondeDtype dtype, SondeCpuQuantity *quantity);
/* DequantizeLinear of 8 bits to float32 with one scale; what it reads. */
SondeGraphValue *sonde_cpu_read_dequantise (const SondeNode *node, SondeCpuQuantity *quantity);
/* QuantizeLinear of float32 @value to 8 bits with one scale. */
gboolean sonde_cpu_read_quantise (const SondeNode *node, const SondeGraphValue *value,
                                  SondeCpuQuantity *quantity);

/* The tensor that no run changes, or NULL. */
static inline SondeTensor *
sonde_cpu_constant_of (const SondeGraphValue *value)
{
  return value != NULL && value->role == SONDE_ROLE_CONSTANT && value->constant != NULL
             ? sonde_value_get_tensor (value->constant)
             : NULL;
}

static inline SondeDtype
sonde_cpu_dtype_of (const SondeGraphValue *value)
{
  return value != NULL ? value->type.dtype : SONDE_DTYPE_INVALID;
}

/* Element @i of int8 or uint8. */
static inline gint32
sonde_cpu_get_8_bits (SondeDtype dtype, const guint8 *data, gint64 i)
{
  return dtype == SONDE_DTYPE_U8 ? data[i] : ((const gint8 *) data)[i];
}

/* 1 for NULL, 0 where it is not known. */
static inline gint64
sonde_cpu_count_elements (const SondeGraphValue *value)
{
  SondeShape shape;

  return value == NULL                                 ? 1
         : sonde_type_get_shape (&value->type, &shape) ? sonde_shape_n_elements (&shape)
                                                       : 0;
}

/* Rounded to even and limited; a leaf loop. */
void sonde_cpu_quantise_u8 (gint64 n, const float *x, float scale, float zero, guint8 *y);

/* MaxPool of 8 bits; NULL: of something else. (sonde-cpu-quantised-pool.c) */
SondeKernel *sonde_cpu_prepare_quantised_pool (SondeCpuDevice *device,
                                               SondePrepareRequest *request);
/* QLinearConv without oneDNN. (sonde-cpu-integer-convolution.c) */
SondeKernel *sonde_cpu_prepare_scaled_convolution (SondeCpuDevice *device,
                                                   SondePrepareRequest *request);
/* MatMulInteger without oneDNN. (sonde-cpu-integer-product.c) */
SondeKernel *sonde_cpu_prepare_integer_product (SondeCpuDevice *device,
                                                SondePrepareRequest *request);

G_END_DECLS
