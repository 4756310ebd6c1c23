/* SPDX-License-Identifier: Apache-2.0
 * The families of groups that run as one kernel, asked in the order of meson.build. */
#include "engine/devices/cpu/sonde-cpu-fusion.h"

#define SONDE_CPU_FUSION(name) extern const SondeCpuFusion name##_fusion;
#include "engine/devices/cpu/sonde-cpu-fusions.h"
#undef SONDE_CPU_FUSION

static const SondeCpuFusion *const families[] = {
#define SONDE_CPU_FUSION(name) &name##_fusion,
#include "engine/devices/cpu/sonde-cpu-fusions.h"
#undef SONDE_CPU_FUSION
};

gboolean
sonde_cpu_can_fuse (SondeNode *const *nodes, guint n_nodes)
{
  for (gsize i = 0; i < G_N_ELEMENTS (families) && n_nodes > 1; i++)
    if (families[i]->match (nodes, n_nodes))
      return TRUE;

  return FALSE;
}

SondeKernel *
sonde_cpu_prepare_fused (SondeCpuDevice *device, SondePrepareRequest *request)
{
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    {
      SondeKernel *kernel = families[i]->match (request->nodes, request->n_nodes)
                                ? families[i]->prepare (device, request)
                                : NULL;

      if (kernel != NULL)
        return kernel;
    }

  return NULL;
}
