/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-table.h"

#include <math.h>

#include "app/pages/lineage/sonde-trial-query.h"
#include "app/pages/lineage/sonde-trial-values.h"
#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

#define REFRESH_MS                                                                                 \
  500 /* at most one in that time: new points alone do not sort 10,000 rows again */

struct _SondeTrialTable
{
  GtkBox parent_instance;
  GtkColumnView *view;
  GtkFilter *filter, *brush_filter;
  GListModel *matching; /* what filter and query leave */
  GHashTable *brush;    /* (nullable): SondeTrial: of them those that are shown */
  GtkSingleSelection *selection;
  SondeWorkspace *workspace;
  GFunc changed;
  void *user_data;
  SondeTrials *trials;
  GPtrArray *columns;  /* SondeTrialColumn: all */
  GPtrArray *values;   /* SondeTrialValues: of the titles, then of the columns that are shown */
  GHashTable *choices; /* name -> GINT_TO_POINTER (shown), where a person chose */
  GHashTable *bound;   /* GtkListItem that shows a cell -> its SondeTrialValues */
  SondeTrialStatistic statistic;
  guint n_last;
  GRegex *pattern;
  SondeTrialQuery *query;
  char *query_text;
  char *problem;
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

/* ---- cells --------------------------------------------------------------- */

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTrialValues *values)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (NULL);
  gboolean is_run = sonde_trial_values_get_column (values) == NULL;

  if (is_run)
    gtk_box_append (GTK_BOX (box), g_object_new (SONDE_TYPE_BADGE, NULL));
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), is_run ? 16 : 7);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 40);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
show_cell (GtkListItem *item, SondeTrialValues *values)
{
  SondeTrial *trial = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item), *first = gtk_widget_get_first_child (box);
  GtkWidget *label = gtk_widget_get_last_child (box);
  const SondeTrialValue *value = sonde_trial_values_get (values, trial);

  if (SONDE_IS_BADGE (first))
    sonde_badge_set_series (SONDE_BADGE (first),
                            sonde_run_get_color_index (sonde_trial_get_run (trial)));
  gtk_label_set_text (GTK_LABEL (label), value->text != NULL ? value->text : "–");
  gtk_label_set_xalign (GTK_LABEL (label), isnan (value->number) ? 0 : 1);
}

/* The number in full where the cell rounds it, asked for when the pointer rests there. */
static gboolean
on_query_tooltip (GtkWidget *box, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
                  GtkListItem *item)
{
  SondeTrialTable *table
      = SONDE_TRIAL_TABLE (gtk_widget_get_ancestor (box, SONDE_TYPE_TRIAL_TABLE));
  SondeTrialValues *values = table != NULL ? g_hash_table_lookup (table->bound, item) : NULL;
  const SondeTrialColumn *column = values != NULL ? sonde_trial_values_get_column (values) : NULL;
  SondeTrial *trial = gtk_list_item_get_item (item);
  g_autofree char *exact = NULL, *visible = NULL;

  if (values == NULL || trial == NULL)
    return FALSE;
  exact = column != NULL ? sonde_trial_dup_exact (trial, column)
                         : g_strdup (sonde_run_get_path (sonde_trial_get_run (trial)));
  if (exact == NULL || *exact == '\0')
    return FALSE;
  visible = sonde_text_make_visible (exact);
  gtk_tooltip_set_text (tooltip, visible);
  return TRUE;
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTrialValues *values)
{
  GtkWidget *box = gtk_list_item_get_child (item);
  SondeTrialTable *table = g_object_get_data (G_OBJECT (factory), "table");

  g_hash_table_insert (table->bound, item, values);
  if (!gtk_widget_get_has_tooltip (box))
    {
      gtk_widget_set_has_tooltip (box, TRUE);
      g_signal_connect (box, "query-tooltip", G_CALLBACK (on_query_tooltip), item);
    }
  show_cell (item, values);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTrialValues *values)
{
  SondeTrialTable *table = g_object_get_data (G_OBJECT (factory), "table");

  g_hash_table_remove (table->bound, item);
}

/* ---- columns ------------------------------------------------------------- */

static int
compare_cells (gconstpointer a, gconstpointer b, gpointer values)
{
  return sonde_trial_values_compare (values, (SondeTrial *) a, (SondeTrial *) b);
}

static void
insert_column (SondeTrialTable *table, guint position, const char *title, SondeTrialValues *values)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = NULL;
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_cells, values, NULL));
  g_autofree char *visible = sonde_text_make_visible (title);

  g_object_set_data (G_OBJECT (factory), "table", table);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), values);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), values);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), values);
  column = gtk_column_view_column_new (visible, factory);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_column_set_sorter (column, sorter);
  gtk_column_view_insert_column (table->view, position, column);
  g_ptr_array_insert (table->values, (int) position, values);
}

gboolean
sonde_trial_table_is_shown (SondeTrialTable *table, const SondeTrialColumn *column)
{
  gpointer chosen;

  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  if (g_hash_table_lookup_extended (table->choices, column->name, NULL, &chosen))
    return GPOINTER_TO_INT (chosen);
  return sonde_trial_column_is_usual (column);
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
  g_hash_table_remove_all (table->bound);
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

static gboolean
is_of_column (gpointer item, gpointer values, gpointer column)
{
  return values == column;
}

static void
hide_column (SondeTrialTable *table, guint position)
{
  g_autoptr (GtkColumnViewColumn) column
      = g_list_model_get_item (gtk_column_view_get_columns (table->view), position);

  gtk_column_view_remove_column (table->view, column);
  g_hash_table_foreach_remove (table->bound, is_of_column, table->values->pdata[position]);
  g_ptr_array_remove_index (table->values, position);
}

/* The others stay as they are, and so does the order of the rows. */
void
sonde_trial_table_set_shown (SondeTrialTable *table, const char *name, gboolean shown)
{
  guint position = 1;

  g_return_if_fail (SONDE_IS_TRIAL_TABLE (table));
  for (guint i = 0; i < table->columns->len; i++)
    {
      SondeTrialColumn *column = table->columns->pdata[i];
      gboolean was_shown = sonde_trial_table_is_shown (table, column);

      if (!g_str_equal (column->name, name))
        {
          position += was_shown;
          continue;
        }
      g_hash_table_replace (table->choices, g_strdup (name), GINT_TO_POINTER (shown));
      if (shown && !was_shown)
        show_column (table, position, column);
      else if (!shown && was_shown)
        hide_column (table, position);
      break;
    }
  tell_changed (table);
}

void
sonde_trial_table_show_usual (SondeTrialTable *table)
{
  g_return_if_fail (SONDE_IS_TRIAL_TABLE (table));
  g_hash_table_remove_all (table->choices);
  make_columns (table);
  tell_changed (table);
}

/* ---- filters ------------------------------------------------------------- */

typedef struct
{
  const GRegex *pattern;
  gboolean matches;
} Match;

static void
match_parameter (const char *name, const char *text, void *data)
{
  Match *match = data;
  g_autofree char *pair = match->matches ? NULL : g_strdup_printf ("%s=%s", name, text);

  match->matches = match->matches || g_regex_match (match->pattern, pair, 0, NULL);
}

static gboolean
matches_pattern (SondeTrialTable *table, SondeTrial *trial)
{
  Match match = { table->pattern, FALSE };
  SondeRun *run = sonde_trial_get_run (trial);

  match.matches = g_regex_match (match.pattern,
                                 sonde_workspace_get_run_title (table->workspace, run), 0, NULL);
  if (!match.matches)
    sonde_trial_for_each_parameter (trial, match_parameter, &match);
  return match.matches;
}

static gboolean
matches (void *item, void *data)
{
  SondeTrialTable *table = data;
  g_autoptr (GError) error = NULL;
  gboolean answer;

  if (table->pattern != NULL && !matches_pattern (table, item))
    return FALSE;
  if (table->query == NULL)
    return TRUE;
  answer = sonde_trial_query_matches (table->query, item, &error);
  if (error != NULL && table->problem == NULL)
    table->problem = g_strdup (sonde_error_get_text (error));
  return answer;
}

static void
filter_again (SondeTrialTable *table)
{
  g_clear_pointer (&table->problem, g_free);
  table->updating = TRUE;
  gtk_filter_changed (table->filter, GTK_FILTER_CHANGE_DIFFERENT);
  table->updating = FALSE;
}

gboolean
sonde_trial_table_set_filter (SondeTrialTable *table, const char *pattern, GError **error)
{
  GRegex *regex = NULL;

  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  if (pattern != NULL && *pattern != '\0')
    {
      regex = g_regex_new (pattern, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, error);
      if (regex == NULL)
        return FALSE;
    }
  g_clear_pointer (&table->pattern, g_regex_unref);
  table->pattern = regex;
  filter_again (table);
  tell_changed (table);
  return TRUE;
}

gboolean
sonde_trial_table_set_query (SondeTrialTable *table, const char *text, GError **error)
{
  SondeTrialQuery *query = NULL;

  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), FALSE);
  if (text != NULL && *text != '\0')
    {
      query = sonde_trial_query_new (text, table->columns, error);
      if (query == NULL)
        return FALSE;
    }
  sonde_trial_query_free (table->query);
  table->query = query;
  g_free (table->query_text);
  table->query_text = g_strdup (text);
  filter_again (table);
  tell_changed (table);
  return TRUE;
}

static gboolean
is_in_brush (void *item, void *data)
{
  SondeTrialTable *table = data;

  return table->brush == NULL || g_hash_table_contains (table->brush, item);
}

void
sonde_trial_table_take_brush (SondeTrialTable *table, GHashTable *brush)
{
  g_return_if_fail (SONDE_IS_TRIAL_TABLE (table));
  g_clear_pointer (&table->brush, g_hash_table_unref);
  table->brush = brush;
  table->updating = TRUE;
  gtk_filter_changed (table->brush_filter, GTK_FILTER_CHANGE_DIFFERENT);
  table->updating = FALSE;
  tell_changed (table);
}

/* Columns are others, or their numbers: names may mean something else. One that is gone leaves the
 * query as it was. */
static void
ask_again (SondeTrialTable *table)
{
  SondeTrialQuery *query;

  if (table->query == NULL)
    return;
  query = sonde_trial_query_new (table->query_text, table->columns, NULL);
  if (query != NULL)
    {
      sonde_trial_query_free (table->query);
      table->query = query;
    }
  filter_again (table);
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
  GHashTableIter iter;
  gpointer item, values;

  table->refresh = 0;
  for (guint i = 0; i < table->values->len; i++)
    sonde_trial_values_forget (table->values->pdata[i]);
  g_hash_table_iter_init (&iter, table->bound);
  while (g_hash_table_iter_next (&iter, &item, &values))
    show_cell (item, values);
  if (table->query != NULL)
    filter_again (table);
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
  return table->problem;
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
  g_clear_object (&table->filter);
  g_clear_object (&table->brush_filter);
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
  g_hash_table_unref (table->choices);
  g_hash_table_unref (table->bound);
  g_clear_pointer (&table->brush, g_hash_table_unref);
  g_clear_pointer (&table->pattern, g_regex_unref);
  sonde_trial_query_free (table->query);
  g_free (table->query_text);
  g_free (table->problem);
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
  table->choices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  table->bound = g_hash_table_new (NULL, NULL);
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

  table->brush_filter = GTK_FILTER (gtk_custom_filter_new (is_in_brush, table, NULL));
  table->filter = GTK_FILTER (gtk_custom_filter_new (matches, table, NULL));
  table->matching = G_LIST_MODEL (
      gtk_filter_list_model_new (g_object_ref (trials), g_object_ref (table->filter)));
  brushed = gtk_filter_list_model_new (table->matching, g_object_ref (table->brush_filter));
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
  make_model (table);
  sonde_trial_table_update (table);
  return GTK_WIDGET (table);
}
