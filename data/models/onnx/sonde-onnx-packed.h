/* SPDX-License-Identifier: Apache-2.0
 * Elements narrower than a byte. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Elements of 4 and 2 bits in a file: the first in the lowest bits of a byte. @n: elements */
gsize sonde_onnx_packed_bytes (SondeDtype dtype, gint64 n);
void sonde_onnx_unpack (SondeDtype dtype, const guint8 *from, gint64 n, guint8 *to);
void sonde_onnx_pack (SondeDtype dtype, const guint8 *from, gint64 n, guint8 *to);

G_END_DECLS
