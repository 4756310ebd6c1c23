/* SPDX-License-Identifier: Apache-2.0
 * GlobalNorm, the norm of many tensors. Sums are made in double, over blocks whose size does not
 * depend on the number of threads, so that neither do the bits. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"

#include <math.h>

/* Elements whose sum is one partial result. */
#define BLOCK 8192
#define LANES 16

SONDE_CPU_CLONES static double
sum_squares (gint64 n, const float *x)
{
  double lanes[LANES] = { 0 };
  double sum = 0;
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++)
      lanes[k] += (double) x[i + k] * x[i + k];
  for (; i < n; i++)
    sum += (double) x[i] * x[i];
  for (int k = 0; k < LANES; k++)
    sum += lanes[k];
  return sum;
}

typedef struct
{
  SondeKernel base;
  guint n_inputs;
  gint64 blocks;  /* of all inputs */
  gint64 sizes[]; /* by input: elements, padding (zeros) included */
} NormKernel;

typedef struct
{
  const NormKernel *kernel;
  const SondeRunArguments *arguments;
  double *partial;
} NormCall;

static void
norm_range (gint64 begin, gint64 end, gpointer data)
{
  const NormCall *call = data;
  gint64 block = 0;

  for (guint k = 0; k < call->kernel->n_inputs; k++)
    for (gint64 first = 0; first < call->kernel->sizes[k]; first += BLOCK, block++)
      if (block >= begin && block < end)
        call->partial[block] = sum_squares (MIN (BLOCK, call->kernel->sizes[k] - first),
                                            (const float *) call->arguments->inputs[k] + first);
}

static gboolean
run_norm (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const NormKernel *kernel = (NormKernel *) base;
  NormCall call = { kernel, arguments, arguments->workspace };
  double sum = 0;

  sonde_cpu_for (device, kernel->blocks, BLOCK, norm_range, &call);
  for (gint64 i = 0; i < kernel->blocks; i++)
    sum += call.partial[i];

  *(float *) arguments->outputs[0] = (float) sqrt (sum);
  return TRUE;
}

static SondeKernel *
prepare_norm (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree NormKernel *kernel
      = g_malloc0 (sizeof (NormKernel) + request->n_inputs * sizeof (gint64));
  SondeShape shape;

  if (!sonde_cpu_output_f32 (request, 0, &shape))
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    {
      if (!sonde_cpu_input_f32 (request, i, &shape))
        return NULL;

      kernel->sizes[i] = request->input_layouts[i] != NULL
                             ? (gint64) (request->input_layouts[i]->bytes / sizeof (float))
                             : sonde_shape_n_elements (&shape);
      kernel->blocks += (kernel->sizes[i] + BLOCK - 1) / BLOCK;
    }

  kernel->base.run = run_norm;
  kernel->n_inputs = request->n_inputs;
  request->in_place = FALSE;
  request->workspace_bytes = (gsize) kernel->blocks * sizeof (double);
  request->implementation = "blocks";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuRow sonde_cpu_global_norm_rows[] = {
  { SONDE_DOMAIN, "GlobalNorm", prepare_norm },
  { NULL, NULL, NULL },
};
