/* SPDX-License-Identifier: Apache-2.0
 * What the scene's maker and its painter share. */
#pragma once

#include "data/graph/sonde-family.h"
#include "viewers/paint/sonde-graph-paint.h"

G_BEGIN_DECLS

#define SONDE_GRAPH_BOX_PADDING 10
#define SONDE_GRAPH_LINE_HEIGHT 15
#define SONDE_GRAPH_TITLE_HEIGHT 19
#define SONDE_GRAPH_MAX_WIDTH 230
#define SONDE_GRAPH_MAX_DETAILS 3

/* Texts of a box: title, name, then at most SONDE_GRAPH_MAX_DETAILS lines on its constants. All owned. */
typedef struct
{
  char *title, *name;
  char *details[SONDE_GRAPH_MAX_DETAILS];
  guint n_details;
  SondeFamily family;
} SondeGraphText;

struct _SondeGraphScene
{
  SondeGraph *graph;
  guint n_boxes, n_edges;
  SondeGraphBox *boxes;
  SondeGraphText *texts;
  SondeLayoutEdge *edges;
  char **labels; /* of edges: shape of the value */
  SondeGraphLayout *layout;
  GHashTable *names; /* name of node or value -> box + 1 */
};

G_END_DECLS
