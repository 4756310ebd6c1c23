/* SPDX-License-Identifier: Apache-2.0
 * Layered layout of a directed graph (Sugiyama): boxes of given sizes get places, edges get routes from the
 * bottom of their source to the top of their target. Positions only; a pure function, deterministic. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeLayoutBox:
 * @width, @height: in: size in px
 * @x, @y: out: top left corner; the whole layout begins at (0, 0)
 */
typedef struct
{
  double width, height;
  double x, y;
} SondeLayoutBox;

/**
 * SondeLayoutEdge:
 * @from, @to: in: indices of boxes
 * @points: out: (array length=n_points): route; owned by the edge, see sonde_layout_edge_clear(). The first
 *   point lies on the lower border of @from, the last on the upper border of @to; drawn as a smooth curve
 *   through them. For an edge of a cycle that points upwards the order of the points is from @from to @to too
 */
typedef struct
{
  double x, y;
} SondeLayoutPoint;

typedef struct
{
  guint from, to;
  SondeLayoutPoint *points;
  guint n_points;
} SondeLayoutEdge;

/**
 * SondeLayoutOptions: zero-initialise for the defaults
 * @gap_x, @gap_y: least distance of boxes in px; 0: 24, 36
 * @sweeps: passes of crossing reduction; 0: 8
 * @cancel: (nullable): set to non-zero by another thread to stop
 */
typedef struct
{
  double gap_x, gap_y;
  guint sweeps;
  const gint *cancel;
} SondeLayoutOptions;

/**
 * sonde_graph_layout_compute:
 * @boxes: (inout) (array length=n_boxes); @edges: (inout) (array length=n_edges): several between the same two
 *   and self-loops are allowed
 * @width, @height: (out): size of the whole
 *
 * 10,000 boxes within 0.3 s. Returns: FALSE when it was cancelled.
 */
gboolean sonde_graph_layout_compute (SondeLayoutBox           *boxes,
                                     guint                     n_boxes,
                                     SondeLayoutEdge          *edges,
                                     guint                     n_edges,
                                     const SondeLayoutOptions *options,
                                     double                   *width,
                                     double                   *height);

void sonde_layout_edge_clear (SondeLayoutEdge *edge);

G_END_DECLS
