/* SPDX-License-Identifier: Apache-2.0
 * Writing what is not read soon: past the cache. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/* Copies @n elements, @x to @y, without reading what lay there into the cache and without keeping
 * what is written. */
void sonde_cpu_stream (gint64 n, const float *x, float *y);

/* After the last sonde_cpu_stream() of a thread, before others read. */
void sonde_cpu_settle_streams (void);

/* SondeDeviceClass.stores and store. */
gboolean sonde_cpu_stores (SondeDevice *device);
void sonde_cpu_store (SondeDevice *device, gsize bytes, const void *from, void *to);

G_END_DECLS
