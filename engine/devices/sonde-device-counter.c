/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/devices/sonde-device-counter.h"

static double
get_bytes (gpointer data)
{
  return (double) sonde_device_get_bytes (data);
}

void
sonde_device_count (SondeSpanCounters *counters, SondeDevice *device)
{
  sonde_span_counters_add (counters, SONDE_COUNTER_DEVICE, get_bytes, device);
}
