/* SPDX-License-Identifier: Apache-2.0
 * A popover that is open while its window, its parent or itself goes: the window that stays gets real keys afterwards,
 * and nothing keeps the popover. */
#include "app/sonde-popover-guard.h"

#include <gtk/gtk.h>

#include "tests/support/sonde-test-hands.h"

typedef struct
{
  GtkWidget *window, *entry; /* what stays */
  GtkWidget *other, *button; /* the window with the popover */
  GtkWidget *popover;        /* not owned */
} Fixture;

static SondeTestHands *hands;

static void
run_until (gboolean (*condition) (Fixture *fixture), Fixture *fixture)
{
  while (!condition (fixture))
    g_main_context_iteration (NULL, TRUE);
}

static gboolean
is_window_active (Fixture *fixture)
{
  return gtk_window_is_active (GTK_WINDOW (fixture->window));
}

static gboolean
is_popover_open (Fixture *fixture)
{
  return gtk_widget_get_mapped (fixture->popover);
}

static gboolean
is_written (Fixture *fixture)
{
  return g_str_equal (gtk_editable_get_text (GTK_EDITABLE (fixture->entry)), "a");
}

static gboolean
is_freed (Fixture *fixture)
{
  return fixture->popover == NULL;
}

static GtkWidget *
open_window (GtkWidget *child)
{
  GtkWidget *window = gtk_window_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  gtk_box_append (GTK_BOX (box), child);
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_set_default_size (GTK_WINDOW (window), 300, 200);
  gtk_window_present (GTK_WINDOW (window));
  while (!gtk_widget_get_mapped (window))
    g_main_context_iteration (NULL, TRUE);
  return window;
}

static void
fixture_init (Fixture *fixture, gconstpointer data)
{
  fixture->entry = gtk_entry_new ();
  fixture->window = open_window (fixture->entry);
  fixture->button = gtk_button_new_with_label ("below it");
  fixture->other = open_window (fixture->button);
  fixture->popover = gtk_popover_new ();
  g_object_add_weak_pointer (G_OBJECT (fixture->popover), (gpointer *) &fixture->popover);
  gtk_popover_set_child (GTK_POPOVER (fixture->popover), gtk_label_new ("open"));
  gtk_widget_set_parent (fixture->popover, fixture->button);
  gtk_popover_popup (GTK_POPOVER (fixture->popover));
  run_until (is_popover_open, fixture);
}

/* Its owner lets go of it, as owners of popovers do. */
static void
leave_parent (Fixture *fixture)
{
  gtk_widget_unparent (fixture->popover);
}

static void
destroy_window (Fixture *fixture)
{
  g_signal_connect_swapped (fixture->button, "destroy", G_CALLBACK (gtk_widget_unparent),
                            fixture->popover);
  gtk_window_destroy (GTK_WINDOW (fixture->other));
}

static void
remove_parent (Fixture *fixture)
{
  g_signal_connect_swapped (fixture->button, "destroy", G_CALLBACK (gtk_widget_unparent),
                            fixture->popover);
  gtk_box_remove (GTK_BOX (gtk_widget_get_parent (fixture->button)), fixture->button);
}

/* @data: how it goes */
static void
test_going (Fixture *fixture, gconstpointer data)
{
  void (*go) (Fixture * fixture) = data;

  go (fixture);
  sonde_test_hands_focus (hands, GTK_WINDOW (fixture->window));
  run_until (is_window_active, fixture);
  gtk_widget_grab_focus (fixture->entry);
  sonde_test_hands_key (hands, GDK_KEY_a, TRUE);
  sonde_test_hands_key (hands, GDK_KEY_a, FALSE);
  run_until (is_written, fixture);
  run_until (is_freed, fixture);
}

static void
fixture_clear (Fixture *fixture, gconstpointer data)
{
  if (data != destroy_window)
    gtk_window_destroy (GTK_WINDOW (fixture->other));
  gtk_window_destroy (GTK_WINDOW (fixture->window));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  hands = gtk_init_check () ? sonde_test_hands_new () : NULL;
  if (hands == NULL)
    {
      g_print ("1..0 # SKIP there is no X server with XTEST\n");
      return 0;
    }
  sonde_popover_guard_start ();
  g_test_add ("/app/popover-guard/leaves-parent", Fixture, leave_parent, fixture_init, test_going,
              fixture_clear);
  g_test_add ("/app/popover-guard/window-destroyed", Fixture, destroy_window, fixture_init,
              test_going, fixture_clear);
  g_test_add ("/app/popover-guard/parent-removed", Fixture, remove_parent, fixture_init, test_going,
              fixture_clear);
  status = g_test_run ();
  sonde_test_hands_free (hands);
  return status;
}
