/* SPDX-License-Identifier: Apache-2.0
 * Softmax and LogSoftmax along any axis: lines that are rows, or many lines beside each other. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/devices/cpu/sonde-cpu-math.h"

#include <string.h>

#define LANES 16
/* Elements of a row that are done at a time. */
#define PIECE 128
/* Lines that are done beside each other where they lie so. */
#define BESIDE 64

typedef float Floats __attribute__ ((vector_size (4 * LANES), aligned (4), may_alias));

/* ---- rows ---------------------------------------------------------------- */

SONDE_CPU_MATH float
find_top (gint64 n, const float *x)
{
  float lanes[LANES], top = x[0];
  gint64 i = 0;

  for (int k = 0; k < LANES; k++)
    lanes[k] = x[0];
  for (; i + LANES <= n; i += LANES)
    {
#pragma omp simd
      for (int k = 0; k < LANES; k++)
        lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
    }
  for (; i < n; i++)
    top = x[i] > top ? x[i] : top;
  for (int k = 0; k < LANES; k++)
    top = lanes[k] > top ? lanes[k] : top;
  return top;
}

/* One piece of a row. */
SONDE_CPU_MATH void
exponentials (gint64 n, const float *x, float top, float *restrict e)
{
  for (gint64 i = 0; i < n; i++)
    e[i] = sonde_cpu_exp (x[i] - top);
}

SONDE_CPU_MATH double
sum_piece (gint64 n, const float *e)
{
  Floats lanes = { 0 };
  double sum = 0;
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    lanes += *(const Floats *) (e + i);
  for (; i < n; i++)
    sum += e[i];
  for (int k = 0; k < LANES; k += 2)
    sum += (double) (lanes[k] + lanes[k + 1]);
  return sum;
}

SONDE_CPU_MATH void
finish_row (gint64 n, float sum, gboolean logarithm, float *y)
{
  const float factor = logarithm ? 1 : 1 / sum, shift = logarithm ? logf (sum) : 0;

  for (gint64 i = 0; i < n; i++)
    y[i] = y[i] * factor - shift;
}

SONDE_CPU_MATH void
subtract (gint64 n, const float *x, float top, float *y)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    y[i] = x[i] - top;
}

SONDE_CPU_CLONES void
sonde_cpu_softmax_row (gint64 n, const float *x, gboolean logarithm, float *y)
{
  const float top = find_top (n, x);
  float e[PIECE];
  double sum = 0;

  for (gint64 i = 0; i < n; i += PIECE)
    {
      const gint64 part = MIN (PIECE, n - i);

      exponentials (part, x + i, top, e);
      sum += sum_piece (part, e);
      if (logarithm)
        subtract (part, x + i, top, y + i);
      else
        memcpy (y + i, e, (gsize) part * sizeof (float));
    }

  finish_row (n, (float) sum, logarithm, y);
}

/* ---- lines beside each other --------------------------------------------- */

SONDE_CPU_CLONES static void
softmax_beside (gint64 n, gint64 inner, gint64 width, const float *x, gboolean logarithm, float *y)
{
  float top[BESIDE], sum[BESIDE] = { 0 }, factor[BESIDE], shift[BESIDE];

  for (gint64 j = 0; j < width; j++)
    top[j] = x[j];
  for (gint64 i = 1; i < n; i++)
    for (gint64 j = 0; j < width; j++)
      top[j] = x[i * inner + j] > top[j] ? x[i * inner + j] : top[j];

  for (gint64 i = 0; i < n; i++)
    {
#pragma GCC ivdep
      for (gint64 j = 0; j < width; j++)
        {
          const float d = x[i * inner + j] - top[j], e = sonde_cpu_exp (d);

          sum[j] += e;
          y[i * inner + j] = logarithm ? d : e;
        }
    }

  for (gint64 j = 0; j < width; j++)
    {
      factor[j] = logarithm ? 1 : 1 / sum[j];
      shift[j] = logarithm ? logf (sum[j]) : 0;
    }
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j < width; j++)
      y[i * inner + j] = y[i * inner + j] * factor[j] - shift[j];
}

/* ---- kernel -------------------------------------------------------------- */

/* x [outer, n, inner] along n */
typedef struct
{
  SondeKernel base;
  gint64 outer, n, inner;
  gboolean logarithm;
} SoftmaxKernel;

typedef struct
{
  const SoftmaxKernel *kernel;
  const float *x;
  float *y;
} SoftmaxCall;

static void
rows_range (gint64 begin, gint64 end, gpointer data)
{
  const SoftmaxCall *call = data;
  const SoftmaxKernel *k = call->kernel;

  for (gint64 row = begin; row < end; row++)
    sonde_cpu_softmax_row (k->n, call->x + row * k->n, k->logarithm, call->y + row * k->n);
}

static void
beside_range (gint64 begin, gint64 end, gpointer data)
{
  const SoftmaxCall *call = data;
  const SoftmaxKernel *k = call->kernel;
  const gint64 pieces = (k->inner + BESIDE - 1) / BESIDE;

  for (gint64 i = begin; i < end; i++)
    {
      const gint64 first = i % pieces * BESIDE, start = i / pieces * k->n * k->inner + first;

      softmax_beside (k->n, k->inner, MIN (BESIDE, k->inner - first), call->x + start, k->logarithm,
                      call->y + start);
    }
}

static gboolean
run_softmax (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  const SoftmaxKernel *k = (SoftmaxKernel *) base;
  SoftmaxCall call = { k, arguments->inputs[0], arguments->outputs[0] };

  if (k->inner == 1)
    sonde_cpu_for (device, k->outer, 8 * k->n, rows_range, &call);
  else
    sonde_cpu_for (device, k->outer * ((k->inner + BESIDE - 1) / BESIDE),
                   8 * k->n * MIN (BESIDE, k->inner), beside_range, &call);
  return TRUE;
}

static SondeKernel *
prepare_softmax (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  SoftmaxKernel *kernel;
  SondeShape x, y;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y)
      || x.rank == 0)
    return NULL;

  axis += axis < 0 ? x.rank : 0;
  if (axis < 0 || axis >= x.rank)
    return NULL;

  sonde_cpu_want_plain (device, request, 0);
  kernel = g_new0 (SoftmaxKernel, 1);
  kernel->base.run = run_softmax;
  kernel->logarithm = sonde_node_is (node, SONDE_OP_ID_LOG_SOFTMAX);
  kernel->outer = kernel->inner = 1;
  kernel->n = x.dims[axis];
  for (int i = 0; i < axis; i++)
    kernel->outer *= x.dims[i];
  for (gint64 i = axis + 1; i < x.rank; i++)
    kernel->inner *= x.dims[i];

  /* A line's top is known before its first place is written. */
  request->in_place = TRUE;
  request->workspace_bytes = 0;
  request->implementation = kernel->inner == 1 ? "rows" : "lines";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_softmax_rows[] = {
  { "", "LogSoftmax", prepare_softmax },
  { "", "Softmax", prepare_softmax },
  { NULL, NULL, NULL },
};
