/* SPDX-License-Identifier: Apache-2.0
 * Merging of dimensions and strided copies. */
#include "engine/ops/sonde-strided.h"

#include <string.h>

void
sonde_strided_row_major (const SondeShape *shape, gint64 *strides)
{
  gint64 step = 1;

  for (int d = shape->rank - 1; d >= 0; d--)
    {
      strides[d] = step;
      step *= shape->dims[d];
    }
}

void
sonde_strided_broadcast (const SondeShape *from, const SondeShape *to, gint64 *strides)
{
  gint64 own[SONDE_MAX_RANK];
  int missing = to->rank - from->rank;

  sonde_strided_row_major (from, own);
  for (int d = 0; d < to->rank; d++)
    strides[d] = d < missing || from->dims[d - missing] == 1 ? 0 : own[d - missing];
}

static gboolean
continues (const SondeStrided *loop, int n_operands, const gint64 *const *strides, int d,
           gint64 size)
{
  int last = loop->rank - 1;

  for (int k = 0; k < n_operands; k++)
    if (loop->strides[k][last] != strides[k][d] * size)
      return FALSE;
  return TRUE;
}

void
sonde_strided_init (SondeStrided *loop, const SondeShape *shape, int n_operands,
                    const gint64 *const *strides)
{
  loop->rank = 0;
  loop->n_operands = n_operands;
  for (int d = 0; d < shape->rank; d++)
    {
      gint64 size = shape->dims[d];
      gboolean merge = FALSE;

      if (size == 1)
        continue;
      merge = loop->rank > 0 && continues (loop, n_operands, strides, d, size);
      if (merge)
        loop->dims[loop->rank - 1] *= size;
      else
        loop->dims[loop->rank++] = size;
      for (int k = 0; k < n_operands; k++)
        loop->strides[k][loop->rank - 1] = strides[k][d];
    }

  if (loop->rank > 0)
    return;
  loop->rank = 1;
  loop->dims[0] = 1;
  for (int k = 0; k < n_operands; k++)
    loop->strides[k][0] = 1;
}

gboolean
sonde_strided_start (const SondeStrided *loop, SondeCursor *cursor)
{
  memset (cursor, 0, sizeof *cursor);
  for (int d = 0; d < loop->rank; d++)
    if (loop->dims[d] == 0)
      return FALSE;
  return TRUE;
}

gint64
sonde_strided_count (const SondeStrided *loop)
{
  gint64 n = 1;

  for (int d = 0; d < loop->rank - 1; d++)
    n *= loop->dims[d];
  return n;
}

void
sonde_strided_seek (const SondeStrided *loop, SondeCursor *cursor, gint64 row)
{
  memset (cursor, 0, sizeof *cursor);
  for (int d = loop->rank - 2; d >= 0; d--)
    {
      cursor->index[d] = row % loop->dims[d];
      row /= loop->dims[d];
      for (int k = 0; k < loop->n_operands; k++)
        cursor->offsets[k] += cursor->index[d] * loop->strides[k][d];
    }
}

#define COPY_ROW(T)                                                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const T *source = (const T *) (const void *) from;                                             \
    T *target = (T *) (void *) to;                                                                 \
    for (gint64 i = 0; i < n; i++)                                                                 \
      target[i * to_step] = source[i * from_step];                                                 \
  }                                                                                                \
  G_STMT_END

static void
copy_row (gsize size, gint64 n, const guint8 *from, gint64 from_step, guint8 *to, gint64 to_step)
{
  if (from_step == 1 && to_step == 1)
    memcpy (to, from, (gsize) n * size);
  else if (size == 1)
    COPY_ROW (guint8);
  else if (size == 2)
    COPY_ROW (guint16);
  else if (size == 4)
    COPY_ROW (guint32);
  else
    COPY_ROW (guint64);
}

void
sonde_strided_copy (const SondeShape *shape, gsize size, const guint8 *from,
                    const gint64 *from_strides, guint8 *to, const gint64 *to_strides)
{
  const gint64 *strides[] = { from_strides, to_strides };
  SondeStrided loop;
  SondeCursor cursor;
  int row;

  sonde_strided_init (&loop, shape, 2, strides);
  row = loop.rank - 1;
  if (!sonde_strided_start (&loop, &cursor))
    return;
  do
    copy_row (size, loop.dims[row], from + cursor.offsets[0] * (gint64) size, loop.strides[0][row],
              to + cursor.offsets[1] * (gint64) size, loop.strides[1][row]);
  while (sonde_strided_next (&loop, &cursor));
}
