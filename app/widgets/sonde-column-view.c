/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-column-view.h"

#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-text-scale.h"

/* They are a row of their own, which gets the keys. */
static void
name_heads (GtkColumnView *view)
{
  GtkWidget *heads = gtk_widget_get_first_child (GTK_WIDGET (view));

  if (heads != NULL)
    sonde_set_name (heads, _ ("Column heads"));
}

void
sonde_column_view_clear (GtkColumnView *view)
{
  GListModel *columns = gtk_column_view_get_columns (view);

  while (g_list_model_get_n_items (columns) > 0)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, 0);

      gtk_column_view_remove_column (view, column);
    }
  name_heads (view);
}

void
sonde_column_view_insert (GtkColumnView *view, guint position, GtkColumnViewColumn *column,
                          gboolean is_number)
{
  guint n = g_list_model_get_n_items (gtk_column_view_get_columns (view));
  GtkWidget *heads, *head, *box;

  position = MIN (position, n);
  gtk_column_view_insert_column (view, position, column);
  sonde_name_rows (GTK_SIGNAL_LIST_ITEM_FACTORY (gtk_column_view_column_get_factory (column)));
  heads = gtk_widget_get_first_child (GTK_WIDGET (view));
  name_heads (view);
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

#define WIDTH "sonde-width" /* px at a text scale of 1 */

static void
update_width (GtkColumnViewColumn *column)
{
  const int *width = g_object_get_data (G_OBJECT (column), WIDTH);
  GtkColumnView *view = gtk_column_view_column_get_column_view (column);

  if (view != NULL)
    gtk_column_view_column_set_fixed_width (column,
                                            sonde_text_scale_length (GTK_WIDGET (view), *width));
}

void
sonde_column_view_set_width (GtkColumnView *view, GtkColumnViewColumn *column, int width)
{
  gboolean follows = g_object_get_data (G_OBJECT (column), WIDTH) != NULL;

  g_object_set_data_full (G_OBJECT (column), WIDTH, g_memdup2 (&width, sizeof width), g_free);
  gtk_column_view_column_set_fixed_width (column,
                                          sonde_text_scale_length (GTK_WIDGET (view), width));
  if (!follows)
    g_signal_connect_object (gtk_widget_get_settings (GTK_WIDGET (view)), "notify::gtk-xft-dpi",
                             G_CALLBACK (update_width), column, G_CONNECT_SWAPPED);
}
