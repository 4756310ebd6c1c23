/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/devices/sonde-device-counter.h"

static double
get_bytes (gpointer data)
{
  SondeDevice *device = data;
  guint64 bytes;

  pthread_mutex_lock (&device->lock);
  bytes = device->bytes;
  pthread_mutex_unlock (&device->lock);
  return (double) bytes;
}

void
sonde_device_count (SondeSpanCounters *counters, SondeDevice *device)
{
  sonde_span_counters_add (counters, SONDE_COUNTER_DEVICE, get_bytes, device);
}
