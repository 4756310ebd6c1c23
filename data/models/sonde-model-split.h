/* SPDX-License-Identifier: Apache-2.0
 * Models whose weights are too many for one file. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* Bytes of weights from which on a model is written in two files: ONNX ends at 2 GiB, and MindSpore splits
 * from there on. */
#define SONDE_MODEL_SPLIT_ONNX (G_GUINT64_CONSTANT (3) << 29)
#define SONDE_MODEL_SPLIT_MINDIR (G_GUINT64_CONSTANT (1) << 30)

/* Bytes of all constants. */
guint64 sonde_model_count_bytes (const SondeGraph *graph);

/**
 * sonde_model_write_split:
 * @folder: that exists
 * @name: "NAME.onnx": written are NAME.onnx and NAME.onnx.data; "NAME.mindir": NAME_graph.mindir and
 *   NAME_variables/data_0
 * @graph: for MindIR as sonde_model_serialise_mindir() takes it
 * @weights: (out) (transfer full): name of the file with the weights in @folder
 *
 * Small constants stay in the model's file.
 * Returns: (transfer full): name of the model's file in @folder
 * Errors: of the formats; IO, NO_MEMORY
 */
char *sonde_model_write_split (const SondeIo *io, const char *folder, const char *name,
                               SondeGraph *graph, char **weights, GError **error);

G_END_DECLS
