/* SPDX-License-Identifier: Apache-2.0
 * A bar that comes while widgets above keep their sizes, and text that changes within a frame: everything is painted
 * all the same. The warnings of GTK that tell of what was left out are counted. */
#include "app/widgets/sonde-layout-guard.h"

typedef struct
{
  GtkWidget *window, *paned, *text, *label;
  const int *n_warnings; /* so far */
} Fixture;

static GLogWriterOutput
count_warnings (GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (fields[i].key, "MESSAGE")
        && strstr (fields[i].value, "without a current allocation") != NULL)
      {
        ++*(int *) data;
        return G_LOG_WRITER_HANDLED;
      }
  return g_log_writer_default (level, fields, n, NULL);
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

/* A line of text beside an empty pane, in a box that has a label below. */
static void
fixture_init (Fixture *fixture, const void *n_warnings)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (), *stack = gtk_stack_new (),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  fixture->n_warnings = n_warnings;
  fixture->window = gtk_window_new ();
  fixture->text = gtk_text_view_new ();
  fixture->paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  fixture->label = gtk_label_new ("below");
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (fixture->text)),
                            "a line that takes more room than it has beside the border", -1);
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (scrolled), FALSE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), fixture->text);
  gtk_paned_set_start_child (GTK_PANED (fixture->paned), scrolled);
  gtk_paned_set_end_child (GTK_PANED (fixture->paned), gtk_drawing_area_new ());
  gtk_paned_set_position (GTK_PANED (fixture->paned), 500);
  gtk_widget_set_vexpand (stack, TRUE);
  gtk_stack_add_child (GTK_STACK (stack), fixture->paned);
  gtk_box_append (GTK_BOX (box), stack);
  gtk_box_append (GTK_BOX (box), fixture->label);
  gtk_window_set_child (GTK_WINDOW (fixture->window), box);
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 600, 300);
}

/* How often GTK warned while the border moved. The box gets its size anew for the label, the stack in it does not:
 * only the panes below have another border. */
static int
move_border (Fixture *fixture)
{
  int before;

  gtk_window_present (GTK_WINDOW (fixture->window));
  run_frames (fixture);
  before = *fixture->n_warnings;
  for (int i = 0; i < 6; i++)
    {
      gtk_label_set_text (GTK_LABEL (fixture->label), i % 2 == 0 ? "under it" : "below");
      gtk_paned_set_position (GTK_PANED (fixture->paned), i % 2 == 0 ? 100 : 500);
      run_frames (fixture);
    }
  return *fixture->n_warnings - before;
}

/* As under a pointer that changes what it looks like. */
static gboolean
on_write (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_text_buffer_insert_at_cursor (gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget)), "more ", -1);
  gtk_widget_queue_draw (widget);
  return G_SOURCE_REMOVE;
}

/* How often GTK warned while a line that is too long for its place grew in the middle of frames. */
static int
write_in_frames (Fixture *fixture)
{
  int before;

  gtk_paned_set_position (GTK_PANED (fixture->paned), 100);
  gtk_window_present (GTK_WINDOW (fixture->window));
  run_frames (fixture);
  before = *fixture->n_warnings;
  for (int i = 0; i < 6; i++)
    {
      gtk_widget_add_tick_callback (fixture->text, on_write, NULL, NULL);
      run_frames (fixture);
    }
  return *fixture->n_warnings - before;
}

static void
fixture_clear (Fixture *fixture, const void *n_warnings)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
}

/* So that the other cases could fail. */
static void
test_border_fault (Fixture *fixture, const void *n_warnings)
{
  if (move_border (fixture) == 0)
    g_test_skip ("this GTK needs no guard");
}

static void
test_text_fault (Fixture *fixture, const void *n_warnings)
{
  if (write_in_frames (fixture) == 0)
    g_test_skip ("this GTK needs no guard");
}

static void
test_border (Fixture *fixture, const void *n_warnings)
{
  sonde_layout_guard_start ();
  g_assert_cmpint (move_border (fixture), ==, 0);
}

static void
test_text (Fixture *fixture, const void *n_warnings)
{
  sonde_layout_guard_start ();
  g_assert_cmpint (write_in_frames (fixture), ==, 0);
}

int
main (int argc, char *argv[])
{
  int n_warnings = 0;

  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  g_log_set_writer_func (count_warnings, &n_warnings, NULL);
  g_test_add ("/app/widgets/layout-guard/border-fault", Fixture, &n_warnings, fixture_init,
              test_border_fault, fixture_clear);
  g_test_add ("/app/widgets/layout-guard/text-fault", Fixture, &n_warnings, fixture_init,
              test_text_fault, fixture_clear);
  g_test_add ("/app/widgets/layout-guard/border", Fixture, &n_warnings, fixture_init, test_border,
              fixture_clear);
  g_test_add ("/app/widgets/layout-guard/text", Fixture, &n_warnings, fixture_init, test_text,
              fixture_clear);
  return g_test_run ();
}
