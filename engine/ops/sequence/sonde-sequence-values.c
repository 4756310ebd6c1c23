/* SPDX-License-Identifier: Apache-2.0
 * Items of sequences: their type, and values to put into one. */
#include "engine/ops/sequence/sonde-sequence-private.h"

#include <string.h>

SondeType
sonde_sequence_type (SondeDtype dtype)
{
  return (SondeType){ .kind = SONDE_VALUE_SEQUENCE, .dtype = dtype, .rank = -1 };
}

SondeValue *
sonde_sequence_keep (SondeValue *value)
{
  SondeTensor *tensor = sonde_value_get_tensor (value);
  g_autoptr (SondeTensor) copy = tensor ? sonde_tensor_copy (tensor) : NULL;

  return copy ? sonde_value_new_tensor (copy) : sonde_value_ref (value);
}

SondeValue *
sonde_sequence_cut (SondeTensor *x, int axis, gint64 start, gint64 size, gboolean drop)
{
  SondeShape shape = x->shape;
  gint64 strides[SONDE_MAX_RANK];
  g_autoptr (SondeTensor) view = NULL, copy = NULL;

  memcpy (strides, x->strides, sizeof strides);
  shape.dims[axis] = size;
  if (drop)
    {
      for (int d = axis; d + 1 < shape.rank; d++)
        shape.dims[d] = shape.dims[d + 1], strides[d] = strides[d + 1];
      shape.rank--;
    }
  view = sonde_tensor_view (x, &shape, strides, size > 0 ? start * x->strides[axis] : 0);
  copy = sonde_tensor_copy (view);
  return sonde_value_new_tensor (copy);
}
