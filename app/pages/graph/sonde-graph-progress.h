/* SPDX-License-Identifier: Apache-2.0
 * Over the graph while it is laid out: how many nodes, and a way to give up; afterwards a way to begin again. */
#pragma once

#include "viewers/graph/sonde-graph-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_PROGRESS (sonde_graph_progress_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphProgress, sonde_graph_progress, SONDE, GRAPH_PROGRESS, GtkBox)

/* Signals: "cancelled" (); "asked" (): to lay out after all. */

/* It appears after a moment, so that what is quick does not flicker. */
void sonde_graph_progress_start (SondeGraphProgress *progress, guint n_nodes);
void sonde_graph_progress_stop (SondeGraphProgress *progress);

G_END_DECLS
