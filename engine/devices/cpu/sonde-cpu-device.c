/* SPDX-License-Identifier: Apache-2.0
 * The cpu device: which kernel takes a node, and the entries of the device table. */
#include "engine/devices/cpu/sonde-cpu-device.h"

#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"
#include "engine/devices/cpu/movement/sonde-cpu-copy.h"
#include "engine/devices/cpu/movement/sonde-cpu-shuffle.h"
#include "engine/devices/cpu/elementwise/sonde-cpu-half.h"
#include "engine/devices/cpu/sonde-cpu-fusion.h"
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/devices/cpu/movement/sonde-cpu-stream.h"
#include "engine/devices/sonde-host-kernel.h"

#include <omp.h>
#include <string.h>

#define MAX_THREADS 1024
/* Reorders of fewer bytes are not worth a second thread. */
#define SHARED_BYTES ((gsize) 512 << 10)

/* ---- the reference kernel ------------------------------------------------ */

typedef struct
{
  SondeKernel base;
  SondeHostKernel *host;
} CpuHostKernel;

static gboolean
host_run (SondeCpuDevice *device, SondeKernel *kernel, const SondeRunArguments *arguments,
          GError **error)
{
  return sonde_host_kernel_run (((CpuHostKernel *) kernel)->host, arguments, error);
}

static void
host_free (SondeKernel *kernel)
{
  sonde_host_kernel_free (((CpuHostKernel *) kernel)->host);
  g_free (kernel);
}

static SondeKernel *
host_prepare (SondeCpuDevice *device, SondePrepareRequest *request, GError **error)
{
  SondeHostKernel *host = sonde_host_kernel_new (&device->base, request, error);
  CpuHostKernel *kernel;

  if (host == NULL)
    return NULL;

  kernel = g_new0 (CpuHostKernel, 1);
  kernel->base.run = host_run;
  kernel->base.free = host_free;
  kernel->host = host;
  return &kernel->base;
}

/* ---- which kernel -------------------------------------------------------- */

/* The caller's thread decides for OpenMP how many threads oneDNN takes. */
static void
use_threads (int threads)
{
  if (omp_get_max_threads () != threads)
    omp_set_num_threads (threads);
}

static SondeKernel *
prepare_fast (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeKernel *kernel = sonde_cpu_prepare_row (device, request);

  if (kernel == NULL)
    kernel = sonde_cpu_prepare_half (device, request);
  if (kernel == NULL)
    kernel = sonde_cpu_prepare_copy (device, request);
  if (kernel == NULL)
    kernel = sonde_cpu_prepare_parts (device, request);
  return kernel;
}

static gboolean
cpu_can_fuse (SondeDevice *device, SondeNode *const *nodes, guint n_nodes)
{
  return sonde_cpu_can_fuse (nodes, n_nodes);
}

static gboolean
cpu_can_chain (SondeDevice *device, SondeNode *const *nodes, guint n_nodes)
{
  return sonde_cpu_can_chain (nodes, n_nodes);
}

static SondeLayout *
cpu_find_view (SondeDevice *device, const SondeNode *node, const SondeLayout *from)
{
  return sonde_cpu_find_view (node, from);
}

static SondeKernel *
prepare_group (SondeCpuDevice *device, SondePrepareRequest *request, GError **error)
{
  SondeKernel *kernel = sonde_cpu_prepare_fused (device, request);

  if (kernel == NULL && sonde_cpu_can_chain (request->nodes, request->n_nodes))
    kernel = sonde_cpu_prepare_chain (device, request);

  if (kernel == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "Node “%s” (%s) cannot be fused with the %u nodes that follow it",
                     request->nodes[0]->name, request->nodes[0]->op, request->n_nodes - 1);
  return kernel;
}

static SondeKernel *
cpu_prepare (SondeDevice *base, SondePrepareRequest *request, GError **error)
{
  SondeCpuDevice *device = (SondeCpuDevice *) base;
  SondeKernel *kernel;
  int threads;

  if (!sonde_prepare_request_check (request, error))
    return NULL;

  threads = sonde_cpu_choose_threads (device, request);
  use_threads (threads);
  kernel = request->n_nodes > 1 ? prepare_group (device, request, error)
                                : prepare_fast (device, request);
  if (kernel == NULL && request->n_nodes == 1)
    kernel = host_prepare (device, request, error);
  if (kernel != NULL)
    kernel->threads = threads;
  return kernel;
}

static gboolean
cpu_run (SondeDevice *base, SondeKernel *kernel, const SondeRunArguments *arguments, GError **error)
{
  SondeCpuDevice *device = (SondeCpuDevice *) base;

  use_threads (kernel->threads > 0 ? kernel->threads : device->threads);
  return kernel->run (device, kernel, arguments, error);
}

static void
cpu_kernel_free (SondeDevice *device, SondeKernel *kernel)
{
  if (kernel->free != NULL)
    kernel->free (kernel);
  else
    g_free (kernel);
}

static gboolean
cpu_derive (SondeDevice *base, SondeKernel *kernel, const void *const *inputs, void *derived,
            GError **error)
{
  SondeCpuDevice *device = (SondeCpuDevice *) base;

  use_threads (device->threads);
  return kernel->derive (device, kernel, inputs, derived, error);
}

static gboolean
cpu_supports (SondeDevice *device, const SondeNode *node)
{
  return sonde_host_kernel_supports (node);
}

/* ---- layouts ------------------------------------------------------------- */

static gsize
cpu_layout_bytes (SondeDevice *device, const SondeType *type, const SondeLayout *layout)
{
  return layout != NULL ? layout->bytes : sonde_host_type_bytes (type);
}

static gboolean
cpu_layout_equal (SondeDevice *device, const SondeLayout *a, const SondeLayout *b)
{
  return sonde_layout_equal (a, b);
}

static SondeLayout *
cpu_layout_ref (SondeDevice *device, SondeLayout *layout)
{
  return sonde_layout_ref (layout);
}

static void
cpu_layout_unref (SondeDevice *device, SondeLayout *layout)
{
  sonde_layout_unref (layout);
}

static char *
cpu_layout_describe (SondeDevice *device, const SondeLayout *layout)
{
  return sonde_layout_describe (layout);
}

static SondeKernel *
cpu_prepare_reorder (SondeDevice *base, const SondeType *type, SondeLayout *from, SondeLayout *to,
                     gsize *workspace_bytes, GError **error)
{
  SondeCpuDevice *device = (SondeCpuDevice *) base;
  SondePrepareRequest request = { 0 };
  SondeDnnlPrimitive *primitive;
  SondeKernel *kernel;
  int threads = sonde_host_type_bytes (type) < SHARED_BYTES ? 1 : device->threads;

  *workspace_bytes = 0;
  kernel = sonde_cpu_prepare_reorder_copy (type, from, to);
  if (kernel == NULL)
    kernel = sonde_cpu_prepare_pack (type, from, to);
  if (kernel != NULL)
    return kernel;

  use_threads (threads);
  primitive = sonde_dnnl_reorder (device->dnnl, type, from, to);
  if (primitive == NULL)
    {
      g_autofree char *a = sonde_layout_describe (from), *b = sonde_layout_describe (to);

      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "oneDNN cannot reorder from %s to %s", a, b);
      return NULL;
    }

  kernel = &sonde_cpu_primitive_kernel_new (&request, primitive)->base;
  kernel->threads = threads;
  *workspace_bytes = request.workspace_bytes;
  return kernel;
}

static gboolean
reorder_once (SondeDevice *base, const SondeType *type, SondeLayout *from_layout, const void *from,
              SondeLayout *to_layout, void *to, GError **error)
{
  gsize workspace_bytes = 0;
  SondeKernel *kernel
      = cpu_prepare_reorder (base, type, from_layout, to_layout, &workspace_bytes, error);
  void *source = (void *) from;
  SondeRunArguments arguments = { .inputs = &source, .outputs = &to };
  gboolean ok;

  if (kernel == NULL)
    return FALSE;

  if (workspace_bytes > 0)
    arguments.workspace = sonde_host_allocate (base, workspace_bytes, error);
  ok = (workspace_bytes == 0 || arguments.workspace != NULL)
       && kernel->run ((SondeCpuDevice *) base, kernel, &arguments, error);
  sonde_host_release (base, arguments.workspace);
  cpu_kernel_free (base, kernel);
  return ok;
}

static gboolean
cpu_reorder (SondeDevice *device, const SondeType *type, const SondeLayout *from_layout,
             const void *from, const SondeLayout *to_layout, void *to, GError **error)
{
  if (from_layout == NULL && to_layout == NULL)
    {
      memcpy (to, from, sonde_host_type_bytes (type));
      return TRUE;
    }

  return reorder_once (device, type, (SondeLayout *) from_layout, from, (SondeLayout *) to_layout,
                       to, error);
}

static gboolean
cpu_read_plain (SondeDevice *device, const SondeType *type, const SondeLayout *layout,
                const void *memory, void *host, GError **error)
{
  return cpu_reorder (device, type, layout, memory, NULL, host, error);
}

static gboolean
cpu_write_plain (SondeDevice *device, const SondeType *type, const SondeLayout *layout,
                 const void *host, void *memory, GError **error)
{
  return cpu_reorder (device, type, NULL, host, layout, memory, error);
}

/* ---- device -------------------------------------------------------------- */

typedef struct
{
  void (*run) (gint64 part, gpointer data);
  gpointer data;
} Parts;

static void
run_range (gint64 begin, gint64 end, gpointer data)
{
  const Parts *parts = data;

  for (gint64 i = begin; i < end; i++)
    parts->run (i, parts->data);
}

static void
cpu_parts (SondeDevice *base, gint64 n, void (*run) (gint64 part, gpointer data), gpointer data)
{
  Parts parts = { run, data };

  sonde_cpu_for ((SondeCpuDevice *) base, n, 1 << 20, run_range, &parts);
}

static char *
cpu_describe (SondeDevice *base)
{
  SondeCpuDevice *device = (SondeCpuDevice *) base;
  g_autofree char *library = sonde_dnnl_describe (device->dnnl);

  return g_strdup_printf ("cpu: %s, %d thread%s (OpenMP)", library, device->threads,
                          device->threads == 1 ? "" : "s");
}

static void
cpu_free (SondeDevice *base)
{
  SondeCpuDevice *device = (SondeCpuDevice *) base;

  sonde_dnnl_free (device->dnnl);
  g_free (device);
}

static const SondeDeviceClass cpu_class = {
  .name = "cpu",
  .host_memory = TRUE,
  .alignment = SONDE_HOST_ALIGNMENT,
  .describe = cpu_describe,
  .free = cpu_free,
  .allocate = sonde_host_allocate,
  .release = sonde_host_release,
  .supports = cpu_supports,
  .can_fuse = cpu_can_fuse,
  .can_chain = cpu_can_chain,
  .find_view = cpu_find_view,
  .prepare = cpu_prepare,
  .run = cpu_run,
  .kernel_free = cpu_kernel_free,
  .derive = cpu_derive,
  .layout_bytes = cpu_layout_bytes,
  .layout_equal = cpu_layout_equal,
  .layout_ref = cpu_layout_ref,
  .layout_unref = cpu_layout_unref,
  .layout_describe = cpu_layout_describe,
  .prepare_reorder = cpu_prepare_reorder,
  .reorder = cpu_reorder,
  .stores = sonde_cpu_stores,
  .store = sonde_cpu_store,
  .parts = cpu_parts,
  .read_plain = cpu_read_plain,
  .write_plain = cpu_write_plain,
  .synchronise = sonde_host_synchronise,
};

/* omp_get_max_threads() would be what the calling thread used last. */
static int
default_threads (void)
{
  const char *wanted = g_getenv ("OMP_NUM_THREADS");
  gint64 n = wanted != NULL ? g_ascii_strtoll (wanted, NULL, 10) : 0;

  return n > 0 && n <= MAX_THREADS ? (int) n : omp_get_num_procs ();
}

SondeDevice *
sonde_cpu_device_new (int threads, GError **error)
{
  SondeCpuDevice *device = g_new0 (SondeCpuDevice, 1);

  device->threads = CLAMP (threads > 0 ? threads : default_threads (), 1, MAX_THREADS);
  device->dnnl = sonde_dnnl_new (&device->base, error);
  if (device->dnnl == NULL)
    {
      g_free (device);
      return NULL;
    }

  sonde_device_init (&device->base, &cpu_class);
  device->base.n_threads = (guint) device->threads;
  return &device->base;
}
