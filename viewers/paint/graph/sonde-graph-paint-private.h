/* SPDX-License-Identifier: Apache-2.0
 * What the scene's maker and its painter share. */
#pragma once

#include "data/graph/sonde-family.h"
#include "viewers/paint/graph/sonde-graph-paint.h"

G_BEGIN_DECLS

#define SONDE_GRAPH_BOX_PADDING 10
#define SONDE_GRAPH_LINE_HEIGHT 14
#define SONDE_GRAPH_TITLE_HEIGHT 24
#define SONDE_GRAPH_TITLE_GAP 8 /* between operator and name */
#define SONDE_GRAPH_MAX_WIDTH 250
#define SONDE_GRAPH_MAX_HEAD 420 /* of a frame */
#define SONDE_GRAPH_MAX_DETAILS 3
#define SONDE_GRAPH_ARROW_ROOM 16 /* of a scope, before its name */
#define SONDE_GRAPH_FRAME_HEAD 24
/* Text is shaped for the scale it is drawn at and may be a little wider than it was measured. */
#define SONDE_GRAPH_SLACK 6

/* Texts of a box: operator and name beside each other, then at most SONDE_GRAPH_MAX_DETAILS lines
 * on its constants. All owned. */
typedef struct
{
  char *title;
  char *name;                /* "" when it would only repeat the operator */
  double title_width, width; /* of the title; of it and the name */
  char *details[SONDE_GRAPH_MAX_DETAILS];
  guint n_details;
  SondeFamily family;
} SondeGraphText;

struct _SondeGraphScene
{
  SondeGraph *graph;
  guint n_boxes, n_edges;
  guint n_laid_out; /* edges, the first ones, that the layout has drawn; the others are stubs */
  SondeGraphBox *boxes;
  SondeGraphText *texts;
  SondeLayoutEdge *edges;
  char **labels;            /* of edges: shape of the value; where it comes from */
  gboolean *controls;       /* of edges: order alone, nothing flows */
  SondeLayoutPoint *points; /* of the edges that were laid out */
  SondeLayoutPoint *stubs;  /* two for each edge that was not */
  double width, height;
  SondeGraphFolding *folding; /* (nullable): flat */
  int *box_of_node;           /* by id: its own, or that of the scope it is hidden in; -1 */
  GHashTable *box_of_input;   /* SondeGraphValue -> box + 1 */
};

/* Sizes without the dtype: "6×1×5×5", "scalar", "N×10"; NULL when nothing is known. (transfer
 * full) */
char *sonde_graph_shape_text (const SondeType *type);
/* Order between nodes, as graphs of TensorFlow have it: "^" before the name of the node. */
gboolean sonde_graph_is_control (const SondeGraphValue *value);
/* Constants stand inside the node that reads them; so do parameters whose values were left out. */
gboolean sonde_graph_is_inside (const SondeGraphValue *value);
/* @phases: as of sonde_graph_scene_new() */
SondeGraphText sonde_graph_text_of_node (const SondeNode *node, guint phases);
/* @flops: 0: not told, or none */
SondeGraphText sonde_graph_text_of_scope (const SondeGraphScope *scope, gboolean is_open,
                                          double flops);
/* The last part of a value's name, for where there is little room. (transfer full) */
char *sonde_graph_short_name (const SondeGraphValue *value);
/* Whether the node has a box, or is in that of a scope. @node: (nullable) */
gboolean sonde_graph_has_box (const SondeNode *node, guint phases);
/* A value of an earlier phase (forward, backward, update), or an input that one reads; or one of very many that a
 * node behind the forward pass reads: told in the node's box, not drawn as a line. */
gboolean sonde_graph_is_looked_back (const SondeNode *node, const SondeGraphValue *value);
/* Fills width and height of @box; of a frame the least that its head needs. */
void sonde_graph_measure_box (SondeGraphBox *box, SondeGraphText *text);

G_END_DECLS
