/* SPDX-License-Identifier: Apache-2.0
 * The reference device: host memory, plain layouts only. */
#include "engine/devices/reference/sonde-reference-device.h"

#include "engine/devices/sonde-host-kernel.h"

#include <string.h>

struct _SondeKernel
{
  SondeHostKernel *host;
};

static char *
reference_describe (SondeDevice *device)
{
  return g_strdup ("reference: plain C kernels, 1 thread");
}

static void
reference_free (SondeDevice *device)
{
  g_free (device);
}

static gboolean
reference_supports (SondeDevice *device, const SondeNode *node)
{
  return sonde_host_kernel_supports (node);
}

static SondeKernel *
reference_prepare (SondeDevice *device, SondePrepareRequest *request, GError **error)
{
  SondeHostKernel *host = sonde_host_kernel_new (device, request, error);
  SondeKernel *kernel;

  if (host == NULL)
    return NULL;

  kernel = g_new0 (SondeKernel, 1);
  kernel->host = host;
  return kernel;
}

static gboolean
reference_run (SondeDevice *device, SondeKernel *kernel, const SondeRunArguments *arguments,
               GError **error)
{
  return sonde_host_kernel_run (kernel->host, arguments, error);
}

static void
reference_kernel_free (SondeDevice *device, SondeKernel *kernel)
{
  sonde_host_kernel_free (kernel->host);
  g_free (kernel);
}

static gsize
reference_layout_bytes (SondeDevice *device, const SondeType *type, const SondeLayout *layout)
{
  return sonde_host_type_bytes (type);
}

/* This device makes no layouts, so there is only NULL to compare, hold and describe. */
static gboolean
reference_layout_equal (SondeDevice *device, const SondeLayout *a, const SondeLayout *b)
{
  return a == b;
}

static SondeLayout *
reference_layout_ref (SondeDevice *device, SondeLayout *layout)
{
  return layout;
}

static void
reference_layout_unref (SondeDevice *device, SondeLayout *layout)
{
}

static char *
reference_layout_describe (SondeDevice *device, const SondeLayout *layout)
{
  return g_strdup ("plain");
}

static gboolean
reference_reorder (SondeDevice *device, const SondeType *type, const SondeLayout *from_layout,
                   const void *from, const SondeLayout *to_layout, void *to, GError **error)
{
  memcpy (to, from, sonde_host_type_bytes (type));
  return TRUE;
}

static gboolean
reference_read_plain (SondeDevice *device, const SondeType *type, const SondeLayout *layout,
                      const void *memory, void *host, GError **error)
{
  memcpy (host, memory, sonde_host_type_bytes (type));
  return TRUE;
}

static gboolean
reference_write_plain (SondeDevice *device, const SondeType *type, const SondeLayout *layout,
                       const void *host, void *memory, GError **error)
{
  memcpy (memory, host, sonde_host_type_bytes (type));
  return TRUE;
}

static const SondeDeviceClass reference_class = {
  .name = "reference",
  .host_memory = TRUE,
  .alignment = SONDE_HOST_ALIGNMENT,
  .describe = reference_describe,
  .free = reference_free,
  .allocate = sonde_host_allocate,
  .release = sonde_host_release,
  .supports = reference_supports,
  .prepare = reference_prepare,
  .run = reference_run,
  .kernel_free = reference_kernel_free,
  .layout_bytes = reference_layout_bytes,
  .layout_equal = reference_layout_equal,
  .layout_ref = reference_layout_ref,
  .layout_unref = reference_layout_unref,
  .layout_describe = reference_layout_describe,
  .reorder = reference_reorder,
  .read_plain = reference_read_plain,
  .write_plain = reference_write_plain,
  .synchronise = sonde_host_synchronise,
};

SondeDevice *
sonde_reference_device_new (int threads, GError **error)
{
  SondeDevice *device = g_new0 (SondeDevice, 1);

  sonde_device_init (device, &reference_class);
  return device;
}
