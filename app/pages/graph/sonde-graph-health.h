/* SPDX-License-Identifier: Apache-2.0
 * What a run recorded last of the values of a graph (weights, gradients, activations), as the health of the
 * nodes that read or make them. */
#pragma once

#include "data/runs/sonde-run-store.h"
#include "viewers/paint/graph/sonde-graph-tint.h"

G_BEGIN_DECLS

/* What most of the elements are that are not as they should be. */
typedef enum
{
  SONDE_GRAPH_HEALTH_NOT_FINITE, /* NaN or infinite, however few */
  SONDE_GRAPH_HEALTH_SATURATED,  /* nearly as far as Sigmoid, HardSigmoid, Tanh or Softsign go */
  SONDE_GRAPH_HEALTH_ZERO,
  SONDE_GRAPH_HEALTH_GOOD, /* none of these */
  SONDE_GRAPH_N_HEALTHS,
} SondeGraphHealth;

/* @share: of the elements, 0 to 1; of GOOD and where nothing was recorded NaN; @is_known: something was */
typedef struct
{
  gboolean is_known;
  SondeGraphHealth health;
  double share;
} SondeNodeHealth;

/* Whether the run has records of values of @graph. */
gboolean sonde_graph_health_is_recorded (SondeRun *run, const SondeGraph *graph);

/* Reads the last record of each. The source of the result is @run. */
void sonde_graph_health_async (SondeRun *run, const SondeGraph *graph, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data);

/* By node id: the worst of the values that it makes, and of those that nobody makes and it reads. (transfer
 * full). Errors: as sonde_run_read_blobs_finish(). */
SondeNodeHealth *sonde_graph_health_finish (SondeRun *run, GAsyncResult *result,
                                            const SondeGraph *graph, GError **error);

/* @health: by node id. (transfer full) */
SondeGraphTint *sonde_graph_health_make_tint (const SondeGraph *graph,
                                              const SondeNodeHealth *health);

G_END_DECLS
