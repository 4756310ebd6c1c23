/* SPDX-License-Identifier: Apache-2.0
 * Elements of 4 and 2 bits: packed in files, a byte each in memory. */
#include "data/models/onnx/sonde-onnx-packed.h"

gsize
sonde_onnx_packed_bytes (SondeDtype dtype, gint64 n)
{
  guint bits = sonde_dtype_bits (dtype);

  return bits < 8 ? ((gsize) n * bits + 7) / 8 : (gsize) n * sonde_dtype_size (dtype);
}

/* Signed integers are extended in memory; the rest is the bits as they are. */
void
sonde_onnx_unpack (SondeDtype dtype, const guint8 *from, gint64 n, guint8 *to)
{
  guint bits = sonde_dtype_bits (dtype), an_element = 8 / bits;
  guint mask = (1u << bits) - 1;
  guint sign = sonde_dtype_is_signed (dtype) ? 1u << (bits - 1) : 0;

  for (gint64 i = 0; i < n; i++)
    {
      guint element = (guint) from[i / an_element] >> (i % an_element * bits) & mask;

      to[i] = (guint8) (element - ((element & sign) << 1));
    }
}

void
sonde_onnx_pack (SondeDtype dtype, const guint8 *from, gint64 n, guint8 *to)
{
  guint bits = sonde_dtype_bits (dtype), an_element = 8 / bits;
  guint mask = (1u << bits) - 1;

  for (gint64 i = 0; i < n; i++)
    {
      guint element = (from[i] & mask) << (i % an_element * bits);

      to[i / an_element] = (guint8) (i % an_element == 0 ? element : to[i / an_element] | element);
    }
}
