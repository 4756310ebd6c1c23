/* SPDX-License-Identifier: Apache-2.0
 * DepthToSpace and SpaceToDepth: a row of places at a time, all columns of its blocks.
 * Channels-last memory is read as it lies. */
#include "engine/devices/cpu/movement/sonde-cpu-copy.h"

/**
 * BlocksKernel: both sides as [N, C, H, row of the block, W, column of the block]
 * @from, @to: strides in elements
 */
typedef struct
{
  SondeKernel base;
  gint64 dims[6], from[6], to[6];
  gsize size;
} BlocksKernel;

typedef struct
{
  const BlocksKernel *kernel;
  const guint8 *from;
  guint8 *to;
} BlocksCall;

#define MOVE_ROW(bits)                                                                             \
  SONDE_CPU_CLONES static void move_row_##bits (const BlocksKernel *k, const void *from, void *to) \
  {                                                                                                \
    const gint64 n = k->dims[4], step = k->from[4], stride = k->to[4];                             \
    for (gint64 q = 0; q < k->dims[5]; q++)                                                        \
      {                                                                                            \
        const guint##bits *x = (const guint##bits *) from + q * k->from[5];                        \
        guint##bits *restrict y = (guint##bits *) to + q * k->to[5];                               \
        if (stride == 1)                                                                           \
          for (gint64 i = 0; i < n; i++)                                                           \
            y[i] = x[i * step];                                                                    \
        else if (step == 1)                                                                        \
          for (gint64 i = 0; i < n; i++)                                                           \
            y[i * stride] = x[i];                                                                  \
        else                                                                                       \
          for (gint64 i = 0; i < n; i++)                                                           \
            y[i * stride] = x[i * step];                                                           \
      }                                                                                            \
  }
MOVE_ROW (8)
MOVE_ROW (16)
MOVE_ROW (32)
MOVE_ROW (64)

/* Items are rows. */
static void
blocks_range (gint64 begin, gint64 end, gpointer data)
{
  const BlocksCall *call = data;
  const BlocksKernel *k = call->kernel;
  void (*const move) (const BlocksKernel *, const void *, void *) = k->size == 1   ? move_row_8
                                                                    : k->size == 2 ? move_row_16
                                                                    : k->size == 4 ? move_row_32
                                                                                   : move_row_64;

  for (gint64 item = begin; item < end; item++)
    {
      gint64 rest = item, from = 0, to = 0;

      for (int d = 3; d >= 0; d--)
        {
          from += rest % k->dims[d] * k->from[d];
          to += rest % k->dims[d] * k->to[d];
          rest /= k->dims[d];
        }
      move (k, call->from + (gsize) from * k->size, call->to + (gsize) to * k->size);
    }
}

static gboolean
run_blocks (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const BlocksKernel *k = (BlocksKernel *) base;
  BlocksCall call = { k, arguments->inputs[0], arguments->outputs[0] };

  sonde_cpu_for (device, k->dims[0] * k->dims[1] * k->dims[2] * k->dims[3], k->dims[4] * k->dims[5],
                 blocks_range, &call);
  return TRUE;
}

/* Strides of the six dimensions where the block lies in the channels. */
static void
fill_deep (const gint64 *own, gint64 block, gint64 channels, gboolean depth_first, gint64 *strides)
{
  const gint64 column = depth_first ? channels * own[1] : own[1];
  const gint64 values[]
      = { own[0], depth_first ? own[1] : block * block * own[1], own[2], block * column, own[3],
          column };

  for (int d = 0; d < 6; d++)
    strides[d] = values[d];
}

/* The same where it lies in rows and columns. */
static void
fill_flat (const gint64 *own, gint64 block, gint64 *strides)
{
  const gint64 values[] = { own[0], own[1], block * own[2], own[2], block * own[3], own[3] };

  for (int d = 0; d < 6; d++)
    strides[d] = values[d];
}

static gboolean
get_shapes (const SondePrepareRequest *request, SondeShape *x, SondeShape *y)
{
  return sonde_cpu_has_input (request, 0) && sonde_cpu_has_output (request, 0)
         && request->inputs[0]->type.dtype != SONDE_DTYPE_STRING
         && sonde_dtype_size (request->inputs[0]->type.dtype) <= 8
         && sonde_type_get_shape (&request->inputs[0]->type, x)
         && sonde_type_get_shape (&request->outputs[0]->type, y) && x->rank == 4
         && sonde_shape_n_elements (x) > 0;
}

static SondeKernel *
prepare_blocks (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  gboolean to_space = sonde_node_is (node, SONDE_OP_ID_DEPTH_TO_SPACE);
  gboolean depth_first = g_str_equal (sonde_node_get_string (node, "mode", "DCR"), "DCR");
  gint64 block = sonde_node_get_int (node, "blocksize", 1), channels;
  gint64 x_strides[SONDE_MAX_RANK], y_strides[SONDE_MAX_RANK];
  SondeShape x, y;
  BlocksKernel *kernel;

  if (!get_shapes (request, &x, &y))
    return NULL;

  if (request->input_layouts[0] != NULL && !request->input_layouts[0]->channels_last)
    sonde_cpu_want_plain (device, request, 0);
  sonde_cpu_copy_strides (&x, request->input_layouts[0], x_strides);
  sonde_cpu_copy_strides (&y, NULL, y_strides);
  channels = to_space ? y.dims[1] : x.dims[1];

  kernel = g_new0 (BlocksKernel, 1);
  kernel->base.run = run_blocks;
  kernel->size = sonde_dtype_size (request->inputs[0]->type.dtype);
  kernel->dims[0] = x.dims[0];
  kernel->dims[1] = channels;
  kernel->dims[2] = to_space ? x.dims[2] : y.dims[2];
  kernel->dims[4] = to_space ? x.dims[3] : y.dims[3];
  kernel->dims[3] = kernel->dims[5] = block;
  fill_deep (to_space ? x_strides : y_strides, block, channels, depth_first,
             to_space ? kernel->from : kernel->to);
  fill_flat (to_space ? y_strides : x_strides, block, to_space ? kernel->to : kernel->from);
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "copy";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_blocks_rows[] = {
  { "", "DepthToSpace", prepare_blocks },
  { "", "SpaceToDepth", prepare_blocks },
  { NULL, NULL, NULL },
};
