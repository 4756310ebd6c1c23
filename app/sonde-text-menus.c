/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-text-menus.h"

#include "viewers/sonde-view.h"

static gboolean
has_open_menu (GtkWidget *owner)
{
  for (GtkWidget *child = gtk_widget_get_first_child (owner); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER_MENU (child) && gtk_widget_get_mapped (child))
      return TRUE;
  return FALSE;
}

/* A text forgets its menu when it gets another model for what is added to it. */
static gboolean
on_rested (gpointer data)
{
  GtkWidget *owner = data;
  g_autoptr (GMenuModel) added = NULL;
  g_autoptr (GMenu) other = g_menu_new ();

  if (has_open_menu (owner))
    return G_SOURCE_REMOVE;
  g_object_get (owner, "extra-menu", &added, NULL);
  g_object_set (owner, "extra-menu", other, NULL);
  g_object_set (owner, "extra-menu", added, NULL);
  return G_SOURCE_REMOVE;
}

static gboolean
keeps_menu (GtkWidget *owner)
{
  return GTK_IS_TEXT (owner) || GTK_IS_LABEL (owner) || GTK_IS_TEXT_VIEW (owner);
}

static gboolean
on_closed (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  GtkWidget *menu = g_value_get_object (&values[0]), *owner = gtk_widget_get_parent (menu);

  if (GTK_IS_POPOVER_MENU (menu) && keeps_menu (owner))
    g_timeout_add_full (G_PRIORITY_DEFAULT, SONDE_POPOVER_REST, on_rested, g_object_ref (owner),
                        g_object_unref);
  return TRUE;
}

/* GTK hides what cannot be chosen. */
static gboolean
on_realize (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  GObject *widget = g_value_get_object (&values[0]);
  GtkInputHints hints;

  if (GTK_IS_TEXT (widget) || GTK_IS_TEXT_VIEW (widget))
    {
      g_object_get (widget, "input-hints", &hints, NULL);
      g_object_set (widget, "input-hints", hints | GTK_INPUT_HINT_NO_EMOJI, NULL);
    }
  return TRUE;
}

void
sonde_text_menus_start (void)
{
  static gulong hook;

  if (hook != 0)
    return;
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WIDGET));
  g_signal_add_emission_hook (g_signal_lookup ("realize", GTK_TYPE_WIDGET), 0, on_realize, NULL,
                              NULL);
  g_type_class_unref (g_type_class_ref (GTK_TYPE_POPOVER));
  hook = g_signal_add_emission_hook (g_signal_lookup ("closed", GTK_TYPE_POPOVER), 0, on_closed,
                                     NULL, NULL);
}
