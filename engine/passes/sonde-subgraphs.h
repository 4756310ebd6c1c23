/* SPDX-License-Identifier: Apache-2.0
 * Looking at a graph: its subgraphs, order and outputs, and what its nodes read. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* The graphs among the attributes of @node, in order; NULL when there are none. (sonde-subgraphs.c)
 * Returns: (transfer container) (element-type SondeGraph) (nullable) */
GPtrArray *sonde_bodies_of (const SondeNode *node);
/* sonde_graph_sort(), but a cycle is INVALID. (transfer full) */
GPtrArray *sonde_order_of (const SondeGraph *graph, GError **error);
/* The outputs of @graph as a set of SondeGraphValue. (transfer full) */
GHashTable *sonde_outputs_of (const SondeGraph *graph);

/* FALSE where @node looks only at the type of its input @k: reading it holds no memory. */
gboolean sonde_reads_bytes (const SondeNode *node, guint k);

G_END_DECLS
