/* SPDX-License-Identifier: Apache-2.0
 * Name -> device. A further device is one more row. */
#include "engine/devices/cpu/sonde-cpu-device.h"
#include "engine/devices/reference/sonde-reference-device.h"

typedef struct
{
  const char *name;
  SondeDevice *(*open) (int threads, GError **error);
} DeviceRow;

static const DeviceRow device_rows[] = {
  { "cpu", sonde_cpu_device_new },
  { "reference", sonde_reference_device_new },
};

const char *const *
sonde_device_list (void)
{
  static const char *const names[] = { "cpu", "reference", NULL };

  return names;
}

SondeDevice *
sonde_device_open (const char *name, int threads, GError **error)
{
  g_autofree char *names = NULL;

  g_return_val_if_fail (name != NULL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (device_rows); i++)
    if (g_str_equal (name, device_rows[i].name))
      return device_rows[i].open (threads, error);

  names = g_strjoinv (", ", (char **) sonde_device_list ());
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no device “%s”; the available ones are %s", name, names);
  return NULL;
}
