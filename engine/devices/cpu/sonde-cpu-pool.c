/* SPDX-License-Identifier: Apache-2.0
 * Pooling in one and two dimensions on channels-last memory: every place is a row of channels, so that a
 * window is a few rows combined. Same rules as the reference: the first maximum in row-major order takes
 * all, NaN wins; averages are sums times a share. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"
#include "engine/ops/sonde-window.h"

#include <math.h>
#include <string.h>

/* ---- sixteen channels at a time ------------------------------------------------------------------------ */

#define WIDE 16
#define SIMD _Pragma ("omp simd")
#define LANES for (int l = 0; l < WIDE; l++)

#define INLINE static inline __attribute__ ((always_inline))

/* Sixteen channels as a plain array: loops over it become one vector in each clone. */
typedef struct
{
  float v[WIDE];
} Wide;

INLINE Wide
load (const float *from,
      const float *end)
{
  Wide value = { { 0 } };

  if (G_LIKELY (from + WIDE <= end))
    memcpy (&value, from, sizeof (Wide));
  else
    memcpy (&value, from, (gsize) (end - from) * sizeof (float));
  return value;
}

/* Stores the first @n; what follows them up to @end is written later, and may be spilt over. */
INLINE void
store (float       *to,
       const float *end,
       gint64       n,
       Wide         value)
{
  if (G_LIKELY (n >= WIDE || to + WIDE <= end))
    memcpy (to, &value, sizeof (Wide));
  else
    memcpy (to, &value, (gsize) n * sizeof (float));
}

/* First channel of the next sixteen: the last ones overlap those before them. */
INLINE gint64
next_channels (gint64 at,
               gint64 n)
{
  return at + WIDE < n && at + 2 * WIDE > n && n >= WIDE ? n - WIDE : at + WIDE;
}

/* ---- kernels ------------------------------------------------------------------------------------------ */

typedef enum
{
  POOL_MAX,
  POOL_AVERAGE,
} PoolKind;

/* Places of a window along one dimension: @first, then every dilation, @n of them; @share: one over the
 * number that an average counts. */
typedef struct
{
  gint64 first, n;
  double share;
} Span;

/**
 * PoolKernel: x [images, in, in, channels], y [images, out, out, channels]
 * @padding_counts: of an average
 * @quads: windows are 2×2 and tile the input, edge rows may be left over
 * @spans: by dimension and output
 */
typedef struct
{
  SondeKernel base;
  PoolKind kind;
  gint64 images, channels;
  gint64 in[2], out[2], size[2], stride[2], dilation[2], before[2], declared_after[2];
  gboolean padding_counts, quads;
  Span *spans[2];
} PoolKernel;

typedef struct
{
  const PoolKernel *kernel;
  const float *x, *x_end, *dy;
  float *y, *dx;
} PoolCall;

INLINE void
combine_row (const PoolKernel *k,
             PoolKind          kind,
             const float      *image,
             const float      *x_end,
             const Span       *rows,
             float            *y)
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
max_row (const PoolKernel *k,
         const float      *image,
         const float      *x_end,
         const Span       *rows,
         float            *y)
{
  combine_row (k, POOL_MAX, image, x_end, rows, y);
}

SONDE_CPU_CLONES static void
average_row (const PoolKernel *k,
             const float      *image,
             const float      *x_end,
             const Span       *rows,
             float            *y)
{
  combine_row (k, POOL_AVERAGE, image, x_end, rows, y);
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
      const float *image = call->x + item / k->out[0] * k->in[0] * k->in[1] * k->channels;
      const Span *rows = &k->spans[0][item % k->out[0]];
      float *y = call->y + item * k->out[1] * k->channels;

      if (k->kind == POOL_MAX)
        max_row (k, image, call->x_end, rows, y);
      else
        average_row (k, image, call->x_end, rows, y);
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

  call.x_end = call.x + k->images * k->in[0] * k->in[1] * k->channels;
  sonde_cpu_for (device, k->images * k->out[0], k->out[1] * k->channels * k->size[0] * k->size[1],
                 pool_range, &call);
  return TRUE;
}

/* ---- gradients ---------------------------------------------------------------------------------------- */

/* Which of four is the first maximum; the first NaN wins. */
static int
place_of_max (const float *const x[4],
              int                lane)
{
  float best = x[0][lane];
  int place = 0;

  for (int i = 1; i < 4; i++)
    if (x[i][lane] > best || (x[i][lane] != x[i][lane] && best == best))
      {
        best = x[i][lane];
        place = i;
      }

  return place;
}

/* A place where sixteen floats can be read: @from itself, or @room, filled as far as memory goes. */
INLINE const float *
readable (const float *from,
          const float *end,
          Wide        *room)
{
  if (G_LIKELY (from + WIDE <= end))
    return from;

  *room = load (from, end);
  return room->v;
}

/* All of @g to the first maximum. Without NaN a comparison is enough. Returns whether there may be one. */
INLINE int
split_share (const float *g,
             const float *x0,
             const float *x1,
             const float *x2,
             const float *x3,
             Wide         parts[4])
{
  int odd = 0;

  _Pragma ("omp simd reduction(| : odd)") LANES
  {
    const float share = g[l], a = x0[l], b = x1[l], c = x2[l], d = x3[l];
    const float sum = (a + b) + (c + d);
    float best = a;
    int place = 0;

    place = b > best ? 1 : place;
    best = b > best ? b : best;
    place = c > best ? 2 : place;
    best = c > best ? c : best;
    place = d > best ? 3 : place;
    odd |= sum != sum;
    parts[0].v[l] = place == 0 ? share : 0;
    parts[1].v[l] = place == 1 ? share : 0;
    parts[2].v[l] = place == 2 ? share : 0;
    parts[3].v[l] = place == 3 ? share : 0;
  }

  return odd;
}

/* The four places of each window belong to it alone: all of them are written. */
SONDE_CPU_CLONES static void
quad_row_grad (const PoolKernel *k,
               const float      *x,
               const float      *x_end,
               const float      *dy,
               const float      *dy_end,
               float            *dx)
{
  const gint64 channels = k->channels, line = k->in[1] * channels;
  float *ends[] = { dx + 2 * k->out[1] * channels, dx + line + 2 * k->out[1] * channels };

  for (gint64 j = 0; j < k->out[1]; j++)
    for (gint64 c = 0; c < channels; c = next_channels (c, channels))
      {
        const gint64 at = 2 * j * channels + c, n = channels - c;
        Wide rooms[5], parts[4];
        const float *g = readable (dy + j * channels + c, dy_end, &rooms[4]);
        const float *const places[] = {
          readable (x + at, x_end, &rooms[0]),
          readable (x + at + channels, x_end, &rooms[1]),
          readable (x + line + at, x_end, &rooms[2]),
          readable (x + line + at + channels, x_end, &rooms[3]),
        };
        int odd = split_share (g, places[0], places[1], places[2], places[3], parts);

        for (int l = 0; odd && l < WIDE; l++)
          for (int i = 0; i < 4; i++)
            parts[i].v[l] = place_of_max (places, l) == i ? g[l] : 0;

        store (dx + at, ends[0], n, parts[0]);
        store (dx + at + channels, ends[0], n, parts[1]);
        store (dx + line + at, ends[1], n, parts[2]);
        store (dx + line + at + channels, ends[1], n, parts[3]);
      }
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
         float           share,
         float *restrict sum)
{
  for (gint64 i = 0; i < n; i++)
    sum[i] += x[i] * share;
}

typedef struct
{
  float *best;
  gint32 *place;
} Scratch;

static void
max_window_grad (const PoolKernel *k,
                 const float      *image,
                 const Span       *rows,
                 const Span       *columns,
                 const float      *dy,
                 float            *dx,
                 const Scratch    *scratch)
{
  for (gint64 i = 0; i < rows->n; i++)
    for (gint64 j = 0; j < columns->n; j++)
      {
        gint64 at = (rows->first + i * k->dilation[0]) * k->in[1] + columns->first + j * k->dilation[1];
        const float *x = image + at * k->channels;

        if (i > 0 || j > 0)
          {
            row_first_max (k->channels, x, (gint32) at, scratch->best, scratch->place);
            continue;
          }

        memcpy (scratch->best, x, (gsize) k->channels * sizeof (float));
        for (gint64 c = 0; c < k->channels; c++)
          scratch->place[c] = (gint32) at;
      }

  for (gint64 c = 0; c < k->channels && rows->n > 0 && columns->n > 0; c++)
    dx[scratch->place[c] * k->channels + c] += dy[c];
}

static void
average_window_grad (const PoolKernel *k,
                     const Span       *rows,
                     const Span       *columns,
                     const float      *dy,
                     float            *dx)
{
  for (gint64 i = 0; i < rows->n; i++)
    for (gint64 j = 0; j < columns->n; j++)
      {
        gint64 at = (rows->first + i * k->dilation[0]) * k->in[1] + columns->first + j * k->dilation[1];

        row_add (k->channels, dy, (float) (rows->share * columns->share), dx + at * k->channels);
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
        const Span *rows = &k->spans[0][i], *columns = &k->spans[1][j];
        const float *from = dy + (i * k->out[1] + j) * k->channels;

        if (k->kind == POOL_MAX)
          max_window_grad (k, x, rows, columns, from, dx, scratch);
        else
          average_window_grad (k, rows, columns, from, dx);
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
      const float *x = call->x != NULL ? call->x + n * in : NULL, *dy = call->dy + n * out;
      float *dx = call->dx + n * in;

      if (!k->quads || k->in[0] != 2 * k->out[0] || k->in[1] != 2 * k->out[1])
        memset (dx, 0, (gsize) in * sizeof (float));
      if (!k->quads)
        windows_grad (k, x, dy, dx, &scratch);

      for (gint64 i = 0; k->quads && i < k->out[0]; i++)
        quad_row_grad (k, x + 2 * i * k->in[1] * k->channels, call->x_end,
                       dy + i * k->out[1] * k->channels, call->dy + k->images * out,
                       dx + 2 * i * k->in[1] * k->channels);
    }
}

static gboolean
run_grad (SondeCpuDevice          *device,
          SondeKernel             *base,
          const SondeRunArguments *arguments,
          GError                 **error)
{
  const PoolKernel *k = (PoolKernel *) base;
  PoolCall call = { .kernel = k, .dy = arguments->inputs[0], .dx = arguments->outputs[0] };

  if (k->kind == POOL_MAX)
    {
      call.x = arguments->inputs[1];
      call.x_end = call.x + k->images * k->in[0] * k->in[1] * k->channels;
    }

  sonde_cpu_for (device, k->images, k->in[0] * k->in[1] * k->channels, grad_range, &call);
  return TRUE;
}

/* ---- preparing ---------------------------------------------------------------------------------------- */

static Span
find_span (const PoolKernel *k,
           int               d,
           gint64            output)
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

  return (Span) { first, MAX (MIN (k->size[d] - skipped, inside), 0), 1.0 / (double) MAX (count, 1) };
}

static void
pool_free (SondeKernel *base)
{
  PoolKernel *kernel = (PoolKernel *) base;

  g_free (kernel->spans[0]);
  g_free (kernel->spans[1]);
  g_free (kernel);
}

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
