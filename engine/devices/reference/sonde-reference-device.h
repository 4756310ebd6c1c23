/* SPDX-License-Identifier: Apache-2.0
 * The device "reference": the plain kernels of engine/ops on one thread, any element type. What the
 * other devices are compared with. */
#pragma once

#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

SondeDevice *sonde_reference_device_new (int threads, GError **error);

G_END_DECLS
