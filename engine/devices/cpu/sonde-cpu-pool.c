/* SPDX-License-Identifier: Apache-2.0
 * Pooling in one and two dimensions on channels-last memory: every place is a row of channels, so that a
 * window is a few rows combined. Same rules as the reference: the first maximum in row-major order takes
 * all, NaN wins; averages are sums times a share. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"
#include "engine/ops/sonde-window.h"

#include <math.h>
#include <string.h>

/* ---- rows of channels -------------------------------------------------------------------------------- */

SONDE_CPU_CLONES static void
row_max (gint64                n,
         const float          *x,
         float       *restrict best)
{
  for (gint64 i = 0; i < n; i++)
    best[i] = (x[i] > best[i]) | (x[i] != x[i]) ? x[i] : best[i];
}

SONDE_CPU_CLONES static void
row_first_max (gint64           n,
               const float     *x,
               gint32           at,
               float  *restrict best,
               gint32 *restrict place)
{
  for (gint64 i = 0; i < n; i++)
    {
      const int take = (x[i] > best[i]) | ((x[i] != x[i]) & (best[i] == best[i]));

      best[i] = take ? x[i] : best[i];
      place[i] = take ? at : place[i];
    }
}

SONDE_CPU_CLONES static void
row_add (gint64          n,
         const float    *x,
         float *restrict sum)
{
  for (gint64 i = 0; i < n; i++)
    sum[i] += x[i];
}

SONDE_CPU_CLONES static void
row_scale (gint64          n,
           float           share,
           const float    *x,
           float *restrict y)
{
  for (gint64 i = 0; i < n; i++)
    y[i] = x[i] * share;
}

/* The four places of a window of 2×2 that no other window shares: all of them are written. */
SONDE_CPU_CLONES static void
row_quad_grad (gint64          n,
               const float    *dy,
               const float    *x0,
               const float    *x1,
               gint64          step,
               float *restrict d0,
               float *restrict d1)
{
  for (gint64 i = 0; i < n; i++)
    {
      const float a = x0[i], b = x0[i + step], c = x1[i], d = x1[i + step], g = dy[i];
      const int take_b = (b > a) | ((b != b) & (a == a));
      const float ab = take_b ? b : a;
      const int take_c = (c > ab) | ((c != c) & (ab == ab));
      const float abc = take_c ? c : ab;
      const int take_d = (d > abc) | ((d != d) & (abc == abc));

      d0[i] = take_b | take_c | take_d ? 0 : g;
      d0[i + step] = take_b & !(take_c | take_d) ? g : 0;
      d1[i] = take_c & !take_d ? g : 0;
      d1[i + step] = take_d ? g : 0;
    }
}

/* ---- kernels ------------------------------------------------------------------------------------------ */

typedef enum
{
  POOL_MAX,
  POOL_AVERAGE,
} PoolKind;

/**
 * PoolKernel: x [images, in, in, channels], y [images, out, out, channels]
 * @padding_counts: of an average
 * @quads: windows are 2×2 and tile the input, edge rows may be left over
 */
typedef struct
{
  SondeKernel base;
  PoolKind kind;
  gint64 images, channels;
  gint64 in[2], out[2], size[2], stride[2], dilation[2], before[2], declared_after[2];
  gboolean padding_counts, quads;
} PoolKernel;

typedef struct
{
  const PoolKernel *kernel;
  const float *x, *dy;
  float *y, *dx;
} PoolCall;

/* Places of a window along one dimension: @first, then every dilation, @n of them. */
typedef struct
{
  gint64 first, n;
} Span;

static Span
find_span (const PoolKernel *k,
           int               d,
           gint64            output)
{
  gint64 start = output * k->stride[d] - k->before[d];
  gint64 skipped = start < 0 ? (-start + k->dilation[d] - 1) / k->dilation[d] : 0;
  gint64 first = start + skipped * k->dilation[d];
  gint64 inside = first < k->in[d] ? (k->in[d] - 1 - first) / k->dilation[d] + 1 : 0;

  return (Span) { first, MAX (MIN (k->size[d] - skipped, inside), 0) };
}

/* One over the number of places that count along one dimension. */
static double
find_share (const PoolKernel *k,
            int               d,
            gint64            output)
{
  gint64 low = k->padding_counts ? -k->before[d] : 0;
  gint64 high = k->in[d] + (k->padding_counts ? k->declared_after[d] : 0);
  gint64 start = output * k->stride[d] - k->before[d], count = 0;

  for (gint64 i = 0; i < k->size[d]; i++)
    count += start + i * k->dilation[d] >= low && start + i * k->dilation[d] < high;

  return 1.0 / (double) MAX (count, 1);
}

static const float *
place_in (const PoolKernel *k,
          const float      *image,
          gint64            row,
          gint64            column)
{
  return image + (row * k->in[1] + column) * k->channels;
}

static void
pool_window (const PoolKernel *k,
             const float      *image,
             Span              rows,
             Span              columns,
             float             share,
             float            *y)
{
  for (gint64 c = 0; c < k->channels; c++)
    y[c] = k->kind == POOL_MAX ? -INFINITY : 0;

  for (gint64 i = 0; i < rows.n; i++)
    for (gint64 j = 0; j < columns.n; j++)
      {
        const float *x = place_in (k, image, rows.first + i * k->dilation[0],
                                   columns.first + j * k->dilation[1]);

        if (k->kind == POOL_MAX)
          row_max (k->channels, x, y);
        else
          row_add (k->channels, x, y);
      }

  if (k->kind == POOL_AVERAGE)
    for (gint64 c = 0; c < k->channels; c++)
      y[c] *= share;
}

/* Items are rows of the output. */
static void
pool_range (gint64   begin,
            gint64   end,
            gpointer data)
{
  const PoolCall *call = data;
  const PoolKernel *k = call->kernel;

  for (gint64 item = begin; item < end; item++)
    {
      gint64 row = item % k->out[0];
      const float *image = call->x + item / k->out[0] * k->in[0] * k->in[1] * k->channels;
      float *y = call->y + item * k->out[1] * k->channels;
      Span rows = find_span (k, 0, row);
      double share = k->kind == POOL_AVERAGE ? find_share (k, 0, row) : 1;

      for (gint64 j = 0; j < k->out[1]; j++)
        {
          double whole = k->kind == POOL_AVERAGE ? share * find_share (k, 1, j) : 1;

          pool_window (k, image, rows, find_span (k, 1, j), (float) whole, y + j * k->channels);
        }
    }
}

static gboolean
run_pool (SondeCpuDevice          *device,
          SondeKernel             *base,
          const SondeRunArguments *arguments,
          GError                 **error)
{
  const PoolKernel *k = (PoolKernel *) base;
  PoolCall call = { .kernel = k, .x = arguments->inputs[0], .y = arguments->outputs[0] };

  sonde_cpu_for (device, k->images * k->out[0], k->out[1] * k->channels * k->size[0] * k->size[1],
                 pool_range, &call);
  return TRUE;
}

/* ---- gradients ---------------------------------------------------------------------------------------- */

typedef struct
{
  float *best;
  gint32 *place;
} Scratch;

static void
max_window_grad (const PoolKernel *k,
                 const float      *image,
                 Span              rows,
                 Span              columns,
                 const float      *dy,
                 float            *dx,
                 const Scratch    *scratch)
{
  for (gint64 i = 0; i < rows.n; i++)
    for (gint64 j = 0; j < columns.n; j++)
      {
        gint64 row = rows.first + i * k->dilation[0], column = columns.first + j * k->dilation[1];
        const float *x = place_in (k, image, row, column);
        gint32 at = (gint32) (row * k->in[1] + column);

        if (i > 0 || j > 0)
          {
            row_first_max (k->channels, x, at, scratch->best, scratch->place);
            continue;
          }

        memcpy (scratch->best, x, (gsize) k->channels * sizeof (float));
        for (gint64 c = 0; c < k->channels; c++)
          scratch->place[c] = at;
      }

  for (gint64 c = 0; c < k->channels && rows.n > 0 && columns.n > 0; c++)
    dx[scratch->place[c] * k->channels + c] += dy[c];
}

static void
average_window_grad (const PoolKernel *k,
                     Span              rows,
                     Span              columns,
                     float             share,
                     const float      *dy,
                     float            *dx,
                     const Scratch    *scratch)
{
  row_scale (k->channels, share, dy, scratch->best);
  for (gint64 i = 0; i < rows.n; i++)
    for (gint64 j = 0; j < columns.n; j++)
      row_add (k->channels, scratch->best,
               dx + ((rows.first + i * k->dilation[0]) * k->in[1] + columns.first + j * k->dilation[1])
                      * k->channels);
}

static void
quads_grad (const PoolKernel *k,
            const float      *x,
            const float      *dy,
            float            *dx)
{
  gint64 line = k->in[1] * k->channels;

  for (gint64 i = 0; i < k->out[0]; i++)
    for (gint64 j = 0; j < k->out[1]; j++)
      {
        gint64 at = 2 * i * line + 2 * j * k->channels;

        row_quad_grad (k->channels, dy + (i * k->out[1] + j) * k->channels, x + at, x + at + line,
                       k->channels, dx + at, dx + at + line);
      }
}

static void
windows_grad (const PoolKernel *k,
              const float      *x,
              const float      *dy,
              float            *dx,
              const Scratch    *scratch)
{
  for (gint64 i = 0; i < k->out[0]; i++)
    for (gint64 j = 0; j < k->out[1]; j++)
      {
        const float *from = dy + (i * k->out[1] + j) * k->channels;
        Span rows = find_span (k, 0, i), columns = find_span (k, 1, j);

        if (k->kind == POOL_MAX)
          max_window_grad (k, x, rows, columns, from, dx, scratch);
        else
          average_window_grad (k, rows, columns, (float) (find_share (k, 0, i) * find_share (k, 1, j)),
                               from, dx, scratch);
      }
}

/* Items are images, since windows of one may overlap. */
static void
grad_range (gint64   begin,
            gint64   end,
            gpointer data)
{
  const PoolCall *call = data;
  const PoolKernel *k = call->kernel;
  gint64 in = k->in[0] * k->in[1] * k->channels, out = k->out[0] * k->out[1] * k->channels;
  g_autofree float *best = g_new (float, k->channels);
  g_autofree gint32 *place = g_new (gint32, k->channels);
  Scratch scratch = { best, place };

  for (gint64 n = begin; n < end; n++)
    {
      const float *x = call->x != NULL ? call->x + n * in : NULL;
      float *dx = call->dx + n * in;

      if (!k->quads || k->in[0] != 2 * k->out[0] || k->in[1] != 2 * k->out[1])
        memset (dx, 0, (gsize) in * sizeof (float));
      if (k->quads)
        quads_grad (k, x, call->dy + n * out, dx);
      else
        windows_grad (k, x, call->dy + n * out, dx, &scratch);
    }
}

static gboolean
run_grad (SondeCpuDevice          *device,
          SondeKernel             *base,
          const SondeRunArguments *arguments,
          GError                 **error)
{
  const PoolKernel *k = (PoolKernel *) base;
  PoolCall call = {
    .kernel = k,
    .dy = arguments->inputs[0],
    .x = k->kind == POOL_MAX ? arguments->inputs[1] : NULL,
    .dx = arguments->outputs[0],
  };

  sonde_cpu_for (device, k->images, k->in[0] * k->in[1] * k->channels, grad_range, &call);
  return TRUE;
}

/* ---- preparing ---------------------------------------------------------------------------------------- */

static gboolean
fill_kernel (const SondeNode  *node,
             const SondeShape *x,
             PoolKernel       *kernel)
{
  SondeWindow window;
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

  return kernel->in[0] * kernel->in[1] <= G_MAXINT32;
}

static SondeKernel *
prepare_pool (SondeCpuDevice      *device,
              SondePrepareRequest *request)
{
  g_autofree PoolKernel *kernel = g_new0 (PoolKernel, 1);
  const SondeNode *node = request->nodes[0];
  SondeShape x, y;

  kernel->kind = g_str_equal (node->op, "MaxPool") ? POOL_MAX : POOL_AVERAGE;
  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y)
      || sonde_cpu_has_output (request, 1) || request->plain_layouts || !fill_kernel (node, &x, kernel))
    return NULL;

  sonde_cpu_want_channels_last (device, request, 0);
  sonde_cpu_give_channels_last (request, 0);
  kernel->base.run = run_pool;
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "channels-last";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

/* MaxPoolGrad (dy, x) → dx; AveragePoolGrad (dy, like x) → dx */
static SondeKernel *
prepare_grad (SondeCpuDevice      *device,
              SondePrepareRequest *request)
{
  g_autofree PoolKernel *kernel = g_new0 (PoolKernel, 1);
  const SondeNode *node = request->nodes[0];
  SondeShape dy, dx;

  kernel->kind = g_str_equal (node->op, "MaxPoolGrad") ? POOL_MAX : POOL_AVERAGE;
  if (!sonde_cpu_input_f32 (request, 0, &dy) || !sonde_cpu_output_f32 (request, 0, &dx)
      || request->plain_layouts || !fill_kernel (node, &dx, kernel))
    return NULL;

  sonde_cpu_want_channels_last (device, request, 0);
  if (kernel->kind == POOL_MAX)
    sonde_cpu_want_channels_last (device, request, 1);
  sonde_cpu_give_channels_last (request, 0);
  kernel->base.run = run_grad;
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "channels-last";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuRow sonde_cpu_pool_rows[] = {
  { "", "AveragePool", prepare_pool },
  { "", "MaxPool", prepare_pool },
  { SONDE_DOMAIN, "AveragePoolGrad", prepare_grad },
  { SONDE_DOMAIN, "MaxPoolGrad", prepare_grad },
  { NULL, NULL, NULL },
};
