/* SPDX-License-Identifier: Apache-2.0
 * The operators with fast kernels of their own. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"

#define SONDE_CPU_ROWS(name) extern const SondeCpuRow name##_rows[];
#include "engine/devices/cpu/sonde-cpu-row-tables.h"
#undef SONDE_CPU_ROWS

const SondeCpuRow *const sonde_cpu_row_tables[] = {
#define SONDE_CPU_ROWS(name) name##_rows,
#include "engine/devices/cpu/sonde-cpu-row-tables.h"
#undef SONDE_CPU_ROWS
  NULL,
};

static const SondeCpuRow *
find_row (const SondeNode *node)
{
  for (const SondeCpuRow *const *table = sonde_cpu_row_tables; *table != NULL; table++)
    for (const SondeCpuRow *row = *table; row->op != NULL; row++)
      if (g_str_equal (row->op, node->op) && g_str_equal (row->domain, node->domain))
        return row;

  return NULL;
}

SondeKernel *
sonde_cpu_prepare_row (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeCpuRow *row = find_row (request->nodes[0]);

  return row != NULL ? row->prepare (device, request) : NULL;
}
