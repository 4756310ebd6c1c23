/* SPDX-License-Identifier: Apache-2.0
 * Numbers over time beside the spans of a log: the memory of the process, the frequency of the processor,
 * hardware counters, and what others add (what a device holds, what waits to be written). They are read by
 * the thread that drives the steps, at their ends, while the log records. */
#pragma once

#include "data/base/sonde-span-log.h"

G_BEGIN_DECLS

/* As they are called in traces. */
#define SONDE_COUNTER_PROCESS "memory of the process"   /* resident bytes, every 10 ms */
#define SONDE_COUNTER_FREQUENCY "processor frequency"   /* MHz of the thread's core, every 100 ms */
#define SONDE_COUNTER_DEVICE "memory of the device"     /* bytes that it has given out */
#define SONDE_COUNTER_UNWRITTEN "records to be written" /* bytes that wait for the writer */

typedef struct _SondeSpanCounters SondeSpanCounters;

/* The log's sampler from now on; it keeps a reference. */
SondeSpanCounters *sonde_span_counters_new (SondeSpanLog *log);
/* Before what the gauges ask. (nullable) */
void sonde_span_counters_free (SondeSpanCounters *counters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSpanCounters, sonde_span_counters_free)

/* A number as it is now; NaN: it is not known. Quick, and it does not touch the log. */
typedef double (*SondeSpanGauge) (gpointer data);

/* Read every 10 ms; 8 at most. While nothing is recorded. @name: copied */
void sonde_span_counters_add (SondeSpanCounters *counters, const char *name, SondeSpanGauge gauge,
                              gpointer data);

/**
 * sonde_span_counters_use_hardware:
 *
 * Instructions, cycles and misses of the last cache of each step but the first, with what came before it, too. A step takes some µs for each thread longer.
 * User code is counted, of 256 threads at most and those that they start; what shares a counter of the processor is
 * scaled. While nothing is recorded, when the threads that compute are there.
 * Errors: UNSUPPORTED: the system forbids it, or the machine counts nothing, as many virtual ones do; the
 * others are recorded all the same.
 */
gboolean sonde_span_counters_use_hardware (SondeSpanCounters *counters, GError **error);

G_END_DECLS
