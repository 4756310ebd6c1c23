/* SPDX-License-Identifier: Apache-2.0
 * A graph that can be zoomed, searched and picked. Laying out happens in a thread. */
#pragma once

#include "viewers/paint/graph/sonde-graph-tint.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_VIEW (sonde_graph_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphView, sonde_graph_view, SONDE, GRAPH_VIEW, SondeView)

GtkWidget *sonde_graph_view_new (void);

/**
 * sonde_graph_view_set_graph:
 * @graph: (nullable): referenced; must not change any more
 * @phases: see sonde_graph_scene_new()
 *
 * Shows it when it is laid out (signal "ready"); until then the old one stays.
 */
void sonde_graph_view_set_graph (SondeGraphView *view, SondeGraph *graph, guint phases);
gboolean sonde_graph_view_is_ready (SondeGraphView *view); /* nothing is being laid out */

/* What is being laid out is given up; what is shown stays. No "ready". */
void sonde_graph_view_cancel (SondeGraphView *view);

/* ---- scopes -------------------------------------------------------------- */

/* Graphs that are set from now on have their scopes as boxes, which a double press, Return or space opens and
 * closes. Default FALSE: flat. */
void sonde_graph_view_set_nested (SondeGraphView *view, gboolean is_nested);
/* Opens or closes the scope that is the box @id; FALSE when it is none. All of these lay out again: "ready". */
gboolean sonde_graph_view_toggle_scope (SondeGraphView *view, gint64 id);
/* Shows all scopes of a fold; FALSE when the box @id is none. */
gboolean sonde_graph_view_spread_fold (SondeGraphView *view, gint64 id);
/* Closes the scope or fold around the box; FALSE: there is none. */
gboolean sonde_graph_view_close_around (SondeGraphView *view, gint64 id);
void sonde_graph_view_open_all (SondeGraphView *view, gboolean open);
/* Scopes tell the operations in them. @flops: by node id, NaN where they are not known. FALSE: they do already,
 * there are none, or something else is being laid out: try again at "ready". */
gboolean sonde_graph_view_tell_flops (SondeGraphView *view, const double *flops);

/* ---- what is shown ------------------------------------------------------- */

/* (nullable) (transfer none): NULL before the first is ready */
SondeGraphScene *sonde_graph_view_get_scene (SondeGraphView *view);

/* Replaces @mask of the marks of all boxes by those that @names give. @names: (nullable)
 * (array zero-terminated=1): nodes or values; unknown ones are ignored. */
void sonde_graph_view_mark (SondeGraphView *view, SondeGraphMark mask, const char *const *names);

/* A set of SondeGraphMark for each box of the scene. (nullable) (transfer none) */
const guint8 *sonde_graph_view_get_marks (SondeGraphView *view);

/* Selects and scrolls to the box of a node or value; where scopes hide it, once they are open. FALSE when
 * there is none. */
gboolean sonde_graph_view_select_name (SondeGraphView *view, const char *name);
/* Brings it into sight without selecting, moving no more than needed; once the view has its
 * size. */
gboolean sonde_graph_view_reveal_name (SondeGraphView *view, const char *name);
/* The same with its neighbours, two levels on either side, as far as all of it can be read. */
gboolean sonde_graph_view_reveal_around (SondeGraphView *view, const char *name);
/* Box that is selected. (nullable) */
const SondeGraphBox *sonde_graph_view_get_selected (SondeGraphView *view);

/* All nodes but these are dimmed. @nodes: (transfer full) (nullable): by id, of the graph that is shown; NULL:
 * none is */
void sonde_graph_view_take_lit (SondeGraphView *view, guint8 *nodes);
const guint8 *sonde_graph_view_get_lit (SondeGraphView *view); /* (nullable) (transfer none) */

/* Colours in place of the families, and their key in place of the legend. @tint: (transfer full) (nullable):
 * of the graph that is or will be shown; NULL: families */
void sonde_graph_view_take_tint (SondeGraphView *view, SondeGraphTint *tint);
/* The colours on the scene that is shown. (transfer none) (nullable) */
const SondeGraphShades *sonde_graph_view_get_shades (SondeGraphView *view);

/* TRUE: as the main thing of a page: on a card's background, the families of the nodes in a corner,
 * an overview in another one while a part is out of sight, begun at its top when it is too large to
 * be read as a whole. Default FALSE. */
void sonde_graph_view_set_legend (SondeGraphView *view, gboolean has_legend);

/* Signal "ready" (): a graph was laid out. Selection: property of SondeView; its ids are boxes. */

G_END_DECLS
