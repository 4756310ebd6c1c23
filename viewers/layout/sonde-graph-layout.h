/* SPDX-License-Identifier: Apache-2.0
 * Layered layout of a directed graph: where boxes stand and how edges run between them. Positions
 * only; the sizes come from the caller. Pure functions, any thread, no recursion.
 *
 * Source: Sugiyama, Tagawa, Toda, IEEE SMC 11 (1981) for the phases; Barth, Jünger, Mutzel (2002)
 * for counting crossings; Brandes, Köpf (2001) for x, compacted by blocks as the erratum arXiv
 * 2008.01252 asks for. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double x, y;
} SondeLayoutPoint;

/* Where a box must stand. */
typedef enum
{
  SONDE_LAYOUT_FREE,
  SONDE_LAYOUT_FIRST, /* in the first layer; no edge leads to it */
  SONDE_LAYOUT_LAST,  /* in the last layer, unless an edge leads from it */
} SondeLayoutPin;

/**
 * SondeLayoutBox: all in pixels
 * @width: @height: (in): ≥ 0
 * @pin: (in)
 * @x: @y: (out): left upper corner
 * @layer: (out): 0 is the first one of its part of the graph
 */
typedef struct
{
  double width, height;
  SondeLayoutPin pin;
  double x, y;
  guint layer;
} SondeLayoutBox;

/**
 * SondeLayoutEdge:
 * @from: @to: (in): numbers of boxes
 * @from_at: @to_at: (in): px from the left side of its box (from the top where layers run sideways), where
 *   it has to leave or to enter; 0: anywhere
 * @points: (out): of a chain of cubic Bézier curves: the start on the rim of @from, then three a
 *   curve (two control points, end); the last one lies on the rim of @to. Belongs to the layout.
 * @n_points: (out): 1 + 3 × curves; 2 for a stub
 * @is_stub: (out): too long to be drawn, or from a box to itself: @points are only the places on
 *   both rims, for a short mark at each
 *
 * Edges with the same ends and the same places on them share their points.
 */
typedef struct
{
  guint from, to;
  double from_at, to_at;
  const SondeLayoutPoint *points;
  guint n_points;
  gboolean is_stub;
} SondeLayoutEdge;

/**
 * SondeLayoutOptions: zero-initialise; 0 means the default
 * @layer_gap: pixels between layers; default 40
 * @box_gap: between boxes of a layer; default 24
 * @edge_gap: between long edges that pass a layer; default 12
 * @max_span: an edge over more layers becomes a stub; default: as many as the work allows
 * @far_span: @n_far: of a box with @n_far edges or more that span more than @far_span layers, these become
 *   stubs; default: none do
 * @max_sweeps: over the layers, to have fewer crossings; default 12, large graphs fewer
 * @sideways: layers from left to right instead of from top to bottom
 * @in_row: parts that are not connected stand beside each other, never below; their first layers at the top
 */
typedef struct
{
  double layer_gap, box_gap, edge_gap;
  guint max_span, far_span, n_far;
  guint max_sweeps;
  gboolean sideways, in_row;
} SondeLayoutOptions;

/**
 * SondeGraphLayout:
 * @width: @height: of the whole image; its left upper corner is 0, 0
 * @n_crossings: of edges between neighbouring layers, as the order of the boxes makes them
 * @n_layers: of the tallest part
 */
typedef struct
{
  double width, height;
  guint64 n_crossings;
  guint n_layers;
  SondeLayoutPoint *points; /* private */
} SondeGraphLayout;

/**
 * sonde_graph_layout_compute:
 * @boxes: (inout): @n_boxes, best in order of execution: among equals, earlier ones stand left
 * @edges: (inout): @n_edges; doubled ones and cycles are allowed (a cycle has an edge that runs up)
 * @options: (nullable)
 * @cancelled: (nullable): looked at now and then; the work ends soon after it is TRUE
 *
 * Each edge leads from a layer to a later one; boxes never overlap; no edge passes over a box. The
 * same input gives the same result. Parts that are not connected are laid out side by side. Time
 * grows as (V + E) log V; long edges are counted once for each layer they pass, and the longest
 * become stubs before that number grows too large.
 *
 * Returns: (transfer full): owns the points of @edges; free with sonde_graph_layout_free().
 * Errors: SONDE_DATA_ERROR_INVALID (an edge to no box, a size that is no size),
 * SONDE_DATA_ERROR_CANCELLED; boxes and edges are then undefined.
 */
SondeGraphLayout *sonde_graph_layout_compute (SondeLayoutBox *boxes, guint n_boxes,
                                              SondeLayoutEdge *edges, guint n_edges,
                                              const SondeLayoutOptions *options,
                                              const _Atomic gboolean *cancelled, GError **error);

void sonde_graph_layout_free (SondeGraphLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGraphLayout, sonde_graph_layout_free)

G_END_DECLS
