/* SPDX-License-Identifier: Apache-2.0
 * Checks of indices, and places of rows. */
#include "engine/ops/sonde-index-private.h"

#define outside(error, ...) \
  (g_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

gboolean
sonde_index_check (const SondeKernelContext *context,
                   guint                     k,
                   gint64                    size,
                   GError                  **error)
{
  const SondeTensor *indices = context->inputs[k];
  gint64 n = sonde_tensor_n_elements (indices);

  for (gint64 i = 0; i < n; i++)
    if (sonde_index_resolve (sonde_index_read (indices, i), size) < 0)
      return outside (error, "index %" G_GINT64_FORMAT " (element %" G_GINT64_FORMAT " of input %u) is outside of a "
                      "dimension of size %" G_GINT64_FORMAT, sonde_index_read (indices, i), i, k, size);
  return TRUE;
}

gboolean
sonde_index_check_tuples (const SondeKernelContext *context,
                          guint                     k,
                          const SondeShape         *shape,
                          int                       first,
                          int                       n,
                          GError                  **error)
{
  const SondeTensor *indices = context->inputs[k];
  gint64 total = sonde_tensor_n_elements (indices);

  for (gint64 i = 0; i < total; i++)
    {
      int d = first + (int) (i % n);

      if (sonde_index_resolve (sonde_index_read (indices, i), shape->dims[d]) < 0)
        return outside (error, "index %" G_GINT64_FORMAT " (element %" G_GINT64_FORMAT " of input %u) is outside of "
                        "dimension %d of size %" G_GINT64_FORMAT, sonde_index_read (indices, i), i, k, d,
                        shape->dims[d]);
    }
  return TRUE;
}

gint64
sonde_index_offset (const SondeShape *shape,
                    const gint64     *strides,
                    int               skip_a,
                    int               skip_b,
                    gint64            row,
                    gint64           *index)
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
