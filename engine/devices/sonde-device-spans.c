/* SPDX-License-Identifier: Apache-2.0
 * Each thread keeps its own beside the device, so that threads that use one device at a time do not see
 * each other's. */
#include "engine/devices/sonde-device-spans.h"

#include "data/base/sonde-span-counters.h"

#define NAME_LENGTH 64

SondeDeviceSpans *
sonde_device_get_spans (SondeDevice *device)
{
  if (G_LIKELY (atomic_load_explicit (&device->n_recorded, memory_order_relaxed) == 0))
    return NULL;
  return pthread_getspecific (device->spans);
}

SondeDeviceSpans *
sonde_device_use_spans (SondeDevice *device, SondeDeviceSpans *spans)
{
  SondeDeviceSpans *before = pthread_getspecific (device->spans);

  if (before == NULL && spans != NULL)
    atomic_fetch_add (&device->n_recorded, 1);
  else if (before != NULL && spans == NULL)
    atomic_fetch_sub (&device->n_recorded, 1);
  pthread_setspecific (device->spans, spans);
  return before;
}

void
sonde_device_spans_add (const SondeDeviceSpans *spans, SondeSpanCategory category, guint32 label,
                        guint64 start, gint64 value)
{
  SondeSpanRing *ring = sonde_span_log_enter (spans->log);

  if (ring != NULL)
    sonde_span_log_add (spans->log, ring, category, label, start, value);
}

/* ---- memory ------------------------------------------------------------------ */

guint64
sonde_device_spans_begin (SondeDevice *device)
{
  const SondeDeviceSpans *spans = sonde_device_get_spans (device);

  return spans != NULL ? sonde_ticks_now (&spans->log->ticks) : 0;
}

void
sonde_device_spans_end (SondeDevice *device, const char *name, guint64 start, gint64 bytes)
{
  const SondeDeviceSpans *spans = start != 0 ? sonde_device_get_spans (device) : NULL;
  SondeSpanRing *ring = spans != NULL ? sonde_span_log_enter (spans->log) : NULL;
  guint64 end;

  if (ring == NULL)
    return;
  /* the name is looked for after the moment that counts */
  end = sonde_ticks_now (&spans->log->ticks);
  sonde_span_ring_add (ring, (SondeSpan){ start,
                                          end,
                                          { bytes },
                                          sonde_span_log_add_label (spans->log, name),
                                          SONDE_SPAN_ALLOCATION });
}

/* A span, and how much is out now. */
static void
tell (SondeDevice *device, const char *verb, const char *what, guint64 start, gint64 bytes)
{
  const SondeDeviceSpans *spans = start != 0 ? sonde_device_get_spans (device) : NULL;
  SondeSpanRing *ring = spans != NULL ? sonde_span_log_enter (spans->log) : NULL;
  char name[NAME_LENGTH];

  if (ring == NULL)
    return;
  g_snprintf (name, sizeof name, "%s %s", verb, what);
  sonde_device_spans_end (device, name, start, bytes);
  sonde_span_log_add_number (spans->log, ring,
                             sonde_span_log_add_label (spans->log, SONDE_COUNTER_DEVICE),
                             (double) sonde_device_get_bytes (device));
}

void *
sonde_device_allocate (SondeDevice *device, const char *what, gsize bytes, GError **error)
{
  guint64 start = sonde_device_spans_begin (device);
  void *memory = device->klass->allocate (device, bytes, error);

  if (G_UNLIKELY (start != 0) && memory != NULL)
    tell (device, "allocate", what, start, (gint64) bytes);
  return memory;
}

void
sonde_device_release (SondeDevice *device, const char *what, void *memory)
{
  guint64 start = sonde_device_spans_begin (device);
  guint64 before = start != 0 ? sonde_device_get_bytes (device) : 0;

  device->klass->release (device, memory);
  if (G_UNLIKELY (start != 0))
    tell (device, "release", what, start, (gint64) (sonde_device_get_bytes (device) - before));
}
