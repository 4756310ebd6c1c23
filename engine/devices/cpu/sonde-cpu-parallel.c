/* SPDX-License-Identifier: Apache-2.0
 * Loops in the OpenMP pool that oneDNN uses too. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"

/* Elements a thread has to get: waking it costs about 2 µs. */
#define GRAIN 16384
/* Parts begin at whole cache lines of floats. */
#define UNIT 16

void
sonde_cpu_for (SondeCpuDevice *device,
               gint64          n,
               gint64          cost,
               SondeCpuRange   range,
               gpointer        data)
{
  gint64 unit = cost >= UNIT ? 1 : UNIT;
  gint64 units = (n + unit - 1) / unit;
  gint64 parts = MIN (MIN (n * cost / GRAIN, units), device->threads);

  if (parts <= 1)
    {
      range (0, n, data);
      return;
    }

#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (gint64 i = 0; i < parts; i++)
    {
      gint64 begin = units * i / parts * unit;
      gint64 end = MIN (units * (i + 1) / parts * unit, n);

      range (begin, end, data);
    }
}
