/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-accessible.h"

static void
set_name (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void
sonde_menu_button_set_words (GtkMenuButton *button, const char *words)
{
  gtk_menu_button_set_label (button, words);
  set_name (GTK_WIDGET (button), words);
}

void
sonde_name_inside (GtkWidget *widget, GType type, const char *name)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (G_TYPE_CHECK_INSTANCE_TYPE (child, type))
        set_name (child, name);
      sonde_name_inside (child, type, name);
    }
}
