/* SPDX-License-Identifier: Apache-2.0
 * ONNX's numbers of element types. */
#include "engine/ops/sonde-op.h"

static const SondeDtype onnx_dtypes[] = {
  [1] = SONDE_DTYPE_F32,         [2] = SONDE_DTYPE_U8,      [3] = SONDE_DTYPE_I8,
  [4] = SONDE_DTYPE_U16,         [5] = SONDE_DTYPE_I16,     [6] = SONDE_DTYPE_I32,
  [7] = SONDE_DTYPE_I64,         [8] = SONDE_DTYPE_STRING,  [9] = SONDE_DTYPE_BOOL,
  [10] = SONDE_DTYPE_F16,        [11] = SONDE_DTYPE_F64,    [12] = SONDE_DTYPE_U32,
  [13] = SONDE_DTYPE_U64,        [16] = SONDE_DTYPE_BF16,   [17] = SONDE_DTYPE_F8E4M3FN,
  [18] = SONDE_DTYPE_F8E4M3FNUZ, [19] = SONDE_DTYPE_F8E5M2, [20] = SONDE_DTYPE_F8E5M2FNUZ,
  [21] = SONDE_DTYPE_U4,         [22] = SONDE_DTYPE_I4,     [23] = SONDE_DTYPE_F4E2M1,
  [24] = SONDE_DTYPE_F8E8M0,     [25] = SONDE_DTYPE_U2,     [26] = SONDE_DTYPE_I2,
};

SondeDtype
sonde_dtype_from_onnx (gint64 number)
{
  return number > 0 && number < (gint64) G_N_ELEMENTS (onnx_dtypes) ? onnx_dtypes[number]
                                                                    : SONDE_DTYPE_INVALID;
}

gint64
sonde_dtype_to_onnx (SondeDtype dtype)
{
  for (gsize i = 1; i < G_N_ELEMENTS (onnx_dtypes); i++)
    if (onnx_dtypes[i] == dtype)
      return (gint64) i;
  return 0;
}
