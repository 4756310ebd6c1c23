/* SPDX-License-Identifier: Apache-2.0
 * A whole graph before it is laid out part by part: order of the boxes, parts, edges by part. */
#pragma once

#include "viewers/layout/sonde-graph-layout.h"

G_BEGIN_DECLS

/* One edge, as from the earlier to the later box in topological order. */
typedef struct
{
  guint part, low, high; /* @low, @high: places in the order */
  guint edge;
  gboolean reversed;
} LayoutEdgeKey;

typedef struct
{
  SondeLayoutBox *boxes;
  guint n_boxes;
  SondeLayoutEdge *edges;
  guint n_edges;
  SondeLayoutOptions options;
  const _Atomic gboolean *cancelled;

  guint *sequence;   /* boxes in topological order; later by part, then in that order */
  guint *place;      /* of a box in the topological order */
  guint *part_of;    /* of a box */
  guint *part_first; /* [n_parts + 1]: range of @sequence */
  guint n_parts;
  guint *number;       /* of a box in its part */
  LayoutEdgeKey *keys; /* edges that are no loops, by part, low, high */
  guint n_keys;
  double *part_width, *part_height;
  GArray *points;
  guint *edge_first; /* of an edge in @points */
  guint64 n_crossings;
  guint n_layers;
} Layout;

/* Fills @sequence and @place. Where only a cycle is left, its first box is taken: the edges that
 * still lead to it will run up. */
void sonde_layout_order_boxes (Layout *layout);

/* Fills @part_of, @number, @part_first, @n_parts and sorts @sequence by part. */
void sonde_layout_find_parts (Layout *layout);

/* Fills @keys. */
void sonde_layout_sort_edges (Layout *layout);

G_END_DECLS
