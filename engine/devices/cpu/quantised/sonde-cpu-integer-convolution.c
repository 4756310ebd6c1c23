/* SPDX-License-Identifier: Apache-2.0
 * ConvInteger and QLinearConv, exact: blocks of taps and places are gathered as floats without their
 * zero point and multiplied by the weights, and their sums, whole numbers that a float holds, are
 * added up as integers. Sums of ConvInteger wrap. oneDNN would turn ConvInteger's into floats without
 * blocks, and has no exact QLinearConv on processors without VNNI. */
#include "engine/devices/cpu/convolution/sonde-cpu-convolution.h"
#include "engine/devices/cpu/product/sonde-cpu-product.h"
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"
#include "data/base/sonde-checked.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define SPACE 3

/* Products of two numbers of 8 bits whose sum stays within 31 bits. */
#define MOST_PRODUCTS (G_MAXINT32 / (255 * 255))

/* What is multiplied at once. Taps: 256 · 255 · 255 < 2^24, so that every sum is exact in a float. */
#define BLOCK_TAPS 256
#define BLOCK_PLACES 128
#define BLOCK_FILTERS 64

/* Inputs of the request: data, weights, their zero points; -1: none */
typedef struct
{
  int x, w, x_zero, w_zero;
} Operands;

static const Operands integer_operands = { 0, 1, 2, 3 };
static const Operands scaled_operands = { 0, 3, 2, 5 };

/* The other inputs of QLinearConv. */
enum
{
  X_SCALE = 1,
  W_SCALE = 4,
  Y_SCALE = 6,
  Y_ZERO = 7,
  BIAS = 8,
};

/**
 * ConvolutionKernel: with three spatial dimensions, the first of them 1 where there are fewer
 * @filters, @channels: of the result, and of the input that one filter reads
 * @at: inputs of the request; @filter_zeros: the weights have a zero point a filter
 * @y_dtype: INVALID: the sums are the result; else they are scaled to it (QLinearConv), and stand in
 *   the workspace before
 * @filter_scales: the weights have a scale a filter; @bias: there is one
 * @pitch, @most_taps, @most_filters: of a block; @blocks: where those of the threads stand in the
 *   workspace, each of @block_floats
 */
typedef struct
{
  SondeKernel base;
  SondeDtype dtypes[2];
  gint64 images, filters, channels, groups;
  gint64 in[SPACE], out[SPACE], window[SPACE], strides[SPACE], dilations[SPACE], begins[SPACE];
  gint64 in_plane, out_plane, taps;
  Operands at;
  gboolean filter_zeros;
  SondeDtype y_dtype;
  gboolean filter_scales, bias;
  gint64 pitch, most_taps, most_filters, block_floats;
  gsize blocks;
} ConvolutionKernel;

typedef struct
{
  const ConvolutionKernel *kernel;
  const guint8 *x, *w, *w_zero;
  gint32 x_zero;
  gint32 *y;
  float *blocks;
  /* of QLinearConv */
  const float *w_scale;
  double scale; /* of x by that of y */
  gint32 y_zero;
  const gint32 *bias; /* (nullable) */
  guint8 *scaled;
} ConvolutionCall;

/* The first result whose window element @tap stands inside, and the one behind the last. */
static void
find_range (const ConvolutionKernel *k, int d, gint64 tap, gint64 *first, gint64 *end)
{
  gint64 offset = tap * k->dilations[d] - k->begins[d];
  gint64 last = k->in[d] - 1 - offset;

  *first = offset >= 0 ? 0 : (-offset + k->strides[d] - 1) / k->strides[d];
  *end = last < 0 ? 0 : MIN (k->out[d], last / k->strides[d] + 1);
}

/**
 * Block: places @begin … @end of the plane of a channel of the result, in its first rows of @pitch
 * @places: [taps, pitch] gathered input, zeros outside of the image and behind the places
 * @weights: [filters, taps]; @sums: [filters, pitch]
 */
typedef struct
{
  gint64 begin, end, pitch;
  float *places, *weights, *sums;
} Block;

/* Floats of @n numbers less @zero; the last eight, or four, may be counted twice. */
#define CONVERT(name, T)                                                                           \
  static inline __attribute__ ((always_inline)) void name (gint64 n, const T *x, gint32 zero,      \
                                                           float *restrict to)                     \
  {                                                                                                \
    gint64 i = 0;                                                                                  \
    if (n >= 8)                                                                                    \
      for (; i < n; i = i + 8 < n ? MIN (i + 8, n - 8) : n)                                        \
        for (int l = 0; l < 8; l++)                                                                \
          to[i + l] = (float) (x[i + l] - zero);                                                   \
    else if (n >= 4)                                                                               \
      for (; i < n; i = i + 4 < n ? n - 4 : n)                                                     \
        for (int l = 0; l < 4; l++)                                                                \
          to[i + l] = (float) (x[i + l] - zero);                                                   \
    else                                                                                           \
      for (; i < n; i++)                                                                           \
        to[i] = (float) (x[i] - zero);                                                             \
  }
CONVERT (convert_i8, gint8)
CONVERT (convert_u8, guint8)

/* @to [pitch] = what the window's element @tap sees of the channel @x at each place, less @zero. */
#define GATHER(name, T, convert)                                                                   \
  SONDE_CPU_CLONES static void name (const ConvolutionKernel *k, const Block *block, const T *x,   \
                                     gint32 zero, const gint64 tap[SPACE], float *to)              \
  {                                                                                                \
    const gint64 width = k->out[2], stride = k->strides[2];                                        \
    gint64 first[SPACE], end[SPACE], from[SPACE];                                                  \
    for (int d = 0; d < SPACE; d++)                                                                \
      {                                                                                            \
        find_range (k, d, tap[d], &first[d], &end[d]);                                             \
        from[d] = tap[d] * k->dilations[d] - k->begins[d];                                         \
      }                                                                                            \
    gint64 row = block->begin / width, i = row / k->out[1], j = row % k->out[1];                   \
    memset (to, 0, (gsize) block->pitch * sizeof (float));                                         \
    for (gint64 base = row * width - block->begin; base < block->end - block->begin;               \
         base += width, i += j + 1 == k->out[1], j = j + 1 == k->out[1] ? 0 : j + 1)               \
      {                                                                                            \
        gint64 l = MAX (first[2], -base), last = MIN (end[2], block->end - block->begin - base);   \
        const T *line;                                                                             \
        if (i < first[0] || i >= end[0] || j < first[1] || j >= end[1] || l >= last)               \
          continue;                                                                                \
        line = x                                                                                   \
               + ((i * k->strides[0] + from[0]) * k->in[1] + j * k->strides[1] + from[1])          \
                     * k->in[2]                                                                    \
               + l * stride + from[2];                                                             \
        if (stride == 1)                                                                           \
          convert (last - l, line, zero, to + base + l);                                           \
        else                                                                                       \
          for (gint64 n = 0; n < last - l; n++)                                                    \
            to[base + l + n] = (float) (line[n * stride] - zero);                                  \
      }                                                                                            \
  }
GATHER (gather_i8, gint8, convert_i8)
GATHER (gather_u8, guint8, convert_u8)

/* Taps @first … @first + n of all channels that a filter reads. */
static void
gather_taps (const ConvolutionCall *call, const Block *block, const guint8 *x, gint64 first,
             gint64 n)
{
  const ConvolutionKernel *k = call->kernel;

  for (gint64 t = first; t < first + n; t++)
    {
      gint64 tap[SPACE] = { t % k->taps / (k->window[1] * k->window[2]),
                            t / k->window[2] % k->window[1], t % k->window[2] };
      const guint8 *channel = x + t / k->taps * k->in_plane;
      float *to = block->places + (t - first) * block->pitch;

      if (k->dtypes[0] == SONDE_DTYPE_U8)
        gather_u8 (k, block, channel, call->x_zero, tap, to);
      else
        gather_i8 (k, block, (const gint8 *) channel, call->x_zero, tap, to);
    }
}

static void
convert_weights (const ConvolutionCall *call, const Block *block, gint64 filter, gint64 n_filters,
                 gint64 first, gint64 n)
{
  const ConvolutionKernel *k = call->kernel;

  for (gint64 f = 0; f < n_filters; f++)
    {
      gint64 at = (filter + f) * k->channels * k->taps + first;
      gint32 zero = call->w_zero != NULL ? sonde_cpu_get_8_bits (k->dtypes[1], call->w_zero,
                                                                 k->filter_zeros ? filter + f : 0)
                                         : 0;
      float *to = block->weights + f * k->most_taps;

      if (k->dtypes[1] == SONDE_DTYPE_U8)
        for (gint64 t = 0; t < n; t++)
          to[t] = (float) (call->w[at + t] - zero);
      else
        for (gint64 t = 0; t < n; t++)
          to[t] = (float) (((const gint8 *) call->w)[at + t] - zero);
    }
}

/* The sums of one block of taps into those of the result; they wrap. */
SONDE_CPU_CLONES static void
add_sums (gint64 n, const float *sums, gint32 *y)
{
  _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i]
      = (gint32) ((guint32) y[i] + (guint32) (gint32) sums[i]);
}

/* Channels of the result from @o, @n_filters of one image and one group. */
static void
convolve_filters (const ConvolutionCall *call, Block *block, gint64 o, gint64 n_filters)
{
  const ConvolutionKernel *k = call->kernel;
  gint64 image = o / k->filters, filter = o % k->filters, group = filter / (k->filters / k->groups);
  gint64 taps = k->channels * k->taps;
  const guint8 *x = call->x + (image * k->groups + group) * k->channels * k->in_plane;
  gint32 *y = call->y + o * k->out_plane;

  memset (y, 0, (gsize) (n_filters * k->out_plane) * sizeof (gint32));
  for (block->begin = 0; block->begin < k->out_plane; block->begin = block->end)
    {
      gint64 n_places = MIN (BLOCK_PLACES, k->out_plane - block->begin);

      block->end = block->begin + n_places;
      for (gint64 first = 0; first < taps; first += BLOCK_TAPS)
        {
          gint64 n = MIN (BLOCK_TAPS, taps - first);

          gather_taps (call, block, x, first, n);
          convert_weights (call, block, filter, n_filters, first, n);
          sonde_cpu_product (n_filters, n, block->pitch, block->weights, k->most_taps,
                             block->places, block->pitch, block->sums, block->pitch);
          for (gint64 f = 0; f < n_filters; f++)
            add_sums (n_places, block->sums + f * block->pitch,
                      y + f * k->out_plane + block->begin);
        }
    }
}

/* y = saturate (round ((sum + bias) · scale) + zero), ties to even, NaN to the least number; as the
 * reference kernel in engine/ops. */
SONDE_CPU_CLONES static void
scale_sums (gint64 n, const gint32 *sums, double bias, double scale, double zero, double low,
            double high, guint8 *y)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    {
      double value = rint ((sums[i] + bias) * scale) + zero;

      value = value >= low ? value : low;
      value = value <= high ? value : high;
      y[i] = (guint8) (gint32) value;
    }
}

static void
scale_plane (const ConvolutionCall *call, gint64 o, gint64 filter)
{
  const ConvolutionKernel *k = call->kernel;
  const gint32 *sums = call->y + o * k->out_plane;
  const double scale = call->scale * (double) call->w_scale[k->filter_scales ? filter : 0];
  const double bias = call->bias != NULL ? call->bias[filter] : 0;
  const double low = k->y_dtype == SONDE_DTYPE_U8 ? 0 : -128, high = low + 255;

  scale_sums (k->out_plane, sums, bias, scale, call->y_zero, low, high,
              call->scaled + o * k->out_plane);
}

/* Channels of the result, those of all images in order. */
static void
convolve_channels (gint64 begin, gint64 end, gpointer data)
{
  const ConvolutionCall *call = data;
  const ConvolutionKernel *k = call->kernel;
  gint64 group_filters = k->filters / k->groups;
  float *places = call->blocks + omp_get_thread_num () * k->block_floats;
  float *weights = places + k->most_taps * k->pitch;
  Block block = { .pitch = k->pitch,
                  .places = places,
                  .weights = weights,
                  .sums = weights + k->most_filters * k->most_taps };

  for (gint64 o = begin, n; o < end; o += n)
    {
      n = MIN (MIN (end - o, BLOCK_FILTERS), group_filters - o % group_filters);
      convolve_filters (call, &block, o, n);
      for (gint64 f = 0; f < n && call->scaled != NULL; f++)
        scale_plane (call, o + f, (o + f) % k->filters);
    }
}

static gboolean
run_convolution (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
                 GError **error)
{
  const ConvolutionKernel *k = (ConvolutionKernel *) base;
  ConvolutionCall call = { .kernel = k,
                           .x = arguments->inputs[k->at.x],
                           .w = arguments->inputs[k->at.w],
                           .y = arguments->outputs[0] };

  if (k->at.x_zero >= 0)
    call.x_zero = sonde_cpu_get_8_bits (k->dtypes[0], arguments->inputs[k->at.x_zero], 0);
  if (k->at.w_zero >= 0)
    call.w_zero = arguments->inputs[k->at.w_zero];
  if (k->y_dtype != SONDE_DTYPE_INVALID)
    {
      const float *x_scale = arguments->inputs[X_SCALE], *y_scale = arguments->inputs[Y_SCALE];

      call.y = arguments->workspace;
      call.scaled = arguments->outputs[0];
      call.scale = (double) *x_scale / (double) *y_scale;
      call.w_scale = arguments->inputs[W_SCALE];
      call.y_zero = sonde_cpu_get_8_bits (k->y_dtype, arguments->inputs[Y_ZERO], 0);
      call.bias = k->bias ? arguments->inputs[BIAS] : NULL;
    }
  call.blocks = (float *) (void *) ((guint8 *) arguments->workspace + k->blocks);
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

/* A block for each thread, behind what stands in the workspace already. */
static void
reserve_blocks (SondeCpuDevice *device, SondePrepareRequest *request, ConvolutionKernel *kernel)
{
  kernel->pitch = (MIN (BLOCK_PLACES, kernel->out_plane) + 15) / 16 * 16;
  kernel->most_taps = MIN (BLOCK_TAPS, kernel->channels * kernel->taps);
  kernel->most_filters = MIN (BLOCK_FILTERS, kernel->filters / kernel->groups);
  kernel->block_floats = ((kernel->most_taps + kernel->most_filters) * kernel->pitch
                          + kernel->most_filters * kernel->most_taps + 15)
                         / 16 * 16;
  kernel->blocks = (request->workspace_bytes + 63) / 64 * 64;
  request->workspace_bytes
      = kernel->blocks + (gsize) (device->threads * kernel->block_floats) * sizeof (float);
}

/* NULL: shapes that are not known, or of operands that the loops do not take. */
static ConvolutionKernel *
prepare (SondeCpuDevice *device, SondePrepareRequest *request, const Operands *operands)
{
  SondeDnnlWindow window = { .plain = TRUE };
  Operands at = *operands;
  ConvolutionKernel *kernel;
  gint64 x_zeros, w_zeros;

  at.x_zero = sonde_cpu_has_input (request, (guint) at.x_zero) ? at.x_zero : -1;
  at.w_zero = sonde_cpu_has_input (request, (guint) at.w_zero) ? at.w_zero : -1;
  x_zeros = sonde_cpu_count_elements (at.x_zero >= 0 ? request->inputs[at.x_zero] : NULL);
  w_zeros = sonde_cpu_count_elements (at.w_zero >= 0 ? request->inputs[at.w_zero] : NULL);
  if (request->n_outputs != 1 || request->inputs[at.x] == NULL || request->inputs[at.w] == NULL
      || !sonde_cpu_fill_window (request->nodes[0], request->inputs[at.x], request->inputs[at.w],
                                 request->outputs[0], &window)
      || sonde_shape_n_elements (&window.output) <= 0 || sonde_shape_n_elements (&window.input) <= 0
      || x_zeros != 1 || (w_zeros != 1 && w_zeros != window.output.dims[1]))
    return NULL;

  kernel = g_new0 (ConvolutionKernel, 1);
  kernel->base.run = run_convolution;
  kernel->images = window.output.dims[0];
  kernel->filters = window.output.dims[1];
  kernel->groups = window.groups;
  kernel->channels = window.weight.dims[1];
  kernel->at = at;
  kernel->filter_zeros = w_zeros != 1;
  kernel->dtypes[0] = sonde_cpu_dtype_of (request->inputs[at.x]);
  kernel->dtypes[1] = sonde_cpu_dtype_of (request->inputs[at.w]);
  kernel->y_dtype = SONDE_DTYPE_INVALID;
  set_window (kernel, &window);
  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return kernel;
}

static SondeKernel *
prepare_integer_convolution (SondeCpuDevice *device, SondePrepareRequest *request)
{
  ConvolutionKernel *kernel = prepare (device, request, &integer_operands);

  if (kernel == NULL)
    return NULL;

  reserve_blocks (device, request, kernel);
  return &kernel->base;
}

static gboolean
is_8_bits (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_U8 || dtype == SONDE_DTYPE_I8;
}

SondeKernel *
sonde_cpu_prepare_scaled_convolution (SondeCpuDevice *device, SondePrepareRequest *request)
{
  static const guint single[] = { X_SCALE, Y_SCALE, Y_ZERO };
  gboolean bias = sonde_cpu_has_input (request, BIAS);
  ConvolutionKernel *kernel;
  gint64 scales, sums;

  if (request->n_inputs <= Y_ZERO || request->n_outputs != 1)
    return NULL;
  for (guint k = 0; k <= Y_ZERO; k++)
    if (request->inputs[k] == NULL
        || (k != X_SCALE && k != W_SCALE && k != Y_SCALE
            && !is_8_bits (sonde_cpu_dtype_of (request->inputs[k]))))
      return NULL;
  for (guint k = 0; k < G_N_ELEMENTS (single); k++)
    if (sonde_cpu_count_elements (request->inputs[single[k]]) != 1)
      return NULL;
  if (sonde_cpu_dtype_of (request->inputs[X_SCALE]) != SONDE_DTYPE_F32
      || sonde_cpu_dtype_of (request->inputs[W_SCALE]) != SONDE_DTYPE_F32
      || sonde_cpu_dtype_of (request->inputs[Y_SCALE]) != SONDE_DTYPE_F32
      || sonde_cpu_dtype_of (request->outputs[0]) != sonde_cpu_dtype_of (request->inputs[Y_ZERO])
      || (bias && sonde_cpu_dtype_of (request->inputs[BIAS]) != SONDE_DTYPE_I32))
    return NULL;

  kernel = prepare (device, request, &scaled_operands);
  if (kernel == NULL)
    return NULL;

  scales = sonde_cpu_count_elements (request->inputs[W_SCALE]);
  if ((scales != 1 && scales != kernel->filters)
      || (bias && sonde_cpu_count_elements (request->inputs[BIAS]) != kernel->filters)
      || kernel->channels > MOST_PRODUCTS / kernel->taps
      || !sonde_checked_mul (&sums, kernel->images * kernel->filters, kernel->out_plane)
      || !sonde_checked_mul (&sums, sums, (gint64) sizeof (gint32)))
    {
      g_free (kernel);
      return NULL;
    }

  kernel->y_dtype = sonde_cpu_dtype_of (request->outputs[0]);
  kernel->filter_scales = scales != 1;
  kernel->bias = bias;
  request->workspace_bytes = (gsize) sums;
  reserve_blocks (device, request, kernel);
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_integer_convolution_rows[] = {
  { "", "ConvInteger", prepare_integer_convolution },
  { NULL, NULL, NULL },
};
