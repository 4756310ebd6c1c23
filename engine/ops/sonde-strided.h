/* SPDX-License-Identifier: Apache-2.0
 * Loops over shapes with strides: dimensions that lie together are merged first, so that the inner
 * loop is as long as it can be and index arithmetic happens once a row. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

#define SONDE_MAX_OPERANDS 4

/**
 * SondeStrided:
 * @rank: ≥ 1 after merging; the last dimension is the row
 * @dims: sizes
 * @strides: of each operand, in elements
 */
typedef struct
{
  int rank;
  int n_operands;
  gint64 dims[SONDE_MAX_RANK];
  gint64 strides[SONDE_MAX_OPERANDS][SONDE_MAX_RANK];
} SondeStrided;

/* @offsets: of each operand's row, in elements */
typedef struct
{
  gint64 index[SONDE_MAX_RANK];
  gint64 offsets[SONDE_MAX_OPERANDS];
} SondeCursor;

/* Row-major strides of @shape. */
void sonde_strided_row_major (const SondeShape *shape, gint64 *strides);

/* Strides that read an operand of shape @from as the larger shape @to: 0 where it is repeated. */
void sonde_strided_broadcast (const SondeShape *from, const SondeShape *to, gint64 *strides);

/* @strides: @n_operands arrays of shape->rank strides. */
void sonde_strided_init (SondeStrided *loop, const SondeShape *shape, int n_operands,
                         const gint64 *const *strides);

/* Zeroes @cursor. Returns FALSE when the shape has no elements. */
gboolean sonde_strided_start (const SondeStrided *loop, SondeCursor *cursor);

/* Rows: of all dimensions but the last. */
gint64 sonde_strided_count (const SondeStrided *loop);

/* Moves @cursor to row @row. */
void sonde_strided_seek (const SondeStrided *loop, SondeCursor *cursor, gint64 row);

/* To the next row; FALSE after the last one. */
static inline gboolean
sonde_strided_next (const SondeStrided *loop, SondeCursor *cursor)
{
  for (int d = loop->rank - 2; d >= 0; d--)
    {
      for (int k = 0; k < loop->n_operands; k++)
        cursor->offsets[k] += loop->strides[k][d];
      if (++cursor->index[d] < loop->dims[d])
        return TRUE;
      for (int k = 0; k < loop->n_operands; k++)
        cursor->offsets[k] -= loop->strides[k][d] * loop->dims[d];
      cursor->index[d] = 0;
    }
  return FALSE;
}

/* Elements of @size bytes from one strided place to another. */
void sonde_strided_copy (const SondeShape *shape, gsize size, const guint8 *from,
                         const gint64 *from_strides, guint8 *to, const gint64 *to_strides);

G_END_DECLS
