/* SPDX-License-Identifier: Apache-2.0
 * Loops over operands that are broadcast to one result, plain or channels-last, in parts on the
 * device's threads. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/ops/sonde-strided.h"

G_BEGIN_DECLS

/**
 * SondeCpuGrid: the result as [outer…, m, n]; operands are the inputs, then the result
 * @loop: the merged dimensions; the result's elements follow each other
 * @sizes: bytes of an element, by operand
 * @rows, @steps: strides of the last two dimensions in elements, by operand
 */
typedef struct
{
  SondeStrided loop;
  gsize sizes[SONDE_MAX_OPERANDS];
  gint64 rows[SONDE_MAX_OPERANDS], steps[SONDE_MAX_OPERANDS];
  gint64 m, n, total;
} SondeCpuGrid;

/* @m rows of @n elements; @operands: their first elements; strides are the grid's. */
typedef void (*SondeCpuBlock) (const SondeCpuGrid *grid, gint64 m, gint64 n,
                               guint8 *const *operands, gconstpointer data);

/**
 * sonde_cpu_grid_layouts:
 * @n: inputs that are operands, from input 0 on; all of them and output 0 must be there with known
 * sizes
 *
 * Agrees with the planner on the layouts: channels-last where all is float32 and an input of the
 * result's shape lies so, else plain. Returns whether it is channels-last.
 */
gboolean sonde_cpu_grid_layouts (SondeCpuDevice *device, SondePrepareRequest *request, guint n);

/**
 * sonde_cpu_grid_init:
 * @shapes: of the operands, the result last; @sizes: of their elements
 * @channels_last: operands of the result's shape lie so, others plain
 */
void sonde_cpu_grid_init (SondeCpuGrid *grid, guint n_operands, const SondeShape *shapes,
                          const gsize *sizes, gboolean channels_last);

/* Calls @block until all of the result is made. @operands: memory of each. */
void sonde_cpu_grid_run (SondeCpuDevice *device, const SondeCpuGrid *grid, guint8 *const *operands,
                         SondeCpuBlock block, gconstpointer data);

G_END_DECLS
