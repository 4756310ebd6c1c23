/* SPDX-License-Identifier: Apache-2.0
 * Which part of a graph is in sight: where it begins, what it must show, what stays where it was when scopes
 * open and close. */
#include "viewers/graph/sonde-graph-view-private.h"

#include <math.h>

#define MIN_READABLE                                                                               \
  0.6 /* px a scene unit; a graph that would be smaller is not fitted but begun at its top */
#define MARGIN SONDE_GRAPH_VIEW_MARGIN
#define START_SCALE 0.9

static double
scale_of (const SondeViewport *viewport, int width)
{
  return width / (viewport->x1 - viewport->x0);
}

/* ---- where it begins, what it must show ---------------------------------- */

/* The first box of those at the top: where reading begins. */
static const SondeGraphBox *
find_start (SondeGraphScene *scene)
{
  const SondeGraphBox *start = sonde_graph_scene_get_box (scene, 0);

  for (guint b = 1; b < sonde_graph_scene_get_n_boxes (scene); b++)
    {
      const SondeGraphBox *box = sonde_graph_scene_get_box (scene, b);

      start = box->y + box->height / 2 < start->y + start->height / 2 - 1 ? box : start;
    }
  return start;
}

void
sonde_graph_view_go_to_start (SondeGraphView *self, int width, int height)
{
  const SondeGraphBox *first = find_start (self->scene);
  double graph_width, graph_height, scale, w, h, cx;

  sonde_graph_scene_get_size (self->scene, &graph_width, &graph_height);
  scale = fmin (width / (graph_width + 2 * MARGIN), height / (graph_height + 2 * MARGIN));
  if (scale >= MIN_READABLE)
    return;
  w = width / START_SCALE;
  h = height / START_SCALE;
  cx = graph_width + 2 * MARGIN <= w
           ? graph_width / 2
           : CLAMP (first->x + first->width / 2, w / 2 - MARGIN, graph_width + MARGIN - w / 2);
  sonde_view_set_viewport (SONDE_VIEW (self),
                           &(SondeViewport){ cx - w / 2, -MARGIN, cx + w / 2, h - MARGIN });
}

void
sonde_graph_view_bring_into_sight (SondeGraphView *self, int index, int width, int height)
{
  const SondeGraphBox *box = sonde_graph_scene_get_box (self->scene, (guint) index);
  double cx = box->x + box->width / 2, cy = box->y + box->height / 2, scale, w, h;
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (self), width, height, &v);
  scale = scale_of (&v, width);
  if (scale >= MIN_READABLE && box->x - MARGIN >= v.x0 && box->y - MARGIN >= v.y0
      && box->x + box->width + MARGIN <= v.x1 && box->y + box->height + MARGIN <= v.y1)
    return;
  scale = fmax (scale, START_SCALE);
  w = width / scale / 2;
  h = height / scale / 2;
  sonde_view_set_viewport (SONDE_VIEW (self), &(SondeViewport){ cx - w, cy - h, cx + w, cy + h });
}

/* ---- what is selected ---------------------------------------------------- */

const SondeGraphBox *
sonde_graph_view_get_selected (SondeGraphView *view)
{
  gint64 selection = sonde_view_get_selection (SONDE_VIEW (view));

  if (view->scene == NULL || selection < 0
      || selection >= sonde_graph_scene_get_n_boxes (view->scene))
    return NULL;
  return sonde_graph_scene_get_box (view->scene, (guint) selection);
}

/* ---- what stays ---------------------------------------------------------- */

/* The selected box, or the one in the middle of what is in sight. -1: none */
static int
choose_anchor (SondeGraphView *self)
{
  gint64 selection = sonde_view_get_selection (SONDE_VIEW (self));
  SondeViewport v;

  if (self->anchor >= 0)
    return self->anchor;
  if (selection >= 0)
    return (int) selection;
  sonde_view_get_viewport (SONDE_VIEW (self), &v);
  return sonde_graph_scene_pick (self->scene, (v.x0 + v.x1) / 2, (v.y0 + v.y1) / 2);
}

void
sonde_graph_view_take_anchor (SondeGraphView *self, SondeGraphAnchor *anchor)
{
  const SondeGraphBox *selected = sonde_graph_view_get_selected (self), *box;
  int index;

  *anchor = (SondeGraphAnchor){ .scope = SONDE_SCOPE_NONE, .selected_scope = SONDE_SCOPE_NONE };
  if (self->scene == NULL || !self->is_rearranged)
    return;
  if (selected != NULL)
    {
      anchor->selected_node = selected->node;
      anchor->selected_value = selected->value;
      anchor->selected_scope = selected->scope;
    }
  index = choose_anchor (self);
  self->anchor = -1;
  if (index < 0 || (guint) index >= sonde_graph_scene_get_n_boxes (self->scene))
    return;
  box = sonde_graph_scene_get_box (self->scene, (guint) index);
  anchor->node = box->node;
  anchor->scope = box->scope;
  sonde_view_world_to_view (SONDE_VIEW (self), box->x, box->y, &anchor->x, &anchor->y);
  sonde_view_get_viewport (SONDE_VIEW (self), &anchor->viewport);
}

/* A scope that has no box any more is where its contents are. */
static int
find_box (SondeGraphScene *scene, const SondeNode *node, const SondeGraphValue *value, guint scope)
{
  for (guint b = 0; node == NULL && b < sonde_graph_scene_get_n_boxes (scene); b++)
    {
      const SondeGraphBox *box = sonde_graph_scene_get_box (scene, b);

      if (scope != SONDE_SCOPE_NONE ? box->scope == scope : value != NULL && box->value == value)
        return (int) b;
    }
  return node != NULL ? sonde_graph_scene_find_node (scene, node) : -1;
}

void
sonde_graph_view_restore_anchor (SondeGraphView *self, const SondeGraphAnchor *anchor)
{
  int selected = find_box (self->scene, anchor->selected_node, anchor->selected_value,
                           anchor->selected_scope);
  int index = find_box (self->scene, anchor->node, NULL, anchor->scope);
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  const SondeViewport *old = &anchor->viewport;
  const SondeGraphBox *box;
  SondeViewport v;
  double scale;

  if (selected >= 0)
    sonde_view_set_selection (SONDE_VIEW (self), selected);
  if (index < 0 || width <= 0)
    return;
  sonde_view_get_viewport (SONDE_VIEW (self), &v);
  if (sonde_view_is_fitted (SONDE_VIEW (self), NULL, NULL) && width / (v.x1 - v.x0) >= MIN_READABLE)
    return; /* all of it can be read */
  box = sonde_graph_scene_get_box (self->scene, (guint) index);
  scale = fmax (scale_of (old, width), MIN_READABLE);
  v.x0 = box->x - anchor->x / scale;
  v.y0 = box->y - anchor->y / scale;
  v.x1 = v.x0 + width / scale;
  v.y1 = v.y0 + gtk_widget_get_height (GTK_WIDGET (self)) / scale;
  sonde_view_set_viewport (SONDE_VIEW (self), &v);
}
