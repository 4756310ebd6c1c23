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
#define SONDE_GRAPH_MAX_DETAILS 3
/* Text is shaped for the scale it is drawn at and may be a little wider than it was measured. */
#define SONDE_GRAPH_SLACK 6

/* Texts of a box: operator and name beside each other, then at most SONDE_GRAPH_MAX_DETAILS lines
 * on its constants. All owned. */
typedef struct
{
  char *title;
  char *name; /* "" when it would only repeat the operator */
  double title_width;
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
  char **labels;           /* of edges: shape of the value */
  gboolean *controls;      /* of edges: order alone, nothing flows */
  SondeLayoutPoint *stubs; /* two for each edge that was not laid out */
  SondeGraphLayout *layout;
  GHashTable *names; /* name of node or value -> box + 1 */
};

/* Sizes without the dtype: "6×1×5×5", "scalar", "N×10"; NULL when nothing is known. (transfer
 * full) */
char *sonde_graph_shape_text (const SondeType *type);
/* Order between nodes, as graphs of TensorFlow have it: "^" before the name of the node. */
gboolean sonde_graph_is_control (const SondeGraphValue *value);
/* A node Constant (Const, prim::Constant) that other nodes read: it has no box. */
gboolean sonde_graph_is_constant (const SondeNode *node);
/* Constants stand inside the node that reads them; so do parameters whose values were left out. */
gboolean sonde_graph_is_inside (const SondeGraphValue *value);
SondeGraphText sonde_graph_text_of_node (const SondeNode *node);

G_END_DECLS
