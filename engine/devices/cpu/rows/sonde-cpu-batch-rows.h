/* SPDX-License-Identifier: Apache-2.0
 * Loops over rows of channels for normalisation by batch, on float32 and bfloat16. What belongs to
 * a channel lies in a row as sonde_cpu_batch_spread() makes it. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/* Columns that are summed at once; widths should be a multiple, and of bfloat16 must be even. */
#define SONDE_CPU_BATCH_WIDE 64

/* Repeats what is given for each of @channels over a row of @width elements, in the order that the
 * loops want. */
void sonde_cpu_batch_spread (SondeDtype dtype, gint64 channels, gint64 width, const float *given,
                             float *row);

/* Adds by column Σ dy and Σ dy·(x − from) to @sums and @sums + @width; without @dy Σ (x − from) and
 * Σ (x − from)². */
void sonde_cpu_batch_sum (SondeDtype dtype, gint64 rows, gint64 width, const void *dy,
                          const void *x, const float *from, double *sums);

/* y = dy·a + x·b + d; without @dy x·a + b. */
void sonde_cpu_batch_combine (SondeDtype dtype, gint64 rows, gint64 width, const void *dy,
                              const void *x, const float *a, const float *b, const float *d,
                              void *y);

G_END_DECLS
