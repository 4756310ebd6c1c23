/* SPDX-License-Identifier: Apache-2.0
 * LRN, plain and channels-last. Formula: engine/ops/nn/sonde-ops-rms-lp-normalisation-lrn.c. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/devices/cpu/sonde-cpu-math.h"

#include <string.h>

/* Pixels of a plain plane that are done at a time: their squares stay in the cache. */
#define PIXELS 256

/**
 * LrnKernel: [batch, channels, space], or [batch · space, channels]
 * @before, @after: channels that are summed around each
 */
typedef struct
{
  SondeKernel base;
  gboolean channels_last;
  gint64 batch, channels, space, before, after, pieces;
  float alpha, beta, bias;
} LrnKernel;

typedef struct
{
  const LrnKernel *kernel;
  const float *x;
  float *y;
} LrnCall;

SONDE_CPU_CLONES static void
add_squares (gint64 n, const float *x, float *restrict sums)
{
  for (gint64 i = 0; i < n; i++)
    sums[i] += x[i] * x[i];
}

/* y = x · (bias + α·Σ)^−β; the usual ¾ is two roots. */
SONDE_CPU_CLONES static void
respond (const LrnKernel *kernel, gint64 n, const float *x, const float *sums, float *y)
{
  const float alpha = kernel->alpha, beta = kernel->beta, bias = kernel->bias;

  if (beta == 0.75f)
#pragma GCC ivdep
    for (gint64 i = 0; i < n; i++)
      {
        const float root = sqrtf (bias + alpha * sums[i]);

        y[i] = x[i] / (root * sqrtf (root));
      }
  else
#pragma GCC ivdep
    for (gint64 i = 0; i < n; i++)
      y[i] = x[i] * sonde_cpu_exp (-beta * sonde_cpu_log (bias + alpha * sums[i]));
}

/* One piece of the plane of a sample, all channels. */
static void
plain_range (gint64 begin, gint64 end, gpointer data)
{
  const LrnCall *call = data;
  const LrnKernel *k = call->kernel;

  for (gint64 i = begin; i < end; i++)
    {
      const gint64 first = i % k->pieces * PIXELS, n = MIN (PIXELS, k->space - first);
      const gint64 start = i / k->pieces * k->channels * k->space + first;

      for (gint64 c = 0; c < k->channels; c++)
        {
          float sums[PIXELS] = { 0 };

          for (gint64 other = MAX (c - k->before, 0); other <= MIN (c + k->after, k->channels - 1);
               other++)
            add_squares (n, call->x + start + other * k->space, sums);
          respond (k, n, call->x + start + c * k->space, sums, call->y + start + c * k->space);
        }
    }
}

static void
pixels_range (gint64 begin, gint64 end, gpointer data)
{
  const LrnCall *call = data;
  const LrnKernel *k = call->kernel;

  for (gint64 i = begin; i < end; i++)
    {
      const float *x = call->x + i * k->channels;
      float *y = call->y + i * k->channels;

      for (gint64 first = 0; first < k->channels; first += PIXELS)
        {
          const gint64 n = MIN (PIXELS, k->channels - first);
          float sums[PIXELS] = { 0 };

          /* Channel @first + j + shift is added to sum j. */
          for (gint64 shift = -k->before; shift <= k->after; shift++)
            {
              const gint64 from = MAX (first + shift, 0), to = MIN (first + shift + n, k->channels);

              if (from < to)
                add_squares (to - from, x + from, sums + from - first - shift);
            }
          respond (k, n, x + first, sums, y + first);
        }
    }
}

static gboolean
run_lrn (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
         GError **error)
{
  const LrnKernel *k = (LrnKernel *) base;
  LrnCall call = { k, arguments->inputs[0], arguments->outputs[0] };

  if (k->channels_last)
    sonde_cpu_for (device, k->batch * k->space, 8 * k->channels, pixels_range, &call);
  else
    sonde_cpu_for (device, k->batch * k->pieces, 8 * k->channels * MIN (PIXELS, k->space),
                   plain_range, &call);
  return TRUE;
}

static SondeKernel *
prepare_lrn (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  gint64 size = sonde_node_get_int (node, "size", 1);
  SondeLayout *layout;
  LrnKernel *kernel;
  SondeShape x, y;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y) || x.rank < 2
      || size < 1)
    return NULL;

  layout = sonde_cpu_keep_layout (device, request, 0, 0);
  kernel = g_new0 (LrnKernel, 1);
  kernel->base.run = run_lrn;
  kernel->channels_last = layout != NULL;
  kernel->batch = x.dims[0];
  kernel->channels = x.dims[1];
  kernel->space = sonde_shape_n_elements (&x) / (x.dims[0] * x.dims[1]);
  kernel->pieces = (kernel->space + PIXELS - 1) / PIXELS;
  kernel->before = MIN ((size - 1) / 2, x.dims[1]);
  kernel->after = MIN (size / 2, x.dims[1]);
  kernel->alpha = (float) (sonde_node_get_float (node, "alpha", 1e-4) / (double) size);
  kernel->beta = (float) sonde_node_get_float (node, "beta", 0.75);
  kernel->bias = (float) sonde_node_get_float (node, "bias", 1);
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_lrn_rows[] = {
  { "", "LRN", prepare_lrn },
  { NULL, NULL, NULL },
};
