/* SPDX-License-Identifier: Apache-2.0
 * Gradients of pooling on channels-last memory. */
#include "engine/devices/cpu/rows/sonde-cpu-pool-private.h"

#include <string.h>

/* ---- sixteen channels at a time ------------------------------------------ */

#define WIDE 16
#define LANES for (int l = 0; l < WIDE; l++)

/* Sixteen channels as a plain array: loops over it become one vector in each clone. */
typedef struct
{
  float v[WIDE];
} Wide;

INLINE Wide
load (const float *from, const float *end)
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
store (float *to, const float *end, gint64 n, Wide value)
{
  if (G_LIKELY (n >= WIDE || to + WIDE <= end))
    memcpy (to, &value, sizeof (Wide));
  else
    memcpy (to, &value, (gsize) n * sizeof (float));
}

/* Which of four is the first maximum; the first NaN wins. */
static int
place_of_max (const float *const x[4], int lane)
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

/* A place where sixteen floats can be read: @from itself, or @copy, filled as far as memory
 * goes. */
INLINE const float *
readable (const float *from, const float *end, Wide *copy)
{
  if (G_LIKELY (from + WIDE <= end))
    return from;

  *copy = load (from, end);
  return copy->v;
}

/* All of @g to the first maximum. Without NaN a comparison is enough. Returns whether there may be
 * one. */
INLINE int
split_share (const float *g, const float *x0, const float *x1, const float *x2, const float *x3,
             Wide parts[4])
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
quad_row_grad (const PoolKernel *k, const float *x, const float *x_end, const float *dy,
               const float *dy_end, float *dx)
{
  const gint64 channels = k->channels, line = k->in[1] * channels;
  float *ends[] = { dx + 2 * k->out[1] * channels, dx + line + 2 * k->out[1] * channels };

  for (gint64 j = 0; j < k->out[1]; j++)
    for (gint64 c = 0; c < channels; c = next_channels (c, channels, WIDE))
      {
        const gint64 at = 2 * j * channels + c, n = channels - c;
        Wide copies[5], parts[4];
        const float *g = readable (dy + j * channels + c, dy_end, &copies[4]);
        const float *const places[] = {
          readable (x + at, x_end, &copies[0]),
          readable (x + at + channels, x_end, &copies[1]),
          readable (x + line + at, x_end, &copies[2]),
          readable (x + line + at + channels, x_end, &copies[3]),
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
row_first_max (gint64 n, const float *x, gint32 at, float *restrict best, gint32 *restrict place)
{
  for (gint64 i = 0; i < n; i++)
    {
      const int take = (x[i] > best[i]) | ((x[i] != x[i]) & (best[i] == best[i]));

      best[i] = take ? x[i] : best[i];
      place[i] = take ? at : place[i];
    }
}

SONDE_CPU_CLONES static void
row_add (gint64 n, const float *x, float share, float *restrict sum)
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
max_window_grad (const PoolKernel *k, const float *image, const Span *rows, const Span *columns,
                 const float *dy, float *dx, const Scratch *scratch)
{
  for (gint64 i = 0; i < rows->n; i++)
    for (gint64 j = 0; j < columns->n; j++)
      {
        gint64 at
            = (rows->first + i * k->dilation[0]) * k->in[1] + columns->first + j * k->dilation[1];
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
average_window_grad (const PoolKernel *k, const Span *rows, const Span *columns, const float *dy,
                     float *dx)
{
  for (gint64 i = 0; i < rows->n; i++)
    for (gint64 j = 0; j < columns->n; j++)
      {
        gint64 at
            = (rows->first + i * k->dilation[0]) * k->in[1] + columns->first + j * k->dilation[1];

        row_add (k->channels, dy, (float) (rows->share * columns->share), dx + at * k->channels);
      }
}

static void
windows_grad (const PoolKernel *k, const float *x, const float *dy, float *dx,
              const Scratch *scratch)
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
grad_range (gint64 begin, gint64 end, gpointer data)
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
run_grad (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
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

/* MaxPoolGrad (dy, x) → dx; AveragePoolGrad (dy, like x) → dx */
static SondeKernel *
prepare_grad (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree PoolKernel *kernel = g_new0 (PoolKernel, 1);
  const SondeNode *node = request->nodes[0];
  SondeShape dy, dx;

  kernel->kind = sonde_node_is (node, SONDE_OP_ID_MAX_POOL_GRAD) ? POOL_MAX : POOL_AVERAGE;
  if (!sonde_cpu_input_f32 (request, 0, &dy) || !sonde_cpu_output_f32 (request, 0, &dx)
      || request->plain_layouts || !sonde_cpu_pool_fill (node, &dx, kernel))
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

const SondeCpuRow sonde_cpu_pool_grad_rows[] = {
  { SONDE_DOMAIN, "AveragePoolGrad", prepare_grad },
  { SONDE_DOMAIN, "MaxPoolGrad", prepare_grad },
  { NULL, NULL, NULL },
};
