/* SPDX-License-Identifier: Apache-2.0
 * Keys at a widget that the wheel took out of sight: one that would open or activate it shows it first, one that is
 * text is written. Real keys, as GTK's own menus open with nothing else. */
#include "app/sonde-focus-sight.h"
#include "tests/support/sonde-test-hands.h"

#define TALL 4000

typedef struct
{
  GtkWidget *window, *box;
  GtkAdjustment *down;
} Fixture;

static SondeTestHands *hands;

static void
run_until (gboolean (*condition) (Fixture *fixture), Fixture *fixture)
{
  while (!condition (fixture))
    g_main_context_iteration (NULL, TRUE);
}

static gboolean
is_active (Fixture *fixture)
{
  return gtk_window_is_active (GTK_WINDOW (fixture->window))
         && gtk_adjustment_get_upper (fixture->down) > TALL;
}

/* The widget above the empty room, or its first line. */
static gboolean
is_seen (Fixture *fixture)
{
  return gtk_adjustment_get_value (fixture->down) < 20;
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (widget);
  return --*(int *) data > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
run_frames (Fixture *fixture)
{
  int left = 4;

  gtk_widget_add_tick_callback (fixture->window, on_tick, &left, NULL);
  while (left > 0)
    g_main_context_iteration (NULL, TRUE);
}

/* A screen of 4000 px below @widget, which has the keyboard. */
static void
open_window (Fixture *fixture, GtkWidget *widget)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (), *area = gtk_drawing_area_new ();

  fixture->window = gtk_window_new ();
  fixture->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_size_request (area, -1, TALL);
  gtk_box_append (GTK_BOX (fixture->box), widget);
  gtk_box_append (GTK_BOX (fixture->box), area);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), fixture->box);
  fixture->down = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  gtk_window_set_child (GTK_WINDOW (fixture->window), scrolled);
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 500, 400);
  sonde_focus_sight_start ();
  gtk_window_present (GTK_WINDOW (fixture->window));
  while (!gtk_widget_get_mapped (fixture->window))
    g_main_context_iteration (NULL, TRUE);
  sonde_test_hands_focus (hands, GTK_WINDOW (fixture->window));
  run_until (is_active, fixture);
  gtk_widget_grab_focus (widget);
  run_frames (fixture);
}

static void
close_window (Fixture *fixture)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
}

static void
scroll_away (Fixture *fixture)
{
  gtk_adjustment_set_value (fixture->down, TALL - 500);
  run_frames (fixture);
}

static void
press (guint key)
{
  sonde_test_hands_key (hands, key, TRUE);
  sonde_test_hands_key (hands, key, FALSE);
}

/* (nullable): none is open */
static GtkWidget *
find_popover (GtkWidget *widget)
{
  GtkWidget *found = NULL;

  if (GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_popover (child);
  return found;
}

static gboolean
has_popover (Fixture *fixture)
{
  return find_popover (fixture->window) != NULL;
}

static void
close_popover (Fixture *fixture)
{
  gtk_popover_popdown (GTK_POPOVER (find_popover (fixture->window)));
  run_frames (fixture);
}

static void
test_choice (void)
{
  static const char *const words[] = { "one", "two", NULL };
  Fixture fixture = { 0 };

  open_window (&fixture, gtk_drop_down_new_from_strings (words));
  scroll_away (&fixture);
  press (GDK_KEY_Return);
  run_until (is_seen, &fixture);
  run_frames (&fixture);
  g_assert_false (has_popover (&fixture));
  press (GDK_KEY_Return);
  run_until (has_popover, &fixture);
  close_popover (&fixture);
  close_window (&fixture);
}

static gboolean
has_blank (Fixture *fixture)
{
  GtkWidget *entry = gtk_widget_get_first_child (fixture->box);

  return g_str_equal (gtk_editable_get_text (GTK_EDITABLE (entry)), " ");
}

/* A blank is no key that opens. */
static void
test_entry (void)
{
  Fixture fixture = { 0 };

  open_window (&fixture, gtk_entry_new ());
  scroll_away (&fixture);
  press (GDK_KEY_space);
  run_until (has_blank, &fixture);
  scroll_away (&fixture);
  press (GDK_KEY_Menu);
  run_until (is_seen, &fixture);
  run_frames (&fixture);
  g_assert_false (has_popover (&fixture));
  press (GDK_KEY_Menu);
  run_until (has_popover, &fixture);
  close_popover (&fixture);
  close_window (&fixture);
}

/* A text is in sight where its cursor is. */
static void
test_text (void)
{
  GtkWidget *text = gtk_text_view_new ();
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (text));
  g_autofree char *lines = g_strnfill (200, '\n');
  GtkTextIter start;
  Fixture fixture = { 0 };

  gtk_text_buffer_set_text (buffer, lines, -1);
  gtk_text_buffer_get_start_iter (buffer, &start);
  gtk_text_buffer_place_cursor (buffer, &start);
  open_window (&fixture, text);
  gtk_adjustment_set_value (fixture.down, 1500);
  run_frames (&fixture);
  press (GDK_KEY_Menu);
  run_until (is_seen, &fixture);
  run_frames (&fixture);
  g_assert_false (has_popover (&fixture));
  press (GDK_KEY_Menu);
  run_until (has_popover, &fixture);
  close_popover (&fixture);
  close_window (&fixture);
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
  g_test_add_func ("/app/widgets/focus-sight/choice", test_choice);
  g_test_add_func ("/app/widgets/focus-sight/entry", test_entry);
  g_test_add_func ("/app/widgets/focus-sight/text", test_text);
  status = g_test_run ();
  sonde_test_hands_free (hands);
  return status;
}
