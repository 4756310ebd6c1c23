/* SPDX-License-Identifier: Apache-2.0
 * Model files <-> graph. One file a format; this header chooses by the file's name and content.
 * What does not live here: what operators mean. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/models/lowering/sonde-conversion.h"
#include "data/models/lowering/sonde-model-options.h"

G_BEGIN_DECLS

/**
 * sonde_model_load:
 * @io: (nullable): file calls
 * @path: an .onnx file; its folder is where external data may lie
 *
 * The wire is scanned once before protobuf-c sees a byte: nesting, lengths, memory (see limits).
 * Every initialiser becomes a value with role PARAMETER (float types of rank ≥ 1 that a node
 * reads), STATE (running mean and variance of a BatchNormalization) or CONSTANT (the rest, scales
 * of Resize and of quantisation among it); an initialiser that is also an input stays in the
 * graph's inputs, has a default in @constant and one of these roles instead of INPUT.
 * Values, nodes, functions, metadata, documentation strings, opsets are kept. Operators that nobody
 * knows are kept as they are, and so is a graph with a cycle: sonde_graph_sort() names it. A node
 * without a name gets one from its operator and first output. Sparse
 * initialisers become dense ones. Training information is not read.
 *
 * Returns: (transfer full)
 * Errors: SONDE_DATA_ERROR_DAMAGED (file, byte offset, field path), LIMIT, FORBIDDEN (external
 * data), UNSUPPORTED (with the format's name), NOT_FOUND, IO.
 */
SondeGraph *sonde_model_load (const SondeIo *io, const char *path, GError **error);

/**
 * sonde_model_read:
 * @options: (nullable): signature, shapes, partial, form of quantised operators
 * @conversion: (out) (optional) (transfer full) (nullable): what became of the nodes of a model in
 *   another format than ONNX; NULL for ONNX. Also set when the error is that operators did not fit
 *
 * As sonde_model_load(). A model of another format has the operators of ONNX afterwards, each with
 * its node's source.
 */
SondeGraph *sonde_model_read (const SondeIo *io, const char *path, const SondeModelOptions *options,
                              SondeConversion **conversion, GError **error);

/* "onnx", "mindir"; "encrypted mindir", which loading refuses; NULL when the content (first
 * bytes) is no known model format. */
const char *sonde_model_sniff (const SondeIo *io, const char *path, GError **error);

/* Has @path the ending of a model file? Says nothing of the content. */
gboolean sonde_model_has_extension (const char *path);

/* Writes ONNX (IR version 8, opsets of the graph; 9 or 10 only for functions that need it), nodes
 * in topological order, initialisers as raw_data; replaced atomically. What ONNX has no field for
 * (phase, origins, versions of single nodes, unusual roles, updates) goes into metadata_props under
 * "sonde." and is read again; a plain model has none of it.
 * Errors: LIMIT (2 GiB, nesting), UNSUPPORTED (a constant that is no tensor), DAMAGED (a cycle),
 * IO. */
gboolean sonde_model_save (const SondeIo *io, const char *path, SondeGraph *graph, GError **error);

/* The ONNX bytes of a graph, as sonde_model_save() writes them; for records. */
GBytes *sonde_model_serialise (SondeGraph *graph, GError **error);
/* The same as a MindIR file. @graph: with the types of its values as far as they are known */
GBytes *sonde_model_serialise_mindir (SondeGraph *graph, GError **error);
gboolean sonde_model_mindir_writes (const char *domain, const char *op); /* has a form in MindIR */
/* Those bytes again. */
SondeGraph *sonde_model_parse_mindir (const guint8 *data, gsize length, const char *name,
                                      GError **error);
SondeGraph *sonde_model_parse (const guint8 *data, gsize length, const char *name,
                               GError **error); /* no external data */

/**
 * sonde_model_read_tensor:
 * A serialised ONNX TensorProto file (test_data_set_N/input_K.pb).
 */
SondeTensor *sonde_model_read_tensor (const SondeIo *io, const char *path, GError **error);

/**
 * sonde_model_read_value:
 * @type: of the graph's input or output that the file is for: a tensor, sequence or optional; the
 *   file itself does not say
 *
 * The same for a value of any kind (TensorProto, SequenceProto, OptionalProto).
 * Returns: (transfer full). Errors: as for models; UNSUPPORTED for maps.
 */
SondeValue *sonde_model_read_value (const SondeIo *io, const char *path, const SondeType *type,
                                    GError **error);

G_END_DECLS
