/* SPDX-License-Identifier: Apache-2.0
 * The Graph page. */
#include "app/pages/graph/sonde-graph-page.h"

#include <math.h>

#include "app/pages/graph/sonde-graph-actions.h"
#include "app/pages/graph/sonde-graph-beside.h"
#include "app/pages/graph/sonde-graph-colour-choice.h"
#include "app/pages/graph/sonde-graph-progress.h"
#include "app/pages/graph/sonde-graph-search.h"
#include "app/pages/graph/sonde-graph-sources.h"
#include "app/pages/graph/sonde-graph-work.h"
#include "app/pages/graph/sonde-node-inspector.h"
#include "app/widgets/sonde-bar-layout.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "engine/frontend/sonde-debug-session.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/graph/sonde-graph-view.h"

#define RESOURCE "/org/sonde/Sonde/pages/graph/sonde-graph-page.ui"

struct _SondeGraphPage
{
  SondePage parent_instance;

  GtkWidget *sources, *phases, *colours, *constants, *search, *view, *progress, *inspector;
  GtkWidget *to_profiler, *beside_choice, *beside;
  SondeGraphActions *actions;
  SondeGraphSources *list;
  SondeDebugSession *session; /* (nullable): what is debugged, once there was something */
  SondeGraph *graph;
  double *flops; /* (nullable): by node id, once they are counted */
  GCancellable *loading, *loading_beside;
  char *wanted;        /* (nullable): node to go to when the graph is there */
  gboolean updating;   /* the chooser is being filled */
  gboolean laying_out; /* the page is held until the view is ready */
};

G_DEFINE_FINAL_TYPE (SondeGraphPage, sonde_graph_page, SONDE_TYPE_PAGE)

/* ---- selection ----------------------------------------------------------- */

/* The selected node where the profile that the window shows has it. (nullable) */
static const char *
get_profiled (SondeGraphPage *self)
{
  SondeTraceDocument *profile
      = sonde_workspace_get_profile (sonde_page_get_workspace (SONDE_PAGE (self)));
  const SondeGraphBox *box = sonde_graph_view_get_selected (SONDE_GRAPH_VIEW (self->view));

  return profile != NULL && box != NULL && box->node != NULL
                 && sonde_trace_document_find_operator (profile, box->node->name)
                        != SONDE_TRACE_DOCUMENT_NONE
             ? box->node->name
             : NULL;
}

static void
update_to_profiler (SondeGraphPage *self)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));

  gtk_widget_set_visible (self->to_profiler, sonde_workspace_get_profile (workspace) != NULL);
  gtk_widget_set_sensitive (self->to_profiler, get_profiled (self) != NULL);
}

static void
on_to_profiler (SondeGraphPage *self)
{
  const SondePageRequest request = { .view = "operators", .at = get_profiled (self) };

  if (request.at != NULL)
    sonde_page_go (SONDE_PAGE (self), "profiler", &request);
}

static void
show_scope (SondeGraphPage *self, guint scope)
{
  SondeGraphScene *scene = sonde_graph_view_get_scene (SONDE_GRAPH_VIEW (self->view));
  const SondeScopeTree *tree = sonde_graph_scene_get_folding (scene)->tree;
  g_autofree char *path = sonde_scope_tree_dup_path (tree, scope);

  double flops = self->flops != NULL ? 0 : NAN;

  for (guint i = 0; self->flops != NULL && i < tree->n_nodes; i++)
    if (tree->scope_of_node[i] != SONDE_SCOPE_NONE
        && sonde_scope_tree_contains (tree, scope, tree->scope_of_node[i])
        && !isnan (self->flops[i]))
      flops += self->flops[i];
  sonde_node_inspector_show_scope (SONDE_NODE_INSPECTOR (self->inspector),
                                   sonde_scope_tree_get (tree, scope), path, flops);
}

static void
on_node_activated (SondeGraphPage *self, const char *name)
{
  sonde_graph_view_select_name (SONDE_GRAPH_VIEW (self->view), name);
}

static void
show_selected (SondeGraphPage *self)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (SONDE_GRAPH_VIEW (self->view));
  SondeNodeInspector *inspector = SONDE_NODE_INSPECTOR (self->inspector);

  update_to_profiler (self);
  if (box != NULL && box->node != NULL)
    sonde_node_inspector_show_node (inspector, box->node);
  else if (box != NULL && box->scope != SONDE_SCOPE_NONE)
    show_scope (self, box->scope);
  else if (box != NULL)
    sonde_node_inspector_show_value (inspector, box->value);
  else if (self->graph != NULL)
    sonde_node_inspector_show_graph (inspector, self->graph);
  else
    sonde_node_inspector_clear (inspector);
}

static void on_workspace_changed (SondeGraphPage *self);

/* ---- loading ------------------------------------------------------------- */

static guint
count_constants (SondeGraph *graph)
{
  guint n = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      n += node != NULL && sonde_graph_is_constant (node);
    }
  return n;
}

static guint
get_phases (SondeGraphPage *self)
{
  guint phases = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->phases)) == 0
                     ? SONDE_GRAPH_SCENE_FORWARD
                     : SONDE_GRAPH_SCENE_ALL_PHASES;

  return gtk_check_button_get_active (GTK_CHECK_BUTTON (self->constants))
             ? phases | SONDE_GRAPH_SCENE_CONSTANTS
             : phases;
}

static void
show_graph (SondeGraphPage *self)
{
  if (self->graph == NULL)
    return;
  if (!self->laying_out)
    sonde_page_hold (SONDE_PAGE (self));
  self->laying_out = TRUE;
  sonde_graph_progress_start (SONDE_GRAPH_PROGRESS (self->progress),
                              sonde_graph_count_nodes (self->graph));
  sonde_graph_view_set_graph (SONDE_GRAPH_VIEW (self->view), self->graph, get_phases (self));
}

static void
end_layout (SondeGraphPage *self)
{
  if (self->laying_out)
    sonde_page_release (SONDE_PAGE (self));
  self->laying_out = FALSE;
}

static void
on_cancelled (SondeGraphPage *self)
{
  sonde_graph_view_cancel (SONDE_GRAPH_VIEW (self->view));
  end_layout (self);
}

static gboolean
has_other_phases (SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);

      if (node != NULL && node->phase != SONDE_PHASE_FORWARD)
        return TRUE;
    }
  return FALSE;
}

/* Constants stand in the nodes that read them, and are not counted with what is shown. */
static void
update_constants (SondeGraphPage *self)
{
  guint n = count_constants (self->graph);
  g_autofree char *count = sonde_format_count (n);
  g_autofree char *text = g_strdup_printf (P_ ("%s constant", "%s constants", n), count);

  gtk_check_button_set_label (GTK_CHECK_BUTTON (self->constants), text);
  gtk_widget_set_visible (self->constants, n > 0);
}

/* ---- beside -------------------------------------------------------------- */

static void
show_beside (SondeGraphPage *self, SondeGraph *second)
{
  SondeGraphBeside *beside = SONDE_GRAPH_BESIDE (self->beside);
  const SondeGraphPartners *partners;

  sonde_graph_beside_set_graphs (beside, self->graph, second, get_phases (self));
  partners = sonde_graph_beside_get_partners (beside);
  sonde_graph_colour_choice_set_partners (SONDE_GRAPH_COLOUR_CHOICE (self->colours),
                                          partners != NULL ? partners->of_first : NULL);
}

static void
on_beside_read (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeGraphPage) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph
      = sonde_graph_sources_read_finish (SONDE_GRAPH_SOURCES (object), result, &error);

  if (graph != NULL)
    show_beside (self, graph);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    sonde_page_toast (SONDE_PAGE (self), sonde_error_get_text (error));
  sonde_page_release (SONDE_PAGE (self));
}

/* The first entry is none. */
static void
load_beside (SondeGraphPage *self)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->beside_choice));

  if (self->updating)
    return;
  g_cancellable_cancel (self->loading_beside);
  g_clear_object (&self->loading_beside);
  if (self->graph == NULL || selected == 0 || selected > sonde_graph_sources_get_n (self->list))
    {
      show_beside (self, NULL);
      return;
    }
  self->loading_beside = g_cancellable_new ();
  sonde_page_hold (SONDE_PAGE (self));
  sonde_graph_sources_read_async (self->list, selected - 1, self->loading_beside, on_beside_read,
                                  g_object_ref (self));
}

/* In the boxes of scopes, as soon as both are there. */
static void
tell_flops (SondeGraphPage *self)
{
  SondeGraphScene *scene = sonde_graph_view_get_scene (SONDE_GRAPH_VIEW (self->view));

  if (self->flops == NULL || scene == NULL || sonde_graph_scene_get_graph (scene) != self->graph
      || !sonde_graph_view_tell_flops (SONDE_GRAPH_VIEW (self->view), self->flops))
    return;
  if (!self->laying_out)
    sonde_page_hold (SONDE_PAGE (self));
  self->laying_out = TRUE;
}

static void
on_counted (GObject *object, GAsyncResult *result, gpointer data)
{
  SondeGraphPage *self = SONDE_GRAPH_PAGE (object);
  g_autoptr (GError) error = NULL;
  double *flops = sonde_graph_work_finish (result, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (flops == NULL)
    g_debug ("operations are not counted: %s", error->message);
  self->flops = flops;
  sonde_graph_colour_choice_set_flops (SONDE_GRAPH_COLOUR_CHOICE (self->colours), flops);
  if (flops != NULL)
    tell_flops (self);
  show_selected (self);
}

/* Ends with what is being loaded: another graph is another count. */
static void
count_work (SondeGraphPage *self)
{
  sonde_graph_colour_choice_set_graph (SONDE_GRAPH_COLOUR_CHOICE (self->colours), NULL);
  g_clear_pointer (&self->flops, g_free);
  sonde_graph_work_async (G_OBJECT (self), self->graph, self->loading, on_counted);
}

/* The model the window was opened on is called so on every page. */
static void
show_problem (SondeGraphPage *self, const GError *error)
{
  SondePage *page = SONDE_PAGE (self);

  if (sonde_workspace_get_run (sonde_page_get_workspace (page)) == NULL
      && sonde_page_set_empty_of_broken_model (page))
    return;
  sonde_page_set_empty (page, "dialog-warning-symbolic", _ ("Graph Not Readable"),
                        sonde_error_get_text (error), _ ("Open a File…"), "win.open-file");
}

static void
on_read (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeGraphPage) self = data;
  g_autoptr (GError) error = NULL;
  SondeGraph *graph
      = sonde_graph_sources_read_finish (SONDE_GRAPH_SOURCES (object), result, &error);

  if (graph == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        show_problem (self, error);
      sonde_page_release (SONDE_PAGE (self));
      return;
    }
  g_clear_pointer (&self->graph, sonde_graph_unref);
  self->graph = graph;
  count_work (self);
  gtk_widget_set_visible (self->phases, has_other_phases (graph));
  update_constants (self);
  sonde_page_set_filled (SONDE_PAGE (self));
  sonde_graph_colour_choice_set_graph (SONDE_GRAPH_COLOUR_CHOICE (self->colours), graph);
  sonde_graph_search_set_graph (SONDE_GRAPH_SEARCH (self->search), graph);
  show_graph (self);
  show_selected (self);
  load_beside (self);
  sonde_page_release (SONDE_PAGE (self));
}

/* Nodes with a box of their own; those in closed scopes and constants are said as well. */
static char *
describe_shown (SondeGraphPage *self, SondeGraphScene *scene)
{
  guint n_shown = 0, n_constants = 0;
  g_autofree char *all = sonde_format_count (sonde_graph_count_nodes (self->graph));
  g_autofree char *shown = NULL, *constants = NULL;
  GString *text = g_string_new (NULL);

  for (guint b = 0; b < sonde_graph_scene_get_n_boxes (scene); b++)
    n_shown += sonde_graph_scene_get_box (scene, b)->node != NULL;
  shown = sonde_format_count (n_shown);
  g_string_append_printf (text, _ ("%s of %s nodes"), shown, all);
  if (!gtk_check_button_get_active (GTK_CHECK_BUTTON (self->constants)))
    n_constants = count_constants (self->graph);
  constants = sonde_format_count (n_constants);
  if (n_constants > 0)
    g_string_append_printf (
        text, P_ (" · %s constant hidden", " · %s constants hidden", n_constants), constants);
  return g_string_free (text, FALSE);
}

/* The view has laid out what show_graph() gave it, or opened and closed scopes. */
static void
on_view_ready (SondeGraphPage *self)
{
  SondeGraphScene *scene = sonde_graph_view_get_scene (SONDE_GRAPH_VIEW (self->view));
  g_autofree char *status = NULL;

  if (self->graph != NULL && scene != NULL)
    status = describe_shown (self, scene);
  sonde_graph_progress_stop (SONDE_GRAPH_PROGRESS (self->progress));
  sonde_page_set_status (SONDE_PAGE (self), status);
  if (self->wanted != NULL
      && sonde_graph_view_select_name (SONDE_GRAPH_VIEW (self->view), self->wanted))
    g_clear_pointer (&self->wanted, g_free);
  sonde_graph_search_mark (SONDE_GRAPH_SEARCH (self->search));
  show_selected (self);
  tell_flops (self);
  if (sonde_graph_view_is_ready (SONDE_GRAPH_VIEW (self->view)))
    end_layout (self); /* else a scope opens for what is wanted, or is measured again */
}

static void
load_selected (SondeGraphPage *self)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->sources));

  if (self->updating || selected >= sonde_graph_sources_get_n (self->list))
    return;
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  self->loading = g_cancellable_new ();
  sonde_page_hold (SONDE_PAGE (self));
  sonde_graph_sources_read_async (self->list, selected, self->loading, on_read,
                                  g_object_ref (self));
}

/* What is executed in the debugger. (nullable) */
static SondeGraph *
get_debugged (SondeGraphPage *self)
{
  return self->session != NULL && sonde_debug_session_is_loaded (self->session)
             ? sonde_debug_session_get_graph (self->session)
             : NULL;
}

/* It is made with the Debugger page. */
static void
follow_session (SondeGraphPage *self)
{
  GObject *session = sonde_workspace_get_session (sonde_page_get_workspace (SONDE_PAGE (self)));

  if (self->session != NULL || session == NULL)
    return;
  self->session = g_object_ref (SONDE_DEBUG_SESSION (session));
  g_signal_connect_object (session, "loaded", G_CALLBACK (on_workspace_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (on_workspace_changed), self,
                           G_CONNECT_SWAPPED);
}

static void
update (SondeGraphPage *self)
{
  static const SondeRecordKind graph = SONDE_RECORD_GRAPH;
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));
  SondeRun *run = sonde_workspace_get_run (workspace);
  gboolean changed;

  follow_session (self);

  self->updating = TRUE;
  changed = sonde_graph_sources_update (self->list, sonde_workspace_get_documents (workspace),
                                        sonde_workspace_get_model (workspace), run,
                                        get_debugged (self));
  if (changed)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->beside_choice), 0);
  self->updating = FALSE;
  if (!changed)
    return;
  gtk_widget_set_visible (self->beside_choice, sonde_graph_sources_get_n (self->list) > 1);
  gtk_widget_set_sensitive (self->sources, sonde_graph_sources_get_n (self->list) > 1);
  if (sonde_graph_sources_get_n (self->list) > 0)
    load_selected (self);
  else
    sonde_page_set_empty_of_run (
        SONDE_PAGE (self), &graph, 1, "sonde-graph-symbolic", _ ("No Graph"),
        run != NULL ? _ ("This run has no graph record.") : _ ("Open a run or a model file."),
        _ ("Open a File…"), "win.open-file");
}

/* ---- page ---------------------------------------------------------------- */

static void
on_workspace_changed (SondeGraphPage *self)
{
  if (sonde_page_is_opened (SONDE_PAGE (self)))
    update (self);
}

static void
sonde_graph_page_set_up (SondePage *page)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (page);
  SondeGraphPage *self = SONDE_GRAPH_PAGE (page);

  sonde_graph_colour_choice_set_up (SONDE_GRAPH_COLOUR_CHOICE (self->colours), page,
                                    SONDE_GRAPH_VIEW (self->view));
  self->actions = sonde_graph_actions_new (page, SONDE_GRAPH_VIEW (self->view));
  sonde_graph_beside_set_up (SONDE_GRAPH_BESIDE (self->beside), SONDE_GRAPH_VIEW (self->view));
  sonde_graph_search_set_up (SONDE_GRAPH_SEARCH (self->search), SONDE_GRAPH_VIEW (self->view));
  g_signal_connect_object (workspace, "changed", G_CALLBACK (on_workspace_changed), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (on_workspace_changed), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::profile", G_CALLBACK (update_to_profiler), page,
                           G_CONNECT_SWAPPED);
}

static void
sonde_graph_page_opened (SondePage *page)
{
  update (SONDE_GRAPH_PAGE (page));
}

static void
sonde_graph_page_show (SondePage *page, const SondePageRequest *request)
{
  SondeGraphPage *self = SONDE_GRAPH_PAGE (page);
  const char *name = request->at != NULL ? request->at : request->match;

  if (request->colour != NULL)
    sonde_graph_colour_choice_choose (SONDE_GRAPH_COLOUR_CHOICE (self->colours), request->colour);
  if (name == NULL || sonde_graph_view_select_name (SONDE_GRAPH_VIEW (self->view), name))
    return;
  g_free (self->wanted);
  self->wanted = g_strdup (name);
}

static void
sonde_graph_page_search (SondePage *page, const char *query, GPtrArray *matches)
{
  SondeGraphPage *self = SONDE_GRAPH_PAGE (page);

  for (guint i = 0; self->graph != NULL && i < self->graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (self->graph->nodes, i);
      int score = node != NULL ? sonde_search_score (node->name, query) : 0;

      if (score > 0)
        g_ptr_array_add (matches, sonde_search_match_new (node->name, node->name, node->op, score));
    }
}

static void
sonde_graph_page_dispose (GObject *object)
{
  SondeGraphPage *self = SONDE_GRAPH_PAGE (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_GRAPH_PAGE);
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_cancellable_cancel (self->loading_beside);
  g_clear_object (&self->loading_beside);
  g_clear_object (&self->session);
  g_clear_object (&self->list);
  g_clear_object (&self->actions);
  g_clear_pointer (&self->flops, g_free);
  g_clear_pointer (&self->graph, sonde_graph_unref);
  g_clear_pointer (&self->wanted, g_free);
  G_OBJECT_CLASS (sonde_graph_page_parent_class)->dispose (object);
}

static void
sonde_graph_page_class_init (SondeGraphPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_graph_page_dispose;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_graph_page_set_up;
  SONDE_PAGE_CLASS (klass)->opened = sonde_graph_page_opened;
  SONDE_PAGE_CLASS (klass)->show = sonde_graph_page_show;
  SONDE_PAGE_CLASS (klass)->search = sonde_graph_page_search;
  g_type_ensure (SONDE_TYPE_BAR_LAYOUT);
  g_type_ensure (SONDE_TYPE_GRAPH_VIEW);
  g_type_ensure (SONDE_TYPE_GRAPH_BESIDE);
  g_type_ensure (SONDE_TYPE_GRAPH_COLOUR_CHOICE);
  g_type_ensure (SONDE_TYPE_GRAPH_PROGRESS);
  g_type_ensure (SONDE_TYPE_GRAPH_SEARCH);
  g_type_ensure (SONDE_TYPE_NODE_INSPECTOR);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, sources);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, phases);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, colours);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, search);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, to_profiler);
  gtk_widget_class_bind_template_callback (widget_class, on_to_profiler);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, constants);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, beside);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, beside_choice);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, progress);
  gtk_widget_class_bind_template_callback (widget_class, show_graph);
  gtk_widget_class_bind_template_callback (widget_class, on_cancelled);
  gtk_widget_class_bind_template_callback (widget_class, on_node_activated);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, view);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphPage, inspector);
}

/* “Alone”, then the same as in the list of graphs. */
static void
fill_beside_choice (SondeGraphPage *self)
{
  GListStore *lists = g_list_store_new (G_TYPE_LIST_MODEL);
  g_autoptr (GtkStringList) none = gtk_string_list_new ((const char *const[]){ _ ("Alone"), NULL });
  g_autoptr (GListModel) all = NULL;

  g_list_store_append (lists, none);
  g_list_store_append (lists, sonde_graph_sources_get_titles (self->list));
  all = G_LIST_MODEL (gtk_flatten_list_model_new (G_LIST_MODEL (lists)));
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->beside_choice), all);
  g_signal_connect_object (self->beside_choice, "notify::selected", G_CALLBACK (load_beside), self,
                           G_CONNECT_SWAPPED);
}

static void
sonde_graph_page_init (SondeGraphPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  sonde_graph_view_set_legend (SONDE_GRAPH_VIEW (self->view), TRUE);
  sonde_graph_view_set_nested (SONDE_GRAPH_VIEW (self->view), TRUE);
  self->list = sonde_graph_sources_new ();
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->sources),
                           sonde_graph_sources_get_titles (self->list));
  fill_beside_choice (self);
  g_signal_connect_object (self->sources, "notify::selected", G_CALLBACK (load_selected), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->phases, "notify::selected", G_CALLBACK (show_graph), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "ready", G_CALLBACK (on_view_ready), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "notify::selection", G_CALLBACK (show_selected), self,
                           G_CONNECT_SWAPPED);
}
