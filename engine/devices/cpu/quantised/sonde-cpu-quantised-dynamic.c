/* SPDX-License-Identifier: Apache-2.0
 * DynamicQuantizeLinear: the least and the largest number of each part, then of all, then what they
 * make of each. */
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

#include <math.h>

#define PART 4096 /* elements */
#define LANES 16
/* Elements that a lane takes in turn before it is stored. */
#define AT_ONCE 8

typedef struct
{
  SondeKernel base;
  gint64 n;
} DynamicKernel;

/* @bounds: two of each part */
typedef struct
{
  const DynamicKernel *kernel;
  const float *x;
  float *bounds;
  float scale, zero;
  guint8 *y;
} DynamicCall;

/* Of the numbers and 0; NaN does not count. */
SONDE_CPU_CLONES static void
find_bounds (gint64 n, const float *x, float *bounds)
{
  float low[LANES] = { 0 }, high[LANES] = { 0 };
  gint64 i = 0;

  for (; i + AT_ONCE * LANES <= n; i += AT_ONCE * LANES)
    {
#pragma omp simd
      for (int k = 0; k < LANES; k++)
        {
          float least = low[k], most = high[k];

#pragma GCC unroll 8
          for (int u = 0; u < AT_ONCE; u++)
            {
              const float value = x[i + u * LANES + k];

              least = value < least ? value : least;
              most = value > most ? value : most;
            }
          low[k] = least;
          high[k] = most;
        }
    }
  for (; i + LANES <= n; i += LANES)
    {
#pragma omp simd
      for (int k = 0; k < LANES; k++)
        {
          low[k] = x[i + k] < low[k] ? x[i + k] : low[k];
          high[k] = x[i + k] > high[k] ? x[i + k] : high[k];
        }
    }
  for (; i < n; i++)
    {
      low[0] = x[i] < low[0] ? x[i] : low[0];
      high[0] = x[i] > high[0] ? x[i] : high[0];
    }
  for (int k = 1; k < LANES; k++)
    {
      low[0] = MIN (low[0], low[k]);
      high[0] = MAX (high[0], high[k]);
    }
  bounds[0] = low[0];
  bounds[1] = high[0];
}

static void
bound_parts (gint64 begin, gint64 end, gpointer data)
{
  const DynamicCall *call = data;

  for (gint64 i = begin; i < end; i++)
    find_bounds (MIN (PART, call->kernel->n - i * PART), call->x + i * PART, call->bounds + 2 * i);
}

static void
quantise_range (gint64 begin, gint64 end, gpointer data)
{
  const DynamicCall *call = data;

  sonde_cpu_quantise_u8 (end - begin, call->x + begin, call->scale, call->zero, call->y + begin);
}

static gint64
count_parts (const DynamicKernel *kernel)
{
  return (kernel->n + PART - 1) / PART;
}

static gboolean
run_dynamic (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  const DynamicKernel *k = (DynamicKernel *) base;
  DynamicCall call = { k, arguments->inputs[0], arguments->workspace, 0, 0, arguments->outputs[0] };
  float low = 0, high = 0;
  guint8 zero;

  sonde_cpu_for (device, count_parts (k), PART, bound_parts, &call);
  for (gint64 i = 0; i < count_parts (k); i++)
    {
      low = MIN (low, call.bounds[2 * i]);
      high = MAX (high, call.bounds[2 * i + 1]);
    }

  call.scale = (high == low ? 1.0f : high - low) / 255.0f;
  sonde_cpu_quantise_u8 (1, &(float){ -low / call.scale }, 1, 0, &zero);
  call.zero = zero;
  sonde_cpu_for (device, k->n, 1, quantise_range, &call);
  *(float *) arguments->outputs[1] = call.scale;
  *(guint8 *) arguments->outputs[2] = zero;
  return TRUE;
}

static SondeKernel *
prepare_dynamic_quantise (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeShape shape;
  DynamicKernel *kernel;

  if (!sonde_cpu_input_f32 (request, 0, &shape) || !sonde_cpu_has_output (request, 0)
      || !sonde_cpu_has_output (request, 1) || !sonde_cpu_has_output (request, 2))
    return NULL;

  kernel = g_new0 (DynamicKernel, 1);
  kernel->base.run = run_dynamic;
  kernel->n = sonde_shape_n_elements (&shape);
  sonde_cpu_want_plain (device, request, 0);
  request->in_place = FALSE;
  request->workspace_bytes = (gsize) count_parts (kernel) * 2 * sizeof (float);
  request->implementation = "loop";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_quantised_dynamic_rows[] = {
  { "", "DynamicQuantizeLinear", prepare_dynamic_quantise },
  { NULL, NULL, NULL },
};
