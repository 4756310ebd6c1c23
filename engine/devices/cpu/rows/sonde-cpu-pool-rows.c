/* SPDX-License-Identifier: Apache-2.0
 * Pooling on plain memory: places of a row are the vectors, where channels would leave most of a
 * vector empty. Same rules and the same order of operations as on channels-last memory, so the same
 * bits. */
#include "engine/devices/cpu/rows/sonde-cpu-pool-private.h"

#include <math.h>

/* Places of the output that have a place of the window at @offset inside the input. */
INLINE void
find_inside (gint64 in, gint64 out, gint64 stride, gint64 offset, gint64 *begin, gint64 *end)
{
  *begin = offset < 0 ? (-offset + stride - 1) / stride : 0;
  *end = offset < in ? MIN (out, (in - 1 - offset) / stride + 1) : 0;
}

INLINE float
combine (PoolKind kind, float sum, float x)
{
  if (kind == POOL_AVERAGE)
    return sum + x;
  return (x > sum) | (x != x) ? x : sum;
}

/* One row of the output; @x: its image. */
INLINE void
combine_row (const PoolKernel *k, PoolKind kind, const float *x, const Span *rows,
             float *restrict y)
{
  const gint64 n = k->out[1], stride = k->stride[1];

  for (gint64 j = 0; j < n; j++)
    y[j] = kind == POOL_MAX ? -INFINITY : 0;

  for (gint64 r = 0; r < rows->n; r++)
    for (gint64 q = 0; q < k->size[1]; q++)
      {
        const gint64 offset = q * k->dilation[1] - k->before[1];
        const float *row = x + (rows->first + r * k->dilation[0]) * k->in[1] + offset;
        gint64 begin, end;

        find_inside (k->in[1], n, stride, offset, &begin, &end);
        if (stride == 1)
          SIMD for (gint64 j = begin; j < end; j++) y[j] = combine (kind, y[j], row[j]);
        else if (stride == 2)
          SIMD for (gint64 j = begin; j < end; j++) y[j] = combine (kind, y[j], row[2 * j]);
        else
          for (gint64 j = begin; j < end; j++)
            y[j] = combine (kind, y[j], row[stride * j]);
      }

  for (gint64 j = 0; kind == POOL_AVERAGE && j < n; j++)
    y[j] *= (float) (rows->share * k->spans[1][j].share);
}

INLINE void
combine_rows (const PoolCall *call, PoolKind kind, gint64 begin, gint64 end)
{
  const PoolKernel *k = call->kernel;

  for (gint64 item = begin; item < end; item++)
    combine_row (k, kind, call->x + item / k->out[0] * k->in[0] * k->in[1],
                 &k->spans[0][item % k->out[0]], call->y + item * k->out[1]);
}

SONDE_CPU_CLONES static void
max_rows (const PoolCall *call, gint64 begin, gint64 end)
{
  combine_rows (call, POOL_MAX, begin, end);
}

SONDE_CPU_CLONES static void
average_rows (const PoolCall *call, gint64 begin, gint64 end)
{
  combine_rows (call, POOL_AVERAGE, begin, end);
}

/* ---- windows of 2×2 that lie side by side -------------------------------- */

#define QUADS_TYPES(W)                                                                             \
  typedef float Floats##W __attribute__ ((vector_size (4 * (W)), aligned (4), may_alias));         \
  typedef gint32 Ints##W __attribute__ ((vector_size (4 * (W)), aligned (4), may_alias));

QUADS_TYPES (4)
QUADS_TYPES (8)

#define EVENS4 0, 2, 4, 6
#define ODDS4 1, 3, 5, 7
#define EVENS8 0, 2, 4, 6, 8, 10, 12, 14
#define ODDS8 1, 3, 5, 7, 9, 11, 13, 15

/* @a, or @b where that is greater or NaN. */
#define GREATER(W, a, b)                                                                           \
  ({                                                                                               \
    const Ints##W take = ((b) > (a)) | ((b) != (b));                                               \
    (Floats##W) ((take & (Ints##W) (b)) | (~take & (Ints##W) (a)));                                \
  })

/* The greater one of each two neighbours. */
#define PAIRS(W, from)                                                                             \
  ({                                                                                               \
    const Floats##W low = *(const Floats##W *) (from), high = *(const Floats##W *) ((from) + (W)); \
    const Floats##W first = __builtin_shufflevector (low, high, EVENS##W);                         \
    const Floats##W second = __builtin_shufflevector (low, high, ODDS##W);                         \
    GREATER (W, first, second);                                                                    \
  })

/* Rows of at least W places; the last W overlap those before. */
#define QUADS(W)                                                                                   \
  SONDE_CPU_CLONES static void max_quads_##W (const PoolCall *call, gint64 begin, gint64 end)      \
  {                                                                                                \
    const PoolKernel *k = call->kernel;                                                            \
    const gint64 n = k->out[1];                                                                    \
    for (gint64 item = begin; item < end; item++)                                                  \
      {                                                                                            \
        const float *a                                                                             \
            = call->x + (item / k->out[0] * k->in[0] + item % k->out[0] * 2) * k->in[1];           \
        float *y = call->y + item * n;                                                             \
        for (gint64 j = 0; j < n; j = j + (W) < n && j + 2 * (W) > n ? n - (W) : j + (W))          \
          {                                                                                        \
            const Floats##W upper = PAIRS (W, a + 2 * j), lower = PAIRS (W, a + k->in[1] + 2 * j); \
            *(Floats##W *) (y + j) = GREATER (W, upper, lower);                                    \
          }                                                                                        \
      }                                                                                            \
  }

QUADS (4)
QUADS (8)

static void
max_quads (const PoolCall *call, gint64 begin, gint64 end)
{
  if (call->kernel->out[1] >= 8)
    max_quads_8 (call, begin, end);
  else
    max_quads_4 (call, begin, end);
}

void
sonde_cpu_pool_rows_range (gint64 begin, gint64 end, gpointer data)
{
  const PoolCall *call = data;
  const PoolKernel *k = call->kernel;

  if (k->quads)
    max_quads (call, begin, end);
  else if (k->kind == POOL_MAX)
    max_rows (call, begin, end);
  else
    average_rows (call, begin, end);
}
