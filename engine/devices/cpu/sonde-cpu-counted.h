/* SPDX-License-Identifier: Apache-2.0
 * Operators whose reference kernel can be run in parts, on the device's threads. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/* NULL: the row has no parts, or half precision has to be upcast around it. */
SondeKernel *sonde_cpu_prepare_counted (SondeCpuDevice *device, SondePrepareRequest *request);

G_END_DECLS
