/* SPDX-License-Identifier: Apache-2.0
 * Pooling in one and two dimensions on channels-last memory: every place is a row of channels, so
 * that a window is a few rows combined. Same rules as the reference: the first maximum in row-major
 * order takes all, NaN wins; averages are sums times a share. */
#include "engine/devices/cpu/rows/sonde-cpu-pool-private.h"
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"
#include "engine/ops/nn/sonde-window-geometry.h"

#include <math.h>

INLINE void
combine_row (const PoolKernel *k, PoolKind kind, const float *image, const float *x_end,
             const Span *rows, float *y)
{
  const gint64 channels = k->channels;
  const float *y_end = y + k->out[1] * channels;

  for (gint64 j = 0; j < k->out[1]; j++, y += channels)
    for (gint64 c = 0; c < channels; c = next_channels (c, channels))
      {
        const Span *columns = &k->spans[1][j];
        Wide sum;

        SIMD LANES sum.v[l] = kind == POOL_MAX ? -INFINITY : 0;

        for (gint64 r = 0; r < rows->n; r++)
          for (gint64 q = 0; q < columns->n; q++)
            {
              gint64 place = (rows->first + r * k->dilation[0]) * k->in[1] + columns->first
                             + q * k->dilation[1];
              const Wide x = load (image + place * channels + c, x_end);

              if (kind == POOL_MAX)
                SIMD LANES sum.v[l] = (x.v[l] > sum.v[l]) | (x.v[l] != x.v[l]) ? x.v[l] : sum.v[l];
              else
                SIMD LANES sum.v[l] += x.v[l];
            }

        if (kind == POOL_AVERAGE)
          SIMD LANES sum.v[l] *= (float) (rows->share * columns->share);
        store (y + c, y_end, channels - c, sum);
      }
}

SONDE_CPU_CLONES static void
max_row (const PoolKernel *k, const float *image, const float *x_end, const Span *rows, float *y)
{
  combine_row (k, POOL_MAX, image, x_end, rows, y);
}

INLINE Wide
greater (Wide a, Wide b)
{
  SIMD LANES a.v[l] = (b.v[l] > a.v[l]) | (b.v[l] != b.v[l]) ? b.v[l] : a.v[l];
  return a;
}

/* The same for windows of 2×2 that lie side by side. */
SONDE_CPU_CLONES static void
max_quads (const PoolKernel *k, const float *image, const float *x_end, const Span *rows, float *y)
{
  const gint64 channels = k->channels;
  const float *y_end = y + k->out[1] * channels;
  const float *above = image + rows->first * k->in[1] * channels,
              *below = above + k->in[1] * channels;

  for (gint64 j = 0; j < k->out[1];
       j++, y += channels, above += 2 * channels, below += 2 * channels)
    for (gint64 c = 0; c < channels; c = next_channels (c, channels))
      {
        const Wide upper = greater (load (above + c, x_end), load (above + channels + c, x_end));
        const Wide lower = greater (load (below + c, x_end), load (below + channels + c, x_end));

        store (y + c, y_end, channels - c, greater (upper, lower));
      }
}

SONDE_CPU_CLONES static void
average_row (const PoolKernel *k, const float *image, const float *x_end, const Span *rows,
             float *y)
{
  combine_row (k, POOL_AVERAGE, image, x_end, rows, y);
}

/* Items are rows of the output. */
static void
pool_range (gint64 begin, gint64 end, gpointer data)
{
  const PoolCall *call = data;
  const PoolKernel *k = call->kernel;

  for (gint64 item = begin; item < end; item++)
    {
      const float *image = call->x + item / k->out[0] * k->in[0] * k->in[1] * k->channels;
      const Span *rows = &k->spans[0][item % k->out[0]];
      float *y = call->y + item * k->out[1] * k->channels;

      if (k->quads)
        max_quads (k, image, call->x_end, rows, y);
      else if (k->kind == POOL_MAX)
        max_row (k, image, call->x_end, rows, y);
      else
        average_row (k, image, call->x_end, rows, y);
    }
}

static gboolean
run_pool (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const PoolKernel *k = (PoolKernel *) base;
  PoolCall call = { .kernel = k, .x = arguments->inputs[0], .y = arguments->outputs[0] };

  if (k->plain)
    {
      sonde_cpu_for (device, k->images * k->channels * k->out[0],
                     k->out[1] * k->size[0] * k->size[1], sonde_cpu_pool_rows_range, &call);
      return TRUE;
    }

  call.x_end = call.x + k->images * k->in[0] * k->in[1] * k->channels;
  sonde_cpu_for (device, k->images * k->out[0], k->out[1] * k->channels * k->size[0] * k->size[1],
                 pool_range, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

static Span
find_span (const PoolKernel *k, int d, gint64 output)
{
  gint64 start = output * k->stride[d] - k->before[d];
  gint64 skipped = start < 0 ? (-start + k->dilation[d] - 1) / k->dilation[d] : 0;
  gint64 first = start + skipped * k->dilation[d];
  gint64 inside = first < k->in[d] ? (k->in[d] - 1 - first) / k->dilation[d] + 1 : 0;
  gint64 low = k->padding_counts ? -k->before[d] : 0;
  gint64 high = k->in[d] + (k->padding_counts ? k->declared_after[d] : 0);
  gint64 count = 0;

  for (gint64 i = 0; i < k->size[d]; i++)
    count += start + i * k->dilation[d] >= low && start + i * k->dilation[d] < high;

  return (Span){ first, MAX (MIN (k->size[d] - skipped, inside), 0),
                 1.0 / (double) MAX (count, 1) };
}

static void
pool_free (SondeKernel *base)
{
  PoolKernel *kernel = (PoolKernel *) base;

  g_free (kernel->spans[0]);
  g_free (kernel->spans[1]);
  g_free (kernel);
}

gboolean
sonde_cpu_pool_fill (const SondeNode *node, const SondeShape *x, PoolKernel *kernel)
{
  SondeWindowGeometry window;
  int space = x->rank - 2;

  if (space < 1 || space > 2 || !sonde_window_read (node, space, x->dims + 2, NULL, &window, NULL))
    return FALSE;

  kernel->images = x->dims[0];
  kernel->channels = x->dims[1];
  for (int d = 0; d < 2; d++)
    {
      int from = d - (2 - space);

      kernel->in[d] = from < 0 ? 1 : window.in[from];
      kernel->out[d] = from < 0 ? 1 : window.out[from];
      kernel->size[d] = from < 0 ? 1 : window.kernel[from];
      kernel->stride[d] = from < 0 ? 1 : window.stride[from];
      kernel->dilation[d] = from < 0 ? 1 : window.dilation[from];
      kernel->before[d] = from < 0 ? 0 : window.before[from];
      kernel->declared_after[d] = from < 0 ? 0 : window.declared_after[from];
    }

  kernel->padding_counts = sonde_node_get_int (node, "count_include_pad", 0) != 0;
  kernel->quads = kernel->kind == POOL_MAX;
  for (int d = 0; d < 2; d++)
    kernel->quads = kernel->quads && kernel->size[d] == 2 && kernel->stride[d] == 2
                    && kernel->dilation[d] == 1 && kernel->before[d] == 0
                    && 2 * kernel->out[d] <= kernel->in[d];

  if (kernel->in[0] * kernel->in[1] > G_MAXINT32)
    return FALSE;

  for (int d = 0; d < 2; d++)
    {
      kernel->spans[d] = g_new (Span, kernel->out[d] + 1);
      for (gint64 i = 0; i < kernel->out[d]; i++)
        kernel->spans[d][i] = find_span (kernel, d, i);
    }

  kernel->base.free = pool_free;
  return TRUE;
}

/* Plain memory stays so where channels would leave most of their last vector empty, and a row fills
 * one. */
static gboolean
suits_rows (const SondePrepareRequest *request, const PoolKernel *kernel)
{
  return request->input_layouts[0] == NULL && kernel->channels < WIDE && kernel->out[1] >= WIDE / 4
         && kernel->stride[1] <= 2;
}

static SondeKernel *
prepare_pool (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree PoolKernel *kernel = g_new0 (PoolKernel, 1);
  const SondeNode *node = request->nodes[0];
  SondeShape x, y;
  SondeKernel *integers;

  kernel->kind = sonde_node_is (node, SONDE_OP_ID_MAX_POOL) ? POOL_MAX : POOL_AVERAGE;
  integers = kernel->kind == POOL_MAX ? sonde_cpu_prepare_quantised_pool (device, request) : NULL;
  if (integers != NULL)
    return integers;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y)
      || sonde_cpu_has_output (request, 1) || request->plain_layouts
      || !sonde_cpu_pool_fill (node, &x, kernel))
    return NULL;

  kernel->plain = suits_rows (request, kernel);
  if (!kernel->plain)
    {
      sonde_cpu_want_channels_last (device, request, 0);
      sonde_cpu_give_channels_last (request, 0);
    }
  kernel->base.run = run_pool;
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = kernel->plain ? "plain-rows" : "channels-last";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuRow sonde_cpu_pool_rows[] = {
  { "", "AveragePool", prepare_pool },
  { "", "MaxPool", prepare_pool },
  { NULL, NULL, NULL },
};
