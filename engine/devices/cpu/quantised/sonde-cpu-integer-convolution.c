/* SPDX-License-Identifier: Apache-2.0
 * ConvInteger as loops of whole numbers: each channel of the result gathers rows of the input times
 * one weight. Exact; sums wrap. oneDNN would make floats of them. */
#include "engine/devices/cpu/quantised/sonde-cpu-quantised-private.h"

#include <string.h>

#define SPACE 3

/**
 * ConvolutionKernel: with three spatial dimensions, the first of them 1 where there are fewer
 * @filters, @channels: of the result, and of the input that one filter reads
 * @zeros: of the request: the zero points, -1: none; @filter_zeros: the second has one a filter
 */
typedef struct
{
  SondeKernel base;
  SondeDtype dtypes[2];
  gint64 images, filters, channels, groups;
  gint64 in[SPACE], out[SPACE], window[SPACE], strides[SPACE], dilations[SPACE], begins[SPACE];
  gint64 in_plane, out_plane, taps;
  int zeros[2];
  gboolean filter_zeros;
} ConvolutionKernel;

typedef struct
{
  const ConvolutionKernel *kernel;
  const guint8 *x, *w, *w_zero;
  gint32 x_zero;
  gint32 *y;
} ConvolutionCall;

#define LOOP(name, T)                                                                              \
  SONDE_CPU_CLONES static void name (gint64 n, const T *x, gint64 stride, gint32 zero,             \
                                     gint32 weight, gint32 *y)                                     \
  {                                                                                                \
    if (stride == 1)                                                                               \
      _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i]                                    \
          = (gint32) ((guint32) y[i] + (guint32) (((gint32) x[i] - zero) * weight));               \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        y[i] = (gint32) ((guint32) y[i] + (guint32) (((gint32) x[i * stride] - zero) * weight));   \
  }
LOOP (gather_i8, gint8)
LOOP (gather_u8, guint8)

/* The first result whose window element @tap stands inside, and the one behind the last. */
static void
find_range (const ConvolutionKernel *k, int d, gint64 tap, gint64 *first, gint64 *end)
{
  gint64 offset = tap * k->dilations[d] - k->begins[d];
  gint64 last = k->in[d] - 1 - offset;

  *first = offset >= 0 ? 0 : (-offset + k->strides[d] - 1) / k->strides[d];
  *end = last < 0 ? 0 : MIN (k->out[d], last / k->strides[d] + 1);
}

/* One channel of the input times one weight of the window. */
static void
gather_plane (const ConvolutionCall *call, const guint8 *x, const gint64 tap[SPACE], gint32 weight,
              gint32 *y)
{
  const ConvolutionKernel *k = call->kernel;
  gint64 first[SPACE], end[SPACE];

  for (int d = 0; d < SPACE; d++)
    find_range (k, d, tap[d], &first[d], &end[d]);

  for (gint64 i = first[0]; i < end[0]; i++)
    for (gint64 j = first[1]; j < end[1] && end[2] > first[2]; j++)
      {
        gint64 plane = i * k->strides[0] + tap[0] * k->dilations[0] - k->begins[0];
        gint64 row = j * k->strides[1] + tap[1] * k->dilations[1] - k->begins[1];
        gint64 column = first[2] * k->strides[2] + tap[2] * k->dilations[2] - k->begins[2];
        const guint8 *from = x + (plane * k->in[1] + row) * k->in[2] + column;
        gint32 *to = y + (i * k->out[1] + j) * k->out[2] + first[2];

        if (k->dtypes[0] == SONDE_DTYPE_U8)
          gather_u8 (end[2] - first[2], from, k->strides[2], call->x_zero, weight, to);
        else
          gather_i8 (end[2] - first[2], (const gint8 *) from, k->strides[2], call->x_zero, weight,
                     to);
      }
}

/* Channels of the result, those of all images in order. */
static void
convolve_channels (gint64 begin, gint64 end, gpointer data)
{
  const ConvolutionCall *call = data;
  const ConvolutionKernel *k = call->kernel;

  for (gint64 o = begin; o < end; o++)
    {
      gint64 image = o / k->filters, filter = o % k->filters,
             group = filter / (k->filters / k->groups);
      const guint8 *x = call->x + (image * k->groups + group) * k->channels * k->in_plane;
      gint32 zero = call->w_zero != NULL ? sonde_cpu_get_8_bits (k->dtypes[1], call->w_zero,
                                                                 k->filter_zeros ? filter : 0)
                                         : 0;
      gint32 *y = call->y + o * k->out_plane;

      memset (y, 0, (gsize) k->out_plane * sizeof (gint32));
      for (gint64 t = 0; t < k->channels * k->taps; t++)
        {
          gint64 tap[SPACE] = { t % k->taps / (k->window[1] * k->window[2]),
                                t / k->window[2] % k->window[1], t % k->window[2] };
          gint32 weight
              = sonde_cpu_get_8_bits (k->dtypes[1], call->w, filter * k->channels * k->taps + t)
                - zero;

          if (weight != 0)
            gather_plane (call, x + t / k->taps * k->in_plane, tap, weight, y);
        }
    }
}

static gboolean
run_convolution (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
                 GError **error)
{
  const ConvolutionKernel *k = (ConvolutionKernel *) base;
  ConvolutionCall call
      = { k, arguments->inputs[0], arguments->inputs[1], NULL, 0, arguments->outputs[0] };

  if (k->zeros[0] >= 0)
    call.x_zero = sonde_cpu_get_8_bits (k->dtypes[0], arguments->inputs[k->zeros[0]], 0);
  if (k->zeros[1] >= 0)
    call.w_zero = arguments->inputs[k->zeros[1]];
  sonde_cpu_for (device, k->images * k->filters, k->out_plane * k->channels * k->taps,
                 convolve_channels, &call);
  return TRUE;
}

static void
set_window (ConvolutionKernel *kernel, const SondeDnnlWindow *window)
{
  int space = window->input.rank - 2;

  kernel->in_plane = kernel->out_plane = kernel->taps = 1;
  for (int d = 0; d < SPACE; d++)
    {
      int from = d - (SPACE - space);

      kernel->in[d] = from >= 0 ? window->input.dims[2 + from] : 1;
      kernel->out[d] = from >= 0 ? window->output.dims[2 + from] : 1;
      kernel->window[d] = from >= 0 ? window->weight.dims[2 + from] : 1;
      kernel->strides[d] = from >= 0 ? window->strides[from] : 1;
      kernel->dilations[d] = from >= 0 ? window->dilations[from] : 1;
      kernel->begins[d] = from >= 0 ? window->begins[from] : 0;
      kernel->in_plane *= kernel->in[d];
      kernel->out_plane *= kernel->out[d];
      kernel->taps *= kernel->window[d];
    }
}

SondeKernel *
sonde_cpu_prepare_integer_convolution (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeDnnlWindow window = { .plain = TRUE };
  ConvolutionKernel *kernel;
  gint64 zeros[2];

  for (guint k = 0; k < 2; k++)
    zeros[k] = sonde_cpu_has_input (request, 2 + k)
                   ? sonde_cpu_count_elements (request->inputs[2 + k])
                   : 1;
  if (request->n_outputs != 1 || request->inputs[0] == NULL || request->inputs[1] == NULL
      || !sonde_cpu_fill_window (request->nodes[0], request->inputs[0], request->inputs[1],
                                 request->outputs[0], &window)
      || sonde_shape_n_elements (&window.output) <= 0 || sonde_shape_n_elements (&window.input) <= 0
      || zeros[0] != 1 || (zeros[1] != 1 && zeros[1] != window.output.dims[1]))
    return NULL;

  kernel = g_new0 (ConvolutionKernel, 1);
  kernel->base.run = run_convolution;
  kernel->images = window.output.dims[0];
  kernel->filters = window.output.dims[1];
  kernel->groups = window.groups;
  kernel->channels = window.weight.dims[1];
  kernel->filter_zeros = zeros[1] != 1;
  set_window (kernel, &window);
  for (guint k = 0; k < 2; k++)
    {
      kernel->dtypes[k] = sonde_cpu_dtype_of (request->inputs[k]);
      kernel->zeros[k] = sonde_cpu_has_input (request, 2 + k) ? (int) (2 + k) : -1;
    }
  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return &kernel->base;
}
