/* SPDX-License-Identifier: Apache-2.0
 * Parts of a graph by data flow: what leads to a node, what follows from it, what lies between two; and such a
 * part as a graph of its own. Captures of subgraphs count as inputs of their node. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* By node id: whether the node is in the set. Both include @node itself. (transfer full) */
guint8 *sonde_graph_find_upstream (const SondeGraph *graph, const SondeNode *node);
guint8 *sonde_graph_find_downstream (const SondeGraph *graph, const SondeNode *node);

/* The nodes on all ways from @from to @to, these two with them; NULL when there is none. (transfer full)
 * (nullable) */
guint8 *sonde_graph_find_between (const SondeGraph *graph, const SondeNode *from,
                                  const SondeNode *to);

/**
 * sonde_graph_extract:
 * @nodes: (array): by node id; a set that is not empty
 *
 * A copy of these nodes with the weights and constants that they read. What they read of others are its inputs;
 * what others read of them, what leaves @graph and what nobody reads are its outputs.
 * Returns: (transfer full)
 */
SondeGraph *sonde_graph_extract (SondeGraph *graph, const guint8 *nodes);

G_END_DECLS
