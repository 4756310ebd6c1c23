/* SPDX-License-Identifier: Apache-2.0
 * A graph as boxes and curves: the scene (what stands where, made once a graph) and its painter.
 * Serves the graph page, the debugger, PNG export. What does not live here: gestures
 * (viewers/graph/sonde-graph-view.h). */
#pragma once

#include "viewers/paint/graph/sonde-graph-folding.h"
#include "viewers/layout/sonde-graph-layout.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

typedef struct _SondeGraphScene SondeGraphScene;
typedef struct _SondeGraphShades SondeGraphShades; /* sonde-graph-tint.h */

/* Which nodes: bit 1 << phase. */
#define SONDE_GRAPH_SCENE_FORWARD (1u << SONDE_PHASE_FORWARD)
#define SONDE_GRAPH_SCENE_ALL_PHASES (7u)
/* Nodes that are constants, too; else they stand in their readers. */
#define SONDE_GRAPH_SCENE_CONSTANTS (1u << 8)

/**
 * SondeGraphBox: one thing of the scene; lent by it
 * @node: (nullable): NULL: @value is an input or output of the graph, or it is a scope
 * @value: (nullable)
 * @scope: of the scene's tree; SONDE_SCOPE_NONE: it is none
 * @is_open: of a scope: a frame around what is in it
 * @frame: the box that is the frame around it, with a lesser number; -1: none
 * @x, @y, @width, @height: in scene px at scale 1
 * @inner_x, @inner_y: private: of a frame, from its corner to what is in it
 */
typedef struct
{
  SondeNode *node;
  SondeGraphValue *value;
  guint scope;
  gboolean is_open;
  int frame;
  double x, y, width, height;
  double inner_x, inner_y;
} SondeGraphBox;

/**
 * sonde_graph_scene_new:
 * @graph: referenced; must not change while the scene lives
 * @phases: set of 1 << SondePhase, with SONDE_GRAPH_SCENE_CONSTANTS
 * @cancelled: (nullable): see sonde_graph_layout_compute()
 *
 * Measures texts and lays out. Any thread. Returns: (transfer full). Errors:
 * SONDE_DATA_ERROR_CANCELLED.
 */
SondeGraphScene *sonde_graph_scene_new (SondeGraph *graph, guint phases,
                                        const _Atomic gboolean *cancelled, GError **error);
/* The same with the scopes that names tell as boxes, or as frames where they are open. @folding: (nullable): NULL:
 * sonde_graph_folding_new() */
SondeGraphScene *sonde_graph_scene_new_nested (SondeGraph *graph, guint phases,
                                               const SondeGraphFolding *folding,
                                               const _Atomic gboolean *cancelled, GError **error);
void sonde_graph_scene_free (SondeGraphScene *scene);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGraphScene, sonde_graph_scene_free)

SondeGraph *sonde_graph_scene_get_graph (const SondeGraphScene *scene); /* (transfer none) */
/* What is open. (transfer none) (nullable): NULL: it has no scopes */
const SondeGraphFolding *sonde_graph_scene_get_folding (const SondeGraphScene *scene);
void sonde_graph_scene_get_size (const SondeGraphScene *scene, double *width, double *height);
guint sonde_graph_scene_get_n_boxes (const SondeGraphScene *scene);
const SondeGraphBox *sonde_graph_scene_get_box (const SondeGraphScene *scene, guint index);
/* Box of the node of that name, of the node or input that makes the value of that name, or of the
 * first node that reads the constant of that name; of what is hidden in a scope the box of that; -1. */
int sonde_graph_scene_find_node (const SondeGraphScene *scene, const SondeNode *node);
int sonde_graph_scene_find (const SondeGraphScene *scene, const char *name);
/* Box at a point in scene px; -1. */
int sonde_graph_scene_pick (const SondeGraphScene *scene, double x, double y);

/* What is said of a box beyond its family. */
typedef enum
{
  SONDE_GRAPH_MARK_NONE = 0,
  SONDE_GRAPH_MARK_SELECTED = 1 << 0,
  SONDE_GRAPH_MARK_FOUND = 1 << 1,   /* a match of the search */
  SONDE_GRAPH_MARK_CURRENT = 1 << 2, /* the debugger stands before it */
  SONDE_GRAPH_MARK_BREAKPOINT = 1 << 3,
  SONDE_GRAPH_MARK_DONE = 1 << 4, /* it has run in this step */
  SONDE_GRAPH_MARK_DIMMED = 1 << 5,
  SONDE_GRAPH_MARK_PARTNER = 1 << 6, /* belongs to what is selected in the graph beside it */
} SondeGraphMark;

/**
 * sonde_paint_graph:
 * @cr: in scene px: translate and scale before; what is outside its clip is not drawn
 * @marks: (nullable) (array): a set of SondeGraphMark for each box
 * @shades: (nullable): fill colours in place of those of the families
 */
void sonde_paint_graph (cairo_t *cr, const SondeTheme *theme, const SondeGraphScene *scene,
                        const guint8 *marks, const SondeGraphShades *shades);

/* The families that are in the scene, one a line, with @x, @y as the upper left corner; widget
 * px. */
void sonde_paint_graph_legend (cairo_t *cr, const SondeTheme *theme, const SondeGraphScene *scene,
                               double x, double y);
void sonde_graph_legend_get_size (const SondeGraphScene *scene, double *width, double *height);

/* A node Constant (Const, prim::Constant) that other nodes read. */
gboolean sonde_graph_is_constant (const SondeNode *node);

/* Whether some box touches the rectangle; scene px. */
gboolean sonde_graph_scene_touches (const SondeGraphScene *scene, double x0, double y0, double x1,
                                    double y1);

/* Boxes as plain dots, for an image of the whole; @cr in scene px, scaled by @scale. */
void sonde_paint_graph_overview (cairo_t *cr, const SondeTheme *theme, const SondeGraphScene *scene,
                                 const guint8 *marks, const SondeGraphShades *shades, double scale);

G_END_DECLS
