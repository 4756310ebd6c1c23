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
sonde_column_view_insert (GtkColumnView *view, guint position, GtkColumnViewColumn *column,
                          gboolean is_number)
{
  guint n = g_list_model_get_n_items (gtk_column_view_get_columns (view));
  GtkWidget *heads, *head, *box;

  position = MIN (position, n);
  gtk_column_view_insert_column (view, position, column);
  heads = gtk_widget_get_first_child (GTK_WIDGET (view));
  head = heads != NULL ? gtk_widget_get_first_child (heads) : NULL;
  for (guint i = 0; i < position && head != NULL; i++)
    head = gtk_widget_get_next_sibling (head);
  box = head != NULL ? gtk_widget_get_first_child (head) : NULL;
  if (is_number && box != NULL)
    gtk_widget_set_halign (box, GTK_ALIGN_END);
}

void
sonde_column_view_take (GtkColumnView *view, GtkColumnViewColumn *column, gboolean is_number)
{
  sonde_column_view_insert (view, G_MAXUINT, column, is_number);
  g_object_unref (column);
}
