/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/tables/sonde-fact-table.h"

#include <math.h>

#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define DASH "–"

/* ---- a row --------------------------------------------------------------- */

/* @exact: (nullable): the number with all its digits and its unit */
typedef struct
{
  double number;
  char *text, *exact;
} Cell;

#define SONDE_TYPE_FACT_ROW (sonde_fact_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeFactRow, sonde_fact_row, SONDE, FACT_ROW, GObject)

struct _SondeFactRow
{
  GObject parent_instance;
  gint64 id;
  guint n;
  Cell *cells;
};

G_DEFINE_FINAL_TYPE (SondeFactRow, sonde_fact_row, G_TYPE_OBJECT)

static void
sonde_fact_row_finalize (GObject *object)
{
  SondeFactRow *row = SONDE_FACT_ROW (object);

  for (guint i = 0; i < row->n; i++)
    {
      g_free (row->cells[i].text);
      g_free (row->cells[i].exact);
    }
  g_free (row->cells);
  G_OBJECT_CLASS (sonde_fact_row_parent_class)->finalize (object);
}

static void
sonde_fact_row_class_init (SondeFactRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_fact_row_finalize;
}

static void
sonde_fact_row_init (SondeFactRow *row)
{
}

/* ---- columns ------------------------------------------------------------- */

struct _SondeFactTable
{
  AdwBin parent_instance;
  const SondeFactColumn *columns;
  guint n_columns;
  GtkColumnView *view;
  GListStore *rows;
  GtkSingleSelection *selection;
  GPtrArray *adding;
  gboolean quiet;
};

G_DEFINE_FINAL_TYPE (SondeFactTable, sonde_fact_table, ADW_TYPE_BIN)

static guint selected_signal, activated_signal;

static const Cell *
get_cell (gconstpointer row, gpointer column)
{
  return &((const SondeFactRow *) row)->cells[GPOINTER_TO_UINT (column)];
}

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, SondeFactTable *table)
{
  guint column = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (factory), "column"));
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), table->columns[column].is_number ? 1 : 0);
  if (table->columns[column].is_number)
    gtk_widget_add_css_class (label, "numeric");
  else
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, SondeFactTable *table)
{
  gpointer column = g_object_get_data (G_OBJECT (factory), "column");
  const Cell *cell = get_cell (gtk_list_item_get_item (item), column);
  GtkWidget *label = gtk_list_item_get_child (item);

  gtk_label_set_text (GTK_LABEL (label), cell->text != NULL ? cell->text : DASH);
  gtk_widget_set_tooltip_text (label, cell->exact != NULL ? cell->exact : cell->text);
}

static int
compare_texts (gconstpointer a, gconstpointer b, gpointer column)
{
  const Cell *x = get_cell (a, column), *y = get_cell (b, column);

  return g_utf8_collate (x->text != NULL ? x->text : "", y->text != NULL ? y->text : "");
}

static int
compare_numbers (gconstpointer a, gconstpointer b, gpointer column)
{
  const double x = get_cell (a, column)->number, y = get_cell (b, column)->number;

  if (isnan (x) || isnan (y))
    return isnan (y) - isnan (x);
  return (x > y) - (x < y);
}

static void
add_column (SondeFactTable *table, guint i)
{
  const SondeFactColumn *column = &table->columns[i];
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (
      column->is_number ? compare_numbers : compare_texts, GUINT_TO_POINTER (i), NULL));
  GtkColumnViewColumn *made;

  g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (i));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), table);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), table);
  made = gtk_column_view_column_new (_ (column->title), factory);
  gtk_column_view_column_set_sorter (made, sorter);
  gtk_column_view_column_set_resizable (made, TRUE);
  if (column->width > 0)
    sonde_column_view_set_width (table->view, made, column->width);
  else
    gtk_column_view_column_set_expand (made, TRUE);
  sonde_column_view_take (table->view, made, column->is_number);
}

/* ---- rows ---------------------------------------------------------------- */

void
sonde_fact_table_begin (SondeFactTable *table)
{
  g_return_if_fail (SONDE_IS_FACT_TABLE (table) && table->adding == NULL);
  table->adding = g_ptr_array_new_with_free_func (g_object_unref);
}

void
sonde_fact_table_add_row (SondeFactTable *table, gint64 id)
{
  SondeFactRow *row;

  g_return_if_fail (SONDE_IS_FACT_TABLE (table) && table->adding != NULL);
  row = g_object_new (SONDE_TYPE_FACT_ROW, NULL);
  row->id = id;
  row->n = table->n_columns;
  row->cells = g_new0 (Cell, row->n);
  for (guint i = 0; i < row->n; i++)
    row->cells[i].number = NAN;
  g_ptr_array_add (table->adding, row);
}

static Cell *
get_last (SondeFactTable *table, guint column)
{
  SondeFactRow *row = g_ptr_array_index (table->adding, table->adding->len - 1);

  g_assert (column < row->n);
  return &row->cells[column];
}

void
sonde_fact_table_set_text (SondeFactTable *table, guint column, const char *text)
{
  g_return_if_fail (SONDE_IS_FACT_TABLE (table));
  if (text != NULL)
    get_last (table, column)->text = sonde_text_make_visible (text);
}

void
sonde_fact_table_take_number (SondeFactTable *table, guint column, double number, char *text,
                              const char *unit)
{
  g_autofree char *shown = text, *digits = NULL;
  Cell *cell;

  g_return_if_fail (SONDE_IS_FACT_TABLE (table));
  if (isnan (number))
    return;
  cell = get_last (table, column);
  cell->number = number;
  cell->text = g_steal_pointer (&shown);
  digits = fabs (number) < 1e15 && floor (number) == number ? g_strdup_printf ("%.0f", number)
                                                            : sonde_format_exact (number);
  cell->exact = g_strconcat (digits, unit != NULL ? " " : NULL, unit, NULL);
}

void
sonde_fact_table_end (SondeFactTable *table)
{
  g_autoptr (GPtrArray) rows = NULL;

  g_return_if_fail (SONDE_IS_FACT_TABLE (table) && table->adding != NULL);
  rows = g_steal_pointer (&table->adding);
  table->quiet = TRUE;
  g_list_store_splice (table->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (table->rows)),
                       rows->pdata, rows->len);
  gtk_single_selection_set_selected (table->selection, GTK_INVALID_LIST_POSITION);
  table->quiet = FALSE;
}

/* Lent by the table. */
static GtkColumnViewColumn *
get_column (SondeFactTable *table, guint i)
{
  g_autoptr (GtkColumnViewColumn) column
      = g_list_model_get_item (gtk_column_view_get_columns (table->view), i);

  return column;
}

void
sonde_fact_table_show_column (SondeFactTable *table, guint column, gboolean shown)
{
  g_return_if_fail (SONDE_IS_FACT_TABLE (table) && column < table->n_columns);
  gtk_column_view_column_set_visible (get_column (table, column), shown);
  /* GTK leaves room for a fixed width also where nothing is seen of the column. */
  if (table->columns[column].width > 0)
    sonde_column_view_set_width (table->view, get_column (table, column),
                                 shown ? table->columns[column].width : 0);
}

void
sonde_fact_table_sort (SondeFactTable *table, guint column, GtkSortType order)
{
  g_return_if_fail (SONDE_IS_FACT_TABLE (table) && column < table->n_columns);
  gtk_column_view_sort_by_column (table->view, get_column (table, column), order);
}

/* ---- selection ----------------------------------------------------------- */

static gint64
get_id (SondeFactTable *table, guint position)
{
  g_autoptr (SondeFactRow) row = g_list_model_get_item (G_LIST_MODEL (table->selection), position);

  return row != NULL ? row->id : SONDE_FACT_NONE;
}

static void
on_selected (SondeFactTable *table)
{
  if (!table->quiet)
    g_signal_emit (table, selected_signal, 0, sonde_fact_table_get_selected (table));
}

static void
on_activated (SondeFactTable *table, guint position)
{
  g_signal_emit (table, activated_signal, 0, get_id (table, position));
}

gint64
sonde_fact_table_get_selected (SondeFactTable *table)
{
  g_return_val_if_fail (SONDE_IS_FACT_TABLE (table), SONDE_FACT_NONE);
  return get_id (table, gtk_single_selection_get_selected (table->selection));
}

void
sonde_fact_table_select (SondeFactTable *table, gint64 id)
{
  guint n, position = GTK_INVALID_LIST_POSITION;

  g_return_if_fail (SONDE_IS_FACT_TABLE (table));
  n = g_list_model_get_n_items (G_LIST_MODEL (table->selection));
  for (guint i = 0; i < n && id != SONDE_FACT_NONE && position == GTK_INVALID_LIST_POSITION; i++)
    if (get_id (table, i) == id)
      position = i;
  table->quiet = TRUE;
  gtk_single_selection_set_selected (table->selection, position);
  table->quiet = FALSE;
  if (position != GTK_INVALID_LIST_POSITION)
    gtk_widget_activate_action (gtk_widget_get_last_child (GTK_WIDGET (table->view)),
                                "list.scroll-to-item", "u", position);
}

/* ---- copying ------------------------------------------------------------- */

char *
sonde_fact_table_dup_text (SondeFactTable *table)
{
  GString *text;
  guint n;

  g_return_val_if_fail (SONDE_IS_FACT_TABLE (table), NULL);
  text = g_string_new (NULL);
  n = g_list_model_get_n_items (G_LIST_MODEL (table->selection));
  for (guint c = 0; c < table->n_columns; c++)
    g_string_append_printf (text, "%s%s", c > 0 ? "\t" : "", _ (table->columns[c].title));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondeFactRow) row = g_list_model_get_item (G_LIST_MODEL (table->selection), i);

      for (guint c = 0; c < table->n_columns; c++)
        {
          const Cell *cell = &row->cells[c];
          const char *shown = cell->exact != NULL ? cell->exact : cell->text;

          g_string_append_printf (text, "%c%s", c > 0 ? '\t' : '\n', shown != NULL ? shown : "");
        }
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

static gboolean
on_copy (GtkWidget *widget, GVariant *parameter, gpointer data)
{
  g_autofree char *text = sonde_fact_table_dup_text (SONDE_FACT_TABLE (widget));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  return TRUE;
}

/* ---- table --------------------------------------------------------------- */

static void
sonde_fact_table_dispose (GObject *object)
{
  SondeFactTable *table = SONDE_FACT_TABLE (object);

  g_clear_object (&table->rows);
  g_clear_object (&table->selection);
  g_clear_pointer (&table->adding, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_fact_table_parent_class)->dispose (object);
}

static void
sonde_fact_table_class_init (SondeFactTableClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_fact_table_dispose;
  selected_signal = g_signal_new ("fact-selected", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_INT64);
  activated_signal = g_signal_new ("fact-activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_INT64);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_c, GDK_CONTROL_MASK, on_copy,
                                NULL);
}

static void
sonde_fact_table_init (SondeFactTable *table)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkSortListModel *sorted;

  table->rows = g_list_store_new (SONDE_TYPE_FACT_ROW);
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "dense-table");
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  sorted = gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (table->rows)),
                                    g_object_ref (gtk_column_view_get_sorter (table->view)));
  table->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (table->selection, FALSE);
  gtk_single_selection_set_can_unselect (table->selection, TRUE);
  gtk_column_view_set_model (table->view, GTK_SELECTION_MODEL (table->selection));
  g_signal_connect_object (table->selection, "notify::selected", G_CALLBACK (on_selected), table,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (table->view, "activate", G_CALLBACK (on_activated), table,
                           G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  gtk_widget_set_vexpand (scrolled, TRUE);
  adw_bin_set_child (ADW_BIN (table), scrolled);
}

GtkWidget *
sonde_fact_table_new (const char *label, const SondeFactColumn *columns, guint n)
{
  SondeFactTable *table = g_object_new (SONDE_TYPE_FACT_TABLE, NULL);

  table->columns = columns;
  table->n_columns = n;
  for (guint i = 0; i < n; i++)
    add_column (table, i);
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  return GTK_WIDGET (table);
}
