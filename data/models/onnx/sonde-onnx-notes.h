/* SPDX-License-Identifier: Apache-2.0
 * What ONNX has no field for, as metadata. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/models/onnx/onnx.pb-c.h"

G_BEGIN_DECLS

/* Phase, origins, roles, which ONNX has no field for, travel in metadata_props under "sonde.";
 * a plain model has none of them. Visits the entries to write. */
typedef void (*SondeOnnxEntry) (const char *key, const char *value, gpointer data);
void sonde_onnx_describe_node (const SondeGraph *graph, const SondeNode *node, SondeOnnxEntry entry,
                               gpointer data);
void sonde_onnx_describe_value (const SondeGraph *graph, const SondeGraphValue *value,
                                SondeOnnxEntry entry, gpointer data);
/* Unknown keys and values are ignored: they are notes, not the model. */
void sonde_onnx_apply_to_node (SondeNode *node, Onnx__StringStringEntryProto **entries, gsize n);
void sonde_onnx_apply_to_value (SondeGraph *graph, SondeGraphValue *value,
                                Onnx__StringStringEntryProto **entries, gsize n);

G_END_DECLS
