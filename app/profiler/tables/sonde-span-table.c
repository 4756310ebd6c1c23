/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/tables/sonde-span-table.h"

#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/trace/sonde-span-statistics.h"
#include "viewers/paint/sonde-text-paint.h"

/* ---- a row --------------------------------------------------------------- */

#define SONDE_TYPE_SPAN_ROW (sonde_span_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeSpanRow, sonde_span_row, SONDE, SPAN_ROW, GObject)

struct _SondeSpanRow
{
  GObject parent_instance;
  const SondeTraceLabel *label;
  SondeSpanStatistic sum;
  double share; /* of the self time of all */
};

G_DEFINE_FINAL_TYPE (SondeSpanRow, sonde_span_row, G_TYPE_OBJECT)

static void
sonde_span_row_class_init (SondeSpanRowClass *klass)
{
}

static void
sonde_span_row_init (SondeSpanRow *row)
{
}

/* ---- columns ------------------------------------------------------------- */

static double
get_calls (const SondeSpanRow *row)
{
  return (double) row->sum.n;
}

static double
get_self (const SondeSpanRow *row)
{
  return (double) row->sum.self_ns;
}

static double
get_total (const SondeSpanRow *row)
{
  return (double) row->sum.total_ns;
}

static double
get_mean (const SondeSpanRow *row)
{
  return (double) row->sum.total_ns / (double) MAX (row->sum.n, 1);
}

static double
get_share (const SondeSpanRow *row)
{
  return row->share;
}

static char *
format_calls (double value)
{
  return sonde_format_count ((gint64) value);
}

static char *
format_ns (double value)
{
  return sonde_format_duration ((gint64) value);
}

static char *
format_share (double value)
{
  return g_strdup_printf ("%.1f %%", value * 100);
}

/* @text: instead of @number; @is_time: the tool-tip tells all its digits */
typedef struct
{
  const char *title;
  const char *(*text) (const SondeSpanRow *row);
  double (*number) (const SondeSpanRow *row);
  char *(*format) (double value);
  gboolean is_time;
} Column;

static const char *
get_name (const SondeSpanRow *row)
{
  return row->label->name;
}

static const char *
get_category (const SondeSpanRow *row)
{
  return row->label->category;
}

static const Column columns[] = {
  { N_ ("Name"), get_name, NULL, NULL, FALSE },
  { N_ ("Category"), get_category, NULL, NULL, FALSE },
  { N_ ("Calls"), NULL, get_calls, format_calls, FALSE },
  { N_ ("Self Time"), NULL, get_self, format_ns, TRUE },
  { N_ ("Share"), NULL, get_share, format_share, FALSE },
  { N_ ("Total Time"), NULL, get_total, format_ns, TRUE },
  { N_ ("Mean"), NULL, get_mean, format_ns, TRUE },
};

/* ---- table --------------------------------------------------------------- */

struct _SondeSpanTable
{
  AdwBin parent_instance;
  GtkColumnView *view;
  GListStore *rows;
};

G_DEFINE_FINAL_TYPE (SondeSpanTable, sonde_span_table, ADW_TYPE_BIN)

static guint activated_signal;

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, const Column *column)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column->text != NULL ? 0 : 1);
  if (column->text != NULL)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  else
    gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, const Column *column)
{
  SondeSpanRow *row = SONDE_SPAN_ROW (gtk_list_item_get_item (item));
  GtkWidget *label = gtk_list_item_get_child (item);
  g_autofree char *text = column->text != NULL ? sonde_text_make_visible (column->text (row))
                                               : column->format (column->number (row));
  g_autofree char *exact
      = column->is_time ? g_strdup_printf ("%.0f ns", column->number (row)) : NULL;

  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, exact != NULL ? exact : column->text != NULL ? text : NULL);
}

static int
compare_rows (gconstpointer a, gconstpointer b, gpointer data)
{
  const Column *column = data;
  double x, y;

  if (column->text != NULL)
    return g_utf8_collate (column->text (a), column->text (b));
  x = column->number (a);
  y = column->number (b);
  return (x > y) - (x < y);
}

static GtkColumnViewColumn *
add_column (SondeSpanTable *table, const Column *column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *made;
  g_autoptr (GtkSorter) sorter
      = GTK_SORTER (gtk_custom_sorter_new (compare_rows, (gpointer) column, NULL));

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), (gpointer) column);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), (gpointer) column);
  made = gtk_column_view_column_new (_ (column->title), factory);
  gtk_column_view_column_set_sorter (made, sorter);
  gtk_column_view_column_set_resizable (made, TRUE);
  gtk_column_view_column_set_expand (made, column->text == get_name);
  if (column->text == get_name)
    sonde_column_view_set_width (table->view, made, 120);
  else if (column->text == get_category)
    sonde_column_view_set_width (table->view, made, 140);
  else if (column->number != NULL)
    sonde_column_view_set_width (table->view, made, 104);
  sonde_column_view_take (table->view, made, column->text == NULL);
  return made;
}

static void
on_activated (SondeSpanTable *table, guint position)
{
  GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (table->view));
  g_autoptr (SondeSpanRow) row = g_list_model_get_item (model, position);

  if (row != NULL)
    g_signal_emit (table, activated_signal, 0, row->label->name);
}

void
sonde_span_table_set (SondeSpanTable *table, const SondeTrace *trace, const GArray *statistics)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  double all = 0;

  g_return_if_fail (SONDE_IS_SPAN_TABLE (table));
  for (guint i = 0; statistics != NULL && i < statistics->len; i++)
    all += (double) g_array_index (statistics, SondeSpanStatistic, i).self_ns;
  for (guint i = 0; statistics != NULL && i < statistics->len; i++)
    {
      SondeSpanRow *row = g_object_new (SONDE_TYPE_SPAN_ROW, NULL);

      row->sum = g_array_index (statistics, SondeSpanStatistic, i);
      row->label = sonde_trace_get_label (trace, row->sum.label);
      row->share = all > 0 ? (double) row->sum.self_ns / all : 0;
      g_ptr_array_add (rows, row);
    }
  g_list_store_splice (table->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (table->rows)),
                       rows->pdata, rows->len);
}

static void
sonde_span_table_dispose (GObject *object)
{
  g_clear_object (&SONDE_SPAN_TABLE (object)->rows);
  G_OBJECT_CLASS (sonde_span_table_parent_class)->dispose (object);
}

static void
sonde_span_table_class_init (SondeSpanTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_span_table_dispose;
  activated_signal = g_signal_new ("name-activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                   0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_span_table_init (SondeSpanTable *table)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkColumnViewColumn *first = NULL;
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;

  table->rows = g_list_store_new (SONDE_TYPE_SPAN_ROW);
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "dense-table");
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Sums by name"), -1);
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      GtkColumnViewColumn *column = add_column (table, &columns[i]);

      if (columns[i].number == get_self)
        first = column;
    }
  sorted = gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (table->rows)),
                                    g_object_ref (gtk_column_view_get_sorter (table->view)));
  selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_single_selection_set_selected (selection, GTK_INVALID_LIST_POSITION);
  gtk_column_view_set_model (table->view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  gtk_column_view_sort_by_column (table->view, first, GTK_SORT_DESCENDING);
  g_signal_connect_object (table->view, "activate", G_CALLBACK (on_activated), table,
                           G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  adw_bin_set_child (ADW_BIN (table), scrolled);
}

GtkWidget *
sonde_span_table_new (void)
{
  return g_object_new (SONDE_TYPE_SPAN_TABLE, NULL);
}
