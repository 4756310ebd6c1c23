/* SPDX-License-Identifier: Apache-2.0
 * Pooling in one and two dimensions on channels-last memory: every place is a row of channels, so
 * that a window is a few rows combined. Same rules as the reference: the first maximum in row-major
 * order takes all, NaN wins; averages are sums times a share. */
#include "engine/devices/cpu/rows/sonde-cpu-pool-private.h"
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"
#include "engine/devices/cpu/sonde-cpu-vectors.h"
#include "engine/ops/nn/sonde-window-geometry.h"

#include <math.h>
#include <string.h>

/* ---- a vector of channels ------------------------------------------------ */

/* Channels of one place: load_W reads no further than @end. store_W stores the first @n; what
 * follows them up to @end is written later, and may be spilt over. keep_greater_W: @b takes the place
 * of @a where it is greater or NaN; lane by lane, because GCC compares whole vectors of 64 bytes in
 * scalars where the function is cloned for several processors. */
#define CHANNELS(W)                                                                                \
  INLINE void load_##W (const float *from, const float *end, SondeCpuFloats##W *x)                 \
  {                                                                                                \
    if (G_LIKELY (from + W <= end))                                                                \
      *x = *(const SondeCpuFloats##W *) from;                                                      \
    else                                                                                           \
      {                                                                                            \
        SondeCpuFloats##W few = { 0 };                                                             \
        memcpy (&few, from, (gsize) (end - from) * sizeof (float));                                \
        *x = few;                                                                                  \
      }                                                                                            \
  }                                                                                                \
  INLINE void store_##W (float *to, const float *end, gint64 n, const SondeCpuFloats##W *x)        \
  {                                                                                                \
    SondeCpuFloats##W few = *x;                                                                    \
    if (G_LIKELY (n >= W || to + W <= end))                                                        \
      SONDE_CPU_LOAD (W, to) = *x;                                                                 \
    else                                                                                           \
      memcpy (to, &few, (gsize) n * sizeof (float));                                               \
  }                                                                                                \
  INLINE void keep_greater_##W (SondeCpuFloats##W *a, const SondeCpuFloats##W *b)                  \
  {                                                                                                \
    SondeCpuFloats##W most = *a;                                                                   \
    const SondeCpuFloats##W other = *b;                                                            \
    SIMD for (int l = 0; l < W; l++) most[l]                                                       \
        = (other[l] > most[l]) | (other[l] != other[l]) ? other[l] : most[l];                      \
    *a = most;                                                                                     \
  }                                                                                                \
  INLINE void combine_##W (PoolKind kind, SondeCpuFloats##W *sum, const SondeCpuFloats##W *x)      \
  {                                                                                                \
    if (kind == POOL_MAX)                                                                          \
      keep_greater_##W (sum, x);                                                                   \
    else                                                                                           \
      *sum += *x;                                                                                  \
  }
CHANNELS (8)
CHANNELS (16)

/* N vectors of channels from @c on, which do not wait for each other; @READ reads one. */
#define COMBINE(W, N, READ)                                                                        \
  G_STMT_START                                                                                     \
  {                                                                                                \
    SondeCpuFloats##W sums[N] = { 0 };                                                             \
    for (int v = 0; v < N && kind == POOL_MAX; v++)                                                \
      sums[v] -= INFINITY;                                                                         \
    for (gint64 r = 0; r < rows->n; r++)                                                           \
      for (gint64 q = 0; q < columns->n; q++)                                                      \
        for (int v = 0; v < N; v++)                                                                \
          {                                                                                        \
            SondeCpuFloats##W x;                                                                   \
            READ (W, place + r * down + q * right + c + v * W);                                    \
            combine_##W (kind, &sums[v], &x);                                                      \
          }                                                                                        \
    for (int v = 0; v < N; v++)                                                                    \
      {                                                                                            \
        if (kind == POOL_AVERAGE)                                                                  \
          sums[v] *= (float) (rows->share * columns->share);                                       \
        store_##W (y + c + v * W, y_end, channels - c - v * W, &sums[v]);                          \
      }                                                                                            \
  }                                                                                                \
  G_STMT_END

#define READ_WHOLE(W, from) x = *(const SondeCpuFloats##W *) (from)
#define READ_FEW(W, from) load_##W (from, x_end, &x)

#define COMBINE_ROW(W)                                                                             \
  INLINE void combine_row_##W (const PoolKernel *k, PoolKind kind, const float *image,             \
                               const float *x_end, const Span *rows, float *y)                     \
  {                                                                                                \
    const gint64 channels = k->channels, down = k->dilation[0] * k->in[1] * channels,              \
                 right = k->dilation[1] * channels;                                                \
    const float *y_end = y + k->out[1] * channels;                                                 \
    for (gint64 j = 0; j < k->out[1]; j++, y += channels)                                          \
      {                                                                                            \
        const Span *columns = &k->spans[1][j];                                                     \
        const float *place = image + (rows->first * k->in[1] + columns->first) * channels;         \
        gint64 c = 0;                                                                              \
        for (; c + 4 * W <= channels; c += 4 * W)                                                  \
          COMBINE (W, 4, READ_WHOLE);                                                              \
        if (c > 0 && c < channels)                                                                 \
          c = MIN (c, channels - W);                                                               \
        for (; c < channels; c = next_channels (c, channels, W))                                   \
          COMBINE (W, 1, READ_FEW);                                                                \
      }                                                                                            \
  }                                                                                                \
  SONDE_CPU_CLONES static void max_row_##W (const PoolKernel *k, const float *image,               \
                                            const float *x_end, const Span *rows, float *y)        \
  {                                                                                                \
    combine_row_##W (k, POOL_MAX, image, x_end, rows, y);                                          \
  }                                                                                                \
  SONDE_CPU_CLONES static void average_row_##W (const PoolKernel *k, const float *image,           \
                                                const float *x_end, const Span *rows, float *y)    \
  {                                                                                                \
    combine_row_##W (k, POOL_AVERAGE, image, x_end, rows, y);                                      \
  }
COMBINE_ROW (8)
COMBINE_ROW (16)

/* The maximum of windows of 2×2 that lie side by side. */
#define MAX_QUADS(W)                                                                               \
  SONDE_CPU_CLONES static void max_quads_##W (const PoolKernel *k, const float *image,             \
                                              const float *x_end, const Span *rows, float *y)      \
  {                                                                                                \
    const gint64 channels = k->channels;                                                           \
    const float *y_end = y + k->out[1] * channels;                                                 \
    const float *above = image + rows->first * k->in[1] * channels,                                \
                *below = above + k->in[1] * channels;                                              \
    for (gint64 j = 0; j < k->out[1];                                                              \
         j++, y += channels, above += 2 * channels, below += 2 * channels)                         \
      for (gint64 c = 0; c < channels; c = next_channels (c, channels, W))                         \
        {                                                                                          \
          SondeCpuFloats##W most, other;                                                           \
          load_##W (above + c, x_end, &most);                                                      \
          load_##W (above + channels + c, x_end, &other);                                          \
          keep_greater_##W (&most, &other);                                                        \
          load_##W (below + c, x_end, &other);                                                     \
          keep_greater_##W (&most, &other);                                                        \
          load_##W (below + channels + c, x_end, &other);                                          \
          keep_greater_##W (&most, &other);                                                        \
          store_##W (y + c, y_end, channels - c, &most);                                           \
        }                                                                                          \
  }
MAX_QUADS (8)
MAX_QUADS (16)

typedef void (*PoolRow) (const PoolKernel *k, const float *image, const float *x_end,
                         const Span *rows, float *y);

static PoolRow
choose_row (const PoolKernel *k)
{
  const gboolean wide = sonde_cpu_has_wide_vectors ();

  if (k->quads)
    return wide ? max_quads_16 : max_quads_8;
  if (k->kind == POOL_MAX)
    return wide ? max_row_16 : max_row_8;
  return wide ? average_row_16 : average_row_8;
}

/* Items are rows of the output. */
static void
pool_range (gint64 begin, gint64 end, gpointer data)
{
  const PoolCall *call = data;
  const PoolKernel *k = call->kernel;
  const PoolRow run_row = choose_row (k);

  for (gint64 item = begin; item < end; item++)
    {
      const float *image = call->x + item / k->out[0] * k->in[0] * k->in[1] * k->channels;
      const Span *rows = &k->spans[0][item % k->out[0]];
      float *y = call->y + item * k->out[1] * k->channels;

      run_row (k, image, call->x_end, rows, y);
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
  return request->input_layouts[0] == NULL && kernel->channels < 16 && kernel->out[1] >= 4
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
