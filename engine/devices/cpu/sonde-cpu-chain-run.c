/* SPDX-License-Identifier: Apache-2.0
 * Runs a chain on one part of its values after the other, so that each link finds what the last one made in the cache.
 * Results that are wanted are written where they belong, the others into a part that is used again. */
#include "engine/devices/cpu/sonde-cpu-chain-private.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Elements of a part. */
#define PART 2048

typedef struct
{
  const SondeCpuChain *kernel;
  const SondeRunArguments *arguments;
  SondeCpuUnary unary[SONDE_CPU_MOST_LINKS];
} ChainCall;

/* ---- running ------------------------------------------------------------------------------------------ */

static const float *
find_operand (const ChainCall *call,
              const SondeCpuOperand   *operand,
              float *const    *results,
              gint64           row)
{
  return operand->link >= 0 ? results[operand->link]
                            : (const float *) call->arguments->inputs[operand->input] + row * operand->row;
}

static void
run_link (const ChainCall *call,
          guint            index,
          gint64           row,
          gint64           rows,
          float *const    *results)
{
  const SondeCpuChain *k = call->kernel;
  const SondeCpuLink *link = &k->links[index];
  const SondeCpuUnary *unary = &call->unary[index];
  const float *a = find_operand (call, &link->operands[0], results, row);

  if (link->block != NULL)
    {
      guint8 *operands[] = { (guint8 *) a, (guint8 *) find_operand (call, &link->operands[1], results, row),
                             (guint8 *) results[index] };

      link->block (&link->grid, link->by_row ? rows : 1, link->by_row ? k->width : rows * k->width, operands, NULL);
    }
  else if (link->affine)
    {
      const float *factors = (const float *) call->arguments->workspace + link->factors;

      sonde_cpu_scale_rows (rows, k->width, a, factors, factors + k->width, results[index]);
    }
  else
    unary->loop (rows * k->width, a, results[index], unary->alpha, unary->beta);
}

/* Rows of a part: whole cache lines where that is possible. */
static gint64
part_rows (const SondeCpuChain *k)
{
  const gint64 rows = MAX (PART / k->width, 1);

  return rows >= 16 ? rows / 16 * 16 : rows;
}

#ifdef __SSE2__
/* To memory that is not read soon: past the cache, and without reading it first. */
static void
stream (gint64       n,
        const float *x,
        float       *y)
{
  gint64 i = 0;

  for (; i < n && (GPOINTER_TO_SIZE (y + i) & 15) != 0; i++)
    y[i] = x[i];
  for (; i + 4 <= n; i += 4)
    _mm_stream_ps (y + i, _mm_loadu_ps (x + i));
  for (; i < n; i++)
    y[i] = x[i];
}

static void
settle_streams (void)
{
  _mm_sfence ();
}
#else
static void
stream (gint64       n,
        const float *x,
        float       *y)
{
  memcpy (y, x, (gsize) n * sizeof (float));
}

static void
settle_streams (void)
{
}
#endif

static void
chain_range (gint64   begin,
             gint64   end,
             gpointer data)
{
  const ChainCall *call = data;
  const SondeCpuChain *k = call->kernel;
  const gint64 part = part_rows (k);
  g_autofree float *parts = k->n_parts > 0 ? g_new (float, (gsize) (k->n_parts * part * k->width)) : NULL;

  for (gint64 row = begin; row < end; row += part)
    {
      const gint64 rows = MIN (part, end - row);
      float *results[SONDE_CPU_MOST_LINKS];
      guint n_parts = 0;

      for (guint i = 0; i < k->n_links; i++)
        {
          const SondeCpuLink *link = &k->links[i];
          float *wanted = link->output >= 0 ? (float *) call->arguments->outputs[link->output] + row * k->width : NULL;
          gboolean beside = wanted == NULL || link->streams;

          results[i] = beside ? parts + n_parts++ * part * k->width : wanted;
          run_link (call, i, row, rows, results);
          if (link->streams)
            stream (rows * k->width, results[i], wanted);
        }
    }
  settle_streams ();
}

gboolean
sonde_cpu_run_chain (SondeCpuDevice          *device,
           SondeKernel             *base,
           const SondeRunArguments *arguments,
           GError                 **error)
{
  const SondeCpuChain *k = (SondeCpuChain *) base;
  ChainCall call = { .kernel = k, .arguments = arguments };

  for (guint i = 0; i < k->n_links; i++)
    {
      const SondeCpuLink *link = &k->links[i];
      float *factors = (float *) arguments->workspace + link->factors;

      call.unary[i] = link->unary;
      if (link->limits[0] >= 0)
        call.unary[i].alpha = *(const float *) arguments->inputs[link->limits[0]];
      if (link->limits[1] >= 0)
        call.unary[i].beta = *(const float *) arguments->inputs[link->limits[1]];
      if (link->affine)
        sonde_cpu_batch_affine (k->width, arguments->inputs[link->scale[0]], arguments->inputs[link->scale[1]],
                                arguments->inputs[link->scale[2]], arguments->inputs[link->scale[3]],
                                link->epsilon, factors, factors + k->width);
    }

  sonde_cpu_for (device, k->rows, k->width * k->cost, chain_range, &call);
  return TRUE;
}
