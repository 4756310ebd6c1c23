/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sidebar/sonde-run-list.h"

#include "app/sidebar/sonde-run-row.h"
#include "app/widgets/sonde-run-actions.h"
#include "app/widgets/sonde-run-dialogs.h"
#include "app/widgets/sonde-tab-stop.h"
#include "data/browsing/sonde-run-tree.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/sidebar/sonde-run-list.ui"

struct _SondeRunList
{
  GtkBox parent_instance;
  SondeWorkspace *workspace;
  GListStore *roots;
  GtkMultiSelection *selection;
  GPtrArray *rows; /* bound ones, lent */
  GtkListView *view;
  GtkSearchEntry *filter;
  GtkLabel *problem, *empty, *count;
  GtkRevealer *problem_revealer;
  GtkStack *stack;
  GtkMenuButton *menu_button;
  gboolean updating, loading;
  guint64 structure; /* of the workspace when the rows were listed */
};

G_DEFINE_FINAL_TYPE (SondeRunList, sonde_run_list, GTK_TYPE_BOX)

/* Only what has others below it gets an expander. */
static GListModel *
list_children (void *item, void *user_data)
{
  GListModel *children = sonde_run_node_get_children (item);

  return g_list_model_get_n_items (children) > 0 ? g_object_ref (children) : NULL;
}

/* ---- rows ---------------------------------------------------------------- */

/* (transfer full) (nullable) */
static SondeRunNode *
dup_node (SondeRunList *list, guint position)
{
  g_autoptr (GtkTreeListRow) row = g_list_model_get_item (G_LIST_MODEL (list->selection), position);

  return row != NULL ? gtk_tree_list_row_get_item (row) : NULL;
}

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, SondeRunList *list)
{
  GtkWidget *row = sonde_run_row_new (list->workspace);

  sonde_run_actions_add_cell (row, item);
  gtk_list_item_set_child (item, row);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, SondeRunList *list)
{
  GtkTreeListRow *row = gtk_list_item_get_item (item);
  g_autoptr (SondeRunNode) node = gtk_tree_list_row_get_item (row);

  g_ptr_array_add (list->rows, gtk_list_item_get_child (item));
  sonde_run_row_bind (SONDE_RUN_ROW (gtk_list_item_get_child (item)), row, node);
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *item, SondeRunList *list)
{
  g_ptr_array_remove_fast (list->rows, gtk_list_item_get_child (item));
  sonde_run_row_bind (SONDE_RUN_ROW (gtk_list_item_get_child (item)), NULL, NULL);
}

static void
update_rows (SondeRunList *list)
{
  for (guint i = 0; i < list->rows->len; i++)
    sonde_run_row_update (list->rows->pdata[i]);
}

/* ---- selection ----------------------------------------------------------- */

/* Of the selected rows, those of folders with all that is below them; each run once. */
static GPtrArray *
dup_selected_runs (SondeRunList *list)
{
  g_autoptr (GtkBitset) selected
      = gtk_selection_model_get_selection (GTK_SELECTION_MODEL (list->selection));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref);
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint64 i = 0; i < gtk_bitset_get_size (selected); i++)
    {
      g_autoptr (SondeRunNode) node = dup_node (list, gtk_bitset_get_nth (selected, (guint) i));

      if (node != NULL && sonde_run_node_get_run (node) != NULL)
        g_ptr_array_add (all, g_object_ref (sonde_run_node_get_run (node)));
      else if (node != NULL)
        sonde_run_node_collect (node, all);
    }
  for (guint i = 0; i < all->len; i++)
    if (g_hash_table_add (seen, all->pdata[i]))
      g_ptr_array_add (runs, g_object_ref (all->pdata[i]));
  return runs;
}

static GPtrArray *
get_selected (GtkWidget *view)
{
  return dup_selected_runs (SONDE_RUN_LIST (gtk_widget_get_ancestor (view, SONDE_TYPE_RUN_LIST)));
}

/* The run that pages of one run show is that of the only selected row. */
static void
on_selected (SondeRunList *list)
{
  g_autoptr (GtkBitset) selected
      = gtk_selection_model_get_selection (GTK_SELECTION_MODEL (list->selection));
  g_autoptr (SondeRunNode) node = NULL;

  if (list->updating || gtk_bitset_get_size (selected) != 1)
    return;
  node = dup_node (list, gtk_bitset_get_minimum (selected));
  if (node != NULL && sonde_run_node_get_run (node) != NULL)
    sonde_workspace_set_run (list->workspace, sonde_run_node_get_run (node));
}

static void
select_row (SondeRunList *list, guint position)
{
  GtkSelectionModel *selection = GTK_SELECTION_MODEL (list->selection);

  if (gtk_selection_model_is_selected (selection, position))
    return;
  gtk_selection_model_select_item (selection, position, TRUE);
  gtk_widget_activate_action (GTK_WIDGET (list->view), "list.scroll-to-item", "u", position);
}

static void
select_run (SondeRunList *list)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (list->selection));
  SondeRun *run = sonde_workspace_get_run (list->workspace);

  list->updating = TRUE;
  for (guint i = 0; run != NULL && i < n; i++)
    {
      g_autoptr (SondeRunNode) node = dup_node (list, i);

      if (node == NULL || sonde_run_node_get_run (node) != run)
        continue;
      select_row (list, i);
      break;
    }
  list->updating = FALSE;
}

/* A row is one stop of the Tab key, its expander none: the keys of that are the list's. */
static gboolean
on_fold_key (GtkWidget *view, GVariant *expand, gpointer data)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (view));
  GtkWidget *row = focus != NULL ? gtk_widget_get_first_child (focus) : NULL;

  return SONDE_IS_RUN_ROW (row)
         && sonde_run_row_set_expanded (SONDE_RUN_ROW (row), g_variant_get_boolean (expand));
}

static void
add_fold_keys (GtkWidget *view)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();

  for (int expand = 0; expand < 2; expand++)
    {
      GtkShortcut *shortcut
          = gtk_shortcut_new (gtk_keyval_trigger_new (expand ? GDK_KEY_Right : GDK_KEY_Left, 0),
                              gtk_callback_action_new (on_fold_key, NULL, NULL));

      gtk_shortcut_set_arguments (shortcut, g_variant_new_boolean (expand));
      gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys), shortcut);
    }
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (view, keys);
}

/* Enter and a double click: the boxes of what is selected. */
static void
on_activated (GtkListView *view, guint position, SondeRunList *list)
{
  gtk_widget_activate_action (GTK_WIDGET (view), "runs.toggle", NULL);
}

/* ---- what is listed ------------------------------------------------------ */

static gboolean
is_shown (SondeRun *run, void *workspace)
{
  return sonde_workspace_is_shown (workspace, run);
}

static gboolean
is_pinned (SondeRun *run, void *workspace)
{
  return sonde_workspace_get_run_mark (workspace, run, SONDE_RUN_MARK_PIN) != NULL;
}

static gboolean
matches_filter (SondeRun *run, void *workspace)
{
  return sonde_workspace_matches_filter (workspace, run);
}

static const char *
get_title (SondeRun *run, void *workspace)
{
  return sonde_workspace_get_run_title (workspace, run);
}

static const char *
get_empty_text (SondeRunList *list)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (sonde_workspace_get_store (list->workspace))) > 0)
    return _ ("No run matches this filter.");
  if (sonde_workspace_get_paths (list->workspace)[0] == NULL)
    return _ ("Open a folder to see its runs.");
  return _ ("No runs yet. They appear here as soon as something is recorded.");
}

/* GtkMultiSelection of GTK 4.8 keeps positions that are none when selected rows go and come in one change:
 * nothing is selected while the rows change. (transfer full) */
static GHashTable *
take_selection (SondeRunList *list)
{
  GtkSelectionModel *model = GTK_SELECTION_MODEL (list->selection);
  g_autoptr (GtkBitset) positions = gtk_selection_model_get_selection (model);
  GHashTable *nodes = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);

  for (guint64 i = 0; i < gtk_bitset_get_size (positions); i++)
    {
      SondeRunNode *node = dup_node (list, gtk_bitset_get_nth (positions, (guint) i));

      if (node != NULL)
        g_hash_table_add (nodes, node);
    }
  if (g_hash_table_size (nodes) > 0)
    gtk_selection_model_unselect_all (model);
  return nodes;
}

static void
restore_selection (SondeRunList *list, GHashTable *nodes)
{
  GtkSelectionModel *model = GTK_SELECTION_MODEL (list->selection);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (model));
  guint n_missing = g_hash_table_size (nodes);
  g_autoptr (GtkBitset) selected = gtk_bitset_new_empty (), all = gtk_bitset_new_range (0, n);

  for (guint i = 0; i < n && n_missing > 0; i++)
    {
      g_autoptr (SondeRunNode) node = dup_node (list, i);

      if (node == NULL || !g_hash_table_contains (nodes, node))
        continue;
      gtk_bitset_add (selected, i);
      n_missing--;
    }
  if (!gtk_bitset_is_empty (selected))
    gtk_selection_model_set_selection (model, selected, all);
}

static void
update_tree (SondeRunList *list)
{
  const SondeRunTreeLook look = { .matches = matches_filter,
                                  .shown = is_shown,
                                  .pinned = is_pinned,
                                  .title = get_title,
                                  .user_data = list->workspace };
  g_autoptr (GHashTable) selected = NULL;

  list->updating = TRUE;
  selected = take_selection (list);
  sonde_run_tree_update (list->roots, G_LIST_MODEL (sonde_workspace_get_store (list->workspace)),
                         &look);
  restore_selection (list, selected);
  list->updating = FALSE;
  gtk_stack_set_visible_child_name (
      list->stack, g_list_model_get_n_items (G_LIST_MODEL (list->roots)) > 0 ? "list" : "empty");
}

static void
update_count (SondeRunList *list)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (sonde_workspace_get_store (list->workspace)));
  guint n_shown = g_list_model_get_n_items (sonde_workspace_get_shown_runs (list->workspace));
  g_autofree char *shown = sonde_format_count (n_shown), *all = sonde_format_count (n);
  g_autofree char *count = g_strdup_printf (C_ ("runs shown", "%s of %s"), shown, all);

  gtk_label_set_label (list->count, n > 0 ? count : "");
  gtk_label_set_label (list->empty, get_empty_text (list));
}

/* Progress of rows ends with the loading. */
static void
update (SondeRunList *list)
{
  SondeRunStore *store = sonde_workspace_get_store (list->workspace);
  gboolean loading = sonde_run_store_is_loading (store);
  guint64 structure = sonde_workspace_get_structure (list->workspace);

  if (list->structure == structure && list->loading == loading
      && g_list_model_get_n_items (G_LIST_MODEL (store)) > 0)
    return;
  list->structure = structure;
  list->loading = loading;
  update_tree (list);
  update_count (list);
  update_rows (list);
  select_run (list);
}

/* ---- filter -------------------------------------------------------------- */

static void
on_filter_changed (SondeRunList *list)
{
  g_autoptr (GError) error = NULL;
  const char *pattern = gtk_editable_get_text (GTK_EDITABLE (list->filter));

  if (sonde_workspace_set_filter (list->workspace, pattern, &error))
    gtk_widget_remove_css_class (GTK_WIDGET (list->filter), "error");
  else
    {
      gtk_widget_add_css_class (GTK_WIDGET (list->filter), "error");
      gtk_label_set_label (list->problem, sonde_error_get_text (error));
    }
  gtk_revealer_set_reveal_child (list->problem_revealer, error != NULL);
}

/* ---- menu of the list ---------------------------------------------------- */

static void
invert_shown (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_workspace_invert_shown (SONDE_RUN_LIST (widget)->workspace);
}

static void
show_matching (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_workspace_show_only_matching (SONDE_RUN_LIST (widget)->workspace);
}

static void
hide_all (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  sonde_workspace_show_only_runs (SONDE_RUN_LIST (widget)->workspace, none);
}

/* @parameter: a rule, or "regex" to be asked for the expression */
static void
color_by (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWorkspace *workspace = SONDE_RUN_LIST (widget)->workspace;
  const char *rule = g_variant_get_string (parameter, NULL);

  if (g_str_equal (rule, "regex"))
    sonde_run_dialogs_ask_color_regex (widget, workspace);
  else
    sonde_workspace_set_color_rule (workspace, rule, NULL);
}

/* ---- doors --------------------------------------------------------------- */

void
sonde_run_list_focus_filter (SondeRunList *list)
{
  g_return_if_fail (SONDE_IS_RUN_LIST (list));
  gtk_widget_grab_focus (GTK_WIDGET (list->filter));
}

void
sonde_run_list_clear_filter (SondeRunList *list)
{
  g_return_if_fail (SONDE_IS_RUN_LIST (list));
  gtk_editable_set_text (GTK_EDITABLE (list->filter), "");
}

void
sonde_run_list_set_workspace (SondeRunList *list, SondeWorkspace *workspace)
{
  GtkTreeListModel *tree;
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_return_if_fail (SONDE_IS_RUN_LIST (list) && list->workspace == NULL);
  list->workspace = g_object_ref (workspace);
  tree = gtk_tree_list_model_new (g_object_ref (G_LIST_MODEL (list->roots)), FALSE, TRUE,
                                  list_children, NULL, NULL);
  list->selection = gtk_multi_selection_new (G_LIST_MODEL (tree));
  sonde_run_actions_add (GTK_WIDGET (list->view), workspace, get_selected);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), list);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), list);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), list);
  add_fold_keys (GTK_WIDGET (list->view));
  g_signal_connect (list->view, "activate", G_CALLBACK (on_activated), list);
  gtk_list_view_set_factory (list->view, factory);
  gtk_list_view_set_model (list->view, GTK_SELECTION_MODEL (list->selection));
  g_object_unref (factory);
  g_signal_connect_object (list->selection, "selection-changed", G_CALLBACK (on_selected), list,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), list, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (select_run), list,
                           G_CONNECT_SWAPPED);
  update (list);
}

static void
sonde_run_list_dispose (GObject *object)
{
  SondeRunList *list = SONDE_RUN_LIST (object);

  gtk_widget_dispose_template (GTK_WIDGET (list), SONDE_TYPE_RUN_LIST);
  g_clear_object (&list->selection);
  g_clear_object (&list->roots);
  g_clear_object (&list->workspace);
  G_OBJECT_CLASS (sonde_run_list_parent_class)->dispose (object);
}

static void
sonde_run_list_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_RUN_LIST (object)->rows);
  G_OBJECT_CLASS (sonde_run_list_parent_class)->finalize (object);
}

static void
sonde_run_list_class_init (SondeRunListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_run_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_run_list_finalize;
  g_type_ensure (SONDE_TYPE_TAB_STOP);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, view);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, filter);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, problem);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, problem_revealer);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, empty);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, count);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, stack);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, menu_button);
  gtk_widget_class_bind_template_callback (widget_class, on_filter_changed);
  gtk_widget_class_install_action (widget_class, "run-list.invert-shown", NULL, invert_shown);
  gtk_widget_class_install_action (widget_class, "run-list.show-matching", NULL, show_matching);
  gtk_widget_class_install_action (widget_class, "run-list.hide-all", NULL, hide_all);
  gtk_widget_class_install_action (widget_class, "run-list.color-by", "s", color_by);
}

static void
sonde_run_list_init (SondeRunList *list)
{
  list->roots = g_list_store_new (SONDE_TYPE_RUN_NODE);
  list->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (list));
}
