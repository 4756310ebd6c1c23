/* SPDX-License-Identifier: Apache-2.0
 * When the processor's counter is a clock, and how fast it runs. */
#include "data/base/sonde-ticks.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* CPUID 8000_0007h, EDX: the counter runs at one speed in all states. */
#define INVARIANT (1u << 8)

/* The kernel has checked more than one bit can say: that all processors agree, and that nothing
 * stops the counter. */
static gboolean
is_clock_of_kernel (void)
{
  g_autofree char *name = NULL;

  return g_file_get_contents ("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                              &name, NULL, NULL)
         && g_str_equal (g_strchomp (name), "tsc");
}

static gboolean
has_counter (void)
{
  guint a, b, c, d = 0;

  return __get_cpuid (0x80000007, &a, &b, &c, &d) != 0 && (d & INVARIANT) != 0
         && is_clock_of_kernel ();
}
#else
static gboolean
has_counter (void)
{
  return FALSE;
}
#endif

void
sonde_ticks_init (SondeTicks *ticks)
{
  ticks->counter = has_counter ();
  ticks->start_ns = sonde_clock_monotonic_ns (NULL);
  ticks->start = sonde_ticks_now (ticks);
}

double
sonde_ticks_get_ns (const SondeTicks *ticks)
{
  gint64 now_ns = sonde_clock_monotonic_ns (NULL);
  guint64 now = sonde_ticks_now (ticks);

  return ticks->counter && now > ticks->start
             ? (double) (now_ns - ticks->start_ns) / (double) (now - ticks->start)
             : 1;
}
