/* SPDX-License-Identifier: Apache-2.0
 * Convolutions of few channels, Conv alone or with activations behind it. oneDNN puts channels into
 * vectors and shares little between threads when there are few; here places of rows are the
 * vectors, and results lie plain, or channels-last where weights learn: the gradients want that. A
 * part of the image with its edges as zeros is copied first, so that the loops know no edges; sums
 * get the bias and the activations while they are in the cache. */
#include "engine/devices/cpu/convolution/sonde-cpu-direct.h"

#include "engine/devices/cpu/convolution/sonde-cpu-convolution.h"
#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"
#include "engine/devices/cpu/convolution/sonde-cpu-taps.h"

#include <string.h>

/* Floats of sums, and so rows of the result, that are computed together. */
#define PART 6144
/* Most of a window's weights for one output channel, and floats of the image around one row. */
#define MOST_TAPS 1024
#define MOST_FLOATS (1 << 18)
/* Multiply-adds that take as long as what sonde_cpu_for() calls an element. */
#define ADDS_AN_ELEMENT 4

/**
 * DirectKernel: x [images, channels, in, in], y [images, outputs, out, out]
 * @inputs: of the request: data, weights, bias or -1
 * @x_strides: of the data, in elements: image, channel, row, column
 * @rows: of the result that are computed together; @parts: of an image
 * @taps: of that part; @before: zeros before its first row and column
 * @sums_row: sums of a channel
 * @last: results lie channels-last; without posts
 */
typedef struct
{
  SondeKernel base;
  int inputs[3];
  gint64 images, in[2], out[2];
  gint64 x_strides[4];
  gint64 rows, parts, before[2], sums_row;
  SondeCpuTaps taps;
  SondeCpuUnary posts[SONDE_DNNL_MAX_POSTS];
  guint n_posts;
  gboolean last;
} DirectKernel;

typedef struct
{
  const DirectKernel *kernel;
  const float *x, *weights, *bias;
  float *y;
} DirectCall;

/* ---- running ------------------------------------------------------------- */

SONDE_CPU_CLONES static void
add_number (gint64 n, const float *x, float number, float *y)
{
  for (gint64 i = 0; i < n; i++)
    y[i] = x[i] + number;
}

static void
apply_posts (const DirectKernel *k, gint64 n, float *y)
{
  for (guint i = 0; i < k->n_posts; i++)
    k->posts[i].loop (n, y, y, k->posts[i].alpha, k->posts[i].beta);
}

/* The rows from @first on, which may be before the image, with zeros around. */
static void
copy_part (const DirectKernel *k, const float *image, gint64 first, float *part)
{
  const gint64 n = k->taps.plane / k->taps.pitch, step = k->x_strides[3];

  for (gint64 c = 0; c < k->taps.channels; c++)
    for (gint64 i = 0; i < n; i++)
      {
        const float *from = image + c * k->x_strides[1] + (first + i) * k->x_strides[2];
        float *to = part + c * k->taps.plane + i * k->taps.pitch;

        if (first + i < 0 || first + i >= k->in[0])
          {
            memset (to, 0, (gsize) k->taps.pitch * sizeof (float));
            continue;
          }

        to += k->before[1]; /* what is before and behind was made zero, and stays so */
        if (step == 1)
          memcpy (to, from, (gsize) k->in[1] * sizeof (float));
        else
          for (gint64 j = 0; j < k->in[1]; j++)
            to[j] = from[j * step];
      }
}

/* @y: the first of @rows rows of the first channel */
static void
store_planes (const DirectCall *call, const float *sums, gint64 rows, float *y)
{
  const DirectKernel *k = call->kernel;

  for (gint64 o = 0; o < k->taps.outputs; o++)
    {
      float *plane = y + o * k->out[0] * k->out[1];

      for (gint64 i = 0; i < rows; i++)
        add_number (k->out[1], sums + o * k->sums_row + i * k->taps.pitch,
                    call->bias != NULL ? call->bias[o] : 0, plane + i * k->out[1]);
      apply_posts (k, rows * k->out[1], plane);
    }
}

/* @y: the first of @rows rows, of all channels */
SONDE_CPU_CLONES static void
store_pixels (const DirectCall *call, const float *sums, gint64 rows, float *y)
{
  const DirectKernel *k = call->kernel;
  const gint64 outputs = k->taps.outputs;

  for (gint64 i = 0; i < rows; i++, sums += k->taps.pitch, y += k->out[1] * outputs)
    for (gint64 o = 0; o < outputs; o++)
      {
        const float bias = call->bias != NULL ? call->bias[o] : 0;

        for (gint64 j = 0; j < k->out[1]; j++)
          y[j * outputs + o] = sums[o * k->sums_row + j] + bias;
      }
}

static gint64
part_floats (const DirectKernel *k)
{
  return k->taps.channels * k->taps.plane + k->taps.pitch + 2 * SONDE_CPU_TAPS_WIDTH;
}

/* Items are parts of images. */
static void
direct_range (gint64 begin, gint64 end, gpointer data)
{
  const DirectCall *call = data;
  const DirectKernel *k = call->kernel;
  const gint64 pixels = k->out[0] * k->out[1];
  g_autofree float *part = g_new0 (float, part_floats (k));
  g_autofree float *sums = g_new (float, k->taps.outputs * k->sums_row);

  for (gint64 item = begin; item < end; item++)
    {
      const float *image = call->x + item / k->parts * k->x_strides[0];
      float *y = call->y + item / k->parts * k->taps.outputs * pixels;
      gint64 first = item % k->parts * k->rows, rows = MIN (k->rows, k->out[0] - first);

      copy_part (k, image, first - k->before[0], part);
      sonde_cpu_taps_rows (&k->taps, part, rows * k->taps.pitch, call->weights, sums, k->sums_row);
      if (k->last)
        store_pixels (call, sums, rows, y + first * k->out[1] * k->taps.outputs);
      else
        store_planes (call, sums, rows, y + first * k->out[1]);
    }
}

static gboolean
run_direct (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const DirectKernel *k = (DirectKernel *) base;
  const SondeCpuTaps *taps = &k->taps;
  DirectCall call = {
    .kernel = k,
    .x = arguments->inputs[k->inputs[0]],
    .weights = arguments->inputs[k->inputs[1]],
    .bias = k->inputs[2] >= 0 ? arguments->inputs[k->inputs[2]] : NULL,
    .y = arguments->outputs[0],
  };
  gint64 adds
      = k->rows * k->out[1] * taps->outputs * taps->channels * taps->size[0] * taps->size[1];

  sonde_cpu_for (device, k->images * k->parts, MAX (adds / ADDS_AN_ELEMENT, SONDE_CPU_TAPS_WIDTH),
                 direct_range, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

/* With up to eight input channels and fewer than sixteen output channels this takes 0.36 to 0.9 of
 * the time of oneDNN's convolution, images of 28 to 224 places, windows of 1 to 5, AVX-512, one
 * thread; less where there are fewer. From sixteen output channels on, a vector full, oneDNN is as
 * fast or faster. */
#define MOST_IN 8
#define MOST_OUT 15
/* Least of a window's weights for one output channel where results lie channels-last. */
#define LEAST_LAST 16
/* Functions of the result behind each other that are looked behind. */
#define MOST_FUNCTIONS 4

/* What one row of the result sees of the image. */
static double
count_floats (const SondeDnnlWindow *window)
{
  const gint64 *size = window->weight.dims + 2, *dilations = window->dilations;
  double width = (double) window->output.dims[3] + (double) (size[1] - 1) * (double) dilations[1];

  return (double) window->input.dims[1] * (1 + (double) (size[0] - 1) * (double) dilations[0])
         * width;
}

static gboolean
suits (const SondeDnnlWindow *window)
{
  const SondeShape *weight = &window->weight;

  return window->input.rank == 4 && window->groups == 1 && window->strides[0] == 1
         && window->strides[1] == 1 && weight->dims[1] <= MOST_IN && weight->dims[0] <= MOST_OUT
         && weight->dims[1] * weight->dims[2] * weight->dims[3] <= MOST_TAPS
         && sonde_shape_n_elements (weight) > 1 && window->begins[0] >= 0 && window->begins[1] >= 0
         && window->ends[0] >= 0 && window->ends[1] >= 0 && count_floats (window) <= MOST_FLOATS
         && window->output.dims[3] > 1 && sonde_shape_n_elements (&window->input) > 0;
}

static gboolean
is_convolution_of (const SondeNode *user, const SondeGraphValue *value)
{
  SondeDnnlWindow window = { .plain = FALSE };

  return sonde_node_is (user, SONDE_OP_ID_CONV) && sonde_node_get_input (user, 0) == value
         && sonde_node_get_input (user, 1) != NULL && sonde_node_get_output (user, 0) != NULL
         && sonde_cpu_fill_window (user, value, sonde_node_get_input (user, 1),
                                   sonde_node_get_output (user, 0), &window)
         && suits (&window);
}

/* Whether the result of @node lies as its first operand does. */
static gboolean
hands_on_layout (const SondeNode *node)
{
  SondeCpuUnary unary;

  return sonde_node_is (node, SONDE_OP_ID_QUANTIZE_LINEAR)
         || sonde_node_is (node, SONDE_OP_ID_DEQUANTIZE_LINEAR)
         || sonde_cpu_find_unary (node, &unary);
}

/* Whether nobody who reads @value has a use for another layout of it than the plain one. Where a
 * function hands on the layout it gets, its own readers count; @depth of them behind each other. */
static gboolean
is_read_plain (const SondeGraphValue *value, guint depth)
{
  static const SondeOpId ops[] = { SONDE_OP_ID_MAX_POOL, SONDE_OP_ID_AVERAGE_POOL,
                                   SONDE_OP_ID_FLATTEN, SONDE_OP_ID_RESHAPE };

  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = g_ptr_array_index (value->users, i);
      const SondeGraphValue *result = sonde_node_get_output (user, 0);
      gboolean plain = is_convolution_of (user, value);

      for (gsize k = 0; k < G_N_ELEMENTS (ops); k++)
        plain = plain || sonde_node_is (user, ops[k]);
      if (!plain
          && !(depth > 0 && result != NULL && hands_on_layout (user)
               && is_read_plain (result, depth - 1)))
        return FALSE;
    }

  return TRUE;
}

/* Plain results, or the others, which only pay where there is something to sum. */
static gboolean
suits_readers (const SondePrepareRequest *request, const SondeDnnlWindow *window,
               const DirectKernel *kernel)
{
  const gint64 *dims = window->weight.dims;

  if (!kernel->last)
    return is_read_plain (request->outputs[0], MOST_FUNCTIONS);
  return request->n_nodes == 1 && dims[1] * dims[2] * dims[3] >= LEAST_LAST;
}

static gboolean
read_posts (const SondePrepareRequest *request, DirectKernel *kernel)
{
  SondeCpuEpilogue epilogue = { .n_posts = 0 };

  if (!sonde_cpu_read_epilogue (request->nodes, request->n_nodes, 1,
                                sonde_node_get_output (request->nodes[0], 0), TRUE, &epilogue))
    return FALSE;

  for (guint i = 0; i < epilogue.n_posts; i++)
    {
      const SondeDnnlPost *given = &epilogue.posts[i];
      const char *function = given->kind == SONDE_DNNL_POST_FUNCTION ? given->function : "";

      if (!g_str_equal (function, "relu") && !g_str_equal (function, "clip")
          && !g_str_equal (function, "linear"))
        return FALSE;
      if (!sonde_cpu_find_function (function, given->alpha, given->beta, &kernel->posts[i]))
        return FALSE;
    }

  kernel->n_posts = epilogue.n_posts;
  return TRUE;
}

/* The inputs; with weights that learn results lie channels-last. */
static gboolean
find_inputs (const SondePrepareRequest *request, DirectKernel *kernel)
{
  if (!sonde_cpu_find_convolution (request, kernel->inputs))
    return FALSE;

  for (guint i = 1; i < 3; i++)
    kernel->last
        = kernel->last || (kernel->inputs[i] >= 0 && !request->constant_inputs[kernel->inputs[i]]);
  return TRUE;
}

static void
fill_geometry (const SondeDnnlWindow *window, DirectKernel *k)
{
  SondeCpuTaps *taps = &k->taps;

  k->images = window->input.dims[0];
  taps->channels = window->input.dims[1];
  taps->outputs = window->output.dims[1];
  for (int d = 0; d < 2; d++)
    {
      k->in[d] = window->input.dims[2 + d];
      k->out[d] = window->output.dims[2 + d];
      k->before[d] = window->begins[d];
      taps->size[d] = window->weight.dims[2 + d];
      taps->dilation[d] = window->dilations[d];
    }

  taps->pitch = k->out[1] + (taps->size[1] - 1) * taps->dilation[1];
  k->rows = CLAMP (PART / (taps->outputs * taps->pitch), 1, k->out[0]);
  k->parts = (k->out[0] + k->rows - 1) / k->rows;
  k->rows = (k->out[0] + k->parts - 1) / k->parts;
  k->parts = (k->out[0] + k->rows - 1) / k->rows;
  taps->plane = (k->rows + (taps->size[0] - 1) * taps->dilation[0]) * taps->pitch;
  k->sums_row = (k->rows * taps->pitch + SONDE_CPU_TAPS_WIDTH - 1) / SONDE_CPU_TAPS_WIDTH
                * SONDE_CPU_TAPS_WIDTH;
}

/* The data as it lies; weights with the output channels next to each other. */
static void
answer (SondeCpuDevice *device, SondePrepareRequest *request, const SondeDnnlWindow *window,
        DirectKernel *k)
{
  const SondeShape *weight = &window->weight;
  const gint64 outputs = weight->dims[0], window_size = weight->dims[2] * weight->dims[3];
  const gint64 strides[] = { 1, window_size * outputs, weight->dims[3] * outputs, outputs };
  const SondeLayout *layout = request->input_layouts[k->inputs[0]];
  SondeLayout *weight_layout = sonde_dnnl_strided (SONDE_DTYPE_F32, weight, strides);
  const gint64 pixels = k->in[0] * k->in[1];

  if (layout != NULL && !layout->channels_last)
    sonde_cpu_want_plain (device, request, (guint) k->inputs[0]);
  sonde_prepare_request_set_layout (&device->base, request, (guint) k->inputs[1], weight_layout);
  sonde_layout_unref (weight_layout);
  if (k->inputs[2] >= 0)
    sonde_cpu_want_plain (device, request, (guint) k->inputs[2]);

  layout = request->input_layouts[k->inputs[0]];
  k->x_strides[0] = k->taps.channels * pixels;
  k->x_strides[1] = layout != NULL ? 1 : pixels;
  k->x_strides[2] = layout != NULL ? k->in[1] * k->taps.channels : k->in[1];
  k->x_strides[3] = layout != NULL ? k->taps.channels : 1;
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  if (k->last)
    sonde_cpu_give_channels_last (request, 0);
  request->implementation = "direct";
}

SondeKernel *
sonde_cpu_prepare_direct (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree DirectKernel *kernel = g_new0 (DirectKernel, 1);
  SondeDnnlWindow window = { .plain = FALSE };

  if (request->plain_layouts || request->n_outputs != 1 || !find_inputs (request, kernel)
      || !sonde_cpu_fill_window (request->nodes[0], request->inputs[kernel->inputs[0]],
                                 request->inputs[kernel->inputs[1]],
                                 sonde_node_get_output (request->nodes[0], 0), &window)
      || !suits (&window) || !suits_readers (request, &window, kernel)
      || !read_posts (request, kernel))
    return NULL;

  kernel->base.run = run_direct;
  fill_geometry (&window, kernel);
  answer (device, request, &window, kernel);
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuFusion sonde_cpu_direct_fusion = {
  .match = sonde_cpu_match_convolution,
  .prepare = sonde_cpu_prepare_direct,
};
