/* SPDX-License-Identifier: Apache-2.0
 * Large weights on their way from the file to tensors, past the decoded message. */
#pragma once

#include "data/models/onnx/sonde-onnx-reader.h"

G_BEGIN_DECLS

/* The bytes of a scanned ModelProto without the large raw_data of its initialisers, whose places
 * @reader keeps. NULL: there is none. */
GByteArray *sonde_onnx_large_leave_out (SondeOnnxReader *reader, const guint8 *data, gsize length);
/* Gives the decoded message its raw_data, borrowed; take_back() before it is freed. */
gboolean sonde_onnx_large_lend (SondeOnnxReader *reader, Onnx__ModelProto *model);
void sonde_onnx_large_take_back (SondeOnnxReader *reader, Onnx__ModelProto *model);
gboolean sonde_onnx_large_is_lent (const SondeOnnxReader *reader, const guint8 *bytes);
/* Lent bytes to where they are wanted, out of the file if they are not in memory. */
gboolean sonde_onnx_large_copy (const SondeOnnxReader *reader, const guint8 *bytes, gsize length,
                                void *to, GError **error);

G_END_DECLS
