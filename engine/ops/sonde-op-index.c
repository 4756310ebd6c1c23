/* SPDX-License-Identifier: Apache-2.0
 * Checks of indices, and places of rows. */
#include "engine/ops/sonde-op-index.h"

#define outside(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

#define RESOLVE(T)                                                                                 \
  for (gint64 i = 0; i < n; i++)                                                                   \
    {                                                                                              \
      const gint64 index = ((const T *) (const void *) indices->data)[first + i];                  \
      const gint64 at = index < 0 ? index + size : index;                                          \
      const gboolean good = at >= 0 && at < size;                                                  \
      positions[i] = good ? at : -1;                                                               \
      bad |= !good;                                                                                \
    }

gboolean
sonde_index_resolve_block (const SondeTensor *indices, gint64 first, gint64 n, gint64 size,
                           gint64 *positions)
{
  gboolean bad = FALSE;

  if (indices->dtype == SONDE_DTYPE_I64)
    RESOLVE (gint64)
  else if (indices->dtype == SONDE_DTYPE_I32)
    RESOLVE (gint32)
  else
    for (gint64 i = 0; i < n; i++)
      {
        positions[i] = sonde_index_resolve (sonde_tensor_get_int (indices, first + i), size);
        bad |= positions[i] < 0;
      }
  return !bad;
}

gboolean
sonde_index_check (const SondeKernelContext *context, guint k, gint64 size, GError **error)
{
  const SondeTensor *indices = context->inputs[k];
  gint64 n = sonde_tensor_n_elements (indices);
  gint64 positions[SONDE_INDEX_BLOCK], i = 0;

  for (; i < n; i += SONDE_INDEX_BLOCK)
    if (!sonde_index_resolve_block (indices, i, MIN (n - i, SONDE_INDEX_BLOCK), size, positions))
      break;
  for (; i < n; i++)
    if (sonde_index_resolve (sonde_index_read (indices, i), size) < 0)
      return outside (error,
                      "index %" PRIi64 " (element %" PRIi64 " of input %u) is outside of a "
                      "dimension of size %" PRIi64,
                      sonde_index_read (indices, i), i, k, size);
  return TRUE;
}

gboolean
sonde_index_check_tuples (const SondeKernelContext *context, guint k, const SondeShape *shape,
                          int first, int n, GError **error)
{
  const SondeTensor *indices = context->inputs[k];
  gint64 total = sonde_tensor_n_elements (indices);

  for (gint64 i = 0; i < total; i++)
    {
      int d = first + (int) (i % n);

      if (sonde_index_resolve (sonde_index_read (indices, i), shape->dims[d]) < 0)
        return outside (error,
                        "index %" PRIi64 " (element %" PRIi64 " of input %u) is outside of "
                        "dimension %d of size %" PRIi64,
                        sonde_index_read (indices, i), i, k, d, shape->dims[d]);
    }
  return TRUE;
}

gint64
sonde_index_offset (const SondeShape *shape, const gint64 *strides, int skip_a, int skip_b,
                    gint64 row, gint64 *index)
{
  gint64 offset = 0;

  for (int d = shape->rank - 1; d >= 0; d--)
    {
      gboolean skipped = d == skip_a || d == skip_b;
      gint64 at = skipped ? 0 : row % shape->dims[d];

      if (!skipped)
        row /= shape->dims[d];
      if (index != NULL)
        index[d] = at;
      offset += at * strides[d];
    }
  return offset;
}
