/* SPDX-License-Identifier: Apache-2.0
 * A graph laid out in a thread, for a view that may be gone before it is done. */
#pragma once

#include <gio/gio.h>

#include "viewers/paint/graph/sonde-graph-paint.h"

G_BEGIN_DECLS

/* @task: as sonde_graph_layout_task_start() gave it; @scene: (transfer full) (nullable): NULL: the graph
 * cannot be laid out */
typedef void (*SondeGraphLaidOutFunc) (gpointer view, GTask *task, SondeGraphScene *scene);

/* @view: no reference is held: widgets end on the main thread only. @phases: as of
 * sonde_graph_scene_new(); @nested: with scopes, @folding of them (transfer full) (nullable); @done: on the
 * main thread, unless @view is gone. (transfer full) */
GTask *sonde_graph_layout_task_start (GObject *view, SondeGraph *graph, guint phases,
                                      gboolean nested, SondeGraphFolding *folding,
                                      SondeGraphLaidOutFunc done);
/* The layout ends early; what comes back is not that of a task the view still knows. */
void sonde_graph_layout_task_cancel (GTask *task);

G_END_DECLS
