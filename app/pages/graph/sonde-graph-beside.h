/* SPDX-License-Identifier: Apache-2.0
 * A second graph beside the one of the page: an original and what is executed of it, or two models. What is
 * selected in one is selected in the other, and colours tell what only one of them has. */
#pragma once

#include "data/graph/sonde-graph-partners.h"
#include "viewers/graph/sonde-graph-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_BESIDE (sonde_graph_beside_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphBeside, sonde_graph_beside, SONDE, GRAPH_BESIDE, GtkBox)

/* @view: of the page's graph; outlives it. */
void sonde_graph_beside_set_up (SondeGraphBeside *beside, SondeGraphView *view);

/* @first: (nullable): that of the page; @second: (nullable): NULL hides it; @phases: as of
 * sonde_graph_scene_new() */
void sonde_graph_beside_set_graphs (SondeGraphBeside *beside, SondeGraph *first, SondeGraph *second,
                                    guint phases);

/* (nullable) (transfer none): NULL unless both are there; until the next set_graphs() */
const SondeGraphPartners *sonde_graph_beside_get_partners (SondeGraphBeside *beside);
SondeGraphView *sonde_graph_beside_get_view (SondeGraphBeside *beside); /* of the second */

/* What of @graph has no partner, or one that differs. @partners: by node id. (transfer full) */
SondeGraphTint *sonde_graph_beside_make_tint (const SondeGraph *graph, SondeNode *const *partners);

G_END_DECLS
