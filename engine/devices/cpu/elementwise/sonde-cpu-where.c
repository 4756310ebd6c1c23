/* SPDX-License-Identifier: Apache-2.0
 * Where: a choice between two broadcast operands. */
#include "engine/devices/cpu/elementwise/sonde-cpu-grid-private.h"

#define CHOOSE(name, T)                                                                            \
  SONDE_CPU_CLONES static void name (const SondeCpuGrid *grid, gint64 m, gint64 n,                 \
                                     guint8 *const *operands, gconstpointer data)                  \
  {                                                                                                \
    const gint64 c_step = grid->steps[0], a_step = grid->steps[1], b_step = grid->steps[2];        \
    for (gint64 r = 0; r < m; r++)                                                                 \
      {                                                                                            \
        const guint8 *c = operands[0] + r * grid->rows[0];                                         \
        const T *a = (const T *) (const void *) operands[1] + r * grid->rows[1];                   \
        const T *b = (const T *) (const void *) operands[2] + r * grid->rows[2];                   \
        T *y = (T *) (void *) operands[3] + r * grid->rows[3];                                     \
        if (c_step == 1 && a_step == 0 && b_step == 1)                                             \
          for (gint64 i = 0; i < n; i++)                                                           \
            y[i] = c[i] ? a[0] : b[i];                                                             \
        else if (c_step == 1 && a_step == 1 && b_step == 0)                                        \
          for (gint64 i = 0; i < n; i++)                                                           \
            y[i] = c[i] ? a[i] : b[0];                                                             \
        else if (c_step == 0)                                                                      \
          for (gint64 i = 0; i < n; i++)                                                           \
            y[i] = c[0] ? a[i * a_step] : b[i * b_step];                                           \
        else                                                                                       \
          for (gint64 i = 0; i < n; i++)                                                           \
            y[i] = c[i * c_step] ? a[i * a_step] : b[i * b_step];                                  \
      }                                                                                            \
  }
CHOOSE (choose_1, guint8)
CHOOSE (choose_2, guint16)
CHOOSE (choose_4, guint32)
CHOOSE (choose_8, guint64)

typedef struct
{
  SondeKernel base;
  SondeCpuBlock block;
  SondeCpuGrid grid;
} WhereKernel;

static gboolean
run_where (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
           GError **error)
{
  const WhereKernel *kernel = (WhereKernel *) base;
  guint8 *operands[]
      = { arguments->inputs[0], arguments->inputs[1], arguments->inputs[2], arguments->outputs[0] };

  sonde_cpu_grid_run (device, &kernel->grid, operands, kernel->block, NULL);
  return TRUE;
}

static SondeKernel *
prepare_where (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeShape shapes[4];
  gsize sizes[4];
  WhereKernel *kernel;

  for (guint k = 0; k < 4; k++)
    {
      const SondeGraphValue *value = k < 3 ? request->inputs[k] : request->outputs[0];

      if (value == NULL || !sonde_type_get_shape (&value->type, &shapes[k])
          || sonde_shape_n_elements (&shapes[k]) <= 0 || value->type.dtype == SONDE_DTYPE_STRING)
        return NULL;
      sizes[k] = sonde_dtype_size (value->type.dtype);
    }

  kernel = g_new0 (WhereKernel, 1);
  kernel->base.run = run_where;
  kernel->block = sizes[3] == 1   ? choose_1
                  : sizes[3] == 2 ? choose_2
                  : sizes[3] == 4 ? choose_4
                                  : choose_8;
  sonde_cpu_grid_init (&kernel->grid, 4, shapes, sizes,
                       sonde_cpu_grid_layouts (device, request, 3));
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_where_rows[] = {
  { "", "Where", prepare_where },
  { NULL, NULL, NULL },
};
