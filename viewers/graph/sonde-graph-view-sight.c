/* SPDX-License-Identifier: Apache-2.0
 * Which part of a graph is in sight: where it begins, what it must show, what stays where it was when scopes
 * open and close. */
#include "viewers/graph/sonde-graph-view-private.h"

#include <math.h>

#include "viewers/layout/sonde-graph-neighbourhood.h"

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

/* @area: of boxes, scene units, with the margin around it */
static gboolean
shows (const SondeViewport *v, const SondeViewport *area)
{
  return area->x0 >= v->x0 && area->y0 >= v->y0 && area->x1 <= v->x1 && area->y1 <= v->y1;
}

static SondeViewport
area_of (const SondeGraphBox *box)
{
  return (SondeViewport){ box->x - MARGIN, box->y - MARGIN, box->x + box->width + MARGIN,
                          box->y + box->height + MARGIN };
}

/* In the middle, @scale px a scene unit. */
static void
show_middle (SondeGraphView *self, const SondeViewport *area, double scale, int width, int height)
{
  double cx = (area->x0 + area->x1) / 2, cy = (area->y0 + area->y1) / 2, w = width / scale / 2,
         h = height / scale / 2;

  sonde_view_set_viewport (SONDE_VIEW (self), &(SondeViewport){ cx - w, cy - h, cx + w, cy + h });
}

/* Takes a box into an area unless that became larger than @width × @height scene units. */
static void
extend (SondeViewport *area, const SondeGraphBox *box, double width, double height)
{
  SondeViewport more = area_of (box);

  more = (SondeViewport){ fmin (area->x0, more.x0), fmin (area->y0, more.y0),
                          fmax (area->x1, more.x1), fmax (area->y1, more.y1) };
  if (more.x1 - more.x0 <= width && more.y1 - more.y0 <= height)
    *area = more;
}

/* Of a box and its neighbours, as far as they can be read in @width × @height px. */
static SondeViewport
find_area_around (SondeGraphView *self, const SondeGraphBox *box, int width, int height)
{
  guint left_out[SONDE_NEIGHBOURHOOD_COLUMNS];
  SondeViewport area = area_of (box); /* with the mark before it */
  g_autoptr (GArray) neighbours
      = box->node != NULL ? sonde_graph_list_neighbours (box->node, left_out) : NULL;

  area.x0 -= MARGIN;
  for (guint i = 0; neighbours != NULL && i < neighbours->len; i++)
    {
      const SondeGraphNeighbour *neighbour = &g_array_index (neighbours, SondeGraphNeighbour, i);
      int index = neighbour->node != NULL
                      ? sonde_graph_scene_find_node (self->scene, neighbour->node)
                      : -1;

      if (index >= 0)
        extend (&area, sonde_graph_scene_get_box (self->scene, (guint) index), width / MIN_READABLE,
                height / MIN_READABLE);
    }
  return area;
}

void
sonde_graph_view_bring_around_into_sight (SondeGraphView *self, int index, int width, int height)
{
  const SondeGraphBox *box = sonde_graph_scene_get_box (self->scene, (guint) index);
  SondeViewport area = find_area_around (self, box, width, height), v;
  double scale, fitting;

  sonde_view_get_viewport_for (SONDE_VIEW (self), width, height, &v);
  scale = scale_of (&v, width);
  if (scale >= MIN_READABLE && shows (&v, &area))
    return;
  scale = fmax (scale, START_SCALE);
  fitting = fmin (width / (area.x1 - area.x0), height / (area.y1 - area.y0));
  show_middle (self, &area, fmin (scale, fitting), width, height);
}

void
sonde_graph_view_bring_into_sight (SondeGraphView *self, int index, int width, int height)
{
  const SondeGraphBox *box = sonde_graph_scene_get_box (self->scene, (guint) index);
  SondeViewport area = area_of (box), v;
  double scale;

  sonde_view_get_viewport_for (SONDE_VIEW (self), width, height, &v);
  scale = scale_of (&v, width);
  if (scale < MIN_READABLE || !shows (&v, &area))
    show_middle (self, &area, fmax (scale, START_SCALE), width, height);
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
  int width = sonde_view_get_width (SONDE_VIEW (self));
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
  v.y1 = v.y0 + sonde_view_get_height (SONDE_VIEW (self)) / scale;
  sonde_view_set_viewport (SONDE_VIEW (self), &v);
}
