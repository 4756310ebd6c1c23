/* SPDX-License-Identifier: Apache-2.0
 * The cheapest clock there is, for many short stretches of time: the processor's counter where it
 * runs at one speed and the kernel itself keeps time by it, else the monotonic clock. Moments are
 * raw; they become ns afterwards. */
#pragma once

#include "data/base/sonde-clock.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

G_BEGIN_DECLS

/**
 * SondeTicks: how this machine counts
 * @counter: moments are of the processor's counter, else ns
 * @start, @start_ns: the same moment on both clocks
 */
typedef struct
{
  gboolean counter;
  guint64 start;
  gint64 start_ns;
} SondeTicks;

/* Begins to compare both clocks. Reads a file of the system. */
void sonde_ticks_init (SondeTicks *ticks);

/* A moment, about 10 ns. Threads of one machine agree. */
static inline guint64
sonde_ticks_now (const SondeTicks *ticks)
{
#if defined(__x86_64__)
  if (G_LIKELY (ticks->counter))
    return __rdtsc ();
#endif
  return (guint64) sonde_clock_monotonic_ns (NULL);
}

/* ns that a tick takes, from all the time since sonde_ticks_init(): good to about 0.1 µs in that
 * time. */
double sonde_ticks_get_ns (const SondeTicks *ticks);

G_END_DECLS
