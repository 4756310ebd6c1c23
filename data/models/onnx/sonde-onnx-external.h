/* SPDX-License-Identifier: Apache-2.0
 * Tensors whose bytes lie in another file. */
#pragma once

#include "data/models/onnx/sonde-onnx-reader.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Fills @tensor (contiguous, no strings) from the file that @proto names. */
gboolean sonde_onnx_read_external (SondeOnnxReader *reader, const Onnx__TensorProto *proto,
                                   const char *where, SondeDtype dtype, const SondeShape *shape,
                                   SondeTensor **tensor, GError **error);
void sonde_onnx_external_free (SondeOnnxExternal *external, const SondeIo *io);

G_END_DECLS
