/* SPDX-License-Identifier: Apache-2.0
 * Shared by pooling and its gradients: the geometry of a pool. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

#define SIMD _Pragma ("omp simd")
#define INLINE static inline __attribute__ ((always_inline))

/* First channel of the next @width: the last ones overlap those before them. */
INLINE gint64
next_channels (gint64 at, gint64 n, gint64 width)
{
  return at + width < n && at + 2 * width > n && n >= width ? n - width : at + width;
}

/* ---- kernels ------------------------------------------------------------- */

typedef enum
{
  POOL_MAX,
  POOL_AVERAGE,
} PoolKind;

/* Places of a window along one dimension: @first, then every dilation, @n of them; @share: one over
 * the number that an average counts. */
typedef struct
{
  gint64 first, n;
  double share;
} Span;

/**
 * PoolKernel: x [images, in, in, channels], y [images, out, out, channels]
 * @padding_counts: of an average
 * @plain: memory is [images, channels, in, in] and so on
 * @quads: windows are 2×2 and tile the input, edge rows may be left over
 * @spans: by dimension and output
 */
typedef struct
{
  SondeKernel base;
  PoolKind kind;
  gint64 images, channels;
  gint64 in[2], out[2], size[2], stride[2], dilation[2], before[2], declared_after[2];
  gboolean padding_counts, quads, plain;
  Span *spans[2];
} PoolKernel;

typedef struct
{
  const PoolKernel *kernel;
  const float *x, *x_end, *dy;
  float *y, *dx;
} PoolCall;

/* Reads the window of @node over @x [N, C, …]. FALSE: not for this device; kernel->base.free frees
 * what it has taken by then. */
gboolean sonde_cpu_pool_fill (const SondeNode *node, const SondeShape *x, PoolKernel *kernel);

/* Rows of the output where memory is plain; data is a PoolCall. (sonde-cpu-pool-rows.c) */
void sonde_cpu_pool_rows_range (gint64 begin, gint64 end, gpointer data);
