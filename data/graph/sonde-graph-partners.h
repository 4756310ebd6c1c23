/* SPDX-License-Identifier: Apache-2.0
 * Which nodes of two graphs are the same: an original and what is executed of it, or two versions of a model. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeGraphPartners:
 * @of_first: by id of nodes of the first graph: the partner in the second, NULL without
 * @of_second: the other way round; several nodes of one graph may have the same partner (a fused one)
 */
typedef struct
{
  SondeNode **of_first, **of_second;
} SondeGraphPartners;

/**
 * sonde_graph_partners_new:
 *
 * By name; by origin, where one graph came from the other; what is left by structure: the same operator
 * whose inputs come from partners, beginning with the inputs of the graphs in their order.
 * Returns: (transfer full): lends nodes of both graphs
 */
SondeGraphPartners *sonde_graph_partners_new (const SondeGraph *first, const SondeGraph *second);
void sonde_graph_partners_free (SondeGraphPartners *partners); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGraphPartners, sonde_graph_partners_free)

/* Whether operator and attributes are the same; of subgraphs in attributes only their sizes. */
gboolean sonde_graph_partners_are_equal (const SondeNode *a, const SondeNode *b);

G_END_DECLS
