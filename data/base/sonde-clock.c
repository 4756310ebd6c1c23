/* SPDX-License-Identifier: Apache-2.0
 * The system's clock behind the table. */
#include "data/base/sonde-clock.h"

#include <time.h>

static gint64
read_clock (clockid_t id)
{
  struct timespec time;

  clock_gettime (id, &time);
  return (gint64) time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static gint64
system_wall_ns (const SondeClock *clock)
{
  return read_clock (CLOCK_REALTIME);
}

static gint64
system_monotonic_ns (const SondeClock *clock)
{
  return read_clock (CLOCK_MONOTONIC);
}

gint64
sonde_clock_wall_ns (const SondeClock *clock)
{
  return clock != NULL ? clock->wall_ns (clock) : read_clock (CLOCK_REALTIME);
}

gint64
sonde_clock_monotonic_ns (const SondeClock *clock)
{
  return clock != NULL ? clock->monotonic_ns (clock) : read_clock (CLOCK_MONOTONIC);
}

static const SondeClock system_clock = {
  .wall_ns = system_wall_ns,
  .monotonic_ns = system_monotonic_ns,
};

const SondeClock *
sonde_clock_system (void)
{
  return &system_clock;
}
