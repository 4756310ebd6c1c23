/* SPDX-License-Identifier: Apache-2.0
 * Search in the graph: an entry, how many nodes match and which of them is selected, steps to the next and the
 * previous one, and the list of all. */
#pragma once

#include "viewers/graph/sonde-graph-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_SEARCH (sonde_graph_search_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphSearch, sonde_graph_search, SONDE, GRAPH_SEARCH, GtkBox)

/* @view: outlives it; its marks SONDE_GRAPH_MARK_FOUND are the matches. */
void sonde_graph_search_set_up (SondeGraphSearch *search, SondeGraphView *view);

/* The graph that the view shows from now on. (nullable) */
void sonde_graph_search_set_graph (SondeGraphSearch *search, SondeGraph *graph);

/* The view was arranged anew: marks the matches again. */
void sonde_graph_search_mark (SondeGraphSearch *search);

void sonde_graph_search_set_text (SondeGraphSearch *search, const char *text);
guint sonde_graph_search_get_n_matches (SondeGraphSearch *search);

G_END_DECLS
