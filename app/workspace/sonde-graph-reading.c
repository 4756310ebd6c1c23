/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-graph-reading.h"

#include "engine/passes/sonde-graph-shapes.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

/* What the thread gets: one of the three. */
typedef struct
{
  char *path;
  GBytes *model;
  SondeGraph *graph;
  gboolean with_shapes;
} Reading;

static void
reading_free (void *data)
{
  Reading *reading = data;

  g_free (reading->path);
  g_clear_pointer (&reading->model, g_bytes_unref);
  g_clear_pointer (&reading->graph, sonde_graph_unref);
  g_free (reading);
}

static SondeGraph *
make_graph (const Reading *reading, GError **error)
{
  if (reading->path != NULL)
    return sonde_model_load (NULL, reading->path, error);
  if (reading->model != NULL)
    return sonde_model_parse (g_bytes_get_data (reading->model, NULL),
                              g_bytes_get_size (reading->model), "graph record", error);
  if (reading->graph != NULL)
    return sonde_graph_ref (reading->graph);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "This record contains no graph");
  return NULL;
}

static void
read_in_thread (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  const Reading *reading = task_data;
  GError *error = NULL;
  SondeGraph *graph = make_graph (reading, &error);

  if (graph == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  /* Operators of other frameworks have no rules of shape here. */
  if (reading->with_shapes && reading->graph == NULL)
    sonde_graph_shapes_complete (graph);
  g_task_return_pointer (task, graph, (GDestroyNotify) sonde_graph_unref);
}

void
sonde_graph_read_async (GObject *owner, const char *path, const SondeRecord *record,
                        gboolean with_shapes, GCancellable *cancellable,
                        GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (owner, cancellable, callback, NULL);
  Reading *reading = g_new0 (Reading, 1);

  reading->path = g_strdup (path);
  reading->with_shapes = with_shapes;
  if (path == NULL && record != NULL && record->kind == SONDE_RECORD_GRAPH)
    {
      reading->model = record->u.graph.model != NULL ? g_bytes_ref (record->u.graph.model) : NULL;
      reading->graph
          = record->u.graph.graph != NULL ? sonde_graph_ref (record->u.graph.graph) : NULL;
    }
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, read_in_thread);
}

SondeGraph *
sonde_graph_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
