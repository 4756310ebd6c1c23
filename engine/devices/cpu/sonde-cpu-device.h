/* SPDX-License-Identifier: Apache-2.0
 * The device "cpu": oneDNN, kernels of our own in the same OpenMP pool, and the reference kernels
 * of engine/ops for the rest. */
#pragma once

#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

/* @threads: 0: as many as the affinity mask allows. Errors: DEVICE (oneDNN could not start). */
SondeDevice *sonde_cpu_device_new (int threads, GError **error);

G_END_DECLS
