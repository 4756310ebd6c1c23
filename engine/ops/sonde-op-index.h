/* SPDX-License-Identifier: Apache-2.0
 * Indices as operators read them from tensors: negative ones count from the end. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

/* Element @i of an integer tensor. */
static inline gint64
sonde_index_read (const SondeTensor *tensor, gint64 i)
{
  if (tensor->dtype == SONDE_DTYPE_I64)
    return ((const gint64 *) (const void *) tensor->data)[i];
  if (tensor->dtype == SONDE_DTYPE_I32)
    return ((const gint32 *) (const void *) tensor->data)[i];
  return sonde_tensor_get_int (tensor, i);
}

/* The position an index means; -1 outside. */
static inline gint64
sonde_index_resolve (gint64 index, gint64 size)
{
  if (index < 0)
    index += size;
  return index >= 0 && index < size ? index : -1;
}

#define SONDE_INDEX_BLOCK 256

/* The positions that @n indices from the @first-th on mean, at most SONDE_INDEX_BLOCK; -1 outside.
 * Returns: all are inside. */
gboolean sonde_index_resolve_block (const SondeTensor *indices, gint64 first, gint64 n, gint64 size,
                                    gint64 *positions);

/* All elements of input @k lie in [-size, size). Errors: INVALID. */
gboolean sonde_index_check (const SondeKernelContext *context, guint k, gint64 size,
                            GError **error);

/* Input @k holds tuples of @n indices (its last dimension), one for each of the dimensions from
 * @first on. */
gboolean sonde_index_check_tuples (const SondeKernelContext *context, guint k,
                                   const SondeShape *shape, int first, int n, GError **error);

/* Offset in elements of the row that is the @row-th over all dimensions of @shape but @skip_a and
 * @skip_b (-1: none), under @strides. @index: (out) (nullable): the row's place in each dimension,
 * 0 in skipped ones */
gint64 sonde_index_offset (const SondeShape *shape, const gint64 *strides, int skip_a, int skip_b,
                           gint64 row, gint64 *index);

/* Copies one element of @size bytes. */
static inline void
sonde_index_copy (gsize size, const guint8 *from, guint8 *to)
{
  if (size == 4)
    *(guint32 *) (void *) to = *(const guint32 *) (const void *) from;
  else if (size == 8)
    *(guint64 *) (void *) to = *(const guint64 *) (const void *) from;
  else if (size == 2)
    *(guint16 *) (void *) to = *(const guint16 *) (const void *) from;
  else
    *to = *from;
}

G_END_DECLS
