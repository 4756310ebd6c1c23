/* SPDX-License-Identifier: Apache-2.0
 * Strided copies: dimensions are sorted by the target's strides and merged, then the shape of the
 * innermost ones decides. */
#include "engine/devices/cpu/movement/sonde-cpu-copy.h"

#include "engine/ops/sonde-strided.h"

#include <stdlib.h>
#include <string.h>

/* Elements of a tile's side: 32 cache lines are read at a time, and used up. */
#define TILE 32
#define LINE 64

/* ---- shape --------------------------------------------------------------- */

void
sonde_cpu_copy_strides (const SondeShape *shape, const SondeLayout *layout, gint64 *strides)
{
  gint64 step = 1;

  if (layout == NULL)
    {
      sonde_strided_row_major (shape, strides);
      return;
    }

  strides[1] = step;
  step = shape->dims[1];
  for (int d = shape->rank - 1; d >= 2; d--)
    {
      strides[d] = step;
      step *= shape->dims[d];
    }
  strides[0] = step;
}

static void
move_dimension (SondeCpuCopy *copy, int d, int target)
{
  gint64 dim = copy->dims[d], from = copy->from[d], to = copy->to[d];

  for (; d < target; d++)
    {
      copy->dims[d] = copy->dims[d + 1];
      copy->from[d] = copy->from[d + 1];
      copy->to[d] = copy->to[d + 1];
    }
  for (; d > target; d--)
    {
      copy->dims[d] = copy->dims[d - 1];
      copy->from[d] = copy->from[d - 1];
      copy->to[d] = copy->to[d - 1];
    }

  copy->dims[target] = dim;
  copy->from[target] = from;
  copy->to[target] = to;
}

static void
sort_and_merge (SondeCpuCopy *copy)
{
  int last = 0;

  for (int d = 1; d < copy->rank; d++)
    {
      int target = d;

      while (target > 0 && copy->to[target - 1] < copy->to[d])
        target--;
      move_dimension (copy, d, target);
    }

  for (int d = 1; d < copy->rank; d++)
    if (copy->from[last] == copy->from[d] * copy->dims[d]
        && copy->to[last] == copy->to[d] * copy->dims[d])
      {
        copy->dims[last] *= copy->dims[d];
        copy->from[last] = copy->from[d];
        copy->to[last] = copy->to[d];
      }
    else
      {
        last++;
        copy->dims[last] = copy->dims[d];
        copy->from[last] = copy->from[d];
        copy->to[last] = copy->to[d];
      }

  copy->rank = MIN (copy->rank, last + 1);
}

/* A dimension that is dense at the source, worth a tile; -1: none. */
static int
find_dense (const SondeCpuCopy *copy)
{
  for (int d = 0; d + 1 < copy->rank; d++)
    if (copy->from[d] == 1 && copy->dims[d] > 1)
      return d;

  return -1;
}

void
sonde_cpu_copy_init (SondeCpuCopy *copy, gsize size, int rank, const gint64 *dims,
                     const gint64 *from, const gint64 *to)
{
  int last, taken = 1;

  copy->size = size;
  copy->rank = 0;
  for (int d = 0; d < rank; d++)
    if (dims[d] > 1)
      {
        copy->dims[copy->rank] = dims[d];
        copy->from[copy->rank] = from[d];
        copy->to[copy->rank++] = to[d];
      }
  if (copy->rank == 0)
    {
      copy->dims[0] = copy->from[0] = copy->to[0] = 1;
      copy->rank = 1;
    }

  sort_and_merge (copy);
  last = copy->rank - 1;
  copy->kind = SONDE_CPU_COPY_STRIDED;
  if (copy->to[last] == 1 && copy->from[last] == 1)
    copy->kind = SONDE_CPU_COPY_RUNS;
  else if (copy->to[last] == 1 && copy->from[last] == 0)
    copy->kind = SONDE_CPU_COPY_FILL;
  else if (copy->to[last] == 1 && find_dense (copy) >= 0)
    {
      copy->kind = SONDE_CPU_COPY_TILES;
      move_dimension (copy, find_dense (copy), last - 1);
      taken = 2;
    }

  copy->outer = 1;
  for (int d = 0; d < copy->rank - taken; d++)
    copy->outer *= copy->dims[d];
}

/* ---- loops --------------------------------------------------------------- */

/* Widths of runs that occur often (heads, few channels) become moves of registers. */
static inline void
copy_run (guint8 *to, const guint8 *from, gsize bytes)
{
  if (bytes == 16)
    memcpy (to, from, 16);
  else if (bytes == 32)
    memcpy (to, from, 32);
  else if (bytes == 64)
    memcpy (to, from, 64);
  else
    memcpy (to, from, bytes);
}

#define FOR_TYPE(name, T)                                                                          \
  static void fill_##name (gint64 n, const guint8 *from, guint8 *to)                               \
  {                                                                                                \
    const T value = *(const T *) (const void *) from;                                              \
    T *y = (T *) (void *) to;                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                 \
      y[i] = value;                                                                                \
  }                                                                                                \
  static void strided_##name (gint64 n, gint64 from_step, gint64 to_step, const guint8 *from,      \
                              guint8 *to)                                                          \
  {                                                                                                \
    const T *x = (const T *) (const void *) from;                                                  \
    T *y = (T *) (void *) to;                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                 \
      y[i * to_step] = x[i * from_step];                                                           \
  }                                                                                                \
  /* y[i, j] = x[i + j·step]: i is dense at the source, j at the target. */                       \
  SONDE_CPU_CLONES static void tile_##name (gint64 m, gint64 n, gint64 from_step, gint64 to_step,  \
                                            const guint8 *from, guint8 *to)                        \
  {                                                                                                \
    const T *x = (const T *) (const void *) from;                                                  \
    T *y = (T *) (void *) to;                                                                      \
    gint64 i = 0;                                                                                  \
    for (; i + 8 <= m; i += 8)                                                                     \
      {                                                                                            \
        gint64 j = 0;                                                                              \
        for (; j + 8 <= n; j += 8)                                                                 \
          {                                                                                        \
            T square[8][8];                                                                        \
            for (int b = 0; b < 8; b++)                                                            \
              for (int a = 0; a < 8; a++)                                                          \
                square[a][b] = x[i + a + (j + b) * from_step];                                     \
            for (int a = 0; a < 8; a++)                                                            \
              memcpy (y + (i + a) * to_step + j, square[a], sizeof square[a]);                     \
          }                                                                                        \
        for (; j < n; j++)                                                                         \
          for (int a = 0; a < 8; a++)                                                              \
            y[(i + a) * to_step + j] = x[i + a + j * from_step];                                   \
      }                                                                                            \
    for (; i < m; i++)                                                                             \
      for (gint64 j = 0; j < n; j++)                                                               \
        y[i * to_step + j] = x[i + j * from_step];                                                 \
  }

FOR_TYPE (1, guint8)
FOR_TYPE (2, guint16)
FOR_TYPE (4, guint32)
FOR_TYPE (8, guint64)

typedef guint32 Four __attribute__ ((vector_size (16), aligned (4), may_alias));

/* Four rows of four, turned in registers. */
static inline void
turn_four (const guint32 *from, gint64 from_step, guint32 *to, gint64 to_step)
{
  const Four a = *(const Four *) from, b = *(const Four *) (from + from_step);
  const Four c = *(const Four *) (from + 2 * from_step), d = *(const Four *) (from + 3 * from_step);
  const Four ac_low = __builtin_shufflevector (a, c, 0, 4, 1, 5),
             ac_high = __builtin_shufflevector (a, c, 2, 6, 3, 7);
  const Four bd_low = __builtin_shufflevector (b, d, 0, 4, 1, 5),
             bd_high = __builtin_shufflevector (b, d, 2, 6, 3, 7);

  *(Four *) to = __builtin_shufflevector (ac_low, bd_low, 0, 4, 1, 5);
  *(Four *) (to + to_step) = __builtin_shufflevector (ac_low, bd_low, 2, 6, 3, 7);
  *(Four *) (to + 2 * to_step) = __builtin_shufflevector (ac_high, bd_high, 0, 4, 1, 5);
  *(Four *) (to + 3 * to_step) = __builtin_shufflevector (ac_high, bd_high, 2, 6, 3, 7);
}

/* tile_4() of whole fours; what is left over is its own work. */
static void
tile_fours (gint64 m, gint64 n, gint64 from_step, gint64 to_step, const guint8 *from, guint8 *to)
{
  const guint32 *x = (const guint32 *) (const void *) from;
  guint32 *y = (guint32 *) (void *) to;
  const gint64 rows = m / 4 * 4, columns = n / 4 * 4;

  for (gint64 i = 0; i < rows; i += 4)
    for (gint64 j = 0; j < columns; j += 4)
      turn_four (x + i + j * from_step, from_step, y + i * to_step + j, to_step);

  tile_4 (rows, n - columns, from_step, to_step, (const guint8 *) (x + columns * from_step),
          (guint8 *) (y + columns));
  tile_4 (m - rows, n, from_step, to_step, (const guint8 *) (x + rows),
          (guint8 *) (y + rows * to_step));
}

typedef struct
{
  void (*fill) (gint64 n, const guint8 *from, guint8 *to);
  void (*strided) (gint64 n, gint64 from_step, gint64 to_step, const guint8 *from, guint8 *to);
  void (*tile) (gint64 m, gint64 n, gint64 from_step, gint64 to_step, const guint8 *from,
                guint8 *to);
} Loops;

static const Loops loops_by_size[] = {
  [1] = { fill_1, strided_1, tile_1 },
  [2] = { fill_2, strided_2, tile_2 },
  [4] = { fill_4, strided_4, tile_fours },
  [8] = { fill_8, strided_8, tile_8 },
};

/* The matrix of the last two dimensions, tile by tile. */
static void
copy_tiles (const SondeCpuCopy *copy, const guint8 *from, guint8 *to)
{
  const int j_dim = copy->rank - 1, i_dim = copy->rank - 2;
  const gint64 size = (gint64) copy->size;
  const gint64 m = copy->dims[i_dim], n = copy->dims[j_dim];
  const gint64 from_step = copy->from[j_dim], to_step = copy->to[i_dim];

  for (gint64 i = 0; i < m; i += TILE)
    for (gint64 j = 0; j < n; j += TILE)
      loops_by_size[copy->size].tile (MIN (TILE, m - i), MIN (TILE, n - j), from_step, to_step,
                                      from + (i + j * from_step) * size,
                                      to + (i * to_step + j) * size);
}

static void
copy_one_run (const SondeCpuCopy *copy, const guint8 *from, guint8 *to)
{
  copy_run (to, from, (gsize) copy->dims[copy->rank - 1] * copy->size);
}

static void
copy_fill (const SondeCpuCopy *copy, const guint8 *from, guint8 *to)
{
  loops_by_size[copy->size].fill (copy->dims[copy->rank - 1], from, to);
}

static void
copy_strided (const SondeCpuCopy *copy, const guint8 *from, guint8 *to)
{
  const int last = copy->rank - 1;

  loops_by_size[copy->size].strided (copy->dims[last], copy->from[last], copy->to[last], from, to);
}

static void (*const items[]) (const SondeCpuCopy *copy, const guint8 *from, guint8 *to) = {
  [SONDE_CPU_COPY_RUNS] = copy_one_run,
  [SONDE_CPU_COPY_FILL] = copy_fill,
  [SONDE_CPU_COPY_TILES] = copy_tiles,
  [SONDE_CPU_COPY_STRIDED] = copy_strided,
};

typedef struct
{
  const SondeCpuCopy *copy;
  const guint8 *from;
  guint8 *to;
} CopyCall;

static void
copy_range (gint64 begin, gint64 end, gpointer data)
{
  const CopyCall *call = data;
  const SondeCpuCopy *copy = call->copy;
  const int rank = copy->rank - (copy->kind == SONDE_CPU_COPY_TILES ? 2 : 1);
  const gint64 size = (gint64) copy->size;
  gint64 index[SONDE_MAX_RANK], rest = begin, from = 0, to = 0;

  for (int d = rank - 1; d >= 0; d--)
    {
      index[d] = rest % copy->dims[d];
      rest /= copy->dims[d];
      from += index[d] * copy->from[d];
      to += index[d] * copy->to[d];
    }

  for (gint64 i = begin; i < end; i++)
    {
      items[copy->kind](copy, call->from + from * size, call->to + to * size);
      for (int d = rank - 1; d >= 0; d--)
        {
          from += copy->from[d];
          to += copy->to[d];
          if (++index[d] < copy->dims[d])
            break;
          from -= copy->from[d] * copy->dims[d];
          to -= copy->to[d] * copy->dims[d];
          index[d] = 0;
        }
    }
}

/* Cache lines of one long run, or columns of one matrix. */
static void
copy_lines_range (gint64 begin, gint64 end, gpointer data)
{
  const CopyCall *call = data;
  gint64 bytes = call->copy->dims[call->copy->rank - 1] * (gint64) call->copy->size;

  memcpy (call->to + begin * LINE, call->from + begin * LINE,
          (gsize) (MIN (end * LINE, bytes) - begin * LINE));
}

static void
copy_columns_range (gint64 begin, gint64 end, gpointer data)
{
  const CopyCall *call = data;
  SondeCpuCopy part = *call->copy;
  const int i_dim = part.rank - 2;
  const gint64 size = (gint64) part.size;

  part.dims[i_dim] = end - begin;
  copy_tiles (&part, call->from + begin * part.from[i_dim] * size,
              call->to + begin * part.to[i_dim] * size);
}

void
sonde_cpu_copy_run (SondeCpuDevice *device, const SondeCpuCopy *copy, const guint8 *from,
                    guint8 *to)
{
  CopyCall call = { copy, from, to };
  const int last = copy->rank - 1;
  gint64 cost
      = copy->dims[last] * (copy->kind == SONDE_CPU_COPY_TILES ? copy->dims[MAX (last - 1, 0)] : 1);

  if (copy->outer == 1 && copy->kind == SONDE_CPU_COPY_RUNS)
    sonde_cpu_for (device, (copy->dims[last] * (gint64) copy->size + LINE - 1) / LINE, LINE / 8,
                   copy_lines_range, &call);
  else if (copy->outer == 1 && copy->kind == SONDE_CPU_COPY_TILES)
    sonde_cpu_for (device, copy->dims[last - 1], copy->dims[last], copy_columns_range, &call);
  else
    sonde_cpu_for (device, copy->outer, cost, copy_range, &call);
}
