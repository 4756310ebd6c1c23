/* SPDX-License-Identifier: Apache-2.0
 * A node with what it reads from and what reads it, in columns: producers left of it, users right, each
 * node and value once, where it is nearest. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

#define SONDE_NEIGHBOURHOOD_COLUMNS 5 /* two levels on either side */
#define SONDE_NEIGHBOURHOOD_CENTRE 2
#define SONDE_NEIGHBOURHOOD_ROWS 8 /* of a column; the rest is counted */

/**
 * SondeGraphNeighbour: lent by the graph
 * @node: (nullable): NULL: a value that no node makes
 * @value: (nullable): that one; of a node its first output
 */
typedef struct
{
  SondeNode *node;
  SondeGraphValue *value;
  int column;
} SondeGraphNeighbour;

/* @left_out: (out) (array fixed-size=5): of each column, what has no room. Returns: (transfer full)
 * (element-type SondeGraphNeighbour): the node first, then level by level, nearest first */
GArray *sonde_graph_list_neighbours (SondeNode *node, guint left_out[SONDE_NEIGHBOURHOOD_COLUMNS]);

G_END_DECLS
