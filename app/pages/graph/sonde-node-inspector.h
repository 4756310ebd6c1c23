/* SPDX-License-Identifier: Apache-2.0
 * What is known of one node or value of a graph, as a column of facts: operator, attributes, inputs
 * and outputs with types, initialisers with statistics and first values, documentation, origin. */
#pragma once

#include <gtk/gtk.h>

#include "data/graph/sonde-scope-tree.h"

G_BEGIN_DECLS

#define SONDE_TYPE_NODE_INSPECTOR (sonde_node_inspector_get_type ())
G_DECLARE_FINAL_TYPE (SondeNodeInspector, sonde_node_inspector, SONDE, NODE_INSPECTOR, GtkBox)

/* Signal "node-activated" (const char *name): a neighbour was pressed. */

/* All of @graph; shown when nothing is selected. */
void sonde_node_inspector_show_graph (SondeNodeInspector *inspector, SondeGraph *graph);
void sonde_node_inspector_show_node (SondeNodeInspector *inspector, SondeNode *node);
void sonde_node_inspector_show_value (SondeNodeInspector *inspector, SondeGraphValue *value);
/* What a scope holds. @path: where it is; @flops: of one run of it, NaN: not known */
void sonde_node_inspector_show_scope (SondeNodeInspector *inspector, const SondeGraphScope *scope,
                                      const char *path, double flops);
void sonde_node_inspector_clear (SondeNodeInspector *inspector);

G_END_DECLS
