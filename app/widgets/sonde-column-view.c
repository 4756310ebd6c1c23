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
