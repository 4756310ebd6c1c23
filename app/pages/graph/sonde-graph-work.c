/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-work.h"

#include <math.h>

#include "engine/profile/sonde-graph-cost.h"

static void
count_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  SondeGraph *graph = data;
  GError *error = NULL;
  g_autoptr (SondeGraphCost) cost = sonde_graph_cost_new (graph, NULL, 0, &error);
  double *flops = NULL;

  if (cost == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  flops = g_new (double, graph->nodes->len + 1);
  for (guint i = 0; i < graph->nodes->len; i++)
    flops[i] = NAN;
  for (guint i = 0; i < cost->nodes->len; i++)
    {
      const SondeNodeCost *node = &g_array_index (cost->nodes, SondeNodeCost, i);
      const SondeNode *of = sonde_graph_find_node (graph, node->name);

      if (of != NULL && node->flops != SONDE_COST_NOT_KNOWN)
        flops[of->id] = (double) node->flops;
    }
  g_task_return_pointer (task, flops, g_free);
}

void
sonde_graph_work_async (GObject *owner, SondeGraph *graph, GCancellable *cancellable,
                        GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (owner, cancellable, callback, NULL);

  g_task_set_task_data (task, sonde_graph_ref (graph), (GDestroyNotify) sonde_graph_unref);
  g_task_run_in_thread (task, count_in_thread);
}

double *
sonde_graph_work_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
