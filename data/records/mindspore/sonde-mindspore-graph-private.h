/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's anf_ir graphs, and the values and types in them. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/records/mindspore.pb-c.h"

G_BEGIN_DECLS

/**
 * sonde_mindspore_graph:
 * @message: an anf_ir GraphProto
 *
 * Nodes go by their full names, their outputs by the numbers of the file; inputs that nothing makes
 * are values of their own. A control edge is an input whose value is named "^" and the name of what
 * comes before.
 */
SondeGraph *sonde_mindspore_graph (ProtobufCBinaryData message, GError **error);

/* @message: a ValueProto. Errors: DAMAGED. Returns: (transfer full) */
SondeAttribute *sonde_mindspore_attribute (const char *name, ProtobufCBinaryData message,
                                           GError **error);

/* (nullable) message; a scalar is a tensor of rank 0, a tuple a sequence. */
SondeType sonde_mindspore_type (const Mindspore__TypeProto *message);

G_END_DECLS
