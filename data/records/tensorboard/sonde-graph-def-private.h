/* SPDX-License-Identifier: Apache-2.0
 * TensorFlow's graphs -> SondeGraph, inside this folder only: nodes and edges (sonde-graph-def.c),
 * Keras' JSON (sonde-keras-json.c); what attributes hold is in sonde-graph-def-attribute-private.h. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/records/sonde-record-format.h"
#include "data/records/tensorboard/sonde-tensor-proto.h"

G_BEGIN_DECLS

/* Domain of all nodes; its opset version is the producer's. */
#define SONDE_GRAPH_DEF_DOMAIN "tensorflow"

/* What one part of a graph takes, roughly, besides its bytes. */
#define SONDE_GRAPH_DEF_NODE_BYTES 800
#define SONDE_GRAPH_DEF_VALUE_BYTES 600
#define SONDE_GRAPH_DEF_ATTRIBUTE_BYTES 200

/* Notes for the user in the graph's metadata, at most some hundred; key "problem". */
void sonde_graph_def_note_problem (SondeGraph *graph, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Keras' to_json(). Errors: DAMAGED, LIMIT. Returns: (transfer full) */
SondeGraph *sonde_keras_json_to_graph (SondeBytes json, GError **error);

/* RunMetadata: the graphs of its traced functions in one. */
SondeGraph *sonde_graph_def_of_run_metadata (SondeBytes message, GError **error);
SondeGraph *sonde_graph_def_to_graph (SondeBytes message, GError **error);

/* A GraphDef into a record of kind GRAPH. Errors: DAMAGED, LIMIT. */
gboolean sonde_event_read_graph (SondeBytes graph_def, SondeRecord *record, GError **error);

G_END_DECLS
