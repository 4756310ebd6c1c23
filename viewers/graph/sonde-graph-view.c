/* SPDX-License-Identifier: Apache-2.0
 * A graph that can be zoomed, searched and picked. */
#include "viewers/graph/sonde-graph-view-private.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/graph/sonde-graph-layout-task.h"

#define LEGEND_MARGIN 12

G_DEFINE_FINAL_TYPE (SondeGraphView, sonde_graph_view, SONDE_TYPE_VIEW)

enum
{
  READY,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- painting ------------------------------------------------------------ */

/* In the first corner that no box stands in; nowhere when all are taken. */
static void
paint_legend (SondeGraphView *self, cairo_t *cr, const SondeViewport *viewport, double scale,
              int width, int height)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (self));
  double w, h;

  if (self->shades != NULL)
    sonde_graph_key_get_size (self->shades, &w, &h);
  else
    sonde_graph_legend_get_size (self->scene, &w, &h);
  for (int corner = 0; corner < 3; corner++)
    {
      double x = corner < 2 ? LEGEND_MARGIN : width - LEGEND_MARGIN - w;
      double y = corner == 0 ? height - LEGEND_MARGIN - h : LEGEND_MARGIN;

      if (sonde_graph_scene_touches (self->scene, viewport->x0 + (x - LEGEND_MARGIN) / scale,
                                     viewport->y0 + (y - LEGEND_MARGIN) / scale,
                                     viewport->x0 + (x + w + LEGEND_MARGIN) / scale,
                                     viewport->y0 + (y + h + LEGEND_MARGIN) / scale))
        continue;
      if (self->shades != NULL)
        sonde_paint_graph_key (cr, theme, self->shades, x, y);
      else
        sonde_paint_graph_legend (cr, theme, self->scene, x, y);
      return;
    }
}

static void
sonde_graph_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  SondeViewport viewport;
  double scale;

  /* On a page of its own it lies on paper, as a listing does. */
  if (self->has_legend)
    {
      sonde_paint_set_color (cr, &sonde_view_get_theme (view)->card);
      cairo_paint (cr);
    }
  if (self->scene == NULL)
    return;
  sonde_view_get_viewport_for (view, width, height, &viewport);
  scale = width / (viewport.x1 - viewport.x0);
  cairo_save (cr);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_clip (cr);
  cairo_scale (cr, scale, scale);
  cairo_translate (cr, -viewport.x0, -viewport.y0);
  sonde_paint_graph (cr, sonde_view_get_theme (view), self->scene, self->marks, self->shades);
  cairo_restore (cr);
  if (self->has_legend)
    paint_legend (self, cr, &viewport, scale, width, height);
}

/* ---- overview ------------------------------------------------------------ */

/* Where the overview stands; FALSE when there is none. */
static gboolean
place_overview (SondeGraphView *self, int width, int height, SondeViewRect *sight,
                SondeViewRect *rect)
{
  SondeViewport viewport;

  if (self->scene == NULL || !self->has_legend)
    return FALSE;
  sonde_view_get_viewport_for (SONDE_VIEW (self), width, height, &viewport);
  *sight = (SondeViewRect){ viewport.x0, viewport.y0, viewport.x1 - viewport.x0,
                            viewport.y1 - viewport.y0 };
  return sonde_graph_overview_place (&self->overview, sonde_view_get_theme (SONDE_VIEW (self)),
                                     self->scene, self->marks, self->shades, sight, width, height,
                                     rect);
}

static void
sonde_graph_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  SondeViewRect sight, rect;

  if (place_overview (self, width, height, &sight, &rect))
    sonde_graph_overview_paint (&self->overview, cr, sonde_view_get_theme (view), &sight, &rect);
}

/* A click in the overview goes there; elsewhere it selects. */
static void
on_picked (SondeGraphView *self, gint64 id, int n_presses, double x, double y)
{
  int width = sonde_view_get_width (SONDE_VIEW (self)),
      height = sonde_view_get_height (SONDE_VIEW (self));
  SondeViewport viewport;
  SondeViewRect sight, rect;
  double w, h, cx, cy;

  if (!place_overview (self, width, height, &sight, &rect) || x < rect.x || y < rect.y
      || x > rect.x + rect.width || y > rect.y + rect.height)
    {
      sonde_view_set_selection (SONDE_VIEW (self), id);
      sonde_graph_view_press_scope (self, id, n_presses, x);
      return;
    }
  sonde_view_get_viewport (SONDE_VIEW (self), &viewport);
  w = (viewport.x1 - viewport.x0) / 2;
  h = (viewport.y1 - viewport.y0) / 2;
  cx = (x - rect.x) / self->overview.scale;
  cy = (y - rect.y) / self->overview.scale;
  sonde_view_set_viewport (SONDE_VIEW (self), &(SondeViewport){ cx - w, cy - h, cx + w, cy + h });
}

/* ---- arrangement --------------------------------------------------------- */

static void
sonde_graph_view_prepare (SondeView *view, int width, int height)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);

  if (self->scene == NULL || sonde_graph_scene_get_n_boxes (self->scene) == 0)
    return;
  if (self->is_new && self->has_legend)
    sonde_graph_view_go_to_start (self, width, height);
  self->is_new = FALSE;
  if (self->reveal >= 0 && (guint) self->reveal < sonde_graph_scene_get_n_boxes (self->scene))
    {
      if (self->with_neighbours)
        sonde_graph_view_bring_around_into_sight (self, self->reveal, width, height);
      else
        sonde_graph_view_bring_into_sight (self, self->reveal, width, height);
    }
  self->reveal = -1;
}

/* ---- picking ------------------------------------------------------------- */

static gboolean
sonde_graph_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  const SondeGraphBox *box;
  double wx, wy, x1, y1;
  SondeViewRect map, sight;
  int index;

  if (self->scene == NULL
      || (place_overview (self, sonde_view_get_width (view), sonde_view_get_height (view), &sight,
                          &map)
          && x >= map.x && y >= map.y && x < map.x + map.width && y < map.y + map.height))
    return FALSE;
  sonde_view_view_to_world (view, x, y, &wx, &wy);
  index = sonde_graph_scene_pick (self->scene, wx, wy);
  if (index < 0)
    return FALSE;
  box = sonde_graph_scene_get_box (self->scene, (guint) index);
  pick->id = index;
  sonde_view_world_to_view (view, box->x, box->y, &pick->area.x, &pick->area.y);
  sonde_view_world_to_view (view, box->x + box->width, box->y + box->height, &x1, &y1);
  pick->area.width = x1 - pick->area.x;
  pick->area.height = y1 - pick->area.y;
  return TRUE;
}

static char *
sonde_graph_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  const SondeGraphBox *box;
  g_autofree char *origin = NULL, *shade = NULL;

  if (self->scene == NULL || pick->id < 0
      || pick->id >= sonde_graph_scene_get_n_boxes (self->scene))
    return NULL;
  box = sonde_graph_scene_get_box (self->scene, (guint) pick->id);
  if (box->scope != SONDE_SCOPE_NONE)
    return sonde_graph_view_describe_scope (self, (guint) pick->id);
  if (box->node == NULL)
    {
      g_autofree char *type = sonde_type_to_string (&box->value->type);

      return g_strdup_printf ("%s: %s", box->value->name, type);
    }
  origin = sonde_node_describe_origin (box->node);
  if (self->shades != NULL)
    shade = sonde_graph_shades_describe_box (self->shades, (guint) pick->id);
  return g_strdup_printf ("%s\n%s%s%s%s%s", box->node->name, box->node->op,
                          origin != NULL ? "\n" : "", origin != NULL ? origin : "",
                          shade != NULL ? "\n" : "", shade != NULL ? shade : "");
}

/* Arrow keys: the next boxes in the order of the graph. */
static gboolean
sonde_graph_view_move_cursor (SondeView *view, int count)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  gint64 n = self->scene != NULL ? sonde_graph_scene_get_n_boxes (self->scene) : 0;
  gint64 selection = sonde_view_get_selection (view);

  if (n == 0)
    return FALSE;
  selection = selection < 0 ? (count > 0 ? 0 : n - 1) : CLAMP (selection + count, 0, n - 1);
  sonde_view_set_selection (view, selection);
  self->reveal = (int) selection;
  self->with_neighbours = FALSE;
  sonde_view_invalidate (view);
  return TRUE;
}

/* Of the selected box, as assistive tools call it. (transfer full) */
static char *
dup_selected_name (SondeGraphView *self)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (self);

  if (box->scope != SONDE_SCOPE_NONE)
    return sonde_graph_view_describe_scope (self,
                                            (guint) sonde_view_get_selection (SONDE_VIEW (self)));
  return g_strdup (box->node != NULL ? box->node->name : box->value->name);
}

static char *
sonde_graph_view_describe (SondeView *view)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  const SondeGraphBox *selected = sonde_graph_view_get_selected (self);
  g_autofree char *count = NULL;
  GString *text = NULL;

  if (self->scene == NULL)
    return g_strdup (_ ("No graph."));
  text = g_string_new (NULL);
  count = sonde_format_count (sonde_graph_scene_get_n_boxes (self->scene));
  g_string_append_printf (text, _ ("Graph of %s boxes."), count);
  if (self->shades != NULL)
    {
      g_autofree char *colours = sonde_graph_shades_describe (self->shades);

      g_string_append_printf (text, _ (" Coloured by: %s."), colours);
    }
  if (selected != NULL)
    {
      g_autofree char *name = dup_selected_name (self);

      g_string_append_printf (text, _ (" Selected: %s."), name);
    }
  if (selected != NULL && self->shades != NULL)
    {
      g_autofree char *shade
          = sonde_graph_shades_describe_box (self->shades, (guint) sonde_view_get_selection (view));

      g_string_append_printf (text, " %s.", shade);
    }
  return g_string_free (text, FALSE);
}

static void
update_selection_mark (SondeGraphView *self)
{
  gint64 selection = sonde_view_get_selection (SONDE_VIEW (self));
  guint n = self->scene != NULL ? sonde_graph_scene_get_n_boxes (self->scene) : 0;

  for (guint b = 0; b < n; b++)
    self->marks[b] = (guint8) (b == selection ? self->marks[b] | SONDE_GRAPH_MARK_SELECTED
                                              : self->marks[b] & ~SONDE_GRAPH_MARK_SELECTED);
  sonde_graph_overview_forget (&self->overview);
  sonde_view_invalidate (SONDE_VIEW (self));
}

/* ---- layout -------------------------------------------------------------- */

gboolean
sonde_graph_view_is_ready (SondeGraphView *view)
{
  return view->task == NULL;
}

SondeGraphScene *
sonde_graph_view_get_scene (SondeGraphView *view)
{
  return view->scene;
}

/* ---- marks and selection ------------------------------------------------- */

const guint8 *
sonde_graph_view_get_marks (SondeGraphView *view)
{
  return view->marks;
}

void
sonde_graph_view_mark (SondeGraphView *view, SondeGraphMark mask, const char *const *names)
{
  guint n = view->scene != NULL ? sonde_graph_scene_get_n_boxes (view->scene) : 0;

  for (guint b = 0; b < n; b++)
    view->marks[b] = (guint8) (view->marks[b] & ~mask);
  for (gsize i = 0; n > 0 && names != NULL && names[i] != NULL; i++)
    {
      int box = sonde_graph_scene_find (view->scene, names[i]);

      if (box >= 0)
        view->marks[box] = (guint8) (view->marks[box] | mask);
    }
  sonde_graph_overview_forget (&view->overview);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_graph_view_set_legend (SondeGraphView *view, gboolean has_legend)
{
  g_return_if_fail (SONDE_IS_GRAPH_VIEW (view));
  view->has_legend = has_legend;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_graph_view_take_tint (SondeGraphView *view, SondeGraphTint *tint)
{
  g_return_if_fail (SONDE_IS_GRAPH_VIEW (view));
  g_clear_pointer (&view->shades, sonde_graph_shades_free);
  g_clear_pointer (&view->tint, sonde_graph_tint_free);
  view->tint = tint;
  sonde_graph_view_update_shades (view);
}

void
sonde_graph_view_take_lit (SondeGraphView *view, guint8 *nodes)
{
  g_return_if_fail (SONDE_IS_GRAPH_VIEW (view));
  g_free (view->lit);
  view->lit = nodes;
  view->lit_graph = view->scene != NULL ? sonde_graph_scene_get_graph (view->scene) : NULL;
  sonde_graph_view_update_lit (view);
}

const guint8 *
sonde_graph_view_get_lit (SondeGraphView *view)
{
  return view->scene != NULL && view->lit_graph == sonde_graph_scene_get_graph (view->scene)
             ? view->lit
             : NULL;
}

const SondeGraphShades *
sonde_graph_view_get_shades (SondeGraphView *view)
{
  return view->shades;
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_graph_view_dispose (GObject *object)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (object);

  sonde_graph_view_cancel (self);
  sonde_graph_overview_forget (&self->overview);
  g_clear_pointer (&self->shades, sonde_graph_shades_free);
  g_clear_pointer (&self->tint, sonde_graph_tint_free);
  g_clear_pointer (&self->scene, sonde_graph_scene_free);
  g_clear_pointer (&self->marks, g_free);
  g_clear_pointer (&self->wanted, g_free);
  g_clear_pointer (&self->lit, g_free);
  G_OBJECT_CLASS (sonde_graph_view_parent_class)->dispose (object);
}

/* The overview has the colours of its time. */
static void
sonde_graph_view_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sonde_graph_view_parent_class)->css_changed (widget, change);
  sonde_graph_overview_forget (&SONDE_GRAPH_VIEW (widget)->overview);
}

static void
sonde_graph_view_class_init (SondeGraphViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_graph_view_dispose;
  GTK_WIDGET_CLASS (klass)->css_changed = sonde_graph_view_css_changed;
  view->paint = sonde_graph_view_paint;
  view->paint_overlay = sonde_graph_view_paint_overlay;
  view->prepare = sonde_graph_view_prepare;
  view->pick = sonde_graph_view_pick;
  view->dup_tooltip = sonde_graph_view_dup_tooltip;
  view->describe = sonde_graph_view_describe;
  view->move_cursor = sonde_graph_view_move_cursor;
  signals[READY] = g_signal_new ("ready", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_graph_view_init (SondeGraphView *self)
{
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_UNIFORM);
  sonde_view_set_title (SONDE_VIEW (self), _ ("Graph"));
  self->reveal = self->anchor = -1;
  sonde_graph_view_add_keys (self);
  g_signal_connect (self, "notify::selection", G_CALLBACK (update_selection_mark), NULL);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
}

GtkWidget *
sonde_graph_view_new (void)
{
  return g_object_new (SONDE_TYPE_GRAPH_VIEW, NULL);
}
