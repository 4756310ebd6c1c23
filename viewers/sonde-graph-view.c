/* SPDX-License-Identifier: Apache-2.0
 * A graph that can be zoomed, searched and picked. */
#include "viewers/sonde-graph-view.h"

#define MARGIN 24

/* One layout on its way. */
typedef struct
{
  SondeGraph *graph;
  guint phases;
  _Atomic gboolean cancelled;
} Layout;

struct _SondeGraphView
{
  SondeView parent_instance;

  SondeGraphScene *scene;
  guint8 *marks; /* by box */
  GTask *task;   /* the layout that counts; (nullable) */
};

G_DEFINE_FINAL_TYPE (SondeGraphView, sonde_graph_view, SONDE_TYPE_VIEW)

enum
{
  READY,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
layout_free (void *data)
{
  Layout *layout = data;

  sonde_graph_unref (layout->graph);
  g_free (layout);
}

/* ---- painting --------------------------------------------------------------------------------- */

static void
sonde_graph_view_paint (SondeView *view,
                        cairo_t   *cr,
                        int        width,
                        int        height)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  SondeViewport viewport;
  double scale;

  if (self->scene == NULL)
    return;
  sonde_view_get_viewport_for (view, width, height, &viewport);
  scale = width / (viewport.x1 - viewport.x0);
  cairo_save (cr);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_clip (cr);
  cairo_scale (cr, scale, scale);
  cairo_translate (cr, -viewport.x0, -viewport.y0);
  sonde_paint_graph (cr, sonde_view_get_theme (view), self->scene, self->marks);
  cairo_restore (cr);
}

static gboolean
sonde_graph_view_pick (SondeView     *view,
                       double         x,
                       double         y,
                       SondeViewPick *pick)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  const SondeGraphBox *box;
  double wx, wy, x1, y1;
  int index;

  if (self->scene == NULL)
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
sonde_graph_view_dup_tooltip (SondeView           *view,
                              const SondeViewPick *pick)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  const SondeGraphBox *box;
  g_autofree char *origin = NULL;

  if (self->scene == NULL || pick->id < 0 || pick->id >= sonde_graph_scene_get_n_boxes (self->scene))
    return NULL;
  box = sonde_graph_scene_get_box (self->scene, (guint) pick->id);
  if (box->node == NULL)
    {
      g_autofree char *type = sonde_type_to_string (&box->value->type);

      return g_strdup_printf ("%s: %s", box->value->name, type);
    }
  origin = sonde_node_describe_origin (box->node);
  return g_strdup_printf ("%s\n%s%s%s", box->node->name, box->node->op, origin != NULL ? "\n" : "",
                          origin != NULL ? origin : "");
}

static char *
sonde_graph_view_describe (SondeView *view)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (view);
  const SondeGraphBox *selected = sonde_graph_view_get_selected (self);

  if (self->scene == NULL)
    return g_strdup ("No graph.");
  return g_strdup_printf ("Graph of %u boxes.%s%s%s", sonde_graph_scene_get_n_boxes (self->scene),
                          selected != NULL ? " Selected: " : "",
                          selected == NULL         ? ""
                          : selected->node != NULL ? selected->node->name
                                                   : selected->value->name,
                          selected != NULL ? "." : "");
}

static void
update_selection_mark (SondeGraphView *self)
{
  gint64 selection = sonde_view_get_selection (SONDE_VIEW (self));
  guint n = self->scene != NULL ? sonde_graph_scene_get_n_boxes (self->scene) : 0;

  for (guint b = 0; b < n; b++)
    self->marks[b] = (guint8) (b == selection ? self->marks[b] | SONDE_GRAPH_MARK_SELECTED
                                              : self->marks[b] & ~SONDE_GRAPH_MARK_SELECTED);
  sonde_view_invalidate (SONDE_VIEW (self));
}

/* ---- layout ----------------------------------------------------------------------------------- */

static void
lay_out_in_thread (GTask        *task,
                   gpointer      source,
                   gpointer      task_data,
                   GCancellable *cancellable)
{
  Layout *layout = task_data;
  GError *error = NULL;
  SondeGraphScene *scene = sonde_graph_scene_new (layout->graph, layout->phases, &layout->cancelled, &error);

  if (scene != NULL)
    g_task_return_pointer (task, scene, (GDestroyNotify) sonde_graph_scene_free);
  else
    g_task_return_error (task, error);
}

static void
take_scene (SondeGraphView  *self,
            SondeGraphScene *scene)
{
  SondeViewport bounds = { -MARGIN, -MARGIN, MARGIN, MARGIN };
  double width, height;

  g_clear_pointer (&self->scene, sonde_graph_scene_free);
  g_clear_pointer (&self->marks, g_free);
  self->scene = scene;
  self->marks = g_new0 (guint8, MAX (sonde_graph_scene_get_n_boxes (scene), 1));
  sonde_graph_scene_get_size (scene, &width, &height);
  bounds.x1 += width;
  bounds.y1 += height;
  sonde_view_set_selection (SONDE_VIEW (self), SONDE_VIEW_NOTHING);
  sonde_view_set_bounds (SONDE_VIEW (self), &bounds);
  sonde_view_zoom_fit (SONDE_VIEW (self));
  sonde_view_invalidate (SONDE_VIEW (self));
}

static void
on_laid_out (GObject      *source,
             GAsyncResult *result,
             gpointer      data)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (source);
  g_autoptr (GError) error = NULL;
  SondeGraphScene *scene = g_task_propagate_pointer (G_TASK (result), &error);

  if (self->task != G_TASK (result))
    {
      /* A later graph took its place. */
      sonde_graph_scene_free (scene);
      return;
    }
  g_clear_object (&self->task);
  if (scene != NULL)
    take_scene (self, scene);
  else
    g_debug ("no layout: %s", error->message);
  g_signal_emit (self, signals[READY], 0);
}

static void
cancel_layout (SondeGraphView *self)
{
  if (self->task == NULL)
    return;
  ((Layout *) g_task_get_task_data (self->task))->cancelled = TRUE;
  g_clear_object (&self->task);
}

void
sonde_graph_view_set_graph (SondeGraphView *view,
                            SondeGraph     *graph,
                            guint           phases)
{
  Layout *layout;

  g_return_if_fail (SONDE_IS_GRAPH_VIEW (view));
  cancel_layout (view);
  if (graph == NULL)
    {
      g_clear_pointer (&view->scene, sonde_graph_scene_free);
      g_clear_pointer (&view->marks, g_free);
      sonde_view_invalidate (SONDE_VIEW (view));
      return;
    }
  layout = g_new0 (Layout, 1);
  layout->graph = sonde_graph_ref (graph);
  layout->phases = phases;
  view->task = g_task_new (view, NULL, on_laid_out, NULL);
  g_task_set_task_data (view->task, layout, layout_free);
  g_task_run_in_thread (view->task, lay_out_in_thread);
}

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

/* ---- marks and selection ---------------------------------------------------------------------- */

void
sonde_graph_view_mark (SondeGraphView    *view,
                       SondeGraphMark     mask,
                       const char *const *names)
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
  sonde_view_invalidate (SONDE_VIEW (view));
}

gboolean
sonde_graph_view_reveal_name (SondeGraphView *view,
                              const char     *name)
{
  int index = view->scene != NULL ? sonde_graph_scene_find (view->scene, name) : -1;
  const SondeGraphBox *box;
  SondeViewport rectangle;

  if (index < 0)
    return FALSE;
  box = sonde_graph_scene_get_box (view->scene, (guint) index);
  rectangle = (SondeViewport) { box->x - MARGIN, box->y - MARGIN, box->x + box->width + MARGIN,
                                box->y + box->height + MARGIN };
  sonde_view_reveal (SONDE_VIEW (view), &rectangle);
  return TRUE;
}

gboolean
sonde_graph_view_select_name (SondeGraphView *view,
                              const char     *name)
{
  if (!sonde_graph_view_reveal_name (view, name))
    return FALSE;
  sonde_view_set_selection (SONDE_VIEW (view), sonde_graph_scene_find (view->scene, name));
  return TRUE;
}

const SondeGraphBox *
sonde_graph_view_get_selected (SondeGraphView *view)
{
  gint64 selection = sonde_view_get_selection (SONDE_VIEW (view));

  if (view->scene == NULL || selection < 0 || selection >= sonde_graph_scene_get_n_boxes (view->scene))
    return NULL;
  return sonde_graph_scene_get_box (view->scene, (guint) selection);
}

/* ---- class ------------------------------------------------------------------------------------ */

static void
sonde_graph_view_dispose (GObject *object)
{
  SondeGraphView *self = SONDE_GRAPH_VIEW (object);

  cancel_layout (self);
  g_clear_pointer (&self->scene, sonde_graph_scene_free);
  g_clear_pointer (&self->marks, g_free);
  G_OBJECT_CLASS (sonde_graph_view_parent_class)->dispose (object);
}

static void
sonde_graph_view_class_init (SondeGraphViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_graph_view_dispose;
  view->paint = sonde_graph_view_paint;
  view->pick = sonde_graph_view_pick;
  view->dup_tooltip = sonde_graph_view_dup_tooltip;
  view->describe = sonde_graph_view_describe;
  signals[READY] = g_signal_new ("ready", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 0);
}

static void
sonde_graph_view_init (SondeGraphView *self)
{
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_UNIFORM);
  sonde_view_set_title (SONDE_VIEW (self), "Graph");
  g_signal_connect (self, "notify::selection", G_CALLBACK (update_selection_mark), NULL);
}

GtkWidget *
sonde_graph_view_new (void)
{
  return g_object_new (SONDE_TYPE_GRAPH_VIEW, NULL);
}
