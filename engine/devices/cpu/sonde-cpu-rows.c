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

/* (element-type SondeOpClass SondeCpuRow): never freed. */
static GHashTable *
get_rows (void)
{
  static gsize made;

  if (g_once_init_enter (&made))
    {
      GHashTable *rows = g_hash_table_new (NULL, NULL);

      for (const SondeCpuRow *const *table = sonde_cpu_row_tables; *table != NULL; table++)
        for (const SondeCpuRow *row = *table; row->op != NULL; row++)
          g_hash_table_insert (rows, (gpointer) sonde_op_table_find (row->domain, row->op),
                               (gpointer) row);
      g_once_init_leave (&made, (gsize) rows);
    }
  return (GHashTable *) made;
}

const SondeCpuRow *
sonde_cpu_find_row (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL ? g_hash_table_lookup (get_rows (), klass) : NULL;
}

SondeKernel *
sonde_cpu_prepare_row (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeCpuRow *row = sonde_cpu_find_row (request->nodes[0]);

  return row != NULL ? row->prepare (device, request) : NULL;
}
