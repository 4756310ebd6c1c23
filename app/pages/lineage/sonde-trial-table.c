/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-table.h"

#include "app/pages/lineage/sonde-trial-cells.h"
#include "app/pages/lineage/sonde-trial-filter.h"
#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define REFRESH_MS                                                                                 \
  500 /* at most one in that time: new points alone do not sort 10,000 rows again */

#define SETTINGS "lineage"

struct _SondeTrialTable
{
  GtkBox parent_instance;
  GtkColumnView *view;
  SondeTrialFilter *filter;
  SondeTrialCells *cells;
  GListModel *matching; /* what filter and query leave */
  GtkSingleSelection *selection;
  SondeWorkspace *workspace;
  GFunc changed;
  void *user_data;
  SondeTrials *trials;
  GPtrArray *columns; /* SondeTrialColumn: all */
  GPtrArray *values;  /* SondeTrialValues: of the titles, then of the columns that are shown */
  SondeColumnChoices *choices;
  SondeTrialStatistic statistic;
  guint n_last;
  guint64 structure; /* of the workspace when the columns were made */
  guint refresh;     /* source */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeTrialTable, sonde_trial_table, GTK_TYPE_BOX)

static void
tell_changed (SondeTrialTable *table)
{
  if (table->changed != NULL)
    table->changed (table, table->user_data);
}

static char *
dup_run_title (SondeTrial *trial, void *data)
{
  SondeTrialTable *table = data;

  return g_strdup (sonde_workspace_get_run_title (table->workspace, sonde_trial_get_run (trial)));
}

/* ---- columns ------------------------------------------------------------- */

static void
insert_column (SondeTrialTable *table, guint position, const char *title, SondeTrialValues *values)
{
  g_autoptr (GtkColumnViewColumn) column
      = sonde_trial_cells_make_column (table->cells, title, values);

  sonde_column_view_insert (table->view, position, column, FALSE);
  g_ptr_array_insert (table->values, (int) position, values);
}

gboolean
sonde_trial_table_is_shown (SondeTrialTable *table, const SondeTrialColumn *column)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  return sonde_column_choices_look_up (table->choices, column->name,
                                       sonde_trial_column_is_usual (column));
}

static void
show_column (SondeTrialTable *table, guint position, SondeTrialColumn *column)
{
  g_autofree char *title = NULL;

  column->statistic = table->statistic;
  column->n_last = table->n_last;
  title = sonde_trial_column_dup_title (column);
  insert_column (table, position, title, sonde_trial_values_new (column, NULL, NULL));
}

static void
make_columns (SondeTrialTable *table)
{
  sonde_column_view_clear (table->view);
  sonde_trial_cells_forget (table->cells, NULL);
  g_ptr_array_set_size (table->values, 0);
  insert_column (table, 0, _ ("Run"), sonde_trial_values_new (NULL, dup_run_title, table));
  for (guint i = 0; i < table->columns->len; i++)
    {
      SondeTrialColumn *column = table->columns->pdata[i];

      column->statistic = table->statistic;
      column->n_last = table->n_last;
      if (sonde_trial_table_is_shown (table, column))
        show_column (table, table->values->len, column);
    }
}

static void
hide_column (SondeTrialTable *table, guint position)
{
  g_autoptr (GtkColumnViewColumn) column
      = g_list_model_get_item (gtk_column_view_get_columns (table->view), position);

  gtk_column_view_remove_column (table->view, column);
  sonde_trial_cells_forget (table->cells, table->values->pdata[position]);
  g_ptr_array_remove_index (table->values, position);
}

/* What the name alone does not say. (transfer full) */
static char *
describe (const SondeTrialColumn *column)
{
  if (column->twin != NULL)
    return g_strdup_printf (_ ("same as %s"), column->twin);
  if (column->rank == SONDE_TRIAL_METRIC)
    return g_strdup (_ ("metric"));
  return g_strdup (column->rank == SONDE_TRIAL_SAME ? _ ("same in all runs") : "");
}

static void
list_choices (SondeTrialTable *table)
{
  GPtrArray *choices = g_ptr_array_new ();

  for (guint i = 0; i < table->columns->len; i++)
    {
      const SondeTrialColumn *column = table->columns->pdata[i];
      g_autofree char *title = sonde_text_make_visible (column->name), *note = describe (column);
      g_autofree char *visible = sonde_text_make_visible (note);

      g_ptr_array_add (choices, sonde_column_choice_new (column->name, title, visible,
                                                         sonde_trial_column_is_usual (column)));
    }
  sonde_column_choices_take (table->choices, choices);
}

/* The others stay as they are, and so does the order of the rows. */
static void
on_toggled (SondeTrialTable *table, const char *name, gboolean shown)
{
  guint position = 1;

  for (guint i = 0; i < table->columns->len; i++)
    {
      SondeTrialColumn *column = table->columns->pdata[i];

      if (!g_str_equal (column->name, name))
        {
          position += sonde_trial_table_is_shown (table, column);
          continue;
        }
      if (shown)
        show_column (table, position, column);
      else
        hide_column (table, position);
      break;
    }
  tell_changed (table);
}

static void
on_reset (SondeTrialTable *table)
{
  make_columns (table);
  tell_changed (table);
}

void
sonde_trial_table_set_shown (SondeTrialTable *table, const char *name, gboolean shown)
{
  g_return_if_fail (SONDE_IS_TRIAL_TABLE (table));
  sonde_column_choices_set_shown (table->choices, name, shown);
}

SondeColumnChoices *
sonde_trial_table_get_choices (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), NULL);
  return table->choices;
}

/* ---- filters ------------------------------------------------------------- */

gboolean
sonde_trial_table_set_filter (SondeTrialTable *table, const char *pattern, GError **error)
{
  gboolean taken;

  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  table->updating = TRUE;
  taken = sonde_trial_filter_set_pattern (table->filter, pattern, error);
  table->updating = FALSE;
  if (taken)
    tell_changed (table);
  return taken;
}

gboolean
sonde_trial_table_set_query (SondeTrialTable *table, const char *text, GError **error)
{
  gboolean taken;

  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  table->updating = TRUE;
  taken = sonde_trial_filter_set_query (table->filter, text, table->columns, error);
  table->updating = FALSE;
  if (taken)
    tell_changed (table);
  return taken;
}

void
sonde_trial_table_take_brush (SondeTrialTable *table, GHashTable *brush)
{
  g_return_if_fail (SONDE_IS_TRIAL_TABLE (table));
  table->updating = TRUE;
  sonde_trial_filter_take_brush (table->filter, brush);
  table->updating = FALSE;
  tell_changed (table);
}

static void
ask_again (SondeTrialTable *table)
{
  table->updating = TRUE;
  sonde_trial_filter_ask_again (table->filter, table->columns);
  table->updating = FALSE;
}

void
sonde_trial_table_set_statistic (SondeTrialTable *table, SondeTrialStatistic statistic,
                                 guint n_last)
{
  g_return_if_fail (SONDE_IS_TRIAL_TABLE (table));
  table->statistic = statistic;
  table->n_last = CLAMP (n_last, 1, SONDE_TRIAL_MAX_LAST);
  make_columns (table);
  ask_again (table);
  tell_changed (table);
}

/* ---- the run of all pages ------------------------------------------------ */

static void
on_selected (SondeTrialTable *table)
{
  SondeTrial *trial = gtk_single_selection_get_selected_item (table->selection);

  if (!table->updating && trial != NULL)
    sonde_workspace_set_run (table->workspace, sonde_trial_get_run (trial));
}

static void
select_run (SondeTrialTable *table)
{
  SondeRun *run = sonde_workspace_get_run (table->workspace);
  SondeTrial *selected = gtk_single_selection_get_selected_item (table->selection);
  guint position = GTK_INVALID_LIST_POSITION;

  if (selected != NULL && sonde_trial_get_run (selected) == run)
    return;
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (table->selection)); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (G_LIST_MODEL (table->selection), i);

      if (sonde_trial_get_run (trial) == run)
        position = i;
    }
  table->updating = TRUE;
  gtk_single_selection_set_selected (table->selection, position);
  table->updating = FALSE;
}

/* ---- what is new --------------------------------------------------------- */

/* New points: the numbers on screen, and the order where numbers made it. */
static gboolean
refresh (gpointer data)
{
  SondeTrialTable *table = data;

  table->refresh = 0;
  for (guint i = 0; i < table->values->len; i++)
    sonde_trial_values_forget (table->values->pdata[i]);
  sonde_trial_cells_refresh (table->cells);
  ask_again (table);
  if (sonde_trial_table_is_sorted (table))
    gtk_sorter_changed (gtk_column_view_get_sorter (table->view), GTK_SORTER_CHANGE_DIFFERENT);
  tell_changed (table);
  return G_SOURCE_REMOVE;
}

static void
look_at_columns (SondeTrialTable *table)
{
  GPtrArray *columns = sonde_trial_columns_collect (sonde_trials_get_model (table->trials));

  if (g_list_model_get_n_items (gtk_column_view_get_columns (table->view)) > 0
      && sonde_trial_columns_equal (columns, table->columns))
    {
      g_ptr_array_unref (columns);
      return;
    }
  g_ptr_array_unref (table->columns);
  table->columns = columns;
  list_choices (table);
  make_columns (table);
  ask_again (table);
}

static void
on_trials_changed (void *data)
{
  SondeTrialTable *table = data;

  if (sonde_trials_is_busy (table->trials))
    return;
  look_at_columns (table);
  select_run (table);
  tell_changed (table);
}

void
sonde_trial_table_update (SondeTrialTable *table)
{
  guint64 structure;
  gboolean was_busy;

  g_return_if_fail (SONDE_IS_TRIAL_TABLE (table));
  structure = sonde_workspace_get_structure (table->workspace);
  was_busy = sonde_trials_is_busy (table->trials);

  table->updating = TRUE;
  sonde_trials_update (table->trials);
  table->updating = FALSE;
  if (structure != table->structure && !sonde_trials_is_busy (table->trials))
    {
      table->structure = structure;
      on_trials_changed (table);
    }
  else if (!was_busy && sonde_trials_is_busy (table->trials))
    tell_changed (table);
  select_run (table);
  if (table->refresh == 0)
    table->refresh = g_timeout_add (REFRESH_MS, refresh, table);
}

/* ---- asked --------------------------------------------------------------- */

GListModel *
sonde_trial_table_get_matching (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), NULL);
  return table->matching;
}

GListModel *
sonde_trial_table_get_rows (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), NULL);
  return G_LIST_MODEL (table->selection);
}

guint
sonde_trial_table_get_n_trials (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), 0);
  return g_list_model_get_n_items (sonde_trials_get_model (table->trials));
}

GPtrArray *
sonde_trial_table_get_columns (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), NULL);
  return table->columns;
}

guint
sonde_trial_table_get_n_parameters (SondeTrialTable *table)
{
  guint n = 0;

  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), 0);
  for (guint i = 0; i < table->columns->len; i++)
    n += ((SondeTrialColumn *) table->columns->pdata[i])->rank != SONDE_TRIAL_METRIC;
  return n;
}

/* Numbers that were recorded since are shown soon: that is no business to wait for. */
gboolean
sonde_trial_table_is_busy (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  return table->trials != NULL && (sonde_trials_is_busy (table->trials) || table->refresh != 0);
}

GPtrArray *
sonde_trial_table_list_shown (SondeTrialTable *table)
{
  GPtrArray *shown = g_ptr_array_new ();

  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), shown);
  for (guint i = 1; i < table->values->len; i++)
    g_ptr_array_add (shown, (void *) sonde_trial_values_get_column (table->values->pdata[i]));
  return shown;
}

const char *
sonde_trial_table_get_problem (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), NULL);
  return sonde_trial_filter_get_problem (table->filter);
}

gboolean
sonde_trial_table_is_sorted (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  return gtk_sorter_get_order (gtk_column_view_get_sorter (table->view)) != GTK_SORTER_ORDER_NONE;
}

void
sonde_trial_table_unsort (SondeTrialTable *table)
{
  g_return_if_fail (SONDE_IS_TRIAL_TABLE (table));
  gtk_column_view_sort_by_column (table->view, NULL, GTK_SORT_ASCENDING);
}

static const char *
get_title (SondeTrial *trial, void *table)
{
  return sonde_workspace_get_run_title (((SondeTrialTable *) table)->workspace,
                                        sonde_trial_get_run (trial));
}

char *
sonde_trial_table_dup_text (SondeTrialTable *table, SondeTrialFormat format)
{
  g_autoptr (GPtrArray) shown = sonde_trial_table_list_shown (table);

  return sonde_trials_export (G_LIST_MODEL (table->selection), shown, format, get_title, table);
}

/* ---- making -------------------------------------------------------------- */

static void
sonde_trial_table_dispose (GObject *object)
{
  SondeTrialTable *table = SONDE_TRIAL_TABLE (object);

  table->changed = NULL;
  table->updating = TRUE;
  g_clear_handle_id (&table->refresh, g_source_remove);
  if (table->view != NULL)
    gtk_column_view_set_model (table->view, NULL);
  if (table->view != NULL)
    sonde_column_view_clear (table->view);
  table->view = NULL;
  g_clear_object (&table->selection);
  g_clear_pointer (&table->filter, sonde_trial_filter_free);
  g_clear_pointer (&table->trials, sonde_trials_free);
  g_clear_object (&table->workspace);
  G_OBJECT_CLASS (sonde_trial_table_parent_class)->dispose (object);
}

static void
sonde_trial_table_finalize (GObject *object)
{
  SondeTrialTable *table = SONDE_TRIAL_TABLE (object);

  g_ptr_array_unref (table->columns);
  g_ptr_array_unref (table->values);
  g_clear_object (&table->choices);
  sonde_trial_cells_free (table->cells);
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

  table->columns = g_ptr_array_new ();
  table->values = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_trial_values_free);
  table->cells = sonde_trial_cells_new ();
  table->n_last = SONDE_TRIAL_N_LAST;
  table->structure = G_MAXUINT64;
  /* Columns beyond the edge are announced. */
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (scrolled), FALSE);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (table), GTK_ORIENTATION_VERTICAL);
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "dense-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Runs with hyper-parameters and metrics"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  gtk_widget_add_css_class (scrolled, "table-pane");
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (table), scrolled);
}

static void
make_model (SondeTrialTable *table)
{
  GListModel *trials = sonde_trials_get_model (table->trials);
  GtkSorter *sorter = gtk_column_view_get_sorter (table->view);
  GtkFilterListModel *brushed;
  GtkSortListModel *sorted;

  table->filter = sonde_trial_filter_new (table->workspace);
  table->matching = G_LIST_MODEL (gtk_filter_list_model_new (
      g_object_ref (trials), g_object_ref (sonde_trial_filter_get_matching (table->filter))));
  brushed = gtk_filter_list_model_new (
      table->matching, g_object_ref (sonde_trial_filter_get_brushed (table->filter)));
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (brushed), g_object_ref (sorter));
  table->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (table->selection, FALSE);
  gtk_single_selection_set_can_unselect (table->selection, TRUE);
  gtk_single_selection_set_selected (table->selection, GTK_INVALID_LIST_POSITION);
  gtk_column_view_set_model (table->view, GTK_SELECTION_MODEL (table->selection));
  g_signal_connect_object (table->selection, "notify::selected-item", G_CALLBACK (on_selected),
                           table, G_CONNECT_SWAPPED);
  g_signal_connect_object (sorter, "changed", G_CALLBACK (tell_changed), table, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_trial_table_new (SondeWorkspace *workspace, GFunc changed, void *user_data)
{
  SondeTrialTable *table = g_object_new (SONDE_TYPE_TRIAL_TABLE, NULL);

  table->workspace = g_object_ref (workspace);
  table->trials
      = sonde_trials_new (sonde_workspace_get_shown_runs (workspace), on_trials_changed, table);
  table->changed = changed;
  table->user_data = user_data;
  table->choices = sonde_column_choices_new (workspace, SETTINGS);
  g_signal_connect_object (table->choices, "toggled", G_CALLBACK (on_toggled), table,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (table->choices, "reset", G_CALLBACK (on_reset), table,
                           G_CONNECT_SWAPPED);
  make_model (table);
  sonde_trial_table_update (table);
  return GTK_WIDGET (table);
}
