/* SPDX-License-Identifier: Apache-2.0
 * What a person can do with a node, a value or a scope of the Graph page: its menu, which acts on what was
 * pressed. */
#pragma once

#include "app/widgets/sonde-page.h"
#include "viewers/graph/sonde-graph-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_ACTIONS (sonde_graph_actions_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphActions, sonde_graph_actions, SONDE, GRAPH_ACTIONS, GObject)

/* @page, @view: outlive it. Gives the view its menu and the page the group "graph". (transfer full) */
SondeGraphActions *sonde_graph_actions_new (SondePage *page, SondeGraphView *view);

/* Writes the nodes that are lit, else those of the selected box, as a model. Errors: there are none,
 * SONDE_DATA_ERROR_* of the file. */
gboolean sonde_graph_actions_export (SondeGraphActions *actions, const char *path, GError **error);

G_END_DECLS
