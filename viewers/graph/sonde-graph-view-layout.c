/* SPDX-License-Identifier: Apache-2.0
 * From a graph to a scene in a thread, again and again as scopes open and close; and boxes by their names,
 * for which scopes open. */
#include "viewers/graph/sonde-graph-layout-task.h"
#include "viewers/graph/sonde-graph-view-private.h"

void
sonde_graph_view_update_shades (SondeGraphView *self)
{
  g_clear_pointer (&self->shades, sonde_graph_shades_free);
  if (self->tint != NULL && self->scene != NULL)
    self->shades = sonde_graph_shades_new (self->tint, self->scene);
  sonde_graph_overview_forget (&self->overview);
  sonde_view_invalidate (SONDE_VIEW (self));
}

/* A node or scope is dimmed when nothing in it is lit, a value when what makes or reads it is not. */
static gboolean
is_value_lit (SondeGraphView *self, const SondeGraphValue *value)
{
  if (value->producer != NULL)
    return self->lit[value->producer->id];
  for (guint i = 0; i < value->users->len; i++)
    if (self->lit[((const SondeNode *) g_ptr_array_index (value->users, i))->id])
      return TRUE;
  return FALSE;
}

void
sonde_graph_view_update_lit (SondeGraphView *self)
{
  guint n = self->scene != NULL ? sonde_graph_scene_get_n_boxes (self->scene) : 0;
  SondeGraph *graph = self->scene != NULL ? sonde_graph_scene_get_graph (self->scene) : NULL;
  gboolean any = graph != NULL && self->lit != NULL && graph == self->lit_graph;

  for (guint b = 0; b < n; b++)
    {
      const SondeGraphBox *box = sonde_graph_scene_get_box (self->scene, b);
      gboolean dimmed
          = any && !box->is_open && (box->value == NULL || !is_value_lit (self, box->value));

      self->marks[b] = (guint8) (dimmed ? self->marks[b] | SONDE_GRAPH_MARK_DIMMED
                                        : self->marks[b] & ~SONDE_GRAPH_MARK_DIMMED);
    }
  for (guint i = 0; any && i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);
      int box = node != NULL && self->lit[i] ? sonde_graph_scene_find_node (self->scene, node) : -1;

      if (box >= 0)
        self->marks[box] = (guint8) (self->marks[box] & ~SONDE_GRAPH_MARK_DIMMED);
    }
  sonde_graph_overview_forget (&self->overview);
  sonde_view_invalidate (SONDE_VIEW (self));
}

static void
take_scene (SondeGraphView *self, SondeGraphScene *scene)
{
  SondeViewport bounds = { -SONDE_GRAPH_VIEW_MARGIN, -SONDE_GRAPH_VIEW_MARGIN,
                           SONDE_GRAPH_VIEW_MARGIN, SONDE_GRAPH_VIEW_MARGIN };
  SondeGraphAnchor anchor;
  double width, height;

  sonde_graph_view_take_anchor (self, &anchor);
  g_clear_pointer (&self->scene, sonde_graph_scene_free);
  g_clear_pointer (&self->marks, g_free);
  self->scene = scene;
  self->reveal = -1;
  self->marks = g_new0 (guint8, MAX (sonde_graph_scene_get_n_boxes (scene), 1));
  sonde_graph_scene_get_size (scene, &width, &height);
  bounds.x1 += width;
  bounds.y1 += height;
  sonde_graph_view_update_lit (self);
  sonde_graph_view_update_shades (self);
  sonde_view_set_selection (SONDE_VIEW (self), SONDE_VIEW_NOTHING);
  sonde_view_set_bounds (SONDE_VIEW (self), &bounds);
  self->is_new |= !self->is_rearranged;
  if (self->is_rearranged)
    sonde_graph_view_restore_anchor (self, &anchor);
  else
    sonde_view_zoom_fit (SONDE_VIEW (self));
  self->is_rearranged = FALSE;
  sonde_view_invalidate (SONDE_VIEW (self));
}

static void
on_laid_out (gpointer view, GTask *task, SondeGraphScene *scene)
{
  SondeGraphView *self = view;

  if (self->task != task)
    {
      sonde_graph_scene_free (scene); /* a later graph took its place */
      return;
    }
  g_clear_object (&self->task);
  g_clear_pointer (&self->asked, sonde_graph_folding_free);
  if (scene != NULL)
    take_scene (self, scene);
  if (scene != NULL && self->wanted != NULL)
    {
      g_autofree char *wanted = g_steal_pointer (&self->wanted);

      sonde_graph_view_select_name (self, wanted);
    }
  g_signal_emit_by_name (self, "ready");
}

void
sonde_graph_view_cancel (SondeGraphView *view)
{
  if (view->task == NULL)
    return;
  sonde_graph_layout_task_cancel (view->task);
  g_clear_pointer (&view->asked, sonde_graph_folding_free);
  g_clear_object (&view->task);
  g_clear_pointer (&view->wanted, g_free);
}

static void
clear (SondeGraphView *self)
{
  sonde_graph_overview_forget (&self->overview);
  sonde_view_set_selection (SONDE_VIEW (self), SONDE_VIEW_NOTHING);
  g_clear_pointer (&self->shades, sonde_graph_shades_free);
  g_clear_pointer (&self->scene, sonde_graph_scene_free);
  g_clear_pointer (&self->marks, g_free);
  sonde_view_invalidate (SONDE_VIEW (self));
}

void
sonde_graph_view_set_graph (SondeGraphView *view, SondeGraph *graph, guint phases)
{
  g_return_if_fail (SONDE_IS_VIEW (view));
  sonde_graph_view_cancel (view);
  view->is_rearranged = FALSE;
  view->phases = phases;
  if (graph != view->lit_graph)
    g_clear_pointer (&view->lit, g_free);
  if (graph == NULL)
    clear (view);
  else
    view->task = sonde_graph_layout_task_start (G_OBJECT (view), graph, phases, view->is_nested,
                                                NULL, on_laid_out);
}

void
sonde_graph_view_rearrange (SondeGraphView *view, SondeGraphFolding *folding)
{
  sonde_graph_view_cancel (view);
  view->is_rearranged = TRUE;
  view->asked = sonde_graph_folding_copy (folding);
  view->task
      = sonde_graph_layout_task_start (G_OBJECT (view), sonde_graph_scene_get_graph (view->scene),
                                       view->phases, TRUE, folding, on_laid_out);
}

const SondeGraphFolding *
sonde_graph_view_get_folding (SondeGraphView *view)
{
  if (view->asked != NULL)
    return view->asked;
  return view->scene != NULL ? sonde_graph_scene_get_folding (view->scene) : NULL;
}

/* ---- names --------------------------------------------------------------- */

/* Opens what hides the node @name, or the node that makes the value @name. FALSE: nothing does. */
static gboolean
uncover (SondeGraphView *view, const char *name)
{
  const SondeGraphFolding *old = sonde_graph_view_get_folding (view);
  SondeGraph *graph = view->scene != NULL ? sonde_graph_scene_get_graph (view->scene) : NULL;
  const SondeNode *node = old != NULL ? sonde_graph_resolve_node (graph, name) : NULL;
  SondeGraphFolding *folding;

  if (node == NULL || old->tree->scope_of_node[node->id] == SONDE_SCOPE_NONE)
    return FALSE;
  folding = sonde_graph_folding_copy (old);
  if (sonde_graph_folding_reveal (folding, node))
    {
      sonde_graph_view_rearrange (view, folding);
      return TRUE;
    }
  sonde_graph_folding_free (folding);
  return view->asked != NULL; /* it will be shown soon */
}

gboolean
sonde_graph_view_reveal_name (SondeGraphView *view, const char *name)
{
  int index = view->scene != NULL ? sonde_graph_scene_find (view->scene, name) : -1;

  if (index < 0)
    return FALSE;
  view->reveal = index;
  view->with_neighbours = FALSE;
  sonde_view_invalidate (SONDE_VIEW (view));
  return TRUE;
}

gboolean
sonde_graph_view_reveal_around (SondeGraphView *view, const char *name)
{
  gboolean is_there = sonde_graph_view_reveal_name (view, name);

  view->with_neighbours = is_there;
  return is_there;
}

gboolean
sonde_graph_view_select_name (SondeGraphView *view, const char *name)
{
  if (uncover (view, name))
    {
      g_free (view->wanted);
      view->wanted = g_strdup (name);
      return TRUE;
    }
  if (!sonde_graph_view_reveal_name (view, name))
    return FALSE;
  sonde_view_set_selection (SONDE_VIEW (view), sonde_graph_scene_find (view->scene, name));
  return TRUE;
}
