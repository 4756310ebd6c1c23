/* SPDX-License-Identifier: Apache-2.0
 * Regions in which oneDNN shares its work out among threads, as spans of the kernel that it runs. */
#pragma once

#include "engine/devices/sonde-device-spans.h"

G_BEGIN_DECLS

/* Regions that this thread opens from now on are parts of the kernel of @spans; NULL: nobody wants to know. */
void sonde_dnnl_watch_regions (const SondeDeviceSpans *spans);

G_END_DECLS
