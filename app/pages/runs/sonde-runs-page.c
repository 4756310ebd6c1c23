/* SPDX-License-Identifier: Apache-2.0
 * The runs as a table: what each holds, sortable by every column. */
#include "app/pages/runs/sonde-runs-page.h"

#include "app/pages/runs/sonde-contents-table.h"
#include "app/pages/runs/sonde-run-table-columns.h"
#include "app/pages/runs/sonde-run-numbers.h"
#include "app/widgets/sonde-column-chooser.h"
#include "app/widgets/sonde-column-view.h"
#include "app/widgets/sonde-run-actions.h"
#include "app/widgets/sonde-tooltip.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

#define RESOURCE "/org/sonde/Sonde/pages/runs/sonde-runs-page.ui"

struct _SondeRunsPage
{
  SondePage parent_instance;
  GtkColumnView *view;
  SondeContentsTable *contents;
  GtkSingleSelection *selection;
  GPtrArray *names; /* bound items of the first column, lent */
  SondeRunTableColumns *columns;
  GtkBox *bar;
  GtkFilter *filter;
  gboolean updating;
  guint64 structure; /* of the workspace when they were filtered */
  gboolean placed;   /* the selected run was scrolled to */
};

G_DEFINE_FINAL_TYPE (SondeRunsPage, sonde_runs_page, SONDE_TYPE_PAGE)

static SondeWorkspace *
get_workspace (SondeRunsPage *page)
{
  return sonde_page_get_workspace (SONDE_PAGE (page));
}

/* ---- the name ------------------------------------------------------------ */

static void
on_setup_name (GtkListItemFactory *factory, GtkListItem *item, SondeRunsPage *page)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (label), 12);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), sonde_badge_new ());
  gtk_box_append (GTK_BOX (box), label);
  sonde_run_actions_add_cell (box, item);
  gtk_list_item_set_child (item, box);
}

/* "The best one  #baseline #keep" */
static char *
dup_name (SondeRunsPage *page, SondeRun *run)
{
  g_auto (GStrv) tags = sonde_run_marks_split_tags (
      sonde_workspace_get_run_mark (get_workspace (page), run, SONDE_RUN_MARK_TAGS));
  g_autofree char *title
      = sonde_text_make_visible (sonde_workspace_get_run_title (get_workspace (page), run));
  g_autofree char *joined = g_strjoinv (" #", tags);

  return *joined != '\0' ? g_strconcat (title, "  #", joined, NULL) : g_steal_pointer (&title);
}

static void
show_name (SondeRunsPage *page, GtkListItem *item)
{
  SondeRun *run = gtk_list_item_get_item (item);
  GtkWidget *mark = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkWidget *label = gtk_widget_get_next_sibling (mark);
  g_autofree char *title = dup_name (page, run);

  sonde_badge_set_series (SONDE_BADGE (mark), sonde_run_get_color_index (run));
  gtk_label_set_label (GTK_LABEL (label), title);
  sonde_set_tooltip (label, sonde_run_get_path (run));
}

static void
on_bind_name (GtkListItemFactory *factory, GtkListItem *item, SondeRunsPage *page)
{
  g_ptr_array_add (page->names, item);
  show_name (page, item);
}

static void
on_unbind_name (GtkListItemFactory *factory, GtkListItem *item, SondeRunsPage *page)
{
  g_ptr_array_remove_fast (page->names, item);
}

static int
compare_names (const void *a, const void *b, void *user_data)
{
  g_autofree char *x = g_utf8_collate_key_for_filename (sonde_run_get_name ((SondeRun *) a), -1);
  g_autofree char *y = g_utf8_collate_key_for_filename (sonde_run_get_name ((SondeRun *) b), -1);
  int order = strcmp (x, y);

  return order < 0 ? GTK_ORDERING_SMALLER : order > 0 ? GTK_ORDERING_LARGER : GTK_ORDERING_EQUAL;
}

static void
add_columns (SondeRunsPage *page)
{
  GtkListItemFactory *names = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_names, NULL, NULL));
  g_autoptr (GtkColumnViewColumn) column = gtk_column_view_column_new (_ ("Run"), names);

  g_signal_connect (names, "setup", G_CALLBACK (on_setup_name), page);
  g_signal_connect (names, "bind", G_CALLBACK (on_bind_name), page);
  g_signal_connect (names, "unbind", G_CALLBACK (on_unbind_name), page);
  gtk_column_view_column_set_sorter (column, sorter);
  gtk_column_view_column_set_expand (column, TRUE);
  gtk_column_view_column_set_resizable (column, TRUE);
  sonde_column_view_insert (page->view, 0, column, FALSE);
  page->columns = sonde_run_table_columns_new (get_workspace (page), page->view);
  g_signal_connect_object (page->columns, "busy-changed", G_CALLBACK (sonde_page_settled_changed),
                           page, G_CONNECT_SWAPPED);
  gtk_box_append (page->bar,
                  sonde_column_chooser_new (sonde_run_table_columns_get_choices (page->columns),
                                            _ ("Only the Usual Ones")));
  g_signal_connect_object (gtk_widget_get_last_child (GTK_WIDGET (page->bar)), "opened",
                           G_CALLBACK (sonde_run_table_columns_read), page->columns,
                           G_CONNECT_SWAPPED);
}

/* ---- copying ------------------------------------------------------------- */

static SondeRun *
get_selected (SondeRunsPage *page)
{
  return gtk_single_selection_get_selected_item (page->selection);
}

static void
copy (SondeRunsPage *page, const char *text, const char *what)
{
  g_autofree char *sentence = g_strdup_printf (_ ("Copied: %s"), what);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (page)), text);
  sonde_page_toast (SONDE_PAGE (page), sentence);
}

/* Heads and numbers in full. */
static void
copy_row (SondeRunsPage *page)
{
  SondeRun *run = get_selected (page);
  g_autoptr (GString) text = g_string_new (_ ("Run"));

  if (run == NULL)
    return;
  sonde_run_table_columns_append_titles (page->columns, text);
  g_string_append_printf (text, "\n%s", sonde_workspace_get_run_title (get_workspace (page), run));
  sonde_run_table_columns_append_values (page->columns, run, text);
  g_string_append_c (text, '\n');
  copy (page, text->str, sonde_workspace_get_run_title (get_workspace (page), run));
}

/* The cell that was pressed last; the name before any was. */
static void
copy_cell (SondeRunsPage *page)
{
  SondeRun *run = get_selected (page);
  g_autofree char *title = sonde_run_table_columns_dup_pressed_title (page->columns);
  g_autofree char *text = NULL, *what = NULL;

  if (run == NULL)
    return;
  text = title != NULL ? sonde_run_table_columns_dup_pressed (page->columns, run)
                       : g_strdup (sonde_workspace_get_run_title (get_workspace (page), run));
  what = title != NULL ? g_strdup_printf ("%s %s", title, text) : g_strdup (text);
  copy (page, text, what);
}

static void
on_copy (GSimpleAction *action, GVariant *parameter, gpointer page)
{
  if (g_str_equal (g_action_get_name (G_ACTION (action)), "copy-row"))
    copy_row (page);
  else
    copy_cell (page);
}

static void
add_copying (SondeRunsPage *page)
{
  static const GActionEntry entries[] = { { .name = "copy-cell", .activate = on_copy },
                                          { .name = "copy-row", .activate = on_copy } };
  static const char *const keys[][2]
      = { { "<Control>c", "table.copy-cell" }, { "<Control><Alt>c", "table.copy-row" } };
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  g_autoptr (GMenu) menu = g_menu_new ();
  GtkEventController *controller = gtk_shortcut_controller_new ();

  g_action_map_add_action_entries (G_ACTION_MAP (group), entries, G_N_ELEMENTS (entries), page);
  gtk_widget_insert_action_group (GTK_WIDGET (page->view), "table", G_ACTION_GROUP (group));
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_shortcut_controller_add_shortcut (
        GTK_SHORTCUT_CONTROLLER (controller),
        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys[i][0]),
                          gtk_named_action_new (keys[i][1])));
  gtk_widget_add_controller (GTK_WIDGET (page->view), controller);
  g_menu_append (menu, _ ("Copy C_ell"), "table.copy-cell");
  g_menu_append (menu, _ ("Copy _Row"), "table.copy-row");
  sonde_run_actions_add_section (GTK_WIDGET (page->view), G_MENU_MODEL (menu));
}

/* ---- page ---------------------------------------------------------------- */

static gboolean
matches (void *item, void *user_data)
{
  return sonde_workspace_matches_filter (user_data, item);
}

static GPtrArray *
dup_selected_runs (GtkWidget *view)
{
  GtkSelectionModel *model = gtk_column_view_get_model (GTK_COLUMN_VIEW (view));
  SondeRun *run = gtk_single_selection_get_selected_item (GTK_SINGLE_SELECTION (model));
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);

  if (run != NULL)
    g_ptr_array_add (runs, g_object_ref (run));
  return runs;
}

static void
on_selected (SondeRunsPage *page)
{
  SondeRun *run = gtk_single_selection_get_selected_item (page->selection);

  if (!page->updating && run != NULL)
    sonde_workspace_set_run (get_workspace (page), run);
}

static void
select_run (SondeRunsPage *page)
{
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));

  page->updating = TRUE;
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (page->selection)); i++)
    {
      g_autoptr (SondeRun) other = g_list_model_get_item (G_LIST_MODEL (page->selection), i);

      if (other == run && gtk_single_selection_get_selected (page->selection) != i)
        gtk_single_selection_set_selected (page->selection, i);
    }
  page->updating = FALSE;
  sonde_contents_table_set_run (
      page->contents, run,
      run != NULL ? sonde_workspace_get_run_title (get_workspace (page), run) : NULL);
}

/* A list keeps the row that came first where it is, and rows that come before it push it down: once
 * all runs are there, the selected one is looked for. */
static void
scroll_to_selected (SondeRunsPage *page)
{
  guint selected = gtk_single_selection_get_selected (page->selection);
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (page->view));

  while (child != NULL && !GTK_IS_LIST_VIEW (child))
    child = gtk_widget_get_next_sibling (child);
  if (child != NULL && selected != GTK_INVALID_LIST_POSITION)
    gtk_widget_activate_action (child, "list.scroll-to-item", "u", selected);
}

static void
on_open (SondeRunsPage *page, const char *name, const char *tag)
{
  sonde_page_go (SONDE_PAGE (page), name, &(SondePageRequest){ .tag = tag });
}

static gboolean
sonde_runs_page_is_settled (SondePage *page)
{
  return !sonde_contents_table_is_busy (SONDE_RUNS_PAGE (page)->contents)
         && !sonde_run_table_columns_is_busy (SONDE_RUNS_PAGE (page)->columns);
}

static void
on_activate (GtkColumnView *view, guint position, SondeRunsPage *page)
{
  on_selected (page);
  sonde_page_go (SONDE_PAGE (page), "overview", NULL);
}

static void
update (SondeRunsPage *page)
{
  GListModel *runs = G_LIST_MODEL (sonde_page_get_store (SONDE_PAGE (page)));
  guint n = g_list_model_get_n_items (runs);
  guint n_live = sonde_workspace_count_running (sonde_page_get_workspace (SONDE_PAGE (page)));
  double n_points = 0, n_bytes = 0;
  g_autofree char *all = NULL, *live = NULL, *points = NULL, *bytes = NULL, *text = NULL;

  if (n == 0)
    sonde_page_set_empty_without_runs (SONDE_PAGE (page));
  else
    sonde_page_set_filled (SONDE_PAGE (page));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      n_points += sonde_run_count_points (run);
      n_bytes += sonde_run_count_bytes (run);
    }
  select_run (page);
  if (n > 0 && !page->placed
      && !sonde_run_store_is_loading (sonde_page_get_store (SONDE_PAGE (page))))
    {
      page->placed = TRUE;
      scroll_to_selected (page);
    }
  all = sonde_format_count (n);
  live = sonde_format_count (n_live);
  points = sonde_format_count ((gint64) n_points);
  bytes = sonde_format_bytes ((guint64) n_bytes);
  text = g_strdup_printf (
      P_ ("%s run, %s live: %s points in %s", "%s runs, %s live: %s points in %s", n), all, live,
      points, bytes);
  sonde_page_set_status (SONDE_PAGE (page), n > 0 ? text : NULL);
}

static void
on_changed (SondeRunsPage *page)
{
  guint64 structure = sonde_workspace_get_structure (get_workspace (page));

  if (page->structure != structure)
    gtk_filter_changed (page->filter, GTK_FILTER_CHANGE_DIFFERENT);
  for (guint i = 0; page->structure != structure && i < page->names->len; i++)
    show_name (page, page->names->pdata[i]);
  page->structure = structure;
  sonde_run_table_columns_update (page->columns);
  update (page);
}

static void
sonde_runs_page_set_up (SondePage *base)
{
  SondeRunsPage *page = SONDE_RUNS_PAGE (base);
  GtkFilterListModel *filtered;
  GtkSortListModel *sorted;

  add_columns (page);
  page->filter = GTK_FILTER (gtk_custom_filter_new (matches, get_workspace (page), NULL));
  filtered = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (sonde_page_get_store (base))),
                                        g_object_ref (page->filter));
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (filtered),
                                    g_object_ref (gtk_column_view_get_sorter (page->view)));
  page->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (page->selection, FALSE);
  gtk_column_view_set_model (page->view, GTK_SELECTION_MODEL (page->selection));
  /* The latest first, until somebody presses a head. */
  gtk_column_view_sort_by_column (page->view, sonde_run_table_columns_get_start (page->columns),
                                  GTK_SORT_DESCENDING);
  sonde_run_actions_add (GTK_WIDGET (page->view), get_workspace (page), dup_selected_runs);
  add_copying (page);
  g_signal_connect_object (page->selection, "notify::selected-item", G_CALLBACK (on_selected), page,
                           G_CONNECT_SWAPPED);
  sonde_watch_workspace (GTK_WIDGET (page), get_workspace (page), G_CALLBACK (on_changed));
  g_signal_connect_object (page->contents, "open", G_CALLBACK (on_open), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (page->contents, "measured", G_CALLBACK (sonde_page_settled_changed),
                           page, G_CONNECT_SWAPPED);
  select_run (page);
  update (page);
}

static void
sonde_runs_page_dispose (GObject *object)
{
  SondeRunsPage *page = SONDE_RUNS_PAGE (object);

  page->updating = TRUE;
  if (page->view != NULL)
    gtk_column_view_set_model (page->view, NULL);
  g_clear_object (&page->columns);
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_RUNS_PAGE);
  page->view = NULL;
  g_clear_object (&page->selection);
  g_clear_object (&page->filter);
  G_OBJECT_CLASS (sonde_runs_page_parent_class)->dispose (object);
}

static void
sonde_runs_page_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_RUNS_PAGE (object)->names);
  G_OBJECT_CLASS (sonde_runs_page_parent_class)->finalize (object);
}

static void
sonde_runs_page_class_init (SondeRunsPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_runs_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_runs_page_finalize;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_runs_page_set_up;
  SONDE_PAGE_CLASS (klass)->is_settled = sonde_runs_page_is_settled;
  g_type_ensure (SONDE_TYPE_CONTENTS_TABLE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeRunsPage, bar);
  gtk_widget_class_bind_template_child (widget_class, SondeRunsPage, contents);
  gtk_widget_class_bind_template_child (widget_class, SondeRunsPage, view);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
}

static void
sonde_runs_page_init (SondeRunsPage *page)
{
  page->names = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (page));
}
