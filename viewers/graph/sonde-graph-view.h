/* SPDX-License-Identifier: Apache-2.0
 * A graph that can be zoomed, searched and picked. Laying out happens in a thread. */
#pragma once

#include "viewers/paint/graph/sonde-graph-paint.h"
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

/* (nullable) (transfer none): NULL before the first is ready */
SondeGraphScene *sonde_graph_view_get_scene (SondeGraphView *view);

/* Replaces @mask of the marks of all boxes by those that @names give. @names: (nullable)
 * (array zero-terminated=1): nodes or values; unknown ones are ignored. */
void sonde_graph_view_mark (SondeGraphView *view, SondeGraphMark mask, const char *const *names);

/* Selects and scrolls to the box of a node or value. FALSE when there is none. */
gboolean sonde_graph_view_select_name (SondeGraphView *view, const char *name);
/* Brings it into sight without selecting, moving no more than needed; once the view has its
 * size. */
gboolean sonde_graph_view_reveal_name (SondeGraphView *view, const char *name);
/* Box that is selected. (nullable) */
const SondeGraphBox *sonde_graph_view_get_selected (SondeGraphView *view);

/* TRUE: as the main thing of a page: on a card's background, the families of the nodes in a corner,
 * an overview in another one while a part is out of sight, begun at its top when it is too large to
 * be read as a whole. Default FALSE. */
void sonde_graph_view_set_legend (SondeGraphView *view, gboolean has_legend);

/* Signal "ready" (): a graph was laid out. Selection: property of SondeView; its ids are boxes. */

G_END_DECLS
