/* SPDX-License-Identifier: Apache-2.0
 * MatMulInteger as loops of whole numbers, for processors and zero points that oneDNN has no exact
 * product for. */
#include "engine/devices/cpu/product/sonde-cpu-matrix.h"
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

#define BLOCK 64

/**
 * LoopKernel:
 * @zeros: of the request: the zero points, -1: none; @column_zeros: the second has one a column
 */
typedef struct
{
  SondeKernel base;
  SondeDnnlMatmul matmul;
  SondeDtype dtypes[2];
  int zeros[2];
  gboolean column_zeros;
} LoopKernel;

typedef struct
{
  const LoopKernel *kernel;
  const guint8 *a, *b, *b_zero;
  gint32 a_zero;
  gint32 *y;
} LoopCall;

/* @n columns of one row; sums wrap. Those of a whole block stay in registers. */
#define COLUMNS(n)                                                                                 \
  for (gint64 p = 0; p < inner; p++)                                                               \
    _Pragma ("GCC ivdep") for (gint64 j = 0; j < (n); j++) sums[j]                                 \
        += (guint32) (row[p] * ((gint32) b[p * stride + j] - zeros[j]));
#define LOOP(name, T)                                                                              \
  SONDE_CPU_CLONES static void name (gint64 n, gint64 inner, const gint32 *row, const T *b,        \
                                     gint64 stride, const gint32 *zeros, gint32 *y)                \
  {                                                                                                \
    guint32 sums[BLOCK] = { 0 };                                                                   \
    if (n == BLOCK)                                                                                \
      COLUMNS (BLOCK)                                                                              \
    else                                                                                           \
      COLUMNS (n)                                                                                  \
    for (gint64 j = 0; j < n; j++)                                                                 \
      y[j] = (gint32) sums[j];                                                                     \
  }
LOOP (row_i8, gint8)
LOOP (row_u8, guint8)

/* Where the matrix of batch @index begins. */
static gint64
find_matrix (const SondeDnnlMatmul *matmul, const gint64 *dims, const gint64 *strides, gint64 index)
{
  gint64 offset = 0;

  for (int i = matmul->rank - 3; i >= 0; i--)
    {
      offset += dims[i] > 1 ? index % matmul->target[i] * strides[i] : 0;
      index /= matmul->target[i];
    }
  return offset;
}

/* Rows of the result, those of all batches in order. */
static void
multiply_rows (gint64 begin, gint64 end, gpointer data)
{
  const LoopCall *call = data;
  const LoopKernel *k = call->kernel;
  const SondeDnnlMatmul *m = &k->matmul;
  gint64 rows = m->target[m->rank - 2], columns = m->target[m->rank - 1],
         inner = m->weights[m->rank - 2];
  g_autofree gint32 *row = g_new (gint32, inner);
  gint32 zeros[BLOCK];

  for (gint64 i = begin; i < end; i++)
    {
      const guint8 *a
          = call->a + find_matrix (m, m->source, m->source_strides, i / rows) + i % rows * inner;
      const guint8 *b = call->b + find_matrix (m, m->weights, m->weights_strides, i / rows);

      for (gint64 p = 0; p < inner; p++)
        row[p] = sonde_cpu_get_8_bits (k->dtypes[0], a, p) - call->a_zero;
      for (gint64 j = 0; j < columns; j += BLOCK)
        {
          gint64 n = MIN (BLOCK, columns - j);
          gint32 *y = call->y + i * columns + j;

          for (gint64 c = 0; c < n; c++)
            zeros[c] = call->b_zero != NULL ? sonde_cpu_get_8_bits (k->dtypes[1], call->b_zero,
                                                                    k->column_zeros ? j + c : 0)
                                            : 0;
          if (k->dtypes[1] == SONDE_DTYPE_U8)
            row_u8 (n, inner, row, b + j, columns, zeros, y);
          else
            row_i8 (n, inner, row, (const gint8 *) b + j, columns, zeros, y);
        }
    }
}

static gboolean
run_loop (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const LoopKernel *k = (LoopKernel *) base;
  const SondeDnnlMatmul *m = &k->matmul;
  LoopCall call = { k, arguments->inputs[0], arguments->inputs[1], NULL, 0, arguments->outputs[0] };
  gint64 rows = 1;

  if (k->zeros[0] >= 0)
    call.a_zero = sonde_cpu_get_8_bits (k->dtypes[0], arguments->inputs[k->zeros[0]], 0);
  if (k->zeros[1] >= 0)
    call.b_zero = arguments->inputs[k->zeros[1]];
  for (int i = 0; i + 1 < m->rank; i++)
    rows *= m->target[i];
  sonde_cpu_for (device, rows, m->weights[m->rank - 2] * m->target[m->rank - 1], multiply_rows,
                 &call);
  return TRUE;
}

SondeKernel *
sonde_cpu_prepare_integer_product (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeGraphValue *zeros[2];
  SondeShape shapes[3];
  LoopKernel loop = { .zeros = { -1, -1 } }, *kernel;
  gboolean flat;

  if (request->n_nodes != 1 || !sonde_node_is (request->nodes[0], SONDE_OP_ID_MATMUL_INTEGER))
    return NULL;
  for (guint k = 0; k < 2; k++)
    {
      zeros[k] = sonde_cpu_has_input (request, 2 + k) ? request->inputs[2 + k] : NULL;
      loop.dtypes[k] = sonde_cpu_dtype_of (request->inputs[k]);
      loop.zeros[k] = zeros[k] != NULL ? (int) (2 + k) : -1;
      if (!sonde_type_get_shape (&request->inputs[k]->type, &shapes[k]))
        return NULL;
    }
  if (!sonde_type_get_shape (&request->outputs[0]->type, &shapes[2])
      || !sonde_cpu_set_product (&shapes[0], &shapes[1], &shapes[2], &loop.matmul, &flat)
      || sonde_cpu_count_elements (zeros[0]) != 1
      || (sonde_cpu_count_elements (zeros[1]) != 1
          && sonde_cpu_count_elements (zeros[1]) != shapes[1].dims[shapes[1].rank - 1]))
    return NULL;

  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  loop.column_zeros = sonde_cpu_count_elements (zeros[1]) != 1;
  loop.base.run = run_loop;
  kernel = g_memdup2 (&loop, sizeof loop);
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return &kernel->base;
}
