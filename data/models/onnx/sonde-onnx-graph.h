/* SPDX-License-Identifier: Apache-2.0
 * GraphProto, NodeProto and FunctionProto -> graphs. A graph holds nodes, a node attributes, an
 * attribute graphs. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/models/onnx/sonde-onnx-reader.h"

G_BEGIN_DECLS

gboolean sonde_onnx_read_graph (SondeOnnxReader *reader, Onnx__GraphProto *proto, SondeGraph *graph,
                                GError **error);
/* Nodes of a graph or a function body: outputs are declared first, so that order does not
 * matter. */
gboolean sonde_onnx_read_nodes (SondeOnnxReader *reader, Onnx__NodeProto **protos, gsize n,
                                SondeGraph *graph, GError **error);
gboolean sonde_onnx_read_value_infos (SondeOnnxReader *reader, Onnx__ValueInfoProto **protos,
                                      gsize n, SondeGraph *graph, GError **error);
/* Local, or captured from an enclosing graph; NULL when nothing has that name. */
SondeGraphValue *sonde_onnx_find_value (SondeGraph *graph, const char *name);
/* @owner_kind: @owner: for messages: "node", its name; @node_graph: where the node lies: the parent
 * of graphs among its attributes.
 * Returns: (transfer full) */
SondeAttribute *sonde_onnx_read_attribute (SondeOnnxReader *reader, Onnx__AttributeProto *proto,
                                           const char *owner_kind, const char *owner,
                                           SondeGraph *node_graph, GError **error);
gboolean sonde_onnx_read_functions (SondeOnnxReader *reader, Onnx__ModelProto *proto,
                                    SondeGraph *graph, GError **error);
gboolean sonde_onnx_read_opsets (SondeOnnxReader *reader, Onnx__OperatorSetIdProto **protos,
                                 gsize n, SondeGraph *graph, GError **error);

SondeGraph *sonde_onnx_read_model (SondeOnnxReader *reader, Onnx__ModelProto *proto,
                                   GError **error);

G_END_DECLS
