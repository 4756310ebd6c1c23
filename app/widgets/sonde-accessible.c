/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-accessible.h"

void
sonde_set_name (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void
sonde_menu_button_set_words (GtkMenuButton *button, const char *words)
{
  gtk_menu_button_set_label (button, words);
  sonde_set_name (GTK_WIDGET (button), words);
}

void
sonde_name_inside (GtkWidget *widget, GType type, const char *name)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (G_TYPE_CHECK_INSTANCE_TYPE (child, type))
        sonde_set_name (child, name);
      sonde_name_inside (child, type, name);
    }
}

void
sonde_expander_row_set_title (AdwExpanderRow *row, const char *title)
{
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  sonde_set_name (GTK_WIDGET (row), title);
  sonde_name_inside (GTK_WIDGET (row), GTK_TYPE_LIST_BOX, title);
  sonde_name_inside (GTK_WIDGET (row), GTK_TYPE_IMAGE, title);
}

void
sonde_list_item_set_name (GtkListItem *item, const char *name)
{
  GtkWidget *child = gtk_list_item_get_child (item);
  GtkWidget *place = child != NULL ? gtk_widget_get_parent (child) : NULL;

  if (place != NULL)
    sonde_set_name (place, name);
}

/* Of a label. (nullable) */
static const char *
get_text (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    return gtk_label_get_text (GTK_LABEL (widget));
  return GTK_IS_INSCRIPTION (widget) ? gtk_inscription_get_text (GTK_INSCRIPTION (widget)) : NULL;
}

static void
add_texts (GtkWidget *widget, GString *all)
{
  const char *text = get_text (widget);

  if (text != NULL && *text != '\0')
    g_string_append_printf (all, "%s%s", all->len > 0 ? ", " : "", text);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    add_texts (child, all);
}

static void
set_name_of (GtkWidget *widget, GtkWidget *texts)
{
  GString *all = g_string_new (NULL);

  add_texts (texts, all);
  if (all->len > 0)
    sonde_set_name (widget, all->str);
  g_string_free (all, TRUE);
}

void
sonde_name_by_text (GtkWidget *widget)
{
  set_name_of (widget, widget);
}

void
sonde_name_buttons_inside (GtkWidget *widget)
{
  if (GTK_IS_BUTTON (widget) && gtk_widget_get_tooltip_text (widget) != NULL)
    sonde_set_name (widget, gtk_widget_get_tooltip_text (widget));
  if (GTK_IS_BUTTON (widget))
    sonde_name_by_text (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    sonde_name_buttons_inside (child);
}

static void
on_bound (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *child = gtk_list_item_get_child (item);
  GtkWidget *cell = child != NULL ? gtk_widget_get_parent (child) : NULL;
  GtkWidget *row = cell != NULL ? gtk_widget_get_parent (cell) : NULL;

  if (row != NULL && gtk_widget_get_first_child (row) == cell)
    set_name_of (row, child);
}

void
sonde_name_rows (GtkSignalListItemFactory *factory)
{
  /* Once: a column may leave its table and come back. */
  g_signal_handlers_disconnect_by_func (factory, on_bound, NULL);
  g_signal_connect_after (factory, "bind", G_CALLBACK (on_bound), NULL);
}
