/* SPDX-License-Identifier: Apache-2.0
 * Matrix products through oneDNN's matmul, transposes and broadcasts as strides. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"

/* The last two dimensions of an operand: sizes after transposing, and strides. */
static void
set_matrix (gint64  *dims,
            gint64  *strides,
            int      rank,
            gint64   rows,
            gint64   columns,
            gboolean transposed)
{
  dims[rank - 2] = rows;
  dims[rank - 1] = columns;
  strides[rank - 2] = transposed ? 1 : columns;
  strides[rank - 1] = transposed ? rows : 1;
}

static SondeKernel *
finish (SondeCpuDevice      *device,
        SondePrepareRequest *request,
        SondeDnnlMatmul     *matmul,
        int                  bias)
{
  SondeDnnlPrimitive *primitive = sonde_dnnl_matmul (device->dnnl, matmul);
  SondeCpuPrimitiveKernel *kernel;

  if (primitive == NULL)
    return NULL;

  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);

  request->in_place = FALSE;
  kernel = sonde_cpu_primitive_kernel_new (request, primitive);
  kernel->operand[SONDE_DNNL_WEIGHTS] = 1;
  if (bias >= 0)
    kernel->operand[SONDE_DNNL_BIAS] = bias;
  return &kernel->base;
}

/* C broadcast to [M, N], as bias. */
static gboolean
set_bias (SondeDnnlMatmul  *matmul,
          const SondeShape *shape)
{
  if (shape->rank > 2)
    return FALSE;

  matmul->has_bias = TRUE;
  for (int i = 0; i < 2; i++)
    {
      int from = i + shape->rank - 2;

      matmul->bias[i] = from >= 0 ? shape->dims[from] : 1;
      if (matmul->bias[i] != 1 && matmul->bias[i] != matmul->target[i])
        return FALSE;
    }

  matmul->bias_strides[0] = matmul->bias[1];
  matmul->bias_strides[1] = 1;
  return TRUE;
}

static SondeKernel *
prepare_gemm (SondeCpuDevice      *device,
              SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  gboolean transposed_a = sonde_node_get_int (node, "transA", 0) != 0;
  gboolean transposed_b = sonde_node_get_int (node, "transB", 0) != 0;
  gboolean add = sonde_cpu_has_input (request, 2);
  SondeDnnlMatmul matmul = { .rank = 2, .scale = (float) sonde_node_get_float (node, "alpha", 1) };
  SondeShape a, b, c, y;

  if (!sonde_cpu_input_f32 (request, 0, &a) || !sonde_cpu_input_f32 (request, 1, &b)
      || !sonde_cpu_output_f32 (request, 0, &y) || a.rank != 2 || b.rank != 2
      || (add && !sonde_cpu_input_f32 (request, 2, &c)))
    return NULL;

  /* oneDNN scales the sum, ONNX each part. */
  if (add && (matmul.scale != 1 || sonde_node_get_float (node, "beta", 1) != 1))
    return NULL;

  set_matrix (matmul.source, matmul.source_strides, 2, y.dims[0], a.dims[!transposed_a], transposed_a);
  set_matrix (matmul.weights, matmul.weights_strides, 2, b.dims[transposed_b], y.dims[1], transposed_b);
  matmul.target[0] = y.dims[0];
  matmul.target[1] = y.dims[1];
  if (add && !set_bias (&matmul, &c))
    return NULL;

  return finish (device, request, &matmul, add ? 2 : -1);
}

/* Sizes and strides of the batch dimensions of one operand, right-aligned. */
static void
set_batch (gint64           *dims,
           gint64           *strides,
           int               rank,
           const SondeShape *shape)
{
  gint64 stride = dims[rank - 2] * dims[rank - 1];

  for (int i = rank - 3; i >= 0; i--)
    {
      int from = i + shape->rank - rank;

      dims[i] = from >= 0 ? shape->dims[from] : 1;
      strides[i] = stride;
      stride *= dims[i];
    }
}

static SondeKernel *
prepare_matmul (SondeCpuDevice      *device,
                SondePrepareRequest *request)
{
  SondeDnnlMatmul matmul = { .scale = 1 };
  SondeShape a, b, y;
  gint64 rows;

  if (!sonde_cpu_input_f32 (request, 0, &a) || !sonde_cpu_input_f32 (request, 1, &b)
      || !sonde_cpu_output_f32 (request, 0, &y) || a.rank < 2 || b.rank < 2)
    return NULL;

  rows = a.dims[a.rank - 2];
  if (b.rank == 2)
    {
      /* One matrix on the right: the batch is more rows. */
      rows = sonde_shape_n_elements (&a) / a.dims[a.rank - 1];
      a = sonde_shape_make (2, rows, a.dims[a.rank - 1]);
      y = sonde_shape_make (2, rows, b.dims[1]);
    }

  if (y.rank > SONDE_DNNL_MAX_RANK)
    return NULL;

  matmul.rank = y.rank;
  set_matrix (matmul.source, matmul.source_strides, y.rank, rows, a.dims[a.rank - 1], FALSE);
  set_matrix (matmul.weights, matmul.weights_strides, y.rank, b.dims[b.rank - 2], b.dims[b.rank - 1], FALSE);
  set_batch (matmul.source, matmul.source_strides, y.rank, &a);
  set_batch (matmul.weights, matmul.weights_strides, y.rank, &b);
  for (int i = 0; i < y.rank; i++)
    matmul.target[i] = y.dims[i];

  return finish (device, request, &matmul, -1);
}

const SondeCpuRow sonde_cpu_matrix_rows[] = {
  { "", "Gemm", prepare_gemm },
  { "", "MatMul", prepare_matmul },
  { NULL, NULL, NULL },
};
