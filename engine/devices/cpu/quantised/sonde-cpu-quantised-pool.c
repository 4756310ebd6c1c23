/* SPDX-License-Identifier: Apache-2.0
 * Numbers of 8 bits, channels-last: MaxPool, alone and as the group DequantizeLinear, MaxPool,
 * QuantizeLinear. */
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

#include "engine/ops/nn/sonde-window-geometry.h"

#include <string.h>

/* Fewer channels are pooled faster as floats, conversions included. */
#define FEWEST 32

#define LOOP(suffix, T)                                                                            \
  SONDE_CPU_CLONES static void largest_##suffix (gint64 n, const T *x, T *y)                       \
  {                                                                                                \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i] = x[i] > y[i] ? x[i] : y[i];         \
  }
LOOP (i8, gint8)
LOOP (u8, guint8)

typedef struct
{
  SondeKernel base;
  SondeDtype dtype;
  SondeDnnlWindow window; /* of two dimensions; @weight only its sizes */
} LargestKernel;

typedef struct
{
  const LargestKernel *kernel;
  const guint8 *x;
  guint8 *y;
} LargestCall;

static void
largest_range (gint64 begin, gint64 end, gpointer data)
{
  const LargestCall *call = data;
  const SondeDnnlWindow *w = &call->kernel->window;
  const gint64 *in = w->input.dims, *out = w->output.dims;
  gint64 channels = in[1];

  for (gint64 p = begin; p < end; p++)
    {
      gint64 n = p / (out[2] * out[3]), row = p / out[3] % out[2], column = p % out[3];
      guint8 *y = call->y + p * channels;

      memset (y, call->kernel->dtype == SONDE_DTYPE_I8 ? 0x80 : 0, (gsize) channels);
      for (gint64 i = 0; i < w->weight.dims[2]; i++)
        for (gint64 j = 0; j < w->weight.dims[3]; j++)
          {
            gint64 r = row * w->strides[0] - w->begins[0] + i * w->dilations[0];
            gint64 c = column * w->strides[1] - w->begins[1] + j * w->dilations[1];
            const guint8 *x = call->x + ((n * in[2] + r) * in[3] + c) * channels;

            if (r < 0 || r >= in[2] || c < 0 || c >= in[3])
              continue;
            if (call->kernel->dtype == SONDE_DTYPE_U8)
              largest_u8 (channels, x, y);
            else
              largest_i8 (channels, (const gint8 *) x, (gint8 *) y);
          }
    }
}

static gboolean
run_largest (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  const LargestKernel *k = (LargestKernel *) base;
  const SondeDnnlWindow *w = &k->window;
  LargestCall call = { k, arguments->inputs[0], arguments->outputs[0] };

  sonde_cpu_for (device, w->output.dims[0] * w->output.dims[2] * w->output.dims[3],
                 w->input.dims[1] * w->weight.dims[2] * w->weight.dims[3], largest_range, &call);
  return TRUE;
}

/* The window of MaxPool @node from @x to @y. */
static gboolean
read_window (const SondeNode *node, const SondeGraphValue *x, const SondeGraphValue *y,
             LargestKernel *kernel)
{
  SondeWindowGeometry window;
  SondeDnnlWindow *w = &kernel->window;

  if (sonde_node_get_output (node, 1) != NULL || x == NULL || y == NULL
      || !sonde_type_get_shape (&x->type, &w->input) || !sonde_type_get_shape (&y->type, &w->output)
      || w->input.rank != 4 || w->output.rank != 4
      || sonde_node_get_int (node, "storage_order", 0) != 0
      || !sonde_window_read (node, 2, w->input.dims + 2, NULL, &window, NULL))
    return FALSE;

  w->weight = w->input;
  for (int i = 0; i < 2; i++)
    {
      w->weight.dims[2 + i] = window.kernel[i];
      w->strides[i] = window.stride[i];
      w->dilations[i] = window.dilation[i];
      w->begins[i] = window.before[i];
    }

  return TRUE;
}

/* DequantizeLinear, MaxPool, QuantizeLinear of one scale and zero point: the largest integer. */
static gboolean
read_largest (SondeNode *const *nodes, guint n_nodes, LargestKernel *kernel)
{
  SondeGraphValue *x = NULL, *y = n_nodes == 3 ? sonde_node_get_output (nodes[1], 0) : NULL;
  SondeCpuQuantity from, to;

  if (n_nodes == 3 && sonde_node_is (nodes[1], SONDE_OP_ID_MAX_POOL))
    x = sonde_cpu_read_dequantise (nodes[0], &from);
  if (x == NULL || sonde_node_get_input (nodes[1], 0) != sonde_node_get_output (nodes[0], 0)
      || !sonde_cpu_read_quantise (nodes[2], y, &to) || from.dtype != to.dtype
      || from.zero != to.zero || from.scale != to.scale || !read_window (nodes[1], x, y, kernel)
      || kernel->window.input.dims[1] < FEWEST)
    return FALSE;

  kernel->dtype = from.dtype;
  return TRUE;
}

static gboolean
match_quantised_pool (SondeNode *const *nodes, guint n_nodes)
{
  LargestKernel kernel = { .dtype = SONDE_DTYPE_INVALID };

  return read_largest (nodes, n_nodes, &kernel);
}

static SondeKernel *
answer_largest (SondeCpuDevice *device, SondePrepareRequest *request, const LargestKernel *largest)
{
  LargestKernel *kernel;

  for (guint i = 1; i < request->n_inputs; i++)
    sonde_cpu_want_plain (device, request, i);
  sonde_cpu_want_channels_last (device, request, 0);
  sonde_cpu_give_channels_last (request, 0);
  kernel = g_memdup2 (largest, sizeof *largest);
  kernel->base.run = run_largest;
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "int8";
  return &kernel->base;
}

static SondeKernel *
prepare_fused_quantised_pool (SondeCpuDevice *device, SondePrepareRequest *request)
{
  LargestKernel kernel = { .dtype = SONDE_DTYPE_INVALID };

  if (request->plain_layouts || request->n_outputs != 1
      || !read_largest (request->nodes, request->n_nodes, &kernel)
      || sonde_cpu_find_input (request, 0, 0) != 0
      || sonde_shape_n_elements (&kernel.window.output) <= 0)
    return NULL;

  return answer_largest (device, request, &kernel);
}

SondeKernel *
sonde_cpu_prepare_quantised_pool (SondeCpuDevice *device, SondePrepareRequest *request)
{
  LargestKernel kernel = { .dtype = sonde_cpu_dtype_of (request->inputs[0]) };

  if (request->plain_layouts || (kernel.dtype != SONDE_DTYPE_I8 && kernel.dtype != SONDE_DTYPE_U8)
      || !read_window (request->nodes[0], request->inputs[0], request->outputs[0], &kernel)
      || sonde_shape_n_elements (&kernel.window.input) <= 0
      || sonde_shape_n_elements (&kernel.window.output) <= 0)
    return NULL;

  return answer_largest (device, request, &kernel);
}

const SondeCpuFusion sonde_cpu_quantised_pool_fusion = {
  .match = match_quantised_pool,
  .prepare = prepare_fused_quantised_pool,
};
