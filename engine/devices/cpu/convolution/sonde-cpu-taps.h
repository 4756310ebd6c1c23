/* SPDX-License-Identifier: Apache-2.0
 * Inner loops of the direct convolution of few channels: sums over all taps of a window that moves
 * by one place, for a few channels and places at a time, which stay in registers meanwhile. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Places that sonde_cpu_taps_rows() computes together at most; it reads and writes multiples of
 * it. */
#define SONDE_CPU_TAPS_WIDTH 64

/**
 * SondeCpuTaps: a window over a part of one image, whose edges are there as zeros
 * @channels: of the image; @plane, @pitch: elements from one channel, or row, of it to the next
 * @size, @dilation: of the window, rows first
 * @outputs: channels of the result. Weights are [channels, rows, columns, outputs]
 */
typedef struct
{
  gint64 channels, plane, pitch;
  gint64 size[2], dilation[2];
  gint64 outputs;
} SondeCpuTaps;

/**
 * sonde_cpu_taps_rows:
 * @x: the first place of the first window; @n: places that follow it, across the ends of rows
 *   (results there mean nothing); rounded up to SONDE_CPU_TAPS_WIDTH
 * @sums: [outputs, …], rows @sums_row elements apart
 *
 * The bits of a sum do not depend on what else is asked for.
 */
void sonde_cpu_taps_rows (const SondeCpuTaps *taps, const float *x, gint64 n, const float *weights,
                          float *sums, gint64 sums_row);

G_END_DECLS
