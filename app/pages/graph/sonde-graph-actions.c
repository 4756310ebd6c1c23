/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-actions.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/graph/sonde-graph-reach.h"
#include "data/models/sonde-model-file.h"
#include "engine/frontend/sonde-debug-session.h"

struct _SondeGraphActions
{
  GObject parent_instance;
  SondePage *page;
  SondeGraphView *view;
  GSimpleActionGroup *group;
  SondeGraph *path_graph; /* whose node a path begins at; never looked into */
  guint path_start;       /* its id */
};

G_DEFINE_FINAL_TYPE (SondeGraphActions, sonde_graph_actions, G_TYPE_OBJECT)

/* ---- what they act on ---------------------------------------------------- */

static const SondeGraphBox *
get_box (SondeGraphActions *self)
{
  return sonde_graph_view_get_selected (self->view);
}

/* The selected node, or the one that makes the selected value. (nullable) */
static SondeNode *
get_node (SondeGraphActions *self)
{
  const SondeGraphBox *box = get_box (self);

  if (box == NULL || box->node != NULL || box->value == NULL)
    return box != NULL ? box->node : NULL;
  return box->value->producer;
}

static SondeGraph *
get_graph (SondeGraphActions *self)
{
  SondeGraphScene *scene = sonde_graph_view_get_scene (self->view);

  return scene != NULL ? sonde_graph_scene_get_graph (scene) : NULL;
}

static const SondeScopeTree *
get_tree (SondeGraphActions *self)
{
  SondeGraphScene *scene = sonde_graph_view_get_scene (self->view);
  const SondeGraphFolding *folding = scene != NULL ? sonde_graph_scene_get_folding (scene) : NULL;

  return folding != NULL ? folding->tree : NULL;
}

static gboolean
is_scope (SondeGraphActions *self)
{
  return get_box (self) != NULL && get_box (self)->scope != SONDE_SCOPE_NONE;
}

static gboolean
is_fold (SondeGraphActions *self)
{
  return is_scope (self)
         && sonde_scope_tree_get (get_tree (self), get_box (self)->scope)->n_repeats > 0;
}

/* By id: the selected node, or all in the selected scope. (transfer full) (nullable) */
static guint8 *
list_selected (SondeGraphActions *self)
{
  SondeGraph *graph = get_graph (self);
  SondeNode *node = get_node (self);
  guint8 *nodes = graph != NULL ? g_new0 (guint8, graph->nodes->len + 1) : NULL;

  for (guint i = 0; is_scope (self) && i < graph->nodes->len; i++)
    {
      guint scope = get_tree (self)->scope_of_node[i];

      nodes[i] = scope != SONDE_SCOPE_NONE
                 && sonde_scope_tree_contains (get_tree (self), get_box (self)->scope, scope);
    }
  if (node != NULL)
    nodes[node->id] = TRUE;
  if (node == NULL && !is_scope (self))
    g_clear_pointer (&nodes, g_free);
  return nodes;
}

/* ---- scopes -------------------------------------------------------------- */

static gint64
get_id (SondeGraphActions *self)
{
  return sonde_view_get_selection (SONDE_VIEW (self->view));
}

static void
toggle (SondeGraphActions *self)
{
  sonde_graph_view_toggle_scope (self->view, get_id (self));
}

static void
spread (SondeGraphActions *self)
{
  sonde_graph_view_spread_fold (self->view, get_id (self));
}

static void
close_around (SondeGraphActions *self)
{
  sonde_graph_view_close_around (self->view, get_id (self));
}

static void
open_all (SondeGraphActions *self)
{
  sonde_graph_view_open_all (self->view, TRUE);
}

static void
close_all (SondeGraphActions *self)
{
  sonde_graph_view_open_all (self->view, FALSE);
}

static gboolean
is_in_scope (SondeGraphActions *self)
{
  const SondeScopeTree *tree = get_tree (self);
  const SondeGraphBox *box = get_box (self);

  if (tree == NULL || box == NULL || (box->node == NULL && box->scope == SONDE_SCOPE_NONE))
    return FALSE;
  if (box->node != NULL)
    return tree->scope_of_node[box->node->id] != SONDE_SCOPE_ROOT;
  return sonde_scope_tree_get (tree, box->scope)->parent != SONDE_SCOPE_ROOT;
}

static gboolean
has_scopes (SondeGraphActions *self)
{
  return get_tree (self) != NULL && get_tree (self)->scopes->len > 1;
}

/* ---- names, other pages -------------------------------------------------- */

static gboolean
has_box (SondeGraphActions *self)
{
  return get_box (self) != NULL;
}

static gboolean
has_node (SondeGraphActions *self)
{
  return get_node (self) != NULL;
}

static void
copy_name (SondeGraphActions *self)
{
  const SondeGraphBox *box = get_box (self);
  g_autofree char *name = box->scope != SONDE_SCOPE_NONE
                              ? sonde_scope_tree_dup_path (get_tree (self), box->scope)
                              : g_strdup (box->node != NULL ? box->node->name : box->value->name);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self->view)), name);
}

/* What is open in the debugger. (nullable) */
static SondeDebugSession *
get_session (SondeGraphActions *self)
{
  GObject *session = sonde_workspace_get_session (sonde_page_get_workspace (self->page));

  return session != NULL && sonde_debug_session_is_loaded (SONDE_DEBUG_SESSION (session))
             ? SONDE_DEBUG_SESSION (session)
             : NULL;
}

static gboolean
can_break (SondeGraphActions *self)
{
  return has_node (self) && get_session (self) != NULL
         && sonde_debug_session_can_go (get_session (self));
}

static void
toggle_breakpoint (SondeGraphActions *self)
{
  g_autofree char *text
      = g_strdup_printf (_ ("Breakpoint at “%s” toggled."), get_node (self)->name);

  sonde_debug_session_toggle_breakpoint (get_session (self), get_node (self)->name);
  sonde_page_toast (self->page, text);
}

/* With a session its value there; else a session begins that stops before it. */
static void
go_to_value (SondeGraphActions *self)
{
  const char *name = get_node (self)->name;

  if (get_session (self) != NULL && !sonde_debug_session_focus_name (get_session (self), name))
    sonde_page_toast (self->page, _ ("The debugged graph has no such node."));
  else
    sonde_page_go (self->page, "debugger", &(SondePageRequest){ .at = name });
}

/* ---- parts of the graph -------------------------------------------------- */

static void
light (SondeGraphActions *self, guint8 *nodes)
{
  sonde_graph_view_take_lit (self->view, nodes);
}

static void
light_upstream (SondeGraphActions *self)
{
  light (self, sonde_graph_find_upstream (get_graph (self), get_node (self)));
}

static void
light_downstream (SondeGraphActions *self)
{
  light (self, sonde_graph_find_downstream (get_graph (self), get_node (self)));
}

static void
light_all (SondeGraphActions *self)
{
  light (self, NULL);
}

static gboolean
has_lit (SondeGraphActions *self)
{
  return sonde_graph_view_get_lit (self->view) != NULL;
}

static void
begin_path (SondeGraphActions *self)
{
  self->path_graph = get_graph (self);
  self->path_start = get_node (self)->id;
  sonde_page_toast (self->page, _ ("Choose “Path to Here” in the menu of another node."));
}

static gboolean
can_end_path (SondeGraphActions *self)
{
  SondeGraph *graph = get_graph (self);

  return has_node (self) && self->path_graph == graph && self->path_start < graph->nodes->len
         && g_ptr_array_index (graph->nodes, self->path_start) != NULL;
}

/* Whichever comes first. */
static void
end_path (SondeGraphActions *self)
{
  SondeGraph *graph = get_graph (self);
  const SondeNode *start = g_ptr_array_index (graph->nodes, self->path_start),
                  *end = get_node (self);
  guint8 *nodes = sonde_graph_find_between (graph, start, end);

  if (nodes == NULL)
    nodes = sonde_graph_find_between (graph, end, start);
  if (nodes != NULL)
    light (self, nodes);
  else
    {
      g_autofree char *text
          = g_strdup_printf (_ ("No path leads from “%s” to “%s”."), start->name, end->name);

      sonde_page_toast (self->page, text);
    }
}

/* ---- a part as a model --------------------------------------------------- */

gboolean
sonde_graph_actions_export (SondeGraphActions *actions, const char *path, GError **error)
{
  SondeGraph *graph = get_graph (actions);
  const guint8 *lit = sonde_graph_view_get_lit (actions->view);
  g_autofree guint8 *selected = lit == NULL ? list_selected (actions) : NULL;
  g_autoptr (SondeGraph) part = NULL;

  if (lit == NULL && selected == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "no node is selected that could be exported");
      return FALSE;
    }
  part = sonde_graph_extract (graph, lit != NULL ? lit : selected);
  return sonde_model_save (NULL, path, part, error);
}

static void
on_export_chosen (GtkNativeDialog *dialog, int response, SondeGraphActions *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL
      && !sonde_graph_actions_export (self, path, &error))
    sonde_page_toast (self->page, sonde_error_get_text (error));
  g_object_unref (dialog);
}

static void
export_part (SondeGraphActions *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self->page));
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new (_ ("Export Nodes as a Model (.onnx)"), GTK_WINDOW (root),
                                     GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"), NULL);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "part.onnx");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_export_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static gboolean
can_export (SondeGraphActions *self)
{
  return has_lit (self) || has_node (self) || is_scope (self);
}

/* ---- all of them --------------------------------------------------------- */

/* @section: of the menu; @possible: whether it can be done now */
static const struct
{
  const char *name, *title;
  int section;
  gboolean (*possible) (SondeGraphActions *self);
  void (*act) (SondeGraphActions *self);
} actions[] = {
  { "toggle", N_ ("Open or Close Scope"), 0, is_scope, toggle },
  { "spread", N_ ("Show All Repeated Scopes"), 0, is_fold, spread },
  { "close-around", N_ ("Close Scope Around It"), 0, is_in_scope, close_around },
  { "open-all", N_ ("Open All Scopes"), 0, has_scopes, open_all },
  { "close-all", N_ ("Close All Scopes"), 0, has_scopes, close_all },
  { "copy-name", N_ ("Copy Name"), 1, has_box, copy_name },
  { "go-to-value", N_ ("Show Value in Debugger"), 1, has_node, go_to_value },
  { "breakpoint", N_ ("Toggle Breakpoint"), 1, can_break, toggle_breakpoint },
  { "upstream", N_ ("Highlight Upstream"), 2, has_node, light_upstream },
  { "downstream", N_ ("Highlight Downstream"), 2, has_node, light_downstream },
  { "path-from", N_ ("Path from Here"), 2, has_node, begin_path },
  { "path-to", N_ ("Path to Here"), 2, can_end_path, end_path },
  { "all", N_ ("End Highlighting"), 2, has_lit, light_all },
  { "export", N_ ("Export Nodes as ONNX…"), 3, can_export, export_part },
};

static void
update (SondeGraphActions *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->group), actions[i].name);

      g_simple_action_set_enabled (G_SIMPLE_ACTION (action), actions[i].possible (self));
    }
}

static void
on_activated (GSimpleAction *action, GVariant *parameter, SondeGraphActions *self)
{
  const char *name = g_action_get_name (G_ACTION (action));

  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_str_equal (actions[i].name, name) && actions[i].possible (self))
      actions[i].act (self);
  update (self);
}

/* What was pressed is what the menu acts on. */
static void
on_menu (SondeGraphActions *self, gint64 id)
{
  sonde_view_set_selection (SONDE_VIEW (self->view), id);
  update (self);
}

static GMenuModel *
make_menu (void)
{
  GMenu *menu = g_menu_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (actions);)
    {
      g_autoptr (GMenu) section = g_menu_new ();
      int number = actions[i].section;

      for (; i < G_N_ELEMENTS (actions) && actions[i].section == number; i++)
        {
          g_autofree char *action = g_strconcat ("graph.", actions[i].name, NULL);

          g_menu_append (section, _ (actions[i].title), action);
        }
      g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
    }
  return G_MENU_MODEL (menu);
}

SondeGraphActions *
sonde_graph_actions_new (SondePage *page, SondeGraphView *view)
{
  SondeGraphActions *self = g_object_new (SONDE_TYPE_GRAPH_ACTIONS, NULL);
  g_autoptr (GMenuModel) menu = make_menu ();

  self->page = page;
  self->view = view;
  gtk_widget_insert_action_group (GTK_WIDGET (page), "graph", G_ACTION_GROUP (self->group));
  sonde_view_set_menu (SONDE_VIEW (view), menu);
  g_signal_connect_object (view, "menu", G_CALLBACK (on_menu), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "notify::selection", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "ready", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return self;
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_graph_actions_dispose (GObject *object)
{
  g_clear_object (&SONDE_GRAPH_ACTIONS (object)->group);
  G_OBJECT_CLASS (sonde_graph_actions_parent_class)->dispose (object);
}

static void
sonde_graph_actions_class_init (SondeGraphActionsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_graph_actions_dispose;
}

static void
sonde_graph_actions_init (SondeGraphActions *self)
{
  self->group = g_simple_action_group_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      g_autoptr (GSimpleAction) action = g_simple_action_new (actions[i].name, NULL);

      g_signal_connect_object (action, "activate", G_CALLBACK (on_activated), self, 0);
      g_action_map_add_action (G_ACTION_MAP (self->group), G_ACTION (action));
    }
}
