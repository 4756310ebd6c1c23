/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/migration/sonde-port-table.h"

#include <string.h>

#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-text.h"

struct _SondePortTable
{
  GtkBox parent_instance;
  GtkColumnView *view;
  GListStore *apis;
  GtkFilter *filter;
  GtkSingleSelection *selection;
  char *wanted; /* (nullable): lower case */
};

G_DEFINE_FINAL_TYPE (SondePortTable, sonde_port_table, GTK_TYPE_BOX)

static guint chosen_signal;

static void
sonde_port_table_finalize (GObject *object)
{
  SondePortTable *table = SONDE_PORT_TABLE (object);

  g_clear_object (&table->apis);
  g_free (table->wanted);
  G_OBJECT_CLASS (sonde_port_table_parent_class)->finalize (object);
}

static void
sonde_port_table_class_init (SondePortTableClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_port_table_finalize;
  chosen_signal = g_signal_new ("chosen", SONDE_TYPE_PORT_TABLE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, SONDE_TYPE_PORT_ITEM);
}

/* ---- rows ---------------------------------------------------------------- */

static GListModel *
make_children (gpointer item, gpointer data)
{
  return sonde_port_item_make_places (item);
}

static gboolean
contains (char *text, const char *wanted)
{
  g_autofree char *owned = text;
  g_autofree char *lower = g_utf8_strdown (owned, -1);

  return strstr (lower, wanted) != NULL;
}

static gboolean
matches (gpointer item, gpointer data)
{
  SondePortTable *table = data;

  return table->wanted == NULL || contains (sonde_port_item_dup_name (item), table->wanted)
         || contains (sonde_port_item_dup_verdict (item), table->wanted)
         || contains (sonde_port_item_dup_counterpart (item), table->wanted);
}

static SondePortItem *
item_of_row (gpointer row)
{
  return row != NULL ? gtk_tree_list_row_get_item (row) : NULL;
}

static void
on_selected (SondePortTable *table)
{
  g_autoptr (SondePortItem) item
      = item_of_row (gtk_single_selection_get_selected_item (table->selection));

  if (item != NULL)
    g_signal_emit (table, chosen_signal, 0, item);
}

/* ---- columns ------------------------------------------------------------- */

typedef char *(*CellText) (SondePortItem *item);

static void
set_up_cell (GtkSignalListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), data == sonde_port_item_dup_uses ? 1 : 0);
  /* The end of a dotted name tells most. */
  gtk_label_set_ellipsize (GTK_LABEL (label), data == sonde_port_item_dup_name
                                                  ? PANGO_ELLIPSIZE_START
                                                  : PANGO_ELLIPSIZE_END);
  if (data == sonde_port_item_dup_name)
    {
      GtkWidget *expander = gtk_tree_expander_new ();

      gtk_tree_expander_set_child (GTK_TREE_EXPANDER (expander), label);
      gtk_list_item_set_child (cell, expander);
      return;
    }
  gtk_list_item_set_child (cell, label);
}

static void
bind_cell (GtkSignalListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  GtkTreeListRow *row = gtk_list_item_get_item (cell);
  g_autoptr (SondePortItem) item = item_of_row (row);
  g_autofree char *text = ((CellText) data) (item);
  GtkWidget *child = gtk_list_item_get_child (cell);

  if (GTK_IS_TREE_EXPANDER (child))
    {
      gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (child), row);
      child = gtk_tree_expander_get_child (GTK_TREE_EXPANDER (child));
    }
  gtk_label_set_text (GTK_LABEL (child), text);
  gtk_widget_set_tooltip_text (child, *text != '\0' ? text : NULL);
}

static void
unbind_cell (GtkSignalListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  GtkWidget *child = gtk_list_item_get_child (cell);

  if (GTK_IS_TREE_EXPANDER (child))
    gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (child), NULL);
}

static void
add_column (SondePortTable *table, const char *title, CellText text, int width, gboolean expands)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *column;

  g_signal_connect (factory, "setup", G_CALLBACK (set_up_cell), text);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cell), text);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cell), text);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_column_set_expand (column, expands);
  sonde_column_view_take (table->view, column, text == sonde_port_item_dup_uses);
  if (width > 0)
    sonde_column_view_set_width (table->view, column, width);
}

static void
sonde_port_table_init (SondePortTable *table)
{
  GtkFilterListModel *filtered;
  GtkTreeListModel *tree;
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  table->apis = g_list_store_new (SONDE_TYPE_PORT_ITEM);
  table->filter = GTK_FILTER (gtk_custom_filter_new (matches, table, NULL));
  filtered = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (table->apis)), table->filter);
  tree = gtk_tree_list_model_new (G_LIST_MODEL (filtered), FALSE, FALSE, make_children, NULL, NULL);
  table->selection = gtk_single_selection_new (G_LIST_MODEL (tree));
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (GTK_SELECTION_MODEL (table->selection)));
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Names used by the sources"), -1);
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  add_column (table, _ ("Verdict"), sonde_port_item_dup_verdict, 96, FALSE);
  add_column (table, _ ("Name"), sonde_port_item_dup_name, 0, TRUE);
  add_column (table, _ ("Uses"), sonde_port_item_dup_uses, 60, FALSE);
  add_column (table, _ ("Counterpart"), sonde_port_item_dup_counterpart, 0, TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  gtk_widget_set_hexpand (scrolled, TRUE);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (table), scrolled);
  g_signal_connect_object (table->selection, "notify::selected-item", G_CALLBACK (on_selected),
                           table, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_port_table_new (void)
{
  return g_object_new (SONDE_TYPE_PORT_TABLE, NULL);
}

void
sonde_port_table_set_scan (SondePortTable *table, SondePortScan *scan)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  guint n = scan != NULL ? sonde_port_scan_get_report (scan)->apis->len : 0;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (items, sonde_port_item_new (scan, i, SONDE_PORT_NO_PLACE));
  g_list_store_splice (table->apis, 0, g_list_model_get_n_items (G_LIST_MODEL (table->apis)),
                       items->pdata, items->len);
}

void
sonde_port_table_set_filter (SondePortTable *table, const char *text)
{
  g_free (table->wanted);
  table->wanted = text != NULL && *text != '\0' ? g_utf8_strdown (text, -1) : NULL;
  gtk_filter_changed (table->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

gboolean
sonde_port_table_select (SondePortTable *table, const char *api)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (table->selection));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GtkTreeListRow) row = g_list_model_get_item (G_LIST_MODEL (table->selection), i);
      g_autoptr (SondePortItem) item = item_of_row (row);

      if (sonde_port_item_is_place (item)
          || !g_str_equal (sonde_port_item_get_api (item)->api, api))
        continue;
      gtk_single_selection_set_selected (table->selection, i);
      return TRUE;
    }
  return FALSE;
}
