/* SPDX-License-Identifier: Apache-2.0
 * Copies from one strided place to another near the speed of memory: runs by memcpy, transposes in
 * tiles. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_CPU_COPY_RUNS,  /* the last dimension is dense on both sides */
  SONDE_CPU_COPY_FILL,  /* the last dimension repeats one element */
  SONDE_CPU_COPY_TILES, /* the last but one dimension is dense at the source */
  SONDE_CPU_COPY_STRIDED,
} SondeCpuCopyKind;

/**
 * SondeCpuCopy:
 * @dims, @from, @to: merged dimensions and their strides in elements; @to falls but for TILES
 * @size: bytes of an element
 * @outer: product of all dimensions but those that one item takes: the last, and of TILES the last
 * two
 */
typedef struct
{
  SondeCpuCopyKind kind;
  int rank;
  gint64 dims[SONDE_MAX_RANK], from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  gsize size;
  gint64 outer;
} SondeCpuCopy;

/* @size: 1, 2, 4 or 8. The places must not overlap. All dimensions are above 0. */
void sonde_cpu_copy_init (SondeCpuCopy *copy, gsize size, int rank, const gint64 *dims,
                          const gint64 *from, const gint64 *to);

void sonde_cpu_copy_run (SondeCpuDevice *device, const SondeCpuCopy *copy, const guint8 *from,
                         guint8 *to);

/* Strides of @shape in elements as it lies: plain or channels-last. */
void sonde_cpu_copy_strides (const SondeShape *shape, const SondeLayout *layout, gint64 *strides);

/* A kernel that copies input 0 to output 0 from one layout to the other, both plain or
 * channels-last. NULL: other layouts, or no elements. (sonde-cpu-reorder.c) */
SondeKernel *sonde_cpu_prepare_reorder_copy (const SondeType *type, const SondeLayout *from,
                                             const SondeLayout *to);

/* The same for weights of bytes, from plain to the blocks of integer products.
 * (sonde-cpu-pack.c) */
SondeKernel *sonde_cpu_prepare_pack (const SondeType *type, const SondeLayout *from,
                                     const SondeLayout *to);

G_END_DECLS
