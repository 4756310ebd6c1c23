/* SPDX-License-Identifier: Apache-2.0
 * MatMulInteger, exact, for processors and zero points that oneDNN has no exact product for: few rows
 * as loops of whole numbers; of more rows blocks are multiplied as floats, whose sums, whole numbers
 * that a float holds, are added up as integers. */
#include "engine/devices/cpu/product/sonde-cpu-matrix.h"
#include "engine/devices/cpu/product/sonde-cpu-product.h"
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

#include <string.h>

#define BLOCK 64
/* Rows from which floats pay, and what is multiplied at once: 128 · 255 · 255 < 2^24. */
#define LEAST_ROWS 8
#define BLOCK_ROWS 32
#define BLOCK_INNER 128

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

/* Numbers less their zero points, which stand @step apart. */
#define FLOATS(name, T)                                                                            \
  SONDE_CPU_CLONES static void name (gint64 n, const T *x, const gint32 *zeros, gint64 step,       \
                                     float *restrict to)                                           \
  {                                                                                                \
    if (step == 0)                                                                                 \
      for (gint64 i = 0; i < n; i++)                                                               \
        to[i] = (float) (x[i] - zeros[0]);                                                         \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        to[i] = (float) (x[i] - zeros[i]);                                                         \
  }
FLOATS (floats_i8, gint8)
FLOATS (floats_u8, guint8)

/* Of @n columns from @first on. */
static void
read_zeros (const LoopCall *call, gint64 first, gint64 n, gint32 *zeros)
{
  const LoopKernel *k = call->kernel;

  for (gint64 j = 0; j < n; j++)
    zeros[j] = call->b_zero != NULL ? sonde_cpu_get_8_bits (k->dtypes[1], call->b_zero,
                                                            k->column_zeros ? first + j : 0)
                                    : 0;
}

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

/* One row; @b: its matrix. */
static void
multiply_row (const LoopCall *call, const guint8 *a, const guint8 *b, gint32 *row, gint32 *y)
{
  const LoopKernel *k = call->kernel;
  const SondeDnnlMatmul *m = &k->matmul;
  gint64 columns = m->target[m->rank - 1], inner = m->weights[m->rank - 2];
  gint32 zeros[BLOCK];

  for (gint64 p = 0; p < inner; p++)
    row[p] = sonde_cpu_get_8_bits (k->dtypes[0], a, p) - call->a_zero;
  for (gint64 j = 0; j < columns; j += BLOCK)
    {
      gint64 n = MIN (BLOCK, columns - j);

      read_zeros (call, j, n, zeros);
      if (k->dtypes[1] == SONDE_DTYPE_U8)
        row_u8 (n, inner, row, b + j, columns, zeros, y + j);
      else
        row_i8 (n, inner, row, (const gint8 *) b + j, columns, zeros, y + j);
    }
}

/* What is multiplied at once, without the zero points; @zeros: of the columns */
typedef struct
{
  float a[BLOCK_ROWS * BLOCK_INNER], b[BLOCK_INNER * BLOCK], sums[BLOCK_ROWS * BLOCK];
  gint32 zeros[BLOCK];
} Floats;

SONDE_CPU_CLONES static void
add_sums (gint64 n, const float *sums, gint32 *y)
{
#pragma GCC ivdep
  for (gint64 j = 0; j < n; j++)
    y[j] = (gint32) ((guint32) y[j] + (guint32) (gint32) sums[j]);
}

/* @rows rows, @n columns from @j on, @inner from @p on; @a: the first row, @b: the matrix. The sums
 * are added to @y, where they wrap. */
static void
multiply_floats (const LoopCall *call, gint64 rows, gint64 j, gint64 n, gint64 p, gint64 inner,
                 const guint8 *a, const guint8 *b, Floats *floats, gint32 *y)
{
  const LoopKernel *k = call->kernel;
  const SondeDnnlMatmul *m = &k->matmul;
  gint64 columns = m->target[m->rank - 1], a_row = m->weights[m->rank - 2];

  for (gint64 r = 0; r < rows; r++)
    if (k->dtypes[0] == SONDE_DTYPE_U8)
      floats_u8 (inner, a + r * a_row + p, &call->a_zero, 0, floats->a + r * BLOCK_INNER);
    else
      floats_i8 (inner, (const gint8 *) a + r * a_row + p, &call->a_zero, 0,
                 floats->a + r * BLOCK_INNER);
  for (gint64 i = 0; i < inner; i++)
    if (k->dtypes[1] == SONDE_DTYPE_U8)
      floats_u8 (n, b + (p + i) * columns + j, floats->zeros, 1, floats->b + i * BLOCK);
    else
      floats_i8 (n, (const gint8 *) b + (p + i) * columns + j, floats->zeros, 1,
                 floats->b + i * BLOCK);
  sonde_cpu_product (rows, inner, n, floats->a, BLOCK_INNER, floats->b, BLOCK, floats->sums, BLOCK);
  for (gint64 r = 0; r < rows; r++)
    add_sums (n, floats->sums + r * BLOCK, y + r * columns + j);
}

/* At most BLOCK_ROWS rows of one matrix. */
static void
multiply_block (const LoopCall *call, gint64 rows, const guint8 *a, const guint8 *b, Floats *floats,
                gint32 *y)
{
  const SondeDnnlMatmul *m = &call->kernel->matmul;
  gint64 columns = m->target[m->rank - 1], inner = m->weights[m->rank - 2];

  memset (y, 0, (gsize) (rows * columns) * sizeof (gint32));
  for (gint64 j = 0; j < columns; j += BLOCK)
    {
      gint64 n = MIN (BLOCK, columns - j);

      read_zeros (call, j, n, floats->zeros);
      for (gint64 p = 0; p < inner; p += BLOCK_INNER)
        multiply_floats (call, rows, j, n, p, MIN (BLOCK_INNER, inner - p), a, b, floats, y);
    }
}

/* Rows of the result, those of all batches in order. */
static void
multiply_rows (gint64 begin, gint64 end, gpointer data)
{
  const LoopCall *call = data;
  const SondeDnnlMatmul *m = &call->kernel->matmul;
  gint64 rows = m->target[m->rank - 2], columns = m->target[m->rank - 1],
         inner = m->weights[m->rank - 2];
  g_autofree gint32 *row = g_new (gint32, inner);
  g_autofree Floats *floats = rows >= LEAST_ROWS ? g_new (Floats, 1) : NULL;

  for (gint64 i = begin, n; i < end; i += n)
    {
      const guint8 *a
          = call->a + find_matrix (m, m->source, m->source_strides, i / rows) + i % rows * inner;
      const guint8 *b = call->b + find_matrix (m, m->weights, m->weights_strides, i / rows);

      n = MIN (MIN (BLOCK_ROWS, rows - i % rows), end - i);
      if (n >= LEAST_ROWS)
        multiply_block (call, n, a, b, floats, call->y + i * columns);
      else
        {
          n = 1;
          multiply_row (call, a, b, row, call->y + i * columns);
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
