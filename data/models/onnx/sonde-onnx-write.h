/* SPDX-License-Identifier: Apache-2.0
 * Graphs -> GraphProto. A graph holds nodes, a node attributes, an attribute graphs. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/models/onnx/sonde-onnx-writer.h"

G_BEGIN_DECLS

gboolean sonde_onnx_write_attribute (SondeOnnxWriter *writer, const SondeAttribute *attribute,
                                     guint depth, Onnx__AttributeProto *proto, GError **error);
gboolean sonde_onnx_write_graph (SondeOnnxWriter *writer, SondeGraph *graph, guint depth,
                                 Onnx__GraphProto *proto, GError **error);
gboolean sonde_onnx_write_nodes (SondeOnnxWriter *writer, SondeGraph *graph, guint depth,
                                 Onnx__NodeProto ***protos, size_t *n, GError **error);

G_END_DECLS
