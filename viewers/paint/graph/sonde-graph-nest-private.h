/* SPDX-License-Identifier: Apache-2.0
 * From a graph to a scene: atoms, which are all that could have a box; the boxes that stand for them, in the
 * frames of open scopes; the places of both. */
#pragma once

#include "viewers/paint/graph/sonde-graph-paint-private.h"

G_BEGIN_DECLS

/* ---- atoms --------------------------------------------------------------- */

/* @node: (nullable): NULL: @value is an input or output of the graph */
typedef struct
{
  SondeNode *node;
  SondeGraphValue *value;
  gboolean is_output;
} SondeGraphAtom;

/* @value: what flows between two atoms, or orders them */
typedef struct
{
  guint from, to;
  SondeGraphValue *value;
} SondeGraphArrow;

/* SondeGraphAtom: inputs, nodes by id, outputs; SondeGraphArrow: of what flows, and of order alone */
typedef struct
{
  GArray *atoms, *arrows, *orders;
} SondeGraphAtoms;

void sonde_graph_atoms_collect (SondeGraphAtoms *atoms, const SondeGraph *graph, guint phases);
void sonde_graph_atoms_clear (SondeGraphAtoms *atoms);

/* ---- boxes, ports, links ------------------------------------------------- */

/* A vertex is a box, or with this bit a port. */
#define SONDE_GRAPH_PORT_BIT (1u << 31)
#define SONDE_GRAPH_NO_PORT G_MAXUINT

/* Where a value passes the upper (lower) side of a frame. @x: px from its left side, once it is laid out */
typedef struct
{
  guint frame;
  gboolean is_out;
  double x;
} SondeGraphPort;

/**
 * SondeGraphLink: a line between two things of one frame, or of none
 * @frame: box, -1: none
 * @from, @to: vertices
 * @from_port, @to_port: where it leaves or enters a frame; SONDE_GRAPH_NO_PORT: anywhere
 * @source: box where it begins in the end; of a hidden node that of its scope
 * @value: one of @n_values that go this way
 * @is_order: nothing flows
 * @is_left_out: of an order that places nothing: not laid out
 * @first_point, @n_points: in SondeGraphNest.points, from the upper left corner of what is in the frame
 */
typedef struct
{
  int frame;
  guint from, to, from_port, to_port;
  guint source;
  SondeGraphValue *value;
  guint n_values;
  gboolean is_order, is_left_out, is_stub;
  guint first_point, n_points;
} SondeGraphLink;

/**
 * SondeGraphNest:
 * @folding: (nullable): NULL: no scopes
 * @boxes: SondeGraphBox: a frame before what is in it; @texts: SondeGraphText, of each
 * @depths: guint, of each box: frames around it
 * @ports, @links: SondeGraphPort, SondeGraphLink
 * @points: SondeLayoutPoint
 * @box_of_scope: by scope, + 1; 0: none yet
 * @hidden_by: by scope: the scope whose box stands for all that is in it, or NONE
 * @frame_of: by scope: the one in whose frame what is in it stands; SONDE_SCOPE_ROOT: none
 */
typedef struct
{
  SondeGraphScene *scene;
  const SondeGraphFolding *folding;
  GArray *boxes, *texts, *depths, *ports, *links, *points;
  guint *box_of_scope, *hidden_by, *frame_of;
  GHashTable *known_ports, *known_links, *known_values;
} SondeGraphNest;

/* Fills @boxes, @texts, @depths, @ports and @links, and the tables of the scene that find boxes. */
void sonde_graph_nest_fill (SondeGraphNest *nest, SondeGraph *graph, guint phases);
void sonde_graph_nest_clear (SondeGraphNest *nest);

/* Places all of them. FALSE with @error. */
gboolean sonde_graph_nest_lay_out (SondeGraphNest *nest, const _Atomic gboolean *cancelled,
                                   GError **error);

static inline SondeGraphBox *
sonde_graph_nest_box (const SondeGraphNest *nest, guint box)
{
  return &g_array_index (nest->boxes, SondeGraphBox, box);
}

static inline SondeGraphPort *
sonde_graph_nest_port (const SondeGraphNest *nest, guint port)
{
  return &g_array_index (nest->ports, SondeGraphPort, port);
}

static inline SondeGraphLink *
sonde_graph_nest_link (const SondeGraphNest *nest, guint link)
{
  return &g_array_index (nest->links, SondeGraphLink, link);
}

G_END_DECLS
