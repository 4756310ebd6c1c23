/* SPDX-License-Identifier: Apache-2.0
 * The table of runs: columns that a person chooses, sorting by them, what is copied; each number against what
 * was recorded. */
#include <math.h>
#include <string.h>

#include "app/pages/runs/sonde-contents-table.h"
#include "app/pages/runs/sonde-runs-page.h"
#include "app/widgets/sonde-column-chooser.h"
#include "tests/app/pages/window-fixture.h"

static void
write_rate (SondeTestRun *run, const char *rate)
{
  SondeHparam items[] = { { (char *) "rate", (char *) rate, SONDE_HPARAM_NUMBER },
                          { (char *) "model", (char *) "lenet", SONDE_HPARAM_TEXT } };
  SondeRecord record = { .kind = SONDE_RECORD_HPARAMS,
                         .session = 1,
                         .tag = g_intern_static_string ("hparams"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  record.u.hparams.part = SONDE_HPARAMS_VALUES;
  record.u.hparams.items = items;
  record.u.hparams.n = G_N_ELEMENTS (items);
  sonde_test_run_record (run, &record);
  sonde_test_run_flush (run);
}

static void
open_runs (WindowFixture *fixture)
{
  window_fixture_init (fixture);
  write_rate (fixture->run_a, "0.123456789");
  write_rate (fixture->run_b, "0.05");
  window_fixture_open (fixture, "runs");
}

static GtkWidget *
find (WindowFixture *fixture, GType type)
{
  GtkWidget *widget
      = window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture->window)), type);

  g_assert_nonnull (widget);
  return widget;
}

static GtkColumnViewColumn *
find_column (GtkWidget *view, const char *title)
{
  GListModel *columns = gtk_column_view_get_columns (GTK_COLUMN_VIEW (view));

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      if (g_str_equal (gtk_column_view_column_get_title (column), title)
          && gtk_column_view_column_get_visible (column))
        return column; /* the view has it */
    }
  return NULL;
}

static GtkWidget *
find_check (GtkWidget *widget, const char *label)
{
  GtkWidget *found = NULL;

  if (GTK_IS_CHECK_BUTTON (widget)
      && g_strcmp0 (gtk_check_button_get_label (GTK_CHECK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_check (child, label);
  return found;
}

static gboolean
is_listed (WindowFixture *fixture, const void *label)
{
  return find_check (find (fixture, SONDE_TYPE_COLUMN_CHOOSER), label) != NULL;
}

/* By the list, as a person does. */
static void
choose (WindowFixture *fixture, const char *label, gboolean shown)
{
  GtkWidget *chooser = find (fixture, SONDE_TYPE_COLUMN_CHOOSER);
  GtkWidget *button = window_fixture_find (chooser, GTK_TYPE_MENU_BUTTON);

  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  window_fixture_wait (fixture, is_listed, label);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (find_check (chooser, label)), shown);
  gtk_menu_button_popdown (GTK_MENU_BUTTON (button));
  window_fixture_settle (fixture);
}

static gboolean
reads (WindowFixture *fixture, const char *text)
{
  return window_fixture_find_label (find (fixture, GTK_TYPE_COLUMN_VIEW), text) != NULL;
}

static char *
dup_first_run (WindowFixture *fixture)
{
  GtkColumnView *view = GTK_COLUMN_VIEW (find (fixture, GTK_TYPE_COLUMN_VIEW));
  g_autoptr (SondeRun) run
      = g_list_model_get_item (G_LIST_MODEL (gtk_column_view_get_model (view)), 0);

  return g_strdup (sonde_run_get_name (run));
}

/* ---- columns ------------------------------------------------------------- */

/* Nothing is read of runs until somebody asks for it; then their parameters and scalars can be columns, by
 * which the table is sorted, and which are there the next time. */
static void
test_columns (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *first = NULL, *last = NULL, *runs = NULL;
  GtkWidget *view;

  open_runs (&fixture);
  view = find (&fixture, GTK_TYPE_COLUMN_VIEW);
  g_assert_null (find_column (view, "rate"));
  choose (&fixture, "rate", TRUE);
  g_assert_nonnull (find_column (view, "rate"));
  g_assert_true (reads (&fixture, "0.123457"));
  choose (&fixture, "accuracy (best, greatest)", TRUE);
  g_assert_true (reads (&fixture, "0.9813")); /* 1 - exp (-199 * 0.02) */
  choose (&fixture, "Tags", FALSE);
  g_assert_null (find_column (view, "Tags"));

  gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (view), find_column (view, "rate"),
                                  GTK_SORT_ASCENDING);
  first = dup_first_run (&fixture);
  g_assert_cmpstr (first, ==, "group/b");
  gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (view), find_column (view, "rate"),
                                  GTK_SORT_DESCENDING);
  last = dup_first_run (&fixture);
  g_assert_cmpstr (last, ==, "group/a");

  window_fixture_close (&fixture);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  window_fixture_open_paths (&fixture, (const char *const[]){ runs, NULL }, "runs", NULL);
  view = find (&fixture, GTK_TYPE_COLUMN_VIEW);
  g_assert_nonnull (find_column (view, "rate"));
  g_assert_null (find_column (view, "Tags"));
  g_assert_true (reads (&fixture, "0.123457"));
  choose (&fixture, "rate", FALSE);
  g_assert_null (find_column (view, "rate"));
  choose (&fixture, "Tags", TRUE);
  choose (&fixture, "accuracy (best, greatest)", FALSE);
  window_fixture_clear (&fixture);
}

static gboolean
has_value (WindowFixture *fixture, const void *text)
{
  return reads (fixture, text);
}

/* The last value is the last, also after a point that arrives. */
static void
test_arrival (void)
{
  WindowFixture fixture = { 0 };

  open_runs (&fixture);
  choose (&fixture, "loss", TRUE);
  sonde_test_run_scalars (fixture.run_a, 200, "loss", 0.7654, NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_wait (&fixture, has_value, "0.7654");
  choose (&fixture, "loss", FALSE);
  window_fixture_clear (&fixture);
}

/* No damage is a 0; what cannot be read by Sonde has a column only where there is some. */
static void
test_quiet_columns (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (GBytes) content = g_bytes_new_static ("0123456789", 10);
  SondeRecord other
      = { .kind = SONDE_RECORD_OTHER,
          .session = 1,
          .tag = g_intern_static_string ("secret"),
          .wall_time_ns = SONDE_TEST_RUN_START_NS,
          .u.other = { .plugin = (char *) "nobody's", .content = content, .bytes = 3000 } };
  GtkWidget *contents;

  window_fixture_init (&fixture);
  sonde_test_run_record (fixture.run_b, &other);
  sonde_test_run_flush (fixture.run_b);
  window_fixture_open (&fixture, "runs");
  g_assert_true (reads (&fixture, "0"));
  contents = window_fixture_find (find (&fixture, SONDE_TYPE_CONTENTS_TABLE), GTK_TYPE_COLUMN_VIEW);
  sonde_workspace_set_run (
      fixture.workspace,
      sonde_run_store_find (sonde_workspace_get_store (fixture.workspace), "group/a"));
  window_fixture_settle (&fixture);
  g_assert_null (find_column (contents, "Unsupported"));
  sonde_workspace_set_run (
      fixture.workspace,
      sonde_run_store_find (sonde_workspace_get_store (fixture.workspace), "group/b"));
  window_fixture_settle (&fixture);
  g_assert_nonnull (find_column (contents, "Unsupported"));
  window_fixture_clear (&fixture);
}

/* ---- copying ------------------------------------------------------------- */

static void
on_text (GObject *clipboard, GAsyncResult *result, gpointer text)
{
  *(char **) text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static char *
dup_clipboard (WindowFixture *fixture)
{
  char *text = NULL;

  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (fixture->window)), NULL,
                                 on_text, &text);
  while (text == NULL)
    g_main_context_iteration (NULL, TRUE);
  return text;
}

static void
press_cell (GtkWidget *label)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (label);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_GESTURE_CLICK (controller)
          && gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) == 0)
        g_signal_emit_by_name (controller, "pressed", 1, 2.0, 2.0);
    }
}

/* In full, not as the cell rounds it; the row with its heads. */
static void
test_copy (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *cell = NULL, *name = NULL, *row = NULL;
  g_auto (GStrv) lines = NULL;
  GtkWidget *view;

  open_runs (&fixture);
  view = find (&fixture, GTK_TYPE_COLUMN_VIEW);
  sonde_workspace_set_run (
      fixture.workspace,
      sonde_run_store_find (sonde_workspace_get_store (fixture.workspace), "group/a"));
  choose (&fixture, "rate", TRUE);
  gtk_widget_activate_action (view, "table.copy-cell", NULL);
  name = dup_clipboard (&fixture);
  g_assert_cmpstr (name, ==, "group/a");

  press_cell (window_fixture_find_label (view, "0.123457"));
  gtk_widget_grab_focus (view);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_c, GDK_CONTROL_MASK));
  cell = dup_clipboard (&fixture);
  g_assert_cmpstr (cell, ==, "0.123456789");

  gtk_widget_activate_action (view, "table.copy-row", NULL);
  row = dup_clipboard (&fixture);
  lines = g_strsplit (row, "\n", -1);
  g_assert_true (g_str_has_prefix (lines[0], "Run\tState\tLast step\tData points"));
  g_assert_true (g_str_has_suffix (lines[0], "\trate"));
  g_assert_true (g_str_has_prefix (lines[1], "group/a\tlive\t199\t400\t"));
  g_assert_true (g_str_has_suffix (lines[1], "\t0.123456789"));
  g_assert_cmpstr (lines[2], ==, "");
  choose (&fixture, "rate", FALSE);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/runs/columns", test_columns);
  g_test_add_func ("/app/pages/runs/arrival", test_arrival);
  g_test_add_func ("/app/pages/runs/quiet-columns", test_quiet_columns);
  g_test_add_func ("/app/pages/runs/copy", test_copy);
  return g_test_run ();
}
