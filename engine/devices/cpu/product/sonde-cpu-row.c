/* SPDX-License-Identifier: Apache-2.0
 * One row times a large constant matrix: y = scale · x · W + bias, then Relu. Each element of W is
 * used once, so the memory's speed is the limit, whatever the order; W is read as it lies, and
 * there is no packed copy to make and to keep. */
#include "engine/devices/cpu/product/sonde-cpu-matrix.h"

#define LEAST_BYTES (1 << 20) /* of W; below, a packed copy costs nothing that matters */
#define LANES 64

/**
 * RowKernel:
 * @inner, @columns: W is [inner, columns]; @column_step: elements from one column to the next;
 * @inner_step likewise
 * @inputs: of the request: x, W, bias or -1
 * @bias_step: 0 for one number
 */
typedef struct
{
  SondeKernel base;
  gint64 inner, columns, inner_step, column_step, bias_step;
  int inputs[3];
  float scale;
  gboolean relu;
} RowKernel;

typedef struct
{
  const RowKernel *kernel;
  const float *x, *w, *bias;
  float *y;
} RowCall;

/* ---- running ------------------------------------------------------------- */

SONDE_CPU_CLONES static float
dot (gint64 n, const float *a, const float *b)
{
  float sums[LANES] = { 0 };
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    for (int lane = 0; lane < LANES; lane++)
      sums[lane] += a[i + lane] * b[i + lane];
  for (int lane = 0; i < n; i++, lane++)
    sums[lane] += a[i] * b[i];
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; lane++)
      sums[lane] += sums[lane + width];
  return sums[0];
}

/* y += x · W for @n neighbouring columns of a matrix whose rows lie together. */
SONDE_CPU_CLONES static void
add_rows (gint64 n, gint64 inner, gint64 step, const float *x, const float *w, float *restrict y)
{
  gint64 k = 0;

  for (; k + 4 <= inner; k += 4)
    {
      const float *row = w + k * step;

      for (gint64 i = 0; i < n; i++)
        y[i] += (x[k] * row[i] + x[k + 1] * row[step + i])
                + (x[k + 2] * row[2 * step + i] + x[k + 3] * row[3 * step + i]);
    }
  for (; k < inner; k++)
    for (gint64 i = 0; i < n; i++)
      y[i] += x[k] * w[k * step + i];
}

static void
multiply_columns (gint64 begin, gint64 end, gpointer data)
{
  const RowCall *call = data;
  const RowKernel *k = call->kernel;

  if (k->inner_step == 1)
    for (gint64 i = begin; i < end; i++)
      call->y[i] = dot (k->inner, call->x, call->w + i * k->column_step);
  else
    {
      for (gint64 i = begin; i < end; i++)
        call->y[i] = 0;
      add_rows (end - begin, k->inner, k->inner_step, call->x, call->w + begin, call->y + begin);
    }

  for (gint64 i = begin; i < end; i++)
    {
      float value = k->scale * call->y[i] + (call->bias != NULL ? call->bias[i * k->bias_step] : 0);

      call->y[i] = k->relu && value < 0 ? 0 : value;
    }
}

static gboolean
run_row (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
         GError **error)
{
  const RowKernel *k = (RowKernel *) base;
  RowCall call
      = { k, arguments->inputs[k->inputs[0]], arguments->inputs[k->inputs[1]],
          k->inputs[2] >= 0 ? arguments->inputs[k->inputs[2]] : NULL, arguments->outputs[0] };

  sonde_cpu_for (device, k->columns, k->inner, multiply_columns, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

static gboolean
is_relu (const SondeDnnlMatmul *matmul)
{
  const SondeDnnlPost *post = &matmul->posts[0];

  return matmul->n_posts == 1 && post->kind == SONDE_DNNL_POST_FUNCTION
         && g_str_equal (post->function, "relu") && post->alpha == 0;
}

static gboolean
suits (const SondePrepareRequest *request, const SondeDnnlMatmul *matmul, const int *inputs)
{
  gint64 bytes
      = matmul->rank == 2 ? matmul->weights[0] * matmul->weights[1] * (gint64) sizeof (float) : 0;

  return matmul->rank == 2 && matmul->target[0] == 1 && bytes >= LEAST_BYTES
         && request->constant_inputs[inputs[SONDE_DNNL_WEIGHTS]]
         && (matmul->weights_strides[0] == 1 || matmul->weights_strides[1] == 1)
         && (matmul->source_strides[1] == 1 || matmul->source[1] == 1)
         && (matmul->n_posts == 0 || is_relu (matmul));
}

SondeKernel *
sonde_cpu_prepare_row_product (SondeCpuDevice *device, SondePrepareRequest *request,
                               const SondeDnnlMatmul *matmul, const int *inputs)
{
  RowKernel *kernel;

  if (!suits (request, matmul, inputs))
    return NULL;

  kernel = g_new0 (RowKernel, 1);
  kernel->base.run = run_row;
  kernel->inner = matmul->weights[0];
  kernel->columns = matmul->weights[1];
  kernel->inner_step = matmul->weights_strides[0];
  kernel->column_step = matmul->weights_strides[1];
  kernel->bias_step = matmul->has_bias && matmul->bias[1] > 1 ? matmul->bias_strides[1] : 0;
  kernel->inputs[0] = inputs[SONDE_DNNL_SRC];
  kernel->inputs[1] = inputs[SONDE_DNNL_WEIGHTS];
  kernel->inputs[2] = matmul->has_bias ? inputs[SONDE_DNNL_BIAS] : -1;
  kernel->scale = matmul->scale;
  kernel->relu = is_relu (matmul);
  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  request->in_place = FALSE;
  request->implementation = "row";
  return &kernel->base;
}
