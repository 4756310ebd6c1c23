/* SPDX-License-Identifier: Apache-2.0
 * Kernels and memory of a device as spans, for a recording that wants them: the thread that runs an
 * execution says here what it works for, and who takes memory or shares a kernel out among threads asks. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

/**
 * SondeDeviceSpans: what a thread works for
 * @kernel: label of the kernel that it runs; SONDE_SPAN_NO_LABEL: none
 */
typedef struct
{
  SondeSpanLog *log;
  guint32 kernel;
} SondeDeviceSpans;

/* Of the calling thread. (nullable): nobody wants to know */
SondeDeviceSpans *sonde_device_get_spans (SondeDevice *device);
/* From now on; @spans: (nullable), the caller's. Returns: those before, to be put back */
SondeDeviceSpans *sonde_device_use_spans (SondeDevice *device, SondeDeviceSpans *spans);

/* A span of @category on any thread, from @start until now. */
void sonde_device_spans_add (const SondeDeviceSpans *spans, SondeSpanCategory category,
                             guint32 label, guint64 start, gint64 value);

/* As the entries of the class do; a recording that wants kernels gets a span of either, and what the device
 * has given out after it. @what: (static): what the memory is for, in English */
void *sonde_device_allocate (SondeDevice *device, const char *what, gsize bytes, GError **error);
void sonde_device_release (SondeDevice *device, const char *what, void *memory);

/* The same for memory that is not the device's: @start: sonde_device_spans_begin(); 0: nobody wants to
 * know. @bytes: less than 0: given back */
guint64 sonde_device_spans_begin (SondeDevice *device);
void sonde_device_spans_end (SondeDevice *device, const char *name, guint64 start, gint64 bytes);

G_END_DECLS
