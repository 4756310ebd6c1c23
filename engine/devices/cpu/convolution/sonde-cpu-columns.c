/* SPDX-License-Identifier: Apache-2.0
 * Gradients of convolutions with respect to inputs of few channels. oneDNN puts channels into
 * vectors, which then are half empty; here a product gives for each place of dy what it adds to
 * each place of its window, for all places of an image in rows, and these rows are added where they
 * belong. */
#include "engine/devices/cpu/convolution/sonde-cpu-columns.h"

#include <string.h>

/* Channels from which oneDNN is faster, and floats of one image's product. */
#define MOST_CHANNELS 8
#define MOST_FLOATS (1 << 18)
/* Places that are added at once; rows of dx have as many more. */
#define LANES 16
/* Fewer places in a row are slower than with oneDNN. */
#define LEAST_WIDTH 8

typedef float Floats __attribute__ ((vector_size (4 * LANES), aligned (4), may_alias));
typedef gint32 Lanes __attribute__ ((vector_size (4 * LANES), aligned (4), may_alias));

/**
 * ColumnsKernel: dy [images, outputs, out, out], w [outputs, channels, size, size], dx [images,
 * channels, in, in]
 * @product: [channels · size · size, outputs] · [outputs, out · out]
 * @pitch, @plane: floats of a row and of a channel of dx with its edges
 * @weights: bytes of w the other way round, which are the workspace's first
 * @bytes: of a thread's workspace: the product's own, its result, dx with its edges
 */
typedef struct
{
  SondeKernel base;
  SondeDnnlPrimitive *product;
  gint64 images, channels, outputs;
  gint64 in[2], out[2], size[2], before[2];
  gint64 pitch, plane;
  gsize weights, sums, planes, bytes;
} ColumnsKernel;

typedef struct
{
  SondeCpuDevice *device;
  const ColumnsKernel *kernel;
  const SondeRunArguments *arguments;
} ColumnsCall;

/* ---- running ------------------------------------------------------------- */

/* Rows of @sums, added to those of each channel with its edges; beyond their ends zeros are
 * added. */
SONDE_CPU_CLONES static void
add_columns (const ColumnsKernel *k, const float *sums, float *planes)
{
  const gint64 width = k->out[1], taps = k->size[0] * k->size[1];

  for (gint64 first = 0; first < width; first += LANES)
    {
      Lanes mask;

      for (int l = 0; l < LANES; l++)
        mask[l] = first + l < width ? -1 : 0;
      for (gint64 tap = 0; tap < k->channels * taps; tap++)
        {
          const float *from = sums + tap * k->out[0] * width + first;
          float *to = planes + tap / taps * k->plane + tap % taps / k->size[1] * k->pitch
                      + tap % k->size[1] + first;

          for (gint64 r = 0; r < k->out[0]; r++, from += width, to += k->pitch)
            *(Floats *) to += (Floats) (*(const Lanes *) from & mask);
        }
    }
}

/* One channel without its edges, to every channels-th place. */
SONDE_CPU_CLONES static void
spread_channel (const ColumnsKernel *k, const float *plane, float *to)
{
  for (gint64 y = 0; y < k->in[0]; y++)
    {
      const float *row = plane + (y + k->before[0]) * k->pitch + k->before[1];

      for (gint64 x = 0; x < k->in[1]; x++)
        to[(y * k->in[1] + x) * k->channels] = row[x];
    }
}

static gboolean
run_image (const ColumnsCall *call, gint64 image, guint8 *workspace, GError **error)
{
  const ColumnsKernel *k = call->kernel;
  float *sums = (float *) (void *) (workspace + k->sums),
        *planes = (float *) (void *) (workspace + k->planes);
  float *dx = (float *) call->arguments->outputs[0] + image * k->channels * k->in[0] * k->in[1];
  void *memory[SONDE_DNNL_N_ARGUMENTS] = {
    [SONDE_DNNL_SRC] = call->arguments->workspace,
    [SONDE_DNNL_WEIGHTS]
    = (float *) call->arguments->inputs[0] + image * k->outputs * k->out[0] * k->out[1],
    [SONDE_DNNL_DST] = sums,
  };

  if (!sonde_dnnl_primitive_run (call->device->dnnl, k->product, memory, workspace, error))
    return FALSE;

  memset (planes, 0, (gsize) (k->channels * k->plane + LANES) * sizeof (float));
  add_columns (k, sums, planes);
  for (gint64 c = 0; c < k->channels; c++)
    spread_channel (k, planes + c * k->plane, dx + c);
  return TRUE;
}

/* The images of one of some parts, each of which has a workspace. */
static gboolean
run_part (gint64 part, gpointer data, GError **error)
{
  const ColumnsCall *call = data;
  const ColumnsKernel *k = call->kernel;
  const gint64 parts = MIN (k->images, (gint64) call->device->threads);

  for (gint64 image = k->images * part / parts; image < k->images * (part + 1) / parts; image++)
    if (!run_image (call, image,
                    (guint8 *) call->arguments->workspace + k->weights + (gsize) part * k->bytes,
                    error))
      return FALSE;
  return TRUE;
}

static gboolean
run_columns (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  const ColumnsKernel *k = (ColumnsKernel *) base;
  ColumnsCall call = { device, k, arguments };
  const gint64 rows = k->channels * k->size[0] * k->size[1];
  const float *w = arguments->inputs[1];
  float *turned = arguments->workspace;

  for (gint64 r = 0; r < rows; r++)
    for (gint64 o = 0; o < k->outputs; o++)
      turned[r * k->outputs + o] = w[o * rows + r];
  return sonde_cpu_run_parts (device, MIN (k->images, (gint64) device->threads), run_part, &call,
                              error);
}

static void
free_columns (SondeKernel *base)
{
  sonde_dnnl_primitive_free (((ColumnsKernel *) base)->product);
  g_free (base);
}

/* ---- preparing ----------------------------------------------------------- */

static gboolean
suits (const SondeDnnlWindow *window)
{
  const SondeShape *x = &window->input, *y = &window->output;

  return !window->plain && x->rank == 4 && window->groups == 1
         && window->source_dtype == SONDE_DTYPE_F32 && window->strides[0] == 1
         && window->strides[1] == 1 && window->dilations[0] == 1 && window->dilations[1] == 1
         && x->dims[1] <= MOST_CHANNELS && y->dims[3] >= LEAST_WIDTH
         && x->dims[1] * window->weight.dims[2] * window->weight.dims[3] * y->dims[2] * y->dims[3]
                <= MOST_FLOATS;
}

static SondeDnnlPrimitive *
new_product (SondeCpuDevice *device, const ColumnsKernel *k)
{
  const gint64 rows = k->channels * k->size[0] * k->size[1], places = k->out[0] * k->out[1];
  const SondeDnnlMatmul matmul = {
    .rank = 2,
    .source = { rows, k->outputs },
    .source_strides = { k->outputs, 1 },
    .weights = { k->outputs, places },
    .weights_strides = { 1, k->outputs },
    .target = { rows, places },
    .scale = 1,
  };

  return sonde_cpu_part_product (device, &matmul);
}

static gsize
reserve (gsize *end, gsize bytes)
{
  gsize offset = *end;

  *end = (offset + bytes + 63) / 64 * 64;
  return offset;
}

static void
plan_workspace (SondeCpuDevice *device, SondePrepareRequest *request, ColumnsKernel *k)
{
  const gint64 rows = k->channels * k->size[0] * k->size[1], places = k->out[0] * k->out[1];

  (void) reserve (&k->weights, (gsize) (rows * k->outputs) * sizeof (float));
  (void) reserve (&k->bytes, sonde_dnnl_primitive_get_workspace (k->product));
  k->sums = reserve (&k->bytes, (gsize) (rows * places + LANES) * sizeof (float));
  k->planes = reserve (&k->bytes, (gsize) (k->channels * k->plane + LANES) * sizeof (float));
  request->workspace_bytes
      = k->weights + (gsize) MIN (k->images, (gint64) device->threads) * k->bytes;
}

SondeKernel *
sonde_cpu_prepare_columns (SondeCpuDevice *device, SondePrepareRequest *request,
                           const SondeDnnlWindow *window)
{
  g_autofree ColumnsKernel *k = NULL;

  if (!suits (window))
    return NULL;

  k = g_new0 (ColumnsKernel, 1);
  k->images = window->input.dims[0];
  k->channels = window->input.dims[1];
  k->outputs = window->output.dims[1];
  for (int d = 0; d < 2; d++)
    {
      k->in[d] = window->input.dims[2 + d];
      k->out[d] = window->output.dims[2 + d];
      k->size[d] = window->weight.dims[2 + d];
      k->before[d] = window->begins[d];
    }
  k->pitch = (k->out[1] + LANES - 1) / LANES * LANES + k->size[1];
  k->plane = MAX (k->out[0] + k->size[0], k->in[0] + k->before[0]) * k->pitch;
  k->product = new_product (device, k);
  if (k->product == NULL)
    return NULL;

  sonde_cpu_want_channels_last (device, request, 0);
  sonde_cpu_want_plain (device, request, 1);
  sonde_cpu_give_channels_last (request, 0);
  plan_workspace (device, request, k);
  k->base.run = run_columns;
  k->base.free = free_columns;
  request->in_place = FALSE;
  request->implementation = "columns";
  return (SondeKernel *) g_steal_pointer (&k);
}
