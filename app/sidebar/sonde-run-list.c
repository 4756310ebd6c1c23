/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sidebar/sonde-run-list.h"

#include "app/sidebar/sonde-run-row.h"
#include "data/browsing/sonde-run-tree.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/sidebar/sonde-run-list.ui"

struct _SondeRunList
{
  GtkBox parent_instance;
  SondeWorkspace *workspace;
  GListStore *roots;
  GtkSingleSelection *selection;
  GtkListView *view;
  GtkSearchEntry *filter;
  GtkLabel *problem, *empty, *count;
  GtkRevealer *problem_revealer;
  GtkStack *stack;
  gboolean updating;
  guint64 structure; /* of the workspace when the rows were listed */
};

G_DEFINE_FINAL_TYPE (SondeRunList, sonde_run_list, GTK_TYPE_BOX)

static GListModel *
list_children (void *item, void *user_data)
{
  GListModel *children = sonde_run_node_get_children (item);

  /* A leaf gets no expander. */
  return sonde_run_node_get_run (item) == NULL ? g_object_ref (children) : NULL;
}

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, SondeRunList *list)
{
  gtk_list_item_set_child (item, sonde_run_row_new (list->workspace));
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, SondeRunList *list)
{
  GtkTreeListRow *row = gtk_list_item_get_item (item);
  g_autoptr (SondeRunNode) node = gtk_tree_list_row_get_item (row);

  sonde_run_row_bind (SONDE_RUN_ROW (gtk_list_item_get_child (item)), row, node);
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *item, SondeRunList *list)
{
  sonde_run_row_bind (SONDE_RUN_ROW (gtk_list_item_get_child (item)), NULL, NULL);
}

/* The selected row is the run that pages of one run show. */
static void
on_selected (SondeRunList *list)
{
  GtkTreeListRow *row = gtk_single_selection_get_selected_item (list->selection);
  g_autoptr (SondeRunNode) node = row != NULL ? gtk_tree_list_row_get_item (row) : NULL;

  if (!list->updating && node != NULL && sonde_run_node_get_run (node) != NULL)
    sonde_workspace_set_run (list->workspace, sonde_run_node_get_run (node));
}

static void
select_run (SondeRunList *list)
{
  GListModel *rows = G_LIST_MODEL (list->selection);
  SondeRun *run = sonde_workspace_get_run (list->workspace);

  list->updating = TRUE;
  for (guint i = 0; run != NULL && i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (GtkTreeListRow) row = g_list_model_get_item (rows, i);
      g_autoptr (SondeRunNode) node = gtk_tree_list_row_get_item (row);

      if (node != NULL && sonde_run_node_get_run (node) == run)
        {
          if (gtk_single_selection_get_selected (list->selection) != i)
            {
              gtk_single_selection_set_selected (list->selection, i);
              gtk_widget_activate_action (GTK_WIDGET (list->view), "list.scroll-to-item", "u", i);
            }
          break;
        }
    }
  list->updating = FALSE;
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

static void
update (SondeRunList *list)
{
  GListModel *runs = G_LIST_MODEL (sonde_workspace_get_store (list->workspace));
  guint n_shown = g_list_model_get_n_items (sonde_workspace_get_shown_runs (list->workspace));
  g_autofree char *count = NULL;

  if (list->structure == sonde_workspace_get_structure (list->workspace)
      && g_list_model_get_n_items (runs) > 0)
    return;
  list->structure = sonde_workspace_get_structure (list->workspace);
  list->updating = TRUE;
  sonde_run_tree_update (list->roots, runs, matches_filter, get_title, list->workspace);
  list->updating = FALSE;
  count = g_strdup_printf (_ ("%u of %u"), n_shown, g_list_model_get_n_items (runs));
  gtk_label_set_label (list->count, g_list_model_get_n_items (runs) > 0 ? count : "");
  gtk_label_set_label (list->empty,
                       g_list_model_get_n_items (runs) > 0 ? _ ("No run matches this filter.")
                       : sonde_workspace_get_paths (list->workspace)[0] == NULL
                           ? _ ("Open a folder to see its runs.")
                           : _ ("No runs yet. They appear here as soon as something is recorded."));
  gtk_stack_set_visible_child_name (
      list->stack, g_list_model_get_n_items (G_LIST_MODEL (list->roots)) > 0 ? "list" : "empty");
  select_run (list);
}

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
  list->selection = gtk_single_selection_new (G_LIST_MODEL (tree));
  gtk_single_selection_set_autoselect (list->selection, FALSE);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), list);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), list);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), list);
  gtk_list_view_set_factory (list->view, factory);
  gtk_list_view_set_model (list->view, GTK_SELECTION_MODEL (list->selection));
  g_object_unref (factory);
  g_signal_connect_object (list->selection, "notify::selected-item", G_CALLBACK (on_selected), list,
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
sonde_run_list_class_init (SondeRunListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_run_list_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, view);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, filter);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, problem);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, problem_revealer);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, empty);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, count);
  gtk_widget_class_bind_template_child (widget_class, SondeRunList, stack);
  gtk_widget_class_bind_template_callback (widget_class, on_filter_changed);
}

static void
sonde_run_list_init (SondeRunList *list)
{
  list->roots = g_list_store_new (SONDE_TYPE_RUN_NODE);
  gtk_widget_init_template (GTK_WIDGET (list));
}
