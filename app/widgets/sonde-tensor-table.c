/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-tensor-table.h"

#include "app/widgets/sonde-column-view.h"
#include "app/widgets/sonde-row-numbers.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text.h"

/* ---- table --------------------------------------------------------------- */

struct _SondeTensorTable
{
  GtkBox parent_instance;
  GtkColumnView *view;
  GtkWidget *note;
  SondeTensor *tensor; /* (nullable) */
  gint64 n_across;     /* elements of a row */
};

G_DEFINE_FINAL_TYPE (SondeTensorTable, sonde_tensor_table, GTK_TYPE_BOX)

/* "[3, 0]" of the row's number: the last dimension goes across. */
static char *
row_name (SondeTensorTable *table, guint number)
{
  SondeShape rows = table->tensor->shape;

  rows.rank--;
  return sonde_shape_format_index (&rows, number);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, void *user_data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, void *user_data)
{
  SondeTensorTable *table = user_data;
  gint64 column = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (factory), "column"));
  guint row = gtk_list_item_get_position (item);
  g_autofree char *text = NULL, *visible = NULL;

  if (table->tensor == NULL)
    return;
  text = column < 0
             ? row_name (table, row)
             : sonde_tensor_format_element (table->tensor, (gint64) row * table->n_across + column);
  visible = sonde_text_make_visible (text);
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), visible);
}

static void
add_column (SondeTensorTable *table, const char *title, int number)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = NULL;

  g_object_set_data (G_OBJECT (factory), "column", GINT_TO_POINTER (number));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), table);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_append_column (table->view, column);
}

void
sonde_tensor_table_set_tensor (SondeTensorTable *table, SondeTensor *tensor)
{
  gint64 n = tensor != NULL ? sonde_tensor_n_elements (tensor) : 0, n_columns;
  g_autoptr (GtkSelectionModel) selection = NULL;
  g_autofree char *note = NULL;

  g_return_if_fail (SONDE_IS_TENSOR_TABLE (table));
  gtk_column_view_set_model (table->view, NULL);
  sonde_column_view_clear (table->view);
  g_clear_pointer (&table->tensor, sonde_tensor_unref);
  if (n == 0)
    {
      gtk_label_set_text (GTK_LABEL (table->note), tensor != NULL ? _ ("No elements") : "");
      return;
    }
  table->tensor = sonde_tensor_contiguous (tensor);
  table->n_across = tensor->shape.rank > 0 ? tensor->shape.dims[tensor->shape.rank - 1] : 1;
  n_columns = MIN (table->n_across, SONDE_TENSOR_TABLE_MAX_COLUMNS);
  if (tensor->shape.rank > 1)
    add_column (table, "", -1);
  for (gint64 i = 0; i < n_columns; i++)
    {
      g_autofree char *title = g_strdup_printf ("%" PRIi64, i);

      add_column (table, title, (int) i);
    }
  selection
      = GTK_SELECTION_MODEL (gtk_no_selection_new (sonde_row_numbers_new (n / table->n_across)));
  gtk_column_view_set_model (table->view, selection);
  note = n_columns < table->n_across ? g_strdup_printf (
             _ ("The first %" PRIi64 " of %" PRIi64 " columns; use a slice to see others"),
             n_columns, table->n_across)
                                     : NULL;
  gtk_label_set_text (GTK_LABEL (table->note), note != NULL ? note : "");
  gtk_widget_set_visible (table->note, note != NULL);
}

static void
sonde_tensor_table_dispose (GObject *object)
{
  SondeTensorTable *table = SONDE_TENSOR_TABLE (object);

  if (table->view != NULL)
    gtk_column_view_set_model (table->view, NULL);
  table->view = NULL;
  g_clear_pointer (&table->tensor, sonde_tensor_unref);
  G_OBJECT_CLASS (sonde_tensor_table_parent_class)->dispose (object);
}

static void
sonde_tensor_table_class_init (SondeTensorTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_tensor_table_dispose;
}

static void
sonde_tensor_table_init (SondeTensorTable *table)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  gtk_orientable_set_orientation (GTK_ORIENTABLE (table), GTK_ORIENTATION_VERTICAL);
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "dense-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Elements"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  gtk_widget_add_css_class (scrolled, "table-pane");
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (table), scrolled);
  table->note = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (table->note), 0);
  gtk_widget_add_css_class (table->note, "dim-label");
  gtk_widget_set_margin_start (table->note, 12);
  gtk_widget_set_visible (table->note, FALSE);
  gtk_box_append (GTK_BOX (table), table->note);
}

GtkWidget *
sonde_tensor_table_new (void)
{
  return g_object_new (SONDE_TYPE_TENSOR_TABLE, NULL);
}
