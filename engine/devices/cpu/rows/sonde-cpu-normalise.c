/* SPDX-License-Identifier: Apache-2.0
 * LayerNormalization and RMSNormalization of rows. Sums are made in double, in one pass, of
 * distances from the row's first element, so that a large mean takes no digits. */
#include "engine/devices/cpu/rows/sonde-cpu-normalise-private.h"

#include "engine/devices/cpu/sonde-cpu-vectors.h"

#include <math.h>

/* Lanes that are added up; each has a sum of every second element that falls to it. */
#define LANES 8

SondeCpuMoments
sonde_cpu_row_moments (gint64 n, const float *x)
{
  const double shift = x[0];
  SondeCpuMoments moments = sonde_cpu_sum_distances (n, x, shift);
  const double mean = moments.mean / (double) n;

  moments.variance = MAX (moments.variance / (double) n - mean * mean, 0);
  moments.mean = shift + mean;
  return moments;
}

/* WIDTH: doubles in a register */
#define SUM_DISTANCES(name, WIDTH)                                                                 \
  SONDE_CPU_CLONES static SondeCpuMoments name (gint64 n, const float *x, double shift)            \
  {                                                                                                \
    SondeCpuDoubles##WIDTH sums[2 * LANES / WIDTH] = { 0 }, squares[2 * LANES / WIDTH] = { 0 };    \
    SondeCpuMoments moments = { 0, 0 };                                                            \
    gint64 i = 0;                                                                                  \
    for (; i + 2 * LANES <= n; i += 2 * LANES)                                                     \
      for (int v = 0; v < 2 * LANES / WIDTH; v++)                                                  \
        {                                                                                          \
          const SondeCpuDoubles##WIDTH distance                                                    \
              = SONDE_CPU_WIDEN (WIDTH, x + i + v * WIDTH) - shift;                                \
          sums[v] += distance;                                                                     \
          squares[v] += distance * distance;                                                       \
        }                                                                                          \
    for (int v = 0; v < LANES / WIDTH; v++)                                                        \
      {                                                                                            \
        sums[v] += sums[v + LANES / WIDTH];                                                        \
        squares[v] += squares[v + LANES / WIDTH];                                                  \
      }                                                                                            \
    for (int k = 0; k < LANES; k++)                                                                \
      {                                                                                            \
        moments.mean += sums[k / WIDTH][k % WIDTH];                                                \
        moments.variance += squares[k / WIDTH][k % WIDTH];                                         \
      }                                                                                            \
    for (; i < n; i++)                                                                             \
      {                                                                                            \
        const double distance = x[i] - shift;                                                      \
        moments.mean += distance;                                                                  \
        moments.variance += distance * distance;                                                   \
      }                                                                                            \
    return moments;                                                                                \
  }
SUM_DISTANCES (sum_wide_distances, 8)
SUM_DISTANCES (sum_narrow_distances, 4)

SondeCpuMoments
sonde_cpu_sum_distances (gint64 n, const float *x, double shift)
{
  return sonde_cpu_has_wide_vectors () ? sum_wide_distances (n, x, shift)
                                       : sum_narrow_distances (n, x, shift);
}

/* y = (x·a + b)·scale + bias */
SONDE_CPU_CLONES static void
scale_row (gint64 n, const float *x, float a, float b, const float *scale, const float *bias,
           float *y)
{
  if (bias != NULL)
    {
#pragma GCC ivdep
      for (gint64 i = 0; i < n; i++)
        y[i] = (x[i] * a + b) * scale[i] + bias[i];
    }
  else
    {
#pragma GCC ivdep
      for (gint64 i = 0; i < n; i++)
        y[i] = (x[i] * a + b) * scale[i];
    }
}

/**
 * RowsKernel: x [outer, n]
 * @root: the mean of squares takes the place of the variance, and nothing is subtracted
 */
typedef struct
{
  SondeKernel base;
  gint64 outer, n;
  double epsilon;
  gboolean root, has_bias, has_output[3];
} RowsKernel;

typedef struct
{
  const RowsKernel *kernel;
  const float *x, *scale, *bias;
  float *y, *means, *inverses;
} RowsCall;

static void
rows_range (gint64 begin, gint64 end, gpointer data)
{
  const RowsCall *call = data;
  const RowsKernel *k = call->kernel;

  for (gint64 o = begin; o < end; o++)
    {
      const float *x = call->x + o * k->n;
      SondeCpuMoments moments = { 0, 0 };
      double inverse;

      if (k->root)
        moments.variance = sonde_cpu_sum_distances (k->n, x, 0).variance / (double) k->n;
      else
        moments = sonde_cpu_row_moments (k->n, x);

      inverse = 1 / sqrt (moments.variance + k->epsilon);
      if (call->y != NULL)
        scale_row (k->n, x, (float) inverse, (float) (-moments.mean * inverse), call->scale,
                   call->bias, call->y + o * k->n);
      if (call->means != NULL)
        call->means[o] = (float) moments.mean;
      if (call->inverses != NULL)
        call->inverses[o] = (float) inverse;
    }
}

static gboolean
run_rows (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const RowsKernel *k = (RowsKernel *) base;
  RowsCall call = {
    .kernel = k,
    .x = arguments->inputs[0],
    .scale = arguments->inputs[1],
    .bias = k->has_bias ? arguments->inputs[2] : NULL,
    .y = k->has_output[0] ? arguments->outputs[0] : NULL,
    .means = k->has_output[1] ? arguments->outputs[1] : NULL,
    .inverses = k->has_output[2] ? arguments->outputs[2] : NULL,
  };

  sonde_cpu_for (device, k->outer, 3 * k->n, rows_range, &call);
  return TRUE;
}

static SondeKernel *
prepare_rows (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gint64 axis = sonde_node_get_int (request->nodes[0], "axis", -1);
  gint64 n = 1;
  RowsKernel *kernel;
  SondeShape x, other;

  if (!sonde_cpu_input_f32 (request, 0, &x))
    return NULL;

  axis += axis < 0 ? x.rank : 0;
  if (axis < 0 || axis >= x.rank)
    return NULL;

  for (gint64 d = axis; d < x.rank; d++)
    n *= x.dims[d];
  for (guint k = 1; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL
        && (!sonde_cpu_input_f32 (request, k, &other) || sonde_shape_n_elements (&other) != n))
      return NULL;
  for (guint k = 0; k < request->n_outputs; k++)
    if (request->outputs[k] != NULL && !sonde_cpu_output_f32 (request, k, &other))
      return NULL;

  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);

  kernel = g_new0 (RowsKernel, 1);
  kernel->base.run = run_rows;
  kernel->outer = sonde_shape_n_elements (&x) / n;
  kernel->n = n;
  kernel->epsilon = sonde_node_get_float (request->nodes[0], "epsilon", 1e-5);
  kernel->root = sonde_node_is (request->nodes[0], SONDE_OP_ID_RMS_NORMALIZATION);
  kernel->has_bias = sonde_cpu_has_input (request, 2);
  for (guint k = 0; k < G_N_ELEMENTS (kernel->has_output); k++)
    kernel->has_output[k] = sonde_cpu_has_output (request, k);

  /* A row is read before it is written. */
  request->in_place = TRUE;
  request->workspace_bytes = 0;
  request->implementation = "rows";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_normalise_rows[] = {
  { "", "LayerNormalization", prepare_rows },
  { "", "RMSNormalization", prepare_rows },
  { NULL, NULL, NULL },
};
