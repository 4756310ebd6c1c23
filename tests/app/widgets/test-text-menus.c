/* SPDX-License-Identifier: Apache-2.0
 * The menu of an entry, a label and a text view: some time after it was closed it is gone, and comes again. No emoji
 * can be chosen from it. */
#include "app/sonde-text-menus.h"

/* (nullable) */
static GtkWidget *
get_menu (GtkWidget *owner)
{
  for (GtkWidget *child = gtk_widget_get_first_child (owner); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER_MENU (child))
      return child;
  return NULL;
}

static void
open_menu (GtkWidget *owner)
{
  gtk_widget_activate_action (owner, "menu.popup", NULL);
  g_assert_nonnull (get_menu (owner));
  while (!gtk_widget_get_mapped (get_menu (owner)))
    g_main_context_iteration (NULL, TRUE);
}

/* Nobody has it any more, GTK neither. */
static void
close_menu (GtkWidget *owner)
{
  GtkWidget *menu = get_menu (owner);

  g_object_add_weak_pointer (G_OBJECT (menu), (gpointer *) &menu);
  gtk_popover_popdown (GTK_POPOVER (menu));
  while (get_menu (owner) != NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (menu);
}

static void
check_no_emoji (GtkWidget *owner)
{
  gtk_widget_activate_action (owner, "misc.insert-emoji", NULL);
  for (GtkWidget *child = gtk_widget_get_first_child (owner); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    g_assert_true (!GTK_IS_POPOVER (child) || child == get_menu (owner));
}

/* Twice, as what was dropped has to be made anew. */
static void
check_menu (GtkWidget *child, GtkWidget *owner)
{
  GtkWidget *window = gtk_window_new ();

  gtk_window_set_child (GTK_WINDOW (window), child);
  gtk_window_present (GTK_WINDOW (window));
  while (!gtk_widget_get_mapped (window))
    g_main_context_iteration (NULL, TRUE);
  for (int i = 0; i < 2; i++)
    {
      open_menu (owner);
      check_no_emoji (owner);
      close_menu (owner);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_entry (void)
{
  GtkWidget *entry = gtk_entry_new ();

  check_menu (entry, gtk_widget_get_first_child (entry));
}

static void
test_label (void)
{
  GtkWidget *label = gtk_label_new ("what can be selected");

  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  check_menu (label, label);
}

static void
test_text_view (void)
{
  GtkWidget *view = gtk_text_view_new ();

  check_menu (view, view);
}

/* What a widget adds to its menu stays. */
static void
test_added (void)
{
  GtkWidget *label = gtk_label_new ("what can be selected");
  g_autoptr (GMenu) added = g_menu_new ();

  g_object_ref_sink (label);
  g_menu_append (added, "More", "win.more");
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_label_set_extra_menu (GTK_LABEL (label), G_MENU_MODEL (added));
  check_menu (label, label);
  g_assert_true (gtk_label_get_extra_menu (GTK_LABEL (label)) == G_MENU_MODEL (added));
  g_object_unref (label);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  sonde_text_menus_start ();
  g_test_add_func ("/app/text-menus/entry", test_entry);
  g_test_add_func ("/app/text-menus/label", test_label);
  g_test_add_func ("/app/text-menus/text-view", test_text_view);
  g_test_add_func ("/app/text-menus/added", test_added);
  return g_test_run ();
}
