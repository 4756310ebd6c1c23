/* SPDX-License-Identifier: Apache-2.0
 * The memory of a device as a counter of a recording. */
#pragma once

#include "data/base/sonde-span-counters.h"
#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

/* What @device has given out, as SONDE_COUNTER_DEVICE of @counters; @device lives longer. */
void sonde_device_count (SondeSpanCounters *counters, SondeDevice *device);

G_END_DECLS
