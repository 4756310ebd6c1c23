/* SPDX-License-Identifier: Apache-2.0
 * Convolutions of each channel alone, where oneDNN has no kernel of its own for them: along one
 * dimension, three, or with dilation. Data lie channels-last, so that channels are the vectors; the
 * sums of a few places stay in registers meanwhile. Where a window goes over an edge its weights
 * there are left out. What follows the convolution is done to a part of its results while they are
 * in the cache. */
#include "engine/devices/cpu/convolution/sonde-cpu-depthwise.h"

#include "engine/devices/cpu/convolution/sonde-cpu-convolution.h"
#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"
#include "engine/devices/cpu/sonde-cpu-vectors.h"

#include <string.h>

/* Places that are summed together inside a row, and channels at its edges. */
#define PLACES 6
#define CHANNELS 64
/* Channels of the shortest vector. */
#define LEAST_LANES 8
/* Most of a window's weights. */
#define MOST_TAPS 1024
/* Floats of results that are computed before what follows is done to them. */
#define PART 8192

/* What is done to results; @input: of the request, of a product or sum */
typedef struct
{
  SondeDnnlPostKind kind;
  SondeCpuUnary unary;
  gboolean by_channel;
  int input;
} DepthwisePost;

/**
 * DepthwiseKernel: x [images, in, in, in, channels], y [images, out, out, out, channels];
 *   dimensions that are not there are of one place
 * @inputs: of the request: data, weights, bias or -1
 * @scale: of the request: scale, bias, mean and variance of a normalisation, where @affine
 * @n_taps: weights of a window, [taps, channels]
 */
typedef struct
{
  SondeKernel base;
  int inputs[3], scale[4];
  gboolean affine;
  double epsilon;
  gint64 images, channels, in[3], out[3], size[3], strides[3], dilations[3], before[3];
  gint64 n_taps;
  DepthwisePost posts[SONDE_DNNL_MAX_POSTS];
  guint n_posts;
} DepthwiseKernel;

/* @factor, @offset: (nullable): of the normalisation */
typedef struct
{
  const DepthwiseKernel *kernel;
  const SondeRunArguments *arguments;
  const float *x, *weights, *bias, *factor, *offset;
  float *y;
} DepthwiseCall;

/* The weights of a window that lie inside: from its first place in elements of x, and of the
 * weights. */
typedef struct
{
  gint64 n, x[MOST_TAPS], weights[MOST_TAPS];
} Taps;

/* ---- running ------------------------------------------------------------- */

/* @n places @step elements apart, @channels ≥ WIDTH; the last vector may overlap the one before. */
#define SUM_PLACES(name, WIDTH)                                                                    \
  SONDE_CPU_CLONES static void name (const Taps *taps, gint64 channels, gint64 n, gint64 step,     \
                                     const float *x, const float *weights, const float *bias,      \
                                     float *y)                                                     \
  {                                                                                                \
    for (gint64 at = 0; at < channels; at += WIDTH)                                                \
      {                                                                                            \
        const gint64 c = MIN (at, channels - WIDTH);                                               \
        SondeCpuFloats##WIDTH start = { 0 };                                                       \
        gint64 p = 0;                                                                              \
        if (bias != NULL)                                                                          \
          start = SONDE_CPU_LOAD (WIDTH, bias + c);                                                \
        for (; p + PLACES <= n; p += PLACES)                                                       \
          {                                                                                        \
            const float *from = x + c + p * step;                                                  \
            SondeCpuFloats##WIDTH sums[PLACES];                                                    \
            for (int i = 0; i < PLACES; i++)                                                       \
              sums[i] = start;                                                                     \
            for (gint64 t = 0; t < taps->n; t++)                                                   \
              {                                                                                    \
                const SondeCpuFloats##WIDTH weight                                                 \
                    = SONDE_CPU_LOAD (WIDTH, weights + taps->weights[t] + c);                      \
                _Pragma ("GCC unroll 6") for (int i = 0; i < PLACES; i++) sums[i]                  \
                    += weight * SONDE_CPU_LOAD (WIDTH, from + taps->x[t] + i * step);              \
              }                                                                                    \
            for (int i = 0; i < PLACES; i++)                                                       \
              SONDE_CPU_LOAD (WIDTH, y + (p + i) * channels + c) = sums[i];                        \
          }                                                                                        \
        for (; p < n; p++)                                                                         \
          {                                                                                        \
            SondeCpuFloats##WIDTH sum = start;                                                     \
            for (gint64 t = 0; t < taps->n; t++)                                                   \
              sum += SONDE_CPU_LOAD (WIDTH, weights + taps->weights[t] + c)                        \
                     * SONDE_CPU_LOAD (WIDTH, x + c + p * step + taps->x[t]);                      \
            SONDE_CPU_LOAD (WIDTH, y + p * channels + c) = sum;                                    \
          }                                                                                        \
      }                                                                                            \
  }
SUM_PLACES (sum_wide_places, 16)
SUM_PLACES (sum_places, 8)

/* One place, where windows differ from place to place: several vectors, which do not wait for each
 * other. */
#define SUM_PLACE(name, WIDTH)                                                                     \
  SONDE_CPU_CLONES static void name (const Taps *taps, gint64 channels, const float *x,            \
                                     const float *weights, const float *bias, float *y)            \
  {                                                                                                \
    for (gint64 c = 0; c + CHANNELS <= channels; c += CHANNELS)                                    \
      {                                                                                            \
        SondeCpuFloats##WIDTH sums[CHANNELS / WIDTH] = { 0 };                                      \
        for (int i = 0; i < CHANNELS / WIDTH && bias != NULL; i++)                                 \
          sums[i] = SONDE_CPU_LOAD (WIDTH, bias + c + i * WIDTH);                                  \
        for (gint64 t = 0; t < taps->n; t++)                                                       \
          _Pragma ("GCC unroll 8") for (int i = 0; i < CHANNELS / WIDTH; i++) sums[i]              \
              += SONDE_CPU_LOAD (WIDTH, weights + taps->weights[t] + c + i * WIDTH)                \
                 * SONDE_CPU_LOAD (WIDTH, x + taps->x[t] + c + i * WIDTH);                         \
        for (int i = 0; i < CHANNELS / WIDTH; i++)                                                 \
          SONDE_CPU_LOAD (WIDTH, y + c + i * WIDTH) = sums[i];                                     \
      }                                                                                            \
  }
SUM_PLACE (sum_wide_place, 16)
SUM_PLACE (sum_place, 8)

/* Fewer channels than a vector has lanes. */
SONDE_CPU_CLONES static void
sum_few (const Taps *taps, gint64 channels, gint64 n, gint64 step, const float *x,
         const float *weights, const float *bias, float *y)
{
  for (gint64 p = 0; p < n; p++)
    {
      float sums[LEAST_LANES] = { 0 };

      for (gint64 c = 0; c < channels && bias != NULL; c++)
        sums[c] = bias[c];
      for (gint64 t = 0; t < taps->n; t++)
        for (gint64 c = 0; c < channels; c++)
          sums[c] += weights[taps->weights[t] + c] * x[p * step + taps->x[t] + c];
      memcpy (y + p * channels, sums, (gsize) channels * sizeof (float));
    }
}

/* @n places @step elements apart whose windows have the same weights inside. */
static void
sum_range (const Taps *taps, gint64 channels, gint64 n, gint64 step, const float *x,
           const float *weights, const float *bias, float *y)
{
  const gboolean wide = sonde_cpu_has_wide_vectors () && channels >= 2 * LEAST_LANES;

  if (channels < LEAST_LANES)
    sum_few (taps, channels, n, step, x, weights, bias, y);
  else if (n == 1 && channels % CHANNELS == 0)
    (wide ? sum_wide_place : sum_place) (taps, channels, x, weights, bias, y);
  else
    (wide ? sum_wide_places : sum_places) (taps, channels, n, step, x, weights, bias, y);
}

/* The weights, of a window that begins at @first, that lie inside. */
static void
find_taps (const DepthwiseKernel *k, const gint64 first[3], Taps *taps)
{
  gint64 i[3], at[3];

  taps->n = 0;
  for (i[0] = 0; i[0] < k->size[0]; i[0]++)
    for (i[1] = 0; i[1] < k->size[1]; i[1]++)
      for (i[2] = 0; i[2] < k->size[2]; i[2]++)
        {
          gboolean inside = TRUE;

          for (int d = 0; d < 3; d++)
            {
              at[d] = i[d] * k->dilations[d];
              inside = inside && first[d] + at[d] >= 0 && first[d] + at[d] < k->in[d];
            }
          if (!inside)
            continue;

          taps->x[taps->n] = ((at[0] * k->in[1] + at[1]) * k->in[2] + at[2]) * k->channels;
          taps->weights[taps->n++] = ((i[0] * k->size[1] + i[1]) * k->size[2] + i[2]) * k->channels;
        }
}

/* How many places from @column on, of @n, have windows with the same weights inside: all that touch
 * no edge, or one. */
static gint64
count_same (const DepthwiseKernel *k, gint64 column, gint64 n)
{
  const gint64 reach = (k->size[2] - 1) * k->dilations[2],
               first = column * k->strides[2] - k->before[2];
  const gint64 last = k->in[2] - 1 - reach; /* the last place where a window may begin */

  return first < 0 || first > last ? 1 : MIN (n, (last - first) / k->strides[2] + 1);
}

/* Places begin … begin + n of the row that @place is in. */
static void
sum_row (const DepthwiseCall *call, gint64 place, gint64 n, float *y)
{
  const DepthwiseKernel *k = call->kernel;
  const gint64 row = place / k->out[2], image = row / (k->out[1] * k->out[0]);
  gint64 column = place % k->out[2];
  gint64 first[3] = { row / k->out[1] % k->out[0] * k->strides[0] - k->before[0],
                      row % k->out[1] * k->strides[1] - k->before[1], 0 };
  Taps taps;

  for (gint64 same; n > 0; n -= same, column += same, y += same * k->channels)
    {
      const float *x;

      same = count_same (k, column, n);
      first[2] = column * k->strides[2] - k->before[2];
      find_taps (k, first, &taps);
      x = call->x
          + (((image * k->in[0] + first[0]) * k->in[1] + first[1]) * k->in[2] + first[2])
                * k->channels;
      sum_range (&taps, k->channels, same, k->strides[2] * k->channels, x, call->weights,
                 call->bias, y);
    }
}

SONDE_CPU_CLONES static void
add_or_multiply (gint64 rows, gint64 channels, gboolean product, const float *operand,
                 gint64 operand_row, float *y)
{
  for (gint64 r = 0; r < rows; r++, y += channels, operand += operand_row)
    if (product)
      for (gint64 c = 0; c < channels; c++)
        y[c] *= operand[c];
    else
      for (gint64 c = 0; c < channels; c++)
        y[c] += operand[c];
}

static void
apply_posts (const DepthwiseCall *call, gint64 place, gint64 n, float *y)
{
  const DepthwiseKernel *k = call->kernel;
  const gint64 channels = k->channels;

  if (k->affine)
    sonde_cpu_scale_rows (n, channels, y, call->factor, call->offset, y);
  for (guint i = 0; i < k->n_posts; i++)
    {
      const DepthwisePost *post = &k->posts[i];

      if (post->kind == SONDE_DNNL_POST_FUNCTION)
        post->unary.loop (n * channels, y, y, post->unary.alpha, post->unary.beta);
      else
        {
          const float *operand = call->arguments->inputs[post->input];

          add_or_multiply (n, channels, post->kind == SONDE_DNNL_POST_MULTIPLY,
                           operand + (post->by_channel ? 0 : place * channels),
                           post->by_channel ? 0 : channels, y);
        }
    }
}

/* Items are places of the result. */
static void
depthwise_range (gint64 begin, gint64 end, gpointer data)
{
  const DepthwiseCall *call = data;
  const DepthwiseKernel *k = call->kernel;
  const gint64 most = MAX (PART / k->channels, 1);

  for (gint64 place = begin, n; place < end; place += n)
    {
      float *y = call->y + place * k->channels;
      gint64 row;

      n = MIN (most, end - place);
      for (gint64 done = 0; done < n; done += row)
        {
          row = MIN (n - done, k->out[2] - (place + done) % k->out[2]);
          sum_row (call, place + done, row, y + done * k->channels);
        }
      apply_posts (call, place, n, y);
    }
}

static gboolean
run_depthwise (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
               GError **error)
{
  const DepthwiseKernel *k = (DepthwiseKernel *) base;
  float *factor = arguments->workspace;
  DepthwiseCall call = {
    .kernel = k,
    .arguments = arguments,
    .x = arguments->inputs[k->inputs[0]],
    .weights = arguments->inputs[k->inputs[1]],
    .bias = k->inputs[2] >= 0 ? arguments->inputs[k->inputs[2]] : NULL,
    .y = arguments->outputs[0],
  };

  if (k->affine)
    {
      call.factor = factor;
      call.offset = factor + k->channels;
      sonde_cpu_batch_affine (k->channels, arguments->inputs[k->scale[0]],
                              arguments->inputs[k->scale[1]], arguments->inputs[k->scale[2]],
                              arguments->inputs[k->scale[3]], k->epsilon, factor,
                              factor + k->channels);
    }

  sonde_cpu_for (device, k->images * k->out[0] * k->out[1] * k->out[2],
                 MAX (k->channels * k->n_taps / 4, 1), depthwise_range, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

/* oneDNN has fast kernels for windows in a plane without dilation. */
static gboolean
suits (const SondeDnnlWindow *window)
{
  const int space = window->input.rank - 2;
  gboolean other = space != 2;
  gint64 taps = 1;

  if (window->groups < 2 || window->groups != window->input.dims[1]
      || window->groups != window->output.dims[1])
    return FALSE;

  for (int d = 0; d < space; d++)
    {
      gint64 size = window->weight.dims[2 + d];

      if (size < 1 || size > MOST_TAPS / taps || window->strides[d] < 1 || window->begins[d] < 0)
        return FALSE;
      taps *= size;
      other = other || (window->dilations[d] > 1 && size > 1);
    }

  return other && sonde_shape_n_elements (&window->input) > 0;
}

static void
fill_geometry (const SondeDnnlWindow *window, DepthwiseKernel *k)
{
  const int missing = 5 - window->input.rank;

  k->images = window->input.dims[0];
  k->channels = window->groups;
  k->n_taps = 1;
  for (int d = 0; d < 3; d++)
    {
      k->in[d] = k->out[d] = k->size[d] = k->strides[d] = k->dilations[d] = 1;
      if (d < missing)
        continue;

      k->in[d] = window->input.dims[2 + d - missing];
      k->out[d] = window->output.dims[2 + d - missing];
      k->size[d] = window->weight.dims[2 + d - missing];
      k->strides[d] = window->strides[d - missing];
      k->dilations[d] = window->dilations[d - missing];
      k->before[d] = window->begins[d - missing];
      k->n_taps *= k->size[d];
    }
}

/* A number for each channel, or for each result. */
static gboolean
read_operand (const SondePrepareRequest *request, const SondeDnnlWindow *window,
              const SondeDnnlPost *given, const SondeGraphValue *operand, DepthwisePost *post)
{
  SondeShape shape;

  post->input = sonde_cpu_find_value (request, operand);
  post->by_channel = sonde_cpu_is_by_channel (given, window->output.dims[1]);
  return post->input >= 0 && sonde_cpu_input_f32 (request, (guint) post->input, &shape)
         && (given->dtype == SONDE_DTYPE_F32 || given->dtype == SONDE_DTYPE_INVALID)
         && (post->by_channel || sonde_shape_equal (&shape, &window->output));
}

static gboolean
read_posts (const SondePrepareRequest *request, const SondeDnnlWindow *window, DepthwiseKernel *k)
{
  SondeCpuEpilogue epilogue = { .n_posts = 0 };
  guint first = 1;

  k->affine = request->n_nodes > 1 && sonde_cpu_is_plain_normalisation (request->nodes[1])
              && sonde_node_get_input (request->nodes[1], 0)
                     == sonde_node_get_output (request->nodes[0], 0);
  if (k->affine)
    {
      SondeShape shape;

      first = 2;
      k->epsilon = sonde_node_get_float (request->nodes[1], "epsilon", 1e-5);
      for (guint i = 0; i < 4; i++)
        {
          k->scale[i] = sonde_cpu_find_input (request, 1, i + 1);
          if (k->scale[i] < 0 || !sonde_cpu_input_f32 (request, (guint) k->scale[i], &shape)
              || sonde_shape_n_elements (&shape) != window->output.dims[1])
            return FALSE;
        }
    }

  if (!sonde_cpu_read_epilogue (request->nodes, request->n_nodes, first,
                                sonde_node_get_output (request->nodes[first - 1], 0), TRUE,
                                &epilogue))
    return FALSE;

  k->n_posts = epilogue.n_posts;
  for (guint i = 0; i < epilogue.n_posts; i++)
    {
      const SondeDnnlPost *given = &epilogue.posts[i];
      DepthwisePost *post = &k->posts[i];

      post->kind = given->kind;
      if (given->kind == SONDE_DNNL_POST_FUNCTION
              ? !sonde_cpu_find_function (given->function, given->alpha, given->beta, &post->unary)
              : !read_operand (request, window, given, epilogue.operands[i], post))
        return FALSE;
    }

  return TRUE;
}

/* Only the data and the operands of whole values lie channels-last; these can be the data, but no
 * other operand. */
static gboolean
plays_one_part (const DepthwiseKernel *k, const DepthwisePost *post)
{
  for (guint i = 0; i < 3; i++)
    if (post->input == k->inputs[i] && (post->by_channel || i > 0))
      return FALSE;
  for (guint i = 0; i < 4 && k->affine; i++)
    if (post->input == k->scale[i] && !post->by_channel)
      return FALSE;

  return TRUE;
}

static gboolean
has_clean_operands (const DepthwiseKernel *k)
{
  for (guint i = 0; i < k->n_posts; i++)
    if (k->posts[i].kind != SONDE_DNNL_POST_FUNCTION && !plays_one_part (k, &k->posts[i]))
      return FALSE;
  for (guint i = 0; i < 4 && k->affine; i++)
    if (k->scale[i] == k->inputs[0] || k->scale[i] == k->inputs[1])
      return FALSE;

  return TRUE;
}

static void
answer (SondeCpuDevice *device, SondePrepareRequest *request, const SondeDnnlWindow *window,
        const DepthwiseKernel *k)
{
  gint64 strides[SONDE_MAX_RANK] = { 1, 1 }, step = k->channels;
  SondeLayout *weights;

  for (int d = window->weight.rank - 1; d >= 2; d--)
    {
      strides[d] = step;
      step *= window->weight.dims[d];
    }

  for (guint i = 0; i < request->n_inputs; i++)
    sonde_cpu_want_plain (device, request, i);
  sonde_cpu_want_channels_last (device, request, (guint) k->inputs[0]);
  for (guint i = 0; i < k->n_posts; i++)
    if (k->posts[i].kind != SONDE_DNNL_POST_FUNCTION && !k->posts[i].by_channel)
      sonde_cpu_want_channels_last (device, request, (guint) k->posts[i].input);
  weights = sonde_dnnl_strided (SONDE_DTYPE_F32, &window->weight, strides);
  sonde_prepare_request_set_layout (&device->base, request, (guint) k->inputs[1], weights);
  sonde_layout_unref (weights);
  sonde_cpu_give_channels_last (request, 0);
  request->in_place = FALSE;
  request->workspace_bytes = k->affine ? 2 * (gsize) k->channels * sizeof (float) : 0;
  request->implementation = "depthwise";
}

SondeKernel *
sonde_cpu_prepare_depthwise (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree DepthwiseKernel *kernel = g_new0 (DepthwiseKernel, 1);
  SondeDnnlWindow window = { .plain = FALSE };

  if (request->plain_layouts || request->n_outputs != 1
      || !sonde_cpu_find_convolution (request, kernel->inputs)
      || !sonde_cpu_fill_window (request->nodes[0], request->inputs[kernel->inputs[0]],
                                 request->inputs[kernel->inputs[1]],
                                 sonde_node_get_output (request->nodes[0], 0), &window)
      || !suits (&window) || !read_posts (request, &window, kernel) || !has_clean_operands (kernel))
    return NULL;

  kernel->base.run = run_depthwise;
  fill_geometry (&window, kernel);
  answer (device, request, &window, kernel);
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuFusion sonde_cpu_depthwise_fusion = {
  .match = sonde_cpu_match_convolution,
  .prepare = sonde_cpu_prepare_depthwise,
};
