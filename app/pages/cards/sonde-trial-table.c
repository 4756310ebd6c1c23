/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-trial-table.h"

#include <math.h>

#include "app/widgets/sonde-column-view.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-text.h"
#include "data/browsing/sonde-trials.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

struct _SondeTrialTable
{
  GtkBox parent_instance;
  GtkColumnView *view;
  GtkLabel *note;
  SondeWorkspace *workspace;
  GFunc changed;
  void *user_data;
  SondeTrials *trials;
  GPtrArray *columns; /* SondeTrialColumn, without the run itself */
  guint n_parameters;
};

G_DEFINE_FINAL_TYPE (SondeTrialTable, sonde_trial_table, GTK_TYPE_BOX)

static void
tell_changed (SondeTrialTable *table)
{
  if (table->changed != NULL)
    table->changed (table, table->user_data);
}

/* @column: −1 is the run itself. @number: NaN when the text is none */
static char *
cell_text (SondeTrialTable *table, SondeTrial *trial, int column, double *number)
{
  g_autofree char *text = NULL;

  *number = NAN;
  if (column < 0)
    return g_strdup (sonde_workspace_get_run_title (table->workspace, sonde_trial_get_run (trial)));
  if (column >= (int) table->columns->len)
    return NULL;
  text = sonde_trial_dup_text (trial, table->columns->pdata[column], number);
  return text != NULL ? sonde_text_make_visible (text) : NULL;
}

/* Numbers before words, both before nothing; in a descending sort nothing comes first, as GTK has
 * it. */
static int
compare_cells (gconstpointer a, gconstpointer b, gpointer data)
{
  GtkColumnViewColumn *column = data;
  SondeTrialTable *table = g_object_get_data (G_OBJECT (column), "table");
  int number = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (column), "number"));
  double x, y;
  g_autofree char *first = cell_text (table, SONDE_TRIAL ((gpointer) a), number, &x);
  g_autofree char *second = cell_text (table, SONDE_TRIAL ((gpointer) b), number, &y);

  if (first == NULL || second == NULL)
    return (first == NULL) - (second == NULL);
  if (isnan (x) != isnan (y))
    return isnan (x) - isnan (y);
  if (!isnan (x))
    return (x > y) - (x < y);
  return g_utf8_collate (first, second);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, void *user_data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (NULL);

  if (GPOINTER_TO_INT (g_object_get_data (G_OBJECT (factory), "number")) < 0)
    gtk_box_append (GTK_BOX (box), g_object_new (SONDE_TYPE_BADGE, NULL));
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 40);
  gtk_label_set_width_chars (
      GTK_LABEL (label),
      GPOINTER_TO_INT (g_object_get_data (G_OBJECT (factory), "number")) < 0 ? 16 : 7);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, void *user_data)
{
  SondeTrialTable *table = user_data;
  SondeTrial *trial = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item), *first = gtk_widget_get_first_child (box);
  GtkWidget *label = gtk_widget_get_last_child (box);
  double number;
  g_autofree char *text = cell_text (
      table, trial, GPOINTER_TO_INT (g_object_get_data (G_OBJECT (factory), "number")), &number);

  if (SONDE_IS_BADGE (first))
    sonde_badge_set_series (SONDE_BADGE (first),
                            sonde_run_get_color_index (sonde_trial_get_run (trial)));
  gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : "–");
  gtk_label_set_xalign (GTK_LABEL (label), isnan (number) ? 0 : 1);
  gtk_widget_set_tooltip_text (label, text);
}

static void
add_column (SondeTrialTable *table, const char *title, int number)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = NULL;
  g_autoptr (GtkSorter) sorter = NULL;

  g_object_set_data (G_OBJECT (factory), "number", GINT_TO_POINTER (number));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), table);
  column = gtk_column_view_column_new (title, factory);
  g_object_set_data (G_OBJECT (column), "table", table);
  g_object_set_data (G_OBJECT (column), "number", GINT_TO_POINTER (number));
  gtk_column_view_column_set_resizable (column, TRUE);
  sorter = GTK_SORTER (gtk_custom_sorter_new (compare_cells, column, NULL));
  gtk_column_view_column_set_sorter (column, sorter);
  gtk_column_view_append_column (table->view, column);
}

static void
update_columns (SondeTrialTable *table)
{
  g_autoptr (GPtrArray) columns = sonde_trials_list_columns (table->trials);
  GListModel *model = sonde_trials_get_model (table->trials);
  guint n = g_list_model_get_n_items (model), n_all = columns->len;
  g_autofree char *note = NULL;

  g_ptr_array_set_size (columns, (int) MIN (n_all, SONDE_TRIAL_TABLE_MAX_COLUMNS));
  note = g_strdup_printf (_ ("%u more columns are not shown"), n_all - columns->len);
  gtk_label_set_text (table->note, note);
  gtk_widget_set_visible (GTK_WIDGET (table->note), n_all > columns->len);
  if (sonde_trial_columns_equal (columns, table->columns)
      && g_list_model_get_n_items (gtk_column_view_get_columns (table->view)) > 0)
    {
      /* Last values are new. */
      g_list_model_items_changed (model, 0, n, n);
      return;
    }
  sonde_column_view_clear (table->view);
  g_ptr_array_unref (table->columns);
  table->columns = g_steal_pointer (&columns);
  table->n_parameters = 0;
  add_column (table, _ ("Run"), -1);
  for (guint i = 0; i < table->columns->len; i++)
    {
      const SondeTrialColumn *column = table->columns->pdata[i];
      g_autofree char *title = sonde_text_make_visible (column->name);

      table->n_parameters += column->rank != SONDE_TRIAL_METRIC;
      add_column (table, title, (int) i);
    }
}

static void
on_trials_changed (void *user_data)
{
  SondeTrialTable *table = user_data;

  if (!sonde_trials_is_busy (table->trials))
    update_columns (table);
  tell_changed (table);
}

static void
update (SondeTrialTable *table)
{
  sonde_trials_update (table->trials);
  on_trials_changed (table);
}

/* ---- the rest ------------------------------------------------------------ */

guint
sonde_trial_table_get_n_rows (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), 0);
  return g_list_model_get_n_items (sonde_trials_get_model (table->trials));
}

guint
sonde_trial_table_get_n_parameters (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), 0);
  return table->n_parameters;
}

gboolean
sonde_trial_table_is_busy (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  return table->trials != NULL && sonde_trials_is_busy (table->trials);
}

static void
sonde_trial_table_dispose (GObject *object)
{
  SondeTrialTable *table = SONDE_TRIAL_TABLE (object);

  table->changed = NULL;
  if (table->view != NULL)
    gtk_column_view_set_model (table->view, NULL);
  table->view = NULL;
  g_clear_pointer (&table->trials, sonde_trials_free);
  g_clear_object (&table->workspace);
  G_OBJECT_CLASS (sonde_trial_table_parent_class)->dispose (object);
}

static void
sonde_trial_table_finalize (GObject *object)
{
  SondeTrialTable *table = SONDE_TRIAL_TABLE (object);

  g_ptr_array_unref (table->columns);
  G_OBJECT_CLASS (sonde_trial_table_parent_class)->finalize (object);
}

static void
sonde_trial_table_class_init (SondeTrialTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_trial_table_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_trial_table_finalize;
}

static void
sonde_trial_table_init (SondeTrialTable *table)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  /* Columns beyond the edge are announced. */
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (scrolled), FALSE);
  table->columns = g_ptr_array_new ();
  gtk_orientable_set_orientation (GTK_ORIENTABLE (table), GTK_ORIENTATION_VERTICAL);
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "dense-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Runs with hyper-parameters and last values"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  gtk_widget_add_css_class (scrolled, "table-pane");
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (table), scrolled);
  table->note = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (table->note, 0);
  gtk_widget_add_css_class (GTK_WIDGET (table->note), "dim-label");
  gtk_widget_set_margin_start (GTK_WIDGET (table->note), 12);
  gtk_widget_set_visible (GTK_WIDGET (table->note), FALSE);
  gtk_box_append (GTK_BOX (table), GTK_WIDGET (table->note));
}

/* A row that is opened (double click, Return) becomes the run that all pages show. */
static void
on_activated (SondeTrialTable *table, guint position)
{
  g_autoptr (SondeTrial) trial
      = g_list_model_get_item (G_LIST_MODEL (gtk_column_view_get_model (table->view)), position);

  if (trial != NULL)
    sonde_workspace_set_run (table->workspace, sonde_trial_get_run (trial));
}

GtkWidget *
sonde_trial_table_new (SondeWorkspace *workspace, GFunc changed, void *user_data)
{
  SondeTrialTable *table = g_object_new (SONDE_TYPE_TRIAL_TABLE, NULL);
  GtkSorter *sorter = gtk_column_view_get_sorter (table->view);
  GtkSortListModel *sorted;
  g_autoptr (GtkSelectionModel) selection = NULL;

  table->workspace = g_object_ref (workspace);
  table->trials
      = sonde_trials_new (sonde_workspace_get_shown_runs (workspace), on_trials_changed, table);
  sorted = gtk_sort_list_model_new (g_object_ref (sonde_trials_get_model (table->trials)),
                                    g_object_ref (sorter));
  selection = GTK_SELECTION_MODEL (gtk_single_selection_new (G_LIST_MODEL (sorted)));

  gtk_single_selection_set_autoselect (GTK_SINGLE_SELECTION (selection), FALSE);
  gtk_single_selection_set_can_unselect (GTK_SINGLE_SELECTION (selection), TRUE);
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (selection), GTK_INVALID_LIST_POSITION);
  table->changed = changed;
  table->user_data = user_data;
  gtk_column_view_set_model (table->view, selection);
  gtk_widget_set_tooltip_text (GTK_WIDGET (table->view), _ ("Double-click to show this run"));
  g_signal_connect_object (table->view, "activate", G_CALLBACK (on_activated), table,
                           G_CONNECT_SWAPPED);
  sonde_watch_workspace (GTK_WIDGET (table), workspace, G_CALLBACK (update));
  g_signal_connect_object (sonde_workspace_get_shown_runs (workspace), "items-changed",
                           G_CALLBACK (update), table, G_CONNECT_SWAPPED);
  update (table);
  return GTK_WIDGET (table);
}
