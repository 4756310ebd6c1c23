/* SPDX-License-Identifier: Apache-2.0
 * Broadcast loops: layouts, merging of dimensions, parts for the threads. */
#include "engine/devices/cpu/elementwise/sonde-cpu-grid-private.h"

typedef struct
{
  const SondeCpuGrid *grid;
  guint8 *const *operands;
  SondeCpuBlock block;
  gconstpointer data;
} GridCall;

/* ---- layouts ------------------------------------------------------------- */

static gboolean
all_single (const SondePrepareRequest *request, guint n)
{
  for (guint k = 0; k < n; k++)
    if (request->inputs[k]->type.dtype != SONDE_DTYPE_F32)
      return FALSE;

  return request->outputs[0]->type.dtype == SONDE_DTYPE_F32;
}

static gboolean
has_shape (const SondeGraphValue *value, const SondeShape *shape)
{
  SondeShape own;

  return sonde_type_get_shape (&value->type, &own) && sonde_shape_equal (&own, shape);
}

/* An input of the result's shape that lies channels-last, or -1. */
static int
find_leader (const SondePrepareRequest *request, guint n, const SondeShape *result)
{
  for (guint k = 0; k < n; k++)
    if (request->input_layouts[k] != NULL && request->input_layouts[k]->channels_last
        && has_shape (request->inputs[k], result))
      return (int) k;

  return -1;
}

gboolean
sonde_cpu_grid_layouts (SondeCpuDevice *device, SondePrepareRequest *request, guint n)
{
  SondeLayout *layout = NULL;
  SondeShape result;
  int leader = -1;

  if (all_single (request, n) && sonde_type_get_shape (&request->outputs[0]->type, &result))
    leader = find_leader (request, n, &result);
  if (leader >= 0)
    layout = sonde_layout_ref (request->input_layouts[leader]);

  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_same (
          device, request, k,
          layout != NULL && k < n && has_shape (request->inputs[k], &result) ? layout : NULL);

  /* One with fewer dimensions is as large where the others are 1, but lies in another order. */
  if (layout != NULL && !has_shape (request->inputs[0], &result))
    request->in_place_inputs = 0;
  request->output_layouts[0] = layout;
  return layout != NULL;
}

/* ---- loops --------------------------------------------------------------- */

/* From N, C, space… to N, space…, C. */
static void
move_channels (gint64 *dims, int rank)
{
  gint64 channels = dims[1];

  for (int d = 1; d + 1 < rank; d++)
    dims[d] = dims[d + 1];
  dims[rank - 1] = channels;
}

void
sonde_cpu_grid_init (SondeCpuGrid *grid, guint n_operands, const SondeShape *shapes,
                     const gsize *sizes, gboolean channels_last)
{
  const SondeShape *result = &shapes[n_operands - 1];
  gint64 strides[SONDE_MAX_OPERANDS][SONDE_MAX_RANK];
  const gint64 *pointers[SONDE_MAX_OPERANDS] = { NULL };
  SondeShape shape = *result;
  int last;

  if (channels_last)
    move_channels (shape.dims, shape.rank);
  for (guint k = 0; k < n_operands; k++)
    {
      gboolean full = sonde_shape_equal (&shapes[k], result);

      sonde_strided_broadcast (full ? &shape : &shapes[k], full ? &shape : result, strides[k]);
      if (channels_last && !full)
        move_channels (strides[k], shape.rank);
      pointers[k] = strides[k];
      grid->sizes[k] = sizes[k];
    }

  sonde_strided_init (&grid->loop, &shape, (int) n_operands, pointers);
  last = grid->loop.rank - 1;
  grid->n = grid->loop.dims[last];
  grid->m = last > 0 ? grid->loop.dims[last - 1] : 1;
  grid->total = sonde_shape_n_elements (result);
  for (guint k = 0; k < n_operands; k++)
    {
      grid->steps[k] = grid->n > 1 ? grid->loop.strides[k][last] : 1;
      grid->rows[k] = last > 0 ? grid->loop.strides[k][last - 1] : 0;
    }
}

/* The first elements of row @row of the result. */
static void
find_row (const GridCall *call, gint64 row, gint64 column, guint8 **operands)
{
  const SondeCpuGrid *grid = call->grid;
  const SondeStrided *loop = &grid->loop;
  gint64 offsets[SONDE_MAX_OPERANDS];

  for (int k = 0; k < loop->n_operands; k++)
    offsets[k] = column * grid->steps[k];

  for (int d = loop->rank - 2; d >= 0; d--)
    {
      gint64 index = row % loop->dims[d];

      row /= loop->dims[d];
      for (int k = 0; k < loop->n_operands; k++)
        offsets[k] += index * loop->strides[k][d];
    }

  for (int k = 0; k < loop->n_operands; k++)
    operands[k] = call->operands[k] + offsets[k] * (gint64) grid->sizes[k];
}

static void
grid_range (gint64 begin, gint64 end, gpointer data)
{
  const GridCall *call = data;
  const SondeCpuGrid *grid = call->grid;

  while (begin < end)
    {
      gint64 row = begin / grid->n, column = begin % grid->n;
      gint64 m = 1, n = MIN (grid->n - column, end - begin);
      guint8 *operands[SONDE_MAX_OPERANDS];

      if (n == grid->n)
        m = MIN ((end - begin) / n, grid->m - row % grid->m);
      find_row (call, row, column, operands);
      call->block (grid, m, n, operands, call->data);
      begin += m * n;
    }
}

void
sonde_cpu_grid_run (SondeCpuDevice *device, const SondeCpuGrid *grid, guint8 *const *operands,
                    SondeCpuBlock block, gconstpointer data)
{
  GridCall call = { grid, operands, block, data };

  if (grid->loop.rank <= 2 && grid->total <= 2048)
    block (grid, grid->m, grid->n, operands, data);
  else
    sonde_cpu_for (device, grid->total, 1, grid_range, &call);
}
