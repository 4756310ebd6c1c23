/* SPDX-License-Identifier: Apache-2.0
 * oneDNN 2.x: the engine and its stream. */
#include "engine/devices/cpu/dnnl/sonde-dnnl-private.h"

SondeDnnl *
sonde_dnnl_new (SondeDevice *device, GError **error)
{
  SondeDnnl *dnnl = g_new0 (SondeDnnl, 1);

  dnnl->device = device;
  if (dnnl_engine_create (&dnnl->engine, dnnl_cpu, 0) == dnnl_success
      && dnnl_stream_create (&dnnl->stream, dnnl->engine, dnnl_stream_default_flags)
             == dnnl_success)
    return dnnl;

  sonde_dnnl_free (dnnl);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_DEVICE,
                   "oneDNN cannot start on this processor");
  return NULL;
}

void
sonde_dnnl_free (SondeDnnl *dnnl)
{
  if (dnnl == NULL)
    return;

  if (dnnl->stream != NULL)
    dnnl_stream_destroy (dnnl->stream);
  if (dnnl->engine != NULL)
    dnnl_engine_destroy (dnnl->engine);
  g_free (dnnl);
}

typedef struct
{
  int isa;
  const char *name;
} IsaName;

static const IsaName isa_names[] = {
  { dnnl_cpu_isa_sse41, "sse41" },
  { dnnl_cpu_isa_avx, "avx" },
  { dnnl_cpu_isa_avx2, "avx2" },
  { dnnl_cpu_isa_avx2_vnni, "avx2_vnni" },
  { dnnl_cpu_isa_avx512_core, "avx512_core" },
  { dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni" },
  { dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16" },
  { dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx" },
};

gboolean
sonde_dnnl_adds_bytes_exactly (void)
{
  int isa = dnnl_get_effective_cpu_isa ();

  return isa == dnnl_cpu_isa_avx2_vnni || isa == dnnl_cpu_isa_avx512_core_vnni
         || isa == dnnl_cpu_isa_avx512_core_bf16 || isa == dnnl_cpu_isa_avx512_core_amx;
}

char *
sonde_dnnl_describe (SondeDnnl *dnnl)
{
  const dnnl_version_t *version = dnnl_version ();
  int isa = dnnl_get_effective_cpu_isa ();
  const char *name = "generic";

  for (gsize i = 0; i < G_N_ELEMENTS (isa_names); i++)
    if (isa == isa_names[i].isa)
      name = isa_names[i].name;

  return g_strdup_printf ("oneDNN %d.%d.%d, %s", version->major, version->minor, version->patch,
                          name);
}
