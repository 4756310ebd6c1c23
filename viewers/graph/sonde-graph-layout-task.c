/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/graph/sonde-graph-layout-task.h"

/* One layout on its way. */
typedef struct
{
  GWeakRef view;
  SondeGraph *graph;
  guint phases;
  gboolean nested;
  SondeGraphFolding *folding; /* (nullable) */
  SondeGraphLaidOutFunc done;
  _Atomic gboolean cancelled;
} Layout;

static void
layout_free (void *data)
{
  Layout *layout = data;

  g_weak_ref_clear (&layout->view);
  sonde_graph_unref (layout->graph);
  sonde_graph_folding_free (layout->folding);
  g_free (layout);
}

static void
lay_out_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Layout *layout = task_data;
  GError *error = NULL;
  SondeGraphScene *scene
      = layout->nested
            ? sonde_graph_scene_new_nested (layout->graph, layout->phases, layout->folding,
                                            &layout->cancelled, &error)
            : sonde_graph_scene_new (layout->graph, layout->phases, &layout->cancelled, &error);

  if (scene != NULL)
    g_task_return_pointer (task, scene, (GDestroyNotify) sonde_graph_scene_free);
  else
    g_task_return_error (task, error);
}

static void
on_laid_out (GObject *source, GAsyncResult *result, gpointer data)
{
  Layout *layout = g_task_get_task_data (G_TASK (result));
  g_autoptr (GObject) view = g_weak_ref_get (&layout->view);
  g_autoptr (GError) error = NULL;
  SondeGraphScene *scene = g_task_propagate_pointer (G_TASK (result), &error);

  if (scene == NULL)
    g_debug ("no layout: %s", error->message);
  if (view != NULL)
    layout->done (view, G_TASK (result), scene);
  else
    sonde_graph_scene_free (scene);
}

GTask *
sonde_graph_layout_task_start (GObject *view, SondeGraph *graph, guint phases, gboolean nested,
                               SondeGraphFolding *folding, SondeGraphLaidOutFunc done)
{
  Layout *layout = g_new0 (Layout, 1);
  GTask *task = g_task_new (NULL, NULL, on_laid_out, NULL);

  g_weak_ref_init (&layout->view, view);
  layout->graph = sonde_graph_ref (graph);
  layout->phases = phases;
  layout->nested = nested;
  layout->folding = folding;
  layout->done = done;
  g_task_set_task_data (task, layout, layout_free);
  g_task_run_in_thread (task, lay_out_in_thread);
  return task;
}

void
sonde_graph_layout_task_cancel (GTask *task)
{
  ((Layout *) g_task_get_task_data (task))->cancelled = TRUE;
}
