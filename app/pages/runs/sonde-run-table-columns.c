/* SPDX-License-Identifier: Apache-2.0
 * A column lives as long as a factory or a sorter of the view refers to it, longer than it is shown. */
#include "app/pages/runs/sonde-run-table-columns.h"

#include <math.h>

#include "app/pages/lineage/sonde-trial-values.h"
#include "app/pages/runs/sonde-run-numbers.h"
#include "app/widgets/sonde-column-view.h"
#include "app/widgets/sonde-run-actions.h"
#include "app/widgets/sonde-tooltip.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/browsing/sonde-trial-export.h"
#include "viewers/paint/sonde-text-paint.h"

#define SETTINGS "runs-table"
#define REFRESH_MS 500 /* at most one in that time, as in the table of trials */

/* Either a number of the store or a column of trials. @column: (nullable): while it is shown */
typedef struct
{
  char *name;
  const SondeRunNumber *number;
  SondeTrialValues *values;
  SondeRunTableColumns *owner; /* NULL once it is gone */
  GtkColumnViewColumn *column;
} Column;

struct _SondeRunTableColumns
{
  GObject parent_instance;
  SondeWorkspace *workspace;
  GtkColumnView *view; /* lent */
  SondeColumnChoices *choices;
  GPtrArray *all;           /* Column: those of the store, then those of the trials */
  GHashTable *cells;        /* labels that show something: a set */
  SondeTrials *trials;      /* (nullable): nobody has wanted them */
  GPtrArray *trial_columns; /* SondeTrialColumn, as they were collected */
  GHashTable *trial_of;     /* SondeRun -> SondeTrial, lent by the list of trials */
  Column *pressed;          /* (nullable) */
  guint64 structure;        /* of the workspace when runs were looked at */
  guint refresh_source;
};

G_DEFINE_FINAL_TYPE (SondeRunTableColumns, sonde_run_table_columns, G_TYPE_OBJECT)

static guint busy_changed;

static void
column_clear (Column *column)
{
  g_free (column->name);
  sonde_trial_values_free (column->values);
}

static void
column_unref (gpointer column)
{
  g_rc_box_release_full (column, (GDestroyNotify) column_clear);
}

static void
column_unref_closure (gpointer column, GClosure *closure)
{
  column_unref (column);
}

/* ---- what a cell says ---------------------------------------------------- */

static SondeTrial *
find_trial (const Column *column, SondeRun *run)
{
  return column->owner != NULL ? g_hash_table_lookup (column->owner->trial_of, run) : NULL;
}

/* Visible text. @number: (out): NaN: none. (transfer full) */
static char *
dup_text (const Column *column, SondeRun *run, double *number)
{
  SondeTrial *trial;
  g_autofree char *text = NULL;

  if (column->number != NULL)
    {
      *number = column->number->is_text ? NAN : column->number->value (run);
      return column->number->format (column->number->value (run));
    }
  *number = NAN;
  trial = find_trial (column, run);
  if (trial != NULL)
    text = sonde_trial_dup_text (trial, sonde_trial_values_get_column (column->values), number);
  return text != NULL ? sonde_text_make_visible (text) : g_strdup ("–");
}

static char *
dup_exact (const Column *column, SondeRun *run)
{
  SondeTrial *trial;
  char *text = NULL;

  if (column->number != NULL && column->number->copy != NULL)
    return column->number->copy (column->number->value (run));
  if (column->number != NULL)
    return g_strdup_printf ("%.0f", column->number->value (run));
  trial = find_trial (column, run);
  if (trial != NULL)
    text = sonde_trial_dup_exact (trial, sonde_trial_values_get_column (column->values));
  return text != NULL ? text : g_strdup ("");
}

static char *
dup_title (const Column *column)
{
  g_autofree char *title = NULL;

  if (column->number != NULL)
    return g_strdup (_ (column->number->title));
  title = sonde_trial_column_dup_title (sonde_trial_values_get_column (column->values));
  return sonde_text_make_visible (title);
}

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  Column *column = data;
  SondeTrial *first, *second;
  double x, y;

  if (column->number != NULL)
    {
      x = column->number->value ((SondeRun *) a);
      y = column->number->value ((SondeRun *) b);
      return (x > y) - (x < y);
    }
  first = find_trial (column, (SondeRun *) a);
  second = find_trial (column, (SondeRun *) b);
  if (first == NULL || second == NULL)
    return (first == NULL) - (second == NULL);
  return sonde_trial_values_compare (column->values, first, second);
}

/* ---- cells --------------------------------------------------------------- */

static void
update_cell (GtkLabel *label)
{
  SondeRun *run = g_object_get_data (G_OBJECT (label), "run");
  const Column *column = g_object_get_data (G_OBJECT (label), "column");
  g_autofree char *text = NULL;
  double number;

  if (run == NULL)
    return;
  text = dup_text (column, run, &number);
  gtk_label_set_label (label, text);
  gtk_label_set_xalign (label, isnan (number) ? 0 : 1);
  if (column->number != NULL && column->number->value == sonde_run_get_start
      && sonde_run_get_start_ns (run) > 0)
    {
      g_autofree char *clock = sonde_format_clock (sonde_run_get_start_ns (run), NULL);
      sonde_set_tooltip (GTK_WIDGET (label), clock);
    }
}

static void
watch_run (GObject *label, SondeRun *run)
{
  SondeRun *old = g_object_get_data (label, "run");

  if (old != NULL)
    g_signal_handlers_disconnect_by_func (old, update_cell, label);
  g_object_set_data_full (label, "run", run != NULL ? g_object_ref (run) : NULL, g_object_unref);
  if (run != NULL)
    g_signal_connect_object (run, "changed", G_CALLBACK (update_cell), label, G_CONNECT_SWAPPED);
}

static void
on_pressed (GtkGestureClick *gesture, int n_presses, double x, double y, Column *column)
{
  if (column->owner != NULL)
    column->owner->pressed = column;
}

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, Column *column)
{
  GtkWidget *label = gtk_label_new (NULL);
  GtkGesture *press = gtk_gesture_click_new ();

  gtk_label_set_ellipsize (GTK_LABEL (label),
                           column->number != NULL ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
  gtk_widget_add_css_class (label, "numeric");
  g_object_set_data_full (G_OBJECT (label), "column", g_rc_box_acquire (column), column_unref);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (press), 0);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (press), GTK_PHASE_CAPTURE);
  g_signal_connect (press, "pressed", G_CALLBACK (on_pressed), column); /* the label has it */
  gtk_widget_add_controller (label, GTK_EVENT_CONTROLLER (press));
  sonde_run_actions_add_cell (label, item);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, Column *column)
{
  GtkWidget *label = gtk_list_item_get_child (item);

  watch_run (G_OBJECT (label), gtk_list_item_get_item (item));
  if (column->owner != NULL)
    g_hash_table_add (column->owner->cells, label);
  update_cell (GTK_LABEL (label));
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *item, Column *column)
{
  GtkWidget *label = gtk_list_item_get_child (item);

  if (column->owner != NULL)
    g_hash_table_remove (column->owner->cells, label);
  watch_run (G_OBJECT (label), NULL);
}

/* ---- showing ------------------------------------------------------------- */

static void
connect_cells (GtkListItemFactory *factory, const char *signal, GCallback callback, Column *column)
{
  g_signal_connect_data (factory, signal, callback, g_rc_box_acquire (column), column_unref_closure,
                         0);
}

static GtkColumnViewColumn *
make_view_column (Column *column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkSorter) sorter
      = GTK_SORTER (gtk_custom_sorter_new (compare, g_rc_box_acquire (column), column_unref));
  g_autofree char *title = dup_title (column);
  GtkColumnViewColumn *made;

  connect_cells (factory, "setup", G_CALLBACK (on_setup), column);
  connect_cells (factory, "bind", G_CALLBACK (on_bind), column);
  connect_cells (factory, "unbind", G_CALLBACK (on_unbind), column);
  made = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_sorter (made, sorter);
  gtk_column_view_column_set_resizable (made, TRUE);
  return made;
}

static gboolean
is_number (const Column *column)
{
  if (column->number != NULL)
    return !column->number->is_text;
  return sonde_trial_values_get_column (column->values)->rank == SONDE_TRIAL_METRIC;
}

/* Behind the name and the columns before it that are shown. */
static void
show_column (SondeRunTableColumns *columns, Column *column)
{
  guint position = 1;

  if (column->column != NULL)
    return;
  for (guint i = 0; columns->all->pdata[i] != column; i++)
    position += ((Column *) columns->all->pdata[i])->column != NULL;
  column->column = make_view_column (column);
  sonde_column_view_insert (columns->view, position, column->column, is_number (column));
}

static void
hide_column (SondeRunTableColumns *columns, Column *column)
{
  if (column->column == NULL)
    return;
  if (columns->view != NULL)
    gtk_column_view_remove_column (columns->view, column->column);
  g_clear_object (&column->column);
}

static void
show_chosen (SondeRunTableColumns *columns)
{
  for (guint i = 0; i < columns->all->len; i++)
    {
      Column *column = columns->all->pdata[i];

      if (sonde_column_choices_is_shown (columns->choices, column->name))
        show_column (columns, column);
      else
        hide_column (columns, column);
    }
}

static void
on_toggled (SondeRunTableColumns *columns, const char *name, gboolean shown)
{
  show_chosen (columns);
}

/* ---- which there are ----------------------------------------------------- */

static Column *
add_column (SondeRunTableColumns *columns, char *name, const SondeRunNumber *number,
            const SondeTrialColumn *of_trials)
{
  Column *column = g_rc_box_new0 (Column);

  column->name = name;
  column->number = number;
  column->values = of_trials != NULL ? sonde_trial_values_new (of_trials, NULL, NULL) : NULL;
  column->owner = columns;
  g_ptr_array_add (columns->all, column);
  return column;
}

static void
add_of_trials (SondeRunTableColumns *columns, const SondeTrialColumn *of_trials)
{
  static const struct
  {
    SondeTrialStatistic statistic;
    const char *prefix;
  } metrics[] = { { SONDE_TRIAL_LAST, "last/" }, { SONDE_TRIAL_BEST, "best/" } };

  if (of_trials->rank != SONDE_TRIAL_METRIC)
    {
      add_column (columns, g_strconcat ("parameter/", of_trials->name, NULL), NULL, of_trials);
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (metrics); i++)
    {
      SondeTrialColumn metric = *of_trials;

      metric.statistic = metrics[i].statistic;
      add_column (columns, g_strconcat (metrics[i].prefix, of_trials->name, NULL), NULL, &metric);
    }
}

/* What the title alone does not say. (transfer full) (nullable) */
static char *
dup_note (const Column *column)
{
  const SondeTrialColumn *of_trials
      = column->values != NULL ? sonde_trial_values_get_column (column->values) : NULL;
  g_autofree char *note = NULL;

  if (of_trials == NULL)
    return NULL;
  if (of_trials->rank == SONDE_TRIAL_METRIC)
    return g_strdup (of_trials->statistic == SONDE_TRIAL_BEST ? _ ("best value")
                                                              : _ ("last value"));
  if (of_trials->twin == NULL)
    return g_strdup (of_trials->rank == SONDE_TRIAL_SAME ? _ ("same in all runs") : "");
  note = g_strdup_printf (_ ("same as %s"), of_trials->twin);
  return sonde_text_make_visible (note);
}

static void
list_choices (SondeRunTableColumns *columns)
{
  GPtrArray *choices = g_ptr_array_new ();

  for (guint i = 0; i < columns->all->len; i++)
    {
      Column *column = columns->all->pdata[i];
      g_autofree char *title = dup_title (column), *note = dup_note (column);

      g_ptr_array_add (choices,
                       sonde_column_choice_new (column->name, title, note, column->number != NULL));
    }
  sonde_column_choices_take (columns->choices, choices);
}

/* The numbers of the store stay. */
static void
forget_of_trials (SondeRunTableColumns *columns)
{
  columns->pressed = NULL;
  for (guint i = columns->all->len; i > 0; i--)
    {
      Column *column = columns->all->pdata[i - 1];

      if (column->number != NULL)
        break;
      hide_column (columns, column);
      column->owner = NULL;
      g_ptr_array_remove_index (columns->all, i - 1);
    }
}

static void
take_columns (SondeRunTableColumns *columns, GPtrArray *of_trials)
{
  forget_of_trials (columns);
  g_clear_pointer (&columns->trial_columns, g_ptr_array_unref);
  columns->trial_columns = of_trials;
  for (guint i = 0; i < of_trials->len; i++)
    add_of_trials (columns, of_trials->pdata[i]);
  list_choices (columns);
  show_chosen (columns);
}

/* ---- reading ------------------------------------------------------------- */

static void
map_trials (SondeRunTableColumns *columns)
{
  GListModel *trials = sonde_trials_get_model (columns->trials);

  g_hash_table_remove_all (columns->trial_of);
  for (guint i = 0; i < g_list_model_get_n_items (trials); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (trials, i);

      g_hash_table_insert (columns->trial_of, sonde_trial_get_run (trial), trial);
    }
}

/* Rows that are sorted by what was just read stand elsewhere now. */
static void
refresh (SondeRunTableColumns *columns)
{
  GHashTableIter iter;
  gpointer label;

  for (guint i = 0; i < columns->all->len; i++)
    {
      Column *column = columns->all->pdata[i];

      if (column->values != NULL)
        sonde_trial_values_forget (column->values);
      if (column->values != NULL && column->column != NULL)
        gtk_sorter_changed (gtk_column_view_column_get_sorter (column->column),
                            GTK_SORTER_CHANGE_DIFFERENT);
    }
  g_hash_table_iter_init (&iter, columns->cells);
  while (g_hash_table_iter_next (&iter, &label, NULL))
    update_cell (label);
}

static gboolean
on_refresh (gpointer data)
{
  SondeRunTableColumns *columns = data;

  columns->refresh_source = 0;
  refresh (columns);
  return G_SOURCE_REMOVE;
}

static void
on_trials_changed (void *data)
{
  SondeRunTableColumns *columns = data;
  GPtrArray *of_trials;

  if (sonde_trials_is_busy (columns->trials))
    return;
  map_trials (columns);
  of_trials = sonde_trial_columns_collect (sonde_trials_get_model (columns->trials));
  if (columns->trial_columns != NULL
      && sonde_trial_columns_equal (of_trials, columns->trial_columns))
    g_ptr_array_unref (of_trials);
  else
    take_columns (columns, of_trials);
  refresh (columns);
  g_signal_emit (columns, busy_changed, 0);
}

void
sonde_run_table_columns_read (SondeRunTableColumns *columns)
{
  g_return_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns));
  if (columns->trials != NULL)
    return;
  columns->trials = sonde_trials_new (G_LIST_MODEL (sonde_workspace_get_store (columns->workspace)),
                                      on_trials_changed, columns);
  sonde_run_table_columns_update (columns);
}

void
sonde_run_table_columns_update (SondeRunTableColumns *columns)
{
  guint64 structure;

  g_return_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns));
  if (columns->trials == NULL)
    return;
  structure = sonde_workspace_get_structure (columns->workspace);
  sonde_trials_update (columns->trials);
  if (structure != columns->structure && !sonde_trials_is_busy (columns->trials))
    {
      columns->structure = structure;
      on_trials_changed (columns);
    }
  else if (columns->refresh_source == 0)
    columns->refresh_source = g_timeout_add (REFRESH_MS, on_refresh, columns);
}

gboolean
sonde_run_table_columns_is_busy (SondeRunTableColumns *columns)
{
  g_return_val_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns), FALSE);
  return columns->trials != NULL && sonde_trials_is_busy (columns->trials);
}

/* ---- asked --------------------------------------------------------------- */

SondeColumnChoices *
sonde_run_table_columns_get_choices (SondeRunTableColumns *columns)
{
  g_return_val_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns), NULL);
  return columns->choices;
}

GtkColumnViewColumn *
sonde_run_table_columns_get_start (SondeRunTableColumns *columns)
{
  g_return_val_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns), NULL);
  for (guint i = 0; i < columns->all->len; i++)
    {
      const Column *column = columns->all->pdata[i];

      if (column->number != NULL && column->number->value == sonde_run_get_start)
        return column->column;
    }
  return NULL;
}

char *
sonde_run_table_columns_dup_pressed_title (SondeRunTableColumns *columns)
{
  g_return_val_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns), NULL);
  return columns->pressed != NULL ? dup_title (columns->pressed) : NULL;
}

char *
sonde_run_table_columns_dup_pressed (SondeRunTableColumns *columns, SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns), NULL);
  return columns->pressed != NULL ? dup_exact (columns->pressed, run) : NULL;
}

void
sonde_run_table_columns_append_titles (SondeRunTableColumns *columns, GString *text)
{
  g_return_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns));
  for (guint i = 0; i < columns->all->len; i++)
    {
      const Column *column = columns->all->pdata[i];
      g_autofree char *title = column->column != NULL ? dup_title (column) : NULL;

      if (title != NULL)
        g_string_append_printf (text, "\t%s", title);
    }
}

/* A text of several lines would end the row. */
void
sonde_run_table_columns_append_values (SondeRunTableColumns *columns, SondeRun *run, GString *text)
{
  g_return_if_fail (SONDE_IS_RUN_TABLE_COLUMNS (columns));
  for (guint i = 0; i < columns->all->len; i++)
    {
      const Column *column = columns->all->pdata[i];
      g_autofree char *exact = column->column != NULL ? dup_exact (column, run) : NULL;

      if (exact != NULL)
        g_string_append_printf (text, "\t%s", g_strdelimit (exact, "\t\r\n", ' '));
    }
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_run_table_columns_dispose (GObject *object)
{
  SondeRunTableColumns *columns = SONDE_RUN_TABLE_COLUMNS (object);

  columns->view = NULL;
  g_clear_handle_id (&columns->refresh_source, g_source_remove);
  g_clear_pointer (&columns->trials, sonde_trials_free);
  for (guint i = 0; i < columns->all->len; i++)
    {
      Column *column = columns->all->pdata[i];

      column->owner = NULL;
      g_clear_object (&column->column);
    }
  g_ptr_array_set_size (columns->all, 0);
  g_clear_object (&columns->choices);
  g_clear_object (&columns->workspace);
  G_OBJECT_CLASS (sonde_run_table_columns_parent_class)->dispose (object);
}

static void
sonde_run_table_columns_finalize (GObject *object)
{
  SondeRunTableColumns *columns = SONDE_RUN_TABLE_COLUMNS (object);

  g_ptr_array_unref (columns->all);
  g_hash_table_unref (columns->cells);
  g_hash_table_unref (columns->trial_of);
  g_clear_pointer (&columns->trial_columns, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_run_table_columns_parent_class)->finalize (object);
}

static void
sonde_run_table_columns_class_init (SondeRunTableColumnsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_run_table_columns_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_run_table_columns_finalize;
  busy_changed = g_signal_new ("busy-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                               NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_run_table_columns_init (SondeRunTableColumns *columns)
{
  columns->all = g_ptr_array_new_with_free_func (column_unref);
  columns->cells = g_hash_table_new (NULL, NULL);
  columns->trial_of = g_hash_table_new (NULL, NULL);
}

SondeRunTableColumns *
sonde_run_table_columns_new (SondeWorkspace *workspace, GtkColumnView *view)
{
  SondeRunTableColumns *columns = g_object_new (SONDE_TYPE_RUN_TABLE_COLUMNS, NULL);

  columns->workspace = g_object_ref (workspace);
  columns->view = view;
  columns->choices = sonde_column_choices_new (workspace, SETTINGS);
  for (const SondeRunNumber *number = sonde_run_numbers; number->name != NULL; number++)
    add_column (columns, g_strdup (number->name), number, NULL);
  list_choices (columns);
  show_chosen (columns);
  g_signal_connect_object (columns->choices, "toggled", G_CALLBACK (on_toggled), columns,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (columns->choices, "reset", G_CALLBACK (show_chosen), columns,
                           G_CONNECT_SWAPPED);
  if (sonde_column_choices_wants_more (columns->choices))
    sonde_run_table_columns_read (columns);
  return columns;
}
