/* SPDX-License-Identifier: Apache-2.0
 * One connected part of a graph on its way through the phases of the layout. Flat arrays; a vertex
 * is a box or a dummy, the place where a long edge passes a layer. */
#pragma once

#include "viewers/layout/sonde-graph-layout.h"

G_BEGIN_DECLS

/* All edges between the same two boxes. @from < @to, since boxes are numbered in topological
 * order. */
typedef struct
{
  guint from, to;
  guint first_dummy, n_dummies;
  gboolean is_stub;
  double start_at, end_at;     /* px from the left sides, where it has to; 0: anywhere */
  double start_x, end_x;       /* where it leaves and enters */
  guint first_point, n_points; /* in the part's points */
} LayoutRoute;

/* A piece of a route from a layer to the next one. */
typedef struct
{
  guint upper, lower;
  gboolean conflict; /* crosses a long edge, so it is not made straight */
} LayoutSegment;

/**
 * LayoutPart:
 * @width: @height: of vertices; 0 for dummies
 * @pin: of boxes
 * @layer: of vertices; @place: number in its layer
 * @order: vertices layer by layer; layer i is order[layer_first[i]] … order[layer_first[i + 1] - 1]
 * @up: segments above a vertex by place of the upper end: up[up_first[v]] … ; @down: below it
 * @x: centre
 * @layer_top: @layer_bottom: y of the tallest box
 */
typedef struct
{
  SondeLayoutOptions options; /* without zeros */
  const _Atomic gboolean *cancelled;

  guint n_boxes, n_vertices, n_layers, n_segments, n_routes;
  LayoutRoute *routes; /* by from, then to */
  guint *route_first;  /* [n_boxes + 1]: routes that leave box i */
  double *width, *height;
  SondeLayoutPin *pin;
  guint *layer, *place;
  guint *order, *layer_first;
  LayoutSegment *segments;
  guint *up, *up_first, *down, *down_first;
  double *x;
  double *layer_top, *layer_bottom;
  guint64 n_crossings;
  double total_width, total_height;
  GArray *points; /* SondeLayoutPoint */
} LayoutPart;

/* The phases, in this order. Each ends early when it was cancelled. */
void sonde_layout_assign_layers (LayoutPart *part);
void sonde_layout_order_layers (LayoutPart *part);
void sonde_layout_place_x (LayoutPart *part);
void sonde_layout_route_edges (LayoutPart *part);

static inline gboolean
layout_is_cancelled (const LayoutPart *part)
{
  return part->cancelled != NULL && *part->cancelled;
}

static inline gboolean
layout_is_dummy (const LayoutPart *part, guint vertex)
{
  return vertex >= part->n_boxes;
}

static inline guint
layout_layer_size (const LayoutPart *part, guint layer)
{
  return part->layer_first[layer + 1] - part->layer_first[layer];
}

G_END_DECLS
