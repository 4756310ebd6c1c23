/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-trial-table.h"

#include <math.h>

#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

#define MAX_RECORDS 256 /* of a run that are read */

/* ---- a run --------------------------------------------------------------- */

#define SONDE_TYPE_TRIAL (sonde_trial_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrial, sonde_trial, SONDE, TRIAL, GObject)

struct _SondeTrial
{
  GObject parent_instance;
  SondeRun *run;
  GHashTable *parameters; /* name -> text */
  guint64 n_records;      /* of the run when it was read */
};

G_DEFINE_FINAL_TYPE (SondeTrial, sonde_trial, G_TYPE_OBJECT)

static void
sonde_trial_finalize (GObject *object)
{
  SondeTrial *trial = SONDE_TRIAL (object);

  g_object_unref (trial->run);
  g_hash_table_unref (trial->parameters);
  G_OBJECT_CLASS (sonde_trial_parent_class)->finalize (object);
}

static void
sonde_trial_class_init (SondeTrialClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_trial_finalize;
}

static void
sonde_trial_init (SondeTrial *trial)
{
  trial->parameters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static gboolean
tells_parameters (SondeRecordKind kind)
{
  return kind == SONDE_RECORD_HPARAMS || kind == SONDE_RECORD_LINEAGE;
}

static guint64
count_records (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  guint64 n = 0;

  for (guint i = 0; i < tags->len; i++)
    if (tells_parameters (((const SondeRunTag *) tags->pdata[i])->kind))
      n += ((const SondeRunTag *) tags->pdata[i])->count;
  return n;
}

static GArray *
list_refs (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  GArray *refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

  for (guint i = 0; i < tags->len && refs->len < MAX_RECORDS; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      g_autoptr (GArray) of_tag
          = tells_parameters (tag->kind) ? sonde_run_list_blobs (run, tag->tag, tag->kind) : NULL;

      if (of_tag != NULL)
        g_array_append_vals (refs, of_tag->data, MIN (of_tag->len, MAX_RECORDS));
    }
  return refs;
}

static void
take_items (SondeTrial *trial, const SondeHparam *items, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (items[i].key != NULL && items[i].text != NULL)
      g_hash_table_replace (trial->parameters, sonde_text_make_visible (items[i].key),
                            sonde_text_make_visible (items[i].text));
}

static void
take_record (SondeTrial *trial, const SondeRecord *record)
{
  if (record->kind == SONDE_RECORD_HPARAMS && record->u.hparams.part == SONDE_HPARAMS_VALUES)
    take_items (trial, record->u.hparams.items, record->u.hparams.n);
  if (record->kind == SONDE_RECORD_LINEAGE)
    take_items (trial, record->u.lineage.items, record->u.lineage.n);
}

/* ---- table --------------------------------------------------------------- */

/* @rank: columns are shown by it: what differs from run to run, what came out, what is the same */
typedef struct
{
  enum
  {
    DIFFERS,
    METRIC,
    SAME
  } rank;
  char *name;
} Column;

static void
column_free (gpointer data)
{
  g_free (((Column *) data)->name);
  g_free (data);
}

struct _SondeTrialTable
{
  GtkBox parent_instance;
  GtkColumnView *view;
  GtkLabel *note;
  SondeWorkspace *workspace;
  GFunc changed;
  void *user_data;
  GListStore *trials; /* SondeTrial */
  GPtrArray *columns; /* Column, without the run itself */
  guint n_parameters;
  guint n_reading;
};

G_DEFINE_FINAL_TYPE (SondeTrialTable, sonde_trial_table, GTK_TYPE_BOX)

static void
tell_changed (SondeTrialTable *table)
{
  if (table->changed != NULL)
    table->changed (table, table->user_data);
}

static char *
metric_text (SondeTrial *trial, const char *tag, double *number)
{
  SondeSeries *series = sonde_run_get_series (trial->run, tag);
  SondePoint point;

  if (series == NULL || !sonde_series_get_last (series, &point))
    return NULL;
  *number = point.value;
  return sonde_format_number (point.value);
}

static char *
parameter_text (SondeTrial *trial, const char *name, double *number)
{
  const char *text = g_hash_table_lookup (trial->parameters, name);
  char *end;

  if (text == NULL)
    return NULL;
  *number = g_ascii_strtod (text, &end);
  if (*end != '\0' || end == text)
    *number = NAN;
  return g_strdup (text);
}

/* @column: −1 is the run itself. @number: NaN when the text is none */
static char *
cell_text (SondeTrialTable *table, SondeTrial *trial, int column, double *number)
{
  const Column *shown;

  *number = NAN;
  if (column < 0)
    return g_strdup (sonde_workspace_get_run_title (table->workspace, trial->run));
  if (column >= (int) table->columns->len)
    return NULL;
  shown = table->columns->pdata[column];
  return shown->rank == METRIC ? metric_text (trial, shown->name, number)
                               : parameter_text (trial, shown->name, number);
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
    sonde_badge_set_series (SONDE_BADGE (first), sonde_run_get_color_index (trial->run));
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

static gint
compare_columns (gconstpointer a, gconstpointer b)
{
  const Column *first = *(const Column *const *) a, *second = *(const Column *const *) b;

  if (first->rank != second->rank)
    return first->rank < second->rank ? -1 : 1;
  return g_utf8_collate (first->name, second->name);
}

/* Values of the parameter in all trials: FALSE when none says anything. */
static gboolean
look_at_parameter (SondeTrialTable *table, const char *name, gboolean *differs)
{
  const char *first = NULL;
  gboolean says = FALSE;

  *differs = FALSE;
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (table->trials)); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (G_LIST_MODEL (table->trials), i);
      const char *text = g_hash_table_lookup (trial->parameters, name);

      says |= text != NULL && *text != '\0';
      *differs |= i > 0 && g_strcmp0 (first, text) != 0;
      first = i == 0 ? text : first;
    }
  return says;
}

static void
add_name (GHashTable *columns, const char *name, guint rank)
{
  Column *column = g_new (Column, 1);

  column->rank = rank;
  column->name = g_strdup (name);
  g_hash_table_replace (columns, column->name, column);
}

static GPtrArray *
collect (SondeTrialTable *table)
{
  g_autoptr (GHashTable) columns = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, NULL);
  GPtrArray *sorted = g_ptr_array_new_with_free_func (column_free);
  GHashTableIter iter;
  gpointer name, column;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (table->trials)); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (G_LIST_MODEL (table->trials), i);
      GPtrArray *of_run = sonde_run_get_tags (trial->run);
      gboolean differs;

      g_hash_table_iter_init (&iter, trial->parameters);
      while (g_hash_table_iter_next (&iter, &name, NULL))
        if (!g_hash_table_contains (columns, name) && look_at_parameter (table, name, &differs))
          add_name (columns, name, differs ? DIFFERS : SAME);
      for (guint k = 0; k < of_run->len; k++)
        {
          const SondeRunTag *tag = of_run->pdata[k];

          if (tag->kind == SONDE_RECORD_SCALARS && !g_hash_table_contains (columns, tag->tag))
            add_name (columns, tag->tag, METRIC);
        }
    }
  g_hash_table_iter_init (&iter, columns);
  while (g_hash_table_iter_next (&iter, NULL, &column))
    g_ptr_array_add (sorted, column);
  g_ptr_array_sort (sorted, compare_columns);
  return sorted;
}

static gboolean
same_columns (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (compare_columns (&a->pdata[i], &b->pdata[i]) != 0)
      return FALSE;
  return TRUE;
}

static void
update_columns (SondeTrialTable *table)
{
  g_autoptr (GPtrArray) columns = collect (table);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (table->trials)), n_all = columns->len;
  g_autofree char *note = NULL;

  g_ptr_array_set_size (columns, (int) MIN (n_all, SONDE_TRIAL_TABLE_MAX_COLUMNS));
  note = g_strdup_printf (_ ("%u more columns are not shown"), n_all - columns->len);
  gtk_label_set_text (table->note, note);
  gtk_widget_set_visible (GTK_WIDGET (table->note), n_all > columns->len);
  if (same_columns (columns, table->columns)
      && g_list_model_get_n_items (gtk_column_view_get_columns (table->view)) > 0)
    {
      /* Last values are new. */
      g_list_model_items_changed (G_LIST_MODEL (table->trials), 0, n, n);
      return;
    }
  sonde_column_view_clear (table->view);
  g_ptr_array_unref (table->columns);
  table->columns = g_steal_pointer (&columns);
  table->n_parameters = 0;
  add_column (table, _ ("Run"), -1);
  for (guint i = 0; i < table->columns->len; i++)
    {
      const Column *column = table->columns->pdata[i];

      table->n_parameters += column->rank != METRIC;
      add_column (table, column->name, (int) i);
    }
}

/* ---- reading ------------------------------------------------------------- */

typedef struct
{
  SondeTrialTable *table;
  SondeTrial *trial;
} Reading;

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  Reading *reading = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, &error);

  for (guint i = 0; records != NULL && i < records->len; i++)
    take_record (reading->trial, records->pdata[i]);
  reading->table->n_reading--;
  if (reading->table->n_reading == 0 && reading->table->changed != NULL)
    update_columns (reading->table);
  tell_changed (reading->table);
  g_object_unref (reading->table);
  g_object_unref (reading->trial);
  g_free (reading);
}

static void
read_trial (SondeTrialTable *table, SondeTrial *trial)
{
  guint64 n = count_records (trial->run);
  g_autoptr (GArray) refs = NULL;
  Reading *reading;

  if (n == trial->n_records)
    return;
  trial->n_records = n;
  refs = list_refs (trial->run);
  reading = g_new (Reading, 1);
  reading->table = g_object_ref (table);
  reading->trial = g_object_ref (trial);
  table->n_reading++;
  sonde_run_read_blobs_async (trial->run, refs, NULL, on_read, reading);
}

static SondeTrial *
find_trial (SondeTrialTable *table, SondeRun *run)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (table->trials)); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (G_LIST_MODEL (table->trials), i);

      if (trial->run == run)
        return g_steal_pointer (&trial);
    }
  return NULL;
}

static SondeTrial *
trial_new (SondeRun *run)
{
  SondeTrial *trial = g_object_new (SONDE_TYPE_TRIAL, NULL);

  trial->run = g_object_ref (run);
  return trial;
}

static void
update (SondeTrialTable *table)
{
  GListModel *runs = sonde_workspace_get_shown_runs (table->workspace);
  g_autoptr (GPtrArray) trials = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      SondeTrial *trial = find_trial (table, run);

      g_ptr_array_add (trials, trial != NULL ? trial : trial_new (run));
    }
  g_list_store_splice (table->trials, 0, g_list_model_get_n_items (G_LIST_MODEL (table->trials)),
                       trials->pdata, trials->len);
  for (guint i = 0; i < trials->len; i++)
    read_trial (table, trials->pdata[i]);
  if (table->n_reading == 0)
    update_columns (table);
  tell_changed (table);
}

/* ---- the rest ------------------------------------------------------------ */

guint
sonde_trial_table_get_n_rows (SondeTrialTable *table)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_TABLE (table), 0);
  return g_list_model_get_n_items (G_LIST_MODEL (table->trials));
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
  return table->n_reading > 0;
}

static void
sonde_trial_table_dispose (GObject *object)
{
  SondeTrialTable *table = SONDE_TRIAL_TABLE (object);

  table->changed = NULL;
  if (table->view != NULL)
    gtk_column_view_set_model (table->view, NULL);
  table->view = NULL;
  g_clear_object (&table->workspace);
  G_OBJECT_CLASS (sonde_trial_table_parent_class)->dispose (object);
}

static void
sonde_trial_table_finalize (GObject *object)
{
  SondeTrialTable *table = SONDE_TRIAL_TABLE (object);

  g_object_unref (table->trials);
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

  table->trials = g_list_store_new (SONDE_TYPE_TRIAL);
  table->columns = g_ptr_array_new_with_free_func (column_free);
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
    sonde_workspace_set_run (table->workspace, trial->run);
}

GtkWidget *
sonde_trial_table_new (SondeWorkspace *workspace, GFunc changed, void *user_data)
{
  SondeTrialTable *table = g_object_new (SONDE_TYPE_TRIAL_TABLE, NULL);
  GtkSorter *sorter = gtk_column_view_get_sorter (table->view);
  GtkSortListModel *sorted = gtk_sort_list_model_new (G_LIST_MODEL (g_object_ref (table->trials)),
                                                      g_object_ref (sorter));
  g_autoptr (GtkSelectionModel) selection
      = GTK_SELECTION_MODEL (gtk_single_selection_new (G_LIST_MODEL (sorted)));

  gtk_single_selection_set_autoselect (GTK_SINGLE_SELECTION (selection), FALSE);
  gtk_single_selection_set_can_unselect (GTK_SINGLE_SELECTION (selection), TRUE);
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (selection), GTK_INVALID_LIST_POSITION);
  table->workspace = g_object_ref (workspace);
  table->changed = changed;
  table->user_data = user_data;
  gtk_column_view_set_model (table->view, selection);
  gtk_widget_set_tooltip_text (GTK_WIDGET (table->view), _ ("Double-click to show this run"));
  g_signal_connect_object (table->view, "activate", G_CALLBACK (on_activated), table,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), table, G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_workspace_get_shown_runs (workspace), "items-changed",
                           G_CALLBACK (update), table, G_CONNECT_SWAPPED);
  update (table);
  return GTK_WIDGET (table);
}
