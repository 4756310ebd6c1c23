/* SPDX-License-Identifier: Apache-2.0
 * The tensors of a .tflite file: type, sizes, constant bytes, quantisation. */
#pragma once

#include "data/models/tflite/sonde-tflite-file.h"

G_BEGIN_DECLS

/* Fills @tensor (zeroed) with what @table says; damage is noted in the file's buffer.
 * @buffers: of the model; @subgraph, @index: for messages */
void sonde_tflite_tensor_read (SondeTfliteFile *file, const SondeFlatVector *buffers,
                               const SondeFlatTable *table, SondeTfliteTensor *tensor,
                               guint subgraph, guint index);
void sonde_tflite_tensor_clear (SondeTfliteTensor *tensor);

G_END_DECLS
