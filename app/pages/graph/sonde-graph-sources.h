/* SPDX-License-Identifier: Apache-2.0
 * The graphs that the Graph page can show: model files that are open, what the selected run recorded, and what is
 * executed in the debugger. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-opened-model.h"
#include "data/graph/sonde-graph.h"
#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_SOURCES (sonde_graph_sources_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphSources, sonde_graph_sources, SONDE, GRAPH_SOURCES, GObject)

SondeGraphSources *sonde_graph_sources_new (void);

/* @documents: (array zero-terminated=1): files, of which models count; @model: (nullable): the one of them
 * that is read already; @run: (nullable); @debugged: (nullable): executed. FALSE: they are what they were, and the list was not
 * touched. */
gboolean sonde_graph_sources_update (SondeGraphSources *sources, const char *const *documents,
                                     SondeOpenedModel *model, SondeRun *run, SondeGraph *debugged);

guint sonde_graph_sources_get_n (SondeGraphSources *sources);
/* A string for each; changes with them. (transfer none) */
GListModel *sonde_graph_sources_get_titles (SondeGraphSources *sources);

/* The graph of the @i-th, the last one that was recorded, with the shapes that can be inferred. */
void sonde_graph_sources_read_async (SondeGraphSources *sources, guint i, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
/* (transfer full) Errors: as sonde_graph_read_finish(). */
SondeGraph *sonde_graph_sources_read_finish (SondeGraphSources *sources, GAsyncResult *result,
                                             GError **error);

G_END_DECLS
