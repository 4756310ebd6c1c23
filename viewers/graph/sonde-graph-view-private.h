/* SPDX-License-Identifier: Apache-2.0
 * What the parts of SondeGraphView share. */
#pragma once

#include "viewers/paint/graph/sonde-graph-overview.h"
#include "viewers/graph/sonde-graph-view.h"

G_BEGIN_DECLS

#define SONDE_GRAPH_VIEW_MARGIN 16 /* px around the graph */

struct _SondeGraphView
{
  SondeView parent_instance;

  SondeGraphScene *scene;
  guint8 *marks;            /* by box */
  SondeGraphTint *tint;     /* (nullable): families */
  SondeGraphShades *shades; /* of the tint on the scene; (nullable) */
  guint8 *lit;              /* by node id, of @lit_graph: all others are dimmed; (nullable) */
  SondeGraph *lit_graph;    /* never looked into */
  GTask *task;              /* the layout that counts; (nullable) */
  SondeGraphOverview overview;
  SondeGraphFolding *asked; /* what is being laid out again; (nullable) */
  guint phases;
  char *wanted; /* (nullable): to be selected once it is laid out */
  gboolean has_legend, is_nested;
  gboolean is_new;          /* not shown yet: prepare() chooses where it begins */
  gboolean is_rearranged;   /* what is being laid out is the same graph with other scopes open */
  int reveal;               /* box that prepare() brings into sight, -1: none */
  gboolean with_neighbours; /* and as many of its neighbours as there is room for */
  int anchor;               /* box that stays where it is when others move, -1: the selected one */
};

/* ---- sight --------------------------------------------------------------- */

/* A graph too large to be read as a whole begins at its first box, without more than a margin
 * beside it. */
void sonde_graph_view_go_to_start (SondeGraphView *self, int width, int height);
/* Moves no more than needed: stepping through a graph must not make it jump. */
void sonde_graph_view_bring_into_sight (SondeGraphView *self, int index, int width, int height);
/* With what it reads from and what reads it, two levels of either, the nearest first, as far as that can be read:
 * smaller than it was only where it must be. */
void sonde_graph_view_bring_around_into_sight (SondeGraphView *self, int index, int width,
                                               int height);

/* What was selected and what stood where, before scopes open or close. @node, @scope: of the box that stays;
 * @x, @y: px of its corner */
typedef struct
{
  const SondeNode *node, *selected_node;
  const SondeGraphValue *selected_value;
  guint scope, selected_scope;
  double x, y;
  SondeViewport viewport;
} SondeGraphAnchor;

void sonde_graph_view_take_anchor (SondeGraphView *self, SondeGraphAnchor *anchor);
void sonde_graph_view_restore_anchor (SondeGraphView *self, const SondeGraphAnchor *anchor);

/* ---- layout -------------------------------------------------------------- */

/* The tint, the scene or both are others. */
void sonde_graph_view_update_shades (SondeGraphView *self);
/* Marks what is not lit. */
void sonde_graph_view_update_lit (SondeGraphView *self);
/* Lays the same graph out again. @folding: (transfer full) */
void sonde_graph_view_rearrange (SondeGraphView *view, SondeGraphFolding *folding);
/* What is open, or will be once the layout is done that was begun last: another change is made of that.
 * (nullable) (transfer none) */
const SondeGraphFolding *sonde_graph_view_get_folding (SondeGraphView *view);

/* ---- scopes -------------------------------------------------------------- */

/* A press on the box @id, at @x px: a double one, or one on the triangle, opens or closes its scope. */
void sonde_graph_view_press_scope (SondeGraphView *view, gint64 id, int n_presses, double x);
/* Return and space open and close the selected scope. */
void sonde_graph_view_add_keys (SondeGraphView *view);
/* Path and counts; with colours what they say. (transfer full) */
char *sonde_graph_view_describe_scope (SondeGraphView *view, guint box);

G_END_DECLS
