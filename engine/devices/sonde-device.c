/* SPDX-License-Identifier: Apache-2.0
 * What all devices share: reference counts, the count of memory and the request of a kernel.
 * Opening one by its name is in sonde-device-open.c, which knows the folders. */
#include "engine/devices/sonde-device.h"

void
sonde_device_init (SondeDevice *device, const SondeDeviceClass *klass)
{
  device->klass = klass;
  device->ref_count = 1;
  device->n_threads = 1;
  pthread_mutex_init (&device->lock, NULL);
  device->blocks = g_hash_table_new (NULL, NULL);
  if (pthread_key_create (&device->spans, NULL) != 0)
    g_error ("no key is left for what threads keep of their own");
}

void
sonde_device_note_allocated (SondeDevice *device, const void *memory, gsize bytes)
{
  if (memory == NULL)
    return;
  pthread_mutex_lock (&device->lock);
  g_hash_table_insert (device->blocks, (gpointer) memory, GSIZE_TO_POINTER (bytes));
  device->bytes += bytes;
  device->most = MAX (device->most, device->bytes);
  pthread_mutex_unlock (&device->lock);
}

void
sonde_device_note_released (SondeDevice *device, const void *memory)
{
  if (memory == NULL)
    return;
  pthread_mutex_lock (&device->lock);
  device->bytes -= GPOINTER_TO_SIZE (g_hash_table_lookup (device->blocks, memory));
  g_hash_table_remove (device->blocks, memory);
  pthread_mutex_unlock (&device->lock);
}

guint64
sonde_device_get_peak_bytes (SondeDevice *device)
{
  guint64 most;

  pthread_mutex_lock (&device->lock);
  most = device->most;
  pthread_mutex_unlock (&device->lock);
  return most;
}

guint64
sonde_device_get_bytes (SondeDevice *device)
{
  guint64 bytes;

  pthread_mutex_lock (&device->lock);
  bytes = device->bytes;
  pthread_mutex_unlock (&device->lock);
  return bytes;
}

SondeDevice *
sonde_device_ref (SondeDevice *device)
{
  device->ref_count++;
  return device;
}

void
sonde_device_unref (SondeDevice *device)
{
  if (device == NULL || --device->ref_count > 0)
    return;
  pthread_key_delete (device->spans);
  pthread_mutex_destroy (&device->lock);
  g_hash_table_unref (device->blocks);
  device->klass->free (device);
}

void
sonde_prepare_request_set_layout (SondeDevice *device, SondePrepareRequest *request, guint input,
                                  SondeLayout *layout)
{
  SondeLayout *old = request->input_layouts[input];

  request->input_layouts[input]
      = layout != NULL ? device->klass->layout_ref (device, layout) : NULL;
  if (old != NULL)
    device->klass->layout_unref (device, old);
}
