/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-column-view.h"

void
sonde_column_view_clear (GtkColumnView *view)
{
  GListModel *columns = gtk_column_view_get_columns (view);

  while (g_list_model_get_n_items (columns) > 0)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, 0);

      gtk_column_view_remove_column (view, column);
    }
}

void
sonde_column_view_take (GtkColumnView *view, GtkColumnViewColumn *column, gboolean is_number)
{
  GtkWidget *heads, *head, *box;

  gtk_column_view_append_column (view, column);
  g_object_unref (column);
  heads = gtk_widget_get_first_child (GTK_WIDGET (view));
  head = heads != NULL ? gtk_widget_get_last_child (heads) : NULL;
  box = head != NULL ? gtk_widget_get_first_child (head) : NULL;
  if (is_number && box != NULL)
    gtk_widget_set_halign (box, GTK_ALIGN_END);
}
