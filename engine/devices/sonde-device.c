/* SPDX-License-Identifier: Apache-2.0
 * What all devices share: reference counts and the request of a kernel. Opening one by its name is in
 * sonde-device-open.c, which knows the folders. */
#include "engine/devices/sonde-device.h"

SondeDevice *
sonde_device_ref (SondeDevice *device)
{
  device->ref_count++;
  return device;
}

void
sonde_device_unref (SondeDevice *device)
{
  if (device != NULL && --device->ref_count == 0)
    device->klass->free (device);
}

void
sonde_prepare_request_set_layout (SondeDevice         *device,
                                  SondePrepareRequest *request,
                                  guint                input,
                                  SondeLayout         *layout)
{
  SondeLayout *old = request->input_layouts[input];

  request->input_layouts[input] = layout != NULL ? device->klass->layout_ref (device, layout) : NULL;
  if (old != NULL)
    device->klass->layout_unref (device, old);
}
