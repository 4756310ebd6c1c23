/* SPDX-License-Identifier: Apache-2.0
 * Families of groups that run as one kernel. Each is a constant row in a file of its own, which
 * meson.build lists; the first one that prepares a kernel for a group has it. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-epilogue.h"

G_BEGIN_DECLS

/**
 * SondeCpuFusion:
 * @match: whether the group is one of this family; types must be known
 * @prepare: its kernel; NULL: not for these types, shapes or layouts. May change the request only
 *   when it returns a kernel
 */
typedef struct
{
  gboolean (*match) (SondeNode *const *nodes, guint n_nodes);
  SondeKernel *(*prepare) (SondeCpuDevice *device, SondePrepareRequest *request);
} SondeCpuFusion;

/* Whether the group is one of any family. */
gboolean sonde_cpu_can_fuse (SondeNode *const *nodes, guint n_nodes);
/* NULL: no family takes it. */
SondeKernel *sonde_cpu_prepare_fused (SondeCpuDevice *device, SondePrepareRequest *request);

/* Where @value is among the request's inputs, or -1. */
static inline int
sonde_cpu_find_value (const SondePrepareRequest *request, const SondeGraphValue *value)
{
  for (guint i = 0; value != NULL && i < request->n_inputs; i++)
    if (request->inputs[i] == value)
      return (int) i;

  return -1;
}

G_END_DECLS
