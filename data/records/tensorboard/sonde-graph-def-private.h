/* SPDX-License-Identifier: Apache-2.0
 * TensorFlow's graphs -> SondeGraph, inside this folder only: nodes and edges (sonde-graph-def.c),
 * what their attributes hold (sonde-graph-def-attribute.c), Keras' JSON (sonde-keras-json.c). */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/records/tensorboard/sonde-tensorboard-private.h"

G_BEGIN_DECLS

/* Domain of all nodes; its opset version is the producer's. */
#define SONDE_GRAPH_DEF_DOMAIN "tensorflow"

/* What one part of a graph takes, roughly, besides its bytes. */
#define SONDE_GRAPH_DEF_NODE_BYTES 800
#define SONDE_GRAPH_DEF_VALUE_BYTES 600
#define SONDE_GRAPH_DEF_ATTRIBUTE_BYTES 200

/* Notes for the user in the graph's metadata, at most some hundred; key "problem". */
void sonde_graph_def_note_problem (SondeGraph *graph, const char *format, ...) G_GNUC_PRINTF (2, 3);

/**
 * sonde_graph_def_view_attribute:
 * @value: an AttrValue
 * @name: of the attribute
 * Returns: (transfer full) (nullable): NULL with @error. What has no kind of its own becomes text:
 * types "float32", shapes "[?, 3]", functions their name; a flag is 0 or 1.
 */
SondeAttribute *sonde_graph_def_view_attribute (SondeBytes value, const char *name,
                                                SondeBudget *budget, GError **error);

/* Shapes of the list in an AttrValue, each calls @shape; the same for the single shape. FALSE:
 * broken. */
typedef gboolean (*SondeGraphDefShape) (gpointer data, guint index, int rank, const gint64 *dims,
                                        GError **error);
gboolean sonde_graph_def_foreach_shape (SondeBytes value, SondeGraphDefShape shape, gpointer data,
                                        GError **error);

/* The type in an AttrValue; INVALID when it has none. */
SondeDtype sonde_graph_def_view_type (SondeBytes value);

/* Keras' to_json(). Errors: DAMAGED, LIMIT. Returns: (transfer full) */
SondeGraph *sonde_keras_json_to_graph (SondeBytes json, GError **error);

/* RunMetadata: the graphs of its traced functions in one. */
SondeGraph *sonde_graph_def_of_run_metadata (SondeBytes message, GError **error);
SondeGraph *sonde_graph_def_to_graph (SondeBytes message, GError **error);

G_END_DECLS
