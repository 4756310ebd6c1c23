/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of data/graph: freeing, unique names, the lists of users and captures. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

SondeGraphValue *sonde_graph_value_new (const char *name);
void sonde_graph_value_free (SondeGraphValue *value);
SondeNode *sonde_graph_node_new (const char *name, const char *domain, const char *op);
void sonde_graph_node_free (SondeNode *node);

/* A name that @table (of @graph) and the same tables of the enclosing graphs do not have:
 * @wanted itself when it is free in @graph, else "WANTED_1", "WANTED_2", … Returns: (transfer
 * full) */
char *sonde_graph_unique_value_name (SondeGraph *graph, const char *wanted); /* (nullable) */
char *sonde_graph_unique_node_name (SondeGraph *graph, const char *wanted, const char *op);

/* Registers @value under the next id. */
void sonde_graph_register_value (SondeGraph *graph, SondeGraphValue *value);
void sonde_graph_register_node (SondeGraph *graph, SondeNode *node);

/* Keeps @outer and the list of captures in step. @outer: (nullable) */
void sonde_graph_value_set_outer (SondeGraphValue *value, SondeGraphValue *outer);

/* Calls @visit for every graph among @node's attributes. */
typedef void (*SondeSubgraphVisit) (SondeGraph *subgraph, gpointer data);
void sonde_node_foreach_subgraph (const SondeNode *node, SondeSubgraphVisit visit, gpointer data);

/* Copy of an attribute whose graphs are copied as subgraphs of @parent. */
SondeAttribute *sonde_attribute_copy_into (const SondeAttribute *attribute, SondeGraph *parent,
                                           gboolean as_original);
/* A copy of @graph as subgraph of @parent (nullable); captures go to the values of @parent with
 * the ids that the originals have in the graph that @graph is in. */
SondeGraph *sonde_graph_copy_into (SondeGraph *graph, SondeGraph *parent, gboolean as_original);

/* For the format of lists: "[1, 2]" and so on. */
void sonde_attribute_append_text (const SondeAttribute *attribute, GString *text);

G_END_DECLS
