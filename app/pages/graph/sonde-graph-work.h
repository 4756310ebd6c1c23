/* SPDX-License-Identifier: Apache-2.0
 * The operations of each node of a graph, counted in a thread by the sizes that it tells; others are 1. */
#pragma once

#include <gio/gio.h>

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* @graph: must not change any more; @owner: source of the result, kept alive meanwhile */
void sonde_graph_work_async (GObject *owner, SondeGraph *graph, GCancellable *cancellable,
                             GAsyncReadyCallback callback);

/* FLOPs by node id, NaN where they are not known. (transfer full). Errors: as sonde_graph_cost_new(), or
 * cancelled. */
double *sonde_graph_work_finish (GAsyncResult *result, GError **error);

G_END_DECLS
