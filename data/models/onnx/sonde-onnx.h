/* SPDX-License-Identifier: Apache-2.0
 * ONNX files <-> graphs and values: what data/models uses of this folder. What is read and written
 * says sonde-model-file.h. */
#pragma once

#include "data/arrays/sonde-tensor-blob.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* ONNX has no magic: the outermost fields must be a model's, with a plausible version or a graph
 * among them. Stops without judgement at the end of @data, the beginning of a file. */
gboolean sonde_onnx_sniff (const guint8 *data, gsize length);

/* @io: (nullable). The folder of @path is where external data may lie. (transfer full) */
SondeGraph *sonde_onnx_load (const SondeIo *io, const char *path, GError **error);
/* A ModelProto in memory, without external data. @name: in messages. (transfer full) */
SondeGraph *sonde_onnx_parse (const guint8 *data, gsize length, const char *name, GError **error);
/* A ModelProto. @blob: (nullable): takes the large initialisers. (transfer full) */
GBytes *sonde_onnx_serialise (SondeGraph *graph, SondeTensorBlob *blob, GError **error);

/* A TensorProto in memory; a TensorProto, SequenceProto or OptionalProto, as @type demands.
 * @path: in messages. (transfer full) */
SondeTensor *sonde_onnx_parse_tensor (const SondeIo *io, const guint8 *data, gsize length,
                                      const char *path, GError **error);
SondeValue *sonde_onnx_parse_value (const SondeIo *io, const guint8 *data, gsize length,
                                    const char *path, const SondeType *type, GError **error);

G_END_DECLS
