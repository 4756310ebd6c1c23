/* SPDX-License-Identifier: Apache-2.0
 * Mean and variance of a row, for the kernels that normalise. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

typedef struct
{
  double mean, variance;
} SondeCpuMoments;

/* Σ (x − @shift) as mean, Σ (x − @shift)² as variance. */
SondeCpuMoments sonde_cpu_sum_distances (gint64 n, const float *x, double shift);

/* Mean and biased variance. */
SondeCpuMoments sonde_cpu_row_moments (gint64 n, const float *x);

G_END_DECLS
