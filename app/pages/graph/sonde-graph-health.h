/* SPDX-License-Identifier: Apache-2.0
 * What a run recorded last of the values of a graph (weights, gradients, activations), as the health of the
 * nodes that read or make them. */
#pragma once

#include "data/runs/sonde-run-store.h"
#include "viewers/paint/graph/sonde-graph-tint.h"

G_BEGIN_DECLS

/* From the worst on; a node has the worst of its values. */
typedef enum
{
  SONDE_GRAPH_HEALTH_NOT_FINITE, /* some element is NaN or infinite */
  SONDE_GRAPH_HEALTH_ALL_ZERO,
  SONDE_GRAPH_HEALTH_HALF_ZERO, /* more than half of the elements */
  SONDE_GRAPH_HEALTH_GOOD,
  SONDE_GRAPH_N_HEALTHS,
} SondeGraphHealth;

/* Whether the run has records of values of @graph. */
gboolean sonde_graph_health_is_recorded (SondeRun *run, const SondeGraph *graph);

/* Reads the last record of each. The source of the result is @run. */
void sonde_graph_health_async (SondeRun *run, const SondeGraph *graph, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data);

/* By node id: a SondeGraphHealth, NaN where nothing was recorded. (transfer full). Errors: as
 * sonde_run_read_blobs_finish(). */
double *sonde_graph_health_finish (SondeRun *run, GAsyncResult *result, const SondeGraph *graph,
                                   GError **error);

/* @health: by node id. (transfer full) */
SondeGraphTint *sonde_graph_health_make_tint (const SondeGraph *graph, const double *health);

G_END_DECLS
