/* SPDX-License-Identifier: Apache-2.0
 * Sizes that convolutions and their gradients read from the types of their operands. */
#include "engine/ops/nn/sonde-conv-private.h"
#include "engine/ops/nn/sonde-window-geometry.h"

gboolean
sonde_conv_spatial_sizes (const SondeType *x, const SondeType *w, gint64 *in, gint64 *kernel,
                          GError **error)
{
  if (x->rank < 3 || x->rank != w->rank)
    return sonde_infer_fail (
        error, "input and weight must both be [N, C, …] of one rank, but have %d and %d dimensions",
        x->rank, w->rank);
  for (int d = 2; d < x->rank && d - 2 < SONDE_WINDOW_DIMS; d++)
    {
      in[d - 2] = x->dims[d].size;
      kernel[d - 2] = w->dims[d].size;
    }
  return TRUE;
}
