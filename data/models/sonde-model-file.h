/* SPDX-License-Identifier: Apache-2.0
 * Model files <-> graph. One file a format; this header chooses by the file's name and content.
 * What does not live here: what operators mean. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * sonde_model_load:
 * @io: (nullable): file calls
 * @path: an .onnx file; its folder is where external data may lie
 *
 * The wire is scanned once before protobuf-c sees a byte: nesting, lengths, memory (see limits).
 * Every initialiser becomes a value with role PARAMETER (float types of rank ≥ 1 that a node reads)
 * or CONSTANT; an initialiser that is also an input stays an input with a default.
 * Values, nodes, functions, metadata, documentation strings, opsets are kept. Operators that nobody
 * knows are kept as they are. A node without a name gets one.
 *
 * Returns: (transfer full)
 * Errors: SONDE_DATA_ERROR_DAMAGED (file, byte offset, field path), LIMIT, FORBIDDEN (external
 * data), UNSUPPORTED (with the format's name), NOT_FOUND, IO.
 */
SondeGraph *sonde_model_load (const SondeIo *io,
                              const char    *path,
                              GError       **error);

/* "onnx"; NULL when the content (first bytes) is no known model format. */
const char *sonde_model_sniff (const SondeIo *io,
                               const char    *path,
                               GError       **error);

/* Writes ONNX (IR version 8, opsets of the graph), initialisers as raw_data; replaced atomically. */
gboolean sonde_model_save (const SondeIo *io,
                           const char    *path,
                           SondeGraph    *graph,
                           GError       **error);

/* The ONNX bytes of a graph, as sonde_model_save() writes them; for records. */
GBytes *sonde_model_serialise (SondeGraph *graph,
                               GError    **error);
SondeGraph *sonde_model_parse (const guint8 *data,
                               gsize         length,
                               const char   *name,
                               GError      **error); /* no external data */

/**
 * sonde_model_read_tensor:
 * A serialised ONNX TensorProto file (test_data_set_N/input_K.pb).
 */
SondeTensor *sonde_model_read_tensor (const SondeIo *io,
                                      const char    *path,
                                      GError       **error);

G_END_DECLS
