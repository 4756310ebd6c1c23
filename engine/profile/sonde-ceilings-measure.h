/* SPDX-License-Identifier: Apache-2.0
 * Measuring the ceilings: each measurement is the best of 20 runs, or of as many as fit its time, with
 * the second best beside it. For sonde-ceilings.c. */
#pragma once

#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

#define SONDE_CEILING_RUNS 20
#define SONDE_CEILING_SIDE 2048

/**
 * SondeCeilingMeasure: of several runs
 * @second: NaN: there was one run
 */
typedef struct
{
  double best, second;
} SondeCeilingMeasure;

/* Bytes of all caches of the last level; 32 MiB where the machine does not tell. */
gsize sonde_last_cache_bytes (void);

/**
 * sonde_measure_product:
 * @side: of the square matrices
 * @n_runs: at most; at least one
 * @limit_ns: after so many no further run begins
 * @gflops: (out)
 *
 * Errors: UNSUPPORTED where the device computes it by its plain reference kernel; of planning
 */
gboolean sonde_measure_product (SondeDevice *device, SondeDtype dtype, gint64 side, guint n_runs,
                                gint64 limit_ns, SondeCeilingMeasure *gflops, GError **error);

/* a = b + s · c, on @n_threads of the device's threads. Errors: MEMORY */
gboolean sonde_measure_triad (SondeDevice *device, guint n_threads, gint64 limit_ns,
                              SondeCeilingMeasure *gbs, GError **error);

/* The time of a step on one element, in a row of such steps. */
gboolean sonde_measure_overhead (SondeDevice *device, SondeCeilingMeasure *overhead_us,
                                 GError **error);

G_END_DECLS
